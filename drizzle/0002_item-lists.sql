DROP INDEX `kanban_items_project_due`;--> statement-breakpoint
DROP INDEX `kanban_items_project`;--> statement-breakpoint
DROP INDEX `kanban_items_order`;--> statement-breakpoint
CREATE INDEX `kanban_items_project_assignee` ON `kanban_items` (`project_id`,`assignee_id`,`sort_order`,`id`);--> statement-breakpoint
CREATE INDEX `kanban_items_project_priority` ON `kanban_items` (`project_id`,`priority`,`sort_order`,`id`);--> statement-breakpoint
CREATE INDEX `kanban_items_project` ON `kanban_items` (`project_id`,`sort_order`,`id`,`dismissed`,`due_date`);--> statement-breakpoint
CREATE INDEX `kanban_items_order` ON `kanban_items` (`sort_order`,`id`,`dismissed`,`due_date`);--> statement-breakpoint
CREATE INDEX `kanban_labels_any_project` ON `kanban_labels` (`name`);