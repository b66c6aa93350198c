import t from 'tap'
import { newId } from '../../src/db/ids.ts'
import { apiTokens } from '../../src/db/schema.ts'
import { hashToken, newToken } from '../../src/members/secrets.ts'
import { testChildResource } from '../child-resource.ts'
import { number, text } from '../field-contracts.ts'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
  build,
  count,
  created,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  readOnly,
  send,
  signInAs,
  stored,
} from '../helper.ts'
import { TABLES_OF_A_PROJECT } from '../kinds.ts'

const url = '/api/personal-ideas'
const othersIdeas = { error: "Forbidden: another member's ideas" }
const titleless = invalid({ title: ['must NOT have fewer than 1 characters'] })
const fetchFailure = { error: 'Failed to fetch personal ideas' }
const createFailure = { error: 'Failed to create personal idea' }
const updateFailure = { error: 'Failed to update personal idea' }
const promoteFailure = { error: 'Failed to promote personal idea' }
const reorderFailure = { error: 'Failed to reorder personal ideas' }
const gone = { error: 'Personal idea not found' }
const readOnlyToken = { error: 'Forbidden: read-only token' }
const alreadyPromoted = { error: 'Personal idea is already promoted' }
const teamless = invalid({ teamId: ['must be string or null'] })
const success = { success: true }

const createIdea = (app: App, fields: object = {}, headers?: Record<string, string>) =>
  created(app, url, { title: 'Fly', ...fields }, headers)

const titles = async (app: App, query: string, headers?: Record<string, string>) => {
  const { status, body } = await send(app, 'GET', `${url}${query}`, undefined, headers)
  return status === 200 ? body.map(({ title }: { title: string }) => title).join(' ') : status
}

testChildResource(t, {
  thing: 'Personal idea',
  path: 'personal-ideas',
  parent: 'nothing',
  table: 'personal_ideas',
  least: { title: 'Fly' },
  defaults: {
    ownerId: 'local',
    title: 'Fly',
    description: '',
    priority: 'medium',
    status: 'idea',
    sortOrder: 0,
    promotedProjectId: null,
  },
  fields: {
    title: text(1, 500),
    description: text(0, 100_000),
    priority: text(1, 100),
    status: text(1, 100),
    sortOrder: number,
  },
  reorder: 'records',
  serverOwned: { ownerId: 'another', owner_id: 'another', promotedProjectId: 'another' },
})

t.test('POST /api/personal-ideas', async (t) => {
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
})

t.test('GET /api/personal-ideas', async (t) => {
  t.test('an absent or empty ownerId lists the ideas of the current member', async (t) => {
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
    t.equal(await titles(app, `?ownerId=${ada.id}&ownerId=local`), 'local ada', 'of any of them')
    t.equal(await titles(app, `?ownerId=${ada.id}&ownerId=nobody&ownerId=`), 'ada')
    t.equal(await titles(app, '?ownerId=&ownerId=', ada.headers), 'ada')
    app.db.$client.prepare("update personal_ideas set status = 'ready' where title = 'ada'").run()
    const both = `ownerId=${ada.id}&ownerId=local`
    t.equal(await titles(app, '?status=ready', ada.headers), 'ada', 'by status')
    t.equal(await titles(app, '?status=idea', ada.headers), '')
    t.equal(await titles(app, '?status=idea&status=ready', ada.headers), 'ada')
    t.equal(await titles(app, '?status=', ada.headers), 'ada')
    t.equal(await titles(app, `?${both}&status=ready`), 'ada')
    t.equal(await titles(app, `?${both}&status=idea&status=promoted`), 'local')
  })

  t.test('all ideas of the owner are listed, however many', async (t) => {
    const app = await build(t)
    app.db.$client.exec(`insert into personal_ideas (id, owner_id, title, sort_order)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
      select 'i' || i, 'local', 'x', i from n`)
    t.equal((await send(app, 'GET', url)).body.length, 1200)
  })
})

/** The response to a reorder with a missing idea. */
const missing = (...ids: string[]) => ({ ...gone, details: { missing: ids } })

/** The response for a missing idea. @param path of the endpoint */
const goneAt = (path: string, id: string) => (path.endsWith('/reorder') ? missing(id) : gone)

/** The endpoints of a single idea, with valid bodies. */
const ofOne = (id: string): [string, string, unknown][] => [
  ['GET', `${url}/${id}`, undefined],
  ['PATCH', `${url}/${id}`, { title: 'Mine' }],
  ['PATCH', `${url}/${id}`, {}],
  ['DELETE', `${url}/${id}`, undefined],
  ['POST', `${url}/${id}/promote`, undefined],
  ['POST', `${url}/reorder`, { items: [{ id, sortOrder: 5 }] }],
]

t.test('one idea', async (t) => {
  t.test('is visible to its owner and admins', async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const app = await build(t, { authMode })
      const owners = (['admin', 'member', 'viewer'] as const).map((role) => signInAs(app, role))
      const admin = signInAs(app, 'admin').headers
      for (const { id, headers } of owners) {
        for (const asker of [headers, admin]) {
          const idea = await createIdea(app, { title: 'Fly' }, headers)
          t.equal(idea.ownerId, id)
          const change = { title: 'Sail', status: 'ready' }
          await holds(t, app, [
            ['GET', `${url}/${idea.id}`, undefined, asker, 200, idea],
            ['PATCH', `${url}/${idea.id}`, change, asker, 200, { ...change, id: idea.id, ownerId: id }],
            ['POST', `${url}/reorder`, { items: [{ id: idea.id, sortOrder: 5 }] }, asker, 200, [change]],
            ['DELETE', `${url}/${idea.id}`, undefined, asker, 200, success],
            ...ofOne(idea.id)
              .filter(([, path]) => !path.endsWith('/promote'))
              .map(([method, path, body]): Row => [method, path, body, asker, 404, goneAt(path, idea.id)]),
          ])
        }
      }
      t.equal(count(app, 'personal_ideas'), 0)
    }
  })

  t.test('of another member is not found, in both modes, and stays unchanged', async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const app = await build(t, { authMode })
      const owner = signInAs(app, 'member')
      const idea = await createIdea(app, {}, owner.headers)
      const others = [signInAs(app, 'member').headers, ...(authMode === 'open' ? [undefined] : [])]
      for (const other of others) {
        const own = await createIdea(app, { sortOrder: 3 }, other)
        await holds(t, app, [
          ...ofOne(idea.id).map(
            ([method, path, body]): Row => [method, path, body, other, 404, goneAt(path, idea.id)],
          ),
          ['PATCH', `${url}/${idea.id}`, { title: '' }, other, 400, titleless],
          [
            'POST',
            `${url}/reorder`,
            { items: [own, idea].map(({ id }, index) => ({ id, sortOrder: index + 10 })) },
            other,
            404,
            missing(idea.id),
          ],
          ['GET', `${url}/${own.id}`, undefined, other, 200, own],
        ])
      }
      t.strictSame((await send(app, 'GET', `${url}/${idea.id}`, undefined, owner.headers)).body, idea)
      t.equal(count(app, 'projects'), 0)
    }
  })

  t.test('with an unknown id is not found, whatever the id looks like, after validation', async (t) => {
    const app = await build(t)
    await createIdea(app)
    for (const id of ['none', '%', 'a%2Fb', '__proto__', '%00', long(10_000)]) {
      await holds(t, app, [
        ...ofOne(id).map(([method, path, body]): Row => [method, path, body, 404, goneAt(path, id)]),
        ['PATCH', `${url}/${id}`, { title: '' }, 400, titleless],
        ['POST', `${url}/${id}/promote`, { teamId: 5 }, 400, teamless],
      ])
    }
    t.equal(count(app, 'projects'), 0)
  })

  t.test('with the id reorder is not found, and other methods are 405', async (t) => {
    const app = await build(t)
    await holds(t, app, [
      ['GET', `${url}/reorder`, 404, gone],
      ['HEAD', `${url}/reorder`, 404, ''],
      ['PATCH', `${url}/reorder`, { title: 'x' }, 404, gone],
      ['DELETE', `${url}/reorder`, 404, gone],
      ['PUT', `${url}/reorder`, {}, 405, { error: 'Method not allowed' }],
    ])
  })
})

t.test('DELETE /api/personal-ideas/{id}', async (t) => {
  t.test('deletes only the idea, and not the project created from it', async (t) => {
    const app = await build(t)
    const kept = await createIdea(app)
    const idea = await createIdea(app)
    const { body: project } = await send(app, 'POST', `${url}/${idea.id}/promote`)
    await holds(t, app, [
      ['DELETE', `${url}/${idea.id}`, 200, success],
      ['DELETE', `${url}/${idea.id}`, 404, gone],
      ['GET', url, 200, [kept]],
      ['GET', `/api/projects/${project.id}`, 200, project],
    ])
  })
})

t.test('POST /api/personal-ideas/{id}/promote', async (t) => {
  t.test('creates a project like POST /api/projects, and the idea stores its id', async (t) => {
    const app = await build(t)
    const fields = { title: 'Fly', description: 'High', priority: 'low', status: 'ready', sortOrder: 2 }
    const idea = await createIdea(app, fields)
    const other = await createIdea(app)
    age(app, 'personal_ideas', idea.id)
    const { status, body: project } = await send(app, 'POST', `${url}/${idea.id}/promote`, {})
    t.equal(status, 201)
    const { id, key, createdAt, updatedAt, ...rest } = project
    const usual = await createProject(app, { name: 'Fly', description: 'High' })
    t.strictSame(rest, (({ id, key, createdAt, updatedAt, ...rest }) => rest)(usual))
    t.strictSame([key, usual.key], ['FLY', 'FLY2'])
    t.match(rest, { type: 'technical', status: 'backlog', phase: 'Discovery', sortOrder: 0, teamId: null })
    t.equal(updatedAt, createdAt)
    const columnsOf = (projectId: string) =>
      app.db.$client
        .prepare('select name, sort_order from kanban_columns where project_id = ? order by sort_order')
        .raw()
        .all(projectId)
    t.strictSame(columnsOf(id), columnsOf(usual.id))
    t.equal(columnsOf(id).length, 4)

    const { body: promoted } = await send(app, 'GET', `${url}/${idea.id}`)
    t.not(promoted.updatedAt, LONG_AGO)
    t.strictSame(promoted, {
      ...idea,
      status: 'promoted',
      promotedProjectId: id,
      updatedAt: promoted.updatedAt,
    })
    await holds(t, app, [
      ['GET', `/api/projects/${id}`, 200, project],
      ['GET', '/api/projects', 200, [project, usual]],
      ['GET', `${url}/${other.id}`, 200, other],
    ])
  })

  t.test('takes a team, nothing else, or no body at all', async (t) => {
    const app = await build(t)
    const promote = async (body?: unknown, headers?: Record<string, string>) => {
      const { id } = await createIdea(app)
      return send(app, 'POST', `${url}/${id}/promote`, body, headers)
    }
    for (const [body, teamId] of [
      [undefined, null],
      ['', null],
      [{}, null],
      [{ teamId: null }, null],
      [{ teamId: '' }, ''],
      [{ teamId: 'ops' }, 'ops'],
      [{ teamId: long(200) }, long(200)],
      [{ name: 'x', title: 'x', type: 'custom', status: 'active', leadId: 'x', id: 'x' }, null],
    ] as const) {
      const { status, body: project } = await promote(body)
      t.equal(status, 201)
      t.match(project, { name: 'Fly', type: 'technical', status: 'backlog', leadId: null, teamId })
      t.not(project.id, 'x')
    }
    const before = count(app, 'projects')
    for (const [body, answer] of [
      [{ teamId: long(201) }, invalid({ teamId: ['must NOT have more than 200 characters'] })],
      ...[5, true, [], {}].map((teamId) => [{ teamId }, teamless] as const),
      ['null', invalid({}, ['must be object'])],
      ['[]', invalid({}, ['must be object'])],
      ['"ops"', invalid({}, ['must be object'])],
    ] as const) {
      const refused = await promote(body)
      t.strictSame([refused.status, refused.body], [400, answer])
    }
    const text = await promote('ops', { 'content-type': 'text/plain' })
    t.strictSame([text.status, text.body], [500, { error: 'Failed to promote personal idea' }])
    t.equal(count(app, 'projects'), before)
    t.equal(count(app, 'personal_ideas', 'promoted_project_id is null'), 9)
  })

  t.test('the project has the first 200 characters of the title, none of them split', async (t) => {
    const app = await build(t)
    for (const [title, name] of [
      ['x', 'x'],
      [long(199), long(199)],
      [long(200), long(200)],
      [`${long(200)}y`, long(200)],
      ['🚀'.repeat(500), '🚀'.repeat(200)],
      [`${long(199)}🚀y`, `${long(199)}🚀`],
      [`${long(200)}🚀`, long(200)],
    ] as const) {
      const idea = await createIdea(app, { title })
      const { status, body } = await send(app, 'POST', `${url}/${idea.id}/promote`)
      t.equal(status, 201)
      t.equal(body.name, name)
      t.equal(stored(app, 'projects', body.id).name, name)
      t.equal(
        (await send(app, 'PATCH', `/api/projects/${body.id}`, { name })).status,
        200,
        'a name may be it',
      )
      t.equal((await send(app, 'GET', `${url}/${idea.id}`)).body.title, title, 'the idea keeps its own')
    }
    const description = long(100_000)
    const idea = await createIdea(app, { description })
    t.equal((await send(app, 'POST', `${url}/${idea.id}/promote`)).body.description, description)
  })

  t.test('a second time is 409, and changes nothing', async (t) => {
    const app = await build(t)
    const { id } = await createIdea(app)
    t.equal((await send(app, 'POST', `${url}/${id}/promote`)).status, 201)
    age(app, 'personal_ideas', id)
    const before = stored(app, 'personal_ideas', id)
    const rows = () => ['projects', 'kanban_columns'].map((table) => count(app, table))
    t.strictSame(rows(), [1, 4])
    await holds(t, app, [
      ['POST', `${url}/${id}/promote`, 409, alreadyPromoted],
      ['POST', `${url}/${id}/promote`, { teamId: 'ops' }, 409, alreadyPromoted],
      ['POST', `${url}/${id}/promote`, { teamId: 5 }, 400, teamless],
    ])
    t.strictSame(stored(app, 'personal_ideas', id), before)
    await send(app, 'PATCH', `${url}/${id}`, { status: 'idea' })
    await holds(t, app, [['POST', `${url}/${id}/promote`, 409, alreadyPromoted]])
    t.strictSame(rows(), [1, 4])
  })

  t.test('happens once for simultaneous requests', async (t) => {
    const app = await build(t)
    const { id } = await createIdea(app)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(app, 'POST', `${url}/${id}/promote`)),
    )
    const made = answers.filter(({ status }) => status === 201)
    t.equal(made.length, 1)
    for (const answer of answers.filter((one) => one !== made[0])) {
      t.strictSame([answer.status, answer.body], [409, alreadyPromoted])
    }
    t.equal(count(app, 'projects'), 1)
    t.equal((await send(app, 'GET', `${url}/${id}`)).body.promotedProjectId, made[0]?.body.id)
  })

  t.test('is possible again after the project is deleted', async (t) => {
    const app = await build(t)
    const admin = signInAs(app, 'admin').headers
    const { id } = await createIdea(app)
    const { body: first } = await send(app, 'POST', `${url}/${id}/promote`)
    t.equal((await send(app, 'DELETE', `/api/projects/${first.id}`, undefined, admin)).status, 200)
    await holds(t, app, [['GET', `${url}/${id}`, 200, { status: 'promoted', promotedProjectId: null }]])
    const { status, body: second } = await send(app, 'POST', `${url}/${id}/promote`)
    t.equal(status, 201)
    t.not(second.id, first.id)
    t.equal((await send(app, 'GET', `${url}/${id}`)).body.promotedProjectId, second.id)
  })

  t.test('is possible for an idea with only the status promoted', async (t) => {
    const app = await build(t)
    const { id } = await createIdea(app, { status: 'promoted' })
    t.equal((await send(app, 'POST', `${url}/${id}/promote`)).status, 201)
  })

  t.test('fails completely: no project without its columns, and an unchanged idea', async (t) => {
    for (const [event, table] of [
      ['insert', 'kanban_columns'],
      ['update', 'personal_ideas'],
    ]) {
      const app = await build(t)
      const idea = await createIdea(app)
      app.db.$client.exec(
        `create trigger refuse before ${event} on ${table} begin select raise(abort, 'no'); end`,
      )
      await holds(t, app, [
        ['POST', `${url}/${idea.id}/promote`, 500, promoteFailure],
        ['GET', `${url}/${idea.id}`, 200, idea],
        ['GET', '/api/projects', 200, []],
      ])
      for (const name of ['projects', ...TABLES_OF_A_PROJECT]) t.equal(count(app, name), 0, name)
    }
  })
})

t.test('POST /api/personal-ideas/reorder', async (t) => {
  const places = (...items: [{ id: string }, number][]) => ({
    items: items.map(([{ id }, sortOrder]) => ({ id, sortOrder })),
  })

  t.test('unknown ideas, and those of another member, change nothing', async (t) => {
    const app = await build(t)
    const other = signInAs(app, 'member')
    const own = await createIdea(app, { title: 'a' })
    const theirs = await createIdea(app, { title: 'b' }, other.headers)
    for (const unknown of [theirs, { id: 'none' }, { id: '' }]) {
      for (const items of [
        places([own, 5], [unknown, 6]),
        places([unknown, 6], [own, 5]),
        places([unknown, 6]),
      ])
        await holds(t, app, [['POST', `${url}/reorder`, items, 404, missing(unknown.id)]])
    }
    await holds(t, app, [
      ['GET', url, 200, [own]],
      ['GET', url, undefined, other.headers, 200, [theirs]],
    ])
    const admin = signInAs(app, 'admin').headers
    await holds(t, app, [
      ['POST', `${url}/reorder`, places([own, 5], [{ id: 'none' }, 6]), admin, 404, missing('none')],
      [
        'POST',
        `${url}/reorder`,
        places([theirs, 6], [own, 5]),
        admin,
        200,
        [
          { id: theirs.id, ownerId: other.id, sortOrder: 6 },
          { id: own.id, ownerId: 'local', sortOrder: 5 },
        ],
      ],
    ])
  })

  t.test('is refused by the rule itself', async (t) => {
    const app = await build(t)
    const { id } = await createIdea(app)
    const other = { id: 'another', name: 'Another', email: null, role: 'member' as const }
    const { ideas } = app.rules.projects
    t.throws(() => ideas.reorder([{ id, sortOrder: 5 }], other), { statusCode: 404, message: gone.error })
    t.equal(stored(app, 'personal_ideas', id).sort_order, 0)
  })
})

t.test('the order of checks', async (t) => {
  const text = { 'content-type': 'text/plain' }

  t.test('in open mode ideas belong to the current member, and everybody can read them', async (t) => {
    const app = await build(t)
    const sessions = (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role))
    for (const { id, headers } of [{ id: 'local', headers: undefined }, ...sessions]) {
      await holds(t, app, [
        ['POST', url, 'x', { ...headers, ...text }, 500, createFailure],
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

  t.test("in required mode admins can read another member's ideas", async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = signInAs(app, 'admin')
    const member = signInAs(app, 'member')
    const viewer = signInAs(app, 'viewer')
    await holds(t, app, [
      ['GET', url, 401, authenticationRequired],
      ['GET', `${url}?ownerId=${member.id}`, 401, authenticationRequired],
      ['POST', url, '{oops', 401, authenticationRequired],
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
      ['GET', `${url}?ownerId=x&ownerId=${member.id}`, undefined, member.headers, 403, othersIdeas],
      [
        'GET',
        `${url}?ownerId=${member.id}&ownerId=`,
        undefined,
        member.headers,
        200,
        [{ ownerId: member.id }],
      ],
      ['GET', `${url}?ownerId=${member.id}`, undefined, admin.headers, 200, [{ ownerId: member.id }]],
      ['GET', `${url}?ownerId=nobody`, undefined, admin.headers, 200, []],
    ])
  })
})

t.test('the order of checks for one idea', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin').headers
  const member = signInAs(app, 'member')
  const viewer = signInAs(app, 'viewer')
  const reading = newToken()
  app.db
    .insert(apiTokens)
    .values({ id: newId(), memberId: member.id, name: 'CI', scope: 'read', tokenHash: hashToken(reading) })
    .run()
  const readToken = { authorization: `Bearer ${reading}` }
  const idea = await createIdea(app, {}, member.headers)
  const viewers = await createIdea(app, {}, viewer.headers)
  const unchanged = { id: idea.id, title: 'Fly' }
  const forAll = (headers: Record<string, string> | undefined, status: number, answer: object) => [
    ...['PATCH', 'POST'].map(
      (method): Row => [
        method,
        method === 'POST' ? `${url}/reorder` : `${url}/none`,
        '{oops',
        headers,
        status,
        answer,
      ],
    ),
    ...ofOne(idea.id)
      .filter(([method]) => status !== 403 || method !== 'GET')
      .map(([method, path, body]): Row => [method, path, body, headers, status, answer]),
  ]
  await holds(t, app, [
    ...forAll(undefined, 401, authenticationRequired),
    ...forAll(readToken, 403, readOnlyToken),
    ['GET', `${url}/${idea.id}`, undefined, readToken, 200, unchanged],

    ['GET', `${url}/${viewers.id}`, undefined, viewer.headers, 200, { ownerId: viewer.id }],
    ['PATCH', `${url}/${viewers.id}`, { title: 'Sail' }, viewer.headers, 200, { title: 'Sail' }],
    [
      'POST',
      `${url}/reorder`,
      { items: [{ id: viewers.id, sortOrder: 2 }] },
      viewer.headers,
      200,
      [{ sortOrder: 2 }],
    ],
    ['POST', `${url}/${viewers.id}/promote`, undefined, viewer.headers, 403, readOnly],
    ['POST', `${url}/${viewers.id}/promote`, '{oops', viewer.headers, 403, readOnly],
    ['POST', `${url}/none/promote`, { teamId: 5 }, viewer.headers, 403, readOnly],
    ['GET', `${url}/${idea.id}`, undefined, viewer.headers, 404, gone],
    ['DELETE', `${url}/${viewers.id}`, undefined, viewer.headers, 200, success],

    ['PATCH', `${url}/none`, '{oops', member.headers, 500, updateFailure],
    ['PATCH', `${url}/none`, { title: '' }, member.headers, 400, titleless],
    ['PATCH', `${url}/none`, {}, member.headers, 404, gone],
    ['POST', `${url}/none/promote`, '{oops', member.headers, 500, promoteFailure],
    ['POST', `${url}/none/promote`, { teamId: 5 }, member.headers, 400, teamless],
    ['POST', `${url}/none/promote`, undefined, member.headers, 404, gone],
    ['POST', `${url}/reorder`, '{oops', member.headers, 500, reorderFailure],

    ['POST', `${url}/${idea.id}/promote`, { teamId: 'ops' }, admin, 201, { name: 'Fly', teamId: 'ops' }],
    ['POST', `${url}/${idea.id}/promote`, { teamId: 5 }, member.headers, 400, teamless],
    ['POST', `${url}/${idea.id}/promote`, {}, signInAs(app, 'member').headers, 404, gone],
    ['POST', `${url}/${idea.id}/promote`, {}, member.headers, 409, alreadyPromoted],
    ['GET', `${url}/${idea.id}`, undefined, member.headers, 200, { ownerId: member.id, status: 'promoted' }],
  ])
})

t.test('in open mode a viewer can promote, too', async (t) => {
  const app = await build(t)
  const viewer = signInAs(app, 'viewer').headers
  const { id } = await createIdea(app, {}, viewer)
  await holds(t, app, [['POST', `${url}/${id}/promote`, undefined, viewer, 201, { name: 'Fly' }]])
})

t.test("an unexpected failure of a promotion or a filter returns the endpoint's 500", async (t) => {
  const broken = await build(t)
  breakTable(broken, 'personal_ideas')
  const closed = await build(t)
  closed.db.$client.close()
  for (const app of [broken, closed]) {
    await holds(t, app, [
      ['POST', `${url}/x/promote`, 500, promoteFailure],
      ['GET', `${url}?ownerId=x`, 500, fetchFailure],
    ])
  }
  const app = await build(t)
  for (const body of ['{oops', ' ', '{"title":"x"', 'title=x']) {
    await holds(t, app, [['POST', `${url}/x/promote`, body, 500, promoteFailure]])
  }
  t.equal(count(app, 'personal_ideas'), 0)
})
