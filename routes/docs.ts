import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { answerFrom } from '../src/http/inner-app.ts'

/** The page may load only its own files; its images are in the style sheet. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Creates the page in a separate Fastify application, lazily, at the first request for it: loading it takes long, compared
 * with the whole service.
 */
async function makePage({ prefix }: FastifyInstance): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const page = Fastify()
  // The documents that the page shows are served by the routes below.
  await page.register(fp(async () => undefined, { name: '@fastify/swagger' }))
  // Relative URLs, so that the page works below a prefix, the host's or a proxy's.
  const pageRoutes = async (app: FastifyInstance) => {
    await app.register(swaggerUi, { routePrefix: '/docs', indexPrefix: '.' })
  }
  await page.register(pageRoutes, { prefix })
  return page
}

/** The OpenAPI document, and a page to read and try it. */
const docsRoutes: FastifyPluginAsync = async (app) => {
  app.get('/openapi.json', {
    config: { access: 'public', failure: 'Internal server error' },
    schema: { hide: true },
    handler: async () => app.openapi(),
  })

  app.get('/docs/json', {
    config: { contentSecurityPolicy: PAGE_POLICY },
    schema: { hide: true },
    handler: async () => app.openapi(),
  })
  app.get('/docs/yaml', {
    config: { contentSecurityPolicy: PAGE_POLICY },
    schema: { hide: true },
    handler: async (_request, reply) => reply.type('application/x-yaml').send(await app.openapiYaml()),
  })

  const handler = answerFrom(() => makePage(app))
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, {
      config: { contentSecurityPolicy: PAGE_POLICY },
      schema: { hide: true },
      handler,
    })
  }
}

export default docsRoutes
