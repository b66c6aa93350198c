/** Responses to writes that carried an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07), kept for a day. */
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { idempotencyKeys } from '../db/schema.ts'
import { change, given, insertInto, selectOne } from '../db/statements.ts'
import { ApiError, conflict } from '../errors.ts'
import { timestamp } from '../time.ts'

/** How long a response is kept, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000

/** Responses that are pruned in one write. */
const SLICE = 500

/** A request that may be repeated. */
export interface RepeatableRequest {
  memberId: string
  method: string
  path: string
  key: string
  /** SHA-256 of the body and the query, hexadecimal. */
  bodyHash: string
}

/** A response to a write, as its repetitions get it. */
export interface KeptResponse {
  status: number
  /** JSON; null where it showed a secret, which is not kept. */
  body: string | null
  etag: string | null
  /** The last change of the write; null where it made none. */
  seq: number | null
}

type Row = typeof idempotencyKeys.$inferSelect

const { memberId, method, path, key, createdAt } = idempotencyKeys

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

const since = () => timestamp(Date.now() - KEPT_FOR)

/** The responses that are kept, by member, method, path and key. */
export class KeptResponses {
  static readonly reads: readonly string[] = ['isKept', 'find', 'hasOlder']
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** Whether the response to a request with this key is kept, whatever the body. */
  isKept(request: Omit<RepeatableRequest, 'bodyHash'>): boolean {
    return this.#sql.one({ ...request, since: since() }) !== undefined
  }

  /**
   * The response that is kept.
   * @throws ApiError 422 when the key was used with another body; 409 when the response showed a secret
   */
  find(request: RepeatableRequest): KeptResponse | undefined {
    const found = this.#sql.one({ ...request, since: since() })
    if (found === undefined) return undefined
    if (found.bodyHash !== request.bodyHash) {
      throw new ApiError(422, 'Idempotency-Key was used for another request')
    }
    if (found.body === null) throw conflict('Already done')
    return found
  }

  /** Keeps a response: inside the write that it responds to. */
  keep(request: RepeatableRequest, response: KeptResponse): void {
    this.#sql.forget({ ...request })
    this.#sql.insert({ ...request, ...response, createdAt: timestamp() })
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
