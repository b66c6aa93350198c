CREATE VIEW changes_of_members as select rowid as row, members.id as id, null as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(members."id") when 'blob' then '{"blob":"'||hex(members."id")||'"}' else json_quote(members."id") end
    || ',"name":' || case typeof(members."name") when 'blob' then '{"blob":"'||hex(members."name")||'"}' else json_quote(members."name") end
    || ',"email":' || case typeof(members."email") when 'blob' then '{"blob":"'||hex(members."email")||'"}' else json_quote(members."email") end
    || ',"role":' || case typeof(members."role") when 'blob' then '{"blob":"'||hex(members."role")||'"}' else json_quote(members."role") end
    || ',"disabled":' || case typeof(members."disabled") when 'blob' then '{"blob":"'||hex(members."disabled")||'"}' when 'real' then replace(printf('%!.17g', members."disabled"), 'Inf', '9e999') else json_quote(members."disabled") end
    || ',"createdAt":' || case typeof(members."created_at") when 'blob' then '{"blob":"'||hex(members."created_at")||'"}' else json_quote(members."created_at") end
    || ',"updatedAt":' || case typeof(members."updated_at") when 'blob' then '{"blob":"'||hex(members."updated_at")||'"}' else json_quote(members."updated_at") end, 2) || '}' as record from members;
--> statement-breakpoint
CREATE TRIGGER changes_members_replace before insert on members
when exists (select 1 from changes_pending where kind = 'member')
  or exists (select 1 from members r where ((r."id" = new."id") or (lower(r.email) = lower(new.email)))) begin
  delete from changes_pending where kind = 'member';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'member', id, project_id, item_id, owner_id, record from changes_of_members
    where row in (select r.rowid from members r where ((r."id" = new."id") or (lower(r.email) = lower(new.email))));
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_insert after insert on members begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'member';
  delete from changes_pending where kind = 'member';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'member', new.id, 'created',
    null, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"email":' || case typeof(new."email") when 'blob' then '{"blob":"'||hex(new."email")||'"}' else json_quote(new."email") end
    || ',"role":' || case typeof(new."role") when 'blob' then '{"blob":"'||hex(new."role")||'"}' else json_quote(new."role") end
    || ',"disabled":' || case typeof(new."disabled") when 'blob' then '{"blob":"'||hex(new."disabled")||'"}' when 'real' then replace(printf('%!.17g', new."disabled"), 'Inf', '9e999') else json_quote(new."disabled") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_displace before update of "id", "email" on members
when exists (select 1 from changes_pending where kind = 'member')
  or exists (select 1 from members r where ((r."id" = new."id") or (lower(r.email) = lower(new.email))) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'member';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'member', id, project_id, item_id, owner_id, record from changes_of_members
    where row in (select r.rowid from members r where ((r."id" = new."id") or (lower(r.email) = lower(new.email))) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_displaced after update of "id", "email" on members
when exists (select 1 from changes_pending where kind = 'member') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'member';
  delete from changes_pending where kind = 'member';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'member', id, 'created', project_id, item_id, owner_id, record from changes_of_members
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_update after update on members
when ((old."id", old."name", old."email", old."role", old."disabled", old."created_at")
  is not (new."id", new."name", new."email", new."role", new."disabled", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'member', new.id, 'updated',
    null, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."email" is new."email" then '' else ',"email":' || case typeof(old."email") when 'blob' then '{"blob":"'||hex(old."email")||'"}' else json_quote(old."email") end end
    || case when old."role" is new."role" then '' else ',"role":' || case typeof(old."role") when 'blob' then '{"blob":"'||hex(old."role")||'"}' else json_quote(old."role") end end
    || case when old."disabled" is new."disabled" then '' else ',"disabled":' || case typeof(old."disabled") when 'blob' then '{"blob":"'||hex(old."disabled")||'"}' when 'real' then replace(printf('%!.17g', old."disabled"), 'Inf', '9e999') else json_quote(old."disabled") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."email" is new."email" then '' else ',"email":' || case typeof(new."email") when 'blob' then '{"blob":"'||hex(new."email")||'"}' else json_quote(new."email") end end
    || case when old."role" is new."role" then '' else ',"role":' || case typeof(new."role") when 'blob' then '{"blob":"'||hex(new."role")||'"}' else json_quote(new."role") end end
    || case when old."disabled" is new."disabled" then '' else ',"disabled":' || case typeof(new."disabled") when 'blob' then '{"blob":"'||hex(new."disabled")||'"}' when 'real' then replace(printf('%!.17g', new."disabled"), 'Inf', '9e999') else json_quote(new."disabled") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_delete after delete on members begin
  delete from changes_pending where kind = 'member' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'member', old.id, 'deleted',
    null, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"email":' || case typeof(old."email") when 'blob' then '{"blob":"'||hex(old."email")||'"}' else json_quote(old."email") end
    || ',"role":' || case typeof(old."role") when 'blob' then '{"blob":"'||hex(old."role")||'"}' else json_quote(old."role") end
    || ',"disabled":' || case typeof(old."disabled") when 'blob' then '{"blob":"'||hex(old."disabled")||'"}' when 'real' then replace(printf('%!.17g', old."disabled"), 'Inf', '9e999') else json_quote(old."disabled") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_teams as select rowid as row, teams.id as id, null as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(teams."id") when 'blob' then '{"blob":"'||hex(teams."id")||'"}' else json_quote(teams."id") end
    || ',"name":' || case typeof(teams."name") when 'blob' then '{"blob":"'||hex(teams."name")||'"}' else json_quote(teams."name") end
    || ',"description":' || case typeof(teams."description") when 'blob' then '{"blob":"'||hex(teams."description")||'"}' else json_quote(teams."description") end
    || ',"createdAt":' || case typeof(teams."created_at") when 'blob' then '{"blob":"'||hex(teams."created_at")||'"}' else json_quote(teams."created_at") end
    || ',"updatedAt":' || case typeof(teams."updated_at") when 'blob' then '{"blob":"'||hex(teams."updated_at")||'"}' else json_quote(teams."updated_at") end
    || ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = teams.id  order by member_id)), 2) || '}' as record from teams;
--> statement-breakpoint
CREATE TRIGGER changes_teams_replace before insert on teams
when exists (select 1 from changes_pending where kind = 'team')
  or exists (select 1 from teams r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'team';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'team', id, project_id, item_id, owner_id, record from changes_of_teams
    where row in (select r.rowid from teams r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_teams_insert after insert on teams begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'team';
  delete from changes_pending where kind = 'team';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team', new.id, 'created',
    null, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end
    || ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_teams_displace before update of "id" on teams
when exists (select 1 from changes_pending where kind = 'team')
  or exists (select 1 from teams r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'team';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'team', id, project_id, item_id, owner_id, record from changes_of_teams
    where row in (select r.rowid from teams r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_teams_displaced after update of "id" on teams
when exists (select 1 from changes_pending where kind = 'team') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'team';
  delete from changes_pending where kind = 'team';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'team', id, 'created', project_id, item_id, owner_id, record from changes_of_teams
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_teams_update after update on teams
when ((old."id", old."name", old."description", old."created_at")
  is not (new."id", new."name", new."description", new."created_at")
  or (select before from changes_pending where kind = 'team-members' and id = new.id) <> (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id))) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team', new.id, 'updated',
    null, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end
    || case when (select before from changes_pending where kind = 'team-members' and id = new.id) <> (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)) then ',"memberIds":' || (select before from changes_pending where kind = 'team-members' and id = new.id) else '' end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end
    || case when (select before from changes_pending where kind = 'team-members' and id = new.id) <> (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)) then ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)) else '' end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_teams_delete before delete on teams begin
  delete from changes_pending where kind = 'team' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team', old.id, 'deleted',
    null, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end
    || ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = old.id  order by member_id)), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_projects as select rowid as row, projects.id as id, projects.id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(projects."id") when 'blob' then '{"blob":"'||hex(projects."id")||'"}' else json_quote(projects."id") end
    || ',"name":' || case typeof(projects."name") when 'blob' then '{"blob":"'||hex(projects."name")||'"}' else json_quote(projects."name") end
    || ',"description":' || case typeof(projects."description") when 'blob' then '{"blob":"'||hex(projects."description")||'"}' else json_quote(projects."description") end
    || ',"type":' || case typeof(projects."type") when 'blob' then '{"blob":"'||hex(projects."type")||'"}' else json_quote(projects."type") end
    || ',"status":' || case typeof(projects."status") when 'blob' then '{"blob":"'||hex(projects."status")||'"}' else json_quote(projects."status") end
    || ',"phase":' || case typeof(projects."phase") when 'blob' then '{"blob":"'||hex(projects."phase")||'"}' else json_quote(projects."phase") end
    || ',"phaseConfig":' || case typeof(projects."phase_config") when 'blob' then '{"blob":"'||hex(projects."phase_config")||'"}' else json_quote(projects."phase_config") end
    || ',"health":' || case typeof(projects."health") when 'blob' then '{"blob":"'||hex(projects."health")||'"}' else json_quote(projects."health") end
    || ',"nextStep":' || case typeof(projects."next_step") when 'blob' then '{"blob":"'||hex(projects."next_step")||'"}' else json_quote(projects."next_step") end
    || ',"sortOrder":' || case typeof(projects."sort_order") when 'blob' then '{"blob":"'||hex(projects."sort_order")||'"}' when 'real' then replace(printf('%!.17g', projects."sort_order"), 'Inf', '9e999') else json_quote(projects."sort_order") end
    || ',"metadata":' || case typeof(projects."metadata") when 'blob' then '{"blob":"'||hex(projects."metadata")||'"}' else json_quote(projects."metadata") end
    || ',"leadId":' || case typeof(projects."lead_id") when 'blob' then '{"blob":"'||hex(projects."lead_id")||'"}' else json_quote(projects."lead_id") end
    || ',"teamId":' || case typeof(projects."team_id") when 'blob' then '{"blob":"'||hex(projects."team_id")||'"}' else json_quote(projects."team_id") end
    || ',"createdAt":' || case typeof(projects."created_at") when 'blob' then '{"blob":"'||hex(projects."created_at")||'"}' else json_quote(projects."created_at") end
    || ',"updatedAt":' || case typeof(projects."updated_at") when 'blob' then '{"blob":"'||hex(projects."updated_at")||'"}' else json_quote(projects."updated_at") end, 2) || '}' as record from projects;
--> statement-breakpoint
CREATE TRIGGER changes_projects_replace before insert on projects
when exists (select 1 from changes_pending where kind = 'project')
  or exists (select 1 from projects r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'project';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'project', id, project_id, item_id, owner_id, record from changes_of_projects
    where row in (select r.rowid from projects r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_insert after insert on projects begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'project';
  delete from changes_pending where kind = 'project';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'project', new.id, 'created',
    new.id, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end
    || ',"type":' || case typeof(new."type") when 'blob' then '{"blob":"'||hex(new."type")||'"}' else json_quote(new."type") end
    || ',"status":' || case typeof(new."status") when 'blob' then '{"blob":"'||hex(new."status")||'"}' else json_quote(new."status") end
    || ',"phase":' || case typeof(new."phase") when 'blob' then '{"blob":"'||hex(new."phase")||'"}' else json_quote(new."phase") end
    || ',"phaseConfig":' || case typeof(new."phase_config") when 'blob' then '{"blob":"'||hex(new."phase_config")||'"}' else json_quote(new."phase_config") end
    || ',"health":' || case typeof(new."health") when 'blob' then '{"blob":"'||hex(new."health")||'"}' else json_quote(new."health") end
    || ',"nextStep":' || case typeof(new."next_step") when 'blob' then '{"blob":"'||hex(new."next_step")||'"}' else json_quote(new."next_step") end
    || ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end
    || ',"metadata":' || case typeof(new."metadata") when 'blob' then '{"blob":"'||hex(new."metadata")||'"}' else json_quote(new."metadata") end
    || ',"leadId":' || case typeof(new."lead_id") when 'blob' then '{"blob":"'||hex(new."lead_id")||'"}' else json_quote(new."lead_id") end
    || ',"teamId":' || case typeof(new."team_id") when 'blob' then '{"blob":"'||hex(new."team_id")||'"}' else json_quote(new."team_id") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_displace before update of "id" on projects
when exists (select 1 from changes_pending where kind = 'project')
  or exists (select 1 from projects r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'project';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'project', id, project_id, item_id, owner_id, record from changes_of_projects
    where row in (select r.rowid from projects r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_displaced after update of "id" on projects
when exists (select 1 from changes_pending where kind = 'project') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'project';
  delete from changes_pending where kind = 'project';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'project', id, 'created', project_id, item_id, owner_id, record from changes_of_projects
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_update after update on projects
when ((old."id", old."name", old."description", old."type", old."status", old."phase", old."phase_config", old."health", old."next_step", old."sort_order", old."metadata", old."lead_id", old."team_id", old."created_at")
  is not (new."id", new."name", new."description", new."type", new."status", new."phase", new."phase_config", new."health", new."next_step", new."sort_order", new."metadata", new."lead_id", new."team_id", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'project', new.id, 'updated',
    new.id, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end end
    || case when old."type" is new."type" then '' else ',"type":' || case typeof(old."type") when 'blob' then '{"blob":"'||hex(old."type")||'"}' else json_quote(old."type") end end
    || case when old."status" is new."status" then '' else ',"status":' || case typeof(old."status") when 'blob' then '{"blob":"'||hex(old."status")||'"}' else json_quote(old."status") end end
    || case when old."phase" is new."phase" then '' else ',"phase":' || case typeof(old."phase") when 'blob' then '{"blob":"'||hex(old."phase")||'"}' else json_quote(old."phase") end end
    || case when old."phase_config" is new."phase_config" then '' else ',"phaseConfig":' || case typeof(old."phase_config") when 'blob' then '{"blob":"'||hex(old."phase_config")||'"}' else json_quote(old."phase_config") end end
    || case when old."health" is new."health" then '' else ',"health":' || case typeof(old."health") when 'blob' then '{"blob":"'||hex(old."health")||'"}' else json_quote(old."health") end end
    || case when old."next_step" is new."next_step" then '' else ',"nextStep":' || case typeof(old."next_step") when 'blob' then '{"blob":"'||hex(old."next_step")||'"}' else json_quote(old."next_step") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end end
    || case when old."metadata" is new."metadata" then '' else ',"metadata":' || case typeof(old."metadata") when 'blob' then '{"blob":"'||hex(old."metadata")||'"}' else json_quote(old."metadata") end end
    || case when old."lead_id" is new."lead_id" then '' else ',"leadId":' || case typeof(old."lead_id") when 'blob' then '{"blob":"'||hex(old."lead_id")||'"}' else json_quote(old."lead_id") end end
    || case when old."team_id" is new."team_id" then '' else ',"teamId":' || case typeof(old."team_id") when 'blob' then '{"blob":"'||hex(old."team_id")||'"}' else json_quote(old."team_id") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end end
    || case when old."type" is new."type" then '' else ',"type":' || case typeof(new."type") when 'blob' then '{"blob":"'||hex(new."type")||'"}' else json_quote(new."type") end end
    || case when old."status" is new."status" then '' else ',"status":' || case typeof(new."status") when 'blob' then '{"blob":"'||hex(new."status")||'"}' else json_quote(new."status") end end
    || case when old."phase" is new."phase" then '' else ',"phase":' || case typeof(new."phase") when 'blob' then '{"blob":"'||hex(new."phase")||'"}' else json_quote(new."phase") end end
    || case when old."phase_config" is new."phase_config" then '' else ',"phaseConfig":' || case typeof(new."phase_config") when 'blob' then '{"blob":"'||hex(new."phase_config")||'"}' else json_quote(new."phase_config") end end
    || case when old."health" is new."health" then '' else ',"health":' || case typeof(new."health") when 'blob' then '{"blob":"'||hex(new."health")||'"}' else json_quote(new."health") end end
    || case when old."next_step" is new."next_step" then '' else ',"nextStep":' || case typeof(new."next_step") when 'blob' then '{"blob":"'||hex(new."next_step")||'"}' else json_quote(new."next_step") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end end
    || case when old."metadata" is new."metadata" then '' else ',"metadata":' || case typeof(new."metadata") when 'blob' then '{"blob":"'||hex(new."metadata")||'"}' else json_quote(new."metadata") end end
    || case when old."lead_id" is new."lead_id" then '' else ',"leadId":' || case typeof(new."lead_id") when 'blob' then '{"blob":"'||hex(new."lead_id")||'"}' else json_quote(new."lead_id") end end
    || case when old."team_id" is new."team_id" then '' else ',"teamId":' || case typeof(new."team_id") when 'blob' then '{"blob":"'||hex(new."team_id")||'"}' else json_quote(new."team_id") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_children before delete on projects begin
  delete from kanban_items where project_id = old.id;
  delete from kanban_labels where project_id = old.id;
  delete from kanban_columns where project_id = old.id;
  delete from objectives where project_id = old.id;
  delete from metrics where project_id = old.id;
  delete from transcript_summaries where project_id = old.id;
  delete from team_assignments where project_id = old.id;
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_delete after delete on projects begin
  delete from changes_pending where kind = 'project' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'project', old.id, 'deleted',
    old.id, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end
    || ',"type":' || case typeof(old."type") when 'blob' then '{"blob":"'||hex(old."type")||'"}' else json_quote(old."type") end
    || ',"status":' || case typeof(old."status") when 'blob' then '{"blob":"'||hex(old."status")||'"}' else json_quote(old."status") end
    || ',"phase":' || case typeof(old."phase") when 'blob' then '{"blob":"'||hex(old."phase")||'"}' else json_quote(old."phase") end
    || ',"phaseConfig":' || case typeof(old."phase_config") when 'blob' then '{"blob":"'||hex(old."phase_config")||'"}' else json_quote(old."phase_config") end
    || ',"health":' || case typeof(old."health") when 'blob' then '{"blob":"'||hex(old."health")||'"}' else json_quote(old."health") end
    || ',"nextStep":' || case typeof(old."next_step") when 'blob' then '{"blob":"'||hex(old."next_step")||'"}' else json_quote(old."next_step") end
    || ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end
    || ',"metadata":' || case typeof(old."metadata") when 'blob' then '{"blob":"'||hex(old."metadata")||'"}' else json_quote(old."metadata") end
    || ',"leadId":' || case typeof(old."lead_id") when 'blob' then '{"blob":"'||hex(old."lead_id")||'"}' else json_quote(old."lead_id") end
    || ',"teamId":' || case typeof(old."team_id") when 'blob' then '{"blob":"'||hex(old."team_id")||'"}' else json_quote(old."team_id") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_columns as select rowid as row, kanban_columns.id as id, kanban_columns.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(kanban_columns."id") when 'blob' then '{"blob":"'||hex(kanban_columns."id")||'"}' else json_quote(kanban_columns."id") end
    || ',"projectId":' || case typeof(kanban_columns."project_id") when 'blob' then '{"blob":"'||hex(kanban_columns."project_id")||'"}' else json_quote(kanban_columns."project_id") end
    || ',"name":' || case typeof(kanban_columns."name") when 'blob' then '{"blob":"'||hex(kanban_columns."name")||'"}' else json_quote(kanban_columns."name") end
    || ',"color":' || case typeof(kanban_columns."color") when 'blob' then '{"blob":"'||hex(kanban_columns."color")||'"}' else json_quote(kanban_columns."color") end
    || ',"sortOrder":' || case typeof(kanban_columns."sort_order") when 'blob' then '{"blob":"'||hex(kanban_columns."sort_order")||'"}' when 'real' then replace(printf('%!.17g', kanban_columns."sort_order"), 'Inf', '9e999') else json_quote(kanban_columns."sort_order") end
    || ',"wipLimit":' || case typeof(kanban_columns."wip_limit") when 'blob' then '{"blob":"'||hex(kanban_columns."wip_limit")||'"}' when 'real' then replace(printf('%!.17g', kanban_columns."wip_limit"), 'Inf', '9e999') else json_quote(kanban_columns."wip_limit") end
    || ',"wipPolicy":' || case typeof(kanban_columns."wip_policy") when 'blob' then '{"blob":"'||hex(kanban_columns."wip_policy")||'"}' else json_quote(kanban_columns."wip_policy") end
    || ',"createdAt":' || case typeof(kanban_columns."created_at") when 'blob' then '{"blob":"'||hex(kanban_columns."created_at")||'"}' else json_quote(kanban_columns."created_at") end
    || ',"updatedAt":' || case typeof(kanban_columns."updated_at") when 'blob' then '{"blob":"'||hex(kanban_columns."updated_at")||'"}' else json_quote(kanban_columns."updated_at") end, 2) || '}' as record from kanban_columns;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_replace before insert on kanban_columns
when exists (select 1 from changes_pending where kind = 'kanban-column')
  or exists (select 1 from kanban_columns r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name"))) begin
  delete from changes_pending where kind = 'kanban-column';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-column', id, project_id, item_id, owner_id, record from changes_of_kanban_columns
    where row in (select r.rowid from kanban_columns r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_insert after insert on kanban_columns begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-column';
  delete from changes_pending where kind = 'kanban-column';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-column', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"color":' || case typeof(new."color") when 'blob' then '{"blob":"'||hex(new."color")||'"}' else json_quote(new."color") end
    || ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end
    || ',"wipLimit":' || case typeof(new."wip_limit") when 'blob' then '{"blob":"'||hex(new."wip_limit")||'"}' when 'real' then replace(printf('%!.17g', new."wip_limit"), 'Inf', '9e999') else json_quote(new."wip_limit") end
    || ',"wipPolicy":' || case typeof(new."wip_policy") when 'blob' then '{"blob":"'||hex(new."wip_policy")||'"}' else json_quote(new."wip_policy") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_displace before update of "id", "project_id", "name" on kanban_columns
when exists (select 1 from changes_pending where kind = 'kanban-column')
  or exists (select 1 from kanban_columns r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'kanban-column';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-column', id, project_id, item_id, owner_id, record from changes_of_kanban_columns
    where row in (select r.rowid from kanban_columns r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_displaced after update of "id", "project_id", "name" on kanban_columns
when exists (select 1 from changes_pending where kind = 'kanban-column') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-column';
  delete from changes_pending where kind = 'kanban-column';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'kanban-column', id, 'created', project_id, item_id, owner_id, record from changes_of_kanban_columns
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_update after update on kanban_columns
when ((old."id", old."project_id", old."name", old."color", old."sort_order", old."wip_limit", old."wip_policy", old."created_at")
  is not (new."id", new."project_id", new."name", new."color", new."sort_order", new."wip_limit", new."wip_policy", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-column', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."color" is new."color" then '' else ',"color":' || case typeof(old."color") when 'blob' then '{"blob":"'||hex(old."color")||'"}' else json_quote(old."color") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end end
    || case when old."wip_limit" is new."wip_limit" then '' else ',"wipLimit":' || case typeof(old."wip_limit") when 'blob' then '{"blob":"'||hex(old."wip_limit")||'"}' when 'real' then replace(printf('%!.17g', old."wip_limit"), 'Inf', '9e999') else json_quote(old."wip_limit") end end
    || case when old."wip_policy" is new."wip_policy" then '' else ',"wipPolicy":' || case typeof(old."wip_policy") when 'blob' then '{"blob":"'||hex(old."wip_policy")||'"}' else json_quote(old."wip_policy") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."color" is new."color" then '' else ',"color":' || case typeof(new."color") when 'blob' then '{"blob":"'||hex(new."color")||'"}' else json_quote(new."color") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end end
    || case when old."wip_limit" is new."wip_limit" then '' else ',"wipLimit":' || case typeof(new."wip_limit") when 'blob' then '{"blob":"'||hex(new."wip_limit")||'"}' when 'real' then replace(printf('%!.17g', new."wip_limit"), 'Inf', '9e999') else json_quote(new."wip_limit") end end
    || case when old."wip_policy" is new."wip_policy" then '' else ',"wipPolicy":' || case typeof(new."wip_policy") when 'blob' then '{"blob":"'||hex(new."wip_policy")||'"}' else json_quote(new."wip_policy") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_delete after delete on kanban_columns begin
  delete from changes_pending where kind = 'kanban-column' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-column', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"color":' || case typeof(old."color") when 'blob' then '{"blob":"'||hex(old."color")||'"}' else json_quote(old."color") end
    || ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end
    || ',"wipLimit":' || case typeof(old."wip_limit") when 'blob' then '{"blob":"'||hex(old."wip_limit")||'"}' when 'real' then replace(printf('%!.17g', old."wip_limit"), 'Inf', '9e999') else json_quote(old."wip_limit") end
    || ',"wipPolicy":' || case typeof(old."wip_policy") when 'blob' then '{"blob":"'||hex(old."wip_policy")||'"}' else json_quote(old."wip_policy") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_labels as select rowid as row, kanban_labels.id as id, kanban_labels.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(kanban_labels."id") when 'blob' then '{"blob":"'||hex(kanban_labels."id")||'"}' else json_quote(kanban_labels."id") end
    || ',"projectId":' || case typeof(kanban_labels."project_id") when 'blob' then '{"blob":"'||hex(kanban_labels."project_id")||'"}' else json_quote(kanban_labels."project_id") end
    || ',"name":' || case typeof(kanban_labels."name") when 'blob' then '{"blob":"'||hex(kanban_labels."name")||'"}' else json_quote(kanban_labels."name") end
    || ',"color":' || case typeof(kanban_labels."color") when 'blob' then '{"blob":"'||hex(kanban_labels."color")||'"}' else json_quote(kanban_labels."color") end
    || ',"createdAt":' || case typeof(kanban_labels."created_at") when 'blob' then '{"blob":"'||hex(kanban_labels."created_at")||'"}' else json_quote(kanban_labels."created_at") end
    || ',"updatedAt":' || case typeof(kanban_labels."updated_at") when 'blob' then '{"blob":"'||hex(kanban_labels."updated_at")||'"}' else json_quote(kanban_labels."updated_at") end, 2) || '}' as record from kanban_labels;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_replace before insert on kanban_labels
when exists (select 1 from changes_pending where kind = 'kanban-label')
  or exists (select 1 from kanban_labels r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name"))) begin
  delete from changes_pending where kind = 'kanban-label';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-label', id, project_id, item_id, owner_id, record from changes_of_kanban_labels
    where row in (select r.rowid from kanban_labels r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_insert after insert on kanban_labels begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-label';
  delete from changes_pending where kind = 'kanban-label';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-label', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"color":' || case typeof(new."color") when 'blob' then '{"blob":"'||hex(new."color")||'"}' else json_quote(new."color") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_displace before update of "id", "project_id", "name" on kanban_labels
when exists (select 1 from changes_pending where kind = 'kanban-label')
  or exists (select 1 from kanban_labels r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'kanban-label';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-label', id, project_id, item_id, owner_id, record from changes_of_kanban_labels
    where row in (select r.rowid from kanban_labels r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."name" = new."name")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_displaced after update of "id", "project_id", "name" on kanban_labels
when exists (select 1 from changes_pending where kind = 'kanban-label') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-label';
  delete from changes_pending where kind = 'kanban-label';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'kanban-label', id, 'created', project_id, item_id, owner_id, record from changes_of_kanban_labels
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_update after update on kanban_labels
when ((old."id", old."project_id", old."name", old."color", old."created_at")
  is not (new."id", new."project_id", new."name", new."color", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-label', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."color" is new."color" then '' else ',"color":' || case typeof(old."color") when 'blob' then '{"blob":"'||hex(old."color")||'"}' else json_quote(old."color") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."color" is new."color" then '' else ',"color":' || case typeof(new."color") when 'blob' then '{"blob":"'||hex(new."color")||'"}' else json_quote(new."color") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_children before delete on kanban_labels begin
  delete from kanban_item_labels where label_id = old.id;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_delete after delete on kanban_labels begin
  delete from changes_pending where kind = 'kanban-label' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-label', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"color":' || case typeof(old."color") when 'blob' then '{"blob":"'||hex(old."color")||'"}' else json_quote(old."color") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_items as select rowid as row, kanban_items.id as id, kanban_items.project_id as project_id, kanban_items.id as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(kanban_items."id") when 'blob' then '{"blob":"'||hex(kanban_items."id")||'"}' else json_quote(kanban_items."id") end
    || ',"projectId":' || case typeof(kanban_items."project_id") when 'blob' then '{"blob":"'||hex(kanban_items."project_id")||'"}' else json_quote(kanban_items."project_id") end
    || ',"title":' || case typeof(kanban_items."title") when 'blob' then '{"blob":"'||hex(kanban_items."title")||'"}' else json_quote(kanban_items."title") end
    || ',"description":' || case typeof(kanban_items."description") when 'blob' then '{"blob":"'||hex(kanban_items."description")||'"}' else json_quote(kanban_items."description") end
    || ',"column":' || case typeof(kanban_items."column") when 'blob' then '{"blob":"'||hex(kanban_items."column")||'"}' else json_quote(kanban_items."column") end
    || ',"sortOrder":' || case typeof(kanban_items."sort_order") when 'blob' then '{"blob":"'||hex(kanban_items."sort_order")||'"}' when 'real' then replace(printf('%!.17g', kanban_items."sort_order"), 'Inf', '9e999') else json_quote(kanban_items."sort_order") end
    || ',"priority":' || case typeof(kanban_items."priority") when 'blob' then '{"blob":"'||hex(kanban_items."priority")||'"}' else json_quote(kanban_items."priority") end
    || ',"assigneeId":' || case typeof(kanban_items."assignee_id") when 'blob' then '{"blob":"'||hex(kanban_items."assignee_id")||'"}' else json_quote(kanban_items."assignee_id") end
    || ',"dueDate":' || case typeof(kanban_items."due_date") when 'blob' then '{"blob":"'||hex(kanban_items."due_date")||'"}' else json_quote(kanban_items."due_date") end
    || ',"source":' || case typeof(kanban_items."source") when 'blob' then '{"blob":"'||hex(kanban_items."source")||'"}' else json_quote(kanban_items."source") end
    || ',"sourceId":' || case typeof(kanban_items."source_id") when 'blob' then '{"blob":"'||hex(kanban_items."source_id")||'"}' else json_quote(kanban_items."source_id") end
    || ',"isNew":' || case typeof(kanban_items."is_new") when 'blob' then '{"blob":"'||hex(kanban_items."is_new")||'"}' when 'real' then replace(printf('%!.17g', kanban_items."is_new"), 'Inf', '9e999') else json_quote(kanban_items."is_new") end
    || ',"approved":' || case typeof(kanban_items."approved") when 'blob' then '{"blob":"'||hex(kanban_items."approved")||'"}' when 'real' then replace(printf('%!.17g', kanban_items."approved"), 'Inf', '9e999') else json_quote(kanban_items."approved") end
    || ',"dismissed":' || case typeof(kanban_items."dismissed") when 'blob' then '{"blob":"'||hex(kanban_items."dismissed")||'"}' when 'real' then replace(printf('%!.17g', kanban_items."dismissed"), 'Inf', '9e999') else json_quote(kanban_items."dismissed") end
    || ',"metadata":' || case typeof(kanban_items."metadata") when 'blob' then '{"blob":"'||hex(kanban_items."metadata")||'"}' else json_quote(kanban_items."metadata") end
    || ',"claimedUntil":' || case typeof(kanban_items."claimed_until") when 'blob' then '{"blob":"'||hex(kanban_items."claimed_until")||'"}' else json_quote(kanban_items."claimed_until") end
    || ',"claimedFrom":' || case typeof(kanban_items."claimed_from") when 'blob' then '{"blob":"'||hex(kanban_items."claimed_from")||'"}' else json_quote(kanban_items."claimed_from") end
    || ',"createdAt":' || case typeof(kanban_items."created_at") when 'blob' then '{"blob":"'||hex(kanban_items."created_at")||'"}' else json_quote(kanban_items."created_at") end
    || ',"updatedAt":' || case typeof(kanban_items."updated_at") when 'blob' then '{"blob":"'||hex(kanban_items."updated_at")||'"}' else json_quote(kanban_items."updated_at") end, 2) || '}' as record from kanban_items;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_replace before insert on kanban_items
when exists (select 1 from changes_pending where kind = 'kanban-item')
  or exists (select 1 from kanban_items r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'kanban-item';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-item', id, project_id, item_id, owner_id, record from changes_of_kanban_items
    where row in (select r.rowid from kanban_items r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_insert after insert on kanban_items begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-item';
  delete from changes_pending where kind = 'kanban-item';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item', new.id, 'created',
    new.project_id, new.id, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end
    || ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end
    || ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end
    || ',"column":' || case typeof(new."column") when 'blob' then '{"blob":"'||hex(new."column")||'"}' else json_quote(new."column") end
    || ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end
    || ',"priority":' || case typeof(new."priority") when 'blob' then '{"blob":"'||hex(new."priority")||'"}' else json_quote(new."priority") end
    || ',"assigneeId":' || case typeof(new."assignee_id") when 'blob' then '{"blob":"'||hex(new."assignee_id")||'"}' else json_quote(new."assignee_id") end
    || ',"dueDate":' || case typeof(new."due_date") when 'blob' then '{"blob":"'||hex(new."due_date")||'"}' else json_quote(new."due_date") end
    || ',"source":' || case typeof(new."source") when 'blob' then '{"blob":"'||hex(new."source")||'"}' else json_quote(new."source") end
    || ',"sourceId":' || case typeof(new."source_id") when 'blob' then '{"blob":"'||hex(new."source_id")||'"}' else json_quote(new."source_id") end
    || ',"isNew":' || case typeof(new."is_new") when 'blob' then '{"blob":"'||hex(new."is_new")||'"}' when 'real' then replace(printf('%!.17g', new."is_new"), 'Inf', '9e999') else json_quote(new."is_new") end
    || ',"approved":' || case typeof(new."approved") when 'blob' then '{"blob":"'||hex(new."approved")||'"}' when 'real' then replace(printf('%!.17g', new."approved"), 'Inf', '9e999') else json_quote(new."approved") end
    || ',"dismissed":' || case typeof(new."dismissed") when 'blob' then '{"blob":"'||hex(new."dismissed")||'"}' when 'real' then replace(printf('%!.17g', new."dismissed"), 'Inf', '9e999') else json_quote(new."dismissed") end
    || ',"metadata":' || case typeof(new."metadata") when 'blob' then '{"blob":"'||hex(new."metadata")||'"}' else json_quote(new."metadata") end
    || ',"claimedUntil":' || case typeof(new."claimed_until") when 'blob' then '{"blob":"'||hex(new."claimed_until")||'"}' else json_quote(new."claimed_until") end
    || ',"claimedFrom":' || case typeof(new."claimed_from") when 'blob' then '{"blob":"'||hex(new."claimed_from")||'"}' else json_quote(new."claimed_from") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_displace before update of "id" on kanban_items
when exists (select 1 from changes_pending where kind = 'kanban-item')
  or exists (select 1 from kanban_items r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'kanban-item';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-item', id, project_id, item_id, owner_id, record from changes_of_kanban_items
    where row in (select r.rowid from kanban_items r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_displaced after update of "id" on kanban_items
when exists (select 1 from changes_pending where kind = 'kanban-item') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-item';
  delete from changes_pending where kind = 'kanban-item';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'kanban-item', id, 'created', project_id, item_id, owner_id, record from changes_of_kanban_items
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_update after update on kanban_items
when ((old."id", old."project_id", old."title", old."description", old."column", old."sort_order", old."priority", old."assignee_id", old."due_date", old."source", old."source_id", old."is_new", old."approved", old."dismissed", old."metadata", old."claimed_until", old."claimed_from", old."created_at")
  is not (new."id", new."project_id", new."title", new."description", new."column", new."sort_order", new."priority", new."assignee_id", new."due_date", new."source", new."source_id", new."is_new", new."approved", new."dismissed", new."metadata", new."claimed_until", new."claimed_from", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item', new.id, 'updated',
    new.project_id, new.id, nullif(old.project_id, new.project_id), null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end end
    || case when old."column" is new."column" then '' else ',"column":' || case typeof(old."column") when 'blob' then '{"blob":"'||hex(old."column")||'"}' else json_quote(old."column") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end end
    || case when old."priority" is new."priority" then '' else ',"priority":' || case typeof(old."priority") when 'blob' then '{"blob":"'||hex(old."priority")||'"}' else json_quote(old."priority") end end
    || case when old."assignee_id" is new."assignee_id" then '' else ',"assigneeId":' || case typeof(old."assignee_id") when 'blob' then '{"blob":"'||hex(old."assignee_id")||'"}' else json_quote(old."assignee_id") end end
    || case when old."due_date" is new."due_date" then '' else ',"dueDate":' || case typeof(old."due_date") when 'blob' then '{"blob":"'||hex(old."due_date")||'"}' else json_quote(old."due_date") end end
    || case when old."source" is new."source" then '' else ',"source":' || case typeof(old."source") when 'blob' then '{"blob":"'||hex(old."source")||'"}' else json_quote(old."source") end end
    || case when old."source_id" is new."source_id" then '' else ',"sourceId":' || case typeof(old."source_id") when 'blob' then '{"blob":"'||hex(old."source_id")||'"}' else json_quote(old."source_id") end end
    || case when old."is_new" is new."is_new" then '' else ',"isNew":' || case typeof(old."is_new") when 'blob' then '{"blob":"'||hex(old."is_new")||'"}' when 'real' then replace(printf('%!.17g', old."is_new"), 'Inf', '9e999') else json_quote(old."is_new") end end
    || case when old."approved" is new."approved" then '' else ',"approved":' || case typeof(old."approved") when 'blob' then '{"blob":"'||hex(old."approved")||'"}' when 'real' then replace(printf('%!.17g', old."approved"), 'Inf', '9e999') else json_quote(old."approved") end end
    || case when old."dismissed" is new."dismissed" then '' else ',"dismissed":' || case typeof(old."dismissed") when 'blob' then '{"blob":"'||hex(old."dismissed")||'"}' when 'real' then replace(printf('%!.17g', old."dismissed"), 'Inf', '9e999') else json_quote(old."dismissed") end end
    || case when old."metadata" is new."metadata" then '' else ',"metadata":' || case typeof(old."metadata") when 'blob' then '{"blob":"'||hex(old."metadata")||'"}' else json_quote(old."metadata") end end
    || case when old."claimed_until" is new."claimed_until" then '' else ',"claimedUntil":' || case typeof(old."claimed_until") when 'blob' then '{"blob":"'||hex(old."claimed_until")||'"}' else json_quote(old."claimed_until") end end
    || case when old."claimed_from" is new."claimed_from" then '' else ',"claimedFrom":' || case typeof(old."claimed_from") when 'blob' then '{"blob":"'||hex(old."claimed_from")||'"}' else json_quote(old."claimed_from") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end end
    || case when old."column" is new."column" then '' else ',"column":' || case typeof(new."column") when 'blob' then '{"blob":"'||hex(new."column")||'"}' else json_quote(new."column") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end end
    || case when old."priority" is new."priority" then '' else ',"priority":' || case typeof(new."priority") when 'blob' then '{"blob":"'||hex(new."priority")||'"}' else json_quote(new."priority") end end
    || case when old."assignee_id" is new."assignee_id" then '' else ',"assigneeId":' || case typeof(new."assignee_id") when 'blob' then '{"blob":"'||hex(new."assignee_id")||'"}' else json_quote(new."assignee_id") end end
    || case when old."due_date" is new."due_date" then '' else ',"dueDate":' || case typeof(new."due_date") when 'blob' then '{"blob":"'||hex(new."due_date")||'"}' else json_quote(new."due_date") end end
    || case when old."source" is new."source" then '' else ',"source":' || case typeof(new."source") when 'blob' then '{"blob":"'||hex(new."source")||'"}' else json_quote(new."source") end end
    || case when old."source_id" is new."source_id" then '' else ',"sourceId":' || case typeof(new."source_id") when 'blob' then '{"blob":"'||hex(new."source_id")||'"}' else json_quote(new."source_id") end end
    || case when old."is_new" is new."is_new" then '' else ',"isNew":' || case typeof(new."is_new") when 'blob' then '{"blob":"'||hex(new."is_new")||'"}' when 'real' then replace(printf('%!.17g', new."is_new"), 'Inf', '9e999') else json_quote(new."is_new") end end
    || case when old."approved" is new."approved" then '' else ',"approved":' || case typeof(new."approved") when 'blob' then '{"blob":"'||hex(new."approved")||'"}' when 'real' then replace(printf('%!.17g', new."approved"), 'Inf', '9e999') else json_quote(new."approved") end end
    || case when old."dismissed" is new."dismissed" then '' else ',"dismissed":' || case typeof(new."dismissed") when 'blob' then '{"blob":"'||hex(new."dismissed")||'"}' when 'real' then replace(printf('%!.17g', new."dismissed"), 'Inf', '9e999') else json_quote(new."dismissed") end end
    || case when old."metadata" is new."metadata" then '' else ',"metadata":' || case typeof(new."metadata") when 'blob' then '{"blob":"'||hex(new."metadata")||'"}' else json_quote(new."metadata") end end
    || case when old."claimed_until" is new."claimed_until" then '' else ',"claimedUntil":' || case typeof(new."claimed_until") when 'blob' then '{"blob":"'||hex(new."claimed_until")||'"}' else json_quote(new."claimed_until") end end
    || case when old."claimed_from" is new."claimed_from" then '' else ',"claimedFrom":' || case typeof(new."claimed_from") when 'blob' then '{"blob":"'||hex(new."claimed_from")||'"}' else json_quote(new."claimed_from") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_children before delete on kanban_items begin
  delete from kanban_item_labels where item_id = old.id;
  delete from kanban_comments where item_id = old.id;
  delete from kanban_subtasks where item_id = old.id;
  delete from kanban_activity where item_id = old.id;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_delete after delete on kanban_items begin
  delete from changes_pending where kind = 'kanban-item' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item', old.id, 'deleted',
    old.project_id, old.id, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end
    || ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end
    || ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end
    || ',"column":' || case typeof(old."column") when 'blob' then '{"blob":"'||hex(old."column")||'"}' else json_quote(old."column") end
    || ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end
    || ',"priority":' || case typeof(old."priority") when 'blob' then '{"blob":"'||hex(old."priority")||'"}' else json_quote(old."priority") end
    || ',"assigneeId":' || case typeof(old."assignee_id") when 'blob' then '{"blob":"'||hex(old."assignee_id")||'"}' else json_quote(old."assignee_id") end
    || ',"dueDate":' || case typeof(old."due_date") when 'blob' then '{"blob":"'||hex(old."due_date")||'"}' else json_quote(old."due_date") end
    || ',"source":' || case typeof(old."source") when 'blob' then '{"blob":"'||hex(old."source")||'"}' else json_quote(old."source") end
    || ',"sourceId":' || case typeof(old."source_id") when 'blob' then '{"blob":"'||hex(old."source_id")||'"}' else json_quote(old."source_id") end
    || ',"isNew":' || case typeof(old."is_new") when 'blob' then '{"blob":"'||hex(old."is_new")||'"}' when 'real' then replace(printf('%!.17g', old."is_new"), 'Inf', '9e999') else json_quote(old."is_new") end
    || ',"approved":' || case typeof(old."approved") when 'blob' then '{"blob":"'||hex(old."approved")||'"}' when 'real' then replace(printf('%!.17g', old."approved"), 'Inf', '9e999') else json_quote(old."approved") end
    || ',"dismissed":' || case typeof(old."dismissed") when 'blob' then '{"blob":"'||hex(old."dismissed")||'"}' when 'real' then replace(printf('%!.17g', old."dismissed"), 'Inf', '9e999') else json_quote(old."dismissed") end
    || ',"metadata":' || case typeof(old."metadata") when 'blob' then '{"blob":"'||hex(old."metadata")||'"}' else json_quote(old."metadata") end
    || ',"claimedUntil":' || case typeof(old."claimed_until") when 'blob' then '{"blob":"'||hex(old."claimed_until")||'"}' else json_quote(old."claimed_until") end
    || ',"claimedFrom":' || case typeof(old."claimed_from") when 'blob' then '{"blob":"'||hex(old."claimed_from")||'"}' else json_quote(old."claimed_from") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_subtasks as select rowid as row, kanban_subtasks.id as id, (select project_id from kanban_items where id = kanban_subtasks.item_id) as project_id, kanban_subtasks.item_id as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(kanban_subtasks."id") when 'blob' then '{"blob":"'||hex(kanban_subtasks."id")||'"}' else json_quote(kanban_subtasks."id") end
    || ',"itemId":' || case typeof(kanban_subtasks."item_id") when 'blob' then '{"blob":"'||hex(kanban_subtasks."item_id")||'"}' else json_quote(kanban_subtasks."item_id") end
    || ',"title":' || case typeof(kanban_subtasks."title") when 'blob' then '{"blob":"'||hex(kanban_subtasks."title")||'"}' else json_quote(kanban_subtasks."title") end
    || ',"completed":' || case typeof(kanban_subtasks."completed") when 'blob' then '{"blob":"'||hex(kanban_subtasks."completed")||'"}' when 'real' then replace(printf('%!.17g', kanban_subtasks."completed"), 'Inf', '9e999') else json_quote(kanban_subtasks."completed") end
    || ',"sortOrder":' || case typeof(kanban_subtasks."sort_order") when 'blob' then '{"blob":"'||hex(kanban_subtasks."sort_order")||'"}' when 'real' then replace(printf('%!.17g', kanban_subtasks."sort_order"), 'Inf', '9e999') else json_quote(kanban_subtasks."sort_order") end
    || ',"createdAt":' || case typeof(kanban_subtasks."created_at") when 'blob' then '{"blob":"'||hex(kanban_subtasks."created_at")||'"}' else json_quote(kanban_subtasks."created_at") end
    || ',"updatedAt":' || case typeof(kanban_subtasks."updated_at") when 'blob' then '{"blob":"'||hex(kanban_subtasks."updated_at")||'"}' else json_quote(kanban_subtasks."updated_at") end, 2) || '}' as record from kanban_subtasks;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_replace before insert on kanban_subtasks
when exists (select 1 from changes_pending where kind = 'kanban-subtask')
  or exists (select 1 from kanban_subtasks r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'kanban-subtask';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-subtask', id, project_id, item_id, owner_id, record from changes_of_kanban_subtasks
    where row in (select r.rowid from kanban_subtasks r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_insert after insert on kanban_subtasks begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-subtask';
  delete from changes_pending where kind = 'kanban-subtask';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-subtask', new.id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end
    || ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end
    || ',"completed":' || case typeof(new."completed") when 'blob' then '{"blob":"'||hex(new."completed")||'"}' when 'real' then replace(printf('%!.17g', new."completed"), 'Inf', '9e999') else json_quote(new."completed") end
    || ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_displace before update of "id" on kanban_subtasks
when exists (select 1 from changes_pending where kind = 'kanban-subtask')
  or exists (select 1 from kanban_subtasks r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'kanban-subtask';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-subtask', id, project_id, item_id, owner_id, record from changes_of_kanban_subtasks
    where row in (select r.rowid from kanban_subtasks r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_displaced after update of "id" on kanban_subtasks
when exists (select 1 from changes_pending where kind = 'kanban-subtask') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-subtask';
  delete from changes_pending where kind = 'kanban-subtask';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'kanban-subtask', id, 'created', project_id, item_id, owner_id, record from changes_of_kanban_subtasks
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_update after update on kanban_subtasks
when ((old."id", old."item_id", old."title", old."completed", old."sort_order", old."created_at")
  is not (new."id", new."item_id", new."title", new."completed", new."sort_order", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-subtask', new.id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end end
    || case when old."completed" is new."completed" then '' else ',"completed":' || case typeof(old."completed") when 'blob' then '{"blob":"'||hex(old."completed")||'"}' when 'real' then replace(printf('%!.17g', old."completed"), 'Inf', '9e999') else json_quote(old."completed") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end end
    || case when old."completed" is new."completed" then '' else ',"completed":' || case typeof(new."completed") when 'blob' then '{"blob":"'||hex(new."completed")||'"}' when 'real' then replace(printf('%!.17g', new."completed"), 'Inf', '9e999') else json_quote(new."completed") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_delete after delete on kanban_subtasks begin
  delete from changes_pending where kind = 'kanban-subtask' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-subtask', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end
    || ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end
    || ',"completed":' || case typeof(old."completed") when 'blob' then '{"blob":"'||hex(old."completed")||'"}' when 'real' then replace(printf('%!.17g', old."completed"), 'Inf', '9e999') else json_quote(old."completed") end
    || ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_comments as select rowid as row, kanban_comments.id as id, (select project_id from kanban_items where id = kanban_comments.item_id) as project_id, kanban_comments.item_id as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(kanban_comments."id") when 'blob' then '{"blob":"'||hex(kanban_comments."id")||'"}' else json_quote(kanban_comments."id") end
    || ',"itemId":' || case typeof(kanban_comments."item_id") when 'blob' then '{"blob":"'||hex(kanban_comments."item_id")||'"}' else json_quote(kanban_comments."item_id") end
    || ',"authorId":' || case typeof(kanban_comments."author_id") when 'blob' then '{"blob":"'||hex(kanban_comments."author_id")||'"}' else json_quote(kanban_comments."author_id") end
    || ',"content":' || case typeof(kanban_comments."content") when 'blob' then '{"blob":"'||hex(kanban_comments."content")||'"}' else json_quote(kanban_comments."content") end
    || ',"editedAt":' || case typeof(kanban_comments."edited_at") when 'blob' then '{"blob":"'||hex(kanban_comments."edited_at")||'"}' else json_quote(kanban_comments."edited_at") end
    || ',"createdAt":' || case typeof(kanban_comments."created_at") when 'blob' then '{"blob":"'||hex(kanban_comments."created_at")||'"}' else json_quote(kanban_comments."created_at") end, 2) || '}' as record from kanban_comments;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_replace before insert on kanban_comments
when exists (select 1 from changes_pending where kind = 'kanban-comment')
  or exists (select 1 from kanban_comments r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'kanban-comment';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-comment', id, project_id, item_id, owner_id, record from changes_of_kanban_comments
    where row in (select r.rowid from kanban_comments r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_insert after insert on kanban_comments begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-comment';
  delete from changes_pending where kind = 'kanban-comment';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-comment', new.id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end
    || ',"authorId":' || case typeof(new."author_id") when 'blob' then '{"blob":"'||hex(new."author_id")||'"}' else json_quote(new."author_id") end
    || ',"content":' || case typeof(new."content") when 'blob' then '{"blob":"'||hex(new."content")||'"}' else json_quote(new."content") end
    || ',"editedAt":' || case typeof(new."edited_at") when 'blob' then '{"blob":"'||hex(new."edited_at")||'"}' else json_quote(new."edited_at") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_displace before update of "id" on kanban_comments
when exists (select 1 from changes_pending where kind = 'kanban-comment')
  or exists (select 1 from kanban_comments r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'kanban-comment';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-comment', id, project_id, item_id, owner_id, record from changes_of_kanban_comments
    where row in (select r.rowid from kanban_comments r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_displaced after update of "id" on kanban_comments
when exists (select 1 from changes_pending where kind = 'kanban-comment') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-comment';
  delete from changes_pending where kind = 'kanban-comment';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'kanban-comment', id, 'created', project_id, item_id, owner_id, record from changes_of_kanban_comments
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_update after update on kanban_comments
when ((old."id", old."item_id", old."author_id", old."content", old."edited_at", old."created_at")
  is not (new."id", new."item_id", new."author_id", new."content", new."edited_at", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-comment', new.id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end end
    || case when old."author_id" is new."author_id" then '' else ',"authorId":' || case typeof(old."author_id") when 'blob' then '{"blob":"'||hex(old."author_id")||'"}' else json_quote(old."author_id") end end
    || case when old."content" is new."content" then '' else ',"content":' || case typeof(old."content") when 'blob' then '{"blob":"'||hex(old."content")||'"}' else json_quote(old."content") end end
    || case when old."edited_at" is new."edited_at" then '' else ',"editedAt":' || case typeof(old."edited_at") when 'blob' then '{"blob":"'||hex(old."edited_at")||'"}' else json_quote(old."edited_at") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end end
    || case when old."author_id" is new."author_id" then '' else ',"authorId":' || case typeof(new."author_id") when 'blob' then '{"blob":"'||hex(new."author_id")||'"}' else json_quote(new."author_id") end end
    || case when old."content" is new."content" then '' else ',"content":' || case typeof(new."content") when 'blob' then '{"blob":"'||hex(new."content")||'"}' else json_quote(new."content") end end
    || case when old."edited_at" is new."edited_at" then '' else ',"editedAt":' || case typeof(new."edited_at") when 'blob' then '{"blob":"'||hex(new."edited_at")||'"}' else json_quote(new."edited_at") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_delete after delete on kanban_comments begin
  delete from changes_pending where kind = 'kanban-comment' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-comment', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end
    || ',"authorId":' || case typeof(old."author_id") when 'blob' then '{"blob":"'||hex(old."author_id")||'"}' else json_quote(old."author_id") end
    || ',"content":' || case typeof(old."content") when 'blob' then '{"blob":"'||hex(old."content")||'"}' else json_quote(old."content") end
    || ',"editedAt":' || case typeof(old."edited_at") when 'blob' then '{"blob":"'||hex(old."edited_at")||'"}' else json_quote(old."edited_at") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_item_labels as select rowid as row, kanban_item_labels.item_id || ':' || kanban_item_labels.label_id as id, (select project_id from kanban_items where id = kanban_item_labels.item_id) as project_id, kanban_item_labels.item_id as item_id, null as owner_id,
    '{' || substr(',"itemId":' || case typeof(kanban_item_labels."item_id") when 'blob' then '{"blob":"'||hex(kanban_item_labels."item_id")||'"}' else json_quote(kanban_item_labels."item_id") end
    || ',"labelId":' || case typeof(kanban_item_labels."label_id") when 'blob' then '{"blob":"'||hex(kanban_item_labels."label_id")||'"}' else json_quote(kanban_item_labels."label_id") end, 2) || '}' as record from kanban_item_labels;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_replace before insert on kanban_item_labels
when exists (select 1 from changes_pending where kind = 'kanban-item-label')
  or exists (select 1 from kanban_item_labels r where ((r."item_id" = new."item_id" and r."label_id" = new."label_id"))) begin
  delete from changes_pending where kind = 'kanban-item-label';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-item-label', id, project_id, item_id, owner_id, record from changes_of_kanban_item_labels
    where row in (select r.rowid from kanban_item_labels r where ((r."item_id" = new."item_id" and r."label_id" = new."label_id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_insert after insert on kanban_item_labels begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-item-label';
  delete from changes_pending where kind = 'kanban-item-label';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item-label', new.item_id || ':' || new.label_id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr(',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end
    || ',"labelId":' || case typeof(new."label_id") when 'blob' then '{"blob":"'||hex(new."label_id")||'"}' else json_quote(new."label_id") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_displace before update of "item_id", "label_id" on kanban_item_labels
when exists (select 1 from changes_pending where kind = 'kanban-item-label')
  or exists (select 1 from kanban_item_labels r where ((r."item_id" = new."item_id" and r."label_id" = new."label_id")) and r.rowid <> old.rowid or not (old.item_id || ':' || old.label_id is new.item_id || ':' || new.label_id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'kanban-item-label';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'kanban-item-label', id, project_id, item_id, owner_id, record from changes_of_kanban_item_labels
    where row in (select r.rowid from kanban_item_labels r where ((r."item_id" = new."item_id" and r."label_id" = new."label_id")) and r.rowid <> old.rowid or not (old.item_id || ':' || old.label_id is new.item_id || ':' || new.label_id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_displaced after update of "item_id", "label_id" on kanban_item_labels
when exists (select 1 from changes_pending where kind = 'kanban-item-label') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-item-label';
  delete from changes_pending where kind = 'kanban-item-label';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'kanban-item-label', id, 'created', project_id, item_id, owner_id, record from changes_of_kanban_item_labels
    where row = new.rowid and not (old.item_id || ':' || old.label_id is new.item_id || ':' || new.label_id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_update after update on kanban_item_labels
when ((old."item_id", old."label_id")
  is not (new."item_id", new."label_id")) and old.item_id || ':' || old.label_id is new.item_id || ':' || new.label_id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item-label', new.item_id || ':' || new.label_id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end end
    || case when old."label_id" is new."label_id" then '' else ',"labelId":' || case typeof(old."label_id") when 'blob' then '{"blob":"'||hex(old."label_id")||'"}' else json_quote(old."label_id") end end, 2) || '}',
    '{' || substr(case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end end
    || case when old."label_id" is new."label_id" then '' else ',"labelId":' || case typeof(new."label_id") when 'blob' then '{"blob":"'||hex(new."label_id")||'"}' else json_quote(new."label_id") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_delete after delete on kanban_item_labels begin
  delete from changes_pending where kind = 'kanban-item-label' and id = old.item_id || ':' || old.label_id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item-label', old.item_id || ':' || old.label_id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr(',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end
    || ',"labelId":' || case typeof(old."label_id") when 'blob' then '{"blob":"'||hex(old."label_id")||'"}' else json_quote(old."label_id") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_activity_delete after delete on kanban_activity begin
  delete from changes_pending where kind = 'kanban-activity' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-activity', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end
    || ',"type":' || case typeof(old."type") when 'blob' then '{"blob":"'||hex(old."type")||'"}' else json_quote(old."type") end
    || ',"content":' || case typeof(old."content") when 'blob' then '{"blob":"'||hex(old."content")||'"}' else json_quote(old."content") end
    || ',"metadata":' || case typeof(old."metadata") when 'blob' then '{"blob":"'||hex(old."metadata")||'"}' else json_quote(old."metadata") end
    || ',"actorId":' || case typeof(old."actor_id") when 'blob' then '{"blob":"'||hex(old."actor_id")||'"}' else json_quote(old."actor_id") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_objectives as select rowid as row, objectives.id as id, objectives.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(objectives."id") when 'blob' then '{"blob":"'||hex(objectives."id")||'"}' else json_quote(objectives."id") end
    || ',"projectId":' || case typeof(objectives."project_id") when 'blob' then '{"blob":"'||hex(objectives."project_id")||'"}' else json_quote(objectives."project_id") end
    || ',"title":' || case typeof(objectives."title") when 'blob' then '{"blob":"'||hex(objectives."title")||'"}' else json_quote(objectives."title") end
    || ',"description":' || case typeof(objectives."description") when 'blob' then '{"blob":"'||hex(objectives."description")||'"}' else json_quote(objectives."description") end
    || ',"status":' || case typeof(objectives."status") when 'blob' then '{"blob":"'||hex(objectives."status")||'"}' else json_quote(objectives."status") end
    || ',"sortOrder":' || case typeof(objectives."sort_order") when 'blob' then '{"blob":"'||hex(objectives."sort_order")||'"}' when 'real' then replace(printf('%!.17g', objectives."sort_order"), 'Inf', '9e999') else json_quote(objectives."sort_order") end
    || ',"createdAt":' || case typeof(objectives."created_at") when 'blob' then '{"blob":"'||hex(objectives."created_at")||'"}' else json_quote(objectives."created_at") end
    || ',"updatedAt":' || case typeof(objectives."updated_at") when 'blob' then '{"blob":"'||hex(objectives."updated_at")||'"}' else json_quote(objectives."updated_at") end, 2) || '}' as record from objectives;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_replace before insert on objectives
when exists (select 1 from changes_pending where kind = 'objective')
  or exists (select 1 from objectives r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'objective';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'objective', id, project_id, item_id, owner_id, record from changes_of_objectives
    where row in (select r.rowid from objectives r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_insert after insert on objectives begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'objective';
  delete from changes_pending where kind = 'objective';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'objective', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end
    || ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end
    || ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end
    || ',"status":' || case typeof(new."status") when 'blob' then '{"blob":"'||hex(new."status")||'"}' else json_quote(new."status") end
    || ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_displace before update of "id" on objectives
when exists (select 1 from changes_pending where kind = 'objective')
  or exists (select 1 from objectives r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'objective';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'objective', id, project_id, item_id, owner_id, record from changes_of_objectives
    where row in (select r.rowid from objectives r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_displaced after update of "id" on objectives
when exists (select 1 from changes_pending where kind = 'objective') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'objective';
  delete from changes_pending where kind = 'objective';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'objective', id, 'created', project_id, item_id, owner_id, record from changes_of_objectives
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_update after update on objectives
when ((old."id", old."project_id", old."title", old."description", old."status", old."sort_order", old."created_at")
  is not (new."id", new."project_id", new."title", new."description", new."status", new."sort_order", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'objective', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end end
    || case when old."status" is new."status" then '' else ',"status":' || case typeof(old."status") when 'blob' then '{"blob":"'||hex(old."status")||'"}' else json_quote(old."status") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end end
    || case when old."status" is new."status" then '' else ',"status":' || case typeof(new."status") when 'blob' then '{"blob":"'||hex(new."status")||'"}' else json_quote(new."status") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_delete after delete on objectives begin
  delete from changes_pending where kind = 'objective' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'objective', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end
    || ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end
    || ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end
    || ',"status":' || case typeof(old."status") when 'blob' then '{"blob":"'||hex(old."status")||'"}' else json_quote(old."status") end
    || ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_metrics as select rowid as row, metrics.id as id, metrics.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(metrics."id") when 'blob' then '{"blob":"'||hex(metrics."id")||'"}' else json_quote(metrics."id") end
    || ',"projectId":' || case typeof(metrics."project_id") when 'blob' then '{"blob":"'||hex(metrics."project_id")||'"}' else json_quote(metrics."project_id") end
    || ',"name":' || case typeof(metrics."name") when 'blob' then '{"blob":"'||hex(metrics."name")||'"}' else json_quote(metrics."name") end
    || ',"value":' || case typeof(metrics."value") when 'blob' then '{"blob":"'||hex(metrics."value")||'"}' when 'real' then replace(printf('%!.17g', metrics."value"), 'Inf', '9e999') else json_quote(metrics."value") end
    || ',"unit":' || case typeof(metrics."unit") when 'blob' then '{"blob":"'||hex(metrics."unit")||'"}' else json_quote(metrics."unit") end
    || ',"category":' || case typeof(metrics."category") when 'blob' then '{"blob":"'||hex(metrics."category")||'"}' else json_quote(metrics."category") end
    || ',"trend":' || case typeof(metrics."trend") when 'blob' then '{"blob":"'||hex(metrics."trend")||'"}' else json_quote(metrics."trend") end
    || ',"history":' || case typeof(metrics."history") when 'blob' then '{"blob":"'||hex(metrics."history")||'"}' else json_quote(metrics."history") end
    || ',"createdAt":' || case typeof(metrics."created_at") when 'blob' then '{"blob":"'||hex(metrics."created_at")||'"}' else json_quote(metrics."created_at") end
    || ',"updatedAt":' || case typeof(metrics."updated_at") when 'blob' then '{"blob":"'||hex(metrics."updated_at")||'"}' else json_quote(metrics."updated_at") end, 2) || '}' as record from metrics;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_replace before insert on metrics
when exists (select 1 from changes_pending where kind = 'metric')
  or exists (select 1 from metrics r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'metric';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'metric', id, project_id, item_id, owner_id, record from changes_of_metrics
    where row in (select r.rowid from metrics r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_insert after insert on metrics begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'metric';
  delete from changes_pending where kind = 'metric';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'metric', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"value":' || case typeof(new."value") when 'blob' then '{"blob":"'||hex(new."value")||'"}' when 'real' then replace(printf('%!.17g', new."value"), 'Inf', '9e999') else json_quote(new."value") end
    || ',"unit":' || case typeof(new."unit") when 'blob' then '{"blob":"'||hex(new."unit")||'"}' else json_quote(new."unit") end
    || ',"category":' || case typeof(new."category") when 'blob' then '{"blob":"'||hex(new."category")||'"}' else json_quote(new."category") end
    || ',"trend":' || case typeof(new."trend") when 'blob' then '{"blob":"'||hex(new."trend")||'"}' else json_quote(new."trend") end
    || ',"history":' || case typeof(new."history") when 'blob' then '{"blob":"'||hex(new."history")||'"}' else json_quote(new."history") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_displace before update of "id" on metrics
when exists (select 1 from changes_pending where kind = 'metric')
  or exists (select 1 from metrics r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'metric';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'metric', id, project_id, item_id, owner_id, record from changes_of_metrics
    where row in (select r.rowid from metrics r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_displaced after update of "id" on metrics
when exists (select 1 from changes_pending where kind = 'metric') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'metric';
  delete from changes_pending where kind = 'metric';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'metric', id, 'created', project_id, item_id, owner_id, record from changes_of_metrics
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_update after update on metrics
when ((old."id", old."project_id", old."name", old."value", old."unit", old."category", old."trend", old."history", old."created_at")
  is not (new."id", new."project_id", new."name", new."value", new."unit", new."category", new."trend", new."history", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'metric', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."value" is new."value" then '' else ',"value":' || case typeof(old."value") when 'blob' then '{"blob":"'||hex(old."value")||'"}' when 'real' then replace(printf('%!.17g', old."value"), 'Inf', '9e999') else json_quote(old."value") end end
    || case when old."unit" is new."unit" then '' else ',"unit":' || case typeof(old."unit") when 'blob' then '{"blob":"'||hex(old."unit")||'"}' else json_quote(old."unit") end end
    || case when old."category" is new."category" then '' else ',"category":' || case typeof(old."category") when 'blob' then '{"blob":"'||hex(old."category")||'"}' else json_quote(old."category") end end
    || case when old."trend" is new."trend" then '' else ',"trend":' || case typeof(old."trend") when 'blob' then '{"blob":"'||hex(old."trend")||'"}' else json_quote(old."trend") end end
    || case when old."history" is new."history" then '' else ',"history":' || case typeof(old."history") when 'blob' then '{"blob":"'||hex(old."history")||'"}' else json_quote(old."history") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."value" is new."value" then '' else ',"value":' || case typeof(new."value") when 'blob' then '{"blob":"'||hex(new."value")||'"}' when 'real' then replace(printf('%!.17g', new."value"), 'Inf', '9e999') else json_quote(new."value") end end
    || case when old."unit" is new."unit" then '' else ',"unit":' || case typeof(new."unit") when 'blob' then '{"blob":"'||hex(new."unit")||'"}' else json_quote(new."unit") end end
    || case when old."category" is new."category" then '' else ',"category":' || case typeof(new."category") when 'blob' then '{"blob":"'||hex(new."category")||'"}' else json_quote(new."category") end end
    || case when old."trend" is new."trend" then '' else ',"trend":' || case typeof(new."trend") when 'blob' then '{"blob":"'||hex(new."trend")||'"}' else json_quote(new."trend") end end
    || case when old."history" is new."history" then '' else ',"history":' || case typeof(new."history") when 'blob' then '{"blob":"'||hex(new."history")||'"}' else json_quote(new."history") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_delete after delete on metrics begin
  delete from changes_pending where kind = 'metric' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'metric', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"value":' || case typeof(old."value") when 'blob' then '{"blob":"'||hex(old."value")||'"}' when 'real' then replace(printf('%!.17g', old."value"), 'Inf', '9e999') else json_quote(old."value") end
    || ',"unit":' || case typeof(old."unit") when 'blob' then '{"blob":"'||hex(old."unit")||'"}' else json_quote(old."unit") end
    || ',"category":' || case typeof(old."category") when 'blob' then '{"blob":"'||hex(old."category")||'"}' else json_quote(old."category") end
    || ',"trend":' || case typeof(old."trend") when 'blob' then '{"blob":"'||hex(old."trend")||'"}' else json_quote(old."trend") end
    || ',"history":' || case typeof(old."history") when 'blob' then '{"blob":"'||hex(old."history")||'"}' else json_quote(old."history") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_transcript_summaries as select rowid as row, transcript_summaries.id as id, transcript_summaries.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(transcript_summaries."id") when 'blob' then '{"blob":"'||hex(transcript_summaries."id")||'"}' else json_quote(transcript_summaries."id") end
    || ',"projectId":' || case typeof(transcript_summaries."project_id") when 'blob' then '{"blob":"'||hex(transcript_summaries."project_id")||'"}' else json_quote(transcript_summaries."project_id") end
    || ',"title":' || case typeof(transcript_summaries."title") when 'blob' then '{"blob":"'||hex(transcript_summaries."title")||'"}' else json_quote(transcript_summaries."title") end
    || ',"date":' || case typeof(transcript_summaries."date") when 'blob' then '{"blob":"'||hex(transcript_summaries."date")||'"}' else json_quote(transcript_summaries."date") end
    || ',"summary":' || case typeof(transcript_summaries."summary") when 'blob' then '{"blob":"'||hex(transcript_summaries."summary")||'"}' else json_quote(transcript_summaries."summary") end
    || ',"participants":' || case typeof(transcript_summaries."participants") when 'blob' then '{"blob":"'||hex(transcript_summaries."participants")||'"}' else json_quote(transcript_summaries."participants") end
    || ',"actionItems":' || case typeof(transcript_summaries."action_items") when 'blob' then '{"blob":"'||hex(transcript_summaries."action_items")||'"}' else json_quote(transcript_summaries."action_items") end
    || ',"sourceFile":' || case typeof(transcript_summaries."source_file") when 'blob' then '{"blob":"'||hex(transcript_summaries."source_file")||'"}' else json_quote(transcript_summaries."source_file") end
    || ',"createdAt":' || case typeof(transcript_summaries."created_at") when 'blob' then '{"blob":"'||hex(transcript_summaries."created_at")||'"}' else json_quote(transcript_summaries."created_at") end
    || ',"updatedAt":' || case typeof(transcript_summaries."updated_at") when 'blob' then '{"blob":"'||hex(transcript_summaries."updated_at")||'"}' else json_quote(transcript_summaries."updated_at") end, 2) || '}' as record from transcript_summaries;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_replace before insert on transcript_summaries
when exists (select 1 from changes_pending where kind = 'transcript-summary')
  or exists (select 1 from transcript_summaries r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'transcript-summary';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'transcript-summary', id, project_id, item_id, owner_id, record from changes_of_transcript_summaries
    where row in (select r.rowid from transcript_summaries r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_insert after insert on transcript_summaries begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'transcript-summary';
  delete from changes_pending where kind = 'transcript-summary';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'transcript-summary', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end
    || ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end
    || ',"date":' || case typeof(new."date") when 'blob' then '{"blob":"'||hex(new."date")||'"}' else json_quote(new."date") end
    || ',"summary":' || case typeof(new."summary") when 'blob' then '{"blob":"'||hex(new."summary")||'"}' else json_quote(new."summary") end
    || ',"participants":' || case typeof(new."participants") when 'blob' then '{"blob":"'||hex(new."participants")||'"}' else json_quote(new."participants") end
    || ',"actionItems":' || case typeof(new."action_items") when 'blob' then '{"blob":"'||hex(new."action_items")||'"}' else json_quote(new."action_items") end
    || ',"sourceFile":' || case typeof(new."source_file") when 'blob' then '{"blob":"'||hex(new."source_file")||'"}' else json_quote(new."source_file") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_displace before update of "id" on transcript_summaries
when exists (select 1 from changes_pending where kind = 'transcript-summary')
  or exists (select 1 from transcript_summaries r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'transcript-summary';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'transcript-summary', id, project_id, item_id, owner_id, record from changes_of_transcript_summaries
    where row in (select r.rowid from transcript_summaries r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_displaced after update of "id" on transcript_summaries
when exists (select 1 from changes_pending where kind = 'transcript-summary') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'transcript-summary';
  delete from changes_pending where kind = 'transcript-summary';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'transcript-summary', id, 'created', project_id, item_id, owner_id, record from changes_of_transcript_summaries
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_update after update on transcript_summaries
when ((old."id", old."project_id", old."title", old."date", old."summary", old."participants", old."action_items", old."source_file", old."created_at")
  is not (new."id", new."project_id", new."title", new."date", new."summary", new."participants", new."action_items", new."source_file", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'transcript-summary', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end end
    || case when old."date" is new."date" then '' else ',"date":' || case typeof(old."date") when 'blob' then '{"blob":"'||hex(old."date")||'"}' else json_quote(old."date") end end
    || case when old."summary" is new."summary" then '' else ',"summary":' || case typeof(old."summary") when 'blob' then '{"blob":"'||hex(old."summary")||'"}' else json_quote(old."summary") end end
    || case when old."participants" is new."participants" then '' else ',"participants":' || case typeof(old."participants") when 'blob' then '{"blob":"'||hex(old."participants")||'"}' else json_quote(old."participants") end end
    || case when old."action_items" is new."action_items" then '' else ',"actionItems":' || case typeof(old."action_items") when 'blob' then '{"blob":"'||hex(old."action_items")||'"}' else json_quote(old."action_items") end end
    || case when old."source_file" is new."source_file" then '' else ',"sourceFile":' || case typeof(old."source_file") when 'blob' then '{"blob":"'||hex(old."source_file")||'"}' else json_quote(old."source_file") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end end
    || case when old."date" is new."date" then '' else ',"date":' || case typeof(new."date") when 'blob' then '{"blob":"'||hex(new."date")||'"}' else json_quote(new."date") end end
    || case when old."summary" is new."summary" then '' else ',"summary":' || case typeof(new."summary") when 'blob' then '{"blob":"'||hex(new."summary")||'"}' else json_quote(new."summary") end end
    || case when old."participants" is new."participants" then '' else ',"participants":' || case typeof(new."participants") when 'blob' then '{"blob":"'||hex(new."participants")||'"}' else json_quote(new."participants") end end
    || case when old."action_items" is new."action_items" then '' else ',"actionItems":' || case typeof(new."action_items") when 'blob' then '{"blob":"'||hex(new."action_items")||'"}' else json_quote(new."action_items") end end
    || case when old."source_file" is new."source_file" then '' else ',"sourceFile":' || case typeof(new."source_file") when 'blob' then '{"blob":"'||hex(new."source_file")||'"}' else json_quote(new."source_file") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_delete after delete on transcript_summaries begin
  delete from changes_pending where kind = 'transcript-summary' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'transcript-summary', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end
    || ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end
    || ',"date":' || case typeof(old."date") when 'blob' then '{"blob":"'||hex(old."date")||'"}' else json_quote(old."date") end
    || ',"summary":' || case typeof(old."summary") when 'blob' then '{"blob":"'||hex(old."summary")||'"}' else json_quote(old."summary") end
    || ',"participants":' || case typeof(old."participants") when 'blob' then '{"blob":"'||hex(old."participants")||'"}' else json_quote(old."participants") end
    || ',"actionItems":' || case typeof(old."action_items") when 'blob' then '{"blob":"'||hex(old."action_items")||'"}' else json_quote(old."action_items") end
    || ',"sourceFile":' || case typeof(old."source_file") when 'blob' then '{"blob":"'||hex(old."source_file")||'"}' else json_quote(old."source_file") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_team_assignments as select rowid as row, team_assignments.id as id, team_assignments.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(team_assignments."id") when 'blob' then '{"blob":"'||hex(team_assignments."id")||'"}' else json_quote(team_assignments."id") end
    || ',"projectId":' || case typeof(team_assignments."project_id") when 'blob' then '{"blob":"'||hex(team_assignments."project_id")||'"}' else json_quote(team_assignments."project_id") end
    || ',"memberId":' || case typeof(team_assignments."member_id") when 'blob' then '{"blob":"'||hex(team_assignments."member_id")||'"}' else json_quote(team_assignments."member_id") end
    || ',"role":' || case typeof(team_assignments."role") when 'blob' then '{"blob":"'||hex(team_assignments."role")||'"}' else json_quote(team_assignments."role") end
    || ',"createdAt":' || case typeof(team_assignments."created_at") when 'blob' then '{"blob":"'||hex(team_assignments."created_at")||'"}' else json_quote(team_assignments."created_at") end
    || ',"updatedAt":' || case typeof(team_assignments."updated_at") when 'blob' then '{"blob":"'||hex(team_assignments."updated_at")||'"}' else json_quote(team_assignments."updated_at") end, 2) || '}' as record from team_assignments;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_replace before insert on team_assignments
when exists (select 1 from changes_pending where kind = 'team-assignment')
  or exists (select 1 from team_assignments r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."member_id" = new."member_id"))) begin
  delete from changes_pending where kind = 'team-assignment';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'team-assignment', id, project_id, item_id, owner_id, record from changes_of_team_assignments
    where row in (select r.rowid from team_assignments r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."member_id" = new."member_id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_insert after insert on team_assignments begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'team-assignment';
  delete from changes_pending where kind = 'team-assignment';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team-assignment', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end
    || ',"memberId":' || case typeof(new."member_id") when 'blob' then '{"blob":"'||hex(new."member_id")||'"}' else json_quote(new."member_id") end
    || ',"role":' || case typeof(new."role") when 'blob' then '{"blob":"'||hex(new."role")||'"}' else json_quote(new."role") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_displace before update of "id", "project_id", "member_id" on team_assignments
when exists (select 1 from changes_pending where kind = 'team-assignment')
  or exists (select 1 from team_assignments r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."member_id" = new."member_id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'team-assignment';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'team-assignment', id, project_id, item_id, owner_id, record from changes_of_team_assignments
    where row in (select r.rowid from team_assignments r where ((r."id" = new."id") or (r."project_id" = new."project_id" and r."member_id" = new."member_id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_displaced after update of "id", "project_id", "member_id" on team_assignments
when exists (select 1 from changes_pending where kind = 'team-assignment') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'team-assignment';
  delete from changes_pending where kind = 'team-assignment';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'team-assignment', id, 'created', project_id, item_id, owner_id, record from changes_of_team_assignments
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_update after update on team_assignments
when ((old."id", old."project_id", old."member_id", old."role", old."created_at")
  is not (new."id", new."project_id", new."member_id", new."role", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team-assignment', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end end
    || case when old."member_id" is new."member_id" then '' else ',"memberId":' || case typeof(old."member_id") when 'blob' then '{"blob":"'||hex(old."member_id")||'"}' else json_quote(old."member_id") end end
    || case when old."role" is new."role" then '' else ',"role":' || case typeof(old."role") when 'blob' then '{"blob":"'||hex(old."role")||'"}' else json_quote(old."role") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."member_id" is new."member_id" then '' else ',"memberId":' || case typeof(new."member_id") when 'blob' then '{"blob":"'||hex(new."member_id")||'"}' else json_quote(new."member_id") end end
    || case when old."role" is new."role" then '' else ',"role":' || case typeof(new."role") when 'blob' then '{"blob":"'||hex(new."role")||'"}' else json_quote(new."role") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_delete after delete on team_assignments begin
  delete from changes_pending where kind = 'team-assignment' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team-assignment', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"projectId":' || case typeof(old."project_id") when 'blob' then '{"blob":"'||hex(old."project_id")||'"}' else json_quote(old."project_id") end
    || ',"memberId":' || case typeof(old."member_id") when 'blob' then '{"blob":"'||hex(old."member_id")||'"}' else json_quote(old."member_id") end
    || ',"role":' || case typeof(old."role") when 'blob' then '{"blob":"'||hex(old."role")||'"}' else json_quote(old."role") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_personal_ideas as select rowid as row, personal_ideas.id as id, null as project_id, null as item_id, personal_ideas.owner_id as owner_id,
    '{' || substr(',"id":' || case typeof(personal_ideas."id") when 'blob' then '{"blob":"'||hex(personal_ideas."id")||'"}' else json_quote(personal_ideas."id") end
    || ',"ownerId":' || case typeof(personal_ideas."owner_id") when 'blob' then '{"blob":"'||hex(personal_ideas."owner_id")||'"}' else json_quote(personal_ideas."owner_id") end
    || ',"title":' || case typeof(personal_ideas."title") when 'blob' then '{"blob":"'||hex(personal_ideas."title")||'"}' else json_quote(personal_ideas."title") end
    || ',"description":' || case typeof(personal_ideas."description") when 'blob' then '{"blob":"'||hex(personal_ideas."description")||'"}' else json_quote(personal_ideas."description") end
    || ',"priority":' || case typeof(personal_ideas."priority") when 'blob' then '{"blob":"'||hex(personal_ideas."priority")||'"}' else json_quote(personal_ideas."priority") end
    || ',"status":' || case typeof(personal_ideas."status") when 'blob' then '{"blob":"'||hex(personal_ideas."status")||'"}' else json_quote(personal_ideas."status") end
    || ',"sortOrder":' || case typeof(personal_ideas."sort_order") when 'blob' then '{"blob":"'||hex(personal_ideas."sort_order")||'"}' when 'real' then replace(printf('%!.17g', personal_ideas."sort_order"), 'Inf', '9e999') else json_quote(personal_ideas."sort_order") end
    || ',"promotedProjectId":' || case typeof(personal_ideas."promoted_project_id") when 'blob' then '{"blob":"'||hex(personal_ideas."promoted_project_id")||'"}' else json_quote(personal_ideas."promoted_project_id") end
    || ',"createdAt":' || case typeof(personal_ideas."created_at") when 'blob' then '{"blob":"'||hex(personal_ideas."created_at")||'"}' else json_quote(personal_ideas."created_at") end
    || ',"updatedAt":' || case typeof(personal_ideas."updated_at") when 'blob' then '{"blob":"'||hex(personal_ideas."updated_at")||'"}' else json_quote(personal_ideas."updated_at") end, 2) || '}' as record from personal_ideas;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_replace before insert on personal_ideas
when exists (select 1 from changes_pending where kind = 'personal-idea')
  or exists (select 1 from personal_ideas r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'personal-idea';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'personal-idea', id, project_id, item_id, owner_id, record from changes_of_personal_ideas
    where row in (select r.rowid from personal_ideas r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_insert after insert on personal_ideas begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'personal-idea';
  delete from changes_pending where kind = 'personal-idea';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'personal-idea', new.id, 'created',
    null, null, null, new.owner_id,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"ownerId":' || case typeof(new."owner_id") when 'blob' then '{"blob":"'||hex(new."owner_id")||'"}' else json_quote(new."owner_id") end
    || ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end
    || ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end
    || ',"priority":' || case typeof(new."priority") when 'blob' then '{"blob":"'||hex(new."priority")||'"}' else json_quote(new."priority") end
    || ',"status":' || case typeof(new."status") when 'blob' then '{"blob":"'||hex(new."status")||'"}' else json_quote(new."status") end
    || ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end
    || ',"promotedProjectId":' || case typeof(new."promoted_project_id") when 'blob' then '{"blob":"'||hex(new."promoted_project_id")||'"}' else json_quote(new."promoted_project_id") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_displace before update of "id" on personal_ideas
when exists (select 1 from changes_pending where kind = 'personal-idea')
  or exists (select 1 from personal_ideas r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'personal-idea';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'personal-idea', id, project_id, item_id, owner_id, record from changes_of_personal_ideas
    where row in (select r.rowid from personal_ideas r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_displaced after update of "id" on personal_ideas
when exists (select 1 from changes_pending where kind = 'personal-idea') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'personal-idea';
  delete from changes_pending where kind = 'personal-idea';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'personal-idea', id, 'created', project_id, item_id, owner_id, record from changes_of_personal_ideas
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_update after update on personal_ideas
when ((old."id", old."owner_id", old."title", old."description", old."priority", old."status", old."sort_order", old."promoted_project_id", old."created_at")
  is not (new."id", new."owner_id", new."title", new."description", new."priority", new."status", new."sort_order", new."promoted_project_id", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'personal-idea', new.id, 'updated',
    null, null, null, new.owner_id,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."owner_id" is new."owner_id" then '' else ',"ownerId":' || case typeof(old."owner_id") when 'blob' then '{"blob":"'||hex(old."owner_id")||'"}' else json_quote(old."owner_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end end
    || case when old."priority" is new."priority" then '' else ',"priority":' || case typeof(old."priority") when 'blob' then '{"blob":"'||hex(old."priority")||'"}' else json_quote(old."priority") end end
    || case when old."status" is new."status" then '' else ',"status":' || case typeof(old."status") when 'blob' then '{"blob":"'||hex(old."status")||'"}' else json_quote(old."status") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end end
    || case when old."promoted_project_id" is new."promoted_project_id" then '' else ',"promotedProjectId":' || case typeof(old."promoted_project_id") when 'blob' then '{"blob":"'||hex(old."promoted_project_id")||'"}' else json_quote(old."promoted_project_id") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."owner_id" is new."owner_id" then '' else ',"ownerId":' || case typeof(new."owner_id") when 'blob' then '{"blob":"'||hex(new."owner_id")||'"}' else json_quote(new."owner_id") end end
    || case when old."title" is new."title" then '' else ',"title":' || case typeof(new."title") when 'blob' then '{"blob":"'||hex(new."title")||'"}' else json_quote(new."title") end end
    || case when old."description" is new."description" then '' else ',"description":' || case typeof(new."description") when 'blob' then '{"blob":"'||hex(new."description")||'"}' else json_quote(new."description") end end
    || case when old."priority" is new."priority" then '' else ',"priority":' || case typeof(new."priority") when 'blob' then '{"blob":"'||hex(new."priority")||'"}' else json_quote(new."priority") end end
    || case when old."status" is new."status" then '' else ',"status":' || case typeof(new."status") when 'blob' then '{"blob":"'||hex(new."status")||'"}' else json_quote(new."status") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end end
    || case when old."promoted_project_id" is new."promoted_project_id" then '' else ',"promotedProjectId":' || case typeof(new."promoted_project_id") when 'blob' then '{"blob":"'||hex(new."promoted_project_id")||'"}' else json_quote(new."promoted_project_id") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_delete after delete on personal_ideas begin
  delete from changes_pending where kind = 'personal-idea' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'personal-idea', old.id, 'deleted',
    null, null, null, old.owner_id,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"ownerId":' || case typeof(old."owner_id") when 'blob' then '{"blob":"'||hex(old."owner_id")||'"}' else json_quote(old."owner_id") end
    || ',"title":' || case typeof(old."title") when 'blob' then '{"blob":"'||hex(old."title")||'"}' else json_quote(old."title") end
    || ',"description":' || case typeof(old."description") when 'blob' then '{"blob":"'||hex(old."description")||'"}' else json_quote(old."description") end
    || ',"priority":' || case typeof(old."priority") when 'blob' then '{"blob":"'||hex(old."priority")||'"}' else json_quote(old."priority") end
    || ',"status":' || case typeof(old."status") when 'blob' then '{"blob":"'||hex(old."status")||'"}' else json_quote(old."status") end
    || ',"sortOrder":' || case typeof(old."sort_order") when 'blob' then '{"blob":"'||hex(old."sort_order")||'"}' when 'real' then replace(printf('%!.17g', old."sort_order"), 'Inf', '9e999') else json_quote(old."sort_order") end
    || ',"promotedProjectId":' || case typeof(old."promoted_project_id") when 'blob' then '{"blob":"'||hex(old."promoted_project_id")||'"}' else json_quote(old."promoted_project_id") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_members_replace before insert on team_members
when exists (select 1 from changes_pending where kind = 'team-member' and id = new.team_id || ':' || new.member_id) or exists (select 1 from team_members where team_id = new.team_id and member_id = new.member_id) begin
  delete from changes_pending where kind = 'team-member' and id = new.team_id || ':' || new.member_id;
  insert into changes_pending (kind, id)
    select 'team-member', team_id || ':' || member_id from team_members where team_id = new.team_id and member_id = new.member_id;
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_members_displace before update on team_members
when exists (select 1 from changes_pending where kind = 'team-member' and id = new.team_id || ':' || new.member_id) or exists (select 1 from team_members where team_id = new.team_id and member_id = new.member_id and (team_id, member_id) is not (old.team_id, old.member_id)) begin
  delete from changes_pending where kind = 'team-member' and id = new.team_id || ':' || new.member_id;
  insert into changes_pending (kind, id)
    select 'team-member', team_id || ':' || member_id from team_members where team_id = new.team_id and member_id = new.member_id and (team_id, member_id) is not (old.team_id, old.member_id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_members_insert after insert on team_members
when exists (select 1 from teams where id = new.team_id)
  and not exists (select 1 from changes_pending where kind = 'team-members' and id = new.team_id)
  and not exists (select 1 from changes_pending where kind = 'team-member' and id = new.team_id || ':' || new.member_id) begin
  insert into changes (kind, id, action, before, after) values ('team', new.team_id, 'updated',
    '{"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.team_id and member_id <> new.member_id order by member_id)) || '}',
    '{"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.team_id  order by member_id)) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_members_update after update on team_members begin
  insert into changes (kind, id, action, before, after) select 'team', id, 'updated',
    '{"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = teams.id and ((team_id, member_id) is not (new.team_id, new.member_id) or exists (select 1 from changes_pending where kind = 'team-member' and id = new.team_id || ':' || new.member_id)) union select old.member_id where teams.id = old.team_id order by member_id)) || '}',
    '{"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = teams.id  order by member_id)) || '}'
    from teams where id in (old.team_id, new.team_id)
    and (old.team_id, old.member_id) is not (new.team_id, new.member_id);
  delete from changes_pending where kind = 'team-member' and id = old.team_id || ':' || old.member_id;
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_members_delete after delete on team_members
when exists (select 1 from teams where id = old.team_id)
  and not exists (select 1 from changes_pending where kind = 'team-members' and id = old.team_id) begin
  delete from changes_pending where kind = 'team-member' and id = old.team_id || ':' || old.member_id;
  insert into changes (kind, id, action, before, after) values ('team', old.team_id, 'updated',
    '{"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = old.team_id union select old.member_id order by member_id)) || '}',
    '{"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = old.team_id  order by member_id)) || '}');
end;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'member', id, 'created', project_id, item_id, owner_id, record
  from changes_of_members order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'team', id, 'created', project_id, item_id, owner_id, record
  from changes_of_teams order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'project', id, 'created', project_id, item_id, owner_id, record
  from changes_of_projects order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'kanban-column', id, 'created', project_id, item_id, owner_id, record
  from changes_of_kanban_columns order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'kanban-label', id, 'created', project_id, item_id, owner_id, record
  from changes_of_kanban_labels order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'kanban-item', id, 'created', project_id, item_id, owner_id, record
  from changes_of_kanban_items order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'kanban-subtask', id, 'created', project_id, item_id, owner_id, record
  from changes_of_kanban_subtasks order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'kanban-comment', id, 'created', project_id, item_id, owner_id, record
  from changes_of_kanban_comments order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'kanban-item-label', id, 'created', project_id, item_id, owner_id, record
  from changes_of_kanban_item_labels order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'objective', id, 'created', project_id, item_id, owner_id, record
  from changes_of_objectives order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'metric', id, 'created', project_id, item_id, owner_id, record
  from changes_of_metrics order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'transcript-summary', id, 'created', project_id, item_id, owner_id, record
  from changes_of_transcript_summaries order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'team-assignment', id, 'created', project_id, item_id, owner_id, record
  from changes_of_team_assignments order by id;
--> statement-breakpoint
insert into changes ("group", kind, id, action, project_id, item_id, owner_id, after)
  select 1, 'personal-idea', id, 'created', project_id, item_id, owner_id, record
  from changes_of_personal_ideas order by id;
