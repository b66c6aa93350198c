import t from 'tap'
import { preparePersonalIdeas } from '../../src/personal-ideas.ts'
import {
  type App,
  authenticationRequired,
  breakTable,
  build,
  count,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  send,
  signInAs,
  stored,
} from '../helper.ts'

const url = '/api/personal-ideas'
const othersIdeas = { error: "Forbidden: another member's ideas" }
const titleless = invalid({ title: ['must NOT have fewer than 1 characters'] })
const fetchFailure = { error: 'Failed to fetch personal ideas' }
const createFailure = { error: 'Failed to create personal idea' }

async function createIdea(app: App, fields: object = {}, headers?: Record<string, string>) {
  const { status, body } = await send(app, 'POST', url, { title: 'Fly', ...fields }, headers)
  if (status !== 201) throw new Error(`the idea was not created: ${JSON.stringify(body)}`)
  return body
}

const titles = async (app: App, query: string, headers?: Record<string, string>) => {
  const { status, body } = await send(app, 'GET', `${url}${query}`, undefined, headers)
  return status === 200 ? body.map(({ title }: { title: string }) => title).join(' ') : status
}

t.test('POST /api/personal-ideas', async (t) => {
  t.test('an idea needs a title alone; every other field has its default', async (t) => {
    const app = await build(t)
    const { status, body } = await send(app, 'POST', url, { title: 'Fly' })
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      ownerId: 'local',
      title: 'Fly',
      description: '',
      priority: 'medium',
      status: 'idea',
      sortOrder: 0,
      promotedProjectId: null,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    })
    t.strictSame((await send(app, 'GET', url)).body, [body])
  })

  t.test('every field of the payload is stored and answered', async (t) => {
    const app = await build(t)
    const fields = { title: 'Fly', description: 'High', priority: 'low', status: 'ready', sortOrder: -0.5 }
    const body = await createIdea(app, fields)
    t.strictSame(body, {
      ...fields,
      id: body.id,
      ownerId: 'local',
      promotedProjectId: null,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    })
    t.strictSame((await send(app, 'GET', url)).body, [body])
  })

  t.test('the owner is always the current member, whatever the body says', async (t) => {
    const app = await build(t, { defaultMemberId: 'somebody' })
    const { id, headers } = signInAs(app, 'member')
    for (const ownerId of [undefined, 'another', '', null, 5, { id: 'another' }, [id], id]) {
      const own = await createIdea(app, { ownerId })
      t.equal(own.ownerId, 'somebody')
      t.equal(stored(app, 'personal_ideas', own.id).owner_id, 'somebody')
      const theirs = await createIdea(app, { ownerId }, headers)
      t.equal(theirs.ownerId, id)
      t.equal(stored(app, 'personal_ideas', theirs.id).owner_id, id)
    }
  })

  t.test('unknown and server-owned fields are ignored and never stored', async (t) => {
    const app = await build(t)
    const project = await createProject(app)
    const body = await createIdea(app, {
      id: 'mine',
      promotedProjectId: project.id,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
      owner_id: 'another',
      nonsense: 1,
    })
    t.not(body.id, 'mine')
    t.not(body.createdAt, LONG_AGO)
    t.not(body.updatedAt, LONG_AGO)
    t.equal(body.promotedProjectId, null)
    t.equal(stored(app, 'personal_ideas', body.id).promoted_project_id, null)
  })

  t.test('all violations of a body are reported', async (t) => {
    const app = await build(t)
    const post = (body: unknown, answer: object): Row => ['POST', url, body, undefined, 400, answer]
    await holds(t, app, [
      post({}, invalid({ title: ['is required'] }, ['must NOT have fewer than 1 properties'])),
      post({ ownerId: 'x' }, invalid({ title: ['is required'] })),
      post('null', invalid({}, ['must be object'])),
      post('[]', invalid({}, ['must be object'])),
      post(
        { title: 5, description: null, priority: '', status: [], sortOrder: '1' },
        invalid({
          title: ['must be string'],
          description: ['must be string'],
          priority: ['must NOT have fewer than 1 characters'],
          status: ['must be string'],
          sortOrder: ['must be number'],
        }),
      ),
    ])
    t.equal(count(app, 'personal_ideas'), 0)
  })

  t.test('each limit holds: at it is fine, above it is 400', async (t) => {
    const app = await build(t)
    for (const [field, limit] of [
      ['title', 500],
      ['description', 100_000],
      ['priority', 100],
      ['status', 100],
    ] as const) {
      const answer = invalid({ [field]: [`must NOT have more than ${limit} characters`] })
      await holds(t, app, [
        ['POST', url, { title: 'x', [field]: long(limit) }, undefined, 201, { [field]: long(limit) }],
        ['POST', url, { title: 'x', [field]: long(limit + 1) }, undefined, 400, answer],
      ])
    }
  })
})

t.test('GET /api/personal-ideas', async (t) => {
  t.test('ideas come by sortOrder ascending, then by id', async (t) => {
    const app = await build(t)
    for (const [title, sortOrder] of [
      ['d', 5],
      ['b', 1.5],
      ['a', -2],
      ['c', 1.5],
    ] as const) {
      await createIdea(app, { title, sortOrder })
    }
    t.equal(await titles(app, ''), 'a b c d')
  })

  t.test('without ownerId, or with an empty one, they are those of the current member', async (t) => {
    const app = await build(t)
    const ada = signInAs(app, 'member')
    const bob = signInAs(app, 'viewer')
    await createIdea(app, { title: 'local' })
    await createIdea(app, { title: 'ada' }, ada.headers)
    await createIdea(app, { title: 'bob' }, bob.headers)
    for (const query of ['', '?', '?ownerId=', '?owner=x', '?ownerID=x']) {
      t.equal(await titles(app, query), 'local')
      t.equal(await titles(app, query, ada.headers), 'ada')
      t.equal(await titles(app, query, bob.headers), 'bob')
    }
    t.equal(await titles(app, `?ownerId=${ada.id}`), 'ada')
    t.equal(await titles(app, '?ownerId=local', ada.headers), 'local')
    t.equal(await titles(app, '?ownerId=nobody'), '')
    t.equal(await titles(app, '?ownerId=loc'), '')
    await holds(t, app, [
      [
        'GET',
        `${url}?ownerId=a&ownerId=b`,
        undefined,
        undefined,
        400,
        invalid({ ownerId: ['must be string'] }),
      ],
    ])
  })

  t.test('all ideas of the owner are listed, however many', async (t) => {
    const app = await build(t)
    app.db.$client.exec(`insert into personal_ideas (id, owner_id, title, sort_order)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
      select 'i' || i, 'local', 'x', i from n`)
    t.equal((await send(app, 'GET', url)).body.length, 1200)
  })
})

t.test('the order of checks', async (t) => {
  const text = { 'content-type': 'text/plain' }

  t.test('in open mode ideas belong to the current member, and everybody may read them', async (t) => {
    const app = await build(t)
    const sessions = (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role))
    for (const { id, headers } of [{ id: 'local', headers: undefined }, ...sessions]) {
      await holds(t, app, [
        ['POST', url, 'x', { ...headers, ...text }, 415, { error: 'Unsupported Media Type' }],
        ['POST', url, '{oops', headers, 500, createFailure],
        ['POST', url, { title: '' }, headers, 400, titleless],
        ['POST', url, { title: 'x' }, headers, 201, { ownerId: id }],
        ['GET', url, undefined, headers, 200, [{ ownerId: id }]],
        ['GET', `${url}?ownerId=somebody`, undefined, headers, 200, []],
      ])
    }
    const worthless = { authorization: 'Bearer worthless' }
    await holds(t, app, [
      ['GET', url, undefined, worthless, 401, authenticationRequired],
      ['POST', url, '{oops', worthless, 401, authenticationRequired],
    ])
  })

  t.test("in required mode another member's ideas are an admin's to see", async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = signInAs(app, 'admin')
    const member = signInAs(app, 'member')
    const viewer = signInAs(app, 'viewer')
    await holds(t, app, [
      ['GET', url, undefined, undefined, 401, authenticationRequired],
      ['GET', `${url}?ownerId=${member.id}`, undefined, undefined, 401, authenticationRequired],
      ['POST', url, '{oops', undefined, 401, authenticationRequired],
      ['POST', url, '{oops', viewer.headers, 500, createFailure],
      ['POST', url, { title: '' }, viewer.headers, 400, titleless],
      ['POST', url, { title: 'x' }, viewer.headers, 201, { ownerId: viewer.id }],
      ['POST', url, { title: 'x' }, member.headers, 201, { ownerId: member.id }],
      ['GET', url, undefined, viewer.headers, 200, [{ ownerId: viewer.id }]],
      ['GET', `${url}?ownerId=`, undefined, viewer.headers, 200, [{ ownerId: viewer.id }]],
      ['GET', `${url}?ownerId=${viewer.id}`, undefined, viewer.headers, 200, [{ ownerId: viewer.id }]],
      ['GET', `${url}?ownerId=${member.id}`, undefined, viewer.headers, 403, othersIdeas],
      ['GET', `${url}?ownerId=${viewer.id}`, undefined, member.headers, 403, othersIdeas],
      ['GET', `${url}?ownerId=nobody`, undefined, member.headers, 403, othersIdeas],
      ['GET', `${url}?ownerId=${member.id}&ownerId=x`, undefined, member.headers, 403, othersIdeas],
      ['GET', `${url}?ownerId=${member.id}`, undefined, admin.headers, 200, [{ ownerId: member.id }]],
      ['GET', `${url}?ownerId=nobody`, undefined, admin.headers, 200, []],
    ])
  })
})

t.test('an unexpected failure is answered with the 500 of its idea endpoint', async (t) => {
  const broken = await build(t)
  breakTable(broken, 'personal_ideas')
  const closed = await build(t)
  closed.db.$client.close()
  for (const app of [broken, closed]) {
    await holds(t, app, [
      ['GET', url, undefined, undefined, 500, fetchFailure],
      ['GET', `${url}?ownerId=x`, undefined, undefined, 500, fetchFailure],
      ['HEAD', url, undefined, undefined, 500, ''],
      ['POST', url, { title: 'x' }, undefined, 500, createFailure],
    ])
  }
  const app = await build(t)
  for (const body of ['{oops', '', ' ', '{"title":"x"', 'title=x']) {
    await holds(t, app, [['POST', url, body, undefined, 500, createFailure]])
  }
  t.equal(count(app, 'personal_ideas'), 0)
})

t.test('an idea that does not exist is not found', async (t) => {
  const app = await build(t)
  t.throws(() => preparePersonalIdeas(app.db).get('none'), {
    statusCode: 404,
    message: 'Personal idea not found',
  })
})
