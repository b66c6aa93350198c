/**
 * What ships: the built `dist/`, in which tests run commands, start services and embed the service. With
 * `PHASEBOARD_TEST_TARGET=sources` (`npm run test:coverage`) it is the sources instead, of which coverage can be measured.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const TARGET = process.env.PHASEBOARD_TEST_TARGET
const IS_SOURCES = TARGET === 'sources'
// `npm test` has built it; for a single file the sources may have changed since.
if (TARGET === undefined) execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })

/** The file of the command line. */
export const CLI = resolve(IS_SOURCES ? 'src/cli/cli.ts' : 'dist/cli.js')

/** The URL of the module that applications import. */
export const APP_URL = pathToFileURL(resolve(IS_SOURCES ? 'src/app.ts' : 'dist/app.js')).href

/** What that module exports. */
export const shipped: typeof import('../src/app.ts') = await import(APP_URL)

/** The options that `npm start` gives to Node: in `node <options> dist/cli.js serve`. */
const [, START_OPTIONS = ''] =
  /^node (.*) dist\/cli\.js serve$/.exec(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start) ?? []
if (START_OPTIONS === '') throw new Error('npm start is not what the tests take it for')

/**
 * The command that starts Node without the hooks that the test runner puts before every process, which cost more than
 * its start; only where coverage is measured they stay. `env` becomes the process: signals reach it.
 * @param options for Node
 */
export const nodeCommand = (args: readonly string[], options = ''): [string, string[]] => [
  'env',
  [
    ...(IS_SOURCES ? [] : ['-u', 'NODE_OPTIONS']),
    ...(options === ''
      ? []
      : [`NODE_OPTIONS=${IS_SOURCES ? process.env.NODE_OPTIONS : ''} ${options}`.trim()]),
    process.execPath,
    ...args,
  ],
]

/** The arguments with which `npm start` starts the service. */
export const SERVE = [...START_OPTIONS.split(' '), CLI, 'serve']
