/** The rules as requests call them: each call is one read, or one write of its own, in whichever thread has time for it. */
import type { Write } from '../db/group-commit.ts'
import { TooMuchWork } from '../db/work-limits.ts'

type Method = (...args: unknown[]) => unknown

/** The same methods, each of which resolves once it is done; what changed something is on disk by then. */
export type Performed<Rules> = {
  readonly [Name in keyof Rules]: Rules[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : Performed<Rules[Name]>
}

/** Calls a rule in the worker thread, by its path, e.g. `board.items.move`. */
export type Offload = (path: string, args: unknown[]) => Promise<unknown>

/** A class of rules says which of its methods only read. All others are writes. */
const isRead = (owner: object, name: string): boolean =>
  (owner.constructor as { reads?: readonly string[] }).reads?.includes(name) ?? false

/** The names of the methods of an object of a class, those that it inherits among them. */
function methodsOf(owner: object): string[] {
  const prototype: object = Object.getPrototypeOf(owner)
  if (prototype === Object.prototype) return []
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  return [...new Set([...own, ...methodsOf(prototype)])]
}

/** The rules that belong to others: the objects of classes among their fields. */
const partsOf = (owner: object): [name: string, part: object][] =>
  Object.entries(owner).filter(([, part]) => isRules(part))

const isRules = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'reads' in value.constructor

/**
 * Makes the rules as requests call them.
 * @param rules an object of a class that says in `reads` which of its methods only read, and its parts
 * @param path where they stand among all rules, e.g. `board.items`
 * @param write runs a rule as a write
 * @param offload runs it in the worker thread, where it would hold up the event loop
 */
export function performed<Rules extends object>(
  rules: Rules,
  path: string,
  write: Write,
  offload: Offload,
): Performed<Rules> {
  const perform = (name: string) => {
    const method = (rules as Record<string, Method>)[name] as Method
    const reads = isRead(rules, name)
    return async (...args: unknown[]): Promise<unknown> => {
      try {
        return reads ? method.apply(rules, args) : await write(() => method.apply(rules, args))
      } catch (error) {
        if (error instanceof TooMuchWork) return offload(`${path}.${name}`, args)
        throw error
      }
    }
  }
  return Object.fromEntries([
    ...methodsOf(rules).map((name) => [name, perform(name)]),
    ...partsOf(rules).map(([name, part]) => [name, performed(part, `${path}.${name}`, write, offload)]),
  ]) as Performed<Rules>
}

/**
 * Finds a rule by its path.
 * @returns the call, and whether it only reads
 */
export function ruleAt(rules: object, path: string): { call: Method; reads: boolean } {
  const names = path.split('.')
  const name = names.pop() as string
  const owner = names.reduce<object>((part, one) => (part as Record<string, object>)[one] as object, rules)
  const method = (owner as Record<string, Method>)[name] as Method
  return { call: (...args) => method.apply(owner, args), reads: isRead(owner, name) }
}
