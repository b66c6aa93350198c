/** The build of the board page: its output, and its errors. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { buildWeb } from '../../scripts/build-web.ts'
import { BUDGET, checkBudget } from '../../scripts/web-budget.ts'

const KB = 1024

/** Text with a given compressed size in bytes. */
const ballast = (bytes: number) => randomBytes(bytes).toString('base64')

/** The sources of a small page, some of them replaced. */
function sourcesOf(t: Test, other: Record<string, string> = {}): string {
  const files: Record<string, string> = {
    'main.tsx':
      "import './common/styles/index.css'\nimport { said } from './common/said.ts'\nsaid('main')\nimport('./card/card.tsx')",
    'page.html': readFileSync('web/page.html', 'utf8'),
    'common/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'common/styles/index.css': 'body { color: red }',
    'common/said.ts': 'export const said = (text: string) => console.log(text)',
    'card/card.tsx': "import { said } from '../common/said.ts'\nsaid('card')",
    ...other,
  }
  const folder: Record<string, unknown> = {}
  for (const [path, content] of Object.entries(files)) {
    const [name = '', ...parents] = path.split('/').reverse()
    let inside = folder
    for (const parent of parents.reverse()) {
      inside[parent] ??= {}
      inside = inside[parent] as Record<string, unknown>
    }
    inside[name] = content
  }
  return t.testdir({ web: folder } as never)
}

t.test('a page names all its files in its HTML, each compressed', async (t) => {
  const root = sourcesOf(t)
  const sizes = await buildWeb(root, join(root, 'made'))
  t.strictSame(Object.keys(sizes.later), ['card'])
  t.ok(sizes.first.js > 0 && sizes.first.css > 0 && sizes.first.html > 0 && sizes.first.icon > 0)
  const files = readdirSync(join(root, 'made/assets'))
  const plain = files.filter((name) => !/\.(br|gz)$/.test(name))
  t.strictSame(files.toSorted(), plain.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).toSorted())
  const html = readFileSync(join(root, 'made/page.html'), 'utf8')
  const named = Array.from(html.matchAll(/"\.\/assets\/([^"]+)"/g), ([, name]) => name)
  const [later] = plain.filter((name) => name.startsWith('card'))
  t.strictSame(named.toSorted(), plain.filter((name) => name !== later).toSorted())
  t.match(
    html,
    /<link rel="modulepreload" href=".\/assets\/chunk-\w{8}.js">/,
    'what both need, with all of the first',
  )
})

t.test('file names depend on the content', async (t) => {
  const namesOf = async (root: string, folder: string) => {
    await buildWeb(root, join(root, folder))
    return readdirSync(join(root, folder, 'assets')).filter((name) => /^(chunk|index)-\w+\.\w+$/.test(name))
  }
  const root = sourcesOf(t)
  const [script, style] = await namesOf(root, 'one')
  t.strictSame(await namesOf(root, 'two'), [script, style])
  await t.test('another card', async (t) => {
    const other = sourcesOf(t, { 'card/card.tsx': "console.log('another')" })
    const [changed, same] = await namesOf(other, 'made')
    t.not(changed, script, 'what loads the card knows its name')
    t.equal(same, style)
  })
})

t.test('file names do not depend on the folder, nor on where the packages are', async (t) => {
  const packages = t.testdir({ small: { 'index.js': 'export const small = 1' } })
  const namesIn = async (t: Test) => {
    const root = sourcesOf(t, {
      'card/card.tsx':
        "import { small } from 'small'\nimport worker from './worker.ts?worker'\nconsole.log(small, worker)",
      'card/worker.ts': 'postMessage(1)',
    })
    mkdirSync(join(root, 'node_modules'))
    symlinkSync(join(packages, 'small'), join(root, 'node_modules/small'))
    await buildWeb(root, join(root, 'made'))
    return readdirSync(join(root, 'made/assets'))
  }
  const names: string[][] = []
  await t.test('a folder', async (t) => void names.push(await namesIn(t)))
  await t.test('a folder inside', async (t) =>
    t.test('of it', async (t) => void names.push(await namesIn(t))),
  )
  t.strictSame(names[0], names[1])
})

t.test('compressed files of an earlier build are reused, if complete and equal', async (t) => {
  const root = sourcesOf(t, { 'card/card.tsx': "console.log('a card')" })
  const earlier = join(root, 'earlier')
  const sizes = await buildWeb(root, earlier)
  const assets = (folder: string, pattern: RegExp) =>
    readdirSync(join(root, folder, 'assets')).filter((name) => pattern.test(name))
  const [card = '', style = '', script = ''] = [/^card.*js$/, /\.css$/, /^main.*js$/].flatMap((pattern) =>
    assets('earlier', pattern),
  )
  const write = (name: string, content: string) => writeFileSync(join(earlier, 'assets', name), content)
  const read = (name: string) => readFileSync(join(root, 'made/assets', name), 'utf8')
  write(`${card}.br`, 'taken')
  write(`${card}.gz`, 'taken, too')
  write(style, 'of the same name, but another')
  write(`${style}.br`, 'not taken')
  write(`${script}.br`, 'not taken')
  rmSync(join(earlier, 'assets', `${script}.gz`))

  const again = await buildWeb(root, join(root, 'made'), { earlier: [join(root, 'nothing'), earlier] })
  t.strictSame([read(`${card}.br`), read(`${card}.gz`)], ['taken', 'taken, too'])
  t.equal(again.later.card, 'taken'.length, 'and weighed')
  t.strictSame(again.first, sizes.first, 'the others are made')
  for (const name of [style, script]) t.notMatch(read(`${name}.br`), 'not taken', name)
  t.strictSame(assets('made', /./), assets('earlier', /./).concat(`${script}.gz`).toSorted())
})

t.test('a bundle above its limit fails the build, with its name and size', async (t) => {
  const heavy = `console.log(${JSON.stringify(ballast(70 * KB))})`
  const root = sourcesOf(t, {
    'main.tsx': `import './common/styles/index.css'\n${heavy}\nimport('./card/card.tsx')\nimport('./odd/odd.tsx')`,
    'card/card.tsx': `console.log(${JSON.stringify(ballast(46 * KB))})`,
    'odd/odd.tsx': `console.log(${JSON.stringify(ballast(20 * KB))})`,
  })
  const failure = await buildWeb(root, join(root, 'made')).then(
    () => 'it was built',
    ({ name, message }) => `${name}: ${message}`,
  )
  t.match(failure, /^OverBudget: The board page is over its budget/)
  const limit = (bytes = 0) => `${(bytes / KB).toFixed(1)} KB`
  t.match(failure, new RegExp(`\\n {2}first load, js: 7\\d\\.\\d KB of ${limit(BUDGET.first.js)}`))
  t.match(failure, new RegExp(`\\n {2}web/card: 4\\d\\.\\d KB of ${limit(BUDGET.later.card)}`))
  t.notMatch(failure, /odd|css|html|icon|total/)
})

t.test('each limit applies, and so does their sum', async (t) => {
  const nothing = { js: 0, css: 0, html: 0, icon: 0 }
  const { total, ...each } = BUDGET.first
  for (const [name, limit] of Object.entries(each)) {
    checkBudget({ first: { ...nothing, [name]: limit }, later: {} })
    t.throws(() => checkBudget({ first: { ...nothing, [name]: limit + 1 }, later: {} }), { message: name })
  }
  t.equal(
    total,
    Object.values(each).reduce((sum, limit) => sum + limit, 0),
  )
  for (const [name, limit] of Object.entries(BUDGET.later)) {
    checkBudget({ first: nothing, later: { [name]: limit } })
    t.throws(() => checkBudget({ first: nothing, later: { [name]: limit + 1 } }), { message: `web/${name}` })
  }
})

t.test('a second style sheet imported by a script is refused', async (t) => {
  const root = sourcesOf(t, { 'card/card.tsx': "import './card.css'", 'card/card.css': 'b { color: red }' })
  const failure = buildWeb(root, join(root, 'made'), { logLevel: 'silent' })
  await t.rejects(failure, /all styles are imported by web\/common\/styles\/index\.css/)
})
