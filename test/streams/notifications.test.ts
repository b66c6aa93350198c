import { Agent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { BuildOptions } from '../../src/app.ts'
import { createClient } from '../../src/client/client.ts'
import { memberNamed, toldTo, workedOff } from '../attention/members.ts'
import { connectStream, type StreamEvent } from '../event-source.ts'
import { build, createItem, createProject, send, tokenOf } from '../helper.ts'
import { until } from '../receivers.ts'

t.test('a notification is sent to the streams of its member, and to nobody else', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = memberNamed(app, 'boss', 'admin')
  const ada = memberNamed(app, 'ada')
  const bob = memberNamed(app, 'bob')
  const project = await createProject(app, {}, admin.headers)
  const other = await createProject(app, { name: 'Gemini' }, admin.headers)
  const item = await createItem(app, project.id, { title: 'Card' }, admin.headers)
  await app.listen()
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const agent = new Agent()
  t.teardown(() => agent.destroy())
  const follow = async (headers: object, query = '') => {
    const events: StreamEvent[] = []
    const one = await connectStream(
      `${url}/api/changes/stream${query}`,
      (event) => {
        if (event.type === 'notification') events.push(event)
      },
      { headers, agent },
    )
    t.teardown(() => one.close())
    return events
  }
  const own = await follow(ada.headers)
  const filtered = await follow(ada.headers, `?itemId=none`)
  const limited = await follow(tokenOf(app, 'ada', { projectIds: JSON.stringify([other.id]) }))
  const another = await follow(bob.headers)
  const admins = await follow(admin.headers)
  await workedOff(app)

  const client = createClient({
    baseUrl: url,
    token: tokenOf(app, 'ada').authorization.slice('Bearer '.length),
  })
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  let isConnected = false
  const onState = () => {
    isConnected = true
  }
  const followed: unknown[] = []
  const reading = (async () => {
    for await (const one of client.notifications({ signal: closing.signal, onState })) followed.push(one.kind)
  })()
  await until(() => isConnected)

  const path = `/api/kanban-items/${item.id}`
  await send(app, 'PATCH', path, { assigneeId: 'ada' }, admin.headers)
  await send(app, 'POST', `${path}/comments`, { content: 'Hm @bob' }, admin.headers)
  const told = (await toldTo(app, ada)).reverse()
  t.equal(told.length, 2)
  await until(
    () => own.length === 2 && filtered.length === 2 && another.length === 1 && followed.length === 2,
  )
  t.strictSame(
    own.map(({ data }) => JSON.parse(data)),
    told,
  )
  t.strictSame(JSON.parse(String(another[0]?.data)).kind, 'mentioned')
  t.strictSame([limited, admins], [[], []])
  t.strictSame(followed, ['assigned', 'commented'])
  closing.abort()
  await reading

  const missed: unknown[] = []
  for await (const one of client.notifications({ after: String(told[0]?.id) })) {
    missed.push(one)
    break
  }
  t.strictSame(missed, [told[1]], 'the iterator goes on after a notification')
})

t.test('notifications during the check of a credential are sent after it', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const known = new Set(['ada', 'bob', 'eve'])
  let checking = Promise.resolve()
  const resolveMember: BuildOptions['resolveMember'] = async ({ headers }) => {
    const id = String(headers['x-user'])
    await checking
    return known.has(id) ? { id, role: 'member' } : null
  }
  const app = await build(t, { authMode: 'required', resolveMember })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent()
  t.teardown(() => agent.destroy())
  const follow = async (id: string) => {
    const events: StreamEvent[] = []
    const options = { headers: { 'x-user': id }, agent }
    const { ended } = await connectStream(`${url}/api/changes/stream`, (event) => events.push(event), options)
    return { titles: () => events.map(({ data }) => JSON.parse(data).title), ended }
  }
  const [ada, bob, eve] = [await follow('ada'), await follow('bob'), await follow('eve')]
  const poll = send(app, 'GET', '/api/changes?wait=30', undefined, { 'x-user': 'eve' })
  await until(() => app.changeReaders.size === 4)
  const check = Promise.withResolvers<void>()
  checking = check.promise
  known.delete('bob')
  mock.timers.tick(15_000)
  // It begins again before it has ended.
  mock.timers.tick(15_000)
  const notify = (memberId: string, title: string, count = 1) =>
    app.changeReaders.sendNotifications(
      Array.from({ length: count }, () => ({ memberId, projectId: null, title })),
    )
  notify('ada', 'first')
  notify('bob', 'secret')
  notify('ada', 'second')
  notify('eve', 'too many', 101)
  await eve.ended
  t.strictSame([ada.titles(), eve.titles()], [[], []])
  check.resolve()
  await bob.ended
  await until(() => ada.titles().length === 2)
  notify('ada', 'third')
  await until(() => ada.titles().length > 2)
  t.strictSame([ada.titles(), bob.titles()], [['first', 'second', 'third'], []])
  t.equal(app.changeReaders.count('poll'), 1, 'a long poll waits for changes only')
  app.changeReaders.close()
  t.match(await poll, { status: 200, body: { changes: [] } })
})

t.test('a client that does not read gets all notifications up to an end of its stream', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { headers } = memberNamed(app, 'ada')
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent()
  t.teardown(() => agent.destroy())
  const got: number[] = []
  const { response, ended } = await connectStream(
    `${url}/api/changes/stream`,
    ({ data }) => got.push(JSON.parse(data).number),
    { headers, agent },
  )
  response.pause()
  let sent = 0
  const notify = (length: number, text = '') => {
    const some = Array.from({ length }, () => ({ memberId: 'ada', projectId: null, number: ++sent, text }))
    app.changeReaders.sendNotifications(some)
  }
  // They fill the buffers of the system, and are within the limit of a member's unread bytes, however many are sent together.
  const large = 'x'.repeat(500_000)
  while (sent < 16) {
    notify(1, large)
    await setImmediate()
  }
  notify(60)
  t.equal(app.changeReaders.size, 1)
  notify(100)
  t.equal(app.changeReaders.size, 0)
  response.resume()
  await ended
  t.ok(got.length > 0 && got.length < 100, `${got.length} notifications`)
  t.strictSame(
    got,
    got.map((_, index) => index + 1),
  )
})
