drop view changes_of_projects;
--> statement-breakpoint
drop trigger changes_projects_insert;
--> statement-breakpoint
drop trigger changes_projects_update;
--> statement-breakpoint
drop trigger changes_projects_delete;
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
    || ',"access":' || case typeof(projects."access") when 'blob' then '{"blob":"'||hex(projects."access")||'"}' else json_quote(projects."access") end
    || ',"createdAt":' || case typeof(projects."created_at") when 'blob' then '{"blob":"'||hex(projects."created_at")||'"}' else json_quote(projects."created_at") end
    || ',"updatedAt":' || case typeof(projects."updated_at") when 'blob' then '{"blob":"'||hex(projects."updated_at")||'"}' else json_quote(projects."updated_at") end, 2) || '}' as record from projects;
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
    || ',"access":' || case typeof(new."access") when 'blob' then '{"blob":"'||hex(new."access")||'"}' else json_quote(new."access") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_update after update on projects
when ((old."id", old."name", old."description", old."type", old."status", old."phase", old."phase_config", old."health", old."next_step", old."sort_order", old."metadata", old."lead_id", old."team_id", old."access", old."created_at")
  is not (new."id", new."name", new."description", new."type", new."status", new."phase", new."phase_config", new."health", new."next_step", new."sort_order", new."metadata", new."lead_id", new."team_id", new."access", new."created_at")) and old.id is new.id begin
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
    || case when old."access" is new."access" then '' else ',"access":' || case typeof(old."access") when 'blob' then '{"blob":"'||hex(old."access")||'"}' else json_quote(old."access") end end
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
    || case when old."access" is new."access" then '' else ',"access":' || case typeof(new."access") when 'blob' then '{"blob":"'||hex(new."access")||'"}' else json_quote(new."access") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
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
    || ',"access":' || case typeof(old."access") when 'blob' then '{"blob":"'||hex(old."access")||'"}' else json_quote(old."access") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
