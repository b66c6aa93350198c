/** The imports of a service: one at a time, off the event loop, in a temporary thread. */
import { rmSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type Checkpoints, databasePath, type SharedDatabase } from '../../db/client.ts'
import { NO_FILES } from '../../db/files.ts'
import { ApiError } from '../../errors.ts'
import { once } from '../../once.ts'
import { moduleBeside } from '../../package-files.ts'
import type { LiveImports } from '../../projects/imports.ts'
import { ARCHIVE_FORMAT } from '../sources/formats.ts'
import { NO_MEMORY } from './failures.ts'
import { lockOf, uploadOf } from './import-files.ts'
import type { ImportJob } from './import-job.ts'
import type { ImportMessage, ImportTask } from './import-worker.ts'
import { mayHaveOrphans } from './orphaned-imports.ts'
import { READING_LIMITS, type ReadingLimits } from './read-apart.ts'

/** Waiting imports and running uploads, at most: each may have a file of the maximum size. Beyond it, 503. */
const MAX_WAITING = 8

/** Those of one share, at most, so that nobody blocks all others. */
const MAX_OF_SHARE = 3

/** `Retry-After` of a refused import, in seconds. */
const RETRY_AFTER = '30'

/**
 * Memory limits in MiB of the thread for an archive, and for a board, which another process reads, so that no
 * upload can harm the service.
 */
const MEMORY_FOR_ARCHIVE = 1536
const MEMORY_FOR_BOARD = 256
/** Its young generation. */
const YOUNG_MEGABYTES = 12

/** The error of an import whose thread could not report it; undefined if unknown. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof Failed) return error.message
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? NO_MEMORY : undefined
}

/** An error that a thread reported, but could not record. */
class Failed extends Error {}

/** A reserved place in the queue of imports. */
export interface Reserved {
  /** The path for the upload, which does not exist yet. */
  file: string
  /** Waits for its turn, and performs the import. */
  start: (job: Omit<ImportJob, 'id' | 'file'>) => void
  /** Releases the place, and removes the file; no effect once the import has started. */
  giveUp: () => void
}

/** The dependencies of imports. */
interface ImporterParts {
  db: SharedDatabase
  databaseUrl: string
  checkpoints: Checkpoints
  warn: (error: unknown, message: string) => void
  /** Overrides of the limits of reading a file. */
  limits?: Partial<ReadingLimits>
  /** The most bytes of all files of the database together; unlimited by default. */
  attachmentsTotal?: number | undefined
}

/** Milliseconds for a thread to stop by itself. */
const TIMEOUT = 1000

/** Milliseconds until recording an error is retried: first, and at most. */
const RETRY_FIRST = 1000
const RETRY_LAST = 60_000

/** The imports of a service. */
export class Importer {
  readonly #parts: ImporterParts
  readonly #database: string
  /** The reserved places, by import id: whose share they are of, and their release functions. */
  readonly #taken = new Map<string, { share: string; giveUp: () => void }>()
  readonly #limits: ReadingLimits
  /** Aborts work in this thread. */
  readonly #ending = new AbortController()
  /** Errors of imports that their rows do not have yet, by id. */
  readonly #failed = new Map<string, string>()
  /** The progress of the running import. */
  #running: LiveImports = {}
  #retry: NodeJS.Timeout | undefined
  #current = Promise.resolve()
  #worker: Worker | undefined
  #isClosed = false

  constructor(parts: ImporterParts) {
    this.#parts = parts
    this.#database = databasePath(parts.databaseUrl)
    this.#limits = { ...READING_LIMITS, ...parts.limits }
  }

  /** Ends orphaned imports. Without any, it takes one short read. */
  endOrphans(): void {
    if (this.#parts.db.$client.memory || !mayHaveOrphans(this.#parts.db, this.#database)) return
    this.#then(() => this.#run({}), 'could not end an interrupted import')
  }

  /** What the rows do not say: the progress of the running import, and errors that could not be recorded, e.g. on a full disk. */
  get live(): LiveImports {
    const failed = [...this.#failed].map(([id, error]) => [id, { status: 'failed', error }] as const)
    return { ...this.#running, ...Object.fromEntries(failed) }
  }

  /**
   * Reserves a place for an import.
   * @param id the import's
   * @param share whose share of the places it takes: see `shareOf`
   * @throws ApiError 503 if there is none, or none for this share
   */
  reserve(id: string, share: string): Reserved {
    const own = [...this.#taken.values()].filter((place) => place.share === share)
    if (this.#isClosed || this.#taken.size >= MAX_WAITING || own.length >= MAX_OF_SHARE) {
      throw new ApiError(503, 'Too many imports are waiting', { headers: { 'retry-after': RETRY_AFTER } })
    }
    const lock = lockOf(this.#database, id)
    lock.take()
    const file = uploadOf(this.#database, id)
    const giveUp = once(() => {
      rmSync(file, { force: true })
      this.#taken.delete(id)
      lock.release()
    })
    this.#taken.set(id, { share, giveUp })
    let hasStarted = false
    return {
      file,
      start: (job) => {
        hasStarted = true
        this.#then(() => this.#perform({ ...job, id, file }).finally(giveUp), 'an import did not end')
      },
      giveUp: () => {
        if (!hasStarted) giveUp()
      },
    }
  }

  /** Stops running imports: the next start of a service records that. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#ending.abort()
    clearTimeout(this.#retry)
    const worker = this.#worker
    worker?.postMessage('end')
    // It checks between two steps; reading a file may take longer, but is not inside native code.
    const timer = setTimeout(() => void worker?.terminate(), TIMEOUT)
    await this.#current
    clearTimeout(timer)
    for (const { giveUp } of this.#taken.values()) giveUp()
  }

  /** Queues work. */
  #then(work: () => Promise<void>, problem: string): void {
    this.#current = this.#current
      .then(async () => {
        if (!this.#isClosed) await work()
      })
      .catch((error) => this.#parts.warn(error, problem))
  }

  async #perform(job: ImportJob): Promise<void> {
    const { db } = this.#parts
    if (db.$client.memory) {
      const { performImport } = await import('./import-job.ts')
      const { signal } = this.#ending
      const { attachmentsTotal } = this.#parts
      const limits = this.#limits
      const onProgress = (done: number, total: number) => this.#note(job.id, { done, total })
      const place = {
        db,
        files: NO_FILES,
        database: this.#database,
        limits,
        attachmentsTotal,
        signal,
        onProgress,
      }
      await performImport(place, job).catch(() => undefined)
      return
    }
    try {
      await this.#run({ job })
    } catch (error) {
      if (this.#isClosed) return
      const reason = reasonOf(error)
      this.#failed.set(job.id, reason ?? 'The import failed unexpectedly')
      await this.#recordFailed(RETRY_FIRST)
      if (reason === undefined) throw error
    }
  }

  /**
   * Records errors of imports, and retries if that fails.
   * @param after delay in milliseconds
   */
  async #recordFailed(after: number): Promise<void> {
    const failed = new Map(this.#failed)
    try {
      await this.#run({ failed })
      for (const id of failed.keys()) this.#failed.delete(id)
    } catch (error) {
      this.#parts.warn(error, 'could not record the error of an import')
      clearTimeout(this.#retry)
      const again = () => this.#then(() => this.#recordFailed(Math.min(2 * after, RETRY_LAST)), 'unexpected')
      this.#retry = setTimeout(again, after).unref()
    }
  }

  #note(id: string | undefined, progress: { done: number; total: number }): void {
    if (id !== undefined) this.#running = { [id]: progress }
  }

  /** Runs the thread. @throws its errors */
  #run(task: Pick<ImportTask, 'job' | 'failed'>): Promise<void> {
    return new Promise((resolve, reject) => {
      const { databaseUrl, checkpoints, attachmentsTotal } = this.#parts
      const isArchive = task.job?.format === ARCHIVE_FORMAT
      const worker = new Worker(moduleBeside('import-worker', import.meta.url), {
        workerData: {
          ...task,
          databaseUrl,
          checkpoints,
          limits: this.#limits,
          attachmentsTotal,
        } satisfies ImportTask,
        resourceLimits: {
          maxOldGenerationSizeMb: isArchive ? MEMORY_FOR_ARCHIVE : MEMORY_FOR_BOARD,
          maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
        },
        name: 'phaseboard-import',
      })
      this.#worker = worker
      // It must not keep the process alive.
      worker.unref()
      worker.on('error', reject)
      worker.on('message', (message: ImportMessage) => {
        if ('done' in message) this.#note(task.job?.id, message)
        else if ('failed' in message) reject(new Failed(message.failed))
        else this.#parts.warn(new Error(String(message.reader)), 'the reader of an import did not end')
      })
      worker.on('exit', (code) => {
        // It may have ended with an error, after which another one has begun.
        if (this.#worker === worker) this.#worker = undefined
        // A thread terminated while starting may exit with 0.
        if (code === 0 || this.#isClosed) resolve()
        else reject(new Error('the thread of an import has ended'))
      })
    })
  }
}
