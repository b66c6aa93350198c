/** The packed package, installed in an empty project on a given version of Node. */
import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

/** A project with the installed package. */
export interface InstalledPackage {
  /** The project's folder, used by this test only. */
  folder: string
  /** The Node binary of that version. */
  node: string
  /** The command line inside the installed package. */
  cli: string
  /** The environment in which `npx`, `npm` and `node` are that Node's, without any configuration. */
  environment: Record<string, string>
}

/** The folder of what tests install, of this checkout. It is elsewhere, since what is installed must not find the project's own packages. */
export const CACHE = join(
  tmpdir(),
  `phaseboard-tests-${createHash('sha256').update(resolve('.')).digest('hex').slice(0, 16)}`,
)
/** How long an installed package is cached, in milliseconds. A changed package is another one. */
const KEPT = 60 * 60 * 1000

/** Variables of the tests' environment that must not have an effect. */
const OURS =
  /^(NODE_OPTIONS|NODE_V8_COVERAGE|NODE_DISABLE_COMPILE_CACHE|TAP|_TAPJS|npm_|HOST$|PORT$|DATABASE_URL|AUTH_|DEFAULT_MEMBER_ID|ADMIN_|LOG_LEVEL|BODY_LIMIT|IMPORT_|TRUST_PROXY|CORS_|RATE_|SNAPSHOT_)/

/** The environment of a process with this Node first in its path. */
export function environmentOf(node: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OURS.test(entry[0]),
  )
  const { PATH = '', ...others } = Object.fromEntries(inherited)
  return { ...others, PATH: `${dirname(node)}:${PATH}` }
}

/** Options of `env` against what the test runner and Node add to the environment of every process. */
const UNSET = ['-u', 'NODE_OPTIONS', '-u', 'NODE_V8_COVERAGE']

/** Starts a program as its users do, without the hooks of the test runner, and without counting what it executes. */
export const startProgram = (
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; detached?: boolean },
) => spawn('env', [...UNSET, command, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })

/** Waits until a service prints its URL. @returns the URL, and the output so far */
export async function listening(child: ReturnType<typeof startProgram>) {
  let output = ''
  const url = await new Promise<string>((found, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const url = /listening on (http:\/\/[^\s"]+)/.exec(output)?.[1]
        if (url !== undefined) found(url)
      })
    }
    child.on('close', (code) => failed(new Error(`it ended with ${code}: ${output}`)))
  })
  return { url, output: () => output }
}

/** The result of a program. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a program to its end, successful or not. */
export async function tryProgram(...start: Parameters<typeof startProgram>): Promise<Ended> {
  const child = startProgram(...start)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

/** Runs a program to its end. @throws with all its output if it fails */
export async function runProgram(...start: Parameters<typeof startProgram>): Promise<string> {
  const { code, stdout, stderr } = await tryProgram(...start)
  if (code !== 0) throw new Error(`${start[0]} ${start[1].join(' ')}: ${code} ${stdout}${stderr}`)
  return stdout
}

/** Folders that this process is creating, by name. Its tests wait for each other. */
const beingMade = new Map<string, Promise<string>>()

/** Creates a folder once, under a temporary name and then renamed, so that several test files may request it at the same time. */
function cached(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const made = beingMade.get(name) ?? makeOnce(name, make)
  beingMade.set(name, made)
  return made
}

async function makeOnce(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(CACHE, name)
  if (await stat(folder).catch(() => undefined)) return folder
  const aside = `${folder}.${randomUUID()}`
  await mkdir(aside, { recursive: true })
  try {
    await make(aside)
    await rename(aside, folder).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  return folder
}

const npmInstall = (folder: string, packages: readonly string[], env: Record<string, string>) =>
  runProgram('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    env,
  })

const EMPTY_PROJECT = JSON.stringify({ name: 'project', private: true })

/**
 * A separate installation of a package.
 * @param version such as `5.9`
 * @returns its folder
 */
export async function installTool(name: string, version: string): Promise<string> {
  const folder = await cached(`${name}-${version}`, async (aside) => {
    await writeFile(join(aside, 'package.json'), EMPTY_PROJECT)
    await npmInstall(aside, [`${name}@${version}`], environmentOf(process.execPath))
  })
  return join(folder, 'node_modules', name)
}

/**
 * Another version of Node, from npm.
 * @param version such as `22.18.0` or `26`
 * @returns the binary
 */
export async function nodeBinary(version: string): Promise<string> {
  const system = process.platform === 'win32' ? 'win' : process.platform
  return join(await installTool(`node-${system}-${process.arch}`, version), 'bin', 'node')
}

/** Packs the package. @returns the tarball, named by its content */
async function pack(): Promise<{ file: string; hash: string }> {
  const aside = join(CACHE, `pack.${randomUUID()}`)
  await mkdir(aside, { recursive: true })
  try {
    const env = environmentOf(process.execPath)
    await runProgram('npm', ['pack', '--silent', '--pack-destination', aside], { cwd: resolve('.'), env })
    const [name = ''] = await readdir(aside)
    const content = await readFile(join(aside, name))
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
    const folder = await cached(`tarball-${hash}`, (made) => cp(join(aside, name), join(made, name)))
    return { file: join(folder, name), hash }
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** Removes leftovers of earlier packages. */
async function prune(hash: string): Promise<void> {
  for (const name of await readdir(CACHE)) {
    if (!/^(project|tarball|pack)/.test(name) || name.includes(hash)) continue
    const { mtimeMs } = await stat(join(CACHE, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs < Date.now() - KEPT) await rm(join(CACHE, name), { recursive: true, force: true })
  }
}

let packed: ReturnType<typeof pack> | undefined

/**
 * Packs the current package, and installs the tarball in an empty project with the npm of another Node. An earlier installation
 * is reused while the package has not changed. Call it once per test: the project is in the test's own folder.
 * @param nodeVersion such as `22.18.0` or `26`
 * @param others further packages for the project
 * @param installedOn the Node whose npm installs it, if that is another
 */
export async function installPackage(
  t: Test,
  nodeVersion: string,
  others: readonly string[] = [],
  installedOn = nodeVersion,
): Promise<InstalledPackage> {
  packed ??= pack()
  const [node, installer, { file, hash }] = await Promise.all([
    nodeBinary(nodeVersion),
    nodeBinary(installedOn),
    packed,
  ])
  const environment = environmentOf(node)
  const kind = createHash('sha256').update(others.join(' ')).digest('hex').slice(0, 8)
  const project = await cached(`project-${hash}-${installedOn}-${kind}`, async (aside) => {
    await writeFile(join(aside, 'package.json'), EMPTY_PROJECT)
    await npmInstall(aside, [file, ...others], environmentOf(installer))
  })
  await prune(hash)
  const installed = join(project, 'node_modules')
  const folder = t.testdir({ 'package.json': EMPTY_PROJECT, node_modules: t.fixture('symlink', installed) })
  return { folder, node, cli: join(folder, 'node_modules/phaseboard/dist/cli.js'), environment }
}
