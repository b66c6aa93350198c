/** Many clients that wait for changes or catch up at once: their results, the work of the event loop, and refusals. */
import { once } from 'node:events'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { BuildOptions, Config } from '../../src/app.ts'
import { type Connection, connectStream } from '../event-source.ts'
import { watch } from '../executions.ts'
import { type App, build, createProject, holds, send, signInAs } from '../helper.ts'
import { rounds } from '../rounds.ts'

const URL = '/api/changes'

/** Kinds for filters, including those that viewers may not see. */
const KINDS = ['metric', 'objective', 'kanban-item', 'kanban-comment', 'team', 'member', 'personal-idea']

interface AnyChange {
  kind: string
  projectId: string | null
  itemId: string | null
  fromProjectId: string | null
  ownerId: string | null
}

interface Filter {
  kinds: string[]
  projectId: string | undefined
  itemId: string | undefined
}

const anyChange: fc.Arbitrary<AnyChange> = fc.record({
  kind: fc.constantFrom(...KINDS),
  projectId: fc.constantFrom('apollo', 'gemini', null),
  itemId: fc.constantFrom('card', 'gemini', null),
  fromProjectId: fc.constantFrom('apollo', null),
  ownerId: fc.constantFrom(null, null, 'ada', 'bob'),
})
const filter: fc.Arbitrary<Filter> = fc.record({
  kinds: fc.uniqueArray(fc.constantFrom(...KINDS), { maxLength: 3 }),
  projectId: fc.constantFrom(undefined, 'apollo', 'gemini', 'other'),
  itemId: fc.constantFrom(undefined, undefined, 'card'),
})

const queryOf = ({ kinds, projectId, itemId }: Filter) =>
  new URLSearchParams({
    ...(kinds.length > 0 && { kind: kinds.join(',') }),
    ...(projectId && { projectId }),
    ...(itemId && { itemId }),
  }).toString()

/** Whether a client gets a change, by the documentation. */
const isFor = (change: AnyChange, { kinds, projectId, itemId }: Filter, who: { id: string; role: string }) =>
  (who.role === 'admin' ||
    (!['team', 'member'].includes(change.kind) && [null, who.id].includes(change.ownerId))) &&
  (kinds.length === 0 || kinds.includes(change.kind)) &&
  (!projectId || [change.projectId, change.fromProjectId].includes(projectId)) &&
  (!itemId || change.itemId === itemId)

/** Appends changes like another tool. */
function appender(app: App) {
  const insert = app.db.$client.prepare(
    `insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id, "group", after)
    values (:kind, 'x', 'created', :projectId, :itemId, :fromProjectId, :ownerId,
      (select max(seq) + 1 from changes), :after)`,
  )
  return app.db.$client.transaction((changes: readonly AnyChange[], after = '{}') => {
    for (const change of changes) insert.run({ ...change, after })
  })
}

const last = (app: App) => app.rules.changes.sequence.last()

async function serve(t: Test, options: Partial<Config> & BuildOptions = {}) {
  const app = await build(t, { authMode: 'required', ...options })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  return { app, url: `http://127.0.0.1:${port}${URL}` }
}

/** A client that follows a stream and records its changes. */
async function follow(t: Test, url: string, headers: object, lastEventId?: string, seqs: number[] = []) {
  const take = ({ id }: { id: string }) => seqs.push(Number(id))
  const options = { headers, ...(lastEventId !== undefined && { lastEventId }) }
  const connection: Connection = await connectStream(url, take, options)
  t.teardown(() => connection.close())
  return { seqs, connection }
}

/** Polls until everything up to a change is read. @returns the `seq` of the changes */
async function poll(url: string, headers: Record<string, string>, after: number, end: () => number) {
  const seqs: number[] = []
  for (let place = after; place < end(); ) {
    const answer = await fetch(`${url}&after=${place}`, { headers })
    if (answer.status !== 200) throw new Error(`answered with ${answer.status}`)
    const body = (await answer.json()) as { changes: { seq: number }[]; last: number }
    seqs.push(...body.changes.map(({ seq }) => seq))
    place = body.last
  }
  return seqs
}

t.test('pages, long polls and streams get their changes, each once, in order', async (t) => {
  const { app, url } = await serve(t)
  const people = [
    { ...signInAs(app, 'admin'), role: 'admin' },
    { ...signInAs(app, 'member', { id: 'ada' }), role: 'member' },
    { ...signInAs(app, 'viewer', { id: 'bob' }), role: 'viewer' },
  ]
  const append = appender(app)
  const run = async (batches: AnyChange[][], filters: Filter[], indexed: number) => {
    const begin = last(app)
    const [early = [], ...live] = batches
    append(early)
    for (let left = indexed; left > 0; left -= 5) app.rules.changes.subjects.index(5)
    const end = begin + batches.flat().length
    const readers = filters.map((wanted, index) => {
      const who = people[index % people.length] as (typeof people)[number]
      return { wanted, who, query: queryOf(wanted) }
    })
    const streams = await Promise.all(
      readers.map(({ who, query }) => follow(t, `${url}/stream?after=${begin}&${query}`, who.headers)),
    )
    const polls = readers.map(({ who, query }) =>
      poll(`${url}?wait=0.2&limit=3&${query}`, who.headers, begin, () => end),
    )
    for (const batch of live) {
      append(batch)
      await setImmediate()
    }
    const polled = await Promise.all(polls)
    const paged = await Promise.all(
      readers.map(({ who, query }) => poll(`${url}?limit=4&${query}`, who.headers, begin, () => end)),
    )
    const wrong: object[] = []
    for (const [index, { wanted, who }] of readers.entries()) {
      const all = batches.flat()
      const expected = all.flatMap((one, place) => (isFor(one, wanted, who) ? [begin + 1 + place] : []))
      const { seqs, connection } = streams[index] as (typeof streams)[number]
      while (seqs.length < expected.length) await wait(5)
      connection.close()
      const got = { streamed: `${seqs}`, polled: `${polled[index]}`, paged: `${paged[index]}` }
      if (Object.values(got).some((some) => some !== `${expected}`)) wrong.push({ expected, ...got })
    }
    t.strictSame(wrong, [])
    return wrong.length === 0
  }
  const batches = fc.array(fc.array(anyChange, { minLength: 1, maxLength: 30 }), {
    minLength: 1,
    maxLength: 5,
  })
  const filters = fc.array(filter, { minLength: 3, maxLength: 8 })
  await fc.assert(fc.asyncProperty(batches, filters, fc.nat(60), run), { numRuns: rounds(6) })
})

t.test('many readers far behind, without matching changes, do not block the event loop', async (t) => {
  const { app, url } = await serve(t, { streamsMax: 200 })
  const [viewer, other] = [signInAs(app, 'viewer'), signInAs(app, 'member')]
  app.db.$client.exec(
    `insert into changes (kind, id, action, project_id, "group", after)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
    select 'metric', 'x', 'updated', 'p' || (i % 7), i, '{}' from n`,
  )
  const executions = watch(t, app.db.$client)
  let [turns, most, before] = [0, 0, 0]
  let isRunning = true
  const counting = (async () => {
    while (isRunning) {
      before = executions.rows
      await setImmediate()
      turns++
      most = Math.max(most, executions.rows - before)
    }
  })()
  let refusals = 0
  const polls = Array.from({ length: 60 }, async (_, index) => {
    const kinds = KINDS.filter((kind, bit) => kind !== 'metric' && (index >> bit) % 2 === 1)
    const query = `kind=${['objective', ...kinds]}&projectId=p${index % 7}&itemId=i${index}`
    const answer = await fetch(`${url}?wait=30&after=0&${query}`, { headers: viewer.headers })
    if (answer.status === 429) refusals++
    return { status: answer.status, body: (await answer.json()) as { changes: AnyChange[]; last: number } }
  })
  const refused = (await Promise.race(polls)) as { status: number }
  t.equal(refused.status, 429, 'those beyond the share of a member')
  // All requests have arrived. One that came after the shutdown would get a response at once.
  while (app.changeReaders.count('poll') < 20 || refusals < 40) {
    // Other requests get responses in the meantime.
    const made = await send(app, 'POST', '/api/personal-ideas', { title: 'Idea' }, other.headers)
    t.equal(made.status, 201)
  }
  isRunning = false
  await counting
  t.ok(turns > 10)
  t.ok(most < 12_000, `${most} rows in one turn`)
  app.changeReaders.close()
  const answers = await Promise.all(polls)
  const waited = answers.filter(({ status }) => status === 200)
  t.equal(waited.length, 20)
  t.ok(waited.every(({ body }) => body.changes.length === 0 && body.last > 12_000))
})

t.test('each member has a share of the streams, and may retry after a refusal', async (t) => {
  const { app, url } = await serve(t, { streamsMax: 20 })
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'viewer')]
  const streams = []
  for (let count = 0; count < 10; count++) streams.push(await follow(t, `${url}/stream`, bob.headers))
  const tooMany = { error: 'Too many streams' }
  const waiting = `${URL}?after=${last(app)}&wait=1`
  await holds(t, app, [
    ['GET', `${URL}/stream`, undefined, bob.headers, 429, tooMany],
    ['GET', waiting, undefined, bob.headers, 429, tooMany],
    ['GET', `${URL}?after=${last(app)}`, undefined, bob.headers, 200, { changes: [] }],
    ['GET', `${URL}?after=${last(app)}&wait=0.01`, undefined, ada.headers, 200, { changes: [] }],
  ])
  const refused = await send(app, 'GET', `${URL}/stream`, undefined, bob.headers)
  t.match(refused.headers['retry-after'], /^\d+$/)
  streams[0]?.connection.close()
  while (app.changeReaders.size === 10) await setImmediate()
  await follow(t, `${url}/stream`, bob.headers)
  for (let count = 0; count < 10; count++) await follow(t, `${url}/stream`, ada.headers)
  const eve = signInAs(app, 'admin')
  await holds(t, app, [['GET', `${URL}/stream`, undefined, eve.headers, 503, tooMany]])
})

t.test('unread streams are closed if they use too much memory together, and resume', async (t) => {
  const { app, url } = await serve(t)
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'member')]
  const append = appender(app)
  const begin = last(app)
  const kinds = KINDS.slice(0, 4)
  // Each has its own filter, and therefore its own bytes, and gets all changes.
  const slow = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const query = `kind=metric,${kinds.filter((_kind, bit) => (index >> bit) % 2 === 1)}`
      const reader = await follow(t, `${url}/stream?${query}`, ada.headers)
      reader.connection.response.pause()
      return { query, ...reader }
    }),
  )
  const fast = await follow(t, `${url}/stream`, bob.headers)
  const metric = { kind: 'metric', projectId: null, itemId: null, fromProjectId: null, ownerId: null }
  let count = 0
  const writeOne = async () => {
    append([metric], JSON.stringify({ text: 'x'.repeat(2_000_000) }))
    app.tail.notify()
    while (fast.seqs.length <= count) await once(fast.connection.response, 'data')
    count++
  }
  while (app.changeReaders.size > 12 && count < 100) await writeOne()
  t.ok(app.changeReaders.size <= 12, 'some of them are gone')
  // Some disconnected clients may have received everything before; this one has not.
  await writeOne()
  const expected = Array.from({ length: count }, (_, index) => begin + 1 + index)
  t.strictSame(fast.seqs, expected, 'who reads has all')
  let resumptions = 0
  const resumed = slow.map(async ({ query, seqs, connection }) => {
    connection.response.resume()
    for (let current = connection; seqs.length < count; resumptions++) {
      const isDone = async () => {
        while (seqs.length < count) await wait(10)
      }
      await Promise.race([current.ended, isDone()])
      if (seqs.length === count) break
      const next = await follow(t, `${url}/stream?${query}`, ada.headers, current.parser.lastEventId, seqs)
      current = next.connection
    }
    return seqs
  })
  for (const seqs of await Promise.all(resumed)) t.strictSame(seqs, expected, 'without a gap or repeat')
  t.ok(resumptions > 0)
})

t.test('a page that is pruned during its read ends before the gap', async (t) => {
  const app = await build(t)
  await createProject(app)
  const append = appender(app)
  const metric = { kind: 'metric', projectId: null, itemId: null, fromProjectId: null, ownerId: null }
  append(
    Array.from({ length: 10 }, () => metric),
    JSON.stringify({ text: 'x'.repeat(30_000) }),
  )
  const end = last(app)
  const { feed } = app.changeReaders
  const { slice } = feed
  let slices = 0
  feed.slice = (...args) => {
    if (++slices === 2) app.db.$client.exec(`delete from changes where seq < ${end}`)
    return slice.apply(feed, args)
  }
  t.teardown(() => {
    feed.slice = slice
  })
  const { body } = await send(app, 'GET', `${URL}?kind=metric&after=${end - 10}`)
  t.equal(body.changes.length, 2)
  t.equal(body.last, end - 8)
  t.equal((await send(app, 'GET', `${URL}?after=${body.last}`)).status, 410)
})
