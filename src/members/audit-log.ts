/** The audit log: sign-ins and their failures, and changes to who may do what. Secrets have no place in it. */

import { desc, inArray, lt } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { type PageQuery, type PlacesAfter, readPage } from '../db/pages.ts'
import { auditLog } from '../db/schema.ts'
import { amongIds, change, given, givenLimit, insertInto, selectAll, selectOne } from '../db/statements.ts'
import type { JsonObject } from '../json.ts'
import { timestamp } from '../time.ts'

/** What is recorded. */
export const AUDIT_ACTIONS = [
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'member-created',
  'member-role-changed',
  'member-email-changed',
  'member-disabled',
  'member-enabled',
  'member-deleted',
  'password-changed',
  'password-reset',
  'session-revoked',
  'token-created',
  'token-revoked',
  'team-changed',
  'project-deleted',
] as const

/** Who acted, and from where: nobody and nowhere for the command line. */
export interface Actor {
  id: string | null
  address: string | null
}

/** Whoever types commands on the machine itself. */
export const COMMAND_LINE: Actor = { id: null, address: null }

/** What happened. */
export interface AuditEntry {
  action: (typeof AUDIT_ACTIONS)[number]
  by: Actor
  /** The id of the member, token, session, team or project that it happened to; null when there is none to name. */
  subjectId: string | null
  /** More to know, e.g. `{ from, to }` of a role. Never a password, token, cookie or hash. */
  metadata?: JsonObject
}

/** An entry as it is kept. */
export type AuditRow = typeof auditLog.$inferSelect

/** Entries that one write prunes, at most, so that it holds nobody up. */
const PRUNED_AT_ONCE = 500

/** After every id: no character comes after this one. */
const AFTER_ALL = '\u{10ffff}'

/** The beginning of ids made at a time (RFC 9562, section 5.7): those made earlier come before it. */
function idPrefixOf(time: number): string {
  const milliseconds = Math.max(0, time).toString(16).padStart(12, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}`
}

function statementsOf(db: SharedDatabase) {
  const oldest = (count: number) =>
    db
      .select({ id: auditLog.id })
      .from(auditLog)
      .where(lt(auditLog.id, given('before')))
      .orderBy(auditLog.id)
      .limit(count)
  return {
    insert: insertInto(db, auditLog),
    before: selectAll<{ id: string }>(db, () =>
      db
        .select({ id: auditLog.id })
        .from(auditLog)
        .where(lt(auditLog.id, given('id')))
        .orderBy(desc(auditLog.id))
        .limit(givenLimit('count')),
    ),
    entries: selectAll<AuditRow>(db, () =>
      db.select().from(auditLog).where(amongIds(auditLog.id)).orderBy(desc(auditLog.id)),
    ),
    oldest: selectOne(() => oldest(1)),
    prune: change(() => db.delete(auditLog).where(inArray(auditLog.id, oldest(PRUNED_AT_ONCE)))),
  }
}

/** The audit log. Ids tell when an entry was made, and in which order. */
export class AuditLog {
  static readonly reads: readonly string[] = ['page', 'hasOlder']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** Records what happened, inside the write in which it happens, so that neither is there without the other. */
  record({ action, by, subjectId, metadata = {} }: AuditEntry): void {
    this.#sql.insert({
      id: newId(),
      action,
      actorId: by.id,
      subjectId,
      address: by.address,
      metadata,
      createdAt: timestamp(),
    })
  }

  /** One page. @returns its entries, newest first, and the cursor of the next page where there is one */
  page(query: PageQuery): { entries: AuditRow[]; next: string | undefined } {
    const newestFirst: PlacesAfter = ({ id }, count) =>
      this.#sql.before({ id: id || AFTER_ALL, count }).map((entry) => ({ ...entry, sortOrder: 0 }))
    return read(this.#db, () => {
      const { ids, next } = readPage(newestFirst, query)
      return { entries: this.#sql.entries({ ids: JSON.stringify(ids) }), next }
    })
  }

  /** Whether there are entries from before a time. @param time milliseconds since 1970 */
  hasOlder(time: number): boolean {
    return this.#sql.oldest({ before: idPrefixOf(time) }) !== undefined
  }

  /** Removes some of the entries from before a time. @returns whether those were all */
  prune(time: number): boolean {
    return this.#sql.prune({ before: idPrefixOf(time) }) < PRUNED_AT_ONCE
  }
}
