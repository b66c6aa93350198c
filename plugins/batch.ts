import fp from 'fastify-plugin'
import { identityOf, turnOf } from '../src/access/identity.ts'
import { type BatchedRequest, BatchRun, type ReadAnswer, type RunOptions } from '../src/batch/batch.ts'
import { createStepwise } from '../src/batch/stepwise.ts'
import { authorize, isSafe } from '../src/members/identity.ts'
import type { Work } from '../src/requests/perform.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The work of a batch: all of it is one write, or, where all of it only reads, one snapshot of the file.
     * @param isDryRun whether to undo all of it in the end
     * @throws ApiError 403 where a part of it writes, and the credential only reads
     */
    batch: (
      request: FastifyRequest,
      requests: readonly BatchedRequest[],
      isDryRun: boolean,
      options?: RunOptions,
    ) => Work<never>
    /**
     * Performs requests that only read, with the rights of whoever makes a request, and the checks of their own routes.
     * @throws ApiError, BatchFailure, as the first that fails is refused
     */
    readEach: (
      request: FastifyRequest,
      paths: readonly string[],
      options?: RunOptions,
    ) => Promise<ReadAnswer[]>
  }
}

/** Performs batches: the requests' own routes say what is done, one write does it. */
export default fp<{ authMode: 'open' | 'required'; bodyLimit: number }>(
  async (app, { authMode, bodyLimit }) => {
    const { db, rules, dispatcher, worker } = app
    const surroundings = { app, operations: app.operations, authMode, bodyLimit }
    const stepwise = createStepwise(
      db,
      rules,
      (...write) => dispatcher.commit(...write),
      (...task) => worker.performSteps(...task),
    )

    app.decorate('readEach', async (request, paths, options) => {
      const requests = paths.map((path) => ({ method: 'GET' as const, path }))
      const run = new BatchRun(request, requests, surroundings, options)
      return run
        .read(async (call) => app.read(call, turnOf(request)))
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
      const perform: Work['perform'] = (context) =>
        stepwise(begin, context, { length: requests.length, isDryRun, isRead }).catch((error) => {
          throw run === undefined ? error : run.errorOf(error)
        })
      return { perform } as Work<never>
    })
  },
  { name: 'batch', fastify: '5.x', dependencies: ['operations', 'rules'] },
)
