import fp from 'fastify-plugin'
import { databasePath } from '../src/db/client.ts'
import { limitWork, TooMuchWork } from '../src/db/work-limits.ts'
import { createOffload } from '../src/worker/offload.ts'
import { type Perform, prepareReads, prepareWrites } from '../src/worker/operations.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Performs an operation: in the event loop, or in the worker thread where it would hold everybody else up. What
     * changes something is one write, and resolves once that is on disk.
     */
    perform: Perform
  }
}

type Operation = (...args: unknown[]) => unknown

/** What may be too much for the event loop goes to a thread that starts when it is first needed. */
export default fp<{ databaseUrl: string }>(
  async (app, { databaseUrl }) => {
    const reads = prepareReads(app.db) as unknown as Record<string, Operation>
    const writes = prepareWrites(app.db) as unknown as Record<string, Operation>
    const offload = createOffload(databaseUrl)
    // A database in memory is this connection's alone.
    if (databasePath(databaseUrl) !== ':memory:') limitWork(app.db)
    app.addHook('onClose', () => offload.close())

    async function offloaded(name: string, ...args: unknown[]): Promise<unknown> {
      // The thread may open the file only now: it must be the one that this connection has.
      const lost = app.databaseFiles.lost()
      if (lost) throw lost
      return offload.perform(name, args)
    }

    async function perform(name: string, ...args: unknown[]): Promise<unknown> {
      try {
        const [reading, writing] = [reads[name], writes[name]]
        return reading ? reading(...args) : await app.write(() => writing?.(...args))
      } catch (error) {
        if (error instanceof TooMuchWork) return offloaded(name, ...args)
        throw error
      }
    }
    app.decorate('perform', perform as Perform)
  },
  { name: 'operations', fastify: '5.x', dependencies: ['group-commit'] },
)
