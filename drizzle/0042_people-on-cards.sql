CREATE TABLE `kanban_item_assignees` (
	`person_id` text NOT NULL,
	`item_id` text NOT NULL,
	PRIMARY KEY(`person_id`, `item_id`)
);
--> statement-breakpoint
CREATE INDEX `kanban_item_assignees_item` ON `kanban_item_assignees` (`item_id`);--> statement-breakpoint
ALTER TABLE `kanban_items` ADD `assignee_ids` text DEFAULT '[]';
--> statement-breakpoint
-- Whoever writes the first assignee alone replaces the former one, and keeps the others; without a first one there is nobody. A list that
-- does not begin with the first assignee gets it at its beginning. The rules write both columns: this does nothing then.
create trigger assignees_insert after insert on kanban_items
when case when typeof(new.assignee_ids) = 'text' and new.assignee_ids <> '[]' and json_valid(new.assignee_ids) then
  json_type(new.assignee_ids) = 'array'
  and json_extract(new.assignee_ids, '$[0]') is not iif(typeof(new.assignee_id) = 'text', nullif(new.assignee_id, ''), null) end begin
  update kanban_items set assignee_ids = iif(typeof(new.assignee_id) = 'text' and new.assignee_id <> '', (
    select iif(count(*) > 1, json_group_array(value), '[]') from (
      select new.assignee_id as value union all
      select value from (select value from json_each(new.assignee_ids)
        where type = 'text' and value not in ('', new.assignee_id) order by key))), '[]')
    where rowid = new.rowid;
end;
--> statement-breakpoint
create trigger assignees_update after update of assignee_id, assignee_ids on kanban_items
when case when typeof(new.assignee_ids) = 'text' and new.assignee_ids <> '[]' and json_valid(new.assignee_ids) then
  json_type(new.assignee_ids) = 'array'
  and json_extract(new.assignee_ids, '$[0]') is not iif(typeof(new.assignee_id) = 'text', nullif(new.assignee_id, ''), null) end begin
  update kanban_items set assignee_ids = iif(typeof(new.assignee_id) = 'text' and new.assignee_id <> '', (
    select iif(count(*) > 1, json_group_array(value), '[]') from (
      select new.assignee_id as value union all
      select value from (select value from json_each(new.assignee_ids)
        where type = 'text' and value not in ('', new.assignee_id, ifnull(old.assignee_id, '')) order by key))), '[]')
    where rowid = new.rowid;
end;
--> statement-breakpoint
-- The index of the others. It reads the stored row: the triggers above may have mended it meanwhile.
create trigger assignees_index_insert after insert on kanban_items
when length(new.assignee_ids) > 2 or exists (select 1 from kanban_item_assignees where item_id = new.id) begin
  delete from kanban_item_assignees where item_id = new.id;
  insert or ignore into kanban_item_assignees (person_id, item_id)
    select other.value, item.id from kanban_items as item, json_each(
      case when typeof(item.assignee_ids) = 'text' and json_valid(item.assignee_ids) then
        iif(json_type(item.assignee_ids) = 'array', item.assignee_ids, '[]') else '[]' end) as other
    where item.rowid = new.rowid and other.type = 'text' and other.value not in ('', ifnull(item.assignee_id, ''));
end;
--> statement-breakpoint
create trigger assignees_index_update after update of id, assignee_ids on kanban_items
when (length(new.assignee_ids) > 2 or length(old.assignee_ids) > 2)
  and (new.assignee_ids is not old.assignee_ids or new.id is not old.id) begin
  delete from kanban_item_assignees where item_id in (old.id, new.id);
  insert or ignore into kanban_item_assignees (person_id, item_id)
    select other.value, item.id from kanban_items as item, json_each(
      case when typeof(item.assignee_ids) = 'text' and json_valid(item.assignee_ids) then
        iif(json_type(item.assignee_ids) = 'array', item.assignee_ids, '[]') else '[]' end) as other
    where item.rowid = new.rowid and other.type = 'text' and other.value not in ('', ifnull(item.assignee_id, ''));
end;
--> statement-breakpoint
create trigger assignees_index_delete after delete on kanban_items when length(old.assignee_ids) > 2 begin
  delete from kanban_item_assignees where item_id = old.id;
end;
