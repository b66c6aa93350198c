drop view changes_of_kanban_items;
--> statement-breakpoint
drop trigger changes_kanban_items_insert;
--> statement-breakpoint
drop trigger changes_kanban_items_update;
--> statement-breakpoint
drop trigger changes_kanban_items_delete;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_items as select rowid as row, kanban_items.id as id, kanban_items.project_id as project_id, kanban_items.id as item_id, null as owner_id,
    '{' || substr((select group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, '') from (select null name, null a where 0 union all values ('id', kanban_items."id"),
      ('projectId', kanban_items."project_id"),
      ('number', kanban_items."number"),
      ('title', kanban_items."title"),
      ('description', kanban_items."description"),
      ('column', kanban_items."column"),
      ('sortOrder', kanban_items."sort_order"),
      ('priority', kanban_items."priority"),
      ('assigneeId', kanban_items."assignee_id"),
      ('assigneeIds', kanban_items."assignee_ids"),
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
      ('number', new."number"),
      ('title', new."title"),
      ('description', new."description"),
      ('column', new."column"),
      ('sortOrder', new."sort_order"),
      ('priority', new."priority"),
      ('assigneeId', new."assignee_id"),
      ('assigneeIds', new."assignee_ids"),
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
when ((old."id", old."project_id", old."title", old."description", old."column", old."sort_order", old."priority", old."assignee_id", old."assignee_ids", old."due_date", old."source", old."source_id", old."is_new", old."approved", old."dismissed", old."metadata", old."claimed_until", old."claimed_from", old."cover_id", old."reminders", old."created_at")
  is not (new."id", new."project_id", new."title", new."description", new."column", new."sort_order", new."priority", new."assignee_id", new."assignee_ids", new."due_date", new."source", new."source_id", new."is_new", new."approved", new."dismissed", new."metadata", new."claimed_until", new."claimed_from", new."cover_id", new."reminders", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) select
    'kanban-item', new.id, 'updated',
    new.project_id, new.id, nullif(old.project_id, new.project_id), null,
    '{' || substr(group_concat(',"'||name||'":'||case typeof(a) when 'blob' then '{"blob":"'||hex(a)||'"}' when 'real' then replace(printf('%!.17g', a), 'Inf', '9e999') else json_quote(a) end, ''), 2) || '}',
    '{' || substr(group_concat(',"'||name||'":'||case typeof(b) when 'blob' then '{"blob":"'||hex(b)||'"}' when 'real' then replace(printf('%!.17g', b), 'Inf', '9e999') else json_quote(b) end, ''), 2) || '}'
    from (select null name, null a, null b where 0 union all values ('id', old."id", new."id"),
      ('projectId', old."project_id", new."project_id"),
      ('number', old."number", new."number"),
      ('title', old."title", new."title"),
      ('description', old."description", new."description"),
      ('column', old."column", new."column"),
      ('sortOrder', old."sort_order", new."sort_order"),
      ('priority', old."priority", new."priority"),
      ('assigneeId', old."assignee_id", new."assignee_id"),
      ('assigneeIds', old."assignee_ids", new."assignee_ids"),
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
      ('number', old."number"),
      ('title', old."title"),
      ('description', old."description"),
      ('column', old."column"),
      ('sortOrder', old."sort_order"),
      ('priority', old."priority"),
      ('assigneeId', old."assignee_id"),
      ('assigneeIds', old."assignee_ids"),
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
