/** Sessions and API tokens: how a credential becomes a member, and where a member is signed in. */
import { and, desc, eq, lte, notInArray, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import {
  given,
  prepareChange,
  prepareDelete,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from '../db/old-statements.ts'
import { inOrder } from '../db/ordering.ts'
import { apiTokens, members, sessions } from '../db/schema.ts'
import { ApiError } from '../errors.ts'
import type { Session } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { type Actor, prepareAuditLog } from './audit-log.ts'
import { accountOf, type Identity } from './identity.ts'
import type { MemberRow } from './members.ts'
import { hashToken, newToken } from './secrets.ts'

const DAY = 24 * 60 * 60 * 1000
/** A session ends when it was not used for this long, in milliseconds ... */
const IDLE_TIME = 30 * DAY
/** ... and this long after its sign-in in any case. */
const MAX_AGE = 90 * DAY
/** Sessions of one member, at most: signing in once more ends the one that was not used for the longest time. */
const MAX_SESSIONS = 100
/** How stale `lastUsedAt` may get, in milliseconds, before a request pays for writing it. */
const TOUCH_INTERVAL = 60 * 1000

const expiry = (createdAt: number, now: number) => timestamp(Math.min(now + IDLE_TIME, createdAt + MAX_AGE))

const who = { id: members.id, name: members.name, email: members.email, role: members.role }

/** Condition: the session is not over at the time that is given as `now`. */
const isAlive = sql`${sessions.expiresAt} > ${given('now')}`

/** Condition: the member is not disabled. Written out, since SQLite plans anew for a bare parameter, a constant one too. */
const isEnabled = sql`not ${members.disabled}`

/** The 401 of a sign-in. The same words whatever was wrong: which emails exist is nobody's business. */
export const invalidCredentials = () => new ApiError(401, 'Invalid email or password')

/** The name of the cookie in which a session's token travels. */
export const SESSION_COOKIE = 'phaseboard_session'

/** A session as the bearer of its token sees it. `token` goes into the cookie and nowhere else. */
export interface SessionCookie {
  token: string
  expiresAt: string
}

/**
 * Prepares the statements by which credentials are resolved: one indexed read each.
 * @returns the readers
 */
export function prepareSessions(db: SharedDatabase) {
  const bySession = prepareRows(
    db,
    db
      .select({
        ...who,
        sessionId: sessions.id,
        createdAt: sessions.createdAt,
        lastUsedAt: sessions.lastUsedAt,
      })
      .from(sessions)
      .innerJoin(members, eq(members.id, sessions.memberId))
      .where(and(eq(sessions.tokenHash, given('tokenHash')), isAlive, isEnabled)),
  )
  const byToken = prepareRows(
    db,
    db
      .select({ ...who, tokenId: apiTokens.id, scope: apiTokens.scope, lastUsedAt: apiTokens.lastUsedAt })
      .from(apiTokens)
      .innerJoin(members, eq(members.id, apiTokens.memberId))
      .where(
        and(
          eq(apiTokens.tokenHash, given('tokenHash')),
          sql`coalesce(${apiTokens.expiresAt} > ${given('now')}, true)`,
          isEnabled,
        ),
      ),
  )
  const presented = (token: string) => ({ tokenHash: hashToken(token), now: timestamp() })

  return {
    /** Whose session this is; undefined for an unknown or expired one and for a disabled member. */
    findSession(token: string) {
      const found = bySession.get(presented(token))
      if (found === undefined) return undefined
      const { sessionId, createdAt, lastUsedAt, ...member } = found
      return { ...member, session: { id: sessionId, createdAt, lastUsedAt } }
    },

    /** Whose API token this is; undefined for an unknown or expired one and for a disabled member. */
    findToken(token: string) {
      const found = byToken.get(presented(token))
      if (found === undefined) return undefined
      const { tokenId, scope, lastUsedAt, ...member } = found
      return { ...member, token: { id: tokenId, scope, lastUsedAt } }
    },
  }
}

/** Whether the last note that a credential is in use is old enough for another. `lastUsedAt` null: there is none. */
export const isStale = (lastUsedAt: string | null): boolean =>
  lastUsedAt === null || Date.now() - Date.parse(lastUsedAt) >= TOUCH_INTERVAL

/** The use of a session at this moment: what there is to note, timestamps both. */
export function useOfSession({ createdAt }: { createdAt: string }): {
  lastUsedAt: string
  expiresAt: string
} {
  const now = Date.now()
  return { lastUsedAt: timestamp(now), expiresAt: expiry(Date.parse(createdAt), now) }
}

/**
 * Prepares the changes of sessions and API tokens. Call them inside the write that they are part of.
 * @returns the changes
 */
export function prepareSessionChanges(db: SharedDatabase) {
  const insert = prepareInsert(db, sessions)
  const updateSession = prepareUpdate(db, sessions)
  const updateToken = prepareUpdate(db, apiTokens)
  const removeExpired = prepareChange(db, db.delete(sessions).where(lte(sessions.expiresAt, given('now'))))
  const removeUnused = prepareChange(
    db,
    db.delete(sessions).where(
      and(
        eq(sessions.memberId, given('memberId')),
        notInArray(
          sessions.id,
          db
            .select({ id: sessions.id })
            .from(sessions)
            .where(eq(sessions.memberId, given('memberId')))
            .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
            .limit(MAX_SESSIONS - 1),
        ),
      ),
    ),
  )
  const remove = prepareDelete(db, sessions)
  const byToken = prepareRows(
    db,
    db
      .select({ id: sessions.id, memberId: sessions.memberId })
      .from(sessions)
      .where(and(eq(sessions.tokenHash, given('tokenHash')), isAlive)),
  )
  const credentials = prepareRows(
    db,
    db
      .select({ disabled: members.disabled, passwordHash: members.passwordHash })
      .from(members)
      .where(eq(members.id, given('id'))),
  )
  const record = prepareAuditLog(db)

  /** Starts a session for a member; expired ones, and those that are too many, are cleared away on the occasion. */
  function start(memberId: string): SessionCookie & { id: string } {
    const now = Date.now()
    const at = timestamp(now)
    const id = newId()
    const token = newToken()
    const expiresAt = expiry(now, now)
    removeExpired({ now: at })
    removeUnused({ memberId })
    const row = { id, memberId, tokenHash: hashToken(token), lastUsedAt: at, expiresAt }
    insert({ ...row, createdAt: at, updatedAt: at })
    return { id, token, expiresAt }
  }

  /** Ends the session of this token, if there is one. Who presents it signs its member out. */
  function end(token: string, address: string): void {
    const session = byToken.get({ tokenHash: hashToken(token), now: timestamp() })
    if (session === undefined) return
    remove(session.id)
    record({ action: 'sign-out', by: { id: session.memberId, address }, subjectId: session.id })
  }

  return {
    start,
    end,

    /**
     * Signs in a member whose password was found right.
     * @param member as it was when the password was checked, which takes a while
     * @param replaced the token of the session that the client had until now, whoever's it was: it ends
     * @throws ApiError 401 when the member has meanwhile been disabled or deleted, or has got another password
     */
    signIn(
      { id, passwordHash }: Pick<MemberRow, 'id' | 'passwordHash'>,
      replaced: string | undefined,
      address: string,
    ): SessionCookie {
      const current = credentials.get({ id })
      if (!current || current.disabled || current.passwordHash !== passwordHash) throw invalidCredentials()
      if (replaced !== undefined) end(replaced, address)
      const session = start(id)
      record({ action: 'sign-in', by: { id, address }, subjectId: session.id })
      return session
    },

    /** Notes that a session is in use, and moves its end. */
    touchSession(id: string, { lastUsedAt, expiresAt }: ReturnType<typeof useOfSession>): void {
      updateSession(id, { lastUsedAt, expiresAt, updatedAt: lastUsedAt })
    },

    /** Notes that an API token is in use. */
    touchToken(id: string): void {
      updateToken(id, { lastUsedAt: timestamp() })
    },
  }
}

/**
 * Prepares the statements that list and revoke a member's own sessions: those of others, and those that are over, do not
 * exist to it, whatever its role. A member who is no row has none.
 * @returns readers; and a change, to be called inside the write that it is part of
 */
export function prepareOwnSessions(db: SharedDatabase) {
  const { id, lastUsedAt, expiresAt, createdAt, updatedAt } = sessions
  const select = () => db.select({ id, lastUsedAt, expiresAt, createdAt, updatedAt }).from(sessions)
  const isOwn = and(eq(sessions.memberId, given('memberId')), isAlive)
  const all = prepareRows(
    db,
    select()
      .where(isOwn)
      .orderBy(...inOrder(sessions)),
  )
  const one = prepareRows(db, select().where(and(eq(id, given('id')), isOwn)))
  const remove = prepareDelete(db, sessions)
  const record = prepareAuditLog(db)

  const ownOf = (identity: Identity) => ({ memberId: accountOf(identity), now: timestamp() })
  const shownTo = (identity: Identity, session: Omit<Session, 'current'>): Session => ({
    ...session,
    current: session.id === identity.sessionId,
  })

  function get(sessionId: string, identity: Identity): Session {
    return shownTo(identity, one.get({ ...ownOf(identity), id: sessionId }) ?? throwNotFound(sessions))
  }

  return {
    /** One session. @throws ApiError 404 */
    get,

    /** All sessions, by id. */
    list: (identity: Identity): Session[] =>
      all.all(ownOf(identity)).map((session) => shownTo(identity, session)),

    /** Ends a session. @throws ApiError 404 */
    revoke(sessionId: string, identity: Identity, by: Actor): void {
      get(sessionId, identity)
      remove(sessionId)
      record({ action: 'session-revoked', by, subjectId: sessionId })
    },
  }
}
