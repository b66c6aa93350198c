/**
 * `npm test`: builds, then runs the tests with tap. Arguments, e.g. files to run, go to tap; without files,
 * all files run, several in each process.
 * `--coverage` measures the executed lines: the sources then replace the build, for which coverage
 * would be meaningless.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { bundleSources, writeDocuments } from './bundled-sources.ts'
import { writeGroups } from './test-groups.ts'

await import('./build.ts')
// The build has printed its errors; do not test the previous build.
if (process.exitCode) process.exit()

const wanted = process.argv.slice(2)
const isMeasured = wanted.includes('--coverage')
const args = wanted.filter((arg) => arg !== '--coverage')
const hasReporter = args.some((arg) => /^(-R|--reporter(=|$))/.test(arg))
if (!isMeasured) await bundleSources()
const documents = isMeasured ? '' : await writeDocuments()
const loader = pathToFileURL('scripts/use-bundled-sources.ts').href
// Black-box tests do not run lines of the sources.
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
    // Two more processes than processors, because many tests wait for a lock, a pause or a page. With one more, a tenth
    // of the time is idle.
    `--jobs=${availableParallelism() + 2}`,
    ...(process.stdout.isTTY || hasReporter ? [] : ['--reporter=./scripts/test-report.ts']),
    ...(isMeasured ? [] : [`--node-arg=--import=${loader}`]),
    // Each file of a group has its own timeout.
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
// Packages installed by tests, hundreds of megabytes: shared between files, useless afterwards.
if (args.length === 0) rmSync('node_modules/.cache/phaseboard-tests', { recursive: true, force: true })
process.exitCode = status ?? 1
