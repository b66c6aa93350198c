/** Boards as their files have them: the common part of all forms. */
import { asc, eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { inOrder } from '../db/ordering.ts'
import { kanbanColumns, kanbanItems, projects } from '../db/schema.ts'
import { given, givenLimit, selectAll, selectOne } from '../db/statements.ts'
import { ensureFew, isLimited, ROWS_READ } from '../db/work-limits.ts'
import type { KanbanItem } from '../schemas/records.ts'
import type { ItemRecords } from './item-records.ts'
import { type Stage, type Staged, withStages } from './stages.ts'

/** Items read at a time, so that the whole list is not in memory twice. */
const AT_ONCE = 500

/** More items than any project has. */
const ALL = 1e9

/** A person with a name. */
export interface Named {
  id: string
  name: string
}

/** Provides the names of people. */
export interface KnownPeople {
  /** The known people with these ids. @param hosted people that the host has just returned */
  named: (ids: readonly string[], hosted: readonly Named[]) => Named[]
}

/** A board, without its items. */
export interface ExportedBoard {
  project: { id: string; name: string; description: string; key: string | null }
  columns: (Staged & { id: string; wipLimit: number; stage: Stage })[]
  /** The ids of its items, dismissed ones too, by sortOrder. */
  itemIds: string[]
}

const statementsOf = (db: SharedDatabase) => ({
  project: selectOne<ExportedBoard['project']>(db, () =>
    db
      .select({
        id: projects.id,
        name: projects.name,
        description: projects.description,
        key: projects.key,
      })
      .from(projects)
      .where(eq(projects.id, given('projectId'))),
  ),
  columns: selectAll<Staged & { id: string; wipLimit: number }>(db, () =>
    db
      .select({
        id: kanbanColumns.id,
        name: kanbanColumns.name,
        stage: kanbanColumns.stage,
        wipLimit: kanbanColumns.wipLimit,
      })
      .from(kanbanColumns)
      .where(eq(kanbanColumns.projectId, given('projectId')))
      .orderBy(...inOrder(kanbanColumns)),
  ),
  ids: selectAll<{ id: string }>(db, () =>
    db
      .select({ id: kanbanItems.id })
      .from(kanbanItems)
      .where(eq(kanbanItems.projectId, given('projectId')))
      .orderBy(asc(kanbanItems.sortOrder), asc(kanbanItems.id))
      .limit(givenLimit('count')),
  ),
})

/** Reads boards for files. Call its methods inside one transaction. */
export class ExportedBoards {
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #records: ItemRecords
  readonly #people: KnownPeople

  constructor(db: SharedDatabase, records: ItemRecords, people: KnownPeople) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#records = records
    this.#people = people
  }

  /** A board. @throws ApiError 404; TooMuchWork */
  open(projectId: string): ExportedBoard {
    const project = this.#sql.project({ projectId }) ?? throwNotFound(projects)
    const isShort = isLimited(this.#db)
    const itemIds = this.#sql.ids({ projectId, count: isShort ? ROWS_READ + 1 : ALL }).map(({ id }) => id)
    if (isShort) {
      ensureFew(this.#db, itemIds.length, ROWS_READ)
      this.#records.ensureFew(itemIds)
    }
    return { project, columns: withStages(this.#sql.columns({ projectId })), itemIds }
  }

  /** The items of a board, in pieces. @throws TooMuchWork */
  *itemsOf({ itemIds }: ExportedBoard): Generator<KanbanItem[]> {
    for (let start = 0; start < itemIds.length; start += AT_ONCE)
      yield this.#records.many(itemIds.slice(start, start + AT_ONCE))
  }

  /** The names of the known ones of these people, by id. @param hosted people that the host has just returned */
  names(ids: Iterable<string>, hosted: readonly Named[]): Map<string, string> {
    return new Map(this.#people.named([...new Set(ids)], hosted).map(({ id, name }) => [id, name]))
  }
}

/** A title for a tool that refuses blank ones. */
export const visibleTitle = (title: string): string => (title.trim() === '' ? '(untitled)' : title)
