drop view changes_of_kanban_columns;
--> statement-breakpoint
drop trigger changes_kanban_columns_insert;
--> statement-breakpoint
drop trigger changes_kanban_columns_update;
--> statement-breakpoint
drop trigger changes_kanban_columns_delete;
--> statement-breakpoint
CREATE VIEW changes_of_kanban_columns as select rowid as row, kanban_columns.id as id, kanban_columns.project_id as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(kanban_columns."id") when 'blob' then '{"blob":"'||hex(kanban_columns."id")||'"}' else json_quote(kanban_columns."id") end
    || ',"projectId":' || case typeof(kanban_columns."project_id") when 'blob' then '{"blob":"'||hex(kanban_columns."project_id")||'"}' else json_quote(kanban_columns."project_id") end
    || ',"name":' || case typeof(kanban_columns."name") when 'blob' then '{"blob":"'||hex(kanban_columns."name")||'"}' else json_quote(kanban_columns."name") end
    || ',"color":' || case typeof(kanban_columns."color") when 'blob' then '{"blob":"'||hex(kanban_columns."color")||'"}' else json_quote(kanban_columns."color") end
    || ',"sortOrder":' || case typeof(kanban_columns."sort_order") when 'blob' then '{"blob":"'||hex(kanban_columns."sort_order")||'"}' when 'real' then replace(printf('%!.17g', kanban_columns."sort_order"), 'Inf', '9e999') else json_quote(kanban_columns."sort_order") end
    || ',"wipLimit":' || case typeof(kanban_columns."wip_limit") when 'blob' then '{"blob":"'||hex(kanban_columns."wip_limit")||'"}' when 'real' then replace(printf('%!.17g', kanban_columns."wip_limit"), 'Inf', '9e999') else json_quote(kanban_columns."wip_limit") end
    || ',"wipPolicy":' || case typeof(kanban_columns."wip_policy") when 'blob' then '{"blob":"'||hex(kanban_columns."wip_policy")||'"}' else json_quote(kanban_columns."wip_policy") end
    || ',"stage":' || case typeof(kanban_columns."stage") when 'blob' then '{"blob":"'||hex(kanban_columns."stage")||'"}' else json_quote(kanban_columns."stage") end
    || ',"createdAt":' || case typeof(kanban_columns."created_at") when 'blob' then '{"blob":"'||hex(kanban_columns."created_at")||'"}' else json_quote(kanban_columns."created_at") end
    || ',"updatedAt":' || case typeof(kanban_columns."updated_at") when 'blob' then '{"blob":"'||hex(kanban_columns."updated_at")||'"}' else json_quote(kanban_columns."updated_at") end, 2) || '}' as record from kanban_columns;
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
    || ',"stage":' || case typeof(new."stage") when 'blob' then '{"blob":"'||hex(new."stage")||'"}' else json_quote(new."stage") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_kanban_columns_update after update on kanban_columns
when ((old."id", old."project_id", old."name", old."color", old."sort_order", old."wip_limit", old."wip_policy", old."stage", old."created_at")
  is not (new."id", new."project_id", new."name", new."color", new."sort_order", new."wip_limit", new."wip_policy", new."stage", new."created_at")) and old.id is new.id begin
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
    || case when old."stage" is new."stage" then '' else ',"stage":' || case typeof(old."stage") when 'blob' then '{"blob":"'||hex(old."stage")||'"}' else json_quote(old."stage") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."project_id" is new."project_id" then '' else ',"projectId":' || case typeof(new."project_id") when 'blob' then '{"blob":"'||hex(new."project_id")||'"}' else json_quote(new."project_id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."color" is new."color" then '' else ',"color":' || case typeof(new."color") when 'blob' then '{"blob":"'||hex(new."color")||'"}' else json_quote(new."color") end end
    || case when old."sort_order" is new."sort_order" then '' else ',"sortOrder":' || case typeof(new."sort_order") when 'blob' then '{"blob":"'||hex(new."sort_order")||'"}' when 'real' then replace(printf('%!.17g', new."sort_order"), 'Inf', '9e999') else json_quote(new."sort_order") end end
    || case when old."wip_limit" is new."wip_limit" then '' else ',"wipLimit":' || case typeof(new."wip_limit") when 'blob' then '{"blob":"'||hex(new."wip_limit")||'"}' when 'real' then replace(printf('%!.17g', new."wip_limit"), 'Inf', '9e999') else json_quote(new."wip_limit") end end
    || case when old."wip_policy" is new."wip_policy" then '' else ',"wipPolicy":' || case typeof(new."wip_policy") when 'blob' then '{"blob":"'||hex(new."wip_policy")||'"}' else json_quote(new."wip_policy") end end
    || case when old."stage" is new."stage" then '' else ',"stage":' || case typeof(new."stage") when 'blob' then '{"blob":"'||hex(new."stage")||'"}' else json_quote(new."stage") end end
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
    || ',"stage":' || case typeof(old."stage") when 'blob' then '{"blob":"'||hex(old."stage")||'"}' else json_quote(old."stage") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
