/** Places of new and moved items in a column. */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { thingOf } from '../db/kinds.ts'
import { between, inOrder, isAfter, isBefore, numberAround, type Place, putIn } from '../db/ordering.ts'
import { kanbanItems } from '../db/schema.ts'
import { existsIn, given, selectAll, selectOne } from '../db/statements.ts'
import { rowLimit } from '../db/work-limits.ts'
import { invalidField, notFound } from '../errors.ts'
import { timestamp } from '../time.ts'

/** A column of a project, by name. */
export interface ColumnOf {
  projectId: string
  column: string
}

/** A position in a column: next to another item, or at one of the ends. At most one of the three. */
export interface Position {
  beforeId?: string | undefined
  afterId?: string | undefined
  position?: 'top' | 'bottom' | undefined
}

/** Condition: the item is in the column of the placeholders `projectId` and `column`. */
export const isInColumn = and(
  eq(kanbanItems.projectId, given('projectId')),
  eq(kanbanItems.column, given('column')),
)

/** The items of a column, as SQL for a row limit; its parameters are project id and column name. */
export const ITEMS_OF_COLUMN = 'kanban_items where project_id = +? and "column" = +?'

/** The neighbours of a place; undefined at the ends of a column. */
interface Neighbours {
  lower: Place | undefined
  upper: Place | undefined
}

function statementsOf(db: SharedDatabase) {
  const { id, sortOrder } = kanbanItems
  const places = () => db.select({ id, sortOrder }).from(kanbanItems)
  const columnToBe = sql`${sql.placeholder('column')}`
  const isAlreadyThere = eq(kanbanItems.column, columnToBe)
  const forwards = inOrder(kanbanItems)
  const backwards = [desc(sortOrder), desc(id)]
  // Two rows each: one of them may be the moved item.
  const nearest = (condition: typeof isInColumn, order: typeof forwards) =>
    selectAll(db, () =>
      places()
        .where(condition)
        .orderBy(...order)
        .limit(2),
    )
  return {
    all: selectAll(db, () =>
      places()
        .where(isInColumn)
        .orderBy(...forwards),
    ),
    exists: existsIn(db, kanbanItems),
    one: selectOne(db, () => places().where(and(isInColumn, eq(id, given('id'))))),
    first: nearest(isInColumn, forwards),
    last: nearest(isInColumn, backwards),
    next: nearest(and(isInColumn, isAfter(kanbanItems)), forwards),
    previous: nearest(and(isInColumn, isBefore(kanbanItems)), backwards),
    put: putIn(db, kanbanItems, { column: columnToBe }),
    putDone: putIn(db, kanbanItems, {
      column: columnToBe,
      claimedUntil: sql`case when ${isAlreadyThere} then ${kanbanItems.claimedUntil} end`,
      claimedFrom: sql`case when ${isAlreadyThere} then ${kanbanItems.claimedFrom} else '' end`,
    }),
    limit: rowLimit(db, ITEMS_OF_COLUMN),
  }
}

/** The first place other than the item's own. */
const other = (item: Place, found: Place[]) => found.find((place) => place.id !== item.id)

/**
 * Finds places in a column. Call it inside the write that puts an item there: if no number is left
 * between two neighbours, the column is renumbered.
 */
export class Places {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** The `sortOrder` after the last item of a column. */
  atEnd(where: ColumnOf): number {
    const [last] = this.#sql.last({ ...where })
    return between(last?.sortOrder, undefined) ?? this.#renumber(where, undefined, undefined)
  }

  /** The first of `count` consecutive `sortOrder`s after the last item of a column. */
  manyAtEnd(where: ColumnOf, count: number): number {
    const first = this.atEnd(where)
    // Beyond it, adding one has no effect.
    return first + count <= Number.MAX_SAFE_INTEGER ? first : this.#renumber(where, undefined, undefined)
  }

  /**
   * The `sortOrder` of a position in a column.
   * @param item the moved item before the move
   * @param where the target column
   * @returns its own `sortOrder` if it is already there
   * @throws ApiError 400 for a neighbour that is not another item of the column
   */
  at(item: Place & ColumnOf, where: ColumnOf, position: Position): number {
    const { lower, upper } = this.#neighboursAt(item, where, position)
    const [next] = this.#sql.next({ ...where, id: item.id, sortOrder: item.sortOrder })
    const isThere =
      item.projectId === where.projectId && item.column === where.column && next?.id === upper?.id
    if (isThere) return item.sortOrder
    return between(lower?.sortOrder, upper?.sortOrder) ?? this.#renumber(where, item.id, upper)
  }

  /**
   * Puts items into a column, each at its place.
   * @param options `endsLeases`: whether to end the leases of items from another column
   */
  put(
    column: string,
    places: readonly Place[],
    updatedAt: string,
    { endsLeases = false }: { endsLeases?: boolean } = {},
  ): void {
    const put = endsLeases ? this.#sql.putDone : this.#sql.put
    put(places, updatedAt, { column })
  }

  #neighboursAt(item: Place, where: ColumnOf, { beforeId, afterId, position }: Position): Neighbours {
    if (beforeId !== undefined) return this.#nextTo(item, where, 'beforeId', beforeId)
    if (afterId !== undefined) return this.#nextTo(item, where, 'afterId', afterId)
    return position === 'top'
      ? { lower: undefined, upper: other(item, this.#sql.first({ ...where })) }
      : { lower: other(item, this.#sql.last({ ...where })), upper: undefined }
  }

  /** The neighbours of a place before or after the named item, which must be another one of the column. */
  #nextTo(item: Place, where: ColumnOf, field: 'beforeId' | 'afterId', named: string): Neighbours {
    const neighbour = named === item.id ? undefined : this.#sql.one({ ...where, id: named })
    if (!neighbour && !this.#sql.exists(named)) throw notFound(thingOf(kanbanItems), [named])
    if (!neighbour) throw invalidField(field, 'must be the id of another item in the column')
    return field === 'beforeId'
      ? { lower: other(item, this.#sql.previous({ ...where, ...neighbour })), upper: neighbour }
      : { lower: neighbour, upper: other(item, this.#sql.next({ ...where, ...neighbour })) }
  }

  /**
   * Renumbers the items of a column, in order, leaving a free number.
   * @param item the id of the item that will get the free number, if it is in the column
   * @param upper the item after the free number; undefined at the end
   * @returns the free number
   */
  #renumber(where: ColumnOf, item: string | undefined, upper: Place | undefined): number {
    this.#sql.limit(where.projectId, where.column)
    const others = this.#sql.all({ ...where }).filter((place) => place.id !== item)
    const free = upper ? others.findIndex((place) => place.id === upper.id) : others.length
    const { sortOrder, moved } = numberAround(others, free)
    this.put(where.column, moved, timestamp())
    return sortOrder
  }
}
