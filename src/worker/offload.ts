/** Offloads work to the worker thread: one task at a time, started lazily, with a queue in which members take turns. */
import { serialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Principal } from '../access/policy.ts'
import { type Batch, isRead } from '../batch/batch.ts'
import { type DatabaseFiles, NO_FILES } from '../db/files.ts'
import { tookTooLong, tooManyRequests, unavailable } from '../errors.ts'
import type { NamedPerson } from '../members/people.ts'
import { moduleBeside } from '../package-files.ts'
import type { Config } from '../phaseboard.d.ts'
import type { Call } from '../requests/calls.ts'
import type { WriteContext, WriteOutcome } from '../requests/perform.ts'
import type { SettingName } from '../settings.ts'
import { type Outcome, unwrap } from './outcomes.ts'
import { Turns } from './turns.ts'

/** A read, as posted to the worker thread. */
interface ReadTask {
  id: number
  call: Call
  /** The reader; undefined: the service itself. */
  principal: Principal | undefined
  /** Deadline in milliseconds, checked by its statements. */
  time: number
  /** Size limit of the response, in bytes: see `ensureRoom`. */
  room: number
}

interface WriteTask {
  id: number
  call: Call
  context: WriteContext
}

/** What the routes of a service depend on. */
export interface ServiceOfRoutes {
  prefix: string
  settings: Pick<Config, SettingName>
  /** See the people plugin. */
  defaultPeople: readonly NamedPerson[]
  sendsMail: boolean
}

export interface BatchTask {
  id: number
  batch: Batch
  context: WriteContext
  service: ServiceOfRoutes
}

/** A checkpoint of the write-ahead log. */
interface CheckpointTask {
  id: number
  isCheckpoint: true
}

/** A message to the worker thread: a task, or a stop. */
export type Task = ReadTask | WriteTask | BatchTask | CheckpointTask
export type Posted = Task | 'end'

/** The result of a task, as posted back. */
export interface TaskResult {
  id: number
  outcome: Outcome
}

/** What a thread loads before a task: its file, for batches also the routes. Until then the task has not begun. */
type Loaded = 'file' | 'routes'

/** A message of the worker thread: what it has loaded, or a result. */
export type WorkerMessage = Loaded | TaskResult

/** The file for the worker thread, and its options. */
export type WorkerOptions = Pick<Config, 'databaseUrl' | 'walCheckpoints'>

/** Limits of the worker thread. Times in milliseconds. */
export interface OffloadLimits {
  /** Waiting and running tasks, at most: each may contain a whole request body. Beyond it, 503. */
  tasks: number
  /** Tasks of one member, at most. Beyond it, 429. */
  ofMember: number
  /** Longest read. A thread that exceeds it is abandoned, since it cannot be stopped inside SQLite. */
  reading: number
  /** Abandoned threads, at most: the next one is waited for. */
  aside: number
  /** Longest wait of a task for its turn, e.g. behind a long write. Beyond it, 503: it has not begun. */
  waiting: number
  /** Time for a thread to end once the service stops. */
  ending: number
}

const LIMITS: OffloadLimits = {
  tasks: 200,
  ofMember: 20,
  reading: 10_000,
  aside: 2,
  waiting: 30_000,
  ending: 3000,
}

/**
 * Size of the thread's young generation, in megabytes. It reads in pieces, which soon become garbage; by default V8 would let
 * several times as much pile up.
 */
const YOUNG_MEGABYTES = 12

/** The fraction of the time for a read after which it ends by itself. */
const OWN_TIME = 0.8

/** `Retry-After` of a member with too many tasks, in seconds. */
const RETRY_AFTER = 1

/**
 * Large reads with the same result for all callers: waiting ones of one member are coalesced, and all get the
 * same bytes.
 */
const SHARED = new Set(['board.itemLists.ofProject', 'board.itemLists.ofAll'])

/** A waiting task. */
interface Asker {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface Waiting extends Asker {
  post: (worker: Worker, id: number) => void
  needs: Loaded
  /** Whether it only reads: then it may be abandoned. */
  isRead: boolean
  member: string | null
  /** Ends its waiting. */
  queueTimeout: NodeJS.Timeout
  /** The key for coalescing: see {@link SHARED}. */
  key: string | undefined
}

/** The running task of a thread. */
interface Running extends Waiting {
  id: number
  timer: NodeJS.Timeout | undefined
}

/** The worker thread of a file, and its queue. */
export class Offload {
  readonly #workerData: WorkerOptions
  readonly #limits: OffloadLimits
  readonly #room: () => number
  readonly #files: DatabaseFiles
  readonly #turns = new Turns<Waiting>()
  /** Waiting coalesced reads. */
  readonly #shared = new Map<string, Asker[]>()
  /** All running threads: the current one, and abandoned ones. */
  readonly #threads = new Set<Worker>()
  #worker: Worker | undefined
  #running: Running | undefined
  /** What the thread has loaded, which does not count as time of a task. */
  readonly #loaded = new Set<Loaded>()
  #latest = 0
  /** Whether the previous response is being sent: until then the size limit is unknown. */
  #isHandingOver = false

  /**
   * @param workerData the file for the thread
   * @param room the size limit of a read that begins now, in bytes
   * @param files those that the service has opened: the thread opens its file later, and it must be the same
   */
  constructor(
    workerData: WorkerOptions,
    limits: Partial<OffloadLimits> = {},
    room = () => Number.POSITIVE_INFINITY,
    files: DatabaseFiles = NO_FILES,
  ) {
    this.#workerData = workerData
    this.#room = room
    this.#files = files
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * Performs a read.
   * @param turn the member whose turn it takes; null if unknown, or for the default member
   * @param principal the reader; undefined: the service itself
   * @returns the rule's result
   * @throws the rule's error; ApiError 503 if too many wait, or it waits or reads for too long, 429 if too many of this member wait
   */
  async read({ path, args }: Call, turn: string | null = null, principal?: Principal): Promise<unknown> {
    this.#ensureSameFile()
    const time = this.#limits.reading * OWN_TIME
    const key = SHARED.has(path) ? serialize([turn, principal, path, args]).toString('base64') : undefined
    const post: Waiting['post'] = (worker, id) =>
      worker.postMessage({ call: { path, args }, principal, time, room: this.#room(), id } satisfies ReadTask)
    return await (this.#join(key) ?? this.#add(turn, true, post, key))
  }

  /** Performs a write. @throws like {@link Offload.read}, except for reading too long */
  async write({ path, args }: Call, context: WriteContext): Promise<WriteOutcome> {
    this.#ensureSameFile()
    const post: Waiting['post'] = (worker, id) =>
      worker.postMessage({ call: { path, args }, context, id } satisfies WriteTask)
    return (await this.#add(context.turn ?? null, false, post)) as WriteOutcome
  }

  /** Performs a batch. @throws like {@link Offload.read} and {@link Offload.write} */
  async performBatch(batch: Batch, context: WriteContext, service: ServiceOfRoutes): Promise<WriteOutcome> {
    this.#ensureSameFile()
    const post: Waiting['post'] = (worker, id) =>
      worker.postMessage({ batch, context, service, id } satisfies BatchTask)
    return (await this.#add(context.turn ?? null, isRead(batch), post, undefined, 'routes')) as WriteOutcome
  }

  /** Copies the write-ahead log into the file. @throws like {@link Offload.write} */
  async checkpoint(): Promise<void> {
    this.#ensureSameFile()
    await this.#add(null, false, (worker, id) =>
      worker.postMessage({ isCheckpoint: true, id } satisfies CheckpointTask),
    )
  }

  #ensureSameFile(): void {
    const lost = this.#files.lost()
    if (lost) throw lost
  }

  /** The number of waiting and running tasks. */
  queued(): number {
    return this.#turns.size + (this.#running ? 1 : 0)
  }

  /** The number of running threads. */
  threads(): number {
    return this.#threads.size
  }

  /** Ends the threads. One that does not end in time is left: inside SQLite only the end of the process stops it. */
  async close(): Promise<void> {
    const stopped = new Error('the service has stopped')
    this.#abandon(stopped)
    for (const task of this.#turns.clear()) {
      this.#begin(task)
      task.reject(stopped)
    }
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#limits.ending)
    const ended = [...this.#threads].map((thread) => new Promise((end) => thread.once('exit', end)))
    await Promise.race([Promise.all(ended), late])
    clearTimeout(timer)
  }

  /** Joins a waiting coalesced read. */
  #join(key: string | undefined): Promise<unknown> | undefined {
    const askers = key === undefined ? undefined : this.#shared.get(key)
    return askers && new Promise((resolve, reject) => askers.push({ resolve, reject }))
  }

  #add(
    member: string | null,
    isRead: boolean,
    post: Waiting['post'],
    key?: string | undefined,
    needs: Loaded = 'file',
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const own = this.#turns.of(member) + (this.#running?.member === member ? 1 : 0)
      if (member !== null && own >= this.#limits.ofMember) {
        throw tooManyRequests('Too many requests at once', RETRY_AFTER, 'too_many_at_once')
      }
      if (this.queued() >= this.#limits.tasks) throw unavailable(RETRY_AFTER)
      const askers: Asker[] = [{ resolve, reject }]
      if (key !== undefined) this.#shared.set(key, askers)
      const task: Waiting = {
        post,
        needs,
        isRead,
        member,
        key,
        queueTimeout: setTimeout(() => {
          this.#turns.remove(member, task)
          this.#begin(task)
          task.reject(unavailable(RETRY_AFTER))
        }, this.#limits.waiting).unref(),
        resolve: (value) => {
          for (const asker of askers) asker.resolve(value)
        },
        reject: (error) => {
          for (const asker of askers) asker.reject(error)
        },
      }
      this.#turns.add(member, task)
      this.#goOn()
    })
  }

  /** Posts the next task if the thread is idle. */
  #goOn(): void {
    if (this.#running || this.#isHandingOver) return
    const next = this.#turns.next()
    if (next === undefined) {
      // An idle thread must not keep the process alive.
      this.#worker?.unref()
      return
    }
    this.#begin(next)
    this.#worker ??= this.#start()
    this.#worker.ref()
    const id = ++this.#latest
    this.#running = { ...next, id, timer: undefined }
    this.#limitTime()
    try {
      next.post(this.#worker, id)
    } catch (error) {
      // It cannot be cloned. The thread is still idle.
      this.#take()?.reject(error)
      this.#goOn()
    }
  }

  /** It no longer waits: later requests for the same start a new read. */
  #begin({ queueTimeout, key }: Waiting): void {
    clearTimeout(queueTimeout)
    if (key !== undefined) this.#shared.delete(key)
  }

  /** Starts the timeout of the running task. */
  #limitTime(): void {
    if (!this.#running?.isRead || !this.#loaded.has(this.#running.needs)) return
    this.#running.timer = setTimeout(() => this.#giveUp(), this.#limits.reading).unref()
  }

  #start(): Worker {
    const started = new Worker(moduleBeside('worker', import.meta.url), {
      workerData: this.#workerData,
      name: 'phaseboard',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    this.#threads.add(started)
    this.#loaded.clear()
    started.on('message', (message: WorkerMessage) => {
      if (typeof message === 'object') this.#settle(message)
      else if (this.#worker === started) {
        this.#loaded.add(message)
        this.#limitTime()
      }
    })
    started.on('error', (error) => this.#lose(started, error))
    started.on('exit', () => {
      this.#threads.delete(started)
      this.#lose(started, new Error('the worker thread has ended'))
    })
    return started
  }

  #settle({ id, outcome }: TaskResult): void {
    // Messages of an abandoned thread are ignored.
    if (this.#running?.id !== id) return
    const { resolve, reject } = this.#take() as Running
    try {
      resolve(unwrap(outcome))
    } catch (error) {
      reject(error)
    }
    this.#isHandingOver = true
    setImmediate(() => {
      this.#isHandingOver = false
      this.#goOn()
    })
  }

  /** Ends the running task. */
  #take(): Running | undefined {
    const running = this.#running
    clearTimeout(running?.timer)
    this.#running = undefined
    return running
  }

  /** Handles a thread that ended by itself: its task has failed, and the next task starts a new one. */
  #lose(thread: Worker, error: unknown): void {
    if (this.#worker !== thread) return
    this.#fail(error)
    this.#goOn()
  }

  /** Fails the running task; the next one starts a new thread. */
  #fail(error: unknown): void {
    this.#worker = undefined
    this.#take()?.reject(error)
  }

  /** Handles a read that took too long: a new thread runs the queue, unless too many are abandoned. */
  #giveUp(): void {
    const late = tookTooLong('The request')
    if (this.#threads.size <= this.#limits.aside) {
      this.#abandon(late)
      this.#goOn()
    } else this.#running?.reject(late)
  }

  /** Abandons the thread: it ends once it receives the stop. */
  #abandon(error: unknown): void {
    this.#worker?.postMessage('end' satisfies Posted)
    this.#worker?.unref()
    this.#fail(error)
  }
}
