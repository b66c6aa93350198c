/** Who sees which project: the scopes of members, guests, tokens and hosts, over HTTP. */
import t from 'tap'
import { type App, build, send, signInAs } from '../helper.ts'

const NOT_FOUND = { error: 'Project not found' }

interface Caller {
  id: string
  headers: Record<string, string>
}

/** A service with an admin, a member of a client's project, one of none, and a guest. */
async function setUp(t: Parameters<typeof build>[0]) {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const insider = signInAs(app, 'member')
  const outsider = signInAs(app, 'member')
  const guest = signInAs(app, 'guest')
  const make = async (fields: object, by: Caller) =>
    (await send(app, 'POST', '/api/projects', fields, by.headers)).body.id as string
  const open = await make({ name: 'Open' }, admin)
  const secret = await make({ name: 'Secret', access: 'assigned' }, insider)
  return { app, admin, insider, outsider, guest, open, secret }
}

const namesFor = async (app: App, { headers }: Caller) =>
  (await send(app, 'GET', '/api/projects', undefined, headers)).body.map(({ name }: { name: string }) => name)

t.test('an assigned project is visible only to members who are assigned to it', async (t) => {
  const { app, admin, insider, outsider, guest, open, secret } = await setUp(t)
  t.strictSame(await namesFor(app, admin), ['Open', 'Secret'])
  t.strictSame(await namesFor(app, insider), ['Open', 'Secret'])
  t.strictSame(await namesFor(app, outsider), ['Open'])
  t.strictSame(await namesFor(app, guest), [])
  const url = `/api/projects/${secret}`
  t.match((await send(app, 'GET', url, undefined, insider.headers)).body, {
    access: 'assigned',
    teamAssignments: [{ memberId: insider.id, role: 'lead' }],
  })
  for (const [method, path, body] of [
    ['GET', url],
    ['GET', `${url}/kanban-items`],
    ['GET', `${url}/kanban-counts`],
    ['GET', `${url}/flow`],
    ['GET', `${url}/changes`],
    ['PATCH', url, { name: 'Mine' }],
    ['POST', `${url}/kanban-items`, { title: 'A card' }],
    ['POST', `${url}/team-assignments`, { memberId: outsider.id }],
  ] as const) {
    const { status, body: answer } = await send(app, method, path, body, outsider.headers)
    t.strictSame([status, answer], [404, NOT_FOUND], `${method} ${path}`)
  }
  const { status } = await send(
    app,
    'POST',
    `/api/projects/${open}/kanban-items`,
    { title: 'x' },
    outsider.headers,
  )
  t.equal(status, 201)
  t.equal((await send(app, 'GET', `/api/projects/${open}`, undefined, guest.headers)).status, 404)
})

t.test('an item of an unseen project is unknown, and cannot be moved there', async (t) => {
  const { app, insider, outsider, open, secret } = await setUp(t)
  const add = async (project: string, title: string) =>
    (await send(app, 'POST', `/api/projects/${project}/kanban-items`, { title }, insider.headers)).body.id
  const hidden = await add(secret, 'Hidden treasure')
  const shown = await add(open, 'Shown')
  const gone = { error: 'Kanban item not found' }
  const url = `/api/kanban-items/${hidden}`
  for (const [method, path, body] of [
    ['GET', url],
    ['PATCH', url, { title: 'x' }],
    ['PATCH', url, { title: 5 }],
    ['DELETE', url],
    ['POST', `${url}/move`, { projectId: open }],
    ['GET', `${url}/comments`],
    ['GET', `${url}/changes`],
    ['POST', `${url}/subtasks`, { title: 'x' }],
  ] as const) {
    const { status, body: answer } = await send(app, method, path, body, outsider.headers)
    t.strictSame([status, answer], [404, gone], `${method} ${path}`)
  }
  const moved = await send(
    app,
    'POST',
    `/api/kanban-items/${shown}/move`,
    { projectId: secret },
    outsider.headers,
  )
  t.match([moved.status, moved.body], [404, NOT_FOUND])
  const found = await send(app, 'GET', '/api/search?q=treasure', undefined, outsider.headers)
  t.strictSame(found.body.results, [])
  t.equal(
    (await send(app, 'GET', '/api/search?q=treasure', undefined, insider.headers)).body.results.length,
    1,
  )
  const all = await send(app, 'GET', '/api/kanban-items', undefined, outsider.headers)
  t.strictSame(
    all.body.map(({ title }: { title: string }) => title),
    ['Shown'],
  )
  const changes = await send(app, 'GET', '/api/changes?limit=1000', undefined, outsider.headers)
  t.notOk(JSON.stringify(changes.body).includes(secret))
  // It went where the reader cannot follow.
  await send(app, 'POST', `/api/kanban-items/${shown}/move`, { projectId: secret }, insider.headers)
  const after = await send(app, 'GET', `/api/changes?after=${changes.body.last}`, undefined, outsider.headers)
  t.match(after.body.changes, [
    { action: 'deleted', kind: 'kanban-item', id: shown, projectId: open, after: null },
  ])
  t.notOk(JSON.stringify(after.body).includes(secret))
})

t.test('one cannot lock oneself out of a project', async (t) => {
  const { app, insider, outsider, admin, open, secret } = await setUp(t)
  const LOST = 'You would lose this project'
  const hide = await send(app, 'PATCH', `/api/projects/${open}`, { access: 'assigned' }, outsider.headers)
  t.match([hide.status, hide.body], [400, { error: LOST }])
  t.match((await send(app, 'GET', `/api/projects/${open}`, undefined, outsider.headers)).body, {
    access: 'everyone',
  })
  const own = `/api/projects/${secret}/team-assignments`
  const [{ id }] = (await send(app, 'GET', own, undefined, insider.headers)).body
  const leave = await send(app, 'DELETE', `/api/team-assignments/${id}`, undefined, insider.headers)
  t.match([leave.status, leave.body], [400, { error: LOST }])
  t.equal((await send(app, 'DELETE', `/api/team-assignments/${id}`, undefined, admin.headers)).status, 200)
  t.equal((await send(app, 'GET', own, undefined, insider.headers)).status, 404, 'from now on')
})

t.test('a member assigned as viewer can read the project, and cannot write it', async (t) => {
  const { app, admin, outsider, guest, open, secret } = await setUp(t)
  for (const [project, member] of [
    [secret, outsider],
    [open, guest],
  ] as const) {
    const assignment = { memberId: member.id, role: 'viewer' }
    await send(app, 'POST', `/api/projects/${project}/team-assignments`, assignment, admin.headers)
    t.equal((await send(app, 'GET', `/api/projects/${project}`, undefined, member.headers)).status, 200)
    const { status, body } = await send(
      app,
      'POST',
      `/api/projects/${project}/kanban-items`,
      { title: 'x' },
      member.headers,
    )
    t.strictSame([status, body], [403, { error: 'Forbidden: read-only in this project' }])
    const session = await send(app, 'GET', '/api/session', undefined, member.headers)
    t.strictSame(session.body.readOnlyProjects, [project])
  }
  t.notOk('readOnlyProjects' in (await send(app, 'GET', '/api/session', undefined, admin.headers)).body)
  const viewer = signInAs(app, 'viewer')
  const assignment = { memberId: viewer.id, role: 'viewer' }
  await send(app, 'POST', `/api/projects/${secret}/team-assignments`, assignment, admin.headers)
  t.equal((await send(app, 'GET', `/api/projects/${secret}`, undefined, viewer.headers)).status, 200)
  const session = await send(app, 'GET', '/api/session', undefined, viewer.headers)
  t.notOk('readOnlyProjects' in session.body, 'the role says so')
  const made = await send(app, 'POST', '/api/projects', { name: 'Mine' }, guest.headers)
  t.strictSame([made.status, made.body], [403, { error: 'Forbidden: you would not see the new project' }])
})

t.test('a viewer of a project cannot even move the updatedAt of its records', async (t) => {
  const { app, admin, outsider, secret } = await setUp(t)
  const make = async (path: string, body: object) =>
    (await send(app, 'POST', path, body, admin.headers)).body.id
  const project = `/api/projects/${secret}`
  const assignment = { memberId: outsider.id, role: 'member' }
  const own = await make(`${project}/team-assignments`, assignment)
  const item = await make(`${project}/kanban-items`, { title: 'Same' })
  const made = [
    [project, { name: 'Secret' }],
    [`/api/kanban-items/${item}`, { title: 'Same' }],
    [
      `/api/kanban-subtasks/${await make(`/api/kanban-items/${item}/subtasks`, { title: 'Same' })}`,
      { completed: false },
    ],
    [`/api/metrics/${await make(`${project}/metrics`, { name: 'Same', value: 1 })}`, { name: 'Same' }],
    [`/api/objectives/${await make(`${project}/objectives`, { title: 'Same' })}`, { title: 'Same' }],
  ] as const
  const change = { headers: { ...outsider.headers, 'idempotency-key': 'early' } }
  t.equal((await send(app, 'PATCH', project, { nextStep: 'Go' }, change.headers)).status, 200)
  const later = await send(app, 'PATCH', `/api/kanban-items/${item}`, { column: 'Done' }, outsider.headers)
  await send(app, 'POST', `/api/kanban-items/${item}/comments`, { content: 'since then' }, admin.headers)
  await send(app, 'PATCH', `/api/kanban-items/${item}`, { column: 'Review' }, admin.headers)
  await send(app, 'PATCH', `/api/team-assignments/${own}`, { role: 'viewer' }, admin.headers)

  const state = () =>
    app.db.$client
      .prepare('select updated_at from projects union all select updated_at from kanban_items')
      .raw()
      .all()
  const before = state()
  const readOnly = { status: 403, body: { error: 'Forbidden: read-only in this project' } }
  for (const [path, body] of made)
    t.match(await send(app, 'PATCH', path, body, outsider.headers), readOnly, path)
  for (const update of [{ priority: 'medium' }, {}]) {
    const bulk = { ids: [item], update }
    t.match(
      await send(app, 'PATCH', '/api/kanban-items', bulk, outsider.headers),
      readOnly,
      'several at once',
    )
  }
  const { sortOrder } = (await send(app, 'GET', project, undefined, outsider.headers)).body
  const inPlace = { items: [{ id: secret, sortOrder }] }
  t.match(await send(app, 'POST', '/api/projects/reorder', inPlace, outsider.headers), readOnly)
  const nothing = { projectId: secret, metrics: [] }
  t.match(await send(app, 'POST', '/api/ingest/metrics', nothing, outsider.headers), readOnly)
  const label = await make(`${project}/kanban-labels`, { name: 'Same' })
  await send(app, 'PUT', `/api/kanban-items/${item}/labels/${label}`, undefined, admin.headers)
  const unchanged = [
    ...made.map(([path]) => ['PATCH', path, {}] as const),
    ['PATCH', project, { name: '' }],
    ['POST', `${project}/kanban-items`, {}],
    ['POST', `${project}/kanban-items/reorder`, { items: [{ id: item, column: 'Review', sortOrder: 0 }] }],
    ['POST', `${project}/team-assignments`, assignment],
    ['PUT', `/api/kanban-items/${item}/labels/${label}`, undefined],
    ['POST', `/api/kanban-items/${item}/claim/renew`, {}],
    ['DELETE', `/api/kanban-items/${item}/claim`, undefined],
  ] as const
  for (const [method, path, body] of unchanged) {
    const which = `${method} ${path}`
    t.match(await send(app, method, path, body, outsider.headers), readOnly, which)
    const requests = [{ method, path, ...(body && { body }) }]
    t.match(await send(app, 'POST', '/api/batch', { requests }, outsider.headers), readOnly, which)
  }
  t.strictSame(state(), before)
  t.match(
    await send(app, 'PATCH', project, { nextStep: 'Go' }, change.headers),
    readOnly,
    'the repetition of a write that was allowed then',
  )
  const undo = `/api/changes/${later.headers['phaseboard-seq']}/undo`
  t.match(await send(app, 'POST', undo, undefined, outsider.headers), readOnly, 'not the conflict of an undo')
  t.match(await send(app, 'POST', undo, undefined, admin.headers), { status: 409 })
})

t.test('a guest cannot create a project, not even one that it would see', async (t) => {
  const { app, admin, guest } = await setUp(t)
  const team = await send(app, 'POST', '/api/teams', { name: 'Guests', memberIds: [guest.id] }, admin.headers)
  const teamId = team.body.id
  const idea = await send(app, 'POST', '/api/personal-ideas', { title: 'G' }, guest.headers)
  t.equal(idea.status, 201)
  const promote = `/api/personal-ideas/${idea.body.id}/promote`
  const error = 'Forbidden: you would not see the new project'
  for (const [path, body] of [
    ['/api/projects', { name: 'G', access: 'assigned' }],
    ['/api/projects', { name: 'G', teamId }],
    [promote, { teamId }],
    ['/api/projects', {}],
    [promote, { teamId: 5 }],
  ] as const) {
    t.match(await send(app, 'POST', path, body, guest.headers), { status: 403, body: { error } })
    const requests = [
      { method: 'GET', path: '/api/personal-ideas' },
      { method: 'POST', path, body },
    ]
    t.match(await send(app, 'POST', '/api/batch', { requests }, guest.headers), {
      status: 403,
      body: { error, details: { request: 1 } },
    })
  }
  for (const query of ['?format=csv', '?format=unknown', ''])
    t.match(await send(app, 'POST', `/api/imports${query}`, {}, guest.headers), {
      status: 403,
      body: { error },
    })
  t.strictSame(await namesFor(app, guest), [])
  t.match((await send(app, 'GET', promote.replace('/promote', ''), undefined, guest.headers)).body, {
    status: 'idea',
  })
})

t.test('the handle of a member whom the caller does not see is taken', async (t) => {
  const { app, admin, guest } = await setUp(t)
  const own = `/api/members/${guest.id}`
  const rename = (handle: string) => send(app, 'PATCH', own, { handle }, guest.headers)
  const boss = `/api/members/${admin.id}`
  t.equal((await send(app, 'PATCH', boss, { handle: 'boss' }, admin.headers)).status, 200)
  t.equal((await send(app, 'GET', boss, undefined, guest.headers)).status, 404)
  t.match(await rename('boss'), { status: 409, body: { error: 'Member handle is taken' } })
  t.equal((await rename('free')).status, 200)
  t.equal((await rename('free')).status, 200)
})

t.test('a token may reach some projects only', async (t) => {
  const { app, insider, open, secret } = await setUp(t)
  const fields = { name: 'agent', scope: 'write', projectIds: [secret] }
  const { body } = await send(app, 'POST', '/api/tokens', fields, insider.headers)
  t.strictSame(body.projectIds, [secret])
  const agent = { id: insider.id, headers: { authorization: `Bearer ${body.token}` } }
  t.strictSame(await namesFor(app, agent), ['Secret'])
  t.equal((await send(app, 'GET', `/api/projects/${open}`, undefined, agent.headers)).status, 404)
  t.equal((await send(app, 'POST', '/api/projects', { name: 'x' }, agent.headers)).status, 403)
  await send(app, 'POST', '/api/personal-ideas', { title: 'An idea' }, insider.headers)
  t.strictSame((await send(app, 'GET', '/api/personal-ideas', undefined, agent.headers)).body, [])
  const idea = await send(app, 'POST', '/api/personal-ideas', { title: 'Its own' }, agent.headers)
  t.strictSame(
    [idea.status, idea.body],
    [403, { error: 'Forbidden: a token limited to projects sees no ideas' }],
  )
  const unseen = await send(app, 'POST', '/api/tokens', { ...fields, projectIds: ['none'] }, insider.headers)
  t.match(unseen.body, { details: { fieldErrors: { projectIds: ['must be ids of projects'] } } })
})

t.test('a token limited to projects gets no idea by a repetition', async (t) => {
  const { app, insider, secret } = await setUp(t)
  const fields = { name: 'CI', scope: 'write', projectIds: [secret] }
  const { body } = await send(app, 'POST', '/api/tokens', fields, insider.headers)
  const agent = { authorization: `Bearer ${body.token}` }
  const key = { 'idempotency-key': 'k1' }
  const idea = { title: 'Hush' }
  const batched = { requests: [{ method: 'POST', path: '/api/personal-ideas', body: idea }] }
  const read = {
    requests: [
      { method: 'GET', path: '/api/personal-ideas' },
      { method: 'PATCH', path: `/api/projects/${secret}`, body: { nextStep: 'Go' } },
    ],
  }
  const make = (headers: Record<string, string>) => send(app, 'POST', '/api/personal-ideas', idea, headers)
  const made = await make({ ...insider.headers, ...key })
  t.equal(made.status, 201)
  const error = 'Forbidden: a token limited to projects sees no ideas'
  t.match(await make({ ...agent, ...key }), { status: 403, body: { error } })
  const other = await send(app, 'POST', '/api/personal-ideas', { title: 'Guess' }, { ...agent, ...key })
  t.match(other, { status: 403, body: { error } }, 'it does not tell whether the title was the same')
  const rename = (headers: Record<string, string>) =>
    send(app, 'PATCH', `/api/personal-ideas/${made.body.id}`, { title: 'Hush!' }, { ...headers, ...key })
  t.equal((await rename(insider.headers)).status, 200)
  t.equal((await rename(agent)).status, 404)
  for (const [name, requests] of [
    ['k2', batched],
    ['k3', read],
  ] as const) {
    const repeated = (headers: Record<string, string>) =>
      send(app, 'POST', '/api/batch', requests, { ...headers, 'idempotency-key': name })
    t.equal((await repeated(insider.headers)).status, 200)
    const refused = await repeated(agent)
    t.equal(refused.status, 404)
    t.notMatch(JSON.stringify(refused.body), /Hush/)
  }
})

t.test('a token limited to projects does not act on the account of its member', async (t) => {
  const { app, insider, secret } = await setUp(t)
  const create = async (fields: object) =>
    (await send(app, 'POST', '/api/tokens', { name: 'CI', ...fields }, insider.headers)).body
  const other = await create({})
  const { id, token } = await create({ scope: 'write', projectIds: [secret] })
  const agent = { authorization: `Bearer ${token}` }
  const sessions = (await send(app, 'GET', '/api/sessions', undefined, insider.headers)).body
  const error = 'Forbidden: a token limited to projects cannot access its account'
  for (const [method, path, body] of [
    ['GET', '/api/sessions'],
    ['GET', `/api/sessions/${sessions[0].id}`],
    ['DELETE', `/api/sessions/${sessions[0].id}`],
    ['PATCH', `/api/members/${insider.id}`, { name: 'Evil' }],
    ['GET', '/api/me/preferences'],
    ['PATCH', '/api/me/preferences', { email: 'off' }],
    ['POST', '/api/me/preferences/test-mail'],
  ] as const) {
    t.match(await send(app, method, path, body, agent), { status: 403, body: { error } }, `${method} ${path}`)
  }
  const requests = [{ method: 'PATCH', path: '/api/me/preferences', body: { email: 'off' } }]
  t.match(await send(app, 'POST', '/api/batch', { requests }, agent), { status: 403, body: { error } })
  const whole = await create({ scope: 'write' })
  const script = { authorization: `Bearer ${whole.token}` }
  t.equal((await send(app, 'GET', '/api/sessions', undefined, script)).status, 200)

  for (const method of ['GET', 'DELETE'])
    t.equal((await send(app, method, `/api/tokens/${other.id}`, undefined, agent)).status, 404)
  t.match((await send(app, 'GET', '/api/tokens', undefined, agent)).body, [{ id }])
  t.equal((await send(app, 'GET', `/api/tokens/${id}`, undefined, agent)).body.id, id)
  t.equal((await send(app, 'GET', '/api/session', undefined, agent)).status, 200)
  t.equal((await send(app, 'PUT', `/api/projects/${secret}/watch`, undefined, agent)).status, 200)
  t.equal((await send(app, 'DELETE', `/api/tokens/${id}`, undefined, agent)).status, 200)
  t.equal((await send(app, 'GET', '/api/session', undefined, agent)).status, 401)
  const left = (await send(app, 'GET', '/api/tokens', undefined, insider.headers)).body
  t.strictSame(
    left.map((one: { id: string }) => one.id),
    [other.id, whole.id],
  )
})

t.test('a guest gets of other members their id, name and handle', async (t) => {
  const { app, admin, insider, outsider, guest, open } = await setUp(t)
  const former = signInAs(app, 'viewer')
  const as =
    ({ headers }: Caller) =>
    (method: string, path: string, body?: object) =>
      send(app, method, path, body, headers)
  const [asAdmin, asGuest] = [as(admin), as(guest)]
  for (const memberId of [admin.id, insider.id, former.id, guest.id]) {
    await asAdmin('POST', `/api/projects/${open}/team-assignments`, { memberId })
  }
  await asAdmin('PATCH', `/api/members/${former.id}`, { disabled: true })
  for (const [index, { id }] of [admin, insider, former, guest].entries()) {
    await asAdmin('PATCH', `/api/members/${id}`, { handle: `handle-${index}` })
  }
  const stored = (await asAdmin('GET', '/api/members')).body as Record<string, unknown>[]
  t.match(
    stored.find(({ id }) => id === former.id),
    { role: 'viewer', disabled: true, email: `${former.id}@example.test` },
  )
  const never = '1970-01-01T00:00:00.000Z'
  const times = { createdAt: never, updatedAt: never }
  const assigned = stored.filter(({ id }) => id !== outsider.id)
  const shown = assigned.map((member) => {
    const { id, name, handle } = member
    return id === guest.id
      ? member
      : { id, name, handle, email: null, role: 'member', disabled: false, ...times }
  })

  t.strictSame((await asGuest('GET', '/api/members')).body, shown)
  t.strictSame((await asGuest('GET', '/api/members?limit=2')).body, shown.slice(0, 2))
  for (const query of ['role=admin', 'disabled=true', 'sort=createdAt']) {
    t.strictSame((await asGuest('GET', `/api/members?${query}`)).body, shown, `there is no ${query}`)
  }
  for (const member of shown) t.strictSame((await asGuest('GET', `/api/members/${member.id}`)).body, member)
  const requests = ['/api/members', `/api/members/${admin.id}`, '/api/people'].map((path) => ({
    method: 'GET',
    path,
  }))
  const { results } = (await asGuest('POST', '/api/batch', { requests })).body
  t.strictSame(results[0].body, shown)
  t.strictSame(
    results[1].body,
    shown.find(({ id }) => id === admin.id),
  )

  // The own record is whole, and everybody else is found alike, disabled or not.
  const own = (await asGuest('GET', `/api/people/${guest.id}`)).body
  t.strictSame(own, (await asAdmin('GET', `/api/people/${guest.id}`)).body)
  const none = { kind: 'member', source: '', sourceId: '', mergedInto: null, seenAt: null }
  const person = ({ id, name }: (typeof shown)[number]) =>
    id === guest.id ? own : { id, name, email: null, ...none, ...times }
  const people = shown.map(person)
  const byId = (list: { id: string }[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  t.strictSame(byId((await asGuest('GET', '/api/people')).body), byId(people))
  t.strictSame(byId(results[2].body), byId(people))
  t.strictSame(byId((await asGuest('GET', '/api/people?q=the')).body), byId(people))
  t.strictSame(
    (await asGuest('GET', `/api/people?ids=${shown.map(({ id }) => id)}`)).body,
    people,
    'looked up by ids',
  )
  for (const one of people) t.strictSame((await asGuest('GET', `/api/people/${one.id}`)).body, one)
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find_people', arguments: {} } }
  const accept = { accept: 'application/json, text/event-stream' }
  const found = await send(app, 'POST', '/mcp', call, { ...guest.headers, ...accept })
  t.strictSame(
    byId(found.body.result.structuredContent.people),
    byId(people.map(({ id, name, kind }) => ({ id, name, kind }))),
  )

  // Members get what they got before.
  const seen = (await as(insider)('GET', '/api/members')).body
  t.strictSame(
    seen,
    stored.map((member) => (member.id === insider.id ? member : { ...member, email: null })),
  )
  const listed = (await as(insider)('GET', '/api/people')).body
  t.notOk(listed.some(({ id }: { id: string }) => id === former.id))
  t.equal(listed.length, 4)
})
