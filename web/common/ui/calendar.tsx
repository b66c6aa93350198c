/** The calendar of a date field: a month in a popup (the date picker dialog of the ARIA Authoring Practices). Loaded when it opens. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { later } from '../../later-texts.ts'
import { dayBy, firstWeekday, monthsAfter, weeksOf } from '../calendar-days.ts'
import { currentDay, fullDay, weekdayName } from '../dates.ts'
import { locale } from '../language.ts'
import { Icon } from './icon.tsx'
import type { Anchor } from './place-below.ts'
import { Popup } from './popup.tsx'

const words = later.dates

const FIRST = firstWeekday(locale)

const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })

interface CalendarProps {
  id: string
  label: string
  anchor: Anchor
  /** The chosen day, `YYYY-MM-DD`; empty for none. */
  value: string
  min: string | undefined
  max: string | undefined
  onChoose: (day: string) => void
  /** Called when it has closed, and the focus is where it was before. */
  onClose: () => void
}

export default function Calendar({ id, label, anchor, value, min, max, onChoose, onClose }: CalendarProps) {
  const today = currentDay.value
  const [current, setCurrent] = useState(value || today)
  const grid = useRef<HTMLTableElement>(null)
  /** Whether the focus follows the current day. */
  const isByKey = useRef(false)
  useLayoutEffect(() => {
    if (isByKey.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    isByKey.current = false
  }, [current])
  const isPossible = (day: string) => (min === undefined || day >= min) && (max === undefined || day <= max)
  /** Whether it is in another month. */
  const isOther = (day: string) => day.slice(0, 7) !== current.slice(0, 7)
  const step = (months: number) => () => setCurrent(monthsAfter(current, months))
  const weeks = weeksOf(current, FIRST)

  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const { key, shiftKey, currentTarget, target } = event
    if (key === 'Tab') {
      // The focus stays within the dialog.
      const all = [...currentTarget.querySelectorAll<HTMLElement>('button:not([tabindex="-1"])')]
      all.at((all.indexOf(target as HTMLElement) + (shiftKey ? -1 : 1)) % all.length)?.focus()
    } else {
      const isRightToLeft = getComputedStyle(currentTarget).direction === 'rtl'
      const day = grid.current?.contains(target as Node)
        ? dayBy(event, current, FIRST, isRightToLeft)
        : undefined
      if (day === undefined) return
      isByKey.current = true
      setCurrent(day)
    }
    event.preventDefault()
  }

  return (
    <Popup id={id} label={label} anchor={anchor} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid and of the dialog. */}
      <div class="calendar" onKeyDown={onKeyDown}>
        <div class="spread">
          <button type="button" class="button-icon" aria-label={words.previous} onClick={step(-1)}>
            <Icon name="back" />
          </button>
          <h2 id={`${id}-month`} aria-live="polite">
            {month.format(new Date(current))}
          </h2>
          <button type="button" class="button-icon" aria-label={words.next} onClick={step(1)}>
            <Icon name="forward" />
          </button>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the pattern of the Authoring Practices. */}
        <table ref={grid} role="grid" aria-labelledby={`${id}-month`}>
          <thead>
            <tr>
              {weeks[0]?.map((day) => (
                <th key={day} scope="col" abbr={weekdayName(day)}>
                  {weekday.format(new Date(day))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0]}>
                {week.map((day) => (
                  // biome-ignore lint/a11y/useAriaPropsSupportedByRole: it is the cell of a grid.
                  <td key={day} aria-selected={day === value}>
                    <button
                      type="button"
                      class={day === value ? 'button-primary' : day === today ? 'button' : 'button-icon'}
                      style={{ color: isOther(day) || day === value ? undefined : 'var(--text)' }}
                      aria-label={`${weekdayName(day)}, ${fullDay(day)}`}
                      aria-current={day === today ? 'date' : undefined}
                      aria-disabled={!isPossible(day) || undefined}
                      tabIndex={day === current ? 0 : -1}
                      autofocus={day === current}
                      onClick={({ currentTarget }) => {
                        if (!isPossible(day)) return
                        onChoose(day)
                        currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
                      }}
                    >
                      {Number(day.slice(8))}
                    </button>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Popup>
  )
}
