drop view changes_of_kanban_items;
--> statement-breakpoint
drop trigger changes_kanban_items_insert;
--> statement-breakpoint
drop trigger changes_kanban_items_update;
--> statement-breakpoint
drop trigger changes_kanban_items_children;
--> statement-breakpoint
drop trigger changes_kanban_items_delete;
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
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_update after update on kanban_items
when ((old."id", old."project_id", old."title", old."description", old."column", old."sort_order", old."priority", old."assignee_id", old."due_date", old."source", old."source_id", old."is_new", old."approved", old."dismissed", old."metadata", old."claimed_until", old."claimed_from", old."cover_id", old."created_at")
  is not (new."id", new."project_id", new."title", new."description", new."column", new."sort_order", new."priority", new."assignee_id", new."due_date", new."source", new."source_id", new."is_new", new."approved", new."dismissed", new."metadata", new."claimed_until", new."claimed_from", new."cover_id", new."created_at")) and old.id is new.id begin
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
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_items_children before delete on kanban_items begin
  delete from kanban_item_labels where item_id = old.id;
  delete from kanban_comments where item_id = old.id;
  delete from kanban_subtasks where item_id = old.id;
  delete from attachments where item_id = old.id;
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
    || ',"coverId":' || case typeof(old."cover_id") when 'blob' then '{"blob":"'||hex(old."cover_id")||'"}' else json_quote(old."cover_id") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
--> statement-breakpoint
CREATE VIEW changes_of_attachments as select rowid as row, attachments.id as id, (select project_id from kanban_items where id = attachments.item_id) as project_id, attachments.item_id as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(attachments."id") when 'blob' then '{"blob":"'||hex(attachments."id")||'"}' else json_quote(attachments."id") end
    || ',"itemId":' || case typeof(attachments."item_id") when 'blob' then '{"blob":"'||hex(attachments."item_id")||'"}' else json_quote(attachments."item_id") end
    || ',"name":' || case typeof(attachments."name") when 'blob' then '{"blob":"'||hex(attachments."name")||'"}' else json_quote(attachments."name") end
    || ',"kind":' || case typeof(attachments."kind") when 'blob' then '{"blob":"'||hex(attachments."kind")||'"}' else json_quote(attachments."kind") end
    || ',"url":' || case typeof(attachments."url") when 'blob' then '{"blob":"'||hex(attachments."url")||'"}' else json_quote(attachments."url") end
    || ',"mediaType":' || case typeof(attachments."media_type") when 'blob' then '{"blob":"'||hex(attachments."media_type")||'"}' else json_quote(attachments."media_type") end
    || ',"size":' || case typeof(attachments."size") when 'blob' then '{"blob":"'||hex(attachments."size")||'"}' when 'real' then replace(printf('%!.17g', attachments."size"), 'Inf', '9e999') else json_quote(attachments."size") end
    || ',"sha256":' || case typeof(attachments."sha256") when 'blob' then '{"blob":"'||hex(attachments."sha256")||'"}' else json_quote(attachments."sha256") end
    || ',"width":' || case typeof(attachments."width") when 'blob' then '{"blob":"'||hex(attachments."width")||'"}' when 'real' then replace(printf('%!.17g', attachments."width"), 'Inf', '9e999') else json_quote(attachments."width") end
    || ',"height":' || case typeof(attachments."height") when 'blob' then '{"blob":"'||hex(attachments."height")||'"}' when 'real' then replace(printf('%!.17g', attachments."height"), 'Inf', '9e999') else json_quote(attachments."height") end
    || ',"thumbnail":' || case typeof(attachments."thumbnail") when 'blob' then '{"blob":"'||hex(attachments."thumbnail")||'"}' else json_quote(attachments."thumbnail") end
    || ',"createdBy":' || case typeof(attachments."created_by") when 'blob' then '{"blob":"'||hex(attachments."created_by")||'"}' else json_quote(attachments."created_by") end
    || ',"createdAt":' || case typeof(attachments."created_at") when 'blob' then '{"blob":"'||hex(attachments."created_at")||'"}' else json_quote(attachments."created_at") end
    || ',"updatedAt":' || case typeof(attachments."updated_at") when 'blob' then '{"blob":"'||hex(attachments."updated_at")||'"}' else json_quote(attachments."updated_at") end, 2) || '}' as record from attachments;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_replace before insert on attachments
when exists (select 1 from changes_pending where kind = 'attachment')
  or exists (select 1 from attachments r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'attachment';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'attachment', id, project_id, item_id, owner_id, record from changes_of_attachments
    where row in (select r.rowid from attachments r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_insert after insert on attachments begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'attachment';
  delete from changes_pending where kind = 'attachment';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'attachment', new.id, 'created',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"kind":' || case typeof(new."kind") when 'blob' then '{"blob":"'||hex(new."kind")||'"}' else json_quote(new."kind") end
    || ',"url":' || case typeof(new."url") when 'blob' then '{"blob":"'||hex(new."url")||'"}' else json_quote(new."url") end
    || ',"mediaType":' || case typeof(new."media_type") when 'blob' then '{"blob":"'||hex(new."media_type")||'"}' else json_quote(new."media_type") end
    || ',"size":' || case typeof(new."size") when 'blob' then '{"blob":"'||hex(new."size")||'"}' when 'real' then replace(printf('%!.17g', new."size"), 'Inf', '9e999') else json_quote(new."size") end
    || ',"sha256":' || case typeof(new."sha256") when 'blob' then '{"blob":"'||hex(new."sha256")||'"}' else json_quote(new."sha256") end
    || ',"width":' || case typeof(new."width") when 'blob' then '{"blob":"'||hex(new."width")||'"}' when 'real' then replace(printf('%!.17g', new."width"), 'Inf', '9e999') else json_quote(new."width") end
    || ',"height":' || case typeof(new."height") when 'blob' then '{"blob":"'||hex(new."height")||'"}' when 'real' then replace(printf('%!.17g', new."height"), 'Inf', '9e999') else json_quote(new."height") end
    || ',"thumbnail":' || case typeof(new."thumbnail") when 'blob' then '{"blob":"'||hex(new."thumbnail")||'"}' else json_quote(new."thumbnail") end
    || ',"createdBy":' || case typeof(new."created_by") when 'blob' then '{"blob":"'||hex(new."created_by")||'"}' else json_quote(new."created_by") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_displace before update of "id" on attachments
when exists (select 1 from changes_pending where kind = 'attachment')
  or exists (select 1 from attachments r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'attachment';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'attachment', id, project_id, item_id, owner_id, record from changes_of_attachments
    where row in (select r.rowid from attachments r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_displaced after update of "id" on attachments
when exists (select 1 from changes_pending where kind = 'attachment') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'attachment';
  delete from changes_pending where kind = 'attachment';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'attachment', id, 'created', project_id, item_id, owner_id, record from changes_of_attachments
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_update after update on attachments
when ((old."id", old."item_id", old."name", old."kind", old."url", old."media_type", old."size", old."sha256", old."width", old."height", old."created_by", old."created_at")
  is not (new."id", new."item_id", new."name", new."kind", new."url", new."media_type", new."size", new."sha256", new."width", new."height", new."created_by", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'attachment', new.id, 'updated',
    (select project_id from kanban_items where id = new.item_id), new.item_id, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."kind" is new."kind" then '' else ',"kind":' || case typeof(old."kind") when 'blob' then '{"blob":"'||hex(old."kind")||'"}' else json_quote(old."kind") end end
    || case when old."url" is new."url" then '' else ',"url":' || case typeof(old."url") when 'blob' then '{"blob":"'||hex(old."url")||'"}' else json_quote(old."url") end end
    || case when old."media_type" is new."media_type" then '' else ',"mediaType":' || case typeof(old."media_type") when 'blob' then '{"blob":"'||hex(old."media_type")||'"}' else json_quote(old."media_type") end end
    || case when old."size" is new."size" then '' else ',"size":' || case typeof(old."size") when 'blob' then '{"blob":"'||hex(old."size")||'"}' when 'real' then replace(printf('%!.17g', old."size"), 'Inf', '9e999') else json_quote(old."size") end end
    || case when old."sha256" is new."sha256" then '' else ',"sha256":' || case typeof(old."sha256") when 'blob' then '{"blob":"'||hex(old."sha256")||'"}' else json_quote(old."sha256") end end
    || case when old."width" is new."width" then '' else ',"width":' || case typeof(old."width") when 'blob' then '{"blob":"'||hex(old."width")||'"}' when 'real' then replace(printf('%!.17g', old."width"), 'Inf', '9e999') else json_quote(old."width") end end
    || case when old."height" is new."height" then '' else ',"height":' || case typeof(old."height") when 'blob' then '{"blob":"'||hex(old."height")||'"}' when 'real' then replace(printf('%!.17g', old."height"), 'Inf', '9e999') else json_quote(old."height") end end
    || case when old."thumbnail" is new."thumbnail" then '' else ',"thumbnail":' || case typeof(old."thumbnail") when 'blob' then '{"blob":"'||hex(old."thumbnail")||'"}' else json_quote(old."thumbnail") end end
    || case when old."created_by" is new."created_by" then '' else ',"createdBy":' || case typeof(old."created_by") when 'blob' then '{"blob":"'||hex(old."created_by")||'"}' else json_quote(old."created_by") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."item_id" is new."item_id" then '' else ',"itemId":' || case typeof(new."item_id") when 'blob' then '{"blob":"'||hex(new."item_id")||'"}' else json_quote(new."item_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."kind" is new."kind" then '' else ',"kind":' || case typeof(new."kind") when 'blob' then '{"blob":"'||hex(new."kind")||'"}' else json_quote(new."kind") end end
    || case when old."url" is new."url" then '' else ',"url":' || case typeof(new."url") when 'blob' then '{"blob":"'||hex(new."url")||'"}' else json_quote(new."url") end end
    || case when old."media_type" is new."media_type" then '' else ',"mediaType":' || case typeof(new."media_type") when 'blob' then '{"blob":"'||hex(new."media_type")||'"}' else json_quote(new."media_type") end end
    || case when old."size" is new."size" then '' else ',"size":' || case typeof(new."size") when 'blob' then '{"blob":"'||hex(new."size")||'"}' when 'real' then replace(printf('%!.17g', new."size"), 'Inf', '9e999') else json_quote(new."size") end end
    || case when old."sha256" is new."sha256" then '' else ',"sha256":' || case typeof(new."sha256") when 'blob' then '{"blob":"'||hex(new."sha256")||'"}' else json_quote(new."sha256") end end
    || case when old."width" is new."width" then '' else ',"width":' || case typeof(new."width") when 'blob' then '{"blob":"'||hex(new."width")||'"}' when 'real' then replace(printf('%!.17g', new."width"), 'Inf', '9e999') else json_quote(new."width") end end
    || case when old."height" is new."height" then '' else ',"height":' || case typeof(new."height") when 'blob' then '{"blob":"'||hex(new."height")||'"}' when 'real' then replace(printf('%!.17g', new."height"), 'Inf', '9e999') else json_quote(new."height") end end
    || case when old."thumbnail" is new."thumbnail" then '' else ',"thumbnail":' || case typeof(new."thumbnail") when 'blob' then '{"blob":"'||hex(new."thumbnail")||'"}' else json_quote(new."thumbnail") end end
    || case when old."created_by" is new."created_by" then '' else ',"createdBy":' || case typeof(new."created_by") when 'blob' then '{"blob":"'||hex(new."created_by")||'"}' else json_quote(new."created_by") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_attachments_delete after delete on attachments begin
  delete from changes_pending where kind = 'attachment' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'attachment', old.id, 'deleted',
    (select project_id from kanban_items where id = old.item_id), old.item_id, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"itemId":' || case typeof(old."item_id") when 'blob' then '{"blob":"'||hex(old."item_id")||'"}' else json_quote(old."item_id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"kind":' || case typeof(old."kind") when 'blob' then '{"blob":"'||hex(old."kind")||'"}' else json_quote(old."kind") end
    || ',"url":' || case typeof(old."url") when 'blob' then '{"blob":"'||hex(old."url")||'"}' else json_quote(old."url") end
    || ',"mediaType":' || case typeof(old."media_type") when 'blob' then '{"blob":"'||hex(old."media_type")||'"}' else json_quote(old."media_type") end
    || ',"size":' || case typeof(old."size") when 'blob' then '{"blob":"'||hex(old."size")||'"}' when 'real' then replace(printf('%!.17g', old."size"), 'Inf', '9e999') else json_quote(old."size") end
    || ',"sha256":' || case typeof(old."sha256") when 'blob' then '{"blob":"'||hex(old."sha256")||'"}' else json_quote(old."sha256") end
    || ',"width":' || case typeof(old."width") when 'blob' then '{"blob":"'||hex(old."width")||'"}' when 'real' then replace(printf('%!.17g', old."width"), 'Inf', '9e999') else json_quote(old."width") end
    || ',"height":' || case typeof(old."height") when 'blob' then '{"blob":"'||hex(old."height")||'"}' when 'real' then replace(printf('%!.17g', old."height"), 'Inf', '9e999') else json_quote(old."height") end
    || ',"thumbnail":' || case typeof(old."thumbnail") when 'blob' then '{"blob":"'||hex(old."thumbnail")||'"}' else json_quote(old."thumbnail") end
    || ',"createdBy":' || case typeof(old."created_by") when 'blob' then '{"blob":"'||hex(old."created_by")||'"}' else json_quote(old."created_by") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
