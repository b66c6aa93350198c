/** The sequence of changes over HTTP: in pages, by long polls, and as a stream. */
import { once } from 'node:events'
import { mock } from 'node:test'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { type BuildOptions, type Config, phaseboard } from '../../src/app.ts'
import { type Connection, connectStream, type StreamEvent } from '../event-source.ts'
import { watch } from '../executions.ts'
import {
  type App,
  authenticationRequired,
  build,
  createItem,
  createProject,
  holds,
  invalid,
  keepLog,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'
import { KIND_EXAMPLES } from '../kinds.ts'

const URL = '/api/changes'
const KINDS = KIND_EXAMPLES.map(({ kind }) => kind).join(', ')

interface Change {
  seq: number
  kind: string
  id: string
  after: Record<string, unknown> | null
}

const page = async (app: App, query = '', headers: Record<string, string> = {}) =>
  (await send(app, 'GET', `${URL}${query}`, undefined, headers)).body as { changes: Change[]; last: number }
const seqs = (changes: Change[]) => changes.map(({ seq }) => seq)
const last = (app: App) => app.rules.changes.sequence.last()

/** Appends changes without a record, like another tool. */
const append = (app: App, count: number, fields: Record<string, string | null> = {}) => {
  const row = { kind: 'metric', project_id: null, item_id: null, owner_id: null, after: '{}', ...fields }
  app.db.$client
    .prepare(
      `insert into changes (kind, id, action, project_id, item_id, owner_id, after)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select :kind, 'x' || i, 'created', :project_id, :item_id, :owner_id, :after from n`,
    )
    .run(row)
}

t.test('pages follow each other to the newest change, and name the next one', async (t) => {
  const app = await build(t)
  t.strictSame(await page(app, '?after=5'), { changes: [], last: last(app) })
  const project = await createProject(app)
  await createItem(app, project.id)
  const all = await page(app)
  t.strictSame(
    seqs(all.changes),
    Array.from({ length: last(app) }, (_, index) => index + 1),
  )
  t.equal(all.last, last(app))
  const found: Change[] = []
  for (let after = 0; ; ) {
    const next = await page(app, `?after=${after}&limit=2`)
    t.ok(next.changes.length <= 2)
    if (next.last === after) break
    found.push(...next.changes)
    after = next.last
  }
  t.strictSame(found, all.changes)
  t.strictSame(await page(app, '?after=1000000'), { changes: [], last: last(app) }, 'beyond the newest')
  const { headers } = await send(app, 'GET', URL)
  t.equal(headers['cache-control'], 'no-store')
})

t.test('invalid queries are refused', async (t) => {
  const app = await build(t)
  const bad = (query: string, fields: Record<string, string[]>) =>
    ['GET', `${URL}${query}`, 400, invalid(fields)] as const
  await holds(t, app, [
    bad('?kind=card', { kind: [`must be of ${KINDS}`] }),
    bad('?kind=project,card', { kind: [`must be of ${KINDS}`] }),
    bad('?kind=project&kind=card', { kind: [`must be of ${KINDS}`] }),
    bad('?after=-1', { after: ['must be >= 0'] }),
    bad('?after=x', { after: ['must be integer'] }),
    bad('?limit=0', { limit: ['must be >= 1'] }),
    bad('?limit=1001', { limit: ['must be <= 1000'] }),
    bad('?wait=31', { wait: ['must be <= 30'] }),
    bad('?wait=-1', { wait: ['must be >= 0'] }),
    bad('/stream?kind=card', { kind: [`must be of ${KINDS}`] }),
    bad('/stream?kind=project&kind=card', { kind: [`must be of ${KINDS}`] }),
    bad('/stream?after=x', { after: ['must be integer'] }),
    [
      'GET',
      `${URL}/stream`,
      undefined,
      { 'last-event-id': 'x' },
      400,
      invalid({ 'last-event-id': ['must be the id of an event'] }),
    ],
    ['GET', `${URL}?kind=&projectId=&itemId=&limit=1`, 200, { last: 0 }],
    ['HEAD', `${URL}/stream`, 200, ''],
  ])
})

t.test('filters: a project, an item, kinds', async (t) => {
  const app = await build(t)
  const [apollo, gemini] = [await createProject(app), await createProject(app, { name: 'Gemini' })]
  const card = await createItem(app, apollo.id)
  await createItem(app, gemini.id)
  await send(app, 'POST', `/api/kanban-items/${card.id}/move`, { projectId: gemini.id })
  const kinds = async (query: string) =>
    (await page(app, `${query}&limit=1000`)).changes.map(({ kind, id }) => [kind, id])
  t.strictSame(await kinds(`?itemId=${card.id}`).then((all) => all.length), 2, 'created and moved')
  t.strictSame(await kinds('?kind=project'), [
    ['project', apollo.id],
    ['project', gemini.id],
  ])
  for (const several of [
    'kind=kanban-item, project',
    'kind=project&kind=kanban-item',
    'kind=,project&kind=&kind=kanban-item,project',
  ]) {
    t.strictSame(
      await kinds(`?${several}&projectId=${apollo.id}`),
      [
        ['project', apollo.id],
        ['kanban-item', card.id],
        ['kanban-item', card.id],
      ],
      several,
    )
  }
  t.strictSame(await kinds(`?projectId=${apollo.id}&itemId=other`), [])
  t.equal((await page(app, '?kind=team')).last, last(app), 'what does not match is not looked at again')
})

t.test('ideas are for their owner and admins, members and teams for admins', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const [ada, bob, viewer] = [signInAs(app, 'member'), signInAs(app, 'member'), signInAs(app, 'viewer')]
  await send(app, 'POST', '/api/personal-ideas', { title: 'Secret' }, ada.headers)
  await send(app, 'POST', '/api/teams', { name: 'Crew' }, admin.headers)
  const kindsFor = async ({ headers }: { headers: Record<string, string> }) => {
    const { changes, last: end } = await page(app, '', headers)
    t.equal(end, last(app))
    return [...new Set(changes.map(({ kind }) => kind))]
  }
  t.strictSame(await kindsFor(admin), ['member', 'personal-idea', 'team'])
  t.strictSame(await kindsFor(ada), ['personal-idea'])
  t.strictSame(await kindsFor(bob), [])
  t.strictSame(await kindsFor(viewer), [])
  await holds(t, app, [
    ['GET', URL, 401, authenticationRequired],
    ['GET', `${URL}/stream`, 401, authenticationRequired],
  ])
})

t.test('pruned changes are 410', async (t) => {
  const app = await build(t)
  append(app, 10)
  app.db.$client.exec('delete from changes where seq < 5')
  const gone = { error: 'Changes are gone', details: { oldest: 5 } }
  await holds(t, app, [
    ['GET', `${URL}?after=0`, 410, gone],
    ['GET', `${URL}?after=3&wait=1`, 410, gone],
    ['GET', `${URL}?after=4`, 200, { last: last(app) }],
  ])
  const { url } = await listen(app)
  const { events, connection } = await follow(t, `${url}${URL}/stream?after=3`)
  await connection.ended
  t.match(events, [{ type: 'gone', data: '{"oldest":5}' }])
})

t.test('without a position, a page begins at the oldest change', async (t) => {
  const app = await build(t)
  t.strictSame(await page(app), { changes: [], last: 0 }, 'where there is none yet')
  append(app, 10, { project_id: 'apollo' })
  app.db.$client.exec('delete from changes where seq < 5')
  for (const query of ['', '?wait=1', '?projectId=apollo', '?kind=metric']) {
    const { changes, last: end } = await page(app, query)
    t.strictSame([seqs(changes)[0], end], [5, last(app)], query)
  }
  const begun = await page(app, '?limit=2')
  t.strictSame(seqs(begun.changes), [5, 6])
  t.strictSame(seqs((await page(app, `?limit=2&after=${begun.last}`)).changes), [7, 8])
  const requests = [{ method: 'GET', path: URL }]
  const { results } = (await send(app, 'POST', '/api/batch', { requests })).body
  t.match(results, [{ status: 200, body: { changes: [{ seq: 5 }] } }], 'in a batch too')
})

t.test('without a position, a page begins again if its changes are pruned meanwhile', async (t) => {
  const app = await build(t)
  append(app, 12_000, { project_id: 'gemini' })
  // It reads the feed, too.
  await app.notificationConsumer.stop()
  const { feed } = app.changeReaders
  const { slice } = feed
  let slices = 0
  feed.slice = (...args) => {
    if (++slices === 2) app.db.$client.exec(`delete from changes where seq < ${last(app) - 10}`)
    return slice.apply(feed, args)
  }
  t.teardown(() => {
    feed.slice = slice
  })
  const { last: end } = await page(app, '?projectId=apollo&limit=1')
  t.equal(slices, 3)
  t.equal(end, last(app))
})

t.test('a page examines some thousand changes, and those of a project by an index', async (t) => {
  const app = await build(t)
  append(app, 1, { project_id: 'apollo' })
  append(app, 12_000, { project_id: 'gemini' })
  append(app, 1, { project_id: 'apollo' })
  const first = await page(app, '?projectId=apollo')
  t.equal(first.changes.length, 1)
  t.ok(first.last < 6000, 'it stops')
  t.ok(first.last > 3000, 'and says where')
  const waited = await page(app, `?projectId=apollo&after=${first.last}&wait=30`)
  t.strictSame(seqs(waited.changes), [last(app)], 'one that waits goes on before')
  while (app.rules.changes.subjects.behind() > 500) app.rules.changes.subjects.index(1000)
  const indexed = await page(app, '?projectId=apollo')
  t.equal(indexed.changes.length, 2)
  t.equal(indexed.last, last(app))
  t.equal((await page(app, '?projectId=apollo&limit=1')).last, indexed.changes[0]?.seq)
  t.equal(
    (await page(app, '?projectId=gemini&kind=team')).last,
    last(app),
    'by the kind, where that is rarer',
  )
})

t.test('changes of a kind are found by an index, however far apart they are', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const viewer = signInAs(app, 'viewer')
  append(app, 1, { kind: 'objective', project_id: 'apollo' })
  for (let turn = 0; turn < 6; turn++) {
    append(app, 1000, { kind: 'metric', project_id: 'apollo' })
    append(app, 1000, { kind: 'kanban-comment', project_id: 'gemini' })
    append(app, 1000, { kind: 'personal-idea', owner_id: 'somebody' })
  }
  append(app, 1, { kind: 'objective', project_id: 'apollo' })
  while (app.rules.changes.subjects.behind() > 0) app.rules.changes.subjects.index(1000)
  const executions = watch(t, app.db.$client)
  const ask = (query: string) => page(app, `?${query}`, viewer.headers)
  const both = await ask('kind=objective')
  t.equal(both.changes.length, 2)
  t.equal(both.last, last(app))
  t.ok(executions.rows < 1000, `${executions.rows} rows`)
  t.equal((await ask(`kind=personal-idea&after=${both.changes[0]?.seq}`)).last, last(app), 'nothing for them')
  const other = await ask('limit=1000&after=17010')
  t.strictSame([other.changes.length, other.last], [1, last(app)])
  t.ok(executions.rows < 3000, `${executions.rows} rows`)
  const dense = await ask('kind=kanban-comment&projectId=apollo')
  t.strictSame(dense.changes, [])
  t.ok(dense.last > 4000 && dense.last < last(app), 'no more than some thousand of the index')
})

t.test('a page has two megabytes of records at most, except for a single one', async (t) => {
  const app = await build(t)
  append(app, 5, { after: JSON.stringify({ text: 'x'.repeat(900_000) }) })
  append(app, 1, { after: JSON.stringify({ text: 'x'.repeat(3_000_000) }) })
  const sizes: number[] = []
  for (let after = last(app) - 6; after < last(app); ) {
    const { changes, last: end } = await page(app, `?after=${after}`)
    sizes.push(changes.length)
    after = end
  }
  t.strictSame(sizes, [2, 2, 1, 1])
})

/** Sends a long poll. @returns, once it waits, its response in an object, so that nothing awaits it */
const pending = async (app: App, query: string, headers?: Record<string, string>) => {
  const before = app.changeReaders.size
  const answer = send(app, 'GET', `${URL}?${query}&wait=30`, undefined, headers)
  while (app.changeReaders.size === before) await setImmediate()
  return { answer }
}

t.test('a long poll waits for the next matching change', async (t) => {
  const app = await build(t, { authMode: 'required', streamsMax: 5 })
  const admin = signInAs(app, 'admin')
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'member')]
  const after = last(app)
  const waiting = [
    await pending(app, `after=${after}`, ada.headers),
    await pending(app, `after=${after}`, bob.headers),
    await pending(app, `after=${after}&kind=kanban-column&limit=1`, ada.headers),
    await pending(app, `after=${after}&kind=team`, admin.headers),
  ]
  const answers = waiting.map(
    async ({ answer }) => (await answer).body as { changes: Change[]; last: number },
  )
  await send(app, 'POST', '/api/personal-ideas', { title: 'Secret' }, ada.headers)
  t.match(await answers[0], { changes: [{ kind: 'personal-idea' }], last: after + 1 })
  t.equal(app.changeReaders.size, 3, 'nobody else is answered')
  await createProject(app, {}, ada.headers)
  t.match(await answers[1], { changes: [{ kind: 'project' }, { kind: 'kanban-column' }] })
  const limited = (await answers[2]) as { changes: Change[]; last: number }
  t.equal(limited.changes.length, 1)
  t.equal(limited.last, limited.changes[0]?.seq)
  const team = await send(app, 'POST', '/api/teams', { name: 'Crew' }, admin.headers)
  t.match(await answers[3], { changes: [{ id: team.body.id }], last: last(app) })
  t.equal(app.changeReaders.size, 0)
})

t.test('a long poll returns an empty page after its time, and when the service stops', async (t) => {
  const app = await build(t)
  const after = last(app)
  t.strictSame(await page(app, `?after=${after}&wait=0.01`), { changes: [], last: after })
  const { answer } = await pending(app, `after=${after}`)
  app.changeReaders.close()
  t.strictSame((await answer).body, { changes: [], last: after })
  t.strictSame(
    await page(app, `?after=${after}&wait=30`),
    { changes: [], last: after },
    'nor does a new one wait',
  )
})

t.test('a long poll returns a change that comes at the end of its time', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const app = await build(t)
  const after = last(app)
  const { answer } = await pending(app, `after=${after}`)
  t.teardown(app.tail.subscribe(() => mock.timers.tick(30_000)))
  append(app, 1)
  app.tail.notify()
  t.match((await answer).body, { changes: [{ seq: after + 1 }], last: after + 1 })
})

t.test('the credential of a long poll is checked again', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const ada = signInAs(app, 'member')
  const after = last(app)
  const signedOut = await pending(app, `after=${after}`, ada.headers)
  await send(app, 'DELETE', '/api/session', undefined, ada.headers)
  t.match(await signedOut.answer, { status: 401, body: authenticationRequired })
  const bob = signInAs(app, 'member')
  const changed = await pending(app, `after=${last(app)}`, bob.headers)
  app.db.$client.exec(`update members set role = 'viewer' where id = '${bob.id}'`)
  t.match(await changed.answer, { status: 200, body: { changes: [] } }, 'with other rights it asks again')
  t.equal(app.changeReaders.size, 0)
})

// --- streams ---

/** A service that listens. */
async function listen(app: App) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  return { port, url: `http://127.0.0.1:${port}` }
}

async function serve(t: Test, options: Partial<Config> & BuildOptions = {}) {
  const app = await build(t, options)
  return { app, ...(await listen(app)) }
}

interface Followed {
  events: StreamEvent[]
  connection: Connection
  /** Resolves once there are a number of events. */
  has: (count: number) => Promise<StreamEvent[]>
  seqs: () => number[]
}

/** Follows a stream. */
async function follow(
  t: Test,
  url: string,
  options: { headers?: Record<string, string>; lastEventId?: string } = {},
): Promise<Followed> {
  const events: StreamEvent[] = []
  let onEvent: () => void = () => undefined
  const connection = await connectStream(
    url,
    (event) => {
      events.push(event)
      onEvent()
    },
    options,
  )
  t.teardown(() => connection.close())
  const has = (count: number) =>
    new Promise<StreamEvent[]>((resolve) => {
      onEvent = () => {
        if (events.length >= count) resolve(events)
      }
      onEvent()
    })
  return { events, connection, has, seqs: () => events.map(({ id }) => Number(id)) }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

t.test('a stream sends all commits, of any process, like the feed', async (t) => {
  const { app, url } = await serve(t)
  const begin = last(app)
  const stream = await follow(t, `${url}${URL}/stream`)
  t.match(stream.connection.response.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  await createProject(app)
  await stream.has(5)
  append(app, 3)
  await stream.has(8)
  t.strictSame(stream.seqs(), range(begin + 1, last(app)))
  const feed = await page(app, `?after=${begin}`)
  t.strictSame(
    stream.events.map(({ type, data }) => ({ type, data: JSON.parse(data) })),
    feed.changes.map((data) => ({ type: 'change', data })),
  )
  t.equal(stream.connection.parser.lastEventId, String(last(app)))
})

t.test('a stream resumes from Last-Event-ID, else from after', async (t) => {
  const { app, url } = await serve(t)
  append(app, 350)
  const end = last(app)
  const [byId, byAfter, both, ahead] = await Promise.all([
    follow(t, `${url}${URL}/stream`, { lastEventId: '3' }),
    follow(t, `${url}${URL}/stream?after=340`),
    follow(t, `${url}${URL}/stream?after=3`, { lastEventId: String(end - 1) }),
    follow(t, `${url}${URL}/stream?after=1000000&kind=metric`),
  ])
  await byId.has(end - 3)
  append(app, 2)
  await Promise.all([byId.has(end - 1), byAfter.has(end - 338), both.has(3), ahead.has(2)])
  t.strictSame(byId.seqs(), range(4, end + 2))
  t.strictSame(byAfter.seqs(), range(341, end + 2))
  t.strictSame(both.seqs(), range(end, end + 2))
  t.strictSame(ahead.seqs(), range(end + 1, end + 2), 'who is ahead begins at the newest')
})

t.test('no change between replay and live events is lost', async (t) => {
  const { app, url } = await serve(t)
  append(app, 2000)
  const streams = await Promise.all(
    range(0, 19).map((index) => follow(t, `${url}${URL}/stream?after=${index * 100}`)),
  )
  for (let round = 0; round < 40; round++) {
    append(app, 20)
    await setImmediate()
  }
  const end = last(app)
  for (const [index, stream] of streams.entries()) {
    await stream.has(end - index * 100)
    t.strictSame(stream.seqs(), range(index * 100 + 1, end))
  }
})

t.test('only the owner and admins get an idea', async (t) => {
  const { app, url } = await serve(t, { authMode: 'required' })
  const people = [
    signInAs(app, 'admin'),
    signInAs(app, 'member'),
    signInAs(app, 'member'),
    signInAs(app, 'viewer'),
  ]
  const after = last(app)
  const streams = await Promise.all(
    people.map(({ headers }) => follow(t, `${url}${URL}/stream`, { headers })),
  )
  const late = await Promise.all(
    people.map(({ headers }) => follow(t, `${url}${URL}/stream?after=${after}`, { headers })),
  )
  const [admin, ada] = people
  await send(app, 'POST', '/api/personal-ideas', { title: 'Secret' }, ada?.headers)
  await send(app, 'POST', '/api/teams', { name: 'Crew' }, admin?.headers)
  await createProject(app, {}, ada?.headers)
  const replayed = await Promise.all(
    people.map(({ headers }) => follow(t, `${url}${URL}/stream?after=${after}`, { headers })),
  )
  for (const group of [streams, late, replayed]) {
    const counts = [7, 6, 5, 5]
    for (const [index, stream] of group.entries()) {
      const kinds = (await stream.has(counts[index] as number)).map(({ data }) => JSON.parse(data).kind)
      const expected = [
        ...(index < 2 ? ['personal-idea'] : []),
        ...(index === 0 ? ['team'] : []),
        'project',
        ...Array.from({ length: 4 }, () => 'kanban-column'),
      ]
      t.strictSame(kinds, expected)
    }
  }
})

t.test('a stream ends with its credential', async (t) => {
  const { app, url } = await serve(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const as = async (headers: Record<string, string>) =>
    (await follow(t, `${url}${URL}/stream`, { headers })).connection.ended
  const ada = signInAs(app, 'member')
  const stays = await follow(t, `${url}${URL}/stream`, { headers: admin.headers })
  const hasEnded = async (
    name: string,
    headers: Record<string, string>,
    end: () => Promise<unknown> | unknown,
  ) => {
    const stream = await follow(t, `${url}${URL}/stream`, { headers })
    t.equal(app.changeReaders.size, 2)
    await end()
    await stream.connection.ended
    t.equal(app.changeReaders.size, 1, name)
  }
  const token = tokenOf(app, ada.id)
  const tokenId = app.db.$client.prepare('select id from api_tokens').pluck().get()
  await hasEnded('token revoked', token, () =>
    send(app, 'DELETE', `/api/tokens/${tokenId}`, undefined, ada.headers),
  )
  const disable = { disabled: true }
  const bob = signInAs(app, 'member')
  await hasEnded('member disabled', bob.headers, () =>
    send(app, 'PATCH', `/api/members/${bob.id}`, disable, admin.headers),
  )
  const cleo = signInAs(app, 'member')
  const byOther = "update members set role = 'viewer' where id = ?"
  await hasEnded('role changed by another tool', cleo.headers, () =>
    app.db.$client.prepare(byOther).run(cleo.id),
  )
  await hasEnded('signed out', ada.headers, () => send(app, 'DELETE', '/api/session', undefined, ada.headers))
  await t.rejects(as(ada.headers), { message: 'the stream is answered with 401' })
  const eve = signInAs(app, 'viewer')
  await hasEnded('member deleted', eve.headers, () =>
    send(app, 'DELETE', `/api/members/${eve.id}`, undefined, admin.headers),
  )
  t.notOk(stays.connection.response.destroyed)
})

t.test('streams regularly send their position, and their credentials are checked', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const { app, url } = await serve(t, { authMode: 'required' })
  const ada = signInAs(app, 'member')
  const [quiet, expiring] = [
    await follow(t, `${url}${URL}/stream?kind=project`, { headers: ada.headers }),
    await follow(t, `${url}${URL}/stream`, { headers: tokenOf(app, ada.id) }),
  ]
  const waiting = await pending(app, `after=${last(app)}&kind=project`, ada.headers)
  const used = () => app.db.$client.prepare('select last_used_at, expires_at from sessions').all()
  const before = used()
  append(app, 5)
  app.tail.notify()
  while (app.tail.last < last(app)) await setImmediate()
  const token = app.db.$client.prepare('update api_tokens set expires_at = ?')
  token.run('2001-01-01T00:00:00.000Z')
  t.equal(app.changeReaders.size, 3)
  mock.timers.tick(15_000)
  await expiring.connection.ended
  t.equal(app.changeReaders.size, 2)
  while (quiet.connection.parser.comments < 2) await once(quiet.connection.response, 'data')
  t.equal(quiet.connection.parser.lastEventId, String(last(app)), 'it resumes after what does not match')
  t.strictSame(quiet.events, [])
  t.strictSame(used(), before, 'looking is no use of a session')
  await app.close()
  t.match(await waiting.answer, {
    status: 200,
    body: { changes: [], last: app.changeReaders.tail && Number(quiet.connection.parser.lastEventId) },
  })
})

t.test("a host's members are checked again", async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const known = new Map([
    ['ada', 'member'],
    ['bob', 'member'],
    ['eve', 'member'],
  ])
  const resolveMember: BuildOptions['resolveMember'] = async ({ headers }) => {
    const id = String(headers['x-user'])
    await wait(1)
    const role = known.get(id)
    return role === undefined ? null : { id, role: role as 'member' }
  }
  const { app, url } = await serve(t, { authMode: 'required', resolveMember })
  const as = (id: string) => follow(t, `${url}${URL}/stream`, { headers: { 'x-user': id } })
  const [ada, bob, eve] = [await as('ada'), await as('bob'), await as('eve')]
  known.delete('bob')
  known.set('eve', 'admin')
  const begin = last(app)
  mock.timers.tick(15_000)
  append(app, 2)
  app.tail.notify()
  await bob.connection.ended
  await eve.connection.ended
  await ada.has(2)
  t.strictSame(ada.seqs(), range(begin + 1, begin + 2), 'what came meanwhile is not lost')
  t.strictSame([bob.events, eve.events], [[], []])
})

t.test('streams and long polls have a common limit', async (t) => {
  const { app, url } = await serve(t, { streamsMax: 2 })
  append(app, 1)
  const first = await follow(t, `${url}${URL}/stream`)
  const { answer } = await pending(app, `after=${last(app)}`)
  const tooMany = { error: 'Too many streams' }
  await holds(t, app, [
    ['GET', `${URL}/stream`, 503, tooMany],
    ['GET', `${URL}?after=${last(app)}&wait=1`, 503, tooMany],
    ['GET', `${URL}?after=0&limit=1&wait=1`, 200, { last: 1 }],
  ])
  const refused = await send(app, 'GET', `${URL}/stream`)
  t.match(refused.headers['retry-after'], /^\d+$/)
  first.connection.close()
  while (app.changeReaders.size === 2) await setImmediate()
  await follow(t, `${url}${URL}/stream`)
  await createProject(app)
  t.equal((await answer).status, 200)
})

t.test('a client that does not read is disconnected before much is buffered', async (t) => {
  const { app, url } = await serve(t)
  const sockets: { writableLength: number }[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  const slow = await follow(t, `${url}${URL}/stream`)
  slow.connection.response.pause()
  const fast = await follow(t, `${url}${URL}/stream`)
  const begin = last(app)
  const text = JSON.stringify({ text: 'x'.repeat(100_000) })
  let [rounds, most] = [0, 0]
  // Rounds of a tenth of a second each.
  t.intercept(performance, 'now', { value: () => rounds * 100 })
  while (app.changeReaders.size === 2 && rounds < 500) {
    append(app, 5, { after: text })
    rounds++
    app.tail.notify()
    await fast.has(rounds * 5)
    most = Math.max(most, ...sockets.map(({ writableLength }) => writableLength))
  }
  t.equal(app.changeReaders.size, 1)
  t.ok(most > 0 && most < 1024 * 1024, `${most} bytes were kept`)
  t.strictSame(fast.seqs(), range(begin + 1, last(app)))
  slow.connection.response.resume()
  await slow.connection.ended
  const place = Number(slow.connection.parser.lastEventId)
  t.ok(place < last(app))
  const resumed = await follow(t, `${url}${URL}/stream`, { lastEventId: String(place) })
  await resumed.has(last(app) - place)
  t.strictSame([...slow.seqs(), ...resumed.seqs()], range(begin + 1, last(app)))
})

t.test('stopping the service ends all streams at once, unread ones too', async (t) => {
  const { app, url } = await serve(t)
  const [reading, slow] = [
    await follow(t, `${url}${URL}/stream`),
    await follow(t, `${url}${URL}/stream?after=0`),
  ]
  slow.connection.response.pause()
  append(app, 300, { after: JSON.stringify({ text: 'x'.repeat(100_000) }) })
  await reading.has(300)
  await app.close()
  await reading.connection.ended
  slow.connection.response.resume()
  await slow.connection.ended
  await t.rejects(follow(t, `${url}${URL}/stream`))
})

t.test('a database failure ends a stream during its replay, and is logged', async (t) => {
  const { app, url } = await serve(t)
  append(app, 10)
  const { feed } = app.rules.changes
  const { slice } = feed
  feed.slice = () => {
    throw new Error('no')
  }
  const stream = await follow(t, `${url}${URL}/stream?after=0`)
  await stream.connection.ended
  t.strictSame(stream.events, [])
  feed.slice = slice
})

t.test('a stream that begins during a commit gets each later change once', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const { app, url } = await serve(t)
  const early = await follow(t, `${url}${URL}/stream`)
  const begin = last(app)
  append(app, 2)
  const late = await follow(t, `${url}${URL}/stream`)
  const { answer } = await pending(app, `after=${last(app)}`)
  append(app, 1)
  app.tail.notify()
  const end = last(app)
  t.match((await answer).body, { changes: [{ seq: end }], last: end })
  await Promise.all([early.has(3), late.has(1)])
  t.strictSame(early.seqs(), range(begin + 1, end))
  t.strictSame(late.seqs(), [end])
})

t.test('a database failure delays live events, and is logged once', async (t) => {
  const { logStream, lines } = keepLog()
  const { app, url } = await serve(t, { logStream, logLevel: 'error' })
  const stream = await follow(t, `${url}${URL}/stream`)
  const { feed } = app.rules.changes
  const { slice } = feed
  let failures = 0
  feed.slice = () => {
    failures++
    throw new Error('the disk is gone')
  }
  append(app, 2)
  while (failures < 3) await wait(10)
  feed.slice = slice
  await stream.has(2)
  t.equal(lines.filter((line) => line.includes('the disk is gone')).length, 1)
})

t.test('inside a host, the stream is below the prefix, and ends with the host', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(phaseboard, { prefix: '/board', databaseUrl: ':memory:', authMode: 'open' })
  await host.listen({ port: 0, host: '127.0.0.1' })
  const { port } = host.server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/board`
  const stream = await follow(t, `${url}${URL}/stream`)
  const headers = { 'content-type': 'application/json' }
  const made = await fetch(`${url}/api/projects`, { method: 'POST', headers, body: '{"name":"Apollo"}' })
  t.equal(made.status, 201)
  await stream.has(5)
  await host.close()
  await stream.connection.ended
  t.equal(stream.events.length, 5)
})

t.test('a client that reads nothing for a minute is disconnected, even without events', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  let now = 0
  t.intercept(performance, 'now', { value: () => now })
  const { app, url } = await serve(t)
  append(app, 300, { after: JSON.stringify({ text: 'x'.repeat(100_000) }) })
  const slow = await follow(t, `${url}${URL}/stream?after=0`)
  slow.connection.response.pause()
  mock.timers.tick(15_000)
  now += 59_000
  mock.timers.tick(15_000)
  t.equal(app.changeReaders.size, 1)
  // As long as the system's buffer for it fills up, its minute begins again.
  while (app.changeReaders.size > 0) {
    await setImmediate()
    now += 61_000
    mock.timers.tick(15_000)
  }
})
