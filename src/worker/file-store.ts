/**
 * Stores and reads the bytes of files, in chunks, in a separate, lazily started thread, so that neither the event loop nor the other worker
 * threads wait. An in-memory database has no second connection, so there the event loop does it.
 */
import { Worker } from 'node:worker_threads'
import { databasePath, type SharedDatabase } from '../db/client.ts'
import { FileContents } from '../db/file-contents.ts'
import { type DatabaseFiles, NO_FILES } from '../db/files.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import { garbageCollector } from '../garbage.ts'
import { once } from '../once.ts'
import { moduleBeside } from '../package-files.ts'
import type { Config } from '../phaseboard.d.ts'
import { type FileTask, performFileTask, type WrittenChunk } from './file-tasks.ts'
import { type Outcome, unwrap } from './outcomes.ts'

/** The file for the thread, and its options. */
export interface FileWorkerData extends Pick<Config, 'walCheckpoints'> {
  /** The path of the database, which is already migrated. */
  path: string
}

/** A message to the thread: a task, or a stop. */
export type PostedFileTask = (FileTask & { id: number }) | 'end'

/** A result. */
export interface FileMessage {
  id: number
  outcome: Outcome
}

/** The young generation of the thread, in megabytes: it passes chunks on, which are outside of it. */
const YOUNG_MEGABYTES = 4

/** Milliseconds for the thread to end once the service stops. */
const ENDING = 1000

/**
 * Bytes of files after which garbage is collected: chunks and received data are outside of V8's heap, so V8 would let some tens of megabytes
 * accumulate. A collection takes a millisecond or two.
 */
const COLLECT_EVERY = 4 * 1024 * 1024

interface Asker {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The dependencies of the store. */
interface FileStoreParts extends Pick<Config, 'databaseUrl' | 'walCheckpoints'> {
  db: SharedDatabase
  files?: DatabaseFiles
  groupCommit: Pick<GroupCommit, 'write'>
  /** Whether the process is the service's own, and not a host's. */
  ownsProcess?: boolean
}

/** The bytes of files of a service. */
export class FileStore {
  readonly #parts: FileStoreParts
  readonly #contents: FileContents
  readonly #asking = new Map<number, Asker>()
  #worker: Worker | undefined
  #latest = 0
  /** Bytes since garbage was last collected. */
  #passed = 0
  readonly #collect = once(garbageCollector)
  #isClosed = false

  constructor(parts: FileStoreParts) {
    this.#parts = parts
    this.#contents = new FileContents(parts.db.$client)
  }

  /** A chunk of a content; undefined if there is none. */
  async read(content: number, chunk: number): Promise<Uint8Array | undefined> {
    const bytes = (await this.#perform({ kind: 'read', content, chunk })) as Uint8Array | undefined
    this.#pass(bytes?.byteLength ?? 0)
    return bytes
  }

  /**
   * Begins an upload, with room for all of it.
   * @param bytes its size; null if it was not announced
   * @param largest bytes of a file
   * @param most bytes of all contents together
   * @returns its number
   * @throws ApiError 507 without room
   */
  async begin(bytes: number | null, largest: number, most: number): Promise<number> {
    return (await this.#perform({ kind: 'begin', bytes, largest, most })) as number
  }

  /** Ends an upload: what it has reserved and not written is free again. */
  async end(upload: number): Promise<void> {
    await this.#perform({ kind: 'end', upload })
  }

  /**
   * Writes a chunk of an upload. It is only guaranteed to be on disk after the write that completes the upload.
   * @param upload its number
   * @param content the id of its content; null for its first chunk
   * @param bytes transferred to the thread, so unusable afterwards
   * @param most bytes of all contents together
   * @returns the id, and the same memory, transferred back
   * @throws ApiError 507 without space, 503
   */
  async write(
    upload: number,
    content: number | null,
    chunk: number,
    bytes: Uint8Array,
    most: number,
  ): Promise<WrittenChunk> {
    this.#pass(bytes.byteLength)
    const task = { kind: 'write', upload, content, chunk, bytes, most } as const
    return (await this.#perform(task)) as WrittenChunk
  }

  /** The complete content of a hash if its bytes are damaged. */
  damaged(sha256: string): Promise<number | undefined> {
    return this.#contents.damaged(sha256, (content, chunk) => this.read(content, chunk))
  }

  /** Removes an upload that was not completed, or a content that one has replaced. */
  async discard(content: number): Promise<void> {
    await this.#perform({ kind: 'discard', content })
  }

  /**
   * Removes contents without references, and leftovers of uploads.
   * @param before milliseconds since 1970: leftovers are uploads without a chunk since then
   * @returns whether there are younger uploads
   */
  async tidy(before: number): Promise<boolean> {
    const contents = this.#contents
    const has = () => contents.hasToExamine() || contents.forgotten().length > 0
    if (contents.leftovers(before).length > 0 || has()) await this.#perform({ kind: 'tidy', before })
    return contents.leftovers(Number.MAX_SAFE_INTEGER).length > 0
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    this.#lose(new Error('the service has stopped'))
    if (worker === undefined) return
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ENDING)
    const ended = new Promise((end) => worker.once('exit', end))
    worker.postMessage('end' satisfies PostedFileTask)
    await Promise.race([ended, late])
    clearTimeout(timer)
  }

  #pass(bytes: number): void {
    this.#passed += bytes
    if (this.#passed < COLLECT_EVERY || !this.#parts.ownsProcess) return
    this.#passed = 0
    this.#collect()?.({ type: 'minor', execution: 'sync' })
  }

  async #perform(task: FileTask): Promise<unknown> {
    if (this.#isClosed) throw new Error('the service has stopped')
    const { databaseUrl, files = NO_FILES, groupCommit } = this.#parts
    if (databasePath(databaseUrl) === ':memory:') {
      const contents = this.#contents
      if (task.kind === 'read') return contents.read(task.content, task.chunk)
      const write = <T>(work: () => T) => groupCommit.write(null, work).then(({ value }) => value)
      return await performFileTask({ contents, write }, task)
    }
    const lost = files.lost()
    if (lost) throw lost
    return await this.#post(task)
  }

  #post(task: FileTask): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#latest
      this.#worker ??= this.#start()
      this.#worker.ref()
      this.#asking.set(id, { resolve, reject })
      const moved = task.kind === 'write' ? [task.bytes.buffer as ArrayBuffer] : []
      this.#worker.postMessage({ ...task, id } satisfies PostedFileTask, moved)
    })
  }

  #start(): Worker {
    const { databaseUrl, walCheckpoints } = this.#parts
    const started = new Worker(moduleBeside('file-worker', import.meta.url), {
      workerData: { path: databasePath(databaseUrl), walCheckpoints } satisfies FileWorkerData,
      name: 'phaseboard-files',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    started.on('message', ({ id, outcome }: FileMessage) => this.#settle(id, outcome))
    const lose = (error: Error) => {
      if (this.#worker === started) this.#lose(error)
    }
    started.on('error', lose)
    started.on('exit', () => lose(new Error('the thread for files has ended')))
    return started
  }

  #settle(id: number, outcome: Outcome): void {
    const asker = this.#asking.get(id)
    this.#asking.delete(id)
    // An idle thread must not keep the process alive.
    if (this.#asking.size === 0) this.#worker?.unref()
    try {
      asker?.resolve(unwrap(outcome))
    } catch (error) {
      asker?.reject(error)
    }
  }

  /** The thread has ended: the next task starts another one. */
  #lose(error: Error): void {
    this.#worker = undefined
    const asking = [...this.#asking.values()]
    this.#asking.clear()
    for (const { reject } of asking) reject(error)
  }
}
