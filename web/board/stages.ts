/** Derives the stage of a column that has no explicit one, by the same rule as the service. */
import type { KanbanColumn } from '../../src/client/api.d.ts'

const DONE = /^(?:done|closed|completed?|finished|erledigt|fertig|terminé|hecho)$/i

/** Whether the name is one that done columns usually have. */
export const isNamedDone = (name: string): boolean => DONE.test(name.normalize())

/** The stage that follows from name and place. @param columns the board's columns, in order */
export function stageByPlace(
  columns: readonly Pick<KanbanColumn, 'id'>[],
  { id, name }: Pick<KanbanColumn, 'id' | 'name'>,
): KanbanColumn['stage'] {
  if (isNamedDone(name)) return 'done'
  if (columns[0]?.id === id) return 'todo'
  return columns.at(-1)?.id === id ? 'done' : 'doing'
}
