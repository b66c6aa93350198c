/** Writes and reads with several steps: on the event loop while they are short, else in the worker thread. */
import { read, type SharedDatabase } from '../db/client.ts'
import { BYTES_READ, isFollowedByWorker, TooMuchWork } from '../db/work-limits.ts'
import type { Dispatcher } from '../requests/perform.ts'
import type { Rules } from '../requests/rules.ts'
import type { ChangeCheck, ScopedRules } from '../requests/scoped-rules.ts'
import type { WriteContext, WriteOutcome } from '../requests/write.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { runStepsInWorker, type WorkerEnd } from './step-sessions.ts'
import { AWAIT, DryRun, type NamedBodies, type StepGenerator, StepRunner, type StepsMode } from './steps.ts'

/** Most steps that the event loop attempts: some 10 ms if each creates a record. */
const MOST_STEPS = 100

/** Milliseconds that the steps of all writes may take in one turn of the event loop. */
const BUDGET = 20

/**
 * Performs a write of several steps, or a read of one snapshot of the file.
 * @param begin begins the steps; called again when the worker thread takes over after a rollback
 */
type Stepwise = (
  begin: () => StepGenerator,
  context: WriteContext,
  work: StepwiseWork,
) => Promise<WriteOutcome>

/** Properties of the steps, known before they begin. */
interface StepwiseWork extends StepsMode {
  /** Their approximate number. */
  length: number
}

/** The response of a write. @throws DryRun with it for a dry run, to roll back */
export function finish(response: JsonBytes, { isDryRun }: StepsMode): JsonBytes {
  if (isDryRun) throw new DryRun(response)
  return response
}

/** The result of a dry run. @throws any other error */
export function outcomeOfDryRun(error: unknown): WriteOutcome {
  if (!(error instanceof DryRun)) throw error
  return { value: error.response, seq: undefined }
}

/**
 * Creates the executor of stepwise writes.
 * @param inWorker posts the worker thread its end of the session
 * @param now the time in milliseconds, from anywhere
 */
export function createStepwise(
  db: SharedDatabase,
  scoped: ScopedRules,
  commit: Dispatcher['commit'],
  inWorker: (end: WorkerEnd, context: WriteContext, mode: StepsMode) => Promise<WriteOutcome>,
  now: () => number = () => performance.now(),
): Stepwise {
  const isLimited = isFollowedByWorker(db)
  /** Milliseconds used in this turn of the event loop. */
  let taken = 0

  /** Runs the steps inside a write, or a read. @throws TooMuchWork */
  function run(steps: StepGenerator, mode: StepsMode, rules: Rules, check?: ChangeCheck) {
    const runner = new StepRunner(db, rules, mode, check)
    const startedAt = now() - taken
    if (taken === 0) setImmediate(() => (taken = 0))
    try {
      for (let next = steps.next([]); !next.done; ) {
        taken = now() - startedAt
        if (isLimited && (taken > BUDGET || runner.size > BYTES_READ)) throw new TooMuchWork()
        let named: NamedBodies = []
        try {
          // The results that it waits for came with the steps.
          if (next.value !== AWAIT) named = runner.run(next.value)
        } catch (error) {
          if (error instanceof TooMuchWork) throw error
          next = steps.throw(error)
          continue
        }
        next = steps.next(named)
      }
    } catch (error) {
      throw error instanceof TooMuchWork ? error : (runner.refusal() ?? error)
    } finally {
      taken = now() - startedAt
    }
    const refusal = runner.refusal()
    if (refusal) throw refusal
    return runner.response()
  }

  async function here(steps: StepGenerator, context: WriteContext, mode: StepsMode): Promise<WriteOutcome> {
    if (mode.isRead) {
      const reading = () => scoped.read(context.principal, (rules) => run(steps, mode, rules))
      return { value: read(db, reading), seq: undefined }
    }
    const { value, seq } = await commit(
      (rules, check) => finish(run(steps, mode, rules, check), mode),
      context,
    )
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
