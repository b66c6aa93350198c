import fp from 'fastify-plugin'
import { createGroupCommit, type GroupCommit, type Write } from '../src/db/group-commit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The one way to write: runs the work in a transaction that it shares with whatever else arrives in the same turn
     * of the event loop, and resolves once that is on disk. Reading what was written belongs inside the work too.
     */
    write: Write
    /** Why writes fail through no fault of theirs; undefined while writing works. */
    writeTrouble: GroupCommit['trouble']
  }
}

/** Writes of requests that arrive together are committed together. */
export default fp(
  async (app) => {
    const { write, trouble, close } = createGroupCommit(app.db, app.databaseFiles)
    app.decorate('write', write)
    app.decorate('writeTrouble', trouble)
    app.addHook('onClose', async () => close())
  },
  { name: 'group-commit', fastify: '5.x', dependencies: ['database'] },
)
