/** The rules of waiting writes in the tab's storage. */
import t from 'tap'
import { isKept, type KeptWrite, KeptWrites } from '../../web/common/kept-writes.ts'

type Method = KeptWrite['request']['method']

function memory() {
  const values = new Map<string, string>()
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
}

const writeOf = (key: string, body: unknown = {}, at = Date.now()): KeptWrite => ({
  request: {
    method: 'patch',
    path: '/api/kanban-items/{id}',
    options: { path: { id: 'a' }, body, idempotencyKey: key },
  },
  message: 'Saved.',
  at,
})

t.test('are the ones of the same member, in their order', async (t) => {
  const storage = memory()
  t.equal(new KeptWrites(storage, '/').keep('ann', [writeOf('1'), writeOf('2')]), 2)
  t.equal(new KeptWrites(storage, '/other/').take('ann').writes.length, 0, 'of this service only')
  const { writes, late } = new KeptWrites(storage, '/').take('ann')
  t.strictSame(
    writes.map(({ request }) => request.options.idempotencyKey),
    ['1', '2'],
  )
  t.strictSame(late, [])
  t.equal(new KeptWrites(storage, '/').take('ann').writes.length, 0, 'once')
})

t.test('are also those that the page stored before an update of the service', async (t) => {
  const storage = memory()
  const { message: said, ...write } = writeOf('1')
  storage.setItem('phaseboard:writes:/', JSON.stringify({ owner: 'ann', writes: [{ ...write, said }] }))
  t.strictSame(new KeptWrites(storage, '/').take('ann').writes, [{ ...write, message: said }])
})

t.test('of another member are forgotten', async (t) => {
  const storage = memory()
  const kept = new KeptWrites(storage, '/')
  kept.keep('ann', [writeOf('1')])
  t.strictSame(kept.take('bob'), { writes: [], late: [] })
  t.equal(storage.values.size, 0)
  t.strictSame(kept.take('ann'), { writes: [], late: [] })
})

t.test('are not sent after the service has forgotten their keys', async (t) => {
  const kept = new KeptWrites(memory(), '/')
  kept.keep('ann', [writeOf('old', {}, Date.now() - 24 * 60 * 60 * 1000), writeOf('new')])
  const { writes, late } = kept.take('ann')
  t.strictSame([writes.length, late.length], [1, 1])
})

t.test('have a limited size and number', async (t) => {
  const storage = memory()
  const kept = new KeptWrites(storage, '/')
  const many = Array.from({ length: 500 }, (_, index) => writeOf(String(index)))
  t.equal(kept.keep('ann', many), 200)
  t.equal(kept.take('ann').writes[0]?.request.options.idempotencyKey, '0', 'the first ones')
  const large = Array.from({ length: 8 }, (_, index) => writeOf(String(index), 'x'.repeat(100_000)))
  t.equal(kept.keep('ann', large), 2)
  t.ok(([...storage.values.values()][0] ?? '').length < 250_000)
  t.equal(kept.keep('ann', [writeOf('1', 'x'.repeat(300_000))]), 0)
  t.equal(storage.values.size, 0)
})

t.test('survive no storage, and anything in it', async (t) => {
  t.equal(new KeptWrites(undefined, '/').keep('ann', [writeOf('1')]), 0)
  const storage = memory()
  const kept = new KeptWrites(storage, '/')
  const other = writeOf('1')
  for (const text of [
    'x',
    'null',
    '{}',
    '{"owner":"ann","writes":[1,null,{}]}',
    JSON.stringify({
      owner: 'ann',
      writes: [{ ...other, request: { ...other.request, path: '/api/members' } }],
    }),
  ]) {
    storage.setItem('phaseboard:writes:/', text)
    t.strictSame(kept.take('ann').writes, [], text)
  }
  const forbidden = {
    getItem: () => {
      throw new Error('forbidden')
    },
    setItem: () => {
      throw new Error('forbidden')
    },
    removeItem: () => undefined,
  }
  t.equal(new KeptWrites(forbidden, '/').keep('ann', [writeOf('1')]), 0)
  t.strictSame(new KeptWrites(forbidden, '/').take('ann').writes, [])
})

t.test('hold no secret, and no text that has a draft', async (t) => {
  const kept = (method: Method, path: string, options = {}) => isKept({ method, path, options })
  t.ok(kept('post', '/api/kanban-items/{id}/move'))
  t.ok(kept('post', '/api/projects/{id}/kanban-items'))
  t.ok(kept('put', '/api/kanban-items/{id}/labels/{labelId}'))
  t.ok(kept('delete', '/api/kanban-comments/{id}'))
  t.ok(kept('patch', '/api/projects/{id}'))
  t.ok(kept('post', '/api/personal-ideas'))
  t.ok(kept('post', '/api/changes/{seq}/undo'))
  for (const path of [
    '/api/tokens',
    '/api/session',
    '/api/members/{id}',
    '/api/member',
    '/api/webhooks',
    '/api/projects/{id}/share-links',
    '/api/imports',
    '/api/kanban-items/{id}/comments',
    '/api/kanban-items/{id}/subtasks',
  ]) {
    t.notOk(kept('post', path), path)
  }
  const batch = (...paths: unknown[]) =>
    kept('post', '/api/batch', { body: { requests: paths.map((path) => ({ method: 'POST', path })) } })
  t.ok(batch('/api/changes/1/undo', '/api/objectives/1'))
  t.ok(batch('/api/kanban-items/1/move', '/api/projects/1/kanban-items', '/api/projects/1/kanban-labels'))
  t.notOk(batch('/api/kanban-items/1/move', '/api/members'), 'a batch with anything else')
  t.notOk(batch(undefined))
  t.notOk(kept('post', '/api/batch', { body: { requests: null } }))
  t.notOk(kept('patch', '/api/kanban-items/{id}', { ifMatch: '"1"' }), 'an edited text')
  t.notOk(kept('get', '/api/kanban-items/{id}'))
})
