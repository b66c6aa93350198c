/** Accessibility, as far as machines can tell: axe-core, in both colour schemes. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

type ColorScheme = 'light' | 'dark'

/** The rules about colours: all else is the same in both schemes. */
const ABOUT_COLORS = ['color-contrast', 'link-in-text-block']

/**
 * What axe finds on a page as it is now, one line for each element.
 * @param runOnly the rules to hold it against; all of axe's by default if absent
 */
async function violationsOf(page: Page, runOnly?: string[]): Promise<string[]> {
  // A script element would be against the page's policy; what is evaluated for the debugger is not.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (runOnly) => {
    // What fades in has no contrast yet; what never ends is not waited for.
    const moving = document.getAnimations().map(({ finished }) => finished.catch(() => undefined))
    await Promise.race([Promise.all(moving), new Promise((resolve) => setTimeout(resolve, 500))])
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(runOnly && { runOnly }),
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll(/\s+/g, ' ')}`,
      ),
    )
  }, runOnly)
}

/**
 * Asserts that axe finds nothing on a page as it is now, in light and in dark.
 * @param own the colour scheme that the page has, to which it returns
 */
export async function checkPage(t: Test, page: Page, own: ColorScheme = 'light'): Promise<void> {
  const other: ColorScheme = own === 'light' ? 'dark' : 'light'
  await page.emulateMedia({ colorScheme: other })
  t.strictSame(await violationsOf(page, ABOUT_COLORS), [], `axe finds nothing on ${page.url()} (${other})`)
  await page.emulateMedia({ colorScheme: own })
  t.strictSame(await violationsOf(page), [], `axe finds nothing on ${page.url()} (${own})`)
}
