/** The columns of a board whose file names them only at its cards. */
import { isNamedDone } from '../../board/stages.ts'
import { nameKey } from './column-names.ts'
import type { SourceColumn } from './source-board.ts'
import { ByName } from './source-values.ts'

/** Names of columns of cards that are not begun, as {@link nameKey} has them. */
const BEGINNINGS = new Set(['todo', 'backlog', 'open', 'new', 'zuerledigen', 'offen', 'neu'])

/** Whether a column has such a name. */
export const isNamedTodo = (name: string) => BEGINNINGS.has(nameKey(name))

/** The place of a column in the order of work, if its name tells. */
const placeOf = ({ name }: SourceColumn) => (isNamedTodo(name) ? 0 : isNamedDone(name) ? 2 : 1)

/**
 * Creates one column per name. They are in the order of first use, which need not be that of the board. So those named like
 * to do come first, and are todo; those named like done come last.
 */
export class FoundColumns extends ByName<SourceColumn> {
  /** Takes nothing: the columns have only a name, perhaps a stage, and no time yet. */
  constructor() {
    super((name) => ({
      name,
      color: '',
      wipLimit: 0,
      ...(isNamedTodo(name) && { stage: 'todo' as const }),
      createdAt: '',
    }))
  }

  override get all(): SourceColumn[] {
    return super.all.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
