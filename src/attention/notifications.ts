/** Notifications of members, and whether they are read. */
import { Type } from '@sinclair/typebox'
import { and, desc, eq, inArray, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { newIdAfter } from '../db/ids.ts'
import { currentText } from '../db/notification-texts.ts'
import { type JsonPage, type PageQuery, type PlacesAfter, readPage } from '../db/pages.ts'
import { scopeOf } from '../db/row-security.ts'
import { notifications } from '../db/schema.ts'
import { amongIds, change, given, givenLimit, selectAll, selectOne } from '../db/statements.ts'
import { ROWS_SCANNED, rowLimit } from '../db/work-limits.ts'
import { notFound } from '../errors.ts'
import { once } from '../once.ts'
import { ref } from '../schemas/common.ts'
import { type Notification, NotificationSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'

/** The kinds of notifications. If several apply to one change and member, the first of these is used. */
export const NOTIFICATION_KINDS = [
  'assigned',
  'mentioned',
  'commented',
  'moved',
  'due',
  'unblocked',
  'lease-lapsed',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** Default number of notifications per page. */
const LIMIT = 100

/** Most that are counted. */
const COUNTED = 1000

/** Most that one request marks as read, and that one write prunes: some 10 ms. */
const READ_AT_ONCE = 2000
const PRUNED_AT_ONCE = 500

/** Sorts after every id: the last code point. */
const AFTER_ALL = '\u{10ffff}'

/** A notification to store. */
export type NewNotification = Omit<Notification, 'id' | 'createdAt' | 'readAt'> & {
  memberId: string
  /** The time of a reminder or lease; null for a change. */
  dueAt: string | null
}

/** Filters of a member's notifications. */
interface NotificationQuery extends PageQuery {
  isUnread?: boolean
  kinds?: readonly string[]
}

const { memberId, id, kind, itemId, projectId, actorId, seq, title, count, readAt, createdAt } = notifications
/** See `currentText`. */
const text = sql<string>`${sql.raw(currentText('notifications'))}`.as('shown_text')

/** The columns that responses show. */
const shown = { id, kind, itemId, projectId, actorId, seq, title, text, count, createdAt, readAt }

/**
 * Condition: it is not about a time in which its project was `assigned`, and its owner a person of the host who was not in it. Other owners were only told of
 * what they saw; the rights of a host's people are only known in their requests, and those of now do not tell what they saw then.
 */
const wasSeen = sql`not (
  exists (select 1 from main.people where id = ${given('memberId')} and kind = 'host')
  and exists (select 1 from main.restrictions as past where past.project_id = ${projectId} and past.first_seq <= ${seq}
    and (${seq} <= past.last_seq
      or past.last_seq is null and not exists (select 1 from main.projects where id = past.project_id))
    and not exists (select 1 from json_each(past.member_ids) where value = ${given('memberId')})))`

function statementsOf(db: SharedDatabase) {
  const { $client: client } = db
  const isOwn = and(eq(memberId, given('memberId')), wasSeen)
  const isUnread = isNull(readAt)
  const before = (condition?: SQL) =>
    selectAll<{ id: string }>(db, () =>
      db
        .select({ id })
        .from(notifications)
        .where(and(isOwn, lt(id, given('id')), condition))
        .orderBy(desc(id))
        .limit(givenLimit('count')),
    )
  const isOfKind = sql`${kind} in (select value from json_each(${given('kinds')}))`
  return {
    limitScan: rowLimit(db, 'main.notifications where member_id = +?', ROWS_SCANNED),
    all: before(),
    unread: before(isUnread),
    ofKind: before(isOfKind),
    unreadOfKind: before(and(isUnread, isOfKind)),
    several: selectAll<Notification>(db, () =>
      db.select(shown).from(notifications).where(amongIds(id)).orderBy(desc(id)),
    ),
    one: selectOne<Notification>(db, () =>
      db
        .select(shown)
        .from(notifications)
        .where(and(eq(id, given('id')), isOwn)),
    ),
    set: change(() =>
      db
        .update(notifications)
        .set({ readAt: sql`${sql.placeholder('readAt')}` })
        .where(and(eq(id, given('id')), isOwn)),
    ),
    readUpTo: change(() =>
      db
        .update(notifications)
        .set({ readAt: sql`${sql.placeholder('readAt')}` })
        .where(
          inArray(
            id,
            db
              .select({ id })
              .from(notifications)
              .where(and(isOwn, isUnread, lte(id, given('upTo'))))
              .orderBy(desc(id))
              .limit(givenLimit('count')),
          ),
        ),
    ),
    older: selectOne(db, () =>
      db
        .select({ id })
        .from(notifications)
        .where(lt(createdAt, given('before')))
        .limit(1),
    ),
    prune: change(() =>
      db.delete(notifications).where(
        inArray(
          id,
          db
            .select({ id })
            .from(notifications)
            .where(lt(createdAt, given('before')))
            .orderBy(createdAt)
            .limit(PRUNED_AT_ONCE),
        ),
      ),
    ),
    wasNotified: once(() =>
      client
        .prepare<[object], number>(
          'select 1 from notifications where member_id = :memberId and seq between :first and :last limit 1',
        )
        .pluck(),
    ),
    insert: once(() =>
      client.prepare<[object]>(
        `insert into notifications (id, member_id, kind, item_id, project_id, actor_id, seq, title, text, count, due_at, created_at)
        values (:id, :memberId, :kind, :itemId, :projectId, :actorId, :seq, :title, :text, :count, :dueAt, :createdAt)
        on conflict do nothing`,
      ),
    ),
    newestId: once(() => client.prepare<[], string | null>('select max(id) from main.notifications').pluck()),
    newest: once(() =>
      client.prepare<[], number | null>('select max(rowid) from main.notifications').pluck(),
    ),
    after: once(() =>
      client.prepare<[number, number], StoredNotification>(
        `select rowid as place, id, member_id as memberId, kind, item_id as itemId, project_id as projectId,
          actor_id as actorId, seq, title, ${currentText('notifications')} as text, count, created_at as createdAt, read_at as readAt
        from main.notifications where rowid > +? order by rowid limit +?`,
      ),
    ),
  }
}

/** A stored notification, with its place among all. */
type StoredNotification = Notification & { memberId: string; place: number }

/** The notifications. A member, even an admin, can read only its own ones, of records that it can see now (see `src/db/row-security.ts`). */
export class Notifications {
  static readonly reads: readonly string[] = ['page', 'get', 'count', 'hasOlder', 'newest', 'after']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(NotificationSchema)))

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** A page of a member's notifications, newest first. @throws TooMuchWork */
  page(
    owner: string,
    { isUnread = false, kinds = [], limit = LIMIT, ...query }: NotificationQuery,
  ): JsonPage {
    const { all, unread, ofKind, unreadOfKind } = this.#sql
    const plain = isUnread ? unread : all
    const statement = kinds.length === 0 ? plain : isUnread ? unreadOfKind : ofKind
    const newestFirst: PlacesAfter = (place, count) =>
      statement({
        memberId: owner,
        id: place?.id || AFTER_ALL,
        count,
        kinds: JSON.stringify(kinds),
      }).map((one) => ({ ...one, key: 0, text: null }))
    this.#limitScan(owner, kinds.length > 0)
    return read(this.#db, () => {
      const { ids, next } = readPage(newestFirst, { ...query, limit })
      return { body: this.#toJson(this.#sql.several({ ids: JSON.stringify(ids) })), next }
    })
  }

  /** One of a member's notifications. @throws ApiError 404 */
  get(id: string, owner: string): Notification {
    const found = this.#sql.one({ id, memberId: owner })
    if (found === undefined) throw notFound('Notification')
    return found
  }

  /** The number of a member's unread notifications, at most {@link COUNTED}. @throws TooMuchWork */
  count(owner: string): { unread: number } {
    this.#limitScan(owner)
    const found = this.#sql.unread({ memberId: owner, id: AFTER_ALL, count: COUNTED })
    return { unread: found.length }
  }

  /** Marks one as read, or as unread; one that is read keeps the time. @throws ApiError 404 */
  setRead(id: string, owner: string, isRead: boolean): Notification {
    const before = this.get(id, owner)
    if (isRead === (before.readAt !== null)) return before
    this.#sql.set({ id, memberId: owner, readAt: isRead ? timestamp() : null })
    return this.get(id, owner)
  }

  /**
   * Marks a member's notifications up to one as read, the newest {@link READ_AT_ONCE} of them.
   * @returns the number of unread ones
   * @throws ApiError 404; TooMuchWork
   */
  readUpTo(upTo: string, owner: string): { unread: number } {
    this.#limitScan(owner)
    if (this.#sql.one({ id: upTo, memberId: owner }) === undefined) throw notFound('Notification', [upTo])
    this.#sql.readUpTo({ memberId: owner, upTo, count: READ_AT_ONCE, readAt: timestamp() })
    return this.count(owner)
  }

  /**
   * Refuses to scan more notifications than the event loop may, if some are skipped: those of other kinds, or outside of the scope.
   * @throws TooMuchWork
   */
  #limitScan(owner: string, hasKinds = false): void {
    if (hasKinds || scopeOf(this.#db) !== undefined) this.#sql.limitScan(owner)
  }

  /** Whether a member has a notification of a write. @param first the first change of the write, `last` the last */
  wasNotified(owner: string, first: number, last: number): boolean {
    return this.#sql.wasNotified().get({ memberId: owner, first, last }) === 1
  }

  /** Stores some, unless the member already has the same. Their ids sort after all others, even if the clock has been set back. */
  add(some: readonly NewNotification[]): void {
    let newest = some.length > 0 ? (this.#sql.newestId().get() ?? '') : ''
    for (const one of some) {
      newest = newIdAfter(newest)
      this.#sql.insert().run({ ...one, id: newest, createdAt: timestamp() })
    }
  }

  /** The place of the newest of all. */
  newest(): number {
    return this.#sql.newest().get() ?? 0
  }

  /** The stored notifications of all members after a place, the oldest first. */
  after(place: number, count: number): StoredNotification[] {
    return this.#sql.after().all(place, count)
  }

  /** Whether there are some from before a time. @param time milliseconds since 1970 */
  hasOlder(time: number): boolean {
    return this.#sql.older({ before: timestamp(time) }) !== undefined
  }

  /** Deletes some from before a time. @param time milliseconds since 1970 @returns whether there are more */
  prune(time: number): boolean {
    return this.#sql.prune({ before: timestamp(time) }) === PRUNED_AT_ONCE
  }
}
