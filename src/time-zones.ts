/** Days and times of the day in a time zone. */
import { createCache } from './cache.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

/** Formats by time zone: creating one takes a tenth of a millisecond. A few, because a name may be spelled in many ways: in any case. */
const formats = createCache<string, Intl.DateTimeFormat>(100)

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, made)
  return made
}

/** Whether a text names an IANA time zone. An offset such as `+01:00` does not count: it has no daylight saving time. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w+\-/]*$/.test(text)) return false
  try {
    formatOf(text)
    return true
  } catch {
    return false
  }
}

/** A stored time zone; UTC for anything else that another tool has stored. */
export const timeZoneOf = (stored: string): string => (isTimeZone(stored) ? stored : 'UTC')

/** The local time in a time zone, as if it were UTC: milliseconds since 1970, to the second. */
export function wallTime(time: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second)
}

/** The same as text: a timestamp without its `Z`. */
export const localTime = (time: number, timeZone: string): string =>
  new Date(wallTime(time, timeZone)).toISOString().slice(0, -1)

/** The instant of a local time in a time zone. For a skipped local time, as much later as the clocks are set forward. */
export function timeOfWall(wall: number, timeZone: string): number {
  const offsetAt = (time: number) => wallTime(time, timeZone) - time
  const before = wall - offsetAt(wall - DAY)
  const after = wall - offsetAt(wall + DAY)
  // The first instant of an ambiguous local time.
  const found = [before, after].filter((time) => wallTime(time, timeZone) === wall)
  return found.length > 0 ? Math.min(...found) : Math.max(before, after)
}

/**
 * The next time, after a given one, at which the local time in a time zone is a full hour.
 * @param after milliseconds since 1970
 */
export function nextHour(hour: number, timeZone: string, after: number): number {
  const midnight = Math.floor(wallTime(after, timeZone) / DAY) * DAY
  for (let day = 0; ; day++) {
    const time = timeOfWall(midnight + day * DAY + hour * HOUR, timeZone)
    if (time > after) return time
  }
}

/** A day in a time zone. */
export interface LocalDay {
  /** `YYYY-MM-DD`. */
  day: string
  /** When it begins, in milliseconds since 1970. */
  begins: number
}

/** The day some days after the one of a time. @param time milliseconds since 1970 */
export function dayAfter(time: number, days: number, timeZone: string): LocalDay {
  const midnight = (Math.floor(wallTime(time, timeZone) / DAY) + days) * DAY
  return { day: new Date(midnight).toISOString().slice(0, 10), begins: timeOfWall(midnight, timeZone) }
}
