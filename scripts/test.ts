/**
 * Runs the tests with tap, what is built first: `npm test`. Its arguments go to tap, files to run among them; without any,
 * all files run, several in each process.
 * `--coverage` measures which lines of the sources run: then they take the place of what is built, of which coverage
 * would say nothing.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { bundleSources, writeDocuments } from './bundled-sources.ts'
import { writeGroups } from './test-groups.ts'

await import('./build.ts')
// What is wrong with the sources has been said; what was built before is not what is to be tested.
if (process.exitCode) process.exit()

const wanted = process.argv.slice(2)
const isMeasured = wanted.includes('--coverage')
const args = wanted.filter((arg) => arg !== '--coverage')
const hasReporter = args.some((arg) => /^(-R|--reporter(=|$))/.test(arg))
if (!isMeasured) await bundleSources()
const documents = isMeasured ? '' : await writeDocuments()
const loader = pathToFileURL('scripts/use-bundled-sources.ts').href
// What is tried from outside alone has no lines of the sources to run.
const outside = [
  'test/black-box/**',
  'test/@(builds|contributing|package)*',
  // In a browser, and the page's own modules.
  'test/web/!(serving|build).test.ts',
]
const isWhole = args.every((arg) => arg.startsWith('-'))
const groups = isWhole ? writeGroups(isMeasured ? outside : []) : []
const { status } = spawnSync(
  'tap',
  [
    // Two more than there are processors: many tests wait, for a lock, a pause or a page. With one more a tenth stays idle.
    `--jobs=${availableParallelism() + 2}`,
    ...(process.stdout.isTTY || hasReporter ? [] : ['--reporter=./scripts/test-report.ts']),
    ...(isMeasured ? [] : [`--node-arg=--import=${loader}`]),
    // Each file of a group has a limit of its own.
    ...(isWhole ? ['--timeout=3600', ...groups] : []),
    ...args,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      PHASEBOARD_TEST_TARGET: isMeasured ? 'sources' : 'dist',
      PHASEBOARD_TEST_DOCUMENTS: documents,
      ...(isMeasured && { TAP_DISABLE_COVERAGE: '0' }),
    },
  },
)
// Packages that tests have installed, hundreds of megabytes: kept from file to file, of no use after all of them.
if (args.length === 0) rmSync('node_modules/.cache/phaseboard-tests', { recursive: true, force: true })
process.exitCode = status ?? 1
