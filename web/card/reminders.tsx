/** The reminders of the card: times, and durations before its due date. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KanbanItem } from '../common/api.ts'
import { atMoment, isInstant } from '../common/dates.ts'
import { changeItem } from '../common/item-writes.ts'
import { DateField } from '../common/ui/date-field.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { later } from '../later-texts.ts'
import { texts } from '../texts.ts'
import type { CardPartProps } from './open-card.ts'
import { durationName, OFFERED } from './reminder-words.ts'

const words = later.attention

/** The maximum number of reminders of a card. */
const MOST = 5
/** The hour of a reminder on a day, as the service has it for due dates. */
const MORNING = 9

type Reminder = KanbanItem['reminders'][number]

const nameOf = ({ at, before }: Reminder): string =>
  at !== undefined ? atMoment(at) : durationName(before ?? '')

export function Reminders({ card, item, canEdit }: CardPartProps) {
  const { reminders = [], title, dueDate } = item
  const [isTyping, setTyping] = useState(false)
  const part = useRef<HTMLDivElement>(null)
  // At once, so that the next key goes into the field.
  useLayoutEffect(() => {
    if (isTyping) part.current?.querySelector('input')?.focus()
  }, [isTyping])
  if (reminders.length === 0 && !canEdit) return null
  const save = (next: readonly Reminder[]) =>
    void changeItem(card, { reminders: [...next] }, texts.card.saved(words.reminders, title))
  const add = (one: Reminder) => {
    setTyping(false)
    save([...reminders, one])
  }
  const remove = (one: Reminder) => {
    // The focus stays in this part.
    part.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
    save(reminders.filter((other) => other !== one))
  }
  const hasDurations = reminders.some(({ before }) => before !== undefined)
  const offered = OFFERED.filter((duration) => !reminders.some(({ before }) => before === duration))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form.
    <div ref={part} class="field" role="group" aria-labelledby="card-reminders">
      <span id="card-reminders" class="meta" title={words.remindersHint}>
        {words.reminders}
      </span>
      {reminders.length > 0 && (
        <ul>
          {reminders.map((one) => (
            <li key={one.at ?? one.before} class="spread">
              <span>{nameOf(one)}</span>
              {canEdit && (
                <button
                  type="button"
                  class="button-icon"
                  aria-label={words.removeReminder(nameOf(one))}
                  onClick={() => remove(one)}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {hasDurations && dueDate === null && <p class="meta">{words.needsDue}</p>}
      {hasDurations && dueDate !== null && !isInstant(dueDate) && <p class="meta">{words.ofDay}</p>}
      {canEdit && isTyping && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            add({ at: String(new FormData(event.currentTarget).get('time')) })
          }}
        >
          <DateField name="time" label={words.time} hasTime hour={MORNING} isRequired />
          <div class="row">
            <button type="submit" class="button">
              {texts.add}
            </button>
            <button type="button" class="button" onClick={() => setTyping(false)}>
              {texts.cancel}
            </button>
          </div>
        </form>
      )}
      {canEdit && !isTyping && reminders.length < MOST && (
        <Menu
          label={words.addReminder}
          items={[
            ...offered.map((before) => ({ label: durationName(before), run: () => add({ before }) })),
            { label: words.atTime, run: () => setTyping(true) },
          ]}
        >
          <Icon name="add" /> {texts.add}
        </Menu>
      )}
    </div>
  )
}
