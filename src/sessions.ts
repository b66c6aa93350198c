/** Sessions and API tokens: how a credential becomes a member. */
import { and, eq, lte, sql } from 'drizzle-orm'
import type { SharedDatabase } from './db/client.ts'
import { apiTokens, members, sessions } from './db/schema.ts'
import { given, prepareChange, prepareInsert, prepareUpdate } from './db/statements.ts'
import { newId } from './ids.ts'
import { hashToken, newToken } from './secrets.ts'
import { timestamp } from './time.ts'

const DAY = 24 * 60 * 60 * 1000
/** A session ends when it was not used for this long, in milliseconds ... */
const IDLE_TIME = 30 * DAY
/** ... and this long after its sign-in in any case. */
const MAX_AGE = 90 * DAY
/** How stale `lastUsedAt` may get, in milliseconds, before a request pays for writing it. */
const TOUCH_INTERVAL = 60 * 1000

const expiry = (createdAt: number, now: number) => timestamp(Math.min(now + IDLE_TIME, createdAt + MAX_AGE))

const who = { id: members.id, name: members.name, email: members.email, role: members.role }

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
  const bySession = db
    .select({
      ...who,
      session: { id: sessions.id, createdAt: sessions.createdAt, lastUsedAt: sessions.lastUsedAt },
    })
    .from(sessions)
    .innerJoin(members, eq(members.id, sessions.memberId))
    .where(
      and(
        eq(sessions.tokenHash, given('tokenHash')),
        sql`${sessions.expiresAt} > ${given('now')}`,
        eq(members.disabled, false),
      ),
    )
    .prepare()
  const byToken = db
    .select({ ...who, token: { id: apiTokens.id, scope: apiTokens.scope, lastUsedAt: apiTokens.lastUsedAt } })
    .from(apiTokens)
    .innerJoin(members, eq(members.id, apiTokens.memberId))
    .where(
      and(
        eq(apiTokens.tokenHash, given('tokenHash')),
        sql`coalesce(${apiTokens.expiresAt} > ${given('now')}, true)`,
        eq(members.disabled, false),
      ),
    )
    .prepare()

  return {
    /** Whose session this is; undefined for an unknown or expired one and for a disabled member. */
    findSession: (token: string) => bySession.get({ tokenHash: hashToken(token), now: timestamp() }),

    /** Whose API token this is; undefined for an unknown or expired one and for a disabled member. */
    findToken: (token: string) => byToken.get({ tokenHash: hashToken(token), now: timestamp() }),
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
  const removeByToken = prepareChange(
    db,
    db.delete(sessions).where(eq(sessions.tokenHash, given('tokenHash'))),
  )

  return {
    /** Starts a session for a member; expired ones are cleared away on the occasion. */
    start(memberId: string): SessionCookie {
      const now = Date.now()
      const at = timestamp(now)
      const token = newToken()
      const expiresAt = expiry(now, now)
      removeExpired({ now: at })
      const row = { id: newId(), memberId, tokenHash: hashToken(token), lastUsedAt: at, expiresAt }
      insert({ ...row, createdAt: at, updatedAt: at })
      return { token, expiresAt }
    },

    /** Ends the session of this token, if there is one. */
    end(token: string): void {
      removeByToken({ tokenHash: hashToken(token) })
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
