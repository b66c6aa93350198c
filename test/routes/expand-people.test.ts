import { join } from 'node:path'
import t from 'tap'
import { people } from '../../src/db/schema.ts'
import { build, createItem, createProject, send, signInAs } from '../helper.ts'
import { shipped } from '../shipped.ts'

for (const authMode of ['open', 'required'] as const) {
  t.test(`?expand=people returns the names of a record's people, in ${authMode} mode`, async (t) => {
    const app = await build(t, { authMode }, shipped.buildApp)
    const { headers } = signInAs(app, 'admin')
    const get = (url: string, more = {}) => send(app, 'GET', url, undefined, { ...headers, ...more })
    const named = (id: string, name: string) => ({ id, name, kind: 'host' as const })
    app.db
      .insert(people)
      .values([
        named('u-1', 'Ann "A" Smith'),
        named('u-2', 'Bob Builder'),
        named('u-3', 'Zoë'),
        named('u-4', 'Nobody here'),
      ])
      .run()
    const project = await createProject(app, { leadId: 'u-1' }, headers)
    const url = `/api/projects/${project.id}`
    const item = await createItem(app, project.id, { assigneeId: 'u-2' }, headers)
    await createItem(app, project.id, { assigneeId: 'unknown' }, headers)
    const card = `/api/kanban-items/${item.id}`
    await send(app, 'PUT', `${url}/team-assignments`, { members: [{ memberId: 'u-3' }] }, headers)

    const plain = await get(url)
    const whole = await get(`${url}?expand=people`)
    t.strictSame(whole.body, {
      ...plain.body,
      people: { 'u-1': 'Ann "A" Smith', 'u-2': 'Bob Builder', 'u-3': 'Zoë' },
    })
    t.notOk('people' in plain.body, 'nobody else gets them')
    t.not(whole.headers.etag, plain.headers.etag)
    const plainItem = await get(card)
    const wholeItem = await get(`${card}?expand=people`)
    t.strictSame(wholeItem.body, { ...plainItem.body, people: { 'u-2': 'Bob Builder' } })
    t.equal((await get(`${card}?expand=people`, { 'if-none-match': wholeItem.headers.etag })).status, 304)
    t.equal((await get(`${url}?expand=people`, { 'if-none-match': whole.headers.etag })).status, 304)

    app.db.$client.exec(`update people set name = 'Robert' where id = 'u-2'`)
    const renamed = await get(`${url}?expand=people`, { 'if-none-match': whole.headers.etag })
    t.match(renamed, { status: 200, body: { people: { 'u-2': 'Robert' } } }, 'a renamed one shows')
    t.match(await get(`${card}?expand=people`), { body: { people: { 'u-2': 'Robert' } } })
    t.equal((await get(url)).headers.etag, plain.headers.etag, 'the project is as it was')

    await send(app, 'DELETE', '/api/people/u-2', undefined, headers)
    t.strictSame((await get(`${card}?expand=people`)).body.people, {}, 'a forgotten one does not')
    for (const path of [url, card]) {
      for (const query of ['expand=others', 'expand=', 'expand=people&expand=people']) {
        for (const more of [{}, { prefer: 'handling=strict' }]) {
          const { status, body } = await get(`${path}?${query}`, more)
          t.equal(status, 400, query)
          t.match(body, { error: 'Validation failed', details: { fieldErrors: { expand: Array } } })
        }
      }
      const problem = { accept: 'application/problem+json', prefer: 'handling=strict' }
      t.match(await get(`${path}?expand=others`, problem), {
        status: 400,
        body: { code: 'validation_failed' },
      })
      t.equal((await get(`${path}?expand=people`, problem)).status, 200)
    }
    t.match(await get('/api/projects/none?expand=people'), {
      status: 404,
      body: { error: 'Project not found' },
    })
    t.match(await get('/api/kanban-items/none?expand=people'), {
      status: 404,
      body: { error: 'Kanban item not found' },
    })
    const back = await send(app, 'PATCH', url, (await get(`${url}?expand=people`)).body, {
      ...headers,
      prefer: 'handling=strict',
    })
    t.equal(back.status, 200, 'the answer can be sent back as it was')
    const other = await send(app, 'PATCH', url, { person: 1 }, { ...headers, prefer: 'handling=strict' })
    t.equal(other.status, 400)
    const sentBack = { ...(await get(`${card}?expand=people`)).body, title: 'Walls' }
    t.match(await send(app, 'PATCH', card, sentBack, { ...headers, prefer: 'handling=strict' }), {
      status: 200,
      body: { title: 'Walls' },
    })
    const batch = { requests: [url, card].map((path) => ({ method: 'GET', path: `${path}?expand=people` })) }
    const { body } = await send(app, 'POST', '/api/batch', batch, headers)
    t.strictSame(
      body.results.map((result: { status: number; body: object }) => [
        result.status,
        'people' in result.body,
      ]),
      [
        [200, false],
        [200, false],
      ],
      'in a batch it does not count',
    )
  })
}

t.test('a large project is sent from its snapshot, with its people after it', async (t) => {
  const app = await build(t, { databaseUrl: join(t.testdir(), 'db') }, shipped.buildApp)
  const { id } = await createProject(app)
  app.db.$client.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
    insert into people (id, name, kind) select 'p' || i, 'Person ' || i, 'import' from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)
    insert into kanban_items (id, project_id, title, description, assignee_id)
      select 'i' || i, '${id}', 'Card', printf('%300s', 'ä'), 'p' || (i % 1501) from n;`)
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/projects/${id}`
  const plain = Buffer.from(await (await fetch(url)).arrayBuffer())
  t.ok(plain.length > 2 * 1024 * 1024)
  for (let round = 0; round < 2; round++) {
    const answer = await fetch(`${url}?expand=people`)
    const body = Buffer.from(await answer.arrayBuffer())
    t.equal(answer.headers.get('content-length'), String(body.length))
    t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    const { people, ...rest } = JSON.parse(body.toString())
    t.same(rest, JSON.parse(plain.toString()))
    t.equal(Object.keys(people).length, 1500, 'the one who has no name is left out')
    t.equal(people.p1500, 'Person 1500')
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
    t.equal((await fetch(`${url}?expand=people`, { headers })).status, 304)
    const head = await fetch(`${url}?expand=people`, { method: 'HEAD' })
    t.match([head.status, head.headers.get('content-length')], [200, String(body.length)])
  }
})
