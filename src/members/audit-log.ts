/** The audit log: sign-ins and their failures, and changes of access rights. It never holds secrets. */
import { Type } from '@sinclair/typebox'
import { desc, eq, inArray, lt } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { isJsonObject } from '../db/json-text.ts'
import { type JsonPage, type PageQuery, type PlacesAfter, readPage } from '../db/pages.ts'
import { auditLog, members } from '../db/schema.ts'
import { amongIds, change, given, givenLimit, insertInto, selectAll, selectOne } from '../db/statements.ts'
import { ROWS_READ, rowLimit } from '../db/work-limits.ts'
import type { JsonObject } from '../json.ts'
import { once } from '../once.ts'
import { ref } from '../schemas/common.ts'
import { AuditEntrySchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'

/** The recorded actions. */
const AUDIT_ACTIONS = [
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
  'password-link-created',
  'password-link-used',
  'password-link-revoked',
  'invitation-created',
  'invitation-accepted',
  'invitation-revoked',
  'account-linked',
  'session-revoked',
  'token-created',
  'token-revoked',
  'team-changed',
  'project-deleted',
  'webhook-created',
  'webhook-changed',
  'webhook-deleted',
  'webhook-secret-rotated',
  'webhook-deactivated',
  'project-restored',
  'person-forgotten',
  'share-link-created',
  'share-link-revoked',
] as const

/** The actor and its address; id and address are null for the command line and the service itself. */
export interface Actor {
  id: string | null
  /** By default the name of the member with this id. */
  name?: string
  address: string | null
}

export const COMMAND_LINE: Actor = { id: null, name: 'command line', address: null }

/** The actor of the service itself. */
export const SERVICE: Actor = { id: null, name: 'service', address: null }

/** An entry to record. */
export interface AuditEntry {
  action: (typeof AUDIT_ACTIONS)[number]
  by: Actor
  /** The id of the member, token, session, link, team, project or webhook acted on; null for none. */
  subjectId: string | null
  /** The name of the subject or its owner: a text, or a member whose name is looked up; null if unknown. */
  subject: string | { memberId: string } | null
  /** Details, e.g. `{ from, to }` of a role. Never a password, token, cookie, hash, or secret of a webhook. */
  metadata?: JsonObject
}

type AuditRow = typeof auditLog.$inferSelect

/** Most entries that one write prunes, so that it does not block the event loop. */
const PRUNED_AT_ONCE = 500

/** Sorts after every id: the last code point. */
const AFTER_ALL = '\u{10ffff}'

/** The prefix of ids created at a time (RFC 9562, section 5.7): earlier ids sort before it. @param time milliseconds since 1970 */
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
    nameOf: selectOne(db, () =>
      db
        .select({ name: members.name })
        .from(members)
        .where(eq(members.id, given('id'))),
    ),
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
    oldest: selectOne(db, () => oldest(1)),
    limit: rowLimit(db, 'audit_log', ROWS_READ),
    prune: change(() => db.delete(auditLog).where(inArray(auditLog.id, oldest(PRUNED_AT_ONCE)))),
  }
}

/** The actions on a member's credentials, whose subject has the member's name, as SQL. */
const OF_MEMBERS = AUDIT_ACTIONS.filter((action) => /^(session|token|password-link|account)-/.test(action))
  .map((action) => `'${action}'`)
  .join(', ')

/** An entry's details without the subject's emails, as SQL. */
const ANONYMOUS = `case action when 'member-email-changed' then json_replace(metadata, '$.from', null, '$.to', null)
  else json_replace(metadata, '$.email', null) end`

/** Statements that erase a name from the entries. */
const erasersOf = ({ $client: client }: SharedDatabase) =>
  [
    `update audit_log set actor = iif(actor_id = :id, null, actor),
      subject = iif(subject_id = :id or subject = :name, null, subject),
      metadata = iif(subject_id = :id and ${isJsonObject('metadata')}, ${ANONYMOUS}, metadata)
      where actor_id = :id or subject_id = :id`,
    `update audit_log set subject = null where subject = :name and action in (${OF_MEMBERS})
      and not exists (select 1 from members where name = :name union all select 1 from people where name = :name)`,
  ].map((sql) => client.prepare<[object]>(sql))

/** The audit log. Its ids, UUIDv7, sort entries by time. */
export class AuditLog {
  static readonly reads: readonly string[] = ['page', 'hasOlder']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #erasers: () => ReturnType<typeof erasersOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(AuditEntrySchema)))

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#erasers = once(() => erasersOf(db))
  }

  /** Records an entry. Call it inside the write of the action, so that both are committed or neither. */
  record({ action, by, subjectId, subject, metadata = {} }: AuditEntry): void {
    this.#sql.insert({
      id: newId(),
      action,
      actorId: by.id,
      actor: by.name ?? this.#nameOf(by.id),
      subjectId,
      subject: typeof subject === 'object' ? this.#nameOf(subject?.memberId ?? null) : subject,
      address: by.address,
      metadata,
      createdAt: timestamp(),
    })
  }

  /**
   * Erases the name of a forgotten person from all entries, as actor and subject.
   * It scans all of them.
   */
  forget({ id, name }: { id: string; name: string }): void {
    for (const eraser of this.#erasers()) eraser.run({ id, name })
  }

  #nameOf(id: string | null): string | null {
    return id === null ? null : (this.#sql.nameOf({ id })?.name ?? null)
  }

  /** One page of the entries, newest first; without a limit all of them. @throws TooMuchWork */
  page(query: PageQuery): JsonPage {
    const newestFirst: PlacesAfter = (place, count) =>
      this.#sql
        .before({ id: place?.id || AFTER_ALL, count })
        .map((entry) => ({ ...entry, key: 0, text: null }))
    return read(this.#db, () => {
      if (query.limit === undefined) this.#sql.limit()
      const { ids, next } = readPage(newestFirst, query)
      return { body: this.#toJson(this.#sql.entries({ ids: JSON.stringify(ids) })), next }
    })
  }

  /** Whether there are entries from before a time. @param time milliseconds since 1970 */
  hasOlder(time: number): boolean {
    return this.#sql.oldest({ before: idPrefixOf(time) }) !== undefined
  }

  /** Deletes some of the entries from before a time. @param time milliseconds since 1970 @returns whether there are more */
  prune(time: number): boolean {
    return this.#sql.prune({ before: idPrefixOf(time) }) === PRUNED_AT_ONCE
  }
}
