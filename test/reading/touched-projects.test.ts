import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import t, { type Test } from 'tap'
import type { SharedDatabase } from '../../src/db/client.ts'
import * as schema from '../../src/db/schema.ts'
import { createSnapshots } from '../../src/reading/snapshots.ts'
import { watchProjects } from '../../src/reading/touched-projects.ts'
import { createRules } from '../../src/requests/rules.ts'
import { ref } from '../../src/schemas/common.ts'
import { ProjectSchema } from '../../src/schemas/records.ts'
import { createSerializer } from '../../src/schemas/serialization.ts'
import { openTestDatabase } from '../database.ts'

const PROJECTS = ['a', 'b'] as const
type ProjectId = (typeof PROJECTS)[number]
const serialize = createSerializer(ref(ProjectSchema))

interface Column {
  /** The column's name in SQL. */
  name: string
  column: SQLiteColumn
  /** The table that it references. */
  refersTo: SQLiteTable | undefined
}

const columnsOf = (table: SQLiteTable): Column[] => {
  const references = getTableConfig(table).foreignKeys.map((key) => key.reference())
  return Object.values(getTableColumns(table) as Record<string, SQLiteColumn>).map((column) => ({
    name: column.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    column,
    refersTo: references.find(({ columns }) => columns.includes(column))?.foreignTable,
  }))
}

/** Tables that triggers fill, and tables without records. */
const NOT_RECORDS: SQLiteTable[] = [schema.changes, schema.changesPending, schema.changeSubjects]

function tablesInOrder(): SQLiteTable[] {
  const all = Object.values(schema).filter((value) => is(value, SQLiteTable))
  const rest = new Set<SQLiteTable>(all.filter((table) => !NOT_RECORDS.includes(table)))
  const inOrder: SQLiteTable[] = []
  while (rest.size > 0) {
    for (const table of rest) {
      const isReady = columnsOf(table).every(
        ({ refersTo }) => refersTo === undefined || refersTo === table || inOrder.includes(refersTo),
      )
      if (!isReady) continue
      inOrder.push(table)
      rest.delete(table)
    }
  }
  return inOrder
}

type Row = Record<string, string | number>

/** The project's row in a table. Every table has one for each project. */
function rowOf(table: SQLiteTable, project: ProjectId): Row {
  const hasNumbers = (target: SQLiteTable) =>
    columnsOf(target).some(({ name, column }) => name === 'id' && column.dataType === 'number')
  const idOf = (target: SQLiteTable) => {
    if (target === schema.projects) return project
    // Not 1, which columns get as another value.
    return hasNumbers(target) ? PROJECTS.indexOf(project) + 10 : `${getTableName(target)} of ${project}`
  }
  const value = ({ name, column, refersTo }: Column): string | number => {
    if (refersTo) return idOf(refersTo)
    if (name === 'id') return idOf(table)
    if (column.enumValues?.[0] !== undefined) return column.enumValues[0]
    if (column.primary && column.dataType === 'number') return PROJECTS.indexOf(project)
    if (column.dataType === 'number' || column.dataType === 'boolean') return 0
    if (column.dataType === 'custom') return '[]'
    return `${name} of ${project}`
  }
  return Object.fromEntries(columnsOf(table).map((column) => [column.name, value(column)]))
}

/** New values for a column. */
function othersFor({ column, refersTo }: Column, old: unknown, other: ProjectId): unknown[] {
  if (refersTo) return [rowOf(refersTo, other).id]
  if (column.dataType === 'number' || column.dataType === 'boolean') return [1]
  if (column.dataType === 'custom') return ['["changed"]', '{"changed":true}']
  return column.notNull ? [`${old} changed`] : [`${old} changed`, null]
}

const isConstraint = (error: unknown) =>
  error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')

t.test('after a change of any row in any table, no response is stale', async (t) => {
  const db = openTestDatabase(t)
  const { $client: client } = db
  const { projects, board } = createRules(db)
  const snapshots = createSnapshots(db, projects, board.items, 1_000_000)
  const tables = tablesInOrder()
  // Compiling a statement with its triggers takes many times as long as running it.
  const prepared = new Map<string, SQLite.Statement>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? client.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  const insert = (table: SQLiteTable, row: Row) => {
    const names = Object.keys(row)
    return prepare(
      `insert into ${getTableName(table)} (${names.map((name) => `"${name}"`).join()})
       values (${names.map(() => '?').join()})`,
    ).run(...Object.values(row))
  }
  const keyOf = (table: SQLiteTable, row: Row) => {
    const primary = columnsOf(table).filter(({ column }) => column.primary)
    const names = primary.length > 0 ? primary.map(({ name }) => name) : Object.keys(row)
    return {
      where: names.map((name) => `"${name}" = ?`).join(' and '),
      key: names.map((name) => row[name]),
    }
  }
  function restore(): void {
    for (const table of tables.toReversed()) prepare(`delete from ${getTableName(table)}`).run()
    for (const table of tables) for (const project of PROJECTS) insert(table, rowOf(table, project))
  }
  const fresh = (id: string) => projects.getMany([id]).map(serialize).join()
  const kept = (id: string) => {
    try {
      return snapshots.project(id).body
    } catch {
      return ''
    }
  }
  const list = () => snapshots.list({}).body.toString()

  const shown = new Set<string>()
  /** Runs a write, and compares every project before and after. */
  function check(table: SQLiteTable, what: string, isOfOneProject: boolean, work: () => unknown): boolean {
    const before = { a: kept('a'), b: kept('b'), list: list() }
    const content = { a: fresh('a'), b: fresh('b') }
    try {
      work()
    } catch (error) {
      if (isConstraint(error)) return false
      throw error
    }
    const name = `${what} ${getTableName(table)}`
    for (const id of PROJECTS) {
      const now = fresh(id)
      if (now !== content[id]) shown.add(getTableName(table))
      t.equal(`${kept(id)}`, now, `${name}: ${id} is as the database has it`)
    }
    t.equal(
      list(),
      `[${projects.idsOf({}).map(fresh).join()}]`,
      `${name}: the list is as the database has it`,
    )
    if (isOfOneProject) t.equal(kept('b'), before.b, `${name}: the other project is kept`)
    return true
  }

  for (const table of tables) {
    const row = rowOf(table, 'a')
    const { where, key } = keyOf(table, row)
    restore()
    check(table, 'delete from', true, () =>
      client.prepare(`delete from ${getTableName(table)} where ${where}`).run(...key),
    )
    check(table, 'insert into', true, () => insert(table, row))
    let updates = 0
    for (const column of columnsOf(table)) {
      for (const value of othersFor(column, row[column.name], 'b')) {
        restore()
        const update = client.prepare(`update ${getTableName(table)} set "${column.name}" = ? where ${where}`)
        const isDone = check(table, `set ${column.name} = ${value} in`, !column.refersTo, () =>
          update.run(value, ...key),
        )
        if (isDone) updates++
      }
    }
    t.ok(updates > 0, `${getTableName(table)}: there were updates`)
  }
  const known = [
    'projects',
    'kanban_items',
    'kanban_subtasks',
    'kanban_labels',
    'kanban_item_labels',
    'transcript_summaries',
    'metrics',
    'objectives',
    'team_assignments',
  ]
  t.strictSame(
    known.filter((name) => !shown.has(name)),
    [],
    'the writes were of a kind that shows',
  )
})

/** A database with three projects, each with an item that has a subtask and a label, and the projects touched since. */
function setUp(t: Test, url = ':memory:') {
  const db = openTestDatabase(t, url)
  const { $client: client } = db
  for (const id of ['a', 'b', 'c']) {
    client.exec(`
      insert into projects (id, name) values ('${id}', 'Apollo');
      insert into kanban_items (id, project_id, title) values ('${id}-item', '${id}', 'Card');
      insert into kanban_subtasks (id, item_id, title) values ('${id}-step', '${id}-item', 'Step');
      insert into kanban_labels (id, project_id, name) values ('${id}-label', '${id}', 'Bug');
      insert into kanban_item_labels (item_id, label_id) values ('${id}-item', '${id}-label');
      insert into objectives (id, project_id, title) values ('${id}-goal', '${id}', 'Land');
      insert into kanban_columns (id, project_id, name) values ('${id}-column', '${id}', 'To Do');
      insert into kanban_comments (id, item_id, author_id, content) values ('${id}-comment', '${id}-item', 'x', 'Hm');
      insert into kanban_activity (id, item_id, type) values ('${id}-activity', '${id}-item', 'priority');
    `)
  }
  const touched = new Set<string>()
  const touchedItems = new Set<string>()
  watchProjects(db, (id, itemId) => {
    touched.add(id)
    touchedItems.add(`${id} ${itemId}`)
  })
  /** Runs SQL. @returns the projects that it touched, in order */
  const touches = (sql: string) => {
    touched.clear()
    client.exec(sql)
    return [...touched].sort().join('')
  }
  return { db, client, touched, touchedItems, touches }
}

t.test('a write marks the projects of its rows, and no others', async (t) => {
  const { touches } = setUp(t)
  const expected: [string, string][] = [
    ["update projects set name = 'Gemini' where id = 'b'", 'b'],
    ["update projects set name = name where id = 'b'", 'b'],
    ["update projects set name = 'Gemini' where id = 'none'", ''],
    ["update kanban_items set dismissed = 1 where project_id in ('a', 'c')", 'ac'],
    ["update kanban_subtasks set completed = 1 where id = 'c-step'", 'c'],
    ["update kanban_labels set color = 'red' where id = 'a-label'", 'a'],
    ["update kanban_items set project_id = 'b' where id = 'a-item'", 'ab'],
    ["update kanban_subtasks set item_id = 'c-item' where id = 'b-step'", 'bc'],
    ["update objectives set project_id = 'a' where id = 'c-goal'", 'ac'],
    ["insert into metrics (id, project_id, name, value) values ('m', 'b', 'Velocity', 1)", 'b'],
    [
      "insert into metrics (id, project_id, name, value) values ('m', 'c', 'x', 1) on conflict do update set project_id = 'c'",
      'bc',
    ],
    ["insert into projects (id, name) values ('d', 'New')", 'd'],
    ['delete from metrics', 'c'],
    ["delete from kanban_items where id = 'c-item'", 'c'],
    ["delete from projects where id = 'd'", 'd'],
    ['delete from kanban_item_labels', 'b'],
    ['delete from projects', 'abc'],
  ]
  for (const [sql, ids] of expected) t.equal(touches(sql), ids, sql)
})

t.test('columns that no response shows mark nothing', async (t) => {
  const { touches } = setUp(t)
  for (const sql of [
    "insert into kanban_activity (id, item_id, type) values ('x', 'a-item', 'priority')",
    "update kanban_activity set content = 'x'",
    'delete from kanban_activity',
    "insert into kanban_comments (id, item_id, author_id, content) values ('x', 'a-item', 'ada', 'Hm')",
    "update kanban_comments set content = 'x'",
    'delete from kanban_comments',
    "insert into kanban_columns (id, project_id, name) values ('x', 'a', 'Blocked')",
    "update kanban_columns set color = 'red'",
    'delete from kanban_columns',
    "insert into personal_ideas (id, owner_id, title, promoted_project_id) values ('x', 'ada', 'Fly', 'a')",
    "insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test')",
    "update members set name = 'Ada L.'",
    "insert into teams (id, name) values ('ops', 'Ops')",
    "insert into team_members (team_id, member_id) values ('ops', 'ada')",
    "insert into api_tokens (id, member_id, name, token_hash) values ('t', 'ada', 'CI', 'x')",
    'delete from members',
  ]) {
    t.equal(touches(sql), '', sql)
  }
})

t.test('cascading deletions mark their project', async (t) => {
  const { touches } = setUp(t)
  t.equal(touches("delete from kanban_labels where id = 'b-label'"), 'b')
  t.equal(touches("delete from kanban_items where project_id = 'a'"), 'a')
  t.equal(touches("delete from projects where id = 'c'"), 'c')
})

t.test('a rolled-back write may mark projects, too', async (t) => {
  const { touches } = setUp(t)
  t.equal(touches("begin; update projects set name = 'x' where id = 'a'; rollback"), 'a')
})

t.test('a change of a label marks every project with an item that has it', async (t) => {
  const { client, touches } = setUp(t)
  // An item that another tool moves keeps its labels.
  client.exec("update kanban_items set project_id = 'b' where id = 'a-item'")
  t.equal(touches("update kanban_labels set name = 'Defect' where id = 'a-label'"), 'ab')
})

t.test("a change of an item's part marks only that item", async (t) => {
  const { client, touchedItems } = setUp(t)
  const touches = (sql: string) => {
    touchedItems.clear()
    client.exec(sql)
    return [...touchedItems].toSorted()
  }
  t.strictSame(touches("update kanban_items set title = 'x' where id = 'a-item'"), ['a a-item'])
  t.strictSame(touches("update kanban_subtasks set title = 'x' where item_id = 'a-item'"), ['a a-item'])
  t.strictSame(touches("delete from kanban_item_labels where item_id = 'a-item'"), ['a a-item'])
  t.strictSame(touches("update kanban_items set project_id = 'b' where id = 'a-item'"), [
    'a a-item',
    'b a-item',
  ])
  t.strictSame(touches("update projects set name = 'x' where id = 'a'"), ['a null'])
  t.strictSame(touches("update objectives set title = 'x' where project_id = 'a'"), ['a null'])
})

t.test('other connections do not see or need the tracking', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { client, touched } = setUp(t, `file:${path}`)
  const other = new SQLite(path)
  t.teardown(() => other.close())
  const inFile = "select count(*) from sqlite_schema where type = 'trigger' and name like 'touched%'"
  t.equal(client.prepare(inFile).pluck().get(), 0)
  touched.clear()
  other.exec("update projects set name = 'Gemini'; delete from kanban_items")
  t.strictSame([...touched], [])
})

t.test('tables recreated by another connection are still tracked', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { client, touches } = setUp(t, `file:${path}`)
  const other = new SQLite(path)
  t.teardown(() => other.close())
  const names = [...tablesInOrder().map(getTableName)]
  const rename = (from: string, to: string) =>
    other.exec(`pragma legacy_alter_table = on; alter table ${from} rename to ${to}`)
  for (const isUsedMeanwhile of [false, true]) {
    for (const name of names) {
      rename(name, `away_${name}`)
      if (isUsedMeanwhile) t.throws(() => client.exec(`delete from ${name}`), { message: /no such table/ })
      rename(`away_${name}`, name)
    }
    t.equal(touches("update projects set name = 'x' where id = 'a'"), 'a')
    t.equal(touches("update kanban_items set title = 'x' where id = 'b-item'"), 'b')
    t.equal(touches("update kanban_subtasks set title = 'x' where id = 'c-step'"), 'c')
    t.equal(touches("update kanban_labels set name = 'x' where id = 'a-label'"), 'a')
    t.equal(touches("update objectives set title = 'x'"), 'abc')
  }
  // Migrations rebuild tables like this.
  other.exec(`
    create table new_objectives as select * from objectives;
    drop table objectives;
    alter table new_objectives rename to objectives`)
  t.equal(touches("update objectives set title = 'y' where project_id = 'b'"), 'b')
})

t.test('two handles on one file track separately', async (t) => {
  const url = `file:${join(t.testdir(), 'board.db')}`
  const first = setUp(t, url)
  const db = openTestDatabase(t, url)
  const touchedBySecond: string[] = []
  watchProjects(db as SharedDatabase, (id) => touchedBySecond.push(id))
  t.equal(first.touches("update projects set name = 'x' where id = 'a'"), 'a')
  t.strictSame(touchedBySecond, [])
})

t.test('triggers of other tools work as without the tracking', async (t) => {
  const { client, touches } = setUp(t)
  client.exec(`
    create trigger stamp_projects after update on projects begin
      update projects set updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') where id = new.id;
    end;
    create trigger number_items after update on kanban_items begin
      update kanban_items set source_id = source_id + 1 where id = new.id;
    end`)
  t.doesNotThrow(() => touches("update projects set name = 'x' where id = 'a'"))
  t.doesNotThrow(() => touches("update kanban_items set title = 'x' where id = 'a-item'"))
  t.equal(client.prepare("select source_id from kanban_items where id = 'a-item'").pluck().get(), '1')
})
