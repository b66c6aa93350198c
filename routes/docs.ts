import type { FastifyPluginAsync } from 'fastify'

/** The OpenAPI document, and a page to read and try it. */
const docsRoutes: FastifyPluginAsync = async (app) => {
  app.get('/openapi.json', {
    config: { access: 'public' },
    schema: { hide: true },
    handler: async () => app.swagger(),
  })
  await app.register(import('@fastify/swagger-ui'), { routePrefix: '/docs' })
}

export default docsRoutes
