ALTER TABLE `webhooks` ADD `former_secret` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `rotated_at` text;