/** Reminders and the ends of leases, with a clock that the tests set. */
import t, { type Test } from 'tap'
import { timestamp } from '../../src/time.ts'
import { build, count, createItem, createProject, send } from '../helper.ts'
import { manualClock } from '../receivers.ts'
import { consumerOf } from './consumers.ts'
import { memberNamed } from './members.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A board whose item two members watch, and a clock at the current time. */
async function boardOf(t: Test) {
  const app = await build(t, { authMode: 'required' })
  const admin = memberNamed(app, 'boss', 'admin')
  const ada = memberNamed(app, 'ada')
  const project = await createProject(app, {}, admin.headers)
  const item = await createItem(app, project.id, { title: 'Card', assigneeId: 'ada' }, admin.headers)
  await app.notificationConsumer.work()
  await app.notificationConsumer.work()
  await app.notificationConsumer.stop()
  const clock = manualClock(Date.now())
  const consumer = consumerOf(app, clock)
  const url = `/api/kanban-items/${item.id}`
  const change = (body: object) => send(app, 'PATCH', url, body, admin.headers)
  const told = (kind = 'due') =>
    app.db.$client
      .prepare(
        `select member_id || ' ' || due_at from notifications where kind = ? order by due_at, member_id`,
      )
      .pluck()
      .all(kind)
  return { app, admin, ada, project, item, url, clock, consumer, change, told }
}

/** A time from now, in whole minutes. */
const soon = (minutes: number) => timestamp(Math.ceil(Date.now() / MINUTE) * MINUTE + minutes * MINUTE)

t.test('watchers get one notification when a reminder is due', async (t) => {
  const { clock, consumer, change, told, item, project, app, ada } = await boardOf(t)
  const dueDate = soon(3 * 24 * 60)
  const [early, late] = [soon(60), timestamp(Date.parse(dueDate) - DAY)]
  await change({ dueDate, reminders: [{ before: 'P1D' }, { at: early }] })
  await consumer.work()
  t.strictSame(told(), [])
  clock.set(Date.parse(early) - 1)
  await consumer.work()
  t.strictSame(told(), [])
  clock.set(Date.parse(early))
  await consumer.work()
  t.strictSame(told(), [`ada ${early}`, `boss ${early}`])
  clock.set(Date.parse(late) + 5 * HOUR)
  await consumer.work()
  const all = [`ada ${early}`, `boss ${early}`, `ada ${late}`, `boss ${late}`]
  t.strictSame(told(), all)
  clock.set(Date.now())
  await consumer.work()
  clock.set(Date.parse(late) + DAY)
  await consumer.work()
  t.strictSame(told(), all, 'also when the clock is set back and forth')
  t.equal(count(app, 'item_times'), 0)
  const { body } = await send(app, 'GET', '/api/notifications?limit=1', undefined, ada.headers)
  t.match(body, [
    {
      kind: 'due',
      itemId: item.id,
      projectId: project.id,
      actorId: null,
      seq: null,
      title: 'Card',
      text: dueDate,
      count: 1,
    },
  ])
})

t.test('a started consumer looks at the clock at least every minute, also after a suspension', async (t) => {
  const { clock, consumer, change, told } = await boardOf(t)
  const at = soon(600)
  await change({ reminders: [{ at }] })
  consumer.start()
  await consumer.work()
  t.ok(
    clock.pending().every((left) => left <= MINUTE),
    'a timer of hours would stop while the machine is suspended',
  )
  // The machine was suspended: only the system clock has gone on.
  clock.set(Date.parse(at) + 20 * MINUTE)
  clock.pass(MINUTE)
  await consumer.work()
  t.equal(told().length, 2)
  await consumer.stop()
})

t.test('the times follow the item', async (t) => {
  const { clock, consumer, change, told, admin, app, url } = await boardOf(t)
  const first = soon(2 * 24 * 60)
  await change({ dueDate: first, reminders: [{ before: 'PT1H' }] })
  await consumer.work()
  const second = soon(4 * 24 * 60)
  await change({ dueDate: second })
  clock.set(Date.parse(first))
  // The change was not worked off when the former time came.
  await consumer.work()
  t.strictSame(told(), [])
  await change({ dismissed: true })
  clock.set(Date.parse(second))
  await consumer.work()
  t.strictSame(told(), [], 'not of a dismissed item')
  await change({ dismissed: false, dueDate: soon(6 * 24 * 60) })
  await change({ column: 'Done' })
  clock.set(Date.parse(soon(6 * 24 * 60)))
  await consumer.work()
  t.strictSame(told(), [], 'not of a done item')
  const third = soon(9 * 24 * 60)
  await change({ column: 'To Do', dueDate: third })
  await consumer.work()
  t.equal(count(app, 'item_times'), 1)
  const deleted = await send(app, 'DELETE', url, undefined, admin.headers)
  await consumer.work()
  t.equal(count(app, 'item_times'), 0)
  await send(app, 'POST', `/api/changes/${deleted.headers['phaseboard-seq']}/undo`, {}, admin.headers)
  await consumer.work()
  const at = timestamp(Date.parse(third) - HOUR)
  clock.set(Date.parse(at))
  await consumer.work()
  t.strictSame(told(), [`ada ${at}`, `boss ${at}`], 'an item that came back reminds again')
})

t.test(
  'reminders due while the service was down are sent late, those in the past when they were set are not',
  async (t) => {
    const { app, clock, consumer, change, told } = await boardOf(t)
    const at = soon(10)
    await change({ reminders: [{ at }, { at: '2001-01-01' }] })
    // It ends before it has worked off the change; the next one starts a week later.
    await consumer.stop()
    clock.set(Date.parse(at) + 7 * DAY)
    const next = consumerOf(app, clock)
    await next.work()
    t.strictSame(told(), [`ada ${at}`, `boss ${at}`])
    const another = consumerOf(app, clock)
    await another.work()
    t.equal(told().length, 2)
  },
)

t.test('watchers of the project are reminded, too', async (t) => {
  const { app, project, clock, consumer, change, told } = await boardOf(t)
  const eve = memberNamed(app, 'eve')
  const { status } = await send(app, 'PUT', `/api/projects/${project.id}/watch`, undefined, eve.headers)
  t.equal(status, 200)
  const at = soon(10)
  await change({ reminders: [{ at }] })
  await consumer.work()
  clock.set(Date.parse(at))
  await consumer.work()
  t.strictSame(told(), [`ada ${at}`, `boss ${at}`, `eve ${at}`], 'once each')
})

t.test('members who do not watch are not reminded', async (t) => {
  const { app, ada, url, clock, consumer, change, told } = await boardOf(t)
  await send(app, 'DELETE', `${url}/watch`, undefined, ada.headers)
  const at = soon(10)
  await change({ reminders: [{ at }] })
  await consumer.work()
  clock.set(Date.parse(at))
  await consumer.work()
  t.strictSame(told(), [`boss ${at}`])
})

t.test('the end of a lease causes a notification, unless it was renewed or ended before', async (t) => {
  const { app, admin, project, clock, consumer, told } = await boardOf(t)
  const bot = memberNamed(app, 'bot')
  await createItem(app, project.id, { title: 'Work' }, admin.headers)
  const claim = () =>
    send(app, 'POST', `/api/projects/${project.id}/kanban-items/claim`, { leaseSeconds: 600 }, bot.headers)
  const { body } = await claim()
  await consumer.work()
  const renewed = await send(
    app,
    'POST',
    `/api/kanban-items/${body.id}/claim/renew`,
    { leaseSeconds: 1200 },
    bot.headers,
  )
  clock.set(Date.parse(body.claimedUntil) + 1)
  await consumer.work()
  t.strictSame(told('lease-lapsed'), [])
  const until = renewed.body.claimedUntil
  clock.set(Date.parse(until))
  await consumer.work()
  t.strictSame(told('lease-lapsed'), [`boss ${until}`, `bot ${until}`])
  t.equal(count(app, 'notifications', "kind = 'lease-lapsed' and actor_id is null and seq is null"), 2)
  await createItem(app, project.id, { title: 'More' }, admin.headers)
  const other = (await claim()).body
  await send(app, 'DELETE', `/api/kanban-items/${other.id}/claim`, undefined, bot.headers)
  await consumer.work()
  clock.set(Date.parse(other.claimedUntil) + 1)
  await consumer.work()
  t.equal(told('lease-lapsed').length, 2)
})
