/** Serialising responses: by fast-json-stringify, from the schemas that also document them. */
import type { Static, TSchema } from '@sinclair/typebox'
import fastJson from 'fast-json-stringify'
import { once, oncePerSchema } from '../once.ts'
import { namedSchemas } from './records.ts'

/** The schemas that `$ref` may refer to, by `$id`. */
const named = new Map(namedSchemas.map((schema) => [String(schema.$id), schema]))

const REFERENCE = /"\$ref":"([^"]+)#"/g

/** The named schemas that a schema refers to, directly or through others. */
function referredBy(schema: TSchema, found: Record<string, TSchema> = {}): Record<string, TSchema> {
  for (const [, id = ''] of JSON.stringify(schema).matchAll(REFERENCE)) {
    const referred = named.get(id)
    if (referred === undefined || id in found) continue
    found[id] = referred
    referredBy(referred, found)
  }
  return found
}

/** With all named schemas, fast-json-stringify would check each of them for every serializer: most of its time. */
const compile = oncePerSchema((schema: TSchema): ((value: unknown) => string) =>
  fastJson(schema as unknown as fastJson.Schema, { schema: referredBy(schema) as never }),
)

/**
 * Creates the serializer of a schema, the same as that of a route with this response schema. The schema is compiled lazily,
 * at the first call.
 * @param schema of the value, e.g. a reference to a named schema
 */
export function createSerializer<T extends TSchema>(schema: T): (value: Static<T>) => string {
  const serialize = once(() => compile(schema))
  return (value) => serialize()(value)
}

/** JSON in UTF-8. */
export type JsonBytes = Uint8Array

/** Creates a function that serialises values as JSON in UTF-8. */
export function createJsonWriter<T extends TSchema>(schema: T): (value: Static<T>) => JsonBytes {
  const serialize = createSerializer(schema)
  return (value) => Buffer.from(serialize(value))
}
