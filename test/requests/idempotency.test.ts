/** The hashes by which repeated requests are recognised. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { hashOf } from '../../src/requests/idempotency.ts'
import { build, send } from '../helper.ts'

/** The same hash, simply: stored ones stay valid. */
function simpleHashOf(value: unknown): string {
  const text = JSON.stringify(value, (name, one) => {
    if (name === 'password' || name === 'currentPassword') return null
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one
    return Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
  return createHash('sha256').update(text).digest('hex')
}

const NAMES = [
  'password',
  'currentPassword',
  '0',
  '9',
  '10',
  '4294967294',
  '4294967295',
  '01',
  '-1',
  'toJSON',
]

t.test('every request has the same hash as ever', async () => {
  const key = fc.oneof(fc.constantFrom(...NAMES, '__proto__', 'constructor'), fc.string())
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.jsonValue({ depthSize: 'large' }).map((one) => JSON.stringify(one)),
      ),
      (text) => {
        const value: unknown = JSON.parse(text)
        return hashOf(value) === simpleHashOf(value)
      },
    ),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, -0, 1e21, 1e-7, Number.POSITIVE_INFINITY, undefined, '\ud800', 'é"\\'),
      fc.array(tie('tree'), { maxLength: 5 }),
      fc.array(fc.tuple(key, tie('tree')), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  fc.assert(fc.property(tree, (value) => hashOf([value]) === simpleHashOf([value])))
})

t.test('the values of a large body are not visited one by one', async (t) => {
  const calls = t.capture(JSON, 'stringify', JSON.stringify)
  hashOf({ numbers: Array.from({ length: 100_000 }, (_, index) => index) })
  t.strictSame(
    calls().map(({ args }) => args.length),
    [1, 1],
    'one for the name, one for the list',
  )
})

t.test('a request that is nested too deep is refused', async (t) => {
  const app = await build(t)
  const body = (levels: number) => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`
    return `{"requests":[{"method":"POST","path":"/api/projects","body":{"name":"A","deep":${deep}}}]}`
  }
  const post = (levels: number) =>
    send(app, 'POST', '/api/batch', body(levels), { 'idempotency-key': `${levels}` })
  t.match(await post(900), {
    status: 400,
    body: { details: { request: 0, fieldErrors: { deep: ['must NOT be nested deeper than 200 levels'] } } },
  })
  t.match(await post(100_000), {
    status: 400,
    body: { details: { formErrors: ['must NOT be nested deeper than 1000 levels'] } },
  })
})
