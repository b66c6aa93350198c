import { Type } from '@sinclair/typebox'
import type { ErrorObject } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import { parseJson } from '../../src/json.ts'
import { createValidatorCompiler } from '../../src/requests/validation.ts'
import { flattenErrors } from '../../src/requests/violations.ts'
import {
  AnyObject,
  CreateBody,
  JSON_TEXT_DEPTH,
  JSON_TEXT_LIMIT,
  JsonText,
  Nullable,
  OptionalDate,
  ReorderBody,
  UniqueBy,
  UpdateBody,
} from '../../src/schemas/common.ts'
import { long } from '../helper.ts'

type Validator = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null }

/** The violations as a response shows them. */
const flatten = (errors: ErrorObject[]) => structuredClone(flattenErrors(errors))

const compile = (schema: object, httpPart = 'body') =>
  createValidatorCompiler()({ schema: { ...schema }, method: 'POST', url: '/', httpPart }) as Validator

/** The violation of a value, or the value after validation. */
function judge(schema: object, value: unknown, httpPart?: string): unknown {
  const validate = compile(schema, httpPart)
  return validate(value) ? value : { refused: flatten(validate.errors ?? []) }
}
const refused = (fieldErrors: Record<string, string[]>, formErrors: string[] = []) => ({
  refused: { formErrors, fieldErrors },
})

t.test('parseJson', async (t) => {
  t.test('reads what JSON.parse reads', async () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const isHarmless = !/__proto__|constructor/.test(text)
        return !isHarmless || JSON.stringify(parseJson(text)) === JSON.stringify(JSON.parse(text))
      }),
    )
  })

  t.test('throws a SyntaxError at anything else', async (t) => {
    for (const text of ['', ' ', '{', 'x', "{'a':1}", '[1,]', 'undefined', 'NaN']) {
      t.throws(() => parseJson(text), SyntaxError, JSON.stringify(text))
    }
  })

  t.test('drops keys that could reach a prototype, at any depth and in any notation', async (t) => {
    for (const text of [
      '{"a":1,"__proto__":{"b":2}}',
      '{"a":1,"__proto__":5}',
      '{"a":1,"\\u005f_proto__":{"b":2}}',
      '{"a":1,"__proto__" : null}',
      '{"a":1,"constructor":{"prototype":{"b":2}}}',
    ]) {
      t.strictSame(parseJson(text), { a: 1 }, text)
      t.strictSame(parseJson(`[[${text}]]`), [[{ a: 1 }]])
      t.strictSame(Object.keys((parseJson(text) as object) ?? {}), ['a'])
    }
    t.strictSame(parseJson('{"constructor":"Boeing"}'), { constructor: 'Boeing' }, 'a harmless one stays')
    t.equal(parseJson('"__proto__"'), '__proto__', 'it is a fine value')
  })
})

t.test('validation of bodies', async (t) => {
  const Body = UpdateBody({
    text: Type.String({ maxLength: 3 }),
    number: Type.Number(),
    flag: Type.Boolean(),
    nullable: Nullable(Type.String()),
    date: OptionalDate,
    list: JsonText(Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true }))),
    object: JsonText(AnyObject),
  })

  t.test('unknown fields are dropped, not refused', async (t) => {
    t.strictSame(judge(Body, { text: 'a', other: 1, __defineGetter__: 2 }), { text: 'a' })
    t.strictSame(judge(Body, { other: { deep: [] } }), {})
  })

  t.test('nothing is coerced', async (t) => {
    t.strictSame(
      judge(Body, { text: 5, number: '5', flag: 'true', nullable: false }),
      refused({
        text: ['must be string'],
        number: ['must be number'],
        flag: ['must be boolean'],
        nullable: ['must be string or null'],
      }),
    )
    t.strictSame(judge(Body, { nullable: null }), { nullable: null })
  })

  t.test('a number is finite', async (t) => {
    for (const number of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
      t.strictSame(judge(Body, { number }), refused({ number: ['must be number'] }))
    }
  })

  t.test('a body that is not an object is refused, and so is an empty one for a creation', async (t) => {
    for (const value of [null, [], 'x', 5, true]) {
      t.strictSame(judge(Body, value), refused({}, ['must be object']), JSON.stringify(value))
    }
    t.strictSame(judge(Body, {}), {})
    const Create = CreateBody({ name: Type.String() })
    t.strictSame(
      judge(Create, {}),
      refused({ name: ['is required'] }, ['must NOT have fewer than 1 properties']),
    )
    t.strictSame(judge(Create, { other: 1 }), refused({ name: ['is required'] }))
  })

  t.test('JSON text is replaced by its value, the empty string by an empty one', async (t) => {
    const list = [{ name: 'a', more: [1] }]
    t.strictSame(judge(Body, { list: JSON.stringify(list), object: ' {"a": 1} ' }), {
      list,
      object: { a: 1 },
    })
    t.strictSame(judge(Body, { list: '', object: '' }), { list: [], object: {} })
    t.strictSame(judge(Body, { list, object: { a: 1 } }), { list, object: { a: 1 } })
    t.strictSame(judge(Body, { list: '[]', object: '{}' }), { list: [], object: {} })
  })

  t.test('JSON text of the wrong type, or with a syntax error, is an error of its field', async (t) => {
    for (const text of ['x', '{}', 'null', '5', '"[]"', '[', ' ']) {
      t.strictSame(judge(Body, { list: text }), refused({ list: ['must be JSON text of an array'] }), text)
    }
    for (const text of ['x', '[]', 'null', '5', '"{}"', '{', ' ']) {
      t.strictSame(
        judge(Body, { object: text }),
        refused({ object: ['must be JSON text of an object'] }),
        text,
      )
    }
    for (const value of [null, 5, true]) {
      t.strictSame(judge(Body, { list: value }), refused({ list: ['must be array or string'] }))
      t.strictSame(judge(Body, { object: value }), refused({ object: ['must be object or string'] }))
    }
    t.strictSame(judge(Body, { list: {} }), refused({ list: ['must be array or string'] }))
    t.strictSame(judge(Body, { object: [] }), refused({ object: ['must be object or string'] }))
  })

  t.test('elements of JSON text have the same schema as those of the value', async (t) => {
    const wrong = [{ name: 5 }, {}, 'x']
    const answer = refused({
      list: ['list[0].name must be string', 'list[1].name is required', 'list[2] must be object'],
    })
    t.strictSame(judge(Body, { list: wrong }), answer)
    t.strictSame(judge(Body, { list: JSON.stringify(wrong) }), answer)
  })

  t.test('JSON text has limits of size and depth, and is refused once', async (t) => {
    const nest = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
    const sized = (bytes: number) => ({ a: long(bytes - '{"a":""}'.length) })
    t.strictSame(judge(Body, { object: sized(JSON_TEXT_LIMIT) }), { object: sized(JSON_TEXT_LIMIT) })
    t.strictSame(judge(Body, { object: nest(JSON_TEXT_DEPTH) }), { object: nest(JSON_TEXT_DEPTH) })
    const tooLarge = refused({ object: [`must NOT be larger than ${JSON_TEXT_LIMIT} bytes of JSON`] })
    const tooDeep = refused({ object: [`must NOT be nested deeper than ${JSON_TEXT_DEPTH} levels`] })
    for (const encode of [(value: unknown) => value, JSON.stringify]) {
      t.strictSame(judge(Body, { object: encode(sized(JSON_TEXT_LIMIT + 1)) }), tooLarge)
      t.strictSame(judge(Body, { object: encode(nest(JSON_TEXT_DEPTH + 1)) }), tooDeep)
      t.strictSame(
        judge(Body, { object: encode({ a: 'é'.repeat(JSON_TEXT_LIMIT / 2) }) }),
        tooLarge,
        'in bytes',
      )
    }
    const manyWrong = Array.from({ length: JSON_TEXT_LIMIT }, () => 5)
    t.strictSame(
      judge(Body, { list: manyWrong }),
      refused({ list: [`must NOT be larger than ${JSON_TEXT_LIMIT} bytes of JSON`] }),
    )
  })

  t.test('an optional date accepts a date or a falsy value, with one error message', async (t) => {
    for (const date of ['2026-01-31', '2026-01-31T10:00:00+01:00', null, '', false, 0]) {
      t.strictSame(judge(Body, { date }), { date })
    }
    const none = 'must be one of null, "", false, 0'
    t.strictSame(judge(Body, { date: true }), refused({ date: [`must be string, or ${none}`] }))
    t.strictSame(
      judge(Body, { date: 'x' }),
      refused({ date: [`must be an ISO 8601 date-time or a plain date, or ${none}`] }),
    )
  })

  t.test('a list may require that no two elements have the same value', async (t) => {
    const List = CreateBody({ items: UniqueBy('id', Type.Object({ id: Type.String() })) })
    const twice = 'must NOT have two elements with the same id'
    t.strictSame(judge(List, { items: [{ id: 'a' }, { id: 'A' }, { id: '' }] }), {
      items: [{ id: 'a' }, { id: 'A' }, { id: '' }],
    })
    t.strictSame(judge(List, { items: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] }), refused({ items: [twice] }))
    t.strictSame(
      judge(List, { items: [{}, {}, 5, 'a', null, { id: 1 }] }),
      refused({
        items: [
          'items[0].id is required',
          'items[1].id is required',
          'items[2] must be object',
          'items[3] must be object',
          'items[4] must be object',
          'items[5].id must be string',
        ],
      }),
      'elements without a value there are not the same',
    )
    t.strictSame(judge(List, { items: 5 }), refused({ items: ['must be array'] }))
  })

  t.test('an object may allow at most one of several fields', async (t) => {
    const One = Type.Object(
      { a: Type.Optional(Type.Number()), b: Type.Optional(Type.Number()), c: Type.Optional(Type.Number()) },
      { 'x-at-most-one-of': ['a', 'b', 'c'], additionalProperties: false },
    )
    const message = (first: string) => `must NOT be given together with ${first}`
    for (const value of [{}, { a: 1 }, { b: 1 }, { c: 1 }]) t.strictSame(judge(One, value), value)
    t.strictSame(judge(One, { c: 1, b: 1 }), refused({ c: [message('b')] }))
    t.strictSame(judge(One, { c: 1, b: 1, a: 1 }), refused({ b: [message('a')], c: [message('a')] }))
    t.strictSame(
      judge(One, { a: null, c: 1 }),
      refused({ a: ['must be number'], c: [message('a')] }),
      'a field is there whatever it holds',
    )
    t.strictSame(judge(One, []), refused({}, ['must be object']))
    t.strictSame(
      judge(CreateBody({ deep: Type.Array(One) }), { deep: [{ a: 1 }, { a: 1, b: 1 }] }),
      refused({ deep: [`deep[1].b ${message('a')}`] }),
    )
    const validate = compile(One)
    t.notOk(validate({ a: 1, b: 1 }))
    t.ok(validate({ a: 1 }), 'and one that was refused leaves nothing behind')
  })

  t.test('an accepted value is accepted again, and stays unchanged', async () => {
    fc.assert(
      fc.property(fc.record({ list: fc.json(), object: fc.json() }, { requiredKeys: [] }), (body) => {
        const validate = compile(Body)
        if (!validate(body)) return true
        const once = JSON.stringify(body)
        return validate(body) && JSON.stringify(body) === once
      }),
    )
  })
})

t.test('elements that are unique by a field', async (t) => {
  const Entry = Type.Object({ key: Type.Optional(Type.Unknown()) }, { additionalProperties: false })
  const Body = UpdateBody({ list: UniqueBy('key', Entry) })
  const twice = refused({ list: ['must NOT have two elements with the same key'] })
  const list = (...keys: unknown[]) => ({ list: keys.map((key) => ({ key })) })

  t.test('are refused if two of them have the same value, at any positions', async (t) => {
    for (const key of ['a', '', '__proto__', 'constructor', 0, true, null]) {
      for (const keys of [
        [key, key],
        ['x', key, key],
        [key, 'x', key],
        [key, 'x', key, 'x'],
      ]) {
        t.strictSame(judge(Body, list(...keys)), twice, JSON.stringify(keys))
      }
    }
  })

  t.test('are accepted otherwise: values are compared exactly', async (t) => {
    for (const keys of [[], ['a'], ['a', 'A', ' a', 'a '], ['1', 1], ['null', null], ['é', 'e\u0301']]) {
      t.strictSame(judge(Body, list(...keys)), list(...keys), JSON.stringify(keys))
    }
  })

  t.test('may lack the field', async (t) => {
    t.strictSame(judge(Body, { list: [{}, { other: 1 }, { key: 'a' }] }), { list: [{}, {}, { key: 'a' }] })
    const Strict = UpdateBody({ list: UniqueBy('key', Type.Object({ key: Type.String() })) })
    t.strictSame(
      judge(Strict, { list: [{}, {}, null, 5, 'x', []] }),
      refused({
        list: [
          'list[0].key is required',
          'list[1].key is required',
          ...[2, 3, 4, 5].map((index) => `list[${index}] must be object`),
        ],
      }),
    )
  })

  t.test('are validated against the rest of the schema, with all violations', async (t) => {
    t.strictSame(
      judge(Body, list(...Array.from({ length: 1001 }, () => 1))),
      refused({ list: ['must NOT have more than 1000 items'] }),
      'of too many nothing more is said',
    )
    for (const value of [null, {}, 'x', 5]) {
      t.strictSame(judge(Body, { list: value }), refused({ list: ['must be array'] }))
    }
    t.strictSame(
      judge(ReorderBody, { items: [{ id: 'a' }, { id: 'b', sortOrder: 1 }, { id: 'a', sortOrder: '2' }] }),
      refused({
        items: [
          'items[0].sortOrder is required',
          'items[2].sortOrder must be number',
          'must NOT have two elements with the same id',
        ],
      }),
    )
  })

  t.test('are accepted exactly if their values are distinct', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 0, 1, null)
    const Unlimited = UpdateBody({ list: UniqueBy('key', Entry) })
    fc.assert(
      fc.property(fc.array(key, { maxLength: 6 }), (keys) => {
        const isUnique = keys.every((one, index) => keys.indexOf(one) === index)
        return compile(Unlimited)(list(...keys)) === isUnique
      }),
    )
  })
})

t.test('parameters and queries, which are always text, are coerced', async (t) => {
  const Query = Type.Object({ limit: Type.Integer({ minimum: 1 }), flag: Type.Optional(Type.Boolean()) })
  t.strictSame(judge(Query, { limit: '5', flag: 'true' }, 'querystring'), { limit: 5, flag: true })
  t.strictSame(judge(Query, { limit: 'x' }, 'querystring'), refused({ limit: ['must be integer'] }))
  t.strictSame(judge(Query, { limit: '0' }, 'querystring'), refused({ limit: ['must be >= 1'] }))
})

t.test('flattenErrors', async (t) => {
  const error = (instancePath: string, fields: Partial<ErrorObject> = {}): ErrorObject => ({
    instancePath,
    keyword: 'custom',
    schemaPath: '#/custom',
    params: {},
    message: 'is wrong',
    ...fields,
  })

  t.test('always has both keys', async (t) => {
    t.strictSame(flatten([]), { formErrors: [], fieldErrors: {} })
  })

  t.test('puts errors of the whole body into formErrors', async (t) => {
    t.strictSame(flatten([error('')]), { formErrors: ['is wrong'], fieldErrors: {} })
  })

  t.test('puts all others under the first segment, with the deeper path', async (t) => {
    t.strictSame(
      flatten([error('/a'), error('/a/0'), error('/a/0/b'), error('/a/b/12/c'), error('/b'), error('/a')]),
      {
        formErrors: [],
        fieldErrors: {
          a: ['is wrong', 'a[0] is wrong', 'a[0].b is wrong', 'a.b[12].c is wrong', 'is wrong'],
          b: ['is wrong'],
        },
      },
    )
  })

  t.test('reports a missing property at its place', async (t) => {
    const missing = (path: string, missingProperty: string) =>
      error(path, { keyword: 'required', params: { missingProperty } })
    t.strictSame(flatten([missing('', 'name'), missing('/list/3', 'name')]), {
      formErrors: [],
      fieldErrors: { name: ['is required'], list: ['list[3].name is required'] },
    })
  })

  t.test('reads escaped segments, and accepts any name of a field', async (t) => {
    const { formErrors, fieldErrors } = flatten([
      error('/a~1b~0c/d~01'),
      error('/__proto__'),
      error('/constructor'),
    ])
    t.strictSame(formErrors, [])
    t.strictSame(Object.entries(fieldErrors), [
      ['a/b~c', ['a/b~c.d~1 is wrong']],
      ['__proto__', ['is wrong']],
      ['constructor', ['is wrong']],
    ])
  })

  t.test('describes values, not JSON Schema', async (t) => {
    t.strictSame(
      flatten([
        error('/a', { keyword: 'type', params: { type: 'string' } }),
        error('/a', { keyword: 'type', params: { type: ['string', 'null'] } }),
        error('/a', { keyword: 'enum', params: { allowedValues: ['x', null, 0] } }),
        error('/a', { keyword: 'format', params: { format: 'timestamp' } }),
        { ...error('/a'), message: undefined } as unknown as ErrorObject,
      ]).fieldErrors,
      {
        a: [
          'must be string',
          'must be string or null',
          'must be one of "x", null, 0',
          'must be an ISO 8601 date-time or a plain date',
          'is invalid',
        ],
      },
    )
  })

  t.test('reports a failed union as one message', async (t) => {
    t.strictSame(
      flatten([
        error('/a', { keyword: 'type', schemaPath: '#/p/a/anyOf/0/type', params: { type: 'string' } }),
        error('/a', { keyword: 'type', schemaPath: '#/p/a/anyOf/1/type', params: { type: 'null' } }),
        error('/a', { keyword: 'type', schemaPath: '#/p/a/anyOf/2/type', params: { type: 'null' } }),
        error('/a', { keyword: 'anyOf', schemaPath: '#/p/a/anyOf' }),
        error('/b', { schemaPath: '#/p/b' }),
      ]),
      { formErrors: [], fieldErrors: { a: ['must be string, or must be null'], b: ['is wrong'] } },
    )
  })

  t.test('omits no violation outside unions, at any path', async () => {
    const path = fc.array(fc.string(), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const pointer = (segments: string[]) =>
          segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
        const { formErrors, fieldErrors } = flatten(paths.map((segments) => error(pointer(segments))))
        return (
          formErrors.length === paths.filter((segments) => segments.length === 0).length &&
          Object.values(fieldErrors).flat().length + formErrors.length === paths.length &&
          paths.every(([field]) => field === undefined || Object.hasOwn(fieldErrors, field))
        )
      }),
    )
  })
})

t.test('at most a hundred violations are reported, at limited cost', async (t) => {
  const Body = UpdateBody({
    list: Type.Array(Type.Object({ a: Type.String(), b: Type.String() }), { maxItems: 1000 }),
    ids: Type.Array(Type.String(), { minItems: 1, maxItems: 3, uniqueItems: true }),
    json: JsonText(Type.Array(Type.String())),
    few: JsonText(Type.Array(Type.String(), { maxItems: 2 })),
  })
  const counted = ({ formErrors, fieldErrors }: ReturnType<typeof flatten>) => ({
    formErrors,
    messages: Object.values(fieldErrors).flat().length,
  })
  const refusalOf = (value: unknown) => {
    const validate = compile(Body)
    t.notOk(validate(value))
    return { errors: validate.errors ?? [], details: flatten(validate.errors ?? []) }
  }
  const times = <T>(length: number, value: T) => Array.from({ length }, () => value)

  t.test('arrays are checked up to a length, and a longer one is one violation', async (t) => {
    const { details } = refusalOf({ list: times(1000, { a: 1, b: 2 }) })
    t.strictSame(counted(details), { formErrors: ['has 1900 more violations'], messages: 100 })
    t.equal(details.fieldErrors.list?.[99], 'list[49].b must be string')
    for (const list of [times(1001, {}), times(500_000, 1)]) {
      const { errors, details } = refusalOf({ list })
      t.equal(errors.length, 1, 'its entries are not looked at')
      t.strictSame(details, { formErrors: [], fieldErrors: { list: ['must NOT have more than 1000 items'] } })
    }
    t.strictSame(refusalOf({ ids: times(4, 1) }).details.fieldErrors, {
      ids: ['must NOT have more than 3 items'],
    })
    t.strictSame(refusalOf({ ids: [] }).details.fieldErrors, { ids: ['must NOT have fewer than 1 items'] })
    t.strictSame(judge(Body, { ids: ['a', 'b', 'c'] }), { ids: ['a', 'b', 'c'] })
  })

  t.test('a hundred violations are all reported', async (t) => {
    const { details } = refusalOf({ list: times(50, {}) })
    t.strictSame(counted(details), { formErrors: [], messages: 100 })
    t.strictSame(counted(refusalOf({ list: times(50, {}), ids: 1 }).details), {
      formErrors: ['has 1 more violations'],
      messages: 100,
    })
  })

  t.test('only the reported elements of a JSON-text field become objects', async (t) => {
    for (const json of [times(30_000, 1), JSON.stringify(times(30_000, 1))]) {
      const { errors, details } = refusalOf({ json })
      t.equal(errors.length, 101)
      t.strictSame(counted(details), { formErrors: ['has 29900 more violations'], messages: 100 })
      t.equal(details.fieldErrors.json?.[7], 'json[7] must be string')
    }
    t.strictSame(refusalOf({ json: ['a', 2] }).details.fieldErrors, { json: ['json[1] must be string'] })
    t.strictSame(refusalOf({ few: [1, 2, 3] }).details.fieldErrors, {
      few: ['must NOT have more than 2 items'],
    })
    t.strictSame(judge(Body, { few: '["a","b"]' }), { few: ['a', 'b'] })
  })
})

t.test('a JSON-text field that is far too long is refused without a copy', async (t) => {
  const Body = UpdateBody({ json: JsonText(AnyObject) })
  const tooLong = refused({ json: ['must NOT be larger than 65536 bytes of JSON'] })
  const stringify = t.capture(JSON, 'stringify', JSON.stringify)
  for (const value of [
    Array.from({ length: 300_000 }, () => []),
    long(70_000),
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1])),
    Array.from({ length: 30_000 }, () => ({ k: 1 })),
  ]) {
    const json = { value }
    t.strictSame(judge(Body, { json }), tooLong)
    t.notOk(stringify().some(({ args }) => args[0] === json))
  }
  fc.assert(
    fc.property(
      fc.object({ maxDepth: 4, maxKeys: 40, values: [fc.string({ maxLength: 3000 }), fc.integer()] }),
      (json) => {
        const length = Buffer.byteLength(JSON.stringify(json))
        const verdict = judge(Body, { json: structuredClone(json) })
        return length > JSON_TEXT_LIMIT === Object.hasOwn(verdict as object, 'refused')
      },
    ),
  )
})
