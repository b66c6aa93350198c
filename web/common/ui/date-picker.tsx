/**
 * A field that reads typed dates, and has a calendar (the date picker combobox of the ARIA Authoring Practices). It says what it has
 * understood, and why it has not.
 */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { later } from '../../later-texts.ts'
import { texts } from '../../texts.ts'
import { atTimeOf, readDate } from '../date-words.ts'
import { dayOf, fullDay, fullDue, isInstant, shortDue, weekdayName } from '../dates.ts'
import { Icon } from './icon.tsx'
import { late } from './late.tsx'

const words = later.dates

const Calendar = late(
  () => import('./calendar.tsx'),
  () => null,
)

export interface DatePickerProps {
  label: string
  /** `YYYY-MM-DD`, or a timestamp; empty for none. */
  value: string
  /** Called with a day, `YYYY-MM-DD`, or with a timestamp if a time was typed; empty for none. */
  onChoose: (value: string) => void
  /** Whether a time can be typed. */
  hasTime?: boolean
  /** The hour of a date without a time, if it must have one. */
  hour?: number
  /** Whether most dates are past ones: "fri" is the last Friday. */
  isPast?: boolean
  /** The first and the last possible day, `YYYY-MM-DD`. */
  min?: string | undefined
  max?: string | undefined
  /** The id of the element, for code that looks for it. */
  id?: string
  /** The name in a form, which gets the understood value also while it is typed. */
  name?: string
  isRequired?: boolean
  isDisabled?: boolean
  autofocus?: boolean
  'aria-invalid'?: 'true' | undefined
  'aria-describedby'?: string | undefined
}

/** What a text means, or why it means nothing. */
type Read = { value: string; problem?: undefined } | { value?: undefined; problem: string }

const kindOf = ({ hasTime, isPast }: DatePickerProps) => (hasTime ? 'time' : isPast ? 'past' : 'day')

function read(typed: string, current: string, props: DatePickerProps): Read {
  const { hasTime = false, hour, isPast, min, max } = props
  if (typed.trim() === '') return { value: '' }
  const found = readDate(typed, { isPast, current: dayOf(current) })
  const value = found && hour !== undefined && !isInstant(found) ? atTimeOf(found, hour, 0) : found
  if (value === undefined) return { problem: `${words.notADate} ${words.hints[kindOf(props)]}` }
  if (isInstant(value) && !hasTime) return { problem: words.onlyADay }
  if (min !== undefined && dayOf(value) < min) return { problem: words.earliest(fullDay(min)) }
  if (max !== undefined && dayOf(value) > max) return { problem: words.latest(fullDay(max)) }
  return { value }
}

export function DatePicker(props: DatePickerProps) {
  const { label, onChoose, hour, name, min, max, isRequired, isDisabled, autofocus } = props
  const made = useId()
  const id = props.id ?? made
  const input = useRef<HTMLInputElement>(null)
  const hidden = useRef<HTMLInputElement>(null)
  /** The typed text, and the value before it. */
  const [typing, setTyping] = useState<{ text: string; from: string } | undefined>()
  const [isRefused, setRefused] = useState(false)
  /** Whether the value is shown in full. Until the field has the focus again, so that nothing below moves when it is left. */
  const [isSaid, setSaid] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const current = isInstant(props.value) ? props.value : dayOf(props.value)
  const shown = current === '' ? '' : shortDue(current)
  const { value, problem } = typing ? read(typing.text, current, props) : { value: current }
  // Somebody else has chosen another date since.
  const isLost = typing !== undefined && typing.from !== current && value !== current

  const type = (text: string | undefined) => {
    setTyping(text === undefined || text === shown ? undefined : { text, from: typing?.from ?? current })
    setRefused(false)
    setSaid(true)
  }
  const choose = (chosen: string) => {
    type(undefined)
    if (chosen !== current) onChoose(chosen)
  }
  /** Takes the typed text, when the field is left, also by closing its dialog. */
  const leave = () => {
    if (typing === undefined || isLost) return
    if (value === undefined) setRefused(true)
    else choose(value)
  }
  useLayoutEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem])
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    // The form's draft has what is understood, like typed text.
    if (!isFirst.current) hidden.current?.dispatchEvent(new Event('input', { bubbles: true }))
    isFirst.current = false
  }, [value])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      if (value !== undefined) choose(value)
      else setRefused(true)
    } else if (event.key === 'ArrowDown') {
      event.preventDefault()
      setOpen(true)
    }
  }

  const understood = isSaid && value ? `${weekdayName(value)}, ${fullDue(value)}` : ''
  const note = problem ?? (isLost ? texts.changedMeanwhile(shown || texts.none) : undefined)
  const isError = isRefused || isLost
  return (
    <>
      <label id={`${id}-label`} for={id}>
        {label}
      </label>
      <div class="date-picker">
        <input
          ref={input}
          id={id}
          type="text"
          role="combobox"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-calendar` : undefined}
          aria-invalid={isRefused ? 'true' : props['aria-invalid']}
          aria-describedby={[`${id}-said`, props['aria-describedby']].filter(Boolean).join(' ')}
          autocomplete="off"
          maxLength={100}
          dir="auto"
          placeholder={words.examples[kindOf(props)]}
          required={isRequired}
          disabled={isDisabled}
          autofocus={autofocus}
          value={typing?.text ?? shown}
          onFocus={({ currentTarget }) => {
            currentTarget.select()
            if (typing === undefined) setSaid(false)
          }}
          onInput={(event) => {
            // Not the text but its meaning is a value of the form.
            event.stopPropagation()
            type(event.currentTarget.value)
          }}
          onKeyDown={onKeyDown}
          onBlur={() => {
            if (!isOpen) leave()
          }}
          onInvalid={(event) => {
            if (problem === undefined) return
            event.preventDefault()
            event.currentTarget.focus()
            setRefused(true)
          }}
        />
        {name !== undefined && <input ref={hidden} type="hidden" name={name} value={value ?? ''} />}
        <button
          type="button"
          class="button-icon"
          aria-label={words.calendar}
          aria-describedby={`${id}-label`}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          // The arrow down opens it in the field.
          tabIndex={-1}
          disabled={isDisabled}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="calendar" />
        </button>
      </div>
      <div id={`${id}-said`} class={understood || note ? 'date-said' : 'visually-hidden'}>
        <p class="meta" role="status">
          {understood}
        </p>
        {note && (
          <p class={isError ? 'field-error' : 'meta'} role={isError ? 'alert' : undefined}>
            {note}
          </p>
        )}
      </div>
      {isOpen && input.current && (
        <Calendar
          id={`${id}-calendar`}
          label={words.calendarOf(label)}
          anchor={input.current}
          value={value ? dayOf(value) : ''}
          min={min}
          max={max}
          onChoose={(day) => {
            // The time stays.
            const time = value && isInstant(value) ? new Date(value) : undefined
            const [hours = hour, minutes = 0] = [time?.getHours(), time?.getMinutes()]
            choose(hours === undefined ? day : atTimeOf(day, hours, minutes))
          }}
          onClose={() => {
            setOpen(false)
            if (document.activeElement !== input.current) leave()
          }}
        />
      )}
    </>
  )
}
