/** Lists of kanban items: of one board or across projects, filtered, whole or page by page. */
import { Type } from '@sinclair/typebox'
import { and, eq, gt, gte, inArray, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import { read, type SharedDatabase } from '../db/client.ts'
import { defineCollation, nameKey } from '../db/collation.ts'
import { throwNotFound } from '../db/existence.ts'
import { anyContains, defineContains } from '../db/folded-text.ts'
import { inPieces, JsonPieces } from '../db/json-pieces.ts'
import {
  DEFAULT_SORT,
  type JsonPage,
  type KeyPlace,
  type Page,
  type PageQuery,
  readPage,
} from '../db/pages.ts'
import {
  kanbanColumns,
  kanbanItemAssignees,
  kanbanItemLabels,
  kanbanItems,
  kanbanLabels,
  projects,
} from '../db/schema.ts'
import { BEGINNING, rankKey, type Sort, sortsOf, textKey } from '../db/sorting.ts'
import {
  amongValues,
  bindAny,
  byFields,
  existsIn,
  given,
  givenLimit,
  listPlaceholder,
  selectAll,
} from '../db/statements.ts'
import { ensureFew, isLimited, ROWS_READ, ROWS_SCANNED, rowLimit, TooMuchWork } from '../db/work-limits.ts'
import { invalidField } from '../errors.ts'
import { fold } from '../folding.ts'
import { PRIORITIES, ref, valuesOfAny } from '../schemas/common.ts'
import { KanbanItemSchema } from '../schemas/records.ts'
import { createSerializer, type JsonBytes } from '../schemas/serialization.ts'
import { MIDNIGHT, parseTimestamp, timestamp } from '../time.ts'
import { dayAfter } from '../time-zones.ts'
import { NO_SUCH_COLUMN } from './column-names.ts'
import { foldedNames } from './folded-names.ts'
import type { ItemRecords } from './item-records.ts'
import { isDone, isTodo } from './stages.ts'

/** The filters of a list. An absent or empty value does not filter, any of several values matches; all filters must match. */
export type ItemFilter = Partial<{
  projectId: string | string[]
  column: string | string[]
  /** `me`: the caller; `none`: unassigned. */
  assigneeId: string | string[]
  priority: string | string[]
  /** The id or name of a label; `none`: without a label. */
  label: string | string[]
  /** A part of the title or the description, folded. */
  q: string
  /** Due at that time or later. */
  dueAfter: string
  /** Due earlier. */
  dueBefore: string
  /** `none`: without a due date; `overdue`: and not in a done column; `week`: within seven days, with overdue ones. */
  due: 'none' | 'overdue' | 'today' | 'week'
  /** The time zone of `due`. */
  timeZone: string
  /** Changed later. */
  updatedAfter: string
  /** Whether to list dismissed items: no (the default), only those, or all. */
  dismissed: 'false' | 'true' | 'all'
  approved: 'false' | 'true'
  source: string | string[]
  /** Items that the caller could start: approved, not dismissed, in a todo column, and not claimed by another member. */
  ready: 'true'
}>

/** The caller and options of a list. */
export interface Asking {
  /** The id of the caller. */
  memberId: string
  /** Whether a filter by an unknown column is an error. */
  isStrict: boolean
  /** The caller's time zone, for filters without one; UTC by default. */
  timeZone?: string
}

/** The sorts of lists of items. */
export const ITEM_SORTS = sortsOf(kanbanItems, {
  dueDate: textKey(kanbanItems.dueDate),
  updatedAt: textKey(kanbanItems.updatedAt),
  createdAt: textKey(kanbanItems.createdAt),
  priority: rankKey(kanbanItems.priority, PRIORITIES),
  title: nameKey(kanbanItems.title),
})

/** The special values of filters: the caller; unassigned, no date or no label. */
export const ME = 'me'
export const NONE = 'none'

/** Days of the filter `due=week`, today included. */
const WEEK = 7

const FLAGS = { false: 0, true: 1, all: undefined }

/** The values that the filter by assignee binds. Unassigned is stored as NULL or the empty text. */
function assigneesOf(asked: ItemFilter['assigneeId'], me: string): Record<string, string | undefined> {
  const values = valuesOfAny(asked)
  if (!values.includes(NONE)) {
    return bindAny('assigneeId', [...new Set(values.map((value) => (value === ME ? me : value)))])
  }
  const ids = values.map((value) => (value === ME ? me : value === NONE ? '' : value))
  return { assigneeOrNone: JSON.stringify(ids) }
}

/** The values that the filter by label binds. */
function labelsOf(asked: ItemFilter['label']): Record<string, string | undefined> {
  const values = valuesOfAny(asked)
  if (!values.includes(NONE)) return bindAny('label', values)
  return { labelOrNone: JSON.stringify(values.filter((value) => value !== NONE)) }
}

/** The values that the filter by due dates relative to now binds. */
function duesOf(due: ItemFilter['due'], timeZone: string): Record<string, string | undefined> {
  if (due === undefined || due === 'none') return { due }
  const now = Date.now()
  const { day, begins } = dayAfter(now, due === 'week' ? WEEK - 1 : 0, timeZone)
  if (due === 'overdue') return { overdue: day, now: timestamp(now) }
  const end = timestamp(dayAfter(now, due === 'week' ? WEEK : 1, timeZone).begins)
  return due === 'week' ? { dueUntil: day, end } : { dueOn: day, begin: timestamp(begins), end }
}

/** The values that a filter binds; undefined if it does not filter. */
export const valuesOf = (
  { q, dueAfter, dueBefore, updatedAfter, dismissed = 'false', ...exact }: ItemFilter,
  { memberId, timeZone = 'UTC' }: Pick<Asking, 'memberId' | 'timeZone'>,
) => ({
  ...bindAny('projectId', valuesOfAny(exact.projectId)),
  ...bindAny('column', valuesOfAny(exact.column)),
  ...assigneesOf(exact.assigneeId, memberId),
  ...bindAny('priority', valuesOfAny(exact.priority)),
  dismissed: FLAGS[dismissed],
  dueAfter: dueAfter && parseTimestamp(dueAfter),
  dueBefore: dueBefore && parseTimestamp(dueBefore),
  ...duesOf(exact.due || undefined, exact.timeZone || timeZone),
  updatedAfter: updatedAfter && parseTimestamp(updatedAfter),
  ...labelsOf(exact.label),
  q: q ? fold(q) : undefined,
  approved: exact.approved && FLAGS[exact.approved],
  ...bindAny('source', valuesOfAny(exact.source)),
  ...(exact.ready && { readyAt: timestamp(), readyFor: memberId }),
})
type FilterValues = ReturnType<typeof valuesOf>

/** Filters without an index in any list's order: they scan all rows of their scope. */
const SCANNING = [
  listPlaceholder('projectId'),
  'assigneeOrNone',
  'labelOrNone',
  'due',
  'overdue',
  'dueOn',
  'dueUntil',
  'updatedAfter',
  'approved',
  'source',
  listPlaceholder('source'),
  'readyAt',
]

/** Filters by one field, each with an index in the order of lists: that of the column only within one project. */
const INDEXED = ['column', 'assigneeId', 'priority'].map((name) => [name, listPlaceholder(name)])

/** The items that somebody is assigned to, but not first: usually few. */
const furtherItems = (condition: SQL): SQL =>
  sql`(select ${kanbanItemAssignees.itemId} from ${kanbanItemAssignees} where ${condition})`
const furtherOf = (name: string): SQL => furtherItems(eq(kanbanItemAssignees.personId, given(name)))
const furtherOfAny = (name: string): SQL => furtherItems(amongValues(kanbanItemAssignees.personId, name))

/** Condition: a person is among the assignees of the item. */
export const isAssignedTo = (name: string): SQL =>
  sql`(${kanbanItems.assigneeId} = ${given(name)} or ${kanbanItems.id} in ${furtherOf(name)})`

/** As `isDay`, or without a time, as another tool may have stored it. */
const isDay = sql`substr(${kanbanItems.dueDate}, 11) in ('', ${sql.raw(`'${MIDNIGHT}'`)})`
const dueDay = sql`substr(${kanbanItems.dueDate}, 1, 10)`

/** The condition of each filter, by the name of its placeholder. */
const CONDITIONS: Record<string, SQL | undefined> = {
  projectId: eq(kanbanItems.projectId, given('projectId')),
  [listPlaceholder('projectId')]: amongValues(kanbanItems.projectId, listPlaceholder('projectId')),
  column: eq(kanbanItems.column, given('column')),
  assigneeId: isAssignedTo('assigneeId'),
  priority: eq(kanbanItems.priority, given('priority')),
  [listPlaceholder('column')]: amongValues(kanbanItems.column, listPlaceholder('column')),
  // By the ids, which the index of each has.
  [listPlaceholder('assigneeId')]: sql`${kanbanItems.id} in (
    select assigned.id from ${kanbanItems} as assigned where ${amongValues(sql`assigned.assignee_id`, listPlaceholder('assigneeId'))}
    union all select * from ${furtherOfAny(listPlaceholder('assigneeId'))})`,
  [listPlaceholder('priority')]: amongValues(kanbanItems.priority, listPlaceholder('priority')),
  assigneeOrNone: sql`(${amongValues(sql`ifnull(${kanbanItems.assigneeId}, '')`, 'assigneeOrNone')}
    or ${kanbanItems.id} in ${furtherOfAny('assigneeOrNone')})`,
  dismissed: eq(kanbanItems.dismissed, given('dismissed')),
  due: sql`${textKey(kanbanItems.dueDate)} is null`,
  overdue: sql`case when ${isDay} then ${dueDay} < ${given('overdue')} else ${kanbanItems.dueDate} < ${given('now')} end
    and ${kanbanItems.dueDate} <> '' and not ${isDone}`,
  dueOn: sql`case when ${isDay} then ${dueDay} = ${given('dueOn')}
    else ${kanbanItems.dueDate} >= ${given('begin')} and ${kanbanItems.dueDate} < ${given('end')} end`,
  dueUntil: sql`case when ${isDay} then ${dueDay} <= ${given('dueUntil')} else ${kanbanItems.dueDate} < ${given('end')} end
    and ${kanbanItems.dueDate} <> ''`,
  updatedAfter: gt(kanbanItems.updatedAt, given('updatedAfter')),
  dueAfter: gte(kanbanItems.dueDate, given('dueAfter')),
  dueBefore: lt(kanbanItems.dueDate, given('dueBefore')),
  q: anyContains(kanbanItems.title, kanbanItems.description),
  approved: eq(kanbanItems.approved, given('approved')),
  source: eq(kanbanItems.source, given('source')),
  [listPlaceholder('source')]: amongValues(kanbanItems.source, listPlaceholder('source')),
  readyAt: and(
    eq(kanbanItems.approved, sql`1`),
    eq(kanbanItems.dismissed, sql`0`),
    or(
      isNull(kanbanItems.claimedUntil),
      lte(kanbanItems.claimedUntil, given('readyAt')),
      eq(kanbanItems.assigneeId, given('readyFor')),
    ),
    isTodo,
  ),
}

const isAnyLabel = (name: string) =>
  or(amongValues(kanbanLabels.id, name), amongValues(kanbanLabels.name, name))

/** The conditions of the label filter, by the name of the placeholder. */
const IS_LABEL: Record<string, SQL | undefined> = {
  label: or(eq(kanbanLabels.id, given('label')), eq(kanbanLabels.name, given('label'))),
  [listPlaceholder('label')]: isAnyLabel(listPlaceholder('label')),
  labelOrNone: isAnyLabel('labelOrNone'),
}

/** The ids of the items that have a label, or any of several; limited to one project's labels where that is filtered, too. */
const labelled = (db: SharedDatabase, name: string, isOfProject: boolean) =>
  db
    .select({ itemId: kanbanItemLabels.itemId })
    .from(kanbanItemLabels)
    .where(
      inArray(
        kanbanItemLabels.labelId,
        db
          .select({ id: kanbanLabels.id })
          .from(kanbanLabels)
          .where(
            and(IS_LABEL[name], isOfProject ? eq(kanbanLabels.projectId, given('projectId')) : undefined),
          ),
      ),
    )

const hasNoLabel = sql`not exists (select 1 from ${kanbanItemLabels} where ${kanbanItemLabels.itemId} = ${kanbanItems.id})`

/** The combined condition of the filters that {@link valuesOf} binds. */
export function conditionsIn(db: SharedDatabase): (names: string[]) => SQL | undefined {
  const hasLabel = (name: string, names: string[]) => {
    const has = inArray(kanbanItems.id, labelled(db, name, names.includes('projectId')))
    return name === 'labelOrNone' ? or(hasNoLabel, has) : has
  }
  return (names) => and(...names.map((name) => (name in IS_LABEL ? hasLabel(name, names) : CONDITIONS[name])))
}

/** Whether a list by sortOrder reads rows that it then leaves out: no index has both its order and all of its filters. */
function isScan(values: Record<string, unknown>): boolean {
  const isGiven = (name: string) => values[name] !== undefined
  if (SCANNING.some(isGiven)) return true
  const isDue = isGiven('dueAfter') || isGiven('dueBefore')
  const fields = INDEXED.filter((names) => names.some(isGiven))
  // Across projects SQLite prefers the index of the dates for two of them, and sorts what it finds.
  if (fields.length === 0) return isGiven('dueAfter') && isGiven('dueBefore') && !isGiven('projectId')
  // Its index has neither another field nor the date.
  if (fields.length > 1 || isDue) return true
  // Only that of the columns has whether an item is dismissed; it begins with the project.
  const isOfColumn = fields.some((names) => names.includes('column'))
  return isOfColumn ? !isGiven('projectId') : values.dismissed === FLAGS.true
}

/** One statement for each used combination of filters and sort, so that each can use its index. */
function statementsOf(db: SharedDatabase) {
  const matching = conditionsIn(db)
  return {
    projectExists: existsIn(db, projects),
    columns: selectAll(db, () =>
      db
        .select({ name: kanbanColumns.name })
        .from(kanbanColumns)
        .where(amongValues(kanbanColumns.name, 'names')),
    ),
    // The `+` keeps SQLite from looking up each name in each project.
    columnsOfProjects: selectAll(db, () =>
      db
        .select({ name: kanbanColumns.name })
        .from(kanbanColumns)
        .where(
          and(
            amongValues(kanbanColumns.projectId, 'projectIds'),
            amongValues(sql`+${kanbanColumns.name}`, 'names'),
          ),
        ),
    ),
    places: byFields((names, sort) =>
      selectAll<KeyPlace>(db, () => {
        const { place, after, order, orderOfPlaces } = sortNamed(sort)
        const fields = { id: kanbanItems.id, key: place.key.as('key'), text: place.text.as('text') }
        const beyond = names.includes('key') ? after : undefined
        if (!names.includes('assigneeId'))
          return db
            .select(fields)
            .from(kanbanItems)
            .where(and(matching(names), beyond))
            .orderBy(...order)
            .limit(givenLimit('count')) as never
        // Merged from two lists: the index of the first assignees has the order, too, and the others are found by their own.
        const others = and(matching(names.filter((name) => name !== 'assigneeId')), beyond)
        const found = unionAll(
          db
            .select(fields)
            .from(kanbanItems)
            .where(and(eq(kanbanItems.assigneeId, given('assigneeId')), others)),
          db
            .select(fields)
            .from(kanbanItemAssignees)
            .crossJoin(kanbanItems)
            .where(
              and(
                eq(kanbanItemAssignees.personId, given('assigneeId')),
                eq(kanbanItems.id, kanbanItemAssignees.itemId),
                others,
              ),
            ),
        ).as('found')
        return db
          .select({ id: found.id, key: found.key, text: found.text })
          .from(found)
          .orderBy(...orderOfPlaces)
          .limit(givenLimit('count')) as never
      }),
    ),
    limitItems: rowLimit(db, 'kanban_items', ROWS_SCANNED),
    limitFurther: rowLimit(db, 'kanban_item_assignees where person_id = +?', ROWS_SCANNED),
    limitItemsOfProject: rowLimit(db, 'kanban_items where project_id = +?', ROWS_SCANNED),
  }
}

/** The sort of a validated name. */
const sortNamed = (name: string): Sort => ITEM_SORTS[name] as Sort

/** Lists of items: four statements for any number of items; in the worker thread three of them for each piece. */
export class ItemLists {
  static readonly reads: readonly string[] = ['ofProject', 'ofAll']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #foldedNames: ReturnType<typeof foldedNames>
  readonly #records: ItemRecords
  readonly #serialize = createSerializer(Type.Array(ref(KanbanItemSchema)))

  constructor(db: SharedDatabase, records: ItemRecords) {
    defineContains(db)
    defineCollation(db)
    this.#db = db
    this.#sql = statementsOf(db)
    this.#foldedNames = foldedNames(db)
    this.#records = records
  }

  /**
   * Items of one project.
   * @throws ApiError 404 for an unknown project, 400 if a strict request names a column that it does not have;
   * TooMuchWork
   */
  ofProject(projectId: string, filter: Omit<ItemFilter, 'projectId'> & PageQuery, asking: Asking): JsonPage {
    return this.#page(() => {
      if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
      return this.#list({ ...filter, projectId }, filter, asking)
    })
  }

  /**
   * Items of all projects, or of several.
   * @throws ApiError 400 if a strict request names a column that none of them has; TooMuchWork
   */
  ofAll(filter: ItemFilter & PageQuery, asking: Asking): JsonPage {
    return this.#page(() => this.#list(filter, filter, asking))
  }

  #page(list: () => Page): JsonPage {
    return read(this.#db, () => {
      const { ids, next } = list()
      return { body: this.#toJson(ids), next }
    })
  }

  /** The items of these ids as a JSON array. */
  #toJson(ids: readonly string[]): JsonBytes {
    const json = new JsonPieces(this.#db)
    for (const piece of inPieces(this.#db, ids)) {
      json.add(json.size === 0 ? '[' : ',')
      json.add(this.#serialize(this.#records.many(piece)).slice(1, -1))
    }
    json.add(json.size === 0 ? '[]' : ']')
    return json.join()
  }

  #list(asked: ItemFilter, query: PageQuery, asking: Asking): Page {
    const filter = this.#foldedNames(asked)
    if (asking.isStrict) this.#checkColumns(filter)
    const { sort = DEFAULT_SORT } = query
    const values = valuesOf(filter, asking)
    const isWhole = query.limit === undefined && query.cursor === undefined
    if (isLimited(this.#db)) {
      // A substring search reads all texts.
      if (values.q !== undefined) throw new TooMuchWork()
      this.#limitScan(values, sort)
      if (isWhole) return { ids: this.#firstOf(values, sort) }
    }
    return readPage((place, count) => this.#placesAfter(values, sort, place, count), query)
  }

  #placesAfter(values: FilterValues, sort: string, place: KeyPlace | undefined, count: number): KeyPlace[] {
    const from = { ...values, ...(place ?? (sort === DEFAULT_SORT ? BEGINNING : {})), count }
    return this.#sql.places(from, sort)(from)
  }

  /** The ids of all matching items. @throws TooMuchWork for more than {@link ROWS_READ} */
  #firstOf(values: FilterValues, sort: string): string[] {
    const places = this.#placesAfter(values, sort, undefined, ROWS_READ + 1)
    ensureFew(this.#db, places.length, ROWS_READ)
    return places.map(({ id }) => id)
  }

  /** Refuses to read more items than the event loop may, if no index has their order. @throws TooMuchWork */
  #limitScan(values: FilterValues, sort: string): void {
    const filters: Record<string, unknown> = values
    if (typeof filters.assigneeId === 'string') this.#sql.limitFurther(filters.assigneeId)
    // An index also has the descending order, but all items with the same sortOrder are read.
    if (sort === DEFAULT_SORT && !isScan(filters)) return
    if (typeof filters.projectId === 'string') this.#sql.limitItemsOfProject(filters.projectId)
    else this.#sql.limitItems()
  }

  /** @throws ApiError 400 for a column that none of the projects has */
  #checkColumns({ projectId, column }: ItemFilter): void {
    const asked = valuesOfAny(column)
    if (asked.length === 0) return
    const names = JSON.stringify(asked)
    const { columns, columnsOfProjects } = this.#sql
    const projectIds = valuesOfAny(projectId)
    const found =
      projectIds.length === 0
        ? columns({ names })
        : columnsOfProjects({ projectIds: JSON.stringify(projectIds), names })
    const known = new Set(found.map(({ name }) => name))
    if (asked.some((name) => !known.has(name))) throw invalidField('column', NO_SUCH_COLUMN)
  }
}
