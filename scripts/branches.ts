/** The branches of a source. */
import { stripTypeScriptTypes } from 'node:module'
import { parse } from 'acorn'

/**
 * A branch: code that a condition or a call leads to. These are
 * - both arms of `if`, also without `else`, and of `?:`;
 * - the right operand of `&&`, `||` and `??`, but for a constant after `??`: like the default of a parameter, it often stands for
 *   what only the types allow;
 * - each `case` of a `switch`, and its `default`;
 * - the body of each function.
 *
 * All positions are offsets in the source.
 */
export interface Branch {
  /** What it is, for people: `no else`. */
  kind: string
  /** From 1. */
  line: number
  /** Where its code begins, as positions that all run when it does: the first list of which a bundle still has any is the one to look at. */
  begins: number[][]
  /** Without such code: what runs before the decision, and `instead` of the branch. It is taken if the former runs more often. */
  before: number[]
  /** As `begins`. */
  instead: number[][]
  /** The branches in it. Whatever takes one of them has taken it. */
  inner: Branch[]
}

/** A node of the syntax tree. */
export interface Node {
  type: string
  start: number
  /** Exclusive. */
  end: number
  [key: string]: unknown
}

/** The offset of each line in a text. */
export function lineOffsets(text: string): number[] {
  const offsets = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) offsets.push(end + 1)
  return offsets
}

/** Whether a property of a node is a node. */
export const isNode = (value: unknown): value is Node =>
  typeof (value as Node | null)?.type === 'string' && typeof (value as Node).start === 'number'

/**
 * Parses code, with all positions as they are.
 * @param code in JavaScript
 * @throws SyntaxError
 */
export function parsed(code: string): Node {
  const program: unknown = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowReturnOutsideFunction: true,
  })
  return program as Node
}

/** The nodes in a node, in the order of the source. */
export const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** Whether a node is a function, of whatever form. */
export const isFunction = ({ type }: Node) => /^(Arrow)?Function/.test(type)

/** Whether a node has the same value wherever it stands: `''`, `-1`, `[]`, `undefined`. */
function isConstant(node: Node): boolean {
  if (node.type === 'Literal') return true
  if (node.type === 'Identifier') return node.name === 'undefined'
  if (node.type === 'UnaryExpression') return childrenOf(node).every(isConstant)
  return /^(Array|Object)Expression$/.test(node.type) && childrenOf(node).length === 0
}

const optional = (...nodes: unknown[]): Node[] => nodes.filter(isNode)

/** The children that run whenever the node does, as often as V8 can tell. */
function certain(node: Node): Node[] {
  if (isFunction(node)) return []
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return optional(node.test)
    case 'LogicalExpression':
    case 'AssignmentPattern':
      return optional(node.left)
    case 'ForStatement':
      return optional(node.init ?? node.test)
    case 'ForOfStatement':
    case 'ForInStatement':
      return optional(node.right)
    case 'SwitchStatement':
      return optional(node.discriminant)
    case 'TryStatement':
      return optional(node.block)
    case 'BlockStatement':
      return childrenOf(node).slice(0, 1)
    case 'DoWhileStatement':
      return []
    // V8 counts methods, and what sets the fields, as functions of their own.
    case 'ClassDeclaration':
    case 'ClassExpression':
      return optional(node.superClass)
    case 'Property':
      return node.method || node.kind !== 'init' ? [] : childrenOf(node)
    default:
      return childrenOf(node)
  }
}

/** The positions in a node that run whenever it does. After `await` and `yield` V8 counts anew: it may never go on. */
function positions(node: Node): number[] {
  const found: number[] = []
  const goesOn = (node: Node): boolean => {
    found.push(node.start)
    return certain(node).every(goesOn) && !/^(Await|Yield)/.test(node.type)
  }
  goesOn(node)
  return found
}

/** Where the code of a node begins; the bundler can drop any of its statements, or the braces. */
function beginnings(node: Node): number[][] {
  if (node.type === 'FunctionDeclaration' || node.type === 'EmptyStatement') return []
  if (node.type !== 'BlockStatement') return [positions(node)]
  return [[node.start], ...childrenOf(node).flatMap(beginnings)]
}

/** Whether nothing after a statement runs. */
function leaves(node: Node | undefined): boolean {
  if (node?.type === 'BlockStatement') return leaves(childrenOf(node).at(-1))
  return node !== undefined && /^(Return|Throw|Break|Continue)/.test(node.type)
}

/**
 * Finds the branches of a source.
 * @param source in TypeScript whose types can be removed without moving anything
 * @returns the outermost ones, in the order of the source
 * @throws SyntaxError
 */
export function branchesOf(source: string): Branch[] {
  const lines = lineOffsets(source)
  const lineAt = (position: number) => lines.findLastIndex((offset) => offset <= position) + 1

  function visit(node: Node, into: Branch[], following: readonly Node[] = []): void {
    const add = (
      kind: string,
      at: Node,
      begins: number[][],
      before: number[] = [],
      instead: number[][] = [],
    ): Branch[] => {
      const inner: Branch[] = []
      into.push({ kind, line: lineAt(at.start), begins, before, instead, inner })
      return inner
    }
    const visitAll = (nodes: readonly Node[], into: Branch[]) => {
      nodes.forEach((each, index) => {
        visit(each, into, nodes.slice(index + 1))
      })
    }

    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      const [test, yes, no] = optional(node.test, node.consequent, node.alternate) as [Node, Node, Node?]
      const isIf = node.type === 'IfStatement'
      // After an arm that leaves, what follows is the other one.
      const others = no ? [no] : leaves(yes) ? following : []
      const [before, ifTrue, ifFalse] = [positions(test), beginnings(yes), others.flatMap(beginnings)]
      visit(test, into)
      visit(yes, add(isIf ? 'if' : '? …', yes, ifTrue, before, ifFalse))
      const inElse = add(isIf ? (no ? 'else' : 'no else') : ': …', no ?? node, ifFalse, before, ifTrue)
      if (no) visit(no, inElse)
    } else if (node.type === 'LogicalExpression') {
      const [left, right] = optional(node.left, node.right) as [Node, Node]
      visit(left, into)
      if (node.operator === '??' && isConstant(right)) return
      visit(right, add(`${node.operator} …`, right, beginnings(right)))
    } else if (node.type === 'SwitchStatement') {
      const [discriminant, ...cases] = childrenOf(node) as [Node, ...Node[]]
      visit(discriminant, into)
      cases.forEach((each, index) => {
        const [test] = optional(each.test)
        const statements = (each.consequent as unknown[]).filter(isNode)
        const previous = cases[index - 1]
        const falls = previous && (previous.consequent as unknown[]).length === 0
        const inner = falls
          ? add('case', each, [], [each.start], [[previous.start]])
          : add(test ? 'case' : 'default', each, [[each.start]])
        if (test) visit(test, into)
        visitAll(statements, inner)
      })
    } else if (isFunction(node)) {
      const body = node.body as Node
      for (const child of childrenOf(node)) if (child !== body) visit(child, into)
      visit(body, add('function', node, beginnings(body)))
    } else {
      visitAll(childrenOf(node), into)
    }
  }

  const branches: Branch[] = []
  visit(parsed(stripTypeScriptTypes(source)), branches)
  return branches
}
