/** The documents: links lead somewhere, commands need no registry, the index and the changelog are complete. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

const read = (file: string) => readFileSync(file, 'utf8')
const PAGES = [...globSync('*.md'), ...globSync('docs/**/*.md'), ...globSync('{bench,web}/**/*.md')]

/** Everything that shows commands to somebody: documents, examples, configurations, and the texts of commands and of the page. */
const SHOWING = [
  ...PAGES,
  ...globSync('docs/examples/*'),
  ...globSync('deploy/**/*.*'),
  'deploy/proxy/Caddyfile',
  'Dockerfile',
  ...globSync('{src,plugins,routes,web}/**/*.{ts,tsx,html}'),
]

/**
 * Commands that ask the public registry for a package with this name, which is not published there: anybody could claim it. `npx` asks even with `--no-install`,
 * if the package is not installed. A file's name (`./phaseboard-1.0.0.tgz`) asks nobody.
 */
const FROM_REGISTRY = [
  /\b(npx|pnpx|bunx|(pnpm|yarn) dlx)( -\S+)* phaseboard\b/,
  /\b(npm|pnpm|yarn|bun) (i|install|add|exec|x|create)( -\S+)* phaseboard\b/,
  /"command": "npx"/,
]

t.test('no document or text names a command that asks a registry for phaseboard', async (t) => {
  const fromRegistry = (text: string) =>
    text.split('\n').filter((line) => FROM_REGISTRY.some((one) => one.test(line)))
  for (const file of SHOWING) t.strictSame(fromRegistry(read(file)), [], file)
  const examples = [
    'npx phaseboard mcp',
    'npx -y phaseboard',
    'npm install -g phaseboard',
    '"command": "npx",',
  ]
  t.strictSame(fromRegistry(examples.join('\n')), examples, 'the test would see them')
  t.strictSame(fromRegistry('npm install ./phaseboard-1.0.0.tgz\nnode_modules/.bin/phaseboard doctor'), [])
})

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

t.test('every link between documents leads to a file and a heading', async (t) => {
  for (const page of PAGES) {
    const text = read(page).replaceAll(/^```.*?^```/gms, '')
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^(https?:|mailto:|attachment:)/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#')
        const file = path === '' ? page : normalize(join(dirname(page), path))
        return !existsSync(file) || (anchor !== undefined && !anchorsOf(read(file)).has(anchor))
      })
    t.strictSame(broken, [], page)
  }
})

t.test('links in the texts of commands and routes lead to a heading', async (t) => {
  for (const file of globSync('{src,plugins,routes}/**/*.ts')) {
    for (const [link, page = '', anchor = ''] of read(file).matchAll(
      /\b(?:docs\/)?([a-z-]+\.md)#([\w-]+)/g,
    )) {
      t.ok(anchorsOf(read(join('docs', page))).has(anchor), `${file}: ${link}`)
    }
  }
})

t.test('the index names every page of docs/', async (t) => {
  const index = read('docs/README.md')
  const pages = globSync('*.md', { cwd: 'docs' }).filter((page) => page !== 'README.md')
  t.strictSame(
    pages.filter((page) => !index.includes(`](${page}`)),
    [],
  )
})

t.test('the changelog has a dated section of the version, of at most 80 lines', async (t) => {
  const { version } = JSON.parse(read('package.json'))
  const [, ...sections] = read('CHANGELOG.md').split(/^(?=## \[)/m)
  const [section = ''] = sections.filter((one) => one.startsWith(`## [${version}] - `))
  t.match(section, /^## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d\n/)
  t.ok(section.split('\n').length <= 80, `${section.split('\n').length} lines`)
})
