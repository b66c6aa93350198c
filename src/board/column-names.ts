/** The columns of a project's board for its items: by name, created on demand. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import {
  afterLast,
  between,
  inOrder,
  isAfter,
  isBefore,
  numberAround,
  type Place,
  putIn,
} from '../db/ordering.ts'
import { kanbanColumns } from '../db/schema.ts'
import { given, insertInto, selectAll, selectOne } from '../db/statements.ts'
import { ensureFew } from '../db/work-limits.ts'
import { invalidField } from '../errors.ts'
import {
  isDoneByName,
  isDoneByStage,
  isNamedDone,
  isStage,
  type Stage,
  type Staged,
  stageOf,
} from './stages.ts'

/** The WIP limit of a column (0: none), and its policy above the limit. */
export interface ColumnLimit {
  wipLimit: number
  wipPolicy: string
}

/** The violation for a column name that a strict request must not create. */
export const NO_SUCH_COLUMN = 'must be the name of a column of the project'

const NO_LIMIT: ColumnLimit = { wipLimit: 0, wipPolicy: 'warn' }

const DEFAULT_COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

type ColumnRow = Place & Staged

const { id, name, sortOrder, stage } = kanbanColumns
const isOfProject = eq(kanbanColumns.projectId, given('projectId'))
const [forwards, backwards] = [inOrder(kanbanColumns), [desc(sortOrder), desc(id)]]

function statementsOf(db: SharedDatabase) {
  const columns = () => db.select({ id, name, sortOrder, stage }).from(kanbanColumns)
  const nearest = (order: SQL[], ...conditions: SQL[]) =>
    selectOne<ColumnRow>(db, () =>
      columns()
        .where(and(isOfProject, ...conditions))
        .orderBy(...order)
        .limit(1),
    )
  const isNamed = and(isOfProject, eq(name, given('name')))
  return {
    named: selectOne(db, () =>
      db
        .select({ wipLimit: kanbanColumns.wipLimit, wipPolicy: kanbanColumns.wipPolicy })
        .from(kanbanColumns)
        .where(isNamed),
    ),
    staged: selectOne<ColumnRow>(db, () => columns().where(isNamed)),
    first: nearest(forwards),
    last: nearest(backwards),
    next: nearest(forwards, isAfter(kanbanColumns)),
    previous: nearest(backwards, isBefore(kanbanColumns)),
    firstNamedDone: nearest(forwards, isDoneByName),
    lastOpen: nearest(backwards, sql`${stage} is not 'done'`),
    doneByStage: selectAll(db, () =>
      db.select({ name }).from(kanbanColumns).where(and(isOfProject, isDoneByStage)),
    ),
    all: selectAll<ColumnRow>(db, () =>
      columns()
        .where(isOfProject)
        .orderBy(...forwards),
    ),
    put: putIn(db, kanbanColumns),
    insert: insertInto(db, kanbanColumns),
  }
}

/** The columns of projects, by name. */
export class ColumnNames {
  static readonly reads: readonly string[] = [
    'limitOf',
    'stageOf',
    'isDone',
    'done',
    'has',
    'problemOf',
    'mustExist',
  ]
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** A column's limit; undefined if the project has no column of that name. */
  limitOf(projectId: string, name: string): ColumnLimit | undefined {
    return this.#sql.named({ projectId, name })
  }

  /**
   * Creates a column if the project does not have it yet: every item is in a column. The others keep their stages: it is placed
   * before the done columns, or else at the end. Its stage is `doing`, unless its name implies another.
   * @param at the time of the write, as a timestamp
   * @returns its limit
   */
  ensure(projectId: string, name: string, at: string): ColumnLimit {
    const found = this.limitOf(projectId, name)
    if (found) return found
    this.#insert(projectId, name, at)
    return NO_LIMIT
  }

  /** The effective stage of a column of a project. */
  stageOf({ id, projectId, name, stage }: Staged & { id: string; projectId: string }): Stage {
    const isAt = (end: { id: string } | undefined) => end?.id === id
    return isStage(stage)
      ? stage
      : stageOf(
          { name, stage },
          {
            isFirst: isAt(this.#sql.first({ projectId })),
            isLast: isAt(this.#sql.last({ projectId })),
          },
        )
  }

  /** Whether a column is a done column; false if the project does not have it. */
  isDone(projectId: string, name: string): boolean {
    const column = this.#sql.staged({ projectId, name })
    return column !== undefined && this.stageOf({ ...column, projectId }) === 'done'
  }

  /** The names of the done columns. */
  done(projectId: string): string[] {
    const last = this.#sql.last({ projectId })?.name
    const names = this.#sql.doneByStage({ projectId }).map(({ name }) => name)
    return last !== undefined && !names.includes(last) && this.isDone(projectId, last)
      ? [...names, last]
      : names
  }

  /** Whether the project has a column of that name. */
  has(projectId: string, name: string): boolean {
    return this.limitOf(projectId, name) !== undefined
  }

  /** The violation of a column's name in a strict request, which must not create it; undefined if the project has it. */
  problemOf(projectId: string, name: string): string | undefined {
    return this.has(projectId, name) ? undefined : NO_SUCH_COLUMN
  }

  /**
   * Refuses a column that a strict request would create. Call it inside the write.
   * @param path the path of its name in the request, e.g. `update.column`
   * @throws ApiError 400 on the first field of the path, if the project does not have it
   */
  mustExist(projectId: string, name: string, path = 'column'): void {
    if (this.problemOf(projectId, name) === undefined) return
    const [field = path, ...deeper] = path.split('.')
    throw invalidField(field, deeper.length > 0 ? `${path} ${NO_SUCH_COLUMN}` : NO_SUCH_COLUMN)
  }

  /** Gives a new project its default columns. */
  createDefaults(projectId: string, at: string): void {
    for (const [index, name] of DEFAULT_COLUMNS.entries()) this.#create(projectId, name, index + 1, at)
  }

  #insert(projectId: string, name: string, at: string): void {
    const last = this.#sql.last({ projectId })
    const after = last && this.#placeBefore(projectId, last)
    const before = after ? this.#sql.previous({ projectId, ...after }) : last
    const isAtEnd = last !== undefined && after === undefined
    const stage = isAtEnd && !isNamedDone(name) ? 'doing' : null
    const sortOrder = after ? between(before?.sortOrder, after.sortOrder) : afterLast(before?.sortOrder)
    this.#create(projectId, name, sortOrder ?? this.#makeRoom(projectId, after, at), at, stage)
  }

  /**
   * The column before which an automatically created one is placed: the first that is done by its name or place; if there is none,
   * the first of the trailing columns with an explicit stage of done; undefined for the end.
   */
  #placeBefore(projectId: string, last: ColumnRow): Place | undefined {
    const named = this.#sql.firstNamedDone({ projectId })
    if (named) return named
    if (!isStage(last.stage)) return this.stageOf({ ...last, projectId }) === 'done' ? last : undefined
    if (last.stage !== 'done') return undefined
    const open = this.#sql.lastOpen({ projectId })
    return open ? this.#sql.next({ projectId, ...open }) : this.#sql.first({ projectId })
  }

  /**
   * Renumbers the columns of a board, leaving a free number before one of them. Columns that are in their places do not change.
   * @returns the free number
   * @throws TooMuchWork
   */
  #makeRoom(projectId: string, after: Place | undefined, at: string): number {
    const columns = this.#sql.all({ projectId })
    const free = columns.findIndex(({ id }) => id === after?.id)
    const { sortOrder, moved } = numberAround(columns, free)
    ensureFew(this.#db, moved.length)
    this.#sql.put(moved, at)
    return sortOrder
  }

  #create(projectId: string, name: string, sortOrder: number, at: string, stage: Stage | null = null): void {
    this.#sql.insert({ id: newId(), projectId, name, sortOrder, stage, createdAt: at, updatedAt: at })
  }
}
