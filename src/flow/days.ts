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
