import t from 'tap'
import { unreadOf } from '../../src/agents/tool.ts'

t.test('a write whose answers are too large to be read says so', async (t) => {
  const notes = ['Done. The result is too large to be shown here: read it separately']
  t.strictSame(unreadOf({ answers: [], isReplay: true, seq: 7 }), { seq: 7, replayed: true, notes })
  t.strictSame(unreadOf({ answers: [], isReplay: false }), { notes })
})
