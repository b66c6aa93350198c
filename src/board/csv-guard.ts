/**
 * The guard of CSV cells against formula injection: spreadsheets take a text that begins with one of these characters for a
 * formula, unless an apostrophe comes first. So that every text comes back as it was, one that has apostrophes before such a
 * character gets one more.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/u

/** The text as a cell of an export. */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text of a cell of an export. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
