/**
 * Timestamps are ISO 8601 text in UTC with milliseconds (`2026-01-31T00:00:00.000Z`), so that text order is
 * time order.
 */

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:Z|[+-](\d\d)(?::?(\d\d))?))?$/

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
const daysInMonth = (year: number, month: number) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/**
 * Reads a full ISO 8601 date-time with offset, or a plain date (midnight UTC).
 * @returns the canonical timestamp, or undefined when the text is neither, names a day or time that does not
 * exist, or falls outside the years 0000 to 9999 in UTC
 */
export function parseTimestamp(text: string): string | undefined {
  const match = SHAPE.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match
    .slice(1)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number, number]
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
  const shortOffset = /([+-]\d\d)(\d\d)?$/
  const date = new Date(
    match[4] === undefined
      ? text
      : text.replace(',', '.').replace(shortOffset, (_, hours, minutes = '00') => `${hours}:${minutes}`),
  )
  const canonical = date.toISOString()
  return canonical.length === 24 ? canonical : undefined
}

/** The current time as a timestamp. */
export const timestamp = (time: number = Date.now()): string => new Date(time).toISOString()
