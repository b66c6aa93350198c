/** What changes kanban items, one or many at once: each with its activity entries, and held against the columns' limits. */
import { eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { thingOf, throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import {
  given,
  prepareDelete,
  prepareExists,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from '../db/old-statements.ts'
import { inOrder, type Place } from '../db/ordering.ts'
import { kanbanItems, projects } from '../db/schema.ts'
import { ensureFew, rowLimit } from '../db/work-limits.ts'
import { invalidField, notFound } from '../errors.ts'
import { parseTimestamp, timestamp } from '../time.ts'
import { prepareActivity, type Tracked } from './activity.ts'
import { type ColumnLimit, prepareColumns } from './columns.ts'
import { prepareLabelTransfer } from './label-transfer.ts'
import { type ColumnOf, isInColumn, type Position, prepareItemPlaces, prepareItemPutting } from './places.ts'
import { countedIn, prepareWipLimits, type Shift } from './wip-limits.ts'

type NewItem = typeof kanbanItems.$inferInsert

/** Fields a client may set. `dueDate` is what the client sent: a date string, or a falsy value for none. */
export type KanbanItemInput = Partial<
  Omit<NewItem, 'id' | 'projectId' | 'dueDate' | 'createdAt' | 'updatedAt'> & {
    dueDate: string | null | false | 0
  }
>

/** Where an item is to go: into which column, of which project, and where in it. Absent: where it is, at the bottom. */
export interface Destination extends Position {
  column?: string | undefined
  projectId?: string | undefined
}

/** What a change of an item may set: what clients may, and whose it is. */
type Change = KanbanItemInput & { projectId?: string }

/** An item that was written, with what there is to say about the column it came into. */
export interface Written {
  id: string
  warnings: string[]
}

/** What the rules need to know of an item as it was. */
interface Before extends Tracked, Place, ColumnOf {
  dismissed: boolean
}

/** An item as it was, and where it goes in its project. */
interface Move {
  before: Before
  column: string
  sortOrder: number
}

/** A date as the client sent it, for storing: a non-empty one converted, any falsy value as null. */
const toDueDate = (value: string | null | false | 0) => (value ? (parseTimestamp(value) ?? null) : null)

const toRow = ({ dueDate, ...fields }: Change) =>
  dueDate === undefined ? fields : { ...fields, dueDate: toDueDate(dueDate) }

/**
 * Prepares the changes of items. Call them inside the write that they are part of. Whatever brings a column that blocks
 * above its limit throws an ApiError 409.
 * @returns the changes
 */
export function prepareKanbanItemChanges(db: SharedDatabase) {
  const insert = prepareInsert(db, kanbanItems)
  const set = prepareUpdate(db, kanbanItems)
  const remove = prepareDelete(db, kanbanItems)
  const projectExists = prepareExists(db, projects)
  const ensureColumn = prepareColumns(db)
  const places = prepareItemPlaces(db)
  const put = prepareItemPutting(db)
  const recordActivity = prepareActivity(db)
  const holdToLimits = prepareWipLimits(db)
  const transferLabels = prepareLabelTransfer(db)
  const limitColumn = rowLimit(db, 'kanban_items where project_id = +? and "column" = +?')
  const limitsOfChildren = ['kanban_subtasks', 'kanban_comments', 'kanban_activity'].map((table) =>
    rowLimit(db, `${table} where item_id = +?`),
  )
  const select = () =>
    db
      .select({
        id: kanbanItems.id,
        projectId: kanbanItems.projectId,
        column: kanbanItems.column,
        sortOrder: kanbanItems.sortOrder,
        assigneeId: kanbanItems.assigneeId,
        priority: kanbanItems.priority,
        dismissed: kanbanItems.dismissed,
      })
      .from(kanbanItems)
  const one = prepareRows<Before>(db, select().where(eq(kanbanItems.id, given('id'))))
  const ofColumn = prepareRows<Before>(
    db,
    select()
      .where(isInColumn)
      .orderBy(...inOrder(kanbanItems)),
  )
  // Read inside the write: what the request saw before its body arrived may have changed since.
  const stored = (id: string): Before => one.get({ id }) ?? throwNotFound(kanbanItems)

  /**
   * What a place means to an item: nothing where it is there already. Even then the project gets a column that it lacks,
   * because another tool may have put the item there.
   */
  function toPlace(before: Before, { projectId, column, sortOrder }: ColumnOf & Omit<Place, 'id'>): Change {
    ensureColumn(projectId, column, timestamp())
    return {
      ...(projectId === before.projectId ? {} : { projectId }),
      ...(column === before.column ? {} : { column }),
      ...(sortOrder === before.sortOrder ? {} : { sortOrder }),
    }
  }

  /** Writes a change of one item, and what it did to the tracked fields. @returns what it means to the limits */
  function change(before: Before, input: Change, actorId: string | null, at: string): Shift {
    const { projectId = before.projectId, column = before.column, dismissed = before.dismissed } = input
    const mayArrive =
      input.column !== undefined || input.projectId !== undefined || input.dismissed !== undefined
    const limit = mayArrive ? ensureColumn(projectId, column, at) : undefined
    if (Object.keys(input).length > 0) {
      set(before.id, { ...toRow(input), updatedAt: at })
      recordActivity({ itemId: before.id, before, after: input, actorId, at })
    }
    return { before: countedIn(before), after: countedIn({ projectId, column, dismissed }), limit }
  }

  /** Holds what became of items against the limits. @returns the items, in the same order */
  function withWarnings(items: readonly Before[], shifts: readonly Shift[]): Written[] {
    const warnings = holdToLimits(shifts)
    return items.map(({ id }, index) => ({ id, warnings: warnings[index] ?? [] }))
  }

  /** Writes the changes of several items. @returns the items, in the same order */
  function changeAll(
    changes: readonly { before: Before; input: Change }[],
    actorId: string | null,
  ): Written[] {
    const at = timestamp()
    return withWarnings(
      changes.map(({ before }) => before),
      changes.map(({ before, input }) => change(before, input, actorId, at)),
    )
  }

  /** Puts items of a project into columns. Those that are there already are left as they are. @returns all of them */
  function putAll(projectId: string, moves: readonly Move[], actorId: string | null): Written[] {
    const at = timestamp()
    const isMoved = ({ before, column, sortOrder }: Move) =>
      column !== before.column || sortOrder !== before.sortOrder
    const limits = new Map<string, ColumnLimit>()
    for (const [column, arriving] of Map.groupBy(moves, (move) => move.column)) {
      limits.set(column, ensureColumn(projectId, column, at))
      const moved = arriving.filter(isMoved)
      put(
        column,
        moved.map(({ before: { id }, sortOrder }) => ({ id, sortOrder })),
        at,
      )
    }
    for (const { before, column } of moves) {
      recordActivity({ itemId: before.id, before, after: { column }, actorId, at })
    }
    return withWarnings(
      moves.map(({ before }) => before),
      moves.map(({ before, column }) => ({
        before: countedIn(before),
        after: countedIn({ ...before, column }),
        limit: limits.get(column),
      })),
    )
  }

  function changeOne(before: Before, input: Change, actorId: string | null): Written {
    const [warnings = []] = holdToLimits([change(before, input, actorId, timestamp())])
    return { id: before.id, warnings }
  }

  return {
    /**
     * Creates an item, at the end of its column unless it says where, making the column where the project lacks it.
     * @param options `passesLimits`: put it there even if the column blocks and is full
     * @throws ApiError 404 when there is no such project
     */
    create(
      projectId: string,
      input: KanbanItemInput & { title: string },
      { passesLimits = false } = {},
    ): Written {
      if (!projectExists(projectId)) throwNotFound(projects)
      const at = timestamp()
      const { column = 'To Do', dismissed = false, sortOrder } = input
      const limit = ensureColumn(projectId, column, at)
      const id = newId()
      insert({
        ...toRow(input),
        sortOrder: sortOrder ?? places.atEnd({ projectId, column }),
        title: input.title,
        id,
        projectId,
        createdAt: at,
        updatedAt: at,
      })
      if (passesLimits) return { id, warnings: [] }
      const after = countedIn({ projectId, column, dismissed })
      const [warnings = []] = holdToLimits([{ before: undefined, after, limit }])
      return { id, warnings }
    },

    /**
     * Changes an item and logs what happened to its tracked fields. An empty change leaves the item as it is,
     * `updatedAt` included.
     * @throws ApiError 404 when there is none
     */
    update: (id: string, input: KanbanItemInput, actorId: string | null): Written =>
      changeOne(stored(id), input, actorId),

    /**
     * Changes several items in the same way, all or none.
     * @returns them in the order of the ids
     * @throws ApiError 404 with the ids that name nothing
     */
    updateMany(ids: readonly string[], input: KanbanItemInput, actorId: string | null): Written[] {
      ensureFew(db, ids.length)
      const found = ids.map((id) => one.get({ id }))
      const missing = ids.filter((_, index) => found[index] === undefined)
      if (missing.length > 0) throw notFound(thingOf(kanbanItems), missing)
      return changeAll(
        found.flatMap((before) => (before ? [{ before, input }] : [])),
        actorId,
      )
    },

    /**
     * Puts items of one project where a client wants them, all or none. An item that is there already is left as it is.
     * @returns them in the order of the request
     * @throws ApiError 404 when there is no such project, 400 for items of another one
     */
    reorder(
      projectId: string,
      wanted: readonly (Place & { column: string })[],
      actorId: string | null,
    ): Written[] {
      if (!projectExists(projectId)) throwNotFound(projects)
      ensureFew(db, wanted.length)
      const unknown: string[] = []
      const moves = wanted.flatMap(({ id, column, sortOrder }, index) => {
        const before = one.get({ id })
        if (before?.projectId !== projectId) {
          unknown.push(`items[${index}].id must be that of a kanban item of the project`)
          return []
        }
        return [{ before, column, sortOrder }]
      })
      if (unknown.length > 0) throw invalidField('items', ...unknown)
      return putAll(projectId, moves, actorId)
    },

    /**
     * Moves an item to a place in its column, in another column or another project, with all that belongs to it; into
     * another project with those of its labels that the target has by the same name.
     * @throws ApiError 404 when there is no such item or project, 400 for a neighbour that is not in the target column
     */
    move(id: string, destination: Destination, actorId: string | null): Written {
      const before = stored(id)
      const { projectId = before.projectId, column = before.column } = destination
      if (!projectExists(projectId)) throwNotFound(projects)
      const sortOrder = places.at(before, { projectId, column }, destination)
      const written = changeOne(before, toPlace(before, { projectId, column, sortOrder }), actorId)
      if (projectId !== before.projectId) transferLabels(id, projectId)
      return written
    },

    /**
     * Moves all items of a column to the end of another one, in their order.
     * @param to the name of the other column, in the same project
     */
    moveAll(from: ColumnOf, to: string, actorId: string | null): void {
      const { projectId, column } = from
      limitColumn(projectId, column)
      const items = ofColumn.all({ ...from })
      const first = places.manyAtEnd({ projectId, column: to }, items.length)
      const moves = items.map((before, index) => ({ before, column: to, sortOrder: first + index }))
      putAll(projectId, moves, actorId)
    },

    /** Deletes an item with all that belongs to it. @throws ApiError 404 when there is none */
    delete(id: string): void {
      for (const limit of limitsOfChildren) limit(id)
      if (!remove(id)) throwNotFound(kanbanItems)
    },
  }
}
