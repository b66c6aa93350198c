import { deepStrictEqual } from 'node:assert'
import { asc, eq, getTableColumns, getTableName, is, sql } from 'drizzle-orm'
import { type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { SharedDatabase } from '../../src/db/client.ts'
import * as schema from '../../src/db/schema.ts'
import {
  amongIds,
  deleteFrom,
  existsIn,
  type Identified,
  insertInto,
  insertReturning,
  selectAll,
  selectById,
  selectOne,
  updateIn,
} from '../../src/db/statements.ts'
import { openTestDatabase } from '../database.ts'
import { watch } from '../executions.ts'
import { rounds, steady } from '../rounds.ts'

const tables: SQLiteTable[] = Object.values(schema).filter((value) => is(value, SQLiteTable))

const tablesWithId = tables.filter(
  (table): table is Identified =>
    'id' in table && (table.id as SQLiteColumn).primary && (table.id as SQLiteColumn).dataType === 'string',
)

/** A database without foreign keys, so that rows need no parents. */
function open(t: Test): SharedDatabase {
  const db = openTestDatabase(t)
  db.$client.pragma('foreign_keys = off')
  // They mend what these tests write.
  db.$client.exec('drop trigger assignees_insert; drop trigger assignees_update')
  return db
}

/** Tables without a rowid. */
const ROWLESS: SQLiteTable[] = [schema.changeSubjects, schema.changesPending, schema.memberIdentities]

const rawRows = (db: SharedDatabase, table: SQLiteTable) =>
  db.$client
    .prepare(`select * from ${getTableName(table)} order by ${ROWLESS.includes(table) ? '1, 2' : 'rowid'}`)
    .all()

const empty = (db: SharedDatabase, table: SQLiteTable) => db.delete(table).run()

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
)
const json = fc.jsonValue({ maxDepth: 2 })

/** What other tools may have stored in a column, as SQL. */
function storedIn(column: SQLiteColumn): fc.Arbitrary<unknown> {
  const { dataType, columnType } = column
  const value: fc.Arbitrary<unknown> =
    columnType === 'SQLiteReal'
      ? fc.double({ noNaN: true })
      : dataType === 'boolean'
        ? fc.constantFrom(0, 1, 2)
        : dataType === 'number'
          ? fc.integer()
          : dataType === 'custom'
            ? fc.oneof(
                json.map((value) => JSON.stringify(value)),
                fc.constantFrom('', '{', '[]', '{}', 'null'),
              )
            : anyText
  return column.notNull ? value : fc.option(value)
}

/** What the service may write into a column. */
function writtenTo(column: SQLiteColumn): fc.Arbitrary<unknown> {
  const { dataType, columnType } = column
  if (columnType === 'SQLiteReal') return fc.double({ noNaN: true })
  if (dataType === 'boolean') return fc.boolean()
  if (dataType === 'number') return fc.integer()
  if (dataType === 'custom')
    return fc.oneof(fc.array(json), fc.dictionary(fc.string(), json, { noNullPrototype: true }))
  return column.notNull ? anyText : fc.option(anyText)
}

const columnsOf = (table: SQLiteTable) => Object.entries(getTableColumns(table)) as [string, SQLiteColumn][]

const recordOf = (table: SQLiteTable, arbitrary: (column: SQLiteColumn) => fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries(columnsOf(table).map(([name, column]) => [name, arbitrary(column)])), {
    noNullPrototype: true,
  })

/** Rows of a table, with any subset of the optional fields. */
const insertable = (table: SQLiteTable) => {
  const isRequired = (column: SQLiteColumn) => column.primary || (column.notNull && !column.hasDefault)
  const fields = columnsOf(table)
  return fc.record(Object.fromEntries(fields.map(([name, column]) => [name, writtenTo(column)])), {
    requiredKeys: [...fields.filter(([, column]) => isRequired(column)).map(([name]) => name)],
    noNullPrototype: true,
  })
}

/** Replaces values that depend on the time of writing. */
const timeless = (rows: unknown) =>
  JSON.parse(JSON.stringify(rows, (_, value) => (isRecent(value) ? 'now' : value)))
const isRecent = (value: unknown) =>
  typeof value === 'string' &&
  /^20\d\d-\d\d-\d\dT[\d:.]+Z$/.test(value) &&
  Date.now() - Date.parse(value) < 60_000

/** Stores a row like another tool. @returns whether the table accepted it */
function store(db: SharedDatabase, table: SQLiteTable, row: Record<string, unknown>): boolean {
  const columns = columnsOf(table).map(([name, column]) => [name, columnName(column)] as const)
  const statement = db.$client.prepare(
    `insert or ignore into ${getTableName(table)} (${columns.map(([, name]) => `"${name}"`).join()})
     values (${columns.map(() => '?').join()})`,
  )
  return statement.run(...columns.map(([name]) => row[name])).changes > 0
}
const columnName = (column: SQLiteColumn) =>
  column.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The row of a table, read by the schema. */
const rowOf = (db: SharedDatabase, table: (typeof tablesWithId)[number], id: string) =>
  selectById(db, table)(id)

/** The result of an operation. A violated unique column counts as the same for both. */
function attempt(work: () => unknown): unknown {
  try {
    work()
    return 'done'
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** What a response can represent of a number. */
const finite = (value: unknown) =>
  typeof value === 'number' ? Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE)) : value

t.test('prepared rows equal those of Drizzle, except missing JSON text and infinite numbers', async (t) => {
  const db = open(t)
  for (const table of tables) {
    const asRead = (row: Record<string, unknown>) =>
      Object.fromEntries(
        columnsOf(table).map(([name, column]) => [
          name,
          column.dataType === 'custom' ? (row[name] ?? column.mapFromDriverValue('')) : finite(row[name]),
        ]),
      )
    const query = db.select().from(table)
    const all = selectAll(db, () => query)
    const first = selectOne(db, () => query)
    const numRuns = rounds(8)
    let stored = 0
    fc.assert(
      fc.property(fc.array(recordOf(table, storedIn), { maxLength: 5 }), (rows) => {
        empty(db, table)
        deepStrictEqual(all(), [])
        deepStrictEqual(first(), undefined)
        for (const row of rows) if (store(db, table, row)) stored++
        const expected = query.all().map(asRead)
        deepStrictEqual(all(), expected)
        deepStrictEqual(first(), expected[0])
        deepStrictEqual(all().map(Object.keys), expected.map(Object.keys), 'in that order')
      }),
      { numRuns, ...steady },
    )
    t.ok(stored > numRuns / 3, `${getTableName(table)}: rows were read`)
  }
})

t.test('prepared rows accept values, columns and joins', async (t) => {
  const db = open(t)
  const { kanbanItemLabels, kanbanLabels, projects } = schema
  for (const id of ['a', 'b', 'c'])
    db.insert(projects)
      .values({ id, name: `${id}!`, sortOrder: 1 })
      .run()
  const query = () =>
    db
      .select({ title: projects.name, config: projects.metadata })
      .from(projects)
      .where(eq(projects.id, sql.placeholder('id')))
  const named = selectOne(db, query)
  const allNamed = selectAll(db, query)
  t.strictSame(named({ id: 'b' }), { title: 'b!', config: {} })
  t.strictSame(allNamed({ id: 'c' }), [{ title: 'c!', config: {} }])
  t.strictSame(named({ id: 'd' }), undefined)
  t.throws(() => named(), { message: /No value for placeholder "id"/ })
  t.throws(() => allNamed(), { message: /No value for placeholder "id"/ })

  db.insert(kanbanLabels).values({ id: 'l', projectId: 'a', name: 'Bug' }).run()
  db.insert(kanbanItemLabels).values({ itemId: 'i', labelId: 'l' }).run()
  const joined = db
    .select({ itemId: kanbanItemLabels.itemId, ...getTableColumns(kanbanLabels) })
    .from(kanbanItemLabels)
    .innerJoin(kanbanLabels, eq(kanbanLabels.id, kanbanItemLabels.labelId))
  t.strictSame(selectAll(db, () => joined)(), joined.all())
  t.strictSame(selectOne(db, () => joined)(), joined.get())
  t.match(joined.all(), [{ itemId: 'i', id: 'l', name: 'Bug' }])
})

t.test('one statement finds any number of ids', async (t) => {
  const db = open(t)
  const { teams } = schema
  const rows = selectAll(db, () =>
    db.select({ id: teams.id }).from(teams).where(amongIds(teams.id)).orderBy(asc(teams.id)),
  )
  const exists = existsIn(db, teams)
  rows({ ids: '[]' })
  const anyId = fc.oneof(anyText, fc.constantFrom('1', '01', '1.0', 'null', 'true', "'", '"', '[]', '%', ''))
  const executed = watch(t, db.$client)
  fc.assert(
    fc.property(fc.uniqueArray(anyId), fc.uniqueArray(anyId), (present, others) => {
      empty(db, teams)
      for (const id of present) db.insert(teams).values({ id, name: 'Ops' }).run()
      const wanted = [...present.filter((_, index) => index % 2 === 0), ...others]
      executed.log.length = 0
      const found = rows({ ids: JSON.stringify(wanted) }).map(({ id }) => id)
      deepStrictEqual(executed.log.length, 1)
      deepStrictEqual(found.sort(), present.filter((id) => wanted.includes(id)).sort())
      for (const id of wanted) deepStrictEqual(exists(id), present.includes(id))
    }),
    { numRuns: rounds(25) },
  )
})

t.test('an insert stores the same as Drizzle, for any subset of the fields', async (t) => {
  const ours = open(t)
  const theirs = open(t)
  for (const table of tables) {
    const insert = insertInto(ours, table)
    fc.assert(
      fc.property(fc.array(insertable(table), { maxLength: 4 }), (rows) => {
        empty(ours, table)
        empty(theirs, table)
        for (const row of rows) {
          deepStrictEqual(
            attempt(() => insert(row as never)),
            attempt(() =>
              theirs
                .insert(table)
                .values(row as never)
                .run(),
            ),
          )
        }
        deepStrictEqual(timeless(rawRows(ours, table)), timeless(rawRows(theirs, table)))
      }),
      { numRuns: rounds(8) },
    )
    t.pass(getTableName(table))
  }
})

t.test('an insert returns the stored row, with its defaults', async (t) => {
  const db = open(t)
  for (const table of tablesWithId) {
    const insert = insertReturning(db, table)
    fc.assert(
      fc.property(insertable(table), (row) => {
        empty(db, table)
        deepStrictEqual(insert(row as never), rowOf(db, table, String(row.id)))
        deepStrictEqual(rawRows(db, table).length, 1)
      }),
      { numRuns: rounds(4) },
    )
    t.pass(getTableName(table))
  }
})

t.test("an insert that another tool's trigger ignores is an error", async (t) => {
  const db = open(t)
  db.$client.exec('create trigger ignored before insert on teams begin select raise(ignore); end')
  const insert = insertReturning(db, schema.teams)
  t.throws(() => insert({ id: 'a', name: 'Ops' }), { message: 'nothing was inserted into teams' })
})

t.test('an update changes only the given fields', async (t) => {
  const ours = open(t)
  const theirs = open(t)
  for (const table of tablesWithId) {
    const update = updateIn(ours, table)
    const fields = columnsOf(table).filter(([name]) => name !== 'id')
    const changes = fc
      .record(Object.fromEntries(fields.map(([name, column]) => [name, writtenTo(column)])), {
        requiredKeys: [],
        noNullPrototype: true,
      })
      .filter((some) => Object.keys(some).length > 0)
    fc.assert(
      fc.property(
        insertable(table),
        insertable(table),
        fc.array(changes, { maxLength: 4 }),
        (row, beside, all) => {
          for (const db of [ours, theirs]) {
            empty(db, table)
            db.insert(table)
              .values(row as never)
              .run()
            db.insert(table)
              .values({ ...beside, id: `${row.id}'` } as never)
              .onConflictDoNothing()
              .run()
          }
          for (const one of all) {
            const outcome = attempt(() =>
              deepStrictEqual(update(String(row.id), one), rowOf(ours, table, String(row.id))),
            )
            const expected = attempt(() =>
              theirs
                .update(table)
                .set(one)
                .where(eq(table.id, String(row.id)))
                .run(),
            )
            deepStrictEqual(outcome, expected)
          }
          deepStrictEqual(update('none', all[0] ?? { [fields[0]?.[0] ?? '']: 'x' }), undefined)
          deepStrictEqual(timeless(rawRows(ours, table)), timeless(rawRows(theirs, table)))
        },
      ),
      { numRuns: rounds(8) },
    )
    t.pass(getTableName(table))
  }
})

t.test('null is stored as NULL, as in Drizzle', async (t) => {
  const db = open(t)
  const { projects } = schema
  const stored = (id: string) =>
    db.$client.prepare('select lead_id from projects where id = ?').pluck().get(id)
  insertInto(db, projects)({ id: 'a', name: 'Apollo', leadId: null })
  t.equal(stored('a'), null)
  db.insert(projects).values({ id: 'b', name: 'Gemini', leadId: 'ada' }).run()
  updateIn(db, projects)('b', { leadId: null })
  t.equal(stored('b'), null)
})

t.test('an undefined field counts as absent, as in Drizzle', async (t) => {
  const db = open(t)
  const { projects } = schema
  const stored = (id: string) =>
    db.$client.prepare('select description, metadata from projects where id = ?').raw().get(id)
  t.doesNotThrow(() => {
    insertInto(db, projects)({ id: 'a', name: 'Apollo', description: undefined, metadata: undefined })
  })
  t.strictSame(stored('a'), ['', '{}'])
  db.insert(projects)
    .values({ id: 'b', name: 'Gemini', description: 'Two seats', metadata: { a: 1 } })
    .run()
  const nothing = { description: undefined, metadata: undefined, name: 'Gemini 2' }
  t.doesNotThrow(() => updateIn(db, projects)('b', nothing))
  t.strictSame(stored('b'), ['Two seats', '{"a":1}'])
})

t.test('every combination of fields works, and frequent ones are prepared once', async (t) => {
  const db = open(t)
  const { projects } = schema
  const OPTIONAL = {
    description: 'To the moon',
    type: 'custom',
    status: 'active',
    phase: 'Flight',
    health: 'blocked',
    nextStep: 'Land',
    sortOrder: 1.5,
    leadId: 'ada',
  }
  const names = Object.keys(OPTIONAL) as (keyof typeof OPTIONAL)[]
  const combinations = Array.from({ length: 2 ** names.length }, (_, bits) =>
    Object.fromEntries(names.filter((_, index) => bits & (1 << index)).map((name) => [name, OPTIONAL[name]])),
  )
  t.ok(combinations.length > 64)
  const insert = insertInto(db, projects)
  const update = updateIn(db, projects)
  const defaults = { id: 'default', name: 'Apollo' }
  const row = (id: string) => db.select().from(projects).where(eq(projects.id, id)).get()
  insert(defaults)
  const { id: _, createdAt: __, updatedAt: ___, ...plain } = row('default') ?? { id: '' }
  for (const round of [1, 2]) {
    for (const [index, fields] of combinations.entries()) {
      const id = `${round}-${index}`
      insert({ ...defaults, id, ...fields })
      deepStrictEqual(timeless(row(id)), timeless({ ...row('default'), ...plain, ...fields, id }))
      if (index === 0) continue
      insert({ ...defaults, id: `${id}-updated` })
      deepStrictEqual(update(`${id}-updated`, fields), row(`${id}-updated`))
      deepStrictEqual(
        timeless(row(`${id}-updated`)),
        timeless({ ...row('default'), ...fields, id: `${id}-updated` }),
      )
    }
  }
  t.equal(rawRows(db, projects).length, 1 + 2 * (2 * combinations.length - 1))

  const { prepare } = db.$client
  let prepared = 0
  db.$client.prepare = function (source: string) {
    prepared++
    return prepare.call(this, source) as never
  }
  for (const id of ['x', 'y', 'z']) {
    insert({ ...defaults, id, ...OPTIONAL })
    update(id, OPTIONAL)
  }
  t.equal(prepared, 0, 'the last combinations are still kept')
  for (const id of ['X', 'Y', 'Z']) {
    insert({ id, name: 'Apollo', metadata: { id } })
    update(id, { metadata: { id } })
  }
  t.equal(prepared, 2)
})

t.test("a deletion deletes the row's children, and returns whether the row existed", async (t) => {
  const db = open(t)
  db.$client.pragma('foreign_keys = on')
  const { projects, kanbanItems } = schema
  for (const id of ['a', 'b']) {
    db.insert(projects).values({ id, name: 'Apollo' }).run()
    db.insert(kanbanItems).values({ id, projectId: id, title: 'Card' }).run()
  }
  const remove = deleteFrom(db, projects)
  t.equal(remove('none'), false)
  t.equal(remove('a'), true)
  t.equal(remove('a'), false)
  t.equal(existsIn(db, projects)('a'), false)
  t.strictSame(
    db
      .select({ id: kanbanItems.id })
      .from(kanbanItems)
      .all()
      .map(({ id }) => id),
    ['b'],
  )
})
