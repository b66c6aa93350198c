/** The range of the flow page, as its address and its select have it. */

const DAY = 86_400_000
/** What is chosen where the address says nothing, in days. */
export const DEFAULT_RANGE = 90

/** The day so many days before another, `YYYY-MM-DD`. A range of 90 days has its last day in it. */
export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - (days - 1) * DAY).toISOString().slice(0, 10)

/** What is chosen by an address. @returns the days of a known range, or `other` */
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
