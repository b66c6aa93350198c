import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { watch } from '../executions.ts'
import {
  type App,
  age,
  build,
  count,
  createItem,
  createProject,
  holds,
  hourly,
  send,
  stored,
  writeTo,
} from '../helper.ts'
import { kindsTold, memberNamed, toldTo, workedOff } from './members.ts'

/** A board with an item of the admin, and members. */
async function boardOf(t: Test) {
  const app = await build(t, { authMode: 'required' })
  const admin = memberNamed(app, 'boss', 'admin')
  const ada = memberNamed(app, 'ada')
  const bob = memberNamed(app, 'bob')
  const eve = memberNamed(app, 'eve')
  const project = await createProject(app, {}, admin.headers)
  const item = await createItem(app, project.id, { title: 'Card' }, admin.headers)
  await workedOff(app)
  const url = `/api/kanban-items/${item.id}`
  return { app, admin, ada, bob, eve, project, item, url }
}

const patch = (app: App, url: string, body: object, { headers }: { headers: Record<string, string> }) =>
  send(app, 'PATCH', url, body, headers)

t.test('ids ascend in time, also after the clock was set back', async (t) => {
  const { app, admin, ada, url } = await boardOf(t)
  const assignAda = async () => {
    await patch(app, url, { assigneeId: null }, admin)
    await patch(app, url, { assigneeId: 'ada' }, admin)
    return (await toldTo(app, ada)).map(({ id }) => id)
  }
  const [first] = await assignAda()
  const [second, ...earlier] = await assignAda()
  t.ok(String(second) > String(first))
  t.strictSame(earlier, [first])
  // An earlier process made it by a clock that was ahead.
  const ahead = '02000000-ffff-7fff-bfff-ffffffffffff'
  app.db.$client.prepare('update notifications set id = ? where id = ?').run(ahead, second)
  const [third] = await assignAda()
  const all = await assignAda()
  t.strictSame(all.slice(1), [third, ahead, first])
  t.match(third, /^02000001-0000-7/)
  // Of another tool: no id sorts after it and is a UUID.
  app.db.$client.prepare('update notifications set id = ? where id = ?').run('zzz', first)
  t.equal((await assignAda())[0], 'zzz')
})

t.test('a text that has been edited or deleted is no longer shown', async (t) => {
  const { app, admin, ada, url } = await boardOf(t)
  await send(app, 'PUT', `${url}/watch`, undefined, ada.headers)
  const comment = async (content: string) => {
    const { body } = await send(app, 'POST', `${url}/comments`, { content }, admin.headers)
    return `/api/kanban-comments/${body.id}`
  }
  const shown = async () => (await toldTo(app, ada)).map(({ text }) => text)
  const deleted = await comment('my password is hunter1')
  const shortened = await comment('boss hunter2')
  const [long, short] = ['x'.repeat(3000), '"quoted" \\ \u0001 äöü']
  const [kept, lengthened] = [await comment(long), await comment(short)]
  const excerpt = `${'x'.repeat(279)}…`
  t.strictSame(await shown(), [short, excerpt, 'boss hunter2', 'my password is hunter1'])
  await send(app, 'DELETE', deleted, undefined, admin.headers)
  await patch(app, shortened, { content: 'boss' }, admin)
  await patch(app, kept, { content: `${long}!` }, admin)
  t.strictSame(await shown(), [short, excerpt, '', ''], 'a change after the excerpt changes nothing')
  const [{ id } = {}] = await toldTo(app, ada)
  await patch(app, lengthened, { content: `${short} hunter3` }, admin)
  t.match(await patch(app, `/api/notifications/${id}`, { read: true }, ada), { body: { text: '' } })
  await patch(app, lengthened, { content: short }, admin)
  t.strictSame(await shown(), [short, excerpt, '', ''])

  await patch(app, url, { description: 'For @ada: hunter4' }, admin)
  await patch(app, url, { title: 'Card two' }, admin)
  t.equal((await shown())[0], 'For @ada: hunter4')
  await patch(app, url, { description: 'For @ada' }, admin)
  t.equal((await shown())[0], '')
  await patch(app, url, { column: 'Done' }, admin)
  t.equal((await shown())[0], 'Done')
  app.db.$client.exec('delete from changes where seq < (select max(seq) from changes)')
  t.strictSame(await shown(), ['Done', '', '', '', '', ''], 'unknown once the changes are pruned')
})

t.test('an assignment notifies the assignee, who watches the item from then on', async (t) => {
  const { app, admin, ada, bob, project, item, url } = await boardOf(t)
  const { headers } = await patch(app, url, { assigneeId: 'ada' }, admin)
  const [first, ...others] = await toldTo(app, ada)
  t.strictSame(others, [])
  t.strictSame(first, {
    id: first?.id,
    kind: 'assigned',
    itemId: item.id,
    projectId: project.id,
    actorId: 'boss',
    seq: Number(headers['phaseboard-seq']),
    title: 'Card',
    text: '',
    count: 1,
    createdAt: first?.createdAt,
    readAt: null,
  })
  t.strictSame(await toldTo(app, admin), [], 'nobody hears of what they did themselves')
  await patch(app, url, { assigneeId: 'bob' }, admin)
  await patch(app, url, { column: 'Done' }, admin)
  t.strictSame(await kindsTold(app, ada), [
    ['moved', item.id],
    ['assigned', item.id],
  ])
  t.strictSame(await kindsTold(app, bob), [
    ['moved', item.id],
    ['assigned', item.id],
  ])
  t.equal((await toldTo(app, bob))[0]?.text, 'Done')
  await patch(app, url, { column: 'Done', assigneeId: 'bob', title: 'Other' }, admin)
  await patch(app, url, { sortOrder: 7, priority: 'high', dueDate: '2026-01-31' }, admin)
  t.equal((await toldTo(app, bob)).length, 2, 'nothing that concerns them has changed')
})

t.test('a comment notifies each watcher once, and mentioned members as mentioned', async (t) => {
  const { app, admin, ada, bob, eve, item, url } = await boardOf(t)
  await patch(app, url, { assigneeId: 'ada' }, admin)
  await workedOff(app)
  const comment = { content: 'Look, @Bob and @ada. Not `@eve`.\n\n```\n@eve\n```' }
  const { body } = await send(app, 'POST', `${url}/comments`, comment, admin.headers)
  t.strictSame((await kindsTold(app, ada))[0], ['mentioned', item.id])
  t.equal((await toldTo(app, ada)).length, 2)
  t.strictSame(await kindsTold(app, bob), [['mentioned', item.id]])
  t.equal((await toldTo(app, bob))[0]?.text, 'Look, @Bob and @ada. Not `@eve`. ``` @eve ```')
  t.strictSame(await toldTo(app, eve), [])

  const edited = { content: `${comment.content}\n\n@eve @bob` }
  await send(app, 'PATCH', `/api/kanban-comments/${body.id}`, edited, admin.headers)
  t.strictSame(await kindsTold(app, eve), [['mentioned', item.id]], 'only new mentions of an edit are told')
  t.equal((await toldTo(app, bob)).length, 1)
  t.equal((await toldTo(app, ada)).length, 2)

  await send(app, 'POST', `${url}/comments`, { content: 'Done' }, bob.headers)
  for (const one of [admin, ada, eve]) t.strictSame((await kindsTold(app, one))[0], ['commented', item.id])
  t.equal((await toldTo(app, bob)).length, 1, 'not its author')
})

t.test('a description mentions, when it is created and when it changes', async (t) => {
  const { app, admin, ada, bob, project } = await boardOf(t)
  const fields = { description: 'cc @ada', assigneeId: 'bob', title: 'New' }
  const item = await createItem(app, project.id, fields, admin.headers)
  t.strictSame(await kindsTold(app, ada), [['mentioned', item.id]])
  t.strictSame(await kindsTold(app, bob), [['assigned', item.id]], 'an assignment precedes a mention')
  await patch(app, `/api/kanban-items/${item.id}`, { description: 'cc @ada, @bob, @nobody' }, admin)
  t.equal((await toldTo(app, ada)).length, 1)
  t.strictSame((await kindsTold(app, bob))[0], ['mentioned', item.id])
})

t.test('watchers of an item or a project are notified, and members who unwatch are not', async (t) => {
  const { app, admin, ada, bob, eve, project, item, url } = await boardOf(t)
  const success = { watching: true }
  await holds(t, app, [
    ['GET', `${url}/watch`, undefined, ada.headers, 200, { watching: false }],
    ['PUT', `${url}/watch`, undefined, ada.headers, 200, success],
    ['PUT', `${url}/watch`, undefined, ada.headers, 200, success],
    ['GET', `${url}/watch`, undefined, ada.headers, 200, { watching: true }],
    ['PUT', `/api/projects/${project.id}/watch`, undefined, bob.headers, 200, success],
    ['GET', `/api/projects/${project.id}/watch`, undefined, bob.headers, 200, { watching: true }],
    ['GET', `/api/projects/${project.id}/watch`, undefined, ada.headers, 200, { watching: false }],
    ['GET', `${url}/watch`, undefined, bob.headers, 200, { watching: true }],
    ['PUT', `/api/projects/${project.id}/watch`, undefined, eve.headers, 200, success],
    ['DELETE', `${url}/watch`, undefined, eve.headers, 200, { watching: false }],
    ['GET', `${url}/watch`, undefined, eve.headers, 200, { watching: false }],
    ['PUT', '/api/kanban-items/none/watch', undefined, ada.headers, 404, { error: 'Kanban item not found' }],
    ['GET', '/api/kanban-items/none/watch', undefined, ada.headers, 404, { error: 'Kanban item not found' }],
    ['DELETE', '/api/projects/none/watch', undefined, ada.headers, 404, { error: 'Project not found' }],
  ])
  await send(app, 'POST', `${url}/comments`, { content: 'x' }, admin.headers)
  t.strictSame(await kindsTold(app, ada), [['commented', item.id]])
  t.strictSame(await kindsTold(app, bob), [['commented', item.id]])
  t.strictSame(await kindsTold(app, eve), [])
  // A comment of one's own, and a mention, do not override the wish; a mention is still told.
  await send(app, 'POST', `${url}/comments`, { content: 'x' }, eve.headers)
  await send(app, 'POST', `${url}/comments`, { content: '@eve' }, admin.headers)
  await send(app, 'POST', `${url}/comments`, { content: 'y' }, admin.headers)
  t.strictSame(await kindsTold(app, eve), [['mentioned', item.id]])
  await holds(t, app, [
    ['DELETE', `${url}/watch`, undefined, ada.headers, 200, { watching: false }],
    ['DELETE', `/api/projects/${project.id}/watch`, undefined, bob.headers, 200, { watching: false }],
  ])
  const before = [(await toldTo(app, ada)).length, (await toldTo(app, bob)).length]
  await send(app, 'POST', `${url}/comments`, { content: 'z' }, admin.headers)
  t.strictSame([(await toldTo(app, ada)).length, (await toldTo(app, bob)).length], before)
})

t.test('members who create an item or comment on it watch it, and `watching` shows it at once', async (t) => {
  const { app, ada, bob, project } = await boardOf(t)
  const item = await createItem(app, project.id, {}, ada.headers)
  const url = `/api/kanban-items/${item.id}`
  await holds(t, app, [['GET', `${url}/watch`, undefined, ada.headers, 200, { watching: true }]])
  await send(app, 'POST', `${url}/comments`, { content: 'x' }, bob.headers)
  await holds(t, app, [['GET', `${url}/watch`, undefined, bob.headers, 200, { watching: true }]])
  await workedOff(app)
  await holds(t, app, [
    ['GET', `${url}/watch`, undefined, ada.headers, 200, { watching: true }],
    ['GET', `${url}/watch`, undefined, bob.headers, 200, { watching: true }],
  ])
  t.strictSame(
    app.db.$client
      .prepare('select member_id from item_watches where item_id = ? order by 1')
      .pluck()
      .all(item.id),
    ['ada', 'bob'],
  )
})

t.test('a watch changes neither the item nor its ETag', async (t) => {
  const { app, ada, bob, url } = await boardOf(t)
  for (const path of [url, `${url}?expand=people`]) {
    const get = (headers: Record<string, string>) => send(app, 'GET', path, undefined, headers)
    const before = await get(bob.headers)
    await send(app, 'PUT', `${url}/watch`, undefined, ada.headers)
    for (const { headers } of [ada, bob]) {
      const { body, headers: answered } = await get(headers)
      t.strictSame([body, answered.etag], [before.body, before.headers.etag], path)
      t.notOk('watching' in body)
      t.equal(answered['cache-control'], before.headers['cache-control'])
    }
    const known = { ...ada.headers, 'if-none-match': String(before.headers.etag) }
    t.equal((await get(known)).status, 304)
    await send(app, 'DELETE', `${url}/watch`, undefined, ada.headers)
    t.equal((await get(known)).status, 304)
  }
})

t.test(
  'who is assigned after a change does not hear of it, even if both are looked at together',
  async (t) => {
    const { app, admin, bob, eve, url, item } = await boardOf(t)
    await patch(app, url, { column: 'Done' }, admin)
    await patch(app, url, { assigneeId: 'bob' }, admin)
    t.strictSame(await kindsTold(app, bob), [['assigned', item.id]])
    // As an import leaves it: assigned, and without a watch.
    writeTo(app.db, () => app.db.$client.exec("update kanban_items set assignee_id = 'eve'"))
    await workedOff(app)
    writeTo(app.db, () => app.db.$client.exec('delete from item_watches; delete from notifications'))
    await patch(app, url, { column: 'Review' }, admin)
    t.strictSame(await kindsTold(app, eve), [['moved', item.id]])
  },
)

t.test('only members who see the project are notified, and can read the notification', async (t) => {
  const { app, admin, ada, bob, eve, project, item, url } = await boardOf(t)
  const guest = memberNamed(app, 'guest', 'guest')
  for (const one of [ada, bob]) await send(app, 'PUT', `${url}/watch`, undefined, one.headers)
  app.db.$client.prepare("insert into item_watches (item_id, member_id) values (?, 'guest')").run(item.id)
  await send(app, 'POST', `${url}/comments`, { content: '@guest @eve' }, admin.headers)
  t.strictSame(await toldTo(app, guest), [])
  t.equal((await toldTo(app, ada)).length, 1)
  t.equal((await toldTo(app, eve)).length, 1)
  await send(app, 'POST', `/api/projects/${project.id}/team-assignments`, { memberId: 'bob' }, admin.headers)
  await patch(app, `/api/projects/${project.id}`, { access: 'assigned' }, admin)
  await send(app, 'POST', `${url}/comments`, { content: 'secret @eve' }, admin.headers)
  t.equal((await toldTo(app, bob)).length, 2)
  t.strictSame(await toldTo(app, ada), [], 'what one does not see any more is not listed')
  t.strictSame(await toldTo(app, eve), [])
  const ids = app.db.$client.prepare("select id from notifications where member_id = 'ada'").pluck().all()
  t.equal(ids.length, 1, 'nothing was made for who does not see the project')
  const gone = { error: 'Notification not found' }
  await holds(t, app, [
    ['GET', '/api/notifications/count', undefined, ada.headers, 200, { unread: 0 }],
    ['PATCH', `/api/notifications/${ids[0]}`, { read: true }, ada.headers, 404, gone],
    ['PATCH', `/api/notifications/${ids[0]}`, { read: true }, admin.headers, 404, gone],
  ])
  await send(
    app,
    'POST',
    `/api/projects/${project.id}/team-assignments`,
    { memberId: 'guest' },
    admin.headers,
  )
  await send(app, 'POST', `${url}/comments`, { content: 'x' }, admin.headers)
  t.equal((await toldTo(app, guest)).length, 1)
})

t.test(
  'nothing is told of what an item went through in a project that the member does not see',
  async (t) => {
    const { app, admin, bob, item, url } = await boardOf(t)
    const { headers } = admin
    await send(app, 'PUT', `${url}/watch`, undefined, bob.headers)
    const secret = await createProject(app, { name: 'Secret', access: 'assigned' }, headers)
    await workedOff(app)
    const step = (method: string, path: string, body?: object, as?: string) => ({ method, path, body, as })
    const { status, headers: answered } = await send(
      app,
      'POST',
      '/api/batch',
      {
        requests: [
          step('POST', `${url}/move`, { projectId: secret.id, column: 'Zebra' }),
          step('POST', `${url}/comments`, { content: 'the budget' }, 'comment'),
          step('DELETE', '/api/kanban-comments/{{comment.id}}'),
          step('PATCH', url, { description: 'the plan, @bob' }),
          step('PATCH', url, { description: '' }),
          step('POST', `${url}/move`, { projectId: item.projectId, column: 'Review' }),
        ],
      },
      headers,
    )
    t.equal(status, 200)
    const told = await toldTo(app, bob)
    t.match(told, [{ kind: 'moved', text: 'Review', seq: Number(answered['phaseboard-seq']) }])
    t.equal(told.length, 1)
  },
)

t.test('more than ten items of one write are one notification', async (t) => {
  const { app, admin, ada, bob, project } = await boardOf(t)
  const ids: string[] = []
  for (let index = 0; index < 12; index++) {
    ids.push((await createItem(app, project.id, { title: `Card ${index}` }, admin.headers)).id)
  }
  await send(app, 'PUT', `/api/projects/${project.id}/watch`, undefined, bob.headers)
  await workedOff(app)
  const bulk = (some: string[], update: object) =>
    send(app, 'PATCH', '/api/kanban-items', { ids: some, update }, admin.headers)
  await bulk(ids.slice(0, 10), { assigneeId: 'ada' })
  t.equal((await toldTo(app, ada)).length, 10)
  const { headers } = await bulk(ids, { assigneeId: 'ada', column: 'Done' })
  const [last, ...others] = await toldTo(app, ada)
  t.equal(others.length, 10)
  t.match(last, {
    kind: 'assigned',
    itemId: null,
    projectId: project.id,
    title: 'Apollo',
    text: '',
    count: 12,
    actorId: 'boss',
    seq: Number(headers['phaseboard-seq']),
  })
  const [moved, ...rest] = await toldTo(app, bob)
  t.match(moved, { kind: 'moved', count: 12, itemId: null })
  t.strictSame(rest, [])
})

t.test('many changes of few items in one write cause separate notifications', async (t) => {
  const { app, admin, ada, item, url } = await boardOf(t)
  await send(app, 'PUT', `${url}/watch`, undefined, ada.headers)
  const path = `${url}/comments`
  const comments = Array.from({ length: 11 }, (_, nth) => ({
    method: 'POST',
    path,
    body: { content: `Comment ${nth}` },
  }))
  t.equal((await send(app, 'POST', '/api/batch', { requests: comments }, admin.headers)).status, 200)
  const told = await toldTo(app, ada)
  t.strictSame(
    told.map(({ kind, itemId, text, count }) => [kind, itemId, text, count]),
    comments.map(({ body }) => ['commented', item.id, body.content, 1]).toReversed(),
  )
  // No request has as many.
  writeTo(app.db, () => {
    const add = app.db.$client.prepare(
      "insert into kanban_comments (id, item_id, author_id, content) values (?, ?, 'bob', 'x')",
    )
    for (let nth = 0; nth < 201; nth++) add.run(`comment-${nth}`, item.id)
  })
  const [last, ...before] = await toldTo(app, ada)
  t.strictSame(before, told)
  t.match(last, { kind: 'commented', itemId: item.id, title: item.title, text: '', count: 1 })
})

t.test(
  'undos, imports and renamed columns cause no notifications, and an undone undo none twice',
  async (t) => {
    const { app, admin, ada, project, item, url } = await boardOf(t)
    await send(app, 'PUT', `/api/projects/${project.id}/watch`, undefined, ada.headers)
    const { headers } = await patch(app, url, { column: 'Done', assigneeId: 'ada' }, admin)
    t.equal((await toldTo(app, ada)).length, 1)
    const undone = await send(
      app,
      'POST',
      `/api/changes/${headers['phaseboard-seq']}/undo`,
      {},
      admin.headers,
    )
    t.equal(undone.status, 200)
    await send(app, 'POST', `/api/changes/${undone.headers['phaseboard-seq']}/undo`, {}, admin.headers)
    t.equal(stored(app, 'kanban_items', item.id).column, 'Done')
    t.equal((await toldTo(app, ada)).length, 1)
    const columns = await send(
      app,
      'GET',
      `/api/projects/${project.id}/kanban-columns`,
      undefined,
      admin.headers,
    )
    const done = columns.body.find(({ name }: { name: string }) => name === 'Done')
    await patch(app, `/api/kanban-columns/${done.id}`, { name: 'Finished' }, admin)
    t.equal((await toldTo(app, ada)).length, 1)
    const deleted = await send(app, 'DELETE', url, undefined, admin.headers)
    await workedOff(app)
    await send(app, 'POST', `/api/changes/${deleted.headers['phaseboard-seq']}/undo`, {}, admin.headers)
    t.equal((await toldTo(app, ada)).length, 1)
    await send(app, 'POST', `${url}/comments`, { content: 'x' }, admin.headers)
    t.equal((await toldTo(app, ada)).length, 2, 'who watched a deleted item that came back still does')
    t.equal(count(app, 'quiet_changes'), 0, 'passed ranges are forgotten')
  },
)

t.test('a project that an item moves to or from is watched', async (t) => {
  const { app, admin, ada, bob, project, item, url } = await boardOf(t)
  const other = await createProject(app, { name: 'Gemini' }, admin.headers)
  await send(app, 'PUT', `/api/projects/${project.id}/watch`, undefined, ada.headers)
  await send(app, 'PUT', `/api/projects/${other.id}/watch`, undefined, bob.headers)
  await send(app, 'POST', `${url}/move`, { projectId: other.id }, admin.headers)
  for (const one of [ada, bob]) {
    t.match(await toldTo(app, one), [{ kind: 'moved', itemId: item.id, projectId: other.id }])
  }
})

t.test('notifications are listed by pages and kinds, and marked as read', async (t) => {
  const { app, admin, ada, url } = await boardOf(t)
  await send(app, 'PUT', `${url}/watch`, undefined, ada.headers)
  for (const content of ['1', '2', '3'])
    await send(app, 'POST', `${url}/comments`, { content }, admin.headers)
  await patch(app, url, { assigneeId: 'ada' }, admin)
  await send(app, 'POST', `${url}/comments`, { content: '@ada' }, admin.headers)
  const all = await toldTo(app, ada)
  t.strictSame(
    all.map(({ kind, text }) => [kind, text]),
    [
      ['mentioned', '@ada'],
      ['assigned', ''],
      ['commented', '3'],
      ['commented', '2'],
      ['commented', '1'],
    ],
  )
  const first = await send(app, 'GET', '/api/notifications?limit=2', undefined, ada.headers)
  t.strictSame(first.body, all.slice(0, 2))
  const [, next = ''] = /<([^>]*)>/.exec(String(first.headers.link)) ?? []
  t.strictSame((await send(app, 'GET', next, undefined, ada.headers)).body, all.slice(2, 4))
  t.strictSame(await toldTo(app, ada, '?kind=commented&kind=moved,assigned'), all.slice(1))
  const [one, two, three] = all.map(({ id }) => `/api/notifications/${id}`) as [string, string, string]
  const read = await patch(app, two, { read: true }, ada)
  t.match(read.body, { ...all[1], readAt: /^\d{4}-/ })
  t.strictSame((await patch(app, two, { read: true }, ada)).body, read.body)
  t.strictSame(await toldTo(app, ada, '?unread=true&kind=assigned'), [])
  t.equal((await toldTo(app, ada, '?unread=true')).length, 4)
  await holds(t, app, [
    ['GET', '/api/notifications/count', undefined, ada.headers, 200, { unread: 4 }],
    ['PATCH', two, { read: false }, ada.headers, 200, { readAt: null }],
    ['POST', '/api/notifications/read', { upTo: all[2]?.id }, ada.headers, 200, { unread: 2 }],
    ['GET', '/api/notifications/count', undefined, ada.headers, 200, { unread: 2 }],
    [
      'POST',
      '/api/notifications/read',
      { upTo: all[0]?.id },
      admin.headers,
      404,
      { error: 'Notification not found', details: { missing: [all[0]?.id] } },
    ],
    ['PATCH', three, { read: true }, admin.headers, 404, { error: 'Notification not found' }],
    ['GET', '/api/notifications', 401, { error: 'Authentication required' }],
  ])
  t.equal((await send(app, 'GET', '/api/notifications?kind=x', undefined, ada.headers)).status, 400)
  const shown = (await toldTo(app, ada))[0]
  t.match(await patch(app, one, {}, ada), { status: 200, body: shown }, 'an empty change changes nothing')
  t.match(await patch(app, one, { read: null }, ada), { status: 400 })
  const back = { ...ada.headers, prefer: 'handling=strict' }
  t.match(await send(app, 'PATCH', one, shown, back), { status: 200, body: shown })
  const readOnly = { status: 400, body: { details: { fieldErrors: { title: ['is read-only'] } } } }
  t.match(await send(app, 'PATCH', one, { ...shown, title: 'x' }, back), readOnly)
})

t.test('notifications are kept for NOTIFICATIONS_KEEP_DAYS', async (t) => {
  const prune = hourly(t)
  const { app, ada, url, admin } = await boardOf(t)
  await send(app, 'PUT', `${url}/watch`, undefined, ada.headers)
  for (const content of ['1', '2']) await send(app, 'POST', `${url}/comments`, { content }, admin.headers)
  const [newest, oldest] = await toldTo(app, ada)
  age(app, 'notifications', String(oldest?.id), 'created_at')
  prune()
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  t.strictSame(
    (await toldTo(app, ada)).map(({ id }) => id),
    [newest?.id],
  )
})

t.test(
  '500 moved cards that 200 members watch take statements and mails by their sum, not by their product',
  async (t) => {
    const [ITEMS, MEMBERS] = [500, 200]
    const app = await build(t, { authMode: 'required' })
    const admin = memberNamed(app, 'boss', 'admin')
    const project = await createProject(app, {}, admin.headers)
    const ids: string[] = []
    const { $client: client } = app.db
    writeTo(app.db, () => {
      const addMember = client.prepare(
        'insert into members (id, name, email, handle) values (:id, :id, :email, :id)',
      )
      const prefer = client.prepare("insert into member_preferences (member_id, email) values (?, 'each')")
      const addItem = client.prepare(
        "insert into kanban_items (id, project_id, title, \"column\") values (?, ?, 'Card', 'To Do')",
      )
      const watchItem = client.prepare('insert into item_watches (item_id, member_id) values (?, ?)')
      for (let member = 0; member < MEMBERS; member++) {
        addMember.run({ id: `m${member}`, email: `m${member}@watch.test` })
        prefer.run(`m${member}`)
      }
      for (let item = 0; item < ITEMS; item++) {
        ids.push(`item-${item}`)
        addItem.run(`item-${item}`, project.id)
        for (let member = 0; member < MEMBERS; member++) watchItem.run(`item-${item}`, `m${member}`)
      }
    })
    await workedOff(app)
    const { status } = await send(
      app,
      'PATCH',
      '/api/kanban-items',
      { ids, update: { column: 'Elsewhere' } },
      admin.headers,
    )
    t.equal(status, 200)
    const executions = watch(t, app.db.$client)
    await workedOff(app)
    t.strictSame(
      { told: count(app, 'notifications'), queued: count(app, 'mail_queue'), mails: count(app, 'mails') },
      { told: MEMBERS, queued: MEMBERS, mails: MEMBERS },
      'each is told once',
    )
    const most = 2 * ITEMS + 8 * MEMBERS + 100
    t.ok(executions.log.length <= most, `${executions.log.length} statements`)
  },
)
