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

/** An error of a field. */
const wrong = (field: string, problem: string) => ({
  statusCode: 400,
  message: 'Validation failed',
  details: { formErrors: [], fieldErrors: { [field]: [problem] } },
})

t.test('a string that is only a placeholder gets the value with its type', async (t) => {
  const results = new NamedResults(LIMIT)
  const value = { text: 'x', number: 0, no: false, none: null, list: [[1, { deep: 'y' }]], 'a-b': 1 }
  results.set('p', JSON.stringify(value))
  const into = (text: string) => (results.intoBody({ text }) as { text: unknown }).text
  for (const name of Object.keys(value)) t.strictSame(into(`{{p.${name}}}`), value[name as 'text'], name)
  t.equal(into('{{p.list.0.1.deep}}'), 'y')
  t.equal(into('{{p.text}}{{p.number}} {{p.no}}'), 'x0 false')
  t.equal(into('{{p}} {{p.a{b}} {p.text}'), '{{p}} {{p.a{b}} {p.text}', 'what is none')
  const [one, other] = [into('{{p.list}}'), into('{{p.list}}')]
  t.not(one, other, 'a copy, because validation changes it')
  t.throws(() => into('a {{p.list}}'), wrong('text', '{{p.list}} is no text or number'))
  t.throws(() => into('a {{p.none}}'), wrong('text', '{{p.none}} is no text or number'))
})

t.test('a placeholder names a field of an earlier result', async (t) => {
  const results = new NamedResults(LIMIT)
  results.set('p', '{"id":"x","list":[1],"length":3}')
  results.set('list', '["a"]')
  const into = (text: string) => () => results.intoBody({ outer: { inner: [text] } })
  for (const path of [
    'p.no',
    'p.toString',
    'p.id.length',
    'p.list.length',
    'p.list.1',
    'list.length',
    'p.id.0',
  ])
    t.throws(into(`{{${path}}}`), wrong('outer', `{{${path}}} is no field of that result`))
  t.throws(into('{{q.id}}'), wrong('outer', '{{q.id}} is of no earlier result'))
  t.strictSame(results.intoBody({ a: '{{p.length}}{{list.0}}' }), { a: '3a' })
  t.throws(() => results.intoPath('/{{q.id}}'), wrong('path', '{{q.id}} is of no earlier result'))
  const most = 1024 * 1024
  results.set('large', JSON.stringify({ id: 1, text: 'x'.repeat(most - 18) }))
  t.strictSame(results.intoBody({ a: '{{large.id}}' }), { a: 1 })
  results.set('larger', JSON.stringify({ id: 1, text: 'x'.repeat(most - 17) }))
  t.throws(
    () => results.intoBody({ a: '{{larger.id}}' }),
    wrong('a', '{{larger.id}} is of too large a result'),
  )
})

t.test('a path gets percent-encoded values', async (t) => {
  const results = new NamedResults(LIMIT)
  results.set('p', '{"id":"a/b ü?","half":"\\ud800","number":1.5}')
  t.equal(results.intoPath('/x/{{p.id}}?n={{p.number}}'), '/x/a%2Fb%20%C3%BC%3F?n=1.5')
  t.equal(results.intoPath('/{{p.half}}'), '/%EF%BF%BD')
  t.equal(results.intoPath('/x'), '/x')
})

t.test('each request has its own limit of what placeholders put into it', async (t) => {
  const results = new NamedResults(8)
  results.set('p', '{"id":"1234","list":[1,2]}')
  const tooLarge = { statusCode: 413, message: 'Payload Too Large' }
  for (const _ of [1, 2]) {
    t.strictSame(results.intoBody({ a: '{{p.id}}', b: ['{{p.id}}'] }), { a: '1234', b: ['1234'] })
    t.equal(results.intoPath('{{p.id}}{{p.id}}'), '12341234')
  }
  t.throws(() => results.intoPath('{{p.id}}{{p.id}}{{p.id}}'), tooLarge)
  t.throws(() => results.intoBody({ a: '{{p.id}}', b: '{{p.list}}' }), tooLarge)
})

t.test('a body is nested at most 200 levels deep', async (t) => {
  const results = new NamedResults(LIMIT)
  results.set('p', '{"id":1}')
  const lists = (levels: number): unknown =>
    JSON.parse(`${'['.repeat(levels)}"{{p.id}}"${']'.repeat(levels)}`)
  const objects = (levels: number): unknown =>
    JSON.parse(`${'{"a":'.repeat(levels)}"{{p.id}}"${'}'.repeat(levels)}`)
  for (const nested of [lists, objects]) {
    t.match(JSON.stringify(results.intoBody({ deep: nested(200) })), /[[:]1[\]}]/)
    const tooDeep = wrong('deep', 'must NOT be nested deeper than 200 levels')
    t.throws(() => results.intoBody({ deep: nested(201) }), tooDeep)
    t.throws(() => results.intoBody({ deep: nested(100_000) }), tooDeep)
  }
})
