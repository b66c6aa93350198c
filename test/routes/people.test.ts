import { eq } from 'drizzle-orm'
import t from 'tap'
import { members, people } from '../../src/db/schema.ts'
import { type App, build, createItem, createProject, invalid, send, signInAs } from '../helper.ts'

const MODES = ['open', 'required'] as const
const gone = { error: 'Person not found' }

type Stored = Partial<typeof people.$inferInsert>

/** Stores people like a host and imports do. */
const keep = (app: App, ...rows: (Stored & { id: string; name: string })[]) =>
  app.db
    .insert(people)
    .values(rows.map((row) => ({ kind: 'host' as const, ...row })))
    .run()

const join = (app: App, id: string, name: string, fields = {}) =>
  app.db
    .insert(members)
    .values({ id, name, email: `${id}@example.test`, ...fields })
    .run()

const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name)

for (const authMode of MODES) {
  t.test(`in ${authMode} mode`, async (t) => {
    const app = await build(t, { authMode })
    const { headers } = signInAs(app, 'viewer', { id: 'vi' })
    const get = (url: string) => send(app, 'GET', url, undefined, headers)

    app.db.update(members).set({ name: 'Vi' }).where(eq(members.id, 'vi')).run()
    join(app, 'ada', 'Ada Lovelace')
    join(app, 'gone', 'Gone', { disabled: true })
    keep(
      app,
      { id: 'u-18', name: 'Bob Builder', seenAt: '2026-01-31T00:00:00.000Z' },
      { id: 'u-2', name: 'älter' },
      { id: 'ada', name: 'Somebody of the same id' },
      { id: 'former', name: 'Former', kind: 'member' },
      {
        id: 'p-1',
        name: 'Zoë',
        kind: 'import',
        source: 'trello',
        sourceId: 'zoe1',
        email: 'zoe@example.test',
      },
      { id: 'p-2', name: 'Bob', kind: 'import', source: 'csv', sourceId: 'Bob', mergedInto: 'u-18' },
    )

    t.strictSame(
      names(await get('/api/people')),
      ['Ada Lovelace', 'älter', 'Bob Builder', 'Vi', 'Zoë'],
      'those who can be assigned, as people order names',
    )
    t.strictSame(names(await get('/api/people?q=B')), ['Bob Builder'])
    t.strictSame(names(await get('/api/people?q=L')), ['Ada Lovelace', 'älter', 'Bob Builder'])
    t.strictSame(names(await get('/api/people?kind=import')), ['Zoë'])
    t.strictSame(names(await get('/api/people?kind=member&q=a')), ['Ada Lovelace'])
    t.match(await get('/api/people?kind=robot'), {
      status: 400,
      body: invalid({ kind: ['must be one of "member", "host", "import"'] }),
    })

    const first = await get('/api/people?limit=2')
    const [, next = ''] = /<(.*)>; rel="next"/.exec(String(first.headers.link)) ?? []
    const second = await get(next)
    t.strictSame([...names(first), ...names(second)], ['Ada Lovelace', 'älter', 'Bob Builder', 'Vi'])

    const some = await get('/api/people?ids=p-2,nobody,former&ids=ada&ids=gone')
    t.strictSame(names(some), ['Bob', 'Former', 'Ada Lovelace', 'Gone'], 'those of the ids, in their order')
    t.strictSame(
      some.body.map(({ kind }: { kind: string }) => kind),
      ['import', 'member', 'member', 'member'],
    )
    const many = Array.from({ length: 501 }, (_, index) => index)
    t.match(await get(`/api/people?ids=${many}`), {
      status: 400,
      body: invalid({ ids: ['must not be more than 500'] }),
    })
    t.match(await get(`/api/people?ids=${many.slice(1)}`), { status: 200, body: [] })

    const one = await get('/api/people/p-1')
    t.strictSame(Object.keys(one.body), [
      ...[
        'id',
        'name',
        'email',
        'kind',
        'source',
        'sourceId',
        'mergedInto',
        'seenAt',
        'createdAt',
        'updatedAt',
      ],
    ])
    t.match(one.body, { id: 'p-1', name: 'Zoë', kind: 'import', source: 'trello', sourceId: 'zoe1' })
    t.match((await get('/api/people/ada')).body, {
      name: 'Ada Lovelace',
      kind: 'member',
      source: '',
      sourceId: '',
      mergedInto: null,
      seenAt: null,
    })
    t.equal(one.body.email, null)
    const own = await get('/api/people?ids=vi,ada,p-1')
    const emails = ({ body }: typeof own) => body.map(({ email }: { email: string | null }) => email)
    t.strictSame(emails(own), ['vi@example.test', null, null], 'everybody reads their own email')
    const { headers: admin } = signInAs(app, 'admin', { id: 'root' })
    const all = await send(app, 'GET', '/api/people?ids=vi,ada,p-1', undefined, admin)
    t.strictSame(emails(all), ['vi@example.test', 'ada@example.test', 'zoe@example.test'], 'admins read all')
    app.db.delete(members).where(eq(members.id, 'root')).run()
    t.match(await get('/api/people/nobody'), { status: 404, body: gone })

    const requests = ['/api/people?q=bob', '/api/people/p-1'].map((path) => ({ method: 'GET', path }))
    const batch = await send(app, 'POST', '/api/batch', { requests }, headers)
    t.match(batch.body.results, [{ body: [{ name: 'Bob Builder' }] }, { body: { name: 'Zoë' } }])
  })
}

t.test("a deleted member's name stays", async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const { body: bob } = await send(
    app,
    'POST',
    '/api/members',
    { name: 'Bob', email: 'bob@example.test' },
    headers,
  )
  t.match(await send(app, 'DELETE', `/api/members/${bob.id}`, undefined, headers), { status: 200 })
  t.match(await send(app, 'GET', `/api/people/${bob.id}`, undefined, headers), {
    status: 200,
    body: { name: 'Bob', kind: 'member' },
  })
  t.notMatch(names(await send(app, 'GET', '/api/people', undefined, headers)), ['Bob'], 'nobody to assign')
  const { body } = await send(app, 'GET', '/api/changes?kind=person', undefined, headers)
  t.match(body.changes, [{ kind: 'person', action: 'created', id: bob.id, after: { name: 'Bob' } }])
})

t.test('the default member of open mode is found by its id', async (t) => {
  const app = await build(t, { defaultMemberId: 'me-here' })
  const { body: session } = await send(app, 'GET', '/api/session')
  const { id, name } = session.member
  const person = { id, name, kind: 'member', source: '', sourceId: '', mergedInto: null, seenAt: null }
  keep(app, { id: 'u-2', name: 'Bob' })
  t.match((await send(app, 'GET', `/api/people?ids=u-2,${id}`)).body, [{ name: 'Bob' }, person])
  t.match(await send(app, 'GET', `/api/people/${id}`), { status: 200, body: person })
  const requests = [{ method: 'GET', path: `/api/people?ids=${id}` }]
  t.match((await send(app, 'POST', '/api/batch', { requests })).body.results, [{ body: [person] }])
  t.strictSame(names(await send(app, 'GET', '/api/people')), ['Bob'], 'lists are as before')
  t.strictSame(names(await send(app, 'GET', `/api/people?q=${id}`)), [])

  const { headers } = signInAs(app, 'admin', { id: 'admin' })
  t.match(await send(app, 'DELETE', `/api/people/${id}`, undefined, headers), { status: 404, body: gone })
  const merge = { into: 'u-2' }
  t.match(await send(app, 'POST', `/api/people/${id}/merge`, merge, headers), { status: 404, body: gone })

  const project = await createProject(app, { leadId: id })
  const item = await createItem(app, project.id, { assigneeId: 'me' })
  for (const path of [`/api/projects/${project.id}`, `/api/kanban-items/${item.id}`]) {
    t.strictSame((await send(app, 'GET', `${path}?expand=people`)).body.people, { [id]: name }, path)
  }

  t.comment('its record does not change with the time')
  const times = { createdAt: '1970-01-01T00:00:00.000Z', updatedAt: '1970-01-01T00:00:00.000Z' }
  const shown = await send(app, 'GET', `/api/people/${id}`)
  t.match(shown.body, times)
  t.equal((await send(app, 'GET', `/api/people/${id}`)).headers.etag, shown.headers.etag)

  t.comment('a stored person or member with the id comes first')
  keep(app, { id, name: 'Stored' })
  t.match(await send(app, 'GET', `/api/people/${id}`), { body: { name: 'Stored', kind: 'host' } })
  join(app, id, 'Member')
  t.match(await send(app, 'GET', `/api/people/${id}`), { body: { name: 'Member', kind: 'member' } })

  t.comment('required mode has no default member')
  const strict = await build(t, { authMode: 'required' })
  const { headers: member } = signInAs(strict, 'member')
  t.match(await send(strict, 'GET', '/api/people/local', undefined, member), { status: 404, body: gone })
})
