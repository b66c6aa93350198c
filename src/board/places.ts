/** Places among the items of a column: where a new item goes, and where one that is moved does. */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { given, prepareRows } from '../db/old-statements.ts'
import { between, inOrder, isAfter, isBefore, numbered, type Place, preparePutting } from '../db/ordering.ts'
import { kanbanItems } from '../db/schema.ts'
import { rowLimit } from '../db/work-limits.ts'
import { invalidField } from '../errors.ts'
import { timestamp } from '../time.ts'

/** The column of one project. */
export interface ColumnOf {
  projectId: string
  column: string
}

/** Where in a column an item is to stand: next to another one there, or at one of the ends. At most one of the three. */
export interface Position {
  beforeId?: string | undefined
  afterId?: string | undefined
  position?: 'top' | 'bottom' | undefined
}

/** Condition: the item is in the column that is given as `projectId` and `column`. */
export const isInColumn = and(
  eq(kanbanItems.projectId, given('projectId')),
  eq(kanbanItems.column, given('column')),
)

/** What an item is to stand between; undefined at the ends of a column. */
interface Neighbours {
  lower: Place | undefined
  upper: Place | undefined
}

/** Prepares putting items into a column, each at its place. @returns the change, as that of {@link preparePutting} */
export function prepareItemPutting(db: SharedDatabase) {
  const put = preparePutting(db, kanbanItems, { column: sql`${sql.placeholder('column')}` })
  return (column: string, places: readonly Place[], updatedAt: string): void =>
    put(places, updatedAt, { column })
}

/**
 * Prepares finding places among the items of a column, and making them.
 * @returns what finds them. Call it inside the write that puts an item there: where no number is left between two
 * neighbours, their column is numbered anew
 */
export function prepareItemPlaces(db: SharedDatabase) {
  const { id, sortOrder } = kanbanItems
  const forwards = inOrder(kanbanItems)
  const backwards = [desc(sortOrder), desc(id)]
  const places = () => db.select({ id, sortOrder }).from(kanbanItems)
  const all = prepareRows(
    db,
    places()
      .where(isInColumn)
      .orderBy(...forwards),
  )
  const one = prepareRows(db, places().where(and(isInColumn, eq(id, given('id')))))
  // Two rows each: one of them may be the item that is about to leave its place.
  const first = prepareRows(
    db,
    places()
      .where(isInColumn)
      .orderBy(...forwards)
      .limit(2),
  )
  const last = prepareRows(
    db,
    places()
      .where(isInColumn)
      .orderBy(...backwards)
      .limit(2),
  )
  const next = prepareRows(
    db,
    places()
      .where(and(isInColumn, isAfter(kanbanItems)))
      .orderBy(...forwards)
      .limit(2),
  )
  const previous = prepareRows(
    db,
    places()
      .where(and(isInColumn, isBefore(kanbanItems)))
      .orderBy(...backwards)
      .limit(2),
  )
  const put = prepareItemPutting(db)
  const limit = rowLimit(db, 'kanban_items where project_id = +? and "column" = +?')

  /** The first of some places that is not the item's own. */
  const other = (item: Place, found: Place[]) => found.find((place) => place.id !== item.id)

  /** Those next to the named item, which must be another one in the column. */
  function besides(item: Place, where: ColumnOf, field: 'beforeId' | 'afterId', named: string): Neighbours {
    const neighbour = named === item.id ? undefined : one.get({ ...where, id: named })
    if (!neighbour) throw invalidField(field, 'must be the id of another item in the column')
    return field === 'beforeId'
      ? { lower: other(item, previous.all({ ...where, ...neighbour })), upper: neighbour }
      : { lower: neighbour, upper: other(item, next.all({ ...where, ...neighbour })) }
  }

  function neighboursAt(item: Place, where: ColumnOf, { beforeId, afterId, position }: Position): Neighbours {
    if (beforeId !== undefined) return besides(item, where, 'beforeId', beforeId)
    if (afterId !== undefined) return besides(item, where, 'afterId', afterId)
    return position === 'top'
      ? { lower: undefined, upper: other(item, first.all({ ...where })) }
      : { lower: other(item, last.all({ ...where })), upper: undefined }
  }

  /**
   * Numbers the items of a column anew, in their order, with a number left free.
   * @param item the id of one that is about to take that number, if it is in the column
   * @param upper the item before which it is; undefined at the end
   * @returns the free number
   */
  function makePlace(where: ColumnOf, item: string | undefined, upper: Place | undefined): number {
    limit(where.projectId, where.column)
    const others = all.all({ ...where }).filter((place) => place.id !== item)
    const free = upper ? others.findIndex((place) => place.id === upper.id) : others.length
    const places = others.map(({ id }, index) => ({
      id,
      sortOrder: numbered(index < free ? index : index + 1),
    }))
    const moved = places.filter(({ sortOrder }, index) => sortOrder !== others[index]?.sortOrder)
    put(where.column, moved, timestamp())
    return numbered(free)
  }

  const atEnd = (where: ColumnOf): number =>
    between(last.get({ ...where })?.sortOrder, undefined) ?? makePlace(where, undefined, undefined)

  return {
    /** The `sortOrder` after the last item of a column. */
    atEnd,

    /** The first of so many in a row, each one further than the one before, after the last item of a column. */
    manyAtEnd(where: ColumnOf, count: number): number {
      const first = atEnd(where)
      // Further out, a step of one changes nothing.
      return first + count <= Number.MAX_SAFE_INTEGER ? first : makePlace(where, undefined, undefined)
    },

    /**
     * The `sortOrder` by which an item stands where it is wanted.
     * @param item the item as it is
     * @param where the column it is to be in
     * @returns its own when it stands there already
     * @throws ApiError 400 for a neighbour that is no other item of the column
     */
    at(item: Place & ColumnOf, where: ColumnOf, position: Position): number {
      const { lower, upper } = neighboursAt(item, where, position)
      const place = { ...where, id: item.id, sortOrder: item.sortOrder }
      const isThere =
        item.projectId === where.projectId &&
        item.column === where.column &&
        next.get(place)?.id === upper?.id
      if (isThere) return item.sortOrder
      return between(lower?.sortOrder, upper?.sortOrder) ?? makePlace(where, item.id, upper)
    },
  }
}
