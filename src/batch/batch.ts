/** Batches: several requests in one write, each handled by its own route. */

import type { IncomingMessage } from 'node:http'
import type { ErrorObject } from 'ajv'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, identityOf } from '../access/identity.ts'
import { ApiError, BatchFailure, preconditionFailed, SpecifiedFailure, validationFailed } from '../errors.ts'
import { authorize, hasBody, isSafe } from '../members/identity.ts'
import { toApiError } from '../requests/api-errors.ts'
import { type Call, isCall } from '../requests/calls.ts'
import { isExistenceCheck } from '../requests/existence.ts'
import { unchangedOf } from '../requests/read-only.ts'
import type { createReaderCheck } from '../requests/readers.ts'
import { type ResponseShape, responseOf } from '../requests/responses.ts'
import { flattenErrors } from '../requests/violations.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import {
  type BatchMethod,
  ensureMayBeBatched,
  type Hook,
  type Operation,
  type Operations,
} from './operations.ts'
import { NamedResults } from './placeholders.ts'
import { AWAIT, type NamedBodies, type Step, StepFailure, type StepGenerator } from './steps.ts'

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

/** How to handle the requests of a run. */
export interface RunOptions {
  /** Whether each is handled strictly, whatever the outer request prefers. */
  isStrict?: boolean
  /** Whether bodies are used unchanged: then only paths have placeholders. */
  hasLiteralBodies?: boolean
}

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

/** The dependencies of batches. */
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

/** A raw Node request that prefers strict handling. */
const strict = (raw: IncomingMessage): IncomingMessage =>
  Object.create(raw, { headers: { value: { ...raw.headers, prefer: 'handling=strict' } } })

function readAnswerOf(shape: ResponseShape, value: unknown): ReadAnswer {
  const { status, body, etag, next } = responseOf(shape, value)
  return { status, body, ...(etag !== null && { etag }), ...(next !== undefined && { next }) }
}

export class BatchRun {
  readonly #outer: FastifyRequest
  readonly #requests: readonly BatchedRequest[]
  readonly #surroundings: BatchSurroundings
  readonly #results: NamedResults
  readonly #options: RunOptions
  /** The `error` strings of unexpected failures, by request: those of their routes. */
  readonly #failures: (string | undefined)[] = []
  /** The error of the failed request. */
  #failed: { index: number; error: unknown } | undefined

  /** @param outer the request of the batch */
  constructor(
    outer: FastifyRequest,
    requests: readonly BatchedRequest[],
    surroundings: BatchSurroundings,
    options: RunOptions = {},
  ) {
    this.#options = options
    this.#outer = outer
    this.#requests = requests
    this.#surroundings = surroundings
    this.#results = new NamedResults(surroundings.bodyLimit)
  }

  /** Handles the requests in order; the calls of their rules are the steps. */
  *steps(): StepGenerator {
    for (const [index, request] of this.#requests.entries()) {
      try {
        yield* this.#handle(index, request)
      } catch (error) {
        this.#failed = { index, error }
        throw error
      }
    }
  }

  /**
   * Handles read requests, each by a separate read.
   * @param perform performs a read
   * @throws ApiError 413 for more than {@link READ_LIMIT} bytes, or the error of a request
   */
  async read(perform: (call: Call) => Promise<unknown>): Promise<ReadAnswer[]> {
    if (this.#requests.some(({ method }) => method !== 'GET')) throw new Error('these requests only read')
    const answers: ReadAnswer[] = []
    let size = 0
    const steps = this.steps()
    for (let next = steps.next([]); !next.done; ) {
      const { call, shape } = next.value as Step
      try {
        const value = await perform(call)
        if (shape !== undefined) {
          const answer = readAnswerOf(shape, value)
          size += answer.body.length
          if (size > READ_LIMIT) throw new ApiError(413, 'Too much to read at once')
          answers.push(answer)
        }
      } catch (error) {
        next = steps.throw(error)
        continue
      }
      next = steps.next([])
    }
    return answers
  }

  /** The error response of the batch. @param error the result of the run */
  errorOf(error: unknown): unknown {
    if (error instanceof StepFailure) return this.#errorOf(error.request, error.cause)
    if (this.#failed === undefined || this.#failed.error !== error) return error
    return this.#errorOf(this.#failed.index, error)
  }

  #errorOf(index: number, error: unknown): unknown {
    const refusal = toApiError(error)
    if (refusal === undefined)
      return new BatchFailure(this.#failures[index] ?? 'Internal server error', index, error)
    const { statusCode, message, headers, code, details } = refusal
    return new ApiError(statusCode, message, { headers, code, details: { request: index, ...details } })
  }

  *#handle(index: number, { method, path, body, ifMatch, as }: BatchedRequest): StepGenerator {
    if (this.#results.isAwaited(path) || (body && this.#results.isAwaited(body))) this.#name(yield AWAIT)
    const url = this.#results.intoPath(path)
    const { operation, params, query } = this.#surroundings.operations.find(method, url)
    const { config = {} } = operation.route
    this.#failures[index] = config.failure
    this.#authorize(operation, method)
    const request = this.#requestOf(operation, { method, url, params, query, ifMatch })

    if (config.access === 'write') this.#surroundings.checkReader(request, callerOf(request).principal)
    for (const hook of operation.hooks.onRequest) {
      if (!isExistenceCheck(hook)) runHook(hook, request)
      else if (config.record) this.#name(yield { request: index, call: config.record.get(request) })
    }
    request.body = this.#bodyOf(operation, method, body)
    ensureMayBeBatched(operation, request)
    for (const hook of operation.hooks.preValidation) runHook(hook, request)
    validate(operation, request)
    for (const hook of operation.hooks.preHandler) runHook(hook, request)

    if (as !== undefined) this.#results.expect(as)
    const step = this.#stepOf(operation, request, ifMatch)
    this.#name(yield { ...step, request: index, ...(as !== undefined && { as }) })
  }

  #name(named: NamedBodies): void {
    for (const [name, body] of named) this.#results.set(name, body)
  }

  #authorize({ route }: Operation, method: string): void {
    const { access = 'public' } = route.config ?? {}
    if (access === 'public') throw new Error(`${route.url} is public: it must declare isSentAlone`)
    authorize(access, identityOf(this.#outer), method, this.#surroundings.authMode)
  }

  /** The request for hooks and handlers of its route: it inherits from the request of the batch, and overrides its own parts. */
  #requestOf(
    { route }: Operation,
    {
      url,
      ifMatch,
      ...own
    }: { url: string; ifMatch: string | undefined; method: string; params: object; query: object },
  ): FastifyRequest {
    const headers: Record<string, unknown> = { ...this.#outer.headers }
    for (const name of OF_THE_BATCH) delete headers[name]
    if (ifMatch !== undefined) headers['if-match'] = ifMatch
    const fields = {
      ...own,
      url: this.#surroundings.app.prefix + url,
      headers,
      body: undefined,
      routeOptions: { config: route.config ?? {}, method: own.method, schema: route.schema, url: route.url },
    }
    if (this.#options.isStrict === true) Object.assign(fields, { raw: strict(this.#outer.raw) })
    const descriptors = Object.entries(fields).map(([name, value]) => [name, { value, writable: true }])
    return Object.create(this.#outer, Object.fromEntries(descriptors))
  }

  #bodyOf({ route }: Operation, method: string, body: object | undefined): object | undefined {
    if (!hasBody(method) && route.schema?.body === undefined) return undefined
    if (body !== undefined) return this.#options.hasLiteralBodies ? body : this.#results.intoBody(body)
    if (route.config?.isBodyOptional === true) return {}
    throw new SpecifiedFailure('the request body is empty', 'not_json')
  }

  #stepOf(
    { route, handler, shape }: Operation,
    request: FastifyRequest,
    ifMatch: string | undefined,
  ): Omit<Step, 'request'> {
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
