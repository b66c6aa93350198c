/** The shipped build in `dist/`, with which tests run commands, start services and embed the service. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

// `npm test` has built it. If a single file is run, the sources may have changed since.
if (process.env.PHASEBOARD_TEST_BUILT === undefined)
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })

/** The file of the command line. */
export const CLI = resolve('dist/cli.js')

/** What the build was made from. The commit is unknown outside of a clone. */
export function builtFrom(): { commit?: string } {
  return existsSync('dist/build.json') ? JSON.parse(readFileSync('dist/build.json', 'utf8')) : {}
}

/** The URL of the module that applications import. */
export const APP_URL = pathToFileURL(resolve('dist/app.js')).href

/** The exports of that module. */
export const shipped: typeof import('../src/app.ts') = await import(APP_URL)

/** The options of Node in `npm start`: in `node <options> dist/cli.js serve`. */
const [, START_OPTIONS = ''] =
  /^node (.*) dist\/cli\.js serve$/.exec(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start) ?? []
if (START_OPTIONS === '') throw new Error('npm start is not what the tests take it for')

/**
 * The command that starts Node without the hooks that the test runner adds to every process. They cost more than the start. `env`
 * becomes the process, so signals reach it.
 * @param options for Node
 */
export const nodeCommand = (args: readonly string[], options = ''): [string, string[]] => [
  'env',
  [...(options === '' ? ['-u', 'NODE_OPTIONS'] : [`NODE_OPTIONS=${options}`]), process.execPath, ...args],
]

/** The arguments of `npm start` for the service. */
export const SERVE = [...START_OPTIONS.split(' '), CLI, 'serve']
