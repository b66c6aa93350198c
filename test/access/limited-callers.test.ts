/** Callers who do not see every project: in the worker thread, in batches, after deletions, in repetitions, and of a host. */
import { join } from 'node:path'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import type { Config, HostMember } from '../../src/phaseboard.d.ts'
import { type App, build, send, signInAs } from '../helper.ts'
import { shipped } from '../shipped.ts'

type Caller = ReturnType<typeof signInAs>

const as =
  (app: App, { headers }: Pick<Caller, 'headers'>) =>
  (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
    send(app, method, path, body, { ...headers, ...more })

/** A project that everybody sees, and one that only the insider sees. */
async function setUp(t: Test, databaseUrl = ':memory:', options: Partial<Config> = {}) {
  const app = await build(t, { authMode: 'required', databaseUrl, ...options })
  const admin = as(app, signInAs(app, 'admin'))
  const inside = signInAs(app, 'member')
  const outside = signInAs(app, 'member')
  const [insider, outsider] = [as(app, inside), as(app, outside)]
  const open = (await admin('POST', '/api/projects', { name: 'Open' })).body.id as string
  const secret = (await insider('POST', '/api/projects', { name: 'Secret', access: 'assigned' })).body
    .id as string
  return { app, admin, insider, outsider, outside, open, secret }
}

const card = (index: number) => ({ id: `card-${index}`, title: `Card ${index}` })

/** Makes the file so large that the worker thread takes over, and the projects so large that it has to. */
function enlarge(app: App, projects: readonly string[], cards = 1100) {
  const { $client: client } = app.db
  const add = client.prepare(
    'insert into kanban_items (id, project_id, title, description) values (?, ?, ?, ?)',
  )
  client.transaction(() => {
    for (const [place, project] of projects.entries()) {
      for (let index = 0; index < cards; index++) {
        const { id, title } = card(index)
        add.run(`${place}-${id}`, project, title, 'x'.repeat(1200))
      }
    }
  })()
}

/** Creates cards by one statement, which is one change each. */
function addCards(app: App, project: string, count: number, name = 'card'): void {
  app.db.$client
    .prepare(
      `insert into kanban_items (id, project_id, title)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) select ? || i, ?, 'Card' from n`,
    )
    .run(count, name, project)
}

t.test('the worker thread reads and writes for a limited caller as the event loop does', async (t) => {
  const { app, insider, outsider, open, secret } = await setUp(t, join(t.testdir(), 'board.db'))
  enlarge(app, [open, secret])
  t.equal((await outsider('GET', `/api/projects/${secret}`)).status, 404)
  t.equal((await insider('GET', `/api/projects/${secret}`)).body.kanbanItems.length, 1100)
  const list = await outsider('GET', '/api/projects')
  t.strictSame(
    list.body.map(({ name }: { name: string }) => name),
    ['Open'],
  )
  t.strictSame(await (await outsider('GET', '/api/projects')).headers.etag, list.headers.etag)
  t.equal((await insider('GET', '/api/projects')).body.length, 2)
  t.equal((await outsider('GET', '/api/kanban-items')).body.length, 1100)
  t.equal((await outsider('GET', '/api/projects?q=e')).body.length, 1)

  const move = (from: number, count: number, place: number) => ({
    items: Array.from({ length: count }, (_, index) => ({
      id: `${place}-${card(from + index).id}`,
      column: 'Done',
      sortOrder: index,
    })),
  })
  t.equal((await outsider('POST', `/api/projects/${open}/kanban-items/reorder`, move(0, 400, 0))).status, 200)
  t.equal(
    (await outsider('POST', `/api/projects/${secret}/kanban-items/reorder`, move(0, 400, 1))).status,
    404,
  )
  const ids = Array.from({ length: 300 }, (_, index) => `1-${card(index).id}`)
  t.equal((await outsider('DELETE', '/api/kanban-items', { ids })).status, 404)
  const gone = await insider('DELETE', '/api/kanban-items', { ids })
  t.equal(gone.status, 200)
  const seq = gone.headers['phaseboard-seq']
  t.equal((await outsider('POST', `/api/changes/${seq}/undo`, {})).status, 404)
  t.equal((await insider('POST', `/api/changes/${seq}/undo`, {})).status, 200)

  // Too large for the worker thread's usual transactions.
  const requests = [0, 400, 800].map((from) => ({
    method: 'POST',
    path: `/api/projects/${secret}/kanban-items/reorder`,
    body: move(from, from === 800 ? 300 : 400, 1),
  }))
  const all = await insider('POST', '/api/batch', { requests })
  t.equal(all.status, 200)
  const undo = `/api/changes/${all.headers['phaseboard-seq']}/undo`
  t.equal((await outsider('POST', undo, {})).status, 404)
  t.equal((await insider('POST', undo, {})).status, 200)
  const { kanbanItems } = (await insider('GET', `/api/projects/${secret}`)).body
  t.equal(kanbanItems.filter(({ column }: { column: string }) => column === 'Done').length, 0)
})

t.test(
  'a batch is checked as a whole, on the event loop and in the worker thread, also one that is rolled back',
  async (t) => {
    const { app, insider, outsider, admin, outside, open, secret } = await setUp(
      t,
      join(t.testdir(), 'board.db'),
    )
    enlarge(app, [open, secret], 10)
    const viewer = { memberId: outside.id, role: 'viewer' }
    for (const steps of [1, 120]) {
      const many = (project: string) =>
        Array.from({ length: steps }, () => ({
          method: 'POST',
          path: `/api/projects/${project}/kanban-items`,
          body: { title: 'New' },
        }))
      for (const dryRun of [false, true]) {
        t.equal((await outsider('POST', '/api/batch', { requests: many(open), dryRun })).status, 200)
        t.equal((await outsider('POST', '/api/batch', { requests: many(secret), dryRun })).status, 404)
      }
      const reads = Array.from({ length: steps }, () => ({ method: 'GET', path: `/api/projects/${secret}` }))
      t.equal((await outsider('POST', '/api/batch', { requests: reads })).status, 404)
      t.equal((await insider('POST', '/api/batch', { requests: reads })).status, 200)
      await admin('POST', `/api/projects/${secret}/team-assignments`, viewer)
      for (const dryRun of [false, true]) {
        const refused = await outsider('POST', '/api/batch', { requests: many(secret), dryRun })
        t.match(refused, { status: 403, body: { error: 'Forbidden: read-only in this project' } })
      }
      const [{ id }] = (await admin('GET', `/api/projects/${secret}/team-assignments`)).body.filter(
        ({ memberId }: { memberId: string }) => memberId === outside.id,
      )
      await admin('DELETE', `/api/team-assignments/${id}`)
    }
  },
)

t.test('a limited caller sees in the sequence what it could see before a deletion', async (t) => {
  const { app, admin, insider, outsider, outside, open, secret } = await setUp(t)
  const guest = as(app, signInAs(app, 'guest', { id: 'guest' }))
  const leave = as(app, signInAs(app, 'member'))
  const team = (await admin('POST', '/api/teams', { name: 'Team', memberIds: [outside.id] })).body.id
  const ours = (await admin('POST', '/api/projects', { name: 'Of a team', access: 'assigned', teamId: team }))
    .body.id
  t.equal((await outsider('GET', `/api/projects/${ours}`)).status, 200)
  const start = (await admin('GET', '/api/changes?limit=1000')).body.last
  for (const id of [open, secret, ours]) t.equal((await admin('DELETE', `/api/projects/${id}`)).status, 200)
  const deleted = async (who: ReturnType<typeof as>) =>
    (await who('GET', `/api/changes?after=${start}&limit=1000`)).body.changes
      .filter(
        ({ kind, action }: { kind: string; action: string }) => kind === 'project' && action === 'deleted',
      )
      .map(({ id }: { id: string }) => id)
  // Somebody is limited as long as there is a project for some only.
  await admin('POST', '/api/projects', { name: 'Other', access: 'assigned' })
  t.strictSame(await deleted(admin), [open, secret, ours])
  t.strictSame(await deleted(insider), [open, secret])
  t.strictSame(await deleted(outsider), [open, ours])
  t.strictSame(await deleted(leave), [open])
  t.strictSame(await deleted(guest), [])
  const trash = async (who: ReturnType<typeof as>) =>
    (await who('GET', '/api/trash')).body.map(({ id }: { id: string }) => id)
  t.strictSame(await trash(outsider), [ours, open])
  t.strictSame(await trash(guest), [])
  t.equal((await outsider('GET', `/api/projects/${secret}/changes`)).status, 404)
  t.equal((await outsider('GET', `/api/projects/${open}/changes`)).status, 200)
})

t.test('flow has nothing of what happened to an item in a project out of scope', async (t) => {
  const { app, admin, insider, outsider, open, secret } = await setUp(t)
  const { $client: client } = app.db
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()
  /** An item that was finished three days ago. */
  const finish = async (title: string) => {
    const { id } = (await admin('POST', `/api/projects/${open}/kanban-items`, { title })).body
    for (const column of ['In Progress', 'Done']) await admin('PATCH', `/api/kanban-items/${id}`, { column })
    client.prepare('update kanban_items set created_at = ? where id = ?').run(day(5), id)
    client.prepare('update kanban_activity set created_at = ? where item_id = ?').run(day(3), id)
    return id as string
  }
  const items = async (who: typeof admin, query = '') => {
    const url = `/api/projects/${open}/flow?to=${day(1).slice(0, 10)}${query}`
    const { status, body } = await who('GET', url)
    t.equal(status, 200)
    return body.cycleTime.items.map(({ title }: { title: string }) => title).sort()
  }
  const move = (id: string, projectId: string) => admin('POST', `/api/kanban-items/${id}/move`, { projectId })
  const rename = (id: string, title: string) =>
    admin('PATCH', `/api/kanban-items/${id}`, { title, priority: 'urgent' })
  const remove = async (id: string) =>
    (await admin('DELETE', `/api/kanban-items/${id}`)).headers['phaseboard-seq'] as string

  const [gone, kept, restored, , there, back] = [
    await finish('Goes'),
    await finish('Is deleted here'),
    await finish('Is restored there'),
    await finish('Stays'),
    await finish('Is there'),
    await finish('Comes back'),
  ]
  const all = ['Comes back', 'Goes', 'Is deleted here', 'Is restored there', 'Is there', 'Stays']
  t.strictSame(await items(outsider), all)
  t.strictSame(await items(admin), all)

  for (const [id, title] of [
    [gone, 'Secret: gone'],
    [restored, 'Secret: restored'],
    [there, 'Secret: there'],
    [back, 'Secret: back'],
  ] as const) {
    await move(id, secret)
    await rename(id, title)
  }
  await remove(gone)
  t.equal((await admin('POST', `/api/changes/${await remove(restored)}/undo`, {})).status, 200)
  await rename(back, 'Is back')
  await move(back, open)
  await remove(back)
  await remove(kept)
  t.strictSame(await items(outsider), ['Is back', 'Is deleted here', 'Stays'])
  t.strictSame(await items(outsider, '&priority=urgent'), ['Is back'], 'a filter compares no unseen fields')
  const everything = [
    'Is back',
    'Is deleted here',
    'Secret: gone',
    'Secret: restored',
    'Secret: there',
    'Stays',
  ]
  t.strictSame(await items(admin), everything, 'who sees both projects sees all')
  t.strictSame(await items(insider), everything)
  t.strictSame(
    await items(admin, '&priority=urgent'),
    everything.filter((title) => /Secret|back/.test(title)),
  )
})

t.test('a repetition gets the stored response only as long as its project is seen', async (t) => {
  const { admin, insider, secret } = await setUp(t)
  const key = { 'idempotency-key': 'one' }
  const add = () => insider('POST', `/api/projects/${secret}/kanban-items`, { title: 'Once' }, key)
  const made = await add()
  t.equal(made.status, 201)
  t.match(await add(), {
    status: 201,
    headers: { 'idempotent-replayed': 'true' },
    body: { id: made.body.id },
  })
  const same = () => insider('PATCH', `/api/kanban-items/${made.body.id}`, {}, { 'idempotency-key': 'two' })
  t.equal((await same()).status, 200)
  t.equal((await same()).status, 200)
  const [{ id }] = (await admin('GET', `/api/projects/${secret}/team-assignments`)).body
  await admin('DELETE', `/api/team-assignments/${id}`)
  t.match(await add(), { status: 404, body: { error: 'Project not found' } })
  t.match(await same(), { status: 404, body: { error: 'Kanban item not found' } })
})

/** A host application whose members are given, and may change. */
async function hostOf(t: Test, members: Record<string, HostMember>) {
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(shipped.phaseboard, {
    databaseUrl: ':memory:',
    authMode: 'required',
    resolveMember: ({ headers }) => members[String(headers['x-user'])] ?? null,
  })
  return async (user: string, method: string, url: string, payload?: object) => {
    const answer = await host.inject({
      method: method as 'GET',
      url,
      headers: { 'x-user': user },
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
}

t.test('a host decides by itself which projects a member reaches', async (t) => {
  const members: Record<string, HostMember> = {
    boss: { id: 'u-1', role: 'admin', projects: 'all' },
  }
  const ask = await hostOf(t, members)
  const ids: string[] = []
  for (const name of ['One', 'Two', 'Three']) {
    ids.push((await ask('boss', 'POST', '/api/projects', { name })).body.id)
  }
  const [one = '', two = '', three = ''] = ids
  members.dee = { id: 'u-2', role: 'admin', projects: { [one]: 'read', [two]: 'write' } }
  t.strictSame(
    (await ask('dee', 'GET', '/api/projects')).body.map(({ name }: { name: string }) => name),
    ['One', 'Two'],
  )
  t.equal((await ask('dee', 'PATCH', `/api/projects/${two}`, { name: 'Zwei' })).status, 200)
  t.match(await ask('dee', 'PATCH', `/api/projects/${one}`, { name: 'Eins' }), {
    status: 403,
    body: { error: 'Forbidden: read-only in this project' },
  })
  t.equal((await ask('dee', 'PATCH', `/api/projects/${three}`, { name: 'Drei' })).status, 404)
  t.equal((await ask('dee', 'DELETE', `/api/projects/${three}`)).status, 403)
  t.match(await ask('dee', 'POST', '/api/projects', { name: 'Vier' }), { status: 403 })
  members.dee = { id: 'u-2', role: 'viewer', projects: { [one]: 'read', [two]: 'write' } }
  t.equal((await ask('dee', 'PATCH', `/api/projects/${two}`, { name: 'Zwo' })).status, 200, 'viewers, too')
  t.match(await ask('dee', 'PATCH', `/api/projects/${one}`, { name: 'Eins' }), {
    status: 403,
    body: { error: 'Forbidden: read-only in this project' },
  })
  members.dee = { id: 'u-2', role: 'viewer' }
  t.match(await ask('dee', 'PATCH', `/api/projects/${two}`, { name: 'Zwei' }), {
    status: 403,
    body: { error: 'Forbidden: read-only role' },
  })
  members.dee = { id: 'u-2', role: 'member', projects: {} }
  t.strictSame((await ask('dee', 'GET', '/api/projects')).body, [])
})

t.test(
  'a limited caller cannot undo more records than allowed, nor learn of those that it does not see',
  async (t) => {
    const url = join(t.testdir(), 'board.db')
    const { app, admin, insider, outsider, open, secret } = await setUp(t, url, { importRecords: 1500 })
    const last = () => app.rules.changes.sequence.last()
    /** One write that creates cards, and is then in the sequence. @returns its last change */
    const write = async (work: () => void) => {
      await app.groupCommit.write('someone', work)
      return last()
    }
    const limit = await write(() => enlarge(app, [open], 1500))
    const large = await write(() => addCards(app, open, 1501, 'more'))
    const mixed = await write(() => {
      addCards(app, secret, 100, 'secret')
      addCards(app, open, 1500, 'mixed')
    })
    const before = last()
    const tooMuch = (records: number) => ({
      status: 413,
      body: { error: 'Too much to undo', details: { records } },
    })
    t.match(await outsider('POST', `/api/changes/${large}/undo`, {}), tooMuch(1501))
    t.equal((await outsider('POST', `/api/changes/${mixed}/undo`, {})).status, 404, 'it is not seen whole')
    t.match(await insider('POST', `/api/changes/${mixed}/undo`, {}), tooMuch(1600))
    t.match(await admin('POST', `/api/changes/${large}/undo`, {}), tooMuch(1501))
    t.equal(last(), before, 'nothing is written')
    t.equal((await outsider('POST', `/api/changes/${limit}/undo`, {})).status, 200)
  },
)

t.test('a request is repeated although many changes of its deleted project are not indexed', async (t) => {
  const { app, admin, outsider, open } = await setUp(t, join(t.testdir(), 'board.db'))
  const key = { 'idempotency-key': 'once' }
  const create = () => outsider('POST', `/api/projects/${open}/kanban-items`, { title: 'Card' }, key)
  const first = await create()
  t.equal(first.status, 201)
  t.equal((await admin('DELETE', `/api/projects/${open}`)).status, 200)
  app.db.$client.exec(`
    insert into changes (kind, id, action, project_id, after)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000)
      select 'project', 'other', 'updated', 'other', '{"name":"${'x'.repeat(150)}"}' from n`)
  t.match(await create(), { status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } })
})
