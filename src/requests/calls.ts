/** Calls of rules, as plain data: a rule's path and its arguments. */
import type { JsonPage } from '../db/pages.ts'
import type { JsonBytes } from '../schemas/serialization.ts'

declare const RESULT: unique symbol

/**
 * A call of a rule. It runs only when performed: by the request whose handler returns it, or by `app.perform` and `app.read`. A
 * structured clone of it does the same in another thread.
 */
export interface Call<Result = unknown> {
  /** The path of the method, e.g. `board.items.move`. */
  path: string
  args: unknown[]
  /** Work after the write is on disk: on the event loop, and not for a replay. */
  afterwards?: () => void
  /** The type of its result, only for the type check. */
  readonly [RESULT]?: Result
}

export const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'path' in value && 'args' in value

/** The result type of a call, for the types of responses: bytes match any response schema. */
type Responding<Result> = Result extends JsonBytes | JsonPage
  ? never
  : Result extends void
    ? undefined
    : Result

/** The same methods, returning calls. */
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

/** The parts of rules: public fields with instances of rule classes. */
const partsOf = (owner: object): [name: string, part: object][] =>
  Object.entries(owner).filter(([, part]) => isRules(part))

/**
 * The typed way to make calls of rules.
 * @param rules an instance of a class that lists its read-only methods in `reads`
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
  /** Whether it only reads: rule classes list these methods in `reads`. All others are writes. */
  isRead: boolean
}

/** A cache of rules, by connection and path. */
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

/** Runs the called rule. @throws its errors */
export function run(rules: object, { path, args }: Call): unknown {
  const { owner, method } = ruleAt(rules, path)
  return method.apply(owner, args)
}
