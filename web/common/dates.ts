/** Dates and numbers as the browser's locale writes them. A due date at midnight UTC is a calendar day, the same everywhere. */

/** The locale of the page: the browser's. */
const LOCALE: string | undefined = globalThis.navigator?.language

const day = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const dayWithYear = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const longDay = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'long', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const time = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })
const number = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 })

const DAY = 86_400_000

/** The calendar day of a timestamp, `YYYY-MM-DD`. */
export const dayOf = (timestamp: string): string => timestamp.slice(0, 10)

/** Today, here, `YYYY-MM-DD`. */
export function today(now = new Date()): string {
  const [year, month, date] = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
  return `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

/** What says of a card whether it is late. */
interface Dated {
  dueDate: string | null
  metadata: Record<string, unknown>
}

/** Whether the due date was ticked in Trello, where that is apart from the card's list. */
const isTicked = ({ trello }: Record<string, unknown>) =>
  (trello as { dueComplete?: unknown } | undefined)?.dueComplete === true

/** Whether a card is late where it is not in a column of what is done: its day is before today. */
export const isOverdue = ({ dueDate, metadata }: Dated, now = new Date()): boolean =>
  dueDate !== null && dayOf(dueDate) < today(now) && !isTicked(metadata)

/** A day in short: "12 Nov", of another year "12 Nov 2024". @param date `YYYY-MM-DD` or a timestamp */
export function shortDay(date: string, now = new Date()): string {
  const value = new Date(`${dayOf(date)}T00:00:00Z`)
  return (date.slice(0, 4) === String(now.getFullYear()) ? day : dayWithYear).format(value)
}

/** A day in words: "12 November 2026". */
export const fullDay = (date: string): string => longDay.format(new Date(`${dayOf(date)}T00:00:00Z`))

/** A moment, in the user's time zone: "12 Nov 2026, 14:05". */
export const atMoment = (timestamp: string | number): string => moment.format(new Date(timestamp))

/** A time of day, in the user's time zone: "14:05". */
export const atTime = (timestamp: string | number): string => time.format(new Date(timestamp))

/** How long ago: "5 minutes ago", after a week the moment itself. */
export function ago(timestamp: string, now = Date.now()): string {
  const milliseconds = Date.parse(timestamp) - now
  const passed = Math.abs(milliseconds)
  if (passed < 60_000) return relative.format(0, 'minute')
  if (passed < 3_600_000) return relative.format(Math.round(milliseconds / 60_000), 'minute')
  if (passed < DAY) return relative.format(Math.round(milliseconds / 3_600_000), 'hour')
  if (passed < 7 * DAY) return relative.format(Math.round(milliseconds / DAY), 'day')
  return atMoment(timestamp)
}

/** A number with at most two decimals, or fewer. */
export const formatNumber = (value: number, decimals = 2): string =>
  number.format(Number(value.toFixed(decimals)))
