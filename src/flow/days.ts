/** Days and weeks of UTC, as numbers: how many days they are after 1 January 1970. */

/** Milliseconds of a day. */
export const DAY = 86_400_000

/** The day of a moment. @param time milliseconds since 1970 */
export const dayOf = (time: number): number => Math.floor(time / DAY)

/** The date of a day, as ISO 8601. */
export const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** A span of time in days, to two decimals: a quarter of an hour. */
export const inDays = (milliseconds: number): number => Math.round((milliseconds / DAY) * 100) / 100

/** The Monday of a day's week. */
const mondayOf = (day: number): number => day - ((((day + 3) % 7) + 7) % 7)

/** The week of a day, as ISO 8601 counts: of the year that its Thursday is in, e.g. `2026-W07`. */
export function weekOf(day: number): string {
  const thursday = mondayOf(day) + 3
  const year = new Date(thursday * DAY).getUTCFullYear()
  const first = dayOf(Date.UTC(year, 0, 1))
  return `${year}-W${String(Math.floor((thursday - first) / 7) + 1).padStart(2, '0')}`
}

const ZERO = 48

/** Two digits of a text, as a number. */
const two = (text: string, index: number): number =>
  (text.charCodeAt(index) - ZERO) * 10 + text.charCodeAt(index + 1) - ZERO

/** The beginnings of the days that were read last, by their dates: records of a board share most of them. */
const beginnings = new Map<string, number>()

/** Dates that are remembered, at most. */
const REMEMBERED = 4000

function beginningOf(date: string): number {
  const known = beginnings.get(date)
  if (known !== undefined) return known
  const time = Date.parse(date)
  if (beginnings.size >= REMEMBERED) beginnings.clear()
  beginnings.set(date, time)
  return time
}

/**
 * The moment of a stored timestamp, in milliseconds since 1970; NaN for what is none. Several times as fast as `Date.parse` for
 * those in the form of the service.
 */
export function timeOf(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  if (text.length !== 24 || text[10] !== 'T' || text[23] !== 'Z') return Date.parse(text)
  const milliseconds = (text.charCodeAt(20) - ZERO) * 100 + two(text, 21)
  const time = two(text, 11) * 3_600_000 + two(text, 14) * 60_000 + two(text, 17) * 1000 + milliseconds
  return beginningOf(text.slice(0, 10)) + time
}

/** The dates of the days that were written last. */
const dates = new Map<number, string>()

const digits = (value: number, length: number): string => String(value).padStart(length, '0')

/** The timestamp of a moment: as `toISOString`, several times as fast for many moments of the same days. */
export function timestampOf(time: number): string {
  const day = dayOf(time)
  let date = dates.get(day)
  if (date === undefined) {
    if (dates.size >= REMEMBERED) dates.clear()
    date = dateOf(day)
    dates.set(day, date)
  }
  const left = time - day * DAY
  const [hour, minute] = [Math.floor(left / 3_600_000), Math.floor(left / 60_000) % 60]
  const [second, milliseconds] = [Math.floor(left / 1000) % 60, left % 1000]
  return `${date}T${digits(hour, 2)}:${digits(minute, 2)}:${digits(second, 2)}.${digits(milliseconds, 3)}Z`
}
