CREATE TABLE `change_subjects` (
	`subject` text NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`subject`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `changes` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
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
CREATE TABLE `changes_pending` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`project_id` text,
	`item_id` text,
	`owner_id` text,
	`before` text,
	PRIMARY KEY(`kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`member_id` text NOT NULL,
	`method` text NOT NULL,
	`path` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer NOT NULL,
	`body` text,
	`etag` text,
	`seq` integer,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	PRIMARY KEY(`member_id`, `method`, `path`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `imported_changes` (
	`place` integer PRIMARY KEY NOT NULL,
	`import_id` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`project_id` text,
	`item_id` text,
	`owner_id` text,
	`after` text,
	FOREIGN KEY (`import_id`) REFERENCES `imports`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `imported_changes_import` ON `imported_changes` (`import_id`,`place`);--> statement-breakpoint
CREATE TABLE `imported_projects` (
	`project_id` text PRIMARY KEY NOT NULL,
	`import_id` text NOT NULL,
	FOREIGN KEY (`import_id`) REFERENCES `imports`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `imported_projects_import` ON `imported_projects` (`import_id`);--> statement-breakpoint
CREATE TABLE `imports` (
	`id` text PRIMARY KEY NOT NULL,
	`format` text NOT NULL,
	`member_id` text,
	`status` text DEFAULT 'waiting' NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`project_id` text,
	`counts` text DEFAULT '' NOT NULL,
	`error` text,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `member_identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`member_id` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `member_identities_member` ON `member_identities` (`member_id`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`seq` integer NOT NULL,
	`status` integer,
	`error` text,
	`response` text DEFAULT '' NOT NULL,
	`duration` integer DEFAULT 0 NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook_id`,`id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`project_id` text,
	`kinds` text DEFAULT '[]',
	`active` integer DEFAULT true NOT NULL,
	`after` integer DEFAULT 0 NOT NULL,
	`failing_since` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`retry_at` text,
	`secret` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL
);
--> statement-breakpoint
ALTER TABLE `kanban_items` ADD `claimed_until` text;--> statement-breakpoint
ALTER TABLE `kanban_items` ADD `claimed_from` text DEFAULT '' NOT NULL;
