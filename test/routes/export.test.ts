/** Exporting everything over HTTP, while others write and clients connect and disconnect. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { importArchive } from '../../src/exchange/archives/import-archive.ts'
import { holdsSequence } from '../changes/replay.ts'
import { quiet } from '../exchange/archives.ts'
import {
  type App,
  build,
  createItem,
  createProject,
  holds,
  send,
  signInAs,
  tokenOf,
  writeIn,
} from '../helper.ts'
import { shipped } from '../shipped.ts'

t.test('only an admin can export, in both modes, and the response is a download', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const admin = signInAs(app, 'admin')
    const member = signInAs(app, 'member')
    const viewer = signInAs(app, 'viewer')
    const adminRequired = { error: 'Forbidden: admin access required' }
    const nobody =
      authMode === 'open'
        ? ([403, adminRequired] as const)
        : ([401, { error: 'Authentication required' }] as const)
    await holds(t, app, [
      ['GET', '/api/export', undefined, undefined, ...nobody],
      ['GET', '/api/export', undefined, member.headers, 403, adminRequired],
      ['GET', '/api/export', undefined, viewer.headers, 403, adminRequired],
    ])
    for (const who of [admin.headers, tokenOf(app, admin.id, { scope: 'read' })]) {
      const { status, headers } = await send(app, 'GET', '/api/export', undefined, who)
      t.equal(status, 200)
      t.match(headers, {
        'content-type': 'application/zip',
        'content-disposition': /^attachment; filename="phaseboard-\d{4}-\d\d-\d\d\.zip"$/,
        'cache-control': 'no-store',
      })
    }
    const head = await send(app, 'HEAD', '/api/export', undefined, admin.headers)
    t.match(head, { status: 200, body: '', headers: { 'content-type': 'application/zip' } })
    const batch = { requests: [{ method: 'GET', path: '/api/export' }] }
    t.match(await send(app, 'POST', '/api/batch', batch, admin.headers), { status: 400 })
  }
})

t.test('an export without the bytes of damaged files is complete, and logs them', async (t) => {
  const logStream = new PassThrough()
  const app = await build(t, { logLevel: 'warn', logStream })
  const { headers } = signInAs(app, 'admin', { id: 'ada' })
  const { id } = await createItem(app, (await createProject(app)).id)
  const url = `/api/kanban-items/${id}/attachments`
  const attached = await app.inject({ method: 'POST', url, payload: 'weld it' })
  const [attachment] = attached.json()
  await writeIn(app, () => app.db.$client.exec('delete from file_chunks'))
  const copy = await importedFrom(t, t.testdir(), app, headers)
  t.strictSame(copy.prepare('select id from attachments').pluck().all(), [attachment.id])
  t.equal(copy.prepare('select count(*) from file_contents').pluck().get(), 0)
  t.match(JSON.parse(String(logStream.read())), {
    level: 40,
    damaged: [{ sha256: attachment.sha256, attachments: [attachment.id] }],
    msg: 'an export lacks the bytes of damaged files',
  })
})

/** A service's export, imported into a separate file. */
async function importedFrom(t: Test, folder: string, app: App, who: Record<string, string>) {
  const { rawPayload } = await app.inject({ method: 'GET', url: '/api/export', headers: who })
  const file = join(folder, 'archive.zip')
  writeFileSync(file, rawPayload)
  const opened = openDatabase(':memory:')
  t.teardown(opened.close)
  await importArchive(opened.db, file, quiet)
  return opened.db.$client
}

t.test('a database in memory is exported, too, without credentials', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin', { id: 'ada' })
  const { id } = await createProject(app)
  await createItem(app, id)
  app.db.$client.exec(`
    update members set password_hash = 'hash';
    insert into webhooks (id, url, secret) values ('w', 'https://example.org/', 'whsec_c2VjcmV0');
    insert into imports (id, format) values ('running', 'trello');
`)
  const copy = await importedFrom(t, t.testdir(), app, headers)
  holdsSequence(copy)
  t.strictSame(copy.prepare('select id, password_hash from members').raw().all(), [['ada', null]])
  for (const table of ['webhooks', 'sessions', 'api_tokens', 'imports'])
    t.equal(copy.prepare(`select count(*) from ${table}`).pluck().get(), 0, table)
  t.strictSame(copy.prepare('select project_id from kanban_items').pluck().all(), [id])
})

/** Enough rows for a slow export. */
function fill(app: App, projectId: string, items: number): void {
  app.db.$client
    .prepare(
      `insert into kanban_items (id, project_id, title, metadata)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      select 'i' || i, ?, 'Card ' || i, '{"a":"' || hex(randomblob(20000)) || '"}' from n`,
    )
    .run(items, projectId)
}

t.test('an export during writes is one state', async (t) => {
  const folder = t.testdir()
  const app = await build(t, {
    databaseUrl: `file:${join(folder, 'board.db')}`,
    adminPassword: 'correct horse',
  })
  const { headers } = signInAs(app, 'admin')
  const { id } = await createProject(app)
  fill(app, id, 100)
  let isOver = false
  let written = 0
  const writing = [1, 2, 3, 4].map(async () => {
    while (!isOver) {
      const item = await createItem(app, id)
      await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'Done' }, headers)
      await send(app, 'DELETE', `/api/kanban-items/i${++written}`, undefined, headers)
      await nextTurn()
    }
  })
  while (written < 4) await nextTurn()
  const before = written
  const copy = await importedFrom(t, folder, app, headers)
  isOver = true
  await Promise.all(writing)
  t.ok(written > before, `${written - before} writes meanwhile`)
  const rows = holdsSequence(copy)
  t.strictSame(
    app.db.$client
      .prepare('select seq, kind, id, action, before, after from changes where seq <= ?')
      .all(rows.at(-1)?.seq),
    rows.map(({ seq, kind, id, action, before, after }) => ({ seq, kind, id, action, before, after })),
    'a prefix of the sequence',
  )
})

/** Reads a response to its end, successful or not. */
const ended = (response: IncomingMessage) =>
  new Promise((resolve) => {
    response.on('close', resolve).resume()
  })

/** A service that listens, with something to export. */
async function listening(t: Test) {
  const app = (await shipped.buildApp({
    databaseUrl: `file:${join(t.testdir(), 'board.db')}`,
    adminPassword: 'correct horse',
    logLevel: 'silent',
  })) as App
  t.teardown(() => app.close())
  const { headers } = signInAs(app, 'admin')
  const { id } = await createProject(app)
  fill(app, id, 400)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ask = async () => {
    const asked = request(`${url}/api/export`, { headers })
    asked.on('error', () => undefined)
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    response.on('error', () => undefined)
    t.teardown(() => response.destroy())
    return response
  }
  return { app, ask }
}

t.test('two exports run at a time, at the speed of their clients, and end with them', async (t) => {
  const { app, ask } = await listening(t)
  const [first, second] = await Promise.all([ask(), ask()])
  t.strictSame([first?.statusCode, second?.statusCode], [200, 200])
  const third = await ask()
  t.equal(third.statusCode, 503)
  t.equal(third.headers['retry-after'], '10')
  third.resume()
  first?.destroy()
  let again = await ask()
  while (again.statusCode === 503) {
    again.resume()
    await sleep(10)
    again = await ask()
  }
  t.equal(again.statusCode, 200, 'once one has ended there is room for another')
  let bytes = 0
  for await (const chunk of again) bytes += chunk.length
  t.ok(bytes > 10_000_000)
  t.notOk(second?.complete, 'whoever does not read is still waited for')
  const closing = app.close()
  await ended(second as IncomingMessage)
  t.notOk(second?.complete, 'a stop ends it, and its client can tell')
  await closing
})

t.test('an export that takes too long is stopped', async (t) => {
  const { ask } = await listening(t)
  const { setTimeout: original } = globalThis
  t.teardown(() => Object.assign(globalThis, { setTimeout: original }))
  let end = () => {}
  const noted = (work: () => void, time?: number) => {
    if (time === 15 * 60 * 1000) end = work
    return original(work, time)
  }
  Object.assign(globalThis, { setTimeout: noted })
  const response = await ask()
  end()
  await ended(response)
  t.notOk(response.complete)
})

t.test('a failure before the first byte gets a response', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  app.db.$client.exec('pragma legacy_alter_table = on; alter table metrics rename to broken')
  await holds(t, app, [['GET', '/api/export', undefined, headers, 500, { error: 'Failed to export' }]])
})
