/** Batches in the worker thread, with the service's routes, but without a server. The thread loads this file for its first batch. */
import Fastify from 'fastify'
import operations from '../plugins/operations.ts'
import strictness from '../plugins/strictness.ts'
import type { Batch, BatchSurroundings } from './batch/batch.ts'
import { limitsInWorker } from './batch/limits.ts'
import { type BatchConnection, runBatch } from './batch/perform-batch.ts'
import { callsOf } from './requests/calls.ts'
import type { WriteContext, WriteOutcome } from './requests/perform.ts'
import { createReaderCheck } from './requests/readers.ts'
import { createValidatorCompiler } from './requests/validation.ts'
import { registerRoutes } from './routes.ts'
import type { ServiceOfRoutes } from './worker/offload.ts'

/** The thread's connection, and how it writes. */
type Connection = Pick<BatchConnection, 'db' | 'scoped' | 'write'>

/** Registers the routes. Those that are sent alone never run here: what only they use may be absent. */
async function loadRoutes(
  { db, scoped }: Connection,
  { prefix, settings, defaultPeople, sendsMail }: ServiceOfRoutes,
): Promise<BatchSurroundings> {
  const loaded = Promise.withResolvers<BatchSurroundings>()
  await Fastify().register(
    async (app) => {
      app.setValidatorCompiler(createValidatorCompiler())
      app.decorate('db', db)
      app.decorate('scoped', scoped)
      app.decorate('rules', scoped.all)
      for (const [name, domain] of Object.entries(scoped.all)) app.decorate(name, callsOf(domain, name))
      app.decorate('defaultPeople', defaultPeople)
      app.decorate('sendTestMail', sendsMail ? async () => undefined : undefined)
      await app.register(strictness)
      await app.register(operations)
      await registerRoutes(app, settings)
      const { authMode, bodyLimit } = settings
      const checkReader = createReaderCheck(scoped, prefix)
      loaded.resolve({ app, operations: app.operations, authMode, bodyLimit, checkReader })
    },
    { prefix },
  )
  return loaded.promise
}

/** @returns the performer of batches */
export async function openBatches(
  connection: Connection,
  service: ServiceOfRoutes,
): Promise<(batch: Batch, context: WriteContext) => Promise<WriteOutcome>> {
  const surroundings = await loadRoutes(connection, service)
  const limits = () => limitsInWorker(connection.db)
  return (batch, context) => runBatch({ ...connection, surroundings, limits }, batch, context)
}
