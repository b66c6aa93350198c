/** A database to test what the worker thread handles: one project with a single item, and one with too many. */
import { join } from 'node:path'
import type { Test } from 'tap'
import type { SharedDatabase } from '../src/db/client.ts'
import { openTestDatabase } from './database.ts'

/**
 * Opens it until the test ends. The project `few` has the item `one`, and the project `many` has 1,001 items with 3,000
 * characters each.
 */
export function openFewAndMany(t: Test): SharedDatabase {
  const db = openTestDatabase(t, `file:${join(t.testdir(), 'board.db')}`)
  db.$client.exec(`insert into projects (id, name) values ('few', 'Few'), ('many', 'Many');
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001)
    insert into kanban_items (id, project_id, title, description) select 'i' || i, 'many', 'Card', hex(zeroblob(1500)) from n;
    insert into kanban_items (id, project_id, title) values ('one', 'few', 'Card');`)
  return db
}
