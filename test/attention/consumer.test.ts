/** What the consumer of changes does about faults, with a clock that the tests set. */
import t, { type Test } from 'tap'
import { build, createItem, createProject, send } from '../helper.ts'
import { manualClock } from '../receivers.ts'
import { consumerOf, writesOf } from './consumers.ts'
import { memberNamed, workedOff } from './members.ts'

/** Longer than the consumer waits between two looks at the sequence. */
const SECOND = 1000
const MINUTE = 60 * SECOND

/** A board, a consumer whose sources and writes fail on demand, what it reports, and how often Ada has been told of a comment. */
async function boardOf(t: Test) {
  const app = await build(t, { authMode: 'required' })
  const admin = memberNamed(app, 'boss', 'admin')
  memberNamed(app, 'ada')
  const project = await createProject(app, {}, admin.headers)
  const item = await createItem(app, project.id, { title: 'Card', assigneeId: 'ada' }, admin.headers)
  await workedOff(app)
  await app.notificationConsumer.stop()
  const { sequence } = app.rules.changes
  const writes = writesOf(app)
  const fails = { look: false, store: false }
  const reported: string[] = []
  const clock = manualClock(Date.now())
  const consumer = consumerOf(app, clock, {
    sequence: {
      first: () => sequence.first(),
      last: () => {
        if (fails.look) throw new Error('disk I/O error')
        return sequence.last()
      },
    },
    writes: {
      ...writes,
      store: async (results) => {
        if (fails.store) throw new Error('disk is full')
        await writes.store(results)
      },
    },
    warn: ({ err }, message) => reported.push(`${message}: ${err instanceof Error ? err.message : err}`),
  })
  t.teardown(() => consumer.stop())
  const comment = () =>
    send(app, 'POST', `/api/kanban-items/${item.id}/comments`, { content: 'Ready' }, admin.headers)
  const told = () =>
    app.db.$client
      .prepare(
        "select coalesce(sum(count), 0) from notifications where member_id = 'ada' and kind = 'commented'",
      )
      .pluck()
      .get()
  /** Lets the consumer look again, and finish. */
  const later = async (milliseconds = SECOND) => {
    clock.pass(milliseconds)
    await consumer.work()
  }
  return { app, clock, consumer, comment, fails, later, reported, told }
}

t.test(
  'a started consumer that cannot look at the sequence reports it once a minute, and goes on',
  async (t) => {
    const { clock, comment, consumer, fails, later, reported, told } = await boardOf(t)
    consumer.start()
    await consumer.work()
    fails.look = true
    await comment()
    clock.pass(SECOND)
    clock.pass(SECOND)
    t.strictSame(reported, ['could not create notifications: disk I/O error'])
    clock.pass(MINUTE)
    t.equal(reported.length, 2)
    fails.look = false
    await later()
    t.equal(told(), 1)
    t.equal(reported.length, 2)
  },
)

t.test('notifications that cannot be stored are created by the next attempt, once each', async (t) => {
  const { comment, consumer, fails, later, reported, told } = await boardOf(t)
  consumer.start()
  await consumer.work()
  fails.store = true
  await comment()
  await comment()
  await later()
  t.strictSame(reported, ['could not create notifications: disk is full'])
  t.equal(told(), 0)
  fails.store = false
  await later()
  await later()
  t.equal(told(), 2)
  t.equal(reported.length, 1)
})

t.test('a consumer whose place was pruned goes on with the oldest change that is stored', async (t) => {
  const { app, comment, consumer, reported, told } = await boardOf(t)
  await comment()
  const kept = app.rules.changes.sequence.last()
  await comment()
  // The service was down for longer than changes are kept.
  app.db.$client.prepare('delete from changes where seq <= ?').run(kept)
  await consumer.work()
  t.equal(told(), 1, 'of the comment whose change is stored')
  t.strictSame(reported, [])
})
