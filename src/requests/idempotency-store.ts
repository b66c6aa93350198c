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

/** Retention of a response, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000

/** Largest stored body, in bytes; for a larger one only the key is stored. */
export const BODY_BYTES = 64 * 1024

/** Total size of the stored bodies, in bytes: beyond it the oldest are dropped. Their keys stay. */
const ALL_BODIES_BYTES = 64 * 1024 * 1024

/** Stored keys per member: beyond, the oldest are dropped. */
const KEYS = 10_000

/** Responses pruned in one write. */
const SLICE = 500

/** Bytes of bodies dropped in one write, more than one write may need: so a too large table shrinks. */
const SLICE_BYTES = 1024 * 1024

/** A request with an idempotency key. */
export interface RepeatableRequest {
  memberId: string
  method: string
  path: string
  key: string
  /** The member's role if the response depends on it; null if it is the same for all permitted callers. */
  role: Member['role'] | null
  /** SHA-256 of the body and the query, hexadecimal. */
  bodyHash: string
  /** The paths and queries of its requests, if it is a batch. Not stored. */
  paths?: readonly string[]
}

/** A response to a write, for its retries. */
export interface StoredResponse {
  status: number
  /** JSON; null if it is not stored. */
  body: string | null
  etag: string | null
  /** The last change of the write; null if it made none. */
  seq: number | null
}

type Row = typeof idempotencyKeys.$inferSelect

/** The parts of a stored response that decide who may still see it. */
export type Seen = Pick<Row, 'seq' | 'body' | 'seen'>

/** The limits of the store. */
interface KeptLimits {
  /** Bytes of all bodies. */
  bytes: number
  /** Keys of a member. */
  keys: number
}

const { memberId, method, path, key, nth, upTo, createdAt } = idempotencyKeys

/** Must match the index of the bodies. */
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
  /** The key may be reused once its response has expired. */
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

/** The write is not repeated; only its last change can be reported. */
export const alreadyDone = ({ seq }: Pick<Row, 'seq'>) =>
  new ApiError(409, 'Already done', {
    headers: seq === null ? {} : { 'phaseboard-seq': String(seq) },
    code: 'already_done',
  })

/** Whether a response depended on a role that the member no longer has. */
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

  /** Whether a response to a request with this key is stored, for any body. */
  isKept(request: Omit<RepeatableRequest, 'bodyHash'>): boolean {
    return this.#sql.one({ ...request, since: since() }) !== undefined
  }

  /**
   * The stored response.
   * @param ensureSeen checks first whether the caller may see it
   * @throws ApiError 422 if the key was used with another body; 409 if the body is not stored, or depended on a role
   * that the member no longer has
   */
  find(
    request: RepeatableRequest,
    ensureSeen: (kept: Seen) => void = () => undefined,
  ): StoredResponse | undefined {
    const found = this.#sql.one({ ...request, since: since() })
    if (found === undefined) return undefined
    ensureSeen(found)
    if (found.bodyHash !== request.bodyHash) {
      throw new ApiError(422, 'Idempotency-Key was used for another request')
    }
    if (found.body === null || isForAHigherRole(found, request)) throw alreadyDone(found)
    return found
  }

  /** Stores a response, inside its write. @param seen see `idempotencyKeys` */
  keep(request: RepeatableRequest, response: StoredResponse, seen: string | null = null): void {
    const { bytes, keys } = this.#limits
    const { paths: _, ...columns } = request
    this.#sql.forget(columns)
    const size = Buffer.byteLength(response.body ?? '')
    const body = size > BODY_BYTES ? null : response.body
    const nth = (this.#sql.latestKey(columns)?.nth ?? 0) + 1
    const upTo = (this.#sql.latestBody()?.upTo ?? 0) + (body === null ? 0 : size)
    this.#sql.insert({ ...columns, ...response, body, seen, nth, upTo, createdAt: timestamp() })
    if (nth > keys) this.#sql.dropKeys({ ...columns, last: nth - keys })
    if (upTo > bytes) this.#dropBodies(upTo - bytes)
  }

  /** Drops some of the oldest bodies. @param last the last one to drop */
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
