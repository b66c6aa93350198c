/** Readers of changes that fail: they end, and all others go on. */
import type { FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { TooMuchWork } from '../../src/db/work-limits.ts'
import type { ChangeReader } from '../../src/streams/change-readers.ts'
import { connectStream } from '../event-source.ts'
import { nextTurn, until } from '../executions.ts'
import { type App, build, createProject, keepLog, send, signInAs } from '../helper.ts'

type Caller = ReturnType<typeof signInAs>

async function service(t: Test) {
  const { logStream, log } = keepLog()
  const app = await build(t, { authMode: 'required', logLevel: 'error', logStream })
  const [boss, ann] = [signInAs(app, 'admin'), signInAs(app, 'member')]
  const { id } = await createProject(app, {}, boss.headers)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  /** Follows the changes. @returns a wait for an event with a text */
  const follow = async ({ headers }: Caller) => {
    const texts: string[] = []
    const { close } = await connectStream(`${url}/api/changes/stream`, ({ data }) => texts.push(data), {
      headers,
    })
    t.teardown(close)
    return (mark: string) => until(() => texts.some((text) => text.includes(mark)))
  }
  const mark = (text: string) => send(app, 'PATCH', `/api/projects/${id}`, { name: text }, boss.headers)
  return { app, boss, ann, follow, mark, log }
}

const last = (app: App) => app.rules.changes.sequence.last()

/** A reader whose work fails. */
function failing(app: App, who: Caller, place: number, error: Error) {
  const failed: unknown[] = []
  const fail = (): never => {
    throw error
  }
  const reader: ChangeReader = {
    kind: 'stream',
    request: { headers: who.headers } as unknown as FastifyRequest,
    identity: { member: { id: who.id } } as ChangeReader['identity'],
    reader: { id: who.id, role: 'member', scope: fail },
    filter: {},
    channel: 'failing',
    place,
    ...{ take: fail, miss: fail, replay: fail, notify: fail, tick: fail, end: fail, refuse: fail },
    fail: (cause) => {
      failed.push(cause)
      app.changeReaders.remove(reader)
    },
  }
  return { reader, failed }
}

t.test('a reader that fails stops no other', async (t) => {
  const { app, ann, boss, follow, mark, log } = await service(t)
  const error = new Error('out of order')
  const now = last(app)
  const taking = failing(app, ann, now, error)
  app.changeReaders.add(taking.reader)
  const seen = await follow(boss)
  const behind = failing(app, ann, now - 1, error)
  app.changeReaders.add(behind.reader)
  await until(() => behind.failed.length > 0)
  t.strictSame(behind.failed, [error], 'one that catches up')
  await mark('marker 1')
  await seen('marker 1')
  t.strictSame(taking.failed, [error], 'one that gets the change')
  const notified = failing(app, ann, last(app), error)
  app.changeReaders.add(notified.reader)
  app.changeReaders.sendNotifications([{ memberId: ann.id, projectId: null }])
  t.strictSame(notified.failed, [error], 'one that is notified')

  const worst = failing(app, ann, last(app), error)
  worst.reader.fail = () => {
    throw new Error('worse')
  }
  app.changeReaders.add(worst.reader)
  app.changeReaders.answer(() => {
    throw new Error('no answer')
  })
  const size = app.changeReaders.size
  await mark('marker 2')
  await seen('marker 2')
  t.equal(app.changeReaders.size, size - 1, 'it gets nothing more')
  t.match(log(), /worse/)
  t.match(log(), /no answer/)
})

t.test('a reader for which a batch is too much work reads it in its turn', async (t) => {
  const { app, ann, mark } = await service(t)
  const { reader, failed } = failing(app, ann, last(app), new TooMuchWork())
  let replayed = 0
  reader.replay = () => {
    replayed++
    reader.place = app.tail.last
    return false
  }
  app.changeReaders.add(reader)
  await mark('marker')
  await until(() => replayed > 0)
  await nextTurn()
  t.strictSame([failed, replayed], [[], 1])
  app.changeReaders.remove(reader)
})

t.test('a long poll that fails ends with an error', async (t) => {
  const { app, ann, mark } = await service(t)
  const { visibility } = app.rules.changes.feed
  const breakDown = (): never => {
    throw new Error('out of order')
  }
  const failing: readonly [part: object, its: object][] = [
    [visibility, { of: (reader: { id: string }) => (reader.id === ann.id ? breakDown() : seen(reader)) }],
    [app.tail, { textOf: breakDown }],
  ]
  const seen = visibility.of.bind(visibility) as (reader: object) => unknown
  for (const [part, its] of failing) {
    const size = app.changeReaders.size
    const url = `/api/changes?after=${last(app)}&wait=30`
    const answer = send(app, 'GET', url, undefined, ann.headers)
    await until(() => app.changeReaders.size > size)
    const before = Object.getOwnPropertyDescriptors(part)
    Object.assign(part, its)
    await mark(`marker ${Object.keys(its)}`)
    t.match(await answer, { status: 500, body: { error: 'Failed to fetch changes' } })
    for (const name of Object.keys(its)) if (!(name in before)) Reflect.deleteProperty(part, name)
    t.equal(app.changeReaders.size, size)
  }
})
