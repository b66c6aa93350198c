/** Sessions of members. Only the SHA-256 of a session's token is stored. */
import { Type } from '@sinclair/typebox'
import { and, desc, eq, lte, ne, notInArray, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { inOrder } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { members, sessions } from '../db/schema.ts'
import { change, deleteFrom, given, insertInto, selectAll, selectOne, updateIn } from '../db/statements.ts'
import { ApiError } from '../errors.ts'
import { ref } from '../schemas/common.ts'
import { type CurrentMember, type Session, SessionSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import type { Actor, AuditLog } from './audit-log.ts'
import { currentMember, isEnabled } from './columns.ts'
import { accountOf, type Identity } from './identity.ts'
import { hashToken, newToken } from './secrets.ts'

const DAY = 24 * 60 * 60 * 1000
/** A session ends after this time without use, in milliseconds ... */
const IDLE_TIME = 30 * DAY
/** ... and this long after its sign-in in any case. */
const MAX_AGE = 90 * DAY
/** Sessions of one member, at most: another sign-in ends the least recently used one. */
const MAX_SESSIONS = 100
/** How stale `lastUsedAt` may get, in milliseconds, before a request writes it. */
const TOUCH_INTERVAL = 60 * 1000

/** The name of the cookie with a session's token. */
export const SESSION_COOKIE = 'phaseboard_session'

/** A new session. The token only goes into the cookie. */
export interface NewSession {
  id: string
  token: string
  expiresAt: string
}

/** A session and its member. */
export interface SessionFound {
  member: CurrentMember
  session: Pick<Session, 'id' | 'createdAt' | 'lastUsedAt'>
  expiresAt: string
}

/** A use of a session: its time, and the new expiry. Timestamps both. */
type SessionUse = Pick<Session, 'lastUsedAt' | 'expiresAt'>

/** The 401 of a sign-in. The same text for all reasons, against user enumeration. */
export const invalidCredentials = () =>
  new ApiError(401, 'Invalid email or password', { code: 'invalid_credentials' })

const expiry = (createdAt: number, now: number) => timestamp(Math.min(now + IDLE_TIME, createdAt + MAX_AGE))

/** Whether to write `lastUsedAt` of a credential again. Null: never used. */
export const isStale = (lastUsedAt: string | null): boolean =>
  lastUsedAt === null || Date.now() - Date.parse(lastUsedAt) >= TOUCH_INTERVAL

/** The use of a session right now. */
export function useOfSession({ createdAt }: Pick<Session, 'createdAt'>): SessionUse {
  const now = Date.now()
  return { lastUsedAt: timestamp(now), expiresAt: expiry(Date.parse(createdAt), now) }
}

function statementsOf(db: SharedDatabase) {
  const { id, memberId, tokenHash, lastUsedAt, expiresAt, createdAt, updatedAt } = sessions
  const isAlive = sql`${expiresAt} > ${given('now')}`
  const isOfMember = eq(memberId, given('memberId'))
  const hasToken = eq(tokenHash, given('tokenHash'))
  const select = () => db.select({ id, lastUsedAt, expiresAt, createdAt, updatedAt }).from(sessions)
  return {
    /** The session of a token, with its member, by index. */
    presented: selectOne(db, () =>
      db
        .select({ ...currentMember, sessionId: id, createdAt, lastUsedAt, expiresAt })
        .from(sessions)
        .innerJoin(members, eq(members.id, memberId))
        .where(and(hasToken, isAlive, isEnabled)),
    ),
    byToken: selectOne(db, () => db.select({ id, memberId }).from(sessions).where(and(hasToken, isAlive))),
    own: selectOne(db, () => select().where(and(eq(id, given('id')), isOfMember, isAlive))),
    allOwn: selectAll<Omit<Session, 'current'>>(db, () =>
      select()
        .where(and(isOfMember, isAlive))
        .orderBy(...inOrder(sessions)),
    ),
    credentials: selectOne(db, () =>
      db
        .select({ disabled: members.disabled, passwordHash: members.passwordHash })
        .from(members)
        .where(eq(members.id, given('id'))),
    ),
    insert: insertInto(db, sessions),
    update: updateIn(db, sessions),
    remove: deleteFrom(db, sessions),
    removeExpired: change(() => db.delete(sessions).where(lte(expiresAt, given('now')))),
    removeLeastUsed: change(() =>
      db.delete(sessions).where(
        and(
          isOfMember,
          notInArray(
            id,
            db
              .select({ id })
              .from(sessions)
              .where(isOfMember)
              .orderBy(desc(lastUsedAt), desc(id))
              .limit(MAX_SESSIONS - 1),
          ),
        ),
      ),
    ),
    removeOthers: change(() => db.delete(sessions).where(and(isOfMember, ne(id, given('exceptId'))))),
  }
}

/**
 * Sessions. For every member, even admins, sessions of others and expired ones are absent; a member without a row has
 * none.
 */
export class Sessions {
  static readonly reads: readonly string[] = ['find', 'get', 'list']
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(SessionSchema)))
  readonly #audit: AuditLog

  constructor(db: SharedDatabase, audit: AuditLog) {
    this.#sql = statementsOf(db)
    this.#audit = audit
  }

  /**
   * The session whose token has this hash, and its member; undefined for an unknown or expired one and for a disabled member.
   */
  find(tokenHash: string): SessionFound | undefined {
    const found = this.#sql.presented({ tokenHash, now: timestamp() })
    if (found === undefined) return undefined
    const { sessionId, createdAt, lastUsedAt, expiresAt, ...member } = found
    return { member, session: { id: sessionId, createdAt, lastUsedAt }, expiresAt }
  }

  /** One session of the member. @throws ApiError 404 */
  get(id: string, identity: Identity): Session {
    const found = this.#sql.own({ id, memberId: accountOf(identity), now: timestamp() })
    return shownTo(identity, found ?? throwNotFound(sessions))
  }

  /** All sessions of the member, by id, or a page of them. */
  list(identity: Identity, query: PageQuery): JsonPage {
    const all = this.#sql.allOwn({ memberId: accountOf(identity), now: timestamp() })
    return pageOfRows(
      all.map((session) => shownTo(identity, session)),
      query,
      this.#toJson,
    )
  }

  /**
   * Signs in a member whose password was verified.
   * @param member as of the verification of the password, which takes a while
   * @param replaced the token of the client's current session, of any member, which ends
   * @throws ApiError 401 if the member was disabled or deleted meanwhile, or its password changed
   */
  signIn(
    { id, passwordHash }: { id: string; passwordHash: string | null },
    replaced: string | undefined,
    address: string,
  ): NewSession {
    const current = this.#sql.credentials({ id })
    if (!current || current.disabled || current.passwordHash !== passwordHash) throw invalidCredentials()
    if (replaced !== undefined) this.signOut(replaced, address)
    const session = this.start(id)
    this.#audit.record({
      action: 'sign-in',
      by: { id, address },
      subjectId: session.id,
      subject: { memberId: id },
    })
    return session
  }

  /** Ends the session of this token, if there is one. */
  signOut(token: string, address: string): void {
    const session = this.#sql.byToken({ tokenHash: hashToken(token), now: timestamp() })
    if (session === undefined) return
    this.#sql.remove(session.id)
    this.#audit.record({
      action: 'sign-out',
      by: { id: session.memberId, address },
      subjectId: session.id,
      subject: { memberId: session.memberId },
    })
  }

  /** Starts a session of a member, and deletes expired ones and those beyond {@link MAX_SESSIONS}. */
  start(memberId: string): NewSession {
    const now = Date.now()
    const at = timestamp(now)
    const session = { id: newId(), token: newToken(), expiresAt: expiry(now, now) }
    const { token, ...row } = session
    this.#sql.removeExpired({ now: at })
    this.#sql.removeLeastUsed({ memberId })
    this.#sql.insert({
      ...row,
      memberId,
      tokenHash: hashToken(token),
      lastUsedAt: at,
      createdAt: at,
      updatedAt: at,
    })
    return session
  }

  /** Records a use of a session, and extends it. */
  touch(id: string, { lastUsedAt, expiresAt }: SessionUse): void {
    this.#sql.update(id, { lastUsedAt, expiresAt, updatedAt: lastUsedAt })
  }

  /** Ends a session of the member. @throws ApiError 404 */
  revoke(id: string, identity: Identity, by: Actor): void {
    this.get(id, identity)
    this.#sql.remove(id)
    this.#audit.record({ action: 'session-revoked', by, subjectId: id, subject: identity.member.name })
  }

  /** Ends all sessions of a member, except the given one, if any. */
  revokeAll(memberId: string, exceptId = ''): void {
    this.#sql.removeOthers({ memberId, exceptId })
  }
}

const shownTo = (identity: Identity, session: Omit<Session, 'current'>): Session => ({
  ...session,
  current: session.id === identity.sessionId,
})
