/** The stages of work that columns stand for: to do, doing, done. */
import { type SQL, sql } from 'drizzle-orm'
import { kanbanColumns } from '../db/schema.ts'

/** The stages, in the order of work. */
export const STAGES = ['todo', 'doing', 'done'] as const
export type Stage = (typeof STAGES)[number]

/** Whether a column says its stage itself; another tool may have stored any text. */
export const isStage = (stage: string | null): stage is Stage => STAGES.includes(stage as Stage)

/**
 * The stage that counts: the column's own; else by its place on the board: the first column is `todo`, the last `done`, the rest
 * `doing`. The only column of a board is `todo`: what is merely noted down is not finished.
 */
export function stageOf(stage: string | null, place: { isFirst: boolean; isLast: boolean }): Stage {
  if (isStage(stage)) return stage
  if (place.isFirst) return 'todo'
  return place.isLast ? 'done' : 'doing'
}

/** The columns of one board, in its order, with the stages that count. */
export const withStages = <Column extends { stage: string | null }>(columns: readonly Column[]) =>
  columns.map((column, index) => ({
    ...column,
    stage: stageOf(column.stage, { isFirst: index === 0, isLast: index === columns.length - 1 }),
  }))

/** Condition on an item: it stands in a column of finished work, as {@link stageOf} says. */
export const isDone: SQL<0 | 1> = sql<0 | 1>`exists (select 1 from ${kanbanColumns} as "its"
  where "its"."project_id" = "kanban_items"."project_id" and "its"."name" = "kanban_items"."column"
  and case when "its"."stage" in (${sql.raw(STAGES.map((stage) => `'${stage}'`).join(', '))}) then "its"."stage" = 'done' else
    exists (select 1 from ${kanbanColumns} as "other" where "other"."project_id" = "its"."project_id"
      and ("other"."sort_order", "other"."id") < ("its"."sort_order", "its"."id"))
    and not exists (select 1 from ${kanbanColumns} as "other" where "other"."project_id" = "its"."project_id"
      and ("other"."sort_order", "other"."id") > ("its"."sort_order", "its"."id"))
  end)`

/** Condition on an item: it stands in a column of work to do, as {@link stageOf} says. */
export const isTodo: SQL<0 | 1> = sql<0 | 1>`(exists (select 1 from ${kanbanColumns} as "its"
  where "its"."project_id" = "kanban_items"."project_id" and "its"."name" = "kanban_items"."column"
  and case when "its"."stage" in (${sql.raw(STAGES.map((stage) => `'${stage}'`).join(', '))}) then "its"."stage" = 'todo' else
    not exists (select 1 from ${kanbanColumns} as "other" where "other"."project_id" = "its"."project_id"
      and ("other"."sort_order", "other"."id") < ("its"."sort_order", "its"."id"))
  end) and not ${isDone})`
