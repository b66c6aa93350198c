import fp from 'fastify-plugin'
import { databasePath } from '../src/db/client.ts'
import { limitWork, TooMuchWork } from '../src/db/work-limits.ts'
import { type CallOf, type Performed, type Performer, performed, ruleAt } from '../src/worker/calls.ts'
import { createOffload } from '../src/worker/offload.ts'
import { createRules, type Rules } from '../src/worker/rules.ts'
import { runOnTerms, type WriteOutcome, type WriteTerms } from '../src/worker/writes.ts'

declare module 'fastify' {
  /** The rules as requests call them: each call is a read, or a write that is synced to disk when it resolves. */
  interface FastifyInstance extends Performed<Rules> {
    /** The same rules, synchronous: for hooks that only read, and inside `app.write`. */
    rules: Rules
    /** Performs a call in the worker thread: a write with its terms, a read without. */
    offload: (call: CallOf, terms?: WriteTerms) => Promise<unknown>
  }
}

/** The rules of the domains, on this connection. Too much work for the event loop is done by the worker thread. */
export default fp<{ databaseUrl: string }>(
  async (app, { databaseUrl }) => {
    const worker = createOffload(databaseUrl)
    // A worker thread could not open a database in memory.
    if (databasePath(databaseUrl) !== ':memory:') limitWork(app.db)
    app.addHook('onClose', () => worker.close())

    const offload = async (call: CallOf, terms?: WriteTerms): Promise<unknown> => {
      // The thread may open the file only now: it must be the same file.
      const lost = app.databaseFiles.lost()
      if (lost) throw lost
      return worker.perform(call, terms)
    }
    const rules = createRules(app.db)

    const performer: Performer = {
      async read(call) {
        try {
          return ruleAt(rules, call.path).call(...call.args)
        } catch (error) {
          if (error instanceof TooMuchWork) return offload(call)
          throw error
        }
      },
      async write(call, terms) {
        try {
          const { value, seq } = await app.writeAs(terms.actorId, () =>
            runOnTerms(app.db, rules, call, terms),
          )
          return { ...value, seq }
        } catch (error) {
          if (error instanceof TooMuchWork) return (await offload(call, terms)) as WriteOutcome<unknown>
          throw error
        }
      },
    }
    app.decorate('rules', rules)
    app.decorate('offload', offload)
    for (const [name, domain] of Object.entries(rules)) {
      app.decorate(name, performed(domain, name, performer))
    }
  },
  { name: 'rules', fastify: '5.x', dependencies: ['database'] },
)
