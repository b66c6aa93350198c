drop view changes_of_members;
--> statement-breakpoint
drop trigger changes_members_replace;
--> statement-breakpoint
drop trigger changes_members_insert;
--> statement-breakpoint
drop trigger changes_members_displace;
--> statement-breakpoint
drop trigger changes_members_displaced;
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
    '{' || substr(',"id":' || case typeof(members."id") when 'blob' then '{"blob":"'||hex(members."id")||'"}' else json_quote(members."id") end
    || ',"name":' || case typeof(members."name") when 'blob' then '{"blob":"'||hex(members."name")||'"}' else json_quote(members."name") end
    || ',"email":' || case typeof(members."email") when 'blob' then '{"blob":"'||hex(members."email")||'"}' else json_quote(members."email") end
    || ',"role":' || case typeof(members."role") when 'blob' then '{"blob":"'||hex(members."role")||'"}' else json_quote(members."role") end
    || ',"disabled":' || case typeof(members."disabled") when 'blob' then '{"blob":"'||hex(members."disabled")||'"}' when 'real' then replace(printf('%!.17g', members."disabled"), 'Inf', '9e999') else json_quote(members."disabled") end
    || ',"handle":' || case typeof(members."handle") when 'blob' then '{"blob":"'||hex(members."handle")||'"}' else json_quote(members."handle") end
    || ',"createdAt":' || case typeof(members."created_at") when 'blob' then '{"blob":"'||hex(members."created_at")||'"}' else json_quote(members."created_at") end
    || ',"updatedAt":' || case typeof(members."updated_at") when 'blob' then '{"blob":"'||hex(members."updated_at")||'"}' else json_quote(members."updated_at") end, 2) || '}' as record from members;
--> statement-breakpoint
CREATE TRIGGER changes_members_replace before insert on members
when exists (select 1 from changes_pending where kind = 'member')
  or exists (select 1 from members r where ((r."id" = new."id") or (r."handle" = new."handle") or (lower(r.email) = lower(new.email)))) begin
  delete from changes_pending where kind = 'member';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'member', id, project_id, item_id, owner_id, record from changes_of_members
    where row in (select r.rowid from members r where ((r."id" = new."id") or (r."handle" = new."handle") or (lower(r.email) = lower(new.email))));
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
    || ',"handle":' || case typeof(new."handle") when 'blob' then '{"blob":"'||hex(new."handle")||'"}' else json_quote(new."handle") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_displace before update of "id", "handle", "email" on members
when exists (select 1 from changes_pending where kind = 'member')
  or exists (select 1 from members r where ((r."id" = new."id") or (r."handle" = new."handle") or (lower(r.email) = lower(new.email))) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'member';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'member', id, project_id, item_id, owner_id, record from changes_of_members
    where row in (select r.rowid from members r where ((r."id" = new."id") or (r."handle" = new."handle") or (lower(r.email) = lower(new.email))) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_members_displaced after update of "id", "handle", "email" on members
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
when ((old."id", old."name", old."email", old."role", old."disabled", old."handle", old."created_at")
  is not (new."id", new."name", new."email", new."role", new."disabled", new."handle", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'member', new.id, 'updated',
    null, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."email" is new."email" then '' else ',"email":' || case typeof(old."email") when 'blob' then '{"blob":"'||hex(old."email")||'"}' else json_quote(old."email") end end
    || case when old."role" is new."role" then '' else ',"role":' || case typeof(old."role") when 'blob' then '{"blob":"'||hex(old."role")||'"}' else json_quote(old."role") end end
    || case when old."disabled" is new."disabled" then '' else ',"disabled":' || case typeof(old."disabled") when 'blob' then '{"blob":"'||hex(old."disabled")||'"}' when 'real' then replace(printf('%!.17g', old."disabled"), 'Inf', '9e999') else json_quote(old."disabled") end end
    || case when old."handle" is new."handle" then '' else ',"handle":' || case typeof(old."handle") when 'blob' then '{"blob":"'||hex(old."handle")||'"}' else json_quote(old."handle") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."email" is new."email" then '' else ',"email":' || case typeof(new."email") when 'blob' then '{"blob":"'||hex(new."email")||'"}' else json_quote(new."email") end end
    || case when old."role" is new."role" then '' else ',"role":' || case typeof(new."role") when 'blob' then '{"blob":"'||hex(new."role")||'"}' else json_quote(new."role") end end
    || case when old."disabled" is new."disabled" then '' else ',"disabled":' || case typeof(new."disabled") when 'blob' then '{"blob":"'||hex(new."disabled")||'"}' when 'real' then replace(printf('%!.17g', new."disabled"), 'Inf', '9e999') else json_quote(new."disabled") end end
    || case when old."handle" is new."handle" then '' else ',"handle":' || case typeof(new."handle") when 'blob' then '{"blob":"'||hex(new."handle")||'"}' else json_quote(new."handle") end end
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
    || ',"handle":' || case typeof(old."handle") when 'blob' then '{"blob":"'||hex(old."handle")||'"}' else json_quote(old."handle") end
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
    || ',"coverId":' || case typeof(kanban_items."cover_id") when 'blob' then '{"blob":"'||hex(kanban_items."cover_id")||'"}' else json_quote(kanban_items."cover_id") end
    || ',"reminders":' || case typeof(kanban_items."reminders") when 'blob' then '{"blob":"'||hex(kanban_items."reminders")||'"}' else json_quote(kanban_items."reminders") end
    || ',"createdAt":' || case typeof(kanban_items."created_at") when 'blob' then '{"blob":"'||hex(kanban_items."created_at")||'"}' else json_quote(kanban_items."created_at") end
    || ',"updatedAt":' || case typeof(kanban_items."updated_at") when 'blob' then '{"blob":"'||hex(kanban_items."updated_at")||'"}' else json_quote(kanban_items."updated_at") end, 2) || '}' as record from kanban_items;
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
    || ',"coverId":' || case typeof(new."cover_id") when 'blob' then '{"blob":"'||hex(new."cover_id")||'"}' else json_quote(new."cover_id") end
    || ',"reminders":' || case typeof(new."reminders") when 'blob' then '{"blob":"'||hex(new."reminders")||'"}' else json_quote(new."reminders") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_update after update on kanban_items
when ((old."id", old."project_id", old."title", old."description", old."column", old."sort_order", old."priority", old."assignee_id", old."due_date", old."source", old."source_id", old."is_new", old."approved", old."dismissed", old."metadata", old."claimed_until", old."claimed_from", old."cover_id", old."reminders", old."created_at")
  is not (new."id", new."project_id", new."title", new."description", new."column", new."sort_order", new."priority", new."assignee_id", new."due_date", new."source", new."source_id", new."is_new", new."approved", new."dismissed", new."metadata", new."claimed_until", new."claimed_from", new."cover_id", new."reminders", new."created_at")) and old.id is new.id begin
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
    || case when old."cover_id" is new."cover_id" then '' else ',"coverId":' || case typeof(old."cover_id") when 'blob' then '{"blob":"'||hex(old."cover_id")||'"}' else json_quote(old."cover_id") end end
    || case when old."reminders" is new."reminders" then '' else ',"reminders":' || case typeof(old."reminders") when 'blob' then '{"blob":"'||hex(old."reminders")||'"}' else json_quote(old."reminders") end end
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
    || case when old."cover_id" is new."cover_id" then '' else ',"coverId":' || case typeof(new."cover_id") when 'blob' then '{"blob":"'||hex(new."cover_id")||'"}' else json_quote(new."cover_id") end end
    || case when old."reminders" is new."reminders" then '' else ',"reminders":' || case typeof(new."reminders") when 'blob' then '{"blob":"'||hex(new."reminders")||'"}' else json_quote(new."reminders") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
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
    || ',"coverId":' || case typeof(old."cover_id") when 'blob' then '{"blob":"'||hex(old."cover_id")||'"}' else json_quote(old."cover_id") end
    || ',"reminders":' || case typeof(old."reminders") when 'blob' then '{"blob":"'||hex(old."reminders")||'"}' else json_quote(old."reminders") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
