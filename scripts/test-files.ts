/** Which test files run when, and beside which others. */
import { globSync, readFileSync } from 'node:fs'

/**
 * `npm run test:ship`: what proves the shipping. It builds, packs and installs the service as its users do, gives commands, kills it, cuts
 * its power, takes over, or starts other servers beside it.
 */
const SHIP = [
  'test/attention/histories.test.ts',
  'test/black-box/*.test.ts',
  'test/builds.test.ts',
  'test/changes/large-writes-crash.test.ts',
  'test/cli/*.test.ts',
  'test/concurrency.test.ts',
  'test/contributing.test.ts',
  'test/crash.test.ts',
  'test/durability.test.ts',
  'test/exchange/{archive-beside,archive-commands,backup,import-attacks,takeover}.test.ts',
  'test/image.test.ts',
  'test/mail/mail-crash.test.ts',
  'test/package.test.ts',
  'test/power-cut.test.ts',
  'test/proxies.test.ts',
  'test/server.test.ts',
  'test/takeover.test.ts',
  'test/variables.test.ts',
  'test/walkthrough.test.ts',
  'test/webhooks/deliveries-crash.test.ts',
]

/**
 * Files that need their own process: those that patch something before the application is loaded or a database is created, and
 * those that take long. They start first.
 */
const ALONE = [
  'test/access-matrix.test.ts',
  'test/attacks.test.ts',
  'test/black-box/*.test.ts',
  'test/builds.test.ts',
  'test/contributing.test.ts',
  'test/credentials.test.ts',
  'test/db/client.test.ts',
  'test/http/unsent-responses.test.ts',
  'test/image.test.ts',
  'test/package.test.ts',
  'test/power-cut.test.ts',
  'test/routes/session.test.ts',
  'test/web/board-many.test.ts',
  'test/web/serving.test.ts',
  'test/worker/offload.test.ts',
]

/** Modules of tests that start processes or a browser. */
const STARTS =
  /from '[./]+\/?(?:[\w-]+\/)*(?:browser|command-line|other-process|process|shipped|takeover|crash)\.ts'/

/** A test file, and what the scheduler knows of it. */
export interface TestFile {
  /** Its path in the project, e.g. `test/time.test.ts`. */
  path: string
  /** Whether it shares no process with other files. */
  isAlone: boolean
  /** Whether it mostly waits for processes or a browser that it starts, rather than computing itself. */
  isWaiting: boolean
}

/** What is known of a test file. */
export function describeFile(path: string, alone: ReadonlySet<string> = new Set(globSync(ALONE))): TestFile {
  return { path, isAlone: alone.has(path), isWaiting: STARTS.test(readFileSync(path, 'utf8')) }
}

/**
 * The files of a whole run, those with their own process first.
 * @param kind `daily` for `npm test`, `ship` for `npm run test:ship`
 */
export function testFiles(kind: 'daily' | 'ship'): TestFile[] {
  const alone = new Set(globSync(ALONE))
  const paths =
    kind === 'ship'
      ? globSync(SHIP)
      : globSync('test/**/*.test.ts', { exclude: ['test/fixtures/**', ...SHIP] })
  const files = paths.sort().map((path) => describeFile(path, alone))
  return [...files.filter(({ isAlone }) => isAlone), ...files.filter(({ isAlone }) => !isAlone)]
}
