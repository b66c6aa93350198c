/** How much Markdown is rendered. What is more shows as the text that it is. */

/** Characters of a text. */
export const LONGEST = 20_000

/** Elements that come of a text: each is cleaned, and laid out. */
export const MOST_ELEMENTS = 1500

/** Elements inside each other. */
export const DEEPEST = 50

/** Cells of a table, which may have a column for every other character of its first line, and as many rows. */
export const MOST_CELLS = 2000

/** How long a text may take, in milliseconds: real ones take a few. */
export const DEADLINE = 1000
