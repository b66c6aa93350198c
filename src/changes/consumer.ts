/**
 * What one process at a time does with the changes that are in the file: notifications, deliveries to webhooks, mail. It looks for work at
 * each heartbeat, since other processes write to the file, too. Without the lock it touches nothing that the lock guards.
 */
import type { Clock } from '../clock.ts'
import type { ProcessLock } from '../db/process-lock.ts'

/** Milliseconds in which the same problem is reported once. */
const REPORTED_AGAIN = 60_000

/** Milliseconds after which it tries again to store an outcome. */
const STORED_AGAIN = 5000

/** Milliseconds after which a place that has moved is stored. */
const PLACE_STORED_AFTER = 60_000

/** The parts of a consumer that its owner gets from elsewhere. */
export interface ConsumerDependencies {
  lock: ProcessLock
  clock: Clock
  /** Reports a problem; `err` is a fault of the service itself. */
  warn: (fields: { err?: unknown; [field: string]: unknown }, message: string) => void
}

interface ConsumerOptions extends ConsumerDependencies {
  /** Milliseconds between two looks. */
  heartbeat: number
  /** Looks for work. */
  look: () => void
  /** The message about a failed look. */
  failure: string
}

/** The consumer of one process. */
export class Consumer {
  readonly #options: ConsumerOptions
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** When each problem was last reported. */
  readonly #reported = new Map<string, number>()
  #alone: Promise<void> | undefined
  #cancelHeartbeat = (): void => undefined

  constructor(options: ConsumerOptions) {
    this.#options = options
  }

  /** Looks for work, from now on. */
  start(): void {
    const { clock, heartbeat, look } = this.#options
    this.attempt(look)
    this.#cancelHeartbeat = clock.after(heartbeat, () => this.start())
  }

  /** Stops: ends the waiting for a repetition, and waits for work that is in progress. Others may then have the lock. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#cancelHeartbeat()
    await Promise.all(this.#running)
    this.#options.lock.release()
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Aborted when it stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Whether this process is the one that works: takes the lock if it is free. */
  takesLock(): boolean {
    return !this.isStopped && this.#options.lock.take()
  }

  /** Does something at once. A failure is reported: the next heartbeat tries again. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (err) {
      this.warn({ err }, this.#options.failure)
    }
  }

  /** Does work that `stop` waits for. @returns when it is done; a failure is reported */
  run(work: () => Promise<void>, failure = this.#options.failure): Promise<void> {
    const run = work()
      .catch((err) => {
        if (!this.isStopped) this.warn({ err }, failure)
      })
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
    return run
  }

  /** The same, unless such work is in progress. @returns when it is done */
  runOnce(work: () => Promise<void>): Promise<void> {
    this.#alone ??= this.run(work).finally(() => {
      this.#alone = undefined
    })
    return this.#alone
  }

  /** Reports a problem, which may occur with every look. */
  warn(fields: { err?: unknown; [field: string]: unknown }, message: string): void {
    const now = this.#options.clock.elapsed()
    const reported = this.#reported.get(message)
    if (reported !== undefined && now - reported < REPORTED_AGAIN) return
    this.#reported.set(message, now)
    this.#options.warn(fields, message)
  }

  /**
   * Whether a place in the sequence is worth a write: storing each one would be a write for every change.
   * @param lag the changes since the stored place @param limit the most @param storedAt when it was stored, by the monotonic clock
   */
  isLate(lag: number, limit: number, storedAt: number): boolean {
    return lag >= limit || (lag > 0 && this.#options.clock.elapsed() - storedAt >= PLACE_STORED_AFTER)
  }

  /**
   * Stores an outcome, with repetitions until it succeeds: a full disk must not cause a second delivery.
   * @throws the error of the last attempt, when it stops
   */
  async store<T>(write: () => Promise<T>, failure: string): Promise<T> {
    for (;;) {
      try {
        return await write()
      } catch (err) {
        if (this.isStopped) throw err
        this.warn({ err }, failure)
        await this.#pause()
      }
    }
  }

  /** Waits before a repetition, or until it stops. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        this.stopping.removeEventListener('abort', end)
        resolve()
      }
      const cancel = this.#options.clock.after(STORED_AGAIN, end)
      this.stopping.addEventListener('abort', end)
    })
  }
}
