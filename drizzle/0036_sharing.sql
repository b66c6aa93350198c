ALTER TABLE `projects` ADD `sharing` text DEFAULT 'members' NOT NULL;--> statement-breakpoint
CREATE INDEX `projects_sharing` ON `projects` (`id`,`sharing`) WHERE "sharing" <> 'members';