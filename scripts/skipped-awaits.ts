/** Code that V8 counts wrongly. */
import { childrenOf, isFunction, isNode, type Node, parsed } from './branches.ts'

/**
 * Code after an operand with an `await`, as in `if (a && await b, c)`: the bundler makes such of `if (a) await b`. V8 begins a new block after
 * each `await`, and forgets that the operand can be skipped: so it counts the code up to the next block as often as the `await` ended.
 */
export interface AfterOperand {
  /** Where the operand begins. The blocks from there on are not those around the code. */
  operand: number
  /** The code. The end is exclusive. */
  start: number
  end: number
}

/** Where V8 can begin a block within a node. Too many of them do no harm. */
function blocksIn(node: Node): number[] {
  const [left, test, consequent] = [node.left, node.test, node.consequent]
  if (node.type === 'LogicalExpression') return isNode(left) ? [left.end] : []
  if (/^(If|Conditional)/.test(node.type)) return [test, consequent].filter(isNode).map(({ end }) => end)
  if (/^(Await|Yield)/.test(node.type)) return [node.end]
  if (/^(CatchClause|SwitchCase|BlockStatement)$/.test(node.type)) return [node.start, node.end]
  if (/Statement$/.test(node.type) && node.type !== 'ExpressionStatement') {
    return isNode(node.body) ? [node.body.start, node.end] : [node.end]
  }
  return []
}

/** The operands that can be skipped, and where each begins: after the one before it. */
function operandsOf(node: Node): [begin: number, operand: Node][] {
  const [one, two, three] = [node.left ?? node.test, node.right ?? node.consequent, node.alternate]
  if (!/^(Logical|Conditional)Expression$/.test(node.type) || !isNode(one) || !isNode(two)) return []
  return [[one.end, two], ...(isNode(three) ? [[two.end, three] as [number, Node]] : [])]
}

/**
 * Finds the code after operands with an `await`.
 * @param code of a script, in JavaScript
 * @returns in the order of the code
 * @throws SyntaxError
 */
export function afterOperands(code: string): AfterOperand[] {
  const blocks: number[] = []
  const operands: { operand: number; start: number }[] = []
  /** @returns whether the function around the node can wait in it */
  function visit(node: Node): boolean {
    blocks.push(...blocksIn(node))
    const waiting = childrenOf(node).filter(visit)
    for (const [operand, { end }] of operandsOf(node).filter(([, each]) => waiting.includes(each))) {
      operands.push({ operand, start: end })
    }
    return !isFunction(node) && (waiting.length > 0 || /^(Await|Yield)/.test(node.type))
  }
  visit(parsed(code))
  blocks.sort((one, other) => one - other)
  operands.sort((one, other) => one.start - other.start || one.operand - other.operand)
  const found: AfterOperand[] = []
  let next = 0
  for (const { operand, start } of operands) {
    const last = found.at(-1)
    // The outermost of those that end here is the first one.
    if (last?.start === start) continue
    while (next < blocks.length && (blocks[next] as number) <= start) next++
    // V8 makes one block of neighbours that it counted as often.
    const isNext = last !== undefined && last.end >= operand
    found.push({ operand: isNext ? last.operand : operand, start, end: blocks[next] ?? code.length })
  }
  return found
}
