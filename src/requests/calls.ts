/** Calls of rules, as plain data: which rule to run, and with what. */
import type { JsonPage } from '../db/pages.ts'
import type { JsonBytes } from '../schemas/serialization.ts'

declare const RESULT: unique symbol

/**
 * A call of a rule. Nothing runs before somebody performs it: the request whose handler returns it, or `app.perform` and `app.read`. A
 * structured clone of it does the same in another thread.
 */
export interface Call<Result = unknown> {
  /** The path of the method, e.g. `board.items.move`. */
  path: string
  args: unknown[]
  /** What a handler has to do once the write is on disk: on the event loop, and not for a repetition. */
  afterwards?: () => void
  /** What it results in, for the type check alone. */
  readonly [RESULT]?: Result
}

/** Whether a value is a call. */
export const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'path' in value && 'args' in value

/** What a call results in, for the types of responses: bytes are whatever the response's schema says. */
type Responding<Result> = Result extends JsonBytes | JsonPage
  ? never
  : Result extends void
    ? undefined
    : Result

/** The same methods, which return calls of themselves. */
export type Calls<Rules> = {
  readonly [Name in keyof Rules]: Rules[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Call<Responding<Result>>
    : Calls<Rules[Name]>
}

/** The names of an object's methods, inherited ones included. */
function methodsOf(owner: object): string[] {
  const prototype: object = Object.getPrototypeOf(owner)
  if (prototype === Object.prototype) return []
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  return [...new Set([...own, ...methodsOf(prototype)])]
}

const isRules = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'reads' in value.constructor

/** The parts of rules: the instances of rules classes among their public fields. */
const partsOf = (owner: object): [name: string, part: object][] =>
  Object.entries(owner).filter(([, part]) => isRules(part))

/**
 * The typed way to make calls of rules.
 * @param rules an instance of a class that lists in `reads` the methods that only read
 * @param path the path of these rules, e.g. `board.items`
 */
export function callsOf<Rules extends object>(rules: Rules, path: string): Calls<Rules> {
  const calling = (name: string) => {
    const to = `${path}.${name}`
    return (...args: unknown[]): Call => ({ path: to, args })
  }
  return Object.fromEntries([
    ...methodsOf(rules).map((name) => [name, calling(name)]),
    ...partsOf(rules).map(([name, part]) => [name, callsOf(part, `${path}.${name}`)]),
  ]) as Calls<Rules>
}

/** A rule, found by its path. */
interface Rule {
  owner: object
  method: (...args: unknown[]) => unknown
  /** Whether it only reads: a class of rules lists these methods in `reads`. All others are writes. */
  isRead: boolean
}

/** The rules that were found, by the rules of their connection and their path. */
const found = new WeakMap<object, Map<string, Rule>>()

/** Finds a rule by its path. */
export function ruleAt(rules: object, path: string): Rule {
  const known = found.get(rules) ?? new Map<string, Rule>()
  found.set(rules, known)
  const rule = known.get(path) ?? findRule(rules, path)
  known.set(path, rule)
  return rule
}

function findRule(rules: object, path: string): Rule {
  const names = path.split('.')
  const name = names.pop() as string
  const owner = names.reduce<object>((part, one) => (part as Record<string, object>)[one] as object, rules)
  const method = (owner as Record<string, Rule['method']>)[name] as Rule['method']
  const { reads = [] } = owner.constructor as { reads?: readonly string[] }
  return { owner, method, isRead: reads.includes(name) }
}

/** Runs the rule that is called. @throws whatever it throws */
export function run(rules: object, { path, args }: Call): unknown {
  const { owner, method } = ruleAt(rules, path)
  return method.apply(owner, args)
}
