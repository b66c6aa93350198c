/**
 * Delivers notifications by mail, or to the host. The queue is in the file, so a stop or crash loses no mail. A write after the server's
 * acceptance removes a mail from the queue. If the service ends between the two, it sends the mail twice: SMTP has no way to detect that.
 */
import { Consumer, type ConsumerDependencies } from '../changes/consumer.ts'
import { timestamp } from '../time.ts'
import type { Outcome, Outlet } from './outlets.ts'
import type { MailQueue, NextMail } from './queue.ts'

/** Milliseconds between two polls of the queue. */
export const HEARTBEAT = 5000

/** Mails that are read together, and those that are sent at the same time. */
const BATCH = 20
const AT_ONCE = 3

/** Milliseconds of the pause after the server was unusable; it doubles each time, up to the longest. */
const PAUSE = 30_000
const LONGEST_PAUSE = 10 * 60_000

/** Milliseconds for mails that are being sent when the service stops. */
const STOP_TIME = 5000

/** Stores outcomes; each resolves when it is on disk. */
export interface CourierWrites {
  schedule: (mails: readonly Pick<NextMail, 'memberId' | 'dueAt'>[]) => Promise<void>
  remove: (memberId: string, ids: readonly string[], isSent: boolean) => Promise<void>
  drop: (memberId: string) => Promise<void>
  /** @returns whether it is retried */
  failed: (mail: NextMail, reason: string, now: number) => Promise<boolean>
  /** It is discarded. */
  giveUp: (memberId: string, ids: readonly string[], reason: string) => Promise<void>
  /** Its address was refused permanently. */
  stop: (memberId: string, address: string, reason: string) => Promise<void>
}

/** The dependencies of the courier. Its lock guards the queue, and for whom it is filled. Its warnings never have an address. */
export interface CourierOptions extends ConsumerDependencies {
  queue: Pick<MailQueue, 'next'>
  outlet: Outlet
  writes: CourierWrites
  /** Called once it has the lock; if it fails, the next poll tries again. */
  begin: () => Promise<void>
}

/** The courier of one process. */
export class Courier {
  /** The numbers of mails since the start, by outcome. */
  readonly counts = { sent: 0, failed: 0, refused: 0, given_up: 0 }
  readonly #options: CourierOptions
  readonly #consumer: Consumer
  readonly #aborting = new AbortController()
  #hasBegun = false
  /** The time of the next attempt after the server was unusable, and the number of such failures. */
  #pausedUntil = 0
  #pauses = 0

  constructor(options: CourierOptions) {
    this.#options = options
    this.#consumer = new Consumer({
      ...options,
      heartbeat: HEARTBEAT,
      look: () => void this.work(),
      failure: 'could not read the queue of notifications',
    })
  }

  start(): void {
    this.#consumer.start()
  }

  /** Stops: mails that are being sent have some seconds left. */
  async stop(): Promise<void> {
    const cancel = this.#options.clock.after(STOP_TIME, () => this.#aborting.abort())
    await this.#consumer.stop()
    cancel()
  }

  /** Sends due mails, unless that is in progress. @returns when it is done; it never rejects */
  work(): Promise<void> {
    return this.#consumer.runOnce(() => this.#workOff())
  }

  get #isPaused(): boolean {
    return this.#options.clock.elapsed() < this.#pausedUntil
  }

  async #workOff(): Promise<void> {
    const { queue, clock, writes, outlet, begin } = this.#options
    // Also with nothing to send: another service must not take the queue for an abandoned one.
    if (!this.#consumer.takesLock()) return
    if (!this.#hasBegun) await begin()
    this.#hasBegun = true
    while (!this.#consumer.isStopped && !this.#isPaused) {
      const next = queue.next(BATCH)
      if (next.length === 0) return
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
        for (
          let mail = due.shift();
          mail && !this.#consumer.isStopped && !this.#isPaused;
          mail = due.shift()
        ) {
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
    return this.#store(() => writes.remove(mail.memberId, outcome.ids, outcome.isSent))
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
      this.#options.warn(fields, 'an address was permanently refused: it gets no more mail')
      return this.#store(() => writes.stop(mail.memberId, address, reason))
    }
    this.counts.failed++
    if (kind === 'unreachable') this.#pause()
    this.#consumer.warn(fields, 'could not send notifications to a member')
    const isTriedAgain =
      kind !== 'rejected' && (await this.#store(() => writes.failed(mail, reason, clock.now())))
    if (isTriedAgain) return
    this.counts.given_up++
    this.#options.warn(fields, 'discarded notifications of a member after the last attempt')
    await this.#store(() => writes.giveUp(mail.memberId, ids, reason))
  }

  #pause(): void {
    const { clock } = this.#options
    this.#pausedUntil = clock.elapsed() + Math.min(PAUSE * 2 ** this.#pauses, LONGEST_PAUSE)
    this.#pauses++
  }

  #store<T>(write: () => Promise<T>): Promise<T> {
    return this.#consumer.store(write, 'could not store the outcome of a mail')
  }
}
