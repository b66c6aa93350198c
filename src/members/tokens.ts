/** API tokens, for scripts and integrations. Only the SHA-256 of a token is stored. */
import { Type } from '@sinclair/typebox'
import { and, eq, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { readArrayText } from '../db/json-text.ts'
import { inOrder } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { scopeOf } from '../db/row-security.ts'
import { apiTokens, members, projects } from '../db/schema.ts'
import {
  deleteFrom,
  existsIn,
  given,
  insertReturning,
  selectAll,
  selectById,
  selectOne,
  updateIn,
} from '../db/statements.ts'
import { invalidField } from '../errors.ts'
import { ref } from '../schemas/common.ts'
import { type CurrentMember, type NewToken, type Token, TokenSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import type { Actor, AuditLog } from './audit-log.ts'
import { currentMember, isEnabled } from './columns.ts'
import { expiryOf } from './expiry.ts'
import { accountOf, type Identity } from './identity.ts'
import { hashToken, newToken } from './secrets.ts'

/** A prefix that makes leaked tokens recognisable, e.g. for secret scanners. */
const PREFIX = 'pbt_'

/** A new token. */
interface TokenInput {
  name: string
  scope?: Token['scope']
  /** A date or date-time from a client; null or absent: never. */
  expiresAt?: string | null
  /** The only projects that it may access; null or absent: all that its member sees. */
  projectIds?: readonly string[] | null
}

/** A token and its member. */
export interface TokenFound {
  member: CurrentMember
  token: Pick<Token, 'id' | 'scope' | 'lastUsedAt' | 'projectIds'>
  expiresAt: string | null
}

/** A token as stored, without its hash. */
type TokenRow = Omit<typeof apiTokens.$inferSelect, 'tokenHash'>

/** Whether the caller's own tokens include this one: a token limited to projects only sees itself. */
const isSeenBy = ({ projectIds, tokenId }: Identity, id: string): boolean =>
  !Array.isArray(projectIds) || id === tokenId

/** The projects of a token; none if another tool has stored anything but a JSON array. */
const projectIdsOf = (text: string | null): string[] | null =>
  text === null ? null : readArrayText(text).map(String)

function statementsOf(db: SharedDatabase) {
  const { id, memberId, name, scope, projectIds, tokenHash, lastUsedAt, expiresAt, createdAt } = apiTokens
  // All but the hash.
  const select = () =>
    db.select({ id, memberId, name, scope, projectIds, lastUsedAt, expiresAt, createdAt }).from(apiTokens)
  const isOwn = eq(memberId, given('memberId'))
  const isAlive = sql`coalesce(${expiresAt} > ${given('now')}, true)`
  return {
    /** A token by its secret, with its member, by index. */
    presented: selectOne(db, () =>
      db
        .select({ ...currentMember, tokenId: id, scope, projectIds, lastUsedAt, expiresAt })
        .from(apiTokens)
        .innerJoin(members, eq(members.id, memberId))
        .where(and(eq(tokenHash, given('tokenHash')), isAlive, isEnabled)),
    ),
    one: selectById(db, apiTokens),
    own: selectOne(db, () => select().where(and(eq(id, given('id')), isOwn))),
    allOwn: selectAll<TokenRow>(db, () =>
      select()
        .where(isOwn)
        .orderBy(...inOrder(apiTokens)),
    ),
    memberExists: existsIn(db, members),
    projectExists: existsIn(db, projects),
    insert: insertReturning(db, apiTokens),
    update: updateIn(db, apiTokens),
    remove: deleteFrom(db, apiTokens),
  }
}

/**
 * API tokens. For every member, even admins, tokens of others are absent, except in {@link revoke}; a member without a
 * row has none. A token limited to projects only sees itself.
 */
export class Tokens {
  static readonly reads: readonly string[] = ['find', 'get', 'list', 'revocable']
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(TokenSchema)))
  readonly #audit: AuditLog
  readonly #db: SharedDatabase

  constructor(db: SharedDatabase, audit: AuditLog) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#audit = audit
  }

  /**
   * The token whose secret has this hash, and its member; undefined for an unknown or expired one and for a disabled member.
   */
  find(tokenHash: string): TokenFound | undefined {
    const found = this.#sql.presented({ tokenHash, now: timestamp() })
    if (found === undefined) return undefined
    const { tokenId, scope, projectIds, lastUsedAt, expiresAt, ...member } = found
    return {
      member,
      token: { id: tokenId, scope, projectIds: projectIdsOf(projectIds), lastUsedAt },
      expiresAt,
    }
  }

  /** One token, without its secret. @throws ApiError 404 */
  get(id: string, identity: Identity): Token {
    if (!isSeenBy(identity, id)) throwNotFound(apiTokens)
    return this.#shown(this.#sql.own({ id, memberId: accountOf(identity) }) ?? throwNotFound(apiTokens))
  }

  /** One token that the caller may revoke, without its secret: an own one, or for admins any. @throws ApiError 404 */
  revocable(id: string, identity: Identity): Token {
    const { tokenHash: _, ...token } = this.#revocableRow(id, identity)
    return this.#shown(token)
  }

  #revocableRow(id: string, identity: Identity) {
    const token = (isSeenBy(identity, id) && this.#sql.one(id)) || throwNotFound(apiTokens)
    if (token.memberId !== accountOf(identity) && identity.member.role !== 'admin') throwNotFound(apiTokens)
    return token
  }

  /** All tokens, without their secrets, by id, or a page of them. */
  list(identity: Identity, query: PageQuery): JsonPage {
    return pageOfRows(
      this.#sql
        .allOwn({ memberId: accountOf(identity) })
        .filter(({ id }) => isSeenBy(identity, id))
        .map((token) => this.#shown(token)),
      query,
      this.#toJson,
    )
  }

  /**
   * Creates a token of a member.
   * @returns it with its secret, which is not stored
   * @throws ApiError 404 for an unknown member; 400 on `expiresAt` for a time that is not in the future, on
   * `projectIds` for a project that the caller does not see
   */
  create(memberId: string, input: TokenInput, by: Actor): NewToken {
    if (!this.#sql.memberExists(memberId)) throwNotFound(members)
    const { name, scope = 'read', projectIds = null } = input
    if (projectIds?.every(this.#sql.projectExists) === false)
      throw invalidField('projectIds', 'must be ids of projects')
    const createdAt = timestamp()
    const expiresAt = expiryOf(input.expiresAt, createdAt)
    const token = `${PREFIX}${newToken()}`
    const { tokenHash: _, ...created } = this.#sql.insert({
      id: newId(),
      memberId,
      name,
      scope,
      projectIds: projectIds && JSON.stringify(projectIds),
      tokenHash: hashToken(token),
      expiresAt,
      createdAt,
    })
    this.#audit.record({
      action: 'token-created',
      by,
      subjectId: created.id,
      subject: { memberId },
      metadata: { name, scope, ...(projectIds && { projectIds }) },
    })
    return { ...this.#shown(created), token }
  }

  /** A token as shown to its member: without projects that the member does not see. */
  #shown({ projectIds, ...token }: TokenRow): Token {
    const all = projectIdsOf(projectIds)
    const isLimited = scopeOf(this.#db) !== undefined
    return { ...token, projectIds: isLimited && all ? all.filter(this.#sql.projectExists) : all }
  }

  /** Records a use of a token. */
  touch(id: string): void {
    this.#sql.update(id, { lastUsedAt: timestamp() })
  }

  /** Revokes a token: the member's own, or any if the caller is an admin. @throws ApiError 404 */
  revoke(id: string, identity: Identity, by: Actor): void {
    this.#end(this.#revocableRow(id, identity), by)
  }

  /** Revokes all tokens of a member. */
  revokeAll(memberId: string, by: Actor): void {
    for (const token of this.#sql.allOwn({ memberId })) this.#end(token, by)
  }

  #end({ id, memberId, name, scope }: TokenRow, by: Actor): void {
    this.#sql.remove(id)
    this.#audit.record({
      action: 'token-revoked',
      by,
      subjectId: id,
      subject: { memberId },
      metadata: { name, scope },
    })
  }
}
