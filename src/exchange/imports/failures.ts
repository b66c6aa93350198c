/** Errors of imports, in one line. */
import { shorten } from './names.ts'

/** A file needs more memory than its reader may use. */
export const NO_MEMORY = 'There is not enough memory for so large a file'

/** Reading a file takes too long. */
export const TOO_SLOW = 'Reading the file took too long'

/** The error for a full disk. */
const NO_ROOM = 'The disk is full, or cannot be written'

const CAUSES: readonly [line: string, codes: RegExp][] = [
  [NO_MEMORY, /^(?:ERR_MEMORY_ALLOCATION_FAILED|ERR_STRING_TOO_LONG|ENOMEM|SQLITE_NOMEM)$/],
  [NO_ROOM, /^(?:ENOSPC|EDQUOT|EFBIG|EIO|EROFS|SQLITE_FULL|SQLITE_IOERR.*)$/],
]

/** The longest line, in characters: it may quote the file. */
const LINE = 1000

export function lineOf(error: unknown): string {
  for (const one of [error, Object(error).cause]) {
    const [line] = CAUSES.find(([, codes]) => codes.test(String(Object(one).code))) ?? []
    if (line !== undefined) return line
  }
  const message = error instanceof Error ? error.message : String(error)
  return shorten(message.replace(/\s+/g, ' '), LINE)
}
