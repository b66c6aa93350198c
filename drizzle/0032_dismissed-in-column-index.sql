DROP INDEX `kanban_items_column`;--> statement-breakpoint
CREATE INDEX `kanban_items_column` ON `kanban_items` (`project_id`,`column`,`sort_order`,`id`,`dismissed`);--> statement-breakpoint
-- Recreated after it: of two indexes that cost the same, SQLite takes the newer one, and this one has the order of lists.
DROP INDEX `kanban_items_project`;--> statement-breakpoint
CREATE INDEX `kanban_items_project` ON `kanban_items` (`project_id`,`sort_order`,`id`,`dismissed`,`due_date`);
