/** Claims: a member takes the next item of a column, exclusively, for a limited time. */
import { and, asc, eq, isNotNull, lte, not, or, type SQL, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { inOrder, type Place } from '../db/ordering.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels, projects } from '../db/schema.ts'
import { amongValues, byFields, change, existsIn, given, selectAll } from '../db/statements.ts'
import { ROWS_SCANNED, rowLimit } from '../db/work-limits.ts'
import { conflict, ensureValid, notOwner } from '../errors.ts'
import type { CurrentMember, KanbanItem } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import type { ColumnNames } from './column-names.ts'
import { foldedNames } from './folded-names.ts'
import type { ItemRecords, ItemRow } from './item-records.ts'
import type { Items, WriteOptions } from './items.ts'
import { isUnassigned, NO_LEASE, originOf, toClaimedFrom } from './leases.ts'
import { isInColumn } from './places.ts'

/** The default duration of a lease, in seconds. */
const LEASE_SECONDS = 15 * 60

/** The options of a claim. */
interface ClaimInput {
  /** The column to take an item from. */
  from?: string
  /** The column to move the claimed item to. */
  to?: string
  /** The id or name of a label of the item. */
  label?: string
  priority?: string
  leaseSeconds?: number
}

const { id, sortOrder, column, claimedUntil, claimedFrom, assigneeId, priority } = kanbanItems

const isWorkable = and(eq(kanbanItems.approved, sql`1`), eq(kanbanItems.dismissed, sql`0`))

/** The conditions on an item besides its column, by the name of the placeholder. */
const ASKED: Readonly<Record<string, SQL>> = {
  priority: eq(priority, given('priority')),
  labels: sql`exists (select 1 from ${kanbanItemLabels} where ${kanbanItemLabels.itemId} = ${id}
    and ${amongValues(kanbanItemLabels.labelId, 'labels')})`,
}

const isAsked = (names: string[]) => and(...names.map((name) => ASKED[name]))

/** The column that an item was claimed from; NULL if unknown. */
const originColumn = sql`case when json_valid(${claimedFrom}) then ${claimedFrom} ->> 'column' end`

/** An item's position in the column that it was claimed from, if that is the requested column; else its current one. */
const originPlace = sql<number>`case when ${originColumn} = ${given('column')}
  and typeof(${claimedFrom} ->> 'sortOrder') in ('integer', 'real') then ${claimedFrom} ->> 'sortOrder'
  else ${sortOrder} end`

function statementsOf(db: SharedDatabase) {
  return {
    projectExists: existsIn(db, projects),
    labels: selectAll(db, () =>
      db
        .select({ id: kanbanLabels.id })
        .from(kanbanLabels)
        .where(
          and(
            eq(kanbanLabels.projectId, given('projectId')),
            or(amongValues(kanbanLabels.id, 'names'), amongValues(kanbanLabels.name, 'names')),
          ),
        ),
    ),
    /** The first unassigned item of a column. */
    free: byFields((names) =>
      selectAll<Place>(db, () =>
        db
          .select({ id, sortOrder })
          .from(kanbanItems)
          .where(and(isInColumn, sql`ifnull(${assigneeId}, '') = ''`, isWorkable, isAsked(names)))
          .orderBy(...inOrder(kanbanItems))
          .limit(1),
      ),
    ),
    /** The first item with an expired lease that is in a column, or was claimed from there and is not done. */
    lapsed: byFields((names) =>
      selectAll<Place>(db, () =>
        db
          .select({ id, sortOrder: originPlace as never })
          .from(kanbanItems)
          .where(
            and(
              eq(kanbanItems.projectId, given('projectId')),
              isNotNull(claimedUntil),
              lte(claimedUntil, given('now')),
              or(
                eq(column, given('column')),
                and(sql`${originColumn} = ${given('column')}`, not(amongValues(column, 'done'))),
              ),
              isWorkable,
              isAsked(names),
            ),
          )
          .orderBy(asc(originPlace), asc(id))
          .limit(1),
      ),
    ),
    follow: change(() =>
      db
        .update(kanbanItems)
        .set({
          // Concatenated to a text: otherwise triggers would see a JSON object.
          claimedFrom: sql`json_set(${claimedFrom}, '$.column', ${sql.placeholder('name')}) || ''`,
          updatedAt: sql`${sql.placeholder('updatedAt')}`,
        })
        .where(
          and(
            eq(kanbanItems.projectId, given('projectId')),
            isNotNull(claimedUntil),
            sql`${originColumn} = ${given('column')}`,
          ),
        ),
    ),
  }
}

/** The earlier of two places, or undefined. */
function first(one: Place | undefined, other: Place | undefined): Place | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const isOne =
    one.sortOrder === other.sortOrder
      ? Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)) <= 0
      : one.sortOrder < other.sortOrder
  return isOne ? one : other
}

/** The end of a lease that begins now. */
const until = (leaseSeconds: number) => timestamp(Date.now() + leaseSeconds * 1000)

/** The claims of items. */
export class Claims {
  static readonly reads: readonly string[] = []
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #foldedNames: ReturnType<typeof foldedNames>
  readonly #records: ItemRecords
  readonly #columnNames: ColumnNames
  readonly #items: Items
  /** All items of a column may be assigned. */
  readonly #ensureFewItems: ReturnType<typeof rowLimit>
  /** All leases may have expired at once. */
  readonly #ensureFewLeases: ReturnType<typeof rowLimit>
  /** All leases may have begun in a renamed column. */
  readonly #limitLeases: ReturnType<typeof rowLimit>

  constructor(
    db: SharedDatabase,
    { records, columnNames, items }: { records: ItemRecords; columnNames: ColumnNames; items: Items },
  ) {
    this.#sql = statementsOf(db)
    this.#foldedNames = foldedNames(db)
    this.#records = records
    this.#columnNames = columnNames
    this.#items = items
    this.#ensureFewItems = rowLimit(db, 'kanban_items where project_id = ? and "column" = ?', ROWS_SCANNED)
    const leases = 'kanban_items where project_id = ? and claimed_until is not null'
    this.#ensureFewLeases = rowLimit(db, leases, ROWS_SCANNED)
    this.#limitLeases = rowLimit(db, leases)
  }

  /**
   * Claims the first item of a column that is approved, not dismissed, and unassigned or with an expired lease: assigns it to
   * the member and moves it to the end of another column. An item with an expired lease is ordered by the place it was claimed from.
   * @returns the item; null if there is none
   * @throws ApiError 404 for an unknown project, 400 for a column that must not be created, 409 if the other
   * column is at its limit and blocks
   */
  claim(
    projectId: string,
    { from = 'To Do', to = 'In Progress', leaseSeconds = LEASE_SECONDS, ...asked }: ClaimInput,
    memberId: string,
    { isStrict = false }: WriteOptions = {},
  ): KanbanItem | null {
    if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
    this.#ensureFewItems(projectId, from)
    this.#ensureFewLeases(projectId)
    if (isStrict) {
      const problemOf = (name: string) => this.#columnNames.problemOf(projectId, name)
      ensureValid({ from: problemOf(from), to: problemOf(to) })
    }
    const before = this.#next(projectId, from, to, asked)
    if (before === undefined) return null
    const origin = originOf(before.claimedFrom)
    const isKnown = before.claimedUntil !== null && origin?.column === from
    const change = {
      column: to,
      sortOrder: this.#items.placeAtEnd(before, to),
      assigneeId: memberId,
      claimedUntil: until(leaseSeconds),
      claimedFrom: toClaimedFrom(isKnown ? origin : before),
    }
    return this.#items.changeClaim(before, change, memberId)
  }

  /**
   * Renews the lease of an item, even if it has expired, unless another claim has taken the item.
   * @param leaseSeconds its duration from now
   * @throws ApiError 404; 409 if the item is not claimed, or not by the member
   */
  renew(id: string, leaseSeconds: number | undefined, memberId: string): KanbanItem {
    const before = this.#claimed(id)
    if (before.assigneeId !== memberId) throw conflict('Kanban item is claimed by another member', 'claimed')
    const { claimedFrom } = before
    const claimedUntil = until(leaseSeconds ?? LEASE_SECONDS)
    return this.#items.changeClaim(before, { claimedUntil, claimedFrom }, memberId)
  }

  /**
   * Releases an item: moves it back to the column and place that it was claimed from, unassigned. Limits only warn.
   * @throws ApiError 404; 409 if it is not claimed; 403 if another member has claimed it, except for admins
   */
  release(id: string, member: CurrentMember): KanbanItem {
    const before = this.#claimed(id)
    if (before.assigneeId !== member.id && member.role !== 'admin') throw notOwner('claim')
    const change = { ...originOf(before.claimedFrom), assigneeId: null, ...NO_LEASE }
    return this.#items.changeClaim(before, change, member.id, { isAlwaysAdmitted: true })
  }

  /** Updates the origin of items claimed from a renamed column. @throws TooMuchWork */
  follow(projectId: string, column: string, name: string, updatedAt: string): void {
    this.#limitLeases(projectId)
    this.#sql.follow({ projectId, column, name, updatedAt })
  }

  /** The first claimable item. */
  #next(
    projectId: string,
    from: string,
    to: string,
    asked: Pick<ClaimInput, 'label' | 'priority'>,
  ): ItemRow | undefined {
    const labels =
      asked.label === undefined ? undefined : JSON.stringify(this.#labelsOf(projectId, asked.label))
    if (labels === '[]') return undefined
    const filter = { priority: asked.priority, labels }
    const where = { ...filter, projectId, column: from }
    // An item that a claim itself moved into a done column is not done.
    const done = this.#columnNames.done(projectId).filter((name) => name !== to)
    const lapsed = { ...where, now: timestamp(), done: JSON.stringify(done) }
    const next = first(this.#sql.free(filter)(where)[0], this.#sql.lapsed(filter)(lapsed)[0])
    return next && this.#records.row(next.id)
  }

  /** A claimed item. @throws ApiError 404, 409 */
  #claimed(id: string): ItemRow {
    const row = this.#records.row(id) ?? throwNotFound(kanbanItems)
    if (row.claimedUntil === null || isUnassigned(row))
      throw conflict('Kanban item is not claimed', 'not_claimed')
    return row
  }

  /** The ids of the labels that an id or a name means. */
  #labelsOf(projectId: string, label: string): string[] {
    const names = JSON.stringify(this.#foldedNames({ projectId, label }).label)
    return this.#sql.labels({ projectId, names }).map(({ id }) => id)
  }
}
