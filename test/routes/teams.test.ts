import t from 'tap'
import {
  type App,
  age,
  auditTrail,
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
  tokenOf,
} from '../helper.ts'

const MODES = ['open', 'required'] as const
const TEAMS = '/api/teams'
const gone = { error: 'Team not found' }
const adminOnly = { error: 'Forbidden: admin access required' }
const nameless = invalid({ name: ['must NOT have fewer than 1 characters'] })

/** An application with an admin and one team. */
async function withTeam(t: Parameters<typeof build>[0], fields: object = {}) {
  const app = await build(t)
  const admin = signInAs(app, 'admin')
  const create = (more: object = {}) => createTeam(app, admin.headers, more)
  const team = await create(fields)
  return { app, admin: admin.headers, adminId: admin.id, create, team, url: `${TEAMS}/${team.id}` }
}

/** Creates a team through the API. */
async function createTeam(app: App, headers: Record<string, string>, fields: object = {}) {
  const { status, body } = await send(app, 'POST', TEAMS, { name: 'Rockets', ...fields }, headers)
  if (status !== 201) throw new Error(`the team was not created: ${JSON.stringify(body)}`)
  return body
}

const people = (number: number) => Array.from({ length: number }, (_, index) => `p${index}`)

t.test('a team needs a name alone; every other field has its default', async (t) => {
  const { team } = await withTeam(t)
  t.strictSame(team, {
    id: team.id,
    name: 'Rockets',
    description: '',
    memberIds: [],
    createdAt: team.createdAt,
    updatedAt: team.createdAt,
  })
})

t.test('every field of the payload is stored, server-owned ones are ignored', async (t) => {
  const foreign = { id: 'mine', createdAt: LONG_AGO, updatedAt: LONG_AGO, members: ['x'], nonsense: 1 }
  const fields = { name: long(200), description: long(100_000) }
  const memberIds = ['zoe', 'someone else', 'ada', 'Ada', long(200), '🚀']
  const { app, admin, team, url } = await withTeam(t, { ...fields, memberIds, ...foreign })
  t.strictSame(team, {
    id: team.id,
    ...fields,
    memberIds: memberIds.toSorted(),
    createdAt: team.createdAt,
    updatedAt: team.createdAt,
  })
  t.not(team.id, 'mine')
  t.not(team.createdAt, LONG_AGO)
  t.strictSame((await send(app, 'GET', url, undefined, admin)).body, team)
  t.equal(count(app, 'team_members', 'team_id = ?', team.id), 6)
})

t.test('the list has all teams by id, each with its own members', async (t) => {
  const { app, create, team } = await withTeam(t, { name: 'Z', memberIds: ['b', 'a'] })
  const empty = await create({ name: 'A' })
  const third = await create({ name: 'M', memberIds: ['a', 'c'] })
  t.strictSame((await send(app, 'GET', TEAMS)).body, [team, empty, third])
  t.strictSame([team.memberIds, empty.memberIds, third.memberIds], [['a', 'b'], [], ['a', 'c']])
  t.strictSame((await send(await build(t), 'GET', TEAMS)).body, [])
})

t.test('the list takes as many statements for many teams as for one', async (t) => {
  const { app, create } = await withTeam(t, { memberIds: ['a'] })
  const statements: string[] = []
  const { all } = Object.getPrototypeOf(app.db.$client.prepare('select 1')) as { all: unknown }
  const prototype = Object.getPrototypeOf(app.db.$client.prepare('select 1'))
  t.teardown(() => Object.assign(prototype, { all }))
  prototype.all = function (this: { source: string }, ...values: unknown[]) {
    statements.push(this.source)
    return (all as (...values: unknown[]) => unknown).apply(this, values)
  }
  const statementsOf = async () => {
    statements.length = 0
    await send(app, 'GET', TEAMS)
    return statements.length
  }
  const forOne = await statementsOf()
  for (const name of people(20)) await create({ name, memberIds: ['a', 'b'] })
  t.equal(forOne, 2)
  t.equal(await statementsOf(), forOne)
})

t.test('PATCH changes only the fields of the body, and updatedAt with them', async (t) => {
  const { app, admin, create, team, url } = await withTeam(t, { memberIds: ['a', 'b'] })
  const other = await create({ memberIds: ['a', 'b'] })
  let before = team
  for (const change of [
    { name: 'New' },
    { description: 'Old' },
    { description: '' },
    { memberIds: ['b', 'c'] },
    { memberIds: [] },
    { name: 'All', description: 'of it', memberIds: ['a'] },
  ]) {
    age(app, 'teams', team.id)
    const { status, body } = await send(app, 'PATCH', url, change, admin)
    t.equal(status, 200)
    t.not(body.updatedAt, LONG_AGO, 'updatedAt moves')
    t.strictSame(body, { ...before, ...change, updatedAt: body.updatedAt }, JSON.stringify(change))
    before = body
  }
  t.strictSame((await send(app, 'GET', TEAMS)).body, [before, other])
})

t.test('a body without a known field returns the team unchanged, and leaves no trail', async (t) => {
  const { app, admin, team, url } = await withTeam(t, { memberIds: ['a'] })
  age(app, 'teams', team.id)
  for (const body of [
    {},
    { nonsense: 1 },
    { id: 'mine', createdAt: 5, updatedAt: 'x' },
    '{"__proto__":{}}',
  ]) {
    const answer = await send(app, 'PATCH', url, body, admin)
    t.strictSame([answer.status, answer.body], [200, { ...team, updatedAt: LONG_AGO }])
  }
  t.equal(auditTrail(app).length, 1)
})

t.test('all violations of a body are reported, and nothing of it is stored', async (t) => {
  const { app, admin, team, url } = await withTeam(t, { memberIds: ['a'] })
  const wrong: [object | string, object][] = [
    [{ name: '' }, nameless],
    [{ name: long(201) }, invalid({ name: ['must NOT have more than 200 characters'] })],
    [
      { name: 'x', description: long(100_001) },
      invalid({ description: ['must NOT have more than 100000 characters'] }),
    ],
    [
      { name: 5, description: null, memberIds: 'a' },
      invalid({ name: ['must be string'], description: ['must be string'], memberIds: ['must be array'] }),
    ],
    [{ name: 'x', memberIds: null }, invalid({ memberIds: ['must be array'] })],
    [
      { name: 'x', memberIds: ['', long(201), 5, null] },
      invalid({
        memberIds: [
          '[0] must NOT have fewer than 1 characters',
          '[1] must NOT have more than 200 characters',
          '[2] must be string',
          '[3] must be string',
        ].map((message) => `memberIds${message}`),
      }),
    ],
    [
      { name: 'x', memberIds: ['a', 'b', 'a'] },
      invalid({ memberIds: ['must NOT have duplicate items (items ## 2 and 0 are identical)'] }),
    ],
    [{ name: 'x', memberIds: people(1001) }, invalid({ memberIds: ['must NOT have more than 1000 items'] })],
    ['null', invalid({}, ['must be object'])],
    ['[]', invalid({}, ['must be object'])],
  ]
  await holds(
    t,
    app,
    wrong.flatMap(([body, answer]): Row[] => [
      ['POST', TEAMS, body, admin, 400, answer],
      ['PATCH', url, body, admin, 400, answer],
    ]),
  )
  const empty = invalid({ name: ['is required'] }, ['must NOT have fewer than 1 properties'])
  await holds(t, app, [
    ['POST', TEAMS, {}, admin, 400, empty],
    ['POST', TEAMS, '{oops', admin, 500, { error: 'Failed to create team' }],
    ['PATCH', url, '{oops', admin, 500, { error: 'Failed to update team' }],
  ])
  t.strictSame((await send(app, 'GET', TEAMS)).body, [team])
  t.equal(auditTrail(app).length, 1)
  const full = people(1000)
  const { body } = await send(app, 'PATCH', url, { memberIds: full }, admin)
  t.strictSame(body.memberIds, full.toSorted())
})

t.test('ids that become the same text on disk are one', async (t) => {
  const { app, admin, url } = await withTeam(t)
  const { status, body } = await send(app, 'PATCH', url, '{"memberIds":["\\ud800","\\ud801"]}', admin)
  t.equal(status, 200)
  t.strictSame(body.memberIds, ['\ufffd'])
})

t.test('a deleted team is gone with its members, and its projects keep its id', async (t) => {
  const { app, admin, create, team, url } = await withTeam(t, { memberIds: ['a'] })
  const kept = await create({ memberIds: ['a'] })
  const project = await createProject(app, { teamId: team.id })
  await holds(t, app, [
    ['DELETE', url, undefined, admin, 200, { success: true }],
    ['DELETE', url, undefined, admin, 404, gone],
    ['GET', url, undefined, admin, 404, gone],
    ['PATCH', url, {}, admin, 404, gone],
    ['GET', TEAMS, undefined, admin, 200, [{ id: kept.id, memberIds: ['a'] }]],
    ['GET', `/api/projects?teamId=${team.id}`, undefined, admin, 200, [{ id: project.id, teamId: team.id }]],
  ])
  t.equal(count(app, 'team_members'), 1)
  t.equal(stored(app, 'projects', project.id).team_id, team.id)
})

t.test('what is done to a team leaves a trail', async (t) => {
  const { app, admin, adminId, team, url } = await withTeam(t)
  await send(app, 'PATCH', url, { name: 'New', memberIds: ['a'] }, admin)
  await send(app, 'DELETE', url, undefined, admin)
  t.strictSame(auditTrail(app), [
    [adminId, 'team-changed', team.id, { change: 'created', name: 'Rockets' }],
    [adminId, 'team-changed', team.id, { change: 'changed', name: 'New' }],
    [adminId, 'team-changed', team.id, { change: 'deleted', name: 'New' }],
  ])
})

t.test('every member sees the teams, and in both modes it takes an admin to change them', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const admin = signInAs(app, 'admin')
    const team = await createTeam(app, admin.headers, { memberIds: ['a'] })
    const url = `${TEAMS}/${team.id}`
    const unrecognised = authMode === 'open' ? 200 : 401
    const refused: [Record<string, string> | undefined, number, object][] = [
      authMode === 'open' ? [undefined, 403, adminOnly] : [undefined, 401, authenticationRequired],
      [{ authorization: 'Bearer x' }, 401, authenticationRequired],
      [signInAs(app, 'member').headers, 403, adminOnly],
      [signInAs(app, 'viewer').headers, 403, adminOnly],
      [tokenOf(app, signInAs(app, 'member').id), 403, adminOnly],
      [tokenOf(app, admin.id, { scope: 'read' }), 403, { error: 'Forbidden: read-only token' }],
    ]
    for (const [headers, status, answer] of refused) {
      await holds(
        t,
        app,
        ['{oops', { name: '' }, { name: 'Mine', role: 'admin' }].flatMap((body): Row[] => [
          ['POST', TEAMS, body, headers, status, answer],
          ['PATCH', url, body, headers, status, answer],
          ['PATCH', `${TEAMS}/none`, body, headers, status, answer],
        ]),
      )
      const read = headers === undefined ? unrecognised : status === 401 ? 401 : 200
      await holds(t, app, [
        ['DELETE', url, undefined, headers, status, answer],
        ['DELETE', `${TEAMS}/none`, undefined, headers, status, answer],
        ['GET', TEAMS, undefined, headers, read, read === 200 ? [team] : authenticationRequired],
        ['GET', url, undefined, headers, read, read === 200 ? team : authenticationRequired],
      ])
    }
    for (const headers of [admin.headers, tokenOf(app, admin.id)]) {
      const { id } = await createTeam(app, headers)
      await holds(t, app, [
        ['PATCH', `${TEAMS}/none`, { name: '' }, headers, 400, nameless],
        ['PATCH', `${TEAMS}/none`, { name: 'x' }, headers, 404, gone],
        ['PATCH', `${TEAMS}/__proto__`, {}, headers, 404, gone],
        ['GET', `${TEAMS}/none`, undefined, headers, 404, gone],
        ['DELETE', `${TEAMS}/none`, undefined, headers, 404, gone],
        ['PATCH', `${TEAMS}/${id}`, { name: 'x' }, headers, 200, { name: 'x' }],
        ['DELETE', `${TEAMS}/${id}`, undefined, headers, 200, { success: true }],
      ])
    }
    t.strictSame((await send(app, 'GET', TEAMS, undefined, admin.headers)).body, [team])
  }
})

t.test('an unexpected failure is answered with the 500 of its endpoint, and changes nothing', async (t) => {
  const { app: broken, admin, url } = await withTeam(t)
  breakTable(broken, 'teams')
  await holds(t, broken, [
    ['GET', TEAMS, undefined, admin, 500, { error: 'Failed to fetch teams' }],
    ['POST', TEAMS, { name: 'x' }, admin, 500, { error: 'Failed to create team' }],
    ['GET', url, undefined, admin, 500, { error: 'Failed to fetch team' }],
    ['PATCH', url, { name: 'x' }, admin, 500, { error: 'Failed to update team' }],
    ['DELETE', url, undefined, admin, 500, { error: 'Failed to delete team' }],
  ])
  const other = await withTeam(t, { memberIds: ['a'] })
  breakTable(other.app, 'audit_log')
  await holds(t, other.app, [
    ['POST', TEAMS, { name: 'x' }, other.admin, 500, { error: 'Failed to create team' }],
    ['PATCH', other.url, { memberIds: [] }, other.admin, 500, { error: 'Failed to update team' }],
    ['DELETE', other.url, undefined, other.admin, 500, { error: 'Failed to delete team' }],
    ['GET', TEAMS, undefined, other.admin, 200, [other.team]],
  ])
})
