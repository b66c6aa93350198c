import t from 'tap'
import {
  ageItems,
  boardOn,
  boardWith,
  columnNamed,
  columnNames,
  createCards,
  everything,
  limit,
  titlesIn,
} from '../boards.ts'
import { type Answer, type App, build, createItem, createProject, send, writeIn } from '../helper.ts'

const isFull = { error: 'Column is at its WIP limit' }
const tooMany = (wipLimit: number, column = 'Review') => [
  `Column "${column}" is above its WIP limit of ${wipLimit}`,
]

/** The ids that the cases need to move an item into review. */
interface Scene {
  app: App
  projectId: string
  /** A card in To Do. */
  a: string
  /** A dismissed card in review. */
  hidden: string
  /** A dismissed card in To Do. */
  aside: string
  /** A card in To Do of another project. */
  foreign: string
  /** A card in review of another project. */
  namesake: string
}

const patch = (app: App, id: string, body: object) => send(app, 'PATCH', `/api/kanban-items/${id}`, body)
const bulk = (app: App, ids: unknown[], update: object) =>
  send(app, 'PATCH', '/api/kanban-items', { ids, update })
const move = (app: App, id: string | undefined, body: object) =>
  send(app, 'POST', `/api/kanban-items/${id}/move`, body)
const reorder = (app: App, projectId: string, places: [string | undefined, string][]) =>
  send(app, 'POST', `/api/projects/${projectId}/kanban-items/reorder`, {
    items: places.map(([id, column], sortOrder) => ({ id, column, sortOrder })),
  })

/** Each way to add one item to review. It returns the item, or a list with only that item. */
const waysIn: Record<string, (scene: Scene) => Promise<Answer>> = {
  'creating it': ({ app, projectId }) =>
    send(app, 'POST', `/api/projects/${projectId}/kanban-items`, { title: 'new', column: 'Review' }),
  'changing it': ({ app, a }) => patch(app, a, { column: 'Review', title: 'A', priority: 'low' }),
  'changing it among others': ({ app, a }) => bulk(app, [a], { column: 'Review', priority: 'low' }),
  'moving it': ({ app, a }) => move(app, a, { column: 'Review', position: 'top' }),
  'moving it from another project': ({ app, projectId, foreign }) =>
    move(app, foreign, { projectId, column: 'Review' }),
  'moving it from the column of that name in another project': ({ app, projectId, namesake }) =>
    move(app, namesake, { projectId }),
  'reordering it': ({ app, projectId, a }) => reorder(app, projectId, [[a, 'Review']]),
  'not dismissing it any more': ({ app, hidden }) => patch(app, hidden, { dismissed: false }),
  'not dismissing it any more, among others': ({ app, hidden }) => bulk(app, [hidden], { dismissed: false }),
  'not dismissing it any more, and changing its column': ({ app, aside }) =>
    patch(app, aside, { dismissed: false, column: 'Review' }),
}

/** A board whose review column has two cards, and some dismissed ones, which do not count. */
async function sceneOf(app: App): Promise<Scene> {
  const { projectId, ids } = await boardOn(app, 'a')
  await createCards(app, projectId, 'xy', { column: 'Review' })
  const dismissed = { column: 'Review', dismissed: true }
  const { h } = await createCards(app, projectId, 'hij', dismissed)
  const { s } = await createCards(app, projectId, 's', { dismissed: true })
  const other = await boardOn(app, 'f')
  const { n } = await createCards(app, other.projectId, 'n', { column: 'Review' })
  return {
    app,
    projectId,
    a: String(ids.a),
    hidden: String(h),
    aside: String(s),
    foreign: String(other.ids.f),
    namesake: String(n),
  }
}

for (const [way, bringIn] of Object.entries(waysIn)) {
  t.test(way, async (t) => {
    const app = await build(t)

    t.test('into a full blocking column is 409, and changes nothing', async (t) => {
      const scene = await sceneOf(app)
      for (const wipLimit of [2, 1]) {
        await limit(app, scene.projectId, 'Review', wipLimit)
        const before = everything(app)
        const { status, body } = await bringIn(scene)
        t.strictSame([status, body], [409, isFull])
        t.strictSame(everything(app), before)
      }
    })

    t.test('into a full warning column returns warnings', async (t) => {
      const scene = await sceneOf(app)
      await limit(app, scene.projectId, 'Review', 2, 'warn')
      const { status, body } = await bringIn(scene)
      const [item] = [body].flat()
      t.ok(status === 200 || status === 201)
      t.strictSame(item.warnings, tooMany(2))
      const { warnings: _, ...rest } = item
      t.strictSame(
        (await send(app, 'GET', `/api/kanban-items/${item.id}`)).body,
        rest,
        'and in no other answer',
      )
    })

    t.test('into a column that is full only afterwards, or has no limit, is an ordinary write', async (t) => {
      for (const [wipLimit, policy] of [
        [3, 'block'],
        [3, 'warn'],
        [0, 'block'],
        [0, 'warn'],
        [Number.MAX_SAFE_INTEGER, 'block'],
      ] as const) {
        const scene = await sceneOf(app)
        await limit(app, scene.projectId, 'Review', wipLimit, policy)
        const { status, body } = await bringIn(scene)
        const [item] = [body].flat()
        t.ok(status === 200 || status === 201, `${wipLimit} ${policy}`)
        t.strictSame([item.column, item.dismissed, 'warnings' in item], ['Review', false, false])
      }
    })

    t.test(
      'ignores the limits of other columns, and of columns with that name in other projects',
      async (t) => {
        const scene = await sceneOf(app)
        const { projectId: otherId } = await boardOn(app, 'z')
        await createCards(app, otherId, 'q', { column: 'Review' })
        await limit(app, otherId, 'Review', 1)
        await limit(app, scene.projectId, 'Done', 1)
        const { status, body } = await bringIn(scene)
        t.ok(status < 300)
        t.notOk('warnings' in [body].flat()[0])
      },
    )
  })
}

t.test('dismissed items ignore the limit, without a warning', async (t) => {
  const app = await build(t)
  for (const policy of ['block', 'warn'] as const) {
    const { projectId, aside, a, hidden } = await sceneOf(app)
    await limit(app, projectId, 'Review', 1, policy)
    await limit(app, projectId, 'Done', 1, policy)
    await createCards(app, projectId, 'd', { column: 'Done' })
    const list = `/api/projects/${projectId}/kanban-items`
    for (const answer of [
      await send(app, 'POST', list, { title: 'new', column: 'Review', dismissed: true }),
      await move(app, aside, { column: 'Review' }),
      await patch(app, hidden, { column: 'Done' }),
      await bulk(app, [aside, hidden], { column: 'Review' }),
      await reorder(app, projectId, [[aside, 'Done']]),
      await patch(app, a, { column: 'Review', dismissed: true }),
    ]) {
      t.ok(answer.status < 300, JSON.stringify(answer.body))
      for (const item of [answer.body].flat())
        t.strictSame([item.dismissed, 'warnings' in item], [true, false])
    }
  }
})

t.test('a write that adds no item to its column passes, even above the limit', async (t) => {
  const app = await build(t)
  for (const policy of ['block', 'warn'] as const) {
    const { projectId } = await boardOn(app, 'ab')
    const ids = await createCards(app, projectId, 'vwxyz', { column: 'Review' })
    const [v, w, x, y, z] = Object.values(ids) as [string, string, string, string, string]
    await limit(app, projectId, 'Review', 1, policy)
    for (const [what, answer] of [
      ['a title', await patch(app, x, { title: 'X' })],
      ['an empty change', await patch(app, x, {})],
      ['its own column', await patch(app, x, { column: 'Review' })],
      ['that it is not dismissed', await patch(app, x, { dismissed: false, column: 'Review' })],
      ['many at once', await bulk(app, [x, y, z], { column: 'Review', dismissed: false })],
      ['a place', await move(app, z, { position: 'top' })],
      ['a place by its column', await move(app, z, { column: 'Review', afterId: x })],
      [
        'an order',
        await reorder(app, projectId, [
          [z, 'Review'],
          [x, 'Review'],
        ]),
      ],
      ['dismissing', await patch(app, v, { dismissed: true })],
      ['leaving by a change', await patch(app, w, { column: 'To Do' })],
      ['leaving by a move', await move(app, y, { column: 'To Do' })],
      ['leaving by an order', await reorder(app, projectId, [[z, 'To Do']])],
    ] as const) {
      t.equal(answer.status, 200, what)
      for (const item of [answer.body].flat()) t.notOk('warnings' in item, `${policy}: ${what}`)
    }
    t.equal((await patch(app, v, { dismissed: false })).status, policy === 'block' ? 409 : 200)
  }
})

t.test('several items at once', async (t) => {
  t.test('count together', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    const { a, b, c } = ids
    await createCards(app, projectId, 'x', { column: 'Review' })
    await limit(app, projectId, 'Review', 2)
    const before = everything(app)
    t.strictSame((await bulk(app, [a, b], { column: 'Review', priority: 'low' })).body, isFull)
    const order: [string | undefined, string][] = [
      [a, 'Review'],
      [c, 'Brand new'],
      [b, 'Review'],
    ]
    t.strictSame((await reorder(app, projectId, order)).body, isFull)
    t.strictSame(everything(app), before, 'no item, column or activity stays of what is refused')
    t.equal((await reorder(app, projectId, order.slice(0, 2))).status, 200)
    t.equal((await columnNames(app, projectId)).at(-2), 'Brand new')
  })

  t.test('are reported only for items that are added', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abcd')
    const { a, b, c, d } = ids
    const { x, h } = {
      ...(await createCards(app, projectId, 'x', { column: 'Review' })),
      ...(await createCards(app, projectId, 'h', { column: 'Review', dismissed: true })),
    }
    await limit(app, projectId, 'Review', 2, 'warn')
    await limit(app, projectId, 'Done', 1, 'warn')
    const warnings = ({ body }: Answer) => body.map((item: { warnings?: string[] }) => item.warnings)
    t.strictSame(warnings(await bulk(app, [x, a], { column: 'Review' })), [undefined, undefined])
    t.strictSame(warnings(await bulk(app, [x, b, a, h], { column: 'Review' })), [
      undefined,
      tooMany(2),
      undefined,
      undefined,
    ])
    const order: [string | undefined, string][] = [
      [a, 'Done'],
      [x, 'Review'],
      [c, 'Done'],
      [d, 'To Do'],
    ]
    t.strictSame(warnings(await reorder(app, projectId, order)), [
      tooMany(1, 'Done'),
      undefined,
      tooMany(1, 'Done'),
      undefined,
    ])
    t.strictSame(warnings(await bulk(app, [d, x, h], { column: 'Done', dismissed: false })), [
      tooMany(1, 'Done'),
      tooMany(1, 'Done'),
      tooMany(1, 'Done'),
    ])
  })

  t.test('that are partly in the column already add only the others', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    const { x, y } = await createCards(app, projectId, 'xy', { column: 'Review' })
    await limit(app, projectId, 'Review', 3)
    t.strictSame((await bulk(app, [x, ids.a, ids.b, y], { column: 'Review' })).body, isFull)
    t.equal((await bulk(app, [x, ids.a, y], { column: 'Review' })).status, 200)
    t.equal(await titlesIn(app, projectId), 'b')
  })

  t.test('may swap two full columns', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    const { x, y } = await createCards(app, projectId, 'xy', { column: 'Review' })
    for (const wipLimit of [2, 1]) {
      await limit(app, projectId, 'To Do', wipLimit)
      await limit(app, projectId, 'Review', wipLimit)
      const swap: [string | undefined, string][] = [
        [ids.a, 'Review'],
        [x, 'To Do'],
      ]
      t.equal((await reorder(app, projectId, swap)).status, 200, 'neither column is fuller than it was')
      t.equal(await titlesIn(app, projectId), 'xb')
      t.equal(await titlesIn(app, projectId, 'Review'), 'ay')
      const uneven = await reorder(app, projectId, [
        [ids.a, 'To Do'],
        [ids.b, 'Review'],
        [y, 'To Do'],
      ])
      t.strictSame([uneven.status, uneven.body], [409, isFull])
      t.equal(
        (
          await reorder(app, projectId, [
            [ids.a, 'To Do'],
            [x, 'Review'],
          ])
        ).status,
        200,
      )
    }
  })

  t.test('of two projects respect the limits of each', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    const other = await boardOn(app, 'z')
    await createCards(app, other.projectId, 'y', { column: 'Review' })
    await limit(app, other.projectId, 'Review', 1)
    const before = everything(app)
    const both = [ids.a, other.ids.z]
    t.strictSame((await bulk(app, both, { column: 'Review' })).body, isFull)
    t.strictSame(everything(app), before)
    await limit(app, other.projectId, 'Review', 1, 'warn')
    const { body } = await bulk(app, both, { column: 'Review' })
    t.strictSame([body[0].warnings, body[1].warnings], [undefined, tooMany(1)])
    t.equal(await titlesIn(app, projectId, 'Review'), 'a')
  })
})

t.test('a blocking column accepts one item for each that leaves', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'abc')
  await limit(app, projectId, 'Review', 1)
  t.equal((await move(app, ids.a, { column: 'Review' })).status, 200)
  t.equal((await move(app, ids.b, { column: 'Review' })).status, 409)
  await patch(app, String(ids.a), { dismissed: true })
  t.equal((await move(app, ids.b, { column: 'Review' })).status, 200)
  t.equal((await patch(app, String(ids.a), { dismissed: false })).status, 409)
  await send(app, 'DELETE', `/api/kanban-items/${ids.b}`)
  t.equal((await patch(app, String(ids.a), { dismissed: false })).status, 200)
  const { id: otherId } = await createProject(app)
  await move(app, ids.a, { projectId: otherId })
  t.equal((await move(app, ids.c, { column: 'Review' })).status, 200)
})

t.test('a refused move renumbers nothing', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'a')
  const { y } = await createCards(app, projectId, 'xy', { column: 'Review', sortOrder: 7 })
  await limit(app, projectId, 'Review', 2)
  ageItems(app)
  const before = everything(app)
  t.strictSame((await move(app, ids.a, { column: 'Review', beforeId: y })).body, isFull)
  t.strictSame(everything(app), before)
})

t.test("a limit applies from when it is set, under the column's current name", async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'ab')
  const { id } = await columnNamed(app, projectId, 'Review')
  const url = `/api/kanban-columns/${id}`
  await createItem(app, projectId, { column: 'Review' })
  await send(app, 'PATCH', url, { name: 'Checks', wipLimit: 1, wipPolicy: 'block' })
  t.strictSame((await move(app, ids.a, { column: 'Checks' })).body, isFull)
  t.equal((await move(app, ids.a, { column: 'Review' })).status, 200, 'a new column of the old name has none')
  await send(app, 'PATCH', url, { wipLimit: 2 })
  t.equal((await move(app, ids.a, { column: 'Checks' })).status, 200)
  t.strictSame((await move(app, ids.b, { column: 'Checks' })).body, isFull)
  await send(app, 'PATCH', url, { wipPolicy: 'warn' })
  t.strictSame((await move(app, ids.b, { column: 'Checks' })).body.warnings, tooMany(2, 'Checks'))
})

t.test('imports and ingests ignore the limit', async (t) => {
  const { app, projectId } = await boardWith(t, '')
  await createCards(app, projectId, 'x', { column: 'Review' })
  const { items } = app.rules.board
  for (const policy of ['block', 'warn'] as const) {
    await limit(app, projectId, 'Review', 1, policy)
    const input = { title: 'n', column: 'Review' }
    const { warnings } = await writeIn(app, () => items.create(projectId, input, { ignoresLimits: true }))
    t.equal(warnings, undefined)
    if (policy === 'warn') break
    await t.rejects(
      writeIn(app, () => items.create(projectId, input)),
      { statusCode: 409, message: isFull.error },
    )
  }
  t.equal(await titlesIn(app, projectId, 'Review'), 'xnn')
})
