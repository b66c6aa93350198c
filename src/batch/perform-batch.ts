/** Performs batches, in one write or one read: on the event loop if they are small, else whole in the worker thread. */
import { read, type SharedDatabase } from '../db/client.ts'
import { isFollowedByWorker, TooMuchWork } from '../db/work-limits.ts'
import type { WriteContext, WriteOutcome, WriteWork } from '../requests/perform.ts'
import type { ScopedRules } from '../requests/scoped-rules.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { type Batch, BatchRun, type BatchSurroundings, isRead } from './batch.ts'
import type { WithinLimits } from './limits.ts'

/** Most requests that the event loop attempts: some 10 ms if each creates a record. */
const MOST_REQUESTS = 100

/** A connection that runs batches, in either thread. */
export interface BatchConnection {
  db: SharedDatabase
  scoped: ScopedRules
  surroundings: BatchSurroundings
  /** The limits of a batch that begins now. */
  limits: () => WithinLimits
  write: (work: WriteWork, context: WriteContext) => WriteOutcome | Promise<WriteOutcome>
}

/** Rolls back a dry run, and carries its response. Never becomes a response itself. */
class DryRun extends Error {
  readonly response: JsonBytes

  constructor(response: JsonBytes) {
    super()
    this.response = response
  }
}

/** Runs a batch in this thread. @throws TooMuchWork, or the error of a request, with its index */
export async function runBatch(
  { db, scoped, surroundings, limits, write }: BatchConnection,
  batch: Batch,
  context: WriteContext,
): Promise<WriteOutcome> {
  const run = new BatchRun(batch, surroundings)
  try {
    if (isRead(batch)) {
      const reading = () =>
        scoped.read(context.principal, (rules) => run.run({ db, rules, check: undefined, within: limits() }))
      return { value: read(db, reading), seq: undefined }
    }
    const work: WriteWork = (rules, check) => {
      const response = run.run({ db, rules, check, within: limits() })
      if (batch.isDryRun) throw new DryRun(response)
      return response
    }
    return await write(work, context)
  } catch (error) {
    if (error instanceof DryRun) return { value: error.response, seq: undefined }
    throw run.errorOf(error)
  }
}

/** Creates the performer of batches on the event loop. @param inWorker performs one in the worker thread */
export function createBatches(
  connection: BatchConnection,
  inWorker: (batch: Batch, context: WriteContext) => Promise<WriteOutcome>,
) {
  return async (batch: Batch, context: WriteContext): Promise<WriteOutcome> => {
    if (isFollowedByWorker(connection.db) && batch.requests.length > MOST_REQUESTS)
      return inWorker(batch, context)
    try {
      return await runBatch(connection, batch, context)
    } catch (error) {
      if (error instanceof TooMuchWork) return inWorker(batch, context)
      throw error
    }
  }
}
