/**
 * Steps that the worker thread runs, in one write or one read, and that the main thread decides on. The worker thread is
 * synchronous inside its transaction: it sleeps until the next message (`Atomics.wait`), and takes it without an event loop
 * (`receiveMessageOnPort`). So that it holds the write lock only while it works, the main thread decides on as many steps as it
 * can before the thread begins: on all of them, unless one needs what another results in.
 */
import { setImmediate } from 'node:timers/promises'
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { SharedDatabase } from '../db/client.ts'
import { withDeadline } from '../db/deadline.ts'
import { LargeWork, TooMuchWork, withinWork } from '../db/work-limits.ts'
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

/** Milliseconds of work after which no further step begins, nor is waited for: how long others may have to wait. */
const LONGEST = 1000

/**
 * How many times as long they may take by the clock. What is too much is a property of the batch, and no batch is refused for what else
 * the machine is busy with; but others wait by the clock.
 */
const CLOCK_FACTOR = 4

/** What a single step may do at most, as a multiple of what it may do on the event loop: rows written in some 0.2 s. */
const WORK_FACTOR = 20

/** Milliseconds that the main thread decides on steps in one turn of its event loop. */
const PLANNING = 5

/** The worker thread's end. */
export interface WorkerEnd {
  port: MessagePort
  /** Counts the messages to the worker thread, and says which request has failed: 1 is the first; 0 none; or {@link GIVEN_UP}. */
  state: Int32Array
}

/** The places in {@link WorkerEnd.state}. */
const MESSAGES = 0
const FAILED = 1

/** In the place of a request that failed: what was decided then. */
const GIVEN_UP = -1

/** Steps, and what comes after them: more, once the named results are told; the end of the write; or its undoing. */
interface Message {
  steps: Step[]
  next: 'more' | 'done' | 'undone'
}

/** The time that steps take: this thread's on a processor, and what it spends asleep while it has the lock. */
class Budget {
  readonly #longest: number
  readonly #began = performance.now()
  readonly #busyBefore = busyTime()
  #asleep = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** Milliseconds that are left. */
  left(): number {
    const used = busyTime() - this.#busyBefore + this.#asleep
    const byClock = CLOCK_FACTOR * this.#longest - (performance.now() - this.#began)
    return Math.min(this.#longest - used, byClock)
  }

  /** Spends time asleep. @param wait sleeps for so many milliseconds at most */
  sleep<T>(wait: (patience: number) => T): T {
    const before = performance.now()
    const result = wait(Math.max(0, this.left()))
    this.#asleep += performance.now() - before
    return result
  }
}

/** Milliseconds of this thread on a processor. */
function busyTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Waits for the next message. @throws ApiError 413 when none comes in time */
function receive({ port, state }: WorkerEnd, budget: Budget): Message {
  for (;;) {
    const seen = Atomics.load(state, MESSAGES)
    const received = receiveMessageOnPort(port)
    if (received) return received.message
    const woken = budget.sleep((patience) => Atomics.wait(state, MESSAGES, seen, patience))
    if (woken === 'timed-out') throw tooMuch()
  }
}

/**
 * Runs the steps that the main thread decides on: inside a transaction of the worker thread.
 * @param longest milliseconds of work after which no further step begins
 * @throws Error when the main thread gives up; ApiError 413 when they take too long; whatever a step throws
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
    if (left <= 0) throw tooMuch()
    try {
      return withDeadline(db, left, tooMuch, () => withinWork(db, WORK_FACTOR, () => runner.run(step)))
    } catch (error) {
      if (error instanceof TooMuchWork || error instanceof LargeWork) throw tooMuch()
      Atomics.store(end.state, FAILED, step.request + 1)
      throw error
    }
  }

  for (;;) {
    const { steps, next } = receive(end, budget)
    const named = steps.flatMap(run)
    if (next === 'done') return runner.response()
    if (next === 'undone') {
      Atomics.store(end.state, FAILED, GIVEN_UP)
      throw new Error('the main thread gave up')
    }
    end.port.postMessage(named)
  }
}

/** Decides on steps, as far as that is possible without the results of those before. */
class Plan {
  readonly #steps: StepGenerator
  #named: NamedBodies = []
  /** What ended the decisions. */
  failure: { error: unknown } | undefined

  constructor(steps: StepGenerator) {
    this.#steps = steps
  }

  /** @param named the results of steps so far */
  take(named: NamedBodies): void {
    this.#named.push(...named)
  }

  /** Decides on the next steps, for {@link PLANNING} milliseconds. @returns them; `isPaused`: it could go on now */
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
      // Those before it are run nevertheless: one of them may fail, which is the first that does.
      return { steps, next: 'undone', isPaused: false }
    }
  }

  /** All steps that can be decided on without any result. */
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
 * @param steps decides on them, here
 * @param perform posts the worker thread its end, and resolves with what the write resulted in
 * @throws StepFailure, what `steps` throws, or what became of the write as a whole
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
