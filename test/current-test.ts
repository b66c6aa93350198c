/** The test that helpers add theirs to while a file is loaded: tap itself, or, where files share a process, the file's own. */
import root, { type Test } from 'tap'

let current: Test = root

/** The test of the file that is being loaded. */
export const currentTest = (): Test => current

/** Says that a file is loaded: `together.ts` does. */
export function beginFile(test: Test): void {
  current = test
}
