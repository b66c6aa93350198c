/** Several calls in one write, each of which decides on the next: its steps. */
import type { SharedDatabase } from '../db/client.ts'
import { type Attribution, attributionOf } from '../db/current-write.ts'
import { isJsonPage } from '../db/pages.ts'
import { ApiError, preconditionFailed } from '../errors.ts'
import { followed, isMatch } from '../etags.ts'
import { type Call, run } from '../requests/calls.ts'
import { comparePreconditions, type Preconditions, resultOf } from '../requests/preconditions.ts'
import { type ResponseShape, responseOf, toText } from '../requests/responses.ts'
import type { Rules } from '../requests/rules.ts'
import type { JsonBytes } from '../schemas/serialization.ts'

/** Bytes that the results of one write may have together. */
const RESULTS_LIMIT = 16 * 1024 * 1024

/** A step. All of it is structured-cloneable. */
export interface Step extends Omit<Preconditions, 'ifNoneMatch'> {
  /** Which request it is of, from 0. */
  request: number
  call: Call
  /** How its route responds; absent for a step that is no request, and tells nothing. */
  shape?: ResponseShape
  /** What later steps call its result. */
  as?: string
}

/** Results that have a name, as JSON. */
export type NamedBodies = (readonly [name: string, body: string])[]

/** Asks for the named results of all steps so far: the next step is decided by them. */
export const AWAIT = Symbol('phaseboard.await')

/**
 * Yields the steps, and is given named results: those of the step, or later, at the latest where it asks for them. So steps can
 * be decided on before any is run. What a step throws is thrown into it where it was the latest.
 */
export type StepGenerator = Generator<Step | typeof AWAIT, void, NamedBodies>

/** What a step threw, after which others had been decided on. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly request: number

  /** @param request which request the step is of */
  constructor(request: number, cause: unknown) {
    super('an earlier step failed', { cause })
    this.request = request
  }
}

/** Refuses results that are more than one response should have. */
export const tooLarge = () => new ApiError(413, 'Batch is too large')

/** Refuses what takes longer than others may be kept waiting. */
export const tooMuch = () => new ApiError(413, 'Too much for one batch')

/** How steps are run. */
export interface StepsMode {
  /** Whether to undo everything in the end. */
  isDryRun: boolean
  /** Whether they only read: then they are run inside a read, not a write. */
  isRead: boolean
}

/** The ETag of a list as its GET shows it; undefined for all but those of projects. */
function etagOfList(value: unknown): string | undefined {
  if (!isJsonPage(value) || value.etag === undefined) return undefined
  return value.next === undefined ? value.etag : followed(value.etag)
}

/** Checks the condition of a step that reads. @throws ApiError 412 */
function ensureNamed(ifMatch: string, etag: string | undefined): void {
  if (!isMatch(ifMatch, etag)) throw preconditionFailed(etag === undefined ? {} : { etag })
}

/** Runs steps inside a write, or a read, and puts their results together. */
export class StepRunner {
  readonly #rules: Rules
  readonly #mode: StepsMode
  readonly #attribution: Attribution
  readonly #parts: (string | JsonBytes)[] = []
  #size = 0

  constructor(db: SharedDatabase, rules: Rules, mode: StepsMode) {
    this.#rules = rules
    this.#mode = mode
    this.#attribution = attributionOf(db)
  }

  /** Bytes of the results so far, roughly. */
  get size(): number {
    return this.#size
  }

  /**
   * Runs a step.
   * @returns the body of its result with its name, if it has one
   * @throws ApiError 413, 412, or whatever the rule throws
   */
  run({ call, shape, record, ifMatch, unchanged, as }: Step): NamedBodies {
    const rules = this.#rules
    comparePreconditions(rules, {
      ...(record && { record }),
      ...(ifMatch !== undefined && { ifMatch }),
      ...(unchanged && { unchanged }),
    })
    // Those rules read the changes of the steps before.
    if (!this.#mode.isRead && call.path.startsWith('changes.')) this.#attribution.attribute()
    const result = run(rules, call)
    if (shape === undefined) return []
    const value = resultOf(rules, shape, record, result)
    const { status, body, etag } = responseOf(shape, value)
    const shown = body || 'null'
    this.#size += shown.length
    if (this.#size > RESULTS_LIMIT) throw tooLarge()
    if (record === undefined && ifMatch !== undefined) ensureNamed(ifMatch, etag ?? etagOfList(value))
    const end = etag === null ? '}' : `,"etag":${JSON.stringify(etag)}}`
    this.#parts.push(`${this.#parts.length > 0 ? ',' : ''}{"status":${status},"body":`, shown, end)
    return as === undefined ? [] : [[as, toText(shown)]]
  }

  /** The response to all steps. */
  response(): JsonBytes {
    const parts = ['{"results":[', ...this.#parts, `],"dryRun":${this.#mode.isDryRun}}`]
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  }
}

/** Rolls a write back that was only tried, and carries its response. Never becomes a response itself. */
export class DryRun extends Error {
  override readonly name = 'DryRun'
  readonly response: JsonBytes

  constructor(response: JsonBytes) {
    super()
    this.response = response
  }
}
