/**
 * The container image, without a container engine: the instructions of the Dockerfile, performed in a folder outside of the project, where
 * no other package can be found. Only `npm ci` is replaced, by a copy of the packages that it installed here.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t from 'tap'
import { walkBothModes } from './black-box/service.ts'
import { environmentOf, runProgram } from './installed-package.ts'

const INSTALL = 'npm ci --ignore-scripts'
/** Only a container has this user, and may write to this folder. */
const OF_CONTAINER = 'mkdir /data && chown node:node /data'

const outside = mkdtempSync(join(tmpdir(), 'phaseboard-image-'))
t.teardown(() => rmSync(outside, { recursive: true, force: true }))
const env = environmentOf(process.execPath)

/** The instructions of a Dockerfile, without comments. */
const instructionsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
      return { name, rest }
    })

const ignored = readFileSync('.dockerignore', 'utf8').split('\n').filter(Boolean)

/** Copies into the folder of a stage, as `COPY` does. @param from the folder of another stage, or undefined for the context */
function copy(sources: readonly string[], to: string, from: string | undefined): void {
  if (sources.join() === '.') {
    const names = readdirSync('.').filter((name) => !ignored.includes(name))
    for (const name of names) cpSync(name, join(to, name), { recursive: true })
    const unwanted = ignored.filter((one) => one.includes('*'))
    for (const file of globSync(unwanted, { cwd: to })) rmSync(join(to, file))
    return
  }
  for (const source of sources) {
    const path = from === undefined ? source : join(from, source)
    const isInto = to.endsWith('/') && statSync(path).isFile()
    cpSync(path, isInto ? join(to, basename(source)) : to, { recursive: true })
  }
}

/** Performs the Dockerfile. @returns the folder of the image's service, and its command */
async function makeImage(): Promise<{ app: string; command: string[] }> {
  const stages = new Map<string, string>()
  const variables: Record<string, string> = { COMMIT: '0123456789ab' }
  let [root, app, command] = ['', '', ['']]
  for (const { name, rest } of instructionsOf(readFileSync('Dockerfile', 'utf8'))) {
    if (name === 'FROM') {
      const [, stage = 'image'] = / AS (\w+)$/.exec(rest) ?? []
      root = join(outside, stage)
      stages.set(stage, root)
    } else if (name === 'WORKDIR') {
      app = join(root, rest)
      mkdirSync(app, { recursive: true })
    } else if (name === 'COPY') {
      const [, from, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? []
      const sources = paths.split(' ')
      const to = sources.pop() ?? ''
      copy(sources, to === '.' || to === './' ? `${app}/` : join(app, to), from && stages.get(from))
    } else if (name === 'RUN' && rest === INSTALL) {
      // As hard links: what is deleted there stays here.
      execFileSync('cp', ['-al', 'node_modules', app])
    } else if (name === 'RUN' && rest !== OF_CONTAINER) {
      await runProgram('sh', ['-c', rest], { cwd: app, env: { ...env, ...variables } })
    } else if (name === 'CMD') command = JSON.parse(rest)
  }
  return { app, command }
}

t.test('the image holds the build and native code, and nothing else is missing', async (t) => {
  const { app, command } = await makeImage()
  t.strictSame(readdirSync(app), ['LICENSE', 'dist', 'drizzle', 'node_modules', 'package.json'])
  const modules = join(app, 'node_modules')
  t.strictSame(readdirSync(modules), ['@node-rs', 'better-sqlite3'])
  const native = globSync('**/*.node', { cwd: modules })
  t.equal(native.length, 2, native.join())
  t.strictSame(globSync('**/*.{c,cpp,h,hpp}', { cwd: modules }), [], 'no sources of native code')
  const files = readdirSync(app, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  t.ok(bytes < 16_000_000, `${bytes} bytes`)

  const run = (...args: string[]) => runProgram(process.execPath, ['dist/cli.js', ...args], { cwd: app, env })
  t.match(await run('--version'), /\(0123456789ab\)\n$/)
  await walkBothModes(t, { command: command[0] ?? '', args: command.slice(1), cwd: app, env })
})
