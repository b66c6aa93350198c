/** The fields of the card that are chosen: column, assignee, due date and priority. Each is saved at once. */
import { withAssignee } from '../common/assignees.ts'
import { asDueDate } from '../common/date-words.ts'
import { isOverdue } from '../common/dates.ts'
import { changeItem, moveItem } from '../common/item-writes.ts'
import { nobodyOrMe, personName } from '../common/people.ts'
import { Avatar } from '../common/ui/avatar.tsx'
import { DatePicker } from '../common/ui/date-picker.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { PersonPicker } from '../common/ui/person-picker.tsx'
import { Select } from '../common/ui/select.tsx'
import { later } from '../later-texts.ts'
import { texts } from '../texts.ts'
import type { CardPartProps } from './open-card.ts'
import { PRIORITIES, priorityName } from './words.ts'

const words = texts.card

/** The most assignees of a card. */
const MOST_PEOPLE = 20

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
    <>
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
      {item.assigneeIds.length > 1 && <Assignees card={card} item={item} canEdit={canEdit} />}
      {canEdit && item.assigneeIds.length > 0 && item.assigneeIds.length < MOST_PEOPLE && (
        <PersonPicker
          label={later.assignees.another}
          value=""
          others={nobodyOrMe().filter(([id]) => id !== '' && !item.assigneeIds.includes(id))}
          except={item.assigneeIds}
          onChoose={(id, name) => {
            const assigneeIds = withAssignee(item, id, true)
            void changeItem(card, { assigneeIds }, words.assigned(item.title, name))
          }}
        />
      )}
    </>
  )
}

/** All of several assignees. The first one is in the field above, too. */
function Assignees({ card, item, canEdit }: CardPartProps) {
  const remove = (id: string, name: string) => {
    const assigneeIds = withAssignee(item, id, false)
    void changeItem(card, { assigneeIds }, later.assignees.removed(item.title, name))
  }
  return (
    <ul class="card-people" aria-label={later.assignees.all}>
      {item.assigneeIds.map((id) => {
        const name = personName(id)
        return (
          <li key={id}>
            <Avatar id={id} name={name} />
            <span dir="auto">{name}</span>
            {canEdit && (
              <button
                type="button"
                class="button-icon"
                aria-label={later.assignees.remove(name)}
                onClick={() => remove(id, name)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        )
      })}
    </ul>
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

export function DueDateField({ card, item, canEdit }: CardPartProps) {
  const isLate = isOverdue(item) && !card.store.isDone(item.column)
  return (
    <div class="field">
      <DatePicker
        id="card-due"
        label={words.due}
        value={item.dueDate ?? ''}
        hasTime
        isDisabled={!canEdit}
        aria-describedby={isLate ? 'card-overdue' : undefined}
        onChoose={(date) =>
          void changeItem(card, { dueDate: asDueDate(date) }, words.saved(words.due, item.title))
        }
      />
      {isLate && (
        <span id="card-overdue" class="meta danger">
          {texts.overdue}
        </span>
      )}
    </div>
  )
}
