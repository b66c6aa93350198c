/** How responses are written: by fast-json-stringify, from the schemas that also document them. */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { TSchema } from '@sinclair/typebox'
import type { FastifySerializerCompiler } from 'fastify'

/**
 * Fastify's own serializer compiler, with named schemas of our own: inside a host application the scope inherits the
 * host's compiler and schemas, and neither may change what this service answers.
 * @param schemas what `$ref` may refer to, by `$id`
 */
export function createSerializerCompiler(schemas: readonly TSchema[]): FastifySerializerCompiler<unknown> {
  const named = Object.fromEntries(schemas.map((schema) => [String(schema.$id), schema]))
  return SerializerSelector()(named, {}) as unknown as FastifySerializerCompiler<unknown>
}
