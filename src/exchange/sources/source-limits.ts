/**
 * What a file may ask of its reader. A file is a stranger's: a few bytes can stand for gigabytes, and not all of what reads
 * them can be stopped in the midst of it.
 */
import { JSON_TEXT_DEPTH } from '../../schemas/common.ts'

/** Values of JSON, or cells of a table that say something, at most: each takes some dozens of bytes of memory. */
export const VALUES_LIMIT = 10_000_000

/** Levels of nesting. What is put aside is wrapped in a few levels more, stored as it is, and serialisers recurse. */
export const DEPTH_LIMIT = JSON_TEXT_DEPTH - 10

/** That a file is what it should be, but too much. The message is one clear line. */
export class TooLarge extends Error {}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d]

/**
 * Looks over JSON before anything parses it, once and without holding any of it: how many values it has, and how deep they
 * are. What is no JSON is not told from what is.
 * @param json UTF-8
 * @throws TooLarge
 */
export function refuseHugeJson(json: Uint8Array, levels = DEPTH_LIMIT, most = VALUES_LIMIT): void {
  let values = 1
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        at = endOfText(json, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        if (depth > levels) throw new TooLarge(`it is nested deeper than ${levels} levels`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        values += 1
        break
    }
    if (values > most) throw tooManyValues(most)
  }
}

/** Where the text ends that begins with the quote at a place: at a quote behind an even number of backslashes. */
function endOfText(json: Uint8Array, begin: number): number {
  for (let end = begin; ; ) {
    end = json.indexOf(QUOTE, end + 1)
    if (end < 0) return json.length
    let backslashes = 0
    while (json[end - 1 - backslashes] === BACKSLASH && end - 1 - backslashes > begin) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
}

/** The error for a file of more than so many values. */
export const tooManyValues = (most: number): TooLarge => new TooLarge(`it has more than ${most} values`)
