import { deepStrictEqual, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Place } from '../src/ordering.ts'
import { createPager, isCursor, type PagedList } from '../src/pages.ts'

/** A list as the database keeps one: by sortOrder, then by id. */
function createList(places: Place[]) {
  const sortOrders = new Map(places.map(({ id, sortOrder }) => [id, sortOrder]))
  const isAfter = (a: Place, b: Place) =>
    a.sortOrder === b.sortOrder ? a.id > b.id : a.sortOrder > b.sortOrder
  const inOrder = () =>
    [...sortOrders].map(([id, sortOrder]) => ({ id, sortOrder })).sort((a, b) => (isAfter(a, b) ? 1 : -1))
  const paged: PagedList = {
    after: (place, count) =>
      inOrder()
        .filter((one) => isAfter(one, place))
        .slice(0, count),
    upTo: (place) =>
      inOrder()
        .filter((one) => !isAfter(one, place))
        .map(({ id }) => id),
  }
  return { sortOrders, paged, ids: () => inOrder().map(({ id }) => id) }
}

const place = fc.record({ id: fc.string(), sortOrder: fc.integer({ min: -3, max: 3 }) })
const places = fc.uniqueArray(place, { selector: ({ id }) => id, maxLength: 30 })
const limit = fc.integer({ min: 1, max: 7 })

t.test('pages put together are the list, and only the last names no next one', async (t) => {
  fc.assert(
    fc.property(places, limit, (records, limit) => {
      const { paged, ids } = createList(records)
      const page = createPager()
      const read: string[] = []
      for (let cursor: string | undefined; ; ) {
        const { ids, next } = page(paged, { limit, ...(cursor && { cursor }) })
        read.push(...ids)
        if (next === undefined) break
        deepStrictEqual(ids.length, limit)
        ok(isCursor(next))
        cursor = next
      }
      deepStrictEqual(read, ids())
    }),
  )
  t.pass()
})

t.test(
  'while others create, delete and move, nothing shows twice, and nothing that stays is missed',
  async (t) => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('create' as const), at: place }),
      fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('move' as const), which: fc.nat(), to: fc.integer({ min: -5, max: 5 }) }),
      fc.record({ kind: fc.constant('renumber' as const), from: fc.integer({ min: -100, max: 100 }) }),
    )
    fc.assert(
      fc.property(
        places,
        limit,
        fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }),
        (records, limit, turns) => {
          const { sortOrders, paged, ids } = createList(records)
          const page = createPager()
          const read: string[] = []
          const removed = new Set<string>()
          for (let cursor: string | undefined, turn = 0; ; turn++) {
            const { ids: shown, next } = page(paged, { limit, ...(cursor && { cursor }) })
            read.push(...shown)
            if (next === undefined) break
            cursor = next
            for (const change of turns[turn] ?? []) {
              const all = ids()
              const id = 'which' in change ? all[change.which % all.length] : undefined
              if (change.kind === 'create' && !removed.has(change.at.id) && !sortOrders.has(change.at.id))
                sortOrders.set(change.at.id, change.at.sortOrder)
              if (change.kind === 'delete' && id !== undefined) {
                sortOrders.delete(id)
                removed.add(id)
              }
              if (change.kind === 'move' && id !== undefined) sortOrders.set(id, change.to)
              if (change.kind === 'renumber')
                for (const [index, id] of all.entries()) sortOrders.set(id, change.from + index)
            }
          }
          deepStrictEqual(read.length, new Set(read).size, 'nothing twice')
          for (const { id } of records) if (!removed.has(id)) ok(read.includes(id), `${id} was shown`)
        },
      ),
      { numRuns: 500 },
    )
    t.pass()
  },
)

t.test('a page that is asked for again is there again', async (t) => {
  const { sortOrders, paged } = createList([...'abcdef'].map((id, sortOrder) => ({ id, sortOrder })))
  const page = createPager()
  const first = page(paged, { limit: 2 })
  const cursor = first.next ?? ''
  t.strictSame(page(paged, { limit: 2, cursor }).ids, ['c', 'd'])
  t.strictSame(page(paged, { limit: 2, cursor }).ids, ['c', 'd'])
  t.strictSame(page(paged, { cursor }).ids, ['c', 'd', 'e', 'f'], 'without a limit: all that is left')
  sortOrders.set('f', -1)
  t.strictSame(page(paged, { limit: 3, cursor }).ids, ['c', 'd', 'e'])
  t.strictSame(page(paged, { limit: 5, cursor }).ids, ['c', 'd', 'e', 'f'], 'moved to before the reader')
})

t.test('a walk that is not remembered goes on by place', async (t) => {
  const { sortOrders, paged } = createList([...'abcdef'].map((id, sortOrder) => ({ id, sortOrder })))
  const cursor = createPager()(paged, { limit: 2 }).next ?? ''
  sortOrders.set('f', -1)
  const page = createPager()
  const second = page(paged, { limit: 2, cursor })
  t.strictSame(second.ids, ['c', 'd'])
  t.strictSame(page(paged, { limit: 2, cursor: second.next ?? '' }), { ids: ['e'] })
})

t.test('what is no cursor is told from one', async (t) => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  t.ok(isCursor(encode([1.5, 'a', 'w', 3])))
  for (const text of ['', 'x', '%%%', '{}', encode(null), encode({}), encode([]), encode(['1', 'a', 'w', 3])])
    t.notOk(isCursor(text), text)
  for (const parts of [
    [1, 'a', 'w'],
    [1, 'a', 'w', 1.5],
    [1, 2, 'w', 1],
    [1, 'a', null, 1],
  ])
    t.notOk(isCursor(encode(parts)), JSON.stringify(parts))
})
