import t from 'tap'
import {
  type Document,
  declarationsOf,
  ofBytes,
  type Schema,
  typeOf,
  withoutKey,
} from '../../scripts/openapi-types.ts'

const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

t.test('a schema becomes the type of its values', async (t) => {
  const types: [Schema, string][] = [
    [{}, 'unknown'],
    [{ $ref: '#/components/schemas/Project' }, 'Project'],
    [{ type: 'string', format: 'date-time', maxLength: 5 }, 'string'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: ['integer', 'number'] }, 'number'],
    [{ enum: [null, '', false, 0, "it's"] }, `null | "" | false | 0 | "it's"`],
    [{ type: 'boolean', const: true }, 'true'],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, 'boolean | null'],
    [{ type: 'string', 'x-extensible-enum': ['a', 'b'] }, '"a" | "b" | (string & {})'],
    [
      { type: ['string', 'array'], items: { type: 'string' }, 'x-extensible-enum': ['a'] },
      '"a" | (string & {}) | ("a" | (string & {}))[]',
    ],
    [{ type: 'object' }, 'Record<string, never>'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
    [
      {
        type: 'object',
        properties: { a: { type: 'string', description: 'It ends */ here' }, 'b-c': {} },
        required: ['a'],
        additionalProperties: true,
      },
      '{ /** It ends * / here */ a: string "b-c"?: unknown [key: string]: unknown }',
    ],
  ]
  for (const [schema, type] of types) t.equal(flat(typeOf(schema)), type)
})

t.test('unknown parts of a schema are an error, and not omitted', async (t) => {
  t.throws(() => typeOf({ allOf: [] }), /allOf/)
  t.throws(() => typeOf({ type: 'object', properties: { a: { not: {} } } }), /not/)
  t.throws(() => typeOf({ type: 'bytes' }), /bytes/)
})

t.test('a path has the options and responses of its method', async (t) => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }
  const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })
  const media = (type: string) => ({ content: { [type]: {} } })
  const document: Document = {
    paths: {
      '/a/{id}': {
        get: { parameters: [id], responses: { 200: json({ type: 'string' }), 204: {}, 404: json({}) } },
        put: { parameters: [id, key], requestBody: { required: true, ...json({}) }, responses: { 200: {} } },
      },
      '/files': {
        get: { responses: { 200: media('text/csv') } },
        post: { requestBody: media('application/zip'), responses: { 200: media('application/zip') } },
      },
      '/sign-in': { get: { responses: { 302: {} } } },
      '/stream': { get: { responses: { 200: media('text/event-stream') } } },
    },
    components: { schemas: { A: { type: 'string' } } },
  }
  t.equal(
    flat(declarationsOf(document)),
    flat(`import type { BytesIn, BytesOut } from './types.d.ts'
export type A = string
/** The options and responses of each path's methods. */
export interface Paths {
  '/a/{id}': {
    get: { path: { id: string } answer: string | undefined }
    put: {
      path: { id: string }
      body: unknown
      /** Of your own, for repetitions by another process */ idempotencyKey?: string | undefined
      answer: undefined
    }
  }
  '/files': { get: { answer: string } post: { body?: BytesIn answer: BytesOut } }
}`),
  )
  t.strictSame(withoutKey(document), ['post /files'])
  t.strictSame(ofBytes(document), ['post /files'])
})
