/** The memory of streams that clients do not read. */
import t from 'tap'
import { UnreadStreams, type WeighedStream } from '../../src/streams/unread-streams.ts'

const MEGABYTE = 1024 * 1024

interface Stream extends WeighedStream {
  isCut: boolean
}

const stream = (owner: string | undefined, waitsSince: number | undefined, ...buffers: Buffer[]): Stream => ({
  owner,
  waitsSince,
  isCut: false,
  unsent() {
    return this.isCut ? [] : buffers
  },
  cut() {
    this.isCut = true
  },
})

const weigh = (streams: Stream[]) => {
  const unread = new UnreadStreams(() => streams)
  unread.sent(MEGABYTE - 1)
  const early = streams.some(({ isCut }) => isCut)
  unread.sent(1)
  return { early, kept: streams.map(({ isCut }, index) => (isCut ? '' : index)).join('') }
}
const own = (size: number) => Buffer.alloc(size * MEGABYTE)

t.test('of one member, the longest unread ones are closed until 8 MiB are left', (t) => {
  const streams = [
    stream('ada', 30, own(3)),
    stream('ada', undefined, own(3)),
    stream('ada', 10, own(3)),
    stream('ada', 20, own(3)),
    stream('bob', 5, own(7)),
    stream('ada', 1),
  ]
  t.strictSame(weigh(streams), { early: false, kept: '0145' })
  t.end()
})

t.test('memory shared by several streams counts once', (t) => {
  const shared = own(5)
  const streams = Array.from({ length: 9 }, (_, index) => stream('ada', index, shared))
  t.equal(weigh(streams).kept, '012345678')
  t.equal(weigh([...streams, stream('ada', 99, own(4))]).kept, '9', 'it is free when all have gone')
  t.end()
})

t.test('of all members together, 64 MiB are left', (t) => {
  const members = Array.from({ length: 10 }, (_, index) => stream(`member-${index}`, 10 - index, own(7)))
  t.equal(weigh(members).kept, '012345678')
  const everybody = Array.from({ length: 10 }, (_, index) => stream(undefined, index, own(7)))
  t.equal(weigh(everybody).kept, '123456789')
  t.equal(weigh(everybody.slice(0, 9)).kept.length, 8, 'the default member has no share of its own')
  t.end()
})
