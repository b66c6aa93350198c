/** The fields of the filter: a text, and checkboxes. A card must match each group, in any of its values. */

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { takeTypedAhead } from '../common/keys.ts'
import { matches } from '../common/matches.ts'
import { personName } from '../common/people.ts'
import { me } from '../common/session.ts'
import { chipColor } from '../common/ui/chip.ts'
import { Popup } from '../common/ui/popup.tsx'
import { PriorityIcon } from '../common/ui/priority.tsx'
import { place, setQuery } from '../router.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { clearFilter } from './filter-bar.tsx'

const words = texts.board.filter

export interface FilterPanelProps {
  board: Board
  anchor: HTMLElement
  onClose: () => void
}

/** Debounce of the text, in milliseconds. */
const AFTER = 150
/** The delay in milliseconds before the number of shown cards is announced. It may change meanwhile. */
const SAID_AFTER = 500
/** Longer groups have a field that narrows them. */
const MANY = 8

interface Option {
  value: string
  label: string
  mark?: ComponentChildren
}

export default function FilterPanel({ board, anchor, onClose }: FilterPanelProps) {
  const labels = board.store.labelList.map(({ name, color }) => ({
    value: name,
    label: name,
    mark: <span class="chip" style={chipColor(color)} />,
  }))
  const priorities = Object.entries(texts.board.priorities).map(([value, label]) => ({
    value,
    label,
    mark: <PriorityIcon priority={value} />,
  }))
  return (
    <Popup
      label={texts.filter}
      anchor={anchor}
      class="filter-panel"
      onClose={() => {
        onClose()
        anchor.focus()
      }}
    >
      <TextField />
      <Group
        label={texts.fields.person}
        name="assignee"
        options={peopleOf(board)}
        fixed={[
          { value: 'me', label: words.mine },
          { value: 'none', label: words.noPerson },
        ]}
      />
      <Group
        label={texts.fields.label}
        name="label"
        options={labels}
        fixed={[{ value: 'none', label: words.noLabel }]}
      />
      <Group label={texts.fields.priority} name="priority" options={priorities.toReversed()} />
      <Group
        label={words.due}
        name="due"
        options={[
          { value: 'overdue', label: texts.overdue },
          { value: 'today', label: words.today },
          { value: 'week', label: words.week },
          { value: 'none', label: words.noDue },
        ]}
      />
      <div class="spread">
        <Tick name="dismissed" value="1" label={texts.item.isDismissed} />
        <Total board={board} />
        <button type="button" class="button-link" onClick={clearFilter}>
          {texts.clearFilter}
        </button>
      </div>
    </Popup>
  )
}

/** The number of shown cards, which screen readers announce when it has changed. */
function Total({ board }: { board: Board }) {
  const shown = board.shownCount.value
  const [total, setTotal] = useState(shown)
  useEffect(() => {
    const timer = setTimeout(() => setTotal(shown), SAID_AFTER)
    return () => clearTimeout(timer)
  }, [shown])
  return (
    <span class="meta" role="status">
      {texts.cards(total)}
    </span>
  )
}

/** The people who have cards on the board, by name, without the user, who has an entry already. */
function peopleOf({ store }: Board): Option[] {
  const ids = new Set(store.items.ids().flatMap((id) => store.items.peek(id)?.assigneeIds ?? []))
  for (const chosen of place.value.query.getAll('assignee')) ids.add(chosen)
  for (const one of ['', 'me', 'none', me.value?.id ?? '']) ids.delete(one)
  return [...ids]
    .map((value) => ({ value, label: personName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label))
}

interface GroupProps {
  label: string
  /** The name of the parameter in the address. */
  name: string
  options: readonly Option[]
  /** Options before the others, which are always shown. */
  fixed?: readonly Option[]
}

function Group({ label, name, options, fixed = [] }: GroupProps) {
  const [typed, setTyped] = useState('')
  const shown = options.filter((option) => matches(option.label, typed))
  return (
    <fieldset class="filter-group">
      <legend class="meta">{label}</legend>
      {options.length > MANY && (
        <input
          type="search"
          aria-label={words.narrow(label)}
          placeholder={words.narrow(label)}
          autocomplete="off"
          dir="auto"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
      <div class="filter-options">
        {[...fixed, ...shown].map((option) => (
          <Tick key={option.value} name={name} {...option} />
        ))}
      </div>
    </fieldset>
  )
}

/** A value that is in the filter or not. */
function Tick({ name, value, label, mark }: Option & { name: string }) {
  const chosen = place.value.query.getAll(name)
  return (
    <label class="filter-option">
      <input
        type="checkbox"
        checked={chosen.includes(value)}
        onChange={({ currentTarget: { checked } }) => {
          const others = place
            .peek()
            .query.getAll(name)
            .filter((one) => one !== value)
          setQuery({ [name]: checked ? [...others, value] : others })
        }}
      />
      {mark}
      <span dir="auto">{label}</span>
    </label>
  )
}

/** Searches by text, which is written to the address after the debounce. */
function TextField() {
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const text = place.value.query.get('q') ?? ''
  const [ahead] = useState(takeTypedAhead)
  const save = (value: string) => setQuery({ q: value.trim() || undefined })
  useLayoutEffect(() => {
    // The next letters follow those that were typed before.
    field.current?.setSelectionRange(ahead.length, ahead.length)
    if (ahead !== '') save(ahead)
  }, [])
  useEffect(() => {
    // The filter was changed by a link or cleared. Text that is being typed stays.
    if (field.current && field.current.value.trim() !== text && document.activeElement !== field.current) {
      field.current.value = text
    }
  }, [text])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
    },
    [],
  )
  return (
    <input
      ref={field}
      type="search"
      autofocus
      aria-label={words.text}
      placeholder={words.text}
      dir="auto"
      autocomplete="off"
      defaultValue={ahead || text}
      onInput={({ currentTarget: { value } }) => {
        clearTimeout(timer.current)
        timer.current = setTimeout(() => save(value), AFTER)
      }}
      onBlur={({ currentTarget: { value } }) => {
        clearTimeout(timer.current)
        if (value.trim() !== (place.peek().query.get('q') ?? '')) save(value)
      }}
    />
  )
}
