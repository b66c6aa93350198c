/** Formats dates and numbers in the browser's locale. A due date at midnight UTC is a calendar day, the same in every time zone; others are instants. */

import { signal } from '@preact/signals'
import { locale } from './language.ts'

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const dayWithYear = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const longDay = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })

const DAY = 86_400_000

/** Today in the user's time zone, `YYYY-MM-DD`. */
export function today(now = new Date()): string {
  const [year, month, date] = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
  return `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

/** Whether a date is an instant, and not a day: a day is given without a time, or is midnight UTC. */
export const isInstant = (date: string): boolean => date.length > 10 && !date.endsWith('T00:00:00.000Z')

/** The calendar day of a date, `YYYY-MM-DD`: of an instant the one in the user's time zone. */
export const dayOf = (date: string): string => (isInstant(date) ? today(new Date(date)) : date.slice(0, 10))

/** Today, which changes at midnight in a tab that stays open: whatever reads it follows. */
export const currentDay = signal(today())

/** Follows the day. A timer until midnight would stand still during sleep. */
export function followDay(): void {
  setInterval(() => {
    currentDay.value = today()
  }, 60_000)
}

/** The fields of a card that decide whether it is overdue. */
interface Dated {
  dueDate: string | null
  metadata: Record<string, unknown>
}

/** Whether the due date was marked complete in Trello, which is separate from the card's list. */
const isTicked = ({ trello }: Record<string, unknown>) =>
  (trello as { dueComplete?: unknown } | undefined)?.dueComplete === true

/**
 * Whether a card is overdue, given that its column is not done: its day has ended, or its instant has passed.
 * @param on today, `YYYY-MM-DD`
 */
export function isOverdue({ dueDate, metadata }: Dated, on = currentDay.value): boolean {
  if (dueDate === null || isTicked(metadata)) return false
  return isInstant(dueDate) ? Date.parse(dueDate) < Date.now() : dayOf(dueDate) < on
}

/** A short day: "12 Nov", or "12 Nov 2024" for another year. @param date `YYYY-MM-DD` or a timestamp */
export function shortDay(date: string): string {
  const value = new Date(`${dayOf(date)}T00:00:00Z`)
  return (dayOf(date).slice(0, 4) === currentDay.value.slice(0, 4) ? day : dayWithYear).format(value)
}

/** A day in full: "12 November 2026". */
export const fullDay = (date: string): string => longDay.format(new Date(`${dayOf(date)}T00:00:00Z`))

/** The day of the week: "Thursday". */
export const weekdayName = (date: string): string => weekday.format(new Date(`${dayOf(date)}T00:00:00Z`))

/** A timestamp in the user's time zone: "12 Nov 2026, 14:05". */
export const atMoment = (timestamp: string | number): string => moment.format(new Date(timestamp))

/** A time of day, in the user's time zone: "14:05". */
export const atTime = (timestamp: string | number): string => time.format(new Date(timestamp))

/** A due date, shortly: "12 Nov", or "12 Nov, 14:05" for an instant. */
export const shortDue = (date: string): string => withTime(shortDay(date), date)

/** The same by the name of its day if it has one: "Tomorrow", "Today, 14:05". */
export function nearDue(date: string): string {
  const days = (Date.parse(dayOf(date)) - Date.parse(currentDay.value)) / DAY
  if (Math.abs(days) > 1) return shortDue(date)
  const name = relative.format(days, 'day')
  return withTime(name.charAt(0).toLocaleUpperCase(locale) + name.slice(1), date)
}

/** A due date in full. */
export const fullDue = (date: string): string => withTime(fullDay(date), date)

const withTime = (day: string, date: string) => (isInstant(date) ? `${day}, ${atTime(date)}` : day)

/** A relative time, "5 minutes ago"; after a week the timestamp itself. */
export function ago(timestamp: string, now = Date.now()): string {
  const milliseconds = Date.parse(timestamp) - now
  const passed = Math.abs(milliseconds)
  if (passed < 60_000) return relative.format(0, 'minute')
  if (passed < 3_600_000) return relative.format(Math.round(milliseconds / 60_000), 'minute')
  if (passed < DAY) return relative.format(Math.round(milliseconds / 3_600_000), 'hour')
  if (passed < 7 * DAY) return relative.format(Math.round(milliseconds / DAY), 'day')
  return atMoment(timestamp)
}

/** A number with at most two decimals. */
export const formatNumber = (value: number, decimals = 2): string =>
  number.format(Number(value.toFixed(decimals)))
