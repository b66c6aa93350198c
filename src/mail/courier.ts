/**
 * Tells members outside of the service, while it runs: by mail, or through the host. What is due is in the file, so an end of the service
 * loses nothing. Each mail leaves the queue in a write after the server has accepted it: only if the service ends between the two
 * does it come twice, since SMTP has no way to ask.
 */
import type { Clock } from '../clock.ts'
import type { ProcessLock } from '../db/process-lock.ts'
import { timestamp } from '../time.ts'
import { untilStored } from '../until-stored.ts'
import type { Outcome, Outlet } from './outlets.ts'
import type { MailQueue, NextMail } from './queue.ts'

/** Milliseconds between two looks at what is due. */
export const HEARTBEAT = 5000

/** Mails that are looked at together, and sent at the same time. */
const BATCH = 20
const AT_ONCE = 3

/** Milliseconds of the pause after the server could not be used; each further time it is twice as long, up to the longest. */
const PAUSE = 30_000
const LONGEST_PAUSE = 10 * 60_000

/** Milliseconds for mails that are being sent when the service stops. */
const STOP_TIME = 5000

/** Milliseconds in which the same problem is reported once. */
const REPORTED_AGAIN = 60_000

/** Stores outcomes; each resolves when it is on disk. */
export interface CourierWrites {
  schedule: (mails: readonly Pick<NextMail, 'memberId' | 'dueAt'>[]) => Promise<void>
  told: (memberId: string, ids: readonly string[], isSent: boolean) => Promise<void>
  drop: (memberId: string) => Promise<void>
  /** @returns whether it is tried again */
  failed: (mail: NextMail, reason: string, now: number) => Promise<boolean>
  /** It is given up. */
  giveUp: (memberId: string, ids: readonly string[], reason: string) => Promise<void>
  /** Its address was refused for good. */
  stop: (memberId: string, address: string, reason: string) => Promise<void>
}

/** What the courier depends on. */
export interface CourierOptions {
  queue: Pick<MailQueue, 'next'>
  outlet: Outlet
  writes: CourierWrites
  lock: ProcessLock
  clock: Clock
  /** Reports what went wrong; never an address. */
  warn: (fields: object, message: string) => void
}

/** The courier of one process. */
export class Courier {
  /** Mails, by what became of them, since the start. */
  readonly counts = { sent: 0, failed: 0, refused: 0, given_up: 0 }
  readonly #options: CourierOptions
  readonly #stopping = new AbortController()
  readonly #aborting = new AbortController()
  readonly #reported = new Map<string, number>()
  #running: Promise<void> | undefined
  #cancelHeartbeat = (): void => undefined
  /** When the server is tried again after it could not be used, and how often that was the case. */
  #pausedUntil = 0
  #pauses = 0

  constructor(options: CourierOptions) {
    this.#options = options
  }

  /** Starts. */
  start(): void {
    void this.work()
    this.#cancelHeartbeat = this.#options.clock.after(HEARTBEAT, () => this.start())
  }

  /** Stops: mails that are being sent have some seconds left. */
  async stop(): Promise<void> {
    this.#cancelHeartbeat()
    this.#stopping.abort()
    const cancel = this.#options.clock.after(STOP_TIME, () => this.#aborting.abort())
    await this.#running
    cancel()
    this.#options.lock.release()
  }

  /** Sends what is due, unless that is under way. @returns when it is done; it never rejects */
  work(): Promise<void> {
    this.#running ??= this.#workOff()
      .catch((error) => {
        if (!this.#isStopped) this.#warn({ err: error }, 'could not look for notifications to send')
      })
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  get #isPaused(): boolean {
    return this.#options.clock.elapsed() < this.#pausedUntil
  }

  #warn(fields: object, message: string): void {
    const now = this.#options.clock.elapsed()
    const reported = this.#reported.get(message)
    if (reported !== undefined && now - reported < REPORTED_AGAIN) return
    this.#reported.set(message, now)
    this.#options.warn(fields, message)
  }

  async #workOff(): Promise<void> {
    const { queue, lock, clock, writes, outlet } = this.#options
    while (!this.#isStopped && !this.#isPaused) {
      const next = queue.next(BATCH)
      if (next.length === 0 || !lock.take()) return
      const unknown = next.filter(({ dueAt }) => dueAt === null)
      if (unknown.length > 0) {
        const found = unknown.map(({ memberId }) => ({ memberId, dueAt: outlet.dueAt(memberId) }))
        await this.#store(() => writes.schedule(found))
        continue
      }
      const now = timestamp(clock.now())
      const due = next.filter(({ dueAt }) => dueAt !== null && dueAt <= now)
      if (due.length === 0) return
      const lanes = Array.from({ length: AT_ONCE }, async () => {
        for (let mail = due.shift(); mail && !this.#isStopped && !this.#isPaused; mail = due.shift()) {
          await this.#send(mail)
        }
      })
      await Promise.all(lanes)
    }
  }

  async #send(mail: NextMail): Promise<void> {
    const outcome = await this.#options.outlet.send(mail, this.#aborting.signal)
    if (outcome.kind === 'failed') return this.#noteFailure(mail, outcome)
    const { writes } = this.#options
    if (outcome.kind === 'dropped') return this.#store(() => writes.drop(mail.memberId))
    if (outcome.isSent) {
      this.counts.sent++
      this.#pauses = 0
    }
    return this.#store(() => writes.told(mail.memberId, outcome.ids, outcome.isSent))
  }

  async #noteFailure(mail: NextMail, outcome: Outcome & { kind: 'failed' }): Promise<void> {
    const { writes, clock } = this.#options
    const { ids, address, failure } = outcome
    const { kind, reason } = failure
    // The end of the service aborted it, which does not count as a failure.
    if (this.#aborting.signal.aborted) return
    const fields = { memberId: mail.memberId, kind, reason }
    if (kind === 'refused' && address !== null) {
      this.counts.refused++
      this.#options.warn(fields, 'an address was refused for good: it gets no more mail')
      return this.#store(() => writes.stop(mail.memberId, address, reason))
    }
    this.counts.failed++
    if (kind === 'unreachable') this.#pause()
    this.#warn(fields, 'could not tell a member of notifications')
    const isTriedAgain =
      kind !== 'rejected' && (await this.#store(() => writes.failed(mail, reason, clock.now())))
    if (isTriedAgain) return
    this.counts.given_up++
    this.#options.warn(fields, 'gave up telling a member of notifications')
    await this.#store(() => writes.giveUp(mail.memberId, ids, reason))
  }

  #pause(): void {
    const { clock } = this.#options
    this.#pausedUntil = clock.elapsed() + Math.min(PAUSE * 2 ** this.#pauses, LONGEST_PAUSE)
    this.#pauses++
  }

  #store<T>(write: () => Promise<T>): Promise<T> {
    return untilStored(write, {
      clock: this.#options.clock,
      stopping: this.#stopping.signal,
      warn: (err) => this.#warn({ err }, 'could not store what became of a mail'),
    })
  }
}
