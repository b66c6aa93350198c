/** The limits of streams: in total, and per member. */
import t from 'tap'
import type { Identity } from '../../src/members/identity.ts'
import { Seats, tooMany } from '../../src/streams/seats.ts'

const identity = (id: string, via: Identity['via'] = 'session') =>
  ({ member: { id, role: 'viewer' }, via, scope: 'read' }) as Identity

t.test('a member has a tenth of all streams, and at least ten', (t) => {
  for (const [max, share] of [
    [1000, 100],
    [50, 10],
  ] as const) {
    const seats = new Seats(max)
    const taken = Array.from({ length: share }, () => seats.take(identity('ada')))
    const refused = { statusCode: 429, message: 'Too many streams', headers: { 'retry-after': '5' } }
    t.match(
      t.throws(() => seats.take(identity('ada'))),
      refused,
    )
    const ofBob = seats.take(identity('bob'))
    taken[0]?.()
    taken[0]?.()
    taken[0] = seats.take(identity('ada'))
    t.throws(() => seats.take(identity('ada')), tooMany(429))
    for (const leave of [...taken, ofBob]) leave()
    for (let count = 0; count < share; count++) seats.take(identity('ada'))
  }
  t.end()
})

t.test('the default member may use all streams', (t) => {
  const seats = new Seats(30)
  for (let count = 0; count < 30; count++) seats.take(identity('local', 'default'))
  t.throws(() => seats.take(identity('local', 'default')), tooMany(503))
  t.throws(() => seats.take(identity('ada')), tooMany(503))
  t.end()
})
