/** The stages of work of columns: to do, doing, done. */
import { type SQL, sql } from 'drizzle-orm'
import { kanbanColumns } from '../db/schema.ts'

/** The stages, in the order of work. */
export const STAGES = ['todo', 'doing', 'done'] as const
export type Stage = (typeof STAGES)[number]

const STAGES_IN_SQL = STAGES.map((stage) => `'${stage}'`).join(', ')

/** Whether a column has an explicit stage; another tool may have stored any text. */
export const isStage = (stage: string | null): stage is Stage => STAGES.includes(stage as Stage)

/** Names of done columns. With capitals beyond ASCII, and in both Unicode normal forms, since SQLite's `lower` does not change them. */
const DONE_NAMES = [
  ...['done', 'closed', 'complete', 'completed', 'finished', 'erledigt', 'fertig', 'hecho'],
  ...['terminé', 'terminÉ'].flatMap((name) => [name.normalize('NFC'), name.normalize('NFD')]),
]
const NAMED_DONE = new Set(DONE_NAMES)

/** Whether a column has a name of done columns, ignoring case. */
export const isNamedDone = (name: string): boolean =>
  NAMED_DONE.has(name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))

/** The same as a condition. @param name the column of the name, as SQL */
const isNamedDoneIn = (name: string): string =>
  `lower(${name}) in (${DONE_NAMES.map((one) => `'${one}'`).join(', ')})`

/** The fields of a column that decide its stage. */
export interface Staged {
  name: string
  stage: string | null
}

/**
 * The effective stage: the column's own, or derived from its name and its place on the board: one with a name of done columns is
 * `done`; of the others the first is `todo`, the last `done`, the rest `doing`. A single column is `todo`: items that are only
 * noted down are not finished.
 */
export function stageOf({ name, stage }: Staged, place: { isFirst: boolean; isLast: boolean }): Stage {
  if (isStage(stage)) return stage
  if (isNamedDone(name)) return 'done'
  if (place.isFirst) return 'todo'
  return place.isLast ? 'done' : 'doing'
}

/** The columns of one board, in order, with their effective stages. */
export const withStages = <Column extends Staged>(columns: readonly Column[]) =>
  columns.map((column, index) => ({
    ...column,
    stage: stageOf(column, { isFirst: index === 0, isLast: index === columns.length - 1 }),
  }))

/** Condition on a column: it has no explicit stage, and a name of done columns. */
export const isDoneByName: SQL = sql`coalesce(${kanbanColumns.stage}, '') not in (${sql.raw(STAGES_IN_SQL)})
  and ${sql.raw(isNamedDoneIn('"kanban_columns"."name"'))}`

/** Condition on a column: it is done, whatever its place. */
export const isDoneByStage: SQL = sql`case when ${kanbanColumns.stage} in (${sql.raw(STAGES_IN_SQL)})
  then ${kanbanColumns.stage} = 'done' else ${sql.raw(isNamedDoneIn('"kanban_columns"."name"'))} end`

/** Condition on an item: it is in a done column, as in {@link stageOf}. */
export const isDone: SQL<0 | 1> = sql<0 | 1>`exists (select 1 from ${kanbanColumns} as "its"
  where "its"."project_id" = "kanban_items"."project_id" and "its"."name" = "kanban_items"."column"
  and case when "its"."stage" in (${sql.raw(STAGES_IN_SQL)}) then "its"."stage" = 'done'
    when ${sql.raw(isNamedDoneIn('"its"."name"'))} then 1 else exists (select 1 from ${kanbanColumns} as "other" where "other"."project_id" = "its"."project_id"
      and ("other"."sort_order", "other"."id") < ("its"."sort_order", "its"."id"))
    and not exists (select 1 from ${kanbanColumns} as "other" where "other"."project_id" = "its"."project_id"
      and ("other"."sort_order", "other"."id") > ("its"."sort_order", "its"."id"))
  end)`

/** Condition on an item: it is in a todo column, as in {@link stageOf}. */
export const isTodo: SQL<0 | 1> = sql<0 | 1>`(exists (select 1 from ${kanbanColumns} as "its"
  where "its"."project_id" = "kanban_items"."project_id" and "its"."name" = "kanban_items"."column"
  and case when "its"."stage" in (${sql.raw(STAGES_IN_SQL)}) then "its"."stage" = 'todo' else
    not exists (select 1 from ${kanbanColumns} as "other" where "other"."project_id" = "its"."project_id"
      and ("other"."sort_order", "other"."id") < ("its"."sort_order", "its"."id"))
  end) and not ${isDone})`
