/** Lists forget what their user no longer sees. */
import t from 'tap'
import { until } from './until.ts'

// The page's client gets its URL from the browser.
Object.assign(globalThis, { location: { href: 'http://localhost/' } })
const { LiveList } = await import('../../web/common/live-list.ts')

interface Card {
  id: string
  projectId: string
}

const cards: readonly Card[] = [
  { id: 'a', projectId: 'apollo' },
  { id: 'b', projectId: 'gemini' },
]
const isLost = ({ projectId }: Card) => projectId === 'apollo'

t.test('a response in flight does not restore removed records', async (t) => {
  const answers: ((found: readonly Card[]) => void)[] = []
  const list = new LiveList<Card>(
    () => new Promise((resolve) => answers.push(resolve)),
    () => false,
  )
  t.teardown(list.use())
  const ids = () => list.records.ids()
  answers.shift()?.(cards)
  await until(
    async () => ids(),
    (found) => found.length === 2,
  )
  list.refresh()
  list.forget(isLost)
  t.strictSame(ids(), ['b'], 'at once')
  answers.shift()?.(cards)
  await until(
    async () => answers.length,
    (waiting) => waiting === 1,
  )
  t.strictSame(ids(), ['b'], 'and it is loaded again')
  answers.shift()?.(cards.filter((card) => !isLost(card)))
})

t.test('a list that is not in use is loaded again by its next use', async (t) => {
  const list = new LiveList<Card>(
    async () => cards,
    () => false,
  )
  const end = list.use()
  await until(
    async () => list.state.peek().step,
    (step) => step === 'ready',
  )
  end()
  list.renew()
  t.strictSame([list.records.ids(), list.state.peek().step], [[], 'loading'])
  t.teardown(list.use())
  await until(
    async () => list.records.ids(),
    (ids) => ids.length === 2,
  )
})
