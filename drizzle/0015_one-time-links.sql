CREATE TABLE `member_links` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`member_id` text,
	`name` text,
	`email` text,
	`role` text DEFAULT 'member' NOT NULL,
	`token_hash` text NOT NULL,
	`created_by` text,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `member_links_token` ON `member_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `member_links_member` ON `member_links` (`member_id`);--> statement-breakpoint
ALTER TABLE `audit_log` ADD `actor` text;--> statement-breakpoint
ALTER TABLE `audit_log` ADD `subject` text;--> statement-breakpoint
-- Who acted without an address was the command line, or the service itself.
UPDATE `audit_log` SET `actor` = CASE `action` WHEN 'webhook-deactivated' THEN 'service' ELSE 'command line' END WHERE `actor_id` IS NULL AND `address` IS NULL;
