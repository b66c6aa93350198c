/** Derives the stage of a column without an explicit one, like the service. */
import type { KanbanColumn } from '../../src/client/api.d.ts'

const DONE = /^(?:done|closed|completed?|finished|erledigt|fertig|terminé|hecho)$/i

/** Whether a column has a name of done columns. */
export const isNamedDone = (name: string): boolean => DONE.test(name.normalize())

/** The stage by name and place. @param columns those of the board, in order */
export function stageByPlace(
  columns: readonly Pick<KanbanColumn, 'id'>[],
  { id, name }: Pick<KanbanColumn, 'id' | 'name'>,
): KanbanColumn['stage'] {
  if (isNamedDone(name)) return 'done'
  if (columns[0]?.id === id) return 'todo'
  return columns.at(-1)?.id === id ? 'done' : 'doing'
}
