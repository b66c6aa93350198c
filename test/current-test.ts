/** The parent test for helpers that add tests while a file is loaded: tap itself, or the file's own test if files share a process. */
import root, { type Test } from 'tap'

let current: Test = root

/** The test of the file that is being loaded. */
export const currentTest = (): Test => current

/** Sets the test of a loaded file. `together.ts` calls it. */
export function beginFile(test: Test): void {
  current = test
}
