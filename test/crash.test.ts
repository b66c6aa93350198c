import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { crash } from './crash.ts'
import { compare, type Fields, type Kind, type Model, readState, settle } from './crash-model.ts'

const ROUNDS = 2
const WRITES = 400
const NOTHING = { unanswered: 0, problems: [] }
const NEVER = Number.POSITIVE_INFINITY

const folder = t.testdir()
const file = join(folder, 'board.db')
let model: Model

t.test('kill -9 loses no acknowledged write, and leaves none half-written', async (t) => {
  const seed = Math.ceil(Math.random() * 1e8)
  const again = `again with: npm run test:crash -- --rounds ${ROUNDS} --writes ${WRITES} --seed ${seed}`
  const report = await crash(t, { file, rounds: ROUNDS, mostWrites: WRITES, seed })
  model = report.model
  t.strictSame(report.problems, [], again)
  t.equal(report.rounds.length, ROUNDS, again)
  for (const round of report.rounds) t.comment(`seed ${seed}: ${JSON.stringify(round)}`)
})

let copies = 0

/** The problems after tampering with a copy of the file, and perhaps with the model. */
function look(sql: string, prepare: (model: Model) => void = () => undefined) {
  copies += 1
  const copy = join(folder, `${copies}.db`)
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
  const client = new SQLite(copy)
  client.unsafeMode()
  client.pragma('foreign_keys = off')
  client.exec(sql)
  client.close()
  const { state, problems } = readState(copy)
  const memory = structuredClone(model)
  prepare(memory)
  const settled = settle(memory, state)
  return { state, found: { ...settled, problems: [...problems, ...settled.problems] } }
}

/** A record that only one client writes, and a shared item. */
function examples() {
  const own = (kind: Kind) => {
    for (const { number, known } of model.clients) {
      for (const record of known.values()) if (record.kind === kind) return { owner: number, ...record }
    }
    throw new Error(`no ${kind} was written`)
  }
  const [shared] = [...model.shared.known.values()].toSorted(
    (one, other) => other.chains.priority.length - one.chains.priority.length,
  )
  if (!shared) throw new Error('nothing shared was written')
  return { own, shared }
}

t.test('lost, restored and changed records are detected', async (t) => {
  const { own, shared } = examples()
  const id = ({ fields }: { fields: Fields }) => `'${fields.id}'`
  const item = id(own('item'))
  const priorities = `from kanban_activity where item_id = ${id(shared)} and type = 'priority'`
  t.strictSame(look('').found, NOTHING)
  const tamperings: [string, RegExp][] = [
    [`delete from kanban_subtasks where id = ${id(own('subtask'))}`, /^lost: subtask/],
    [`delete from kanban_items where id = ${item}`, /^lost: item/],
    [
      `update kanban_activity set item_id = 'nothing' where item_id = ${id(shared)}`,
      /^foreign_key_check: .*kanban_activity/,
    ],
    [`delete from changes where id = ${item}`, /^the sequence of changes does not tell the file/],
    [`insert into personal_ideas (id, owner_id, title) values ('new', 'local', 'other')`, /^not gone.*other/],
    [`update kanban_items set title = 'other' where id = ${item}`, /^not as acknowledged: item .*"other"/],
    [
      `update kanban_items set priority = 'other' where id = ${id(shared)}`,
      /^half-written: priority of item/,
    ],
    [
      `delete from kanban_activity where rowid = (select max(rowid) ${priorities})`,
      /^half-written: priority of item/,
    ],
    [
      `delete from kanban_activity where rowid = (select min(rowid) ${priorities})`,
      /^not as acknowledged: priority of item/,
    ],
    [
      `update kanban_activity set metadata = json_set(metadata, '$.from', 'other')
       where rowid = (select max(rowid) ${priorities})`,
      /^broken log: priority of item .* from other/,
    ],
    [
      `insert into kanban_columns (id, project_id, name) values ('new', '${shared.parent}', 'other')`,
      /^half-written: project .*other/,
    ],
    [
      `delete from kanban_columns where project_id = '${shared.parent}' and name = 'Review'`,
      /^half-written: project/,
    ],
    [
      `create temp table roots as select name, rootpage from sqlite_schema
       where name in ('kanban_items_due', 'kanban_items_source');
       pragma writable_schema = on;
       update main.sqlite_schema set rootpage = (select rootpage from roots where roots.name <> sqlite_schema.name)
       where name in (select name from roots)`,
      /^integrity_check: /,
    ],
  ]
  for (const [sql, problem] of tamperings) {
    const { problems } = look(sql).found
    t.ok(
      problems.some((text) => problem.test(text)),
      sql,
      { problems },
    )
  }
})

/** The SQL that changes an item, completely unless parts are excluded. */
function changing({ fields: before }: { fields: Fields }, fields: Fields, leftOut: string[] = []): string {
  const types: Record<string, string> = {
    column: 'status_change',
    assigneeId: 'assignment',
    priority: 'priority',
  }
  const entries = Object.entries(fields).map(([name, to]) =>
    leftOut.includes(`entry of ${name}`)
      ? ''
      : `insert into kanban_activity (id, item_id, type, metadata) values (hex(randomblob(16)), '${before.id}',
         '${types[name]}', json_object('from', '${before[name] ?? ''}', 'to', '${to}'));`,
  )
  const { column, assigneeId, priority } = { ...before, ...fields, ...(leftOut.includes('record') && before) }
  return `${entries.join('\n')}
    update kanban_items set "column" = '${column}', assignee_id = nullif('${assigneeId ?? ''}', ''),
    priority = '${priority}' where id = '${before.id}'`
}

t.test('a write in flight has happened completely or not at all', async (t) => {
  const { own } = examples()
  const item = own('item')
  const fields = { assigneeId: 'other', priority: 'other' }
  const inFlight = ({ clients }: Model) => {
    for (const client of clients) {
      if (client.number !== item.owner) continue
      client.pending = { method: 'PATCH', kind: 'item', target: String(item.fields.id), fields }
    }
  }
  t.strictSame(look('', inFlight).found, NOTHING)
  t.strictSame(look(changing(item, fields), inFlight).found, { ...NOTHING, unanswered: 1 })
  t.match(look(changing(item, fields)).found.problems, [/^not as acknowledged/], 'nobody asked for it')
  for (const leftOut of ['record', 'entry of assigneeId', 'entry of priority']) {
    const { problems } = look(changing(item, fields, [leftOut]), inFlight).found
    t.match(problems, [/^(half-written|not as acknowledged)/], `without the ${leftOut}`)
  }
  const { problems } = look(changing(item, { priority: 'other' }), inFlight).found
  t.match(problems, [/^half-written: PATCH/], 'without one of the fields')

  const column = item.fields.column === 'Done' ? 'Review' : 'Done'
  const moving = (position?: 'top') => (model: Model) => {
    inFlight(model)
    for (const { pending } of model.clients) {
      if (pending) Object.assign(pending, { fields: { column }, ...(position && { position }) })
    }
  }
  const moved = `${changing(item, { column })}; update kanban_items set sort_order = -9 where id = '${item.fields.id}'`
  t.strictSame(look(moved, moving('top')).found, { ...NOTHING, unanswered: 1 }, 'a move chooses the place')
  t.match(look(moved, moving()).found.problems, [/^half-written: PATCH/], 'a change does not')
})

t.test('shared records end with the last acknowledged change', async (t) => {
  const { shared } = examples()
  const target = String(shared.fields.id)
  const fields = (name: string) => ({ column: 'Done', assigneeId: name, priority: name })
  const sent = (answered: number) => (model: Model) => {
    const write = { method: 'PATCH', kind: 'item', target } as const
    model.sharedChanges.push({ ...write, fields: fields('one'), sent: 1, answered })
    model.sharedChanges.push({ ...write, fields: fields('other'), sent: 3, answered: 4 })
  }
  const log = (...names: string[]) => {
    let before = shared.fields
    return names
      .map((name) => {
        const { column, ...changed } = fields(name)
        const sql = changing({ fields: before }, before.column === column ? changed : { column, ...changed })
        before = { ...before, ...changed, column }
        return sql
      })
      .join(';\n')
  }
  t.strictSame(look(log('one', 'other'), sent(2)).found, NOTHING)
  t.match(look(log('other', 'one'), sent(2)).found.problems, [/^out of order: PATCH .*"other"/])
  t.match(look(log('other'), sent(2)).found.problems, [/^lost: PATCH .*"one"/])
  t.strictSame(look(log('other', 'one'), sent(NEVER)).found, { ...NOTHING, unanswered: 1 })
  t.strictSame(look(log('other'), sent(NEVER)).found, NOTHING)
})

t.test("the service's responses match the file", async (t) => {
  const { state } = look('')
  const records = [...state.rows.values()].map(({ fields }) => fields)
  t.strictSame(compare(state, records), [])
  t.match(compare(state, records.slice(1)), [/^not shown/])
  t.match(compare(state, [{ ...records[0], sortOrder: -1 }, ...records.slice(1)]), [/^shown differently/])
})
