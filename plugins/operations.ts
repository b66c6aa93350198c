import type { FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import { Operations } from '../src/batch/operations.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The operations under /api, found by method and path. */
    operations: Operations
  }
}

/** Collects the operations for batches. Register it before the plugins that wrap handlers and add hooks. */
export default fp(
  async (app) => {
    const operations = new Operations()
    const compile: FastifySchemaCompiler<unknown> = (part) =>
      (app.validatorCompiler as FastifySchemaCompiler<unknown>)(part)
    app.decorate('operations', operations)
    app.addHook('onRoute', (route) => operations.add(route, app.prefix, compile))
  },
  { name: 'operations', fastify: '5.x' },
)
