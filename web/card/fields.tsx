/** The fields of the card that are chosen: column, assignee, due date and priority. Each is saved at once. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { atTime, dayOf, isInstant, isOverdue } from '../common/dates.ts'
import { changeItem, moveItem } from '../common/item-writes.ts'
import { nobodyOrMe } from '../common/people.ts'
import { PersonPicker } from '../common/ui/person-picker.tsx'
import { Select } from '../common/ui/select.tsx'
import { texts } from '../texts.ts'
import type { CardPartProps } from './open-card.ts'
import { PRIORITIES, priorityName } from './words.ts'

const words = texts.card

export const ColumnField = ({ card, item, canEdit }: CardPartProps) => (
  <Select
    id="card-column"
    label={texts.fields.column}
    value={item.column}
    options={card.store.columnList.map(({ name }) => [name, name] as const)}
    isDisabled={!canEdit}
    onChoose={(column) => void moveItem(card, { column, at: 'bottom' })}
  />
)

export function AssigneeField({ card, item, canEdit }: CardPartProps) {
  return (
    <PersonPicker
      id="card-assignee"
      label={words.assignee}
      value={item.assigneeId ?? ''}
      others={nobodyOrMe()}
      isDisabled={!canEdit}
      onChoose={(id, name) =>
        void changeItem(card, { assigneeId: id || null }, words.assigned(item.title, name))
      }
    />
  )
}

export const PriorityField = ({ card, item, canEdit }: CardPartProps) => (
  <Select
    id="card-priority"
    label={words.priority}
    value={item.priority}
    options={PRIORITIES.map((value) => [value, priorityName(value)] as const)}
    isDisabled={!canEdit}
    onChoose={(priority) => void changeItem(card, { priority }, words.saved(words.priority, item.title))}
  />
)

/** A year before 1000 is still being typed. */
const isWhole = (day: string) => day === '' || day >= '1000'

export function DueDateField({ card, item, canEdit }: CardPartProps) {
  const value = item.dueDate === null ? '' : dayOf(item.dueDate)
  const [typed, setTyped] = useState<string | undefined>()
  const field = useRef<HTMLInputElement>(null)
  const byKeyboard = useRef(false)
  const save = ({ value: day, validity }: HTMLInputElement) => {
    setTyped(undefined)
    // A date with a deleted part has no value either.
    if (validity.badInput || day === value || !isWhole(day)) return
    const dueDate = day === '' ? null : `${day}T00:00:00.000Z`
    void changeItem(card, { dueDate }, words.saved(words.due, item.title))
  }
  const leave = useRef((_: HTMLInputElement) => {})
  leave.current = (input) => {
    if (typed !== undefined) save(input)
  }
  // Closing the dialog leaves the field too.
  useEffect(() => {
    const input = field.current
    return () => {
      if (input) leave.current(input)
    }
  }, [])
  const isLate = isOverdue(item) && !card.store.isDone(item.column)
  return (
    <div class="field">
      <label for="card-due">{words.due}</label>
      <input
        ref={field}
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
          if (key === 'Enter') save(currentTarget)
        }}
        onChange={({ currentTarget }) => {
          // A typed date is valid after the first digit of its year, so a typed date is only saved on blur.
          if (byKeyboard.current) setTyped(currentTarget.value)
          else save(currentTarget)
        }}
        onBlur={({ currentTarget }) => leave.current(currentTarget)}
      />
      {item.dueDate !== null && isInstant(item.dueDate) && <span class="meta">{atTime(item.dueDate)}</span>}
      {isLate && (
        <span id="card-overdue" class="meta danger">
          {texts.overdue}
        </span>
      )}
    </div>
  )
}
