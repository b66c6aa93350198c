/** How a route responds, derived from its declared response schemas. */
import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import { ref, Success } from '../schemas/common.ts'
import {
  KanbanCountsSchema,
  namedSchemas,
  PersonalIdeaListSchema,
  PreferencesSchema,
  SHOWN_ONCE,
} from '../schemas/records.ts'
import type { Call } from './calls.ts'
import type { ResponseShape } from './respond.ts'

/** The schemas that have an ETag like a record with an id. */
const likeRecords: readonly TSchema[] = [KanbanCountsSchema, PersonalIdeaListSchema, PreferencesSchema]

/** The names of the schemas of single records, which have an id, and of those like them. */
const records = new Set(
  namedSchemas
    .filter((schema: TSchema) => 'id' in Object(schema.properties) || likeRecords.includes(schema))
    .map((schema) => ref(schema).$ref),
)

const kindOf = ({ $ref }: TSchema): ResponseShape['kind'] => {
  if ($ref === ref(Success).$ref) return 'success'
  return records.has($ref) ? 'record' : 'other'
}

/** The reference to the record of a response that is either one record or a list of such; undefined for any other. */
const oneOrMoreOf = ({ anyOf }: TSchema): TSchema | undefined =>
  anyOf?.find(({ $ref }: TSchema) => records.has($ref))

/**
 * The shape of a route's successful responses; undefined for a route without one. A route that declares 204 besides another
 * status sends it if its rule returns nothing.
 */
export function shapeOf(schema: FastifySchema | undefined): ResponseShape | undefined {
  const { operationId, response } = (schema ?? {}) as { operationId?: string; response?: object }
  const success = Object.entries(response ?? {}).find(([status]) => status.startsWith('2'))
  if (operationId === undefined || success === undefined) return undefined
  const [status, answer] = success as [string, TSchema]
  const record = SHOWN_ONCE.get(answer.$ref)
  const one = oneOrMoreOf(answer)
  if (one !== undefined)
    return { name: operationId, status: Number(status), schema: answer, kind: 'record', record: one }
  const mayBeEmpty = status !== '204' && '204' in Object(response)
  return {
    name: operationId,
    status: Number(status),
    schema: answer,
    kind: kindOf(answer),
    ...(record && { record: ref(record) }),
    ...(mayBeEmpty && { mayBeEmpty }),
  }
}

/** The record that a route writes to, or the list that it orders. */
export interface RouteRecord {
  shape: ResponseShape
  /** The call that reads it. */
  get: (request: FastifyRequest) => Call<unknown>
}

/**
 * Declares the record that a route writes to.
 * @param schema the named schema of the record, as its GET responds with it
 * @param get the call that reads the record with the route's `:id`, its only argument: the call may be posted to a thread
 */
export const recordOf = (schema: TSchema, get: (id: string) => Call<unknown>): RouteRecord =>
  recordFor(schema, (id) => get(id))

/** The same for a record with restricted access. @param get the call, created from the request */
export const recordFor = (
  schema: TSchema,
  get: (id: string, request: FastifyRequest) => Call<unknown>,
): RouteRecord => ({
  shape: shapeOfRecord(schema),
  get: (request) => get((request.params as { id: string }).id, request),
})

/** Declares the list that a route orders. @param get the call that reads the list's ETag */
export const listFor = (get: (request: FastifyRequest) => Call<string>): RouteRecord => ({
  shape: { name: 'etag', status: 200, schema: Type.String(), kind: 'etag' },
  get,
})

/** The shape of a record of a named schema. */
const shapeOfRecord = (schema: TSchema): ResponseShape => ({
  name: String(schema.$id),
  status: 200,
  schema: ref(schema),
  kind: 'record',
})

export const methodsOf = ({ method }: Pick<RouteOptions, 'method'>): string[] => [method].flat()
