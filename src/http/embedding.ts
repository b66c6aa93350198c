/** Keeping a host application's own things its own, where Fastify's scopes alone do not. */
import type { FastifyInstance } from 'fastify'

/**
 * What the host adds to the shared schemas is handed down to every scope, which then makes itself new validators, and those
 * are Fastify's. The service refers to no shared schema: it takes none.
 */
export function ignoreHostSchemas(app: FastifyInstance): void {
  app.addSchema = () => app
}

/**
 * Keeps the service out of the host's own OpenAPI document: the host's `@fastify/swagger` sees every route below it. Call
 * it before the service is registered.
 */
export function hideFromHostDocument(app: FastifyInstance): void {
  const swaggerTransform = ({ url }: { url: string }) => ({ schema: { hide: true }, url })
  app.addHook('onRoute', (route) => {
    // Into what is there already: where HEAD routes are documented, the host has a copy of the route with the same config.
    route.config = Object.assign(route.config ?? {}, { swaggerTransform })
  })
}
