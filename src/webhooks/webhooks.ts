/** Webhooks, which receive changes over HTTP. Deliveries are in `deliveries.ts`. */
import { randomBytes } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { desc, eq, lt, sql } from 'drizzle-orm'
import type { Sequence } from '../changes/sequence.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { thingOf } from '../db/kinds.ts'
import { inOrder } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { projects, webhookDeliveries, webhooks } from '../db/schema.ts'
import {
  change,
  deleteFrom,
  existsIn,
  given,
  givenLimit,
  insertInto,
  selectAll,
  selectOne,
  updateIn,
} from '../db/statements.ts'
import { conflict, invalidField, notFound } from '../errors.ts'
import type { Actor, AuditEntry, AuditLog } from '../members/audit-log.ts'
import { ref } from '../schemas/common.ts'
import {
  type Webhook,
  type WebhookDelivery,
  WebhookDeliverySchema,
  WebhookSchema,
  type WebhookWithSecret,
} from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'

/** Maximum number of webhooks. */
export const WEBHOOKS_LIMIT = 100

/** Stored deliveries per webhook. */
export const DELIVERIES_KEPT = 200

/** Fields that an admin may set. The caller has checked the URL. */
type WebhookInput = Partial<
  Pick<Webhook, 'url' | 'description' | 'projectId' | 'kinds' | 'format' | 'events' | 'language' | 'active'>
>

type WebhookRow = typeof webhooks.$inferSelect

/** A row without hidden columns. */
type ShownRow = Omit<WebhookRow, 'secret' | 'formerSecret' | 'rotatedAt' | 'attempts' | 'retryAt'>

function statementsOf(db: SharedDatabase) {
  const { id, url, description, projectId, kinds, format, events, language, active, after } = webhooks
  const { failingSince, createdAt, updatedAt } = webhooks
  const isRotatedBefore = lt(webhooks.rotatedAt, given('before'))
  const shown = {
    id,
    url,
    description,
    projectId,
    kinds,
    format,
    events,
    language,
    active,
    after,
    failingSince,
    createdAt,
    updatedAt,
  }
  return {
    one: selectOne<ShownRow>(db, () =>
      db
        .select(shown)
        .from(webhooks)
        .where(eq(id, given('id'))),
    ),
    all: selectAll<ShownRow>(db, () =>
      db
        .select(shown)
        .from(webhooks)
        .orderBy(...inOrder(webhooks)),
    ),
    summary: selectOne<WebhookSummary>(db, () =>
      db
        .select({
          active: sql<number>`coalesce(sum(${active}), 0)`,
          failing: sql<number>`coalesce(sum(${active} and ${failingSince} is not null), 0)`,
          inactive: sql<number>`coalesce(sum(not ${active}), 0)`,
          slowest: sql<number | null>`min(iif(${active}, ${after}, null))`,
        })
        .from(webhooks),
    ),
    secretOf: selectOne(db, () =>
      db
        .select({ secret: webhooks.secret })
        .from(webhooks)
        .where(eq(id, given('id'))),
    ),
    olderRotation: selectOne(db, () => db.select({ id }).from(webhooks).where(isRotatedBefore).limit(1)),
    forget: change(() =>
      db.update(webhooks).set({ formerSecret: null, rotatedAt: null }).where(isRotatedBefore),
    ),
    exists: existsIn(db, webhooks),
    projectExists: existsIn(db, projects),
    deliveries: selectAll<WebhookDelivery>(db, () =>
      db
        .select()
        .from(webhookDeliveries)
        .where(eq(webhookDeliveries.webhookId, given('webhookId')))
        .orderBy(desc(webhookDeliveries.id))
        .limit(givenLimit('count')),
    ),
    insert: insertInto(db, webhooks),
    update: updateIn(db, webhooks),
    remove: deleteFrom(db, webhooks),
  }
}

/** No failures: the next attempt is made at once. */
const NO_FAILURES = { attempts: 0, retryAt: null, failingSince: null }

/** A new Standard Webhooks secret: 256 random bits. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const textsIn = (values: readonly unknown[]): string[] =>
  values.filter((value): value is string => typeof value === 'string')

/** A record for the API; kinds and events stored by other tools are omitted unless they are strings. */
const toWebhook = ({
  id,
  url,
  description,
  projectId,
  kinds,
  events,
  format,
  language,
  active,
  after,
  failingSince,
  ...times
}: ShownRow) => ({
  id,
  url,
  description,
  projectId,
  kinds: textsIn(kinds),
  format,
  events: textsIn(events),
  language,
  active,
  after,
  failingSince,
  createdAt: times.createdAt,
  updatedAt: times.updatedAt,
})

/** Fields to store, with distinct kinds and events. */
const fieldsOf = ({ kinds, events, ...fields }: WebhookInput): WebhookInput => ({
  ...fields,
  ...(kinds && { kinds: [...new Set(kinds)] }),
  ...(events && { events: [...new Set(events)] }),
})

/** Statistics of the webhooks. */
interface WebhookSummary {
  active: number
  /** Number of active ones whose latest attempt failed. */
  failing: number
  inactive: number
  /** The smallest place of an active one; null without any. */
  slowest: number | null
}

/** The webhooks, visible only to admins. */
export class Webhooks {
  static readonly reads: readonly string[] = ['get', 'list', 'deliveries', 'summary', 'hasFormerSecrets']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(WebhookSchema)))
  readonly #deliveriesToJson = createJsonWriter(Type.Array(ref(WebhookDeliverySchema)))
  readonly #sequence: Sequence
  readonly #audit: AuditLog

  constructor(db: SharedDatabase, sequence: Sequence, audit: AuditLog) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#sequence = sequence
    this.#audit = audit
  }

  /** Statistics of the webhooks. */
  summary(): WebhookSummary {
    return this.#sql.summary() as WebhookSummary
  }

  /** One webhook. @throws ApiError 404 */
  get(id: string): Webhook {
    return toWebhook(this.#sql.one({ id }) ?? throwNotFound(webhooks))
  }

  /** All webhooks, by id, or a page of them. */
  list(query: PageQuery): JsonPage {
    return pageOfRows(this.#sql.all().map(toWebhook), query, this.#toJson)
  }

  /** The latest delivery attempts, newest first, or a page of them. @throws ApiError 404 */
  deliveries(id: string, query: PageQuery): JsonPage {
    const latest = read(this.#db, () => {
      if (!this.#sql.exists(id)) throwNotFound(webhooks)
      return this.#sql.deliveries({ webhookId: id, count: DELIVERIES_KEPT })
    })
    return pageOfRows(latest, query, this.#deliveriesToJson, true)
  }

  /**
   * Creates a webhook, which receives changes from now on.
   * @returns it with its secret
   * @throws ApiError 404 with an unknown `projectId`; 409 if there are too many webhooks
   */
  create(input: WebhookInput & { url: string }, by: Actor): WebhookWithSecret {
    if (this.#sql.all().length >= WEBHOOKS_LIMIT) {
      throw conflict(`There are ${WEBHOOKS_LIMIT} webhooks already`, 'limit_reached')
    }
    this.#requireProject(input.projectId)
    const [at, secret, id] = [timestamp(), newSecret(), newId()]
    const after = this.#sequence.last()
    this.#sql.insert({ ...fieldsOf(input), id, url: input.url, after, secret, createdAt: at, updatedAt: at })
    this.#record('webhook-created', id, by)
    return { ...this.get(id), secret }
  }

  /**
   * Changes a webhook; an empty change has no effect. With `active`, a waiting delivery is retried at once, and its failures are
   * reset.
   * @throws ApiError 404, also with an unknown `projectId`
   */
  update(id: string, input: WebhookInput, by: Actor): Webhook {
    const before = this.get(id)
    const names = Object.keys(input)
    if (names.length === 0) return before
    if (input.projectId !== before.projectId) this.#requireProject(input.projectId)
    const again = input.active === true ? NO_FAILURES : {}
    this.#sql.update(id, { ...fieldsOf(input), ...again, updatedAt: timestamp() })
    this.#record('webhook-changed', id, by, { fields: names })
    return this.get(id)
  }

  /** Deletes a webhook. @throws ApiError 404 */
  delete(id: string, by: Actor): void {
    if (!this.#sql.remove(id)) throwNotFound(webhooks)
    this.#record('webhook-deleted', id, by)
  }

  /**
   * Rotates the secret of a webhook, from the next delivery on. The previous one also signs for a
   * time; older ones are dropped.
   * @throws ApiError 404
   */
  rotateSecret(id: string, by: Actor): WebhookWithSecret {
    const secret = newSecret()
    const { secret: formerSecret } = this.#sql.secretOf({ id }) ?? throwNotFound(webhooks)
    const at = timestamp()
    this.#sql.update(id, { secret, formerSecret, rotatedAt: at, updatedAt: at })
    this.#record('webhook-secret-rotated', id, by)
    return { ...this.get(id), secret }
  }

  /** Whether there are previous secrets of rotations before a time. @param time milliseconds since 1970 */
  hasFormerSecrets(time: number): boolean {
    return this.#sql.olderRotation({ before: timestamp(time) }) !== undefined
  }

  /** Deletes the previous secrets of rotations before a time. @returns whether there are more: never */
  forgetSecrets(time: number): boolean {
    this.#sql.forget({ before: timestamp(time) })
    return false
  }

  /**
   * Sets the place of a webhook: the changes after it are delivered, again if necessary. Its failures are reset.
   * @throws ApiError 404; 400 on `after` for a future change; 410 if changes after it were pruned
   */
  replay(id: string, after: number): Webhook {
    if (!this.#sql.exists(id)) throwNotFound(webhooks)
    const newest = this.#sequence.last()
    if (after > newest) throw invalidField('after', `must be <= ${newest}, the newest change`)
    if (after < newest) this.#sequence.ensureKept(after)
    this.#sql.update(id, { after, ...NO_FAILURES })
    return this.get(id)
  }

  /**
   * The result of a test, which is not stored. It is a write only to store the response for retries of the request.
   * @throws ApiError 404 if the webhook was deleted meanwhile
   */
  tested(delivery: WebhookDelivery): WebhookDelivery {
    if (!this.#sql.exists(delivery.webhookId)) throwNotFound(webhooks)
    return delivery
  }

  #requireProject(id: string | null | undefined): void {
    if (typeof id === 'string' && !this.#sql.projectExists(id)) {
      throw notFound(thingOf(projects), [id])
    }
  }

  #record(
    action: AuditEntry['action'],
    subjectId: string,
    by: Actor,
    metadata: AuditEntry['metadata'] = {},
  ): void {
    this.#audit.record({ action, by, subjectId, subject: null, metadata })
  }
}
