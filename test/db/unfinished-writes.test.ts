/** Files of version 1.0.0 in which a large write was going on: the migration ends it. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { orphansIn } from '../../src/db/orphans.ts'
import { holdsGroups, holdsSequence } from '../changes/replay.ts'
import { makeOldFile, openTestDatabase } from '../database.ts'

/** The migrations before the one that ends large writes. */
const EARLIER = readdirSync('drizzle')
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .findIndex((name) => name.endsWith('_one-transaction.sql'))

const PLACES = 2 ** 32

/** Moves the changes after one to the staged changes of a write, as its slices did. */
const stage = (client: SQLite.Database, write: number, since: number) =>
  client.exec(`
    insert into staged_changes (place, kind, id, action, project_id, item_id, from_project_id, owner_id, before, after)
      select ${write * PLACES} + seq - ${since} - 1, kind, id, action, project_id, item_id, from_project_id, owner_id, before, after
      from changes where seq > ${since};
    delete from changes where seq > ${since}`)

/** A board that a large write has created without its project, or is deleting. */
const RECORDS = (project: string) => `
  insert into kanban_columns (id, project_id, name) values ('${project} column', '${project}', 'To Do');
  insert into kanban_labels (id, project_id, name) values ('${project} label', '${project}', 'Bug');
  insert into kanban_items (id, project_id, title, "column") values ('${project} item', '${project}', 'Card', 'To Do');
  insert into kanban_item_labels (item_id, label_id) values ('${project} item', '${project} label');
  insert into kanban_comments (id, item_id, author_id, content) values ('${project} comment', '${project} item', 'ada', 'Hm');
  insert into kanban_activity (id, item_id, type, content) values ('${project} entry', '${project} item', 'created', 'Created');`

/** A file with a project of somebody, and a large write. */
function file(t: Test, prepare: (client: SQLite.Database, newest: () => number) => void) {
  const path = join(t.testdir(), 'board.db')
  const client = makeOldFile(path, EARLIER)
  client.exec(`pragma foreign_keys = off;
    insert into members (id, name, email, role) values ('ada', 'Ada', 'ada@example.test', 'admin');
    insert into projects (id, name) values ('mine', 'Mine'); ${RECORDS('mine')}`)
  const newest = () => client.prepare<[], number>('select max(seq) from changes').pluck().get() as number
  prepare(client, newest)
  const last = newest()
  client.close()
  const db = openTestDatabase(t, path)
  const all = (sql: string) => db.$client.prepare<[], unknown>(sql).pluck().all()
  t.equal(orphansIn(db.$client), 0, 'no orphans are left')
  for (const table of ['large_writes', 'staged_changes', 'hidden_projects', 'hidden_records'])
    t.strictSame(all(`select 1 from sqlite_schema where name = '${table}'`), [])
  const changes = holdsSequence(db.$client)
  holdsGroups(changes)
  return { all, last, changes }
}

t.test('published changes are moved to their places', (t) => {
  let first = 0
  const { changes } = file(t, (client, newest) => {
    const since = newest()
    first = since + 1
    client.exec(`insert into projects (id, name) values ('new', 'New'); ${RECORDS('new')}`)
    const count = newest() - since
    client.exec(`create table last as select * from changes where seq = ${newest()}`)
    stage(client, 1, since)
    client.exec(`
      update staged_changes set at = '2020-01-01T00:00:00.000Z', actor_id = 'bob', "group" = 1 where place > ${PLACES};
      delete from staged_changes where place = ${PLACES + count - 1};
      insert into changes select * from last; drop table last;
      update changes set at = '2020-01-01T00:00:00.000Z', actor_id = 'bob', "group" = ${first + 1} where seq > ${since};
      insert into large_writes (number, task, first_seq, last_seq, first_place, at, actor_id, "group")
        values (1, '', ${first}, ${first + count - 2}, ${PLACES}, '2021-01-01T00:00:00.000Z', 'ada', ${first});
      insert into hidden_records (record_table, id, "write") values ('people', 'former', 7)`)
  })
  const theirs = changes.filter(({ seq }) => seq >= first)
  t.strictSame(
    theirs.slice(0, 2).map(({ at, actor_id, group }) => [at, actor_id, group]),
    [
      ['2021-01-01T00:00:00.000Z', 'ada', first],
      ['2020-01-01T00:00:00.000Z', 'bob', first + 1],
    ],
  )
  t.match(theirs[0], { kind: 'project', id: 'new' })
  t.end()
})

t.test('an unfinished import, or undo of a deletion, leaves nothing', (t) => {
  for (const task of ['', '{"kind":"restoration","id":"lock"}']) {
    const { all, last, changes } = file(t, (client, newest) => {
      const since = newest()
      client.exec(`${RECORDS('coming')}
        insert into people (id, name, kind) values ('cleo', 'Cleo', 'import');
        insert into large_writes (number, import_id, task) values (1, 'import', '${task}');
        insert into hidden_projects (project_id, "write") values ('coming', 1);
        insert into hidden_records (record_table, id, "write") values ('people', 'cleo', 1)`)
      stage(client, 1, since)
    })
    t.equal(changes.at(-1)?.seq, last, 'no change tells of it')
    t.strictSame(all("select id from people where id = 'cleo'"), [])
    t.strictSame(all('select id from kanban_items'), ['mine item'])
  }
  t.end()
})

t.test('an unfinished deletion is completed', (t) => {
  for (const isUndo of [false, true]) {
    const { all, last, changes } = file(t, (client, newest) => {
      client.exec(`insert into projects (id, name) values ('gone', 'Gone'); ${RECORDS('gone')}
        insert into personal_ideas (id, owner_id, title, promoted_project_id) values ('idea', 'ada', 'Fly', 'gone')`)
      const since = newest()
      const record = client.prepare("select record from changes_of_projects where id = 'gone'").pluck().get()
      const task = {
        ...{ kind: 'deletion', id: 'lock', projects: [{ id: 'gone', record }], actorId: 'ada' },
        ...{ by: { id: 'ada', address: '127.0.0.1' }, isUndo },
      }
      client.exec(`
        update projects set id = 'aside' where id = 'gone'; delete from projects where id = 'aside';
        delete from changes where seq > ${since};
        insert into hidden_projects (project_id, "write") values ('gone', 1);
        delete from kanban_comments where id = 'gone comment'`)
      client.prepare('insert into large_writes (number, task) values (1, ?)').run(JSON.stringify(task))
      stage(client, 1, since)
    })
    const theirs = changes.filter(({ seq }) => seq > last)
    t.strictSame(theirs.map(({ kind, id, action }) => `${kind} ${id} ${action}`).toSorted(), [
      'kanban-activity gone entry deleted',
      'kanban-column gone column deleted',
      'kanban-comment gone comment deleted',
      'kanban-item gone item deleted',
      'kanban-item-label gone item:gone label deleted',
      'kanban-label gone label deleted',
      'personal-idea idea updated',
      'project gone deleted',
    ])
    t.strictSame(
      [...new Set(theirs.map(({ actor_id, group }) => `${actor_id} ${group}`))],
      [`ada ${last + 1}`],
    )
    t.strictSame(all('select promoted_project_id from personal_ideas'), [null])
    t.strictSame(all('select id from kanban_items'), ['mine item'])
    t.strictSame(all("select actor || ' ' || subject || ' ' || address from audit_log"), [
      'Ada Gone 127.0.0.1',
    ])
    t.strictSame(all("select first || '-' || last from quiet_changes"), [
      `${last + 1}-${last + theirs.length}`,
    ])
  }
  t.end()
})
