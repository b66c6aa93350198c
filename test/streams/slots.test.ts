/** The limits of streams: in total, and per member. */
import t from 'tap'
import type { Identity } from '../../src/members/identity.ts'
import { Slots, tooMany } from '../../src/streams/slots.ts'

const identity = (id: string, via: Identity['via'] = 'session') =>
  ({ member: { id, role: 'viewer' }, via, scope: 'read' }) as Identity

t.test('a member has a tenth of all streams, and at least ten', (t) => {
  for (const [max, share] of [
    [1000, 100],
    [50, 10],
  ] as const) {
    const slots = new Slots(max)
    const taken = Array.from({ length: share }, () => slots.take(identity('ada')))
    const refused = { statusCode: 429, message: 'Too many streams', headers: { 'retry-after': '5' } }
    t.match(
      t.throws(() => slots.take(identity('ada'))),
      refused,
    )
    const ofBob = slots.take(identity('bob'))
    taken[0]?.()
    taken[0]?.()
    taken[0] = slots.take(identity('ada'))
    t.throws(() => slots.take(identity('ada')), tooMany(429))
    for (const leave of [...taken, ofBob]) leave()
    for (let count = 0; count < share; count++) slots.take(identity('ada'))
  }
  t.end()
})

t.test('the default member may use all streams', (t) => {
  const slots = new Slots(30)
  for (let count = 0; count < 30; count++) slots.take(identity('local', 'default'))
  t.throws(() => slots.take(identity('local', 'default')), tooMany(503))
  t.throws(() => slots.take(identity('ada')), tooMany(503))
  t.end()
})
