/** How responses are written: by fast-json-stringify, from the schemas that also document them. */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { Static, TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifySerializerCompiler } from 'fastify'
import { once } from './once.ts'

/**
 * Fastify's own serializer compiler, with named schemas of our own: inside a host application the scope inherits the
 * host's compiler and schemas, and neither may change what this service answers. A schema is compiled when the first
 * response needs it; those of errors never are (see `plugins/errors.ts`).
 * @param schemas what `$ref` may refer to, by `$id`
 */
export function createSerializerCompiler(schemas: readonly TSchema[]): FastifySerializerCompiler<unknown> {
  const named = Object.fromEntries(schemas.map((schema) => [String(schema.$id), schema]))
  const compile = SerializerSelector()(named, {}) as unknown as FastifySerializerCompiler<unknown>
  return (route) => {
    const serialize = once(() => compile(route))
    return (data) => serialize()(data)
  }
}

/**
 * Makes the serializer of one kind of value, the same that a route with this response schema has.
 * @param schema what to write, e.g. a reference to a named schema
 * @param schemas what `$ref` may refer to, by `$id`
 */
export const createSerializer = <T extends TSchema>(schema: T, schemas: readonly TSchema[]) =>
  createSerializerCompiler(schemas)({ schema, method: 'GET', url: '', httpStatus: '200' }) as (
    value: Static<T>,
  ) => string

/** Sends JSON in UTF-8 that is written already, by the same schema that documents the answer. */
export const sendJson = (reply: FastifyReply, body: Uint8Array): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body)
