/** The audit trail: sign-ins and their failures, and what changes who may do what. Secrets have no place in it. */

import { desc, inArray, lt } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import {
  amongIds,
  given,
  givenNumber,
  prepareChange,
  prepareInsert,
  prepareRows,
} from '../db/old-statements.ts'
import { type PageQuery, type PlacesAfter, readPage } from '../db/pages.ts'
import { auditLog } from '../db/schema.ts'
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

/**
 * Prepares the writing of the audit trail.
 * @returns the writer. Call it inside the write of what it records, so that neither is there without the other
 */
export function prepareAuditLog(db: SharedDatabase) {
  const insert = prepareInsert(db, auditLog)
  return ({ action, by, subjectId, metadata = {} }: AuditEntry): void => {
    insert({
      id: newId(),
      action,
      actorId: by.id,
      subjectId,
      address: by.address,
      metadata,
      createdAt: timestamp(),
    })
  }
}

/** Entries that are removed in one write, at most, so that it holds nobody up. */
const SLICE = 500

/** The beginning of ids made at a time (RFC 9562, section 5.7): those made earlier come before it. */
function idPrefixOf(time: number): string {
  const milliseconds = Math.max(0, time).toString(16).padStart(12, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}`
}

/**
 * Prepares the end of what is old in the audit trail: ids tell when an entry was made.
 * @returns whether there is anything older than a time (milliseconds since 1970); and the removal of some of it, inside a
 * write, which returns whether that was all
 */
export function prepareAuditPruning(db: SharedDatabase) {
  const isOld = lt(auditLog.id, given('before'))
  const oldest = (count: number) =>
    db.select({ id: auditLog.id }).from(auditLog).where(isOld).orderBy(auditLog.id).limit(count)
  const first = prepareRows(db, oldest(1))
  const remove = prepareChange(db, db.delete(auditLog).where(inArray(auditLog.id, oldest(SLICE))))
  return {
    hasOlder: (time: number): boolean => first.get({ before: idPrefixOf(time) }) !== undefined,
    removeOlder: (time: number): boolean => remove({ before: idPrefixOf(time) }) < SLICE,
  }
}

/** Stands after every id: no character does after this one. */
const BEYOND_ALL = '\u{10ffff}'

/**
 * Prepares the reading of the audit trail.
 * @returns the reader of a page: its entries, newest first, and the cursor of the next page, where there is more
 */
export function createAuditLogPages(db: SharedDatabase) {
  const older = prepareRows<{ id: string }>(
    db,
    db
      .select({ id: auditLog.id })
      .from(auditLog)
      .where(lt(auditLog.id, given('id')))
      .orderBy(desc(auditLog.id))
      .limit(givenNumber('count')),
  )
  const entries = prepareRows(
    db,
    db.select().from(auditLog).where(amongIds(auditLog.id)).orderBy(desc(auditLog.id)),
  )
  const newestFirst: PlacesAfter = ({ id }, count) =>
    older.all({ id: id || BEYOND_ALL, count }).map((entry) => ({ ...entry, sortOrder: 0 }))
  return (query: PageQuery) =>
    read(db, () => {
      const { ids, next } = readPage(newestFirst, query)
      return { entries: entries.all({ ids: JSON.stringify(ids) }), next }
    })
}
