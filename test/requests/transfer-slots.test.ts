/** Slots of transfers: all, those of one share, and waiting for one. */
import t from 'tap'
import { TransferSlots } from '../../src/requests/transfer-slots.ts'

const NO_SLOT = { message: 'Service Unavailable' }

t.test('a slot is taken at once, and released once', async (t) => {
  const slots = new TransferSlots(2, { ofShare: 2, longest: 60_000 })
  const leave = await slots.wait('ada')
  await slots.wait('ada')
  t.equal(slots.taken, 2)
  leave()
  leave()
  t.equal(slots.taken, 1)
  await slots.wait('bob')
  t.equal(slots.taken, 2)
})

t.test('nobody has more than a share, however many slots are free', async (t) => {
  const slots = new TransferSlots(4, { ofShare: 2, longest: 60_000 })
  // Two of these wait until after the test, and are refused then: unhandled, that would end the process of all its files.
  for (let nth = 0; nth < 4; nth++) slots.wait('ada').catch(() => undefined)
  t.equal(slots.taken, 2)
  await slots.wait('bob')
  t.equal(slots.taken, 3)
})

t.test('those who wait get free slots in order', async (t) => {
  const slots = new TransferSlots(2, { ofShare: 1, longest: 60_000 })
  const [adas, bobs] = [await slots.wait('ada'), await slots.wait('bob')]
  const granted: string[] = []
  const waiting = ['ada', 'eve', 'bob'].map((member) =>
    slots.wait(member).then((leave) => {
      granted.push(member)
      return leave
    }),
  )
  bobs()
  const evesLeave = await waiting[1]
  t.strictSame(granted, ['eve'], 'ada still has one, so eve is next')
  adas()
  await waiting[0]
  t.strictSame(granted, ['eve', 'ada'])
  evesLeave?.()
  await waiting[2]
  t.strictSame(granted, ['eve', 'ada', 'bob'])
  t.equal(slots.taken, 2)
})

t.test('who has waited for too long is refused, and gets no slot later', async (t) => {
  // The timer of who waits does not keep the process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const slots = new TransferSlots(1, { ofShare: 1, longest: 10 })
  const leave = await slots.wait('ada')
  await t.rejects(slots.wait('bob'), NO_SLOT)
  leave()
  t.equal(slots.taken, 0)
})
