/** Builds, then runs tests: without options those that one runs all day (`npm test`), or what the options name. Paths run single files. */
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { CACHE } from '../test/installed-package.ts'
import { bundleSources, EXECUTIONS, writeDocuments } from './bundled-sources.ts'
import { changedFiles, testsOf } from './changed-tests.ts'
import { describeFile, type TestFile, testFiles } from './test-files.ts'
import { runTests } from './test-processes.ts'

const command = new Command('npm test --')
  .argument('[files...]', 'test files, by default all but those of --ship')
  .option('--ship', 'the tests of what ships: builds, packages, commands, kills')
  .option('--changed [commit]', 'the tests of what has changed since a commit, by default the last one')
  .option('--coverage', 'count the executed code, for npm run coverage:check')
  .parse()
const options = command.opts<{ ship?: true; changed?: true | string; coverage?: true }>()

/** The files to run. */
function wanted(): TestFile[] {
  if (command.args.length > 0) return command.args.map((path) => describeFile(path))
  if (options.changed === undefined) return testFiles(options.ship ? 'ship' : 'daily')
  const paths = testsOf(changedFiles(options.changed === true ? 'HEAD' : options.changed))
  return testFiles('daily').filter(({ path }) => paths.includes(path))
}

const files = wanted()
await import('./build.ts')
// The build has printed its errors; do not test the previous build.
if (process.exitCode) process.exit()
const isMeasured = options.coverage === true
await bundleSources(isMeasured)
// What the tests of every day have executed, those of --ship add to.
if (isMeasured && !options.ship) rmSync(EXECUTIONS, { recursive: true, force: true })

const environment = {
  ...process.env,
  PHASEBOARD_TEST_BUILT: '1',
  PHASEBOARD_TEST_DOCUMENTS: await writeDocuments(),
  // In code from a compile cache V8 counts no blocks.
  ...(isMeasured && { NODE_V8_COVERAGE: resolve(EXECUTIONS), NODE_DISABLE_COMPILE_CACHE: '1' }),
}
const hasPassed = await runTests(files, environment, (text) => process.stdout.write(text))
if (!hasPassed) process.exitCode = 1
// Packages installed by tests, hundreds of megabytes: shared between files, useless afterwards.
if (command.args.length === 0) rmSync(CACHE, { recursive: true, force: true })
