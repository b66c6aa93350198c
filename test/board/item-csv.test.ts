import t from 'tap'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/requests/rules.ts'
import { openFewAndMany } from '../few-and-many.ts'

t.test('the worker thread writes the CSV of a large board', async (t) => {
  const db = openFewAndMany(t)
  const { itemCsv: csv } = createRules(db).board
  t.equal(`${Buffer.from(csv.ofProject('many').body)}`.split('\r\n').length, 1003)
  limitWork(db)
  t.throws(() => csv.ofProject('many'), TooMuchWork)
  t.match(`${Buffer.from(csv.ofProject('few').body)}`, /^\ufeffid,title.*\r\none,Card,/)
})
