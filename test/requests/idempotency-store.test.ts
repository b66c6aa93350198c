/** The idempotency store: its limits, its eviction order, and entries in an older file. */
import { join } from 'node:path'
import t from 'tap'
import { BODY_BYTES, IdempotencyStore, type RepeatableRequest } from '../../src/requests/idempotency-store.ts'
import { makeOldFile } from '../database.ts'
import { type App, build } from '../helper.ts'

const requestOf = (key: string, memberId = 'ada', role: RepeatableRequest['role'] = null) => ({
  memberId,
  role,
  method: 'POST',
  path: '/api/projects',
  key,
  bodyHash: 'hash',
})

const responseOf = (body: string | null) => ({ status: 201, body, etag: null, seq: 7 })

const alreadyDone = { statusCode: 409, message: 'Already done', headers: { 'phaseboard-seq': '7' } }

const rowsOf = ({ db: { $client } }: App) =>
  $client
    .prepare<[], string>(
      `select key || ':' || ifnull(length(body), '-') from idempotency_keys order by created_at, rowid`,
    )
    .pluck()
    .all()

t.test('only the key of a large response is stored', async (t) => {
  const kept = new IdempotencyStore((await build(t)).db)
  kept.keep(requestOf('just'), responseOf('x'.repeat(BODY_BYTES)))
  t.equal(kept.find(requestOf('just'))?.body?.length, BODY_BYTES)
  kept.keep(requestOf('large'), responseOf('é'.repeat(BODY_BYTES / 2 + 1)))
  t.equal(kept.isKept(requestOf('large')), true)
  t.throws(() => kept.find(requestOf('large')), alreadyDone)
  t.throws(() => kept.find({ ...requestOf('large'), bodyHash: 'other' }), {
    message: 'Idempotency-Key was used for another request',
  })
})

t.test('the oldest bodies are deleted first, and their keys stay', async (t) => {
  const app = await build(t)
  const kept = new IdempotencyStore(app.db, { bytes: 100, keys: 1000 })
  for (let number = 0; number < 10; number += 1)
    kept.keep(requestOf(`${number}`, `member ${number}`), responseOf('x'.repeat(10)))
  t.ok(rowsOf(app).every((row) => row.endsWith(':10')))
  kept.keep(requestOf('none'), responseOf(null))
  kept.keep(requestOf('more'), responseOf('x'.repeat(25)))
  t.strictSame(rowsOf(app), [
    ...[0, 1].map((number) => `${number}:-`),
    ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${number}:10`),
    'none:-',
    'more:25',
  ])
  t.throws(() => kept.find(requestOf('0', 'member 0')), alreadyDone, 'it is not done again')
  kept.keep(requestOf('last'), responseOf('x'.repeat(100)))
  t.strictSame(
    rowsOf(app).filter((row) => !row.endsWith('-')),
    ['last:100'],
  )
})

t.test('a table that is too large shrinks slice by slice', async (t) => {
  const app = await build(t)
  const large = new IdempotencyStore(app.db)
  for (let number = 0; number < 40; number += 1)
    large.keep(requestOf(`${number}`), responseOf('x'.repeat(BODY_BYTES)))
  const bodies = () => rowsOf(app).filter((row) => !row.endsWith('-')).length
  t.equal(bodies(), 40)
  const kept = new IdempotencyStore(app.db, { bytes: 2 * BODY_BYTES, keys: 1000 })
  const sizes = ['a', 'b', 'c'].map((key) => {
    kept.keep(requestOf(key), responseOf('x'))
    return bodies()
  })
  t.strictSame(sizes, [24, 8, 5], 'a mebibyte at a time')
})

t.test("a member's oldest keys are deleted, and nobody else's", async (t) => {
  const app = await build(t)
  const kept = new IdempotencyStore(app.db, { bytes: 1000, keys: 3 })
  kept.keep(requestOf('other', 'bob'), responseOf('x'))
  for (const key of ['a', 'b', 'c', 'd']) kept.keep(requestOf(key), responseOf('x'))
  t.strictSame(rowsOf(app), ['other:1', 'b:1', 'c:1', 'd:1'])
  t.equal(kept.find(requestOf('a')), undefined)
  new IdempotencyStore(app.db, { bytes: 1000, keys: 1 }).keep(requestOf('e'), responseOf('x'))
  t.strictSame(rowsOf(app), ['other:1', 'e:1'])
})

t.test('a response for a higher role is not replayed for a lower one', async (t) => {
  const kept = new IdempotencyStore((await build(t)).db)
  kept.keep(requestOf('k', 'ada', 'member'), responseOf('x'))
  for (const role of ['admin', 'member', null] as const)
    t.equal(kept.find(requestOf('k', 'ada', role))?.body, 'x')
  t.throws(() => kept.find(requestOf('k', 'ada', 'viewer')), alreadyDone)
})

t.test(
  'stored responses of an older file count, and those that depend on a role are for admins',
  async (t) => {
    const path = join(t.testdir(), 'board.db')
    const client = makeOldFile(path, 11)
    const insert = client.prepare(`insert into idempotency_keys
    (member_id, method, path, key, body_hash, status, body, seq, created_at)
    values (?, 'POST', ?, ?, 'hash', 201, ?, 7, ?)`)
    const now = Date.now()
    const at = (age: number) => new Date(now - age * 1000).toISOString()
    insert.run('ada', '/api/projects', 'newest', 'xé', at(1))
    insert.run('bob', '/api/projects', 'large', 'x'.repeat(BODY_BYTES + 1), at(2))
    insert.run('ada', '/api/batch', 'batch', 'xxx', at(3))
    client.close()
    const app = await build(t, { databaseUrl: `file:${path}` })
    const rows = app.db.$client
      .prepare('select key, role, body, nth, up_to from idempotency_keys order by created_at')
      .raw()
      .all()
    t.strictSame(rows, [
      ['batch', 'admin', 'xxx', 1, 3],
      ['large', null, null, 1, 3],
      ['newest', null, 'xé', 2, 6],
    ])
  },
)
