import { deepStrictEqual, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Place } from '../../src/db/ordering.ts'
import { isCursor, type PlacesAfter, readPage } from '../../src/db/pages.ts'

/** A list in the database's order: by sortOrder, then by id. */
function createList(places: Place[]) {
  const sortOrders = new Map(places.map(({ id, sortOrder }) => [id, sortOrder]))
  const isAfter = (a: Place, b: Place) =>
    a.sortOrder === b.sortOrder ? a.id > b.id : a.sortOrder > b.sortOrder
  const inOrder = () =>
    [...sortOrders].map(([id, sortOrder]) => ({ id, sortOrder })).sort((a, b) => (isAfter(a, b) ? 1 : -1))
  const paged: PlacesAfter = (place, count) =>
    inOrder()
      .filter((one) => place === undefined || isAfter(one, { id: place.id, sortOrder: Number(place.key) }))
      .slice(0, count)
      .map(({ id, sortOrder }) => ({ id, key: sortOrder, text: null }))
  return { sortOrders, paged, ids: () => inOrder().map(({ id }) => id) }
}

const place = fc.record({ id: fc.string(), sortOrder: fc.integer({ min: -3, max: 3 }) })
const places = fc.uniqueArray(place, { selector: ({ id }) => id, maxLength: 30 })
const limit = fc.integer({ min: 1, max: 7 })

t.test('the pages together are the list, and only the last has no next page', async (t) => {
  fc.assert(
    fc.property(places, limit, (records, limit) => {
      const { paged, ids } = createList(records)
      const read: string[] = []
      for (let cursor: string | undefined; ; ) {
        const { ids, next } = readPage(paged, { limit, ...(cursor && { cursor }) })
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

t.test('changes elsewhere do not shift pages: a record that keeps its place is shown once', async (t) => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant('create' as const), at: place }),
    fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('move' as const), which: fc.nat(), to: fc.integer({ min: -5, max: 5 }) }),
  )
  fc.assert(
    fc.property(
      places,
      limit,
      fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }),
      (records, limit, turns) => {
        const { sortOrders, paged, ids } = createList(records)
        const read: string[] = []
        const disturbed = new Set<string>()
        for (let cursor: string | undefined, turn = 0; ; turn++) {
          const { ids: shown, next } = readPage(paged, { limit, ...(cursor && { cursor }) })
          read.push(...shown)
          if (next === undefined) break
          cursor = next
          for (const change of turns[turn] ?? []) {
            const all = ids()
            const id = 'which' in change ? all[change.which % all.length] : change.at.id
            if (id === undefined) continue
            disturbed.add(id)
            if (change.kind === 'create') sortOrders.set(id, change.at.sortOrder)
            if (change.kind === 'delete') sortOrders.delete(id)
            if (change.kind === 'move') sortOrders.set(id, change.to)
          }
        }
        for (const { id } of records) {
          if (!disturbed.has(id)) deepStrictEqual(read.filter((one) => one === id).length, 1, `${id} once`)
        }
      },
    ),
    { numRuns: 500 },
  )
  t.pass()
})

t.test('a page can be requested again', async (t) => {
  const { sortOrders, paged } = createList([...'abcdef'].map((id, sortOrder) => ({ id, sortOrder })))
  const { ids, next: cursor = '' } = readPage(paged, { limit: 2 })
  t.strictSame(ids, ['a', 'b'])
  t.strictSame(readPage(paged, { limit: 2, cursor }).ids, ['c', 'd'])
  t.strictSame(readPage(paged, { limit: 2, cursor }).ids, ['c', 'd'])
  t.strictSame(
    readPage(paged, { cursor }),
    { ids: ['c', 'd', 'e', 'f'] },
    'without a limit: all that is left',
  )
  sortOrders.delete('b')
  t.strictSame(
    readPage(paged, { limit: 2, cursor }).ids,
    ['c', 'd'],
    'also when the record it follows is gone',
  )
})

t.test('an invalid cursor is recognized', async (t) => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  t.ok(isCursor(encode([1.5, 'a'])))
  for (const text of ['', 'x', '%%%', '{}', encode(null), encode({}), encode([]), encode(['1', 'a'])])
    t.notOk(isCursor(text), text)
  for (const parts of [[1], [1, 2], [null, 'a'], [1, null]])
    t.notOk(isCursor(encode(parts)), JSON.stringify(parts))
})
