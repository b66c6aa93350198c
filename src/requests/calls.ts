/** The rules as requests call them: each call is one read or one write, on the event loop or in the worker thread. */
import type { JsonPage } from '../db/pages.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import type { WriteOutcome, WriteTerms } from './writes.ts'

type Method = (...args: unknown[]) => unknown

/** Which method of the rules to call, and with what. A structured clone of it does the same in another thread. */
export interface CallOf {
  /** The path of the method, e.g. `board.items.move`. */
  path: string
  args: unknown[]
}

/** How calls are performed: on the event loop, or in the worker thread where that would take too long. */
export interface Dispatcher {
  /** @param turn whose turn it takes in the worker thread: see `Offload.perform` */
  read: (call: CallOf, turn?: string | null) => Promise<unknown>
  write: (call: CallOf, terms: WriteTerms) => Promise<WriteOutcome<unknown>>
}

/** Nobody's write, without conditions. */
const NOBODY: WriteTerms = { actorId: null }

/**
 * A call of a rule: a promise that starts when it is first awaited. A handler that returns it lets its request perform it,
 * on the request's terms: who acts, on which condition, and how the response is kept (see `plugins/requests.ts`).
 */
export class Call<Result> implements Promise<Result>, CallOf {
  readonly [Symbol.toStringTag] = 'Call'
  readonly path: string
  readonly args: unknown[]
  readonly isRead: boolean
  readonly #dispatcher: Dispatcher
  #result: Promise<Result> | undefined

  constructor({ path, args, isRead }: CallOf & { isRead: boolean }, dispatcher: Dispatcher) {
    this.path = path
    this.args = args
    this.isRead = isRead
    this.#dispatcher = dispatcher
  }

  /** Performs a call that only reads. @param turn whose turn it takes in the worker thread */
  read(turn: string | null = null): Promise<Result> {
    return this.#dispatcher.read(this, turn) as Promise<Result>
  }

  /** Performs a call that writes, on these terms. */
  write(terms: WriteTerms): Promise<WriteOutcome<Result>> {
    return this.#dispatcher.write(this, terms) as Promise<WriteOutcome<Result>>
  }

  #start(): Promise<Result> {
    this.#result ??= this.isRead ? this.read() : this.write(NOBODY).then(({ value }) => value)
    return this.#result
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<A = Result, B = never>(
    onResult?: ((result: Result) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#start().then(onResult, onError)
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Result | B> {
    return this.#start().catch(onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Result> {
    return this.#start().finally(onEnd)
  }
}

/** What a call results in, for the types of responses: bytes are whatever the response's schema says. */
type Answering<Result> = Result extends JsonBytes | JsonPage ? never : Result

/** The same methods as calls; a write resolves once it is synced to disk. */
export type Performed<Rules> = {
  readonly [Name in keyof Rules]: Rules[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Call<Answering<Result>>
    : Performed<Rules[Name]>
}

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
 */
export function performed<Rules extends object>(
  rules: Rules,
  path: string,
  dispatcher: Dispatcher,
): Performed<Rules> {
  const calling = (name: string) => {
    const of = { path: `${path}.${name}`, isRead: isRead(rules, name) }
    return (...args: unknown[]) => new Call({ ...of, args }, dispatcher)
  }
  return Object.fromEntries([
    ...methodsOf(rules).map((name) => [name, calling(name)]),
    ...partsOf(rules).map(([name, part]) => [name, performed(part, `${path}.${name}`, dispatcher)]),
  ]) as Performed<Rules>
}

/** A rule, found by its path: the call, and whether it only reads. */
interface Rule {
  call: Method
  reads: boolean
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
  const method = (owner as Record<string, Method>)[name] as Method
  return { call: (...args) => method.apply(owner, args), reads: isRead(owner, name) }
}
