/** Changes the columns of a board, and their items. */
import { sql } from 'drizzle-orm'
import { OrderedChildren, uniqueNameIn } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import type { Place } from '../db/ordering.ts'
import { kanbanColumns, kanbanItems } from '../db/schema.ts'
import { change, selectOne } from '../db/statements.ts'
import { rowLimit } from '../db/work-limits.ts'
import { conflict, invalidField } from '../errors.ts'
import { type CurrentMember, type KanbanColumn, KanbanColumnSchema } from '../schemas/records.ts'
import type { Claims } from './claims.ts'
import type { ColumnNames } from './column-names.ts'
import type { Items } from './items.ts'
import { ITEMS_OF_COLUMN, isInColumn } from './places.ts'
import { type Stage, withStages } from './stages.ts'

type ColumnRow = typeof kanbanColumns.$inferSelect

/** Fields a client may set. */
type ColumnInput = Partial<Pick<KanbanColumn, 'name' | 'color' | 'sortOrder' | 'wipLimit' | 'wipPolicy'>> & {
  /** Null: derived from its place. */
  stage?: Stage | null
}

const statementsOf = (db: SharedDatabase) => ({
  ensureFree: uniqueNameIn(db, kanbanColumns),
  anyItem: selectOne(db, () =>
    db.select({ id: kanbanItems.id }).from(kanbanItems).where(isInColumn).limit(1),
  ),
  renameOnItems: change(() =>
    db
      .update(kanbanItems)
      .set({ column: sql`${sql.placeholder('name')}`, updatedAt: sql`${sql.placeholder('updatedAt')}` })
      .where(isInColumn),
  ),
  limitItems: rowLimit(db, ITEMS_OF_COLUMN),
})

/** The columns of boards. */
export class Columns extends OrderedChildren<typeof kanbanColumns> {
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #names: ColumnNames
  readonly #items: Items
  readonly #claims: Claims

  constructor(
    db: SharedDatabase,
    { columnNames, items, claims }: { columnNames: ColumnNames; items: Items; claims: Claims },
  ) {
    super(db, kanbanColumns, KanbanColumnSchema)
    this.#sql = statementsOf(db)
    this.#names = columnNames
    this.#items = items
    this.#claims = claims
  }

  /** One column, with its effective stage. @throws ApiError 404 */
  override get(id: string): KanbanColumn {
    return this.#withStage(super.get(id))
  }

  /**
   * Creates a column, at the end of the board by default.
   * @throws ApiError 404 for an unknown project, 409 if the project has a column of that name
   */
  override create(projectId: string, input: ColumnInput & { name: string }): KanbanColumn {
    this.#sql.ensureFree(projectId, input.name)
    return this.#withStage(super.create(projectId, input))
  }

  /**
   * Changes a column. A new name is also written to its items, and to those claimed from it, without activity entries.
   * @throws ApiError 404, or 409 if the project has another column of that name; TooMuchWork
   */
  override update(id: string, input: ColumnInput): KanbanColumn {
    const { projectId, name: column } = this.get(id)
    const { name = column } = input
    if (name !== column) {
      this.#sql.ensureFree(projectId, name)
      this.#sql.limitItems(projectId, column)
    }
    const changed = super.update(id, input)
    if (name !== column) {
      this.#sql.renameOnItems({ projectId, column, name, updatedAt: changed.updatedAt })
      this.#claims.follow(projectId, column, name, changed.updatedAt)
    }
    return this.#withStage(changed)
  }

  /**
   * Deletes a column; its items are moved to the end of another one first.
   * @param member the actor, for the items' activity log
   * @param moveTo the name of that column
   * @throws ApiError 404; 400 if `moveTo` is not another column of the project; 409 if there are items and no
   * `moveTo`, or if they do not fit there; TooMuchWork
   */
  override delete(id: string, member?: CurrentMember, moveTo?: string): void {
    const { projectId, name: column } = this.get(id)
    if (moveTo !== undefined && (moveTo === column || !this.#names.limitOf(projectId, moveTo))) {
      throw invalidField('moveTo', 'must be the name of another column of the project')
    }
    if (moveTo !== undefined) this.#items.moveAll({ projectId, column }, moveTo, member?.id ?? null)
    else if (this.#sql.anyItem({ projectId, column }))
      throw conflict('Kanban column still has items', 'column_has_items')
    super.delete(id)
  }

  /** Reorders columns, all or nothing. @returns them, in the order of the places @throws ApiError 404, 400 */
  override reorder(projectId: string, places: readonly Place[]): KanbanColumn[] {
    return super.reorder(projectId, places) as KanbanColumn[]
  }

  protected override shown(rows: ColumnRow[]): KanbanColumn[] {
    return withStages(rows) as KanbanColumn[]
  }

  #withStage(row: ColumnRow): KanbanColumn {
    return { ...row, stage: this.#names.stageOf(row) } as KanbanColumn
  }
}
