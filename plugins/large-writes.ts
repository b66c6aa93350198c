import fp from 'fastify-plugin'
import { LargeOffload } from '../src/worker/large-offload.ts'
import type { WorkerOptions } from '../src/worker/offload.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Performs writes that are too large for one transaction in slices. */
    largeWrites: LargeOffload
  }
}

/** Large writes. Finishes those of a stopped service once this one is ready. */
export default fp<WorkerOptions>(
  async (app, { databaseUrl, walCheckpoints }) => {
    const largeWrites = new LargeOffload({
      db: app.db,
      files: app.databaseFiles,
      databaseUrl,
      walCheckpoints,
      warn: (error, message) => app.log.warn({ err: error }, message),
    })
    app.decorate('largeWrites', largeWrites)
    app.addHook('onReady', async () => largeWrites.clear())
    app.addHook('preClose', () => largeWrites.close())
  },
  { name: 'large-writes', fastify: '5.x', dependencies: ['database'] },
)
