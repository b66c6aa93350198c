DROP TABLE `hidden_projects`;--> statement-breakpoint
DROP TABLE `hidden_records`;--> statement-breakpoint
DROP TABLE `large_writes`;--> statement-breakpoint
DROP TABLE `staged_changes`;