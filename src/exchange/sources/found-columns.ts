/** The columns of a board whose file names them only at its cards. */
import { isNamedDone } from '../../board/stages.ts'
import { nameKey } from './column-names.ts'
import type { SourceColumn } from './source-board.ts'
import { ByName } from './source-values.ts'

/** Names of columns of cards that are not begun, as {@link nameKey} has them. */
const BEGINNINGS = new Set(['todo', 'backlog', 'open', 'new', 'zuerledigen', 'offen', 'neu'])

/** Whether a column has such a name. */
export const isNamedTodo = (name: string) => BEGINNINGS.has(nameKey(name))

/** Names of columns of cards in work, also in German, French and Spanish, as {@link nameKey} has them. */
const IN_WORK = new Set(
  [
    'doing inprogress inwork started wip review inreview testing blocked onhold waiting',
    'inarbeit inbearbeitung begonnen wartet blockiert inprüfung',
    'encours enattente bloqué enrevue encurso enprogreso enproceso enespera bloqueado enrevisión',
  ].flatMap((names) => names.split(' ')),
)

/** The place of a column in the order of work, if its name tells. */
const placeOf = ({ name }: SourceColumn) => (isNamedTodo(name) ? 0 : isNamedDone(name) ? 2 : 1)

/**
 * Creates one column per name. They are in the order of first use, which need not be that of the board. So those named like
 * to do come first, and are todo; those named like done come last. One named like work is doing even as the last one.
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
    const sorted = super.all.toSorted((a, b) => placeOf(a) - placeOf(b))
    const last = sorted.at(-1)
    if (last && sorted.length > 1 && IN_WORK.has(nameKey(last.name))) last.stage ??= 'doing'
    return sorted
  }
}
