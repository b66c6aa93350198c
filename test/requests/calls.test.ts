/** Calls as data, how work ends in the worker thread, and which responses are stored. */
import { SqliteError } from 'better-sqlite3'
import t from 'tap'
import { SERVICE } from '../../src/access/caller.ts'
import { ApiError } from '../../src/errors.ts'
import { BY_SERVICE } from '../../src/requests/perform.ts'
import { outcomeOf, unwrap } from '../../src/worker/outcomes.ts'
import { build, count, createProject, LONG_AGO, send } from '../helper.ts'

t.test('a call is data, and runs when it is performed', async (t) => {
  const app = await build(t)
  const call = app.projects.create({ name: 'Apollo' })
  t.strictSame(call, { path: 'projects.create', args: [{ name: 'Apollo' }] })
  t.equal(await call, call, 'whoever awaits it has the same')
  t.equal(count(app, 'projects'), 0)
  const { value, seq } = await app.perform(call, BY_SERVICE)
  t.match(value, { name: 'Apollo' })
  t.equal(seq, app.rules.changes.sequence.last())
  t.equal(count(app, 'projects'), 1)
  t.match(await app.read(app.projects.get(value.id), SERVICE), { name: 'Apollo' })
  await t.rejects(async () => app.read(app.projects.get('none'), SERVICE), { message: 'Project not found' })
  await t.rejects(app.perform(app.projects.delete('none', { id: null, address: null }), BY_SERVICE), {
    message: 'Project not found',
  })
})

t.test('a read that its class does not list is performed as a write', async (t) => {
  const app = await build(t)
  t.match(await app.read(app.projects.create({ name: 'Apollo' }), SERVICE), { name: 'Apollo' })
  t.equal(count(app, 'projects'), 1)
  t.equal(count(app, 'changes', '"group" is null'), 0, 'its changes are a group')
})

t.test('a specified error keeps its class between threads', (t) => {
  const refused = outcomeOf(() => {
    throw new ApiError(409, 'Changed since', {
      details: { conflicts: [] },
      headers: { etag: '"x"' },
      code: 'changed_since',
    })
  })
  t.throws(() => unwrap(structuredClone(refused)), {
    statusCode: 409,
    message: 'Changed since',
    details: { conflicts: [] },
    headers: { etag: '"x"' },
    code: 'changed_since',
  })
  t.ok(Object.keys(refused).includes('refusal'))
  const plain = outcomeOf(() => {
    throw new ApiError(412, 'Precondition failed')
  })
  t.throws(() => unwrap(structuredClone(plain)), { message: 'Precondition failed' })
  const failed = outcomeOf(() => {
    throw new TypeError('no')
  })
  t.throws(() => unwrap(failed), { message: 'no' })
  const full = outcomeOf(() => {
    throw new Error('Failed query', { cause: new SqliteError('it is full', 'SQLITE_FULL') })
  })
  t.throws(() => unwrap(structuredClone(full)), { message: 'Failed query', code: 'SQLITE_FULL' })
  t.equal(unwrap(outcomeOf(() => 5)), 5)
  t.end()
})

t.test('responses are kept for a day, and pruned in slices', async (t) => {
  const app = await build(t)
  const insert = app.db.$client.prepare(`insert into idempotency_keys
    (member_id, method, path, key, body_hash, status, created_at) values ('ada', 'POST', '/', ?, 'x', 201, ?)`)
  for (let key = 0; key < 700; key += 1) insert.run(`old ${key}`, LONG_AGO)
  await send(app, 'POST', '/api/projects', { name: 'Apollo' }, { 'idempotency-key': 'young' })
  const { idempotencyStore } = app.rules
  const yesterday = Date.now() - 24 * 60 * 60 * 1000
  t.equal(idempotencyStore.hasOlder(yesterday), true)
  const prune = async () => (await app.perform(app.idempotencyStore.prune(yesterday), BY_SERVICE)).value
  t.equal(await prune(), true, 'there is more')
  t.equal(count(app, 'idempotency_keys'), 201)
  t.equal(await prune(), false)
  t.equal(idempotencyStore.hasOlder(yesterday), false)
  t.equal(count(app, 'idempotency_keys', "key = 'young'"), 1)
})

t.test('a large response without a change is not stored', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const url = `/api/projects/${id}/kanban-items`
  await send(app, 'POST', url, { title: 'Card', description: 'x'.repeat(90_000) })
  const read = { requests: [{ method: 'GET', path: `/api/projects/${id}` }] }
  const key = { 'idempotency-key': 'k' }
  t.equal((await send(app, 'POST', '/api/batch', read, key)).status, 200)
  t.equal(count(app, 'idempotency_keys'), 0, 'reading again does no harm')
  const write = { requests: [...read.requests, { method: 'POST', path: url, body: { title: 'Once' } }] }
  const first = await send(app, 'POST', '/api/batch', write, key)
  const again = await send(app, 'POST', '/api/batch', write, key)
  t.equal(first.status, 200)
  t.strictSame([again.status, again.body], [409, { error: 'Already done' }])
  t.equal(count(app, 'kanban_items', "title = 'Once'"), 1)
})

t.test('equal JSON is the same request, in any order of keys', async (t) => {
  const app = await build(t)
  const key = { 'idempotency-key': 'k' }
  const made = await send(app, 'POST', '/api/projects', '{"name":"Apollo","metadata":{"a":1,"b":2}}', key)
  const again = await send(app, 'POST', '/api/projects', '{"metadata":{"b":2,"a":1},"name":"Apollo"}', key)
  t.strictSame([again.status, again.body], [201, made.body])
  const other = await send(app, 'POST', '/api/projects', '{"metadata":{"b":2,"a":2},"name":"Apollo"}', key)
  t.equal(other.status, 422)
})

t.test('without a record, no ETag matches', async (t) => {
  const app = await build(t)
  const ask = (ifMatch: string) =>
    send(app, 'POST', '/api/projects', { name: 'Apollo' }, { 'if-match': ifMatch })
  t.equal((await ask('"x"')).status, 412)
  t.equal((await ask('*')).status, 201)
  const request = { method: 'POST', path: '/api/projects', body: { name: 'Apollo' } }
  const batch = (ifMatch: string) => send(app, 'POST', '/api/batch', { requests: [{ ...request, ifMatch }] })
  t.equal((await batch('"x"')).status, 412)
  t.equal((await batch('*')).status, 200)
})
