/** The page's sources as syntax trees. */
import { readFileSync } from 'node:fs'
import { type AnyNode, type ArrowFunctionExpression, type ObjectExpression, parse } from 'acorn'
import { transformSync } from 'esbuild'

/** A file's syntax tree. Types are gone, and elements are calls of `jsx`. */
function treeOf(path: string): AnyNode {
  const loader = path.endsWith('.tsx') ? 'tsx' : 'ts'
  const { code } = transformSync(readFileSync(path, 'utf8'), {
    loader,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'es2023',
  })
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as AnyNode
}

/** The nodes directly in a node. */
const childrenOf = (node: AnyNode): AnyNode[] =>
  Object.values(node)
    .flat()
    .filter((value): value is AnyNode => typeof value === 'object' && value !== null && 'type' in value)

function* allIn(node: AnyNode): Generator<AnyNode> {
  yield node
  for (const child of childrenOf(node)) yield* allIn(child)
}

const keyOf = (key: AnyNode): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : ''

const propertiesOf = ({ properties }: ObjectExpression): [name: string, value: AnyNode][] =>
  properties.flatMap((property) =>
    property.type === 'Property' ? [[keyOf(property.key), property.value as AnyNode]] : [],
  )

/** The properties of an element whose strings are read by people. */
const READ = new Set(['children', 'aria-label', 'aria-description', 'title', 'placeholder', 'alt', 'label'])
const hasWord = (text: string) => /\p{L}{2}/u.test(text)

/** The strings that a value may be, as far as they are written there: not those that come from functions and variables. */
function stringsIn(node: AnyNode): string[] {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : []
    case 'TemplateLiteral':
      return node.quasis.map(({ value }) => value.cooked ?? '')
    case 'ArrayExpression':
      return node.elements.flatMap((one) => (one ? stringsIn(one as AnyNode) : []))
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap((one) => stringsIn(one as AnyNode))
    case 'LogicalExpression':
      return [node.left, node.right].flatMap((one) => stringsIn(one as AnyNode))
    case 'BinaryExpression':
      return node.operator === '+' ? [node.left, node.right].flatMap((one) => stringsIn(one as AnyNode)) : []
    default:
      return []
  }
}

/** The texts that stand in components instead of in the files of texts. @returns `file: text` */
export function textsOutside(files: readonly string[]): string[] {
  return files.toSorted().flatMap((path) =>
    [...allIn(treeOf(path))].flatMap((node) => {
      if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return []
      const [, given] = node.arguments
      if (!/^jsxs?$/.test(node.callee.name) || given?.type !== 'ObjectExpression') return []
      return propertiesOf(given)
        .filter(([name]) => READ.has(name))
        .flatMap(([, value]) => stringsIn(value))
        .filter(hasWord)
        .map((text) => `${path}: ${text}`)
    }),
  )
}

/** The names of a function's parameters that its body uses. */
function usedBy({ params, body }: ArrowFunctionExpression): string[] {
  const names = params.flatMap((param) => {
    const one = param.type === 'RestElement' ? param.argument : param
    return one.type === 'Identifier' ? [one.name] : []
  })
  const used = new Set(
    [...allIn(body as AnyNode)].flatMap((one) => (one.type === 'Identifier' ? [one.name] : [])),
  )
  return names.filter((name) => used.has(name)).toSorted()
}

/**
 * Each text of a language by its path, with the values that it contains: `board.countOf` -> `all, shown`.
 * @param name a text that only the object of all texts has
 */
export function textsIn(path: string, name = 'documentTitle'): Map<string, string> {
  const found = new Map<string, string>()
  const add = (at: string, node: AnyNode): void => {
    if (node.type === 'ObjectExpression') {
      for (const [name, value] of propertiesOf(node)) add(at === '' ? name : `${at}.${name}`, value)
    } else if (node.type === 'ArrayExpression') {
      // The words of dates differ in number.
      if (!/dates\.words/.test(at))
        for (const [index, one] of node.elements.entries()) if (one) add(`${at}.${index}`, one as AnyNode)
    } else found.set(at, node.type === 'ArrowFunctionExpression' ? usedBy(node).join(', ') : '')
  }
  for (const node of allIn(treeOf(path))) {
    if (node.type !== 'ObjectExpression') continue
    if (!propertiesOf(node).some(([one]) => one === name)) continue
    add('', node)
    break
  }
  return found
}
