/** API tokens: what scripts and integrations sign in with. Of a token itself only its SHA-256 is kept. */
import { and, eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { given, prepareDelete, prepareExists, prepareInsert, prepareRows } from '../db/old-statements.ts'
import { inOrder } from '../db/ordering.ts'
import { apiTokens, members } from '../db/schema.ts'
import { invalidField } from '../errors.ts'
import type { Token } from '../schemas/records.ts'
import { parseTimestamp, timestamp } from '../time.ts'
import { type Actor, prepareAuditLog } from './audit-log.ts'
import { accountOf, type Identity } from './identity.ts'
import { hashToken, newToken } from './secrets.ts'

/** What tells a token from other texts, wherever one turns up that does not belong there. */
const PREFIX = 'pbt_'

/** What a new token is to be. */
export interface TokenInput {
  name: string
  scope?: Token['scope']
  /** A time in one of the forms that requests may use; null or absent: never. */
  expiresAt?: string | null
}

/**
 * Prepares the statements that read a member's own tokens: those of others do not exist to it, whatever its role. A member
 * who is no row has none.
 * @returns the readers
 */
export function prepareTokens(db: SharedDatabase) {
  const { id, memberId, name, scope, lastUsedAt, expiresAt, createdAt } = apiTokens
  const select = () =>
    db.select({ id, memberId, name, scope, lastUsedAt, expiresAt, createdAt }).from(apiTokens)
  const isOwn = eq(memberId, given('memberId'))
  const one = prepareRows(db, select().where(and(eq(id, given('id')), isOwn)))
  const all = prepareRows(
    db,
    select()
      .where(isOwn)
      .orderBy(...inOrder(apiTokens)),
  )

  return {
    /** One token, without its secret. @throws ApiError 404 */
    get: (tokenId: string, identity: Identity): Token =>
      one.get({ id: tokenId, memberId: accountOf(identity) }) ?? throwNotFound(apiTokens),

    /** All tokens, without their secrets, by id. */
    list: (identity: Identity): Token[] => all.all({ memberId: accountOf(identity) }),
  }
}

/** When a new token is to expire, as it is stored. @throws ApiError 400 for a time that is not in the future */
function expiryOf({ expiresAt = null }: TokenInput, now: string): string | null {
  const expiry = expiresAt === null ? null : parseTimestamp(expiresAt)
  if (expiry === undefined || (expiry !== null && expiry <= now)) {
    throw invalidField('expiresAt', 'must be in the future')
  }
  return expiry
}

/**
 * Prepares the changes of tokens. Call them inside the write that they are part of.
 * @returns the changes
 */
export function prepareTokenChanges(db: SharedDatabase) {
  const memberExists = prepareExists(db, members)
  const insert = prepareInsert(db, apiTokens)
  const remove = prepareDelete(db, apiTokens)
  const one = prepareRows(
    db,
    db
      .select({ memberId: apiTokens.memberId, name: apiTokens.name, scope: apiTokens.scope })
      .from(apiTokens)
      .where(eq(apiTokens.id, given('id'))),
  )
  const record = prepareAuditLog(db)

  return {
    /**
     * Creates a token of a member.
     * @returns its id, and the token itself, which nothing can tell again
     * @throws ApiError 404 when there is no such member; 400 on `expiresAt` for a time that is not in the future
     */
    create(memberId: string, input: TokenInput, by: Actor): { id: string; token: string } {
      if (!memberExists(memberId)) throwNotFound(members)
      const { name, scope = 'read' } = input
      const id = newId()
      const createdAt = timestamp()
      const expiresAt = expiryOf(input, createdAt)
      const token = `${PREFIX}${newToken()}`
      insert({ id, memberId, name, scope, tokenHash: hashToken(token), expiresAt, createdAt })
      record({ action: 'token-created', by, subjectId: id, metadata: { name, scope } })
      return { id, token }
    },

    /** Revokes a token: one's own, or for an admin anyone's. @throws ApiError 404 */
    revoke(id: string, identity: Identity, by: Actor): void {
      const { memberId, name, scope } = one.get({ id }) ?? throwNotFound(apiTokens)
      if (memberId !== accountOf(identity) && identity.member.role !== 'admin') throwNotFound(apiTokens)
      remove(id)
      record({ action: 'token-revoked', by, subjectId: id, metadata: { name, scope } })
    },
  }
}
