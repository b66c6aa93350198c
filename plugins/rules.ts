import fp from 'fastify-plugin'
import { createStepwise, type Stepwise } from '../src/batch/stepwise.ts'
import { databasePath } from '../src/db/client.ts'
import { LargeWork, limitWork, TooMuchWork } from '../src/db/work-limits.ts'
import type { Attempt } from '../src/reading/large-snapshots.ts'
import { type CallOf, type Dispatcher, type Performed, performed } from '../src/requests/calls.ts'
import { createRules, type Rules } from '../src/requests/rules.ts'
import { Attempts } from '../src/requests/turns.ts'
import { callOf, runOnTerms, type WriteOutcome, type WriteTerms } from '../src/requests/writes.ts'
import { Offload, type WorkerOptions } from '../src/worker/offload.ts'

declare module 'fastify' {
  /** The rules as requests call them: each call is a read, or a write that is synced to disk when it resolves. */
  interface FastifyInstance extends Performed<Rules> {
    /** The same rules, synchronous: for hooks that only read, and inside `app.write`. */
    rules: Rules
    /** Performs a call in the worker thread: a write with its terms, a read without. */
    offload: (call: CallOf, terms?: WriteTerms, turn?: string | null) => Promise<unknown>
    /** Reads on the event loop: now, or, where others have spent the time of this turn, in one of the next. */
    attempt: Attempt
    /** Threads that have not ended: after the service has stopped, one that SQLite keeps, and that would keep the process. */
    threadsLeft: () => number
    /** Tasks that the worker thread does, or that wait for it. */
    workerQueue: () => number
    /** Performs a call that only reads, here or in the worker thread. */
    readCall: Dispatcher['read']
    /** Performs a write of several steps. */
    stepwise: Stepwise
  }
}

/** The rules of the domains, on this connection. Too much work for the event loop is done by the worker thread. */
export default fp<WorkerOptions>(
  async (app, { databaseUrl, walCheckpoints }) => {
    const worker = new Offload({ databaseUrl, walCheckpoints }, {}, app.roomForResponse)
    // A worker thread could not open a database in memory.
    if (databasePath(databaseUrl) !== ':memory:') limitWork(app.db)
    app.addHook('onClose', () => worker.close())

    /** The thread may open the file only now: it must be the same file. */
    function ensureSameFile(): void {
      const lost = app.databaseFiles.lost()
      if (lost) throw lost
    }

    const offload: typeof app.offload = async (call, terms, turn) => {
      ensureSameFile()
      return worker.perform(call, terms, turn)
    }
    const rules = createRules(app.db)
    const attempts = new Attempts()
    app.decorate('attempt', (turn, work) => attempts.do(turn ?? '', work))

    /** In the worker thread; what is too much for one transaction, in slices. */
    async function writeElsewhere(call: CallOf, terms: WriteTerms): Promise<WriteOutcome<unknown>> {
      try {
        return (await offload(call, terms)) as WriteOutcome<unknown>
      } catch (error) {
        if (!(error instanceof LargeWork)) throw error
        ensureSameFile()
        return await app.largeWrites.perform({ call: { path: call.path, args: call.args }, terms })
      }
    }

    const performer: Dispatcher = {
      async read(call, turn) {
        try {
          return await app.attempt(turn ?? null, callOf(rules, call))
        } catch (error) {
          if (error instanceof TooMuchWork) return offload(call, undefined, turn)
          throw error
        }
      },
      async write(call, terms) {
        if (terms.repeatable) await app.largeWrites.ended(terms.repeatable.request)
        try {
          const { value, seq } = await app.writeAs(terms.actorId, () =>
            runOnTerms(app.db, rules, callOf(rules, call), terms),
          )
          return { ...value, seq }
        } catch (error) {
          if (error instanceof TooMuchWork) return await writeElsewhere(call, terms)
          throw error
        }
      },
    }
    app.decorate('workerQueue', () => worker.queued())
    app.decorate('threadsLeft', () => worker.threads())
    app.decorate('rules', rules)
    app.decorate('offload', offload)
    app.decorate('readCall', performer.read)
    app.decorate(
      'stepwise',
      createStepwise(app.db, rules, app.writeAs, async (...task) => {
        ensureSameFile()
        return worker.performSteps(...task)
      }),
    )
    for (const [name, domain] of Object.entries(rules)) {
      app.decorate(name, performed(domain, name, performer))
    }
  },
  { name: 'rules', fastify: '5.x', dependencies: ['database', 'large-writes'] },
)
