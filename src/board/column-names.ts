/** The columns of a project's board as its items need them: by name, created on demand. */
import { and, desc, eq, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { afterLast, inOrder } from '../db/ordering.ts'
import { kanbanColumns } from '../db/schema.ts'
import { given, insertInto, selectAll, selectOne } from '../db/statements.ts'
import { invalidField } from '../errors.ts'
import { isStage, type Stage, stageOf } from './stages.ts'

/** How many items a column should hold, 0 for any number, and what happens above that. */
export interface ColumnLimit {
  wipLimit: number
  wipPolicy: string
}

/** What is wrong with the name of a column that a strict request must not make. */
export const NO_SUCH_COLUMN = 'must be the name of a column of the project'

const NO_LIMIT: ColumnLimit = { wipLimit: 0, wipPolicy: 'warn' }

const DEFAULT_COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

const statementsOf = (db: SharedDatabase) => ({
  named: selectOne(db, () =>
    db
      .select({ wipLimit: kanbanColumns.wipLimit, wipPolicy: kanbanColumns.wipPolicy })
      .from(kanbanColumns)
      .where(and(eq(kanbanColumns.projectId, given('projectId')), eq(kanbanColumns.name, given('name')))),
  ),
  staged: selectOne(db, () =>
    db
      .select({ id: kanbanColumns.id, stage: kanbanColumns.stage })
      .from(kanbanColumns)
      .where(and(eq(kanbanColumns.projectId, given('projectId')), eq(kanbanColumns.name, given('name')))),
  ),
  first: selectOne(db, () =>
    db
      .select({ id: kanbanColumns.id })
      .from(kanbanColumns)
      .where(eq(kanbanColumns.projectId, given('projectId')))
      .orderBy(...inOrder(kanbanColumns))
      .limit(1),
  ),
  last: selectOne(db, () =>
    db
      .select({ id: kanbanColumns.id, name: kanbanColumns.name, sortOrder: kanbanColumns.sortOrder })
      .from(kanbanColumns)
      .where(eq(kanbanColumns.projectId, given('projectId')))
      .orderBy(desc(kanbanColumns.sortOrder), desc(kanbanColumns.id))
      .limit(1),
  ),
  saidDone: selectAll(db, () =>
    db
      .select({ name: kanbanColumns.name })
      .from(kanbanColumns)
      .where(and(eq(kanbanColumns.projectId, given('projectId')), eq(kanbanColumns.stage, sql`'done'`))),
  ),
  insert: insertInto(db, kanbanColumns),
})

/** The columns of projects, by name. */
export class ColumnNames {
  static readonly reads: readonly string[] = ['limitOf', 'stageOf', 'isDone', 'done', 'has', 'mustExist']
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** A column's limit; undefined when the project defines no column of that name. */
  limitOf(projectId: string, name: string): ColumnLimit | undefined {
    return this.#sql.named({ projectId, name })
  }

  /**
   * Creates a column at the end of the board when the project does not define it yet: every item stands in a column.
   * @param at the time of the write, as a timestamp
   * @returns its limit
   */
  ensure(projectId: string, name: string, at: string): ColumnLimit {
    const found = this.limitOf(projectId, name)
    if (found) return found
    this.#create(projectId, name, afterLast(this.#sql.last({ projectId })?.sortOrder), at)
    return NO_LIMIT
  }

  /** The stage that counts of a column of a project. */
  stageOf({ id, projectId, stage }: { id: string; projectId: string; stage: string | null }): Stage {
    const isAt = (end: { id: string } | undefined) => end?.id === id
    return isStage(stage)
      ? stage
      : stageOf(stage, {
          isFirst: isAt(this.#sql.first({ projectId })),
          isLast: isAt(this.#sql.last({ projectId })),
        })
  }

  /** Whether a column is one of finished work; one that the project does not define is none. */
  isDone(projectId: string, name: string): boolean {
    const column = this.#sql.staged({ projectId, name })
    return column !== undefined && this.stageOf({ ...column, projectId }) === 'done'
  }

  /** The names of the columns of finished work. */
  done(projectId: string): string[] {
    const last = this.#sql.last({ projectId })?.name
    const said = this.#sql.saidDone({ projectId }).map(({ name }) => name)
    return last !== undefined && !said.includes(last) && this.isDone(projectId, last) ? [...said, last] : said
  }

  /** Whether the project defines a column of that name. */
  has(projectId: string, name: string): boolean {
    return this.limitOf(projectId, name) !== undefined
  }

  /**
   * Refuses a column that a strict request would make. Call it inside the write.
   * @param path the path of its name in the request, e.g. `update.column`
   * @throws ApiError 400 on the first field of the path, when the project does not define it
   */
  mustExist(projectId: string, name: string, path = 'column'): void {
    if (this.has(projectId, name)) return
    const [field = path, ...deeper] = path.split('.')
    throw invalidField(field, deeper.length > 0 ? `${path} ${NO_SUCH_COLUMN}` : NO_SUCH_COLUMN)
  }

  /** Gives a new project its default columns. */
  createDefaults(projectId: string, at: string): void {
    for (const [index, name] of DEFAULT_COLUMNS.entries()) this.#create(projectId, name, index + 1, at)
  }

  #create(projectId: string, name: string, sortOrder: number, at: string): void {
    this.#sql.insert({ id: newId(), projectId, name, sortOrder, createdAt: at, updatedAt: at })
  }
}
