import t from 'tap'
import { recordKey } from '../../src/exchange/archives/archive-facts.ts'

t.test('a record has a key, whatever another tool has stored as its id', async (t) => {
  t.equal(recordKey('project', 'a'), 'project a')
  t.equal(recordKey('project', null), 'project null')
  t.equal(recordKey('project', new Uint8Array([1, 255])), 'project blob 01ff')
  t.equal(recordKey('project', { text: Buffer.from('a') }), 'project a', 'a text that is no UTF-8')
})
