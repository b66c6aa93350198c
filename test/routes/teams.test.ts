import t from 'tap'
import { testChildResource } from '../child-resource.ts'
import { ofOtherTypes, text } from '../field-contracts.ts'
import {
  type App,
  auditTrail,
  authenticationRequired,
  breakTable,
  build,
  count,
  created,
  createProject,
  holds,
  invalid,
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

const createTeam = (app: App, headers: Record<string, string>, fields: object = {}) =>
  created(app, TEAMS, { name: 'Rockets', ...fields }, headers)

const people = (number: number) => Array.from({ length: number }, (_, index) => `p${index}`)

testChildResource(t, {
  thing: 'Team',
  path: 'teams',
  parent: 'nothing',
  byAdmin: true,
  table: 'teams',
  least: { name: 'Rockets' },
  defaults: { name: 'Rockets', description: '', memberIds: [] },
  fields: {
    name: text(1, 200),
    description: text(0, 100_000),
    memberIds: {
      accepts: [
        [[], []],
        ...[people(1000), ['zoe', 'someone else', 'ada', 'Ada', long(200), '🚀']].map(
          (ids): [string[], string[]] => [ids, ids.toSorted()],
        ),
      ],
      refuses: [
        ...ofOtherTypes('array'),
        [
          ['', long(201), 5, null],
          '[0] must NOT have fewer than 1 characters',
          '[1] must NOT have more than 200 characters',
          '[2] must be string',
          '[3] must be string',
        ],
        [['a', 'b', 'a'], 'must NOT have duplicate items (items ## 2 and 0 are identical)'],
        [people(1001), 'must NOT have more than 1000 items'],
      ],
    },
  },
  serverOwned: { members: ['x'] },
})

t.test('the list has all teams by id, each with its own members', async (t) => {
  const { app, create, team } = await withTeam(t, { name: 'Z', memberIds: ['b', 'a'] })
  const empty = await create({ name: 'A' })
  const third = await create({ name: 'M', memberIds: ['a', 'c'] })
  t.strictSame((await send(app, 'GET', TEAMS)).body, [team, empty, third])
  t.strictSame([team.memberIds, empty.memberIds, third.memberIds], [['a', 'b'], [], ['a', 'c']])
  t.strictSame((await send(await build(t), 'GET', TEAMS)).body, [])
})

t.test('the list takes a fixed number of statements for any number of teams', async (t) => {
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

t.test('ids that are equal when stored count as one', async (t) => {
  const { app, admin, url } = await withTeam(t)
  const { status, body } = await send(app, 'PATCH', url, '{"memberIds":["\\ud800","\\ud801"]}', admin)
  t.equal(status, 200)
  t.strictSame(body.memberIds, ['\ufffd'])
})

t.test('a team is deleted with its members, and its projects keep its id', async (t) => {
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

t.test('changes of a team are in the audit log', async (t) => {
  const { app, admin, adminId, team, url } = await withTeam(t)
  for (const nothing of [{}, { nonsense: 1 }, '{"__proto__":{}}', { name: '' }]) {
    await send(app, 'PATCH', url, nothing, admin)
  }
  await send(app, 'POST', TEAMS, { name: '' }, admin)
  await send(app, 'PATCH', url, { name: 'New', memberIds: ['a'] }, admin)
  await send(app, 'DELETE', url, undefined, admin)
  t.strictSame(auditTrail(app), [
    [adminId, 'team-changed', team.id, { change: 'created', name: 'Rockets' }],
    [adminId, 'team-changed', team.id, { change: 'changed', name: 'New' }],
    [adminId, 'team-changed', team.id, { change: 'deleted', name: 'New' }],
  ])
})

t.test('every member sees the teams, and only admins change them, in both modes', async (t) => {
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

t.test("a change that cannot be recorded returns the endpoint's 500, and changes nothing", async (t) => {
  const other = await withTeam(t, { memberIds: ['a'] })
  breakTable(other.app, 'audit_log')
  await holds(t, other.app, [
    ['POST', TEAMS, { name: 'x' }, other.admin, 500, { error: 'Failed to create team' }],
    ['PATCH', other.url, { memberIds: [] }, other.admin, 500, { error: 'Failed to update team' }],
    ['DELETE', other.url, undefined, other.admin, 500, { error: 'Failed to delete team' }],
    ['GET', TEAMS, undefined, other.admin, 200, [other.team]],
  ])
})
