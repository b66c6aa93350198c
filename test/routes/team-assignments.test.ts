import t from 'tap'
import { FOREIGN, testChildResource } from '../child-resource.ts'
import { ofOtherTypes, text } from '../field-contracts.ts'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
  build,
  count,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  readOnly,
  send,
  signInAs,
} from '../helper.ts'

const noProject = { error: 'Project not found' }
const cannotFetch = { error: 'Failed to fetch team assignments' }
const cannotUpdate = { error: 'Failed to update team assignments' }
const twice = invalid({ members: ['must NOT have two elements with the same memberId'] })

let members = 1000

testChildResource(t, {
  thing: 'Team assignment',
  path: 'team-assignments',
  table: 'team_assignments',
  relation: 'teamAssignments',
  least: { memberId: 'ada' },
  distinct: () => ({ memberId: `ada ${--members}` }),
  defaults: { memberId: 'ada', role: 'member' },
  fields: { memberId: { ...text(1, 200), fixed: true }, role: text(1, 100) },
})

/** An application with two projects. Ada is the lead and Bob a member of each. */
async function teamOf(t: Parameters<typeof build>[0]) {
  const app = await build(t)
  const project = await createProject(app, { leadId: 'ada' })
  const other = await createProject(app, { name: 'Gemini', leadId: 'ada' })
  const members = [{ memberId: 'ada', role: 'lead' }, { memberId: 'bob' }]
  await put(app, urlOf(other.id), { members })
  const team = await put(app, urlOf(project.id), { members })
  return { app, project, other, team, url: urlOf(project.id) }
}

const urlOf = (projectId: string) => `/api/projects/${projectId}/team-assignments`

async function put(app: App, url: string, body: object) {
  const answer = await send(app, 'PUT', url, body)
  if (answer.status !== 200) throw new Error(`not replaced: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** The assignments from the list and from the project, which must agree, and the lead. */
async function shown(t: Parameters<typeof build>[0], app: App, projectId: string) {
  const { status, body } = await send(app, 'GET', urlOf(projectId))
  t.equal(status, 200)
  const { body: project } = await send(app, 'GET', `/api/projects/${projectId}`)
  t.strictSame(project.teamAssignments, body, 'the project shows its list')
  return { team: body, leadId: project.leadId, updatedAt: project.updatedAt }
}

t.test('a project starts without a team, and gets the given one', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  t.strictSame(await shown(t, app, project.id), { team: [], leadId: null, updatedAt: project.updatedAt })
  const team = await put(app, urlOf(project.id), {
    members: [{ memberId: 'zoe' }, { memberId: 'ada', role: 'lead' }],
  })
  const [zoe, ada] = team
  t.strictSame(team, [
    {
      id: zoe.id,
      projectId: project.id,
      memberId: 'zoe',
      role: 'member',
      createdAt: zoe.createdAt,
      updatedAt: zoe.createdAt,
    },
    {
      id: ada.id,
      projectId: project.id,
      memberId: 'ada',
      role: 'lead',
      createdAt: ada.createdAt,
      updatedAt: ada.createdAt,
    },
  ])
  t.ok(zoe.id < ada.id, 'ordered by id, as they were added')
  t.strictSame(await shown(t, app, project.id), { team, leadId: null, updatedAt: project.updatedAt })
})

t.test(
  'named members keep their assignments, others lose them, and other projects stay unchanged',
  async (t) => {
    const { app, project, other, team, url } = await teamOf(t)
    const elsewhere = await shown(t, app, other.id)
    app.db.$client.prepare('update team_assignments set updated_at = ?').run(LONG_AGO)
    const [ada, bob] = team.map((assignment: object) => ({ ...assignment, updatedAt: LONG_AGO }))

    const same = await put(app, url, {
      members: [
        { memberId: 'bob', role: 'member' },
        { memberId: 'ada', role: 'lead' },
      ],
    })
    t.strictSame(same, [ada, bob], 'nothing changes, updatedAt included')

    const replaced = await put(app, url, {
      members: [{ memberId: 'cem' }, { memberId: 'ada', role: 'tester' }],
    })
    t.strictSame(replaced[0], { ...ada, role: 'tester', updatedAt: replaced[0].updatedAt })
    t.not(replaced[0].updatedAt, LONG_AGO, 'another role is a change')
    t.match(replaced[1], { memberId: 'cem', role: 'member', projectId: project.id })
    t.equal(replaced.length, 2)
    t.strictSame((await shown(t, app, project.id)).team, replaced)

    const [plain] = await put(app, url, { members: [{ memberId: 'ada' }] })
    t.strictSame([plain.id, plain.role], [ada.id, 'member'], 'a role that is not given is the default')
    const [, again] = await put(app, url, { members: [{ memberId: 'ada' }, { memberId: 'bob' }] })
    t.not(again.id, bob.id, 'who comes back gets a new one')

    t.strictSame(await put(app, url, { members: [] }), [])
    t.strictSame((await shown(t, app, project.id)).team, [])
    t.strictSame(
      await shown(t, app, other.id),
      {
        ...elsewhere,
        team: elsewhere.team.map((assignment: object) => ({ ...assignment, updatedAt: LONG_AGO })),
      },
      'the other project is as it was',
    )
  },
)

t.test('leadId sets the lead; without it the lead stays', async (t) => {
  const { app, project, other, url } = await teamOf(t)
  const steps: [object, string | null, boolean][] = [
    [{ members: [] }, 'ada', false],
    [{ members: [], leadId: 'ada' }, 'ada', false],
    [{ members: [{ memberId: 'ada' }], leadId: 'bob' }, 'bob', true],
    [{ members: [{ memberId: 'cem' }] }, 'bob', false],
    [{ members: [], leadId: null }, null, true],
    [{ members: [], leadId: null }, null, false],
    [{ members: [], leadId: long(200) }, long(200), true],
  ]
  for (const [body, leadId, isChange] of steps) {
    age(app, 'projects', project.id)
    await put(app, url, body)
    const after = await shown(t, app, project.id)
    t.equal(after.leadId, leadId, JSON.stringify(body).slice(0, 80))
    t.equal(after.updatedAt !== LONG_AGO, isChange, 'updatedAt moves with the lead alone')
  }
  t.equal((await shown(t, app, other.id)).leadId, 'ada')
})

t.test('a duplicate member is refused, also if only unpaired surrogates differ', async (t) => {
  const { app, project, team, url } = await teamOf(t)
  await holds(t, app, [
    ['PUT', url, { members: [{ memberId: 'a' }, { memberId: 'a', role: 'b' }] }, 400, twice],
    ['PUT', url, '{"members":[{"memberId":"\\ud800"},{"memberId":"\\udfff"}]}', 400, twice],
    ['PUT', url, { members: [{ memberId: 'a' }, { memberId: 'A' }] }, 200, [{}, {}]],
  ])
  t.strictSame(team.length, 2)
  const half = '{"members":[{"memberId":"\\ud800"}]}'
  const [first] = (await send(app, 'PUT', url, half)).body
  t.equal(first.memberId, '\ufffd')
  t.strictSame((await send(app, 'PUT', url, half)).body, [first], 'and stays')
  t.strictSame((await shown(t, app, project.id)).team, [first])
})

t.test('each invalid field is refused, and nothing is stored', async (t) => {
  const { app, project, team, url } = await teamOf(t)
  const before = await shown(t, app, project.id)
  const refused: [object, Record<string, string[]>][] = [
    [{ nonsense: 1 }, { members: ['is required'] }],
    [{ leadId: 5 }, { members: ['is required'], leadId: ['must be string or null'] }],
    ...ofOtherTypes('array').map(([members, message]): [object, Record<string, string[]>] => [
      { members },
      { members: [message] },
    ]),
    ...ofOtherTypes('string', 'null').map(([leadId, message]): [object, Record<string, string[]>] => [
      { members: [], leadId },
      { leadId: [message] },
    ]),
    [{ members: [], leadId: long(201) }, { leadId: ['must NOT have more than 200 characters'] }],
    [{ members: ['ada'] }, { members: ['members[0] must be object'] }],
    [{ members: [null] }, { members: ['members[0] must be object'] }],
    [{ members: [{}] }, { members: ['members[0].memberId is required'] }],
    [{ members: [{ role: 'lead' }] }, { members: ['members[0].memberId is required'] }],
  ]
  for (const [name, contract] of [
    ['memberId', text(1, 200)],
    ['role', text(1, 100)],
  ] as const) {
    for (const [value, message] of contract.refuses) {
      const members = [{ memberId: 'x' }, { memberId: 'y', [name]: value }]
      refused.push([{ members }, { members: [`members[1].${name} ${message}`] }])
    }
  }
  for (const [body, fieldErrors] of refused) {
    await holds(t, app, [['PUT', url, body, 400, invalid(fieldErrors)]])
  }
  await holds(t, app, [['PUT', url, '[]', 400, invalid({}, ['must be object'])]])
  t.strictSame(await shown(t, app, project.id), before)
  t.strictSame(before.team, team)

  for (const [memberId] of text(1, 200).accepts) {
    await holds(t, app, [['PUT', url, { members: [{ memberId }] }, 200, [{ memberId }]]])
  }
  for (const [role] of text(1, 100).accepts) {
    const members = [{ memberId: 'x', role }]
    await holds(t, app, [['PUT', url, { members }, 200, members]])
  }
})

t.test('unknown and read-only fields are ignored and never stored', async (t) => {
  const { app, project, other, team, url } = await teamOf(t)
  const foreign = { ...FOREIGN, projectId: other.id }
  const members = [
    { memberId: 'ada', role: 'lead', ...foreign },
    { memberId: 'bob', ...foreign },
  ]
  t.strictSame(await put(app, url, { members, ...foreign }), team)
  const [, , cem] = await put(app, url, { members: [...members, { memberId: 'cem', ...foreign }] })
  t.equal(cem.projectId, project.id)
  t.not(cem.id, 'mine')
  t.not(cem.createdAt, LONG_AGO)
})

t.test('an unknown project is 404, after validation', async (t) => {
  const { app, team } = await teamOf(t)
  for (const id of ['none', team[0].id]) {
    await holds(t, app, [
      ['GET', urlOf(id), 404, noProject],
      [
        'PUT',
        urlOf(id),
        {},
        400,
        invalid({ members: ['is required'] }, ['must NOT have fewer than 1 properties']),
      ],
      ['PUT', urlOf(id), { members: [] }, 404, noProject],
      ['PUT', urlOf(id), { members: [{ memberId: 'x' }], leadId: 'x' }, 404, noProject],
    ])
  }
  t.equal(count(app, 'team_assignments'), 4)
})

t.test('required mode checks the member, then the role, then the body', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const member = signInAs(app, 'member').headers
  const viewer = signInAs(app, 'viewer').headers
  const url = urlOf((await createProject(app, {}, member)).id)
  await holds(t, app, [
    ['GET', url, 401, authenticationRequired],
    ['PUT', url, '{oops', 401, authenticationRequired],
    ['PUT', url, '{oops', viewer, 403, readOnly],
    ['PUT', urlOf('none'), { members: [] }, viewer, 403, readOnly],
    ['PUT', url, { members: 1 }, member, 400, invalid({ members: ['must be array'] })],
    ['PUT', url, { members: [{ memberId: 'x' }] }, member, 200, [{ memberId: 'x' }]],
    ['GET', url, undefined, viewer, 200, [{ memberId: 'x' }]],
  ])
})

t.test('in open mode everybody can assign a team', async (t) => {
  const { app, url } = await teamOf(t)
  const { headers } = signInAs(app, 'viewer')
  const worthless = { authorization: 'Bearer worthless' }
  await holds(t, app, [
    ['PUT', url, { members: [] }, headers, 200, []],
    ['PUT', url, { members: [] }, worthless, 401, authenticationRequired],
    ['GET', url, undefined, worthless, 401, authenticationRequired],
  ])
})

t.test('a failed change keeps the team and the lead', async (t) => {
  const { app, project, url } = await teamOf(t)
  const before = await shown(t, app, project.id)
  const members = [{ memberId: 'bob', role: 'tester' }, { memberId: 'cem' }, { memberId: 'dan' }]
  for (const trigger of [
    "before insert on team_assignments when new.member_id = 'dan'",
    "before update on projects when new.lead_id = 'dan'",
  ]) {
    app.db.$client.exec(`create temp trigger refuse ${trigger} begin select raise(abort, 'refused'); end`)
    await holds(t, app, [['PUT', url, { members, leadId: 'dan' }, 500, cannotUpdate]])
    t.strictSame(await shown(t, app, project.id), before, trigger)
    app.db.$client.exec('drop trigger refuse')
  }
  await holds(t, app, [['PUT', url, { members, leadId: 'dan' }, 200, members]])
})

t.test("invalid JSON and unexpected failures return the endpoint's 500", async (t) => {
  const { app, url } = await teamOf(t)
  await holds(t, app, [
    ['PUT', url, '{oops', 500, cannotUpdate],
    ['PUT', url, '', 500, cannotUpdate],
  ])
  breakTable(app, 'team_assignments')
  await holds(t, app, [
    ['GET', url, 500, cannotFetch],
    ['PUT', url, { members: [] }, 500, cannotUpdate],
  ])
})

t.test('a member is assigned once, and the lead stays, in both modes', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const { headers } = signInAs(app, 'member')
    const project = await createProject(app, { leadId: 'zoe' }, headers)
    const url = urlOf(project.id)
    const { body: ada } = await send(app, 'POST', url, { memberId: 'ada' }, headers)
    const { body: bob } = await send(app, 'POST', url, { memberId: 'bob', role: 'lead' }, headers)
    const one = `/api/team-assignments/${ada.id}`
    const again = await send(app, 'POST', url, { memberId: 'ada', role: 'lead' }, headers)
    t.match(again, { status: 409, body: { error: 'Member is already assigned' } })
    const strict = { ...headers, prefer: 'handling=strict' }
    t.equal((await send(app, 'POST', url, { memberId: 'x', role: 'chef' }, strict)).status, 400)

    await holds(t, app, [
      ['PATCH', one, { role: 'lead', memberId: 'eve' }, headers, 200, { memberId: 'ada', role: 'lead' }],
      ['DELETE', one, undefined, headers, 200, { success: true }],
      [
        'GET',
        `/api/projects/${project.id}`,
        undefined,
        headers,
        200,
        { teamAssignments: [bob], leadId: 'zoe' },
      ],
    ])
    const last = app.rules.changes.sequence.last()
    t.equal((await send(app, 'POST', `/api/changes/${last}/undo`, undefined, headers)).status, 200)
    t.match(
      (await send(app, 'GET', one, undefined, headers)).body,
      { memberId: 'ada', role: 'lead' },
      'an undo brings it back',
    )
  }
})
