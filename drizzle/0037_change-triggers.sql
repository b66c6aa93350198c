drop view changes_of_projects;
--> statement-breakpoint
drop trigger changes_projects_insert;
--> statement-breakpoint
drop trigger changes_projects_update;
--> statement-breakpoint
drop trigger changes_projects_delete;
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
      ('shareLinks', projects."sharing"),
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
      ('shareLinks', new."sharing"),
      ('createdAt', new."created_at"),
      ('updatedAt', new."updated_at"))), 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_projects_update after update on projects
when ((old."id", old."name", old."description", old."type", old."status", old."phase", old."phase_config", old."health", old."next_step", old."sort_order", old."metadata", old."lead_id", old."team_id", old."access", old."sharing", old."created_at")
  is not (new."id", new."name", new."description", new."type", new."status", new."phase", new."phase_config", new."health", new."next_step", new."sort_order", new."metadata", new."lead_id", new."team_id", new."access", new."sharing", new."created_at")) and old.id is new.id begin
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
      ('shareLinks', old."sharing", new."sharing"),
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
      ('shareLinks', old."sharing"),
      ('createdAt', old."created_at"),
      ('updatedAt', old."updated_at"))), 2) || '}',
    null);
end;
