import { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import { createSnapshots, type Snapshots } from '../src/snapshots.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Projects as they are sent, kept until something in them changes. */
    snapshots: Snapshots
  }
}

/** Reads of projects are answered with bytes that were serialised before. */
export default fp<{ snapshotCacheBytes: number }>(
  async (app, { snapshotCacheBytes }) => {
    const { arrived, askAgain, ...snapshots } = createSnapshots(app.db, snapshotCacheBytes)
    app.decorate('snapshots', snapshots)

    // At the server itself: before a request reaches a hook of ours, a host's hooks may have let turns go by.
    const onRequest = ({ socket }: IncomingMessage) => arrived(socket)
    app.server.prependListener('request', onRequest)
    app.addHook('onClose', async () => {
      app.server.off('request', onRequest)
    })
    // Injected requests follow one another without any turn between them.
    app.addHook('onRequest', ({ raw }, _reply, done) => {
      if (!(raw instanceof IncomingMessage)) askAgain()
      done()
    })
  },
  { name: 'snapshots', fastify: '5.x', dependencies: ['database'] },
)
