/** The small pickers of a card's fields. For selected cards, they change all of them. */

import { useState } from 'preact/hooks'
import type { KanbanItem } from '../../src/client/api.d.ts'
import { usualDays } from '../common/calendar-days.ts'
import { asDueDate, readDate } from '../common/date-words.ts'
import { dayOf, fullDay, fullDue, isInstant, today, weekdayName } from '../common/dates.ts'
import { hasLabel, LONGEST_LABEL } from '../common/labels.ts'
import { matches } from '../common/matches.ts'
import { nobodyOrMe } from '../common/people.ts'
import { sourceOf } from '../common/people-sources.ts'
import { chipColor } from '../common/ui/chip.ts'
import { Icon } from '../common/ui/icon.tsx'
import { type ListOption, OptionList, useTyped } from '../common/ui/option-list.tsx'
import { useFound } from '../common/ui/person-picker.tsx'
import { Popup } from '../common/ui/popup.tsx'
import { PriorityIcon } from '../common/ui/priority.tsx'
import { later } from '../later-texts.ts'
import { texts } from '../texts.ts'
import type { Board, PickedField, Picking } from './board.ts'
import { addLabelTo, changeCards, moveCards, setAssigneeOf, setLabelOf } from './many-writes.ts'

const words = texts.board

interface PickerProps {
  board: Board
  ids: readonly string[]
  label: string
  onClose: () => void
}

/** The name of a picker: the field, and the card or the number of cards. */
function nameOf(board: Board, field: PickedField, ids: readonly string[]): string {
  const [only] = ids
  const item = ids.length === 1 && only !== undefined ? board.store.items.get(only) : undefined
  return words.fieldOf(words.pickers[field], item?.title ?? texts.cards(ids.length))
}

export function CardPicker({
  board,
  picking,
  onClose,
}: {
  board: Board
  picking: Picking
  onClose: () => void
}) {
  const { field, ids, anchor } = picking
  const label = nameOf(board, field, ids)
  const Fields = { assignee: People, labels: Labels, due: Due, priority: Priorities, column: Columns }
  const Field = Fields[field]
  return (
    <Popup label={label} anchor={anchor} class="picker" onClose={onClose}>
      <Field board={board} ids={ids} label={label} onClose={onClose} />
    </Popup>
  )
}

const itemsOf = ({ store }: Board, ids: readonly string[]): KanbanItem[] =>
  ids.map((id) => store.items.get(id)).filter((item) => item !== undefined)

/** The value that all cards have; undefined if they differ. */
function common<T>(items: readonly KanbanItem[], of: (item: KanbanItem) => T): T | undefined {
  const [first] = items
  if (first === undefined) return undefined
  const value = of(first)
  return items.every((item) => of(item) === value) ? value : undefined
}

/** The option after which several people can be chosen. */
const SEVERAL = 'several:'
const several: ListOption = { value: SEVERAL, label: later.assignees.several, mark: <Icon name="add" /> }

function People({ board, ids, label, onClose }: PickerProps) {
  const [typed, setTyped] = useTyped()
  const found = useFound(true, typed)
  const items = itemsOf(board, ids)
  const [isMulti, setMulti] = useState(() => items.some(({ assigneeIds }) => assigneeIds.length > 1))
  const isOn = (id: string) =>
    items.length > 0 &&
    items.every(({ assigneeIds }) => (id === '' ? assigneeIds.length === 0 : assigneeIds.includes(id)))
  const fixed = nobodyOrMe().map(([id, name]) => ({ value: id, label: name, isOn: isOn(id) }))
  const known = new Set(fixed.map((one) => one.value))
  const isMatch = ({ label: name }: ListOption) => matches(name, typed)
  const people = (found?.people ?? [])
    .filter(({ id }) => !known.has(id))
    .map((person) => ({
      value: person.id,
      label: person.name,
      note: sourceOf(person),
      isOn: isOn(person.id),
    }))
    // The service matches names. Results of an earlier text are filtered here.
    .filter((one) => found?.q === typed.trim() || isMatch(one))
  return (
    <OptionList
      label={label}
      options={[...fixed.filter(isMatch), ...people, ...(isMulti || typed !== '' ? [] : [several])]}
      typed={typed}
      onType={setTyped}
      isMulti={isMulti}
      none={texts.people.nobodyFound}
      onChoose={({ value: id, label: name, isOn: isChosen = false }) => {
        if (id === SEVERAL) return setMulti(true)
        if (isMulti && id !== '') {
          setTyped('')
          const say = isChosen ? later.assignees.removed : texts.card.assigned
          return setAssigneeOf(board, ids, id, !isChosen, (title) => say(title, name))
        }
        onClose()
        changeCards(board, ids, { assigneeId: id || null }, (title) => texts.card.assigned(title, name))
      }}
    />
  )
}

const NEW = 'new:'

function Labels({ board, ids, label }: PickerProps) {
  const [typed, setTyped] = useTyped()
  const items = itemsOf(board, ids)
  const all = board.store.labelList
  const wanted = typed.trim()
  const options: ListOption[] = all
    .filter(({ name }) => matches(name, typed))
    .map(({ id, name, color }) => ({
      value: id,
      label: name,
      mark: <span class="chip" style={chipColor(color)} />,
      isOn: items.length > 0 && items.every(({ labels }) => labels.some((one) => one.id === id)),
    }))
  const isLong = wanted.length > LONGEST_LABEL
  const isNew = wanted !== '' && !isLong && !hasLabel(all, wanted)
  if (isNew) options.push({ value: NEW, label: words.createLabel(wanted), mark: <Icon name="add" /> })
  return (
    <OptionList
      label={label}
      options={options}
      typed={typed}
      onType={setTyped}
      isMulti
      none={isLong ? words.labelTooLong(LONGEST_LABEL) : words.noLabels}
      onChoose={({ value, isOn = false }) => {
        setTyped('')
        const chosen = all.find(({ id }) => id === value)
        if (chosen) setLabelOf(board, ids, chosen, !isOn)
        else void addLabelTo(board, ids, wanted)
      }}
    />
  )
}

function Priorities({ board, ids, label, onClose }: PickerProps) {
  const [typed, setTyped] = useTyped()
  const value = common(itemsOf(board, ids), ({ priority }) => priority)
  const options = Object.entries(words.priorities)
    .filter(([, name]) => matches(name, typed))
    .map(([one, name]) => ({
      value: one,
      label: name,
      mark: <PriorityIcon priority={one} />,
      isOn: one === value,
    }))
  return (
    <OptionList
      label={label}
      options={options}
      typed={typed}
      onType={setTyped}
      none={words.noPriority}
      onChoose={({ value: priority }) => {
        onClose()
        changeCards(board, ids, { priority }, (title) => texts.card.saved(texts.card.priority, title))
      }}
    />
  )
}

function Columns({ board, ids, label, onClose }: PickerProps) {
  const [typed, setTyped] = useTyped()
  const value = common(itemsOf(board, ids), ({ column }) => column)
  const options = board.store.columnList
    .filter(({ name }) => matches(name, typed))
    .map(({ name }) => ({ value: name, label: name, isOn: name === value }))
  return (
    <OptionList
      label={label}
      options={options}
      typed={typed}
      onType={setTyped}
      none={words.noColumn}
      onChoose={({ value: column }) => {
        onClose()
        moveCards(board, ids, column)
      }}
    />
  )
}

/** Before anything is typed: the days that are set most often. */
const usualOptions = (now: string): ListOption[] => [
  ...usualDays(now).map(([name, value]) => ({ value, label: later.dates.usual[name] })),
  { value: '', label: texts.board.filter.noDue },
]

function Due({ board, ids, label, onClose }: PickerProps) {
  const [typed, setTyped] = useTyped()
  const now = today()
  const value = common(itemsOf(board, ids), ({ dueDate }) =>
    dueDate === null || isInstant(dueDate) ? (dueDate ?? '') : dayOf(dueDate),
  )
  const date = readDate(typed)
  const usual = usualOptions(now)
    .filter((option) => matches(option.label, typed) && option.value !== date)
    .map((option) => ({
      ...option,
      note: option.value ? fullDay(option.value) : '',
      isOn: option.value === value,
    }))
  const options =
    date === undefined
      ? usual
      : [{ value: date, label: fullDue(date), note: weekdayName(date), isOn: date === value }, ...usual]
  return (
    <>
      <OptionList
        label={label}
        options={options}
        typed={typed}
        onType={setTyped}
        none={later.dates.notADate}
        onChoose={({ value: chosen }) => {
          onClose()
          changeCards(board, ids, { dueDate: asDueDate(chosen) }, (title) =>
            texts.card.saved(texts.card.due, title),
          )
        }}
      />
      <p class="meta">{later.dates.hints.time}</p>
    </>
  )
}
