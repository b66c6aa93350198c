/**
 * Limits on files. Files are untrusted: a few bytes can expand to gigabytes, and not all parsers
 * can be interrupted.
 */
import { JSON_TEXT_DEPTH } from '../../schemas/common.ts'

/** Most values of JSON, or non-empty cells of a table: each takes some dozens of bytes of memory. */
export const VALUES_LIMIT = 10_000_000

/** Maximum nesting. Stored rests are wrapped in a few more levels, and serialisers recurse. */
const DEPTH_LIMIT = JSON_TEXT_DEPTH - 10

/** A file of the right format, but too large. The message is one clear line. */
export class TooLarge extends Error {}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d]

/**
 * Scans JSON before parsing, in one pass without allocations: checks the number of values and their depth. It does not
 * validate.
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

/** The end of the string that begins at an index: a quote after an even number of backslashes. */
function endOfText(json: Uint8Array, begin: number): number {
  for (let end = begin; ; ) {
    end = json.indexOf(QUOTE, end + 1)
    if (end < 0) return json.length
    let backslashes = 0
    while (json[end - 1 - backslashes] === BACKSLASH && end - 1 - backslashes > begin) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
}

/** The error for a file with too many values. */
export const tooManyValues = (most: number): TooLarge => new TooLarge(`it has more than ${most} values`)
