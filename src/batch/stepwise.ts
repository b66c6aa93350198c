/** Writes and reads of several steps: on the event loop as long as they are short, else in the worker thread. */
import { read, type SharedDatabase } from '../db/client.ts'
import { BYTES_READ, isFollowedByWorker, TooMuchWork } from '../db/work-limits.ts'
import type { Dispatcher } from '../requests/perform.ts'
import type { Rules } from '../requests/rules.ts'
import type { WriteContext, WriteOutcome } from '../requests/write.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { runStepsInWorker, type WorkerEnd } from './step-sessions.ts'
import { AWAIT, DryRun, type NamedBodies, type StepGenerator, StepRunner, type StepsMode } from './steps.ts'

/** Steps with which the event loop begins at all: some 10 ms where each creates something. */
const MOST_STEPS = 100

/** Milliseconds that steps may take on the event loop, of all writes in one of its iterations together. */
const BUDGET = 20

/**
 * Performs a write of several steps, or a read of one snapshot of the file.
 * @param begin begins the steps; a second time when the worker thread takes over, after all that was done is undone
 */
export type Stepwise = (
  begin: () => StepGenerator,
  context: WriteContext,
  work: StepwiseWork,
) => Promise<WriteOutcome>

/** What is known of several steps before they begin. */
export interface StepwiseWork extends StepsMode {
  /** How many there are, about. */
  length: number
}

/** The response of a write, unless it was only tried. @throws DryRun with it, which undoes the write */
export function finish(response: JsonBytes, { isDryRun }: StepsMode): JsonBytes {
  if (isDryRun) throw new DryRun(response)
  return response
}

/** The outcome of a write that was only tried. @throws the error, if it is another */
export function outcomeOfDryRun(error: unknown): WriteOutcome {
  if (!(error instanceof DryRun)) throw error
  return { value: error.response, seq: undefined }
}

/**
 * Creates what performs writes of several steps.
 * @param inWorker posts the worker thread its end of the session
 * @param now the time in milliseconds, from anywhere
 */
export function createStepwise(
  db: SharedDatabase,
  rules: Rules,
  commit: Dispatcher['commit'],
  inWorker: (end: WorkerEnd, context: WriteContext, mode: StepsMode) => Promise<WriteOutcome>,
  now: () => number = () => performance.now(),
): Stepwise {
  const isLimited = isFollowedByWorker(db)
  /** Milliseconds that were taken in this iteration of the event loop. */
  let taken = 0

  /** Runs the steps inside a write, or a read. @throws TooMuchWork */
  function run(steps: StepGenerator, mode: StepsMode) {
    const runner = new StepRunner(db, rules, mode)
    const startedAt = now() - taken
    if (taken === 0) setImmediate(() => (taken = 0))
    try {
      for (let next = steps.next([]); !next.done; ) {
        taken = now() - startedAt
        if (isLimited && (taken > BUDGET || runner.size > BYTES_READ)) throw new TooMuchWork()
        let named: NamedBodies = []
        try {
          // What it waits for, it has been given with the steps.
          if (next.value !== AWAIT) named = runner.run(next.value)
        } catch (error) {
          if (error instanceof TooMuchWork) throw error
          next = steps.throw(error)
          continue
        }
        next = steps.next(named)
      }
    } finally {
      taken = now() - startedAt
    }
    return runner.response()
  }

  async function here(steps: StepGenerator, context: WriteContext, mode: StepsMode): Promise<WriteOutcome> {
    if (mode.isRead) return { value: read(db, () => run(steps, mode)), seq: undefined }
    const { value, seq } = await commit(() => finish(run(steps, mode), mode), context)
    return { ...value, seq }
  }

  return async (begin, context, { length, ...mode }) => {
    if (!isLimited || length <= MOST_STEPS) {
      try {
        return await here(begin(), context, mode).catch(outcomeOfDryRun)
      } catch (error) {
        if (!(error instanceof TooMuchWork)) throw error
      }
    }
    return await runStepsInWorker(begin(), (end) => inWorker(end, context, mode))
  }
}
