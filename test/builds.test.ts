import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { decode } from '@jridgewell/sourcemap-codec'
import t, { type Test } from 'tap'
import { bundle } from '../scripts/bundle.ts'
import { environmentOf, listening, runProgram, startProgram, tryProgram } from './installed-package.ts'

const BUILT_FROM = [
  'src',
  'plugins',
  'routes',
  'web',
  'scripts',
  'drizzle',
  'package.json',
  'tsconfig.json',
  '.npmrc',
  'LICENSE',
]
const DAY = 24 * 60 * 60 * 1000

const env = environmentOf(process.execPath)

/** Copies what builds need, without any build. @param packages the installed packages to copy */
function copyFolder(t: Test, packages = (_name: string) => true): string {
  const folder = t.testdir({})
  for (const name of BUILT_FROM) cpSync(name, join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync('node_modules').filter(packages)) {
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  }
  return folder
}

/** A copy with a completed build of these sources. */
function copyBuilt(t: Test): string {
  const folder = copyFolder(t)
  const isCurrent = (name: string) => name === currentIn('.') || statSync(join('dist', name)).isFile()
  mkdirSync(join(folder, 'dist'))
  for (const name of readdirSync('dist').filter(isCurrent)) {
    cpSync(join('dist', name), join(folder, 'dist', name), { recursive: true })
  }
  return folder
}

/** Replaces the slow part of a build by something that creates a file at once. */
const QUICK = {
  'scripts/bundle.ts': `import { mkdirSync, writeFileSync } from 'node:fs'
export const OUTSIDE = []
export async function bundle(_root, folder) {
  mkdirSync(folder)
  writeFileSync(folder + '/cli.js', 'export {}')
  return []
}
export async function bundleClient() {
  return []
}
`,
  'scripts/build-web.ts': 'export async function buildWeb() {}\n',
  'scripts/client-types.ts': 'export {}\n',
}

/** A copy with fast builds, to test when builds are created and removed. */
function copyQuick(t: Test): string {
  const folder = copyFolder(t)
  for (const [name, source] of Object.entries(QUICK)) writeFileSync(join(folder, name), source)
  return folder
}

const tryBuild = (folder: string) => tryProgram(process.execPath, ['scripts/build.ts'], { cwd: folder, env })
const build = (folder: string) => runProgram(process.execPath, ['scripts/build.ts'], { cwd: folder, env })

/** The folders of existing builds. There must be nothing else but Node's compile cache. */
const buildsIn = (folder: string) =>
  readdirSync(join(folder, 'dist'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !/^[0-9a-f]{16}\.compiled$/.test(name))

/** The build that the commands lead to. */
const currentIn = (folder: string) =>
  /'\.\/(\w+)\/cli\.js'/.exec(readFileSync(join(folder, 'dist/cli.js'), 'utf8'))?.[1] ?? ''

let changes = 0
const changeSources = (folder: string) =>
  appendFileSync(
    join(folder, 'src/server.ts'),
    `
export const change${changes++} = 1
`,
  )

/** Runs `npm start` in the folder, and waits until the service listens. */
async function npmStart(t: Test, folder: string, database: string) {
  const child = startProgram('npm', ['start'], {
    cwd: folder,
    env: {
      ...env,
      PORT: '0',
      DATABASE_URL: `file:./${database}.db`,
      ADMIN_EMAIL: 'ada@example.test',
      ADMIN_PASSWORD: 'correct horse',
    },
    detached: true,
  })
  t.teardown(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
  })
  return (await listening(child)).url
}

/** Uses what a service loads lazily: sign-in limits, argon2, the documentation page. */
async function useLazyParts(t: Test, url: string): Promise<void> {
  const signedIn = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.test', password: 'correct horse' }),
  })
  t.equal(signedIn.status, 201, 'sign-in')
  t.equal((await fetch(`${url}/docs/`)).status, 200, 'docs')
}

t.test('three simultaneous starts from one folder without a build all succeed', async (t) => {
  const folder = copyFolder(t)
  const sizes = (name: string) => {
    const path = join(folder, 'dist', name)
    if (!existsSync(path)) return 'none'
    if (statSync(path).isFile()) return `${statSync(path).size}`
    return readdirSync(path)
      .map((file) => `${file} ${statSync(join(path, file)).size}`)
      .join()
  }
  // Final files have these names; temporary files have others. The build's name is the hash of these sources.
  const names = ['cli.js', 'app.js', 'app.d.ts', currentIn('.')]
  const seen = names.map(() => new Set<string>())
  let starting = true
  const starts = Promise.all(['a', 'b', 'c'].map((database) => npmStart(t, folder, database))).finally(() => {
    starting = false
  })
  while (starting) {
    for (const [index, name] of names.entries()) seen[index]?.add(sizes(name))
    await setTimeout(1)
  }
  for (const url of await starts) await useLazyParts(t, url)
  t.strictSame(buildsIn(folder), [currentIn('.')], 'there is one build, and nothing of the others')
  t.strictSame(
    seen.map((found) => [...found]),
    names.map((name) => ['none', sizes(name)]),
    'each file was there as a whole or not at all',
  )
})

t.test('a build says which commit it was made of, if that is known', async (t) => {
  const folder = copyBuilt(t)
  const says = async () =>
    (await runProgram(process.execPath, ['dist/cli.js', '--version'], { cwd: folder, env })).trim()
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const buildWith = (commit: string) =>
    runProgram(process.execPath, ['scripts/build.ts'], {
      cwd: folder,
      env: { ...env, PHASEBOARD_COMMIT: commit },
    })
  await buildWith('0123456789ab')
  t.equal(await says(), `${version} (0123456789ab)`)
  await build(folder)
  t.equal(await says(), `${version} (0123456789ab)`, 'outside of a clone it stays for the same sources')
  await buildWith('fedcba987654')
  t.equal(await says(), `${version} (fedcba987654)`, 'another commit needs no other build')
  t.strictSame(buildsIn(folder), [currentIn('.')])
  writeFileSync(join(folder, 'dist/build.json'), '{"build":"another","commit":"0123456789ab"}')
  t.equal(await says(), version, "another build's commit is not this one's")
  rmSync(join(folder, 'dist/build.json'))
  t.equal(await says(), version)
})

t.test("Node's compile cache is stored beside the build, for the next start", async (t) => {
  const folder = copyBuilt(t)
  const compiled = join(folder, 'dist', `${currentIn(folder)}.compiled`)
  const run = () => runProgram(process.execPath, ['dist/cli.js', '--version'], { cwd: folder, env })
  await run()
  const kept = readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  t.ok(kept.length > 0)
  rmSync(compiled, { recursive: true })
  writeFileSync(compiled, 'no folder')
  t.match(await run(), /^\d+\.\d+\.\d+(?: \([\w-]+\))?$/m, 'a start that cannot use it goes without')
})

t.test('the source of the service takes one byte per character in memory', async (t) => {
  const source = readFileSync(join('dist', currentIn('.'), 'service.cjs'), 'utf8')
  // A single other character, such as one in a regular expression, which esbuild does not escape, doubles it.
  t.strictSame(source.match(/[^\0-\xff]/gu), null)
})

t.test('source maps lead from each statement that throws to its place in the sources', async (t) => {
  const folder = join('dist', currentIn('.'))
  const linesOf = new Map<string, string[]>()
  const found = { cjs: 0, js: 0 }
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.map'))) {
    const { sources, mappings } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const code = readFileSync(join(folder, name.slice(0, -'.map'.length)), 'utf8').split('\n')
    for (const [index, segments] of decode(mappings).entries()) {
      for (const [column, source, line = 0, at] of segments) {
        const file = source === undefined ? '' : join(folder, sources[source])
        if (!/^(src|plugins|routes)\//.test(file)) continue
        const lines = linesOf.get(file) ?? readFileSync(file, 'utf8').split('\n')
        linesOf.set(file, lines)
        if (!lines[line]?.startsWith('throw ', at)) continue
        if (!/^ ?throw\b/.test(code[index]?.slice(column, column + 6) ?? ''))
          t.fail(`${name} leads to ${file}:${line + 1}`)
        found[name.endsWith('.cjs.map') ? 'cjs' : 'js']++
      }
    }
  }
  t.ok(found.cjs > 200 && found.js > 200, JSON.stringify(found))
})

t.test('a start keeps the functions that V8 has compiled, for the next one', async (t) => {
  const folder = copyBuilt(t)
  const compiled = join(folder, 'dist', `${currentIn(folder)}.compiled`)
  const kept = () =>
    readdirSync(compiled, { recursive: true, encoding: 'utf8' })
      .filter((name) => /service\.cjs-\d+$/.test(name))
      .map((name) => join(compiled, name))
  const start = async (port = '0') => {
    const child = startProgram(process.execPath, ['dist/cli.js', 'serve'], {
      cwd: folder,
      env: { ...env, PORT: port, DATABASE_URL: 'file::memory:' },
    })
    t.teardown(() => child.kill('SIGKILL'))
    const closed = once(child, 'close')
    const { url } = await listening(child)
    return {
      url,
      async stop() {
        child.kill()
        await closed
      },
    }
  }
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  await t.rejects(start(String((other.address() as AddressInfo).port)), 'a start that fails')
  other.close()
  t.strictSame(kept(), [], 'keeps none')
  const first = await start()
  t.equal((await fetch(`${first.url}/api/projects`)).status, 200)
  await first.stop()
  const [file = '', ...others] = kept()
  t.strictSame(others, [])
  t.ok(statSync(file).size > 1_000_000)

  const { ino } = statSync(file)
  const second = await start()
  t.equal((await fetch(`${second.url}/api/projects`)).status, 200)
  await second.stop()
  t.equal(statSync(file).ino, ino, 'they are used, and not written again')

  writeFileSync(file, 'damaged')
  const third = await start()
  t.equal((await fetch(`${third.url}/api/projects`)).status, 200)
  while (statSync(file).size < 1_000_000) await setTimeout(100)
  t.pass('without a stop, they are kept once the service is idle')
  await third.stop()
})

t.test('a start loads neither HTTPS nor HTTP/2', async (t) => {
  const folder = copyBuilt(t)
  writeFileSync(
    join(folder, 'list.cjs'),
    "process.on('exit', () => console.log(process.moduleLoadList.join('\\n')))",
  )
  const child = startProgram(process.execPath, ['--require', './list.cjs', 'dist/cli.js', 'serve'], {
    cwd: folder,
    env: { ...env, PORT: '0', DATABASE_URL: 'file::memory:' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const { output } = await listening(child)
  child.kill()
  await once(child, 'close')
  const loaded = output().split('\n')
  t.ok(loaded.includes('NativeModule http'))
  for (const name of ['https', 'http2', 'tls']) t.notOk(loaded.includes(`NativeModule ${name}`), name)
})

t.test('a start does not remove files of a running service', async (t) => {
  const folder = copyBuilt(t)
  const earlier = await npmStart(t, folder, 'a')
  changeSources(folder)
  const later = await npmStart(t, folder, 'b')
  t.equal(buildsIn(folder).length, 2)
  await useLazyParts(t, earlier)
  await useLazyParts(t, later)
})

t.test('a build is repeated only if one of its sources has changed', async (t) => {
  const folder = copyQuick(t)
  await build(folder)
  const first = currentIn(folder)
  const files = ['cli.js', 'app.js', 'app.d.ts', first].map((name) => join(folder, 'dist', name))
  const times = () => files.map((file) => statSync(file).mtimeMs)
  const before = times()
  await build(folder)
  t.strictSame(times(), before, 'a current build stays as it is')

  const source = readFileSync(join(folder, 'src/server.ts'), 'utf8')
  changeSources(folder)
  await build(folder)
  t.not(currentIn(folder), first)
  writeFileSync(join(folder, 'src/server.ts'), source)
  await build(folder)
  t.equal(currentIn(folder), first, 'what was there before is used again')
  t.equal(buildsIn(folder).length, 2)
  for (const name of ['package.json', 'tsconfig.json', 'scripts/bundle.ts', 'routes/teams.ts']) {
    const current = currentIn(folder)
    appendFileSync(join(folder, name), '\n')
    await build(folder)
    t.not(currentIn(folder), current, name)
  }
})

t.test('a failed or killed build leaves the previous one in place', async (t) => {
  const folder = copyBuilt(t)
  await build(folder)
  const before = currentIn(folder)
  appendFileSync(join(folder, 'src/server.ts'), '\nexport const = 1\n')
  const { code, stderr } = await tryBuild(folder)
  t.not(code, 0)
  t.match(stderr, /server\.ts/, 'it says where the mistake is')
  t.equal(currentIn(folder), before)
  t.strictSame(buildsIn(folder), [before])

  // As left by a process that was killed during a build.
  writeFileSync(join(folder, 'src/server.ts'), readFileSync('src/server.ts'))
  const left = join(folder, 'dist', `${before}.killed`)
  mkdirSync(left)
  writeFileSync(join(left, 'cli.js'), 'export const half =')
  writeFileSync(join(folder, 'dist/cli.js'), '')
  await build(folder)
  t.equal(currentIn(folder), before, 'an entry that was damaged is written again')
})

t.test('builds that were replaced more than a week ago are deleted', async (t) => {
  const folder = copyQuick(t)
  await build(folder)
  const first = currentIn(folder)
  const age = (name: string, days: number) => {
    const time = new Date(Date.now() - days * DAY)
    utimesSync(join(folder, 'dist', name), time, time)
  }
  age(first, 30)
  changeSources(folder)
  await build(folder)
  const second = currentIn(folder)
  t.strictSame(
    new Set(buildsIn(folder)),
    new Set([first, second]),
    'its age counts from when it was replaced',
  )
  age(first, 6)
  changeSources(folder)
  await build(folder)
  t.ok(buildsIn(folder).includes(first), 'kept for a week')
  age(first, 8)
  changeSources(folder)
  await build(folder)
  t.notOk(buildsIn(folder).includes(first))
  t.ok(buildsIn(folder).includes(second))
})

t.test('without the development dependencies, the existing build is kept', async (t) => {
  const folder = copyFolder(t, (name) => name !== 'esbuild')
  const nothing = await tryBuild(folder)
  t.equal(nothing.code, 0)
  t.match(nothing.stderr, /dist\/ is not built/)
  cpSync('dist', join(folder, 'dist'), { recursive: true })
  const { code, stderr } = await tryBuild(folder)
  t.strictSame([code, stderr], [0, ''])
  t.equal(currentIn(folder), currentIn('.'))
})

t.test('no bundled source imports a package dynamically, since names differ in the bundle', async (t) => {
  const folder = t.testdir({
    'wrong.ts': "const { ZipFile } = await import('yazl')\nexport const made = new ZipFile()\n",
    'own.ts': "export { ZipFile } from 'yazl'\n",
    'right.ts': "const { ZipFile } = await import('./own.ts')\nexport const kind = typeof ZipFile\n",
    'outside.ts': "export const names = Object.keys(await import('better-sqlite3'))\n",
  })
  const make = (name: string) => bundle(folder, join(folder, 'dist'), [name], 'silent')
  await t.rejects(make('wrong.ts'), /import\('yazl'\): let a module of our own import the package/)
  t.notOk(existsSync(join(folder, 'dist/wrong.js')))
  await make('right.ts')
  t.equal((await import(join(folder, 'dist/right.js'))).kind, 'function')
  await make('outside.ts')
  t.strictSame(
    (await import(join(folder, 'dist/outside.js'))).names,
    Object.keys(await import('better-sqlite3')),
  )
})
