/** The outlets of notifications: mail, or the host application. */
import type { Clock } from '../clock.ts'
import type { OnNotification } from '../phaseboard.d.ts'
import { timestamp } from '../time.ts'
import { nextHour, timeZoneOf } from '../time-zones.ts'
import type { Message } from './message.ts'
import type { MailQueue, MailRecipient, NextMail, QueuedNotification } from './queue.ts'
import type { MailFailure, SendMail } from './smtp-sender.ts'

/** How long `each` waits for further notifications, in milliseconds. */
export const WAIT = 2 * 60 * 1000

/** The hour of the daily mail, in the member's time zone. */
const DAILY_HOUR = 8

/** Cards with a mail each, at most: those of more cards are one mail. */
export const SEPARATE = 10

/** Timeout of the host for a notification, in milliseconds. */
const HOST_TIMEOUT = 30_000

/** The outcome of the next mail to a member. */
export type Outcome =
  /** These leave the queue: they were sent, or are obsolete. */
  | { kind: 'done'; ids: readonly string[]; isSent: boolean }
  /** The member gets no mail: all its notifications leave the queue. */
  | { kind: 'dropped' }
  /** It failed; `ids` are its notifications, and `address` is its recipient. */
  | { kind: 'failed'; ids: readonly string[]; failure: MailFailure; address: string | null }

export interface Outlet {
  /** When a member's next mail is due; null: never. */
  dueAt: (memberId: string) => string | null
  /** Sends a member's queued notifications, or the first of them. */
  send: (mail: NextMail, signal: AbortSignal) => Promise<Outcome>
}

type Reads = Pick<MailQueue, 'first' | 'recipient' | 'ids'>

/** The dependencies of the outlet by mail. */
interface MailOutletOptions {
  queue: Reads
  /** Those of these notifications that the member may still get. */
  deliverable: (
    recipient: MailRecipient & { memberId: string },
    ids: readonly string[],
  ) => QueuedNotification[]
  compose: (
    memberId: string,
    recipient: MailRecipient,
    notifications: readonly QueuedNotification[],
  ) => Message
  send: SendMail
}

/** When a mail is due. @param first when the oldest of its notifications was made */
function mailDueAt({ email, timeZone }: Pick<MailRecipient, 'email' | 'timeZone'>, first: string): string {
  // Another tool may have written both.
  const made = Date.parse(first) || 0
  return timestamp(email === 'daily' ? nextHour(DAILY_HOUR, timeZoneOf(timeZone), made) : made + WAIT)
}

/** The notifications of the next mail of several: each card has a thread of its own, and those of the other cards follow at once. */
function ofOneMail(all: readonly QueuedNotification[]): readonly QueuedNotification[] {
  const cards = Map.groupBy(all, ({ itemId }) => itemId)
  const [first = all] = cards.values()
  return cards.size > SEPARATE ? all : first
}

export function createMailOutlet({ queue, deliverable, compose, send }: MailOutletOptions): Outlet {
  return {
    dueAt: (memberId) => {
      const first = queue.first(memberId)
      if (first === undefined) return null
      const recipient = queue.recipient(memberId)
      // At once: it will be removed.
      return recipient === undefined ? first : mailDueAt(recipient, first)
    },
    send: async ({ memberId }, signal) => {
      const recipient = queue.recipient(memberId)
      if (recipient === undefined) return { kind: 'dropped' }
      const queued = queue.ids(memberId)
      const all = deliverable({ ...recipient, memberId }, queued)
      if (all.length === 0) return { kind: 'done', ids: queued, isSent: false }
      const now = recipient.email === 'each' ? ofOneMail(all) : all
      const later = new Set(all.filter((one) => !now.includes(one)).map(({ id }) => id))
      const ids = queued.filter((id) => !later.has(id))
      const failure = await send(compose(memberId, recipient, now), signal)
      if (failure === undefined) return { kind: 'done', ids, isSent: true }
      return { kind: 'failed', ids, failure, address: recipient.address }
    },
  }
}

/** The dependencies of the outlet to a host. */
interface HostOutletOptions {
  queue: Pick<Reads, 'first' | 'ids'>
  deliverable: (ids: readonly string[]) => QueuedNotification[]
  onNotification: OnNotification
  clock: Clock
}

/** Rejects when a host has taken too long, or the service stops. */
function timeout(clock: Clock, signal: AbortSignal): { expired: Promise<never>; cancel: () => void } {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  expired.catch(() => undefined)
  const stop = () => reject(new Error('the service stopped'))
  signal.addEventListener('abort', stop)
  const cancelTimer = clock.after(HOST_TIMEOUT, () =>
    reject(new Error(`it took longer than ${HOST_TIMEOUT / 1000} seconds`)),
  )
  return {
    expired,
    cancel: () => {
      cancelTimer()
      signal.removeEventListener('abort', stop)
    },
  }
}

/** The outlet to a host: one notification at a time, in order for each member. */
export function createHostOutlet({ queue, deliverable, onNotification, clock }: HostOutletOptions): Outlet {
  /** Async, so that a synchronous throw of the host's function becomes a rejection. */
  const give = async (notification: QueuedNotification) => {
    await onNotification(notification)
  }
  return {
    dueAt: (memberId) => queue.first(memberId) ?? null,
    send: async ({ memberId }, signal) => {
      const ids = queue.ids(memberId, 1)
      const [notification] = deliverable(ids)
      if (notification === undefined) return { kind: 'done', ids, isSent: false }
      const { expired, cancel } = timeout(clock, signal)
      try {
        await Promise.race([give(notification), expired])
        return { kind: 'done', ids, isSent: true }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return { kind: 'failed', ids, failure: { kind: 'later', reason }, address: null }
      } finally {
        cancel()
      }
    },
  }
}
