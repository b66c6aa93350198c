drop trigger search_projects_insert;
--> statement-breakpoint
drop trigger search_projects_update;
--> statement-breakpoint
drop trigger search_projects_delete;
--> statement-breakpoint
drop trigger search_kanban_items_insert;
--> statement-breakpoint
drop trigger search_kanban_items_update;
--> statement-breakpoint
drop trigger search_kanban_items_delete;
--> statement-breakpoint
drop trigger search_kanban_comments_insert;
--> statement-breakpoint
drop trigger search_kanban_comments_update;
--> statement-breakpoint
drop trigger search_kanban_comments_delete;
--> statement-breakpoint
drop trigger search_transcript_summaries_insert;
--> statement-breakpoint
drop trigger search_transcript_summaries_update;
--> statement-breakpoint
drop trigger search_transcript_summaries_delete;
--> statement-breakpoint
drop trigger search_personal_ideas_insert;
--> statement-breakpoint
drop trigger search_personal_ideas_update;
--> statement-breakpoint
drop trigger search_personal_ideas_delete;
--> statement-breakpoint
drop trigger search_entries_delete;
--> statement-breakpoint
drop table search_index;
--> statement-breakpoint
-- No copy of the texts: they are in the tables of the records. The words come folded, one space between them; `ascii` leaves other
-- characters alone. Only the service writes it, so versions of SQLite of other tools need not know it.
create virtual table search_index using fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');
--> statement-breakpoint
-- The words of the index, and their parts of three characters. Only the service writes them, too.
create table search_words (id integer primary key, word text not null unique);
--> statement-breakpoint
create virtual table search_parts using fts5 (word, content = '', tokenize = 'trigram case_sensitive 1');
--> statement-breakpoint
create trigger search_words_insert after insert on search_words begin
  insert into search_parts (rowid, word) values (new.id, new.word);
end;
--> statement-breakpoint
-- Entries whose record was written or deleted since the index was.
create table search_pending (entry integer primary key);
--> statement-breakpoint
insert into search_pending (entry) select id from search_entries;
--> statement-breakpoint
-- The same three triggers for each table that is searched. What is inserted may replace a row, and so may a changed id: of such a
-- deletion SQLite tells nobody. Conditions in place of `or ignore`, since the conflict clause of the statement would apply here, too.
create trigger search_projects_insert after insert on projects begin
  insert into search_entries (kind, record_id) select 'project', new.id
    where not exists (select 1 from search_entries where kind = 'project' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'project' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_projects_update after update of id, name, description, next_step on projects
when (old.id, old.name, old.description, old.next_step)
  is not (new.id, new.name, new.description, new.next_step) begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'project' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'project' and record_id = old.id and old.id is not new.id;
  insert into search_entries (kind, record_id) select 'project', new.id
    where not exists (select 1 from search_entries where kind = 'project' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'project' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_projects_delete after delete on projects begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'project' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'project' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_kanban_items_insert after insert on kanban_items begin
  insert into search_entries (kind, record_id) select 'kanban-item', new.id
    where not exists (select 1 from search_entries where kind = 'kanban-item' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-item' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_kanban_items_update after update of id, title, description on kanban_items
when (old.id, old.title, old.description)
  is not (new.id, new.title, new.description) begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-item' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'kanban-item' and record_id = old.id and old.id is not new.id;
  insert into search_entries (kind, record_id) select 'kanban-item', new.id
    where not exists (select 1 from search_entries where kind = 'kanban-item' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-item' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_kanban_items_delete after delete on kanban_items begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-item' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'kanban-item' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_kanban_comments_insert after insert on kanban_comments begin
  insert into search_entries (kind, record_id) select 'kanban-comment', new.id
    where not exists (select 1 from search_entries where kind = 'kanban-comment' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-comment' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_kanban_comments_update after update of id, content on kanban_comments
when (old.id, old.content)
  is not (new.id, new.content) begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-comment' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'kanban-comment' and record_id = old.id and old.id is not new.id;
  insert into search_entries (kind, record_id) select 'kanban-comment', new.id
    where not exists (select 1 from search_entries where kind = 'kanban-comment' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-comment' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_kanban_comments_delete after delete on kanban_comments begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'kanban-comment' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'kanban-comment' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_transcript_summaries_insert after insert on transcript_summaries begin
  insert into search_entries (kind, record_id) select 'transcript-summary', new.id
    where not exists (select 1 from search_entries where kind = 'transcript-summary' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'transcript-summary' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_transcript_summaries_update after update of id, title, summary, participants, action_items on transcript_summaries
when (old.id, old.title, old.summary, old.participants, old.action_items)
  is not (new.id, new.title, new.summary, new.participants, new.action_items) begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'transcript-summary' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'transcript-summary' and record_id = old.id and old.id is not new.id;
  insert into search_entries (kind, record_id) select 'transcript-summary', new.id
    where not exists (select 1 from search_entries where kind = 'transcript-summary' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'transcript-summary' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_transcript_summaries_delete after delete on transcript_summaries begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'transcript-summary' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'transcript-summary' and record_id = old.id;
end;
--> statement-breakpoint
create trigger search_personal_ideas_insert after insert on personal_ideas begin
  insert into search_entries (kind, record_id) select 'personal-idea', new.id
    where not exists (select 1 from search_entries where kind = 'personal-idea' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'personal-idea' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_personal_ideas_update after update of id, title, description on personal_ideas
when (old.id, old.title, old.description)
  is not (new.id, new.title, new.description) begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'personal-idea' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'personal-idea' and record_id = old.id and old.id is not new.id;
  insert into search_entries (kind, record_id) select 'personal-idea', new.id
    where not exists (select 1 from search_entries where kind = 'personal-idea' and record_id = new.id);
  insert into search_pending (entry) select id from search_entries
    where kind = 'personal-idea' and record_id = new.id and id not in (select entry from search_pending);
end;
--> statement-breakpoint
create trigger search_personal_ideas_delete after delete on personal_ideas begin
  insert into search_pending (entry) select id from search_entries
    where kind = 'personal-idea' and record_id = old.id and id not in (select entry from search_pending);
  delete from search_entries where kind = 'personal-idea' and record_id = old.id;
end;
