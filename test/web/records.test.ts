/** Records with pending changes of the user. */
import t from 'tap'
import { between } from '../../web/common/order.ts'
import { Records } from '../../web/common/records.ts'

interface Card {
  id: string
  title: string
  column?: string
}

const retitled = (title: string) => (card: Card | undefined) => card && { ...card, title }

const retitledTo = (title: string) => (card: Card) => ({ ...card, title })

t.test("a pending change is shown over the service's record until its response", async (t) => {
  const cards = new Records<Card>()
  cards.put({ id: 'a', title: 'first' }, 1)
  const pending = cards.patch('a', retitled('mine'))
  t.equal(cards.peek('a')?.title, 'mine')
  cards.merge('a', (card) => ({ ...card, title: 'theirs', column: 'Done' }), 2)
  t.strictSame(cards.peek('a'), { id: 'a', title: 'mine', column: 'Done' })
  cards.put({ id: 'a', title: 'mine', column: 'Done' }, 3)
  pending.end()
  t.equal(cards.peek('a')?.title, 'mine')
})

t.test('a refused change is rolled back, and later ones stay', async (t) => {
  const cards = new Records<Card>()
  cards.put({ id: 'a', title: 'first' }, 1)
  const refused = cards.patch('a', retitled('refused'))
  cards.patch('a', (card) => card && { ...card, column: 'Done' })
  refused.end()
  refused.end()
  t.strictSame(cards.peek('a'), { id: 'a', title: 'first', column: 'Done' })
})

t.test('a response older than the stream is ignored', async (t) => {
  const cards = new Records<Card>()
  cards.put({ id: 'a', title: 'first' }, 1)
  cards.merge('a', (card) => ({ ...card, title: 'third' }), 3)
  cards.put({ id: 'a', title: 'second' }, 2)
  t.equal(cards.peek('a')?.title, 'third')
  cards.remove('a', 4)
  cards.put({ id: 'a', title: 'third' }, 3)
  t.equal(cards.peek('a'), undefined, 'what is deleted does not come back by an old answer')
  cards.put({ id: 'a', title: 'undone' }, 5)
  t.equal(cards.peek('a')?.title, 'undone')
})

t.test('a new record is shown before the service confirms it', async (t) => {
  const cards = new Records<Card>()
  const pending = cards.patch('new', () => ({ id: 'new', title: 'draft' }))
  t.strictSame(cards.ids(), ['new'])
  cards.put({ id: 'a', title: 'draft' }, 1)
  pending.end()
  t.strictSame(cards.ids(), ['a'])
})

t.test('a list without a record removes it, unless there is a later change of it', async (t) => {
  const cards = new Records<Card>()
  cards.put({ id: 'old', title: 'old' }, 1)
  cards.put({ id: 'new', title: 'new' }, 9)
  cards.reset([{ id: 'listed', title: 'listed' }], 5)
  t.strictSame(cards.ids().toSorted(), ['listed', 'new'])
})

t.test('changes of fields do not keep a record from a list, after which they are made again', async (t) => {
  const cards = new Records<Card>()
  const rename = () => cards.merge('a', (card) => ({ ...card, title: 'renamed' }), 9)
  cards.put({ id: 'a', title: 'old' }, 1)
  cards.put({ id: 'new', title: 'new' }, 9)
  rename()
  cards.reset([{ id: 'a', title: 'old', column: 'moved during a gap' }], 5, true)
  rename()
  t.strictSame(cards.peek('a'), { id: 'a', title: 'renamed', column: 'moved during a gap' })
  t.ok(cards.peek('new'), 'a whole record keeps its place')
})

t.test('a change of a removed record does not keep it from coming back', async (t) => {
  const cards = new Records<Card>()
  cards.put({ id: 'a', title: 'first' }, 1)
  cards.remove('a', 2)
  t.notOk(cards.merge('a', retitledTo('third'), 4))
  cards.put({ id: 'a', title: 'second' }, 3)
  t.equal(cards.peek('a')?.title, 'second')
})

t.test('a view is notified only of changes that it shows', async (t) => {
  const notified: unknown[] = []
  const cards = new Records<Card>((id, before, after) => notified.push([id, before?.title, after?.title]))
  cards.put({ id: 'a', title: 'first' }, 1)
  const pending = cards.patch('a', (card) => card)
  pending.end()
  cards.remove('a', 2)
  cards.remove('a', 3)
  t.strictSame(notified, [
    ['a', undefined, 'first'],
    ['a', 'first', undefined],
  ])
})

t.test('a place between two neighbours', async (t) => {
  t.equal(between(undefined, undefined), 0)
  t.equal(between(3, undefined), 4)
  t.equal(between(undefined, 3), 2)
  t.equal(between(1, 2), 1.5)
})

t.test('removed records disappear with all their changes, and may return', async (t) => {
  const cards = new Records<Card>()
  cards.put({ id: 'a', title: 'mine', column: 'Done' }, 9)
  cards.put({ id: 'b', title: 'other' }, 9)
  cards.forget(({ column }) => column === 'Done')
  t.strictSame(cards.ids(), ['b'])
  cards.put({ id: 'a', title: 'back' }, 5)
  t.equal(cards.peek('a')?.title, 'back', 'also as of an earlier change')
  cards.forget()
  t.strictSame(cards.ids(), [])
})
