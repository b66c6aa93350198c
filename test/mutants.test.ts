/** `npm run test:mutants`: the mutants of a source, and the report. */
import t from 'tap'
import { reportOf, type Tried } from '../scripts/mutants-report.ts'
import { instrument } from '../scripts/mutate.ts'

/** Runs an instrumented source. @returns what its function `f` returns, and the ids that it asked for */
function run(source: string, active: number, ...args: unknown[]) {
  const asked = new Set<number>()
  const mutant = (id: number) => {
    asked.add(id)
    return id === active
  }
  const f = new Function('__mutant', `${source}\nreturn f`)(mutant)
  return { result: f(...args), asked: [...asked] }
}

const of = (text: string) =>
  instrument(text).mutants.map(
    ({ operator, original, replacement }) => `${operator}: ${original} -> ${replacement}`,
  )

t.test('the mutants of single operators', async (t) => {
  const cases: [text: string, mutants: string[]][] = [
    ['const f = (a: number, b: number) => a < b', ['<: a < b -> a <= b', '<: a < b -> a >= b']],
    ['const f = (a: string) => a === "x"', ['===: a === "x" -> a !== "x"']],
    ['const f = (a, b, c) => a && b || c', ['||: a && b || c -> (a && b) && c', '&&: a && b -> a || b']],
    ['const f = (a, b) => a?.b ?? b', ['??: a?.b ?? b -> a?.b && b']],
    ['const f = (a) => !a', ['!: !a -> a']],
    ['const f = (a, b) => a + b', ['+: a + b -> a - b']],
    ['const f = (a) => "text " + a', []],
    ['const f = (a = true) => a', ['literal: true -> false']],
    ['const f = (a) => a[0]', ['literal: 0 -> 1']],
    [
      'const f = (a) => a.filter(Boolean).some(String)',
      [
        'method: a.filter(Boolean).some(String) -> a.filter(Boolean).every(String)',
        'method: a.filter(Boolean) -> a',
      ],
    ],
    [
      'const f = (a) => and(a, eq(b, c))',
      ['SQL condition: a -> undefined', 'SQL condition: eq(b, c) -> undefined'],
    ],
    [
      'function f(a) { if (a === 2) return 1; return a }',
      ['condition: a === 2 -> true', 'condition: a === 2 -> false', 'literal: 1 -> 0'],
    ],
    [
      'function f(a) { while (a > 0) a -= 2 }',
      [
        'condition: a > 0 -> false',
        '>: a > 0 -> a >= 0',
        'literal: 0 -> 1',
        'statement: a -= 2 -> ',
        '-=: a -= 2 -> a += 2',
      ],
    ],
    [
      'function f(a) { if (a) { g() } else h() }',
      [
        'condition: a -> true',
        'condition: a -> false',
        'block: { g() } -> {}',
        'statement: g() -> ',
        'statement: h() -> ',
      ],
    ],
    [
      'class A extends B { #a = 0; static b = 1; constructor() { super(); this.c = g(); h() } }',
      ['literal: 0 -> 1', 'statement: h() -> '],
    ],
    // What runs only as the module is loaded.
    ['const LIMIT = 1 + 2; export const all = a.filter(b)', []],
  ]
  for (const [text, mutants] of cases) t.strictSame(of(text), mutants, text)
})

t.test('where a mutant is', async (t) => {
  const [, mutant] = instrument('class A {\n  #go(a: number) {\n    return a - 1\n  }\n}', 7).mutants
  const at = { id: 8, line: 3, column: 16, inside: '#go', operator: 'literal' }
  t.strictSame(mutant, { ...at, original: '1', replacement: '0' })
})

const SOURCE = `
import { a as b, c } from './d.ts'
const seen: string[] = []
function f(list: number[], { least = 0, isStrict = true }: { least?: number; isStrict?: boolean } = {}) {
  seen.length = 0
  const note = (text: string) => void seen.push(text)
  if (isStrict) note('strict')
  else note('loose')
  for (const one of list) if (one < least && !isStrict) { note('small') } else note(one % 2 === 0 ? 'even' : 'odd')
  seen.length > 2 && note('many')
  ;[list].forEach(() => note('list'))
  return { kept: list.filter((one) => one > least).map((one) => one + 1), seen: [...seen] }
}
`.replace(/^import.*$/m, '')

t.test('without a mutant, an instrumented source does the same', async (t) => {
  const { source, mutants } = instrument(SOURCE)
  const expected = { kept: [2, 3], seen: ['strict', 'odd', 'even', 'many', 'list'] }
  t.strictSame(run(source, 0, [1, 2]).result, expected)
  const loose = run(source, 0, [-1], { isStrict: false })
  t.strictSame(loose.result, { kept: [], seen: ['loose', 'small', 'list'] })
  t.ok(loose.asked.length < mutants.length, 'not all are reached')
})

t.test('each mutant does what it says, also inside another one', async (t) => {
  const { source, mutants } = instrument(SOURCE)
  const [one, ...others] = mutants.filter(({ original }) => original === 'one < least && !isStrict')
  const inner = mutants.find(({ original }) => original === '!isStrict')
  const seenWith = (id = 0) => run(source, id, [1], { least: 1 }).result.seen
  t.strictSame(others.length, 2, 'a condition has three')
  t.strictSame(seenWith(), ['strict', 'odd', 'list'])
  t.strictSame(seenWith(one?.id), ['strict', 'small', 'list'])
  t.strictSame(seenWith(inner?.id), ['strict', 'odd', 'list'])
  const left = mutants.find(({ original }) => original === "note('strict')")
  t.strictSame(seenWith(left?.id), ['odd', 'list'])
})

t.test('the report has the scores, and the reasons for what stays', async (t) => {
  const at = { file: 'src/a.ts', column: 1, inside: 'f', operator: '<', isReached: true }
  const mutants: Tried[] = [
    { ...at, id: 1, line: 5, original: 'a < b', replacement: 'a <= b', by: 'test/a.test.ts' },
    { ...at, id: 2, line: 6, original: 'a || b', replacement: 'a && b' },
    { ...at, id: 3, line: 7, original: 'g()', replacement: '', isReached: false },
  ]
  const accepted = [
    { file: 'src/a.ts', inside: 'f', original: 'a || b', replacement: 'a && b', why: 'Both are set.' },
  ]
  const report = reportOf(mutants, accepted, '2026-11-28')
  for (const line of [
    '| `src/a.ts` | 3 | 1 | 33.3 % |',
    '| all | 3 | 1 | 33.3 % |',
    '| `src/a.ts:6` | `a \\|\\| b` → `a && b` | Both are set. |',
    '| `src/a.ts:7` | `g()` → nothing | no test of the list reaches it |',
  ])
    t.ok(report.includes(`${line}\n`), line)
})
