import fp from 'fastify-plugin'
import { createGroupCommit, type Write } from '../src/db/group-commit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The one way to write: runs the work in a transaction that it shares with whatever else arrives in the same turn
     * of the event loop, and resolves once that is on disk. Reading what was written belongs inside the work too.
     */
    write: Write
  }
}

/** Writes of requests that arrive together are committed together. */
export default fp(
  async (app) => {
    const { write, close } = createGroupCommit(app.db)
    app.decorate('write', write)
    app.addHook('onClose', async () => close())
  },
  { name: 'group-commit', fastify: '5.x', dependencies: ['database'] },
)
