/** The days of a calendar, and how keys lead from one to another. Uses neither the DOM nor the network. */
import { dayAfter, next, weekdayOf } from './date-words.ts'

/** The first day of the week in a locale, 0 for Sunday. */
export function firstWeekday(tag: string): number {
  type Week = { firstDay: number }
  const known = new Intl.Locale(tag) as Intl.Locale & { getWeekInfo?: () => Week; weekInfo?: Week }
  const { firstDay } = known.getWeekInfo?.() ?? known.weekInfo ?? { firstDay: /^en(-US)?$/.test(tag) ? 7 : 1 }
  return firstDay % 7
}

/** The same day some months later, or the last one of a shorter month. @param day `YYYY-MM-DD` */
export function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0))
  last.setUTCDate(Math.min(date, last.getUTCDate()))
  return last.toISOString().slice(0, 10)
}

/** Six weeks, which any month fits in. @param day one of its days @param first the first day of a week, 0 for Sunday */
export function weeksOf(day: string, first: number): string[][] {
  const start = `${day.slice(0, 8)}01`
  const from = dayAfter(start, -((weekdayOf(start) - first + 7) % 7))
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, index) => dayAfter(from, 7 * week + index)),
  )
}

/** The days that are set most often, by name. Friday only in its own week: on a Saturday it would come after the next Monday. */
export function usualDays(now: string): ['today' | 'tomorrow' | 'friday' | 'nextWeek', string][] {
  const [tomorrow, friday, monday] = [dayAfter(now, 1), next(5, now), next(1, now)]
  return [
    ['today', now],
    ['tomorrow', tomorrow],
    ...(friday < monday && friday !== tomorrow ? [['friday', friday] as ['friday', string]] : []),
    ...(monday === tomorrow ? [] : [['nextWeek', monday] as ['nextWeek', string]]),
  ]
}

type Keys = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>

/** The day to which a key leads from another; undefined for other keys. @param first the first day of a week, 0 for Sunday */
export function dayBy(event: Keys, day: string, first: number, isRightToLeft: boolean): string | undefined {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = event
  if (altKey || ctrlKey || metaKey) return undefined
  const forward = isRightToLeft ? -1 : 1
  const inWeek = (weekdayOf(day) - first + 7) % 7
  switch (key) {
    case 'ArrowLeft':
      return dayAfter(day, -forward)
    case 'ArrowRight':
      return dayAfter(day, forward)
    case 'ArrowUp':
      return dayAfter(day, -7)
    case 'ArrowDown':
      return dayAfter(day, 7)
    case 'Home':
      return dayAfter(day, -inWeek)
    case 'End':
      return dayAfter(day, 6 - inWeek)
    case 'PageUp':
      return monthsAfter(day, shiftKey ? -12 : -1)
    case 'PageDown':
      return monthsAfter(day, shiftKey ? 12 : 1)
    default:
      return undefined
  }
}
