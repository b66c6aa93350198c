/** Parses the words that people type for a due date: "today", "tomorrow", a weekday, or an ISO day. */

/** The words of a language that a field for a due date accepts, besides the names of days and months. */
export interface DueWords {
  today: readonly string[]
  tomorrow: readonly string[]
  nextWeek: readonly string[]
  days: readonly string[]
  weeks: readonly string[]
  /** Words before a number, e.g. "in" 3 days. */
  before: readonly string[]
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const

/** The shortest abbreviation of a weekday: "fri". */
const SHORTEST = 3

/** The days from today on that have a name of their own. */
const NAMED: Readonly<Record<string, number>> = { today: 0, tod: 0, tomorrow: 1, tom: 1, tmr: 1 }

const ISO = /^(\d{4})-(\d{2})-(\d{2})$/

const format = (year: number, month: number, date: number): string =>
  `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`

/** The calendar day some days after another one in the user's time zone. */
function daysAfter(day: Date, days: number): string {
  // At noon, because a day may begin or end an hour early where clocks change.
  const other = new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, 12)
  return format(other.getFullYear(), other.getMonth() + 1, other.getDate())
}

/** An ISO day that exists in the calendar; undefined for others, such as 30 February. */
function isoDay(text: string): string | undefined {
  const [, year, month, date] = ISO.exec(text) ?? []
  if (year === undefined) return undefined
  const day = new Date(`${text}T00:00:00Z`)
  // An engine may read a day that does not exist as a day of the next month.
  const exists = !Number.isNaN(day.getTime()) && day.getUTCDate() === Number(date)
  return exists && day.getUTCMonth() + 1 === Number(month) ? text : undefined
}

/**
 * The day that a text means. Case and spaces around it do not matter.
 * @param text "today", "tomorrow", a weekday or its abbreviation ("fri", "thurs"), or `YYYY-MM-DD`. A weekday is the next one
 *   after today: on a Friday, "fri" is in a week.
 * @param today any time of today in the user's time zone
 * @returns `YYYY-MM-DD`; undefined for any other text
 */
export function parseDue(text: string, today: Date): string | undefined {
  const word = text.trim().toLowerCase()
  if (Object.hasOwn(NAMED, word)) return daysAfter(today, NAMED[word] ?? 0)
  const weekday = word.length < SHORTEST ? -1 : WEEKDAYS.findIndex((name) => name.startsWith(word))
  if (weekday >= 0) return daysAfter(today, ((weekday - today.getDay() + 6) % 7) + 1)
  return isoDay(word)
}
