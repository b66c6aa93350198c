/**
 * The guard of CSV cells against formula injection: spreadsheets treat a text that begins with one of these characters as a
 * formula, unless an apostrophe precedes it. To make this reversible, a text with apostrophes before such a
 * character gets one more. The last four are the full-width forms of = + - @.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/u

/** The text as a cell of an export. */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text of a cell of an export. */
export const withoutGuard = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
