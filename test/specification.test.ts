import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'

const root = new URL('../', import.meta.url)
const LIST = 'docs/specification.md'

/** The names of the tests in a file: strings at the start of a `t.test(...)` call. */
function testNames(source: string): string[] {
  const calls = source.matchAll(/\bt\.test\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*,/g)
  return [...calls].map(([, literal = '']) => literal.slice(1, -1).replaceAll(/\\(.)/g, '$1'))
}

/** The tests that a file shares with others of its kind, and their names, which start with the name of the records. */
const SHARED = 'test/child-resource.ts'
const sharedNames = (source = '') =>
  [...source.matchAll(/\bt\.test\(\s*`\$\{one\}: ([^`]+)`,/g)].map(([, name = '']) => name)

interface Rule {
  section: string
  rule: string
  tests: { file: string; name: string }[]
}

/** The rules of a list, or what is wrong with it. `read` returns the source of a test file, or undefined. */
function check(list: string, read: (file: string) => string | undefined) {
  const shared = sharedNames(read(SHARED))
  const namesIn = (source: string) =>
    source.includes('testChildResource(') ? [...testNames(source), ...shared] : testNames(source)
  const rules: Rule[] = []
  const problems: string[] = []
  let section = ''
  for (const line of list.split('\n')) {
    section = /^## (.*)/.exec(line)?.[1] ?? section
    if (!line.startsWith('|') || line === '| Rule | Verified by |' || line === '|---|---|') continue
    const [before, rule, held, after, ...more] = line.split('|').map((cell) => cell.trim())
    if (before !== '' || after !== '' || more.length > 0 || !rule || !held) {
      problems.push(`not a rule and its tests: ${line}`)
      continue
    }
    const tests = held.split('<br>').map((reference) => {
      const [, file = '', name = ''] = /^`(test\/[\w/.-]+\.test\.ts)`: (.+)$/.exec(reference.trim()) ?? []
      const source = file && read(file)
      if (!name) problems.push(`no file and test: ${reference.trim()}`)
      else if (source === undefined) problems.push(`no such file: ${file}`)
      else if (!namesIn(source).includes(name)) problems.push(`no such test in ${file}: ${name}`)
      return { file, name }
    })
    rules.push({ section, rule, tests })
  }
  return { rules, problems }
}

const readTest = (file: string) => {
  const url = new URL(file, root)
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined
}

t.test('every rule of the specification has an existing test', async (t) => {
  const { rules, problems } = check(readFileSync(new URL(LIST, root), 'utf8'), readTest)
  t.strictSame(problems, [])
  const sections = [...new Set(rules.map(({ section }) => section))]
  t.strictSame(sections, [
    'Where roles and credentials restrict the specification',
    '1. What the service does',
    '2. Resources and their fields',
    '3. States and transitions',
    '4. Endpoints',
    '5. Authentication',
    '6. Events',
    '7. Errors',
    '8. Limits',
    '9. Versioning',
  ])
  t.ok(rules.length >= 100, `${rules.length} rules`)
})

t.test('a list with a gap is detected', async (t) => {
  const source =
    "t.test('it holds', async (t) => {})\nt.test(\n  \"it's held\",\n  async () => {},\n)\n// it is said"
  const read = (file: string) => (file === 'test/x.test.ts' ? source : undefined)
  for (const [row, problem] of [
    ['| A rule | `test/x.test.ts`: it holds |', undefined],
    ["| A rule | `test/x.test.ts`: it holds <br> `test/x.test.ts`: it's held |", undefined],
    ['| A rule | |', 'not a rule and its tests: | A rule | |'],
    ['| | `test/x.test.ts`: it holds |', 'not a rule and its tests: | | `test/x.test.ts`: it holds |'],
    ['| A rule |', 'not a rule and its tests: | A rule |'],
    ['| A rule | to be written |', 'no file and test: to be written'],
    ['| A rule | `test/x.test.ts` |', 'no file and test: `test/x.test.ts`'],
    ['| A rule | `test/y.test.ts`: it holds |', 'no such file: test/y.test.ts'],
    ['| A rule | `test/x.test.ts`: it is said |', 'no such test in test/x.test.ts: it is said'],
    ['| A rule | `test/x.test.ts`: it holds <br> |', 'no file and test: '],
  ] as const) {
    t.strictSame(check(row, read).problems, problem === undefined ? [] : [problem], row)
  }
})
