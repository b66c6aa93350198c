/** The browser for tests of the board page. */
import type { Browser } from 'playwright-core'
import root from 'tap'
import { launchChromium } from './chromium-file.ts'

export { noBrowser } from './chromium-file.ts'

let launched: Promise<Browser> | undefined

/** The browser of this test file. The first call launches it, and it is closed at the end. */
export function launch(): Promise<Browser> {
  if (launched === undefined) {
    launched = launchChromium()
    root.teardown(async () => (await launched)?.close())
  }
  return launched
}
