/** Delivering changes to webhooks: in order, at least once, whatever receivers, clocks and other processes do. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { Sequence } from '../../src/changes/sequence.ts'
import { systemClock } from '../../src/clock.ts'
import { openDatabase } from '../../src/db/client.ts'
import { lockOfWork, NO_LOCK } from '../../src/db/process-lock.ts'
import type { Rules } from '../../src/requests/rules.ts'
import { createRules } from '../../src/requests/rules.ts'
import type { WebhookDelivery } from '../../src/schemas/records.ts'
import { Deliverer, type DelivererOptions, HEARTBEAT, type Outcomes } from '../../src/webhooks/deliverer.ts'
import { RETRY_DELAYS } from '../../src/webhooks/deliveries.ts'
import { WAITED } from '../../src/webhooks/host-lookup.ts'
import { createSender, type Sender } from '../../src/webhooks/webhook-sender.ts'
import { nextTurn } from '../executions.ts'
import { writeTo } from '../helper.ts'
import {
  accept,
  answer,
  atOnce,
  hang,
  manualClock,
  type Receiver,
  type Respond,
  receive,
  until,
} from '../receivers.ts'

const ADMIN = { id: 'ada', address: null }
const SECOND = 1000

const NO_CHAT = { bodyOf: () => undefined, test: () => Buffer.of() }

const attemptsOf = (webhooks: Rules['webhooks'], id: string): WebhookDelivery[] =>
  JSON.parse(Buffer.from(webhooks.deliveries(id, {}).body).toString())

/** A sender that counts its messages. Within a turn of the event loop, whatever is due is handed to it. */
function countingSender() {
  const { send, close } = createSender({ clock: systemClock, inTurn: atOnce, allowsPrivate: true })
  const sender: Sender & { sends: number } = {
    sends: 0,
    send: (...message) => {
      sender.sends++
      return send(...message)
    },
    close,
  }
  return sender
}

/** A service without HTTP: rules on a database, and its deliverer. */
function service(
  t: Test,
  { databaseUrl = ':memory:', ...options }: Partial<DelivererOptions> & { databaseUrl?: string } = {},
) {
  const { db, close } = openDatabase(databaseUrl)
  const rules = createRules(db)
  const { webhooks, deliveries } = rules
  const { sequence } = rules.changes
  const clock = manualClock()
  const sender = countingSender()
  const warnings: string[] = []
  const listeners = new Set<() => void>()
  const outcomes: Outcomes = {
    delivered: async (...args) => writeTo(db, () => deliveries.delivered(...args)),
    failed: async (...args) => writeTo(db, () => deliveries.failed(...args)),
    skipped: async (...args) => writeTo(db, () => deliveries.skipped(...args)),
  }
  const deliverer = new Deliverer({
    sequence,
    deliveries,
    outcomes,
    sender,
    inTurn: atOnce,
    chat: NO_CHAT,
    tail: {
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    lock: NO_LOCK,
    clock,
    warn: ({ err }, message) => warnings.push(`${message}: ${err}`),
    ...options,
  })
  t.teardown(async () => {
    await deliverer.stop()
    close()
  })
  /** Writes, and notifies the deliverer like a commit. */
  const commit = (sql: string) => {
    db.$client.exec(sql)
    for (const listener of listeners) listener()
  }
  return {
    db,
    clock,
    warnings,
    /** The number of messages so far. */
    sends: () => sender.sends,
    deliverer,
    outcomes,
    webhooks,
    commit,
    last: () => sequence.last(),
    create: (fields: Parameters<typeof webhooks.create>[0]) =>
      writeTo(db, () => webhooks.create(fields, ADMIN)),
    update: (id: string, fields: Parameters<typeof webhooks.update>[1]) =>
      writeTo(db, () => webhooks.update(id, fields, ADMIN)),
    replay: (id: string, after: number) => writeTo(db, () => webhooks.replay(id, after)),
    row: (id: string) =>
      db.$client.prepare('select * from webhooks where id = ?').get(id) as Record<
        string,
        string | number | null
      >,
    audit: () => JSON.parse(Buffer.from(rules.members.audit.page({}).body).toString()),
    /** Advances the clock to the next check for due deliveries. */
    beat: () => clock.pass(HEARTBEAT),
  }
}

type Service = ReturnType<typeof service>

/** A service with a webhook, and its receiver. The deliverer is not started. */
async function receiving(t: Test, respond?: Respond) {
  const receiver = await receive(t, respond)
  const one = service(t)
  const { id } = one.create({ url: receiver.url })
  return { receiver, one, id }
}

const project = (id: string) => `insert into projects (id, name) values ('${id}', 'Apollo');`
const item = (id: string, projectId = 'p') =>
  `insert into kanban_items (id, project_id, title) values ('${id}', '${projectId}', 'Card');`
const rename = (id: string, title: string) => `update kanban_items set title = '${title}' where id = '${id}';`

/** Waits until a webhook has reached its position. */
const placed = ({ webhooks }: Pick<Service, 'webhooks'>, id: string, after: number) =>
  until(() => webhooks.get(id).after === after)

t.test(
  'a webhook gets each change since its creation, signed, in order, and its position is stored',
  async (t) => {
    const receiver = await receive(t)
    const one = service(t)
    one.commit(project('p'))
    const { id, secret, after } = one.create({ url: receiver.url })
    t.equal(after, one.last())
    one.deliverer.start()
    one.commit(item('i'))
    one.commit(rename('i', 'Ace'))
    one.commit("delete from kanban_items where id = 'i'")
    await placed(one, id, 4)
    t.strictSame(receiver.seqs(), [2, 3, 4])
    const [created, updated, deleted] = receiver.received
    const types = receiver.received.map(({ headers, text }) => {
      t.strictSame(new Webhook(secret).verify(text, headers, {}), JSON.parse(text))
      return JSON.parse(text).type
    })
    t.strictSame(types, ['kanban-item.created', 'kanban-item.updated', 'kanban-item.deleted'])
    t.match(created?.headers, { 'webhook-id': `${id}.2` })
    t.match(updated?.body, {
      timestamp: /^\d{4}-.*Z$/,
      data: { seq: 3, actorId: null, group: 3, kind: 'kanban-item', id: 'i', projectId: 'p', itemId: 'i' },
    })
    t.match(updated?.body.data, { action: 'updated', before: { title: 'Card' }, after: { title: 'Ace' } })
    t.strictSame(Object.keys(deleted?.body), ['type', 'timestamp', 'data'])
    t.equal(deleted?.body.timestamp, deleted?.body.data.at)
    const attempts = attemptsOf(one.webhooks, id)
    t.match(
      attempts.map(({ seq, status, error, webhookId }) => [seq, status, error, webhookId]),
      [4, 3, 2].map((seq) => [seq, 204, null, id]),
      'the newest first',
    )
  },
)

t.test('projectId and kinds filter changes, and ideas are never delivered', async (t) => {
  const receivers = await Promise.all(Array.from({ length: 6 }, () => receive(t)))
  const [all, ofProject, comments, both, people, ideas] = receivers as [
    Receiver,
    Receiver,
    Receiver,
    Receiver,
    Receiver,
    Receiver,
  ]
  const one = service(t)
  one.commit(project('p') + project('q'))
  one.create({ url: all.url })
  one.create({ url: ofProject.url, projectId: 'p' })
  one.create({ url: comments.url, kinds: ['kanban-comment', 'objective'] })
  one.create({ url: both.url, projectId: 'q', kinds: ['kanban-item', 'kanban-item'] })
  one.create({ url: people.url, kinds: ['member', 'team'] })
  one.create({ url: ideas.url, kinds: ['personal-idea'] })
  one.deliverer.start()
  one.commit(`
    ${item('i')} ${item('j', 'q')}
    insert into kanban_comments (id, item_id, author_id, content) values ('c', 'i', 'ada', 'Hm');
    insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test');
    insert into teams (id, name) values ('t', 'Crew');
    insert into personal_ideas (id, owner_id, title) values ('idea', 'ada', 'Fly');
    update personal_ideas set title = 'Dive'; delete from personal_ideas;
    update kanban_items set project_id = 'q' where id = 'i';
    insert into objectives (id, project_id, title) values ('o', 'q', 'Land');
    delete from projects where id = 'p';`)
  await until(() => receivers.slice(0, 5).every(({ received }) => received.length > 0))
  await until(() => all.received.at(-1)?.body.data.id === 'p')
  const deliveriesOf = ({ received }: Receiver) => received.map(({ body }) => `${body.type} ${body.data.id}`)
  t.strictSame(deliveriesOf(all).slice(0, 3), [
    'kanban-item.created i',
    'kanban-item.created j',
    'kanban-comment.created c',
  ])
  t.strictSame(deliveriesOf(all).slice(3, 5), ['member.created ada', 'team.created t'])
  t.notMatch(deliveriesOf(all).join(), /idea/)
  t.strictSame(deliveriesOf(ofProject), [
    'kanban-item.created i',
    'kanban-comment.created c',
    'kanban-item.updated i',
    'project.deleted p',
  ])
  t.strictSame(deliveriesOf(comments), ['kanban-comment.created c', 'objective.created o'])
  t.strictSame(deliveriesOf(both), ['kanban-item.created j', 'kanban-item.updated i'])
  t.strictSame(deliveriesOf(people), ['member.created ada', 'team.created t'])
  t.notMatch(JSON.stringify(people.received), /password/i)
  t.strictSame(deliveriesOf(ideas), [])
})

t.test('failed deliveries are retried at growing intervals, and then stop', async (t) => {
  const { receiver, one, id } = await receiving(t, answer(500, {}, 'broken'))
  one.deliverer.start()
  one.commit(project('p') + project('q'))
  const since = one.clock.now()
  for (const [index, delay] of RETRY_DELAYS.entries()) {
    await until(() => one.row(id).attempts === index + 1)
    const { active, failing_since: failingSince, retry_at: retryAt, after } = one.row(id)
    t.strictSame([active, Date.parse(String(failingSince)), after], [1, since, 0])
    const planned = Date.parse(String(retryAt)) - one.clock.now()
    t.ok(planned >= delay * 0.8 && planned <= delay * 1.2, `${planned} ms after failure ${index + 1}`)
    one.clock.pass(planned - HEARTBEAT)
    one.commit(project(`p${index}`))
    await nextTurn()
    t.equal(one.sends(), index + 1, 'not too early, and not because of a later change')
    one.clock.pass(2 * HEARTBEAT)
    await receiver.got(index + 2)
  }
  await until(() => one.row(id).active === 0)
  t.match(one.webhooks.get(id), { active: false, after: 0, failingSince: new Date(since).toISOString() })
  t.strictSame(new Set(receiver.seqs()), new Set([1]), 'what comes after it waits')
  t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  t.equal(attemptsOf(one.webhooks, id).length, 8)
  t.match(attemptsOf(one.webhooks, id)[0], { status: 500, error: 'the answer was 500', response: 'broken' })
  t.match(one.audit()[0], {
    action: 'webhook-deactivated',
    actorId: null,
    actor: 'service',
    subjectId: id,
    metadata: { reason: 'failing', failingSince: new Date(since).toISOString() },
  })
  one.clock.pass(100 * 24 * 3600 * SECOND)
  await nextTurn()
  t.equal(one.sends(), 8)

  receiver.respond = accept
  one.update(id, { active: true })
  one.deliverer.refresh()
  await placed(one, id, one.last())
  t.strictSame(
    receiver.seqs().slice(8),
    Array.from({ length: one.last() }, (_, index) => index + 1),
  )
  t.match(one.webhooks.get(id), { active: true, failingSince: null })
})

t.test('a success resets the failures; activating an active webhook retries at once', async (t) => {
  const { receiver, one, id } = await receiving(t, answer(503))
  one.deliverer.start()
  one.commit(project('p'))
  await until(() => one.row(id).attempts === 1)
  one.clock.pass(7 * SECOND)
  await until(() => one.row(id).attempts === 2)
  one.update(id, { description: 'Still failing' })
  one.deliverer.refresh()
  await nextTurn()
  t.equal(one.sends(), 2, 'another change of it does not')
  receiver.respond = accept
  one.update(id, { active: true })
  t.match(one.row(id), { attempts: 0, retry_at: null, failing_since: null })
  one.deliverer.refresh()
  await placed(one, id, 1)
  one.commit(project('q'))
  await placed(one, id, 2)
  t.match(one.row(id), { attempts: 0, retry_at: null, failing_since: null })
})

t.test('a receiver that responds 410 gets nothing more', async (t) => {
  const { one, id } = await receiving(t, answer(410))
  one.deliverer.start()
  one.commit(project('p'))
  await until(() => one.row(id).active === 0)
  t.match(one.audit()[0], { action: 'webhook-deactivated', metadata: { reason: 'gone' } })
  one.commit(project('q'))
  one.clock.pass(1000 * SECOND)
  await nextTurn()
  t.equal(one.sends(), 1)
})

t.test('changes of the clock do not stop deliveries', async (t) => {
  const { one, id } = await receiving(t, answer(500))
  one.deliverer.start()
  one.commit(project('p'))
  await until(() => one.row(id).attempts === 1)
  one.clock.set(one.clock.now() - 10 * 365 * 24 * 3600 * SECOND)
  one.clock.pass(7 * SECOND)
  await until(() => one.row(id).attempts === 2)
  t.pass('set back by ten years while it waits')
  await one.deliverer.stop()

  // The next start finds a time years ahead.
  const sender = countingSender()
  const again = new Deliverer({
    sequence: one.webhooks && createRules(one.db).changes.sequence,
    deliveries: createRules(one.db).deliveries,
    outcomes: one.outcomes,
    sender,
    inTurn: atOnce,
    chat: NO_CHAT,
    tail: { subscribe: () => () => undefined },
    lock: NO_LOCK,
    clock: one.clock,
    warn: (error) => t.fail(String(error)),
  })
  t.teardown(() => again.stop())
  one.clock.set(one.clock.now() - 365 * 24 * 3600 * SECOND)
  again.start()
  one.clock.pass(29 * SECOND)
  await nextTurn()
  t.equal(sender.sends, 0)
  one.clock.pass(8 * SECOND)
  await until(() => one.row(id).attempts === 3)
  t.pass('no longer than the longest delay after two failures')
  one.clock.set(one.clock.now() + 365 * 24 * 3600 * SECOND)
  one.clock.pass(HEARTBEAT)
  await until(() => one.row(id).attempts === 4)
  t.pass('set forward, or asleep for long')
  one.db.$client.exec("update webhooks set retry_at = 'nonsense', attempts = 3")
  one.clock.pass(HEARTBEAT)
  await until(() => one.row(id).attempts === 4)
  one.db.$client.exec("update webhooks set retry_at = '9999-12-31T00:00:00.000Z', attempts = 0")
  one.clock.pass(HEARTBEAT)
  await until(() => one.row(id).attempts === 1)
  t.pass('what another tool wrote there does not either')
})

t.test('a thousand waiting changes are delivered in order, over one connection', async (t) => {
  const { receiver, one, id } = await receiving(t)
  one.commit(project('p') + item('i'))
  for (let index = 0; index < 1000; index++) one.db.$client.exec(rename('i', `Title ${index}`))
  one.deliverer.start()
  await placed(one, id, 1002)
  t.strictSame(
    receiver.seqs(),
    Array.from({ length: 1002 }, (_, index) => index + 1),
  )
  t.equal(receiver.connections(), 1)
  const kept = one.db.$client.prepare('select count(*) from webhook_deliveries').pluck().get()
  t.equal(kept, 200, 'older attempts are not kept')
  t.equal(attemptsOf(one.webhooks, id)[199]?.seq, 803)
})

t.test('one of ten receivers that hangs does not delay the others', async (t) => {
  const one = service(t)
  const receivers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => receive(t, index === 3 ? hang : accept)),
  )
  const ids = receivers.map(({ url }) => one.create({ url }).id)
  one.deliverer.start()
  for (let index = 0; index < 20; index++) one.commit(project(`p${index}`))
  for (const [index, id] of ids.entries()) if (index !== 3) await placed(one, id, 20)
  t.equal(receivers[3]?.received.length, 1, 'one at a time')
  t.equal(one.webhooks.get(String(ids[3])).after, 0)
  const expected = Array.from({ length: 20 }, (_, index) => index + 1)
  for (const [index, receiver] of receivers.entries())
    if (index !== 3) t.strictSame(receiver.seqs(), expected)
})

t.test('a hundred receivers that hang do not delay another one', async (t) => {
  const one = service(t)
  const [slow, quick] = [await receive(t, hang), await receive(t)]
  for (let index = 0; index < 99; index++) one.create({ url: slow.url })
  const { id } = one.create({ url: quick.url })
  t.throws(() => one.create({ url: quick.url }), { message: 'There are 100 webhooks already' })
  one.deliverer.start()
  one.commit(project('p'))
  await slow.got(99)
  one.commit(project('q'))
  await placed(one, id, 2)
})

t.test('an attempt that waited for other names only is no failure, and is repeated at once', async (t) => {
  const attempt = { status: null, response: '', duration: 10_000 }
  const results = [
    { ...attempt, error: WAITED },
    { ...attempt, status: 204, error: null },
  ]
  const sent: string[] = []
  const sender = {
    send: async ({ id }: { id: string }) => {
      sent.push(id)
      return results.shift() ?? { ...attempt, error: 'a third attempt' }
    },
    close: () => undefined,
  }
  const one = service(t, { sender })
  const { id } = one.create({ url: 'http://receiver.test/' })
  one.deliverer.start()
  one.commit(project('p'))
  await placed(one, id, 1)
  t.strictSame(sent, [`${id}.1`, `${id}.1`])
  t.match(attemptsOf(one.webhooks, id), [{ status: 204, error: null }])
  t.strictSame(one.deliverer.attempts, { delivered: 1, failed: 0 })
})

t.test('many webhooks do not deliver a change in one turn of the event loop', async (t) => {
  const receiver = await receive(t)
  const { one: read } = Sequence.prototype
  t.teardown(() => {
    Sequence.prototype.one = read
  })
  let reads = 0
  Sequence.prototype.one = function (seq) {
    reads++
    return read.call(this, seq)
  }
  const waiting: (() => void)[] = []
  const one = service(t, {
    inTurn: (_who, work) => new Promise((resolve) => waiting.push(() => resolve(work()))),
  })
  const ids = Array.from({ length: 20 }, () => one.create({ url: receiver.url }).id)
  one.deliverer.start()
  one.commit(project('p'))
  t.equal(waiting.length, 20, 'each waits for its turn')
  t.equal(reads, 0)
  await until(() => {
    waiting.shift()?.()
    return ids.every((id) => one.webhooks.get(id).after === 1)
  })
  t.strictSame(
    receiver.seqs(),
    ids.map(() => 1),
  )
  t.equal(reads, 1, 'the change is read once for all')
  // They look for more before they end.
  await until(() => {
    waiting.shift()?.()
    return waiting.length === 0
  })
})

t.test('stopping aborts deliveries in flight, and the next start repeats them', async (t) => {
  const { receiver, one, id } = await receiving(t, hang)
  one.deliverer.start()
  one.commit(project('p'))
  await receiver.got(1)
  await one.deliverer.stop()
  one.deliverer.refresh()
  t.match(one.row(id), { after: 0, attempts: 0, failing_since: null })
  t.strictSame(attemptsOf(one.webhooks, id), [], 'it did not fail')
  t.strictSame(one.warnings, [])
})

t.test('a position set during a delivery applies', async (t) => {
  const { receiver, one, id } = await receiving(t)
  one.deliverer.start()
  one.commit(project('a') + project('b') + project('c'))
  await placed(one, id, 3)
  receiver.respond = (response, received) => {
    if (received.body.data.seq === 4) {
      one.replay(id, 1)
      receiver.respond = accept
    }
    response.end()
  }
  one.commit(project('d') + project('e'))
  await placed(one, id, 5)
  t.strictSame(receiver.seqs(), [1, 2, 3, 4, 2, 3, 4, 5])
  receiver.respond = (response, received) => {
    if (received.body.data.seq === 6) one.replay(id, 8)
    response.end()
  }
  one.commit(project('f') + project('g') + project('h') + project('i'))
  await placed(one, id, 9)
  t.strictSame(receiver.seqs().slice(8), [6, 9], 'forward too')
})

t.test('a change that is skipped leaves no failures to the next one', async (t) => {
  const { receiver, one, id } = await receiving(t, answer(500))
  one.deliverer.start()
  one.commit(project('a') + project('b'))
  for (const [index, delay] of RETRY_DELAYS.entries()) {
    await until(() => one.row(id).attempts === index + 1)
    if (index < RETRY_DELAYS.length - 1) one.clock.pass(delay * 1.2)
  }
  one.replay(id, 1)
  t.match(one.row(id), { active: 1, attempts: 0, retry_at: null, failing_since: null })
  one.beat()
  await until(() => one.row(id).attempts === 1)
  t.equal(receiver.seqs().at(-1), 2, 'which does not wait')
  t.match(one.row(id), { active: 1, after: 1 })
  receiver.respond = (response) => {
    one.replay(id, 2)
    response.writeHead(500).end()
  }
  one.clock.pass(7 * SECOND)
  await until(() => attemptsOf(one.webhooks, id).length === RETRY_DELAYS.length + 2)
  t.match(one.row(id), { active: 1, after: 2, attempts: 0, retry_at: null, failing_since: null })
})

t.test('a late response of the former URL does not count for the new one', async (t) => {
  const [former, current] = [await receive(t), await receive(t)]
  const one = service(t)
  const { id } = one.create({ url: former.url })
  one.deliverer.start()
  former.respond = (response) => {
    one.update(id, { url: current.url, active: true })
    response.writeHead(410).end()
  }
  one.commit(project('a'))
  await placed(one, id, 1)
  t.strictSame([former.seqs(), current.seqs()], [[1], [1]])
  t.match(one.row(id), { active: 1, attempts: 0, failing_since: null })
  t.match(
    attemptsOf(one.webhooks, id).map(({ status }) => status),
    [204, 410],
  )
})

t.test('a filter set during a delivery does not repeat it', async (t) => {
  const { receiver, one, id } = await receiving(t)
  one.deliverer.start()
  receiver.respond = (response) => {
    one.update(id, { kinds: ['project'] })
    one.deliverer.refresh()
    receiver.respond = accept
    response.end()
  }
  one.commit(project('a'))
  await placed(one, id, 1)
  one.commit(item('i', 'a') + project('b'))
  await placed(one, id, 3)
  t.strictSame(receiver.seqs(), [1, 3])
})

t.test('a webhook changed, deactivated or deleted during a delivery', async (t) => {
  const [first, second] = [await receive(t), await receive(t)]
  const one = service(t)
  const { id } = one.create({ url: first.url })
  one.deliverer.start()
  first.respond = (response) => {
    one.update(id, { url: second.url, kinds: ['project'], projectId: 'b' })
    response.end()
  }
  one.commit(project('a') + project('b') + project('c') + item('i', 'b'))
  await second.got(1)
  t.strictSame([first.seqs(), second.seqs()], [[1], [2]])
  second.respond = (response) => {
    one.update(id, { active: false })
    response.writeHead(500).end()
  }
  one.commit("update projects set name = 'B' where id = 'b'")
  await until(() => one.row(id).active === 0 && attemptsOf(one.webhooks, id).length === 3)
  t.match(one.row(id), { attempts: 0, retry_at: null }, 'what is off does not fail')
  second.respond = (response) => {
    one.db.$client.exec('delete from webhooks')
    response.end()
  }
  one.update(id, { active: true })
  one.deliverer.refresh()
  const { attempts } = one.deliverer
  const { delivered, failed } = attempts
  await until(() => attempts.delivered > delivered)
  await nextTurn()
  t.strictSame(one.warnings, [])
  const third = one.create({ url: second.url })
  second.respond = (response) => {
    one.db.$client.exec('delete from webhooks')
    response.writeHead(500).end()
  }
  one.deliverer.refresh()
  one.commit(project('z'))
  await until(() => attempts.failed > failed)
  await nextTurn()
  t.equal(one.row(third.id), undefined)
  t.strictSame(one.warnings, [])
})

t.test('a webhook deleted and restored during a delivery still gets one at a time', async (t) => {
  const { receiver, one, id } = await receiving(t, hang)
  one.deliverer.start()
  one.commit(project('p'))
  await receiver.got(1)
  for (const active of [false, true]) {
    one.update(id, { active })
    one.deliverer.refresh()
  }
  one.commit(project('q'))
  await nextTurn()
  t.equal(one.sends(), 1)
})

t.test('positions move past other changes, without a write for each', async (t) => {
  const receiver = await receive(t)
  let writes = 0
  const one = service(t)
  const { skipped } = one.outcomes
  one.outcomes.skipped = async (...args) => {
    writes += 1
    await skipped(...args)
  }
  const { id } = one.create({ url: receiver.url, kinds: ['objective'] })
  one.deliverer.start()
  one.commit(project('p') + item('i'))
  for (let index = 0; index < 500; index++) one.commit(rename('i', `Title ${index}`))
  one.beat()
  t.equal(writes, 0)
  one.clock.pass(60 * SECOND)
  await placed(one, id, 502)
  t.equal(writes, 1, 'after a minute')
  for (let index = 0; index < 2500; index++) one.db.$client.exec(rename('i', `Title ${index}`))
  one.commit('')
  await until(() => {
    one.beat()
    return one.webhooks.get(id).after === 3002
  })
  t.ok(writes <= 4, 'or a thousand changes')
  one.commit(
    `${rename('i', 'x')} insert into objectives (id, project_id, title) values ('o', 'p', 'Land'); ${rename('i', 'y')}`,
  )
  await placed(one, id, 3005)
  t.equal(receiver.received.length, 1)
  t.ok(writes <= 4, 'and with what is delivered')
  one.outcomes.skipped = () => Promise.reject(new Error('disk full'))
  one.commit(rename('i', 'z'))
  one.clock.pass(61 * SECOND)
  await until(() => one.warnings.length > 0)
  t.match(one.warnings, ['could not store the places of webhooks: Error: disk full'])
})

t.test('a delivered change is not repeated if its outcome cannot be stored at first', async (t) => {
  const { receiver, one, id } = await receiving(t)
  const { delivered } = one.outcomes
  let failures = 3
  one.outcomes.delivered = (...args) => {
    failures -= 1
    return failures < 0 ? delivered(...args) : Promise.reject(new Error('disk full'))
  }
  one.deliverer.start()
  one.commit(project('p') + project('q'))
  for (const left of [2, 1, 0]) {
    await until(() => failures === left)
    // The rejection comes first.
    await nextTurn()
    one.clock.pass(5 * SECOND)
  }
  await placed(one, id, 2)
  t.strictSame(receiver.seqs(), [1, 2])
  const message = 'could not store how a delivery went: Error: disk full'
  t.strictSame(one.warnings, [message], 'which is reported once a minute')
  one.clock.pass(60 * SECOND)
  failures = 1000
  one.commit(project('r'))
  await until(() => one.warnings.length === 2)
  await one.deliverer.stop()
  t.equal(failures, 998, 'stopping tries once more, and waits no longer')
})

t.test('a failed read is retried at the next interval', async (t) => {
  const { one, id } = await receiving(t)
  one.deliverer.start()
  one.db.$client.exec('pragma legacy_alter_table = on; alter table webhooks rename to broken')
  one.beat()
  t.match(one.warnings, [/^could not look for changes to deliver/])
  one.db.$client.exec('alter table broken rename to webhooks')
  one.commit(project('p'))
  one.beat()
  await placed(one, id, 1)
  t.equal(one.warnings.length, 1)
})

t.test('a change that cannot be read is retried at the next interval', async (t) => {
  const { one, id } = await receiving(t)
  const { one: read } = Sequence.prototype
  t.teardown(() => {
    Sequence.prototype.one = read
  })
  Sequence.prototype.one = () => {
    throw new Error('disk I/O error')
  }
  one.deliverer.start()
  one.commit(project('p'))
  await until(() => one.warnings.length > 0)
  t.match(one.warnings, [/^could not deliver changes to a webhook/])
  Sequence.prototype.one = read
  one.beat()
  await placed(one, id, 1)
})

t.test('an invalid change of another tool is sent without its unreadable parts', async (t) => {
  const { receiver, one, id } = await receiving(t)
  one.deliverer.start()
  one.db.$client.exec(`${project('p')} update changes set after = '{oops'`)
  one.commit('')
  await placed(one, id, 1)
  t.match(receiver.received[0]?.body, { type: 'project.created', data: { seq: 1, after: {} } })
  t.strictSame(one.warnings, [])
})

t.test('changes pruned before their delivery are skipped', async (t) => {
  const { receiver, one, id } = await receiving(t, answer(500))
  one.deliverer.start()
  one.commit(project('p') + project('q') + project('r'))
  await until(() => one.row(id).attempts === 1)
  one.db.$client.exec('delete from changes where seq < 3')
  receiver.respond = accept
  one.clock.pass(7 * SECOND)
  await placed(one, id, 3)
  t.strictSame(receiver.seqs(), [1, 3])
})

t.test('one of two services on a file delivers, and the other takes over when it ends', async (t) => {
  const file = join(t.testdir({ 'board.db': '' }), 'board.db')
  const receiver = await receive(t)
  const open = () => service(t, { databaseUrl: `file:${file}`, lock: lockOfWork(file, 'webhooks') })
  const [one, two] = [open(), open()]
  one.deliverer.start()
  two.deliverer.start()
  t.notOk(existsSync(`${file}.webhooks-lock`), 'without webhooks there is nothing to lock')
  const { id } = one.create({ url: receiver.url })
  one.beat()
  two.beat()
  t.equal(statSync(`${file}.webhooks-lock`).mode & 0o777, 0o600)
  const wrote = (number: number) => {
    one.commit(project(`p${number}`))
    two.commit('')
    two.beat()
    one.beat()
  }
  for (let index = 0; index < 20; index++) wrote(index)
  await placed(one, id, 20)
  const twenty = Array.from({ length: 20 }, (_, index) => index + 1)
  t.strictSame(receiver.seqs(), twenty)
  await one.deliverer.stop()
  two.beat()
  two.commit(project('last'))
  await placed(two, id, 21)
  t.strictSame(receiver.seqs(), [...twenty, 21])
})
