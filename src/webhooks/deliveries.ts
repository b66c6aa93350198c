/** Stored deliveries to webhooks: due ones, and results of attempts. */
import { and, asc, desc, eq, lte, sql } from 'drizzle-orm'
import { isOfProject } from '../changes/api-changes.ts'
import type { ChangeHead } from '../changes/sequence.ts'
import type { SharedDatabase } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { webhookDeliveries, webhooks } from '../db/schema.ts'
import { change, given, insertInto, selectAll, selectById, updateIn } from '../db/statements.ts'
import { type AuditLog, SERVICE } from '../members/audit-log.ts'
import { timestamp } from '../time.ts'
import { CHAT_KINDS, isChat } from './chat-formats.ts'
import type { Attempt } from './webhook-sender.ts'
import { DELIVERIES_KEPT, WEBHOOKS_LIMIT } from './webhooks.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds from each failed attempt to the next. The last one is final. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
]

/** The jitter of a delay, as a fraction, so that deliveries that failed together spread out. */
export const JITTER = 0.2

/** The status of a receiver that refuses further deliveries. */
const GONE = 410

/** The fields of a webhook for deliveries, including the secret. */
export type Target = typeof webhooks.$inferSelect

/** Milliseconds for which deliveries are also signed with the previous secret. */
export const FORMER_SECRET_KEPT = 24 * 60 * 60 * 1000

/** The secrets that sign deliveries of a webhook: none for a chat. @param now milliseconds since 1970 */
export function secretsOf({ format, secret, formerSecret, rotatedAt }: Target, now: number): string[] {
  if (isChat(format)) return []
  const isKept = formerSecret !== null && Date.parse(String(rotatedAt)) + FORMER_SECRET_KEPT > now
  return isKept ? [secret, formerSecret] : [secret]
}

/** The outcome of a delivery. */
export interface Delivered {
  seq: number
  attempt: Attempt
}

/** A webhook's place that moved past non-matching changes. */
export interface Skipped {
  id: string
  from: number
  to: number
}

/**
 * Whether a webhook receives a change: of all kinds but ideas, which are private to their owners. Its owner is an
 * admin, who may see the rest. A chat is told of cards and comments.
 */
export function receives(
  { projectId, kinds, format }: Pick<Target, 'projectId' | 'kinds' | 'format'>,
  head: ChangeHead,
): boolean {
  if (head.ownerId !== null) return false
  if (projectId !== null && !isOfProject(head, projectId)) return false
  if (isChat(format)) return CHAT_KINDS.includes(head.kind)
  return kinds.length === 0 || kinds.includes(head.kind)
}

function statementsOf(db: SharedDatabase) {
  const { webhookId, id } = webhookDeliveries
  return {
    active: selectAll<Target>(db, () =>
      db
        .select()
        .from(webhooks)
        .where(eq(webhooks.active, true))
        .orderBy(asc(webhooks.id))
        .limit(WEBHOOKS_LIMIT),
    ),
    one: selectById(db, webhooks),
    update: updateIn(db, webhooks),
    insert: insertInto(db, webhookDeliveries),
    prune: change(() => {
      const isOfWebhook = eq(webhookId, given('webhookId'))
      const tooMany = db
        .select({ id })
        .from(webhookDeliveries)
        .where(isOfWebhook)
        .orderBy(desc(id))
        .limit(1)
        .offset(DELIVERIES_KEPT)
      return db.delete(webhookDeliveries).where(and(isOfWebhook, lte(id, sql`(${tooMany})`)))
    }),
  }
}

/** The deliveries. The sequence does not record their changes. */
export class Deliveries {
  static readonly reads: readonly string[] = ['active', 'target']
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #audit: AuditLog

  constructor(db: SharedDatabase, audit: AuditLog) {
    this.#sql = statementsOf(db)
    this.#audit = audit
  }

  /** The active webhooks, by id. */
  active(): Target[] {
    return this.#sql.active()
  }

  /** A webhook, or undefined. */
  target(id: string): Target | undefined {
    return this.#sql.one(id)
  }

  /**
   * Records that a change was delivered, and moves the webhook's place, unless it was set back meanwhile.
   * @param from its place when the change was sent
   * @param to its new place: the change, or later if the following ones do not match
   * @returns its place; undefined for a deleted webhook
   */
  delivered(id: string, { seq, attempt }: Delivered, from: number, to: number): number | undefined {
    const webhook = this.#attempted(id, seq, attempt)
    if (webhook === undefined) return undefined
    const after = webhook.after < from ? webhook.after : Math.max(webhook.after, to)
    this.#sql.update(id, { after, attempts: 0, retryAt: null, failingSince: null })
    return after
  }

  /**
   * Records a failed delivery, which is retried later. After too many attempts, or if the receiver is
   * gone (410), the webhook is deactivated; but not if its place or URL was set meanwhile.
   * @param sent the webhook when the change was sent
   * @param now milliseconds since 1970
   * @param jitter of the delay until the next attempt, as a fraction
   */
  failed(
    { id, after, url }: Pick<Target, 'id' | 'after' | 'url'>,
    { seq, attempt }: Delivered,
    now: number,
    jitter: number,
  ): void {
    const webhook = this.#attempted(id, seq, attempt)
    if (!webhook?.active || webhook.after !== after || webhook.url !== url) return
    const failingSince = webhook.failingSince ?? timestamp(now)
    const delay = RETRY_DELAYS[webhook.attempts]
    const attempts = webhook.attempts + 1
    if (delay !== undefined && attempt.status !== GONE) {
      this.#sql.update(id, { attempts, failingSince, retryAt: timestamp(now + delay * (1 + jitter)) })
      return
    }
    this.#sql.update(id, { attempts, failingSince, retryAt: null, active: false, updatedAt: timestamp(now) })
    const reason = attempt.status === GONE ? 'gone' : 'failing'
    this.#audit.record({
      action: 'webhook-deactivated',
      by: SERVICE,
      subjectId: id,
      subject: null,
      metadata: { reason, failingSince },
    })
  }

  /** Moves places past non-matching changes, unless they were set meanwhile. */
  skipped(places: readonly Skipped[]): void {
    for (const { id, from, to } of places) {
      if (this.#sql.one(id)?.after === from) this.#sql.update(id, { after: to })
    }
  }

  /** Stores a record of an attempt. @returns its webhook; undefined if deleted */
  #attempted(id: string, seq: number, attempt: Attempt): Target | undefined {
    const webhook = this.#sql.one(id)
    if (webhook === undefined) return undefined
    this.#sql.insert({ ...attempt, id: newId(), webhookId: id, seq, createdAt: timestamp() })
    this.#sql.prune({ webhookId: id })
    return webhook
  }
}
