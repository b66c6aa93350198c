/** Deleting and restoring large projects: each is one transaction in a thread of its own, while others read and write. */
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import type { Config } from '../../src/phaseboard.d.ts'
import { holdsGroups, holdsSequence } from '../changes/replay.ts'
import { importAtOnce } from '../exchange/import-at-once.ts'
import { trelloSource } from '../exchange/source-boards.ts'
import { type App, auditTrail, build, count, createItem, createProject, send, signInAs } from '../helper.ts'
import { prepareFile } from '../prepared-file.ts'

const CARDS = 260
const plan = planBoard(trelloSource(CARDS, 'Large'))

/** An imported project of more records than the event loop writes at once, in a file that is large enough for limits. */
const imported = prepareFile(t, (db) => {
  importAtOnce(db, plan, 'ada')
  db.$client.exec(
    `insert into webhooks (id, url, secret, active) values ('w', 'https://example.org/', hex(zeroblob(1100000)), 0)`,
  )
})

/** A service with the imported project. */
async function service(t: Test, options: Partial<Config> = {}) {
  const path = imported(t)
  const app = await build(t, { databaseUrl: path, ...options })
  const { headers } = signInAs(app, 'admin', { id: 'admin' })
  return { app, headers, path, project: plan.projectIds[0] as string }
}

const last = (app: App) => app.rules.changes.sequence.last()

t.test('a large project is deleted, restored, and deleted again, while others write', async (t) => {
  const { app, headers, project } = await service(t)
  const { id: mine } = await createProject(app)
  const url = `/api/projects/${project}`
  const before = (await send(app, 'GET', url, undefined, headers)).body

  /** Writes and reads until a request has a response. @returns the response, and the number of writes */
  async function meanwhile(request: Promise<Awaited<ReturnType<typeof send>>>) {
    let isOver = false
    const answer = request.finally(() => {
      isOver = true
    })
    let written = 0
    while (!isOver) {
      const [made, seen, listed] = await Promise.all([
        createItem(app, mine),
        send(app, 'GET', url, undefined, headers),
        send(app, 'GET', '/api/kanban-items', undefined, headers),
      ])
      t.ok(made.id)
      written++
      if (seen.status === 200) t.equal(seen.body.kanbanItems.length, CARDS, 'it is there whole')
      else t.equal(seen.status, 404, 'or not at all')
      const shown = listed.body.filter((item: { projectId: string }) => item.projectId === project).length
      t.ok([0, CARDS].includes(shown), `${shown} of its cards are listed`)
    }
    return { ...(await answer), written }
  }

  const since = last(app)
  const deleted = await meanwhile(send(app, 'DELETE', url, undefined, headers))
  t.match(deleted, { status: 200, body: { success: true } })
  t.ok(deleted.written > 0)
  const seq = Number(deleted.headers['phaseboard-seq'])
  t.ok(seq > since + 1000)
  t.match(await send(app, 'GET', url, undefined, headers), { status: 404 })
  t.equal(count(app, 'kanban_items', 'project_id = ?', project), 0)

  const undone = await meanwhile(send(app, 'POST', `/api/changes/${seq}/undo`, {}, headers))
  t.equal(undone.status, 200)
  t.equal(undone.body.changes.length, 1000)
  const { group } = undone.body
  const next = `/api/changes?after=${group + 999}&limit=1000`
  t.equal(undone.headers.link, `<${next}>; rel="next"`)
  const others = (await send(app, 'GET', next, undefined, headers)).body.changes
  t.match(others[0], { seq: group + 1000, group })
  t.strictSame((await send(app, 'GET', url, undefined, headers)).body, before)

  const again = await send(app, 'POST', `/api/changes/${group}/undo`, {}, headers)
  t.equal(again.status, 200)
  t.equal(count(app, 'kanban_items', 'project_id = ?', project), 0)
  t.strictSame(
    auditTrail(app).flatMap(([, action]) => (String(action).startsWith('project') ? action : [])),
    ['project-deleted', 'project-restored', 'project-deleted'],
  )
  holdsGroups(holdsSequence(app.db.$client))
  t.strictSame(app.db.$client.pragma('foreign_key_check'), [])
})

t.test('large deletions check If-Match and keys like any write', async (t) => {
  const { app, headers, project } = await service(t)
  const url = `/api/projects/${project}`
  t.match(await send(app, 'DELETE', url, undefined, { ...headers, 'if-match': '"other"' }), { status: 412 })
  t.equal((await send(app, 'GET', url, undefined, headers)).status, 200)
  const { etag } = (await send(app, 'GET', url, undefined, headers)).headers
  const keyed = {
    ...headers,
    'idempotency-key': 'once',
    ...(etag !== undefined && { 'if-match': String(etag) }),
  }
  /** Sends it until it need not wait too long for the others. */
  const remove = async () => {
    for (;;) {
      const answer = await send(app, 'DELETE', url, undefined, keyed)
      if (answer.status !== 503) return answer
    }
  }
  const answers = await Promise.all([1, 2, 3].map(remove))
  t.strictSame(
    answers.map(({ status, body }) => [status, body]),
    answers.map(() => [200, { success: true }]),
  )
  t.equal(new Set(answers.map((answer) => answer.headers['phaseboard-seq'])).size, 1)
  t.equal(answers.filter((answer) => answer.headers['idempotent-replayed']).length, 2)
  t.match(await send(app, 'DELETE', url, undefined, headers), { status: 404 })
})

t.test('no read waits for a large write, and other writes wait outside of the event loop', async (t) => {
  const { app, headers, project, path } = await service(t)
  const { id } = await createProject(app)
  await app.writer.write(app.changes.subjects.index(), { actorId: null })
  const other = new SQLite(path)
  t.teardown(() => other.close())
  // As a large write of another process holds it, or that of the thread before.
  other.exec('begin immediate')
  const done: string[] = []
  const deleting = send(app, 'DELETE', `/api/projects/${project}`, undefined, headers).finally(() =>
    done.push('deleted'),
  )
  const small = createItem(app, id).finally(() => done.push('created'))
  const whole = await send(app, 'GET', '/api/kanban-items', undefined, headers)
  t.equal(whole.body.length, CARDS)
  t.equal((await send(app, 'GET', `/api/projects/${id}`, undefined, headers)).status, 200)
  t.strictSame(done, [])
  other.exec('rollback')
  t.equal((await deleting).status, 200)
  await small
})

t.test('undos have the limit of imports', async (t) => {
  const { app: another } = await service(t)
  const all = count(another, `(select distinct kind, id from changes where "group" = 1 and kind <> 'person')`)
  for (const [importRecords, expected] of [
    [all - 1, { status: 413, body: { error: 'Too much to undo', details: { records: all } } }],
    [all, { status: 200 }],
  ] as const) {
    const { app, headers } = await service(t, { importRecords })
    t.match(await send(app, 'POST', '/api/changes/1/undo', {}, headers), expected)
  }
})
