/** People of a host application: three of its users work on one board. */
import { setTimeout as pause } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import type { HostMember, HostPerson, PhaseboardOptions } from '../src/app.ts'
import { hostedAmong } from '../src/requests/hosted-people.ts'
import { shipped } from './shipped.ts'

type User = HostMember & { name: string }

/** The users of the application, by their user names. */
const users = (): Record<string, User> => ({
  ann: { id: 'u-1', name: 'Ann Architect', role: 'admin', email: 'ann@acme.test' },
  bob: { id: 'u-18', name: 'Bob Builder', role: 'member' },
  cleo: { id: 'u-20', name: 'Cleo Carpenter', role: 'viewer' },
})

/** An application with users, the embedded board, and a function to send requests as one of them. */
async function start(t: Test, all: Record<string, User>, options: PhaseboardOptions = {}) {
  const log: string[] = []
  const host = Fastify({
    logger: { level: 'warn', stream: { write: (line: string) => void log.push(line) } },
  })
  t.teardown(() => host.close())
  await host.register(shipped.phaseboard, {
    prefix: '/board',
    databaseUrl: ':memory:',
    resolveMember: ({ headers }) => all[String(headers['x-user'])] ?? null,
    ...options,
  })
  const ask = async (user: string, method: string, path: string, body?: object) => {
    const answer = await host.inject({
      method: method as 'GET',
      url: `/board${path}`,
      headers: { 'x-user': user },
      ...(body && { payload: body }),
    })
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: isJson ? answer.json() : answer.body,
    }
  }
  /** The response to a GET, once it is as expected: people are recorded asynchronously. */
  // biome-ignore lint/suspicious/noExplicitAny: of every shape
  const until = async (path: string, isSo: (body: any) => boolean) => {
    for (;;) {
      const { body } = await ask('ann', 'GET', path)
      if (isSo(body)) return body
      await pause(10)
    }
  }
  return { ask, until, log }
}

const names = (people: { name: string }[]) => people.map(({ name }) => name)

t.test('three users assign, filter, comment, and see each other by name', async (t) => {
  const all = users()
  const { ask, until } = await start(t, all)
  const project = (await ask('ann', 'POST', '/api/projects', { name: 'House' })).body
  await ask('cleo', 'GET', '/api/projects')
  const card = (
    await ask('bob', 'POST', `/api/projects/${project.id}/kanban-items`, { title: 'Walls', assigneeId: 'me' })
  ).body
  t.equal(card.assigneeId, 'u-18')
  await ask('bob', 'POST', `/api/kanban-items/${card.id}/comments`, { content: 'They stand.' })

  const listed = await until('/api/people', (people: object[]) => people.length === 3)
  t.strictSame(names(listed), ['Ann Architect', 'Bob Builder', 'Cleo Carpenter'])
  t.match(listed[1], { id: 'u-18', kind: 'host', seenAt: /Z$/ })
  const emails = listed.map(({ email }: { email: string | null }) => email)
  t.strictSame(emails, ['ann@acme.test', null, null], 'no email but her own')

  const found = (await ask('ann', 'GET', '/api/people?q=cARP')).body
  t.strictSame(names(found), ['Cleo Carpenter'])
  const [{ id: cleo }] = found
  await ask('ann', 'PATCH', `/api/kanban-items/${card.id}`, { assigneeId: cleo })
  t.match((await ask('ann', 'GET', `/api/kanban-items?assigneeId=${cleo}`)).body, [{ title: 'Walls' }])

  const { body: comments } = await ask('ann', 'GET', `/api/kanban-items/${card.id}/comments`)
  const { body: changes } = await ask('ann', 'GET', `/api/kanban-items/${card.id}/changes`)
  const ids = [comments[0].authorId, changes[0].actorId, changes[0].after.assigneeId]
  t.strictSame(names((await ask('ann', 'GET', `/api/people?ids=${ids}`)).body), [
    'Bob Builder',
    'Ann Architect',
    'Cleo Carpenter',
  ])
  await ask('ann', 'POST', '/api/teams', { name: 'Crew' })
  t.match((await ask('ann', 'GET', '/api/audit-log')).body, [{ actorId: 'u-1', actor: 'Ann Architect' }])

  t.comment('renamed: everywhere at once, and told of')
  all.bob = { ...(all.bob as User), name: 'Robert Builder' }
  await ask('bob', 'GET', '/api/projects')
  await until('/api/people/u-18', ({ name }: { name: string }) => name === 'Robert Builder')
  const { body: feed } = await ask('ann', 'GET', '/api/changes?kind=person')
  t.match(feed.changes.at(-1), {
    action: 'updated',
    id: 'u-18',
    actor: 'service',
    before: { name: 'Bob Builder' },
    after: { name: 'Robert Builder' },
  })
  const { last } = feed
  for (let times = 0; times < 20; times++) await ask('bob', 'GET', '/api/projects')
  t.equal(
    (await ask('ann', 'GET', '/api/changes?kind=person')).body.last,
    last,
    'who comes again is no change',
  )

  t.comment('forgotten: the id stays, the name goes')
  t.equal((await ask('bob', 'DELETE', '/api/people/u-18')).status, 403)
  t.match(await ask('ann', 'DELETE', '/api/people/u-18'), { status: 200 })
  t.strictSame((await ask('ann', 'GET', '/api/people?ids=u-18')).body, [])
  t.equal((await ask('ann', 'GET', `/api/kanban-items/${card.id}/comments`)).body[0].authorId, 'u-18')
  t.notMatch(JSON.stringify((await ask('ann', 'GET', '/api/changes?limit=1000')).body), /Builder/)

  t.comment('whoever comes again is named again')
  await ask('bob', 'GET', '/api/projects')
  await until('/api/people/u-18', ({ name }: { name?: string }) => name === 'Robert Builder')
})

t.test('a host lists people who have not signed in yet', async (t) => {
  const staff: HostPerson[] = [
    { id: 'u-1', name: 'Ann Architect', email: 'ann@acme.test' },
    { id: 'u-30', name: 'Dora Draughtswoman' },
    { id: 'u-31', name: 'Änne Aufmaß' },
  ]
  const asked: object[] = []
  const { ask, until } = await start(t, users(), {
    listMembers: async (query) => {
      asked.push(query)
      const { q, ids } = query
      return ids
        ? staff.filter(({ id }) => ids.includes(id))
        : staff.filter(({ name }) => !q || name.includes(q))
    },
  })
  await ask('bob', 'GET', '/api/projects')
  await until('/api/people/u-18', ({ name }: { name?: string }) => name === 'Bob Builder')
  t.strictSame(
    names((await ask('ann', 'GET', '/api/people')).body),
    ['Ann Architect', 'Änne Aufmaß', 'Bob Builder', 'Dora Draughtswoman'],
    'those whom it lists and those whom it has named, each once, in order',
  )
  t.strictSame(asked.at(-1), { limit: 500 })
  t.strictSame(names((await ask('ann', 'GET', '/api/people?q=Draught')).body), ['Dora Draughtswoman'])
  t.strictSame(asked.at(-1), { q: 'Draught', limit: 500 })
  t.strictSame(names((await ask('ann', 'GET', '/api/people?kind=member')).body), [])

  const pages: string[] = []
  let path: string | undefined = '/api/people?limit=1'
  while (path !== undefined) {
    const page = await ask('ann', 'GET', path)
    pages.push(...names(page.body))
    path = /<\/board(.*)>; rel="next"/.exec(String(page.headers.link))?.[1]
  }
  t.strictSame(pages, ['Ann Architect', 'Änne Aufmaß', 'Bob Builder', 'Dora Draughtswoman'], 'page by page')

  t.match((await ask('ann', 'GET', '/api/people?ids=u-30,u-99')).body, [{ id: 'u-30', kind: 'host' }])
  await until('/api/changes?kind=person', ({ changes }: { changes: { id: string }[] }) =>
    changes.some(({ id }) => id === 'u-30'),
  )
  const board = (await ask('ann', 'POST', '/api/projects', { name: 'House', leadId: 'u-31' })).body
  t.match(await ask('ann', 'GET', `/api/projects/${board.id}?expand=people`), {
    status: 200,
    body: { people: { 'u-31': 'Änne Aufmaß' } },
  })
  const card = { title: 'Plan', assigneeId: 'u-31' }
  await ask('ann', 'POST', `/api/projects/${board.id}/kanban-items`, card)
  staff.push({ id: 'u-32', name: 'Emil Electrician' })
  await ask('ann', 'POST', `/api/projects/${board.id}/kanban-items`, { ...card, assigneeId: 'u-32' })
  const csv = await ask('ann', 'GET', `/api/projects/${board.id}/export.csv`)
  t.match(csv.body, /u-31.*Änne Aufmaß,.*\r\n.*u-32.*Emil Electrician,.*\r\n/)
  const nobody = (await ask('ann', 'POST', '/api/projects', { name: 'Nobody' })).body
  const before = asked.length
  for (const path of ['?expand=people', '/export.csv', '/export.json'])
    await ask('ann', 'GET', `/api/projects/${nobody.id}${path}`)
  t.equal(asked.length, before, 'nobody is asked for nobody')
  t.match(await ask('ann', 'GET', '/api/people/u-30'), { status: 200, body: { name: 'Dora Draughtswoman' } })
  t.equal(asked.length, before, 'whom it has named by id is known from then on')
  t.match(await ask('ann', 'GET', '/api/people/u-99'), { status: 404, body: { error: 'Person not found' } })
})

t.test('a failing or slow host only hides its own people', async (t) => {
  let answer: () => HostPerson[] | Promise<HostPerson[]> = () => {
    throw new Error('the directory is down')
  }
  const { ask, until, log } = await start(t, users(), { listMembers: () => answer() })
  await ask('bob', 'GET', '/api/projects')
  await until('/api/people?ids=u-18', (people: object[]) => people.length === 1)
  const whoIsThere = async () => names((await ask('ann', 'GET', '/api/people')).body)
  t.strictSame(await whoIsThere(), ['Ann Architect', 'Bob Builder'])
  t.ok(log.some((line) => line.includes('the host did not list its people')))
  answer = () => 'nobody' as never
  t.strictSame(await whoIsThere(), ['Ann Architect', 'Bob Builder'])
  answer = () => [{ id: 'u-5' }, null, { id: 7, name: 'Seven' }, { id: 'u-6', name: 'Six' }] as never
  t.strictSame(await whoIsThere(), ['Ann Architect', 'Bob Builder', 'Six'], 'what is no person is left out')
  let calls = 0
  answer = () => {
    calls++
    return new Promise(() => undefined)
  }
  t.strictSame(await whoIsThere(), ['Ann Architect', 'Bob Builder'])
  t.strictSame(await whoIsThere(), ['Ann Architect', 'Bob Builder'])
  t.equal(calls, 1, 'it is left alone for a while')
})

t.test('a host is asked for all people of a large project, in several queries', async (t) => {
  const asked: number[] = []
  const { ask } = await start(t, users(), {
    listMembers: ({ ids = [] }) => {
      asked.push(ids.length)
      return ids.map((id) => ({ id, name: `Person ${id}` }))
    },
  })
  const { id } = (await ask('ann', 'POST', '/api/projects', { name: 'House' })).body
  for (let first = 0; first < 1200; first += 200) {
    const requests = Array.from({ length: 200 }, (_, index) => ({
      method: 'POST',
      path: `/api/projects/${id}/kanban-items`,
      body: { title: 'Card', assigneeId: `p-${first + index}` },
    }))
    t.equal((await ask('ann', 'POST', '/api/batch', { requests })).status, 200)
  }
  const { people } = (await ask('ann', 'GET', `/api/projects/${id}?expand=people`)).body
  t.equal(Object.keys(people).length, 1200)
  t.equal(people['p-1199'], 'Person p-1199')
  t.strictSame(asked, [500, 500, 200])
})

t.test('a name that only the host changed is stored when it lists the person', async (t) => {
  const staff: HostPerson[] = Array.from({ length: 150 }, (_, index) => ({
    id: `p-${index}`,
    name: `Person ${index}`,
  }))
  const all = users()
  const { ask, until } = await start(t, all, {
    listMembers: ({ ids }) => (ids ? staff.filter(({ id }) => ids.includes(id)) : staff),
  })
  await ask('ann', 'GET', `/api/people?ids=${staff.map(({ id }) => id)}`)
  const changed = ({ changes }: { changes: { action: string }[] }, action: string) =>
    changes.filter((change) => change.action === action).length
  const feed = '/api/changes?kind=person&limit=1000'
  await until(feed, (body) => changed(body, 'created') === 151)

  await ask('ann', 'GET', '/api/people')
  const { last } = (await ask('ann', 'GET', feed)).body
  staff[0] = { id: 'p-0', name: 'Renamed' }
  await ask('ann', 'GET', '/api/people?q=x')
  const after = await until(feed, (body) => changed(body, 'updated') === 1)
  t.match(after.changes.at(-1), {
    id: 'p-0',
    seq: last + 1,
    actor: 'service',
    before: { name: 'Person 0' },
    after: { name: 'Renamed' },
  })
  t.match(await ask('ann', 'GET', '/api/people/p-0'), { body: { name: 'Renamed', seenAt: /Z$/ } })

  t.comment('no write if it is equal, and a hundred at once')
  await ask('ann', 'GET', '/api/people')
  t.equal((await ask('ann', 'GET', feed)).body.last, last + 1)
  for (const person of staff) person.name += '!'
  await ask('ann', 'GET', '/api/people')
  await until(feed, (body) => changed(body, 'updated') === 101)
  await ask('ann', 'GET', '/api/people')
  await until(feed, (body) => changed(body, 'updated') === 151)

  t.comment('a host whose two functions give different names causes no write for each request')
  staff.push({ id: 'u-18', name: 'Builder, Bob' })
  for (let times = 0; times < 5; times++) {
    await ask('bob', 'GET', '/api/projects')
    await ask('ann', 'GET', '/api/people')
  }
  const body = await until(feed, ({ changes }) => changes.some(({ id }: { id: string }) => id === 'u-18'))
  t.ok(body.changes.filter(({ id }: { id: string }) => id === 'u-18').length <= 2)
})

t.test('the queries for one record have a maximum number and time', async (t) => {
  const ids = Array.from({ length: 6000 }, (_, index) => `p-${index}`)
  const queriesOf = async (milliseconds: number) => {
    let now = 0
    let queries = 0
    const clock = t.intercept(Date, 'now', { value: () => now })
    const peopleOfHost = async () => {
      queries++
      now += milliseconds
      return [{ id: 'p-1', name: 'Ann' }]
    }
    const hosted = await hostedAmong({ peopleOfHost } as never, ids)
    clock.restore()
    t.equal(hosted.length, queries)
    return queries
  }
  t.equal(await queriesOf(10), 10)
  t.equal(await queriesOf(600), 2)
})
