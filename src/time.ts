/**
 * Timestamps are ISO 8601 text in UTC with milliseconds (`2026-01-31T00:00:00.000Z`), so they sort
 * chronologically as text.
 */

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(Z|[+-](\d\d)(?::?(\d\d))?)?)?$/

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
const daysInMonth = (year: number, month: number) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

type Numbers = [number, number, number, number, number, number, number, number, number, number]

/**
 * Reads a full ISO 8601 date-time, in UTC if it has no offset, or a plain date (midnight UTC).
 * @returns the canonical timestamp, or undefined if the text is neither, names a day or time that does not
 * exist, or is outside the years 0000 to 9999 in UTC
 */
export function parseTimestamp(text: string): string | undefined {
  const match = SHAPE.exec(text)
  if (!match) return undefined
  const [, , , , time, , , zone = ''] = match
  const numbers = match.map((part) => Number(part ?? 0)) as Numbers
  const [, year, month, day, hour, minute, second, , offsetHour, offsetMinute] = numbers
  const exists =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59 &&
    offsetHour <= 23 &&
    offsetMinute <= 59
  if (!exists) return undefined
  // JavaScript parses offsets in one form only, and a date-time without one in the local time zone.
  const offset =
    zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`) || 'Z'
  const local = text.slice(0, text.length - zone.length).replace(',', '.')
  const date = new Date(time === undefined ? text : local + offset)
  const canonical = date.toISOString()
  return canonical.length === 24 ? canonical : undefined
}

/** What follows the day in a due date that is a day, the same for everybody: midnight UTC. Any other one is an instant. */
export const MIDNIGHT = 'T00:00:00.000Z'

/** Whether a due date is a day. */
export const isDay = (date: string): boolean => date.endsWith(MIDNIGHT)

/** The latest formatted time: under load, many writes share a millisecond. */
let latest = { time: 0, text: '1970-01-01T00:00:00.000Z' }

/** The current time as a timestamp. */
export function timestamp(time: number = Date.now()): string {
  if (time !== latest.time) latest = { time, text: new Date(time).toISOString() }
  return latest.text
}

/** A date from a client: a date string, or a falsy value for none. */
export type ClientDate = string | null | false | 0

/** The stored form of a validated date. */
export const toStoredDate = (date: ClientDate): string | null =>
  date ? (parseTimestamp(date) ?? null) : null
