/**
 * The idempotency store: responses to writes with an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07), for a day. Its
 * size is bounded: it stores no large bodies, drops the oldest bodies first, and a member's oldest keys.
 */
import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { idempotencyKeys } from '../db/schema.ts'
import { change, given, insertInto, selectOne } from '../db/statements.ts'
import { ApiError } from '../errors.ts'
import { type Member, ROLES } from '../schemas/records.ts'
import { timestamp } from '../time.ts'

/** How long a response is kept, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000

/** Bytes of a body that is kept; of a response with a larger one only the key is. */
export const BODY_BYTES = 64 * 1024

/** Bytes of all bodies that are kept: beyond, the oldest make room. Their keys stay. */
const ALL_BODIES_BYTES = 64 * 1024 * 1024

/** Keys that are kept of a member: beyond, the oldest go. */
const KEYS = 10_000

/** Responses that are pruned in one write. */
const SLICE = 500

/** Bytes of bodies that make room in one write, more than one may need: so the table shrinks where it is too large. */
const SLICE_BYTES = 1024 * 1024

/** A request that may be repeated. */
export interface RepeatableRequest {
  memberId: string
  method: string
  path: string
  key: string
  /** The member's role, where the response depends on it; null where whoever may make the request gets the same. */
  role: Member['role'] | null
  /** SHA-256 of the body and the query, hexadecimal. */
  bodyHash: string
}

/** A response to a write, as its repetitions get it. */
export interface StoredResponse {
  status: number
  /** JSON; null where it is not kept. */
  body: string | null
  etag: string | null
  /** The last change of the write; null where it made none. */
  seq: number | null
}

type Row = typeof idempotencyKeys.$inferSelect

/** How much is kept, at most. */
export interface KeptLimits {
  /** Bytes of all bodies. */
  bytes: number
  /** Keys of a member. */
  keys: number
}

const { memberId, method, path, key, nth, upTo, createdAt } = idempotencyKeys

/** As the index of the bodies says it. */
const hasBody = sql`body is not null`

const isRequest = and(
  eq(memberId, given('memberId')),
  eq(method, given('method')),
  eq(path, given('path')),
  eq(key, given('key')),
)

const statementsOf = (db: SharedDatabase) => ({
  one: selectOne<Row>(db, () =>
    db
      .select()
      .from(idempotencyKeys)
      .where(and(isRequest, gt(createdAt, given('since')))),
  ),
  /** The key may be used again once its response is no longer kept. */
  forget: change(() => db.delete(idempotencyKeys).where(isRequest)),
  insert: insertInto(db, idempotencyKeys),
  latestKey: selectOne<Pick<Row, 'nth'>>(db, () =>
    db
      .select({ nth })
      .from(idempotencyKeys)
      .where(eq(memberId, given('memberId')))
      .orderBy(desc(nth))
      .limit(1),
  ),
  latestBody: selectOne<Pick<Row, 'upTo'>>(db, () =>
    db.select({ upTo }).from(idempotencyKeys).where(hasBody).orderBy(desc(upTo)).limit(1),
  ),
  oldestBody: selectOne<Pick<Row, 'upTo'>>(db, () =>
    db.select({ upTo }).from(idempotencyKeys).where(hasBody).orderBy(upTo).limit(1),
  ),
  dropKeys: change(() =>
    db.delete(idempotencyKeys).where(
      sql`rowid in (${db
        .select({ rowid: sql`rowid` })
        .from(idempotencyKeys)
        .where(and(eq(memberId, given('memberId')), lte(nth, given('last'))))
        .limit(SLICE)})`,
    ),
  ),
  dropBodies: change(() =>
    db
      .update(idempotencyKeys)
      .set({ body: null })
      .where(
        sql`rowid in (${db
          .select({ rowid: sql`rowid` })
          .from(idempotencyKeys)
          .where(and(hasBody, lte(upTo, given('last'))))
          .orderBy(upTo)
          .limit(SLICE)})`,
      ),
  ),
  older: selectOne(db, () =>
    db
      .select({ key })
      .from(idempotencyKeys)
      .where(lte(createdAt, given('before')))
      .limit(1),
  ),
  prune: change(() =>
    db.delete(idempotencyKeys).where(
      sql`rowid in (${db
        .select({ rowid: sql`rowid` })
        .from(idempotencyKeys)
        .where(lte(createdAt, given('before')))
        .limit(SLICE)})`,
    ),
  ),
})

/** What was done is not done again, and can be told of by its last change alone. */
const alreadyDone = ({ seq }: Pick<Row, 'seq'>) =>
  new ApiError(409, 'Already done', {
    headers: seq === null ? {} : { 'phaseboard-seq': String(seq) },
    code: 'already_done',
  })

/** Whether a response was that to a role which the member has no longer. */
const isForAHigherRole = (kept: Pick<Row, 'role'>, { role }: RepeatableRequest): boolean =>
  kept.role !== null && role !== null && ROLES.indexOf(role) > ROLES.indexOf(kept.role as Member['role'])

const since = () => timestamp(Date.now() - KEPT_FOR)

/** The idempotency store: responses by member, method, path and key. */
export class IdempotencyStore {
  static readonly reads: readonly string[] = ['isKept', 'find', 'hasOlder']
  readonly #sql: ReturnType<typeof statementsOf>

  readonly #limits: KeptLimits

  constructor(db: SharedDatabase, limits: KeptLimits = { bytes: ALL_BODIES_BYTES, keys: KEYS }) {
    this.#sql = statementsOf(db)
    this.#limits = limits
  }

  /** Whether the response to a request with this key is kept, whatever the body. */
  isKept(request: Omit<RepeatableRequest, 'bodyHash'>): boolean {
    return this.#sql.one({ ...request, since: since() }) !== undefined
  }

  /**
   * The response that is kept.
   * @throws ApiError 422 when the key was used with another body; 409 when the response is not kept, or depended on a role
   * that the member has no longer
   */
  find(request: RepeatableRequest): StoredResponse | undefined {
    const found = this.#sql.one({ ...request, since: since() })
    if (found === undefined) return undefined
    if (found.bodyHash !== request.bodyHash) {
      throw new ApiError(422, 'Idempotency-Key was used for another request')
    }
    if (found.body === null || isForAHigherRole(found, request)) throw alreadyDone(found)
    return found
  }

  /** Keeps a response: inside the write that it responds to. */
  keep(request: RepeatableRequest, response: StoredResponse): void {
    const { bytes, keys } = this.#limits
    this.#sql.forget({ ...request })
    const size = Buffer.byteLength(response.body ?? '')
    const body = size > BODY_BYTES ? null : response.body
    const nth = (this.#sql.latestKey({ ...request })?.nth ?? 0) + 1
    const upTo = (this.#sql.latestBody()?.upTo ?? 0) + (body === null ? 0 : size)
    this.#sql.insert({ ...request, ...response, body, nth, upTo, createdAt: timestamp() })
    if (nth > keys) this.#sql.dropKeys({ ...request, last: nth - keys })
    if (upTo > bytes) this.#dropBodies(upTo - bytes)
  }

  /** Some of the oldest bodies make room. @param last up to where they have to */
  #dropBodies(last: number): void {
    const oldest = this.#sql.oldestBody()
    if (oldest && oldest.upTo <= last)
      this.#sql.dropBodies({ last: Math.min(last, oldest.upTo + SLICE_BYTES) })
  }

  /** Whether there are responses from before a time. @param time milliseconds since 1970 */
  hasOlder(time: number): boolean {
    return this.#sql.older({ before: timestamp(time) }) !== undefined
  }

  /** Deletes some of the responses from before a time. @param time milliseconds since 1970 @returns whether there are more */
  prune(time: number): boolean {
    return this.#sql.prune({ before: timestamp(time) }) === SLICE
  }
}
