import { eq } from 'drizzle-orm'
import t from 'tap'
import { kanbanItems, people, personalIdeas } from '../../src/db/schema.ts'
import { connectStream } from '../event-source.ts'
import { until } from '../executions.ts'
import { type App, build, createItem, createProject, holds, invalid, send, signInAs } from '../helper.ts'

const gone = { error: 'Person not found' }
const isMember = { error: 'Person is a member: delete the member first' }

const keep = (app: App, id: string, name: string, fields: Partial<typeof people.$inferInsert> = {}) =>
  app.db
    .insert(people)
    .values({ id, name, kind: 'import', source: 'trello', sourceId: `${name.toLowerCase()}1`, ...fields })
    .run()

/** A board with an imported person on its cards, comments and ideas, as lead and in the team; and an admin who is the same person. */
async function seeded(app: App) {
  const admin = signInAs(app, 'admin', { id: 'ada' })
  keep(app, 'p-1', 'Ann')
  const ask = (method: string, url: string, body?: object) => send(app, method, url, body, admin.headers)
  const project = await createProject(app, { leadId: 'p-1' }, admin.headers)
  const other = await createProject(app, { name: 'Gemini' }, admin.headers)
  const item = await createItem(app, project.id, { assigneeId: 'p-1' }, admin.headers)
  const claimed = await createItem(app, project.id, { assigneeId: 'p-1' }, admin.headers)
  app.db
    .update(kanbanItems)
    .set({ claimedUntil: '2999-01-01T00:00:00.000Z', claimedFrom: '{"column":"To Do","sortOrder":1}' })
    .where(eq(kanbanItems.id, claimed.id))
    .run()
  await createItem(app, project.id, { assigneeId: 'somebody' }, admin.headers)
  for (const memberId of ['p-1', 'ada'])
    await ask('POST', `/api/projects/${project.id}/team-assignments`, { memberId })
  await ask('POST', `/api/projects/${other.id}/team-assignments`, { memberId: 'p-1', role: 'lead' })
  await ask('POST', `/api/kanban-items/${item.id}/comments`, { content: 'Hm' })
  app.db.$client.exec("update kanban_comments set author_id = 'p-1'")
  await ask('POST', `/api/kanban-items/${item.id}/attachments`, { url: 'https://example.org/' })
  app.db.$client.exec("update attachments set created_by = 'p-1'")
  app.db.insert(personalIdeas).values({ id: 'idea', ownerId: 'p-1', title: 'Fly' }).run()
  return { ask, project, other, item, claimed }
}

/** All rows that name people, and the people themselves, without `updatedAt`. */
const naming = ({ db: { $client } }: App) =>
  [
    'select id, assignee_id, claimed_until, claimed_from from kanban_items order by id',
    'select id, lead_id from projects order by id',
    'select id, project_id, member_id, role from team_assignments order by id',
    'select id, author_id from kanban_comments',
    'select id, created_by from attachments',
    'select id, owner_id from personal_ideas',
    'select id, merged_into from people order by id',
    'select id from kanban_activity',
  ].map((sql) => $client.prepare(sql).all())

for (const authMode of ['open', 'required'] as const) {
  t.test(`a merge in ${authMode} mode, and its undo`, async (t) => {
    const app = await build(t, { authMode, databaseUrl: `file:${t.testdir()}/board.db` })
    const { ask, project, other, item, claimed } = await seeded(app)
    const before = naming(app)

    const merged = await ask('POST', '/api/people/p-1/merge', { into: 'ada' })
    const counts = {
      kanbanItems: 2,
      projects: 1,
      teamAssignments: 2,
      kanbanComments: 1,
      attachments: 1,
      personalIdeas: 1,
    }
    t.match(merged, {
      status: 200,
      body: {
        person: { id: 'p-1', name: 'Ann', mergedInto: 'ada' },
        into: { id: 'ada', kind: 'member' },
        counts,
      },
    })
    const board = (await ask('GET', `/api/projects/${project.id}`)).body
    t.equal(board.leadId, 'ada')
    t.strictSame(
      board.kanbanItems.map(({ assigneeId }: { assigneeId: string }) => assigneeId),
      ['ada', 'ada', 'somebody'],
    )
    t.ok(board.kanbanItems.find(({ id }: { id: string }) => id === claimed.id).claimedUntil, 'still claimed')
    t.strictSame(
      board.teamAssignments.map(({ memberId }: { memberId: string }) => memberId),
      ['ada'],
      'nobody is on it twice',
    )
    t.match((await ask('GET', `/api/projects/${other.id}`)).body.teamAssignments, [
      { memberId: 'ada', role: 'lead' },
    ])
    t.match((await ask('GET', '/api/personal-ideas/idea')).body, { ownerId: 'ada' })
    t.match((await ask('GET', `/api/kanban-items/${item.id}/attachments`)).body, [{ createdBy: 'ada' }])
    t.equal(app.db.$client.prepare('select count(*) from kanban_activity').pluck().get(), 0, 'no assignment')
    t.notMatch(
      (await ask('GET', '/api/people')).body.map(({ id }: { id: string }) => id),
      ['p-1'],
      'nobody is to be assigned twice',
    )
    t.match((await ask('GET', '/api/people?ids=p-1')).body, [{ name: 'Ann' }], 'the log still names her')
    t.equal(Number(merged.headers['phaseboard-seq']) >= merged.body.group, true)

    const { headers: member } = signInAs(app, 'member')
    t.match(await send(app, 'POST', `/api/changes/${merged.body.group}/undo`, {}, member), {
      status: 404,
      body: { error: 'Change not found' },
    })
    t.match(await ask('POST', `/api/changes/${merged.body.group}/undo`), { status: 200 })
    t.strictSame(naming(app), before, 'everything is as it was, without a line of activity')
    const { body: changes } = await ask('GET', '/api/changes?kind=person&limit=10')
    t.match(changes.changes.at(-1), { kind: 'person', after: { mergedInto: null } })

    t.match(await ask('POST', `/api/changes/${changes.changes.at(-1).seq}/undo`), { status: 200 })
    t.match((await ask('GET', '/api/people/p-1')).body, { mergedInto: 'ada' }, 'the undo can be undone')
  })
}

t.test('merging a person also moves the people who were merged into it', async (t) => {
  const app = await build(t)
  const { ask } = await seeded(app)
  keep(app, 'p-2', 'Anna')
  keep(app, 'p-3', 'Anne')
  const { body: first } = await ask('POST', '/api/people/p-2/merge', { into: 'p-3' })
  const { headers: member } = signInAs(app, 'member')
  t.match(await send(app, 'POST', `/api/changes/${first.group}/undo`, {}, member), {
    status: 403,
    body: { error: 'Forbidden: admin access required' },
  })
  await ask('POST', '/api/people/p-3/merge', { into: 'p-1' })
  const into = async () =>
    Object.fromEntries(
      (await ask('GET', '/api/people?ids=p-1,p-2,p-3')).body.map(
        ({ id, mergedInto }: { id: string; mergedInto: string | null }) => [id, mergedInto],
      ),
    )
  t.strictSame(await into(), { 'p-1': null, 'p-2': 'p-1', 'p-3': 'p-1' })
  await ask('POST', '/api/people/p-1/merge', { into: 'p-3' })
  t.strictSame(await into(), { 'p-1': 'p-3', 'p-2': 'p-3', 'p-3': null }, 'the other way round')
})

t.test('a repeated merge names no change to undo', async (t) => {
  const app = await build(t)
  const { ask } = await seeded(app)
  t.type((await ask('POST', '/api/people/p-1/merge', { into: 'ada' })).body.group, 'number')
  const again = await ask('POST', '/api/people/p-1/merge', { into: 'ada' })
  t.match(again, { status: 200, body: { group: null, person: { mergedInto: 'ada' } } })
  t.notOk('phaseboard-seq' in again.headers)
})

t.test('only admins merge, and only permitted pairs of people', async (t) => {
  const app = await build(t)
  const { ask } = await seeded(app)
  const { headers: admin } = signInAs(app, 'admin')
  const { headers: member } = signInAs(app, 'member', { id: 'bob' })
  const url = '/api/people/p-1/merge'
  const noInto = {
    ...invalid({ into: ['is required'] }),
    details: {
      formErrors: ['must NOT have fewer than 1 properties'],
      fieldErrors: { into: ['is required'] },
    },
  }
  await holds(t, app, [
    ['POST', url, { into: 'ada' }, member, 403, { error: 'Forbidden: admin access required' }],
    ['POST', '/api/people/nobody/merge', {}, admin, 400, noInto],
    ['POST', '/api/people/nobody/merge', { into: 'ada' }, admin, 404, gone],
    ['POST', url, { into: 'p-1' }, admin, 400, invalid({ into: ['must be another person'] })],
    ['POST', url, { into: 'x' }, admin, 404, { ...gone, details: { missing: ['x'] } }],
    ['POST', '/api/people/bob/merge', { into: 'ada' }, admin, 409, isMember],
    ['DELETE', '/api/people/bob', undefined, member, 403, { error: 'Forbidden: admin access required' }],
    ['DELETE', '/api/people/bob', undefined, admin, 409, isMember],
    ['DELETE', '/api/people/nobody', undefined, admin, 404, gone],
  ])
  const { headers } = await ask('GET', '/api/people/p-1')
  const stale = { ...admin, 'if-match': '"stale"' }
  t.equal((await send(app, 'POST', url, { into: 'ada' }, stale)).status, 412)
  const current = { ...admin, 'if-match': String(headers.etag), 'idempotency-key': 'once' }
  const once = await send(app, 'POST', url, { into: 'ada' }, current)
  t.equal(once.status, 200)
  t.strictSame((await send(app, 'POST', url, { into: 'ada' }, current)).body, once.body, 'repeated')
})

t.test('a merge of thousands of records works, and one that could not be undone is refused', async (t) => {
  const app = await build(t, { databaseUrl: `file:${t.testdir()}/board.db` })
  const { ask, project } = await seeded(app)
  const more = app.db.$client.prepare(
    `insert into kanban_items (id, project_id, title, assignee_id)
    with recursive n(i) as (select :from union all select i + 1 from n where i < :to)
    select 'card ' || i, '${project.id}', 'Card ' || i, 'p-1' from n`,
  )
  more.run({ from: 1, to: 4900 })
  const before = naming(app)
  const merged = await ask('POST', '/api/people/p-1/merge', { into: 'ada' })
  t.match(merged, { status: 200, body: { counts: { kanbanItems: 4902 } } })
  t.match(await ask('POST', `/api/changes/${merged.body.group}/undo`), { status: 200 })
  t.strictSame(naming(app), before)
  more.run({ from: 4901, to: 5000 })
  t.match(await ask('POST', '/api/people/p-1/merge', { into: 'ada' }), {
    status: 413,
    body: { error: 'Too much to merge at once' },
  })
  t.match((await ask('GET', '/api/people/p-1')).body, { mergedInto: null })
})

t.test('a forgotten person leaves an id, and no name anywhere', async (t) => {
  const app = await build(t, { databaseUrl: `file:${t.testdir()}/board.db` })
  const { ask, item } = await seeded(app)
  // A member who was active, was renamed, got another email, and was deleted.
  const bob = (await ask('POST', '/api/members', { name: 'Bob Baker', email: 'bob@baker.test' })).body
  const { token } = app.rules.members.sessions.start(bob.id)
  const cookie = { cookie: `phaseboard_session=${token}` }
  await send(app, 'POST', `/api/kanban-items/${item.id}/comments`, { content: 'Well' }, cookie)
  await send(app, 'POST', '/api/tokens', { name: 'CI' }, cookie)
  await send(app, 'PATCH', `/api/members/${bob.id}`, { name: 'Bob Builder' }, cookie)
  const { id: session } = (await send(app, 'GET', '/api/sessions', undefined, cookie)).body[0]
  await ask('PATCH', `/api/members/${bob.id}`, { email: 'bob@builder.test', handle: 'bobby' })
  await send(app, 'DELETE', `/api/sessions/${session}`, undefined, cookie)
  await ask('DELETE', `/api/members/${bob.id}`)
  keep(app, 'p-2', 'Robert Builder', { sourceId: 'bobbuilder', email: 'robert@builder.test' })
  await ask('POST', '/api/people/p-2/merge', { into: bob.id })
  const everywhere = () =>
    app.db.$client
      .prepare<[], string>("select name from sqlite_schema where type = 'table' and sql not like '%virtual%'")
      .pluck()
      .all()
      .flatMap((name) => app.db.$client.prepare(`select * from "${name}"`).all())
      // Longer than what a hash of a password contains by chance.
      .filter((row) => /bob[ @]|bobby|baker|builder|robert/i.test(JSON.stringify(row)))
  t.ok(everywhere().length >= 10)
  t.match((await ask('GET', `/api/people?ids=${bob.id},p-2`)).body, [
    { name: 'Bob Builder' },
    { name: 'Robert Builder' },
  ])

  t.match(await ask('DELETE', `/api/people/${bob.id}`), { status: 200, body: { success: true } })
  t.strictSame(everywhere(), [])
  t.strictSame((await ask('GET', `/api/people?ids=${bob.id},p-2`)).body, [])
  t.match((await ask('GET', `/api/kanban-items/${item.id}/comments`)).body.at(-1), { authorId: bob.id })
  const [latest] = (await ask('GET', '/api/audit-log')).body
  t.match(latest, { action: 'person-forgotten', actor: 'The admin', subjectId: bob.id, subject: null })
  const { changes, last } = (await ask('GET', '/api/changes?kind=person&limit=100')).body
  t.match(changes.at(-1), { seq: last, action: 'deleted' })
  t.match(await ask('POST', `/api/changes/${last}/undo`), {
    status: 400,
    body: { details: { formErrors: ['a forgotten person cannot be restored'] } },
  })
})

t.test('a stream sends no name of a forgotten person, even if an earlier one did', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { headers } = signInAs(app, 'admin')
  keep(app, 'zoe', 'Zoe Baker')
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const peopleOf = async (count: number) => {
    const people: string[] = []
    const url = `${origin}/api/changes/stream?after=0&kind=person`
    const { close } = await connectStream(url, ({ data }) => people.push(data), { headers })
    await until(() => people.length === count)
    close()
    await until(() => app.changeReaders.size === 0)
    return people.join('\n')
  }
  t.match(await peopleOf(1), 'Zoe Baker')
  t.equal((await send(app, 'DELETE', '/api/people/zoe', undefined, headers)).status, 200)
  t.notMatch(await peopleOf(2), 'Zoe Baker')
})

t.test('an undo keeps the people that a write created', async (t) => {
  const app = await build(t)
  const { ask, project } = await seeded(app)
  const { seq } = await app.groupCommit.write('ada', () => {
    app.db.insert(people).values({ id: 'p-9', name: 'Zoë', kind: 'import' }).run()
    app.rules.board.items.create(project.id, { title: 'Card', assigneeId: 'p-9' })
  })
  t.match(await ask('POST', `/api/changes/${seq}/undo`), { status: 200 })
  t.match((await ask('GET', '/api/people/p-9')).body, { name: 'Zoë' })
})
