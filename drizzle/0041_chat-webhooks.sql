ALTER TABLE `webhooks` ADD `format` text DEFAULT 'standard' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `events` text DEFAULT '[]';--> statement-breakpoint
ALTER TABLE `webhooks` ADD `language` text DEFAULT 'en' NOT NULL;