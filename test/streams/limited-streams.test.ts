/** Streams and the feed of members who do not see every project. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connectStream, type StreamEvent } from '../event-source.ts'
import { until } from '../executions.ts'
import { type App, build, keepLog, send, signInAs, writeIn } from '../helper.ts'

type Caller = ReturnType<typeof signInAs>

/** A service in a file so large that work on the event loop is limited, with a project that only admins see. */
async function service(t: Test) {
  const { logStream, log } = keepLog()
  const databaseUrl = join(t.testdir(), 'board.db')
  const app = await build(t, { authMode: 'required', databaseUrl, logLevel: 'error', logStream })
  const [boss, ann, bob] = [signInAs(app, 'admin'), signInAs(app, 'member'), signInAs(app, 'member')]
  await writeIn(app, () =>
    app.db.$client.exec(`
      insert into projects (id, name, access) values ('secret', 'Secret', 'assigned'), ('open', 'Open', 'everyone');
      insert into webhooks (id, url, secret, active) values ('w', 'https://example.org/', hex(zeroblob(2000000)), 0)`),
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const follow = async ({ headers }: Caller, query = '') => {
    const events: StreamEvent[] = []
    const { close } = await connectStream(
      `${url}/api/changes/stream${query}`,
      (event) => events.push(event),
      { headers },
    )
    t.teardown(close)
    return { events, seen: (mark: string) => until(() => events.some(({ data }) => data.includes(mark))) }
  }
  const mark = (text: string) => send(app, 'PATCH', '/api/projects/open', { name: text }, boss.headers)
  return { app, boss, ann, bob, follow, mark, log }
}

const last = (app: App) => app.rules.changes.sequence.last()

/** The deletions of a project in the pages of the feed after a place. */
async function deletionsIn(app: App, { headers }: Caller, after: number, project: string): Promise<number> {
  let found = 0
  for (let place = after; place < last(app); ) {
    const { status, body } = await send(
      app,
      'GET',
      `/api/changes?after=${place}&limit=1000`,
      undefined,
      headers,
    )
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    const isIt = ({ kind, id, action }: Record<string, unknown>) =>
      kind === 'project' && id === project && action === 'deleted'
    found += body.changes.filter(isIt).length
    place = body.last
  }
  return found
}

const isDeletion = (project: string) => (event: StreamEvent) => {
  if (event.type !== 'change') return false
  const { kind, id, action } = JSON.parse(event.data)
  return kind === 'project' && id === project && action === 'deleted'
}

t.test('many unindexed changes of a deleted project stop nobody', async (t) => {
  const { app, boss, ann, bob, follow, mark, log } = await service(t)
  const streams = [await follow(boss), await follow(ann), await follow(bob), await follow(ann, '?kind=team')]
  const polling = send(app, 'GET', '/api/changes?wait=30&kind=project', undefined, ann.headers)
  const since = last(app)
  await writeIn(app, () =>
    app.db.$client.exec(`
      insert into projects (id, name) values ('gone', 'Gone');
      insert into changes (kind, id, action, project_id, after)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000)
        select 'metric', 'm', 'updated', 'gone', '{"name":"Speed"}' from n;
      delete from projects where id = 'gone'`),
  )
  t.ok(app.rules.changes.subjects.behind() > 25_000)
  app.tail.notify()
  t.equal((await polling).status, 200)
  t.equal(await deletionsIn(app, ann, since, 'gone'), 1)
  await mark('marker 1')
  for (const { seen } of streams.slice(0, 3)) await seen('marker 1')
  for (const { events } of streams.slice(0, 3)) t.equal(events.filter(isDeletion('gone')).length, 1)
  t.strictSame(streams[3]?.events, [])
  await mark('marker 2')
  for (const { seen } of streams.slice(0, 3)) await seen('marker 2')
  const batch = { requests: [{ method: 'GET', path: `/api/changes?after=${since}&limit=10` }] }
  t.match(await send(app, 'POST', '/api/batch', batch, ann.headers), {
    status: 200,
    body: { results: [{ status: 200 }] },
  })
  t.equal(log(), '')
})

t.test('members of a large deleted project get its deletion', async (t) => {
  const { app, boss, ann, bob, follow, mark } = await service(t)
  const eve = signInAs(app, 'member')
  await writeIn(app, () =>
    app.db.$client.exec(`
      insert into projects (id, name, access) values ('large', 'Large', 'assigned');
      insert into team_assignments (id, project_id, member_id) values ('a', 'large', '${ann.id}'), ('b', 'large', '${bob.id}');
      insert into kanban_items (id, project_id, title)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500) select 'card ' || i, 'large', 'Card' from n`),
  )
  const since = last(app)
  const streams = [await follow(ann), await follow(bob), await follow(eve)]
  t.equal((await send(app, 'DELETE', '/api/projects/large', undefined, boss.headers)).status, 200)
  t.ok(last(app) > since + 1500)
  t.equal(await deletionsIn(app, bob, since, 'large'), 1)
  t.equal(await deletionsIn(app, eve, since, 'large'), 0)
  await mark('marker')
  for (const { seen } of streams) await seen('marker')
  t.strictSame(
    streams.map(({ events }) => events.filter(isDeletion('large')).length),
    [1, 1, 0],
  )
})
