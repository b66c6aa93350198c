/** Handles: the names of members in mentions, as in `@ada`. */
import { fold } from '../folding.ts'
import { firstFree } from '../free-names.ts'

/** The format of a handle: 2 to 32 of `a-z0-9._-`. */
export const HANDLE_PATTERN = '^[a-z0-9._-]{2,32}$'

const LONGEST = 32

/** The handle of a name without usable characters. */
const OTHERWISE = 'member'

/** The beginning of a text, without separators at its ends. */
const trimmed = (text: string, length: number): string =>
  text.slice(0, length).replaceAll(/^\.+|(?<!\.)\.+$/g, '')

/** The handle of a name, whether it is taken or not: `ada.lovelace` of `Ada Lovelace`. */
function handleOf(name: string): string {
  const handle = trimmed(fold(name).replaceAll(/[^a-z0-9]+/g, '.'), LONGEST)
  return handle.length < 2 ? trimmed(`${OTHERWISE}.${handle}`, LONGEST) : handle
}

/**
 * A unique handle for a name: with the first free number, if the handle of the name itself is taken.
 * @param startingWith the handles of others that begin with a text
 */
export function freeHandle(name: string, startingWith: (start: string) => readonly string[]): string {
  const handle = handleOf(name)
  // A number may replace its last letters.
  const taken = new Set(startingWith(handle.slice(0, LONGEST - 7)))
  return firstFree(handle, taken, LONGEST, trimmed)
}
