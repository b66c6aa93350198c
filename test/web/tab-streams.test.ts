/** Tabs that share a stream, without a browser: who reads it, and what the others get. */
import t, { type Test } from 'tap'
import type { Change } from '../../web/common/api.ts'
import { type Arrival, TabStream } from '../../web/common/tab-streams.ts'
import { until } from './until.ts'

const changeOf = (seq: number): Arrival => ({ kind: 'change', change: { seq } as Change })

/** The channel of a tab, which does not say that it is alive while it hangs. */
class TabChannel extends BroadcastChannel {
  isHung = false

  override postMessage(message: { type: string }): void {
    if (!this.isHung || message.type !== 'alive') super.postMessage(message)
  }
}

/** The channels, in the order of their tabs. */
const channels: TabChannel[] = []
Object.assign(globalThis, {
  BroadcastChannel: class extends TabChannel {
    constructor(name: string) {
      super(name)
      channels.push(this)
    }
  },
})

/** A tab that follows its position like the page does. */
function open(
  t: Test,
  name: string,
  { alive = { every: 20, within: 60_000 }, at = undefined as number | undefined } = {},
) {
  const tab = {
    at,
    got: [] as (number | string)[],
    reading: undefined as AbortSignal | undefined,
    stream: undefined as TabStream | undefined,
    isConnected: true,
    /** Hangs from now on, or no longer. */
    hang: (isHung = true) => {
      if (channel) channel.isHung = isHung
    },
    /** As if the service had sent this. */
    send: (arrival: Arrival) => {
      const before = tab.at
      tab.at =
        arrival.kind === 'change' ? arrival.change.seq : arrival.kind === 'place' ? arrival.seq : tab.at
      tab.stream?.arrived(arrival, before)
    },
  }
  tab.stream = new TabStream(
    name,
    {
      place: () => tab.at,
      isConnected: () => tab.isConnected,
      read: (signal) => {
        tab.reading = signal
      },
      take: (arrival) => {
        if (arrival.kind === 'access') tab.got.push(arrival.access.projectId)
        else if (arrival.kind === 'notification') tab.got.push(arrival.notification.id)
        else {
          const seq = arrival.kind === 'change' ? arrival.change.seq : arrival.seq
          if (arrival.kind === 'change' && seq > (tab.at ?? 0)) tab.got.push(seq)
          tab.at = Math.max(seq, tab.at ?? 0)
        }
      },
      restart: (seq) => {
        tab.got.push(`gap ${seq}`)
        tab.at = seq
      },
      lost: () => tab.got.push('lost'),
      ended: () => tab.got.push('ended'),
      retry: () => tab.got.push('retry'),
    },
    alive,
  )
  const channel = channels.at(-1)
  t.teardown(() => tab.stream?.close())
  return tab
}

type Tab = ReturnType<typeof open>
const untilReads = (tab: Tab) =>
  until(
    async () => tab.stream?.isReader === true,
    (isReader) => isReader,
  )
const untilGot = (tab: Tab, ...got: (number | string)[]) =>
  until(
    async () => tab.got.join(),
    (all) => all === got.join(),
  )

t.test('one tab reads the stream, and the others get each event once', async (t) => {
  const first = open(t, 'one')
  await untilReads(first)
  const early = open(t, 'one')
  first.send({ kind: 'place', seq: 10 })
  await untilGot(early, 'gap 10')
  first.send(changeOf(11))
  first.send({ kind: 'access', access: { projectId: 'a', visible: true, seq: 11 } as never })
  first.send(changeOf(12))
  await untilGot(early, 'gap 10', 11, 'a', 12)
  const late = open(t, 'one')
  await untilGot(late, 'gap 12')
  const back = open(t, 'one', { at: 11 })
  await untilGot(back, 'a', 12)
  const tooLate = open(t, 'one', { at: 3 })
  await untilGot(tooLate, 'gap 12')
  first.send(changeOf(13))
  for (const tab of [early, late, back, tooLate]) {
    await until(
      async () => tab.at,
      (at) => at === 13,
    )
    t.notOk(tab.stream?.isReader)
  }
})

t.test('the next one reads when the first is closed, from where it is', async (t) => {
  const first = open(t, 'two')
  await untilReads(first)
  first.send({ kind: 'place', seq: 1 })
  const [second, third] = [open(t, 'two'), open(t, 'two')]
  await untilGot(second, 'gap 1')
  await untilGot(third, 'gap 1')
  first.send(changeOf(2))
  await untilGot(third, 'gap 1', 2)
  first.stream?.close()
  t.ok(first.reading?.aborted)
  await untilReads(second)
  t.equal(second.at, 2)
  second.send(changeOf(3))
  await untilGot(third, 'gap 1', 2, 3)
  t.strictSame(first.got, [])
})

t.test('a reader that hangs loses the stream, and then listens', async (t) => {
  const hung = open(t, 'three', { alive: { every: 1_000_000, within: 1_000_000 } })
  await untilReads(hung)
  hung.send({ kind: 'place', seq: 1 })
  hung.hang()
  const next = open(t, 'three', { alive: { every: 20, within: 300 } })
  await untilReads(next)
  await until(
    async () => hung.reading?.aborted,
    (isAborted) => isAborted === true,
  )
  t.notOk(hung.stream?.isReader)
  next.at ??= 1
  next.send(changeOf(2))
  await until(
    async () => hung.at,
    (at) => at === 2,
  )
})

t.test('a reader whose timers are slow keeps the stream, because it answers', async (t) => {
  const slow = open(t, 'six', { alive: { every: 1_000_000, within: 1_000_000 } })
  await untilReads(slow)
  slow.send({ kind: 'place', seq: 1 })
  const channel = new BroadcastChannel('phaseboard:stream:six')
  t.teardown(() => channel.close())
  let answers = 0
  channel.onmessage = ({ data }) => {
    if ((data as { type: string }).type === 'alive') answers++
  }
  const listener = open(t, 'six', { alive: { every: 10_000, within: 20 } })
  await until(
    async () => answers,
    (times) => times > 3,
  )
  t.ok(slow.stream?.isReader)
  t.notOk(slow.reading?.aborted)
  t.notOk(listener.stream?.isReader)
})

t.test('a tab waits for the lock once, however often it is taken', async (t) => {
  // Also counts those that have the lock.
  let waiting = 0
  const { locks } = navigator
  const request = locks.request.bind(locks)
  t.intercept(locks, 'request', {
    value: (name: string, options: LockOptions, then: () => Promise<void> | undefined) => {
      waiting++
      return request(name, options, then).finally(() => waiting--)
    },
  })
  const tabs = Array.from({ length: 3 }, () => open(t, 'seven', { alive: { every: 20, within: 20 } }))
  for (let round = 0; round < 6; round++) {
    const reader = await until(
      async () => tabs.find(({ stream }) => stream?.isReader),
      (found) => found !== undefined,
    )
    reader?.hang()
    await until(
      async () => reader?.stream?.isReader,
      (isReader) => isReader === false,
    )
    reader?.hang(false)
  }
  await until(
    async () => waiting,
    (count) => count === tabs.length,
  )
})

t.test(
  'a lost connection and an ended session are told, and any tab can ask for another attempt',
  async (t) => {
    const first = open(t, 'four')
    await untilReads(first)
    first.send({ kind: 'place', seq: 1 })
    const second = open(t, 'four')
    await untilGot(second, 'gap 1')
    first.isConnected = false
    first.stream?.notify('lost')
    await untilGot(second, 'gap 1', 'lost')
    const third = open(t, 'four')
    await untilGot(third, 'gap 1', 'lost')
    third.stream?.retry()
    await untilGot(first, 'retry')
    first.stream?.notify('ended')
    await untilGot(third, 'gap 1', 'lost', 'ended')
  },
)

t.test('another user gets nothing of it', async (t) => {
  const ann = open(t, 'service:ann')
  const bob = open(t, 'service:bob')
  await untilReads(ann)
  await untilReads(bob)
  ann.send({ kind: 'place', seq: 1 })
  const second = open(t, 'service:ann')
  await untilGot(second, 'gap 1')
  ann.send(changeOf(2))
  ann.stream?.notify('ended')
  await untilGot(second, 'gap 1', 2, 'ended')
  t.strictSame(bob.got, [])
})
