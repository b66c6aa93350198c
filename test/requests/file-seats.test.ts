/** Seats of uploads and downloads: all, those of one member, and waiting for one. */
import t from 'tap'
import { FileSeats } from '../../src/requests/file-seats.ts'

const NO_SEAT = { message: 'Service Unavailable' }

t.test('seats are taken at once, or not', async (t) => {
  const seats = new FileSeats(2)
  const leave = seats.take('ada')
  seats.take('ada')
  t.throws(() => seats.take('bob'), NO_SEAT)
  leave()
  leave()
  t.equal(seats.taken, 1, 'left once')
  seats.take(null)
  t.equal(seats.taken, 2)
})

t.test('a member has a limited share of the seats, and the default member has no such limit', async (t) => {
  const seats = new FileSeats(4, { ofMember: 1 })
  seats.take('ada')
  t.throws(() => seats.take('ada'), NO_SEAT)
  seats.take('bob')
  seats.take(null)
  seats.take(null)
  t.equal(seats.taken, 4)
})

t.test('waiting members get free seats in order', async (t) => {
  const seats = new FileSeats(2, { ofMember: 1, longest: 60_000 })
  const [adas, bobs] = [await seats.wait('ada'), await seats.wait('bob')]
  const seated: string[] = []
  const waiting = ['ada', 'eve', 'bob'].map((member) =>
    seats.wait(member).then((leave) => {
      seated.push(member)
      return leave
    }),
  )
  bobs()
  const evesLeave = await waiting[1]
  t.strictSame(seated, ['eve'], 'ada still has one, so eve is next')
  adas()
  await waiting[0]
  t.strictSame(seated, ['eve', 'ada'])
  evesLeave?.()
  await waiting[2]
  t.strictSame(seated, ['eve', 'ada', 'bob'])
  t.equal(seats.taken, 2)
})

t.test('a member that has waited for too long is refused, and gets no seat later', async (t) => {
  // The timer of who waits does not keep the process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const seats = new FileSeats(1, { longest: 10 })
  const leave = seats.take('ada')
  await t.rejects(seats.wait('bob'), NO_SEAT)
  leave()
  t.equal(seats.taken, 0)
})
