/**
 * Tests of the board page in a real browser, against the service as it ships:
 *
 * @example
 * onBoard('a card is moved', async (t, { api, person }) => {
 *   const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
 *   const { page, go } = await person()
 *   await go(`/projects/${id}`)
 * })
 *
 * Each ends with what holds for every page: no error, no violation of its policy, no request to another host. A test that is the first
 * to show a state of a page also calls `check`: axe finds nothing, in light and in dark.
 */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Client } from '../../src/client/types.d.ts'
import { createClient } from '../client/shipped-client.ts'
import { currentTest } from '../current-test.ts'
import { onPreparedFile, type Service, start } from '../process.ts'
import { checkPage } from './axe.ts'
import { launch, noBrowser } from './chromium.ts'
import { openPages, type Problems, watchForProblems } from './problems.ts'
import { shareService } from './shared-service.ts'
import { TIMEOUT } from './until.ts'

export { checkPage } from './axe.ts'
export { launch, noBrowser } from './chromium.ts'

/** An account. */
export interface Credentials {
  email: string
  password: string
}

/** The admin of a service in required mode. */
export const ADMIN: Credentials = { email: 'ada@example.test', password: 'correct horse' }

/** The options of the service. */
interface BoardOptions {
  /** Whether the test kills or watches its service, and so has one of its own. With an `environment` it always has. */
  isAlone?: boolean
  /** The authentication mode, `open` by default. */
  mode?: 'open' | 'required'
  /** Additional variables. */
  environment?: Record<string, string>
  /** The URL of a running service, if the test does not start its own. Then there is no `restart`. */
  url?: string
}

/** A user of the board, and their browser. */
interface PersonOptions
  extends Pick<
    BrowserContextOptions,
    'hasTouch' | 'isMobile' | 'viewport' | 'reducedMotion' | 'locale' | 'timezoneId' | 'forcedColors'
  > {
  /** Whether to sign in first, as the admin or somebody else. */
  signIn?: boolean | Credentials
  /** `light` by default. */
  colorScheme?: 'light' | 'dark'
}

/** A user with a separate browser profile. */
export interface Person {
  page: Page
  context: BrowserContext
  /** The problems on any of the pages. */
  problems: Problems
  /** Opens a path of the board, e.g. `/mine`, and waits until something is shown. */
  go: (path: string, page?: Page) => Promise<void>
  /** Asserts that axe finds nothing on the current page, in the light and dark scheme. */
  check: () => Promise<void>
}

/** A running service and its users. */
export interface Board {
  /** Its URL, without a trailing slash. */
  url: string
  service: () => Service
  /** A client with all rights. */
  api: Client
  person: (options?: PersonOptions) => Promise<Person>
  /** Kills the service, like a power cut. */
  kill: () => Promise<void>
  /** Restarts it, on the same port and file. */
  restart: () => Promise<void>
  /** Asserts that no page had a problem. Closes the pages. */
  finish: () => Promise<void>
  /** Logs what the pages show and which problems they had, after a failure that may be hard to repeat. */
  report: () => Promise<void>
}

/** Creates a token of the admin. */
async function tokenAt(url: string): Promise<string> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const session = await post('/api/session', ADMIN)
  const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const made = await post('/api/tokens', { name: 'Test', scope: 'write' }, { cookie })
  return ((await made.json()) as { token: string }).token
}

async function signInAt(context: BrowserContext, url: string, credentials: Credentials): Promise<void> {
  const answer = await context.request.post(`${url}/api/session`, { data: credentials })
  if (answer.status() !== 201) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`)
}

/** Waits until the page shows something. The HTML only has an empty element. */
const isThere = (page: Page) => page.locator('#app > *').first().waitFor({ state: 'attached' })

/** Starts the service on a file without projects, for users in browsers. It is closed with the test. */
export async function startBoard(t: Test, options: BoardOptions = {}): Promise<Board> {
  const { mode = 'open', environment, isAlone = environment !== undefined } = options
  const common = {
    AUTH_MODE: mode,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    LOG_LEVEL: 'warn',
  }
  const own = isAlone && { ...onPreparedFile(t.testdir()), ...common, ...environment }
  const share = async () => {
    // As many requests as the tests of a minute send.
    const { service, reset } = await shareService({ ...common, RATE_LIMIT_MAX: '0' })
    t.teardown(reset)
    return service
  }
  const begin = async () => (options.url !== undefined ? undefined : own ? start(t, own) : share())
  const [browser, started] = await Promise.all([launch(), begin()])
  let running = started
  const url = options.url ?? started?.url ?? ''
  const token = mode === 'required' ? await tokenAt(url) : undefined
  const people: Person[] = []

  function service(): Service {
    if (running === undefined) throw new Error('the service is no process of this test')
    return running
  }

  async function person(wanted: PersonOptions = {}): Promise<Person> {
    const { signIn = false, colorScheme = 'light', ...rest } = wanted
    const context = await browser.newContext({ locale: 'en-GB', colorScheme, ...rest })
    t.teardown(() => context.close())
    context.setDefaultTimeout(TIMEOUT)
    const problems = await watchForProblems(context, url)
    if (signIn) await signInAt(context, url, signIn === true ? ADMIN : signIn)
    const page = await context.newPage()
    const go = async (path: string, on = page) => {
      await on.goto(`${url}${path}`)
      await isThere(on)
    }
    const one = { page, context, problems, go, check: () => checkPage(t, page, colorScheme) }
    people.push(one)
    return one
  }

  async function kill(): Promise<void> {
    if (!own) throw new Error('other tests share this service: set isAlone')
    // What the page loads at that moment, or in advance.
    for (const { problems } of people)
      problems.expect(/ERR_(?:CONNECTION_(?:RESET|REFUSED|CLOSED)|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE)/)
    service().kill('SIGKILL')
    await service().exited
  }

  async function restart(): Promise<void> {
    running = await start(t, { ...own, PORT: String(service().port) })
  }

  async function finish(): Promise<void> {
    for (const { context, problems } of people) {
      t.strictSame(problems.found(), [], 'nothing went wrong on any page')
      await context.close()
    }
  }

  async function report(): Promise<void> {
    for (const { context, problems } of people) {
      for (const page of openPages(context)) {
        const shown = await page.locator('body').ariaSnapshot().catch(String)
        console.error(`${page.url()} shows:\n${shown}`)
      }
      console.error('problems:', problems.found())
    }
  }

  return {
    url,
    service,
    api: createClient({ baseUrl: url, token }),
    person,
    kill,
    restart,
    finish,
    report,
  }
}

type Work = (t: Test, board: Board) => Promise<unknown>

/**
 * A test in a browser. It is skipped if there is none, unless `CI` is set.
 * @param options the options of the service, if not the defaults
 */
export function onBoard(name: string, work: Work, options: BoardOptions = {}): void {
  currentTest().test(name, { skip: noBrowser }, async (t) => {
    const board = await startBoard(t, options)
    try {
      await work(t, board)
    } catch (error) {
      await board.report()
      throw error
    }
    await board.finish()
  })
}
