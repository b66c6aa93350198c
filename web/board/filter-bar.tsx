/** The filter of a board. Its fields are bound to the address. */
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../common/ui/icon.tsx'
import { PersonPicker } from '../common/ui/person-picker.tsx'
import { place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { FILTER_NAMES } from './filter.ts'

const words = texts.board.filter

/** Clears the filter. */
export const clearFilter = (): void =>
  setQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))

/** The name of the text field, which `f` focuses. */
export const FILTER_FIELD = 'board-filter'

/** Debounce of the text, in milliseconds. */
const AFTER = 150

export function FilterBar({ board }: { board: Board }) {
  const { text, dismissed } = board.filter.value
  const query = place.value.query
  return (
    <search class="board-filter" aria-label={texts.filter}>
      <TextField />
      <Choice
        label={texts.fields.label}
        name="label"
        query={query}
        options={[...board.store.labelList.map(({ name }) => [name, name] as const), ['none', texts.none]]}
      />
      <Person value={query.get('assignee') ?? ''} />
      <Choice
        label={texts.fields.priority}
        name="priority"
        query={query}
        options={Object.entries(texts.board.priorities)}
      />
      <Choice
        label={words.due}
        name="due"
        query={query}
        options={[
          ['overdue', texts.overdue],
          ['today', words.today],
          ['week', words.week],
          ['none', words.noDue],
        ]}
      />
      <label class="board-filter-dismissed">
        <input
          type="checkbox"
          checked={dismissed}
          onChange={({ currentTarget }) => setQuery({ dismissed: currentTarget.checked ? '1' : undefined })}
        />
        {texts.item.isDismissed}
      </label>
      {(board.isNarrowed.value || text !== '') && (
        <button type="button" class="button-link" onClick={clearFilter}>
          <Icon name="close" /> {texts.clearFilter}
        </button>
      )}
    </search>
  )
}

/** Filters by assignee. The address may have several, of which the field shows the first. */
const Person = ({ value }: { value: string }) => (
  <PersonPicker
    class={choiceClass(value)}
    label={texts.fields.person}
    isLabelHidden
    value={value}
    others={[
      ['', `${texts.fields.person}: ${texts.all}`],
      ['me', words.me],
      ['none', texts.none],
    ]}
    onChoose={(chosen) => setQuery({ assignee: chosen || undefined })}
  />
)

/** Searches by text, which is written to the address after the debounce. */
function TextField() {
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const text = place.value.query.get('q') ?? ''
  useEffect(() => {
    // The filter was changed by a link or cleared. Text that is being typed stays.
    if (field.current && field.current.value.trim() !== text && document.activeElement !== field.current) {
      field.current.value = text
    }
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <input
      ref={field}
      id={FILTER_FIELD}
      type="search"
      class="board-filter-text"
      aria-label={words.text}
      placeholder={`${texts.filter}  f`}
      dir="auto"
      autocomplete="off"
      defaultValue={text}
      onInput={({ currentTarget: { value } }) => {
        clearTimeout(timer.current)
        timer.current = setTimeout(() => setQuery({ q: value.trim() || undefined }), AFTER)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        clearTimeout(timer.current)
        event.currentTarget.value = ''
        clearFilter()
        event.currentTarget.blur()
      }}
    />
  )
}

const choiceClass = (value: string) => (value === '' ? 'board-choice' : 'board-choice is-set')

interface ChoiceProps {
  label: string
  /** The name of the parameter in the address. */
  name: string
  query: URLSearchParams
  options: readonly (readonly [value: string, label: string])[]
}

/** Filters by one of several values, or by none. The address may have several, of which the field shows the first. */
function Choice({ label, name, query, options }: ChoiceProps) {
  const value = query.get(name) ?? ''
  const isKnown = value === '' || options.some(([one]) => one === value)
  return (
    <label class={choiceClass(value)}>
      <span class="visually-hidden">{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value || undefined })}
      >
        <option value="">{`${label}: ${texts.all}`}</option>
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
