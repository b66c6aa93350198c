/** Dates as people and tools write them in tables. */
import { parseTimestamp, timestamp } from '../../time.ts'

/** Which number comes first in `03/04/2026`. */
type DayOrder = 'day' | 'month'

/** A longer text is not a date. The limit also bounds the time of the patterns below. Names of time zones are long. */
const LONGEST = 100

const TIME = String.raw`(?:[T ,]+(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?)?`
const REST = String.raw` ?(?<half>[AaPp]\.?[Mm]\.?)? ?\(?(?<zone>Z|UTC|(?:GMT|UTC)?[+-]\d{1,2}(?::?\d\d)?|GMT|[CEMP][DS]T)?\)?$`

/** Year first: 2026-01-31, 2026/1/31, 2026_01_31. */
const YEAR_FIRST = new RegExp(
  String.raw`^(?<year>\d{4})[-/._](?<month>\d{1,2})[-/._](?<day>\d{1,2})${TIME}${REST}`,
)
/** Year last: 31.1.2026, 1/31/26, 31-01-2026. */
const YEAR_LAST = new RegExp(
  String.raw`^(?<first>\d{1,2})(?<mark>[-/.])(?<second_>\d{1,2})[-/.](?<year>\d{4}|\d\d)${TIME}${REST}`,
)
/** The month by name, after the day: 15/Jan/24 3:04 PM, 15 January 2024, Mon, 15. Jan 2024. */
const DAY_NAME = new RegExp(
  String.raw`^(?:\p{L}{2,12}\.?,? )?(?<day>\d{1,2})\.?[-/ ](?<name>\p{L}{3,12})\.?,?[-/ ](?<year>\d{4}|\d\d)${TIME}${REST}`,
  'u',
)
/** The month by name, before the day: Jan 15, 2024, 3:04 PM, Monday, January 15th 2024, 3:04:05 pm +01:00. */
const NAME_DAY = new RegExp(
  String.raw`^(?:\p{L}{2,12}\.?,? )?(?<name>\p{L}{3,12})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4}|\d\d)${TIME}${REST}`,
  'u',
)

/** As JavaScript writes dates: Wed May 13 2026 11:21:41 GMT+0200 (Central European Summer Time). */
const OF_JAVASCRIPT =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<name>[A-Z][a-z]{2}) (?<day>\d\d) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT(?<zone>[+-]\d{4})(?: \([^()]+\))?$/

/**
 * Reads the dates of one file. If days and months are only numbers, it infers their order from all dates of the file:
 * pass all of them first.
 */
export class Dates {
  #dayFirst = 0
  #monthFirst = 0
  #ambiguous = 0
  readonly #otherwise: DayOrder

  /** Takes the default order. */
  constructor(otherwise: DayOrder) {
    this.#otherwise = otherwise
  }

  /** Examines a date for the order of day and month. */
  see(text: string): void {
    const parts = text.length <= LONGEST ? YEAR_LAST.exec(text.trim())?.groups : undefined
    if (!parts || parts.mark === '.') return
    const [first, second] = [Number(parts.first), Number(parts.second_)]
    if (first > 12) this.#dayFirst += 1
    else if (second > 12) this.#monthFirst += 1
    else if (first !== second) this.#ambiguous += 1
  }

  /** Lines for a board's notes: that the order was assumed, if it was. */
  get notes(): string[] {
    if (this.#ambiguous === 0 || this.#dayFirst !== this.#monthFirst) return []
    const order = this.#otherwise === 'day' ? 'day/month/year' : 'month/day/year'
    return [`dates such as 3/4/2026 were read as ${order}, because the file does not show the order`]
  }

  get #order(): DayOrder {
    if (this.#dayFirst === this.#monthFirst) return this.#otherwise
    return this.#dayFirst > this.#monthFirst ? 'day' : 'month'
  }

  /** A date or date-time, in UTC if it has no zone, as a timestamp, or undefined. */
  read(text: string): string | undefined {
    if (text.length > LONGEST) return undefined
    const trimmed = text.trim()
    return parseTimestamp(trimmed) ?? this.#readParts(trimmed) ?? dayOfSheet(trimmed)
  }

  #readParts(text: string): string | undefined {
    const match =
      YEAR_FIRST.exec(text) ??
      YEAR_LAST.exec(text) ??
      DAY_NAME.exec(text) ??
      NAME_DAY.exec(text) ??
      OF_JAVASCRIPT.exec(text)
    const parts = match?.groups
    if (!parts) return undefined
    const date = this.#dateOf(parts)
    const clock = clockOf(parts)
    return date && clock !== undefined ? parseTimestamp(`${date}${clock}`) : undefined
  }

  #dateOf(parts: Parts): string | undefined {
    const year =
      parts.year?.length === 2 ? `${Number(parts.year) < 70 ? '20' : '19'}${parts.year}` : parts.year
    const { day, month } = this.#dayAndMonth(parts)
    return month === undefined ? undefined : `${year}-${two(month)}-${two(Number(day))}`
  }

  #dayAndMonth({ day, month, name, first, second_, mark }: Parts): {
    day: unknown
    month: number | undefined
  } {
    if (name !== undefined) return { day, month: months().get(plain(name)) }
    if (month !== undefined) return { day, month: Number(month) }
    const isDayFirst = mark === '.' || Number(first) > 12 || (Number(second_) <= 12 && this.#order === 'day')
    return isDayFirst ? { day: first, month: Number(second_) } : { day: second_, month: Number(first) }
  }
}

/** Days since 1899-12-30, as spreadsheets store dates: 46091 is 2026-03-10. Of 1982 to 2119: other numbers are no dates. */
const dayOfSheet = (text: string): string | undefined =>
  /^[3-7]\d{4}$/.test(text) ? timestamp(Date.UTC(1899, 11, 30 + Number(text))) : undefined

type Parts = { [name: string]: string | undefined }

const two = (value: number) => String(value).padStart(2, '0')

/** The time of day and its zone in ISO 8601; empty if absent, undefined if invalid. */
function clockOf({ hour, minute, second, fraction, half, zone }: Parts): string | undefined {
  if (hour === undefined) return half === undefined && zone === undefined ? '' : undefined
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const isAfternoon = half?.toLowerCase().startsWith('p')
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0)
  const offset = offsetOf(zone)
  return `T${two(hours)}:${minute}:${second ?? '00'}${fraction ? `.${fraction}` : ''}${offset}`
}

/** The hours by which standard time is behind UTC in the zones of North America that tools name by letters. */
const AMERICAN = new Map([
  ['E', 5],
  ['C', 6],
  ['M', 7],
  ['P', 8],
])

/** An offset from UTC in ISO 8601. */
function offsetOf(zone = ''): string {
  const american = /^([CEMP])([DS])T$/.exec(zone)
  if (american) return `-${two((AMERICAN.get(american[1] ?? '') ?? 0) - Number(american[2] === 'D'))}:00`
  const [, sign, hours, minutes = '00'] = /([+-])(\d{1,2}):?(\d\d)?$/.exec(zone) ?? []
  return sign === undefined ? 'Z' : `${sign}${two(Number(hours))}:${minutes}`
}

/** Languages of known month names: those written in Latin letters. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'pl']

/** A German name as Java wrote it, and so Jira. */
const MRZ = ['mrz', 3] as const

let known: ReadonlyMap<string, number> | undefined

/** Names of months, short and long, without accents, each with its number. */
function months(): ReadonlyMap<string, number> {
  known ??= new Map([
    MRZ,
    ...LANGUAGES.toReversed().flatMap((language) =>
      (['long', 'short'] as const).flatMap((month) => {
        const format = new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' })
        return Array.from({ length: 12 }, (_, index) => {
          const parts = format.formatToParts(Date.UTC(2026, index, 1))
          return [plain(parts.find(({ type }) => type === 'month')?.value ?? ''), index + 1] as const
        })
      }),
    ),
  ])
  return known
}

/** In lower case, without accents and dots. */
const plain = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
