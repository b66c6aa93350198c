/** What `npm run test:coverage` counts: lines of sources, as bundles of them were executed. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { executedLines } from '../scripts/coverage.ts'

const STEPS = `import { double } from './double.ts'

interface Unused {
  line: 4
}

export function step(value: number): number {
  // A comment is no line.
  if (value > 2) {
    return double(value)
  } else if (value < 0) {
    throw new RangeError('negative')
  }
  const grow = (by: number) => value + by
  try {
    return grow(1)
  } catch (error) {
    console.error(error)
    return 0
  }
}

export const never = (value: number) =>
  double(step(value))
`

const DOUBLE = `export function double(value: number): number {
  return value * 2
}
`

const ALONE = `export function alone(): string {
  return 'no process loads this'
}
`

/** Bundles of these sources, which can be executed. */
async function bundled(t: Test) {
  const root = t.testdir({ src: { 'steps.ts': STEPS, 'double.ts': DOUBLE, 'alone.ts': ALONE } })
  const make = (folder: string, names: string[]) =>
    build({
      absWorkingDir: root,
      entryPoints: names.map((name) => `src/${name}.ts`),
      outdir: folder,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      minifySyntax: true,
      minifyWhitespace: true,
      sourcemap: 'external',
    })
  await make('bundled', ['steps', 'double', 'alone'])
  const records = join(root, 'records')
  mkdirSync(records)
  /** Executes code with the exports of a bundled module. */
  const execute = (code: string, folder = 'bundled') => {
    const script = join(root, 'script.mjs')
    writeFileSync(script, `import { step, never } from './${folder}/steps.js'; ${code}`)
    execFileSync(process.execPath, [script], { env: { NODE_V8_COVERAGE: records } })
  }
  /** The lines that were not executed, by source. */
  const left = () =>
    Object.fromEntries(
      [...executedLines(records, join(root, 'bundled'), join(root, 'aside'), root)]
        .sort()
        .map(([source, lines]) => [
          source,
          [...lines].filter(([, isExecuted]) => !isExecuted).map(([line]) => line),
        ]),
    )
  return { root, records, make, execute, left }
}

const ALL = [1, 2]

t.test('a line counts once any process has executed it', async (t) => {
  const { records, execute, left } = await bundled(t)
  t.strictSame(left()['src/alone.ts'], ALL, 'a module that nobody loads counts too')
  execute('step(1)')
  t.strictSame(left(), {
    'src/alone.ts': ALL,
    'src/double.ts': [2],
    'src/steps.ts': [10, 12, 18, 19, 24],
  })
  execute('step(3); try { step(-1) } catch {}')
  t.strictSame(left()['src/steps.ts'], [18, 19, 24])
  execute('console.log(never(1))')
  t.strictSame(left(), { 'src/alone.ts': ALL, 'src/double.ts': [], 'src/steps.ts': [18, 19] })
  writeFileSync(join(records, 'coverage-1-1-0.json'), '{"result":[{"url":"fi')
  t.strictSame(
    left()['src/steps.ts'],
    [18, 19],
    'a process that was killed while it wrote counts for nothing',
  )
})

t.test('other bundles of a source count, with a source map beside them or aside', async (t) => {
  const { root, make, execute, left } = await bundled(t)
  await make('other', ['steps'])
  execute('step(3)', 'other')
  t.notOk(left()['src/steps.ts']?.includes(10))
  await build({
    absWorkingDir: root,
    entryPoints: ['src/alone.ts'],
    outfile: 'aside/client.js',
    format: 'esm',
    minify: true,
    sourcemap: 'external',
  })
  await build({
    absWorkingDir: root,
    entryPoints: ['src/alone.ts'],
    outfile: 'client.js',
    format: 'esm',
    minify: true,
  })
  execute("const { alone } = await import('./client.js'); alone()")
  t.strictSame(left()['src/alone.ts'], [])
})

t.test('code from a compile cache does not count, because V8 counts no blocks there', async (t) => {
  const { root, records, left } = await bundled(t)
  const url = pathToFileURL(join(root, 'bundled/alone.js')).href
  const record = (isBlockCoverage: boolean) => {
    const functions = [{ isBlockCoverage, ranges: [{ startOffset: 0, endOffset: 1000, count: 1 }] }]
    writeFileSync(join(records, 'coverage-1-1-0.json'), JSON.stringify({ result: [{ url, functions }] }))
    return left()['src/alone.ts']
  }
  t.strictSame(record(false), ALL)
  t.strictSame(record(true), [])
})
