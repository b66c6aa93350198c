CREATE TABLE `restrictions` (
	`project_id` text NOT NULL,
	`first_seq` integer NOT NULL,
	`last_seq` integer,
	`member_ids` text DEFAULT '[]' NOT NULL,
	PRIMARY KEY(`project_id`, `first_seq`)
);
--> statement-breakpoint
-- The change of the write itself is the newest, or will be the next one: SQLite does not promise in which order triggers run. The deletion of a replaced
-- row comes before it. A deletion ends nothing: the project may return, and who saw it then is in its assignments (see `src/changes/visibility.ts`).
create trigger restrictions_projects_insert after insert on projects begin
  insert or ignore into restrictions (project_id, first_seq)
    select new.id, (select ifnull(max(seq), 0) from changes) + (not exists (
      select 1 from changes where seq = (select ifnull(max(seq), 0) from changes) and kind = 'project' and id = new.id
      and json_extract(after, '$.access') = new."access")) + (select count(*) from changes_pending where kind = 'project')
    where new."access" <> 'everyone' and not exists (select 1 from restrictions where project_id = new.id and last_seq is null);
  update restrictions set last_seq = (select ifnull(max(seq), 0) from changes) + (not exists (
      select 1 from changes where seq = (select ifnull(max(seq), 0) from changes) and kind = 'project' and id = new.id
      and json_extract(after, '$.access') = new."access")) + (select count(*) from changes_pending where kind = 'project') - 1,
    member_ids = (select json_group_array(member_id) from (
      select member_id from team_assignments where project_id = new.id
      union select member_id from team_members where team_id = new.team_id))
    where project_id = new.id and last_seq is null and new."access" = 'everyone';
end;
--> statement-breakpoint
create trigger restrictions_projects_update after update of id, "access" on projects
when (old.id, old."access") is not (new.id, new."access") begin
  insert or ignore into restrictions (project_id, first_seq)
    select new.id, (select ifnull(max(seq), 0) from changes) + (not exists (
      select 1 from changes where seq = (select ifnull(max(seq), 0) from changes) and kind = 'project' and id = new.id
      and json_extract(after, '$.access') = new."access")) + (select count(*) from changes_pending where kind = 'project' and old.id is not new.id)
    where new."access" <> 'everyone' and not exists (select 1 from restrictions where project_id = new.id and last_seq is null);
  update restrictions set last_seq = (select ifnull(max(seq), 0) from changes) + (not exists (
      select 1 from changes where seq = (select ifnull(max(seq), 0) from changes) and kind = 'project' and id = new.id
      and json_extract(after, '$.access') = new."access")) + (select count(*) from changes_pending where kind = 'project' and old.id is not new.id) - 1,
    member_ids = (select json_group_array(member_id) from (
      select member_id from team_assignments where project_id = new.id
      union select member_id from team_members where team_id = new.team_id))
    where project_id = new.id and last_seq is null and new."access" = 'everyone';
end;
--> statement-breakpoint
-- What the sequence still tells of the time before this table.
with accesses as (
  select id, seq, access, ifnull(was, lag(access) over (partition by id order by seq)) as former from (
    select id, seq, case when json_valid(after) then json_extract(after, '$.access') end as access,
      case when action = 'updated' and json_valid(before) then json_extract(before, '$.access') end as was
    from changes where kind = 'project' and action in ('created', 'updated'))
  where access is not null
), begun as (
  select id, seq from accesses where access <> 'everyone' and ifnull(former, 'everyone') = 'everyone'
  union all
  select id, 0 from accesses as first where access = 'everyone' and former <> 'everyone'
    and not exists (select 1 from accesses as earlier where earlier.id = first.id and earlier.seq < first.seq)
)
insert into restrictions (project_id, first_seq, last_seq)
  select id, seq, (select min(its.seq) - 1 from accesses as its
    where its.id = begun.id and its.seq > begun.seq and its.access = 'everyone')
  from begun;
--> statement-breakpoint
insert or ignore into restrictions (project_id, first_seq)
  select id, 0 from projects where "access" <> 'everyone'
  and not exists (select 1 from restrictions where project_id = projects.id and last_seq is null);
--> statement-breakpoint
update restrictions set member_ids = (
  select json_group_array(member_id) from (
    select distinct json_extract(made.after, '$.memberId') as member_id
    from change_subjects as entry cross join changes as made on made.seq = entry.seq
    where entry.subject = ':team-assignment' and entry.seq between 1 and restrictions.last_seq
    and made.project_id = restrictions.project_id and made.action = 'created' and json_valid(made.after)
    and not exists (
      select 1 from change_subjects as other cross join changes as gone on gone.seq = other.seq
      where other.subject = ':team-assignment' and other.seq between made.seq and restrictions.last_seq
      and gone.action = 'deleted' and gone.id = made.id)))
  where last_seq is not null;
