import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  activityOf,
  boardOn,
  boardWith,
  columnNames,
  createCards,
  DEFAULT_COLUMNS,
  everything,
  itemsOf,
  placeBehindItsBack,
  titlesIn,
} from '../boards.ts'
import { build, createItem, holds, LONG_AGO, long, send, signInAs } from '../helper.ts'

const failure = { error: 'Failed to move kanban item' }
const urlOf = (id: string | undefined) => `/api/kanban-items/${id}/move`
const json = { 'content-type': 'application/json' }

/** The target of a move, with the title of a neighbour instead of its id. */
interface Where {
  column?: string
  beforeId?: string
  afterId?: string
  position?: string
}

/** The body of a move. */
const bodyOf = ({ beforeId, afterId, ...rest }: Where, ids: Record<string, string>) => ({
  ...rest,
  ...(beforeId && { beforeId: ids[beforeId] }),
  ...(afterId && { afterId: ids[afterId] }),
})

t.test('a move puts the item at the requested place in its column', async (t) => {
  const app = await build(t)
  const cases: [string, Where, string, number][] = [
    ['d', { beforeId: 'a' }, 'dabc', 0],
    ['d', { beforeId: 'b' }, 'adbc', 1.5],
    ['a', { beforeId: 'd' }, 'bcad', 3.5],
    ['d', { afterId: 'a' }, 'adbc', 1.5],
    ['a', { afterId: 'd' }, 'bcda', 5],
    ['a', { afterId: 'b' }, 'bacd', 2.5],
    ['c', { position: 'top' }, 'cabd', 0],
    ['b', { position: 'bottom' }, 'acdb', 5],
    ['a', {}, 'bcda', 5],
    ['a', { column: 'To Do' }, 'bcda', 5],
    ['a', { column: 'To Do', beforeId: 'c' }, 'bacd', 2.5],
  ]
  for (const [title, where, expected, sortOrder] of cases) {
    const { projectId, ids } = await boardOn(app, 'abcd')
    const before = await itemsOf(app, projectId)
    const { status, body } = await send(app, 'POST', urlOf(ids[title]), bodyOf(where, ids))
    const item = before.find(({ id }) => id === ids[title])
    t.equal(status, 200)
    t.strictSame(body, { ...item, sortOrder, updatedAt: body.updatedAt }, JSON.stringify(where))
    t.not(body.updatedAt, LONG_AGO)
    t.equal(await titlesIn(app, projectId), expected)
    t.strictSame((await send(app, 'GET', `/api/kanban-items/${ids[title]}`)).body, body)
    const others = ({ id }: { id: string }) => id !== ids[title]
    t.strictSame((await itemsOf(app, projectId)).filter(others), before.filter(others), 'alone')
    t.strictSame(activityOf(app, String(ids[title])), [], 'a place is not tracked')
  }
})

t.test('a move to its current place changes nothing, not even updatedAt', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'abc')
  const { a, b, c } = ids
  for (const places of [[1, 2, 3], 7]) {
    placeBehindItsBack(app, ids, places)
    const before = everything(app)
    for (const [id, body] of [
      [a, { position: 'top' }],
      [a, { beforeId: b }],
      [b, { afterId: a }],
      [b, { beforeId: c }],
      [c, { afterId: b }],
      [c, { position: 'bottom' }],
      [c, {}],
      [c, undefined],
      [c, { column: 'To Do', projectId }],
      [c, { nonsense: 1, sortOrder: -5, title: 'x', id: 'mine', before: a }],
    ] as const) {
      const { status, body: item } = await send(app, 'POST', urlOf(id), body)
      t.equal(status, 200)
      t.equal(item.updatedAt, LONG_AGO)
      t.strictSame(everything(app), before, JSON.stringify(body))
    }
  }
})

t.test('an absent body counts as empty, in any form', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'ab')
  for (const [body, headers] of [
    [undefined, {}],
    [undefined, json],
    ['', json],
    ['', { 'content-type': 'application/json; charset=utf-8' }],
    [undefined, { 'content-type': 'text/plain' }],
    [undefined, { 'content-length': '0' }],
    [undefined, { ...json, 'transfer-encoding': 'chunked' }],
    ['{}', json],
  ] as const) {
    await send(app, 'POST', urlOf(ids.a), { position: 'top' })
    t.equal((await send(app, 'POST', urlOf(ids.a), body, headers)).status, 200)
    t.equal(await titlesIn(app, projectId), 'ba', JSON.stringify([body, headers]))
  }
  await holds(t, app, [
    ['POST', urlOf(ids.a), ' ', 500, failure],
    ['POST', urlOf(ids.a), '{oops', 500, failure],
    ['POST', urlOf(ids.a), '{oops', { 'content-type': 'text/plain' }, 500, failure],
  ])
})

t.test('a move into another column', async (t) => {
  t.test('puts the item at its place there, with an activity entry', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    const { x, y, z } = await createCards(app, projectId, 'xyz', { column: 'Review' })
    const { headers, id: member } = signInAs(app, 'member')
    const body = { column: 'Review', beforeId: y }
    const { status, body: item } = await send(app, 'POST', urlOf(ids.a), body, headers)
    t.strictSame([status, item.column, item.sortOrder], [200, 'Review', 1.5])
    t.not(item.updatedAt, LONG_AGO)
    t.equal(await titlesIn(app, projectId, 'Review'), 'xayz')
    t.strictSame(activityOf(app, item.id), [['status_change', 'To Do', 'Review', member]])
    for (const [where, expected] of [
      [{ position: 'top' }, 'bxayz'],
      [{ beforeId: x }, 'bxayz'],
      [{ afterId: x }, 'xbayz'],
      [{ afterId: z }, 'xayzb'],
      [{ position: 'bottom' }, 'xayzb'],
      [{}, 'xayzb'],
    ] as const) {
      await send(app, 'POST', urlOf(ids.b), { column: 'To Do' })
      await send(app, 'POST', urlOf(ids.b), { column: 'Review', ...where })
      t.equal(await titlesIn(app, projectId, 'Review'), expected)
    }
    t.strictSame(activityOf(app, String(ids.b)).at(-1), ['status_change', 'To Do', 'Review', 'local'])
    t.equal(activityOf(app, String(ids.b)).length, 11, 'one for each move')
    await holds(t, app, [['POST', urlOf(ids.b), { column: 'Done' }, 200, { sortOrder: 1 }]])
  })

  t.test('creates a missing column with exactly that name', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    const names = [' To Do ', 'to do', '__proto__', long(100)]
    for (const column of names) {
      await holds(t, app, [['POST', urlOf(ids.a), { column }, 200, { column, sortOrder: 1 }]])
    }
    await holds(t, app, [['POST', urlOf(ids.b), { column: 'to do' }, 200, { column: 'to do' }]])
    t.strictSame(await columnNames(app, projectId), [...DEFAULT_COLUMNS.slice(0, -1), ...names, 'Done'])
  })

  t.test('so does a move within a column that another tool wrote', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    for (const [column, body] of [
      ['One', {}],
      ['Two', { column: 'Two', position: 'top' }],
    ] as const) {
      app.db.$client.prepare('update kanban_items set "column" = ?').run(column)
      const { status, body: item } = await send(app, 'POST', urlOf(ids.a), body)
      t.strictSame([status, item.column, item.updatedAt], [200, column, LONG_AGO])
      t.equal((await columnNames(app, projectId)).at(-2), column)
    }
  })
})

t.test('dismissed items have places, too', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'abc')
  await send(app, 'PATCH', '/api/kanban-items', { ids: [ids.a, ids.b], update: { dismissed: true } })
  for (const [id, body, expected] of [
    [ids.c, { beforeId: ids.b }, 'acb'],
    [ids.c, { afterId: ids.b }, 'abc'],
    [ids.c, { position: 'top' }, 'cab'],
    [ids.b, { position: 'top' }, 'bca'],
    [ids.c, {}, 'bac'],
  ] as const) {
    await holds(t, app, [['POST', urlOf(id), body, 200, { id }]])
    t.equal(await titlesIn(app, projectId), expected)
  }
})

t.test('a column is renumbered if there is no number between two neighbours', async (t) => {
  t.test('items with equal places keep the order in which they are shown', async (t) => {
    const app = await build(t)
    const cases: [string, Where, string][] = [
      ['c', { beforeId: 'b' }, 'acbd'],
      ['c', { position: 'top' }, 'cabd'],
      ['a', {}, 'bcda'],
      ['d', { afterId: 'a' }, 'adbc'],
      ['a', { afterId: 'c' }, 'bcad'],
    ]
    for (const [title, where, expected] of cases) {
      const { projectId, ids } = await boardOn(app, 'abcd')
      placeBehindItsBack(app, ids, 7)
      t.equal((await send(app, 'POST', urlOf(ids[title]), bodyOf(where, ids))).status, 200)
      t.equal(await titlesIn(app, projectId), expected)
    }
  })

  t.test('except for items that already have their number', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abcd')
    await createCards(app, projectId, 'x', { column: 'Done', sortOrder: 77 })
    const other = await boardOn(app, 'y')
    placeBehindItsBack(app, other.ids, 77)
    placeBehindItsBack(app, ids, [1, 2, 2, 9])
    await holds(t, app, [['POST', urlOf(ids.d), { beforeId: ids.c }, 200, { sortOrder: 3 }]])
    const now = (item: { title: string; sortOrder: number; updatedAt: string }) =>
      `${item.title} ${item.sortOrder} ${item.updatedAt === LONG_AGO ? 'as it was' : 'changed'}`
    t.strictSame((await itemsOf(app, projectId)).map(now), [
      'a 1 as it was',
      'b 2 as it was',
      'd 3 changed',
      'c 4 changed',
      'x 77 as it was',
    ])
    t.strictSame((await itemsOf(app, other.projectId)).map(now), ['y 77 as it was'])
    placeBehindItsBack(app, ids, [1, 2, 2, 2])
    await holds(t, app, [['POST', urlOf(ids.a), { beforeId: ids.d }, 200, { sortOrder: 3 }]])
    t.strictSame(
      (await itemsOf(app, projectId)).map(({ title, sortOrder }) => `${title} ${sortOrder}`),
      ['b 1', 'c 2', 'a 3', 'd 4', 'x 77'],
      'the one that moves leaves no gap',
    )
    placeBehindItsBack(app, ids, [3, 4, 4, 4])
    await holds(t, app, [['POST', urlOf(ids.a), { beforeId: ids.d }, 200, { sortOrder: 3 }]])
    t.equal(await titlesIn(app, projectId), 'bcad', 'also when its new number is the one that it had')
  })

  t.test('also at the limits of numbers', async (t) => {
    const app = await build(t)
    const { MAX_VALUE } = Number
    const cases: [number[], string, Where, string][] = [
      [[-1e308, 0, 1e308], 'a', {}, 'bca'],
      [[-1e308, 0, 1e308], 'c', { position: 'top' }, 'cab'],
      [[-MAX_VALUE, 0, MAX_VALUE], 'b', {}, 'acb'],
      [[-MAX_VALUE, -1e308, MAX_VALUE], 'c', { beforeId: 'b' }, 'acb'],
      [[2 ** 53, 2 ** 53 + 2, 2 ** 54], 'c', { beforeId: 'b' }, 'acb'],
      [[-5e-324, 0, 5e-324], 'c', { beforeId: 'b' }, 'acb'],
      [[-0.5, 0, 0.5], 'c', { beforeId: 'b' }, 'acb'],
    ]
    for (const [places, title, where, expected] of cases) {
      const { projectId, ids } = await boardOn(app, 'abc')
      placeBehindItsBack(app, ids, places)
      const { status, body } = await send(app, 'POST', urlOf(ids[title]), bodyOf(where, ids))
      t.equal(status, 200)
      t.equal(await titlesIn(app, projectId), expected)
      t.ok(Number.isFinite(body.sortOrder))
    }
  })

  t.test('a new item comes last, however large that place is', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    await send(app, 'PATCH', `/api/kanban-items/${ids.a}`, { sortOrder: Number.MAX_VALUE })
    t.equal((await createItem(app, projectId, { title: 'c' })).sortOrder, 3)
    t.equal(await titlesIn(app, projectId), 'bac')
  })

  t.test('200 moves between the same two neighbours all find a place', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'axyz')
    let expected = 'axyz'
    for (let count = 0; count < 200; count++) {
      const title = expected[1] === 'y' ? 'z' : 'y'
      const { status } = await send(app, 'POST', urlOf(ids[title]), { beforeId: ids[String(expected[1])] })
      expected = `a${title}${expected.slice(1).replace(title, '')}`
      const titles = await titlesIn(app, projectId)
      if (status !== 200 || titles !== expected) return t.fail(`move ${count} came to ${titles}`)
    }
    const last = (await itemsOf(app, projectId)).at(-1)
    t.ok(last?.title === 'x' && last.updatedAt !== LONG_AGO, 'the column was numbered anew meanwhile')
  })

  t.test('in the same transaction as the move', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    placeBehindItsBack(app, ids, 7)
    const { x } = await createCards(app, projectId, 'x', { column: 'Done' })
    const before = everything(app)
    app.db.$client.exec(
      "create trigger full before insert on kanban_activity begin select raise(abort, 'full'); end",
    )
    const body = { column: 'To Do', beforeId: ids.c }
    await holds(t, app, [['POST', urlOf(x), body, 500, failure]])
    t.strictSame(everything(app), before, 'nothing of it stays')
    app.db.$client.exec('drop trigger full')
    await holds(t, app, [['POST', urlOf(x), body, 200, { sortOrder: 3 }]])
    t.equal(await titlesIn(app, projectId), 'abxc')
  })
})

t.test('after any moves, the columns equal a model of lists', async (t) => {
  const columns = ['To Do', 'Review', 'Brand new'] as const
  const { MAX_VALUE, EPSILON } = Number
  const place = fc.oneof(
    fc.integer({ min: -1, max: 1 }),
    fc.constantFrom(-1e308, 1e308, MAX_VALUE, -MAX_VALUE, 2 ** 53, 5e-324, 1 + EPSILON),
  )
  const move = fc.record({
    which: fc.nat(7),
    column: fc.constantFrom(...columns),
    kind: fc.constantFrom('beforeId', 'afterId', 'top', 'bottom'),
    at: fc.nat(7),
  })
  const app = await build(t)
  const run = async (
    places: number[],
    moves: { which: number; column: string; kind: string; at: number }[],
  ) => {
    const { projectId, ids: byTitle } = await boardOn(app, 'abcdefgh')
    const ids = Object.values(byTitle)
    placeBehindItsBack(app, byTitle, places)
    const lists = Object.fromEntries(columns.map((name): [string, string[]] => [name, []]))
    const list = (name: string) => lists[name] as string[]
    list('To Do').push(...(await itemsOf(app, projectId)).map(({ id }) => id))
    for (const { which, column, kind, at } of moves) {
      const id = ids[which] as string
      const others = list(column).filter((one) => one !== id)
      const isBeside = kind === 'beforeId' || kind === 'afterId'
      const index = isBeside ? at % Math.max(1, others.length) : kind === 'top' ? 0 : others.length
      if (isBeside && others.length === 0) continue
      const body = { column, ...(isBeside ? { [kind]: others[index] } : { position: kind }) }
      deepStrictEqual((await send(app, 'POST', urlOf(id), body)).status, 200)
      for (const name of columns) lists[name] = list(name).filter((one) => one !== id)
      list(column).splice(kind === 'afterId' ? index + 1 : index, 0, id)
      const shown = Map.groupBy(await itemsOf(app, projectId), (item) => item.column)
      const found = columns.map((name) => [name, (shown.get(name) ?? []).map((item) => item.id)])
      deepStrictEqual(Object.fromEntries(found), lists)
    }
  }
  const places = fc.array(place, { minLength: 8, maxLength: 8 })
  await fc.assert(fc.asyncProperty(places, fc.array(move, { maxLength: 25 }), run), { numRuns: 30 })
  t.pass()
})
