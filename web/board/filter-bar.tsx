/** The filter of a board: a button that opens its fields, and a chip for each chosen value. All of it is in the address. */
import { useState } from 'preact/hooks'
import { typeAhead } from '../common/keys.ts'
import { personName } from '../common/people.ts'
import { Icon } from '../common/ui/icon.tsx'
import { late } from '../common/ui/late.tsx'
import { place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { FILTER_NAMES } from './filter.ts'
import type { FilterPanelProps } from './filter-panel.tsx'

const words = texts.board.filter

const FilterPanel = late<FilterPanelProps>(
  () => import('./filter-panel.tsx'),
  () => null,
)

/** The id of the button, which `f` presses. */
const BUTTON = 'board-filter'

export const clearFilter = (): void =>
  setQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))

/** Opens the filter. Text that is typed before it is rendered goes into its field. */
export function openFilter(): void {
  typeAhead()
  document.getElementById(BUTTON)?.click()
}

/** A value of the filter. */
interface Part {
  /** The name of its parameter in the address. */
  name: (typeof FILTER_NAMES)[number]
  value: string
  label: string
}

const duesByValue = (): Readonly<Record<string, string>> => ({
  overdue: texts.overdue,
  today: words.today,
  week: words.week,
  none: words.noDue,
})

/** The name of a value of the address. */
function labelOf({ store }: Board, name: Part['name'], value: string): string {
  switch (name) {
    case 'label':
      return value === 'none' ? words.noLabel : (store.labels.get(value)?.name ?? value)
    case 'assignee':
      return value === 'me' ? words.mine : value === 'none' ? words.noPerson : personName(value)
    case 'priority':
      return texts.board.priorities[value] ?? value
    case 'due':
      return duesByValue()[value] ?? value
    case 'dismissed':
      return texts.item.isDismissed
    default:
      return words.contains(value)
  }
}

const partsOf = (board: Board): Part[] =>
  FILTER_NAMES.flatMap((name) =>
    [...new Set(place.value.query.getAll(name))]
      .filter((value) => value !== '')
      .map((value) => ({ name, value, label: labelOf(board, name, value) })),
  )

const remove = ({ name, value }: Part): void =>
  setQuery({
    [name]: place
      .peek()
      .query.getAll(name)
      .filter((one) => one !== value),
  })

export function FilterBar({ board }: { board: Board }) {
  const [anchor, setAnchor] = useState<HTMLElement | undefined>()
  const parts = partsOf(board)
  return (
    <search class="board-filter" aria-label={texts.filter}>
      <button
        id={BUTTON}
        type="button"
        class={parts.length > 0 ? 'button is-set' : 'button'}
        aria-haspopup="dialog"
        aria-expanded={anchor !== undefined}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        <Icon name="filter" /> {texts.filter}
        {parts.length > 0 && <span class="filter-count">{parts.length}</span>}
      </button>
      <div class="filter-chips">
        {parts.map((part) => (
          <button
            key={`${part.name} ${part.value}`}
            type="button"
            class="filter-chip"
            aria-label={words.remove(part.label)}
            onClick={() => remove(part)}
          >
            <span dir="auto">{part.label}</span> <Icon name="close" />
          </button>
        ))}
        {parts.length > 0 && (
          <button type="button" class="button-link" onClick={clearFilter}>
            {texts.clearFilter}
          </button>
        )}
      </div>
      {anchor && <FilterPanel board={board} anchor={anchor} onClose={() => setAnchor(undefined)} />}
    </search>
  )
}
