/** Accessibility, as far as machines can tell: axe-core, in both colour schemes. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

type ColorScheme = 'light' | 'dark'

/** What axe finds on a page as it is now, one line for each element. */
async function violationsOf(page: Page): Promise<string[]> {
  // A script element would be against the page's policy; what is evaluated for the debugger is not.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    // What fades in has no contrast yet; what never ends is not waited for.
    const moving = document.getAnimations().map(({ finished }) => finished.catch(() => undefined))
    await Promise.race([Promise.all(moving), new Promise((resolve) => setTimeout(resolve, 500))])
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll(/\s+/g, ' ')}`,
      ),
    )
  })
}

/**
 * Asserts that axe finds nothing on a page as it is now, in light and in dark.
 * @param own the colour scheme that the page has, to which it returns
 */
export async function checkPage(t: Test, page: Page, own: ColorScheme = 'light'): Promise<void> {
  const schemes: ColorScheme[] = own === 'light' ? ['dark', 'light'] : ['light', 'dark']
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    t.strictSame(await violationsOf(page), [], `axe finds nothing on ${page.url()} (${colorScheme})`)
  }
}
