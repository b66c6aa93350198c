/** The rules of undo by themselves, on a small file without a server. */
import t from 'tap'
import { attributionOf } from '../../src/db/current-write.ts'
import { TooMuchWork, withinWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/requests/rules.ts'
import { openTestDatabase } from '../database.ts'
import { planOf, watchPrepared } from '../query-plans.ts'

const ADMIN = { id: 'ada', name: 'Ada', email: null, role: 'admin' as const }
const BY = { id: 'ada', address: null }
const OLD = '2001-01-01T00:00:00.000Z'

/** A project with the columns To Do, Doing and Done, and an item `a` in To Do. */
function board(t: Parameters<typeof openTestDatabase>[0]) {
  const db = openTestDatabase(t)
  const rules = createRules(db)
  const { $client: client } = db
  const attribution = attributionOf(db)
  /** Runs a write. @returns the number of its last change */
  const write = (work: () => unknown): number => {
    client.transaction(() => {
      attribution.begin()
      attribution.run('ada', () => void work())
    })()
    return rules.changes.sequence.last()
  }
  const exec = (sql: string) => write(() => client.exec(sql))
  const undo = (seq: number | string) => write(() => rules.changes.undo.group(String(seq), ADMIN, BY))
  const value = (sql: string) => client.prepare(sql).pluck().get()
  exec(`insert into projects (id, name) values ('p', 'P');
    insert into kanban_columns (id, project_id, name, sort_order)
      values ('1', 'p', 'To Do', 1), ('2', 'p', 'Doing', 2), ('3', 'p', 'Done', 3);
    insert into kanban_items (id, project_id, title, "column", sort_order, updated_at) values ('a', 'p', 'A', 'To Do', 1, '${OLD}')`)
  return { ...rules, client, db, write, exec, undo, value }
}

const manyLabels = (count: number, name: string) =>
  `insert into kanban_labels (id, project_id, name)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select '${name}' || i, 'p', '${name}' || i from n`

t.test('the number of a change has one form', async (t) => {
  const { exec, undo, value } = board(t)
  const seq = exec("update kanban_items set title = 'B'")
  for (const text of [`${seq}.0`, `0${seq}`, ` ${seq}`, `+${seq}`])
    t.throws(() => undo(text), { statusCode: 404, message: 'Change not found' }, text)
  undo(seq)
  t.equal(value('select title from kanban_items'), 'A')
})

t.test('a small undo reads no more of a long sequence', async (t) => {
  const preparedBy = watchPrepared(t)
  const { client, exec, undo } = board(t)
  undo(exec("update kanban_items set title = 'B'"))
  const plans = preparedBy(client)
    .filter((sql) => /quiet_changes|update changes/.test(sql))
    .map((sql) => planOf(client, sql))
  t.ok(plans.length >= 2)
  for (const plan of plans) for (const step of plan) t.notMatch(step, /^SCAN changes/)
})

t.test('an undo of too many records is refused with their number', async (t) => {
  const { client, exec, write, changes, value } = board(t)
  const undo = (seq: number, most: number) => write(() => changes.undo.group(String(seq), ADMIN, BY, most))
  const tooMuch = (records: number) => ({
    statusCode: 413,
    message: 'Too much to undo',
    details: { records },
  })
  const large = exec(manyLabels(30, 'large'))
  exec("update kanban_items set title = 'B'")
  t.throws(() => undo(large, 29), tooMuch(30))
  t.throws(() => undo(large - 29, 29), tooMuch(30), 'whichever change is named')
  t.equal(value('select count(*) from kanban_labels'), 30)
  t.doesNotThrow(() => undo(large, 30), 'what comes after it is another write')
  const twice = exec(`${manyLabels(20, 'twice')}; update kanban_labels set color = 'red'`)
  t.doesNotThrow(() => undo(twice, 20), 'each record counts once')
  const people = exec(`${manyLabels(20, 'theirs')};
    insert into people (id, name, kind) values ('p1', 'One', 'import'), ('p2', 'Two', 'import')`)
  t.doesNotThrow(() => undo(people, 20), 'people stay')
  // Another tool's writes have no group: those of one moment belong together.
  client.exec(manyLabels(30, 'other'))
  const foreign = changes.sequence.last()
  t.throws(() => undo(foreign, 29), tooMuch(30))
  client.exec(`update changes set at = '${OLD}' where seq = ${foreign}`)
  t.doesNotThrow(() => undo(foreign - 1, 29))
})

t.test('an item with much activity is not deleted at once', async (t) => {
  const { db, client, exec, undo, value } = board(t)
  const created = exec("insert into kanban_items (id, project_id, title) values ('b', 'p', 'B')")
  client.exec(`insert into kanban_activity (id, item_id, type, metadata)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 101) select 'a' || i, 'b', 'priority', '{}' from n`)
  t.throws(() => withinWork(db, 1, () => undo(created)), TooMuchWork)
  undo(created)
  t.equal(value("select count(*) from kanban_items where id = 'b'"), 0)
})

t.test('an unexpected failure stays one', async (t) => {
  const { client, exec, undo } = board(t)
  const seq = exec("update kanban_items set priority = 'high'")
  client.exec('pragma legacy_alter_table = on; alter table kanban_activity rename to broken')
  t.throws(() => undo(seq), { message: /no such table/ })
})

t.test('claims follow a column that gets its former name, and nothing else', async (t) => {
  const { exec, undo, value } = board(t)
  exec(`update kanban_items set claimed_until = '2999-01-01T00:00:00.000Z', assignee_id = 'ada', "column" = 'Doing',
    claimed_from = '{"column":"Next","sortOrder":1}'`)
  const renamed = exec("update kanban_columns set name = 'Next' where id = '1'")
  undo(renamed)
  const origin = "select claimed_from ->> 'column' from kanban_items"
  t.equal(value(origin), 'To Do')
  const project = exec("update projects set name = 'To Do'")
  undo(project)
  t.equal(value('select name from projects'), 'P')
  t.equal(value(origin), 'To Do', 'the name of a project is none of a column')
})

t.test('a cover goes with its attachment', async (t) => {
  const { exec, undo, value } = board(t)
  const attach = (id: string) =>
    exec(
      `insert into attachments (id, item_id, name, media_type) values ('${id}', 'a', 'Image', 'image/png')`,
    )
  const cover = 'select cover_id from kanban_items'
  const attached = attach('one')
  exec("update kanban_items set cover_id = 'one'")
  undo(attached)
  t.equal(value(cover), null, 'it is deleted')
  attach('two')
  exec("update kanban_items set cover_id = 'two'")
  const removed = exec('update kanban_items set cover_id = null')
  undo(removed)
  t.equal(value(cover), 'two')
  const again = exec('update kanban_items set cover_id = null')
  exec('delete from attachments')
  undo(again)
  t.equal(value(cover), null, 'it was deleted since')
})

t.test('an item gets its former column back, which may be gone', async (t) => {
  const { exec, undo, value } = board(t)
  const columns = "select group_concat(name, ' ' order by name) from kanban_columns"
  exec(`update kanban_items set "column" = 'Old'`)
  const titled = exec("update kanban_items set title = 'B'")
  undo(titled)
  t.equal(value(columns), 'Doing Done To Do', 'only if its column changes')
  const moved = exec(`update kanban_items set "column" = 'Doing'`)
  undo(moved)
  t.equal(value('select "column" from kanban_items'), 'Old')
  t.equal(value(columns), 'Doing Done Old To Do')
})
