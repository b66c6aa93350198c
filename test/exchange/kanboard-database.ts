/** A small Kanboard database with the tables that are read, by the schema of version 1.2 (number 128). */
import SQLite from 'better-sqlite3'

const SCHEMA = `
create table projects (id INTEGER PRIMARY KEY, name TEXT NOCASE UNIQUE, is_active INTEGER DEFAULT 1, token TEXT, last_modified INTEGER DEFAULT 0, is_public INTEGER DEFAULT 0, description TEXT, identifier TEXT DEFAULT '', priority_end INTEGER DEFAULT 3);
create table columns (id INTEGER PRIMARY KEY, title TEXT NOT NULL, position INTEGER, project_id INTEGER NOT NULL, task_limit INTEGER DEFAULT 0, description TEXT, hide_in_dashboard INTEGER DEFAULT 0 NOT NULL);
create table swimlanes (id INTEGER PRIMARY KEY, name TEXT NOT NULL, position INTEGER DEFAULT 1, is_active INTEGER DEFAULT 1, project_id INTEGER, description TEXT, task_limit INTEGER DEFAULT 0);
create table tasks (id INTEGER PRIMARY KEY, title TEXT NOCASE NOT NULL, description TEXT, date_creation INTEGER, color_id TEXT, project_id INTEGER, column_id INTEGER, owner_id INTEGER DEFAULT 0, position INTEGER, is_active INTEGER DEFAULT 1, date_completed INTEGER, score INTEGER, date_due INTEGER, category_id INTEGER DEFAULT 0, creator_id INTEGER DEFAULT 0, date_modification INTEGER DEFAULT 0, reference TEXT DEFAULT '', date_started INTEGER, time_spent NUMERIC DEFAULT 0, time_estimated NUMERIC DEFAULT 0, swimlane_id INTEGER, date_moved INTEGER DEFAULT 0, priority INTEGER DEFAULT 0, external_provider TEXT, external_uri TEXT);
create table subtasks (id INTEGER PRIMARY KEY, title TEXT COLLATE NOCASE NOT NULL, status INTEGER DEFAULT 0, time_estimated NUMERIC DEFAULT 0, time_spent NUMERIC DEFAULT 0, task_id INTEGER NOT NULL, user_id INTEGER, position INTEGER DEFAULT 1);
create table comments (id INTEGER PRIMARY KEY, task_id INTEGER NOT NULL, user_id INTEGER DEFAULT 0, date_creation INTEGER NOT NULL, comment TEXT NOT NULL, reference VARCHAR(50), date_modification INTEGER, visibility VARCHAR(25) NOT NULL DEFAULT 'app-user');
create table users (id INTEGER PRIMARY KEY, username TEXT, password TEXT, name TEXT, email TEXT, twofactor_secret TEXT);
create table tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL, project_id INTEGER NOT NULL, color_id TEXT);
create table task_has_tags (task_id INTEGER NOT NULL, tag_id INTEGER NOT NULL);
create table links (id INTEGER PRIMARY KEY, label TEXT NOT NULL, opposite_id INTEGER DEFAULT 0);
create table task_has_links (id INTEGER PRIMARY KEY, link_id INTEGER NOT NULL, task_id INTEGER NOT NULL, opposite_task_id INTEGER NOT NULL);
create table task_has_external_links (id INTEGER PRIMARY KEY, link_type TEXT, dependency TEXT, title TEXT, url TEXT, task_id INTEGER, date_creation INTEGER, date_modification INTEGER, creator_id INTEGER DEFAULT 0);
create table task_has_files (id INTEGER PRIMARY KEY, name TEXT, path TEXT, is_image INTEGER DEFAULT 0, task_id INTEGER, size INTEGER DEFAULT 0);
create table task_has_metadata (task_id INTEGER, name TEXT, value TEXT);
create table project_has_categories (id INTEGER PRIMARY KEY, name TEXT, project_id INTEGER, description TEXT, color_id TEXT);
`

const RECORDS = `
insert into projects values (1, 'Umzug nach Köln', 1, 'geheim', 1767600000, 0, 'Alles muss mit', 'UMZUG', 3);
insert into users values (1, 'asa', 'hash', 'Åsa Öberg', 'asa@example.org', 'seed'), (2, 'joerg', 'hash', 'Jörg Müller', null, null), (3, 'niemand', 'hash', null, null, null);
insert into columns (id, title, position, project_id, task_limit) values (12, 'Fertig', 2, 1, 0), (11, 'In Arbeit', 1, 1, 3);
insert into swimlanes (id, name, position, project_id) values (22, 'Keller', 2, 1), (21, 'Küche', 1, 1);
insert into project_has_categories (id, name, project_id) values (31, 'Möbel', 1);
insert into tags values (41, 'schwer', 1, 'red'), (42, 'überall', 0, null), (43, 'ungenutzt', 0, null);
insert into links values (1, 'blocks', 2), (2, 'is blocked by', 1);
insert into tasks (id, title, description, date_creation, color_id, project_id, column_id, owner_id, position, is_active, date_due, category_id, creator_id, date_modification, swimlane_id, priority, score, date_completed) values
  (101, 'Schrank "Länge"', 'Zeile 1' || char(10) || 'Zeile 2', 1767312000, 'yellow', 1, 11, 2, 2, 1, 1769817600, 31, 1, 1767398400, 22, 3, 5, null),
  (102, 'Herd', null, 1767315600, 'blue', 1, 11, 0, 1, 1, 0, 0, 1, 1767315600, 21, 0, null, null),
  (103, 'Lampe', '', 1767319200, 'blue', 1, 12, 0, 1, 0, null, 0, 99, 1767319200, 21, 1, null, 1767400000);
insert into subtasks (id, title, status, task_id, user_id, position, time_spent) values (202, 'tragen', 1, 101, 2, 2, 1.5), (201, 'messen', 2, 101, null, 1, 0);
insert into comments (id, task_id, user_id, date_creation, comment, date_modification, visibility, reference) values (302, 101, 2, 1767405600, 'Passt.', 1767405700, 'app-manager', ''), (301, 101, 0, 1767402000, 'Passt er?', 1767402000, 'app-user', ''), (303, 101, 2, 1767409200, 'Gut.', 1767409300, 'app-user', 'R1');
insert into task_has_tags values (101, 41), (101, 42);
insert into task_has_links values (1, 1, 101, 102);
insert into task_has_files (name, path, task_id, size) values ('plan.pdf', 'tasks/101/x', 101, 9);
insert into task_has_external_links values
  (501, 'weblink', 'related', 'Halteverbot', 'https://example.org/antrag', 101, 1767405600, 1767405600, 2),
  (502, 'weblink', 'related', '', 'file:///srv/plan', 101, 1767405600, 1767409200, 1);
insert into task_has_metadata values (101, 'etage', '3');
`

/** The bytes of the database, after additional statements. */
export function kanboardDatabase(more = ''): Buffer {
  const client = new SQLite(':memory:')
  try {
    client.exec(SCHEMA + RECORDS + more)
    return client.serialize()
  } finally {
    client.close()
  }
}
