/** Changes kanban items, one or many at once, with activity entries and checks of the WIP limits. */
import { Type } from '@sinclair/typebox'
import { and, eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { thingOf } from '../db/kinds.ts'
import { inOrder, type Place } from '../db/ordering.ts'
import { ensureWritableIn, scopeOf } from '../db/row-security.ts'
import { attachments, kanbanItems, projects } from '../db/schema.ts'
import {
  deleteFrom,
  existsIn,
  given,
  insertReturning,
  selectAll,
  selectOne,
  updateRead,
} from '../db/statements.ts'
import { among, ensureFew, rowLimit } from '../db/work-limits.ts'
import { ensureValid, invalidField, notFound } from '../errors.ts'
import { ref } from '../schemas/common.ts'
import { type KanbanItem, KanbanItemSchema } from '../schemas/records.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'
import { type ClientDate, timestamp, toStoredDate } from '../time.ts'
import type { ActivityLog } from './activity-log.ts'
import { problemOfAssignees, withAssignees, withStoredAssignees } from './assignees.ts'
import type { CardNumbers } from './card-numbers.ts'
import { type ColumnLimit, type ColumnNames, NO_SUCH_COLUMN } from './column-names.ts'
import type { ItemRecords, ItemRow } from './item-records.ts'
import type { Labels } from './labels.ts'
import { endsLease, type Lease, NO_LEASE } from './leases.ts'
import { IMAGE_TYPES } from './media-types.ts'
import { type ColumnOf, ITEMS_OF_COLUMN, isInColumn, Places, type Position } from './places.ts'
import { type Reminder, type ReminderInput, toStoredReminders } from './reminders.ts'
import { countedIn, type Shift, WipLimits } from './wip-limits.ts'

type NewItem = typeof kanbanItems.$inferInsert

/** Fields a client may set. Dates are as the client sent them: date strings, or a falsy value for none. */
type ItemInput = Partial<
  Omit<
    NewItem,
    'id' | 'projectId' | 'number' | 'dueDate' | 'reminders' | keyof Lease | 'createdAt' | 'updatedAt'
  > & {
    dueDate: ClientDate
    reminders: readonly ReminderInput[]
  }
>

/** The target of a move: project, column and position. Absent: its own project and column, at the bottom. */
export interface Destination extends Position {
  column?: string | undefined
  projectId?: string | undefined
}

export interface WriteOptions {
  /** Whether an unknown column is an error, instead of created. */
  isStrict?: boolean
}

/** The fields that a change of an item may set: those of clients, its project with its number there, and its lease. */
type Change = ItemInput & { projectId?: string; number?: number } & Partial<Lease>

/** The fields that the rules compare with stored ones. */
const COMPARED = ['column', 'assigneeId', 'priority'] as const

/** A change with these fields as they are stored: in UTF-8, which has no lone surrogates. */
function withStoredTerms(change: Change): Change {
  if (COMPARED.every((name) => change[name]?.isWellFormed() ?? true)) return change
  const stored = COMPARED.flatMap((name) => {
    const text = change[name]
    return text ? [[name, text.toWellFormed()]] : []
  })
  return { ...change, ...Object.fromEntries(stored) }
}

/** The fields that the rules need of an item that only changes its place, without its texts, which may be long. */
const BEFORE = {
  id: kanbanItems.id,
  projectId: kanbanItems.projectId,
  column: kanbanItems.column,
  sortOrder: kanbanItems.sortOrder,
  assigneeId: kanbanItems.assigneeId,
  priority: kanbanItems.priority,
  dismissed: kanbanItems.dismissed,
}
type Before = Pick<ItemRow, keyof typeof BEFORE>

/** An item before a move within its project, with its new place. */
interface Move {
  before: Before
  column: string
  sortOrder: number
}

/** An item after a write, and its shift between columns, for the WIP limits. */
interface Written {
  row: ItemRow
  shift: Shift
}

/** A change with stored values. */
const toRow = <T extends Change>({
  dueDate,
  reminders,
  ...change
}: T): Omit<T, 'dueDate' | 'reminders'> & { dueDate?: string | null; reminders?: Reminder[] } => ({
  ...change,
  ...(dueDate !== undefined && { dueDate: toStoredDate(dueDate) }),
  ...(reminders !== undefined && { reminders: toStoredReminders(reminders) }),
})

const withWarnings = (item: KanbanItem, warnings: string[] = []): KanbanItem =>
  warnings.length > 0 ? { ...item, warnings } : item

/** The tables of records that are deleted with their item. */
const CHILD_TABLES = ['kanban_subtasks', 'kanban_comments', 'kanban_activity', 'attachments']

const statementsOf = (db: SharedDatabase) => ({
  before: selectOne(db, () =>
    db
      .select(BEFORE)
      .from(kanbanItems)
      .where(eq(kanbanItems.id, given('id'))),
  ),
  exists: existsIn(db, kanbanItems),
  attached: selectOne<Pick<typeof attachments.$inferSelect, 'mediaType'>>(db, () =>
    db
      .select({ mediaType: attachments.mediaType })
      .from(attachments)
      .where(and(eq(attachments.id, given('id')), eq(attachments.itemId, given('itemId')))),
  ),
  projectExists: existsIn(db, projects),
  insert: insertReturning(db, kanbanItems),
  update: updateRead(db, kanbanItems),
  remove: deleteFrom(db, kanbanItems),
  ofColumn: selectAll(db, () =>
    db
      .select(BEFORE)
      .from(kanbanItems)
      .where(isInColumn)
      .orderBy(...inOrder(kanbanItems)),
  ),
  limitColumn: rowLimit(db, ITEMS_OF_COLUMN),
  limitsOfChildren: CHILD_TABLES.map((table) => rowLimit(db, `${table} where item_id = +?`)),
  /** For several items: these take a JSON array of ids. */
  limitsOfTheirChildren: CHILD_TABLES.map((table) => rowLimit(db, among(table, 'item_id'))),
})

/** The parts of the board that items depend on. */
interface BoardParts {
  records: ItemRecords
  columnNames: ColumnNames
  activity: ActivityLog
  labels: Labels
  numbers: CardNumbers
}

/**
 * The items of boards. A change that makes a column exceed its WIP limit throws an ApiError 409 if the column blocks,
 * and sets the item's `warnings` if it warns.
 */
export class Items {
  static readonly reads: readonly string[] = ['exists', 'get', 'getMany']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #records: ItemRecords
  readonly #columnNames: ColumnNames
  readonly #activity: ActivityLog
  readonly #labels: Labels
  readonly #numbers: CardNumbers
  readonly #places: Places
  readonly #limits: WipLimits
  readonly #toJson = createJsonWriter(Type.Array(ref(KanbanItemSchema)))

  constructor(db: SharedDatabase, { records, columnNames, activity, labels, numbers }: BoardParts) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#records = records
    this.#columnNames = columnNames
    this.#activity = activity
    this.#labels = labels
    this.#numbers = numbers
    this.#places = new Places(db)
    this.#limits = new WipLimits(db)
  }

  /** Whether the item exists. */
  exists(id: string): boolean {
    return this.#sql.exists(id)
  }

  /** One item. @throws ApiError 404 */
  get(id: string): KanbanItem {
    return this.#records.one(id) ?? throwNotFound(kanbanItems)
  }

  /** The existing items of these ids, in that order. @throws TooMuchWork */
  getMany(ids: readonly string[]): KanbanItem[] {
    return this.#records.some(ids)
  }

  /**
   * Creates an item, at the end of its column by default; an unknown column is created.
   * @param options `ignoresLimits`: skip the WIP limits, warnings too
   * @throws ApiError 404 for an unknown project, 400 for a column that must not be created, or assignees that do not agree
   */
  create(
    projectId: string,
    input: ItemInput & { title: string },
    { ignoresLimits = false, isStrict = false }: WriteOptions & { ignoresLimits?: boolean } = {},
  ): KanbanItem {
    if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
    const at = timestamp()
    const { column = 'To Do', sortOrder } = input
    ensureValid({ assigneeId: problemOfAssignees(input) })
    if (isStrict) this.#columnNames.mustExist(projectId, column)
    const limit = this.#columnNames.ensure(projectId, column, at)
    const row = this.#sql.insert({
      ...toRow(withStoredAssignees(undefined, input)),
      sortOrder: sortOrder ?? this.#places.atEnd({ projectId, column }),
      title: input.title,
      id: newId(),
      projectId,
      number: this.#numbers.next(projectId),
      createdAt: at,
      updatedAt: at,
    })
    const item = { ...withAssignees(row), labels: [], subtasks: [] }
    if (ignoresLimits) return item
    const [warnings] = this.#limits.check([{ before: undefined, after: countedIn(row), limit }])
    return withWarnings(item, warnings)
  }

  /**
   * Changes an item and logs the changes of its tracked fields. An empty change does not change the item, not even
   * `updatedAt`.
   * @throws ApiError 404; 400 for a column that must not be created, a wrong cover, or assignees that do not agree
   */
  update(
    id: string,
    input: ItemInput,
    actorId: string | null,
    { isStrict = false }: WriteOptions = {},
  ): KanbanItem {
    const before = this.#stored(id)
    const { column, coverId } = input
    const isChecked = isStrict && column !== undefined
    ensureValid({
      column: isChecked ? this.#columnNames.problemOf(before.projectId, column) : undefined,
      coverId: this.#problemOfCover(id, coverId),
      assigneeId: input.assigneeIds && problemOfAssignees(input),
    })
    return this.#answer(this.#change(before, input, actorId, timestamp()))
  }

  /**
   * Like {@link update}, for claims, renewals and releases.
   * @param before the current item
   * @param options `isAlwaysAdmitted`: a column that blocks only warns
   * @returns the item
   * @throws ApiError 409 if the column blocks
   */
  changeClaim(
    before: ItemRow,
    change: ItemInput & Lease,
    actorId: string | null,
    { isAlwaysAdmitted = false }: { isAlwaysAdmitted?: boolean } = {},
  ): KanbanItem {
    const { row, shift } = this.#change(before, change, actorId, timestamp())
    const limit = isAlwaysAdmitted && shift.limit ? { ...shift.limit, wipPolicy: 'warn' } : shift.limit
    return this.#answer({ row, shift: { ...shift, limit } })
  }

  /** The `sortOrder` of an item at the end of a column of its project: its own if it is already there. */
  placeAtEnd(item: ItemRow, column: string): number {
    return this.#places.at(item, { projectId: item.projectId, column }, { position: 'bottom' })
  }

  /**
   * Moves an item within its column, to another column or to another project, with its subtasks, comments and activity;
   * in another project it gets a number there, and the labels with the same names.
   * @throws ApiError 404 for an unknown item, project or neighbour; 400 for a neighbour that is not in the target column, or
   * a column that must not be created
   */
  move(
    id: string,
    destination: Destination,
    actorId: string | null,
    { isStrict = false }: WriteOptions = {},
  ): KanbanItem {
    const before = this.#stored(id)
    const { projectId = before.projectId } = destination
    const column = (destination.column ?? before.column).toWellFormed()
    if (!this.#sql.projectExists(projectId)) throw notFound(thingOf(projects), [projectId])
    const staysInColumn = destination.column === undefined && projectId === before.projectId
    if (isStrict && !staysInColumn) this.#columnNames.mustExist(projectId, column)
    const sortOrder = this.#places.at(before, { projectId, column }, destination)
    const at = timestamp()
    // Even if the item stays: another tool may have put it into an unknown column.
    this.#columnNames.ensure(projectId, column, at)
    const place = {
      ...(projectId === before.projectId ? {} : { projectId, number: this.#numbers.next(projectId) }),
      ...(column === before.column ? {} : { column }),
      ...(sortOrder === before.sortOrder ? {} : { sortOrder }),
    }
    const attachLabels = projectId === before.projectId ? undefined : this.#labels.transfer(id, projectId)
    const written = this.#change(before, place, actorId, at)
    attachLabels?.()
    return this.#answer(written)
  }

  /**
   * Applies the same change to several items, all or nothing.
   * @returns them in the order of the ids, as JSON
   * @throws ApiError 404 with the unknown ids; 403 for an item that the caller may only read; 400 for a column that must not be
   * created; TooMuchWork
   */
  updateMany(
    ids: readonly string[],
    input: ItemInput,
    actorId: string | null,
    { isStrict = false }: WriteOptions = {},
  ): JsonBytes {
    ensureFew(this.#db, ids.length)
    this.#records.ensureFew(ids)
    const found = ids.map((id) => this.#records.row(id))
    const missing = ids.filter((_, index) => found[index] === undefined)
    if (missing.length > 0) throw notFound(thingOf(kanbanItems), missing)
    // An update that changes nothing reaches no check of the write.
    const scope = scopeOf(this.#db)
    for (const row of found) ensureWritableIn(scope, row?.projectId)
    const { column } = input
    ensureValid({ 'update.assigneeId': problemOfAssignees(input) })
    if (isStrict && column !== undefined) {
      for (const projectId of new Set(found.flatMap((row) => row?.projectId ?? [])))
        this.#columnNames.mustExist(projectId, column, 'update.column')
    }
    const at = timestamp()
    const written = found.flatMap((before) => (before ? [this.#change(before, input, actorId, at)] : []))
    const items = this.#records.complete(written.map(({ row }) => row))
    return this.#answerAll(
      items,
      written.map(({ shift }) => shift),
    )
  }

  /**
   * Reorders items of one project, all or nothing. Items that are already in place do not change.
   * @returns them in the order of the request, as JSON
   * @throws ApiError 404 for an unknown project, or with the unknown ids; 400 for items of another project, or columns
   * that must not be created; TooMuchWork
   */
  reorder(
    projectId: string,
    wanted: readonly (Place & { column: string })[],
    actorId: string | null,
    { isStrict = false }: WriteOptions = {},
  ): JsonBytes {
    if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
    ensureFew(this.#db, wanted.length)
    const wrong: string[] = []
    const missing: string[] = []
    const moves = wanted.flatMap(({ id, column, sortOrder }, index) => {
      if (isStrict && !this.#columnNames.has(projectId, column)) {
        wrong.push(`items[${index}].column ${NO_SUCH_COLUMN}`)
      }
      const before = this.#sql.before({ id })
      if (before === undefined) missing.push(id)
      if (before?.projectId !== projectId) {
        wrong.push(`items[${index}].id must be that of a kanban item of the project`)
        return []
      }
      return [{ before, column: column.toWellFormed(), sortOrder }]
    })
    if (missing.length > 0) throw notFound(thingOf(kanbanItems), missing)
    if (wrong.length > 0) throw invalidField('items', ...wrong)
    const shifts = this.#put(projectId, moves, actorId)
    return this.#answerAll(this.#records.many(wanted.map(({ id }) => id)), shifts)
  }

  /**
   * Moves all items of a column to the end of another one, in order.
   * @param to the name of the other column, in the same project
   * @throws TooMuchWork
   */
  moveAll(from: ColumnOf, to: string, actorId: string | null): void {
    const { projectId, column } = from
    this.#sql.limitColumn(projectId, column)
    const items = this.#sql.ofColumn({ ...from })
    const first = this.#places.manyAtEnd({ projectId, column: to }, items.length)
    const moves = items.map((before, index) => ({ before, column: to, sortOrder: first + index }))
    this.#limits.check(this.#put(projectId, moves, actorId))
  }

  /** Attaches a label to an item. @throws ApiError 404 for an unknown item, or a label that its project does not have */
  attachLabel(id: string, labelId: string): KanbanItem {
    this.#labels.attach(id, labelId)
    return this.get(id)
  }

  /** Detaches a label from an item. @throws ApiError 404 as {@link attachLabel} */
  detachLabel(id: string, labelId: string): KanbanItem {
    this.#labels.detach(id, labelId)
    return this.get(id)
  }

  /** Deletes an item with its child records. @throws ApiError 404; TooMuchWork */
  delete(id: string): void {
    for (const limit of this.#sql.limitsOfChildren) limit(id)
    if (!this.#sql.remove(id)) throwNotFound(kanbanItems)
  }

  /**
   * Deletes several items with their child records, all or nothing.
   * @throws ApiError 404 with the unknown ids; TooMuchWork
   */
  deleteMany(ids: readonly string[]): void {
    ensureFew(this.#db, ids.length)
    for (const limit of this.#sql.limitsOfTheirChildren) limit(JSON.stringify(ids))
    const missing = ids.filter((id) => !this.#sql.remove(id))
    if (missing.length > 0) throw notFound(thingOf(kanbanItems), missing)
  }

  /** The violation of a cover that is no image of the item, or undefined. */
  #problemOfCover(itemId: string, coverId: string | null | undefined): string | undefined {
    if (coverId === undefined || coverId === null) return undefined
    const { mediaType = null } = this.#sql.attached({ id: coverId, itemId }) ?? {}
    const isImage = mediaType !== null && IMAGE_TYPES.includes(mediaType)
    return isImage ? undefined : 'must be that of an image attached to the item'
  }

  /** The item inside the write: it may have changed since the request's checks. @throws ApiError 404 */
  #stored(id: string): ItemRow {
    return this.#records.row(id) ?? throwNotFound(kanbanItems)
  }

  /** Writes a change of one item and its activity entries. */
  #change(before: ItemRow, wanted: Change, actorId: string | null, at: string): Written {
    const input = withStoredTerms(withStoredAssignees(before, wanted))
    const { projectId = before.projectId, column = before.column } = input
    const mayArrive =
      input.column !== undefined || input.projectId !== undefined || input.dismissed !== undefined
    const limit = mayArrive ? this.#columnNames.ensure(projectId, column, at) : undefined
    const row =
      Object.keys(input).length === 0
        ? before
        : this.#write(before, { ...this.#leaseAfter(before, input), ...input }, at)
    this.#activity.record({ itemId: before.id, before, after: input, actorId, at })
    return { row, shift: { before: countedIn(before), after: countedIn(row), limit } }
  }

  /** The fields that end an item's lease, if a change ends it. */
  #leaseAfter(before: ItemRow, input: Change): Lease | undefined {
    return endsLease(before, input, (...column) => this.#columnNames.isDone(...column)) ? NO_LEASE : undefined
  }

  #write(before: ItemRow, input: Change, updatedAt: string): ItemRow {
    return this.#sql.update(before, { ...toRow(input), updatedAt }) ?? throwNotFound(kanbanItems)
  }

  /** Moves items of a project to their places. Those already in place do not change. */
  #put(projectId: string, moves: readonly Move[], actorId: string | null): Shift[] {
    const at = timestamp()
    const isMoved = ({ before, column, sortOrder }: Move) =>
      column !== before.column || sortOrder !== before.sortOrder
    const limits = new Map<string, ColumnLimit>()
    for (const [column, arriving] of Map.groupBy(moves, (move) => move.column)) {
      limits.set(column, this.#columnNames.ensure(projectId, column, at))
      const moved = arriving.filter(isMoved)
      this.#places.put(
        column,
        moved.map(({ before: { id }, sortOrder }) => ({ id, sortOrder })),
        at,
        { endsLeases: this.#columnNames.isDone(projectId, column) },
      )
    }
    this.#activity.recordAll(
      moves.map(({ before, column }) => ({ itemId: before.id, before, after: { column }, actorId, at })),
    )
    return moves.map(({ before, column }) => ({
      before: countedIn(before),
      after: countedIn({ ...before, column }),
      limit: limits.get(column),
    }))
  }

  /** Checks a change against the WIP limits. @returns the item, with warnings */
  #answer({ row, shift }: Written): KanbanItem {
    const [warnings] = this.#limits.check([shift])
    return withWarnings(this.#records.completeOne(row), warnings)
  }

  #answerAll(items: readonly KanbanItem[], shifts: readonly Shift[]): JsonBytes {
    const warnings = this.#limits.check(shifts)
    return this.#toJson(items.map((item, index) => withWarnings(item, warnings[index])))
  }
}
