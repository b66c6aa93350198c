/** Placeholders in bodies: what has none stays as it is. */
import t from 'tap'
import { NamedResults } from '../../src/batch/placeholders.ts'

const LIMIT = 1000

t.test('a body without placeholders is not copied', async (t) => {
  const results = new NamedResults(LIMIT)
  const body = { title: 'A {card}', metadata: { list: [1, { deep: null }], '{{p.id}}': true } }
  t.equal(results.intoBody(body), body)
})

t.test('only what has a placeholder is copied', async (t) => {
  const results = new NamedResults(LIMIT)
  results.set('p', '{"id":"x","list":[1]}')
  const body = {
    10: 'ten',
    title: '{{p.id}}',
    kept: { a: [1] },
    metadata: { list: ['{{p.list}}', 'b'] },
    last: 1,
  }
  const before = structuredClone(body)
  const into = results.intoBody(body) as typeof body
  t.strictSame(into, { ...before, title: 'x', metadata: { list: [[1], 'b'] } })
  t.strictSame(Object.keys(into), Object.keys(before))
  t.equal(into.kept, body.kept)
  t.strictSame(body, before)
})

t.test('a body that awaits a result is found at any depth', async (t) => {
  const results = new NamedResults(LIMIT)
  const body = { a: [{ b: 'the {{p.id}}' }] }
  t.equal(results.isAwaited(body), false)
  results.expect('p')
  t.equal(results.isAwaited(body), true)
  t.equal(results.isAwaited({ a: ['{{q.id}}', 1, null] }), false)
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}"{{p.id}}"${']'.repeat(100_000)}`)
  t.equal(results.isAwaited({ deep }), false, 'unless it is refused anyway')
  t.throws(() => results.intoBody({ deep }), { message: 'Validation failed' })
})
