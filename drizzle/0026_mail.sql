CREATE TABLE `mail_queue` (
	`notification_id` text PRIMARY KEY NOT NULL,
	`member_id` text NOT NULL,
	FOREIGN KEY (`notification_id`) REFERENCES `notifications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mail_queue_member` ON `mail_queue` (`member_id`,`notification_id`);--> statement-breakpoint
CREATE TABLE `mail_state` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mails` (
	`member_id` text PRIMARY KEY NOT NULL,
	`due_at` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`failing_since` text,
	`failure` text
);
--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`due_at`);--> statement-breakpoint
CREATE TABLE `member_preferences` (
	`member_id` text PRIMARY KEY NOT NULL,
	`email` text DEFAULT 'none' NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`stopped_address` text,
	`stopped_because` text,
	`failure` text,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
