/** The card's fields that are chosen: column, assignee, due date and priority. Each is saved at once. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { KanbanItem } from '../shared/api.ts'
import { dayOf, isOverdue } from '../shared/dates.ts'
import { activeMembers, memberName } from '../shared/people.ts'
import { me } from '../shared/session.ts'
import { texts } from '../texts.ts'
import { choose, moveCard } from './card-writes.ts'
import type { OpenCard } from './open-card.ts'
import { PRIORITIES, priorityName } from './words.ts'

const said = texts.card

interface FieldProps {
  card: OpenCard
  item: KanbanItem
  canEdit: boolean
}

interface SelectProps {
  id: string
  label: string
  value: string
  options: readonly { value: string; name: string }[]
  canEdit: boolean
  onChoose: (value: string) => void
}

/** A choice by name. What is not among the options is offered as it is. */
function Select({ id, label, value, options, canEdit, onChoose }: SelectProps) {
  const isListed = options.some((option) => option.value === value)
  const all = isListed ? options : [...options, { value, name: value }]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={!canEdit}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {all.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.name}
          </option>
        ))}
      </select>
    </div>
  )
}

export const ColumnField = ({ card, item, canEdit }: FieldProps) => (
  <Select
    id="card-column"
    label={said.column}
    value={item.column}
    options={card.store.columnList.map(({ name }) => ({ value: name, name }))}
    canEdit={canEdit}
    onChoose={(column) => void moveCard(card, { column, place: 'bottom' }, said.moved(column))}
  />
)

export function AssigneeField({ card, item, canEdit }: FieldProps) {
  const user = me.value
  const people = activeMembers.value.map(({ id, name }) => ({ value: id, name }))
  // In open mode the user is no member of the list.
  const isListed = user === undefined || people.some(({ value }) => value === user.id)
  const options = [
    { value: '', name: said.nobody },
    ...(isListed ? [] : [{ value: user.id, name: user.name }]),
    ...people,
  ]
  const { assigneeId } = item
  // A member who cannot be chosen any more has a name all the same.
  if (assigneeId && !options.some(({ value }) => value === assigneeId)) {
    options.push({ value: assigneeId, name: memberName(assigneeId) })
  }
  return (
    <Select
      id="card-assignee"
      label={said.assignee}
      value={assigneeId ?? ''}
      options={options}
      canEdit={canEdit}
      onChoose={(id) => {
        const name = options.find(({ value }) => value === id)?.name ?? id
        void choose(card, { assigneeId: id || null }, said.assigned(name))
      }}
    />
  )
}

export const PriorityField = ({ card, item, canEdit }: FieldProps) => (
  <Select
    id="card-priority"
    label={said.priority}
    value={item.priority}
    options={PRIORITIES.map((value) => ({ value, name: priorityName(value) }))}
    canEdit={canEdit}
    onChoose={(priority) => void choose(card, { priority }, said.saved(said.priority))}
  />
)

/** Before the year 1000 a year is still being typed. */
const isWhole = (day: string) => day === '' || day >= '1000'

export function DueDateField({ card, item, canEdit }: FieldProps) {
  const value = item.dueDate === null ? '' : dayOf(item.dueDate)
  const [typed, setTyped] = useState<string | undefined>()
  const byKeyboard = useRef(false)
  const save = (day: string) => {
    setTyped(undefined)
    if (day === value || !isWhole(day)) return
    const dueDate = day === '' ? null : `${day}T00:00:00.000Z`
    void choose(card, { dueDate }, said.saved(said.due))
  }
  const leave = useRef(() => {})
  leave.current = () => {
    if (typed !== undefined) save(typed)
  }
  // Closing the dialog is leaving the field, too.
  useEffect(() => () => leave.current(), [])
  const isLate = item.dueDate !== null && isOverdue(item.dueDate) && !card.store.isDone(item.column)
  return (
    <div class="field">
      <label for="card-due">{said.due}</label>
      <input
        id="card-due"
        type="date"
        value={typed ?? value}
        disabled={!canEdit}
        aria-describedby={isLate ? 'card-overdue' : undefined}
        onPointerDown={() => {
          byKeyboard.current = false
        }}
        onKeyDown={({ key, currentTarget }) => {
          byKeyboard.current = true
          if (key === 'Enter') save(currentTarget.value)
        }}
        onChange={({ currentTarget }) => {
          // A date is complete after the first digit of its year: who types it saves it by leaving the field.
          if (byKeyboard.current) setTyped(currentTarget.value)
          else save(currentTarget.value)
        }}
        onBlur={() => leave.current()}
      />
      {isLate && (
        <span id="card-overdue" class="meta danger">
          {said.overdue}
        </span>
      )}
    </div>
  )
}
