/** Every pattern of the sources takes time linear in its text, which may be anybody's. By static analysis, so nothing is timed. */
import { globSync, readFileSync } from 'node:fs'
import { type AnyNode, type Expression, parse } from 'acorn'
import { transformSync } from 'esbuild'
import { analyse } from 'scslre'
import t from 'tap'

/** Patterns whose text is only known at run time, by file. */
const MADE_AT_RUN_TIME: Record<string, string> = {
  'plugins/telemetry.ts': 'a slash, a word and a slash; each part ends at its first other character',
  'src/db/opaque-people.ts': 'a string of JSON ends at its first quote',
  'src/db/row-security.ts': 'reads the own statements',
  'src/exchange/archives/archive-manifest.ts': 'repeats nothing',
  'src/exchange/sources/markdown.ts':
    'no repetition is longer than 9,999 characters, which the analysis would take apart',
  'src/folding.ts': 'a character and its marks, which are other characters',
  'src/http/known-paths.ts': 'segments of own paths, between slashes',
  'web/common/date-words.ts': 'a day, whose end is a blank; every other part has a fixed length',
  'web/router.ts': 'segments of own paths, between slashes',
}

interface Found {
  file: string
  source: string
  flags: string
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value

function* nodesIn(node: AnyNode): Generator<AnyNode> {
  yield node
  for (const child of Object.values(node).flat()) if (isNode(child)) yield* nodesIn(child)
}

/** The text of an expression made of constants, e.g. parts of a pattern; undefined if it is not. */
function textOf(node: AnyNode | null | undefined, constants: Map<string, Expression>): string | undefined {
  const joined = (parts: (string | undefined)[], separator = '') =>
    parts.includes(undefined) ? undefined : parts.join(separator)
  const ofTemplate = (quasis: string[], expressions: AnyNode[]) =>
    joined(
      quasis.flatMap((text, index) => [
        text,
        index in expressions ? textOf(expressions[index], constants) : '',
      ]),
    )
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : undefined
    case 'TemplateLiteral':
      return ofTemplate(
        node.quasis.map(({ value }) => value.cooked ?? ''),
        node.expressions,
      )
    case 'TaggedTemplateExpression':
      return ofTemplate(
        node.quasi.quasis.map(({ value }) => value.raw),
        node.quasi.expressions,
      )
    case 'Identifier':
      return textOf(constants.get(node.name), constants)
    // `PATTERN.source`
    case 'MemberExpression': {
      const object = node.object.type === 'Identifier' ? constants.get(node.object.name) : undefined
      return object?.type === 'Literal' && 'regex' in object ? object.regex?.pattern : undefined
    }
    // `[...].join('|')`
    case 'CallExpression': {
      if (node.callee.type !== 'MemberExpression') return undefined
      const { object } = node.callee
      const list = object.type === 'Identifier' ? constants.get(object.name) : object
      if (list?.type !== 'ArrayExpression') return undefined
      return joined(
        list.elements.map((one) => textOf(one, constants)),
        textOf(node.arguments[0], constants),
      )
    }
    default:
      return undefined
  }
}

/** All patterns: literals, those made by `RegExp()`, and those of JSON schemas. @returns also the files with others */
function patternsOfSources() {
  const files = globSync('{src,routes,plugins,web}/**/*.{ts,tsx}', { exclude: ['**/*.d.ts'] })
  const nodes = files.flatMap((file) => {
    const loader = file.endsWith('x') ? 'tsx' : 'ts'
    const { code } = transformSync(readFileSync(file, 'utf8'), { loader, jsx: 'automatic', target: 'esnext' })
    const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as AnyNode
    return [...nodesIn(tree)].map((node) => ({ file, node }))
  })
  const everywhere = new Map<string, Expression>()
  const ofFile = new Map(files.map((file) => [file, new Map<string, Expression>()]))
  for (const { file, node } of nodes) {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || !node.init) continue
    everywhere.set(node.id.name, node.init)
    ofFile.get(file)?.set(node.id.name, node.init)
  }
  const found: Found[] = []
  const others = new Set<string>()
  const add = (file: string, source: string | undefined, flags = '') => {
    if (source === undefined) others.add(file)
    else found.push({ file, source, flags })
  }
  // Imported constants have the same names.
  for (const [file, own] of ofFile) ofFile.set(file, new Map([...everywhere, ...own]))
  for (const { file, node } of nodes) {
    const constants = ofFile.get(file) ?? everywhere
    if (node.type === 'Literal' && node.regex) add(file, node.regex.pattern, node.regex.flags)
    const isMade = node.type === 'NewExpression' || node.type === 'CallExpression'
    if (isMade && node.callee.type === 'Identifier' && node.callee.name === 'RegExp') {
      const [pattern, flags] = node.arguments
      add(file, file in MADE_AT_RUN_TIME ? undefined : textOf(pattern, constants), textOf(flags, constants))
    }
    const isOfSchema =
      node.type === 'Property' && node.key.type === 'Identifier' && node.key.name === 'pattern'
    if (isOfSchema && file.startsWith('routes/')) add(file, textOf(node.value, constants), 'u')
  }
  return { found: [...new Map(found.map((one) => [`/${one.source}/${one.flags}`, one])).values()], others }
}

/** Whether a text that repeats one character can take the pattern more than linear time. */
const isSlow = ({ source, flags }: Omit<Found, 'file'>): boolean =>
  analyse({ source, flags }).reports.length > 0

t.test('slow patterns are recognised', async (t) => {
  const slow = [/([^\s@]+)(?:@[^\s@]+)+/gu, /\/+$/, /^bearer +(.+)$/i, /^(a+)+$/, /(?!x)\s+$/]
  for (const { source, flags } of slow) t.ok(isSlow({ source, flags }), source)
})

t.test('every pattern of the sources is linear', async (t) => {
  const { found, others } = patternsOfSources()
  t.ok(found.length > 250)
  for (const one of found) t.notOk(isSlow(one), `${one.file}: /${one.source}/${one.flags}`)
  t.strictSame([...others].toSorted(), Object.keys(MADE_AT_RUN_TIME), 'these are looked at by people')
})
