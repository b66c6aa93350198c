/** Offloading work to the worker thread: a single one, started when it is first needed, with a queue of tasks. */
import { type MessagePort, Worker } from 'node:worker_threads'
import { ApiError } from '../errors.ts'
import type { Config } from '../phaseboard.d.ts'
import type { CallOf } from './calls.ts'
import { type Outcome, unwrap } from './outcomes.ts'
import type { WorkerEnd } from './step-sessions.ts'
import type { WriteTerms } from './writes.ts'

/** A call of a rule, as posted to the worker thread. */
export interface CallTask extends CallOf {
  id: number
  /** The terms of a write; absent for a read. */
  terms: WriteTerms | undefined
}

/** A write of several steps, which the main thread decides on. */
export interface StepsTask {
  id: number
  steps: { end: WorkerEnd; isDryRun: boolean }
  terms: WriteTerms
}

/** What is posted to the worker thread. */
export type Task = CallTask | StepsTask

/** The result of a task, as posted back. */
export interface TaskResult {
  id: number
  outcome: Outcome
}

/** What the worker thread opens, and how. */
export type WorkerOptions = Pick<Config, 'databaseUrl' | 'walCheckpoints'>

/** Tasks in the queue, at most: each may hold a whole request body. Beyond it, 503. */
const MAX_QUEUED = 200

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The worker's module, beside this one: a source when the sources run, else bundled. */
const fileOfWorker = () =>
  new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/**
 * Creates the queue of the worker thread.
 * @param workerData the file that the thread opens
 * @returns `perform`, which resolves with the rule's result or rejects with its error, 503 when the queue is full;
 * `performSteps`, the same for a write of several steps; `queued`, how many tasks wait or are being done; and `close`
 */
export function createOffload(workerData: WorkerOptions) {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let latest = 0

  function settle({ id, outcome }: TaskResult): void {
    const one = waiting.get(id)
    waiting.delete(id)
    try {
      one?.resolve(unwrap(outcome))
    } catch (error) {
      one?.reject(error)
    }
    // An idle thread must not keep the process alive.
    if (waiting.size === 0) worker?.unref()
  }

  /** Rejects all tasks of a thread that has ended; the next task starts a new one. */
  function rejectAll(error: unknown): void {
    worker = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const started = new Worker(fileOfWorker(), { workerData, name: 'phaseboard' })
    started.on('message', settle)
    started.on('error', rejectAll)
    started.on('exit', () => {
      if (worker === started) rejectAll(new Error('the worker thread has ended'))
    })
    return started
  }

  /** Posts a task. @param transferred what it moves to the worker thread */
  const post = <Posted extends Task>(task: Omit<Posted, 'id'>, transferred: MessagePort[] = []) =>
    new Promise<unknown>((resolve, reject) => {
      if (waiting.size >= MAX_QUEUED) {
        throw new ApiError(503, 'Service Unavailable', { headers: { 'retry-after': '1' } })
      }
      worker ??= start()
      worker.ref()
      const id = ++latest
      waiting.set(id, { resolve, reject })
      worker.postMessage({ ...task, id }, transferred)
    })

  return {
    /** @param terms of a write, whose result is its outcome; none for a read */
    perform: ({ path, args }: CallOf, terms?: WriteTerms): Promise<unknown> =>
      post<CallTask>({ path, args, terms }),
    /** @param end the worker thread's end of the session that decides on the steps */
    performSteps: (end: WorkerEnd, terms: WriteTerms, isDryRun: boolean): Promise<unknown> =>
      post<StepsTask>({ steps: { end, isDryRun }, terms }, [end.port]),
    queued: (): number => waiting.size,
    close: async (): Promise<void> => {
      const ending = worker
      worker = undefined
      await ending?.terminate()
      rejectAll(new Error('the service has stopped'))
    },
  }
}
