/** Slots of uploads and downloads: all, those of one member, and waiting for one. */
import t from 'tap'
import { FileSlots } from '../../src/requests/file-slots.ts'

const NO_SLOT = { message: 'Service Unavailable' }

t.test('slots are taken at once, or not', async (t) => {
  const slots = new FileSlots(2)
  const leave = slots.take('ada')
  slots.take('ada')
  t.throws(() => slots.take('bob'), NO_SLOT)
  leave()
  leave()
  t.equal(slots.taken, 1, 'left once')
  slots.take(null)
  t.equal(slots.taken, 2)
})

t.test('a member has a limited share of the slots, and the default member has no such limit', async (t) => {
  const slots = new FileSlots(4, { ofMember: 1 })
  slots.take('ada')
  t.throws(() => slots.take('ada'), NO_SLOT)
  slots.take('bob')
  slots.take(null)
  slots.take(null)
  t.equal(slots.taken, 4)
})

t.test('waiting members get free slots in order', async (t) => {
  const slots = new FileSlots(2, { ofMember: 1, longest: 60_000 })
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

t.test('a member that has waited for too long is refused, and gets no slot later', async (t) => {
  // The timer of who waits does not keep the process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const slots = new FileSlots(1, { longest: 10 })
  const leave = slots.take('ada')
  await t.rejects(slots.wait('bob'), NO_SLOT)
  leave()
  t.equal(slots.taken, 0)
})
