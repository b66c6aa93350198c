import fp from 'fastify-plugin'
import type { DescribedRoute, OpenApiDocument } from '../src/http/openapi-document.ts'
import { memoizeAsync } from '../src/once.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document; generated lazily. */
    openapi: () => Promise<OpenApiDocument>
  }
}

/** Collects the routes for the OpenAPI document. Register it before the routes. */
export default fp<{ authMode: 'open' | 'required' }>(
  async (app, { authMode }) => {
    const routes: DescribedRoute[] = []
    app.addHook('onRoute', ({ method, url, schema, config = {} }) => {
      if (schema === undefined || schema.hide || typeof method !== 'string' || method === 'HEAD') return
      routes.push({ method, path: url.slice(app.prefix.length), schema, config })
    })
    app.decorate(
      'openapi',
      memoizeAsync(async () => {
        const { writeDocument } = await import('../src/http/openapi-document.ts')
        return await writeDocument(routes, { server: app.prefix || '/', authMode })
      }),
    )
  },
  { name: 'openapi', fastify: '5.x' },
)
