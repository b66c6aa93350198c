CREATE TABLE `share_links` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`secret_hash` text NOT NULL,
	`created_by` text,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	`expires_at` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `share_links_secret` ON `share_links` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `share_links_project` ON `share_links` (`project_id`,`id`);--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `project_ids` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `access` text DEFAULT 'everyone' NOT NULL;--> statement-breakpoint
CREATE INDEX `projects_assigned` ON `projects` (`id`) WHERE "access" <> 'everyone';--> statement-breakpoint
CREATE INDEX `team_assignments_of_member` ON `team_assignments` (`member_id`,`project_id`);