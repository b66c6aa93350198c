/** The range of the flow page, in its address and its select. */

const DAY = 86_400_000
/** The default number of days. */
export const DEFAULT_RANGE = 90

/** The day that is this many days earlier, `YYYY-MM-DD`. A range of 90 days includes its last day. */
export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - (days - 1) * DAY).toISOString().slice(0, 10)

/** The range in an address. @returns the days of a known range, or `other` */
export function chosenRange(
  from: string | null,
  to: string | null,
  today: string,
  known: readonly number[],
): number | 'other' {
  if (from === null && to === null) return DEFAULT_RANGE
  const days = known.find((one) => from === daysBefore(today, one))
  return to === null && days !== undefined ? days : 'other'
}
