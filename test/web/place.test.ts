/** Places of cards: the request, and the optimistic update. */
import t from 'tap'
import { isThere, type Place, placeAt, requestsFor, sortOrderAt } from '../../web/common/place.ts'
import { limitState } from '../../web/common/wip.ts'

const column = 'Done'
const IDS = ['a', 'b', 'c', 'd']
const at = (place: Place['at']): Place => ({ column, at: place })

t.test('an index becomes a place beside the shown cards', async (t) => {
  t.strictSame(placeAt(column, ['a', 'b'], 0), at({ before: 'a' }))
  t.strictSame(placeAt(column, ['a', 'b'], 1), at({ before: 'b' }))
  t.strictSame(placeAt(column, ['a', 'b'], 2), at({ after: 'b' }))
  t.strictSame(placeAt(column, [], 0), at('bottom'))
})

t.test('a card at its place does not move', async (t) => {
  t.ok(isThere(IDS, 'b', at({ before: 'c' })))
  t.ok(isThere(IDS, 'b', at({ after: 'a' })))
  t.ok(isThere(IDS, 'd', at('bottom')))
  t.ok(isThere(IDS, 'a', at('top')))
  t.notOk(isThere(IDS, 'b', at({ before: 'a' })))
  t.notOk(isThere(IDS, 'x', at('top')))
})

t.test('a moved card is shown between its neighbours', async (t) => {
  const orders: Record<string, number> = { a: 1, b: 2, c: 3, d: 4 }
  const shown = (id: string, place: Place['at']) => sortOrderAt(IDS, id, at(place), (one) => orders[one])
  t.equal(shown('x', { before: 'b' }), 1.5)
  t.equal(shown('x', { after: 'b' }), 2.5)
  t.equal(shown('a', { after: 'b' }), 2.5, 'itself is no neighbour')
  t.equal(shown('x', 'top'), 0)
  t.equal(shown('x', 'bottom'), 5)
  t.equal(shown('x', { before: 'gone' }), 5, 'beside what is gone: the end')
})

t.test('if a neighbour is gone, the next one is used', async (t) => {
  t.strictSame(requestsFor(IDS, 'x', at('top')), [{ column, position: 'top' }])
  t.strictSame(requestsFor(['a', 'b'], 'x', at({ before: 'b' })), [
    { column, beforeId: 'b' },
    { column, afterId: 'a' },
    { column, position: 'top' },
  ])
  t.strictSame(requestsFor(IDS, 'x', at({ after: 'd' })).slice(0, 3), [
    { column, afterId: 'd' },
    { column, afterId: 'c' },
    { column, afterId: 'b' },
  ])
  t.strictSame(requestsFor(IDS, 'a', at({ after: 'c' })).slice(0, 2), [
    { column, afterId: 'c' },
    { column, beforeId: 'd' },
  ])
  t.strictSame(requestsFor(['x'], 'x', at({ after: 'x' })), [{ column, position: 'top' }])
  const many = Array.from({ length: 100 }, (_, index) => `${index}`)
  t.ok(requestsFor(many, 'x', at({ before: '50' })).length < 10, 'not all of them')
})

t.test('the limit of a column', async (t) => {
  t.equal(limitState(9, 0, 'block'), 'within', '0 is no limit')
  t.equal(limitState(3, 3, 'warn'), 'within')
  t.equal(limitState(3, 3, 'block'), 'full')
  t.equal(limitState(4, 3, 'warn'), 'above')
  t.equal(limitState(4, 3, 'block'), 'above')
})
