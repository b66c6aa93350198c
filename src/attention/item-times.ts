/** The times at which the watchers of items are notified: reminders, and the ends of leases. */
import { eq } from 'drizzle-orm'
import type { ColumnNames } from '../board/column-names.ts'
import { isLocal, timesOf } from '../board/reminders.ts'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanItems } from '../db/schema.ts'
import { given, selectOne } from '../db/statements.ts'
import { once } from '../once.ts'
import { timestamp } from '../time.ts'
import { LOOKS, reachedEverywhere } from './local-times.ts'

export interface ItemTime {
  itemId: string
  kind: 'due' | 'lease-lapsed'
  /** A timestamp, or a local time. */
  at: string
  /** When a local time was set, a timestamp; null for a timestamp. */
  since: string | null
}

/** An item with a due time. */
export interface DueItem {
  id: string
  projectId: string
  title: string
  assigneeId: string | null
  assigneeIds: string[]
  dueDate: string | null
}

const { id, projectId, title, column, assigneeId, assigneeIds, dueDate, dismissed, claimedUntil, reminders } =
  kanbanItems

const statementsOf = (db: SharedDatabase) => {
  const { $client: client } = db
  const prepare = <Row>(text: string) => once(() => client.prepare<[object], Row>(text))
  const ofTime = 'item_id = :itemId and kind = :kind and at = :at'
  return {
    item: selectOne(db, () =>
      db
        .select({
          id,
          projectId,
          title,
          column,
          assigneeId,
          assigneeIds,
          dueDate,
          dismissed,
          claimedUntil,
          reminders,
        })
        .from(kanbanItems)
        .where(eq(id, given('id'))),
    ),
    stored: prepare<Pick<ItemTime, 'kind' | 'at'>>('select kind, at from item_times where item_id = :itemId'),
    add: prepare(
      'insert or ignore into item_times (item_id, kind, at, since) values (:itemId, :kind, :at, :since)',
    ),
    remove: prepare(`delete from item_times where ${ofTime}`),
    removeAll: prepare('delete from item_times where item_id = :itemId'),
    next: once(() =>
      client.prepare<[], string | null>('select min(at) from item_times where since is null').pluck(),
    ),
    due: prepare<ItemTime>(
      `select item_id as itemId, kind, at, since from item_times where since is null and at <= :now
      order by at, rowid limit +:count`,
    ),
    lookAgain: prepare('update consumers set after = :time where name = :name and after > :time'),
  }
}

type Statements = ReturnType<typeof statementsOf>

/** Updates the times of an item, see `ItemTimes.refresh`. */
function refresh(sql: Statements, itemId: string, changedAt: string): void {
  const item = sql.item({ id: itemId })
  if (item === undefined) {
    sql.removeAll().run({ itemId })
    return
  }
  const wanted = [
    ...timesOf(item.reminders, item.dueDate).map((at) => ({ kind: 'due', at })),
    ...(item.claimedUntil === null ? [] : [{ kind: 'lease-lapsed', at: item.claimedUntil }]),
  ]
  for (const { kind, at } of sql.stored().all({ itemId })) {
    if (!wanted.some((one) => one.kind === kind && one.at === at)) sql.remove().run({ itemId, kind, at })
  }
  const time = Date.parse(changedAt) || 0
  const reached = wanted.some(({ at }) => isLocal(at)) ? reachedEverywhere(time) : ''
  for (const { kind, at } of wanted) {
    if (!isLocal(at)) {
      if (at > changedAt) sql.add().run({ itemId, kind, at, since: null })
    } else if (at > reached) {
      sql.add().run({ itemId, kind, at, since: changedAt })
      // The last look may have been between the change and now.
      sql.lookAgain().run({ name: LOOKS, time })
    }
  }
}

/**
 * Adds the times of all items that are still to come. Otherwise they follow from the changes, but an import that replaces
 * all changes has only those that the exporting service still had. Call it inside the write.
 */
export function addAllTimes(db: SharedDatabase): void {
  const sql = statementsOf(db)
  const now = timestamp()
  const timed = db.$client
    .prepare<[], string>("select id from kanban_items where reminders <> '[]' or claimed_until is not null")
    .pluck()
  for (const itemId of timed.all()) refresh(sql, itemId, now)
}

/** The index of the times to come. Local ones are read by `LocalTimes`. */
export class ItemTimes {
  static readonly reads: readonly string[] = ['next', 'due', 'itemAt']
  readonly #sql: Statements
  readonly #columnNames: Pick<ColumnNames, 'isDone'>

  constructor(db: SharedDatabase, columnNames: Pick<ColumnNames, 'isDone'>) {
    this.#sql = statementsOf(db)
    this.#columnNames = columnNames
  }

  /** The next time, if any. */
  next(): string | null {
    return this.#sql.next().get() ?? null
  }

  /** Due times, the earliest first. @param now a timestamp */
  due(now: string, count: number): ItemTime[] {
    return this.#sql.due().all({ now, count })
  }

  /**
   * Updates the times of an item. It adds no times that had passed when the item was changed: a due date in the
   * past causes no reminder.
   * @param changedAt a timestamp
   */
  refresh(itemId: string, changedAt: string): void {
    refresh(this.#sql, itemId, changedAt)
  }

  /** The item of a due time; undefined if it causes no notification: the item has other times now, is dismissed, done or deleted. */
  itemAt({ itemId, kind, at }: ItemTime): DueItem | undefined {
    const item = this.#sql.item({ id: itemId })
    if (item === undefined || item.dismissed) return undefined
    if (kind === 'lease-lapsed') return item.claimedUntil === at ? item : undefined
    if (!timesOf(item.reminders, item.dueDate).includes(at)) return undefined
    return this.#columnNames.isDone(item.projectId, item.column) ? undefined : item
  }

  /** Removes a time of which all watchers are notified. */
  pass({ itemId, kind, at }: ItemTime): void {
    this.#sql.remove().run({ itemId, kind, at })
  }
}
