import t from 'tap'
import { keepTickObject, kept } from '../src/tick-objects.ts'

t.test('the objects are those that Node creates for process.nextTick', async (t) => {
  keepTickObject()
  await new Promise((resolve) => process.nextTick(resolve))
  const [object] = kept
  t.match(object, { callback: Function }, 'with the callback of its tick')
  t.equal(Object.getOwnPropertySymbols(object ?? {}).length > 0, true, 'and what Node keeps of it by symbols')
})
