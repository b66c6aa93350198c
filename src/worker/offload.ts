/** Handing work over to the worker thread. It starts when it is first needed, and is alone: what it is given waits in line. */
import { Worker } from 'node:worker_threads'
import { ApiError, type ErrorDetails } from '../errors.ts'

/** A rule to be called. */
export interface Task {
  id: number
  /** The rule's path, e.g. `board.items.move`. */
  path: string
  args: unknown[]
}

/** What came of it. */
export interface Answer {
  id: number
  outcome:
    | { value: unknown }
    | {
        refusal: {
          statusCode: number
          message: string
          details: ErrorDetails | undefined
          headers: Record<string, string>
        }
      }
    | { error: unknown }
}

/** Tasks that may wait in line, each with what a body may hold. */
const LINE = 200

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** Of the sources when they run as they are, else of the bundle; both lie beside this module. */
const fileOfWorker = () =>
  new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/**
 * Makes what hands work over.
 * @param databaseUrl the file that the thread opens
 * @returns `perform`, which resolves with the rule's result or rejects as it throws; and `close`
 */
export function createOffload(databaseUrl: string) {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let latest = 0

  function settle({ id, outcome }: Answer): void {
    const one = waiting.get(id)
    waiting.delete(id)
    if ('value' in outcome) one?.resolve(outcome.value)
    else if ('refusal' in outcome) {
      const { statusCode, message, details, headers } = outcome.refusal
      one?.reject(new ApiError(statusCode, message, { headers, ...(details && { details }) }))
    } else one?.reject(outcome.error)
    // It must not keep a process alive that has nothing else to do.
    if (waiting.size === 0) worker?.unref()
  }

  /** What waits is lost with a thread that dies; the next task has a new one. */
  function giveUp(error: unknown): void {
    worker = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const started = new Worker(fileOfWorker(), { workerData: { databaseUrl }, name: 'phaseboard' })
    started.on('message', settle)
    started.on('error', giveUp)
    started.on('exit', () => {
      if (worker === started) giveUp(new Error('the worker thread has ended'))
    })
    return started
  }

  return {
    perform: (path: string, args: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (waiting.size >= LINE) {
          throw new ApiError(503, 'Service Unavailable', { headers: { 'retry-after': '1' } })
        }
        worker ??= start()
        worker.ref()
        const id = ++latest
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, path, args } satisfies Task)
      }),
    close: async (): Promise<void> => {
      const ending = worker
      worker = undefined
      await ending?.terminate()
      giveUp(new Error('the service has stopped'))
    },
  }
}
