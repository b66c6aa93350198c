/** Limits of rendered Markdown. A text beyond them shows as plain text. */

/** The maximum number of characters. */
export const LONGEST = 20_000

/** The maximum number of elements a text produces. Each is sanitized and laid out. */
export const MOST_ELEMENTS = 1500

/** The maximum nesting of elements. */
export const DEEPEST = 50

/** The maximum number of cells of a table. Its first line may have a column for every second character, and the table as many rows. */
export const MOST_CELLS = 2000

/** The maximum time for a text, in milliseconds. Real texts take a few. */
export const DEADLINE = 1000
