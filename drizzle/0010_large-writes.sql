CREATE TABLE `hidden_projects` (
	`project_id` text PRIMARY KEY NOT NULL,
	`write` integer NOT NULL,
	FOREIGN KEY (`write`) REFERENCES `large_writes`(`number`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `hidden_projects_write` ON `hidden_projects` (`write`);--> statement-breakpoint
CREATE TABLE `large_writes` (
	`number` integer PRIMARY KEY NOT NULL,
	`import_id` text,
	`task` text NOT NULL,
	`first_seq` integer,
	`last_seq` integer,
	`first_place` integer,
	`at` text,
	`actor_id` text,
	`group` integer
);
--> statement-breakpoint
CREATE TABLE `staged_changes` (
	`place` integer PRIMARY KEY NOT NULL,
	`at` text,
	`actor_id` text,
	`group` integer,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`action` text NOT NULL,
	`project_id` text,
	`item_id` text,
	`from_project_id` text,
	`owner_id` text,
	`before` text,
	`after` text
);
--> statement-breakpoint
-- What an import that was ended has left is cleared away at the next start, as ever.
INSERT INTO `large_writes` (`import_id`, `task`) SELECT DISTINCT `import_id`, '' FROM `imported_projects`;--> statement-breakpoint
INSERT INTO `hidden_projects` (`project_id`, `write`) SELECT `project_id`, `number` FROM `imported_projects` JOIN `large_writes` USING (`import_id`);--> statement-breakpoint
DROP TABLE `imported_changes`;--> statement-breakpoint
DROP TABLE `imported_projects`;