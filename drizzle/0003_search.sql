-- What is searched: one row for each record, which gives it its number in the index. The rowids of the records' own
-- tables would not do: VACUUM may change them.
create table search_entries (
  id integer primary key,
  kind text not null,
  record_id text not null,
  unique (kind, record_id)
);
--> statement-breakpoint
create virtual table search_index using fts5 (title, text, tokenize = 'unicode61 remove_diacritics 2');
--> statement-breakpoint
create trigger search_entries_delete after delete on search_entries begin
  delete from search_index where rowid = old.id;
end;
--> statement-breakpoint
-- The same three triggers for each table that is searched. What is inserted may replace a row, and so may a changed id:
-- of such a deletion SQLite tells nobody. Whatever other tools write goes through here: it keeps to what versions of
-- SQLite that are long past understand.
create trigger search_projects_insert after insert on projects begin
  delete from search_entries where kind = 'project' and record_id = new.id;
  insert into search_entries (kind, record_id) values ('project', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.name, new.description || char(10) || new.next_step);
end;
--> statement-breakpoint
create trigger search_projects_update
after update of id, name, description, next_step on projects
when (old.id, old.name, old.description, old.next_step)
  is not (new.id, new.name, new.description, new.next_step) begin
  delete from search_entries where kind = 'project' and record_id in (old.id, new.id);
  insert into search_entries (kind, record_id) values ('project', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.name, new.description || char(10) || new.next_step);
end;
--> statement-breakpoint
create trigger search_projects_delete after delete on projects begin
  delete from search_entries where kind = 'project' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_kanban_items_insert after insert on kanban_items begin
  delete from search_entries where kind = 'kanban-item' and record_id = new.id;
  insert into search_entries (kind, record_id) values ('kanban-item', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.title, new.description);
end;
--> statement-breakpoint
create trigger search_kanban_items_update
after update of id, title, description on kanban_items
when (old.id, old.title, old.description) is not (new.id, new.title, new.description) begin
  delete from search_entries where kind = 'kanban-item' and record_id in (old.id, new.id);
  insert into search_entries (kind, record_id) values ('kanban-item', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.title, new.description);
end;
--> statement-breakpoint
create trigger search_kanban_items_delete after delete on kanban_items begin
  delete from search_entries where kind = 'kanban-item' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_kanban_comments_insert after insert on kanban_comments begin
  delete from search_entries where kind = 'kanban-comment' and record_id = new.id;
  insert into search_entries (kind, record_id) values ('kanban-comment', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), '', new.content);
end;
--> statement-breakpoint
create trigger search_kanban_comments_update
after update of id, content on kanban_comments
when (old.id, old.content) is not (new.id, new.content) begin
  delete from search_entries where kind = 'kanban-comment' and record_id in (old.id, new.id);
  insert into search_entries (kind, record_id) values ('kanban-comment', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), '', new.content);
end;
--> statement-breakpoint
create trigger search_kanban_comments_delete after delete on kanban_comments begin
  delete from search_entries where kind = 'kanban-comment' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_transcript_summaries_insert after insert on transcript_summaries begin
  delete from search_entries where kind = 'transcript-summary' and record_id = new.id;
  insert into search_entries (kind, record_id) values ('transcript-summary', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.title, new.summary
    || char(10) || coalesce((select group_concat(value, char(10)) from json_tree(
      case when json_valid(new.participants) then new.participants else '[]' end
    ) where type = 'text'), '')
    || char(10) || coalesce((select group_concat(value, char(10)) from json_tree(
      case when json_valid(new.action_items) then new.action_items else '[]' end
    ) where type = 'text'), ''));
end;
--> statement-breakpoint
create trigger search_transcript_summaries_update
after update of id, title, summary, participants, action_items on transcript_summaries
when (old.id, old.title, old.summary, old.participants, old.action_items)
  is not (new.id, new.title, new.summary, new.participants, new.action_items) begin
  delete from search_entries where kind = 'transcript-summary' and record_id in (old.id, new.id);
  insert into search_entries (kind, record_id) values ('transcript-summary', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.title, new.summary
    || char(10) || coalesce((select group_concat(value, char(10)) from json_tree(
      case when json_valid(new.participants) then new.participants else '[]' end
    ) where type = 'text'), '')
    || char(10) || coalesce((select group_concat(value, char(10)) from json_tree(
      case when json_valid(new.action_items) then new.action_items else '[]' end
    ) where type = 'text'), ''));
end;
--> statement-breakpoint
create trigger search_transcript_summaries_delete after delete on transcript_summaries begin
  delete from search_entries where kind = 'transcript-summary' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_personal_ideas_insert after insert on personal_ideas begin
  delete from search_entries where kind = 'personal-idea' and record_id = new.id;
  insert into search_entries (kind, record_id) values ('personal-idea', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.title, new.description);
end;
--> statement-breakpoint
create trigger search_personal_ideas_update
after update of id, title, description on personal_ideas
when (old.id, old.title, old.description) is not (new.id, new.title, new.description) begin
  delete from search_entries where kind = 'personal-idea' and record_id in (old.id, new.id);
  insert into search_entries (kind, record_id) values ('personal-idea', new.id);
  insert into search_index (rowid, title, text)
    values (last_insert_rowid(), new.title, new.description);
end;
--> statement-breakpoint
create trigger search_personal_ideas_delete after delete on personal_ideas begin
  delete from search_entries where kind = 'personal-idea' and record_id = old.id;
end;
--> statement-breakpoint
-- What is there already.
insert into search_entries (kind, record_id)
select 'project', id from projects
union all select 'kanban-item', id from kanban_items
union all select 'kanban-comment', id from kanban_comments
union all select 'transcript-summary', id from transcript_summaries
union all select 'personal-idea', id from personal_ideas;
--> statement-breakpoint
insert into search_index (rowid, title, text)
select entry.id, record.name, record.description || char(10) || record.next_step
from search_entries as entry join projects as record on record.id = entry.record_id
where entry.kind = 'project';
--> statement-breakpoint
insert into search_index (rowid, title, text)
select entry.id, record.title, record.description
from search_entries as entry join kanban_items as record on record.id = entry.record_id
where entry.kind = 'kanban-item';
--> statement-breakpoint
insert into search_index (rowid, title, text)
select entry.id, '', record.content
from search_entries as entry join kanban_comments as record on record.id = entry.record_id
where entry.kind = 'kanban-comment';
--> statement-breakpoint
insert into search_index (rowid, title, text)
select entry.id, record.title, record.summary
    || char(10) || coalesce((select group_concat(value, char(10)) from json_tree(
      case when json_valid(record.participants) then record.participants else '[]' end
    ) where type = 'text'), '')
    || char(10) || coalesce((select group_concat(value, char(10)) from json_tree(
      case when json_valid(record.action_items) then record.action_items else '[]' end
    ) where type = 'text'), '')
from search_entries as entry join transcript_summaries as record on record.id = entry.record_id
where entry.kind = 'transcript-summary';
--> statement-breakpoint
insert into search_index (rowid, title, text)
select entry.id, record.title, record.description
from search_entries as entry join personal_ideas as record on record.id = entry.record_id
where entry.kind = 'personal-idea';
