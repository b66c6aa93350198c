ALTER TABLE `idempotency_keys` ADD `role` text;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `nth` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `up_to` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `idempotency_keys_member` ON `idempotency_keys` (`member_id`,`nth`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_bodies` ON `idempotency_keys` (`up_to`) WHERE body is not null;--> statement-breakpoint
-- Whose role an answer depended on is not known of what is kept: only admins get it again.
UPDATE `idempotency_keys` SET `role` = 'admin' WHERE `path` GLOB '*/api/batch' OR `path` GLOB '*/mcp' OR `path` GLOB '*/api/changes/*/undo' OR `path` GLOB '*/api/personal-ideas/*' OR `path` GLOB '*/api/kanban-comments/*' OR `path` GLOB '*/api/tokens/*' OR `path` GLOB '*/claim';--> statement-breakpoint
UPDATE `idempotency_keys` SET `body` = NULL WHERE length(CAST(`body` AS blob)) > 65536;--> statement-breakpoint
UPDATE `idempotency_keys` SET `nth` = `counted`.`nth`, `up_to` = `counted`.`up_to` FROM (SELECT rowid AS `number`, row_number() OVER (PARTITION BY `member_id` ORDER BY `created_at`, rowid) AS `nth`, sum(ifnull(length(CAST(`body` AS blob)), 0)) OVER (ORDER BY `created_at`, rowid) AS `up_to` FROM `idempotency_keys`) AS `counted` WHERE `idempotency_keys`.rowid = `counted`.`number`;
