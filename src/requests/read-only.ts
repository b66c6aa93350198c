/** Read-only fields in the body of a strict change: clients that send a response back include them. */
import type { TSchema } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { namedSchemas } from '../schemas/records.ts'
import type { RouteRecord } from './response-shapes.ts'

/** Fields about the response, not the record: their values in a body are ignored. */
const ABOUT_ANSWERS = ['warnings', 'people']

const propertiesOf = (schema: TSchema | undefined): string[] => Object.keys(Object(schema?.properties))

/** The parts of a body. */
interface Parted {
  /** Writable and unknown fields. */
  own: unknown
  /** Read-only fields. */
  readOnly: Record<string, unknown>
}

/** @returns a function that splits the bodies of a route; undefined if all fields are writable */
export function partingOf(record: RouteRecord, body: TSchema): ((body: unknown) => Parted) | undefined {
  const writable = new Set(propertiesOf(body))
  const schema: TSchema | undefined = namedSchemas.find(({ $id }) => $id === record.shape.name)
  const expanded: TSchema | undefined = namedSchemas.find(
    ({ $id }) => $id === `${record.shape.name}WithPeople`,
  )
  const shown = [...propertiesOf(schema), ...propertiesOf(expanded)]
  const names = new Set(shown.filter((name) => !writable.has(name)))
  if (names.size === 0) return undefined
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return { own: body, readOnly: {} }
    const parts = Object.groupBy(Object.entries(body), ([name]) => (names.has(name) ? 'readOnly' : 'own'))
    return {
      own: Object.fromEntries(parts.own ?? []),
      readOnly: Object.fromEntries((parts.readOnly ?? []).filter(([name]) => !ABOUT_ANSWERS.includes(name))),
    }
  }
}

const kept = new WeakMap<FastifyRequest, Record<string, unknown>>()

/** Stores the read-only fields of a request's body. */
export function keepUnchanged(request: FastifyRequest, fields: Record<string, unknown>): void {
  if (Object.keys(fields).length > 0) kept.set(request, fields)
}

/** Those fields; undefined for none. */
export const unchangedOf = (request: FastifyRequest): Record<string, unknown> | undefined => kept.get(request)
