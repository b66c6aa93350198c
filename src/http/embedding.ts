/** Isolation from a host application, where Fastify's encapsulated scopes do not provide it. */
import type { FastifyInstance, RouteOptions } from 'fastify'

/** A route's handler and hooks. */
export type RouteFunctions = Pick<RouteOptions, 'handler' | 'onRequest' | 'preValidation' | 'preHandler'>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler and hooks that the service declares, where a host's `onRoute` hooks may have changed those of the route. */
    declared?: RouteFunctions
  }
}

/**
 * Ignores the host's shared schemas. Every encapsulated scope inherits them, and then replaces its validators by Fastify's
 * default ones. The service needs no shared schemas.
 */
export function ignoreHostSchemas(app: FastifyInstance): void {
  app.addSchema = () => app
}

/**
 * Hides the service's routes from the host's own OpenAPI document: the host's `@fastify/swagger` sees every route below
 * it. Call it before the service is registered.
 */
export function hideFromHostDocument(app: FastifyInstance): void {
  const swaggerTransform = ({ url }: { url: string }) => ({ schema: { hide: true }, url })
  app.addHook('onRoute', (route) => {
    // In place: where HEAD routes are documented, the host has a copy of the route with the same config object.
    route.config = Object.assign(route.config ?? {}, { swaggerTransform })
  })
}

const SHORTHANDS = ['get', 'post', 'put', 'patch', 'delete'] as const
const STAGES = ['onRequest', 'preValidation', 'preHandler'] as const

/** Copies of a route's hooks: a host's hook may push into the arrays. */
const hooksOf = (route: RouteFunctions): Partial<RouteFunctions> =>
  Object.fromEntries(
    STAGES.filter((stage) => route[stage] !== undefined).map((stage) => [stage, [route[stage]].flat()]),
  )

/**
 * Notes the handler and hooks of each route. A host's `onRoute` hooks, e.g. those of `@fastify/rate-limit`, run before the service's and add
 * hooks to its routes: these are for requests to the server, not for the requests in a batch. Call it before the service is registered.
 */
export function noteDeclarations(app: FastifyInstance): void {
  for (const shorthand of SHORTHANDS) {
    const declare = app[shorthand] as (...all: unknown[]) => FastifyInstance
    app[shorthand] = function (
      this: FastifyInstance,
      url: string,
      route: RouteOptions,
      ...others: unknown[]
    ) {
      // The service's routes have their handler among the options, unlike those of its plugins.
      if (typeof route !== 'object' || others.length > 0) return declare.call(this, url, route, ...others)
      const declared = { handler: route.handler, ...hooksOf(route) }
      return declare.call(this, url, {
        ...route,
        ...hooksOf(route),
        config: { ...route.config, declared },
      })
    } as never
  }
}
