/** Imports are one transaction: whole or absent for others, wherever they end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { databasePath, type SharedDatabase } from '../../src/db/client.ts'
import { NO_FILES } from '../../src/db/files.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { lockOf } from '../../src/exchange/imports/import-files.ts'
import { performImport } from '../../src/exchange/imports/import-job.ts'
import type { ImportPlan } from '../../src/exchange/imports/import-plan.ts'
import { endOrphanedImports, mayHaveOrphans } from '../../src/exchange/imports/orphaned-imports.ts'
import { writeImport } from '../../src/exchange/imports/write-import.ts'
import { Imports } from '../../src/projects/imports.ts'
import { holdsGroups, holdsSequence } from '../changes/replay.ts'
import { locked, openTestDatabase } from '../database.ts'
import { until } from '../executions.ts'
import { writeTo } from '../helper.ts'
import { CLI, nodeCommand } from '../shipped.ts'
import { trelloExport, trelloSource } from './source-boards.ts'

const planOf = (cards: number, word = 'Word') => planBoard(trelloSource(cards, word), { again: true })

/** Two connections to a file. */
function connections(t: Parameters<typeof openTestDatabase>[0] & { testdir: () => string }) {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  return [openTestDatabase(t, databaseUrl), openTestDatabase(t, databaseUrl)] as const
}

/** Every table except that of imports, and the words of the search index. */
function dump(db: SharedDatabase) {
  const tables = db.$client
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'search_index%' and name <> 'imports'",
    )
    .pluck()
    .all()
  db.$client.exec(
    "create virtual table if not exists temp.words using fts5vocab (main, search_index, 'instance')",
  )
  const found = db.$client.prepare('select * from temp.words').raw().all()
  return [...tables.map((name) => [name, db.$client.prepare(`select * from "${name}"`).raw().all()]), found]
}

const rowsOf = ({ tables }: ImportPlan) => tables.reduce((sum, { count }) => sum + count, 0)

/** A plan that does something before its row of a number is inserted. */
const interrupted = (plan: ImportPlan, nth: number, act: () => void): ImportPlan => {
  let row = 0
  const tables = plan.tables.map((one) => ({
    ...one,
    *rows() {
      for (const each of one.rows()) {
        if (row++ === nth) act()
        yield each
      }
    },
  }))
  return { ...plan, tables }
}

t.test('the changes of an import are one group of the member, the project first', async (t) => {
  const [db] = connections(t)
  const { projectId } = await writeImport({ db }, planOf(300), { actorId: 'ada' })
  const changes = holdsSequence(db.$client)
  holdsGroups(changes)
  t.strictSame([...new Set(changes.map((change) => `${change.actor_id} ${change.group}`))], ['ada 1'])
  t.match(changes[0], { seq: 1, kind: 'project', id: projectId })
  t.strictSame(db.$client.pragma('foreign_key_check'), [])
  t.strictSame(db.$client.prepare('select first, last from quiet_changes').raw().all(), [[1, changes.length]])
})

t.test('an import that fails at any row leaves nothing', async (t) => {
  const [db] = connections(t)
  await writeImport({ db }, planOf(2), { actorId: 'ada' })
  // So that the next import creates its person too.
  writeTo(db, () => db.$client.exec('delete from people'))
  const before = dump(db)
  const fail = () => {
    throw new Error('enough')
  }
  for (let last = 0; last < rowsOf(planOf(3)); last++) {
    const importing = writeImport({ db }, interrupted(planOf(3), last, fail), { actorId: 'ada' })
    await t.rejects(importing, { message: 'enough' })
    t.strictSame(dump(db), before, `after ${last} rows`)
    db.$client.exec("insert into search_index (search_index) values ('integrity-check')")
  }
  const whenWritten = fail
  await t.rejects(writeImport({ db }, planOf(3), { actorId: 'ada', whenWritten }), { message: 'enough' })
  t.strictSame(dump(db), before, 'at its end')
})

t.test('a cancelled import is rolled back', async (t) => {
  const [db, other] = connections(t)
  const before = dump(db)
  const ending = new AbortController()
  const plan = interrupted(planOf(300), 250, () => ending.abort(new Error('enough')))
  const importing = writeImport({ db, signal: ending.signal }, plan, { actorId: 'ada' })
  await t.rejects(importing, { message: 'enough' })
  t.strictSame(dump(db), before)
  writeTo(other, () => other.$client.exec("insert into teams (id, name) values ('crew', 'Crew')"))
  t.pass('others can write')
})

t.test('others see nothing of an import, and cannot write, until its end', async (t) => {
  const [db, other] = connections(t)
  other.$client.pragma('busy_timeout = 0')
  const add = () => other.$client.exec("insert into teams (id, name) values ('crew', 'Crew')")
  const before = dump(other)
  let looks = 0
  const plan = interrupted(planOf(300), 700, () => {
    looks++
    t.strictSame(dump(other), before)
    t.throws(add, { code: 'SQLITE_BUSY' })
  })
  await writeImport({ db }, plan, { actorId: 'ada' })
  t.equal(looks, 1)
  add()
  t.strictSame(dump(other), dump(db))
  holdsGroups(holdsSequence(other.$client))
})

t.test('two processes that import at once do so one after the other', async (t) => {
  const [db, other] = connections(t)
  const progress: string[] = []
  const importing = (name: string, db: SharedDatabase) =>
    writeImport({ db }, planOf(200, name), {
      actorId: name,
      onProgress: () => void (progress.at(-1) !== name && progress.push(name)),
    })
  await Promise.all([importing('first', db), importing('second', other)])
  t.strictSame(progress.toSorted(), ['first', 'second'])
  const changes = holdsSequence(db.$client)
  holdsGroups(changes)
  t.equal(new Set(changes.map(({ group }) => group)).size, 2)
})

t.test('an import waits for the write lock, and can be cancelled meanwhile', async (t) => {
  const [db, other] = connections(t)
  const { exec } = db.$client
  let attempts = 0
  db.$client.exec = (sql) => {
    attempts++
    return exec.call(db.$client, sql)
  }
  const waits = async () => {
    attempts = 0
    await until(() => attempts > 1)
  }
  other.$client.exec('begin immediate')
  const ending = new AbortController()
  const cancelled = writeImport({ db, signal: ending.signal }, planOf(2), { actorId: 'ada' })
  await waits()
  ending.abort(new Error('enough'))
  await t.rejects(cancelled, { message: 'enough' })
  const written = writeImport({ db }, planOf(2), { actorId: 'ada' })
  await waits()
  other.$client.exec('rollback')
  t.match(await written, { counts: { items: 2 } })
})

t.test('a board that another process imports meanwhile is refused', async (t) => {
  const [db, other] = connections(t)
  const plan = () => planBoard(trelloSource(2, 'Same'))
  const once = plan()
  let isFirst = true
  const refuse: ImportPlan['refuse'] = (db, since) => {
    once.refuse(db, since)
    if (isFirst) writeTo(other, () => other.$client.exec(MINE))
    isFirst = false
  }
  const [project] = once.projects() as readonly { name: string; metadata?: object }[]
  const MINE = `insert into projects (id, name, metadata) values ('mine', 'Mine', '${JSON.stringify(project?.metadata)}')`
  await t.rejects(writeImport({ db }, { ...once, refuse }, { actorId: 'ada' }), {
    message: /^this board was imported before, as project mine/,
  })
})

t.test('imports of running processes are not orphans', async (t) => {
  const [db] = connections(t)
  const database = db.$client.name
  writeTo(db, () => new Imports(db).create('theirs', 'trello', null))
  const lock = lockOf(database, 'theirs')
  t.ok(lock.take())
  const importsNow = () => db.$client.prepare('select status, error from imports').raw().all()
  await endOrphanedImports({ db }, database)
  t.strictSame(importsNow(), [['waiting', null]])
  lock.release()
  await endOrphanedImports({ db }, database)
  t.strictSame(importsNow(), [['failed', 'The service was stopped before it was done']])
  t.notOk(mayHaveOrphans(db, database))
  t.notOk(
    readdirSync(t.testdirName).some((name) => name.includes('import-')),
    'no file stays either',
  )
})

t.test('an import killed at any time is complete or absent', async (t) => {
  const folder = t.testdir()
  const DATABASE_URL = `file:${folder}/board.db`
  const db = openTestDatabase(t, DATABASE_URL)
  writeTo(db, () => db.$client.exec("insert into projects (id, name) values ('mine', 'Mine')"))
  const file = join(folder, 'export.json')
  writeFileSync(file, trelloExport(3000, 'Card'))
  const statusOf = db.$client
    .prepare<[], string>('select status from imports order by id desc limit 1')
    .pluck()
  const isWriting = async () => {
    await until(() => statusOf.get() === 'writing')
    await locked(databasePath(DATABASE_URL))
  }
  for (const [moment, when] of [
    ['it has begun', async () => {}],
    ['it has its row', () => until(() => statusOf.get() === 'reading' || statusOf.get() === 'writing')],
    ['it writes', isWriting],
  ] as const) {
    writeTo(db, () => db.$client.exec('delete from imports'))
    const before = dump(db)
    const child = spawn(...nodeCommand([CLI, 'import', 'trello', file, '--again']), {
      env: { ...process.env, DATABASE_URL },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    await when()
    child.kill('SIGKILL')
    t.strictSame(await exit, [null, 'SIGKILL'], `it was killed when ${moment}`)
    t.strictSame(dump(db), before)
    await endOrphanedImports({ db }, databasePath(DATABASE_URL))
    t.ok([undefined, 'failed'].includes(statusOf.get()))
    t.strictSame(dump(db), before)
    holdsSequence(db.$client)
  }
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
