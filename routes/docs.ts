import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** The page loads only its own files; its images are in the style sheet. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Creates the page in a separate Fastify application, at the first request for it: it takes as long to load as much of
 * the service.
 */
async function makePage({ prefix }: FastifyInstance): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const page = Fastify()
  // Leave errors to the service's error handler: this rejects the `inject` below.
  page.setErrorHandler((error: Error, _request, reply) => {
    reply.hijack().raw.destroy(error)
  })
  // The documents that the page shows are served by the routes below.
  await page.register(fp(async () => undefined, { name: '@fastify/swagger' }))
  // Relative URLs, so that the page works below a prefix, the host's or a proxy's.
  const pageRoutes = async (app: FastifyInstance) => {
    await app.register(swaggerUi, { routePrefix: '/docs', indexPrefix: '.' })
  }
  await page.register(pageRoutes, { prefix })
  return page
}

/**
 * The URL of the page relative to the service's root, since proxies may have added a prefix: it begins with the last
 * segment of the path, unless that ends with a slash.
 */
const pageFrom = (url: string) => {
  const [path = ''] = url.split('?', 1)
  return `${path.slice(path.lastIndexOf('/') + 1)}/docs`.replace(/^\//, '')
}

/** The OpenAPI document, and a page to read and try it. */
const docsRoutes: FastifyPluginAsync<{ hasRoot: boolean }> = async (app, { hasRoot }) => {
  if (hasRoot) {
    app.get('/', {
      schema: { hide: true },
      handler: async ({ originalUrl }, reply) => reply.redirect(pageFrom(originalUrl)),
    })
  }

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

  let page: Promise<FastifyInstance> | undefined
  const askPage = async ({ url, headers }: FastifyRequest) => {
    page ??= makePage(app)
    return (await page).inject({ url, headers })
  }
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, {
      config: { contentSecurityPolicy: PAGE_POLICY },
      schema: { hide: true },
      handler: async (request, reply) => {
        const { statusCode, headers, rawPayload } = await askPage(request)
        if (statusCode === 404) return reply.callNotFound()
        const { connection: _, ...own } = headers
        return reply
          .code(statusCode)
          .headers(own)
          .send(rawPayload.length > 0 ? rawPayload : undefined)
      },
    })
  }
}

export default docsRoutes
