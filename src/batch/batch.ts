/** Batches: several requests in one write, each handled by its own route. A batch is plain data, and runs whole in one thread. */
import type { ErrorObject } from 'ajv'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from '../access/addresses.ts'
import { callerWith } from '../access/caller.ts'
import { CALLER, callerOf, IDENTITY, identityOf } from '../access/identity.ts'
import type { SharedDatabase } from '../db/client.ts'
import { attributionOf } from '../db/current-write.ts'
import { isJsonPage } from '../db/pages.ts'
import { indexBeforeSearch } from '../db/search-index.ts'
import { TooMuchWork } from '../db/too-much-work.ts'
import { ApiError, BatchFailure, preconditionFailed, SpecifiedFailure, validationFailed } from '../errors.ts'
import { followed, isMatch } from '../etags.ts'
import { authorize, hasBody, type Identity, isSafe } from '../members/identity.ts'
import type { HostPerson } from '../phaseboard.d.ts'
import { toApiError } from '../requests/api-errors.ts'
import { type Call, isCall, run } from '../requests/calls.ts'
import { createNumberResolver, isExistenceCheck, isOfItem } from '../requests/existence.ts'
import { HOSTED } from '../requests/hosted-people.ts'
import { comparePreconditions, type Preconditions, resultOf } from '../requests/preconditions.ts'
import { unchangedOf } from '../requests/read-only.ts'
import type { createReaderCheck } from '../requests/readers.ts'
import { type ResponseShape, responseOf, toText } from '../requests/respond.ts'
import type { Rules } from '../requests/rules.ts'
import { type ChangeCheck, wouldLose } from '../requests/scoped-rules.ts'
import { flattenErrors } from '../requests/violations.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import type { WithinLimits } from './limits.ts'
import {
  type BatchMethod,
  ensureMayBeBatched,
  type Hook,
  type Operation,
  type Operations,
} from './operations.ts'
import { NamedResults } from './placeholders.ts'

export interface BatchedRequest {
  method: BatchMethod
  /** Path and query, relative to the service's prefix. */
  path: string
  body?: object
  /** Like the header `If-Match`. */
  ifMatch?: string
  /** A name for the result, for later requests. */
  as?: string
}

/** How to handle the requests of a batch. */
export interface BatchOptions {
  /** Whether each is handled strictly, whatever the outer request prefers. */
  isStrict?: boolean
  /** Whether bodies are used unchanged: then only paths have placeholders. */
  hasLiteralBodies?: boolean
}

/** What the requests of a batch have in common: parts of the request that it came with. */
interface Sender {
  headers: Record<string, unknown>
  identity: Identity
  address: string
  /** See {@link HOSTED}. */
  hosted: HostPerson[] | undefined
}

/** A batch; structured-cloneable. */
export interface Batch extends BatchOptions {
  requests: readonly BatchedRequest[]
  sender: Sender
  /** Whether to roll back at the end. */
  isDryRun: boolean
}

/** Whether a batch only reads: then it runs inside a read, not a write. */
export const isRead = ({ requests }: Batch): boolean => requests.every(({ method }) => isSafe(method))

/** The response to a read. */
export interface ReadAnswer {
  status: number
  body: string | JsonBytes
  /** If the response is a single record. */
  etag?: string
  /** The cursor of the next page, if any. */
  next?: string
}

/** Total size of the responses of one run of reads, in bytes, at most. */
const READ_LIMIT = 4 * 1024 * 1024

/** Total size of the results of one batch, in bytes, at most. */
const RESULTS_LIMIT = 16 * 1024 * 1024

/** The service around batches, in either thread. */
export interface BatchSurroundings {
  app: FastifyInstance
  operations: Operations
  authMode: 'open' | 'required'
  /** Length of a body, in characters, at most. */
  bodyLimit: number
  /** See `createReaderCheck`. */
  checkReader: ReturnType<typeof createReaderCheck>
}

/** Headers about the batch as a whole. */
const OF_THE_BATCH = ['idempotency-key', 'if-match', 'if-none-match', 'content-type', 'content-length']

/** The reply of a request in a batch; its headers are discarded. */
const NO_REPLY = { header: () => NO_REPLY } as unknown as FastifyReply

/** A batch of these requests, with the rights and preferences of the request that it came with. */
export function batchOf(
  outer: FastifyRequest,
  requests: readonly BatchedRequest[],
  isDryRun: boolean,
  options: BatchOptions = {},
): Batch {
  const headers: Record<string, unknown> = { ...outer.headers }
  for (const name of OF_THE_BATCH) delete headers[name]
  if (options.isStrict) headers.prefer = 'handling=strict'
  const hosted = outer.getDecorator<HostPerson[] | undefined>(HOSTED)
  const sender = { headers, identity: identityOf(outer), address: addressOf(outer), hosted }
  return { requests, sender, isDryRun, ...options }
}

/** Runs a synchronous hook. @throws what it reports */
function runHook(hook: Hook, request: FastifyRequest): void {
  let isDone = false
  hook(request, NO_REPLY, (error) => {
    isDone = true
    if (error) throw error
  })
  if (!isDone) throw new Error('a hook of a batched route must be synchronous')
}

/** Validates the parts of a request in place. @throws ApiError 400 with the violations of the first part that has any */
function validate({ checks }: Operation, request: FastifyRequest): void {
  for (const { of, validate } of checks()) {
    const isValid = validate(request[of] ?? null)
    if (isValid === false) throw validationFailed(flattenErrors(validate.errors as ErrorObject[]))
  }
}

/** The ETag of a list as in its GET; undefined for lists other than projects. */
function etagOfList(value: unknown): string | undefined {
  if (!isJsonPage(value) || value.etag === undefined) return undefined
  return value.next === undefined ? value.etag : followed(value.etag)
}

/** Checks the precondition of a read. @throws ApiError 412 */
function ensureNamed(ifMatch: string, etag: string | undefined): void {
  if (!isMatch(ifMatch, etag)) throw preconditionFailed(etag === undefined ? {} : { etag })
}

/** What a request does, and how its route responds. */
interface Step extends Omit<Preconditions, 'ifNoneMatch'> {
  call: Call
  shape: ResponseShape
}

/** Where a batch runs: inside a write or a read of this connection. */
export interface BatchPlace {
  db: SharedDatabase
  rules: Rules
  /** The check of the changes of a caller without unlimited access. */
  check: ChangeCheck | undefined
  within: WithinLimits
}

/** One run of a batch. */
export class BatchRun {
  readonly #batch: Batch
  readonly #surroundings: BatchSurroundings
  readonly #results: NamedResults
  readonly #parts: (string | JsonBytes)[] = []
  #size = 0
  /** The `error` string of an unexpected failure of the current request: that of its route. */
  #failure: string | undefined
  /** The error of the failed request. */
  #failed: { index: number; error: unknown; failure: string | undefined } | undefined

  constructor(batch: Batch, surroundings: BatchSurroundings) {
    this.#batch = batch
    this.#surroundings = surroundings
    this.#results = new NamedResults(surroundings.bodyLimit)
  }

  /**
   * Performs the requests in order.
   * @returns the response to all of them
   * @throws TooMuchWork, ApiError 413, or the error of a request: see {@link errorOf}
   */
  run({ db, rules, check, within }: BatchPlace): JsonBytes {
    const isWrite = !isRead(this.#batch)
    for (const [index, request] of this.#batch.requests.entries()) {
      const perform = () => {
        const step = this.#stepOf(request, (call) => run(rules, call))
        comparePreconditions(rules, step)
        // These rules read the changes of earlier requests, and their texts in the index.
        if (isWrite && step.call.path.startsWith('changes.')) attributionOf(db).attribute()
        if (isWrite && step.call.path.startsWith('reading.search.')) indexBeforeSearch(db)
        const result = run(rules, step.call)
        check?.ended(index)
        this.#add(request, step, resultOf(rules, step.shape, step.record, result))
      }
      within(this.#size, () => this.#noteFailure(index, perform, check))
    }
    this.#ensureKept(check)
    const parts = ['{"results":[', ...this.#parts, `],"dryRun":${this.#batch.isDryRun}}`]
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  }

  /**
   * Performs read requests, each by a separate read.
   * @param perform performs a read
   * @param lookUp reads a record that must exist, at once
   * @throws ApiError 413 for more than {@link READ_LIMIT} bytes, or the error of a request
   */
  async read(perform: (call: Call) => Promise<unknown>, lookUp: (call: Call) => void): Promise<ReadAnswer[]> {
    if (!isRead(this.#batch)) throw new Error('these requests only read')
    const answers: ReadAnswer[] = []
    let size = 0
    for (const [index, request] of this.#batch.requests.entries()) {
      try {
        const { call, shape } = this.#stepOf(request, lookUp)
        const { status, body, etag, next } = responseOf(shape, await perform(call))
        size += body.length
        if (size > READ_LIMIT) throw new ApiError(413, 'Too much to read at once')
        answers.push({ status, body, ...(etag !== null && { etag }), ...(next !== undefined && { next }) })
      } catch (error) {
        this.#failed = { index, error, failure: this.#failure }
        throw error
      }
    }
    return answers
  }

  /** The error response of the batch. @param error the result of the run */
  errorOf(error: unknown): unknown {
    if (this.#failed === undefined || this.#failed.error !== error) return error
    const { index, failure = 'Internal server error' } = this.#failed
    const refusal = toApiError(error)
    if (refusal === undefined) return new BatchFailure(failure, index, error)
    const { statusCode, message, headers, code, details } = refusal
    return new ApiError(statusCode, message, { headers, code, details: { request: index, ...details } })
  }

  /** @throws the error of the request, or that of an earlier one: see {@link #ensureKept} */
  #noteFailure(index: number, perform: () => void, check: ChangeCheck | undefined): void {
    try {
      perform()
    } catch (error) {
      if (error instanceof TooMuchWork) throw error
      this.#ensureKept(check)
      this.#failed = { index, error, failure: this.#failure }
      throw error
    }
  }

  /** @throws ApiError 400 if a request has taken a project from the caller, and no later one has given it back */
  #ensureKept(check: ChangeCheck | undefined): void {
    const index = check?.losing()
    if (index === undefined) return
    this.#failed = { index, error: wouldLose(), failure: undefined }
    throw this.#failed.error
  }

  /** Adds the result of a request to the response. @throws ApiError 413, 412 */
  #add({ as }: BatchedRequest, { shape, record, ifMatch }: Step, value: unknown): void {
    const { status, body, etag } = responseOf(shape, value)
    const shown = body || 'null'
    this.#size += shown.length
    if (this.#size > RESULTS_LIMIT) throw new ApiError(413, 'Batch is too large')
    if (record === undefined && ifMatch !== undefined) ensureNamed(ifMatch, etag ?? etagOfList(value))
    const end = etag === null ? '}' : `,"etag":${JSON.stringify(etag)}}`
    this.#parts.push(`${this.#parts.length > 0 ? ',' : ''}{"status":${status},"body":`, shown, end)
    if (as !== undefined) this.#results.set(as, toText(shown))
  }

  /**
   * Does what the route's hooks, validation and handler do.
   * @param lookUp reads a record that must exist: the hook would not see the batch's own writes
   */
  #stepOf({ method, path, body, ifMatch }: BatchedRequest, lookUp: (call: Call) => void): Step {
    const { operations, checkReader } = this.#surroundings
    this.#failure = undefined
    const url = this.#results.intoPath(path)
    const { operation, params, query } = operations.find(method, url)
    const { config = {} } = operation.route
    if (isOfItem(operation.route.url))
      createNumberResolver(this.#surroundings.app.rules.board.numbers)({ params })
    this.#failure = config.failure
    this.#authorize(operation, method)
    const request = this.#requestOf(operation, { method, url, params, query, ifMatch })

    if (config.access === 'write') checkReader(request, callerOf(request).principal)
    for (const hook of operation.hooks.onRequest) {
      if (!isExistenceCheck(hook)) runHook(hook, request)
      else if (config.record) lookUp(config.record.get(request))
    }
    request.body = this.#bodyOf(operation, method, body)
    ensureMayBeBatched(operation, request)
    for (const hook of operation.hooks.preValidation) runHook(hook, request)
    validate(operation, request)
    for (const hook of operation.hooks.preHandler) runHook(hook, request)
    return this.#callOf(operation, request, ifMatch)
  }

  #authorize({ route }: Operation, method: string): void {
    const { access = 'public' } = route.config ?? {}
    if (access === 'public') throw new Error(`${route.url} is public: it must declare isSentAlone`)
    authorize(access, this.#batch.sender.identity, method, this.#surroundings.authMode)
  }

  /** The request for hooks and handlers of its route: what they need of it. */
  #requestOf(
    { route }: Operation,
    {
      url,
      ifMatch,
      ...own
    }: { url: string; ifMatch: string | undefined; method: string; params: object; query: object },
  ): FastifyRequest {
    const { headers: common, identity, address, hosted } = this.#batch.sender
    const headers = { ...common, ...(ifMatch !== undefined && { 'if-match': ifMatch }) }
    const decorators = new Map<unknown, unknown>([
      [IDENTITY, identity],
      [CALLER, callerWith(identity)],
      [HOSTED, hosted],
    ])
    return {
      ...own,
      url: this.#surroundings.app.prefix + url,
      headers,
      raw: { headers },
      body: undefined,
      ip: address,
      socket: { remoteAddress: address },
      routeOptions: { config: route.config ?? {}, method: own.method, schema: route.schema, url: route.url },
      getDecorator: (name: unknown) => decorators.get(name),
      setDecorator: (name: unknown, value: unknown) => decorators.set(name, value),
    } as unknown as FastifyRequest
  }

  #bodyOf({ route }: Operation, method: string, body: object | undefined): object | undefined {
    if (!hasBody(method) && route.schema?.body === undefined) return undefined
    if (body !== undefined) return this.#batch.hasLiteralBodies ? body : this.#results.intoBody(body)
    if (route.config?.isBodyOptional === true) return {}
    throw new SpecifiedFailure('the request body is empty', 'not_json')
  }

  #callOf({ route, handler, shape }: Operation, request: FastifyRequest, ifMatch: string | undefined): Step {
    const { inBatch, record } = route.config ?? {}
    const isHopeless = record === undefined && !isSafe(request.method) && ifMatch?.trim() !== '*'
    if (ifMatch !== undefined && isHopeless) throw preconditionFailed()
    const unchanged = unchangedOf(request)
    const handled: unknown = inBatch
      ? inBatch(request)
      : handler.call(this.#surroundings.app, request, NO_REPLY)
    if (!isCall(handled)) throw new Error(`${route.url} returned no call`)
    if (handled.afterwards)
      throw new Error(`${route.url} does something after its write: it must declare isSentAlone`)
    return {
      call: handled,
      shape,
      ...(record && { record: { get: record.get(request), shape: record.shape } }),
      ...((record || isSafe(request.method)) && ifMatch !== undefined && { ifMatch }),
      ...(unchanged && { unchanged }),
    }
  }
}
