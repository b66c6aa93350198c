import fp from 'fastify-plugin'
import type { DescribedRoute, OpenApiDocument } from '../src/http/openapi-document.ts'
import { memoizeAsync } from '../src/once.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document; generated lazily. */
    openapi: () => Promise<OpenApiDocument>
    /** The same in YAML. */
    openapiYaml: () => Promise<string>
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
    const writer = () => import('../src/http/openapi-document.ts')
    app.decorate(
      'openapi',
      memoizeAsync(async () =>
        (await writer()).writeDocument(routes, { server: app.prefix || '/', authMode }),
      ),
    )
    app.decorate(
      'openapiYaml',
      memoizeAsync(async () => (await writer()).toYaml(await app.openapi())),
    )
  },
  { name: 'openapi', fastify: '5.x' },
)
