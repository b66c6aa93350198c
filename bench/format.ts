/** Numbers for people. */

/** A number with so many decimal places; without any from 100 on. Nothing is a dash. */
export function show(value: number | undefined, places = 2): string {
  if (value === undefined) return '–'
  const digits = value < 100 ? places : 0
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Requests per second. */
export const showRate = (value: number | undefined): string => show(value, 1)

/** A ratio; small ones with a further place, since they would all look alike. */
export const showRatio = (value: number | undefined): string =>
  show(value, value !== undefined && value < 0.1 ? 3 : 2)
