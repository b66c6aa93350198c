/** Where notifications go: to mail, or to the host application. */
import type { Clock } from '../clock.ts'
import type { OnNotification } from '../phaseboard.d.ts'
import { timestamp } from '../time.ts'
import type { Message } from './message.ts'
import type { MailQueue, MailRecipient, NextMail, QueuedNotification } from './queue.ts'
import type { MailFailure, SendMail } from './smtp-sender.ts'
import { isTimeZone, nextHour } from './time-zones.ts'

/** How long `each` waits for further notifications, in milliseconds. */
export const WAIT = 2 * 60 * 1000

/** The hour of the daily mail, in the member's time zone. */
const DAILY_HOUR = 8

/** Milliseconds that a host has to take a notification. */
const HOST_TIMEOUT = 30_000

/** What became of the next mail to a member. */
export type Outcome =
  /** These have left: sent, or not to be told any more. */
  | { kind: 'told'; ids: readonly string[]; isSent: boolean }
  /** Nothing is to be told to this member. */
  | { kind: 'dropped' }
  /** It failed; `ids` are what it would have told, and `address` is where it was to go. */
  | { kind: 'failed'; ids: readonly string[]; failure: MailFailure; address: string | null }

/** A way out. */
export interface Outlet {
  /** When a member's next mail is due; null: never. */
  dueAt: (memberId: string) => string | null
  /** Tells a member what is queued, or the first of it. */
  send: (mail: NextMail, signal: AbortSignal) => Promise<Outcome>
}

/** The reads of the queue. */
type Reads = Pick<MailQueue, 'first' | 'recipient' | 'ids'>

/** What mail depends on. */
export interface MailOutletOptions {
  queue: Reads
  /** What a member may be told of these notifications, as of now. */
  toTell: (recipient: MailRecipient & { memberId: string }, ids: readonly string[]) => QueuedNotification[]
  compose: (memberId: string, recipient: MailRecipient, told: readonly QueuedNotification[]) => Message
  send: SendMail
}

/** When a mail is due. @param first when the oldest of its notifications was made */
function mailDueAt({ email, timeZone }: Pick<MailRecipient, 'email' | 'timeZone'>, first: string): string {
  // Another tool may have written both.
  const made = Date.parse(first) || 0
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC'
  return timestamp(email === 'daily' ? nextHour(DAILY_HOUR, zone, made) : made + WAIT)
}

/** The way out by mail. */
export function createMailOutlet({ queue, toTell, compose, send }: MailOutletOptions): Outlet {
  return {
    dueAt: (memberId) => {
      const first = queue.first(memberId)
      if (first === undefined) return null
      const recipient = queue.recipient(memberId)
      // At once: it will be dropped.
      return recipient === undefined ? first : mailDueAt(recipient, first)
    },
    send: async ({ memberId }, signal) => {
      const recipient = queue.recipient(memberId)
      if (recipient === undefined) return { kind: 'dropped' }
      const ids = queue.ids(memberId)
      const told = toTell({ ...recipient, memberId }, ids)
      if (told.length === 0) return { kind: 'told', ids, isSent: false }
      const failure = await send(compose(memberId, recipient, told), signal)
      if (failure === undefined) return { kind: 'told', ids, isSent: true }
      return { kind: 'failed', ids, failure, address: recipient.address }
    },
  }
}

/** What a host's way out depends on. */
export interface HostOutletOptions {
  queue: Pick<Reads, 'first' | 'ids'>
  toTell: (ids: readonly string[]) => QueuedNotification[]
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

/** The way out to a host: one notification at a time, of each member in order. */
export function createHostOutlet({ queue, toTell, onNotification, clock }: HostOutletOptions): Outlet {
  /** Async, so that a synchronous throw of the host's function becomes a rejection. */
  const give = async (notification: QueuedNotification) => {
    await onNotification(notification)
  }
  return {
    dueAt: (memberId) => queue.first(memberId) ?? null,
    send: async ({ memberId }, signal) => {
      const ids = queue.ids(memberId, 1)
      const [notification] = toTell(ids)
      if (notification === undefined) return { kind: 'told', ids, isSent: false }
      const { expired, cancel } = timeout(clock, signal)
      try {
        await Promise.race([give(notification), expired])
        return { kind: 'told', ids, isSent: true }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return { kind: 'failed', ids, failure: { kind: 'later', reason }, address: null }
      } finally {
        cancel()
      }
    },
  }
}
