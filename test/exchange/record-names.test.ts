import t from 'tap'
import { RecordNames } from '../../src/exchange/archives/record-names.ts'

t.test('each added name is found, and no other', async (t) => {
  const names = new RecordNames()
  t.notOk(names.has('member 0'), 'there is none at first')
  const all = Array.from({ length: 5000 }, (_, index) => `member ${index}`)
  for (const name of all) names.add(name)
  t.ok(all.every((name) => names.has(name)))
  t.notOk(all.some((name) => names.has(`${name}x`)))
  names.add('team 1')
  t.ok(names.has('team 1'), 'also one that comes later')
  t.ok(names.has('member 4999'))
})
