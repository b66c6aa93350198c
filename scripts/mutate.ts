/** Mutants of a source: small changes of its rules, each of which a test should notice. */
import { stripTypeScriptTypes } from 'node:module'
import { type AnyNode, type Expression, type Node, parse } from 'acorn'

/** A change of one place. */
export interface Mutant {
  /** Unique among all files. */
  id: number
  line: number
  /** From 1. */
  column: number
  /** The innermost named function or method around it. */
  inside: string
  operator: string
  original: string
  replacement: string
}

/** A source with all its mutants. Each place asks `__mutant(id)` whether to behave like that mutant. */
export interface Instrumented {
  /** JavaScript; lines are those of the source. */
  source: string
  mutants: Mutant[]
}

const OPPOSITES: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
}

/** Of these, the ones that are true whenever the operator is false. */
const NEGATED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}

/** Methods that become another one. */
const SWAPPED: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' }
/** Methods whose call becomes its array. */
const REMOVED = ['filter', 'toSorted', 'toReversed']
/** Functions that combine conditions of SQL, each of which is left out. */
const CONDITIONS = ['and', 'or']

/** What is known of the code around a node. */
interface Around {
  parent?: AnyNode
  inside: string
  /** Whether it runs in a call. What only runs as the module is loaded cannot be switched later. */
  isInCall: boolean
  isInConstructor: boolean
}

const isNode = (value: unknown): value is AnyNode => typeof Object(value).type === 'string'

/** The nodes in a node, in order. */
function childrenOf(node: AnyNode): AnyNode[] {
  // In `{ a = 1 }` the name is also the start of the value.
  const { key: _, ...own } = node as AnyNode & { key?: unknown }
  const parts = node.type === 'Property' && node.shorthand ? own : node
  return Object.values(parts)
    .flat()
    .filter(isNode)
    .toSorted((one, other) => one.start - other.start)
}

const isText = (node: Node & { value?: unknown }) =>
  node.type === 'TemplateLiteral' || typeof node.value === 'string'

/** The name that a node gives to the code in it. */
function nameOf(node: AnyNode, parent: AnyNode | undefined): string | undefined {
  if (node.type === 'FunctionDeclaration') return node.id?.name
  if (node.type === 'MethodDefinition' && 'name' in node.key)
    return `${node.key.type === 'PrivateIdentifier' ? '#' : ''}${node.key.name}`
  const isFunction = node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression'
  if (!isFunction || parent?.type !== 'VariableDeclarator') return undefined
  return 'name' in parent.id ? parent.id.name : undefined
}

/**
 * Lists the mutants of a source, and compiles them into it.
 * @param text TypeScript whose types can be erased
 * @param first the id of the first mutant
 * @throws SyntaxError
 */
export function instrument(text: string, first = 1): Instrumented {
  const plain = stripTypeScriptTypes(text)
  const mutants: Mutant[] = []
  const of = ({ start, end }: Node) => plain.slice(start, end)
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').trim()

  const operand = (node: AnyNode) =>
    /Logical|Conditional|Arrow|Assignment|Await|Yield/.test(node.type) ? `(${of(node)})` : of(node)

  /** Adds a mutant. @returns the expression that asks for it */
  function add(node: AnyNode, { inside }: Around, operator: string, replacement: string): string {
    const { line = 0, column = 0 } = node.loc?.start ?? {}
    const id = first + mutants.length
    const original = short(of(node))
    mutants.push({
      id,
      line,
      column: column + 1,
      inside,
      operator,
      original,
      replacement: short(replacement),
    })
    return `__mutant(${id})`
  }

  /** What an expression may become instead, each with the name of its operator. */
  function instead(node: AnyNode, { parent }: Around): [operator: string, replacement: string][] {
    const isTested = parent !== undefined && 'test' in parent && parent.test === node
    const isLoop = parent?.type === 'WhileStatement' || parent?.type === 'DoWhileStatement'
    const found: [string, string][] = []
    if (isTested && parent.type !== 'SwitchCase') {
      // Loops that never end say nothing.
      if (!isLoop && parent.type !== 'ForStatement') found.push(['condition', 'true'])
      found.push(['condition', 'false'])
    }
    if (parent?.type === 'CallExpression' && parent.arguments.includes(node as Expression)) {
      const { callee, arguments: all } = parent
      // Conditions that are undefined are left out.
      if (callee.type === 'Identifier' && CONDITIONS.includes(callee.name) && all.length > 1)
        found.push(['SQL condition', 'undefined'])
    }
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const { left, operator, right } = node
        if (operator === '+' && (isText(left) || isText(right))) break
        // Of a condition that becomes true and false, the opposite says nothing more.
        const others = (OPPOSITES[operator] ?? []).filter((other) => !isTested || NEGATED[operator] !== other)
        for (const other of others) found.push([operator, `${operand(left)} ${other} ${operand(right)}`])
        break
      }
      case 'AssignmentExpression': {
        const other = OPPOSITES[node.operator]?.[0]
        if (other) found.push([node.operator, `${of(node.left)} ${other} ${of(node.right)}`])
        break
      }
      case 'UnaryExpression':
        if (node.operator === '!' && !isTested) found.push(['!', of(node.argument)])
        break
      case 'Literal':
        if (typeof node.value === 'boolean') found.push(['literal', String(!node.value)])
        if (node.value === 0 || node.value === 1) found.push(['literal', String(1 - node.value)])
        break
      case 'CallExpression': {
        const { callee } = node
        if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') break
        const { object, property } = callee
        const swapped = Object.hasOwn(SWAPPED, property.name) && SWAPPED[property.name]
        const rest = plain.slice(property.end, node.end)
        if (swapped) found.push(['method', `${plain.slice(node.start, property.start)}${swapped}${rest}`])
        if (REMOVED.includes(property.name)) found.push(['method', of(object)])
      }
    }
    return found
  }

  /** Whether a statement may be left out: not a call of the parent's constructor, nor what a constructor assigns. */
  function isRemovable(node: AnyNode, { isInConstructor }: Around): boolean {
    const inner = node.type === 'AwaitExpression' ? node.argument : node
    if (inner.type === 'CallExpression') return inner.callee.type !== 'Super'
    const isChange = inner.type === 'AssignmentExpression' || inner.type === 'UpdateExpression'
    return (isChange && !isInConstructor) || (inner.type === 'YieldExpression' && inner.delegate)
  }

  /** Renders a node with the mutants in it. */
  function render(node: AnyNode, around: Around): string {
    const { parent } = around
    const isFunction = /Function|^StaticBlock/.test(node.type)
    const isField = node.type === 'PropertyDefinition' && !node.static
    const isConstructor = node.type === 'MethodDefinition' && node.kind === 'constructor'
    const within: Around = {
      parent: node,
      inside: nameOf(node, parent) ?? around.inside,
      isInCall: around.isInCall || isFunction || isField,
      isInConstructor: isConstructor || (around.isInConstructor && node.type !== 'ArrowFunctionExpression'),
    }
    const isKey =
      parent !== undefined &&
      'key' in parent &&
      parent.key === node &&
      !('computed' in parent && parent.computed)
    const isInChain = parent?.type === 'MemberExpression' && parent.object === node && /\?\./.test(of(node))
    const asked = around.isInCall && !isKey && !isInChain ? instead(node, around) : []
    const prefix = asked.map(([operator, code]) => `${add(node, around, operator, code)}?(${code}):`).join('')
    const removal =
      around.isInCall && node.type === 'ExpressionStatement' && isRemovable(node.expression, around)
        ? add(node, around, 'statement', '')
        : undefined
    const emptied =
      node.type === 'BlockStatement' &&
      parent?.type === 'IfStatement' &&
      parent.alternate &&
      node.body.length > 0
        ? add(node, around, 'block', '{}')
        : undefined
    let code = ''
    let at = node.start
    for (const child of childrenOf(node)) {
      // The two names of an import may be one.
      if (child.start < at) continue
      code += plain.slice(at, child.start) + render(child, within)
      at = child.end
    }
    code += plain.slice(at, node.end)
    if (emptied) return `{if(!${emptied})${code}}`
    // In braces, because a line that begins with a parenthesis would continue the one before it.
    if (node.type === 'ExpressionStatement') return removal ? `{if(!${removal}){${code};}}` : `{${code};}`
    return prefix === '' ? code : `(${prefix}${code})`
  }

  const program = parse(plain, { ecmaVersion: 'latest', sourceType: 'module', locations: true })
  const source = render(program, { inside: '', isInCall: false, isInConstructor: false })
  return { source: plain.slice(0, program.start) + source, mutants }
}
