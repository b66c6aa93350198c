CREATE TABLE `consumers` (
	`name` text PRIMARY KEY NOT NULL,
	`after` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `item_times` (
	`item_id` text NOT NULL,
	`kind` text NOT NULL,
	`at` text NOT NULL,
	PRIMARY KEY(`item_id`, `kind`, `at`)
);
--> statement-breakpoint
CREATE INDEX `item_times_at` ON `item_times` (`at`);--> statement-breakpoint
CREATE TABLE `item_watches` (
	`item_id` text NOT NULL,
	`member_id` text NOT NULL,
	`watching` integer DEFAULT true NOT NULL,
	`since` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`item_id`, `member_id`)
);
--> statement-breakpoint
CREATE INDEX `item_watches_member` ON `item_watches` (`member_id`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`member_id` text NOT NULL,
	`kind` text NOT NULL,
	`item_id` text,
	`project_id` text,
	`actor_id` text,
	`seq` integer,
	`title` text DEFAULT '' NOT NULL,
	`text` text DEFAULT '' NOT NULL,
	`count` integer DEFAULT 1 NOT NULL,
	`due_at` text,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	`read_at` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_change` ON `notifications` (`member_id`,`seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_time` ON `notifications` (`item_id`,`kind`,`due_at`,`member_id`) WHERE "due_at" is not null;--> statement-breakpoint
CREATE INDEX `notifications_member` ON `notifications` (`member_id`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`member_id`,`id`) WHERE "read_at" is null;--> statement-breakpoint
CREATE INDEX `notifications_kind` ON `notifications` (`member_id`,`kind`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_age` ON `notifications` (`created_at`);--> statement-breakpoint
CREATE TABLE `project_watches` (
	`project_id` text NOT NULL,
	`member_id` text NOT NULL,
	`since` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `member_id`)
);
--> statement-breakpoint
CREATE INDEX `project_watches_member` ON `project_watches` (`member_id`);--> statement-breakpoint
CREATE TABLE `quiet_changes` (
	`first` integer PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `kanban_items` ADD `reminders` text DEFAULT '[]';--> statement-breakpoint
ALTER TABLE `members` ADD `handle` text;--> statement-breakpoint
CREATE UNIQUE INDEX `members_handle` ON `members` (`handle`);