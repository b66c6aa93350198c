CREATE VIEW changes_of_people as select rowid as row, people.id as id, null as project_id, null as item_id, null as owner_id,
    '{' || substr(',"id":' || case typeof(people."id") when 'blob' then '{"blob":"'||hex(people."id")||'"}' else json_quote(people."id") end
    || ',"name":' || case typeof(people."name") when 'blob' then '{"blob":"'||hex(people."name")||'"}' else json_quote(people."name") end
    || ',"kind":' || case typeof(people."kind") when 'blob' then '{"blob":"'||hex(people."kind")||'"}' else json_quote(people."kind") end
    || ',"source":' || case typeof(people."source") when 'blob' then '{"blob":"'||hex(people."source")||'"}' else json_quote(people."source") end
    || ',"sourceId":' || case typeof(people."source_id") when 'blob' then '{"blob":"'||hex(people."source_id")||'"}' else json_quote(people."source_id") end
    || ',"mergedInto":' || case typeof(people."merged_into") when 'blob' then '{"blob":"'||hex(people."merged_into")||'"}' else json_quote(people."merged_into") end
    || ',"seenAt":' || case typeof(people."seen_at") when 'blob' then '{"blob":"'||hex(people."seen_at")||'"}' else json_quote(people."seen_at") end
    || ',"createdAt":' || case typeof(people."created_at") when 'blob' then '{"blob":"'||hex(people."created_at")||'"}' else json_quote(people."created_at") end
    || ',"updatedAt":' || case typeof(people."updated_at") when 'blob' then '{"blob":"'||hex(people."updated_at")||'"}' else json_quote(people."updated_at") end, 2) || '}' as record from people;
--> statement-breakpoint
CREATE TRIGGER changes_people_replace before insert on people
when exists (select 1 from changes_pending where kind = 'person')
  or exists (select 1 from people r where ((r."id" = new."id"))) begin
  delete from changes_pending where kind = 'person';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'person', id, project_id, item_id, owner_id, record from changes_of_people
    where row in (select r.rowid from people r where ((r."id" = new."id")));
end;
--> statement-breakpoint
CREATE TRIGGER changes_people_insert after insert on people begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'person';
  delete from changes_pending where kind = 'person';
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'person', new.id, 'created',
    null, null, null, null,
    null,
    '{' || substr(',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end
    || ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end
    || ',"kind":' || case typeof(new."kind") when 'blob' then '{"blob":"'||hex(new."kind")||'"}' else json_quote(new."kind") end
    || ',"source":' || case typeof(new."source") when 'blob' then '{"blob":"'||hex(new."source")||'"}' else json_quote(new."source") end
    || ',"sourceId":' || case typeof(new."source_id") when 'blob' then '{"blob":"'||hex(new."source_id")||'"}' else json_quote(new."source_id") end
    || ',"mergedInto":' || case typeof(new."merged_into") when 'blob' then '{"blob":"'||hex(new."merged_into")||'"}' else json_quote(new."merged_into") end
    || ',"seenAt":' || case typeof(new."seen_at") when 'blob' then '{"blob":"'||hex(new."seen_at")||'"}' else json_quote(new."seen_at") end
    || ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end
    || ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_people_displace before update of "id" on people
when exists (select 1 from changes_pending where kind = 'person')
  or exists (select 1 from people r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid) begin
  delete from changes_pending where kind = 'person';
  insert into changes_pending (kind, id, project_id, item_id, owner_id, before)
    select 'person', id, project_id, item_id, owner_id, record from changes_of_people
    where row in (select r.rowid from people r where ((r."id" = new."id")) and r.rowid <> old.rowid or not (old.id is new.id) and r.rowid = old.rowid);
end;
--> statement-breakpoint
CREATE TRIGGER changes_people_displaced after update of "id" on people
when exists (select 1 from changes_pending where kind = 'person') begin
  insert into changes (kind, id, action, project_id, item_id, owner_id, before)
    select kind, id, 'deleted', project_id, item_id, owner_id, before from changes_pending where kind = 'person';
  delete from changes_pending where kind = 'person';
  insert into changes (kind, id, action, project_id, item_id, owner_id, after)
    select 'person', id, 'created', project_id, item_id, owner_id, record from changes_of_people
    where row = new.rowid and not (old.id is new.id);
end;
--> statement-breakpoint
CREATE TRIGGER changes_people_update after update on people
when ((old."id", old."name", old."kind", old."source", old."source_id", old."merged_into", old."created_at")
  is not (new."id", new."name", new."kind", new."source", new."source_id", new."merged_into", new."created_at")) and old.id is new.id begin
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'person', new.id, 'updated',
    null, null, null, null,
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end end
    || case when old."kind" is new."kind" then '' else ',"kind":' || case typeof(old."kind") when 'blob' then '{"blob":"'||hex(old."kind")||'"}' else json_quote(old."kind") end end
    || case when old."source" is new."source" then '' else ',"source":' || case typeof(old."source") when 'blob' then '{"blob":"'||hex(old."source")||'"}' else json_quote(old."source") end end
    || case when old."source_id" is new."source_id" then '' else ',"sourceId":' || case typeof(old."source_id") when 'blob' then '{"blob":"'||hex(old."source_id")||'"}' else json_quote(old."source_id") end end
    || case when old."merged_into" is new."merged_into" then '' else ',"mergedInto":' || case typeof(old."merged_into") when 'blob' then '{"blob":"'||hex(old."merged_into")||'"}' else json_quote(old."merged_into") end end
    || case when old."seen_at" is new."seen_at" then '' else ',"seenAt":' || case typeof(old."seen_at") when 'blob' then '{"blob":"'||hex(old."seen_at")||'"}' else json_quote(old."seen_at") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end end, 2) || '}',
    '{' || substr(case when old."id" is new."id" then '' else ',"id":' || case typeof(new."id") when 'blob' then '{"blob":"'||hex(new."id")||'"}' else json_quote(new."id") end end
    || case when old."name" is new."name" then '' else ',"name":' || case typeof(new."name") when 'blob' then '{"blob":"'||hex(new."name")||'"}' else json_quote(new."name") end end
    || case when old."kind" is new."kind" then '' else ',"kind":' || case typeof(new."kind") when 'blob' then '{"blob":"'||hex(new."kind")||'"}' else json_quote(new."kind") end end
    || case when old."source" is new."source" then '' else ',"source":' || case typeof(new."source") when 'blob' then '{"blob":"'||hex(new."source")||'"}' else json_quote(new."source") end end
    || case when old."source_id" is new."source_id" then '' else ',"sourceId":' || case typeof(new."source_id") when 'blob' then '{"blob":"'||hex(new."source_id")||'"}' else json_quote(new."source_id") end end
    || case when old."merged_into" is new."merged_into" then '' else ',"mergedInto":' || case typeof(new."merged_into") when 'blob' then '{"blob":"'||hex(new."merged_into")||'"}' else json_quote(new."merged_into") end end
    || case when old."seen_at" is new."seen_at" then '' else ',"seenAt":' || case typeof(new."seen_at") when 'blob' then '{"blob":"'||hex(new."seen_at")||'"}' else json_quote(new."seen_at") end end
    || case when old."created_at" is new."created_at" then '' else ',"createdAt":' || case typeof(new."created_at") when 'blob' then '{"blob":"'||hex(new."created_at")||'"}' else json_quote(new."created_at") end end
    || case when old."updated_at" is new."updated_at" then '' else ',"updatedAt":' || case typeof(new."updated_at") when 'blob' then '{"blob":"'||hex(new."updated_at")||'"}' else json_quote(new."updated_at") end end, 2) || '}');
end;
--> statement-breakpoint
CREATE TRIGGER changes_people_delete after delete on people begin
  delete from changes_pending where kind = 'person' and id = old.id;
  insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, before, after) values (
    'person', old.id, 'deleted',
    null, null, null, null,
    '{' || substr(',"id":' || case typeof(old."id") when 'blob' then '{"blob":"'||hex(old."id")||'"}' else json_quote(old."id") end
    || ',"name":' || case typeof(old."name") when 'blob' then '{"blob":"'||hex(old."name")||'"}' else json_quote(old."name") end
    || ',"kind":' || case typeof(old."kind") when 'blob' then '{"blob":"'||hex(old."kind")||'"}' else json_quote(old."kind") end
    || ',"source":' || case typeof(old."source") when 'blob' then '{"blob":"'||hex(old."source")||'"}' else json_quote(old."source") end
    || ',"sourceId":' || case typeof(old."source_id") when 'blob' then '{"blob":"'||hex(old."source_id")||'"}' else json_quote(old."source_id") end
    || ',"mergedInto":' || case typeof(old."merged_into") when 'blob' then '{"blob":"'||hex(old."merged_into")||'"}' else json_quote(old."merged_into") end
    || ',"seenAt":' || case typeof(old."seen_at") when 'blob' then '{"blob":"'||hex(old."seen_at")||'"}' else json_quote(old."seen_at") end
    || ',"createdAt":' || case typeof(old."created_at") when 'blob' then '{"blob":"'||hex(old."created_at")||'"}' else json_quote(old."created_at") end
    || ',"updatedAt":' || case typeof(old."updated_at") when 'blob' then '{"blob":"'||hex(old."updated_at")||'"}' else json_quote(old."updated_at") end, 2) || '}',
    null);
end;
