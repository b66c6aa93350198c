import fp from 'fastify-plugin'
import { callerOf, identityOf } from '../src/access/identity.ts'
import {
  type BatchedRequest,
  type BatchOptions,
  BatchRun,
  batchOf,
  isRead,
  type ReadAnswer,
} from '../src/batch/batch.ts'
import { createLoopLimits } from '../src/batch/limits.ts'
import { createBatches } from '../src/batch/perform-batch.ts'
import { unlessTooMuch } from '../src/db/work-limits.ts'
import { authorize, isSafe } from '../src/members/identity.ts'
import type { Config } from '../src/phaseboard.d.ts'
import { run } from '../src/requests/calls.ts'
import type { Work } from '../src/requests/perform.ts'
import { createReaderCheck } from '../src/requests/readers.ts'
import { ALL_SETTINGS, type SettingName } from '../src/settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The work of a batch: one write or, if it only reads, one read transaction.
     * @param isDryRun whether to roll back at the end
     * @throws ApiError 403 if it writes with a read-only credential
     */
    batch: (
      request: FastifyRequest,
      requests: readonly BatchedRequest[],
      isDryRun: boolean,
      options?: BatchOptions,
    ) => Work<never>
    /**
     * Performs read requests with the caller's rights and the checks of their own routes.
     * @throws ApiError, BatchFailure of the first failing request
     */
    readEach: (
      request: FastifyRequest,
      paths: readonly string[],
      options?: BatchOptions,
    ) => Promise<ReadAnswer[]>
  }
}

/** Performs batches: each request runs its own route's handler, all in one write. */
export default fp<Config>(
  async (app, options) => {
    const { authMode, bodyLimit } = options
    const { db, scoped, dispatcher, worker, writer, groupCommit } = app
    const checkReader = createReaderCheck(scoped, app.prefix)
    const surroundings = { app, operations: app.operations, authMode, bodyLimit, checkReader }
    const limits = createLoopLimits(db, () => performance.now())
    const performBatch = createBatches(
      {
        db,
        scoped,
        surroundings,
        limits: () => limits,
        write: async (work, context) => {
          const { value, seq } = await dispatcher.commit(work, context)
          return { ...value, seq }
        },
      },
      (batch, context) => {
        const { prefix, defaultPeople, sendTestMail } = app
        const service = {
          prefix,
          defaultPeople,
          sendsMail: sendTestMail !== undefined,
          settings: settingsOf(options),
        }
        if (isRead(batch)) return worker.performBatch(batch, context, service)
        return groupCommit.follow(writer.performBatch(batch, context, service))
      },
    )

    app.decorate('readEach', async (request, paths, options) => {
      const requests = paths.map((path) => ({ method: 'GET' as const, path }))
      const batch = new BatchRun(batchOf(request, requests, false, options), surroundings)
      const caller = callerOf(request)
      return batch
        .read(
          async (call) => app.read(call, caller),
          // One that is too large to be read here exists.
          (call) => unlessTooMuch(() => scoped.read(caller.principal, (rules) => run(rules, call))),
        )
        .catch((error) => {
          throw batch.errorOf(error)
        })
    })

    app.decorate('batch', (request, requests, isDryRun, options) => {
      const batch = batchOf(request, requests, isDryRun, options)
      if (!isRead(batch)) authorize('own', identityOf(request), request.method, authMode)
      const hasReads = requests.some(({ method }) => isSafe(method))
      const perform: Work['perform'] = ({ repeatable, ...context }) =>
        performBatch(batch, {
          ...context,
          ...(repeatable && { repeatable: { ...repeatable, hasReads } }),
        })
      return { perform } as Work<never>
    })
  },
  { name: 'batch', fastify: '5.x', dependencies: ['operations', 'rules'] },
)

/** The settings alone, which are plain data, for the worker thread. */
const settingsOf = (options: Config): Pick<Config, SettingName> =>
  Object.fromEntries(ALL_SETTINGS.map(([name]) => [name, options[name]])) as Pick<Config, SettingName>
