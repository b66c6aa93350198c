CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`item_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text DEFAULT 'link' NOT NULL,
	`url` text,
	`media_type` text,
	`size` integer,
	`sha256` text,
	`width` integer,
	`height` integer,
	`thumbnail` text,
	`created_by` text,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	FOREIGN KEY (`item_id`) REFERENCES `kanban_items`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attachments_item` ON `attachments` (`item_id`,`id`);--> statement-breakpoint
CREATE INDEX `attachments_content` ON `attachments` (`sha256`);--> statement-breakpoint
CREATE INDEX `attachments_thumbnail` ON `attachments` (`thumbnail`) WHERE "thumbnail" is not null;--> statement-breakpoint
CREATE TABLE `file_chunks` (
	`place` integer PRIMARY KEY NOT NULL,
	`bytes` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `file_contents` (
	`id` integer PRIMARY KEY NOT NULL,
	`sha256` text,
	`size` integer DEFAULT 0 NOT NULL,
	`touched_at` integer DEFAULT 0 NOT NULL,
	`unnamed_since` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `file_contents_hash` ON `file_contents` (`sha256`);--> statement-breakpoint
CREATE INDEX `file_contents_size` ON `file_contents` (`size`);--> statement-breakpoint
CREATE INDEX `file_contents_incomplete` ON `file_contents` (`touched_at`) WHERE "sha256" is null;--> statement-breakpoint
CREATE INDEX `file_contents_unnamed` ON `file_contents` (`unnamed_since`) WHERE "unnamed_since" is not null;--> statement-breakpoint
ALTER TABLE `kanban_items` ADD `cover_id` text;