/** Several calls ("steps") in one write, where results may decide later ones. */
import type { SharedDatabase } from '../db/client.ts'
import { type Attribution, attributionOf } from '../db/current-write.ts'
import { isJsonPage } from '../db/pages.ts'
import { ApiError, preconditionFailed } from '../errors.ts'
import { followed, isMatch } from '../etags.ts'
import { type Call, run } from '../requests/calls.ts'
import { comparePreconditions, type Preconditions, resultOf } from '../requests/preconditions.ts'
import { type ResponseShape, responseOf, toText } from '../requests/responses.ts'
import type { Rules } from '../requests/rules.ts'
import { type ChangeCheck, wouldLose } from '../requests/scoped-rules.ts'
import type { JsonBytes } from '../schemas/serialization.ts'

/** Total size of the results of one write, in bytes, at most. */
const RESULTS_LIMIT = 16 * 1024 * 1024

/** A step; structured-cloneable. */
export interface Step extends Omit<Preconditions, 'ifNoneMatch'> {
  /** The index of its request, from 0. */
  request: number
  call: Call
  /** How its route responds; absent for a step without a request and result. */
  shape?: ResponseShape
  /** A name for its result, for later steps. */
  as?: string
}

/** The named results, as JSON. */
export type NamedBodies = (readonly [name: string, body: string])[]

/** Requests the named results of all steps so far, which decide the next step. */
export const AWAIT = Symbol('phaseboard.await')

/**
 * Yields the steps, and receives named results: at once or later, at the latest when it requests them. So steps can
 * be decided before any is run. The error of the latest step is thrown into it.
 */
export type StepGenerator = Generator<Step | typeof AWAIT, void, NamedBodies>

/** The error of a step, after which others had already been decided, or run. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly request: number

  /** @param request the index of the step's request */
  constructor(request: number, cause: unknown) {
    super('an earlier step failed', { cause })
    this.request = request
  }
}

/** Refuses results that are too large for one response. */
const tooLarge = () => new ApiError(413, 'Batch is too large')

/** Refuses batches that would block others for too long. */
export const tooMuch = () => new ApiError(413, 'Too much for one batch')

/** How to run steps. */
export interface StepsMode {
  /** Whether to roll back at the end. */
  isDryRun: boolean
  /** Whether they only read: then they run inside a read, not a write. */
  isRead: boolean
}

/** The ETag of a list as in its GET; undefined for lists other than projects. */
function etagOfList(value: unknown): string | undefined {
  if (!isJsonPage(value) || value.etag === undefined) return undefined
  return value.next === undefined ? value.etag : followed(value.etag)
}

/** Checks the precondition of a reading step. @throws ApiError 412 */
function ensureNamed(ifMatch: string, etag: string | undefined): void {
  if (!isMatch(ifMatch, etag)) throw preconditionFailed(etag === undefined ? {} : { etag })
}

/** Runs steps inside a write or a read, and collects their results. */
export class StepRunner {
  readonly #rules: Rules
  readonly #mode: StepsMode
  readonly #check: ChangeCheck | undefined
  readonly #attribution: Attribution
  readonly #parts: (string | JsonBytes)[] = []
  #size = 0

  /** @param check of the changes of a caller without unlimited access */
  constructor(db: SharedDatabase, rules: Rules, mode: StepsMode, check?: ChangeCheck) {
    this.#rules = rules
    this.#mode = mode
    this.#check = check
    this.#attribution = attributionOf(db)
  }

  /** Bytes of the results so far, roughly. */
  get size(): number {
    return this.#size
  }

  /**
   * Runs a step.
   * @returns the body of its result with its name, if it has one
   * @throws ApiError 413, 412, or the error of the rule
   */
  run({ request, call, shape, record, ifMatch, unchanged, as }: Step): NamedBodies {
    const rules = this.#rules
    comparePreconditions(rules, {
      ...(record && { record }),
      ...(ifMatch !== undefined && { ifMatch }),
      ...(unchanged && { unchanged }),
    })
    // These rules read the changes of earlier steps.
    if (!this.#mode.isRead && call.path.startsWith('changes.')) this.#attribution.attribute()
    const result = run(rules, call)
    this.#check?.ended(request)
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

  /** The refusal of the first step that took a project from the caller, if no later step has given it back. */
  refusal(): StepFailure | undefined {
    const request = this.#check?.losing()
    return request === undefined ? undefined : new StepFailure(request, wouldLose())
  }

  /** The response to all steps. */
  response(): JsonBytes {
    const parts = ['{"results":[', ...this.#parts, `],"dryRun":${this.#mode.isDryRun}}`]
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  }
}

/** Rolls back a dry run, and carries its response. Never becomes a response itself. */
export class DryRun extends Error {
  override readonly name = 'DryRun'
  readonly response: JsonBytes

  constructor(response: JsonBytes) {
    super()
    this.response = response
  }
}
