/** The numbers of comments and attachments of a board's items, which records of items do not contain. */
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { projects } from '../db/schema.ts'
import { existsIn } from '../db/statements.ts'
import { ROWS_READ, ROWS_SCANNED, rowLimit } from '../db/work-limits.ts'
import { once } from '../once.ts'
import { ref } from '../schemas/common.ts'
import { type KanbanCounts, KanbanCountsSchema } from '../schemas/records.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'

interface Counted {
  id: string
  comments: number
  attachments: number
}

/** Counts in the indexes of the two tables, separately for each item, so that SQLite does not scan those of other items. */
const COUNTED = `select item.id as id,
  (select count(*) from kanban_comments as comment where comment.item_id = item.id) as comments,
  (select count(*) from attachments as file where file.item_id = item.id) as attachments
  from kanban_items as item`

const OF_PROJECT = 'kanban_items where project_id = +?'
const OF_IDS = 'select value from json_each(+?)'

/** Limits the counted rows on the event loop. @param items the ids of the items, as SQL with one parameter */
const limitsOf = (db: SharedDatabase, items: string) => [
  rowLimit(db, `kanban_comments where item_id in (${items})`, ROWS_SCANNED),
  rowLimit(db, `attachments where item_id in (${items})`, ROWS_SCANNED),
]

const statementsOf = (db: SharedDatabase) => ({
  projectExists: existsIn(db, projects),
  ofProject: once(() => db.$client.prepare<[string], Counted>(`${COUNTED} where item.project_id = +?`)),
  some: once(() =>
    db.$client.prepare<[string, string], Counted>(
      `${COUNTED} where item.id in (${OF_IDS}) and +item.project_id = +?`,
    ),
  ),
  limitsOfProject: [rowLimit(db, OF_PROJECT, ROWS_READ), ...limitsOf(db, `select id from ${OF_PROJECT}`)],
  limitsOfSome: limitsOf(db, OF_IDS),
})

/** The numbers of comments and attachments of items. */
export class ItemCounts {
  static readonly reads: readonly string[] = ['ofProject']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(ref(KanbanCountsSchema))

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /**
   * The counts of the items of a project, also dismissed ones, by their ids, as JSON. Items with neither are absent.
   * @param ids only these items; by default all
   * @throws ApiError 404 for an unknown project; TooMuchWork
   */
  ofProject(projectId: string, ids: readonly string[] = []): JsonBytes {
    const rows = read(this.#db, () => {
      if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
      return ids.length === 0 ? this.#all(projectId) : this.#some(projectId, JSON.stringify(ids))
    })
    const counts: KanbanCounts = Object.fromEntries(
      rows.flatMap(({ id, comments, attachments }) =>
        comments + attachments > 0 ? [[id, { comments, attachments }]] : [],
      ),
    )
    return this.#toJson(counts)
  }

  #all(projectId: string): Counted[] {
    for (const limit of this.#sql.limitsOfProject) limit(projectId)
    return this.#sql.ofProject().all(projectId)
  }

  /** @param ids as a JSON array */
  #some(projectId: string, ids: string): Counted[] {
    for (const limit of this.#sql.limitsOfSome) limit(ids)
    return this.#sql.some().all(ids, projectId)
  }
}
