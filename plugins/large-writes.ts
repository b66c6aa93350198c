import fp from 'fastify-plugin'
import { LargeOffload } from '../src/worker/large-offload.ts'
import type { WorkerOptions } from '../src/worker/offload.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Does in slices what is too large for one transaction. */
    largeWrites: LargeOffload
  }
}

/** Large writes: what a stopped service has left of one is ended as soon as this one is ready. */
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
