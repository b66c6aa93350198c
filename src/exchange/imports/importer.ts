/** The imports of a service: one at a time, off the event loop, in a thread that is there only as long. */
import { rmSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type Checkpoints, databasePath, type SharedDatabase } from '../../db/client.ts'
import { NO_FILES } from '../../db/files.ts'
import { ApiError } from '../../errors.ts'
import { once } from '../../once.ts'
import { hasRests } from './clear-import.ts'
import { lockOf, uploadOf } from './import-files.ts'
import type { ImportJob } from './import-job.ts'
import type { ImportTask } from './import-worker.ts'

/** Imports that wait or are being uploaded, at most: each may have a file as large as they may be. Beyond it, 503. */
const MAX_WAITING = 8

/** Those of one member, at most: nobody keeps all others from importing. */
const MAX_OF_MEMBER = 3

/** Seconds after which one who was refused may try again. */
const RETRY_AFTER = '30'

/**
 * Memory that the thread may take, in MiB: a file of 100 MB takes a half of it. Whatever somebody uploads, the service
 * itself goes on.
 */
const MEMORY = 1536

/**
 * Milliseconds that reading a file may take: some seconds do for one of 100 MB, unless somebody has made it to take for ever.
 * Other imports wait meanwhile.
 */
const READING = 10 * 60_000

const TOO_SLOW = 'Reading the file took too long'
const TOO_LARGE = 'There is not enough memory for so large a file'

/** The thread's module, beside this one: a source when the sources run, else bundled. */
const fileOfWorker = () =>
  new URL(import.meta.url.endsWith('.ts') ? './import-worker.ts' : './import-worker.js', import.meta.url)

/** Why an import has failed whose thread could not say so; undefined where nobody knows. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.message === TOO_SLOW) return TOO_SLOW
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? TOO_LARGE : undefined
}

/** A place among the imports that wait: nobody else's until it is given up. */
export interface Reserved {
  /** Where to put the upload; there is no such file yet. */
  file: string
  /** Waits for its turn, and does the import. */
  start: (job: Omit<ImportJob, 'id' | 'file'>) => void
  /** Gives the place up, and removes the file; nothing once it has started. */
  giveUp: () => void
}

/** What the imports of a service need. */
export interface ImporterParts {
  db: SharedDatabase
  databaseUrl: string
  checkpoints: Checkpoints
  warn: (error: unknown, message: string) => void
  /** Memory that an import may take, in MiB. */
  memory?: number
  /** Milliseconds that reading a file may take. */
  reading?: number
}

/** Milliseconds that the thread of an import has to end by itself. */
const PATIENCE = 1000

/** The imports of a service. */
export class Importer {
  readonly #parts: ImporterParts
  readonly #database: string
  /** The places that are taken, by the ids of their imports: whose they are, and what gives them up. */
  readonly #taken = new Map<string, { memberId: string; giveUp: () => void }>()
  #current = Promise.resolve()
  #worker: Worker | undefined
  #isClosed = false

  constructor(parts: ImporterParts) {
    this.#parts = parts
    this.#database = databasePath(parts.databaseUrl)
  }

  /** Clears away what imports have left whose process is gone. Where nothing is, it takes one short read. */
  clear(): void {
    if (this.#parts.db.$client.memory || !hasRests(this.#parts.db, this.#database)) return
    this.#then(() => this.#run({}), 'could not clear away what an import has left')
  }

  /**
   * Takes a place for an import.
   * @param id the import's
   * @param memberId whose it is
   * @throws ApiError 503 when there is none, or none for this member
   */
  reserve(id: string, memberId: string): Reserved {
    const own = [...this.#taken.values()].filter((place) => place.memberId === memberId)
    if (this.#isClosed || this.#taken.size >= MAX_WAITING || own.length >= MAX_OF_MEMBER) {
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
    this.#taken.set(id, { memberId, giveUp })
    let hasStarted = false
    return {
      file,
      start: (job) => {
        hasStarted = true
        this.#then(() => this.#perform({ ...job, id, file }).finally(giveUp), 'an import came to no end')
      },
      giveUp: () => {
        if (!hasStarted) giveUp()
      },
    }
  }

  /** Ends what is under way: the next start of a service clears it away. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    worker?.postMessage('end')
    // It looks up between two slices; while it reads a file that may take longer, but then it is in no native code.
    const timer = setTimeout(() => void worker?.terminate(), PATIENCE)
    await this.#current
    clearTimeout(timer)
    for (const { giveUp } of this.#taken.values()) giveUp()
  }

  /** Does something once all before it is done. */
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
      await performImport({ db, files: NO_FILES, database: this.#database }, job).catch(() => undefined)
      return
    }
    try {
      await this.#run({ job })
    } catch (error) {
      if (this.#isClosed) return
      const reason = reasonOf(error)
      await this.#run({ failed: new Map([[job.id, reason ?? 'The import failed unexpectedly']]) })
      if (reason === undefined) throw error
    }
  }

  /** Runs the thread. @throws whatever it throws */
  #run(task: Pick<ImportTask, 'job' | 'failed'>): Promise<void> {
    return new Promise((resolve, reject) => {
      const { databaseUrl, checkpoints } = this.#parts
      const worker = new Worker(fileOfWorker(), {
        workerData: { ...task, databaseUrl, checkpoints } satisfies ImportTask,
        ...(task.job && { resourceLimits: { maxOldGenerationSizeMb: this.#parts.memory ?? MEMORY } }),
        name: 'phaseboard-import',
      })
      this.#worker = worker
      // However long it takes, it must not keep the process alive.
      worker.unref()
      worker.on('error', reject)
      let isTooSlow = false
      const giveUp = () => {
        isTooSlow = true
        void worker.terminate()
      }
      const timer = task.job && setTimeout(giveUp, this.#parts.reading ?? READING).unref()
      // It says when the file is read.
      worker.once('message', () => clearTimeout(timer))
      worker.on('exit', (code) => {
        clearTimeout(timer)
        this.#worker = undefined
        // A thread that is ended while it starts may say 0.
        if (isTooSlow) reject(new Error(TOO_SLOW))
        else if (code === 0 || this.#isClosed) resolve()
        else reject(new Error('the thread of an import has ended'))
      })
    })
  }
}
