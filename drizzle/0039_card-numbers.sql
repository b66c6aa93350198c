CREATE TABLE `card_numbers` (
	`project_id` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `former_card_numbers` (
	`project_id` text NOT NULL,
	`number` integer NOT NULL,
	`item_id` text NOT NULL,
	PRIMARY KEY(`project_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `former_project_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `kanban_items` ADD `number` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `projects_key` ON `projects` (`key`);
--> statement-breakpoint
update kanban_items set number = given.number from (
  select rowid as row, row_number() over (partition by project_id order by created_at, id) as number from kanban_items) as given
  where kanban_items.rowid = given.row;
--> statement-breakpoint
insert into card_numbers (project_id, last) select project_id, count(*) from kanban_items group by project_id;
--> statement-breakpoint
CREATE INDEX `kanban_items_number` ON `kanban_items` (`project_id`,`number`);
--> statement-breakpoint
CREATE INDEX `kanban_items_unnumbered` ON `kanban_items` (`id`) WHERE "number" is null;
--> statement-breakpoint
-- The number that an item had in another project goes on leading to it. Only another tool moves one to where its number is taken: it then has none,
-- until the service gives it one.
create trigger card_numbers_move after update of project_id on kanban_items
when old.project_id <> new.project_id begin
  insert or replace into former_card_numbers (project_id, number, item_id)
    select old.project_id, old.number, old.id where old.number is not null;
  update kanban_items set number = null where id = new.id and exists (
    select 1 from kanban_items as other
    where other.project_id = new.project_id and other.number = new.number and other.id <> new.id);
end;
--> statement-breakpoint
create trigger project_keys_insert after insert on projects when new.key is not null begin
  delete from former_project_keys where key = new.key;
end;
--> statement-breakpoint
create trigger project_keys_update after update of key on projects when old.key is not new.key begin
  insert or replace into former_project_keys (key, project_id) select old.key, old.id where old.key is not null;
  delete from former_project_keys where key = new.key;
end;
--> statement-breakpoint
create trigger project_keys_delete after delete on projects when old.key is not null begin
  insert or replace into former_project_keys (key, project_id) values (old.key, old.id);
end;
