DROP INDEX `item_times_at`;--> statement-breakpoint
ALTER TABLE `item_times` ADD `since` text;--> statement-breakpoint
CREATE INDEX `item_times_local` ON `item_times` (`at`,`item_id`) WHERE "since" is not null;--> statement-breakpoint
CREATE INDEX `item_times_at` ON `item_times` (`at`) WHERE "since" is null;--> statement-breakpoint
CREATE INDEX `member_preferences_zone` ON `member_preferences` (`time_zone`,`updated_at`);--> statement-breakpoint
-- Until now, a reminder of a day counted from its midnight in UTC. It counts from 9:00 in the zone of each member: the same local time
-- nine hours later. A row that came from a reminder at a time has no effect then: the item has no such time.
insert or ignore into item_times (item_id, kind, at, since)
select item_id, kind, strftime('%Y-%m-%dT%H:%M:%f', at, '+9 hours'), '1970-01-01T00:00:00.000Z'
from item_times join kanban_items on id = item_id
where kind = 'due' and since is null and substr(due_date, 11) in ('', 'T00:00:00.000Z')
and strftime('%Y-%m-%dT%H:%M:%f', at, '+9 hours') is not null;
