/** Deleting and restoring projects larger than one transaction may be. Over HTTP each is a single write. */
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { readTrello } from '../../src/exchange/sources/trello-board.ts'
import { holdsGroups, holdsSequence } from '../changes/replay.ts'
import { importAtOnce } from '../exchange/import-at-once.ts'
import { trelloExport } from '../exchange/source-boards.ts'
import {
  type App,
  auditTrail,
  build,
  count,
  createItem,
  createProject,
  send,
  signInAs,
  writeIn,
} from '../helper.ts'
import { folded } from '../imports.ts'
import { prepareFile } from '../prepared-file.ts'

const plan = planBoard(readTrello(new TextEncoder().encode(trelloExport(260, 'Large'))))

/** An imported project of more records than one transaction may write, in a file that is large enough for limits. */
const imported = prepareFile(t, (db) => {
  importAtOnce(db, plan, 'ada')
  db.$client.exec(
    `insert into webhooks (id, url, secret, active) values ('w', 'https://example.org/', hex(zeroblob(1100000)), 0)`,
  )
})

/** A service with the imported project. */
async function service(t: Test, path = imported(t)) {
  const app = await build(t, { databaseUrl: path })
  const { headers } = signInAs(app, 'admin', { id: 'admin' })
  return { app, headers, path, project: plan.projectIds[0] as string }
}

const last = (app: App) => app.rules.changes.sequence.last()

t.test('a large project is deleted, restored, and deleted again, while others write', async (t) => {
  const { app, headers, project } = await service(t)
  const { id: mine } = await createProject(app)
  const url = `/api/projects/${project}`
  const before = (await send(app, 'GET', url, undefined, headers)).body
  const item = before.kanbanItems[0].id
  const watched = [
    url,
    `/api/kanban-items/${item}`,
    '/api/projects',
    '/api/kanban-items',
    '/api/search?q=Large',
  ]

  // Until a look during the deletion, no slice deletes an item.
  app.db.$client.exec(`
    create table awaited_looks as select 1;
    create trigger waits_for_look before delete on kanban_items when exists (select 1 from awaited_looks)
    begin select raise(ignore); end`)

  /** Writes and reads until a request has a response. @returns the response, and the number of writes */
  async function meanwhile(request: Promise<Awaited<ReturnType<typeof send>>>) {
    let isOver = false
    const answer = request.finally(() => {
      isOver = true
    })
    let written = 0
    let hidden = 0
    while (!isOver) {
      written++
      await createItem(app, mine)
      const isHiding = count(app, 'hidden_projects') > 0
      const answers = await Promise.all(watched.map((one) => send(app, 'GET', one, undefined, headers)))
      const all = answers.map(({ status, body }) => status === 200 && JSON.stringify(body).includes('Large'))
      // Two reads may be before and after the first slice, or the last.
      if (all.every((isSeen) => !isSeen)) hidden++
      if (isHiding) await writeIn(app, () => app.db.$client.exec('delete from awaited_looks'))
      const patched = await send(app, 'PATCH', `/api/kanban-items/${item}`, { title: 'Large' }, headers)
      t.ok([200, 404].includes(patched.status))
      // The slices go on meanwhile. Fewer looks show the same.
      await sleep(25)
    }
    return { ...(await answer), written, hidden }
  }

  const since = last(app)
  const deleted = await meanwhile(send(app, 'DELETE', url, undefined, headers))
  t.match(deleted, { status: 200, body: { success: true } })
  t.ok(deleted.written > 0 && deleted.hidden > 0, `${deleted.written} writes, ${deleted.hidden} looks`)
  const seq = Number(deleted.headers['phaseboard-seq'])
  t.ok(seq > since + 1000)
  t.match(await send(app, 'GET', url, undefined, headers), { status: 404 })
  t.equal(count(app, 'kanban_items', 'project_id = ?', project), 0)

  await folded(app)
  const undone = await meanwhile(send(app, 'POST', `/api/changes/${seq}/undo`, {}, headers))
  t.equal(undone.status, 200)
  t.equal(undone.body.changes.length, 1000)
  const { group } = undone.body
  const next = `/api/changes?after=${group + 999}&limit=1000`
  t.equal(undone.headers.link, `<${next}>; rel="next"`)
  const others = (await send(app, 'GET', next, undefined, headers)).body.changes
  t.match(others[0], { seq: group + 1000, group })
  const after = (await send(app, 'GET', url, undefined, headers)).body
  t.equal(after.kanbanItems.length, before.kanbanItems.length)

  await folded(app)
  const again = await send(app, 'POST', `/api/changes/${group}/undo`, {}, headers)
  t.equal(again.status, 200)
  t.equal(count(app, 'kanban_items', 'project_id = ?', project), 0)
  t.strictSame(
    auditTrail(app).flatMap(([, action]) => (String(action).startsWith('project') ? action : [])),
    ['project-deleted', 'project-restored', 'project-deleted'],
  )
  await folded(app)
  holdsGroups(holdsSequence(app.db.$client))
  t.strictSame(app.db.$client.pragma('foreign_key_check'), [])
})

t.test('large deletions check If-Match, keys and batches like any write', async (t) => {
  const { app, headers, project } = await service(t)
  const url = `/api/projects/${project}`
  t.match(await send(app, 'DELETE', url, undefined, { ...headers, 'if-match': '"other"' }), { status: 412 })
  const batch = { requests: [{ method: 'DELETE', path: url }] }
  t.match(await send(app, 'POST', '/api/batch', batch, headers), { status: 413 })
  t.equal((await send(app, 'GET', url, undefined, headers)).status, 200)
  const { etag } = (await send(app, 'GET', url, undefined, headers)).headers
  const keyed = {
    ...headers,
    'idempotency-key': 'once',
    ...(etag !== undefined && { 'if-match': String(etag) }),
  }
  const answers = await Promise.all([1, 2, 3].map(() => send(app, 'DELETE', url, undefined, keyed)))
  t.strictSame(
    answers.map(({ status, body }) => [status, body]),
    answers.map(() => [200, { success: true }]),
  )
  t.equal(new Set(answers.map((answer) => answer.headers['phaseboard-seq'])).size, 1)
  t.equal(answers.filter((answer) => answer.headers['idempotent-replayed']).length, 2)
  t.match(await send(app, 'DELETE', url, undefined, headers), { status: 404 })
})

t.test('an interrupted deletion continues at the next start', async (t) => {
  const { app, headers, project, path } = await service(t)
  const deleting = send(app, 'DELETE', `/api/projects/${project}`, undefined, headers)
  while (count(app, 'hidden_projects') === 0) await sleep(1)
  await app.close()
  const { status } = await deleting
  t.ok([200, 503].includes(status), `${status}`)
  const next = await build(t, { databaseUrl: path })
  await next.ready()
  await folded(next)
  t.equal(count(next, 'kanban_items', 'project_id = ?', project), 0)
  t.equal(count(next, 'changes', "action = 'deleted' and kind = 'project' and id = ?", project), 1)
  t.equal(count(next, 'audit_log', "action = 'project-deleted'"), 1)
  holdsSequence(next.db.$client)
})

t.test('a long write that cannot be hidden is refused', async (t) => {
  const { app, headers, project } = await service(t)
  const { id } = await createProject(app)
  await writeIn(app, () => {
    app.db.$client.exec(`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 5001)
      insert into kanban_items (id, project_id, title) select 'many ' || i, '${id}', 'Many' from n`)
  })
  t.strictSame(
    await send(app, 'POST', `/api/changes/${last(app)}/undo`, {}, headers).then(({ status, body }) => [
      status,
      body,
    ]),
    [413, { error: 'Too much to undo at once' }],
  )
  const since = last(app)
  await app.groupCommit.write('admin', () => {
    app.db.$client.exec(
      `update kanban_items set priority = 'low' where project_id = '${project}'; update kanban_items set is_new = 1`,
    )
  })
  const undone = await send(app, 'POST', `/api/changes/${since + 1}/undo`, {}, headers)
  t.equal(undone.status, 413)
  await app.groupCommit.write('admin', () => {
    app.db.$client.exec(`update kanban_items set source_id = 'x' || id where id < 'many 2'`)
  })
  const last2 = await send(app, 'POST', `/api/changes/${last(app)}/undo`, {}, headers)
  t.equal(last2.status, 200, 'at once')
})
