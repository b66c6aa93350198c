CREATE TABLE `hidden_records` (
	`record_table` text NOT NULL,
	`id` text NOT NULL,
	`write` integer NOT NULL,
	PRIMARY KEY(`record_table`, `id`)
);
--> statement-breakpoint
CREATE INDEX `hidden_records_write` ON `hidden_records` (`write`);