import type { FastifyPluginAsync } from 'fastify'

/** The OpenAPI document, and a page to read and try it. */
const docsRoutes: FastifyPluginAsync = async (app) => {
  app.get('/openapi.json', {
    config: { access: 'public', failure: 'Internal server error' },
    schema: { hide: true },
    handler: async () => app.swagger(),
  })
  // What the page loads is named relative to it, so that it works below a prefix, the host's or a proxy's.
  await app.register(import('@fastify/swagger-ui'), { routePrefix: '/docs', indexPrefix: '.' })
}

export default docsRoutes
