/**
 * Steps decided by the main thread and run by the worker thread, in one write or one read. The worker thread is
 * synchronous inside its transaction: it sleeps until the next message (`Atomics.wait`), and receives it without an event loop
 * (`receiveMessageOnPort`). To hold the write lock only while it works, the main thread decides as many steps as it
 * can before the thread begins: all of them, unless one needs the result of another.
 */
import { setImmediate } from 'node:timers/promises'
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { SharedDatabase } from '../db/client.ts'
import { withDeadline } from '../db/deadline.ts'
import { LargeWork, TooMuchWork, withinWork } from '../db/work-limits.ts'
import { type ApiError, tookTooLong } from '../errors.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import {
  AWAIT,
  type NamedBodies,
  type Step,
  StepFailure,
  type StepGenerator,
  type StepRunner,
  tooMuch,
} from './steps.ts'

/** Milliseconds of work after which no further step begins or is waited for: the longest time that others have to wait. */
const LONGEST = 1000

/**
 * The wall-clock limit, as a multiple. The limit measures the batch's own work, so a busy machine does not refuse it; but others
 * wait by the clock.
 */
const CLOCK_FACTOR = 4

/** The row limit of a single step, as a multiple of that on the event loop: rows written in some 0.2 s. */
const WORK_FACTOR = 20

/** Milliseconds that the main thread spends deciding steps in one turn of its event loop. */
const PLANNING = 5

/** The worker thread's end. */
export interface WorkerEnd {
  port: MessagePort
  /** The number of messages to the worker thread, and the failed request: 1 is the first; 0 none; or {@link GIVEN_UP}. */
  state: Int32Array
}

/** The indices in {@link WorkerEnd.state}. */
const MESSAGES = 0
const FAILED = 1

/** Instead of a failed request: the main thread has given up. */
const GIVEN_UP = -1

/** Steps, and what follows: more steps once the named results are known, the commit, or a rollback. */
interface Message {
  steps: Step[]
  next: 'more' | 'done' | 'undone'
}

/** The time of the steps: this thread's CPU time, and its sleep while it holds the lock. */
class Budget {
  readonly #longest: number
  readonly #began = performance.now()
  readonly #busyBefore = busyTime()
  #asleep = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** The remaining milliseconds. */
  left(): number {
    const used = busyTime() - this.#busyBefore + this.#asleep
    const byClock = CLOCK_FACTOR * this.#longest - (performance.now() - this.#began)
    return Math.min(this.#longest - used, byClock)
  }

  /** The error when nothing is left: 413, or 503 if the thread has mostly waited, since that is the machine's fault. */
  over(): ApiError {
    const isOwnWork = busyTime() - this.#busyBefore > this.#longest / 2
    return isOwnWork ? tooMuch() : tookTooLong('Batch')
  }

  /** Sleeps. @param wait sleeps for at most so many milliseconds; not at all for less than 0 */
  sleep<T>(wait: (timeout: number) => T): T {
    const before = performance.now()
    const result = wait(this.left())
    this.#asleep += performance.now() - before
    return result
  }
}

/** The CPU time of this thread in milliseconds. */
function busyTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Waits for the next message. @throws ApiError 413 or 503 if none comes in time */
function receive({ port, state }: WorkerEnd, budget: Budget): Message {
  for (;;) {
    const seen = Atomics.load(state, MESSAGES)
    const received = receiveMessageOnPort(port)
    if (received) return received.message
    const woken = budget.sleep((timeout) => Atomics.wait(state, MESSAGES, seen, timeout))
    if (woken === 'timed-out') throw budget.over()
  }
}

/**
 * Runs the steps decided by the main thread, inside a transaction of the worker thread.
 * @param longest milliseconds of work after which no further step begins
 * @throws Error if the main thread gives up; ApiError 413 if they are too much, 503 if the machine is too busy for them; the error of a step
 */
export function runStepsFromMain(
  db: SharedDatabase,
  end: WorkerEnd,
  runner: StepRunner,
  longest = LONGEST,
): JsonBytes {
  const budget = new Budget(longest)

  function run(step: Step): NamedBodies {
    const left = budget.left()
    if (left <= 0) throw budget.over()
    try {
      return withDeadline(
        db,
        left,
        () => budget.over(),
        () => withinWork(db, WORK_FACTOR, () => runner.run(step)),
      )
    } catch (error) {
      if (error instanceof TooMuchWork || error instanceof LargeWork) throw tooMuch()
      ensureKept()
      Atomics.store(end.state, FAILED, step.request + 1)
      throw error
    }
  }

  /** @throws ApiError 400 if an earlier step has turned out to fail: see `StepRunner.refusal` */
  function ensureKept(): void {
    const refusal = runner.refusal()
    if (refusal === undefined) return
    Atomics.store(end.state, FAILED, refusal.request + 1)
    throw refusal.cause
  }

  for (;;) {
    const { steps, next } = receive(end, budget)
    const named = steps.flatMap(run)
    if (next !== 'more') ensureKept()
    if (next === 'done') return runner.response()
    if (next === 'undone') {
      Atomics.store(end.state, FAILED, GIVEN_UP)
      throw new Error('the main thread gave up')
    }
    end.port.postMessage(named)
  }
}

/** Decides steps, as far as possible without earlier results. */
class Plan {
  readonly #steps: StepGenerator
  #named: NamedBodies = []
  /** Why deciding ended. */
  failure: { error: unknown } | undefined

  constructor(steps: StepGenerator) {
    this.#steps = steps
  }

  /** @param named the results of steps so far */
  take(named: NamedBodies): void {
    this.#named.push(...named)
  }

  /** Decides the next steps, for {@link PLANNING} milliseconds. @returns them; `isPaused`: it could continue */
  next(): Message & { isPaused: boolean } {
    const steps: Step[] = []
    const until = performance.now() + PLANNING
    try {
      do {
        const { value, done } = this.#steps.next(this.#named.splice(0))
        if (done) return { steps, next: 'done', isPaused: false }
        if (value === AWAIT) return { steps, next: 'more', isPaused: false }
        steps.push(value)
      } while (performance.now() < until)
      return { steps, next: 'more', isPaused: true }
    } catch (error) {
      this.failure = { error }
      // Earlier steps still run: one of them may fail first.
      return { steps, next: 'undone', isPaused: false }
    }
  }

  /** All steps that can be decided without any result. */
  async first(): Promise<Message> {
    const all: Step[] = []
    for (;;) {
      const { steps, next, isPaused } = this.next()
      all.push(...steps)
      if (!isPaused) return { steps: all, next }
      await setImmediate()
    }
  }
}

/**
 * Lets the worker thread run steps.
 * @param steps decides them, in this thread
 * @param perform posts the worker thread its end, and resolves with the result of the write
 * @throws StepFailure, an error of `steps`, or the error of the whole write
 */
export async function runStepsInWorker<Result>(
  steps: StepGenerator,
  perform: (end: WorkerEnd) => Promise<Result>,
): Promise<Result> {
  const plan = new Plan(steps)
  const first = await plan.first()
  const { port1: port, port2 } = new MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(8))

  function post({ steps, next }: Message): void {
    port.postMessage({ steps, next })
    Atomics.add(state, MESSAGES, 1)
    Atomics.notify(state, MESSAGES)
  }

  port.on('message', (named: NamedBodies) => {
    plan.take(named)
    post(plan.next())
  })
  post(first)
  try {
    return await perform({ port: port2, state })
  } catch (error) {
    const failed = Atomics.load(state, FAILED)
    if (failed > 0) throw new StepFailure(failed - 1, error)
    throw failed === GIVEN_UP && plan.failure ? plan.failure.error : error
  } finally {
    port.close()
  }
}
