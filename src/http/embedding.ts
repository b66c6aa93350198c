/** Isolation from a host application, where Fastify's encapsulated scopes do not provide it. */
import type { FastifyInstance } from 'fastify'

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
