/** Reminders of items, and their times. */
import type { StoredReminder } from '../db/json-text.ts'
import { isDay, MIDNIGHT, parseTimestamp } from '../time.ts'

/** A reminder: a time, or an ISO 8601 duration before the due date. */
export type Reminder = StoredReminder

/** The same, as clients send it. */
export type ReminderInput = { [Field in keyof Reminder]?: Reminder[Field] | undefined }

/** Most reminders of an item. */
export const REMINDERS_LIMIT = 5

/** Durations before a day count from nine o'clock, in the time zone of each member. */
const MORNING = 'T09:00:00.000Z'

/** An ISO 8601 duration without fractions and with bounded numbers; weeks cannot be combined with other units. */
export const DURATION_PATTERN =
  '^P(?!$)(?:(\\d{1,3})W|(?:(\\d{1,2})Y)?(?:(\\d{1,3})M)?(?:(\\d{1,4})D)?(?:T(?=\\d)(?:(\\d{1,4})H)?(?:(\\d{1,5})M)?(?:(\\d{1,6})S)?)?)$'

const DURATION = new RegExp(DURATION_PATTERN)

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time some months earlier, by the calendar in UTC: the last day of the month if it has no such day. */
function monthsBefore(time: number, months: number): number {
  const date = new Date(time)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, lastDay))
}

/**
 * The time a duration before another, by a clock that is never set: a day always has 24 hours.
 * @param time a timestamp
 * @returns a timestamp; undefined for an invalid duration, or a time out of range
 */
export function before(time: string, duration: string): string | undefined {
  const match = DURATION.exec(duration)
  if (match === null) return undefined
  const [weeks, years, months, days, hours, minutes, seconds] = match
    .slice(1)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number]
  const start = monthsBefore(Date.parse(time), 12 * years + months)
  const length = (7 * weeks + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND
  const date = new Date(start - length)
  return Number.isNaN(date.getTime()) ? undefined : parseTimestamp(date.toISOString())
}

/** Reminders as they are stored: times in UTC, none twice. */
export const toStoredReminders = (reminders: readonly ReminderInput[]): Reminder[] => [
  ...new Map(
    reminders.map(({ at, before }): [string, Reminder] => {
      const stored = at === undefined ? { before: before ?? '' } : { at: parseTimestamp(at) ?? at }
      return [JSON.stringify(stored), stored]
    }),
  ).values(),
]

/** Whether the time of a reminder is local: a timestamp without its `Z`, which comes when the clocks of a member's time zone show it. */
export const isLocal = (time: string): boolean => !time.endsWith('Z')

/**
 * The times of an item's reminders, ascending. Another tool may have stored any text there, which has no time.
 * @param dueDate without one, durations mean no time
 * @returns timestamps; local times for durations before a day
 */
export function timesOf(reminders: readonly Reminder[], dueDate: string | null): string[] {
  const due = dueDate === null ? undefined : parseTimestamp(dueDate)
  const times = reminders.slice(0, REMINDERS_LIMIT).map(({ at, before: duration }) => {
    if (at !== undefined) return parseTimestamp(at)
    if (due === undefined || duration === undefined) return undefined
    return isDay(due) ? before(due.replace(MIDNIGHT, MORNING), duration)?.slice(0, -1) : before(due, duration)
  })
  return [...new Set(times.filter((time) => time !== undefined))].toSorted()
}
