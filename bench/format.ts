/** Formats numbers and tables for people. */

/** Formats a number with a given number of decimals; from 100 on without decimals. Undefined is a dash. */
export function show(value: number | undefined, places = 2): string {
  if (value === undefined) return '–'
  const digits = value < 100 ? places : 0
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Requests per second. */
export const showRate = (value: number | undefined): string => show(value, 1)

/** A ratio. Small ones have one more decimal, because they would all look alike. */
export const showRatio = (value: number | undefined): string =>
  show(value, value !== undefined && value < 0.1 ? 3 : 2)

/** A Markdown table. The first columns, one by default, are text; the others are numbers. */
export function table(head: string[], rows: string[][], texts = 1): string {
  const lines = [head, head.map((_, column) => (column < texts ? '---' : '--:')), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
