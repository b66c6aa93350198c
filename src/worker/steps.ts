/** Several calls in one write, each of which decides on the next: its steps. */
import type { SharedDatabase } from '../db/client.ts'
import { type Attribution, attributionOf } from '../db/current-write.ts'
import { ApiError } from '../errors.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { type CallOf, ruleAt } from './calls.ts'
import type { Rules } from './rules.ts'
import {
  bodyOf,
  ensureMatch,
  etagOfRecord,
  isRecord,
  type ResponseShape,
  resultOf,
  statusOf,
  toText,
  type WriteTerms,
} from './writes.ts'

/** Bytes that the results of one write may have together. */
const RESULTS_LIMIT = 16 * 1024 * 1024

/** A step. All of it is structured-cloneable. */
export interface Step extends Pick<WriteTerms, 'record' | 'ifMatch'> {
  call: CallOf
  /** How its route responds; absent for a step that is no request, and tells nothing. */
  shape?: ResponseShape
  /** Whether later steps may refer to its result. */
  isNamed?: boolean
}

/** Yields the steps, and is given the body of each that is named. What a step throws is thrown into it. */
export type StepGenerator = Generator<Step, void, string | undefined>

/** Refuses what is more than one write should do. */
export const tooLarge = () => new ApiError(413, 'Batch is too large')

/** Runs steps inside a write, and puts their results together. */
export class StepRunner {
  readonly #rules: Rules
  readonly #attribution: Attribution
  readonly #parts: (string | JsonBytes)[] = []
  #size = 0

  constructor(db: SharedDatabase, rules: Rules) {
    this.#rules = rules
    this.#attribution = attributionOf(db)
  }

  /** Bytes of the results so far, roughly. */
  get size(): number {
    return this.#size
  }

  /**
   * Runs a step.
   * @returns the body of its result, if it is named
   * @throws ApiError 413, 412, or whatever the rule throws
   */
  run({ call, shape, record, ifMatch, isNamed = false }: Step): string | undefined {
    const rules = this.#rules
    ensureMatch(rules, {
      actorId: null,
      ...(record && { record }),
      ...(ifMatch !== undefined && { ifMatch }),
    })
    // Those rules read the changes of the steps before.
    if (call.path.startsWith('changes.')) this.#attribution.attribute()
    const result = ruleAt(rules, call.path).call(...call.args)
    if (shape === undefined) return undefined
    const value = resultOf(rules, shape, record, result)
    const body = bodyOf(shape, value) || 'null'
    this.#size += body.length
    if (this.#size > RESULTS_LIMIT) throw tooLarge()
    const etag = isRecord(shape, value) ? etagOfRecord(shape, value, body) : undefined
    const end = etag === undefined ? '}' : `,"etag":${JSON.stringify(etag)}}`
    this.#parts.push(
      `${this.#parts.length > 0 ? ',' : ''}{"status":${statusOf(shape, value)},"body":`,
      body,
      end,
    )
    return isNamed ? toText(body) : undefined
  }

  /** The response to all steps. */
  response(isDryRun: boolean): JsonBytes {
    const parts = ['{"results":[', ...this.#parts, `],"dryRun":${isDryRun}}`]
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
