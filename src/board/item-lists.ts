/** Lists of kanban items: of one board or across projects, filtered, whole or page by page. */
import { Type } from '@sinclair/typebox'
import { and, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { inOrder, isAfter } from '../db/ordering.ts'
import { BEGINNING, type JsonPage, type PageQuery, readPage } from '../db/pages.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels, projects } from '../db/schema.ts'
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
import { ensureFew, isLimited, ROWS_READ, TooMuchWork } from '../db/work-limits.ts'
import { ref, valuesOfAny } from '../schemas/common.ts'
import { type KanbanItem, KanbanItemSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { parseTimestamp } from '../time.ts'
import type { ItemRecords } from './item-records.ts'

/** Which items to list. An absent or empty value does not filter, of several values any matches; all filters combine. */
export type ItemFilter = Partial<{
  projectId: string
  column: string | string[]
  assigneeId: string | string[]
  priority: string | string[]
  /** The id or the name of a label that the item has. */
  label: string | string[]
  /** A substring of the title or the description, case-insensitive. */
  q: string
  /** Due then or later. */
  dueAfter: string
  /** Due earlier. */
  dueBefore: string
  /** Whether to list dismissed items: no (the default), only those, or all. */
  dismissed: 'false' | 'true' | 'all'
}>

const DISMISSED = { false: 0, true: 1, all: undefined }

/**
 * Folds a text for case-insensitive comparison, each letter whatever its context, so that a substring of the text folds to
 * a substring of the result: hence one small sigma for the two.
 */
const fold = (text: string) => text.toLowerCase().replaceAll('ς', 'σ')

/** The values that a filter binds; undefined for what does not filter. */
const valuesOf = ({ q, dueAfter, dueBefore, dismissed = 'false', ...exact }: ItemFilter) => ({
  projectId: exact.projectId || undefined,
  ...bindAny('column', valuesOfAny(exact.column)),
  ...bindAny('assigneeId', valuesOfAny(exact.assigneeId)),
  ...bindAny('priority', valuesOfAny(exact.priority)),
  dismissed: DISMISSED[dismissed],
  dueAfter: dueAfter && parseTimestamp(dueAfter),
  dueBefore: dueBefore && parseTimestamp(dueBefore),
  ...bindAny('label', valuesOfAny(exact.label)),
  q: q ? fold(q) : undefined,
})

/** Condition: the column's text contains the folded text of the placeholder `q`. */
const contains = (column: SQLiteColumn): SQL => sql`contains_folded(${column}, ${given('q')})`

/** The condition of each filter, by the name of its placeholder. */
const CONDITIONS: Record<string, SQL | undefined> = {
  projectId: eq(kanbanItems.projectId, given('projectId')),
  column: eq(kanbanItems.column, given('column')),
  assigneeId: eq(kanbanItems.assigneeId, given('assigneeId')),
  priority: eq(kanbanItems.priority, given('priority')),
  [listPlaceholder('column')]: amongValues(kanbanItems.column, listPlaceholder('column')),
  [listPlaceholder('assigneeId')]: amongValues(kanbanItems.assigneeId, listPlaceholder('assigneeId')),
  [listPlaceholder('priority')]: amongValues(kanbanItems.priority, listPlaceholder('priority')),
  dismissed: eq(kanbanItems.dismissed, given('dismissed')),
  dueAfter: gte(kanbanItems.dueDate, given('dueAfter')),
  dueBefore: lt(kanbanItems.dueDate, given('dueBefore')),
  q: or(contains(kanbanItems.title), contains(kanbanItems.description)),
}

/** The conditions of the label filter, by the name of the placeholder. */
const IS_LABEL: Record<string, SQL | undefined> = {
  label: or(eq(kanbanLabels.id, given('label')), eq(kanbanLabels.name, given('label'))),
  [listPlaceholder('label')]: or(
    amongValues(kanbanLabels.id, listPlaceholder('label')),
    amongValues(kanbanLabels.name, listPlaceholder('label')),
  ),
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

/** One statement for each combination of filters that occurs, so that each can use its index. */
function statementsOf(db: SharedDatabase) {
  const matching = (names: string[]) =>
    and(
      ...names.map((name) =>
        name in IS_LABEL
          ? inArray(kanbanItems.id, labelled(db, name, names.includes('projectId')))
          : CONDITIONS[name],
      ),
    )
  return {
    projectExists: existsIn(db, projects),
    all: byFields((names) =>
      selectAll(db, () =>
        db
          .select()
          .from(kanbanItems)
          .where(matching(names))
          .orderBy(...inOrder(kanbanItems)),
      ),
    ),
    after: byFields((names) =>
      selectAll(db, () =>
        db
          .select({ id: kanbanItems.id, sortOrder: kanbanItems.sortOrder })
          .from(kanbanItems)
          .where(and(matching(names), isAfter(kanbanItems)))
          .orderBy(...inOrder(kanbanItems))
          .limit(givenLimit('count')),
      ),
    ),
  }
}

/** Lists of items by sortOrder. A whole list takes three statements, a page four, however many items they have. */
export class ItemLists {
  static readonly reads: readonly string[] = ['ofProject', 'ofAll']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #records: ItemRecords
  readonly #toJson = createJsonWriter(Type.Array(ref(KanbanItemSchema)))

  constructor(db: SharedDatabase, records: ItemRecords) {
    db.$client.function('contains_folded', { deterministic: true }, (text: string, folded: string) =>
      Number(fold(text).includes(folded)),
    )
    this.#db = db
    this.#sql = statementsOf(db)
    this.#records = records
  }

  /** Items of one project. @throws ApiError 404 when there is no such project; TooMuchWork */
  ofProject(projectId: string, filter: Omit<ItemFilter, 'projectId'> & PageQuery): JsonPage {
    return this.#page(() => {
      if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
      return this.#list({ ...filter, projectId }, filter)
    })
  }

  /** Items of all projects. @throws TooMuchWork */
  ofAll(filter: ItemFilter & PageQuery): JsonPage {
    return this.#page(() => this.#list(filter, filter))
  }

  #page(list: () => { items: KanbanItem[]; next?: string }): JsonPage {
    const { items, next } = read(this.#db, list)
    return { body: this.#toJson(items), next }
  }

  #list(filter: ItemFilter, query: PageQuery): { items: KanbanItem[]; next?: string } {
    const values = valuesOf(filter)
    const isWhole = query.limit === undefined && query.cursor === undefined
    if (isLimited(this.#db)) {
      // A substring search reads all texts.
      if (values.q !== undefined) throw new TooMuchWork()
      if (isWhole) return { items: this.#records.many(this.#firstOf(values)) }
    }
    const { all, after } = this.#sql
    if (isWhole) return { items: this.#records.complete(all(values)(values)) }
    const { ids, ...more } = readPage((place, count) => after(values)({ ...values, ...place, count }), query)
    return { items: this.#records.many(ids), ...more }
  }

  /** The ids of all items that pass the filter. @throws TooMuchWork when there are more than {@link ROWS_READ} */
  #firstOf(values: ReturnType<typeof valuesOf>): string[] {
    const places = this.#sql.after(values)({ ...values, ...BEGINNING, count: ROWS_READ + 1 })
    ensureFew(this.#db, places.length, ROWS_READ)
    return places.map(({ id }) => id)
  }
}
