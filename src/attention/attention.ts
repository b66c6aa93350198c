/** The rules of attention: one instance per connection. */
import { eq, sql } from 'drizzle-orm'
import { type Assigned, withAssignees } from '../board/assignees.ts'
import type { Board } from '../board/board.ts'
import type { SharedDatabase } from '../db/client.ts'
import { itemWatches, kanbanItems, projects } from '../db/schema.ts'
import { given, selectOne } from '../db/statements.ts'
import { once } from '../once.ts'
import { type ItemTime, ItemTimes } from './item-times.ts'
import { LocalTimes } from './local-times.ts'
import { type NewNotification, Notifications } from './notifications.ts'
import type { LiveItem } from './planner.ts'
import { Recipients } from './recipients.ts'
import { CONSUMER, type FoundWatch, Watchers } from './watchers.ts'

/** Notifications of one write to one member: all are stored in one transaction, or none. */
export interface NotificationsOfWrite {
  /** Its first and last change. */
  first: number
  last: number
  notifications: readonly NewNotification[]
}

/** Results of the consumer, to store in one transaction. */
export interface Results {
  notifications: readonly NotificationsOfWrite[]
  watches: readonly FoundWatch[]
  items: readonly (readonly [id: string, changedAt: string])[]
  /** Its position in the sequence; undefined: in the middle of a write. */
  after: number | undefined
}

/** The kinds of records that can be watched. */
type WatchedThing = 'item' | 'project'

/** A range of changes without notifications. */
export interface QuietRange {
  first: number
  last: number
  /** When they were made, a timestamp; null in a row of an earlier version. */
  at: string | null
}

/** The watches of items or projects to which no record and no change refers any more, so that no undo can restore them. */
const leftoversIn =
  ({ $client: client }: SharedDatabase) =>
  (what: WatchedThing, table: string) => {
    const isLeftOver = `not exists (select 1 from main.${table} where id = watch.${what}_id)
      and not exists (select 1 from change_subjects where subject = watch.${what}_id)`
    const watches = `${what}_watches as watch`
    return {
      some: once(() =>
        client.prepare<[object], { place: number; isLeftOver: number }>(
          `select watch.rowid as place, ${isLeftOver} as isLeftOver from ${watches}
          where watch.rowid > +:after order by watch.rowid limit ${EXAMINED_AT_ONCE}`,
        ),
      ),
      remove: once(() =>
        client.prepare<[object]>(
          `delete from ${watches} where watch.rowid in (select value from json_each(:places)) and ${isLeftOver}`,
        ),
      ),
    }
  }

/** Changes after one that are examined: some 0.4 ms. The consumer is usually right behind. */
const LOOKED_AHEAD = 1000

/** Watches that one read examines: some milliseconds. */
const EXAMINED_AT_ONCE = 1000

/** Whether an item has watches of its own. */
const isWatched = sql<0 | 1>`exists (
  select 1 from ${itemWatches} as "watch" where "watch"."item_id" = "kanban_items"."id")`

const statementsOf = (db: SharedDatabase) => {
  const { $client: client } = db
  const prepare = <Row>(text: string) => once(() => client.prepare<[object], Row>(text))
  const { id, projectId, title, assigneeId, assigneeIds } = kanbanItems
  const leftoversOf = leftoversIn(db)
  return {
    item: selectOne<Omit<LiveItem, 'isWatched'> & Assigned & { isWatched: 0 | 1 }>(db, () =>
      db
        .select({ projectId, title, assigneeId, assigneeIds, isWatched })
        .from(kanbanItems)
        .where(eq(id, given('id'))),
    ),
    project: selectOne<{ name: string }>(db, () =>
      db
        .select({ name: projects.name })
        .from(projects)
        .where(eq(projects.id, given('id'))),
    ),
    assignedAfter: prepare(
      `select 1 from main.changes as changes where seq > +:seq and seq <= :seq + ${LOOKED_AHEAD}
      and item_id = :itemId and kind = 'kanban-item' and instr("after", '"assigneeId') > 0 limit 1`,
    ),
    place: prepare<{ after: number }>('select after from consumers where name = :name'),
    setPlace: prepare(
      'insert into consumers (name, after) values (:name, :after) on conflict do update set after = excluded.after',
    ),
    quiet: prepare<QuietRange>(
      'select first, last, at from quiet_changes where last > :after and first <= :to order by first',
    ),
    forgetQuiet: prepare('delete from quiet_changes where first <= +:after and last <= +:after'),
    /** Watches of items and projects to which no change refers any more, so that no undo can restore them. */
    leftovers: { item: leftoversOf('item', 'kanban_items'), project: leftoversOf('project', 'projects') },
  }
}

/** Watches, notifications, and the times of items. */
export class Attention {
  static readonly reads: readonly string[] = ['item', 'projectName', 'place', 'quietRanges', 'leftovers']
  readonly watchers: Watchers
  readonly notifications: Notifications
  readonly times: ItemTimes
  readonly localTimes: LocalTimes
  readonly recipients: Recipients
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase, board: Pick<Board, 'records' | 'columnNames'>) {
    this.#sql = statementsOf(db)
    this.watchers = new Watchers(db)
    this.notifications = new Notifications(db)
    this.times = new ItemTimes(db, board.columnNames)
    this.localTimes = new LocalTimes(db)
    this.recipients = new Recipients(db)
  }

  /** The current item; undefined if it does not exist. */
  item(id: string): LiveItem | undefined {
    const item = this.#sql.item({ id })
    return item && { ...withAssignees(item), isWatched: item.isWatched === 1 }
  }

  /** Whether an item was assigned soon after a change: then its current assignees are not notified of that change. */
  isAssignedAfter(itemId: string, seq: number): boolean {
    return this.#sql.assignedAfter().get({ itemId, seq }) !== undefined
  }

  /** The name of a project; empty if it does not exist. */
  projectName(id: string): string {
    return this.#sql.project({ id })?.name ?? ''
  }

  /** The position of the consumer; undefined before its first start. */
  place(): number | undefined {
    return this.#sql.place().get({ name: CONSUMER })?.after
  }

  /** The ranges of changes without notifications, after one change, up to another. */
  quietRanges(after: number, to: number): QuietRange[] {
    return this.#sql.quiet().all({ after, to })
  }

  /** Stores the position of the consumer. */
  setPlace(after: number): void {
    this.#sql.setPlace().run({ name: CONSUMER, after })
    this.#sql.forgetQuiet().run({ after })
  }

  /**
   * Stores results of the consumer. If the service ended in the middle of a write, members with a notification of this write get no other
   * one, even if it would be different now.
   */
  store({ notifications: ofWrites, watches, items, after }: Results): void {
    for (const watch of watches) this.watchers.find(watch)
    for (const [id, changedAt] of items) this.times.refresh(id, changedAt)
    const isNew = ({ first, last, notifications: [one] }: NotificationsOfWrite) =>
      one !== undefined && !this.notifications.wasNotified(one.memberId, first, last)
    this.notifications.add(ofWrites.filter(isNew).flatMap(({ notifications }) => notifications))
    if (after !== undefined) this.setPlace(after)
  }

  /**
   * Stores the notifications of due times, and removes the times of which all watchers are notified.
   * @param lookedAt the time of a look at the local times, once all its notifications are stored
   */
  storeTimes(
    notifications: readonly NewNotification[],
    passed: readonly ItemTime[],
    lookedAt?: number,
  ): void {
    this.notifications.add(notifications)
    for (const time of passed) this.times.pass(time)
    if (lookedAt !== undefined) this.localTimes.setLookedAt(lookedAt)
  }

  /**
   * Finds watches of records that no undo can restore, some at a time.
   * @param after the place to continue from
   * @returns those, and where to continue; undefined: there are no more
   */
  leftovers(what: WatchedThing, after: number): { places: number[]; next: number | undefined } {
    const some = this.#sql.leftovers[what].some().all({ after })
    const places = some.filter(({ isLeftOver }) => isLeftOver === 1).map(({ place }) => place)
    return { places, next: some.length < EXAMINED_AT_ONCE ? undefined : some.at(-1)?.place }
  }

  /** Deletes these. */
  forgetLeftovers(what: WatchedThing, places: readonly number[]): void {
    this.#sql.leftovers[what].remove().run({ places: JSON.stringify(places) })
  }
}
