/** WIP limits of columns. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { texts } from '../texts.ts'
import type { ProjectStore } from './project-store.ts'

/** `full`: the column accepts no more cards. `above`: it exceeds its limit. */
type LimitState = 'within' | 'full' | 'above'

/** @param limit 0 means none @param policy `block` refuses cards above the limit */
export function limitState(count: number, limit: number, policy: string): LimitState {
  if (limit === 0) return 'within'
  if (count > limit) return 'above'
  return policy === 'block' && count === limit ? 'full' : 'within'
}

/** The number of cards that count towards a column's limit: all but dismissed ones. Subscribes like `idsOf`. @param column its name */
export const countIn = (store: ProjectStore, column: string): number =>
  store.idsOf(column).filter((id) => !store.items.peek(id)?.dismissed).length

const limitOf = (store: ProjectStore, column: string): number =>
  store.columnList.find(({ name }) => name === column)?.wipLimit ?? 0

/** Whether the service refused a card because the column is full. */
export const isFull = (error: unknown): boolean => {
  const { status, error: text } = Object(error) as { status?: number; error?: string }
  return status === 409 && text === 'Column is at its WIP limit'
}

/** The message of a full column. @param item the refused card */
export function fullText(store: ProjectStore, column: string, item: KanbanItem): string {
  // The columns of another project are not known.
  const limit = limitOf(store, column)
  const full = texts.wip.full(column, limit === 0 ? undefined : [countIn(store, column), limit])
  return item.column === column ? full : `${full} ${texts.wip.stays(item.title, item.column)}`
}

/** The message of a column above its limit. */
export const aboveText = (store: ProjectStore, column: string): string =>
  texts.wip.above(column, countIn(store, column), limitOf(store, column))
