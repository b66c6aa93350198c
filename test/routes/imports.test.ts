import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Importer } from '../../src/exchange/imports/importer.ts'
import { Imports } from '../../src/projects/imports.ts'
import { holdsSequence } from '../changes/replay.ts'
import { run } from '../command-line.ts'
import { trelloExport } from '../exchange/source-boards.ts'
import {
  build,
  count,
  createItem,
  createProject,
  invalid,
  readOnly,
  send,
  signInAs,
  writeTo,
} from '../helper.ts'
import { ended, upload } from '../imports.ts'

const FILE = readFileSync('test/fixtures/trello-board.json', 'utf8')

/** The files of running imports, or leftovers. */
const importsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('import-'))

/** Waits until all of them are removed, which happens some milliseconds after the imports end. */
async function tidy(folder: string, of = 'import-') {
  while (importsIn(folder).some((name) => name.includes(of))) await sleep(10)
  return importsIn(folder).filter((name) => name.includes(of))
}

t.test('a file becomes a project, and GET returns the progress', async (t) => {
  const app = await build(t)
  const begun = await upload(app, 'format=trello', FILE)
  t.strictSame(begun.status, 202)
  const { id } = begun.body
  t.strictSame(begun.body, { id, status: 'waiting' })
  t.equal(begun.headers.location, `/api/imports/${id}`)
  const done = await ended(app, id)
  const { projectId } = done
  t.match(done, {
    id,
    format: 'trello',
    status: 'done',
    done: 34,
    total: 34,
    counts: {
      columns: 4,
      items: 8,
      dismissed: 2,
      labels: 4,
      subtasks: 5,
      comments: 4,
      attachments: 1,
      people: 3,
      dueDates: 3,
      trimmed: 0,
    },
    notes: [],
  })
  t.notHas(done, 'error')
  const { body: project } = await send(app, 'GET', `/api/projects/${projectId}`)
  t.equal(project.kanbanItems.length, 8)
  const [change] = holdsSequence(app.db.$client).filter(({ kind }) => kind === 'project')
  t.match(change, { id: projectId, actor_id: 'local' })
  t.strictSame(await tidy(tmpdir(), id), [], 'the upload is gone')

  const again = await upload(app, 'format=trello', FILE)
  t.match(await ended(app, again.body.id), {
    status: 'failed',
    error: `this board was imported before, as project ${projectId} (Website relaunch); use again=true to import it once more`,
  })
  const third = await upload(app, 'format=trello&again=true', FILE)
  t.match(await ended(app, third.body.id), { status: 'done' })
  t.equal(count(app, 'projects'), 2)
  const { body: all } = await send(app, 'GET', '/api/imports')
  t.strictSame(
    all.map((one: { id: string; status: string }) => [one.id, one.status]),
    [
      [third.body.id, 'done'],
      [again.body.id, 'failed'],
      [id, 'done'],
    ],
  )
})

t.test('a dry run reports what would be created', async (t) => {
  const app = await build(t)
  const { body } = await upload(app, 'format=trello&dryRun=true', FILE)
  const done = await ended(app, body.id)
  t.match(done, { status: 'done', counts: { items: 8, comments: 4, attachments: 1 } })
  t.notHas(done, 'projectId')
  t.equal(count(app, 'projects'), 0)
})

t.test('an invalid file is refused, and leaves nothing', async (t) => {
  const folder = t.testdir()
  const app = await build(t, { databaseUrl: `file:${folder}/board.db`, importLimit: 1000 })
  t.match(await upload(app, 'format=nothing', '{}'), {
    status: 400,
    body: { details: { fieldErrors: { format: [String] } } },
  })
  t.match(await upload(app, 'format=trello&again=perhaps', '{}'), {
    status: 400,
    body: { details: { fieldErrors: { again: [String] } } },
  })
  const none = invalid({}, ['must be the file to import'])
  t.match(await upload(app, 'format=trello', ''), { status: 400, body: none })
  t.match(await send(app, 'POST', '/api/imports?format=trello'), { status: 400, body: none })
  t.match(await upload(app, 'format=trello', Readable.from([])), { status: 400, body: none })
  const tooLarge = { status: 413, body: { error: 'Payload Too Large' }, headers: { connection: 'close' } }
  t.match(await upload(app, 'format=trello', 'x'.repeat(1001)), tooLarge)
  t.match(await upload(app, 'format=trello', Readable.from([Buffer.alloc(600), Buffer.alloc(600)])), tooLarge)
  t.equal(count(app, 'imports'), 0)

  const unreadable = await upload(app, 'format=trello', 'no JSON')
  t.strictSame(
    (await ended(app, unreadable.body.id)).error,
    'the file is not a Trello board export: expected a board exported as JSON, but it is a table or text of another kind',
  )
  t.strictSame(await tidy(folder), [])
})

t.test('members see their own imports, admins all; viewers and read tokens cannot import', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const [admin, member, other, viewer] = [
    signInAs(app, 'admin'),
    signInAs(app, 'member'),
    signInAs(app, 'member'),
    signInAs(app, 'viewer'),
  ]
  const refused = await upload(app, 'format=trello', FILE, viewer.headers)
  t.match(refused, { status: 403, body: readOnly })
  t.equal((await upload(app, 'format=trello', FILE)).status, 401)
  const { body } = await upload(app, 'format=trello', FILE, member.headers)
  t.match(await ended(app, body.id, member.headers), { status: 'done' })
  t.match(await ended(app, body.id, admin.headers), { status: 'done' })
  const url = `/api/imports/${body.id}`
  t.match(await send(app, 'GET', url, undefined, other.headers), {
    status: 404,
    body: { error: 'Import not found' },
  })
  t.strictSame((await send(app, 'GET', '/api/imports', undefined, other.headers)).body, [])
  t.equal((await send(app, 'GET', '/api/imports', undefined, admin.headers)).body.length, 1)
})

t.test('a failed thread does not affect anything else', async (t) => {
  const folder = t.testdir()
  const databaseUrl = `file:${folder}/board.db`
  const app = await build(t, { databaseUrl })
  const warnings: string[] = []
  const start = (id: string, parts: object) => {
    const warn = (_: unknown, message: string) => warnings.push(message)
    const importer = new Importer({ db: app.db, databaseUrl, checkpoints: 'service', warn, ...parts })
    writeTo(app.db, () => new Imports(app.db).create(id, 'trello', 'local'))
    const place = importer.reserve(id, 'ada')
    writeFileSync(place.file, trelloExport(20_000, 'Large'))
    place.start({ format: 'trello', name: 'the file', memberId: 'local', again: false, isDryRun: false })
  }
  start('large', { limits: { memory: 60 } })
  t.match(await ended(app, 'large'), {
    status: 'failed',
    error: 'There is not enough memory for so large a file',
  })
  t.equal(count(app, 'projects'), 0)
  start('slow', { limits: { time: 1 } })
  t.match(await ended(app, 'slow'), { status: 'failed', error: 'Reading the file took too long' })
  t.equal(count(app, 'projects'), 0)
  start('odd', { limits: { memory: Number.NaN } })
  t.match(await ended(app, 'odd'), { status: 'failed', error: 'The file could not be read' })
  while (warnings.length === 0) await sleep(10)
  t.strictSame(warnings.splice(0), ['the reader of an import did not end'])
  start('lost', { databaseUrl: `file:${folder}` })
  while (warnings.length < 2) await sleep(10)
  t.strictSame(warnings, ['could not record the error of an import', 'an import did not end'])
})

t.test('an import that cannot store its failure is marked as failed, and stored later', async (t) => {
  const app = await build(t, { databaseUrl: `file:${t.testdir()}/board.db` })
  app.db.$client.exec(`
    create trigger full before insert on kanban_comments begin select raise(abort, 'no room'); end;
    create trigger still_full before update on imports when new.status = 'failed' begin select raise(abort, 'none'); end`)
  const { body } = await upload(app, 'format=trello', FILE)
  const failed = { id: body.id, status: 'failed', error: 'no room' }
  t.match(await ended(app, body.id), failed)
  t.match((await send(app, 'GET', '/api/imports')).body, [failed])
  t.equal(count(app, 'imports', "status = 'failed'"), 0)
  app.db.$client.exec('drop trigger full; drop trigger still_full')
  while (count(app, 'imports', "status = 'failed'") === 0) await sleep(20)
  t.match(await ended(app, body.id), failed)
  t.equal(count(app, 'kanban_items'), 0)
  const again = await upload(app, 'format=trello', FILE)
  t.match(await ended(app, again.body.id), { status: 'done' })
})

t.test('a repetition with the same key does not import again', async (t) => {
  const app = await build(t)
  const key = { 'idempotency-key': 'once' }
  const first = await upload(app, 'format=trello', FILE, key)
  await ended(app, first.body.id)
  const second = await upload(app, 'format=trello', FILE, key)
  const location = `/api/imports/${first.body.id}`
  t.equal(first.headers.location, location)
  t.match(second, { status: 202, body: first.body, headers: { 'idempotent-replayed': 'true', location } })
  t.equal(
    (await upload(app, 'format=trello', `${FILE} `, key)).status,
    422,
    'of another file it is another request',
  )
  t.equal(count(app, 'imports'), 1)
})

t.test('the latest thousand imports are kept', async (t) => {
  const app = await build(t)
  app.db.$client.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1200)
    insert into imports (id, format, status) select printf('00%04d', n), 'trello', iif(n = 1, 'writing', 'failed') from numbers`)
  await upload(app, 'format=trello', FILE)
  t.equal(count(app, 'imports'), 1001)
  t.equal(count(app, 'imports', "id <= '000201'"), 1, 'and what is not over')
})

t.test('the queue of imports is limited', async (t) => {
  const app = await build(t)
  const places = Array.from({ length: 8 }, (_, n) => app.importer.reserve(`place ${n}`, `member ${n}`))
  const refused = await upload(app, 'format=trello', FILE)
  t.match(refused, {
    status: 503,
    body: { error: 'Too many imports are waiting' },
    headers: { 'retry-after': '30' },
  })
  for (const place of places) place.giveUp()
  const own = Array.from({ length: 3 }, (_, n) => app.importer.reserve(`own ${n}`, 'address 127.0.0.1'))
  t.equal((await upload(app, 'format=trello', FILE)).status, 503, 'a caller has three places')
  app.importer.reserve('of another', 'ada').giveUp()
  own[0]?.giveUp()
  t.equal((await upload(app, 'format=trello', FILE)).status, 202)
  for (const place of own) place.giveUp()
})

t.test('an import is invisible until its end, while others write', async (t) => {
  const folder = t.testdir()
  const app = await build(t, { databaseUrl: `file:${folder}/board.db` })
  const { id: projectId } = await createProject(app)
  const begun = await upload(app, 'format=trello', trelloExport(150, 'Hidden'))
  const [file] = importsIn(folder)
  t.equal(statSync(join(folder, file as string)).mode & 0o777, 0o600)
  const seen = new Set<number>()
  for (let n = 0; ; n++) {
    await createItem(app, projectId, { title: `Card ${n}` })
    const { body: state } = await send(app, 'GET', `/api/imports/${begun.body.id}`)
    const { body: items } = await send(app, 'GET', '/api/kanban-items')
    const { body: found } = await send(app, 'GET', '/api/search?q=Hidden&limit=100')
    const { body: projects } = await send(app, 'GET', '/api/projects')
    const shown = items.filter(({ title }: { title: string }) => title.startsWith('Hidden')).length
    seen.add(shown)
    if (shown === 0 && state.status !== 'done' && projects.length === 1) {
      const stillOne = (await send(app, 'GET', '/api/projects')).body.length === 1
      if (stillOne) t.strictSame(found.results, [])
    }
    if (state.status === 'done') {
      t.match(state, { done: 603, total: 603 })
      break
    }
    t.notHas(state, 'projectId')
    if (state.status === 'failed') throw new Error(state.error)
    await sleep(5)
  }
  t.strictSame(
    [...seen].filter((shown) => shown !== 0 && shown !== 150),
    [],
    'none or all',
  )
  const changes = holdsSequence(app.db.$client)
  const mine = changes.find(
    ({ kind, action, project_id }) => kind === 'project' && action === 'created' && project_id !== projectId,
  )
  const admin = signInAs(app, 'admin').headers
  const undone = await send(app, 'POST', `/api/changes/${mine?.seq}/undo`, undefined, admin)
  t.equal(undone.status, 200, 'it can be undone')
  t.equal((await send(app, 'GET', '/api/projects')).body.length, 1)
  holdsSequence(app.db.$client)
  await app.close()
  t.strictSame(importsIn(folder), [])
})

t.test('an import of a stopped service is removed at the next start', async (t) => {
  const folder = t.testdir()
  const databaseUrl = `file:${folder}/board.db`
  const first = await build(t, { databaseUrl })
  writeTo(first.db, () => new Imports(first.db).create('stopped', 'trello', 'local'))
  writeFileSync(`${folder}/board.db.import-stopped`, FILE)
  await first.close()
  const second = await build(t, { databaseUrl })
  t.match(await ended(second, 'stopped'), {
    status: 'failed',
    error: 'The service was stopped before it was done',
  })
  t.strictSame(await tidy(folder), [])
})

t.test('an upload of a killed service is deleted at the next start, and no other', async (t) => {
  const folder = t.testdir()
  const databaseUrl = `file:${folder}/board.db`
  const first = await build(t, { databaseUrl })
  const others = first.importer.reserve('another', 'ada')
  writeFileSync(others.file, FILE)
  for (const name of ['left', 'left.lock']) writeFileSync(`${folder}/board.db.import-${name}`, '')
  await build(t, { databaseUrl })
  t.strictSame(await tidy(folder, 'import-left'), [])
  t.strictSame(importsIn(folder), ['board.db.import-another', 'board.db.import-another.lock'])
  others.giveUp()
})

t.test('an aborted upload leaves nothing', async (t) => {
  const folder = t.testdir()
  const app = await build(t, { databaseUrl: `file:${folder}/board.db` })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/imports?format=trello',
    headers: { 'content-length': FILE.length },
  })
  outgoing.on('error', () => undefined)
  outgoing.write(FILE.slice(0, 100))
  while (importsIn(folder).length === 0) await sleep(5)
  outgoing.destroy()
  t.strictSame(await tidy(folder), [])
  t.equal(count(app, 'imports'), 0)
})

t.test('with Litestream, neither an import nor the command runs checkpoints', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${path}`, walCheckpoints: 'litestream' })
  const size = () => statSync(path).size
  const before = size()
  const { body } = await upload(app, 'format=trello', FILE)
  t.equal((await ended(app, body.id)).status, 'done')
  t.equal(size(), before)
  const args = ['import', 'trello', 'test/fixtures/trello-board.json', '--again']
  const environment = { DATABASE_URL: `file:${path}`, WAL_CHECKPOINTS: 'litestream' }
  t.equal((await run(t, args, environment)).code, 0)
  t.equal(size(), before)
  t.equal(count(app, 'projects'), 2)
})
