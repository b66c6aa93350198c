/** What arrives after access was lost, or given: streams, cursors, entity tags, repetitions, undo, batches, imports, and other processes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import phaseboard from '../../src/app.ts'
import { connectStream, type StreamEvent } from '../event-source.ts'
import { nextTurn, until, watch } from '../executions.ts'
import { type App, build, send, signInAs, tokenOf } from '../helper.ts'
import { ended, upload } from '../imports.ts'

type Headers = Record<string, string>

const as =
  (app: App, headers: Headers) =>
  (method: string, path: string, body?: object, more: Headers = {}) =>
    send(app, method, path, body, { ...headers, ...more })

type Ask = ReturnType<typeof as>

/** A project that everyone sees, and one with a card that only `ann` and the admin see. */
async function setUp(t: Test, databaseUrl = ':memory:') {
  const app = await build(t, { authMode: 'required', databaseUrl })
  const boss = signInAs(app, 'admin')
  const ann = signInAs(app, 'member')
  const admin = as(app, boss.headers)
  const member = as(app, ann.headers)
  const make = async (ask: Ask, url: string, body: object) => (await ask('POST', url, body)).body.id as string
  const open = await make(admin, '/api/projects', { name: 'Open' })
  const secret = await make(admin, '/api/projects', { name: 'Secret', access: 'assigned' })
  const card = await make(admin, `/api/projects/${secret}/kanban-items`, { title: 'Hush' })
  const shown = await make(admin, `/api/projects/${open}/kanban-items`, { title: 'Shown' })
  const assign = (role = 'member') =>
    make(admin, `/api/projects/${secret}/team-assignments`, { memberId: ann.id, role })
  let assignment = await assign()
  const lose = async () => {
    await admin('DELETE', `/api/team-assignments/${assignment}`)
  }
  const give = async (role?: string) => {
    assignment = await assign(role)
  }
  return { app, admin, member, ann, boss, open, secret, card, shown, lose, give, make }
}

/** Follows the changes. @returns the events so far, and a wait for the change of a card's title to `mark` */
async function follow(t: Test, url: string, headers: Headers) {
  const events: StreamEvent[] = []
  const { close, ended } = await connectStream(`${url}/api/changes/stream`, (event) => events.push(event), {
    headers,
  })
  t.teardown(close)
  return {
    events,
    ended,
    seen: (mark: string) => until(() => events.some(({ data }) => data.includes(mark))),
  }
}

/** The gains and losses of projects that a stream has reported. */
const accessIn = (events: readonly StreamEvent[]): { projectId: string; visible: boolean }[] =>
  events.filter(({ type }) => type === 'access').map(({ data }) => JSON.parse(data))

const lossesIn = (events: readonly StreamEvent[]) => accessIn(events).filter(({ visible }) => !visible)

t.test('a stream sends the loss of access, and then no further events of the project', async (t) => {
  const { app, admin, ann, open, secret, card, shown, lose, give } = await setUp(t)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { events, seen } = await follow(t, url, ann.headers)
  const guest = signInAs(app, 'guest')
  const other = await follow(t, url, guest.headers)
  await admin('PATCH', `/api/kanban-items/${card}`, { title: 'Hush 1' })
  await seen('Hush 1')
  await lose()
  await admin('PATCH', `/api/kanban-items/${card}`, { title: 'Hush 2' })
  await admin('POST', `/api/kanban-items/${shown}/comments`, { content: 'marker 1' })
  await seen('marker 1')
  const from = events.findIndex(({ type }) => type === 'access')
  t.strictSame(JSON.parse(events[from]?.data ?? ''), { projectId: secret, visible: false })
  t.notMatch(JSON.stringify(events.slice(from + 1)), new RegExp(`${secret}|${card}|Hush`))
  await give()
  await admin('POST', `/api/kanban-items/${shown}/comments`, { content: 'marker 2' })
  await seen('marker 2')
  t.strictSame(
    events.filter(({ type }) => type === 'access').map(({ data }) => JSON.parse(data).visible),
    [false, true],
  )
  t.notMatch(JSON.stringify(events), 'Hush 2', 'what was not visible is not replayed')
  await admin('POST', `/api/projects/${open}/team-assignments`, { memberId: guest.id, role: 'viewer' })
  await admin('POST', `/api/kanban-items/${shown}/comments`, { content: 'marker 3' })
  await other.seen('marker 3')
  t.notMatch(JSON.stringify(other.events), new RegExp(`${secret}|${card}|Hush|marker 2`))
})

t.test(
  'a stream of a caller with access to everything does not name a project that was never visible',
  async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = as(app, signInAs(app, 'admin').headers)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const first = (await admin('POST', '/api/projects', { name: 'First' })).body.id
    const { events, seen } = await follow(t, url, signInAs(app, 'member').headers)
    await admin('POST', '/api/batch', {
      requests: [
        { method: 'POST', path: '/api/projects', body: { name: 'Hidden', access: 'assigned' } },
        { method: 'PATCH', path: `/api/projects/${first}`, body: { access: 'assigned' } },
        { method: 'POST', path: '/api/projects', body: { name: 'marker' } },
      ],
    })
    await seen('marker')
    t.strictSame(lossesIn(events), [{ projectId: first, visible: false }])
  },
)

t.test('a stream sends the loss of a project that has just been created', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = as(app, signInAs(app, 'admin').headers)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { events, seen } = await follow(t, url, signInAs(app, 'member').headers)
  const { id } = (await admin('POST', '/api/projects', { name: 'Young' })).body
  await seen('Young')
  await admin('PATCH', `/api/projects/${id}`, { access: 'assigned' })
  await admin('POST', '/api/projects', { name: 'marker' })
  await seen('marker')
  t.strictSame(lossesIn(events), [{ projectId: id, visible: false }])
})

t.test('a stream sends what a new role shows and hides, before it ends', async (t) => {
  const { app, admin, ann, open, secret } = await setUp(t)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ends = async (role: string) => {
    const stream = await follow(t, url, ann.headers)
    await admin('PATCH', `/api/members/${ann.id}`, { role })
    await stream.ended
    return accessIn(stream.events)
  }
  t.strictSame(
    await ends('guest'),
    [{ projectId: open, visible: false }],
    'a guest sees assigned projects only',
  )
  t.strictSame(await ends('member'), [{ projectId: open, visible: true }])
  t.strictSame(await ends('viewer'), [], 'a viewer sees what a member sees')
  const other = (await admin('POST', '/api/projects', { name: 'Other', access: 'assigned' })).body.id
  t.strictSame(await ends('admin'), [{ projectId: other, visible: true }])
  t.strictSame((await as(app, ann.headers)('GET', `/api/projects/${secret}`)).status, 200)
})

t.test(
  'a token of an admin that reaches some projects loses them with the rights of its admin',
  async (t) => {
    const { app, admin, boss, secret, shown, open } = await setUp(t)
    const deputy = signInAs(app, 'admin')
    const headers = tokenOf(app, deputy.id, { projectIds: JSON.stringify([secret]) } as object)
    const agent = as(app, headers)
    t.equal((await agent('GET', `/api/projects/${secret}`)).status, 200)
    t.equal((await agent('GET', `/api/projects/${open}`)).status, 404)
    for (const path of ['/api/export', '/api/webhooks', '/api/audit-log', '/metrics']) {
      t.match(
        await agent('GET', path),
        { status: 403, body: { error: 'Forbidden: admin access required' } },
        path,
      )
    }
    t.match((await agent('GET', '/api/session')).body, { member: { role: 'member' } })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const { events } = await follow(t, url, headers)
    await admin('PATCH', `/api/members/${deputy.id}`, { role: 'member' })
    t.equal((await agent('GET', `/api/projects/${secret}`)).status, 404)
    await as(app, boss.headers)('PATCH', `/api/kanban-items/${shown}`, { title: 'later' })
    t.notMatch(JSON.stringify(events), 'later')
  },
)

t.test('entity tags and cursors from before', async (t) => {
  const { admin, member, secret, card, open, lose } = await setUp(t)
  const before = await member('GET', '/api/projects')
  const project = await member('GET', `/api/projects/${secret}`)
  const item = await member('GET', `/api/kanban-items/${card}`)
  const page = await member('GET', '/api/projects?limit=1&sort=-createdAt')
  const next = /<([^>]+)>/.exec(String(page.headers.link))?.[1] as string
  const place = (await member('GET', '/api/changes?limit=1000')).body.last
  await lose()
  t.equal(
    (
      await member('GET', `/api/projects/${secret}`, undefined, {
        'if-none-match': String(project.headers.etag),
      })
    ).status,
    404,
  )
  t.equal((await member('GET', `/api/kanban-items/${card}`, undefined, { 'if-none-match': '*' })).status, 404)
  t.equal(
    (
      await member(
        'PATCH',
        `/api/kanban-items/${card}`,
        { title: 'x' },
        { 'if-match': String(item.headers.etag) },
      )
    ).status,
    404,
  )
  t.equal(
    (await member('PATCH', `/api/kanban-items/${card}`, { title: 'x' }, { 'if-match': '"other"' })).status,
    404,
  )
  const after = await member('GET', '/api/projects', undefined, {
    'if-none-match': String(before.headers.etag),
  })
  t.match([after.status, after.body.length], [200, 1])
  t.notMatch(JSON.stringify((await member('GET', next)).body), secret)
  await admin('PATCH', `/api/kanban-items/${card}`, { title: 'Hush more' })
  await admin('POST', '/api/projects', { name: 'Other', access: 'assigned' })
  for (const path of ['/api/projects', '/api/projects?view=summary', '/api/projects?limit=5&sort=name']) {
    const tag = String((await member('GET', path)).headers.etag)
    await admin('PATCH', `/api/projects/${secret}`, { nextStep: `${path}` })
    const same = await member('GET', path, undefined, { 'if-none-match': tag })
    if (tag !== 'undefined') t.equal(same.status, 304, `a change of a hidden project does not change ${path}`)
  }
  const tag = String((await member('GET', '/api/projects')).headers.etag)
  const place1 = { items: [{ id: open, sortOrder: 3 }] }
  t.equal((await member('POST', '/api/projects/reorder', place1, { 'if-match': tag })).status, 200)
  t.notMatch(
    JSON.stringify((await member('GET', `/api/changes?after=${place}`)).body.changes),
    new RegExp(`${secret}|Hush`),
  )
})

t.test('the cursor of a search does not count the words of hidden records', async (t) => {
  const { admin, member, open, secret, lose } = await setUp(t)
  await lose()
  for (let index = 0; index < 5; index++)
    await admin('POST', `/api/projects/${open}/kanban-items`, { title: `Merger ${index}` })
  const first = await member('GET', '/api/search?q=merger&limit=2')
  await admin('POST', '/api/batch', {
    requests: Array.from({ length: 20 }, () => ({
      method: 'POST',
      path: `/api/projects/${secret}/kanban-items`,
      body: { title: 'Merger' },
    })),
  })
  const again = await member('GET', '/api/search?q=merger&limit=2')
  t.equal(again.headers.link, first.headers.link)
  const ids: string[] = []
  for (let url: string | undefined = '/api/search?q=merger&limit=2'; url; ) {
    const { body, headers } = await member('GET', url)
    ids.push(...body.results.map(({ id }: { id: string }) => id))
    url = /<([^>]+)>/.exec(String(headers.link ?? ''))?.[1]
  }
  t.equal(new Set(ids).size, 5, 'all pages together have each once')
})

t.test('repetitions', async (t) => {
  const { admin, member, secret, card, open, lose } = await setUp(t)
  const key = { 'idempotency-key': 'once' }
  const requests = [
    () => member('PATCH', `/api/kanban-items/${card}`, { title: 'New' }, key),
    () => member('POST', `/api/kanban-items/${card}/comments`, { content: 'Hm' }, key),
    () => member('POST', `/api/projects/${secret}/kanban-items/claim`, { from: 'Done' }, key),
    () => member('POST', `/api/projects/${secret}/share-links`, {}, key),
    () =>
      member(
        'POST',
        `/api/projects/${secret}/kanban-items`,
        { title: 'Large', description: 'x'.repeat(90_000) },
        key,
      ),
    () =>
      member(
        'POST',
        '/api/batch',
        {
          requests: [
            { method: 'GET', path: `/api/kanban-items/${card}/comments` },
            { method: 'POST', path: '/api/personal-ideas', body: { title: 'Fly' } },
          ],
        },
        key,
      ),
  ]
  for (const request of requests) t.ok((await request()).status < 300)
  t.match((await requests.at(-2)?.())?.body, { error: 'Already done' }, 'a large response is not stored')
  await lose()
  const answers = await Promise.all(requests.map((request) => request()))
  t.strictSame(
    answers.map(({ status, body }) => [status, body.error]),
    [
      [404, 'Kanban item not found'],
      [404, 'Kanban item not found'],
      [404, 'Project not found'],
      [404, 'Project not found'],
      [404, 'Project not found'],
      [404, 'Project not found'],
    ],
  )
  t.notMatch(JSON.stringify(answers), 'phaseboard-seq')
  const other = await member('PATCH', `/api/kanban-items/${card}`, { title: 'Other' }, key)
  t.equal(other.status, 404, 'also with another body')
  t.equal((await member('GET', '/api/personal-ideas')).body.length, 1, 'nothing was done again')
  t.equal((await admin('GET', `/api/projects/${secret}/share-links`)).body.length, 1)
  t.equal((await member('PATCH', `/api/projects/${open}`, { nextStep: 'Go' }, key)).status, 200)
})

t.test(
  'a stored batch is not shown if it contains reads, and its caller sees other projects since',
  async (t) => {
    const { app, admin, member, ann, boss, open, secret, lose, give } = await setUp(t)
    await admin('POST', `/api/projects/${secret}/kanban-columns`, { name: 'Hush column' })
    const idea = { method: 'POST', path: '/api/personal-ideas', body: { title: 'Fly' } }
    const key = { 'idempotency-key': 'once' }
    const batch = (ask: Ask, requests: object[], more: Headers = key) =>
      ask('POST', '/api/batch', { requests }, more)
    const reading = [{ method: 'GET', path: `/api/projects/${secret}/flow` }, idea]
    const counting = [{ method: 'GET', path: '/api/notifications/count' }, idea]
    const onlyWriting = [idea]
    const other = { 'idempotency-key': 'other' }
    const third = { 'idempotency-key': 'third' }
    const first = await batch(member, reading)
    t.match(JSON.stringify(first.body), 'Hush column')
    const ofCount = await batch(member, counting, other)
    t.equal(ofCount.status, 200)
    t.equal((await batch(member, onlyWriting, third)).status, 200)
    t.strictSame((await batch(member, reading)).body, first.body)

    const limited = as(app, tokenOf(app, ann.id, { projectIds: JSON.stringify([open]) } as object))
    t.equal((await batch(limited, reading)).status, 404)
    const unlimited = as(app, boss.headers)
    t.equal((await batch(unlimited, reading)).status, 200)
    const deputy = as(app, tokenOf(app, boss.id, { projectIds: JSON.stringify([open]) } as object))
    t.equal((await batch(deputy, reading)).status, 404)

    await lose()
    const done = { status: 409, body: { error: 'Already done' } }
    const unseen = { status: 404, body: { error: 'Project not found' } }
    t.match(await batch(member, reading), unseen)
    const undecodable = [{ method: 'GET', path: '/api/projects/%E0%A4%A' }, idea]
    t.match(await batch(member, undecodable), done)
    const refused = await batch(member, counting, other)
    t.match(refused, done)
    t.match(refused.headers, { 'phaseboard-seq': ofCount.headers['phaseboard-seq'] })
    t.match(await batch(member, onlyWriting, third), {
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
    })
    await give()
    t.strictSame((await batch(member, reading)).body, first.body)
  },
)

t.test('undo, histories and own records that name a lost project', async (t) => {
  const { app, admin, member, ann, secret, card, shown, lose, give } = await setUp(t)
  const { headers } = await member('PATCH', `/api/kanban-items/${card}`, { title: 'New' })
  const seq = headers['phaseboard-seq']
  const idea = (await member('POST', '/api/personal-ideas', { title: 'Fly' })).body.id
  const project = (await member('POST', `/api/personal-ideas/${idea}/promote`)).body.id
  await admin('PATCH', `/api/projects/${project}`, { access: 'assigned' })
  await member('POST', '/api/tokens', { name: 'CI', projectIds: [secret] })
  await lose()
  t.match(await member('POST', `/api/changes/${seq}/undo`), {
    status: 404,
    body: { error: 'Change not found' },
  })
  t.equal((await member('GET', `/api/kanban-items/${card}/changes`)).status, 404)
  t.equal((await member('GET', `/api/personal-ideas/${idea}`)).body.promotedProjectId, null)
  t.match(await member('POST', `/api/personal-ideas/${idea}/promote`), {
    status: 409,
    body: { error: 'Personal idea is already promoted' },
  })
  const renamed = await member('PATCH', `/api/personal-ideas/${idea}`, { title: 'Dive' })
  t.equal(renamed.body.promotedProjectId, null)
  t.strictSame((await member('GET', '/api/tokens')).body[0].projectIds, [])
  const undone = await member('POST', `/api/changes/${renamed.headers['phaseboard-seq']}/undo`)
  t.equal(undone.status, 200)
  const all = await member('GET', '/api/changes?limit=1000')
  t.notMatch(JSON.stringify([all.body, undone.body, renamed.body]), new RegExp(`${project}|${secret}`))
  await give('viewer')
  t.match(await member('POST', `/api/changes/${seq}/undo`), {
    status: 403,
    body: { error: 'Forbidden: read-only in this project' },
  })
  t.equal((await member('POST', `/api/kanban-items/${shown}/move`, { projectId: secret })).status, 403)
  t.equal(app.rules.members.get(ann.id).role, 'member')
})

t.test(
  'an item that comes from a hidden project brings neither its place there nor its labels',
  async (t) => {
    const { admin, member, open, secret, card, lose, make } = await setUp(t)
    await lose()
    const label = await make(admin, `/api/projects/${secret}/kanban-labels`, { name: 'Hidden label' })
    await admin('PUT', `/api/kanban-items/${card}/labels/${label}`)
    await admin('PATCH', `/api/kanban-items/${card}`, { column: 'Hidden column' })
    const { last } = (await member('GET', '/api/changes?limit=1000')).body
    const moved = await admin('POST', `/api/kanban-items/${card}/move`, { projectId: open, column: 'To Do' })
    t.equal(moved.status, 200)
    const { changes } = (await member('GET', `/api/changes?after=${last}`)).body
    t.match(changes, [{ kind: 'kanban-item', id: card, projectId: open }])
    t.notMatch(JSON.stringify(changes), new RegExp(`${label}|${secret}|Hidden`))
    t.notMatch(
      JSON.stringify((await member('GET', `/api/kanban-items/${card}/changes`)).body),
      new RegExp(`${label}|${secret}`),
    )
    t.equal((await member('POST', `/api/changes/${moved.headers['phaseboard-seq']}/undo`)).status, 404)
    t.equal((await admin('POST', `/api/changes/${moved.headers['phaseboard-seq']}/undo`)).status, 200)
    t.match((await admin('GET', `/api/kanban-items/${card}`)).body, {
      projectId: secret,
      labels: [{ id: label }],
    })
  },
)

t.test('an item that was restored and moved to a hidden project is not restored a second time', async (t) => {
  const { admin, member, open, secret, shown, lose } = await setUp(t)
  await lose()
  const gone = (await member('DELETE', `/api/kanban-items/${shown}`)).headers['phaseboard-seq']
  t.equal((await member('POST', `/api/changes/${gone}/undo`)).status, 200)
  await admin('POST', `/api/kanban-items/${shown}/move`, { projectId: secret })
  t.strictSame((await member('GET', `/api/trash?projectId=${open}`)).body, [])
  const again = await member('POST', `/api/changes/${gone}/undo`)
  t.match([again.status, again.body], [409, { error: 'Changed since' }])
  t.notMatch(JSON.stringify(again.body), secret)
})

t.test('a calendar in an address, of a token for one project', async (t) => {
  const { app, admin, ann, open, secret, card, shown, lose } = await setUp(t)
  for (const id of [card, shown]) await admin('PATCH', `/api/kanban-items/${id}`, { dueDate: '2027-03-01' })
  const tokenFor = (projectIds: string[]) => {
    const fields = { scope: 'calendar', projectIds: JSON.stringify(projectIds) } as object
    return tokenOf(app, ann.id, fields).authorization.replace('Bearer ', '')
  }
  const [ofSecret, ofOpen] = [tokenFor([secret]), tokenFor([open])]
  const calendar = async (token: string) =>
    (await send(app, 'GET', `/api/calendar.ics?token=${token}`)).body as string
  t.match(await calendar(ofSecret), /SUMMARY:Hush/)
  t.notMatch(await calendar(ofSecret), /Shown|Open/)
  t.notMatch(await calendar(ofOpen), /Hush|Secret/)
  await lose()
  t.notMatch(await calendar(ofSecret), /VEVENT/)
})

t.test('a long poll whose host takes a project away meanwhile', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  const projects: Record<string, 'read' | 'write'> = {}
  await host.register(phaseboard, {
    databaseUrl: ':memory:',
    resolveMember: ({ headers }) =>
      headers['x-user'] === 'boss'
        ? { id: 'boss', role: 'admin' }
        : { id: 'dee', role: 'member', projects: { ...projects } },
  })
  const ask = async (user: string, method: string, url: string, payload?: object) =>
    (
      await host.inject({
        method: method as 'GET',
        url,
        headers: { 'x-user': user },
        ...(payload && { payload }),
      })
    ).json()
  const { id } = await ask('boss', 'POST', '/api/projects', { name: 'One' })
  projects[id] = 'read'
  const { last } = await ask('dee', 'GET', '/api/changes?limit=1000')
  const polled = ask('dee', 'GET', `/api/changes?after=${last}&wait=20`)
  await nextTurn()
  delete projects[id]
  await ask('boss', 'PATCH', `/api/projects/${id}`, { name: 'Two' })
  t.strictSame((await polled).changes, [])
})

t.test('a project that was deleted while it was open, restored, hidden and deleted again', async (t) => {
  const { admin, member, open, secret } = await setUp(t)
  const remove = async (id: string) =>
    (await admin('DELETE', `/api/projects/${id}`)).headers['phaseboard-seq']
  const first = await remove(open)
  const titles = async () =>
    (await member('GET', '/api/trash')).body.map(({ title }: { title: string }) => title)
  t.strictSame(await titles(), ['Open'])
  t.equal((await admin('POST', `/api/changes/${first}/undo`)).status, 200)
  await admin('PATCH', `/api/projects/${open}`, { access: 'assigned', name: 'Closed' })
  const { last } = (await member('GET', '/api/changes?limit=1000')).body
  await admin('POST', `/api/projects/${open}/kanban-items`, { title: 'Hidden card' })
  await remove(open)
  t.strictSame(await titles(), [])
  t.strictSame((await member('GET', `/api/changes?after=${last}`)).body.changes, [])
  t.equal((await member('GET', `/api/projects/${open}/changes`)).status, 404)
  t.equal((await member('GET', `/api/projects/${secret}`)).status, 200)
})

t.test('a batch in whose middle access goes changes nothing', async (t) => {
  const { admin, member, ann, secret, shown } = await setUp(t)
  const [{ id }] = (await admin('GET', `/api/projects/${secret}/team-assignments`)).body.filter(
    ({ memberId }: { memberId: string }) => memberId === ann.id,
  )
  const requests = [
    { method: 'PATCH', path: `/api/kanban-items/${shown}`, body: { title: 'Changed' } },
    { method: 'DELETE', path: `/api/team-assignments/${id}` },
    { method: 'POST', path: `/api/projects/${secret}/kanban-items`, body: { title: 'After' } },
  ]
  for (const dryRun of [false, true]) {
    const refused = await member('POST', '/api/batch', { requests, dryRun })
    t.match(refused, { status: 400, body: { error: 'You would lose this project', details: { request: 1 } } })
  }
  t.equal((await admin('GET', `/api/kanban-items/${shown}`)).body.title, 'Shown')
  const kept = [
    requests[1],
    { method: 'POST', path: `/api/projects/${secret}/team-assignments`, body: { memberId: ann.id } },
  ]
  t.equal(
    (await member('POST', '/api/batch', { requests: kept })).status,
    200,
    'what is given back is not lost',
  )
})

t.test('a batch names the first request that its caller may not make', async (t) => {
  const { app, admin, member, ann, open, secret, card, lose, give, make } = await setUp(
    t,
    join(t.testdir(), 'board.db'),
  )
  await lose()
  await give('viewer')
  const guest = as(app, signInAs(app, 'guest').headers)
  const own = await make(member, '/api/projects', { name: 'Own', access: 'assigned' })
  const [{ id: lead }] = (await member('GET', `/api/projects/${own}/team-assignments`)).body
  const rename = (id: string) => ({ method: 'PATCH', path: `/api/projects/${id}`, body: { name: 'Changed' } })
  const hide = { method: 'PATCH', path: `/api/projects/${open}`, body: { access: 'assigned' } }
  const read = { method: 'GET', path: `/api/projects/${open}` }
  const unknown = rename('nope')
  const invalid = { method: 'PATCH', path: `/api/projects/${open}`, body: { name: 7 } }
  const leave = { method: 'DELETE', path: `/api/team-assignments/${lead}` }
  const back = {
    method: 'POST',
    path: `/api/projects/${own}/team-assignments`,
    body: { memberId: ann.id },
  }
  const readOnly = 'Forbidden: read-only in this project'
  const lost = 'You would lose this project'
  const cases: [Ask, object[], number, number, string][] = [
    [member, [rename(open), rename(secret)], 403, 1, readOnly],
    [member, [rename(secret), unknown], 403, 0, readOnly],
    [member, [rename(secret), invalid], 403, 0, readOnly],
    [member, [read, hide], 400, 1, lost],
    [member, [rename(open), hide, rename(own)], 400, 1, lost],
    [member, [hide, unknown], 400, 0, lost],
    [member, [hide, invalid], 400, 0, lost],
    [member, [leave, back, hide], 400, 2, lost],
    [member, [leave, hide, back], 400, 1, lost],
    [guest, [{ method: 'POST', path: '/api/projects', body: { name: 'G' } }], 403, 0, 'Forbidden: you'],
  ]
  // More requests than the event loop attempts.
  const many = Array.from({ length: 110 }, () => read)
  for (const [ask, requests, status, request, error] of cases) {
    for (const dryRun of [false, true]) {
      for (const more of ask === member ? [[], many] : [[]]) {
        const refused = await ask('POST', '/api/batch', { requests: [...more, ...requests], dryRun })
        const expected = { status, body: { error, details: { request: more.length + request } } }
        t.match(refused, expected, JSON.stringify([requests, more.length]))
      }
    }
  }
  t.equal((await admin('GET', `/api/projects/${open}`)).body.name, 'Open')
  t.equal((await admin('GET', `/api/kanban-items/${card}`)).status, 200)
})

t.test('a batch may not take from its caller the project that it creates', async (t) => {
  const { member } = await setUp(t)
  const requests = [
    { method: 'POST', path: '/api/projects', body: { name: 'New', access: 'assigned' }, as: 'new' },
    { method: 'PUT', path: '/api/projects/{{new.id}}/team-assignments', body: { members: [] } },
  ]
  const refused = await member('POST', '/api/batch', { requests })
  t.match(refused, { status: 400, body: { error: 'You would lose this project', details: { request: 1 } } })
})

t.test('imports', async (t) => {
  const { app, admin, member, ann } = await setUp(t)
  const board = readFileSync('test/fixtures/trello-board.json')
  const key = { ...ann.headers, 'idempotency-key': 'board' }
  const begun = await upload(app, 'format=trello', board, key)
  await ended(app, begun.body.id, ann.headers)
  const repeated = await upload(app, 'format=trello', board, key)
  t.equal(repeated.body.id, begun.body.id, 'a repeated import of a limited caller is the same')
  const { projectId } = (await member('GET', `/api/imports/${begun.body.id}`)).body
  t.equal((await member('GET', `/api/projects/${projectId}`)).status, 200)
  const again = await upload(app, 'format=trello', board, ann.headers)
  t.match(await ended(app, again.body.id, ann.headers), { status: 'failed', error: new RegExp(projectId) })
  await admin('PATCH', `/api/projects/${projectId}`, { access: 'assigned' })
  const { body } = await member('GET', `/api/imports/${begun.body.id}`)
  t.strictSame(
    [body.status, body.projectId, body.notes, body.people],
    ['done', undefined, undefined, undefined],
  )
  const list = await member('GET', '/api/imports')
  t.notMatch(JSON.stringify([body, list.body]), projectId)
  const third = await upload(app, 'format=trello', board, ann.headers)
  t.match(
    await ended(app, third.body.id, ann.headers),
    { status: 'done' },
    'of an import into a hidden project, nothing is said',
  )
})

t.test('a second connection', async (t) => {
  const file = join(t.testdir(), 'board.db')
  const { app, admin, member, ann, secret, card, shown, lose } = await setUp(t, file)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  await lose()
  const { events, seen } = await follow(t, url, ann.headers)
  const other = new SQLite(file)
  t.teardown(() => other.close())
  const status = async () => (await member('GET', `/api/projects/${secret}`)).status
  t.equal(await status(), 404)
  const give = other.prepare(
    'insert into team_assignments (id, project_id, member_id, role) values (?, ?, ?, ?)',
  )
  give.run('given', secret, ann.id, 'viewer')
  t.equal(await status(), 200, 'the next request sees what was given')
  t.equal((await member('PATCH', `/api/kanban-items/${card}`, { title: 'x' })).status, 403)
  other.prepare(`update team_assignments set role = 'member' where id = 'given'`).run()
  t.equal((await member('PATCH', `/api/kanban-items/${card}`, { title: 'Hush 3' })).status, 200)
  await seen('Hush 3')
  other.transaction(() => {
    other.prepare(`delete from team_assignments where id = 'given'`).run()
    other.prepare('update kanban_items set title = ? where id = ?').run('Hush 4', card)
  })()
  t.equal(await status(), 404, 'and what was taken')
  t.equal((await member('PATCH', `/api/kanban-items/${card}`, { title: 'x' })).status, 404)
  await admin('POST', `/api/kanban-items/${shown}/comments`, { content: 'marker' })
  await seen('marker')
  t.notMatch(JSON.stringify(events), 'Hush 4')
  other.prepare(`update projects set "access" = 'everyone' where id = ?`).run(secret)
  t.equal(await status(), 200)
  other.prepare(`update members set role = 'guest' where id = ?`).run(ann.id)
  t.equal(await status(), 404)
})

t.test('another process that commits between a request and its reading or writing', async (t) => {
  const file = join(t.testdir(), 'board.db')
  const { app, admin, member, ann, secret, card } = await setUp(t, file)
  const other = new SQLite(file)
  t.teardown(() => other.close())
  const take = other.transaction((title: string) => {
    other.prepare('delete from team_assignments where member_id = ?').run(ann.id)
    other.prepare('update kanban_items set title = ? where id = ?').run(title, card)
  })
  const executions = watch(t, app.db.$client)
  const meanwhile = (title: string) => {
    let isDue = true
    executions.before = (source) => {
      if (!isDue || !/^begin/i.test(source)) return
      isDue = false
      take(title)
    }
  }
  meanwhile('Hush 5')
  const read = await member('GET', `/api/kanban-items/${card}/comments`)
  t.equal(read.status, 404, 'what it reads is of one moment')
  await admin('POST', `/api/projects/${secret}/team-assignments`, { memberId: ann.id })
  t.equal((await member('GET', `/api/kanban-items/${card}`)).status, 200)
  meanwhile('Hush 6')
  t.equal((await member('PATCH', `/api/kanban-items/${card}`, { title: 'Mine' })).status, 404)
  executions.before = () => undefined
  t.equal((await admin('GET', `/api/kanban-items/${card}`)).body.title, 'Hush 6')
})
