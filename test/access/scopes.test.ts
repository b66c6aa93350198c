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
  const made = await send(app, 'POST', '/api/projects', { name: 'Mine' }, guest.headers)
  t.strictSame([made.status, made.body], [403, { error: 'Forbidden: you would not see the new project' }])
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
