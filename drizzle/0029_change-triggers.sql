drop view changes_of_teams;
--> statement-breakpoint
drop trigger changes_teams_insert;
--> statement-breakpoint
drop trigger changes_teams_update;
--> statement-breakpoint
drop trigger changes_teams_delete;
--> statement-breakpoint
drop view changes_of_kanban_labels;
--> statement-breakpoint
drop trigger changes_kanban_labels_insert;
--> statement-breakpoint
drop trigger changes_kanban_labels_update;
--> statement-breakpoint
drop trigger changes_kanban_labels_delete;
--> statement-breakpoint
drop view changes_of_kanban_subtasks;
--> statement-breakpoint
drop trigger changes_kanban_subtasks_insert;
--> statement-breakpoint
drop trigger changes_kanban_subtasks_update;
--> statement-breakpoint
drop trigger changes_kanban_subtasks_delete;
--> statement-breakpoint
drop view changes_of_kanban_comments;
--> statement-breakpoint
drop trigger changes_kanban_comments_insert;
--> statement-breakpoint
drop trigger changes_kanban_comments_update;
--> statement-breakpoint
drop trigger changes_kanban_comments_delete;
--> statement-breakpoint
drop view changes_of_kanban_item_labels;
--> statement-breakpoint
drop trigger changes_kanban_item_labels_insert;
--> statement-breakpoint
drop trigger changes_kanban_item_labels_update;
--> statement-breakpoint
drop trigger changes_kanban_item_labels_delete;
--> statement-breakpoint
drop trigger changes_kanban_activity_delete;
--> statement-breakpoint
drop view changes_of_objectives;
--> statement-breakpoint
drop trigger changes_objectives_insert;
--> statement-breakpoint
drop trigger changes_objectives_update;
--> statement-breakpoint
drop trigger changes_objectives_delete;
--> statement-breakpoint
drop view changes_of_metrics;
--> statement-breakpoint
drop trigger changes_metrics_insert;
--> statement-breakpoint
drop trigger changes_metrics_update;
--> statement-breakpoint
drop trigger changes_metrics_delete;
--> statement-breakpoint
drop view changes_of_transcript_summaries;
--> statement-breakpoint
drop trigger changes_transcript_summaries_insert;
--> statement-breakpoint
drop trigger changes_transcript_summaries_update;
--> statement-breakpoint
drop trigger changes_transcript_summaries_delete;
--> statement-breakpoint
drop view changes_of_team_assignments;
--> statement-breakpoint
drop trigger changes_team_assignments_insert;
--> statement-breakpoint
drop trigger changes_team_assignments_update;
--> statement-breakpoint
drop trigger changes_team_assignments_delete;
--> statement-breakpoint
drop view changes_of_personal_ideas;
--> statement-breakpoint
drop trigger changes_personal_ideas_insert;
--> statement-breakpoint
drop trigger changes_personal_ideas_update;
--> statement-breakpoint
drop trigger changes_personal_ideas_delete;
--> statement-breakpoint
drop view changes_of_kanban_columns;
--> statement-breakpoint
drop trigger changes_kanban_columns_insert;
--> statement-breakpoint
drop trigger changes_kanban_columns_update;
--> statement-breakpoint
drop trigger changes_kanban_columns_delete;
--> statement-breakpoint
drop view changes_of_people;
--> statement-breakpoint
drop trigger changes_people_insert;
--> statement-breakpoint
drop trigger changes_people_update;
--> statement-breakpoint
drop trigger changes_people_delete;
--> statement-breakpoint
drop view changes_of_projects;
--> statement-breakpoint
drop trigger changes_projects_insert;
--> statement-breakpoint
drop trigger changes_projects_update;
--> statement-breakpoint
drop trigger changes_projects_delete;
--> statement-breakpoint
drop view changes_of_attachments;
--> statement-breakpoint
drop trigger changes_attachments_insert;
--> statement-breakpoint
drop trigger changes_attachments_update;
--> statement-breakpoint
drop trigger changes_attachments_delete;
--> statement-breakpoint
drop view changes_of_members;
--> statement-breakpoint
drop trigger changes_members_insert;
--> statement-breakpoint
drop trigger changes_members_update;
--> statement-breakpoint
drop trigger changes_members_delete;
--> statement-breakpoint
drop view changes_of_kanban_items;
--> statement-breakpoint
drop trigger changes_kanban_items_insert;
--> statement-breakpoint
drop trigger changes_kanban_items_update;
--> statement-breakpoint
drop trigger changes_kanban_items_delete;
--> statement-breakpoint
CREATE VIEW changes_of_members as select rowid as row, members.id as id, null as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', members."id"),
      ('name', members."name"),
      ('email', members."email"),
      ('role', members."role"),
      ('disabled', members."disabled"),
      ('handle', members."handle"),
      ('createdAt', members."created_at"),
      ('updatedAt', members."updated_at"))), 2) || '}' as record from members;
--> statement-breakpoint
CREATE TRIGGER changes_members_insert after insert on members begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'member';
  delete from changes_pending where kind = 'member';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'member', new.id, 'created',
    null, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('name', new."name"),
      ('email', new."email"),
      ('role', new."role"),
      ('disabled', new."disabled"),
      ('handle', new."handle"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_update after update on members
when ((old."id", old."name", old."email", old."role", old."disabled", old."handle", old."created_at")
  is not (new."id", new."name", new."email", new."role", new."disabled", new."handle", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'member', new.id, 'updated',
    null, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('name', old."name", new."name"),
      ('email', old."email", new."email"),
      ('role', old."role", new."role"),
      ('disabled', old."disabled", new."disabled"),
      ('handle', old."handle", new."handle"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_delete after delete on members begin
  delete from changes_pending where kind = 'member' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'member', old.id, 'deleted',
    null, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('name', old."name"),
      ('email', old."email"),
      ('role', old."role"),
      ('disabled', old."disabled"),
      ('handle', old."handle"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_teams as select rowid as row, teams.id as id, null as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', teams."id"),
      ('name', teams."name"),
      ('description', teams."description"),
      ('createdAt', teams."created_at"),
      ('updatedAt', teams."updated_at"))) || ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = teams.id  order by member_id)), 2) || '}' as record from teams;
--> statement-breakpoint
CREATE TRIGGER changes_teams_insert after insert on teams begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'team';
  delete from changes_pending where kind = 'team';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team', new.id, 'created',
    null, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('name', new."name"),
      ('description', new."description"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))) || ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_teams_update after update on teams
when ((old."id", old."name", old."description", old."created_at")
  is not (new."id", new."name", new."description", new."created_at")
  or (select before from changes_pending where kind = 'team-members' and id = new.id) <> (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id))) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'team', new.id, 'updated',
    null, null, null, null,
    '{' || substr(coalesce(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), '') || case when (select before from changes_pending where kind = 'team-members' and id = new.id) <> (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)) then ',"memberIds":' || (select before from changes_pending where kind = 'team-members' and id = new.id) else '' end, 2) || '}',
    '{' || substr(coalesce(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), '') || case when (select before from changes_pending where kind = 'team-members' and id = new.id) <> (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)) then ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = new.id  order by member_id)) else '' end, 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('name', old."name", new."name"),
      ('description', old."description", new."description"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_teams_delete before delete on teams begin
  delete from changes_pending where kind = 'team' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team', old.id, 'deleted',
    null, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('name', old."name"),
      ('description', old."description"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))) || ',"memberIds":' || (select json_group_array(member_id) from (
      select member_id from team_members where team_id = old.id  order by member_id)), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_people as select rowid as row, people.id as id, null as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', people."id"),
      ('name', people."name"),
      ('kind', people."kind"),
      ('source', people."source"),
      ('sourceId', people."source_id"),
      ('mergedInto', people."merged_into"),
      ('seenAt', people."seen_at"),
      ('createdAt', people."created_at"),
      ('updatedAt', people."updated_at"))), 2) || '}' as record from people;
--> statement-breakpoint
CREATE TRIGGER changes_people_insert after insert on people begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'person';
  delete from changes_pending where kind = 'person';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'person', new.id, 'created',
    null, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('name', new."name"),
      ('kind', new."kind"),
      ('source', new."source"),
      ('sourceId', new."source_id"),
      ('mergedInto', new."merged_into"),
      ('seenAt', new."seen_at"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_people_update after update on people
when ((old."id", old."name", old."kind", old."source", old."source_id", old."merged_into", old."created_at")
  is not (new."id", new."name", new."kind", new."source", new."source_id", new."merged_into", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'person', new.id, 'updated',
    null, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('name', old."name", new."name"),
      ('kind', old."kind", new."kind"),
      ('source', old."source", new."source"),
      ('sourceId', old."source_id", new."source_id"),
      ('mergedInto', old."merged_into", new."merged_into"),
      ('seenAt', old."seen_at", new."seen_at"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_people_delete after delete on people begin
  delete from changes_pending where kind = 'person' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'person', old.id, 'deleted',
    null, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('name', old."name"),
      ('kind', old."kind"),
      ('source', old."source"),
      ('sourceId', old."source_id"),
      ('mergedInto', old."merged_into"),
      ('seenAt', old."seen_at"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_projects as select rowid as row, projects.id as id, projects.id as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', projects."id"),
      ('name', projects."name"),
      ('description', projects."description"),
      ('type', projects."type"),
      ('status', projects."status"),
      ('phase', projects."phase"),
      ('phaseConfig', projects."phase_config"),
      ('health', projects."health"),
      ('nextStep', projects."next_step"),
      ('sortOrder', projects."sort_order"),
      ('metadata', projects."metadata"),
      ('leadId', projects."lead_id"),
      ('teamId', projects."team_id"),
      ('access', projects."access"),
      ('createdAt', projects."created_at"),
      ('updatedAt', projects."updated_at"))), 2) || '}' as record from projects;
--> statement-breakpoint
CREATE TRIGGER changes_projects_insert after insert on projects begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'project';
  delete from changes_pending where kind = 'project';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'project', new.id, 'created',
    new.id, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('name', new."name"),
      ('description', new."description"),
      ('type', new."type"),
      ('status', new."status"),
      ('phase', new."phase"),
      ('phaseConfig', new."phase_config"),
      ('health', new."health"),
      ('nextStep', new."next_step"),
      ('sortOrder', new."sort_order"),
      ('metadata', new."metadata"),
      ('leadId', new."lead_id"),
      ('teamId', new."team_id"),
      ('access', new."access"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_update after update on projects
when ((old."id", old."name", old."description", old."type", old."status", old."phase", old."phase_config", old."health", old."next_step", old."sort_order", old."metadata", old."lead_id", old."team_id", old."access", old."created_at")
  is not (new."id", new."name", new."description", new."type", new."status", new."phase", new."phase_config", new."health", new."next_step", new."sort_order", new."metadata", new."lead_id", new."team_id", new."access", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'project', new.id, 'updated',
    new.id, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('name', old."name", new."name"),
      ('description', old."description", new."description"),
      ('type', old."type", new."type"),
      ('status', old."status", new."status"),
      ('phase', old."phase", new."phase"),
      ('phaseConfig', old."phase_config", new."phase_config"),
      ('health', old."health", new."health"),
      ('nextStep', old."next_step", new."next_step"),
      ('sortOrder', old."sort_order", new."sort_order"),
      ('metadata', old."metadata", new."metadata"),
      ('leadId', old."lead_id", new."lead_id"),
      ('teamId', old."team_id", new."team_id"),
      ('access', old."access", new."access"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_delete after delete on projects begin
  delete from changes_pending where kind = 'project' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'project', old.id, 'deleted',
    old.id, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('name', old."name"),
      ('description', old."description"),
      ('type', old."type"),
      ('status', old."status"),
      ('phase', old."phase"),
      ('phaseConfig', old."phase_config"),
      ('health', old."health"),
      ('nextStep', old."next_step"),
      ('sortOrder', old."sort_order"),
      ('metadata', old."metadata"),
      ('leadId', old."lead_id"),
      ('teamId', old."team_id"),
      ('access', old."access"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_columns as select rowid as row, kanban_columns.id as id, kanban_columns.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', kanban_columns."id"),
      ('projectId', kanban_columns."project_id"),
      ('name', kanban_columns."name"),
      ('color', kanban_columns."color"),
      ('sortOrder', kanban_columns."sort_order"),
      ('wipLimit', kanban_columns."wip_limit"),
      ('wipPolicy', kanban_columns."wip_policy"),
      ('stage', kanban_columns."stage"),
      ('createdAt', kanban_columns."created_at"),
      ('updatedAt', kanban_columns."updated_at"))), 2) || '}' as record from kanban_columns;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_insert after insert on kanban_columns begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-column';
  delete from changes_pending where kind = 'kanban-column';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-column', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('projectId', new."project_id"),
      ('name', new."name"),
      ('color', new."color"),
      ('sortOrder', new."sort_order"),
      ('wipLimit', new."wip_limit"),
      ('wipPolicy', new."wip_policy"),
      ('stage', new."stage"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_update after update on kanban_columns
when ((old."id", old."project_id", old."name", old."color", old."sort_order", old."wip_limit", old."wip_policy", old."stage", old."created_at")
  is not (new."id", new."project_id", new."name", new."color", new."sort_order", new."wip_limit", new."wip_policy", new."stage", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'kanban-column', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('name', old."name", new."name"),
      ('color', old."color", new."color"),
      ('sortOrder', old."sort_order", new."sort_order"),
      ('wipLimit', old."wip_limit", new."wip_limit"),
      ('wipPolicy', old."wip_policy", new."wip_policy"),
      ('stage', old."stage", new."stage"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_delete after delete on kanban_columns begin
  delete from changes_pending where kind = 'kanban-column' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-column', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('projectId', old."project_id"),
      ('name', old."name"),
      ('color', old."color"),
      ('sortOrder', old."sort_order"),
      ('wipLimit', old."wip_limit"),
      ('wipPolicy', old."wip_policy"),
      ('stage', old."stage"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_labels as select rowid as row, kanban_labels.id as id, kanban_labels.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', kanban_labels."id"),
      ('projectId', kanban_labels."project_id"),
      ('name', kanban_labels."name"),
      ('color', kanban_labels."color"),
      ('createdAt', kanban_labels."created_at"),
      ('updatedAt', kanban_labels."updated_at"))), 2) || '}' as record from kanban_labels;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_insert after insert on kanban_labels begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-label';
  delete from changes_pending where kind = 'kanban-label';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-label', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('projectId', new."project_id"),
      ('name', new."name"),
      ('color', new."color"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_update after update on kanban_labels
when ((old."id", old."project_id", old."name", old."color", old."created_at")
  is not (new."id", new."project_id", new."name", new."color", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'kanban-label', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('name', old."name", new."name"),
      ('color', old."color", new."color"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_labels_delete after delete on kanban_labels begin
  delete from changes_pending where kind = 'kanban-label' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-label', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('projectId', old."project_id"),
      ('name', old."name"),
      ('color', old."color"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_items as select rowid as row, kanban_items.id as id, kanban_items.project_id as project_id, kanban_items.id as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', kanban_items."id"),
      ('projectId', kanban_items."project_id"),
      ('title', kanban_items."title"),
      ('description', kanban_items."description"),
      ('column', kanban_items."column"),
      ('sortOrder', kanban_items."sort_order"),
      ('priority', kanban_items."priority"),
      ('assigneeId', kanban_items."assignee_id"),
      ('dueDate', kanban_items."due_date"),
      ('source', kanban_items."source"),
      ('sourceId', kanban_items."source_id"),
      ('isNew', kanban_items."is_new"),
      ('approved', kanban_items."approved"),
      ('dismissed', kanban_items."dismissed"),
      ('metadata', kanban_items."metadata"),
      ('claimedUntil', kanban_items."claimed_until"),
      ('claimedFrom', kanban_items."claimed_from"),
      ('coverId', kanban_items."cover_id"),
      ('reminders', kanban_items."reminders"),
      ('createdAt', kanban_items."created_at"),
      ('updatedAt', kanban_items."updated_at"))), 2) || '}' as record from kanban_items;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_insert after insert on kanban_items begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-item';
  delete from changes_pending where kind = 'kanban-item';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item', new.id, 'created',
    new.project_id, new.id, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('projectId', new."project_id"),
      ('title', new."title"),
      ('description', new."description"),
      ('column', new."column"),
      ('sortOrder', new."sort_order"),
      ('priority', new."priority"),
      ('assigneeId', new."assignee_id"),
      ('dueDate', new."due_date"),
      ('source', new."source"),
      ('sourceId', new."source_id"),
      ('isNew', new."is_new"),
      ('approved', new."approved"),
      ('dismissed', new."dismissed"),
      ('metadata', new."metadata"),
      ('claimedUntil', new."claimed_until"),
      ('claimedFrom', new."claimed_from"),
      ('coverId', new."cover_id"),
      ('reminders', new."reminders"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_update after update on kanban_items
when ((old."id", old."project_id", old."title", old."description", old."column", old."sort_order", old."priority", old."assignee_id", old."due_date", old."source", old."source_id", old."is_new", old."approved", old."dismissed", old."metadata", old."claimed_until", old."claimed_from", old."cover_id", old."reminders", old."created_at")
  is not (new."id", new."project_id", new."title", new."description", new."column", new."sort_order", new."priority", new."assignee_id", new."due_date", new."source", new."source_id", new."is_new", new."approved", new."dismissed", new."metadata", new."claimed_until", new."claimed_from", new."cover_id", new."reminders", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'kanban-item', new.id, 'updated',
    new.project_id, new.id, nullif(old.project_id, new.project_id), null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('title', old."title", new."title"),
      ('description', old."description", new."description"),
      ('column', old."column", new."column"),
      ('sortOrder', old."sort_order", new."sort_order"),
      ('priority', old."priority", new."priority"),
      ('assigneeId', old."assignee_id", new."assignee_id"),
      ('dueDate', old."due_date", new."due_date"),
      ('source', old."source", new."source"),
      ('sourceId', old."source_id", new."source_id"),
      ('isNew', old."is_new", new."is_new"),
      ('approved', old."approved", new."approved"),
      ('dismissed', old."dismissed", new."dismissed"),
      ('metadata', old."metadata", new."metadata"),
      ('claimedUntil', old."claimed_until", new."claimed_until"),
      ('claimedFrom', old."claimed_from", new."claimed_from"),
      ('coverId', old."cover_id", new."cover_id"),
      ('reminders', old."reminders", new."reminders"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_delete after delete on kanban_items begin
  delete from changes_pending where kind = 'kanban-item' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item', old.id, 'deleted',
    old.project_id, old.id, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('projectId', old."project_id"),
      ('title', old."title"),
      ('description', old."description"),
      ('column', old."column"),
      ('sortOrder', old."sort_order"),
      ('priority', old."priority"),
      ('assigneeId', old."assignee_id"),
      ('dueDate', old."due_date"),
      ('source', old."source"),
      ('sourceId', old."source_id"),
      ('isNew', old."is_new"),
      ('approved', old."approved"),
      ('dismissed', old."dismissed"),
      ('metadata', old."metadata"),
      ('claimedUntil', old."claimed_until"),
      ('claimedFrom', old."claimed_from"),
      ('coverId', old."cover_id"),
      ('reminders', old."reminders"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_subtasks as select rowid as row, kanban_subtasks.id as id, (select project_id from kanban_items where id = kanban_subtasks.item_id) as project_id, kanban_subtasks.item_id as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', kanban_subtasks."id"),
      ('itemId', kanban_subtasks."item_id"),
      ('title', kanban_subtasks."title"),
      ('completed', kanban_subtasks."completed"),
      ('sortOrder', kanban_subtasks."sort_order"),
      ('createdAt', kanban_subtasks."created_at"),
      ('updatedAt', kanban_subtasks."updated_at"))), 2) || '}' as record from kanban_subtasks;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_insert after insert on kanban_subtasks begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-subtask';
  delete from changes_pending where kind = 'kanban-subtask';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-subtask', new.id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('itemId', new."item_id"),
      ('title', new."title"),
      ('completed', new."completed"),
      ('sortOrder', new."sort_order"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_update after update on kanban_subtasks
when ((old."id", old."item_id", old."title", old."completed", old."sort_order", old."created_at")
  is not (new."id", new."item_id", new."title", new."completed", new."sort_order", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'kanban-subtask', new.id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('itemId', old."item_id", new."item_id"),
      ('title', old."title", new."title"),
      ('completed', old."completed", new."completed"),
      ('sortOrder', old."sort_order", new."sort_order"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_subtasks_delete after delete on kanban_subtasks begin
  delete from changes_pending where kind = 'kanban-subtask' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-subtask', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('itemId', old."item_id"),
      ('title', old."title"),
      ('completed', old."completed"),
      ('sortOrder', old."sort_order"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_comments as select rowid as row, kanban_comments.id as id, (select project_id from kanban_items where id = kanban_comments.item_id) as project_id, kanban_comments.item_id as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', kanban_comments."id"),
      ('itemId', kanban_comments."item_id"),
      ('authorId', kanban_comments."author_id"),
      ('content', kanban_comments."content"),
      ('editedAt', kanban_comments."edited_at"),
      ('createdAt', kanban_comments."created_at"))), 2) || '}' as record from kanban_comments;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_insert after insert on kanban_comments begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-comment';
  delete from changes_pending where kind = 'kanban-comment';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-comment', new.id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('itemId', new."item_id"),
      ('authorId', new."author_id"),
      ('content', new."content"),
      ('editedAt', new."edited_at"),
      ('createdAt', new."created_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_update after update on kanban_comments
when ((old."id", old."item_id", old."author_id", old."content", old."edited_at", old."created_at")
  is not (new."id", new."item_id", new."author_id", new."content", new."edited_at", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'kanban-comment', new.id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('itemId', old."item_id", new."item_id"),
      ('authorId', old."author_id", new."author_id"),
      ('content', old."content", new."content"),
      ('editedAt', old."edited_at", new."edited_at"),
      ('createdAt', old."created_at", new."created_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_comments_delete after delete on kanban_comments begin
  delete from changes_pending where kind = 'kanban-comment' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-comment', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('itemId', old."item_id"),
      ('authorId', old."author_id"),
      ('content', old."content"),
      ('editedAt', old."edited_at"),
      ('createdAt', old."created_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_attachments as select rowid as row, attachments.id as id, (select project_id from kanban_items where id = attachments.item_id) as project_id, attachments.item_id as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', attachments."id"),
      ('itemId', attachments."item_id"),
      ('name', attachments."name"),
      ('kind', attachments."kind"),
      ('url', attachments."url"),
      ('mediaType', attachments."media_type"),
      ('size', attachments."size"),
      ('sha256', attachments."sha256"),
      ('width', attachments."width"),
      ('height', attachments."height"),
      ('thumbnail', attachments."thumbnail"),
      ('createdBy', attachments."created_by"),
      ('createdAt', attachments."created_at"),
      ('updatedAt', attachments."updated_at"))), 2) || '}' as record from attachments;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_insert after insert on attachments begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'attachment';
  delete from changes_pending where kind = 'attachment';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'attachment', new.id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('itemId', new."item_id"),
      ('name', new."name"),
      ('kind', new."kind"),
      ('url', new."url"),
      ('mediaType', new."media_type"),
      ('size', new."size"),
      ('sha256', new."sha256"),
      ('width', new."width"),
      ('height', new."height"),
      ('thumbnail', new."thumbnail"),
      ('createdBy', new."created_by"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_update after update on attachments
when ((old."id", old."item_id", old."name", old."kind", old."url", old."media_type", old."size", old."sha256", old."width", old."height", old."created_by", old."created_at")
  is not (new."id", new."item_id", new."name", new."kind", new."url", new."media_type", new."size", new."sha256", new."width", new."height", new."created_by", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'attachment', new.id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('itemId', old."item_id", new."item_id"),
      ('name', old."name", new."name"),
      ('kind', old."kind", new."kind"),
      ('url', old."url", new."url"),
      ('mediaType', old."media_type", new."media_type"),
      ('size', old."size", new."size"),
      ('sha256', old."sha256", new."sha256"),
      ('width', old."width", new."width"),
      ('height', old."height", new."height"),
      ('thumbnail', old."thumbnail", new."thumbnail"),
      ('createdBy', old."created_by", new."created_by"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_delete after delete on attachments begin
  delete from changes_pending where kind = 'attachment' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'attachment', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('itemId', old."item_id"),
      ('name', old."name"),
      ('kind', old."kind"),
      ('url', old."url"),
      ('mediaType', old."media_type"),
      ('size', old."size"),
      ('sha256', old."sha256"),
      ('width', old."width"),
      ('height', old."height"),
      ('thumbnail', old."thumbnail"),
      ('createdBy', old."created_by"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_item_labels as select rowid as row, kanban_item_labels.item_id || ':' || kanban_item_labels.label_id as id, (select project_id from kanban_items where id = kanban_item_labels.item_id) as project_id, kanban_item_labels.item_id as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('itemId', kanban_item_labels."item_id"),
      ('labelId', kanban_item_labels."label_id"))), 2) || '}' as record from kanban_item_labels;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_insert after insert on kanban_item_labels begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'kanban-item-label';
  delete from changes_pending where kind = 'kanban-item-label';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item-label', new.item_id || ':' || new.label_id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('itemId', new."item_id"),
      ('labelId', new."label_id"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_update after update on kanban_item_labels
when ((old."item_id", old."label_id")
  is not (new."item_id", new."label_id")) and old.item_id || ':' || old.label_id is new.item_id || ':' || new.label_id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'kanban-item-label', new.item_id || ':' || new.label_id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('itemId', old."item_id", new."item_id"),
      ('labelId', old."label_id", new."label_id")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_item_labels_delete after delete on kanban_item_labels begin
  delete from changes_pending where kind = 'kanban-item-label' and id = old.item_id || ':' || old.label_id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-item-label', old.item_id || ':' || old.label_id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('itemId', old."item_id"),
      ('labelId', old."label_id"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_activity_delete after delete on kanban_activity begin
  delete from changes_pending where kind = 'kanban-activity' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'kanban-activity', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('itemId', old."item_id"),
      ('type', old."type"),
      ('content', old."content"),
      ('metadata', old."metadata"),
      ('actorId', old."actor_id"),
      ('createdAt', old."created_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_objectives as select rowid as row, objectives.id as id, objectives.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', objectives."id"),
      ('projectId', objectives."project_id"),
      ('title', objectives."title"),
      ('description', objectives."description"),
      ('status', objectives."status"),
      ('sortOrder', objectives."sort_order"),
      ('createdAt', objectives."created_at"),
      ('updatedAt', objectives."updated_at"))), 2) || '}' as record from objectives;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_insert after insert on objectives begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'objective';
  delete from changes_pending where kind = 'objective';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'objective', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('projectId', new."project_id"),
      ('title', new."title"),
      ('description', new."description"),
      ('status', new."status"),
      ('sortOrder', new."sort_order"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_update after update on objectives
when ((old."id", old."project_id", old."title", old."description", old."status", old."sort_order", old."created_at")
  is not (new."id", new."project_id", new."title", new."description", new."status", new."sort_order", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'objective', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('title', old."title", new."title"),
      ('description', old."description", new."description"),
      ('status', old."status", new."status"),
      ('sortOrder', old."sort_order", new."sort_order"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_objectives_delete after delete on objectives begin
  delete from changes_pending where kind = 'objective' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'objective', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('projectId', old."project_id"),
      ('title', old."title"),
      ('description', old."description"),
      ('status', old."status"),
      ('sortOrder', old."sort_order"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_metrics as select rowid as row, metrics.id as id, metrics.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', metrics."id"),
      ('projectId', metrics."project_id"),
      ('name', metrics."name"),
      ('value', metrics."value"),
      ('unit', metrics."unit"),
      ('category', metrics."category"),
      ('trend', metrics."trend"),
      ('history', metrics."history"),
      ('createdAt', metrics."created_at"),
      ('updatedAt', metrics."updated_at"))), 2) || '}' as record from metrics;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_insert after insert on metrics begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'metric';
  delete from changes_pending where kind = 'metric';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'metric', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('projectId', new."project_id"),
      ('name', new."name"),
      ('value', new."value"),
      ('unit', new."unit"),
      ('category', new."category"),
      ('trend', new."trend"),
      ('history', new."history"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_update after update on metrics
when ((old."id", old."project_id", old."name", old."value", old."unit", old."category", old."trend", old."history", old."created_at")
  is not (new."id", new."project_id", new."name", new."value", new."unit", new."category", new."trend", new."history", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'metric', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('name', old."name", new."name"),
      ('value', old."value", new."value"),
      ('unit', old."unit", new."unit"),
      ('category', old."category", new."category"),
      ('trend', old."trend", new."trend"),
      ('history', old."history", new."history"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_metrics_delete after delete on metrics begin
  delete from changes_pending where kind = 'metric' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'metric', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('projectId', old."project_id"),
      ('name', old."name"),
      ('value', old."value"),
      ('unit', old."unit"),
      ('category', old."category"),
      ('trend', old."trend"),
      ('history', old."history"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_transcript_summaries as select rowid as row, transcript_summaries.id as id, transcript_summaries.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', transcript_summaries."id"),
      ('projectId', transcript_summaries."project_id"),
      ('title', transcript_summaries."title"),
      ('date', transcript_summaries."date"),
      ('summary', transcript_summaries."summary"),
      ('participants', transcript_summaries."participants"),
      ('actionItems', transcript_summaries."action_items"),
      ('sourceFile', transcript_summaries."source_file"),
      ('createdAt', transcript_summaries."created_at"),
      ('updatedAt', transcript_summaries."updated_at"))), 2) || '}' as record from transcript_summaries;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_insert after insert on transcript_summaries begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'transcript-summary';
  delete from changes_pending where kind = 'transcript-summary';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'transcript-summary', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('projectId', new."project_id"),
      ('title', new."title"),
      ('date', new."date"),
      ('summary', new."summary"),
      ('participants', new."participants"),
      ('actionItems', new."action_items"),
      ('sourceFile', new."source_file"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_update after update on transcript_summaries
when ((old."id", old."project_id", old."title", old."date", old."summary", old."participants", old."action_items", old."source_file", old."created_at")
  is not (new."id", new."project_id", new."title", new."date", new."summary", new."participants", new."action_items", new."source_file", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'transcript-summary', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('title', old."title", new."title"),
      ('date', old."date", new."date"),
      ('summary', old."summary", new."summary"),
      ('participants', old."participants", new."participants"),
      ('actionItems', old."action_items", new."action_items"),
      ('sourceFile', old."source_file", new."source_file"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_transcript_summaries_delete after delete on transcript_summaries begin
  delete from changes_pending where kind = 'transcript-summary' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'transcript-summary', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('projectId', old."project_id"),
      ('title', old."title"),
      ('date', old."date"),
      ('summary', old."summary"),
      ('participants', old."participants"),
      ('actionItems', old."action_items"),
      ('sourceFile', old."source_file"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_team_assignments as select rowid as row, team_assignments.id as id, team_assignments.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', team_assignments."id"),
      ('projectId', team_assignments."project_id"),
      ('memberId', team_assignments."member_id"),
      ('role', team_assignments."role"),
      ('createdAt', team_assignments."created_at"),
      ('updatedAt', team_assignments."updated_at"))), 2) || '}' as record from team_assignments;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_insert after insert on team_assignments begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'team-assignment';
  delete from changes_pending where kind = 'team-assignment';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team-assignment', new.id, 'created',
    new.project_id, null, null, null,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('projectId', new."project_id"),
      ('memberId', new."member_id"),
      ('role', new."role"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_update after update on team_assignments
when ((old."id", old."project_id", old."member_id", old."role", old."created_at")
  is not (new."id", new."project_id", new."member_id", new."role", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'team-assignment', new.id, 'updated',
    new.project_id, null, null, null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('memberId', old."member_id", new."member_id"),
      ('role', old."role", new."role"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_team_assignments_delete after delete on team_assignments begin
  delete from changes_pending where kind = 'team-assignment' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'team-assignment', old.id, 'deleted',
    old.project_id, null, null, null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('projectId', old."project_id"),
      ('memberId', old."member_id"),
      ('role', old."role"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_personal_ideas as select rowid as row, personal_ideas.id as id, null as project_id, null as item_id, personal_ideas.owner_id as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', personal_ideas."id"),
      ('ownerId', personal_ideas."owner_id"),
      ('title', personal_ideas."title"),
      ('description', personal_ideas."description"),
      ('priority', personal_ideas."priority"),
      ('status', personal_ideas."status"),
      ('sortOrder', personal_ideas."sort_order"),
      ('promotedProjectId', personal_ideas."promoted_project_id"),
      ('createdAt', personal_ideas."created_at"),
      ('updatedAt', personal_ideas."updated_at"))), 2) || '}' as record from personal_ideas;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_insert after insert on personal_ideas begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'personal-idea';
  delete from changes_pending where kind = 'personal-idea';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'personal-idea', new.id, 'created',
    null, null, null, new.owner_id,
    null,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', new."id"),
      ('ownerId', new."owner_id"),
      ('title', new."title"),
      ('description', new."description"),
      ('priority', new."priority"),
      ('status', new."status"),
      ('sortOrder', new."sort_order"),
      ('promotedProjectId', new."promoted_project_id"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_update after update on personal_ideas
when ((old."id", old."owner_id", old."title", old."description", old."priority", old."status", old."sort_order", old."promoted_project_id", old."created_at")
  is not (new."id", new."owner_id", new."title", new."description", new."priority", new."status", new."sort_order", new."promoted_project_id", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'personal-idea', new.id, 'updated',
    null, null, null, new.owner_id,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('ownerId', old."owner_id", new."owner_id"),
      ('title', old."title", new."title"),
      ('description', old."description", new."description"),
      ('priority', old."priority", new."priority"),
      ('status', old."status", new."status"),
      ('sortOrder', old."sort_order", new."sort_order"),
      ('promotedProjectId', old."promoted_project_id", new."promoted_project_id"),
      ('createdAt', old."created_at", new."created_at"),
      ('updatedAt', old."updated_at", new."updated_at")) where a is not b;
end;
--> statement-breakpoint
CREATE TRIGGER changes_personal_ideas_delete after delete on personal_ideas begin
  delete from changes_pending where kind = 'personal-idea' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'personal-idea', old.id, 'deleted',
    null, null, null, old.owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', old."id"),
      ('ownerId', old."owner_id"),
      ('title', old."title"),
      ('description', old."description"),
      ('priority', old."priority"),
      ('status', old."status"),
      ('sortOrder', old."sort_order"),
      ('promotedProjectId', old."promoted_project_id"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
