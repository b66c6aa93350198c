/**
 * Bundles the sources into `dist/`: with single files instead of some 400 modules, the service starts in a
 * fraction of the time and memory. See docs/decisions/018-builds.md.
 *
 * A build has its own folder, named by a hash of its inputs, and never changes: running processes find files
 * there that they load later. `dist/cli.js` and `dist/app.js` lead to the current build. Everything is written under
 * temporary names and renamed into place, so any number of builds, starts and running services may share the folder.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, root } from './build-name.ts'
import { LICENCES, SBOM } from './third-party.ts'

/** How long a replaced build stays, in milliseconds: services may still run from it. */
const KEPT = 7 * 24 * 60 * 60 * 1000

const dist = join(root, 'dist')

/** Files of `dist/` in the package, besides the build. */
const PACKED = [
  'cli.js',
  'app.js',
  'app.d.ts',
  'client.js',
  'client.d.ts',
  'node-version.js',
  'build.json',
  LICENCES,
  SBOM,
]

const THIRD_PARTY = [LICENCES, SBOM]

/** The client's types in one file: those generated from the OpenAPI document, and the hand-written ones, which import them. */
const clientTypes = () =>
  ['src/client/types.d.ts', 'src/client/api.d.ts']
    .map((file) => readFileSync(join(root, file), 'utf8').replace(/^import .*\n+/gm, ''))
    .join('\n')

/**
 * The commit of the sources, with `-dirty` if files were changed: of this clone, or given by who builds elsewhere. It is not part of the
 * build's name: most commits change nothing that is built.
 */
function commitOf(): string | undefined {
  const { PHASEBOARD_COMMIT: given } = process.env
  if (given) return given
  // The clone of another project may be around this folder.
  if (!existsSync(join(root, '.git'))) return undefined
  try {
    const describe = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    return execFileSync('git', describe, { cwd: root, encoding: 'utf8', stdio: [...stdio] }).trim()
  } catch {
    // Without git, as in most images.
    return undefined
  }
}

/** The folder of Node's compile cache beside a build (docs/decisions/061-compile-cache.md). */
const compiledOf = (build: string) => `${build}.compiled`

/**
 * The files that lead to a build. Any Node can parse them: an old one must reach the message, since it
 * would crash on better-sqlite3.
 */
function entriesFor(commit: string | undefined): Record<string, string> {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [major, minor] = engines.node.replace('>=', '').split('.').map(Number)
  const refusal = `const [major, minor] = process.versions.node.split('.').map(Number)
const refusal =
  major > ${major} || (major === ${major} && minor >= ${minor})
    ? undefined
    : 'phaseboard: Node ${major}.${minor} or later is needed, and this is ' + process.versions.node
`
  return {
    'cli.js': `#!/usr/bin/env node
${refusal}
if (refusal === undefined) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(import.meta.dirname + '/${compiledOf(build)}')
  await import('./${build}/cli.js')
} else {
  process.stderr.write(refusal + '\\n')
  process.exitCode = 2
}
`,
    'app.js': `import './node-version.js'
import app from './${build}/app.cjs'

export * from './${build}/app.cjs'
export default app.default
`,
    'app.d.ts': readFileSync(join(root, 'src/phaseboard.d.ts'), 'utf8'),
    'client.js': `export * from './${build}/client.js'
`,
    'client.d.ts': clientTypes(),
    'node-version.js': `${refusal}
if (refusal !== undefined) throw new Error(refusal)
`,
    // Without a known commit, what an earlier build of the same sources wrote stays.
    ...(commit !== undefined && { 'build.json': `${JSON.stringify({ build, commit })}\n` }),
    // Each build has its own, and where people look for them are those of the current build.
    ...Object.fromEntries(THIRD_PARTY.map((name) => [name, readFileSync(join(dist, build, name), 'utf8')])),
    // The package only contains the current build.
    '.npmignore': ['*', ...[...PACKED, build, `${build}/**`].map((name) => `!/${name}`)]
      .concat(
        THIRD_PARTY.map((name) => `/${build}/${name}`),
        '',
      )
      .join('\n'),
  }
}

const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Replaces a file atomically: readers see the old one or the new one. */
async function replace(file: string, content: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`
  await writeFile(aside, content)
  if (file.endsWith('cli.js')) await chmod(aside, 0o755)
  await rename(aside, file)
}

/** The builds, latest first. Incomplete ones have longer names. */
async function buildsByAge(): Promise<string[]> {
  const names = (await readdir(dist)).filter((name) => /^[0-9a-f]{16}$/.test(name))
  const times = await Promise.all(
    names.map(async (name) => {
      // Another build may be removing it.
      const found = await stat(join(dist, name)).catch(() => undefined)
      return [name, found?.mtimeMs ?? 0] as const
    }),
  )
  return times.sort(([, one], [, other]) => other - one).map(([name]) => name)
}

/** The client's part of the sources is not kept in git, but is made from the rest. */
const generateTypes = () => import('./client-types.ts')

/** Creates a build's folder, or uses the one that another process has created meanwhile. */
async function makeBuild(folder: string): Promise<void> {
  const [{ OUTSIDE, bundle, bundleClient }, { buildWeb }, { describePackages }] = await Promise.all([
    import('./bundle.ts'),
    import('./build-web.ts'),
    import('./third-party.ts'),
  ])
  const aside = `${folder}.${randomUUID()}`
  const earlier = (await buildsByAge()).map((name) => join(dist, name, 'web'))
  try {
    const types = generateTypes()
    const packages = new Set<string>()
    const add = (found: Iterable<string>) => {
      for (const one of found) packages.add(one)
    }
    // All of them end before a failed build is removed.
    const made = await Promise.allSettled([
      bundle(root, aside).then(add),
      types.then(() => bundleClient(root, aside)).then(add),
      types.then(() => buildWeb(root, join(aside, 'web'), { earlier, packages })),
    ])
    const failed = made.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    for (const [name, text] of Object.entries(describePackages(root, packages, OUTSIDE)))
      await writeFile(join(aside, name), text)
    await rename(aside, folder)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** Removes builds that were replaced more than {@link KEPT} ago. */
async function prune(current: readonly string[]): Promise<void> {
  for (const name of await readdir(dist)) {
    if (current.includes(name)) continue
    const path = join(dist, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs < Date.now() - KEPT) await rm(path, { recursive: true, force: true })
  }
}

async function main(): Promise<void> {
  if (!existsSync(join(root, 'node_modules/esbuild'))) {
    // Installed without the development dependencies (`npm ci --omit=dev`): no bundler.
    if (!existsSync(join(dist, 'cli.js'))) {
      console.warn(
        'phaseboard: dist/ is not built: run `npm ci` with the development dependencies, or copy dist/ here',
      )
    }
    return
  }
  const folder = join(dist, build)
  const isBuilt = existsSync(folder)
  if (isBuilt) await generateTypes()
  else {
    await mkdir(dist, { recursive: true })
    await makeBuild(folder)
  }
  const entries = entriesFor(commitOf())
  const stale = Object.keys(entries).filter((name) => contentOf(join(dist, name)) !== entries[name])
  if (stale.length === 0 && isBuilt) return

  const replaced = /'\.\/(\w+)\/cli\.js'/.exec(contentOf(join(dist, 'cli.js')) ?? '')?.[1]
  if (replaced !== undefined && replaced !== build) {
    // The modification time counts as the time of replacement; set before the entries are replaced.
    await utimes(join(dist, replaced), new Date(), new Date()).catch(() => undefined)
  }
  for (const name of stale) await replace(join(dist, name), entries[name] ?? '')
  if (replaced !== undefined) await prune([build, compiledOf(build), '.npmignore', ...PACKED])
}

try {
  await main()
} catch (error) {
  if (error instanceof Error && error.name === 'OverBudget') console.error(error.message)
  // esbuild has printed its errors.
  else if (!(error instanceof Error && 'errors' in error)) throw error
  process.exitCode = 1
}
