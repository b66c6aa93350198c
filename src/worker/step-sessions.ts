/**
 * Steps whose write is the worker thread's, and whose decisions are the main thread's. The worker thread is synchronous
 * inside its transaction: it sleeps until the next message (`Atomics.wait`), and takes it without an event loop
 * (`receiveMessageOnPort`).
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { LargeWork } from '../db/work-limits.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { type Outcome, outcomeOf, unwrap } from './outcomes.ts'
import { type Step, type StepGenerator, type StepRunner, tooLarge } from './steps.ts'

/** How long the worker thread holds the write lock, for which others wait 5 seconds; in milliseconds. */
const LIMITS = {
  /** The wait for the next message. */
  patience: 2000,
  /** After this long no further step begins. */
  longest: 4000,
}

/** The worker thread's end. */
export interface WorkerEnd {
  port: MessagePort
  /** Counts the messages to the worker thread. */
  count: Int32Array
}

type Message = { step: Step } | { end: 'done' | 'undone' }

/** Waits for the next message. @throws Error when none comes */
function receive({ port, count }: WorkerEnd, patience: number): Message {
  for (;;) {
    const seen = Atomics.load(count, 0)
    const received = receiveMessageOnPort(port)
    if (received) return received.message
    if (Atomics.wait(count, 0, seen, patience) === 'timed-out') throw new Error('no step came any more')
  }
}

/**
 * Runs the steps that the main thread decides on: inside a write of the worker thread.
 * @throws Error when the main thread gives up; ApiError 413 when they take too long
 */
export function runStepsFromMain(
  end: WorkerEnd,
  runner: StepRunner,
  isDryRun: boolean,
  { patience, longest } = LIMITS,
): JsonBytes {
  const deadline = performance.now() + longest
  for (;;) {
    const message = receive(end, patience)
    if ('end' in message) {
      if (message.end === 'done') return runner.response(isDryRun)
      throw new Error('the write was given up')
    }
    if (performance.now() > deadline) throw tooLarge()
    end.port.postMessage(outcomeOf(() => runner.run(message.step)))
  }
}

/**
 * Lets the worker thread run steps.
 * @param steps decides on them, here
 * @param perform posts the worker thread its end, and resolves with what the write resulted in
 */
export async function runStepsInWorker<Result>(
  steps: StepGenerator,
  perform: (end: WorkerEnd) => Promise<Result>,
): Promise<Result> {
  const { port1: port, port2 } = new MessageChannel()
  const count = new Int32Array(new SharedArrayBuffer(4))
  let failure: { error: unknown } | undefined

  function post(message: Message): void {
    port.postMessage(message)
    Atomics.add(count, 0, 1)
    Atomics.notify(count, 0)
  }

  /** Decides on the next step. @param outcome of the one before */
  function decide(outcome: Outcome): void {
    try {
      const { done, value } = resume(steps, outcome)
      post(done ? { end: 'done' } : { step: value })
    } catch (error) {
      failure = { error }
      post({ end: 'undone' })
    }
  }

  const performed = perform({ port: port2, count })
  port.on('message', decide)
  decide({ value: undefined })
  try {
    return await performed
  } catch (error) {
    // What is done in slices cannot be one of several steps.
    if (failure?.error instanceof LargeWork) throw tooLarge()
    throw failure ? failure.error : error
  } finally {
    port.close()
  }
}

/** Lets a generator go on with the outcome of its latest step. */
export function resume(steps: StepGenerator, outcome: Outcome) {
  let body: string | undefined
  try {
    body = unwrap(outcome) as string | undefined
  } catch (error) {
    return steps.throw(error)
  }
  return steps.next(body)
}
