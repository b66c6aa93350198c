/**
 * What happened in a project while it was `assigned`: whoever did not see it then does not see it later either, whatever becomes of the project, by any
 * way out. Those who were in it do.
 */
import t, { type Test } from 'tap'
import type { BuildOptions } from '../../src/app.ts'
import { consumerOf } from '../attention/consumers.ts'
import { connectStream } from '../event-source.ts'
import { until } from '../executions.ts'
import { type App, build, send, signInAs, tokenOf } from '../helper.ts'
import { manualClock } from '../receivers.ts'

type Headers = Record<string, string>
type Ask = (method: string, path: string, body?: object, more?: Headers) => ReturnType<typeof send>

/** In every text of the past, and in no other. */
const PAST = /hush/i

const as =
  (app: App, headers: Headers): Ask =>
  (method, path, body, more = {}) =>
    send(app, method, path, body, { ...headers, ...more })

/** A member's streams: one that goes on, and one from the beginning of the sequence. */
async function follow(t: Test, url: string, headers: Headers, lastEventId?: string) {
  let text = ''
  const { close } = await connectStream(
    `${url}/api/changes/stream`,
    ({ data }) => {
      text += data
    },
    { headers, ...(lastEventId && { lastEventId }) },
  )
  t.teardown(close)
  return {
    seen: async (mark: string) => {
      await until(() => text.includes(mark))
      return text
    },
    close,
  }
}

/** A service with members of each role, who are in no project, and one who is in all. */
async function setUp(t: Test) {
  const app = await build(t, { authMode: 'required' })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const admin = as(app, signInAs(app, 'admin').headers)
  const insider = signInAs(app, 'member')
  const ids = {
    member: signInAs(app, 'member'),
    viewer: signInAs(app, 'viewer'),
    guest: signInAs(app, 'guest'),
  }
  const make = async (path: string, body: object) => (await admin('POST', path, body)).body.id as string
  const open = await make('/api/projects', { name: 'Open' })
  // A guest follows it, too.
  for (const { id } of [ids.guest, insider])
    await make(`/api/projects/${open}/team-assignments`, { memberId: id })
  const marker = await make(`/api/projects/${open}/kanban-items`, { title: 'Marker' })
  const outsiders = Object.entries({ ...ids, 'a second member': signInAs(app, 'member') }).map(
    ([name, { id, headers }]) => ({ name, id, headers, ask: as(app, headers) }),
  )
  const streams = await Promise.all(outsiders.map(({ headers }) => follow(t, url, headers)))
  let marks = 0
  const mark = async () => {
    const title = `mark ${++marks}.`
    await admin('PATCH', `/api/kanban-items/${marker}`, { title })
    return title
  }
  return { app, url, admin, insider, outsiders, streams, make, open, mark }
}

type World = Awaited<ReturnType<typeof setUp>>

/** The ids of a project, and the changes of its past. */
interface Past {
  project: string
  card: string
  gone: string
  seqs: number[]
}

/** A project with a past that only its members may know: a former name, a comment, a file, a card that is gone. */
async function begin({ app, admin, insider, outsiders, make }: World): Promise<Past> {
  const { $client: client } = app.db
  const since = client.prepare('select max(seq) from changes').pluck().get() as number
  const project = await make('/api/projects', { name: 'Hush', access: 'assigned', description: 'hush' })
  await make(`/api/projects/${project}/team-assignments`, { memberId: insider.id })
  const card = await make(`/api/projects/${project}/kanban-items`, {
    title: 'Hush card',
    description: 'hush',
  })
  const gone = await make(`/api/projects/${project}/kanban-items`, { title: 'Hush gone' })
  const [another] = outsiders as [World['outsiders'][number]]
  const text = `hush @${client.prepare('select handle from members where id = ?').pluck().get(another.id)}`
  const comment = await make(`/api/kanban-items/${card}/comments`, { content: text })
  const link = { url: 'https://example.org/hush', name: 'hush.pdf' }
  const file = await make(`/api/kanban-items/${card}/attachments`, link)
  for (const path of [`kanban-items/${gone}`, `kanban-comments/${comment}`, `attachments/${file}`])
    await admin('DELETE', `/api/${path}`)
  await admin('PATCH', `/api/kanban-items/${card}`, { title: 'Shown', description: '' })
  const seqs = client.prepare('select seq from changes where seq > ? and project_id = ?').pluck()
  return { project, card, gone, seqs: seqs.all(since, project) as number[] }
}

/** Everything that a caller can learn of the past, except by streams. */
async function learned(ask: Ask, { project, card, gone, seqs }: Past): Promise<string> {
  const feeds = [
    '',
    `&projectId=${project}`,
    `&itemId=${card}`,
    '&kind=kanban-item,kanban-comment,attachment,project',
  ]
  const paths = [
    ...feeds.map((filter) => `/api/changes?after=0&limit=1000${filter}`),
    `/api/changes?after=${(seqs[0] ?? 0) - 1}&limit=1000&wait=1`,
    '/api/trash',
    `/api/trash?projectId=${project}`,
    `/api/projects/${project}/changes`,
    `/api/kanban-items/${card}/changes`,
    `/api/kanban-items/${gone}/changes`,
    `/api/projects/${project}/flow`,
    '/api/search?q=hush',
    '/api/notifications',
    '/api/projects?view=summary',
  ]
  const requests = ['/api/changes?after=0&limit=1000', '/api/trash'].map((path) => ({ method: 'GET', path }))
  const batch = ask('POST', '/api/batch', { requests })
  const answers = await Promise.all([...paths.map((path) => ask('GET', path)), batch])
  return JSON.stringify(answers.map(({ body }) => body))
}

/** What becomes of a project. */
const FATES: Record<string, (world: World, past: Past) => Promise<void>> = {
  'it is deleted': async ({ admin }, { project }) => {
    await admin('DELETE', `/api/projects/${project}`)
  },
  'it is opened and renamed': async ({ admin }, { project }) => {
    await admin('PATCH', `/api/projects/${project}`, { access: 'everyone', name: 'Plain', description: '' })
  },
  'it is opened in a batch, between other changes': async ({ admin }, { project, card }) => {
    const patch = (path: string, body: object) => ({ method: 'PATCH', path, body })
    const requests = [
      patch(`/api/kanban-items/${card}`, { title: 'Hush again' }),
      patch(`/api/projects/${project}`, { name: 'Plain', description: '' }),
      patch(`/api/kanban-items/${card}`, { title: 'Shown' }),
      patch(`/api/projects/${project}`, { access: 'everyone' }),
      patch(`/api/kanban-items/${card}`, { title: 'Shown again' }),
    ]
    await admin('POST', '/api/batch', { requests })
  },
  'another tool opens it': async ({ app }, { project }) => {
    const open = `update projects set access = 'everyone', name = 'Plain', description = '' where id = ?`
    app.db.$client.prepare(open).run(project)
    app.tail.notify()
  },
  'it is opened and then deleted': async ({ admin }, { project }) => {
    await admin('PATCH', `/api/projects/${project}`, { access: 'everyone', name: 'Plain', description: '' })
    await admin('DELETE', `/api/projects/${project}`)
  },
  'it is opened, closed and opened again': async ({ admin }, { project, card }) => {
    const path = `/api/projects/${project}`
    await admin('PATCH', path, { access: 'everyone', name: 'Plain', description: '' })
    await admin('PATCH', path, { access: 'assigned' })
    await admin('PATCH', `/api/kanban-items/${card}`, { title: 'Hush again' })
    await admin('PATCH', `/api/kanban-items/${card}`, { title: 'Shown' })
    await admin('PATCH', path, { access: 'everyone' })
  },
  'it is opened, closed and deleted': async ({ admin }, { project }) => {
    const path = `/api/projects/${project}`
    await admin('PATCH', path, { access: 'everyone', name: 'Plain', description: '' })
    await admin('PATCH', path, { access: 'assigned', name: 'Hush' })
    await admin('DELETE', path)
  },
  'it is deleted, restored and opened': async ({ admin }, { project }) => {
    const { headers } = await admin('DELETE', `/api/projects/${project}`)
    await admin('POST', `/api/changes/${headers['phaseboard-seq']}/undo`)
    await admin('PATCH', `/api/projects/${project}`, { access: 'everyone', name: 'Plain', description: '' })
  },
  'it is the last of several to be deleted': async ({ admin, make }, { project }) => {
    const other = await make('/api/projects', { name: 'Hush, too', access: 'assigned' })
    await admin('DELETE', `/api/projects/${project}`)
    await admin('DELETE', `/api/projects/${other}`)
  },
  'another one is left': async ({ admin, make }, { project }) => {
    await make('/api/projects', { name: 'Hush, too', access: 'assigned' })
    await admin('DELETE', `/api/projects/${project}`)
  },
}

t.test('whoever did not see a project does not learn of its past when', async (t) => {
  const world = await setUp(t)
  const { app, url, outsiders, streams, insider, mark } = world
  const inside = as(app, insider.headers)
  for (const [fate, happen] of Object.entries(FATES)) {
    await t.test(fate, async (t) => {
      const past = await begin(world)
      const after = past.seqs.at(-1)
      const polls = outsiders.map(({ ask }) => ask('GET', `/api/changes?after=${after}&wait=30`))
      await happen(world, past)
      const title = await mark()
      await app.notificationConsumer.work()
      for (const [index, { name, headers, ask }] of outsiders.entries()) {
        t.notMatch(await streams[index]?.seen(title), PAST, `the stream of ${name}`)
        t.notMatch(JSON.stringify((await polls[index])?.body), PAST, `the long poll of ${name}`)
        const again = await follow(t, url, headers, '0')
        t.notMatch(await again.seen(title), PAST, `the resumed stream of ${name}`)
        again.close()
        t.notMatch(await learned(ask, past), PAST, `what ${name} reads`)
        for (const seq of name === 'member' ? past.seqs : []) {
          const { status } = await ask('POST', `/api/changes/${seq}/undo`)
          if (status !== 404) t.fail(`${name} may undo change ${seq}: ${status}`)
        }
      }
      const known = await learned(inside, past)
      for (const word of ['Hush card', 'Hush gone', 'hush.pdf', 'hush @'])
        t.match(known, word, `${word} is known to the one who was in it`)
    })
  }
})

t.test('a project that was opened shows its present, and what happens from then on', async (t) => {
  const world = await setUp(t)
  const { admin, outsiders, app } = world
  const { project, card } = await begin(world)
  await admin('PATCH', `/api/projects/${project}`, { access: 'everyone', name: 'Plain', description: '' })
  await admin('PATCH', `/api/kanban-items/${card}`, { title: 'Shown again' })
  for (const { name, ask } of outsiders) {
    if (name === 'guest') {
      t.equal((await ask('GET', `/api/projects/${project}/changes`)).status, 404, 'but not to guests')
      continue
    }
    t.match((await ask('GET', `/api/projects/${project}`)).body, {
      name: 'Plain',
      kanbanItems: [{ id: card }],
    })
    const expected = [
      { kind: 'kanban-item', action: 'updated', before: { title: 'Shown' }, after: { title: 'Shown again' } },
      { kind: 'project', action: 'updated', before: {}, after: { access: 'everyone', name: 'Plain' } },
    ]
    const { body } = await ask('GET', `/api/projects/${project}/changes`)
    t.match([body.length, body], [2, expected], name)
    t.strictSame(body[1].before, {})
    t.match((await ask('GET', `/api/kanban-items/${card}/changes`)).body, [expected[0]])
  }
  const [member] = outsiders as [World['outsiders'][number]]
  // By writing the project, one does not get at its past.
  const own = { memberId: member.id, role: 'lead' }
  t.equal((await member.ask('POST', `/api/projects/${project}/team-assignments`, own)).status, 201)
  t.notMatch((await member.ask('GET', `/api/projects/${project}/changes`)).body, PAST)
  const seq = app.db.$client.prepare(`select seq from changes where after like '%"everyone"%' and id = ?`)
  const opened = seq.pluck().get(project)
  t.equal((await member.ask('POST', `/api/changes/${opened}/undo`)).status, 404, 'of what one sees in part')
})

t.test('the team of a project that is gone', async (t) => {
  const { app, admin, insider, outsiders, make, open } = await setUp(t)
  const guest = outsiders.find(({ name }) => name === 'guest') as World['outsiders'][number]
  const [member] = outsiders as [World['outsiders'][number]]
  const teamId = await make('/api/teams', { name: 'Team', memberIds: [insider.id] })
  for (const access of ['assigned', 'everyone']) {
    const project = await make('/api/projects', { name: 'Hush', access, teamId })
    await make(`/api/projects/${project}/kanban-items`, { title: 'Hush card' })
    await admin('DELETE', `/api/projects/${project}`)
  }
  const former = as(app, insider.headers)
  const know = async (ask: Ask) =>
    [await ask('GET', '/api/trash'), await ask('GET', '/api/changes?after=0&limit=1000')].map(
      ({ body }) => JSON.stringify(body).match(/"Hush card"/g)?.length ?? 0,
    )
  const check = async (what: string) => {
    const all = { guest: await know(guest.ask), member: await know(member.ask), former: await know(former) }
    t.strictSame(all, { guest: [0, 0], member: [0, 2], former: [0, 4] }, what)
  }
  await check('it has the same members')
  await admin('PATCH', `/api/teams/${teamId}`, { memberIds: [member.id, guest.id] })
  await check('it has others')
  app.rules.changes.subjects.index()
  await check('indexed')
  await admin('PATCH', `/api/teams/${teamId}`, { name: 'Another name' })
  await admin('DELETE', `/api/teams/${teamId}`)
  app.rules.changes.subjects.index()
  await check('it is gone, too')
  t.ok(open)
})

t.test('notifications that are made after the project was opened', async (t) => {
  const world = await setUp(t)
  const { app, admin, insider, outsiders } = world
  await app.notificationConsumer.stop()
  const { project, card } = await begin(world)
  const toldTo = async (headers: Headers) => (await as(app, headers)('GET', '/api/notifications')).body
  await admin('PATCH', `/api/kanban-items/${card}`, { description: `@${insider.id}`, assigneeId: insider.id })
  await admin('PATCH', `/api/projects/${project}`, { access: 'everyone', name: 'Plain', description: '' })
  const consumer = consumerOf(app, manualClock(Date.now()))
  t.teardown(() => consumer.stop())
  await consumer.work()
  for (const { name, headers } of outsiders) t.strictSame(await toldTo(headers), [], name)
  t.match(await toldTo(insider.headers), [{ kind: 'assigned', itemId: card }])
  const [{ id: assigneeId, headers }] = outsiders as [World['outsiders'][number]]
  await admin('PATCH', `/api/kanban-items/${card}`, { assigneeId })
  await consumer.work()
  t.match(await toldTo(headers), [{ kind: 'assigned', itemId: card }], 'of what happens from then on')
})

t.test("what a host's person was told while the project was hidden from it", async (t) => {
  const resolveMember: BuildOptions['resolveMember'] = ({ headers }) => {
    const id = String(headers['x-user'] ?? '')
    return id === '' ? null : { id, name: id, role: id === 'boss' ? 'admin' : 'member' }
  }
  const app = await build(t, { authMode: 'required', resolveMember })
  const admin = as(app, { 'x-user': 'boss' })
  const [zoe, kim] = [as(app, { 'x-user': 'zoe' }), as(app, { 'x-user': 'kim' })]
  const project = (await admin('POST', '/api/projects', { name: 'Plain' })).body.id
  const path = `/api/projects/${project}`
  const card = (await admin('POST', `${path}/kanban-items`, { title: 'Shown' })).body.id
  const isStored = app.db.$client.prepare("select 1 from people where kind = 'host' and id = ?")
  for (const [id, ask] of [
    ['zoe', zoe],
    ['kim', kim],
  ] as const) {
    t.equal((await ask('PUT', `${path}/watch`)).status, 200)
    await until(() => isStored.get(id) !== undefined)
  }
  await admin('POST', `${path}/team-assignments`, { memberId: 'kim' })
  await admin('PATCH', path, { access: 'assigned' })
  await admin('POST', `/api/kanban-items/${card}/comments`, { content: 'hush' })
  const told = async (ask: Ask) => {
    await app.notificationConsumer.work()
    await app.notificationConsumer.work()
    const { body } = await ask('GET', '/api/notifications')
    const { unread } = (await ask('GET', '/api/notifications/count')).body
    t.equal(unread, body.length)
    return body.map(({ text }: { text: string }) => text)
  }
  t.strictSame([await told(zoe), await told(kim)], [[], ['hush']])
  await admin('PATCH', path, { access: 'everyone' })
  t.strictSame([await told(zoe), await told(kim)], [[], ['hush']], 'opened')
  await admin('POST', `/api/kanban-items/${card}/comments`, { content: 'open' })
  t.strictSame([await told(zoe), await told(kim)], [['open'], ['open', 'hush']])
  await admin('PATCH', path, { access: 'assigned' })
  await admin('POST', `/api/kanban-items/${card}/comments`, { content: 'hush again' })
  await told(kim)
  await admin('DELETE', path)
  t.notMatch(await told(zoe), PAST, 'deleted')
})

t.test('tokens, former members and repetitions', async (t) => {
  const world = await setUp(t)
  const { app, admin, insider, open } = world
  const { project, card } = await begin(world)
  const limits = { projectIds: JSON.stringify([open, project]) } as object
  const [outsider] = world.outsiders as [World['outsiders'][number]]
  const token = as(app, tokenOf(app, outsider.id, limits))
  const inside = as(app, insider.headers)
  const key = { 'idempotency-key': 'once' }
  const write = () => inside('PATCH', `/api/kanban-items/${card}`, { title: 'Hush own' }, key)
  const requests = [{ method: 'GET', path: `/api/kanban-items/${card}/changes` }]
  const readMany = () => inside('POST', '/api/batch', { requests }, key)
  t.equal((await write()).status, 200)
  t.match((await readMany()).body, { results: [{ body: [{ projectId: project }] }] })
  const assigned = `/api/projects/${project}/team-assignments`
  const { body } = await admin('GET', assigned)
  const { id } = body.find(({ memberId }: { memberId: string }) => memberId === insider.id)
  await admin('DELETE', `/api/team-assignments/${id}`)
  t.equal((await write()).status, 404)
  await admin('DELETE', `/api/projects/${project}`)
  for (const ask of [inside, token]) {
    t.notMatch((await ask('GET', '/api/changes?after=0&limit=1000')).body, PAST)
    t.equal((await ask('GET', `/api/projects/${project}/changes`)).status, 404)
  }
  t.equal((await write()).status, 404, 'a repetition does not come back with the deletion')
  t.equal((await readMany()).status, 404)
})
