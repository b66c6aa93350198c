/** Offloading work to the worker thread: one at a time, started when it is first needed, with a queue in which members take turns. */
import { serialize } from 'node:v8'
import { type MessagePort, Worker } from 'node:worker_threads'
import type { WorkerEnd } from '../batch/step-sessions.ts'
import type { StepsMode } from '../batch/steps.ts'
import { type DatabaseFiles, NO_FILES } from '../db/files.ts'
import { tookTooLong, tooManyRequests, unavailable } from '../errors.ts'
import { moduleBeside } from '../package-files.ts'
import type { Config } from '../phaseboard.d.ts'
import type { Call } from '../requests/calls.ts'
import type { WriteContext, WriteOutcome } from '../requests/write.ts'
import { type Outcome, unwrap } from './outcomes.ts'
import { Turns } from './turns.ts'

/** A call that reads, as posted to the worker thread. */
export interface ReadTask {
  id: number
  call: Call
  /** Milliseconds after which it ends by itself, as soon as one of its statements looks at the clock. */
  time: number
  /** Bytes that it may answer: see `ensureRoom`. */
  room: number
}

/** A call that writes. */
export interface WriteTask {
  id: number
  call: Call
  context: WriteContext
}

/** A write, or a read, of several steps, which the main thread decides on. */
export interface StepsTask {
  id: number
  end: WorkerEnd
  mode: StepsMode
  context: WriteContext
}

/** What is posted to the worker thread: a task, or that it is to end. */
export type Task = ReadTask | WriteTask | StepsTask
export type Posted = Task | 'end'

/** The result of a task, as posted back. */
export interface TaskResult {
  id: number
  outcome: Outcome
}

/** What the worker thread posts: that it has opened its file, and results. */
export type WorkerMessage = 'ready' | TaskResult

/** What the worker thread opens, and how. */
export type WorkerOptions = Pick<Config, 'databaseUrl' | 'walCheckpoints'>

/** Limits of the worker thread. Times in milliseconds. */
export interface OffloadLimits {
  /** Tasks that wait or are being done, at most: each may hold a whole request body. Beyond it, 503. */
  tasks: number
  /** Those of one member, at most. Beyond it, 429. */
  ofMember: number
  /** How long a read may take. A thread that does not come back from one is set aside, since nothing may end it in SQLite. */
  reading: number
  /** Threads that are set aside, at most: the next one is waited for. */
  aside: number
  /** How long a task may wait for its turn, e.g. behind a long write. Beyond it, 503: nothing of it has begun. */
  waiting: number
  /** How long a thread has to end, once the service stops. */
  ending: number
}

const LIMITS: OffloadLimits = {
  tasks: 200,
  ofMember: 20,
  reading: 10_000,
  aside: 2,
  waiting: 30_000,
  ending: 1000,
}

/**
 * Megabytes of the thread's heap for what has just been made. What it reads is written piece by piece and soon forgotten; V8 would let it
 * pile up to several times as much before it looks.
 */
const YOUNG_MEGABYTES = 12

/** The part of the time for a read after which it is to end by itself. */
const OWN_TIME = 0.8

/** Seconds after which one who has too much under way may try again. */
const RETRY_AFTER = 1

/**
 * Reads that may answer much, and mean the same to whoever asks: those of one member that have not begun are done once, and all get the
 * same bytes.
 */
const SHARED = new Set(['board.itemLists.ofProject', 'board.itemLists.ofAll'])

/** Whoever waits for a task. */
interface Asker {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface Waiting extends Asker {
  post: (worker: Worker, id: number) => void
  /** Whether it only reads: then it may be given up. */
  isRead: boolean
  member: string | null
  /** Ends its waiting. */
  patience: NodeJS.Timeout
  /** What it is shared by: see {@link SHARED}. */
  key: string | undefined
}

/** A task that a thread is doing. */
interface Running extends Waiting {
  id: number
  timer: NodeJS.Timeout | undefined
}

/** The worker thread of a file, and what waits for it. */
export class Offload {
  readonly #workerData: WorkerOptions
  readonly #limits: OffloadLimits
  readonly #room: () => number
  readonly #files: DatabaseFiles
  readonly #turns = new Turns<Waiting>()
  /** Who waits for reads that are shared and have not begun. */
  readonly #shared = new Map<string, Asker[]>()
  /** All threads that have not ended: the one that works, and those that were set aside. */
  readonly #threads = new Set<Worker>()
  #worker: Worker | undefined
  #running: Running | undefined
  /** Whether the thread has opened its file: what it takes to start is not the time of a task. */
  #isReady = false
  #latest = 0
  /** Whether the answer of the last task is on its way: until then nobody knows what room is left. */
  #isHandingOver = false

  /**
   * @param workerData the file that the thread opens
   * @param room how many bytes a read may answer that begins now
   * @param files those that the service has opened: the thread may open its file only later, and it must be the same
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
   * Performs a call that reads.
   * @param turn whose turn it takes; null where that is not known, or everybody is the same member
   * @returns the rule's result
   * @throws the rule's error; ApiError 503 when too much waits, or it waits or reads for too long, 429 when too much of this member waits
   */
  async read({ path, args }: Call, turn: string | null = null): Promise<unknown> {
    this.#ensureSameFile()
    const time = this.#limits.reading * OWN_TIME
    const key = SHARED.has(path) ? serialize([turn, path, args]).toString('base64') : undefined
    const post: Waiting['post'] = (worker, id) =>
      worker.postMessage({ call: { path, args }, time, room: this.#room(), id } satisfies ReadTask)
    return await (this.#join(key) ?? this.#add(turn, true, post, key))
  }

  /** Performs a call that writes. @throws as {@link Offload.read} does, but for taking too long; LargeWork */
  async write({ path, args }: Call, context: WriteContext): Promise<WriteOutcome> {
    this.#ensureSameFile()
    const post: Waiting['post'] = (worker, id) =>
      worker.postMessage({ call: { path, args }, context, id } satisfies WriteTask)
    return (await this.#add(context.turn ?? null, false, post)) as WriteOutcome
  }

  /**
   * Performs a write, or a read, of several steps.
   * @param end the worker thread's end of the session that decides on them
   */
  async performSteps(end: WorkerEnd, context: WriteContext, mode: StepsMode): Promise<WriteOutcome> {
    this.#ensureSameFile()
    const post: Waiting['post'] = (worker, id) =>
      worker.postMessage({ end, mode, context, id } satisfies StepsTask, [end.port as MessagePort])
    return (await this.#add(context.turn ?? null, mode.isRead, post)) as WriteOutcome
  }

  #ensureSameFile(): void {
    const lost = this.#files.lost()
    if (lost) throw lost
  }

  /** How many tasks wait or are being done. */
  queued(): number {
    return this.#turns.size + (this.#running ? 1 : 0)
  }

  /** How many threads have not ended. */
  threads(): number {
    return this.#threads.size
  }

  /** Ends the threads. One that does not end in its time is left: nothing may end it in SQLite but the end of the process. */
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

  /** Waits for a read that has not begun, with whoever asked for it first. */
  #join(key: string | undefined): Promise<unknown> | undefined {
    const askers = key === undefined ? undefined : this.#shared.get(key)
    return askers && new Promise((resolve, reject) => askers.push({ resolve, reject }))
  }

  #add(
    member: string | null,
    isRead: boolean,
    post: Waiting['post'],
    key?: string | undefined,
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
        isRead,
        member,
        key,
        patience: setTimeout(() => {
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

  /** Lets the thread do the next task, if it is idle. */
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
    next.post(this.#worker, id)
  }

  /** It waits no longer: who asks for the same from now on asks again. */
  #begin({ patience, key }: Waiting): void {
    clearTimeout(patience)
    if (key !== undefined) this.#shared.delete(key)
  }

  /** From now on the task that is being done may take its time, and no longer. */
  #limitTime(): void {
    if (!this.#isReady || !this.#running?.isRead) return
    this.#running.timer = setTimeout(() => this.#giveUp(), this.#limits.reading).unref()
  }

  #start(): Worker {
    const started = new Worker(moduleBeside('worker', import.meta.url), {
      workerData: this.#workerData,
      name: 'phaseboard',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    this.#threads.add(started)
    this.#isReady = false
    started.on('message', (told: WorkerMessage) => {
      if (told !== 'ready') this.#settle(told)
      else if (this.#worker === started) {
        this.#isReady = true
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
    // What a thread says that was set aside, nobody waits for.
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

  /** The task that is being done, which is over. */
  #take(): Running | undefined {
    const running = this.#running
    clearTimeout(running?.timer)
    this.#running = undefined
    return running
  }

  /** A thread has ended by itself: what it was doing has failed, and the next task starts a new one. */
  #lose(thread: Worker, error: unknown): void {
    if (this.#worker !== thread) return
    this.#fail(error)
    this.#goOn()
  }

  /** The next task starts a thread, and what this one was doing has failed. */
  #fail(error: unknown): void {
    this.#worker = undefined
    this.#take()?.reject(error)
  }

  /** A read has taken too long: a new thread does what waits, unless too many are set aside. */
  #giveUp(): void {
    const late = tookTooLong('The request')
    if (this.#threads.size <= this.#limits.aside) {
      this.#abandon(late)
      this.#goOn()
    } else this.#running?.reject(late)
  }

  /** Leaves the thread: it ends as soon as it hears that it is to. */
  #abandon(error: unknown): void {
    this.#worker?.postMessage('end' satisfies Posted)
    this.#worker?.unref()
    this.#fail(error)
  }
}
