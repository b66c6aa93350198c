/** The types of routes: what a handler gets, and may return, by the schemas of the route. */
import type { Static, TSchema } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Performable } from './perform.ts'

/** What a schema describes. */
type Described<Schema> = Schema extends TSchema ? Static<Schema> : unknown

/** TypeBox's types; but a handler may return a call that results in what the schema of its response describes. */
export interface RouteTypes extends FastifyTypeProvider {
  validator: Described<this['schema']>
  // What deletes results in nothing, and what finds nothing in null.
  serializer: Described<this['schema']> | Performable<Described<this['schema']> | null | undefined>
}

/** A plugin of routes. */
export type Routes<Options extends object = Record<never, never>> = FastifyPluginAsync<
  Options,
  RawServerDefault,
  RouteTypes
>
