/** The types of routes: a handler's arguments and results, by the schemas of the route. */
import type { Static, TSchema } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Performable } from './perform.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** An example of the body, which the page at /docs prefills. It is valid once its ids exist. */
    example?: object
  }
}

type Described<Schema> = Schema extends TSchema ? Static<Schema> : unknown

/** TypeBox's types; but a handler may return a call whose result matches the schema of its response. */
export interface RouteTypes extends FastifyTypeProvider {
  validator: Described<this['schema']>
  // Deletions return nothing, and lookups without a result null.
  serializer: Described<this['schema']> | Performable<Described<this['schema']> | null | undefined>
}

export type Routes<Options extends object = Record<never, never>> = FastifyPluginAsync<
  Options,
  RawServerDefault,
  RouteTypes
>
