/** Sessions and API tokens: how a credential becomes a member. */
import { and, eq, lte, sql } from 'drizzle-orm'
import { type SharedDatabase, withoutWaiting, write } from './db/client.ts'
import { apiTokens, members, sessions } from './db/schema.ts'
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
 * @returns the session and token operations
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
        eq(sessions.tokenHash, sql.placeholder('tokenHash')),
        sql`${sessions.expiresAt} > ${sql.placeholder('now')}`,
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
        eq(apiTokens.tokenHash, sql.placeholder('tokenHash')),
        sql`coalesce(${apiTokens.expiresAt} > ${sql.placeholder('now')}, true)`,
        eq(members.disabled, false),
      ),
    )
    .prepare()

  return {
    /** Starts a session for a member; expired ones are cleared away on the occasion. */
    start(memberId: string): SessionCookie {
      const now = Date.now()
      const token = newToken()
      const expiresAt = expiry(now, now)
      const at = timestamp(now)
      const row = { id: newId(), memberId, tokenHash: hashToken(token) }
      write(db, (tx) => {
        tx.delete(sessions).where(lte(sessions.expiresAt, at)).run()
        tx.insert(sessions)
          .values({ ...row, lastUsedAt: at, expiresAt, createdAt: at, updatedAt: at })
          .run()
      })
      return { token, expiresAt }
    },

    /** Ends the session of this token, if there is one. */
    end(token: string): void {
      db.delete(sessions)
        .where(eq(sessions.tokenHash, hashToken(token)))
        .run()
    },

    /** Whose session this is; undefined for an unknown or expired one and for a disabled member. */
    findSession: (token: string) => bySession.get({ tokenHash: hashToken(token), now: timestamp() }),

    /** Whose API token this is; undefined for an unknown or expired one and for a disabled member. */
    findToken: (token: string) => byToken.get({ tokenHash: hashToken(token), now: timestamp() }),

    /**
     * Notes that a session is in use and moves its end, when the last note is old enough.
     * @returns the new end when it moved, so that the cookie's can follow
     */
    touchSession({ id, createdAt, lastUsedAt }: { id: string; createdAt: string; lastUsedAt: string }) {
      const now = Date.now()
      if (now - Date.parse(lastUsedAt) < TOUCH_INTERVAL) return undefined
      const expiresAt = expiry(Date.parse(createdAt), now)
      const at = timestamp(now)
      withoutWaiting(db, () =>
        db
          .update(sessions)
          .set({ lastUsedAt: at, expiresAt, updatedAt: at })
          .where(eq(sessions.id, id))
          .run(),
      )
      return expiresAt
    },

    /** Notes that an API token is in use, when the last note is old enough. */
    touchToken({ id, lastUsedAt }: { id: string; lastUsedAt: string | null }): void {
      const now = Date.now()
      if (lastUsedAt !== null && now - Date.parse(lastUsedAt) < TOUCH_INTERVAL) return
      const at = timestamp(now)
      withoutWaiting(db, () => db.update(apiTokens).set({ lastUsedAt: at }).where(eq(apiTokens.id, id)).run())
    },
  }
}
