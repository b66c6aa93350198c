/** What `npm run test:coverage` counts: branches of sources, as bundles of them took them. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { branchesOf } from '../scripts/branches.ts'
import { takenBranches } from '../scripts/coverage.ts'

const STEPS = `import { double } from './double.ts'

interface Unused {
  line: 4
}

export function step(value: number): number {
  if (value > 2) {
    return double(value)
  } else if (value < 0) {
    throw new RangeError('negative')
  }
  const grow = (by: number) => value + by
  return value === 1 ? grow(1) : 0
}

export const never = (value: number) =>
  double(step(value))
`

const DOUBLE = `export function double(value: number): number {
  return value * 2
}
`

const ALONE = `export function alone(isSad: boolean): string {
  return isSad ? 'no process loads this' : ''
}
`

/**
 * Bundles sources, so that they can be executed.
 * @param sources by name
 */
async function bundled(t: Test, sources: Record<string, string>) {
  const names = Object.keys(sources)
  const root = t.testdir({
    src: Object.fromEntries(names.map((name) => [`${name}.ts`, sources[name] as string])),
    records: {},
  })
  const make = (folder: string, names: string[]) =>
    build({
      absWorkingDir: root,
      entryPoints: names.map((name) => `src/${name}.ts`),
      outdir: folder,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      minifySyntax: true,
      minifyWhitespace: true,
      sourcemap: 'external',
    })
  await make('bundled', names)
  const records = join(root, 'records')
  /** Executes code in a process that has the exports of a module. */
  const execute = (code: string, module = `bundled/${names[0]}.js`) => {
    const script = join(root, 'script.mjs')
    writeFileSync(script, `import * as it from './${module}'; ${code}`)
    execFileSync(process.execPath, [script], { env: { NODE_V8_COVERAGE: records }, stdio: 'pipe' })
  }
  const taken = () => takenBranches(records, join(root, 'bundled'), join(root, 'aside'), root)
  /** The branches that no process took: the line, and what it is. */
  const left = (name = names[0]) =>
    taken()
      .get(`src/${name}.ts`)
      ?.untaken.map(({ line, kind, inner }) => `${line} ${kind}${inner > 0 ? ` +${inner}` : ''}`)
  return { root, records, make, execute, taken, left }
}

/** Has processes call the default export of a module, each with some arguments, as code. @returns the branches that none took */
async function leftAfter(t: Test, source: string, ...calls: string[]) {
  const { execute, left } = await bundled(t, { module: `export default ${source}\n` })
  for (const args of calls) execute(`await it.default(${args})`)
  return left()
}

t.test('a branch counts once any process has taken it', async (t) => {
  const { records, execute, taken, left } = await bundled(t, { steps: STEPS, double: DOUBLE, alone: ALONE })
  t.strictSame(left(), ['7 function +7', '17 function'])
  execute('it.step(1)')
  t.strictSame(left(), ['8 if', '10 if', '14 : …', '17 function'])
  t.strictSame(left('double'), ['1 function'])
  execute('it.step(3); try { it.step(-1) } catch {}')
  t.strictSame(left(), ['14 : …', '17 function'])
  t.strictSame(left('double'), [])
  execute('it.never(0)')
  t.strictSame(left(), [])
  t.strictSame(left('alone'), ['1 function +2'], 'a module that no process loads counts too')
  writeFileSync(join(records, 'coverage-1-1-0.json'), '{"result":[{"url":"fi')
  t.strictSame(left(), [], 'a process that was killed while it wrote counts for nothing')
  t.strictSame(
    [...taken()].map(([source, { total, taken }]) => [source, total, taken]),
    [
      ['src/alone.ts', 3, 0],
      ['src/double.ts', 1, 1],
      ['src/steps.ts', 9, 9],
    ],
  )
})

t.test('if without else has two arms', async (t) => {
  const source = '(value) => {\nif (value)\nconsole.log(1)\n}'
  t.strictSame(await leftAfter(t, source, 'true'), ['2 no else'])
  t.strictSame(await leftAfter(t, source, 'false'), ['3 if'])
  t.strictSame(await leftAfter(t, source, 'true', 'false'), [])
  const often = '(values) => {\nfor (const value of values) if (value) console.log(1)\n}'
  t.strictSame(await leftAfter(t, often, '[1, 2]'), ['2 no else'])
  t.strictSame(await leftAfter(t, often, '[1, 0]'), [], 'where others take the first one')
})

t.test('the rest is the other arm of an if that leaves', async (t) => {
  const source = '(value) => {\nif (value) return 1\nfor (const each of [value]) console.log(each)\n}'
  t.strictSame(await leftAfter(t, source, '1'), ['2 no else'])
  t.strictSame(await leftAfter(t, source, '0'), ['2 if'])
  const dropped = '(values) => {\nfor (const each of values) {\nif (each)\ncontinue\nconsole.log(each)\n}\n}'
  t.strictSame(await leftAfter(t, dropped, '[1]'), ['3 no else'])
  t.strictSame(await leftAfter(t, dropped, '[0]'), ['4 if'], 'also if the bundler turned it round')
})

t.test('what both arms have in common, and the bundler moved before them, is none of them', async (t) => {
  const source = '(value, to) => {\nif (value) to.be = 1\nelse to.be = 2\n}'
  t.strictSame(await leftAfter(t, source, 'true, {}'), ['3 else'])
  t.strictSame(await leftAfter(t, source, 'false, {}'), ['2 if'])
})

t.test('what the bundler moved into a branch does not hide the one that it was in', async (t) => {
  const source = '(a, b) => {\nif (a) {\nconst two = 2\nreturn b ? two : 1\n}\n}'
  t.strictSame(await leftAfter(t, source, 'true, false'), ['2 no else', '4 ? …'])
})

t.test('right operands are evaluated', async (t) => {
  for (const [operator, evaluates, skips] of [
    ['&&', '1', '0'],
    ['||', '0', '1'],
    ['??', 'null', '1'],
  ] as const) {
    const source = `(left, right) => left\n${operator} right`
    t.strictSame(await leftAfter(t, source, evaluates), [])
    t.strictSame(await leftAfter(t, source, skips), [`2 ${operator} …`])
  }
  const condition = '(a, b) => {\nif (a &&\nb) console.log(1)\n}'
  t.strictSame(await leftAfter(t, condition, '1, 0'), ['3 if'])
  t.strictSame(await leftAfter(t, condition, '0'), ['3 && …', '3 if'])
})

t.test('each case counts by itself', async (t) => {
  const source = `(value) => {
    switch (value) {
      case 1:
      case 2:
        console.log('small')
        break
      case 3: {
        throw new Error('three')
      }
      default:
        console.log('large')
    }
  }`
  t.strictSame(await leftAfter(t, source, '1'), ['4 case', '7 case', '10 default'])
  t.strictSame(await leftAfter(t, source, '2'), ['3 case', '7 case', '10 default'])
  t.strictSame(await leftAfter(t, source, '4', '2'), ['3 case', '7 case'])
})

t.test('functions count once they are called', async (t) => {
  const source = `() => {
    const it = { method() { return 1 }, async later() {}, get value() { return 2 }, arrow: () => 3 }
    class Some {
      field = () => 4
      static make() { return new Some() }
    }
    return [it, Some]
  }`
  t.strictSame(await leftAfter(t, source, ''), [...Array(4).fill('2 function'), '4 function', '5 function'])
  const { execute, left } = await bundled(t, { module: `export default ${source}\n` })
  execute(
    'const [some, Some] = it.default(); some.method(); some.later(); some.value; some.arrow(); Some.make().field()',
  )
  t.strictSame(left(), [])
})

t.test('a branch whose await fails is taken', async (t) => {
  const source = '(fail) => async (value) => {\nif (value) console.log(await fail(), value)\n}'
  const { execute, left } = await bundled(t, { module: `export default ${source}\n` })
  execute("await it.default(() => Promise.reject(new Error('no')))(true).catch(() => {})")
  t.strictSame(left(), ['2 no else'])
})

t.test('what follows an await that was skipped is taken', async (t) => {
  const source = `async (a, b, log = console.log) => {
    if (a) await log()
    if (b) await log()
    log(1)
    if (a) log(2)
    for (const each of [a ? await log(1) : 2, b ? 3 : await log(4)]) log(each)
    log(() => a)
    if (b) log(5)
  }`
  const left = ['2 if', '3 if', '5 if', '6 ? …', '6 ? …', '7 function', '8 if']
  t.strictSame(await leftAfter(t, source, '0, 0'), left)
  t.strictSame(await leftAfter(t, source, '1, 1', '0, 0'), ['7 function'])
})

t.test('what the bundler drops does not count', async (t) => {
  t.strictSame(await leftAfter(t, "() => {\nif (typeof 1 === 'string') console.log(1)\n}", ''), [])
})

t.test('a bundle as ours, with a map beside it or aside, and the source itself count', async (t) => {
  const { root, make, execute, left } = await bundled(t, { steps: STEPS, double: DOUBLE, alone: ALONE })
  await make('other', ['steps'])
  execute('it.step(3)', 'other/steps.js')
  t.notOk(left()?.includes('8 if'))
  execute('it.step(0)', 'src/steps.ts')
  t.strictSame(left(), ['10 if', '13 function', '14 ? …', '17 function'])
  const options = {
    absWorkingDir: root,
    entryPoints: ['src/alone.ts'],
    format: 'esm' as const,
    minify: true,
  }
  await build({ ...options, outfile: 'aside/client.js', sourcemap: 'external' })
  await build({ ...options, outfile: 'client.js' })
  execute('it.alone(true)', 'client.js')
  t.strictSame(left('alone'), ['2 : …'])
})

t.test('code from a compile cache does not count, because V8 counts no blocks there', async (t) => {
  const { root, records, left } = await bundled(t, { alone: ALONE })
  const url = pathToFileURL(join(root, 'bundled/alone.js')).href
  const record = (isBlockCoverage: boolean) => {
    const functions = [{ isBlockCoverage, ranges: [{ startOffset: 0, endOffset: 1000, count: 1 }] }]
    writeFileSync(join(records, 'coverage-1-1-0.json'), JSON.stringify({ result: [{ url, functions }] }))
    return left()
  }
  t.strictSame(record(false), ['1 function +2'])
  t.strictSame(record(true), [])
})

t.test('branches are in each other', async (t) => {
  const [outer, ...others] = branchesOf('const run = (a?: number) => a ?? (a ? 1 : 2)\n')
  t.strictSame(others, [])
  t.strictSame([outer?.kind, outer?.line], ['function', 1])
  t.strictSame(
    outer?.inner.map(({ kind, inner }) => [kind, inner.map((each) => each.kind)]),
    [['?? …', ['? …', ': …']]],
  )
  const [constant] = branchesOf("const run = (a?: string) => a ?? ''\n")
  t.strictSame(constant?.inner, [], 'a constant after ?? is a default value')
  t.throws(() => branchesOf('if ('), SyntaxError)
})
