import t from 'tap'
import {
  activityOf,
  boardWith,
  columnNamed,
  columnNames,
  createCards,
  everything,
  limit,
  readTokenOf,
  titlesIn,
} from '../boards.ts'
import {
  type App,
  build,
  createItem,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  type Row,
  readOnly,
  send,
  signInAs,
  stored,
} from '../helper.ts'

type Headers = Record<string, string>

const claimUrl = (projectId: string) => `/api/projects/${projectId}/kanban-items/claim`
const urlOf = (id: string | undefined) => `/api/kanban-items/${id}/claim`
const isFull = { error: 'Column is at its WIP limit' }
const notClaimed = { error: 'Kanban item is not claimed' }
const anothers = { error: 'Kanban item is claimed by another member' }
const strict = { prefer: 'handling=strict' }

const claim = (app: App, projectId: string, body?: object, headers?: Headers) =>
  send(app, 'POST', claimUrl(projectId), body, headers)

/** Makes the lease of an item expire. */
const lapse = (app: App, id: string | undefined) =>
  app.db.$client.prepare('update kanban_items set claimed_until = ? where id = ?').run(LONG_AGO, id)

/** Whether an item has a lease, in responses and in the database. */
const isHeld = (app: App, id: string | undefined) => {
  const { claimed_until: until, claimed_from: from } = stored(app, 'kanban_items', id as string)
  if ((until === null) !== (from === '')) throw new Error('one without the other')
  return until !== null
}

t.test('a claim takes the first item, and the next claim the second', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'ab')
  await createItem(app, projectId, { title: 'x', column: 'In Progress' })
  const before = Date.now()
  const first = await claim(app, projectId)
  t.equal(first.status, 200)
  t.match(first.body, { id: ids.a, column: 'In Progress', sortOrder: 2, assigneeId: 'local' })
  const left = Date.parse(first.body.claimedUntil) - before
  t.ok(left >= 900_000 && left < 960_000, 'for a quarter of an hour')
  t.match(first.headers, { etag: /^"/, 'phaseboard-seq': /^\d+$/ })
  t.notOk('claimedFrom' in first.body)
  t.strictSame(activityOf(app, ids.a as string), [
    ['status_change', 'To Do', 'In Progress', 'local'],
    ['assignment', '', 'local', 'local'],
  ])
  t.strictSame((await send(app, 'GET', `/api/kanban-items/${ids.a}`)).body, first.body)
  t.strictSame(
    (await send(app, 'GET', `/api/projects/${projectId}`)).body.kanbanItems.find(
      ({ id }: { id: string }) => id === ids.a,
    ),
    first.body,
  )
  t.equal((await claim(app, projectId, { leaseSeconds: 86_400 })).body.id, ids.b)
  const none = await claim(app, projectId)
  t.strictSame([none.status, none.body, none.headers['phaseboard-seq']], [204, '', undefined])
  t.equal(none.headers['content-type'], undefined)
})

t.test('a claim matches its filters, and skips items that cannot be worked on', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'abcdef')
  const patch = (id: string | undefined, body: object) => send(app, 'PATCH', `/api/kanban-items/${id}`, body)
  await patch(ids.a, { approved: false })
  await patch(ids.b, { dismissed: true })
  await patch(ids.c, { assigneeId: 'ada' })
  await patch(ids.d, { assigneeId: '' })
  await patch(ids.f, { priority: 'high' })
  const label = (await send(app, 'POST', `/api/projects/${projectId}/kanban-labels`, { name: 'Bug' })).body
  await send(app, 'PUT', `/api/kanban-items/${ids.e}/labels/${label.id}`)
  const claimed = async (body: object) => {
    const { status, body: item } = await claim(app, projectId, body)
    if (status === 200) await send(app, 'DELETE', urlOf(item.id))
    return status === 200 ? item.title : status
  }
  t.equal(await claimed({}), 'd', 'the empty text is nobody, too')
  t.equal(await claimed({ label: 'Bug' }), 'e')
  t.equal(await claimed({ label: label.id }), 'e')
  t.equal(await claimed({ label: 'Idea' }), 204)
  t.equal(await claimed({ priority: 'high' }), 'f')
  t.equal(await claimed({ priority: 'high', label: 'Bug' }), 204)
  t.equal(await claimed({ from: 'Review' }), 204)
  const other = await createProject(app)
  await createItem(app, other.id)
  await send(app, 'POST', `/api/projects/${other.id}/kanban-labels`, { name: 'Idea' })
  t.equal(await claimed({ label: 'Idea' }), 204, "another project's label is none")
})

t.test('the order of checks', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'a')
  const none = { error: 'Kanban item not found' }
  const noProject = { error: 'Project not found' }
  const integer = ['must be integer']
  const rows: Row[] = [
    ['POST', claimUrl('none'), '{oops', 500, { error: 'Failed to claim kanban item' }],
    ['POST', claimUrl('none'), { leaseSeconds: '60' }, 400, invalid({ leaseSeconds: integer })],
    [
      'POST',
      claimUrl('none'),
      { from: '' },
      400,
      invalid({ from: ['must NOT have fewer than 1 characters'] }),
    ],
    ['POST', claimUrl('none'), { leaseSeconds: 29 }, 400, invalid({ leaseSeconds: ['must be >= 30'] })],
    [
      'POST',
      claimUrl('none'),
      { leaseSeconds: 86_401 },
      400,
      invalid({ leaseSeconds: ['must be <= 86400'] }),
    ],
    ['POST', claimUrl('none'), {}, 404, noProject],
    ['POST', `${urlOf('none')}/renew`, '{oops', 500, { error: 'Failed to renew claim' }],
    ['POST', `${urlOf('none')}/renew`, { leaseSeconds: 30.5 }, 400, invalid({ leaseSeconds: integer })],
    ['POST', `${urlOf('none')}/renew`, {}, 404, none],
    ['POST', `${urlOf(ids.a)}/renew`, {}, { 'if-match': '"x"' }, 412, { error: 'Precondition failed' }],
    ['POST', `${urlOf(ids.a)}/renew`, {}, 409, notClaimed],
    ['DELETE', urlOf('none'), 404, none],
    ['DELETE', urlOf(ids.a), undefined, { 'if-match': '"x"' }, 412, { error: 'Precondition failed' }],
    ['DELETE', urlOf(ids.a), 409, notClaimed],
    ['POST', claimUrl(projectId), { from: 'Nowhere' }, 204, ''],
  ]
  const before = everything(app)
  await holds(t, app, rows)
  t.strictSame(everything(app), before, 'nothing has changed')
})

t.test('a strict claim creates no column; any other one does', async (t) => {
  const { app, projectId } = await boardWith(t, 'a')
  const column = ['must be the name of a column of the project']
  await holds(t, app, [
    ['POST', claimUrl(projectId), { from: 'Nowhere' }, strict, 400, invalid({ from: column })],
    ['POST', claimUrl(projectId), { to: 'Nowhere' }, strict, 400, invalid({ to: column })],
    ['POST', claimUrl(projectId), { from: 'A', to: 'B' }, strict, 400, invalid({ from: column, to: column })],
  ])
  t.equal((await claim(app, projectId, { to: 'Doing' })).body.column, 'Doing')
  t.strictSame(await columnNames(app, projectId), ['To Do', 'In Progress', 'Review', 'Doing', 'Done'])
})

t.test('a claim respects WIP limits, and a release only warns about them', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'ab')
  await limit(app, projectId, 'In Progress', 1, 'warn')
  t.notOk((await claim(app, projectId)).body.warnings)
  t.strictSame((await claim(app, projectId)).body.warnings, [
    'Column "In Progress" is above its WIP limit of 1',
  ])
  await createCards(app, projectId, 'c')
  await limit(app, projectId, 'In Progress', 1)
  const refused = await claim(app, projectId)
  t.strictSame([refused.status, refused.body], [409, isFull])
  await limit(app, projectId, 'To Do', 1)
  const back = await send(app, 'DELETE', urlOf(ids.b))
  t.equal(back.status, 200)
  t.strictSame(back.body.warnings, ['Column "To Do" is above its WIP limit of 1'])
})

t.test('the holder renews and releases a claim, and admins release it, too', async (t) => {
  const app = await build(t, { authMode: 'required', adminPassword: 'correct horse' })
  const [ada, bob, viewer, admin] = (['member', 'member', 'viewer', 'admin'] as const).map((role) =>
    signInAs(app, role),
  ) as [
    ReturnType<typeof signInAs>,
    ReturnType<typeof signInAs>,
    ReturnType<typeof signInAs>,
    ReturnType<typeof signInAs>,
  ]
  const { id: projectId } = await createProject(app, {}, ada.headers)
  const { id } = await createItem(app, projectId, { title: 'a' }, ada.headers)
  await createItem(app, projectId, { title: 'b' }, ada.headers)
  const refusals = ([headers, refusal]: [Headers, object]): Row[] => [
    ['POST', claimUrl('none'), '{oops', headers, 403, refusal],
    ['POST', `${urlOf('none')}/renew`, '{oops', headers, 403, refusal],
    ['DELETE', urlOf('none'), undefined, headers, 403, refusal],
  ]
  await holds(t, app, [
    ...refusals([viewer.headers, readOnly]),
    ...refusals([readTokenOf(app, ada.id), { error: 'Forbidden: read-only token' }]),
  ])

  const { body: held } = await claim(app, projectId, {}, ada.headers)
  t.strictSame([held.id, held.assigneeId], [id, ada.id])
  await holds(t, app, [
    ['POST', `${urlOf(id)}/renew`, {}, bob.headers, 409, anothers],
    ['POST', `${urlOf(id)}/renew`, {}, admin.headers, 409, anothers],
    ['DELETE', urlOf(id), undefined, bob.headers, 403, { error: "Forbidden: another member's claim" }],
  ])
  const renewed = await send(app, 'POST', `${urlOf(id)}/renew`, { leaseSeconds: 3600 }, ada.headers)
  t.ok(renewed.body.claimedUntil > held.claimedUntil)
  t.strictSame(
    { ...renewed.body, claimedUntil: '', updatedAt: '' },
    { ...held, claimedUntil: '', updatedAt: '' },
    'nothing else has changed',
  )
  lapse(app, id)
  t.equal((await send(app, 'POST', `${urlOf(id)}/renew`, undefined, ada.headers)).status, 200)
  t.equal((await claim(app, projectId, {}, bob.headers)).body.title, 'b', 'it is held again')
  lapse(app, id)
  t.equal((await claim(app, projectId, {}, bob.headers)).body.id, id, 'a lapsed lease frees it')
  await holds(t, app, [
    ['POST', `${urlOf(id)}/renew`, {}, ada.headers, 409, anothers],
    ['DELETE', urlOf(id), undefined, ada.headers, 403, { error: "Forbidden: another member's claim" }],
  ])
  const back = await send(app, 'DELETE', urlOf(id), undefined, admin.headers)
  t.match(back.body, { column: 'To Do', sortOrder: 1, assigneeId: null, claimedUntil: null })
  t.equal(isHeld(app, id), false)
})

t.test('a release returns the item to its origin, despite changes of item and column', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'abc')
  await claim(app, projectId)
  await claim(app, projectId)
  await send(app, 'POST', `/api/kanban-items/${ids.b}/move`, { column: 'Review' })
  t.equal(isHeld(app, ids.b), true, 'a move is no end of a lease')
  await send(app, 'DELETE', urlOf(ids.b))
  await send(app, 'DELETE', urlOf(ids.a))
  t.equal(await titlesIn(app, projectId), 'abc')

  await claim(app, projectId)
  const todo = await columnNamed(app, projectId, 'To Do')
  await send(app, 'PATCH', `/api/kanban-columns/${todo.id}`, { name: 'Backlog' })
  lapse(app, ids.a)
  t.equal((await claim(app, projectId, { from: 'Backlog' })).body.id, ids.a, 'the renamed column is followed')
  t.equal((await send(app, 'DELETE', urlOf(ids.a))).body.column, 'Backlog')

  await claim(app, projectId, { from: 'Backlog' })
  await send(app, 'DELETE', `/api/kanban-columns/${todo.id}?moveTo=Review`)
  t.match((await send(app, 'DELETE', urlOf(ids.a))).body, { column: 'Backlog', sortOrder: 1 })
  t.ok((await columnNames(app, projectId)).includes('Backlog'), 'the column is there again')

  await claim(app, projectId, { from: 'Backlog' })
  for (const nonsense of ['oops', '{"column":5}', '{"column":"","sortOrder":1}', 'null']) {
    app.db.$client.exec(`update kanban_items set claimed_from = '${nonsense}', assignee_id = 'local',
      claimed_until = '${LONG_AGO}' where id = '${ids.a}'`)
    t.equal((await claim(app, projectId, { from: 'Backlog' })).status, 204)
    t.match((await send(app, 'DELETE', urlOf(ids.a))).body, { column: 'In Progress', assigneeId: null })
  }
})

t.test('the lease ends when the work changes, and only then', async (t) => {
  const { app, projectId } = await boardWith(t, '')
  const other = await createProject(app)
  const review = await columnNamed(app, projectId, 'Review')
  const path = (id: string) => `/api/kanban-items/${id}`
  const reorder = (id: string, column: string) =>
    send(app, 'POST', `/api/projects/${projectId}/kanban-items/reorder`, {
      items: [{ id, column, sortOrder: 3 }],
    })
  const ENDS: Record<string, (id: string) => Promise<unknown>> = {
    'a PATCH to the last column': (id) => send(app, 'PATCH', path(id), { column: 'Done' }),
    'a PATCH of the assignee': (id) => send(app, 'PATCH', path(id), { assigneeId: 'ada' }),
    'a PATCH to nobody': (id) => send(app, 'PATCH', path(id), { assigneeId: null }),
    'a PATCH that dismisses it': (id) => send(app, 'PATCH', path(id), { dismissed: true }),
    'a PATCH of several': (id) =>
      send(app, 'PATCH', '/api/kanban-items', { ids: [id], update: { column: 'Done' } }),
    'a PATCH of several to somebody': (id) =>
      send(app, 'PATCH', '/api/kanban-items', { ids: [id], update: { assigneeId: 'ada' } }),
    'a move to the last column': (id) => send(app, 'POST', `${path(id)}/move`, { column: 'Done' }),
    'a move to another project': (id) => send(app, 'POST', `${path(id)}/move`, { projectId: other.id }),
    'a reorder into the last column': (id) => reorder(id, 'Done'),
  }
  const LASTS: Record<string, (id: string) => Promise<unknown>> = {
    'a PATCH of its texts': (id) =>
      send(app, 'PATCH', path(id), { title: 'New', assigneeId: 'local', dismissed: false }),
    'a PATCH to another column': (id) => send(app, 'PATCH', path(id), { column: 'Review' }),
    'a reorder into another column': (id) => reorder(id, 'Review'),
    'an empty PATCH': (id) => send(app, 'PATCH', path(id), {}),
    'a new name of its column': () =>
      send(app, 'PATCH', `/api/kanban-columns/${review.id}`, { name: 'Checks' }),
  }
  for (const [name, act] of [...Object.entries(ENDS), ...Object.entries(LASTS)]) {
    await createItem(app, projectId)
    const { body: item } = await claim(app, projectId)
    t.equal(isHeld(app, item.id), true)
    await act(item.id)
    t.equal(isHeld(app, item.id), name in LASTS, name)
    await send(app, 'DELETE', path(item.id))
  }
  await createItem(app, projectId)
  const { body: item } = await claim(app, projectId, { to: 'Checks' })
  await send(app, 'DELETE', `/api/kanban-columns/${review.id}?moveTo=Done`)
  t.equal(isHeld(app, item.id), false, 'the deletion of its column, which moves it to the last one')
})

t.test('an item that a claim moved into the last column can be claimed again', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'a')
  const done = { to: 'Done' }
  t.equal((await claim(app, projectId, done)).body.column, 'Done')
  t.equal(isHeld(app, ids.a), true)
  await send(app, 'POST', `/api/projects/${projectId}/kanban-items/reorder`, {
    items: [{ id: ids.a, column: 'Done', sortOrder: 9 }],
  })
  t.equal(isHeld(app, ids.a), true, 'it was there already')
  lapse(app, ids.a)
  t.equal((await claim(app, projectId)).status, 204, 'elsewhere it would be done')
  t.equal((await claim(app, projectId, done)).body.id, ids.a)
})

t.test('an expired item is claimed again at its place', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'abc')
  for (const id of [ids.a, ids.b]) t.equal((await claim(app, projectId)).body.id, id)
  for (const id of [ids.a, ids.b]) {
    lapse(app, id)
    await send(app, 'POST', `/api/kanban-items/${id}/move`, { column: 'Review' })
  }
  await send(app, 'POST', `/api/kanban-items/${ids.a}/move`, { column: 'To Do', afterId: ids.c })
  t.equal((await claim(app, projectId, { from: 'Review' })).body.id, ids.b, 'it is in that column, too')
  await send(app, 'DELETE', urlOf(ids.b))
  t.equal(await titlesIn(app, projectId, 'Review'), 'b')
  t.equal((await claim(app, projectId)).body.id, ids.a)
  t.equal((await claim(app, projectId)).body.id, ids.c)
})

t.test('a repeated claim returns the same item, or none again', async (t) => {
  const { app, projectId, ids } = await boardWith(t, '')
  const key = (name: string) => ({ 'idempotency-key': name })
  t.equal((await claim(app, projectId, {}, key('none'))).status, 204)
  Object.assign(ids, await createCards(app, projectId, 'ab'))
  const again = await claim(app, projectId, {}, key('none'))
  t.strictSame([again.status, again.body, again.headers['idempotent-replayed']], [204, '', 'true'])
  const first = await claim(app, projectId, {}, key('first'))
  const second = await claim(app, projectId, {}, key('first'))
  t.equal(first.body.id, ids.a)
  t.strictSame([second.status, second.body], [first.status, first.body])
  t.equal(second.headers.etag, first.headers.etag)
})

t.test('a batch can claim, too', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'a')
  const path = claimUrl(projectId)
  const requests = [
    { method: 'POST', path, as: 'card' },
    { method: 'PATCH', path: '/api/kanban-items/{{card.id}}', body: { title: 'Mine' } },
    { method: 'POST', path },
  ]
  const { status, body } = await send(app, 'POST', '/api/batch', { requests })
  t.equal(status, 200)
  t.match(body.results, [{ status: 200, body: { id: ids.a } }, { status: 200, body: { title: 'Mine' } }, {}])
  t.strictSame(body.results[2], { status: 204, body: null })
  const none = await send(app, 'POST', '/api/batch', { requests })
  t.match(none, { status: 400, body: { details: { request: 1 } } }, 'none has no id')
})

t.test('changes show the lease, and an undo restores it; the origin is never shown', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'a')
  const undo = async (seq: unknown) => send(app, 'POST', `/api/changes/${seq}/undo`)
  const { headers, body: held } = await claim(app, projectId)
  const from = stored(app, 'kanban_items', ids.a as string).claimed_from
  t.equal(from, '{"column":"To Do","sortOrder":1}')
  const done = await send(app, 'PATCH', `/api/kanban-items/${ids.a}`, { column: 'Done' })
  t.equal(isHeld(app, ids.a), false)
  t.equal((await undo(done.headers['phaseboard-seq'])).status, 200)
  t.match(stored(app, 'kanban_items', ids.a as string), {
    claimed_until: held.claimedUntil,
    claimed_from: from,
  })
  t.equal((await undo(headers['phaseboard-seq'])).status, 200)
  t.equal(isHeld(app, ids.a), false)
  t.equal(await titlesIn(app, projectId), 'a')

  const feed = await send(app, 'GET', '/api/changes?kind=kanban-item&limit=1000')
  const leaseChanges = feed.body.changes.filter(
    ({ after }: { after: object }) => 'claimedUntil' in (after ?? {}),
  )
  t.equal(leaseChanges.length, 5, 'its creation, and four times its lease')
  for (const text of [feed, await send(app, 'GET', `/api/kanban-items/${ids.a}/changes`)]) {
    t.notMatch(JSON.stringify(text.body), 'claimedFrom')
  }
  await claim(app, projectId)
  await send(app, 'DELETE', `/api/kanban-items/${ids.a}`)
  t.notMatch(JSON.stringify((await send(app, 'GET', '/api/changes?after=15&limit=1000')).body), 'claimedFrom')
})

t.test('an undo of older changes ends a lease, and conflicts do not show its fields', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'a')
  const path = `/api/kanban-items/${ids.a}`
  const assigned = await send(app, 'PATCH', path, { assigneeId: 'local' })
  await send(app, 'PATCH', path, { assigneeId: null })
  const claimed = await claim(app, projectId)
  t.equal((await send(app, 'POST', `/api/changes/${assigned.headers['phaseboard-seq']}/undo`)).status, 200)
  t.equal(isHeld(app, ids.a), false)

  await send(app, 'POST', `${path}/move`, { column: 'To Do' })
  const again = await claim(app, projectId)
  const todo = await columnNamed(app, projectId, 'To Do')
  const renamed = await send(app, 'PATCH', `/api/kanban-columns/${todo.id}`, { name: 'Backlog' })
  const { body } = await send(app, 'POST', `/api/changes/${again.headers['phaseboard-seq']}/undo`)
  t.strictSame(body.details.conflicts, [{ kind: 'kanban-item', id: ids.a, field: 'claimedUntil' }])
  t.not(claimed.body.claimedUntil, null)

  await createCards(app, projectId, 'b', { column: 'Backlog' })
  const { body: other } = await claim(app, projectId, { from: 'Backlog' })
  t.equal((await send(app, 'POST', `/api/changes/${renamed.headers['phaseboard-seq']}/undo`)).status, 200)
  t.equal((await send(app, 'DELETE', urlOf(other.id))).body.column, 'To Do', 'what was claimed since follows')
})
