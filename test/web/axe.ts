/** Automated accessibility checks: axe-core, in both colour schemes. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

type ColorScheme = 'light' | 'dark'

/** The rules about colours. All others give the same result in both schemes. */
const ABOUT_COLORS = ['color-contrast', 'link-in-text-block']

/**
 * The violations that axe finds on the current page, one line for each element.
 * @param runOnly the rules to check; by default all of axe's
 */
async function violationsOf(page: Page, runOnly?: string[]): Promise<string[]> {
  // A script element would violate the page's policy, but a debugger's evaluation does not.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (runOnly) => {
    // Elements that fade in have no contrast yet. Endless animations are not awaited.
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
 * Asserts that axe finds nothing on the current page, in the light and dark scheme.
 * @param own the colour scheme of the page, which is restored
 */
export async function checkPage(t: Test, page: Page, own: ColorScheme = 'light'): Promise<void> {
  const other: ColorScheme = own === 'light' ? 'dark' : 'light'
  await page.emulateMedia({ colorScheme: other })
  t.strictSame(await violationsOf(page, ABOUT_COLORS), [], `axe finds nothing on ${page.url()} (${other})`)
  await page.emulateMedia({ colorScheme: own })
  t.strictSame(await violationsOf(page), [], `axe finds nothing on ${page.url()} (${own})`)
}
