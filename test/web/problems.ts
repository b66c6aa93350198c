/** What must never happen while a page is open: errors, violations of its policy, and requests to anybody else. */
import type { BrowserContext, Page, Request } from 'playwright-core'

/** What went wrong so far, and what a test brings about on purpose. */
export interface Problems {
  /** One line each. */
  found: () => string[]
  /** Takes problems that match, past and future, for what the test wants, e.g. a service that is gone. */
  expect: (pattern: RegExp) => void
}

/** Runs in each page before its own scripts: Chromium's line about a violation says less, and nothing of trusted types' names. */
function reportViolations(): void {
  document.addEventListener(
    'securitypolicyviolation',
    ({ violatedDirective, blockedURI, sample, sourceFile }) =>
      console.error(`policy: ${violatedDirective} ${blockedURI} ${sample} ${sourceFile}`),
  )
}

/**
 * Watches all pages of a context. An answer of the API that is an error, and one that does not come, are the page's to
 * deal with, and no problems by themselves.
 * @param url where the service answers, without a slash at the end
 */
export async function watchForProblems(context: BrowserContext, url: string): Promise<Problems> {
  const found: string[] = []
  const expected: RegExp[] = []
  const { origin } = new URL(url)
  const isApi = (address: string) => address.startsWith(`${url}/api/`)
  const isLocal = (address: string) => /^(data|blob|about):/.test(address)
  const isGivenUp = (request: Request) => /ERR_ABORTED/.test(request.failure()?.errorText ?? '')
  await context.addInitScript(reportViolations)
  context.on('weberror', (error) => found.push(`error: ${error.error().stack ?? error.error()}`))
  context.on('console', (message) => {
    const { url: about } = message.location()
    const isAnswer = message.text().startsWith('Failed to load resource') && isApi(about)
    if (message.type() === 'error' && !isAnswer) found.push(`console: ${message.text()} (${about})`)
  })
  context.on('request', (request) => {
    const address = request.url()
    if (!isLocal(address) && new URL(address).origin !== origin) found.push(`another host: ${address}`)
  })
  context.on('requestfailed', (request) => {
    if (isApi(request.url()) || isGivenUp(request)) return
    found.push(`failed: ${request.url()} ${request.failure()?.errorText}`)
  })
  context.on('response', (response) => {
    if (response.status() < 400 || isApi(response.url())) return
    found.push(`${response.status()}: ${response.url()}`)
  })
  return {
    found: () => found.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
    expect: (pattern) => expected.push(pattern),
  }
}

/** The pages of a context that are still open. */
export const openPages = (context: BrowserContext): Page[] =>
  context.pages().filter((page) => !page.isClosed() && page.url() !== 'about:blank')
