import fp from 'fastify-plugin'
import { callerOf, identityOf } from '../src/access/identity.ts'
import { type BatchedRequest, BatchRun, type ReadAnswer, type RunOptions } from '../src/batch/batch.ts'
import { createStepwise } from '../src/batch/stepwise.ts'
import { authorize, isSafe } from '../src/members/identity.ts'
import type { Work } from '../src/requests/perform.ts'
import { createReaderCheck } from '../src/requests/readers.ts'

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
      options?: RunOptions,
    ) => Work<never>
    /**
     * Performs read requests with the caller's rights and the checks of their own routes.
     * @throws ApiError, BatchFailure of the first failing request
     */
    readEach: (
      request: FastifyRequest,
      paths: readonly string[],
      options?: RunOptions,
    ) => Promise<ReadAnswer[]>
  }
}

/** Performs batches: each request runs its own route's handler, all in one write. */
export default fp<{ authMode: 'open' | 'required'; bodyLimit: number }>(
  async (app, { authMode, bodyLimit }) => {
    const { db, scoped, dispatcher, worker, groupCommit } = app
    const checkReader = createReaderCheck(scoped, app.prefix)
    const surroundings = { app, operations: app.operations, authMode, bodyLimit, checkReader }
    const stepwise = createStepwise(
      db,
      scoped,
      (...write) => dispatcher.commit(...write),
      (end, context, mode) => {
        const steps = worker.performSteps(end, context, mode)
        return mode.isRead ? steps : groupCommit.follow(steps)
      },
    )

    app.decorate('readEach', async (request, paths, options) => {
      const requests = paths.map((path) => ({ method: 'GET' as const, path }))
      const run = new BatchRun(request, requests, surroundings, options)
      return run
        .read(async (call) => app.read(call, callerOf(request)))
        .catch((error) => {
          throw run.errorOf(error)
        })
    })

    app.decorate('batch', (request, requests, isDryRun, options) => {
      const isRead = requests.every(({ method }) => isSafe(method))
      if (!isRead) authorize('own', identityOf(request), request.method, authMode)
      let run: BatchRun
      const begin = () => {
        run = new BatchRun(request, requests, surroundings, options)
        return run.steps()
      }
      const hasReads = requests.some(({ method }) => isSafe(method))
      const perform: Work['perform'] = ({ repeatable, ...context }) =>
        stepwise(
          begin,
          { ...context, ...(repeatable && { repeatable: { ...repeatable, hasReads } }) },
          { length: requests.length, isDryRun, isRead },
        ).catch((error) => {
          throw run === undefined ? error : run.errorOf(error)
        })
      return { perform } as Work<never>
    })
  },
  { name: 'batch', fastify: '5.x', dependencies: ['operations', 'rules'] },
)
