/** Problems that must never occur on an open page: errors, violations of its policy, and requests to other hosts. */
import type { BrowserContext, Page, Request } from 'playwright-core'

/** The problems so far, and those that a test expects. */
export interface Problems {
  /** One line each. */
  found: () => string[]
  /** Marks matching problems, past and future, as expected by the test, e.g. an unavailable service. */
  expect: (pattern: RegExp) => void
}

/** Runs in each page before its own scripts. Chromium's message about a violation has less detail, and omits the names of Trusted Types. */
function reportViolations(): void {
  document.addEventListener(
    'securitypolicyviolation',
    ({ violatedDirective, blockedURI, sample, sourceFile }) =>
      console.error(`policy: ${violatedDirective} ${blockedURI} ${sample} ${sourceFile}`),
  )
}

/**
 * Watches all pages of a context. An error response of the API, or a missing response, is not a problem by itself; the page
 * must handle it.
 * @param url the service's, without a trailing slash
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

export const openPages = (context: BrowserContext): Page[] =>
  context.pages().filter((page) => !page.isClosed() && page.url() !== 'about:blank')
