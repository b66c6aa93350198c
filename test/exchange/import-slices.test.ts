import { deepStrictEqual } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { ChunkedWriter } from '../../src/db/chunked-writer.ts'
import { databasePath, type SharedDatabase } from '../../src/db/client.ts'
import { NO_FILES } from '../../src/db/files.ts'
import { clearOrphanedImports, hasRests } from '../../src/exchange/imports/clear-import.ts'
import { importAtOnce } from '../../src/exchange/imports/import-at-once.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { lockOf } from '../../src/exchange/imports/import-files.ts'
import { performImport } from '../../src/exchange/imports/import-job.ts'
import type { ImportPlan } from '../../src/exchange/imports/import-plan.ts'
import { writeInSlices } from '../../src/exchange/imports/write-slices.ts'
import { readTrello } from '../../src/exchange/sources/trello-board.ts'
import { Imports } from '../../src/projects/imports.ts'
import { holdsGroups, holdsSequence } from '../changes/replay.ts'
import { openTestDatabase } from '../database.ts'
import { until } from '../executions.ts'
import { writeTo } from '../helper.ts'
import { CLI, nodeCommand } from '../shipped.ts'
import { anyBoard, trelloExport } from './source-boards.ts'

/** One slice per row, without a pause. */
const GREEDY = { held: 0, left: 0 }

const planOf = (cards: number, word = 'Word') =>
  planBoard(readTrello(new TextEncoder().encode(trelloExport(cards, word))), { again: true })

/** Starts an import, and writes it in slices of one row each. */
function importInSlices(
  db: SharedDatabase,
  plan: ImportPlan,
  { id = 'import', signal = undefined as AbortSignal | undefined } = {},
) {
  writeTo(db, () => new Imports(db).create(id, 'trello', 'ada'))
  const writes = new ChunkedWriter(db, undefined, signal, GREEDY)
  return writeInSlices(db, writes, plan, { id, memberId: 'ada' })
}

/** Every table except those of imports. Search results are compared separately, because the shape of the index may differ. */
function dump(db: SharedDatabase) {
  const tables = db.$client
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'search_index%' and name <> 'imports'",
    )
    .pluck()
    .all()
  const found = db.$client.prepare('select rowid, title, text from search_index order by rowid').raw().all()
  db.$client.exec("insert into search_index (search_index) values ('integrity-check')")
  return [...tables.map((name) => [name, db.$client.prepare(`select * from "${name}"`).raw().all()]), found]
}

/** The same, with ids numbered by first appearance, and without wall-clock times. */
function anonymous(db: SharedDatabase): string {
  const numbers = new Map<string, number>()
  const numberOf = (id: string) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size)
    return `#${numbers.get(id)}`
  }
  const tables = [
    'projects',
    'kanban_columns',
    'kanban_labels',
    'kanban_items',
    'kanban_item_labels',
    'kanban_subtasks',
    'kanban_comments',
  ]
  const rows = [
    ...tables.map((table) => db.$client.prepare(`select * from ${table} order by rowid`).all()),
    db.$client.prepare('select id, name, kind, source, source_id, email from people order by rowid').all(),
    db.$client
      .prepare(
        'select seq, actor_id, "group", kind, id, action, project_id, item_id, before, after from changes',
      )
      .all(),
    db.$client
      .prepare('select rowid, title, text from search_index order by title, text, rowid')
      .raw()
      .all()
      .map((row) => (row as unknown[]).slice(1)),
  ]
  return JSON.stringify(rows)
    .replace(/(?<="seenAt\\":null,\\"createdAt\\":\\").{24}\\",\\"updatedAt\\":\\".{24}/g, 'now')
    .replace(/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, numberOf)
}

t.test('an import in slices creates the same records and changes as one in a single write', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyBoard, async (board) => {
      const [sliced, whole] = [openTestDatabase(t), openTestDatabase(t)]
      const plan = planBoard(board)
      const result = await importInSlices(sliced, plan)
      const other = planBoard(board)
      importAtOnce(whole, other, 'ada')
      deepStrictEqual(anonymous(sliced), anonymous(whole))
      deepStrictEqual(result.counts, other.result(false).counts)
      holdsGroups(holdsSequence(sliced.$client))
      for (const table of ['hidden_projects', 'staged_changes', 'large_writes']) {
        deepStrictEqual(sliced.$client.prepare(`select * from ${table}`).all(), [])
      }
      sliced.$client.close()
      whole.$client.close()
    }),
    { numRuns: 25, endOnFailure: true, includeErrorInReport: true },
  )
})

t.test('the changes of an import are one group of the member, the project first', async (t) => {
  const db = openTestDatabase(t)
  const { projectId } = await importInSlices(db, planOf(3))
  const changes = holdsSequence(db.$client)
  t.strictSame([...new Set(changes.map((change) => `${change.actor_id} ${change.group}`))], ['ada 1'])
  t.match(changes[0], { seq: 1, kind: 'project', id: projectId })
  t.equal(new Set(changes.map(({ at }) => at)).size, 1, 'at one time')
  t.strictSame(db.$client.pragma('foreign_key_check'), [])
})

t.test('an interrupted import leaves nothing, wherever it ends', async (t) => {
  const db = openTestDatabase(t)
  await importInSlices(db, planOf(2), { id: 'first' })
  // So that the next import creates its person too.
  writeTo(db, () => db.$client.exec('delete from people'))
  const before = dump(db)
  const total = planOf(3).tables.reduce((sum, { count }) => sum + count, 0)
  for (let last = 0; last <= total + 1; last++) {
    const ending = new AbortController()
    let slices = 0
    const plan = planOf(3)
    const tables = plan.tables.map((one) => ({
      ...one,
      *rows() {
        for (const row of one.rows()) {
          if (slices++ === last) ending.abort(new Error('enough'))
          yield row
        }
      },
    }))
    const refuse = (_: unknown, since?: number) => {
      if (since !== undefined) throw new Error('enough')
    }
    const importing = importInSlices(
      db,
      { ...plan, tables, refuse },
      { id: `ended ${last}`, signal: ending.signal },
    )
    await t.rejects(importing, { message: 'enough' })
    t.ok(hasRests(db, ':memory:'))
    await clearOrphanedImports(db, new ChunkedWriter(db, undefined, undefined, GREEDY), ':memory:')
    t.notOk(hasRests(db, ':memory:'))
    deepStrictEqual(dump(db), before, `after ${last} rows`)
  }
  const failed = db.$client
    .prepare("select distinct status, error, project_id from imports where id like 'ended%'")
    .all()
  t.strictSame(failed, [
    { status: 'failed', error: 'The service was stopped before it was done', project_id: null },
  ])
})

t.test('records that somebody works on are kept', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const db = openTestDatabase(t, databaseUrl)
  const database = databasePath(databaseUrl)
  writeTo(db, () => new Imports(db).create('theirs', 'trello', null))
  const lock = lockOf(database, 'theirs')
  t.ok(lock.take())
  const writes = new ChunkedWriter(db)
  const statusOf = () => db.$client.prepare('select status from imports').pluck().get()
  await clearOrphanedImports(db, writes, database)
  t.equal(statusOf(), 'waiting')
  lock.release()
  await clearOrphanedImports(db, writes, database)
  t.equal(statusOf(), 'failed')
  t.notOk(
    readdirSync(t.testdirName).some((name) => name.includes('import-')),
    'no file stays either',
  )
})

t.test('others write meanwhile, and their changes keep their places', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const [db, other] = [openTestDatabase(t, databaseUrl), openTestDatabase(t, databaseUrl)]
  let isOver = false
  const importing = importInSlices(db, planOf(20)).finally(() => {
    isOver = true
  })
  let written = 0
  while (!isOver) {
    writeTo(other, () =>
      other.$client.prepare("insert into teams (id, name) values (?, 'Crew')").run(`team ${written++}`),
    )
    await sleep(1)
  }
  await importing
  const changes = holdsSequence(db.$client)
  holdsGroups(changes)
  t.strictSame(
    changes.map(({ seq }) => seq),
    changes.map((_, index) => index + 1),
    'no place is left out',
  )
  t.ok(written > 3, `${written} writes`)
})

t.test('an import killed at any time is complete or absent after the next start', async (t) => {
  const folder = t.testdir()
  const DATABASE_URL = `file:${folder}/board.db`
  const db = openTestDatabase(t, DATABASE_URL)
  writeTo(db, () => db.$client.exec("insert into projects (id, name) values ('mine', 'Mine')"))
  const file = join(folder, 'export.json')
  writeFileSync(file, trelloExport(300, 'Card'))
  const total = planOf(300).tables.reduce((sum, { count }) => sum + count, 1)
  let before = JSON.stringify(dump(db))
  const people = () => db.$client.prepare<[], number>('select count(*) from people').pluck().get()
  for (const delay of [0, 60, 150]) {
    // The author of its comments comes with the first one.
    const expected = people() === 0 ? total + 1 : total
    const child = spawn(...nodeCommand([CLI, 'import', 'trello', file, '--again']), {
      env: { ...process.env, DATABASE_URL },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), exit])
    await sleep(delay)
    child.kill('SIGKILL')
    await exit
    await clearOrphanedImports(db, new ChunkedWriter(db), databasePath(DATABASE_URL))
    const { status } = db.$client.prepare('select status from imports order by id desc').get() as {
      status: string
    }
    const after = JSON.stringify(dump(db))
    if (status === 'failed') t.ok(after === before, `nothing after ${delay} ms`)
    else {
      const [{ rows }] = db.$client
        .prepare('select count(*) as rows from changes where "group" = (select max("group") from changes)')
        .all() as [{ rows: number }]
      t.equal(rows, expected, `whole after ${delay} ms`)
    }
    before = after
    holdsSequence(db.$client)
    t.strictSame(db.$client.pragma('foreign_key_check'), [])
    t.notOk(hasRests(db, databasePath(DATABASE_URL)))
  }
})

t.test('a slice waits for the write lock', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const [db, other] = [openTestDatabase(t, `file:${path}`), openTestDatabase(t, `file:${path}`)]
  other.$client.exec('begin immediate')
  const { exec } = db.$client
  let attempts = 0
  db.$client.exec = (sql) => {
    attempts++
    return exec.call(db.$client, sql)
  }
  const written = new ChunkedWriter(db).slice(() => 'written')
  await until(() => attempts > 1)
  other.$client.exec('rollback')
  t.equal(await written, 'written')
})

t.test('a dry run on a file reports what would be created, and creates nothing', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const db = openTestDatabase(t, `file:${path}`)
  writeTo(db, () => new Imports(db).create('import', 'trello', 'ada'))
  const job = {
    ...{ id: 'import', memberId: 'ada', format: 'trello', file: 'test/fixtures/trello-board.json' },
    ...{ name: 'the file', again: false, isDryRun: true },
  }
  const made = await performImport({ db, files: NO_FILES, database: path }, job)
  t.equal(made.counts.items, 8)
  t.strictSame(db.$client.prepare('select status, done from imports').raw().all(), [['done', 34]])
  t.equal(db.$client.prepare('select count(*) from projects').pluck().get(), 0)
})
