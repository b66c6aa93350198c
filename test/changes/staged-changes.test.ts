/** Changes of a large write that are visible before they are in the table of the sequence. Clients cannot tell the difference. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ChunkedWriter } from '../../src/db/chunked-writer.ts'
import { type SharedDatabase, writeAs } from '../../src/db/client.ts'
import { createFold, foldAll } from '../../src/db/large-writes.ts'
import { gapsIn, missingChange } from '../../src/db/lost-changes.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { writeInSlices } from '../../src/exchange/imports/write-slices.ts'
import { readTrello } from '../../src/exchange/sources/trello-board.ts'
import { examine } from '../../src/maintenance/doctor.ts'
import { Imports } from '../../src/projects/imports.ts'
import { createRules } from '../../src/requests/rules.ts'
import type { CurrentMember } from '../../src/schemas/records.ts'
import { openTestDatabase } from '../database.ts'
import { trelloExport } from '../exchange/source-boards.ts'
import { build, createItem, createProject, send, signInAs, writeIn, writeTo } from '../helper.ts'
import { holdsGroups, holdsSequence } from './replay.ts'

const ADMIN = { id: 'ada', role: 'admin' } as CurrentMember

/** Imports a board. Its changes stay staged, outside the table. @returns its project */
async function importUnfolded(db: SharedDatabase, word: string, memberId: string): Promise<string> {
  const ending = new AbortController()
  const plan = planBoard(readTrello(new TextEncoder().encode(trelloExport(6, word))), { again: true })
  writeTo(db, () => new Imports(db).create(word, 'trello', memberId))
  const { projectId } = await writeInSlices(
    db,
    new ChunkedWriter(db, undefined, ending.signal, { held: 0, left: 0 }),
    plan,
    { id: word, memberId },
    (done, total) => {
      if (done === total) ending.abort(new Error('enough'))
    },
  )
  return projectId as string
}

/** A service with two imported boards whose changes are staged, and changes by others before, between and after. */
async function service(t: Test) {
  const path = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: path })
  // The service would move them by itself within ten seconds.
  const { isWaiting } = app.rules.changes.subjects
  Object.assign(app.rules.changes.subjects, { isWaiting: () => false })
  const waits = () => isWaiting.call(app.rules.changes.subjects)
  const { headers, id } = signInAs(app, 'admin')
  const db = openTestDatabase(t, path)
  const mine = await createProject(app)
  await createItem(app, mine.id)
  const first = await importUnfolded(db, 'First', id)
  const between = await createItem(app, mine.id)
  const second = await importUnfolded(db, 'Second', id)
  const itemOf = (project: string) =>
    db.$client
      .prepare<[string], string>('select id from kanban_items where project_id = ?')
      .pluck()
      .get(project)
  const moved = itemOf(second) as string
  await send(app, 'POST', `/api/kanban-items/${moved}/move`, { column: 'Elsewhere' }, headers)
  await send(app, 'PATCH', `/api/kanban-items/${between.id}`, { title: 'After' }, headers)
  return {
    path,
    waits,
    app,
    headers,
    db,
    projects: [mine.id, first, second],
    items: [between.id, itemOf(first), moved],
  }
}

t.test('feeds, histories and flow show staged changes as if they were in the sequence', async (t) => {
  const { app, headers, db, path, projects, items } = await service(t)
  const last = app.rules.changes.sequence.last()
  const urls = [
    ...Array.from(
      { length: last + 1 },
      (_, after) => `/api/changes?after=${after}&limit=${(after % 13) + 1}`,
    ),
    `/api/changes?after=0&limit=1000`,
    ...projects.flatMap((id) => [
      `/api/changes?after=0&limit=1000&projectId=${id}`,
      `/api/changes?after=0&limit=3&projectId=${id}&kind=kanban-item`,
      `/api/projects/${id}/changes`,
      `/api/projects/${id}/changes?limit=4`,
      `/api/projects/${id}/flow`,
    ]),
    ...items.flatMap((id) => [`/api/changes?after=0&itemId=${id}`, `/api/kanban-items/${id}/changes`]),
    '/api/changes?after=0&limit=100&kind=kanban-label,project',
    '/api/trash',
  ]
  const answers = async () => {
    const all: string[] = []
    for (const url of urls) {
      const { status, body, headers: sent } = await send(app, 'GET', url, undefined, headers)
      all.push(`${url} ${status} ${sent.link ?? ''} ${JSON.stringify(body)}`)
    }
    return all
  }
  const waiting = () =>
    db.$client.prepare<[], number>('select count(*) from staged_changes').pluck().get() ?? 0
  const staged = await answers()
  t.strictSame(
    staged.filter((answer) => !/ 200 /.test(answer)),
    [],
  )
  t.ok(waiting() >= 50, `${waiting()} changes wait`)
  t.strictSame([gapsIn(db.$client, 10), missingChange(db.$client)], [[], undefined])
  t.strictSame(
    examine(path).filter(({ status, check }) => status !== 'ok' && check !== 'disk'),
    [],
  )
  t.equal(app.rules.changes.retention.hasOlder(Date.now() + 1000), false, 'nothing is pruned meanwhile')
  t.match(await send(app, 'GET', '/api/export', undefined, headers), {
    status: 503,
    headers: { 'retry-after': '2' },
  })

  const { undo } = createRules(db).changes
  const early = () => writeAs(db, 'ada', () => undo.group(`${last - 3}`, ADMIN, { id: 'ada', address: null }))
  t.throws(early, { message: 'A large write is just being completed' })

  const fold = createFold(db)
  for (let step = 0; waiting() > 0; step++) {
    writeTo(db, () => fold(7))
    if (step % 3 === 0) t.strictSame(await answers(), staged, `${waiting()} wait`)
  }
  t.notOk(writeTo(db, () => fold()))
  t.strictSame(await answers(), staged, 'all are in the table')
  t.strictSame(db.$client.prepare('select * from large_writes').all(), [])
  holdsGroups(holdsSequence(db.$client))
})

t.test('an export waits for the completion of a large write', async (t) => {
  const { app, headers, db } = await service(t)
  const exported = send(app, 'GET', '/api/export', undefined, headers)
  await sleep(200)
  await foldAll(db, new ChunkedWriter(db))
  t.match(await exported, { status: 200, headers: { 'content-type': 'application/zip' } })
})

t.test('the index of the sequence moves staged changes first, then continues', async (t) => {
  const { app, db, projects, waits } = await service(t)
  const { subjects, sequence } = app.rules.changes
  const before = projects.map((id) => subjects.list(id, Number.POSITIVE_INFINITY, 1000))
  t.ok(waits())
  let slices = 0
  while ((await writeIn(app, () => subjects.index(20))) > 0) slices++
  t.ok(slices > 5)
  t.notOk(waits())
  t.equal(subjects.indexed(), sequence.last())
  t.strictSame(
    projects.map((id) => subjects.list(id, Number.POSITIVE_INFINITY, 1000)),
    before,
  )
  holdsSequence(db.$client)
})

t.test('a read outside of a transaction sees staged changes, too', async (t) => {
  const { app, db } = await service(t)
  const { sequence } = app.rules.changes
  const last = sequence.last()
  const all = Array.from({ length: last }, (_, index) => index + 1)
  const seqs = (rows: Iterable<{ seq: number }>) => [...rows].map(({ seq }) => seq)
  t.strictSame(seqs(sequence.heads(0, 1000)), all)
  t.strictSame(seqs(sequence.heads(3, 9)), all.slice(3, 12))
  t.strictSame(seqs(sequence.after(0, 1000)), all)
  t.strictSame(seqs(sequence.several(all)), all)
  const rows = all.map((seq) => sequence.one(seq))
  t.equal(sequence.one(last + 1), undefined)
  t.ok(rows.some((row) => row && sequence.isStaged(row)))
  await foldAll(db, new ChunkedWriter(db))
  await foldAll(db, new ChunkedWriter(db))
  t.notOk(rows.some((row) => row && sequence.isStaged(row)))
  t.strictSame(
    all.map((seq) => sequence.one(seq)),
    rows,
  )
})

t.test('an undo moves staged changes first', async (t) => {
  const { app, headers, db, projects } = await service(t)
  const last = app.rules.changes.sequence.last()
  t.match(await send(app, 'POST', `/api/changes/${last - 1}/undo`, {}, headers), { status: 200 })
  const first = db.$client
    .prepare<[string], number>("select seq from changes where kind = 'project' and id = ?")
    .pluck()
    .get(projects[1] as string)
  t.match(await send(app, 'POST', `/api/changes/${first}/undo`, {}, headers), { status: 200 })
  t.match(await send(app, 'GET', `/api/projects/${projects[1]}`, undefined, headers), { status: 404 })
})

t.test('the lists of hidden records are deleted after large writes', async (t) => {
  const db = openTestDatabase(t)
  const { $client: client } = db
  client.exec(`insert into large_writes (number, task) values (2, '');
    insert into hidden_records (record_table, id, "write")
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select 'teams', i, 1 + (i > 999) from n`)
  await foldAll(db, new ChunkedWriter(db, undefined, undefined, { held: 0, left: 0 }))
  t.strictSame(
    client.prepare('select * from hidden_records').all(),
    [{ record_table: 'teams', id: '1000', write: 2 }],
    'but for that of one that is going on',
  )
})
