/**
 * `npm test`: builds, then runs the tests with tap. Arguments, e.g. files to run, go to tap; without files,
 * all files run, several in each process.
 * `--coverage` has V8 count what each process executes, for check-coverage.ts.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleSources, EXECUTIONS, writeDocuments } from './bundled-sources.ts'
import { writeGroups } from './test-groups.ts'

await import('./build.ts')
// The build has printed its errors; do not test the previous build.
if (process.exitCode) process.exit()

const wanted = process.argv.slice(2)
const isMeasured = wanted.includes('--coverage')
const args = wanted.filter((arg) => arg !== '--coverage')
const hasReporter = args.some((arg) => /^(-R|--reporter(=|$))/.test(arg))
await bundleSources(isMeasured)
const documents = await writeDocuments()
if (isMeasured) rmSync(EXECUTIONS, { recursive: true, force: true })
const loader = pathToFileURL('scripts/use-bundled-sources.ts').href
const isWhole = args.every((arg) => arg.startsWith('-'))
const groups = isWhole ? writeGroups() : []
const { status } = spawnSync(
  'tap',
  [
    // Two more processes than processors, because many tests wait for a lock, a pause or a page. With one more, a tenth
    // of the time is idle.
    `--jobs=${availableParallelism() + 2}`,
    ...(process.stdout.isTTY || hasReporter ? [] : ['--reporter=./scripts/test-report.ts']),
    `--node-arg=--import=${loader}`,
    // Each file of a group has its own timeout.
    ...(isWhole ? ['--timeout=3600', ...groups] : []),
    ...args,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      PHASEBOARD_TEST_BUILT: '1',
      PHASEBOARD_TEST_DOCUMENTS: documents,
      // In code from a compile cache V8 counts no blocks.
      ...(isMeasured && { NODE_V8_COVERAGE: resolve(EXECUTIONS), NODE_DISABLE_COMPILE_CACHE: '1' }),
    },
  },
)
// Packages installed by tests, hundreds of megabytes: shared between files, useless afterwards.
if (args.length === 0) rmSync('node_modules/.cache/phaseboard-tests', { recursive: true, force: true })
process.exitCode = status ?? 1
