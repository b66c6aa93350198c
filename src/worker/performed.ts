/** The rules as requests call them: each call is one read or one write, on the event loop or in the worker thread. */
import type { Write } from '../db/group-commit.ts'
import { TooMuchWork } from '../db/work-limits.ts'

type Method = (...args: unknown[]) => unknown

/** The same methods as promises; a write resolves once it is synced to disk. */
export type Performed<Rules> = {
  readonly [Name in keyof Rules]: Rules[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : Performed<Rules[Name]>
}

/** Calls a rule in the worker thread, by its path, e.g. `board.items.move`. */
export type Offload = (path: string, args: unknown[]) => Promise<unknown>

/** Whether a method only reads: a class of rules lists these in `reads`. All others are writes. */
const isRead = (owner: object, name: string): boolean =>
  (owner.constructor as { reads?: readonly string[] }).reads?.includes(name) ?? false

/** The names of an object's methods, inherited ones included. */
function methodsOf(owner: object): string[] {
  const prototype: object = Object.getPrototypeOf(owner)
  if (prototype === Object.prototype) return []
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  return [...new Set([...own, ...methodsOf(prototype)])]
}

/** The parts of rules: the instances of rules classes among their public fields. */
const partsOf = (owner: object): [name: string, part: object][] =>
  Object.entries(owner).filter(([, part]) => isRules(part))

const isRules = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'reads' in value.constructor

/**
 * Wraps rules as requests call them.
 * @param rules an instance of a class that lists in `reads` the methods that only read
 * @param path the path of these rules, e.g. `board.items`
 * @param write runs a rule as a write
 * @param offload runs a rule in the worker thread, where it would block the event loop
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
