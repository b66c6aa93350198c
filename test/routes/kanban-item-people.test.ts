/** Several people on a card: `assigneeIds`, of which `assigneeId` is the first. */
import fc from 'fast-check'
import t from 'tap'
import { people } from '../../src/db/schema.ts'
import { memberNamed, toldTo, workedOff } from '../attention/members.ts'
import { sendBatch } from '../batches.ts'
import { activityOf } from '../boards.ts'
import { holdsSequence } from '../changes/replay.ts'
import { type App, build, createItem, createProject, invalid, send, signInAs } from '../helper.ts'
import { steady } from '../rounds.ts'

const PEOPLE = ['ada', 'bob', 'cy', 'dee']

const urlOf = (item: { id: string }) => `/api/kanban-items/${item.id}`

/** An item with its assignees, as GET answers. */
const assigneesOf = async (app: App, item: { id: string }) => {
  const { body } = await send(app, 'GET', urlOf(item))
  return [body.assigneeId, body.assigneeIds]
}

/** The rows of the index of all but the first assignees. */
const indexed = (app: App, item: { id: string }) =>
  app.db.$client
    .prepare('select person_id from kanban_item_assignees where item_id = ? order by person_id')
    .pluck()
    .all(item.id)

/** The ids that a list has with a filter. */
async function listed(app: App, url: string) {
  const { body } = await send(app, 'GET', url)
  return body.map(({ id }: { id: string }) => id)
}

t.test('bodies with assignees are checked', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const items = `/api/projects/${project.id}/kanban-items`
  const twenty = Array.from({ length: 20 }, (_, n) => `p${n}`)
  const disagree = invalid({ assigneeId: ['must be the first of assigneeIds, or null without any'] })
  const rows: [method: 'POST' | 'PATCH', url: string, body: object, status: number, answer: object][] = []
  for (const [method, url, more] of [
    ['POST', items, { title: 'Card' }],
    ['PATCH', urlOf(item), {}],
  ] as const) {
    const status = method === 'POST' ? 201 : 200
    const row = (body: object, expected: number, answer: object): (typeof rows)[number] => [
      method,
      url,
      { ...more, ...body },
      expected,
      answer,
    ]
    rows.push(
      row({ assigneeIds: twenty }, status, { assigneeId: 'p0', assigneeIds: twenty }),
      row({ assigneeIds: ['bob', 'ada'], assigneeId: 'bob' }, status, {
        assigneeId: 'bob',
        assigneeIds: ['bob', 'ada'],
      }),
      row({ assigneeIds: ['ada'] }, status, { assigneeId: 'ada', assigneeIds: ['ada'] }),
      row({ assigneeIds: [], assigneeId: null }, status, { assigneeId: null, assigneeIds: [] }),
      row({ assigneeIds: ['bob', 'ada'], assigneeId: 'ada' }, 400, disagree),
      row({ assigneeIds: [], assigneeId: 'ada' }, 400, disagree),
      row({ assigneeIds: ['ada'], assigneeId: null }, 400, disagree),
      row(
        { assigneeIds: [...twenty, 'p20'] },
        400,
        invalid({ assigneeIds: ['must NOT have more than 20 items'] }),
      ),
    )
    for (const assigneeIds of [['ada', 'ada'], [''], [null], [5], 'ada', null, ['x'.repeat(201)]])
      rows.push(row({ assigneeIds }, 400, { details: { fieldErrors: { assigneeIds: [String] } } }))
  }
  for (const [method, url, body, status, answer] of rows) {
    const sent = `${method} ${JSON.stringify(body).slice(0, 90)}`
    t.match(await send(app, method, url, body), { status, body: answer }, sent)
  }
  const bulk = { ids: [item.id], update: { assigneeIds: ['ada'], assigneeId: 'bob' } }
  t.match(await send(app, 'PATCH', '/api/kanban-items', bulk), {
    status: 400,
    body: invalid({ 'update.assigneeId': ['must be the first of assigneeIds, or null without any'] }),
  })
})

t.test('`me` is the caller among others, too, and once', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const url = `/api/projects/${project.id}/kanban-items`
  const made = await send(app, 'POST', url, { title: 'Card', assigneeIds: ['ada', 'me'] })
  t.match(made.body, { assigneeId: 'ada', assigneeIds: ['ada', 'local'] })
  const first = await send(app, 'PATCH', urlOf(made.body), {
    assigneeId: 'me',
    assigneeIds: ['me', 'local', 'ada'],
  })
  t.strictSame(first.body.assigneeIds, ['local', 'ada'])
  const operations = [
    {
      method: 'PATCH',
      path: '/api/kanban-items',
      body: { ids: [made.body.id], update: { assigneeIds: ['bob', 'me'] } },
    },
  ]
  const batch = await sendBatch(app, operations)
  t.match(batch.body.results, [{ body: [{ assigneeId: 'bob', assigneeIds: ['bob', 'local'] }] }])
  t.strictSame(await listed(app, `${url}?assigneeId=me`), [made.body.id])
})

const person = fc.constantFrom(...PEOPLE)
const several = fc.subarray(PEOPLE).chain((some) => fc.shuffledSubarray(some, { minLength: some.length }))

/** A write of assignees. */
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('patch', 'bulk', 'sql'), first: fc.option(person, { nil: null }) }),
  fc.record({ kind: fc.constantFrom('patch', 'bulk', 'list'), all: several }),
  fc.record({ kind: fc.constantFrom('claim', 'release', 'undo', 'title') }),
)
type Step = { kind: string; first?: string | null; all?: string[] }

t.test('assignees are a list, whoever writes which of its fields', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps: Step[]) => {
      const app = await build(t)
      const { $client: client } = app.db
      const project = await createProject(app)
      const item = await createItem(app, project.id)
      const other = await createItem(app, project.id, { assigneeIds: ['zoe', 'ada'] })
      let now: string[] = []
      /** The list before the newest write of the service, and the write. */
      let undoable: { before: string[]; seq: number } | undefined
      const ask = async (method: 'PATCH' | 'POST' | 'DELETE', url: string, body?: object) => {
        const answer = await send(app, method, url, body)
        return { ...answer, seq: Number(answer.headers['phaseboard-seq']) }
      }
      const write = (fields: object, isBulk: boolean) =>
        isBulk
          ? ask('PATCH', '/api/kanban-items', { ids: [item.id], update: fields })
          : ask('PATCH', urlOf(item), fields)
      for (const { kind, first, all } of steps) {
        const before = now
        if (first !== undefined)
          now = first === null ? [] : [first, ...now.slice(1).filter((id) => id !== first)]
        if (kind === 'sql') {
          client.prepare('update kanban_items set assignee_id = ? where id = ?').run(first, item.id)
          undoable = undefined
        } else if (kind === 'list') {
          const [holder] = now
          const text = JSON.stringify(all)
          client.prepare('update kanban_items set assignee_ids = ? where id = ?').run(text, item.id)
          now = holder === undefined ? [] : [holder, ...(all ?? []).filter((id) => id !== holder)]
          undoable = undefined
        } else if (kind === 'patch' || kind === 'bulk') {
          if (all) now = all
          const { status, seq } = await write(
            first === undefined ? { assigneeIds: all } : { assigneeId: first },
            kind === 'bulk',
          )
          t.equal(status, 200)
          undoable = { before, seq }
        } else if (kind === 'claim') {
          await write({ assigneeId: null, column: 'To Do', sortOrder: -1 }, false)
          await ask('POST', `/api/projects/${project.id}/kanban-items/claim`, {})
          now = ['local']
          undoable = undefined
        } else if (kind === 'release') {
          const { status } = await ask('DELETE', `${urlOf(item)}/claim`)
          if (status === 200) now = []
          undoable = undefined
        } else if (kind === 'title') {
          await write({ title: 'Other' }, false)
          undoable = undefined
        } else if (undoable) {
          const { status, seq } = await ask('POST', `/api/changes/${undoable.seq}/undo`, {})
          if (status === 200) {
            now = undoable.before
            undoable = { before, seq }
          }
        }
        t.strictSame(await assigneesOf(app, item), [now[0] ?? null, now], JSON.stringify(steps))
        t.strictSame(indexed(app, item), now.slice(1).toSorted())
      }
      for (const id of [...PEOPLE, 'local', 'zoe']) {
        const expected = [
          ...(now.includes(id) ? [item.id] : []),
          ...(['zoe', 'ada'].includes(id) ? [other.id] : []),
        ]
        for (const sort of ['sortOrder', '-sortOrder', 'title', '-updatedAt'])
          t.strictSame(
            (await listed(app, `/api/kanban-items?assigneeId=${id}&sort=${sort}`)).toSorted(),
            expected.toSorted(),
            id,
          )
        const paged = await listed(
          app,
          `/api/projects/${project.id}/kanban-items?limit=10&assigneeId=${id}&assigneeId=nobody`,
        )
        t.strictSame(paged.toSorted(), expected.toSorted())
      }
      t.strictSame(await listed(app, '/api/kanban-items?assigneeId=none'), now.length === 0 ? [item.id] : [])
      holdsSequence(client)
    }),
    { ...steady, numRuns: 25 },
  )
})

t.test('pages of an assignee are in order, first or not', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const titles = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  for (const [index, title] of titles.entries()) {
    const assigneeIds = index % 2 === 0 ? ['ada'] : ['bob', 'ada']
    await createItem(app, project.id, { title, assigneeIds, priority: index < 4 ? 'high' : 'low' })
  }
  await createItem(app, project.id, { title: 'x', assigneeIds: ['bob', 'cy'] })
  const all = async (url: string) => {
    const found: string[] = []
    for (let next: string | undefined = url; next !== undefined; ) {
      const answer = await send(app, 'GET', next)
      found.push(...answer.body.map(({ title }: { title: string }) => title))
      next = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1]
    }
    return found.join('')
  }
  for (const base of [`/api/projects/${project.id}/kanban-items`, '/api/kanban-items']) {
    t.equal(await all(`${base}?assigneeId=ada&limit=2`), 'abcdefg')
    t.equal(await all(`${base}?assigneeId=ada&limit=3&sort=-sortOrder`), 'gfedcba')
    t.equal(await all(`${base}?assigneeId=ada&limit=2&sort=-title`), 'gfedcba')
    t.equal(await all(`${base}?assigneeId=ada&limit=2&priority=high`), 'abcd')
    t.equal(await all(`${base}?assigneeId=ada&assigneeId=cy&limit=2`), 'abcdefgx')
  }
})

t.test('the activity names the first; changes have all, also where only the first is stored', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id, { assigneeId: 'ada' })
  const changeAfter = async (body: object) => {
    const answer = await send(app, 'PATCH', urlOf(item), body)
    const { body: feed } = await send(
      app,
      'GET',
      `/api/changes?after=${Number(answer.headers['phaseboard-seq']) - 1}`,
    )
    const { before, after } = feed.changes.at(-1)
    return [before, after].map(({ assigneeId, assigneeIds }) => ({ assigneeId, assigneeIds }))
  }
  t.strictSame(await changeAfter({ assigneeIds: ['ada', 'bob'] }), [
    { assigneeId: undefined, assigneeIds: ['ada'] },
    { assigneeId: undefined, assigneeIds: ['ada', 'bob'] },
  ])
  t.strictSame(await changeAfter({ assigneeId: 'cy' }), [
    { assigneeId: 'ada', assigneeIds: ['ada', 'bob'] },
    { assigneeId: 'cy', assigneeIds: ['cy', 'bob'] },
  ])
  t.strictSame(await changeAfter({ assigneeIds: ['cy'] }), [
    { assigneeId: undefined, assigneeIds: ['cy', 'bob'] },
    { assigneeId: undefined, assigneeIds: ['cy'] },
  ])
  t.strictSame(await changeAfter({ assigneeId: null }), [
    { assigneeId: 'cy', assigneeIds: ['cy'] },
    { assigneeId: null, assigneeIds: [] },
  ])
  const entries = (await activityOf(app, item.id)) as unknown as { type: string; metadata: unknown }[]
  t.strictSame(entries.length, 2)
})

t.test('a removal of others is undone around a newer first one', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id, { assigneeIds: ['ada', 'bob', 'cy'] })
  const removed = await send(app, 'PATCH', urlOf(item), { assigneeIds: ['ada'] })
  await send(app, 'PATCH', urlOf(item), { assigneeId: 'dee' })
  t.match(await send(app, 'POST', `/api/changes/${removed.headers['phaseboard-seq']}/undo`, {}), {
    status: 200,
  })
  t.strictSame(await assigneesOf(app, item), ['dee', ['dee', 'bob', 'cy']])
})

t.test('a claim that has lapsed takes the first place, and its release unassigns all', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id, { assigneeIds: ['ada', 'bob'] })
  const claim = () => send(app, 'POST', `/api/projects/${project.id}/kanban-items/claim`, {})
  t.equal((await claim()).status, 204, 'an item with any assignee is not free')
  await send(app, 'PATCH', urlOf(item), { assigneeId: null })
  t.match((await claim()).body, { id: item.id, assigneeIds: ['local'] })
  const helped = await send(app, 'PATCH', urlOf(item), { assigneeIds: ['local', 'bob'] })
  t.type(helped.body.claimedUntil, 'string', 'others do not end the lease')
  app.db.$client
    .prepare("update kanban_items set claimed_until = '2001-01-01T00:00:00.000Z', assignee_id = 'ada'")
    .run()
  t.match((await claim()).body, { assigneeIds: ['local', 'bob'] })
  t.match(await send(app, 'DELETE', `${urlOf(item)}/claim`), { body: { assigneeId: null, assigneeIds: [] } })
})

t.test('what other tools store reads as a list', async (t) => {
  const app = await build(t)
  const { $client: client } = app.db
  const project = await createProject(app)
  const item = await createItem(app, project.id, { assigneeId: 'ada' })
  for (const [text, ids] of [
    ['["ada","bob",5,null,"bob",""]', ['ada', 'bob']],
    ['["bob","cy"]', ['ada', 'bob', 'cy']],
    ['[7,"bob"]', ['ada', 'bob']],
    ['{"a":"bob"}', ['ada']],
    ['nonsense', ['ada']],
    ['', ['ada']],
    [null, ['ada']],
    [Buffer.from('["ada","bob"]'), ['ada']],
  ] as const) {
    client.prepare('update kanban_items set assignee_ids = ? where id = ?').run(text, item.id)
    t.strictSame(await assigneesOf(app, item), ['ada', ids], String(text))
    t.strictSame(indexed(app, item), ids.slice(1))
  }
  client.prepare('update kanban_items set assignee_ids = ? where id = ?').run('["ada","bob"]', item.id)
  client.prepare("update kanban_items set id = 'renamed' where id = ?").run(item.id)
  t.strictSame(await listed(app, '/api/kanban-items?assigneeId=bob'), ['renamed'])
  client.exec("delete from kanban_items where id = 'renamed'")
  t.strictSame(await listed(app, '/api/kanban-items?assigneeId=bob'), [])
  const insert = client.prepare(
    "insert or replace into kanban_items (id, project_id, title, assignee_id, assignee_ids) values ('new', ?, 'Card', ?, ?)",
  )
  insert.run(project.id, 'ada', '["bob","cy"]')
  t.strictSame(await assigneesOf(app, { id: 'new' }), ['ada', ['ada', 'bob', 'cy']])
  insert.run(project.id, '', '["bob","cy"]')
  t.strictSame(await assigneesOf(app, { id: 'new' }), ['', []])
  t.strictSame(await listed(app, '/api/kanban-items?assigneeId=bob'), [])
})

t.test('people are merged in lists, and each is there once', async (t) => {
  const app = await build(t)
  app.db
    .insert(people)
    .values([
      { id: 'p1', name: 'Ann', kind: 'import' },
      { id: 'p2', name: 'Ann B', kind: 'import' },
    ])
    .run()
  const { headers } = signInAs(app, 'admin')
  const project = await createProject(app)
  const lists = [['p1'], ['ada', 'p1'], ['p1', 'p2'], ['p2', 'ada', 'p1'], ['ada', 'bob']]
  const items = await Promise.all(lists.map((assigneeIds) => createItem(app, project.id, { assigneeIds })))
  const all = () => Promise.all(items.map(async (item) => (await assigneesOf(app, item))[1]))
  const merged = await send(app, 'POST', '/api/people/p1/merge', { into: 'p2' }, headers)
  t.match(merged, { status: 200, body: { counts: { kanbanItems: 4 } } })
  t.strictSame(await all(), [['p2'], ['ada', 'p2'], ['p2'], ['p2', 'ada'], ['ada', 'bob']])
  t.strictSame((await listed(app, '/api/kanban-items?assigneeId=p2')).length, 4)
  t.equal((await send(app, 'POST', `/api/changes/${merged.body.group}/undo`, {}, headers)).status, 200)
  t.strictSame(await all(), lists)
  holdsSequence(app.db.$client)
})

t.test('whoever is added is told and watches, and only they', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const [admin, ada, bob, cy] = [
    memberNamed(app, 'boss', 'admin'),
    memberNamed(app, 'ada'),
    memberNamed(app, 'bob'),
    memberNamed(app, 'cy'),
  ]
  const project = await createProject(app, {}, admin.headers)
  const item = await createItem(
    app,
    project.id,
    { title: 'Card', assigneeIds: ['ada', 'bob'] },
    admin.headers,
  )
  await workedOff(app)
  const told = async (one: { headers: Record<string, string> }) =>
    (await toldTo(app, one)).map(({ kind }) => kind).join()
  t.strictSame([await told(ada), await told(bob)], ['assigned', 'assigned'])
  await send(app, 'PATCH', urlOf(item), { assigneeIds: ['bob', 'ada', 'cy'] }, admin.headers)
  await workedOff(app)
  t.strictSame([await told(ada), await told(bob), await told(cy)], ['assigned', 'assigned', 'assigned'])
  await send(app, 'PATCH', urlOf(item), { column: 'Done' }, admin.headers)
  await workedOff(app)
  t.equal(await told(cy), 'moved,assigned')
  const watch = await send(app, 'GET', `${urlOf(item)}/watch`, undefined, cy.headers)
  t.match(watch, { body: { watching: true } })
})

t.test('being assigned gives no access to the project', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = memberNamed(app, 'boss', 'admin')
  const ada = memberNamed(app, 'ada')
  const project = await createProject(app, { access: 'assigned' }, admin.headers)
  const item = await createItem(app, project.id, { assigneeIds: ['boss', 'ada'] }, admin.headers)
  t.equal((await send(app, 'GET', urlOf(item), undefined, ada.headers)).status, 404)
  t.strictSame((await send(app, 'GET', '/api/kanban-items?assigneeId=me', undefined, ada.headers)).body, [])
  t.equal(
    (await send(app, 'GET', '/api/kanban-items?assigneeId=ada', undefined, admin.headers)).body.length,
    1,
  )
})

t.test('the flow, the names of a board and the calendar count all of them', async (t) => {
  const app = await build(t)
  app.db.insert(people).values({ id: 'bob', name: 'Bob', kind: 'host' }).run()
  const project = await createProject(app)
  const kept = await createItem(app, project.id, { assigneeIds: ['ada', 'bob'], dueDate: '2027-03-01' })
  const deleted = await createItem(app, project.id, { assigneeIds: ['ada', 'bob'] })
  for (const item of [kept, deleted]) await send(app, 'PATCH', urlOf(item), { column: 'Done' })
  await send(app, 'DELETE', urlOf(deleted))
  const flowOf = async (who: string) =>
    JSON.stringify((await send(app, 'GET', `/api/projects/${project.id}/flow?assigneeId=${who}`)).body)
  t.not(await flowOf('bob'), await flowOf('cy'))
  t.equal(await flowOf('bob'), await flowOf('ada'))
  const expanded = await send(app, 'GET', `${urlOf(kept)}?expand=people`)
  t.match(expanded.body.people, { bob: 'Bob' })
  const calendar = await send(app, 'GET', '/api/calendar.ics?assigneeId=bob')
  t.match(calendar.body, /BEGIN:VEVENT/)
})
