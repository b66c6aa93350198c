/**
 * Which texts are rendered as Markdown: the parser takes quadratic time for some, and overflows the stack on deep nesting. It runs
 * where the page is drawn, so what it is given is bounded; whatever else somebody has written shows as it is.
 */

/** Characters and lines of a text. */
const CHARACTERS = 20_000
const LINES = 2000

/** Quotes and lists inside of each other. */
const NESTED = 20

/** Characters of each kind that may begin or end something, for each of which the parser looks ahead. */
const DELIMITERS = 2000

/** What a line begins with, where it is inside of quotes and lists. */
const CONTAINERS = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)+/gm
const CONTAINER = />|[-*+]|\d+[.)]/g

/** Runs of spaces: of one the parser looks for the end at each of its places. */
const LONG_BLANK = /[ \t]{500}/

const count = (text: string, character: string) => text.split(character).length - 1

/** Whether a text may be rendered as Markdown. */
export function isRenderable(text: string): boolean {
  if (text.length > CHARACTERS || count(text, '\n') > LINES || LONG_BLANK.test(text)) return false
  if ([...'[]<*_`~\\|&'].some((character) => count(text, character) > DELIMITERS)) return false
  for (const [line] of text.matchAll(CONTAINERS)) {
    if ((line.match(CONTAINER)?.length ?? 0) > NESTED) return false
  }
  return true
}
