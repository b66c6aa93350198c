/**
 * Parses due dates that people type in the field of due dates: everything that `parseDue` accepts, and parts of words, names in the
 * page's language, and dates: "tomor", "Freitag", "+3", "2w", "12 dec", "24.12.". Uses neither the DOM nor the network.
 */
import { today as dayOfToday } from '../common/dates.ts'
import { type DueWords, parseDue } from '../common/due-words.ts'

const DAY = 86_400_000
/** The shortest accepted part of a word. */
const LEAST = 2

/** A day after another. @param day `YYYY-MM-DD` */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)

/** The day of the week, 0 for Sunday. */
const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()

/** The next day of a weekday, after today. @param wanted 0 for Sunday */
export const next = (wanted: number, today: string): string =>
  dayAfter(today, ((wanted - weekday(today) + 6) % 7) + 1)

const isPartOf = (typed: string, word: string) => typed.length >= LEAST && word.startsWith(typed)
const isOneOf = (typed: string, words: readonly string[]) => words.some((word) => isPartOf(typed, word))

/** A valid day; undefined for the 31st of February. A day without a year is the next one. */
function dayOf(year: number | undefined, month: number, day: number, today: string): string | undefined {
  const thisYear = Number(today.slice(0, 4))
  const inYear = (of: number) => {
    const made = new Date(Date.UTC(of, month - 1, day))
    const isValid = made.getUTCMonth() === month - 1 && made.getUTCDate() === day
    return isValid ? made.toISOString().slice(0, 10) : undefined
  }
  if (year !== undefined) return inYear(year < 100 ? 2000 + year : year)
  const soon = inYear(thisYear)
  return soon !== undefined && soon < today ? inYear(thisYear + 1) : soon
}

/** The names in a locale, in lower case: of the seven weekdays from Sunday, and of the months. */
function names(locale: string | undefined, kind: 'weekday' | 'month'): string[][] {
  return Array.from({ length: kind === 'weekday' ? 7 : 12 }, (_, index) =>
    (['long', 'short'] as const).map((style) =>
      new Intl.DateTimeFormat(locale, { [kind]: style, timeZone: 'UTC' })
        // 1 November 2026 is a Sunday.
        .format(Date.UTC(2026, kind === 'weekday' ? 10 : index, kind === 'weekday' ? 1 + index : 1))
        .toLowerCase()
        .replace(/\.$/, ''),
    ),
  )
}

const indexIn = (all: readonly string[][], typed: string) =>
  all.findIndex((words) => words.some((word) => isPartOf(typed, word)))

/**
 * Parses a text as a day.
 * @param now any time of today in the user's time zone
 * @param locale of the names of days and months
 * @returns `YYYY-MM-DD`; undefined if it is not a day
 */
export function dueOf(
  text: string,
  now: Date,
  words: DueWords,
  locale: string | undefined,
): string | undefined {
  const typed = text.trim().toLowerCase().replace(/\s+/g, ' ').replace(/,/g, '')
  if (typed === '') return undefined
  const known = parseDue(typed, now)
  if (known !== undefined) return known
  const today = dayOfToday(now)
  if (isOneOf(typed, words.today)) return today
  if (isOneOf(typed, words.tomorrow)) return dayAfter(today, 1)
  if (isOneOf(typed, words.nextWeek)) return next(1, today)
  return afterSome(typed, today, words) ?? dateOf(typed, today, locale) ?? weekdayOf(typed, today, locale)
}

function afterSome(typed: string, today: string, { days, weeks, before }: DueWords): string | undefined {
  const [, word, number = '', unit = ''] = /^(?:(\p{L}+) |\+)?(\d{1,3}) ?(\p{L}*)$/u.exec(typed) ?? []
  if (number === '' || (word !== undefined && !before.includes(word))) return undefined
  const starts = (all: readonly string[]) => all.some((one) => one.startsWith(unit))
  if (unit === '') return typed.startsWith('+') ? dayAfter(today, Number(number)) : undefined
  if (starts(days)) return dayAfter(today, Number(number))
  return starts(weeks) ? dayAfter(today, 7 * Number(number)) : undefined
}

function dateOf(typed: string, today: string, locale: string | undefined): string | undefined {
  const dotted = /^(\d{1,2})\. ?(\d{1,2})\.? ?(\d{2}|\d{4})?$/.exec(typed)
  if (dotted) {
    return dayOf(dotted[3] ? Number(dotted[3]) : undefined, Number(dotted[2]), Number(dotted[1]), today)
  }
  const named =
    /^(?<day>\d{1,2})\.? (?<month>\p{L}+)\.?(?: (?<year>\d{4}))?$/u.exec(typed) ??
    /^(?<month>\p{L}+)\.? (?<day>\d{1,2})(?: (?<year>\d{4}))?$/u.exec(typed)
  const { day, month = '', year } = named?.groups ?? {}
  const index = indexIn(names(locale, 'month'), month)
  return index === -1 ? undefined : dayOf(year ? Number(year) : undefined, index + 1, Number(day), today)
}

function weekdayOf(typed: string, today: string, locale: string | undefined): string | undefined {
  const index = indexIn(names(locale, 'weekday'), typed)
  return index === -1 ? undefined : next(index, today)
}
