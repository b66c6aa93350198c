CREATE TABLE `people` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`source` text DEFAULT '' NOT NULL,
	`source_id` text DEFAULT '' NOT NULL,
	`email` text,
	`merged_into` text,
	`seen_at` text,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL
);
--> statement-breakpoint
CREATE INDEX `people_source` ON `people` (`source`,`source_id`);--> statement-breakpoint
CREATE INDEX `people_email` ON `people` (`email`) WHERE "email" is not null;--> statement-breakpoint
CREATE INDEX `people_merged` ON `people` (`merged_into`) WHERE "merged_into" is not null;