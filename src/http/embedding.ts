/** Keeping a host application's own things its own, where Fastify's scopes alone do not. */
import type { FastifyInstance, RouteOptions } from 'fastify'

type Schemas = Record<string, unknown>

/**
 * Shared schemas are inherited, and the host's may have the same names: the service starts with none.
 * @returns call it after the service is registered: from then on what the host adds stays outside too. Each scope that
 *   gets a schema late would make itself new validators, which are Fastify's
 */
export function leaveHostSchemas(app: FastifyInstance): () => void {
  const theirs = new Set(Object.values(app.getSchemas()))
  app.setSchemaController({
    bucket: (inherited) => {
      const ours = Object.entries(inherited as Schemas).filter(([, schema]) => !theirs.has(schema))
      const schemas: Schemas = Object.fromEntries(ours)
      return {
        add(schema) {
          const { $id } = schema as { $id: string }
          schemas[$id] = structuredClone(schema)
          return app
        },
        getSchema: (id) => schemas[id],
        getSchemas: () => ({ ...schemas }),
      }
    },
  })
  return () => {
    app.addSchema = () => app
  }
}

/**
 * Keeps the service out of the host's own OpenAPI document: the hooks of the host's `@fastify/swagger` see every
 * scope below it. They collect schemas as the host gets ready, which is before this scope does, and look at the
 * routes when the document is asked for; by then this service's own document is written.
 */
export function stayOutOfHostDocument(app: FastifyInstance) {
  const reveal: (() => void)[] = []
  const routes: RouteOptions[] = []
  const hide = (scope: FastifyInstance) => {
    const { getSchemas } = scope
    scope.getSchemas = () => ({})
    reveal.push(() => {
      scope.getSchemas = getSchemas
    })
  }
  hide(app)
  app.addHook('onRegister', hide)
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.addHook('onReady', async () => {
    for (const show of reveal) show()
  })
  return {
    /** Call it after the service is registered. */
    finish: () =>
      app.addHook('onReady', async () => {
        app.swagger()
        app.swagger({ yaml: true })
        for (const route of routes) route.schema = { ...route.schema, hide: true }
      }),
  }
}
