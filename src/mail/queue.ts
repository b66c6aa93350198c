/**
 * The queue of notifications that are sent to members by mail or by the host. The write that creates a notification queues it, by a
 * trigger; sent notifications leave the queue. Each member has at most one next mail, with all of the member's queued
 * notifications that are due with it.
 */
import type { SharedDatabase } from '../db/client.ts'
import { currentText, isOfDeletedComment } from '../db/notification-texts.ts'
import type { People } from '../members/people.ts'
import { once } from '../once.ts'
import type { HostNotification } from '../phaseboard.d.ts'
import type { CurrentMember } from '../schemas/records.ts'
import { timestamp } from '../time.ts'

const MINUTE = 60 * 1000
const HOUR = 60 * MINUTE

/** Milliseconds from each failed attempt to the next: a day in all. After the last one the mail is discarded. */
export const RETRY_DELAYS: readonly number[] = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  39 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
]

/** Queued notifications that leave the queue with one mail, at most. */
export const SENT_AT_ONCE = 500

/** Queued notifications that are counted, at most. */
const COUNTED = 100_000

/** Characters of the reason of a failure. */
const REASON_LENGTH = 500

/** The next mail to a member. */
export interface NextMail {
  memberId: string
  /** When it is due; null: not yet known. */
  dueAt: string | null
  attempts: number
}

/** A member who wants mail. */
export interface MailRecipient {
  name: string
  address: string
  role: CurrentMember['role']
  email: 'each' | 'daily'
  timeZone: string
  /** As stored: see `languageOf`. */
  language: string
}

/** A notification to send; its project is the current one of the item. */
export type QueuedNotification = HostNotification

/** The state of the queue, for the metrics. */
interface QueueSummary {
  /** Notifications that wait, up to 100,000. */
  queued: number
  /** Mails that have failed, and will be retried. */
  failing: number
  /** Members whose address was refused. */
  stopped: number
}

function statementsOf({ $client: client }: SharedDatabase) {
  const prepare = <Row>(sql: string) => once(() => client.prepare<[object], Row>(sql))
  return {
    next: prepare<NextMail>(
      'select member_id as memberId, due_at as dueAt, attempts from mails order by due_at limit +:count',
    ),
    first: prepare<{ at: string }>(
      `select min(created_at) as at from notifications
      where id in (select notification_id from mail_queue where member_id = :memberId order by notification_id limit 1)`,
    ),
    recipient: prepare<MailRecipient>(
      `select members.name, members.email as address, members.role, preferred.email, preferred.time_zone as timeZone, preferred.language
      from members join member_preferences as preferred on preferred.member_id = members.id
      where members.id = :memberId and members.disabled = 0 and preferred.email <> 'none'
        and preferred.stopped_address is not members.email`,
    ),
    ids: once(() =>
      client
        .prepare<[object], string>(
          'select notification_id from mail_queue where member_id = :memberId order by notification_id limit +:count',
        )
        .pluck(),
    ),
    // A limited member's statement reads only what the member sees: see `src/db/row-security.ts`.
    deliverable: prepare<Omit<QueuedNotification, 'actorName'>>(
      `select notice.id, notice.member_id as memberId, notice.kind, notice.item_id as itemId,
        coalesce(item.project_id, notice.project_id) as projectId, notice.actor_id as actorId, notice.seq, notice.title,
        ${currentText('notice')} as text, notice.count, notice.created_at as createdAt
      from notifications as notice
      left join kanban_items as item on item.id = notice.item_id
      left join projects as project on project.id = coalesce(item.project_id, notice.project_id)
      where notice.id in (select value from json_each(:ids)) and notice.read_at is null
        and (notice.item_id is null or item.id is not null)
        and (notice.project_id is null or project.id is not null)
        and not ${isOfDeletedComment('notice')}
      order by notice.id`,
    ),
    schedule: prepare('update mails set due_at = :dueAt where member_id = :memberId and due_at is null'),
    reschedule: prepare('update mails set due_at = null where member_id = :memberId and attempts = 0'),
    again: prepare(
      `update mails set due_at = null, attempts = 0, failing_since = null, failure = null where member_id = :memberId`,
    ),
    fail: prepare(
      `update mails set due_at = :dueAt, attempts = attempts + 1, failing_since = coalesce(failing_since, :at), failure = :failure
      where member_id = :memberId`,
    ),
    dequeue: prepare(
      'delete from mail_queue where member_id = :memberId and notification_id in (select value from json_each(:ids))',
    ),
    end: prepare(
      `delete from mails where member_id = :memberId
        and not exists (select 1 from mail_queue where mail_queue.member_id = mails.member_id)`,
    ),
    drop: prepare('delete from mail_queue where member_id = :memberId'),
    // Ids are ordered by time.
    oldest: prepare<{ at: string }>(
      'select created_at as at from notifications where id = (select min(notification_id) from mail_queue)',
    ),
    dropOlder: prepare(
      `delete from mail_queue where notification_id in (select notification_id from mail_queue order by notification_id limit +:count)
        and (select created_at from notifications where id = notification_id) < :before`,
    ),
    endAll: prepare('delete from mails where not exists (select 1 from mail_queue)'),
    summary: prepare<QueueSummary>(
      `select (select count(*) from (select 1 from mail_queue limit ${COUNTED})) as queued, (select count(*) from mails where attempts > 0) as failing,
        (select count(*) from member_preferences as preferred join members on members.id = preferred.member_id
          where preferred.email <> 'none' and preferred.stopped_address = members.email) as stopped`,
    ),
  }
}

export class MailQueue {
  static readonly reads: readonly string[] = [
    'next',
    'first',
    'recipient',
    'ids',
    'deliverable',
    'hasOlder',
    'summary',
  ]
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #people: People

  constructor(db: SharedDatabase, people: People) {
    this.#sql = statementsOf(db)
    this.#people = people
  }

  /** The next mails by due time; those without a known due time come first. */
  next(count: number): NextMail[] {
    return this.#sql.next().all({ count })
  }

  /** The creation time of the first queued notification of a member; undefined without one. */
  first(memberId: string): string | undefined {
    return this.#sql.first().get({ memberId })?.at ?? undefined
  }

  /** A member who wants mail, at an address that has not refused it; undefined for anybody else, also for a disabled member. */
  recipient(memberId: string): MailRecipient | undefined {
    return this.#sql.recipient().get({ memberId })
  }

  /** The first queued notifications of a member. */
  ids(memberId: string, count = SENT_AT_ONCE): string[] {
    return this.#sql.ids().all({ memberId, count })
  }

  /** Those of these notifications that are unread, and whose items and projects exist and are in scope; the oldest first. */
  deliverable(ids: readonly string[]): QueuedNotification[] {
    const rows = this.#sql.deliverable().all({ ids: JSON.stringify(ids) })
    const actors = [...new Set(rows.flatMap(({ actorId }) => actorId ?? []))]
    const names = new Map(this.#people.named(actors).map(({ id, name }) => [id, name]))
    return rows.map((row) => ({ ...row, actorName: names.get(row.actorId ?? '') ?? null }))
  }

  /** Whether notifications from before a time are queued. @param before milliseconds since 1970 */
  hasOlder(before: number): boolean {
    const oldest = this.#sql.oldest().get({})
    return oldest !== undefined && oldest.at < timestamp(before)
  }

  /** The state of the queue. */
  summary(): QueueSummary {
    return this.#sql.summary().get({}) as QueueSummary
  }

  /** Sets unknown due times of mails; null: the member has no queued notification. */
  schedule(mails: readonly Pick<NextMail, 'memberId' | 'dueAt'>[]): void {
    for (const { memberId, dueAt } of mails) {
      if (dueAt !== null) this.#sql.schedule().run({ memberId, dueAt })
      // Otherwise one was queued meanwhile.
      else if (this.first(memberId) === undefined) this.drop(memberId)
    }
  }

  /** Resets the due time of a member's mail, unless it has failed and waits for its next attempt. */
  reschedule(memberId: string): void {
    this.#sql.reschedule().run({ memberId })
  }

  /** Removes these notifications from the queue. The member's other ones wait for the next mail. */
  remove(memberId: string, ids: readonly string[]): void {
    this.#sql.dequeue().run({ memberId, ids: JSON.stringify(ids) })
    this.#sql.again().run({ memberId })
    this.#sql.end().run({ memberId })
  }

  /** Removes all notifications of a member from the queue. */
  drop(memberId: string): void {
    this.#sql.drop().run({ memberId })
    this.#sql.end().run({ memberId })
  }

  /** Removes some notifications from before a time, of any members. @returns whether there may be more */
  dropOlder(before: number): boolean {
    const { changes } = this.#sql.dropOlder().run({ before: timestamp(before), count: SENT_AT_ONCE })
    if (changes === SENT_AT_ONCE) return true
    this.#sql.endAll().run({})
    return false
  }

  /**
   * Stores that a mail failed.
   * @param now milliseconds since 1970
   * @returns whether it will be retried
   */
  failed(memberId: string, attempts: number, reason: string, now: number): boolean {
    const delay = RETRY_DELAYS[attempts]
    if (delay === undefined) return false
    const failure = reason.slice(0, REASON_LENGTH)
    this.#sql.fail().run({ memberId, dueAt: timestamp(now + delay), at: timestamp(now), failure })
    return true
  }
}
