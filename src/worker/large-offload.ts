/** The large writes of a service: one at a time, each in a temporary thread. */
import { Worker } from 'node:worker_threads'
import type { SharedDatabase } from '../db/client.ts'
import type { DatabaseFiles } from '../db/files.ts'
import { ApiError } from '../errors.ts'
import { moduleBeside } from '../package-files.ts'
import type { RepeatableRequest } from '../requests/idempotency-store.ts'
import type { LargeJob } from '../requests/perform.ts'
import type { WriteOutcome } from '../requests/write.ts'
import { hasOpenTasks } from './large-tasks.ts'
import type { LargeThread } from './large-worker.ts'
import type { WorkerOptions } from './offload.ts'
import { type Outcome, unwrap } from './outcomes.ts'

/** Waiting large writes, at most. Beyond it, 503. */
const MAX_WAITING = 20

/** Milliseconds until a failed one is retried, e.g. after a full disk. */
const RETRY_AFTER = 10_000

/** Milliseconds for a thread to stop by itself: it checks between two slices. */
const TIMEOUT = 1000

/** 503: there are too many, or the service stops; then the next start continues. */
const stopped = () => new ApiError(503, 'Service Unavailable', { headers: { 'retry-after': '1' } })

const keyOf = ({ memberId, method, path, key }: Omit<RepeatableRequest, 'bodyHash'>) =>
  JSON.stringify([memberId, method, path, key])

/** The dependencies of large writes. */
interface LargeOffloadParts extends WorkerOptions {
  db: SharedDatabase
  /** The files that the service has opened: a thread must not open others. */
  files: DatabaseFiles
  warn: (error: unknown, message: string) => void
}

/** The large writes of a service. */
export class LargeOffload {
  readonly #parts: LargeOffloadParts
  /** Running ones of requests with an idempotency key. */
  readonly #repeatable = new Map<string, Promise<unknown>>()
  #current: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #worker: Worker | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: LargeOffloadParts) {
    this.#parts = parts
  }

  /**
   * Performs a call as a large write, after all earlier ones.
   * @returns its outcome
   * @throws ApiError of the rule; 503 if too many wait
   */
  async perform(job: LargeJob): Promise<WriteOutcome> {
    if (this.#isClosed || this.#waiting >= MAX_WAITING) {
      throw stopped()
    }
    const lost = this.#parts.files.lost()
    if (lost) throw lost
    this.#waiting++
    const outcome = Promise.withResolvers<WriteOutcome>()
    const { promise } = outcome
    const request = job.context.repeatable?.request
    if (request) this.#repeatable.set(keyOf(request), promise)
    // The response does not wait for the thread's later work.
    this.#then(() =>
      this.#run({ job }, (value) => settle(value, outcome))
        .then(() => outcome.reject(stopped()))
        .catch(outcome.reject),
    )
    try {
      return await promise
    } catch (error) {
      if (!(error instanceof ApiError)) this.#tryAgain()
      throw error
    } finally {
      this.#waiting--
      if (request) this.#repeatable.delete(keyOf(request))
    }
  }

  /** Waits for a large write of the same request, if any; its response is stored then. */
  async ended(request: RepeatableRequest): Promise<void> {
    await this.#repeatable.get(keyOf(request))?.catch(() => undefined)
  }

  /** Finishes leftovers of a stopped service or a failed write. Without any, it takes one short read. */
  clear(): void {
    if (this.#parts.db.$client.memory || !hasOpenTasks(this.#parts.db)) return
    this.#then(async () => {
      try {
        await this.#run({})
      } catch (error) {
        if (!this.#isClosed) this.#parts.warn(error, 'could not end a large write')
      }
    })
  }

  /** Stops the running one: the next start of a service continues. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    const worker = this.#worker
    worker?.postMessage('end')
    const timer = setTimeout(() => void worker?.terminate(), TIMEOUT)
    await this.#current
    clearTimeout(timer)
  }

  #tryAgain(): void {
    clearTimeout(this.#retry)
    if (!this.#isClosed) this.#retry = setTimeout(() => this.clear(), RETRY_AFTER).unref()
  }

  #then(work: () => Promise<unknown>): void {
    this.#current = this.#current.then(work)
  }

  /** Runs the thread. @param onOutcome gets the outcome of the job @throws its errors */
  #run(
    task: Pick<LargeThread, 'job'>,
    onOutcome: (outcome: Outcome) => void = () => undefined,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw stopped()
      const { databaseUrl, walCheckpoints } = this.#parts
      const workerData: LargeThread = { ...task, databaseUrl, walCheckpoints }
      const worker = new Worker(moduleBeside('large-worker', import.meta.url), {
        workerData,
        name: 'phaseboard-large',
      })
      this.#worker = worker
      worker.on('message', onOutcome)
      worker.on('error', (error) => {
        reject(error)
        this.#tryAgain()
      })
      worker.on('exit', () => {
        // It may have ended with an error, after which another one has begun.
        if (this.#worker === worker) this.#worker = undefined
        resolve()
      })
    })
  }
}

function settle(outcome: Outcome, { resolve, reject }: PromiseWithResolvers<WriteOutcome>): void {
  try {
    resolve(unwrap(outcome) as WriteOutcome)
  } catch (error) {
    reject(error)
  }
}
