/** Changes that clients may have seen but the file has lost. Their positions belong to no change, and clients reload. */
import t, { type Test } from 'tap'
import { gapsIn, jump, lastChange, missingChange } from '../../src/db/lost-changes.ts'
import { connectStream, type StreamEvent } from '../event-source.ts'
import { type App, build, createProject, holds, send, signInAs } from '../helper.ts'
import { receive } from '../receivers.ts'

const last = (app: App) => app.rules.changes.sequence.last()

/** An application on a file that was taken over at its newest change. */
async function taken(t: Test, options: Parameters<typeof build>[1] = {}) {
  const app = await build(t, options)
  await createProject(app)
  const end = last(app)
  const place = jump(app.db.$client) as number
  return { app, end, place }
}

t.test('the sequence continues at the current time, and reports its last change', async (t) => {
  const before = Date.now() * 1000
  const { app, end, place } = await taken(t)
  t.ok(place >= before && place <= Date.now() * 1000, 'in microseconds')
  t.equal(last(app), place)
  const { changes } = (await send(app, 'GET', `/api/changes?after=${end}`)).body as { changes: object[] }
  t.match(changes, [
    {
      seq: place,
      group: place,
      kind: 'leap',
      action: 'created',
      actorId: null,
      projectId: null,
      before: null,
      after: { last: end, lastAt: String },
    },
  ])
  const { headers } = await send(app, 'POST', '/api/personal-ideas', { title: 'Gemini' })
  t.equal(Number(headers['phaseboard-seq']), last(app), 'changes follow it')
  t.ok(last(app) > place && last(app) < place + 100)
  const undone = await send(app, 'POST', `/api/changes/${last(app)}/undo`, {})
  t.equal(undone.status, 200, 'and can be undone')
})

t.test('the sequence jumps far beyond all known numbers, whatever the clock says', async (t) => {
  const { app, place } = await taken(t)
  const { $client } = app.db
  const jumps = (now: number, known?: number) => {
    $client.exec('savepoint trial')
    const { now: real } = Date
    Date.now = () => now
    try {
      return jump($client, known)
    } finally {
      Date.now = real
      $client.exec('rollback to trial; release trial')
    }
  }
  const ms = Math.round(place / 1000)
  t.equal(jumps(ms + 5000), (ms + 5000) * 1000)
  t.equal(jumps(ms), place + 1e9, 'at the same time')
  t.equal(jumps(0), place + 1e9, 'in 1970')
  t.equal(jumps(8.64e15), place + 1e9, 'at the end of time')
  t.equal(jumps(ms + 5000, place + 5e6), place + 5e6 + 1e9, 'another copy is as far')
  t.equal(jumps(ms + 5000, 7), (ms + 5000) * 1000)
})

t.test('clients ahead of the sequence must reload; all others continue', async (t) => {
  const { app, end, place } = await taken(t)
  await createProject(app)
  const gone = { error: 'Changes are gone', details: { oldest: 1 } }
  const url = '/api/changes'
  await holds(t, app, [
    ['GET', `${url}?after=${end + 1}`, 410, gone],
    ['GET', `${url}?after=${end + 1}&wait=1`, 410, gone],
    ['GET', `${url}?after=${place - 1}&projectId=x`, 410, gone],
    ['GET', `${url}?after=${last(app)}`, 200, { changes: [], last: last(app) }],
  ])
  const whole = (await send(app, 'GET', `${url}?after=${end}&limit=1000`)).body as { changes: unknown[] }
  t.ok(whole.changes.length > 1)

  const origin = await app.listen({ port: 0 })
  async function events(lastEventId: number): Promise<StreamEvent> {
    const { promise, resolve } = Promise.withResolvers<StreamEvent>()
    const connection = await connectStream(`${origin}${url}/stream`, resolve, {
      lastEventId: String(lastEventId),
    })
    const event = await promise
    connection.close()
    return event
  }
  t.match(await events(end + 3), { type: 'gone', data: '{"oldest":1}' })
  t.match(await events(end), { type: 'change', id: String(place) })
  t.match(await events(place), { type: 'change', id: String(place + 1) })
})

t.test('webhooks continue from their places, and receive a notice of the jump', async (t) => {
  const app = await build(t, { webhookAllowPrivate: true })
  const { headers } = signInAs(app, 'admin')
  const receiver = await receive(t)
  const ask = (method: string, path: string, body: object) =>
    send(app, method, `/api/webhooks${path}`, body, headers)
  const made = await ask('POST', '', { url: receiver.url })
  const end = last(app)
  const place = jump(app.db.$client) as number
  await app.listen({ port: 0 })
  await receiver.got(1)
  t.match(receiver.received[0], {
    headers: { 'webhook-id': `${made.body.id}.${place}` },
    body: { type: 'leap.created', data: { after: { last: end } } },
  })
  const replay = (after: number) => ask('POST', `/${made.body.id}/replay`, { after })
  t.match(await replay(end + 1), { status: 410 })
  t.match(await replay(end), { status: 200 })
})

t.test('a sequence jump cannot be undone', async (t) => {
  const { app, place } = await taken(t)
  t.match(await send(app, 'POST', `/api/changes/${place}/undo`, {}), {
    status: 400,
    body: { details: { formErrors: ['a leap of the sequence cannot be undone'] } },
  })
})

t.test('any other gap is reported', async (t) => {
  const { app, end, place } = await taken(t)
  const { $client } = app.db
  t.strictSame(gapsIn($client, 9), [])
  const gapAfter = (sql: string) => {
    $client.exec(`savepoint trial; ${sql}`)
    const gap = gapsIn($client, 1)[0]
    $client.exec('rollback to trial; release trial')
    return gap
  }
  t.equal(gapAfter('delete from changes where seq < 3'), undefined, 'old changes are pruned')
  t.equal(gapAfter(`delete from changes where seq < ${place}`), undefined, 'all of them but the newest')
  t.strictSame(gapAfter('delete from changes where seq in (2, 3)'), { from: 2, to: 3 })
  t.strictSame(gapAfter(`delete from changes where seq = ${end}`), { from: end, to: place - 1 })
  t.strictSame(gapAfter(`update changes set kind = 'project' where seq = ${place}`), {
    from: end + 1,
    to: place - 1,
  })
  t.strictSame(gapAfter(`update changes set after = '{' where seq = ${place}`)?.from, end + 1)
})

t.test('a change is missing if the index or a stored response refers to it', async (t) => {
  const { app, end } = await taken(t)
  const { $client } = app.db
  while (app.rules.changes.subjects.behind() > 0) app.rules.changes.subjects.index()
  t.equal(missingChange($client), undefined)
  $client.exec('delete from changes where seq = 1')
  t.equal(missingChange($client), undefined, 'what is old may be pruned')
  $client.exec('savepoint trial; delete from changes where seq = 3')
  t.equal(missingChange($client), 3)
  $client.exec('rollback to trial; release trial')
  const { headers } = await app.inject({
    method: 'POST',
    url: '/api/projects',
    payload: { name: 'Gemini' },
    headers: { 'idempotency-key': 'one' },
  })
  const seq = Number(headers['phaseboard-seq'])
  t.ok(seq > end)
  t.equal(missingChange($client), undefined)
  await createProject(app)
  $client.exec(`delete from changes where seq = ${seq}`)
  t.equal(missingChange($client), seq)
})

t.test('a file without changes, or from before them, stays unchanged', async (t) => {
  const app = await build(t)
  const { $client } = app.db
  $client.exec('delete from changes')
  t.equal(jump($client), undefined)
  $client.exec('drop table changes')
  t.equal(jump($client), undefined)
  t.equal(lastChange($client), undefined)
  t.equal(missingChange($client), undefined)
  t.strictSame(gapsIn($client, 9), [])
})
