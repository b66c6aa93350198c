/** A board that would block the event loop is measured by the worker thread. */
import t from 'tap'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/requests/rules.ts'
import { openFewAndMany } from '../few-and-many.ts'

t.test('the worker thread computes the flow of many items', async (t) => {
  const db = openFewAndMany(t)
  const { flow } = createRules(db)
  const remaining = (id: string) =>
    JSON.parse(Buffer.from(flow.ofProject(id, {}, { id: 'somebody', role: 'member' })).toString()).forecast
      .remaining
  t.equal(remaining('many'), 1001)
  limitWork(db)
  t.throws(() => remaining('many'), TooMuchWork)
  t.equal(remaining('few'), 1)
})
