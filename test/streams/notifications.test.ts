import { Agent } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
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
