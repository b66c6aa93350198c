/** The board page's HTML. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FixedContent, fixedText } from './fixed-content.ts'
import { findWebBuild } from './web-build.ts'

/**
 * Creates the page for addresses of one depth. Its own addresses are relative, so it contains no prefix of a host or
 * proxy, and nothing else of the request.
 * @param depth of the address below the service's root: 0 for `/mine`, 1 for `/projects/7`
 * @returns the page, whose ETag changes with everything it loads
 */
export async function makeWebPage(depth: number): Promise<FixedContent> {
  const html = await readFile(join(findWebBuild(), 'page.html'), 'utf8')
  const adapted = depth === 0 ? html : html.replaceAll('"./assets/', `"${'../'.repeat(depth)}assets/`)
  return fixedText('text/html', adapted)
}
