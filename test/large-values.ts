/** Compares large values. */
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'

/** The same as `t.strictSame`. Its comparison takes seconds for a whole board, so it only says what differs. */
export function sameLarge(t: Test, found: unknown, wanted: unknown, what = 'they are the same'): void {
  if (isDeepStrictEqual(found, wanted)) t.pass(what)
  else t.strictSame(found, wanted, what)
}
