/**
 * Reads dates that people type: "tomorrow", "fri 17:30", "in 3 days", "24.12.", "12/24", "24 Dec 2027", "2026-12-24". Uses neither the
 * DOM nor the network.
 */
import { later } from '../later-texts.ts'
import { today as dayOfToday } from './dates.ts'
import { language, locale } from './language.ts'

/** The words of a language for dates, besides the names of weekdays and months. */
export interface DateWords {
  yesterday: readonly string[]
  today: readonly string[]
  tomorrow: readonly string[]
  afterTomorrow: readonly string[]
  nextWeek: readonly string[]
  days: readonly string[]
  weeks: readonly string[]
  /** Words before a number, e.g. "in" 3 days. */
  before: readonly string[]
  /** Words before a time, e.g. "at" 5 pm. */
  at: readonly string[]
  /** Words after an hour. */
  oClock: readonly string[]
}

/** How a date is read. */
interface Reading {
  now: Date
  words: DateWords
  /** The locales of the names of weekdays and months. The first one decides whether 3/4 is in March or in April. */
  locales: readonly string[]
  /** Whether a date without a year, and a weekday, are the latest ones up to today instead of the next ones. */
  isPast?: boolean | undefined
  /** The value of the field. Its day and month, without a year, are of its year. */
  current?: string
}

/** A word and its number: of days from today, of a weekday, or of a month. */
type Numbered = readonly [word: string, number: number]

const DAY = 86_400_000
/** The shortest accepted part of a word. */
const LEAST = 2

const utc = (day: string) => new Date(`${day}T00:00:00Z`)

/** A day after another. @param day `YYYY-MM-DD` */
export const dayAfter = (day: string, days: number): string =>
  new Date(utc(day).getTime() + days * DAY).toISOString().slice(0, 10)

/** The day of the week, 0 for Sunday. @param day `YYYY-MM-DD` */
export const weekdayOf = (day: string): number => utc(day).getUTCDay()

/** The next day of a weekday, after today. @param weekday 0 for Sunday */
export const next = (weekday: number, today: string): string =>
  dayAfter(today, ((weekday - weekdayOf(today) + 6) % 7) + 1)

/** A day at a time in the user's time zone. A time that the clock skips is an hour later. @returns a timestamp */
export function atTimeOf(day: string, hours: number, minutes: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const moment = new Date(year, month - 1, date, hours, minutes)
  // Midnight UTC would be a day.
  if (moment.getTime() % DAY === 0) moment.setMilliseconds(1)
  return moment.toISOString()
}

/**
 * The time at which a day ends in the user's time zone, for expiry dates.
 * @param day `YYYY-MM-DD`; empty for never
 * @returns the end of that day as an ISO 8601 timestamp; null for never
 */
export const endOfDay = (day: string): string | null =>
  day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString()

/** A date as cards have it. @param date `YYYY-MM-DD` or a timestamp; empty for none */
export const asDueDate = (date: string): string | null =>
  date === '' ? null : date.length > 10 ? date : `${date}T00:00:00.000Z`

/** The number of a word, or of the first one that begins like it. */
function numberOf(typed: string, all: readonly Numbered[]): number | undefined {
  const word = typed.replace(/\.$/, '')
  const found =
    all.find(([one]) => one === word) ?? all.find(([one]) => word.length >= LEAST && one.startsWith(word))
  return found?.[1]
}

const names = new Map<string, Numbered[]>()

/** The names in some locales, in lower case: of the seven weekdays from Sunday, or of the months. */
function namesOf(locales: readonly string[], kind: 'weekday' | 'month'): readonly Numbered[] {
  const key = `${kind} ${locales}`
  const known = names.get(key)
  if (known) return known
  const made = locales.flatMap((one) =>
    (['short', 'long'] as const).flatMap((style) => {
      const { format } = new Intl.DateTimeFormat(one, { [kind]: style, timeZone: 'UTC' })
      return Array.from({ length: kind === 'weekday' ? 7 : 12 }, (_, index): Numbered => {
        // 1 November 2026 is a Sunday.
        const date = kind === 'weekday' ? Date.UTC(2026, 10, 1 + index) : Date.UTC(2026, index, 1)
        return [format(date).toLowerCase().replace(/\.$/, ''), index]
      })
    }),
  )
  names.set(key, made)
  return made
}

/** A day that exists in the calendar; undefined for others, such as 30 February. */
function dayOn(year: number, month: number, day: number): string | undefined {
  const made = new Date(Date.UTC(year, month - 1, day))
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day
    ? made.toISOString().slice(0, 10)
    : undefined
}

/** A day of a year, which may have two digits, or of the nearest year that has it. */
function dayIn(year: string | undefined, month: number, day: number, how: Reading): string | undefined {
  if (year !== undefined) return dayOn(Number(year) < 100 ? 2000 + Number(year) : Number(year), month, day)
  const { now, isPast = false, current } = how
  const today = dayOfToday(now)
  if (current !== undefined && dayOn(Number(current.slice(0, 4)), month, day) === current) return current
  // Around 2100, a 29 February is eight years after another.
  for (let step = 0; step <= 8; step++) {
    const found = dayOn(now.getFullYear() + (isPast ? -step : step), month, day)
    if (found !== undefined && (isPast ? found <= today : found >= today)) return found
  }
  return undefined
}

const isMonthFirst = (one: string | undefined) => {
  const types = new Intl.DateTimeFormat(one).formatToParts().map(({ type }) => type)
  return types.indexOf('month') < types.indexOf('day')
}

/** Reads a day of a month: "2026-12-24", "24.12.", "12/24", "24 Dec". */
function dated(typed: string, how: Reading): string | undefined {
  const [, iso, isoMonth, isoDay] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(typed) ?? []
  if (iso !== undefined) return dayIn(iso, Number(isoMonth), Number(isoDay), how)
  const [, first, mark, second, year] =
    /^(\d{1,2})(\. ?|\/)(\d{1,2})(?:[./](\d{2}| ?\d{4})?)?$/.exec(typed) ?? []
  if (first !== undefined) {
    const dayFirst = dayIn(year, Number(second), Number(first), how)
    const monthFirst = mark === '/' ? dayIn(year, Number(first), Number(second), how) : undefined
    return isMonthFirst(how.locales[0]) ? (monthFirst ?? dayFirst) : (dayFirst ?? monthFirst)
  }
  const named =
    /^(?<day>\d{1,2})(?:\.|st|nd|rd|th)? ?(?<name>\p{L}+)\.?(?: (?<year>\d{4}))?$/u.exec(typed) ??
    /^(?<name>\p{L}+)\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?: (?<year>\d{4}))?$/u.exec(typed)
  const { day, name = '', year: namedYear } = named?.groups ?? {}
  const month = numberOf(name, namesOf(how.locales, 'month'))
  return month === undefined ? undefined : dayIn(namedYear, month + 1, Number(day), how)
}

/** Reads a day by its distance: "in 3 days", "+3", "2w". */
function afterSome(typed: string, { now, words }: Reading): string | undefined {
  const [, word, number = '', unit = ''] = /^(?:(\p{L}+) |\+)?(\d{1,3}) ?(\p{L}*)$/u.exec(typed) ?? []
  if (number === '' || (word !== undefined && !words.before.includes(word))) return undefined
  const today = dayOfToday(now)
  if (unit === '') return typed.startsWith('+') ? dayAfter(today, Number(number)) : undefined
  const starts = (all: readonly string[]) => all.some((one) => one.startsWith(unit))
  if (starts(words.days)) return dayAfter(today, Number(number))
  return starts(words.weeks) ? dayAfter(today, 7 * Number(number)) : undefined
}

/** Reads a day by its name: "tomorrow", "fri", "next week". A weekday is after today: on a Friday, "fri" is in a week. */
function byName(typed: string, { now, words, locales, isPast = false }: Reading): string | undefined {
  const today = dayOfToday(now)
  const to = (day: string) => Math.round((utc(day).getTime() - utc(today).getTime()) / DAY)
  const numbered = (all: readonly string[], days: number) => all.map((word): Numbered => [word, days])
  const days = numberOf(typed, [
    ...numbered(words.today, 0),
    ...numbered(words.tomorrow, 1),
    ...numbered(words.afterTomorrow, 2),
    ...numbered(words.yesterday, -1),
    ...numbered(words.nextWeek, to(next(1, today))),
    ...namesOf(locales, 'weekday').map(([name, weekday]): Numbered => {
      const days = to(next(weekday, today))
      return [name, isPast ? (days % 7) - (days === 7 ? 0 : 7) : days]
    }),
  ])
  return days === undefined ? undefined : dayAfter(today, days)
}

/** Reads a date after its weekday: "Fri 4 Dec". */
function withWeekday(typed: string, how: Reading): string | undefined {
  const [, name = '', rest = ''] = /^(\p{L}+)\.? (.+)$/u.exec(typed) ?? []
  const weekday = numberOf(name, namesOf(how.locales, 'weekday'))
  const day = weekday === undefined ? undefined : dated(rest, how)
  return day !== undefined && weekdayOf(day) === weekday ? day : undefined
}

const dayOf = (typed: string, how: Reading) =>
  byName(typed, how) ?? dated(typed, how) ?? afterSome(typed, how) ?? withWeekday(typed, how)

/** Reads a time, and a day before or after it: "17:30", "fri at 5 pm". A time alone is the next one. */
function timed(typed: string, how: Reading): string | undefined {
  const { now, words } = how
  const clock = `(?<at>(?:${words.at.join('|')}) ?)?(?<hour>\\d{1,2})(?:(?<mark>[:.])(?<minute>\\d{2}))? ?(?<half>[ap]m)?(?<unit>${words.oClock.join('|')})?`
  for (const pattern of [`^(?:(?<day>.+?) )??${clock}$`, `^${clock} (?<day>.+)$`]) {
    const { day, at, hour, mark, minute = '0', half, unit } = new RegExp(pattern).exec(typed)?.groups ?? {}
    // A number alone is no time, and two numbers with a point are one only beside something else.
    if (!at && !half && !unit && !(mark === ':' || (mark && day))) continue
    const hours = half ? (Number(hour) % 12) + (half === 'pm' ? 12 : 0) : Number(hour)
    if (hours > 23 || Number(minute) > 59 || (half && (Number(hour) > 12 || hour === '0'))) continue
    const today = dayOfToday(now)
    const found = day === undefined ? today : dayOf(day, how)
    if (found === undefined) continue
    const moment = atTimeOf(found, hours, Number(minute))
    const isOver = day === undefined && Date.parse(moment) <= now.getTime()
    return isOver ? atTimeOf(dayAfter(today, 1), hours, Number(minute)) : moment
  }
  return undefined
}

/**
 * Reads a typed date. Case, commas and spaces around it do not matter.
 * @returns a day, `YYYY-MM-DD`, or with a time a timestamp; undefined if it is neither
 */
export function parseDate(text: string, how: Reading): string | undefined {
  const typed = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s,]+/g, ' ')
    .trim()
    .replace(/\b([ap])\.? ?m\b\.?/, '$1m')
    .replace(/(?<=\d)t(?=\d)/, ' ')
  return typed === '' ? undefined : (dayOf(typed, how) ?? timed(typed, how))
}

/** English is known in every language. */
const LOCALES = [...new Set([locale, language, 'en'])]

/** Reads a date in the language of the page. */
export const readDate = (text: string, how: Pick<Reading, 'isPast' | 'current'> = {}): string | undefined =>
  parseDate(text, { ...how, now: new Date(), words: later.dates.words, locales: LOCALES })
