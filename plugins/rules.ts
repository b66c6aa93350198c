import fp from 'fastify-plugin'
import { databasePath } from '../src/db/client.ts'
import { limitWork } from '../src/db/work-limits.ts'
import { createOffload } from '../src/worker/offload.ts'
import { type Offload, type Performed, performed } from '../src/worker/performed.ts'
import { createRules, type Rules } from '../src/worker/rules.ts'

declare module 'fastify' {
  /** The rules as requests call them: each call is a read, or a write that is synced to disk when it resolves. */
  interface FastifyInstance extends Performed<Rules> {
    /** The same rules, synchronous: for hooks that only read, and inside `app.write`. */
    rules: Rules
    /** Calls a rule in the worker thread. */
    offload: Offload
  }
}

/** The rules of the domains, on this connection. Too much work for the event loop is done by the worker thread. */
export default fp<{ databaseUrl: string }>(
  async (app, { databaseUrl }) => {
    const worker = createOffload(databaseUrl)
    // A worker thread could not open a database in memory.
    if (databasePath(databaseUrl) !== ':memory:') limitWork(app.db)
    app.addHook('onClose', () => worker.close())

    const offload: Offload = async (path, args) => {
      // The thread may open the file only now: it must be the same file.
      const lost = app.databaseFiles.lost()
      if (lost) throw lost
      return worker.perform(path, args)
    }
    const rules = createRules(app.db)
    app.decorate('rules', rules)
    app.decorate('offload', offload)
    for (const [name, domain] of Object.entries(rules)) {
      app.decorate(name, performed(domain, name, app.write, offload))
    }
  },
  { name: 'rules', fastify: '5.x', dependencies: ['database'] },
)
