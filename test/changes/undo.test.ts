/** Undo: who may undo, what conflicts with it, and what cannot be undone. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { TooMuchWork } from '../../src/db/work-limits.ts'
import {
  type App,
  auditTrail,
  build,
  count,
  createItem,
  createProject,
  createSubtask,
  invalid,
  seed,
  send,
  signInAs,
  stored,
  writeIn,
} from '../helper.ts'

type Headers = Record<string, string> | undefined

const lastOf = (app: App) => app.rules.changes.sequence.last()

const undo = (app: App, seq: number | string, headers?: Headers) =>
  send(app, 'POST', `/api/changes/${seq}/undo`, undefined, headers)

/** Undoes the last write. */
const undoLast = (app: App, headers?: Headers) => undo(app, lastOf(app), headers)

const notFound = { error: 'Change not found' }
const changedSince = (...conflicts: object[]) => ({ error: 'Changed since', details: { conflicts } })

t.test('an undo restores a deleted project with all its records, byte for byte', async (t) => {
  const app = await build(t)
  const { id: admin, headers } = signInAs(app, 'admin')
  const project = await createProject(app, { metadata: { a: [1.5, null] }, leadId: 'ada' })
  const item = await createItem(app, project.id, { column: 'Odd', dueDate: '2026-02-03' })
  await createSubtask(app, item.id)
  const ids = seed(app, project.id, item.id)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { priority: 'high', column: 'Done' })
  await send(app, 'PATCH', `/api/metrics/${ids.metric}`, { value: 4 })
  const urls = [
    '/api/projects',
    `/api/projects/${project.id}`,
    ...['kanban-items', 'kanban-columns', 'kanban-labels', 'objectives', 'metrics'].map(
      (part) => `/api/projects/${project.id}/${part}`,
    ),
    `/api/projects/${project.id}/transcript-summaries`,
    `/api/projects/${project.id}/team-assignments`,
    ...['', '/activity', '/comments', '/subtasks'].map((part) => `/api/kanban-items/${item.id}${part}`),
    `/api/personal-ideas/${ids.idea}`,
    ...['apollo', 'card', 'hm', 'kick'].map((word) => `/api/search?q=${word}`),
  ]
  const answers = () => Promise.all(urls.map(async (url) => (await app.inject({ url, headers })).body))
  const before = await answers()
  t.equal((await send(app, 'DELETE', `/api/projects/${project.id}`, undefined, headers)).status, 200)
  const { status, body, headers: sent } = await undoLast(app, headers)
  t.equal(status, 200)
  t.strictSame(await answers(), before)
  t.equal(sent['phaseboard-seq'], `${lastOf(app)}`)
  t.strictSame(
    body.changes,
    (await send(app, 'GET', `/api/changes?after=${body.group - 1}&limit=1000`, undefined, headers)).body
      .changes,
    'it answers the changes that it made, as the feed tells them',
  )
  t.ok(body.changes.every((change: { actorId: string }) => change.actorId === admin))

  t.equal((await undo(app, body.group, headers)).status, 200, 'the undo is undone')
  t.equal(count(app, 'projects') + count(app, 'kanban_activity'), 0)
  t.equal((await undoLast(app, headers)).status, 200, 'and that')
  t.strictSame(await answers(), before)
  t.strictSame(
    auditTrail(app)
      .map(([actor, action, subject, metadata]) => [actor, action, subject, metadata])
      .slice(-4),
    ['project-deleted', 'project-restored', 'project-deleted', 'project-restored'].map((action) => [
      admin,
      action,
      project.id,
      { name: 'Apollo' },
    ]),
    'the audit log tells of it',
  )
})

t.test('a change that does not exist, or is no longer kept, cannot be undone', async (t) => {
  const app = await build(t)
  await createProject(app)
  for (const seq of ['0', '-1', '1.5', 'junk', '1e3', '%00', '99999999999999999999', `${lastOf(app) + 1}`]) {
    const { status, body } = await undo(app, seq)
    t.strictSame([status, body], [404, notFound], seq)
  }
  const project = await createProject(app)
  const { group } = app.rules.changes.sequence.one(lastOf(app)) ?? {}
  const oldest = Number(group) + 1
  app.db.$client.prepare('delete from changes where seq < ?').run(oldest)
  for (const seq of [1, oldest - 1, oldest, lastOf(app)]) {
    const { status, body } = await undo(app, seq)
    t.strictSame([status, body], [410, { error: 'Changes are gone', details: { oldest } }], `${seq}`)
  }
  app.db.$client.prepare('update projects set name = ? where id = ?').run('Foreign', project.id)
  app.db.$client.prepare('delete from changes where seq < ?').run(lastOf(app))
  t.equal((await undoLast(app)).status, 410, 'nobody knows whether that is the whole write')
})

t.test('changes of members and teams, and the initial ones, cannot be undone', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const { headers: others } = signInAs(app, 'member')
  const refusal = invalid({}, ['changes of members and teams cannot be undone'])
  await send(app, 'POST', '/api/teams', { name: 'Crew' }, headers)
  t.strictSame((await undoLast(app, headers)).body, refusal)
  t.strictSame((await undoLast(app, others)).body, notFound, 'whoever may not see them gets 404')
  const member = { name: 'Bob', email: 'bob@example.test' }
  await send(app, 'POST', '/api/members', member, headers)
  t.equal((await undoLast(app, headers)).status, 400)
  // One of several changes in a write.
  await writeIn(app, () => {
    app.rules.projects.create({ name: 'Apollo' })
    app.rules.members.teams.create({ name: 'Staff' }, { id: 'ada', address: null })
  })
  t.strictSame((await undo(app, lastOf(app) - 1, headers)).body, refusal)
  t.strictSame((await undo(app, lastOf(app) - 1, others)).body, notFound)

  app.db.$client.exec(`delete from changes; insert into changes (seq, "group", kind, id, action, project_id, after)
    values (1, 1, 'project', 'p', 'created', 'p', '{"id":"p"}')`)
  t.strictSame(
    (await undo(app, 1, others)).body,
    invalid({}, ['the initial changes of a file cannot be undone']),
  )
})

t.test('an undo needs the rights of the original change', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const [admin, member, other, viewer] = [
    signInAs(app, 'admin'),
    signInAs(app, 'member'),
    signInAs(app, 'member'),
    signInAs(app, 'viewer'),
  ]
  const adminRequired = { error: 'Forbidden: admin access required' }
  const project = await createProject(app, {}, member.headers)
  const created = lastOf(app)
  t.strictSame((await undo(app, created, viewer.headers)).body, { error: 'Forbidden: read-only role' })
  t.equal((await undo(app, created)).status, 401)
  t.strictSame((await undo(app, created, other.headers)).body, adminRequired, "another member's project")
  await send(app, 'DELETE', `/api/projects/${project.id}`, undefined, admin.headers)
  t.strictSame((await undoLast(app, member.headers)).body, adminRequired)
  t.equal((await undoLast(app, admin.headers)).status, 200)
  t.strictSame((await undoLast(app, member.headers)).body, adminRequired, 'it would delete the project')
  const mistake = await createProject(app, {}, member.headers)
  t.strictSame(
    (await undoLast(app, member.headers)).body,
    adminRequired,
    'it would, too, although it is their own',
  )
  t.equal(count(app, 'projects', 'id = ?', mistake.id), 1)
  t.equal((await undoLast(app, admin.headers)).status, 200)
  t.equal(count(app, 'projects', 'id = ?', mistake.id), 0)

  const item = await createItem(app, project.id, {}, member.headers)
  const url = `/api/kanban-items/${item.id}/comments`
  const { body: comment } = await send(app, 'POST', url, { content: 'Hm' }, member.headers)
  const another = { error: "Forbidden: another member's comment" }
  t.strictSame((await undoLast(app, other.headers)).body, another)
  await send(app, 'PATCH', `/api/kanban-comments/${comment.id}`, { content: 'Well' }, member.headers)
  t.strictSame((await undoLast(app, other.headers)).body, another)
  t.equal((await undoLast(app, admin.headers)).status, 200)
  t.strictSame(
    (await send(app, 'GET', `/api/kanban-comments/${comment.id}`, undefined, other.headers)).body,
    comment,
  )
  await send(app, 'DELETE', `/api/kanban-comments/${comment.id}`, undefined, member.headers)
  t.strictSame((await undoLast(app, other.headers)).body, another)
  t.equal((await undoLast(app, member.headers)).status, 200)
  await send(app, 'DELETE', `/api/kanban-items/${item.id}`, undefined, other.headers)
  t.equal((await undoLast(app, other.headers)).status, 200, 'an item with its comments, whosever they are')
  t.equal(count(app, 'kanban_comments'), 1)
  t.equal((await undoLast(app, other.headers)).status, 200, 'and that again')
  t.equal(count(app, 'kanban_comments'), 0)
})

t.test("an undo does not find another member's idea", async (t) => {
  const app = await build(t, { authMode: 'required' })
  const [admin, member, other] = [signInAs(app, 'admin'), signInAs(app, 'member'), signInAs(app, 'member')]
  const { body: idea } = await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' }, member.headers)
  await send(app, 'POST', `/api/personal-ideas/${idea.id}/promote`, {}, member.headers)
  const { group = 0 } = app.rules.changes.sequence.one(lastOf(app)) ?? {}
  for (let seq = Number(group); seq <= lastOf(app); seq++) {
    t.strictSame((await undo(app, seq, other.headers)).body, notFound, 'nor is the rest of that write')
  }
  const adminRequired = { error: 'Forbidden: admin access required' }
  t.strictSame((await undo(app, Number(group), member.headers)).body, adminRequired, 'it deletes a project')
  t.equal((await undo(app, Number(group), admin.headers)).status, 200)
  t.strictSame(
    (await send(app, 'GET', `/api/personal-ideas/${idea.id}`, undefined, member.headers)).body,
    idea,
  )
  t.equal(count(app, 'projects'), 0)
  await send(app, 'DELETE', `/api/personal-ideas/${idea.id}`, undefined, member.headers)
  t.strictSame((await undoLast(app, other.headers)).body, notFound)
  t.equal((await undoLast(app, admin.headers)).status, 200)

  // Nobody else learns that an idea has come to point to a project.
  const project = await createProject(app, {}, other.headers)
  const created = lastOf(app)
  app.db.$client.prepare('update personal_ideas set promoted_project_id = ?').run(project.id)
  t.strictSame((await undo(app, created, other.headers)).body, adminRequired)
  t.strictSame(
    (await undo(app, created, admin.headers)).body,
    changedSince({ kind: 'personal-idea', id: idea.id }),
  )
})

t.test('conflicts are listed, and nothing changes', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const project = await createProject(app)
  const at = `/api/projects/${project.id}`
  const make = async (url: string, body: object) => (await send(app, 'POST', url, body)).body
  const refused = async (seq: number, ...conflicts: object[]) => {
    const last = lastOf(app)
    const { status, body } = await undo(app, seq, headers)
    t.strictSame([status, body], [409, changedSince(...conflicts)])
    t.equal(lastOf(app), last)
  }

  const item = await createItem(app, project.id)
  const created = lastOf(app)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: 'Ace', priority: 'high' })
  const changed = lastOf(app)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: 'King' })
  await refused(changed, { kind: 'kanban-item', id: item.id, field: 'title' })
  t.equal((await undoLast(app)).status, 200)
  t.equal((await undo(app, changed)).status, 200, 'the activity of it is nothing new')
  const subtask = await createSubtask(app, item.id)
  await refused(created, { kind: 'kanban-subtask', id: subtask.id })
  await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
  const deleted = lastOf(app)
  await refused(created, { kind: 'kanban-item', id: item.id })
  t.equal((await undo(app, deleted)).status, 200)
  await refused(deleted, { kind: 'kanban-item', id: item.id }, { kind: 'kanban-subtask', id: subtask.id })

  const label = await make(`${at}/kanban-labels`, { name: 'Bug' })
  await send(app, 'DELETE', `/api/kanban-labels/${label.id}`)
  const labelDeleted = lastOf(app)
  await make(`${at}/kanban-labels`, { name: 'Bug' })
  await refused(labelDeleted, { kind: 'kanban-label', id: label.id, field: 'name' })

  const other = await createItem(app, project.id, { column: 'Mine' })
  const columnMade = lastOf(app)
  const third = await createItem(app, project.id, { column: 'Mine' })
  await refused(columnMade, { kind: 'kanban-item', id: third.id, field: 'column' })
  t.equal((await undoLast(app)).status, 200)
  t.equal((await undo(app, columnMade)).status, 200, 'with the column that it made')
  t.equal(count(app, 'kanban_items', 'id = ?', other.id), 0)
  t.equal(count(app, 'kanban_columns', `name = 'Mine'`), 0)

  const { body: columns } = await send(app, 'GET', `${at}/kanban-columns`)
  await send(app, 'PATCH', `/api/kanban-columns/${columns[3].id}`, { name: 'Shipped' })
  const renamed = lastOf(app)
  const late = await createItem(app, project.id, { column: 'Shipped' })
  await refused(renamed, { kind: 'kanban-item', id: late.id, field: 'column' })

  await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
  const gone = lastOf(app)
  await send(app, 'DELETE', at, undefined, headers)
  const projectGone = lastOf(app)
  await refused(gone, { kind: 'kanban-item', id: item.id, field: 'projectId' })
  await refused(renamed, { kind: 'kanban-column', id: columns[3].id })
  t.equal((await undo(app, projectGone, headers)).status, 200)
  t.equal((await undo(app, gone)).status, 200)
})

t.test("only an admin or the holder can undo another member's claim", async (t) => {
  const app = await build(t)
  const admin = signInAs(app, 'admin')
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'member')]
  const project = await createProject(app)
  const item = await createItem(app, project.id, { column: 'Done', dismissed: true })
  const url = `/api/kanban-items/${item.id}`
  const patch = async (body: object) => {
    const { status, headers } = await send(app, 'PATCH', url, body, ada.headers)
    t.equal(status, 200)
    return Number(headers['phaseboard-seq'])
  }
  const claim = async (from: string) => {
    const at = `/api/projects/${project.id}/kanban-items/claim`
    const { status, headers } = await send(app, 'POST', at, { from, to: from }, bob.headers)
    t.equal(status, 200)
    return Number(headers['phaseboard-seq'])
  }
  const refused = async (seq: number) => {
    const { status, body } = await undo(app, seq, ada.headers)
    t.strictSame(
      [status, body],
      [409, changedSince({ kind: 'kanban-item', id: item.id, field: 'claimedUntil' })],
    )
    t.equal((await send(app, 'GET', url)).body.assigneeId, bob.id)
  }
  const release = () => send(app, 'DELETE', `${url}/claim`, undefined, bob.headers)

  const back = await patch({ dismissed: false })
  const claimed = await claim('Done')
  await refused(back)
  await refused(claimed)
  t.equal((await undo(app, claimed, bob.headers)).status, 200, 'the holder may')
  const again = await claim('Done')
  t.equal((await undo(app, again, admin.headers)).status, 200, 'an admin may')

  const moved = await patch({ column: 'To Do' })
  await claim('To Do')
  await refused(moved)
  app.db.$client.exec("update kanban_items set claimed_until = '2020-01-01T00:00:00.000Z'")
  await refused(moved)
  await release()
  const columnMade = await patch({ column: 'Odd' })
  await claim('Odd')
  await refused(columnMade)
  await patch({ title: 'Ace' })
  t.equal((await undoLast(app, ada.headers)).status, 200, 'what does not end it may be undone')
  await release()

  const requests = [
    { method: 'POST', path: `/api/projects/${project.id}/kanban-items`, body: { title: 'x' }, as: 'card' },
    {
      method: 'POST',
      path: `/api/projects/${project.id}/kanban-items/claim`,
      body: { from: 'To Do', to: 'Review' },
    },
  ]
  const batch = await send(app, 'POST', '/api/batch', { requests }, bob.headers)
  const both = await undo(app, Number(batch.headers['phaseboard-seq']), ada.headers)
  t.equal(both.status, 409, 'nor does an item go that its maker has claimed')
})

t.test('an undo keeps a claim that is older than the undone write', async (t) => {
  const app = await build(t)
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'member')]
  const claimIn = async (to: string) => {
    const project = await createProject(app)
    const at = `/api/projects/${project.id}`
    const { id } = await createItem(app, project.id)
    const claim = () => send(app, 'POST', `${at}/kanban-items/claim`, { to }, bob.headers)
    const { claimedUntil } = (await claim()).body
    t.ok(claimedUntil)
    const url = `/api/kanban-items/${id}`
    return { at, id, url, claim, claimedUntil, read: async () => (await send(app, 'GET', url)).body }
  }
  const kept = async (to: string, write: (item: Awaited<ReturnType<typeof claimIn>>) => Promise<unknown>) => {
    const item = await claimIn(to)
    await write(item)
    t.match(await item.read(), { column: 'To Do', claimedUntil: item.claimedUntil })
    t.equal((await undoLast(app, ada.headers)).status, 200)
    const held = { column: to, claimedUntil: item.claimedUntil, assigneeId: bob.id }
    t.match(await item.read(), held)
    t.equal((await undoLast(app, ada.headers)).status, 200)
    t.equal((await undoLast(app, ada.headers)).status, 200)
    t.match(await item.read(), held, 'and so does the undo of an undo')
  }
  const back = { column: 'To Do' }
  await kept('Done', ({ url }) => send(app, 'PATCH', url, back))
  await kept('Done', ({ id }) => send(app, 'PATCH', '/api/kanban-items', { ids: [id], update: back }))
  await kept('In Progress', async ({ at, url }) => {
    const { body: columns } = await send(app, 'GET', `${at}/kanban-columns`)
    await send(app, 'PATCH', `/api/kanban-columns/${columns[1].id}`, { stage: 'done' })
    await send(app, 'PATCH', url, back)
  })

  const item = await claimIn('Done')
  await send(app, 'PATCH', item.url, back)
  const moved = lastOf(app)
  const { claimedUntil } = (
    await send(app, 'POST', `${item.url}/claim/renew`, { leaseSeconds: 5000 }, bob.headers)
  ).body
  t.equal((await undo(app, moved, ada.headers)).status, 200)
  t.match(await item.read(), { column: 'Done', claimedUntil }, 'also if it was renewed since')

  const odd = await claimIn('Done')
  await send(app, 'PATCH', odd.url, back)
  const oddMoved = lastOf(app)
  const rename = app.db.$client.prepare('update kanban_items set title = ? where id = ?')
  app.db.$client.transaction(() => {
    for (let nth = 0; nth < 500; nth++) rename.run(`No. ${nth}`, odd.id)
  })()
  const { status } = await undo(app, oddMoved, ada.headers)
  t.equal(status, 409, 'an item that has changed too often since may have a newer claim')
})

t.test('an undo ends a claim of its own member that is newer than the undone write', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'member')
  const project = await createProject(app)
  const { id } = await createItem(app, project.id, { column: 'Done' })
  const url = `/api/kanban-items/${id}`
  await send(app, 'PATCH', url, { column: 'To Do' })
  const moved = lastOf(app)
  const at = `/api/projects/${project.id}/kanban-items/claim`
  t.equal((await send(app, 'POST', at, { to: 'To Do' }, headers)).status, 200)
  t.equal((await undo(app, moved, headers)).status, 200)
  t.match((await send(app, 'GET', url)).body, { column: 'Done', claimedUntil: null })
})

t.test('a label is not restored to an item that has moved to another project', async (t) => {
  const app = await build(t)
  const [project, elsewhere] = [await createProject(app), await createProject(app)]
  const item = await createItem(app, project.id)
  const { body: label } = await send(app, 'POST', `/api/projects/${project.id}/kanban-labels`, {
    name: 'Bug',
  })
  const link = `/api/kanban-items/${item.id}/labels/${label.id}`
  await send(app, 'PUT', link, {})
  await send(app, 'DELETE', link)
  const detached = lastOf(app)
  await send(app, 'POST', `/api/kanban-items/${item.id}/move`, { projectId: elsewhere.id })
  t.strictSame(
    (await undo(app, detached)).body,
    changedSince({ kind: 'kanban-item-label', id: `${item.id}:${label.id}`, field: 'itemId' }),
  )
  t.equal((await undoLast(app)).status, 200)
  t.equal((await undo(app, detached)).status, 200)
})

t.test('at most a hundred conflicts are listed', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const actionItems = Array.from({ length: 120 }, (_, index) => `Do ${index}`)
  const ingest = { projectId: project.id, title: 'Kick-off', date: '2026-01-31', actionItems }
  await send(app, 'POST', '/api/ingest/transcript', ingest)
  const ingested = lastOf(app)
  app.db.$client.exec('delete from kanban_items')
  const { status, body } = await undo(app, ingested)
  t.equal(status, 409)
  t.equal(body.details.conflicts.length, 100)
})

t.test('an undo ignores WIP limits, and writes activity as for any move', async (t) => {
  const app = await build(t)
  const { id: member, headers } = signInAs(app, 'member')
  const project = await createProject(app)
  const at = `/api/projects/${project.id}`
  const { body: columns } = await send(app, 'GET', `${at}/kanban-columns`)
  const item = await createItem(app, project.id, { column: 'Review' })
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'Done', priority: 'high' })
  const moved = lastOf(app)
  await createItem(app, project.id, { column: 'Review' })
  const limit = { wipLimit: 1, wipPolicy: 'block' }
  await send(app, 'PATCH', `/api/kanban-columns/${columns[2].id}`, limit)
  t.equal((await undo(app, moved, headers)).status, 200)
  const entries = async () => (await send(app, 'GET', `/api/kanban-items/${item.id}/activity`)).body
  t.match((await entries()).slice(0, 2), [
    { type: 'priority', metadata: { from: 'high', to: 'medium' }, actorId: member },
    { type: 'status_change', metadata: { from: 'Done', to: 'Review' }, actorId: member },
  ])
  await send(app, 'PATCH', `/api/kanban-columns/${columns[2].id}`, { name: 'Look at' })
  t.equal((await undoLast(app)).status, 200)
  t.equal((await entries()).length, 4, 'a column that only gets its name back moves nothing')
})

t.test('updatedAt is restored, unless the record has changed since', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const url = `/api/projects/${project.id}`
  app.db.$client.exec(`update projects set updated_at = '2001-01-01T00:00:00.000Z'`)
  await send(app, 'PATCH', url, { name: 'Gemini' })
  const renamed = lastOf(app)
  const { updatedAt } = (await send(app, 'PATCH', url, { nextStep: 'Fly' })).body
  t.equal((await undo(app, renamed)).status, 200)
  const { body } = await send(app, 'GET', url)
  t.match(body, { name: 'Apollo', nextStep: 'Fly' })
  t.ok(body.updatedAt >= updatedAt)
  t.equal((await undoLast(app)).status, 200)
  t.equal((await undoLast(app)).status, 200)
  t.equal(stored(app, 'projects', project.id).updated_at, body.updatedAt)
})

t.test('undoing a write without effect changes nothing', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  await writeIn(app, () => {
    const { items } = app.rules.board
    const { id } = items.create(project.id, { title: 'Card' })
    items.update(id, { priority: 'high' }, null)
    items.delete(id)
  })
  const { status, body, headers } = await undoLast(app)
  t.strictSame([status, body], [200, { group: null, changes: [] }])
  t.equal(headers['phaseboard-seq'], undefined)
})

t.test('an undo restores a record that changed several times in one write', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const label = async (name: string) =>
    (await send(app, 'POST', `/api/projects/${project.id}/kanban-labels`, { name })).body
  const [bug, idea] = [await label('Bug'), await label('Idea')]
  const url = `/api/projects/${project.id}/kanban-labels`
  const before = (await send(app, 'GET', url)).body
  await writeIn(app, () => {
    const { labels } = app.rules.board
    labels.update(bug.id, { name: 'between' })
    labels.update(idea.id, { name: 'Bug', color: 'red' })
    labels.update(bug.id, { name: 'Idea' })
  })
  const swapped = lastOf(app)
  t.equal((await undo(app, swapped)).status, 200, 'those that have swapped what is unique')
  t.strictSame((await send(app, 'GET', url)).body, before)

  await writeIn(app, () => {
    const { labels } = app.rules.board
    labels.update(bug.id, { name: 'between' })
    labels.delete(bug.id)
  })
  t.equal((await undoLast(app)).status, 200, 'one that was changed and deleted')
  t.strictSame((await send(app, 'GET', url)).body, before)

  app.db.$client
    .prepare('insert or replace into kanban_labels (id, project_id, name) values (?, ?, ?)')
    .run(bug.id, project.id, 'Error')
  t.equal((await undoLast(app)).status, 200, 'one that was replaced')
  t.strictSame((await send(app, 'GET', url)).body, before)

  await writeIn(app, () => {
    const colour = app.db.$client.prepare('update kanban_labels set color = ?')
    for (const color of ['red', before[0].color]) colour.run(color)
  })
  t.strictSame((await undoLast(app)).body, { group: null, changes: [] }, 'those that are as they were')

  const back = async () => {
    app.db.$client.exec(`update kanban_labels set updated_at = '2001-01-01T00:00:00.000Z'`)
    await writeIn(app, () => {
      const { labels } = app.rules.board
      labels.update(bug.id, { name: 'between' })
      labels.update(bug.id, { name: 'Bug' })
    })
    return lastOf(app)
  }
  t.strictSame((await undo(app, await back())).body, { group: null, changes: [] })
  t.equal(stored(app, 'kanban_labels', bug.id).updated_at, '2001-01-01T00:00:00.000Z')
  const changedBack = await back()
  // Within the same millisecond, the two times would be equal.
  await sleep(2)
  const { updatedAt } = (await send(app, 'PATCH', `/api/kanban-labels/${bug.id}`, { color: 'blue' })).body
  t.equal((await undo(app, changedBack)).status, 200)
  t.equal(stored(app, 'kanban_labels', bug.id).updated_at, updatedAt, 'what others did stays')

  app.db.$client.prepare('delete from kanban_labels where id = ?').run(idea.id)
  app.db.$client
    .prepare(`insert into kanban_labels (id, project_id, name) values (?, ?, 'Idea')`)
    .run(idea.id, project.id)
  app.db.$client
    .prepare(`update changes set at = '2001-01-01T00:00:00.000Z' where seq >= ?`)
    .run(lastOf(app) - 1)
  t.strictSame((await undoLast(app)).body.changes.length, 1, 'one that was deleted and made again')
  t.match(stored(app, 'kanban_labels', idea.id), { color: before[1].color, created_at: before[1].createdAt })
})

t.test('fields that the table no longer has are skipped', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const url = `/api/projects/${project.id}`
  const { body: objective } = await send(app, 'POST', `${url}/objectives`, { title: 'Land' })
  const forget = (fields: string) =>
    app.db.$client
      .prepare(
        'update changes set before = json_patch(before, ?), after = json_patch(after, ?) where seq = ?',
      )
      .run(fields, fields.replace('was', 'is'), lastOf(app))
  await send(app, 'PATCH', `/api/objectives/${objective.id}`, { title: 'Fly' })
  forget('{"color":"was red"}')
  t.equal((await undoLast(app)).status, 200)
  t.strictSame((await send(app, 'GET', `/api/objectives/${objective.id}`)).body, objective)
  await send(app, 'DELETE', `/api/objectives/${objective.id}`)
  forget('{"color":"was red"}')
  t.equal((await undoLast(app)).status, 200)
  t.strictSame((await send(app, 'GET', `/api/objectives/${objective.id}`)).body, objective)
  await send(app, 'PATCH', `/api/objectives/${objective.id}`, { title: 'Fly' })
  app.db.$client
    .prepare(`update changes set before = '{"color":"red"}', after = '{"color":"blue"}' where seq = ?`)
    .run(lastOf(app))
  t.strictSame((await undoLast(app)).body, { group: null, changes: [] })
})

t.test('records of other tools are restored as they were', async (t) => {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: file })
  const foreign = new SQLite(file)
  t.teardown(() => foreign.close())
  foreign.pragma('foreign_keys = on')
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  foreign
    .prepare('update kanban_items set title = ?, metadata = ?, description = ?, sort_order = ?, "column" = ?')
    .run('☃\u0001"', '{broken', Buffer.from([0, 255]), 0.1 + 0.2, 'Nowhere')
  const before = stored(app, 'kanban_items', item.id)
  // Writes of another tool within a millisecond count as one write.
  await sleep(2)
  foreign.exec('delete from kanban_items')
  const { status, body } = await undoLast(app)
  t.equal(status, 200, JSON.stringify(body))
  t.strictSame(stored(app, 'kanban_items', item.id), before)
  foreign.exec(`update kanban_items set description = x'01'`)
  t.equal((await undoLast(app)).status, 200)
  t.strictSame(stored(app, 'kanban_items', item.id), before)
})

t.test('the worker thread undoes a large write', async (t) => {
  const app = await build(t, { databaseUrl: join(t.testdir(), 'board.db') })
  const { id: admin, headers } = signInAs(app, 'admin')
  const project = await createProject(app)
  app.db.$client
    .prepare(
      `insert into kanban_items (id, project_id, title, description)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
       select 'item ' || i, ?, 'Card ' || i, '${'x'.repeat(1500)}' from n`,
    )
    .run(project.id)
  app.db.$client.exec(
    `insert into kanban_activity (id, item_id, type) select 'entry ' || id, id, 'priority' from kanban_items`,
  )
  const url = `/api/projects/${project.id}`
  const before = await send(app, 'GET', url)
  await send(app, 'DELETE', url, undefined, headers)
  const by = { id: admin, name: 'Ada', email: null, role: 'admin' } as const
  const onEventLoop = (seq: number) =>
    writeIn(app, () => app.rules.changes.undo.group(`${seq}`, by, { id: admin, address: null }))
  await t.rejects(onEventLoop(lastOf(app)), TooMuchWork)
  const { status, body } = await undoLast(app, headers)
  t.equal(status, 200, JSON.stringify(body).slice(0, 500))
  t.equal(body.changes.length, 1000)
  t.ok(body.changes.every((change: { actorId: string }) => change.actorId === admin))
  t.equal(lastOf(app), body.group + 1504)
  t.strictSame((await send(app, 'GET', url)).body, before.body)
  t.equal(count(app, 'kanban_activity'), 1500)
  const answers = await Promise.all([1, 2].map(() => undoLast(app, headers)))
  t.strictSame(answers.map((answer) => answer.status).sort(), [200, 409])

  // A single change whose item has many activity entries.
  const other = await createProject(app)
  const item = await createItem(app, other.id)
  const created = lastOf(app)
  // Another connection may be indexing the changes.
  app.db.$client.pragma('busy_timeout = 5000')
  app.db.$client
    .prepare(
      `insert into kanban_activity (id, item_id, type)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) select 'e' || i, ?, 'priority' from n`,
    )
    .run(item.id)
  await t.rejects(onEventLoop(created), TooMuchWork)
  t.equal((await undo(app, created)).status, 200)
  t.equal(count(app, 'kanban_activity'), 0)

  // A few changes with long texts.
  const texts = Array.from({ length: 40 }, (_, index) => ({ id: `long ${index}`, text: 'x'.repeat(90_000) }))
  const insert = app.db.$client.prepare(
    'insert into objectives (id, project_id, title, description) values (?, ?, ?, ?)',
  )
  await writeIn(app, () => {
    for (const { id, text } of texts) insert.run(id, other.id, 'Land', text)
  })
  await t.rejects(onEventLoop(lastOf(app)), TooMuchWork)
  t.equal((await undoLast(app)).status, 200)
})

t.test('an undo returns its first changes, and a link to the others', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const project = await createProject(app)
  app.db.$client.exec(`insert into kanban_items (id, project_id, title)
    with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < 1200)
    select 'i' || value, '${project.id}', 'Card' from numbers`)
  await send(app, 'DELETE', `/api/projects/${project.id}`, undefined, headers)
  const before = lastOf(app)
  const { status, body, headers: sent } = await undoLast(app, headers)
  t.equal(status, 200)
  t.equal(body.changes.length, 1000)
  t.equal(body.group, before + 1)
  t.equal(sent.link, `</api/changes?after=${before + 1000}&limit=1000>; rel="next"`)
  const { changes } = (await send(app, 'GET', `/api/changes?after=${before + 1000}&limit=1000`)).body
  t.equal(before + 1000 + changes.length, lastOf(app))
  t.ok(changes.every((change: { group: number }) => change.group === body.group))

  const again = lastOf(app)
  const url = await app.listen({ port: 0 })
  const compressed = await fetch(`${url}/api/changes/${again}/undo`, { method: 'POST', headers })
  t.ok(compressed.headers.has('content-encoding'), 'also if it is compressed')
  t.equal(compressed.headers.get('link'), `</api/changes?after=${again + 1000}&limit=1000>; rel="next"`)
  t.equal(((await compressed.json()) as { changes: unknown[] }).changes.length, 1000)
})
