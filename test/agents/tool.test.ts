import t from 'tap'
import { unreadOf } from '../../src/agents/tool.ts'

t.test('a write whose response is too large reports that', async (t) => {
  const notes = ['Done. The result is too large to be shown here: read it separately']
  t.strictSame(unreadOf({ answers: [], isReplay: true, seq: 7 }), { seq: 7, replayed: true, notes })
  t.strictSame(unreadOf({ answers: [], isReplay: false }), { notes })
})
