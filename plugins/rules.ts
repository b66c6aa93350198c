import fp from 'fastify-plugin'
import { BUSY_TIMEOUT } from '../src/db/busy.ts'
import { databasePath } from '../src/db/client.ts'
import { limitWork } from '../src/db/work-limits.ts'
import { Freshness } from '../src/reading/freshness.ts'
import type { Attempt } from '../src/reading/large-snapshots.ts'
import { type Calls, callsOf } from '../src/requests/calls.ts'
import { Dispatcher } from '../src/requests/perform.ts'
import type { Rules } from '../src/requests/rules.ts'
import { createScopedRules, type ScopedRules } from '../src/requests/scoped-rules.ts'
import { Attempts } from '../src/requests/turns.ts'
import { Offload, type WorkerOptions } from '../src/worker/offload.ts'

declare module 'fastify' {
  /** Calls of the rules, for handlers to return: `app.board.items.move(...)` is plain data, a rule's path and arguments. */
  interface FastifyInstance extends Calls<Rules> {
    /** The rules themselves, synchronous: for hooks that only read. */
    rules: Rules
    /** The same, as each caller may use them. */
    scoped: ScopedRules
    /** Detects commits of other connections. */
    freshness: Freshness
    /** Performs calls; `perform` and `read` are its methods. */
    dispatcher: Dispatcher
    /** Performs a write; the caller names the actor. */
    perform: Dispatcher['perform']
    /** Performs a read. */
    read: Dispatcher['read']
    /** Reads on the event loop: at once or, if this turn's time is used up, in one of the next turns. */
    attempt: Attempt
    /** The worker thread, for reads that would block the event loop. */
    worker: Offload
    /** Another one for such writes: no read waits for a large one, which may take seconds. */
    writer: Offload
  }
}

/** The rules of the domains, on this connection, and the dispatcher of their calls. */
export default fp<WorkerOptions>(
  async (app, { databaseUrl, walCheckpoints }) => {
    const { db, databaseFiles, groupCommit } = app
    const place = { databaseUrl, walCheckpoints }
    const worker = new Offload(place, {}, app.roomForResponse, databaseFiles)
    const writer = new Offload(place, { waiting: BUSY_TIMEOUT }, undefined, databaseFiles)
    // A worker thread cannot open an in-memory database.
    if (databasePath(databaseUrl) !== ':memory:') limitWork(db)
    app.addHook('onClose', async () => void (await Promise.all([worker.close(), writer.close()])))

    const freshness = new Freshness(db)
    const scoped = createScopedRules(
      db,
      () => freshness.version(),
      () => freshness.versionNow(),
    )
    const rules = scoped.all
    const attempts = new Attempts()
    const attempt: Attempt = (turn, work) => attempts.do(turn ?? '', work)
    const dispatcher = new Dispatcher({ db, scoped, groupCommit, attempt, worker, writer })
    app.decorate('rules', rules)
    app.decorate('scoped', scoped)
    app.decorate('freshness', freshness)
    app.decorate('attempt', attempt)
    app.decorate('worker', worker)
    app.decorate('writer', writer)
    app.decorate('dispatcher', dispatcher)
    app.decorate('perform', (work, context) => dispatcher.perform(work, context))
    app.decorate('read', (call, caller) => dispatcher.read(call, caller))
    for (const [name, domain] of Object.entries(rules)) app.decorate(name, callsOf(domain, name))
  },
  { name: 'rules', fastify: '5.x', dependencies: ['database'] },
)
