/** Sends requests, and retries safe ones. */

import { errorOf, PhaseboardError, unanswered } from './errors.ts'
import { OF_BYTES } from './of-bytes.ts'
import { isPassing, pause, pauseAfter } from './pauses.ts'
import { randomId } from './random-id.ts'
import type { Answer, ClientOptions, Method } from './types.d.ts'
import { baseOf, type Parameters, targetOf } from './urls.ts'
import { WITHOUT_KEY } from './without-key.ts'

const RETRIES = 4
/** Requests errors as problem details (RFC 9457), which have codes. */
const ACCEPT = 'application/problem+json, */*'
/** Longest pause between attempts, in milliseconds. */
const LONGEST_PAUSE = 10_000

/** The options of any request. */
export interface Options extends Parameters {
  body?: unknown
  ifMatch?: string | undefined
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

type Body = NonNullable<RequestInit['body']>

const isStream = (body: unknown) => body instanceof ReadableStream
/** Whether a body is sent unchanged, not as JSON. */
const isRaw = (body: unknown): body is Body =>
  typeof body === 'string' || ArrayBuffer.isView(body) || body instanceof Blob || isStream(body)

/**
 * The body of a success: JSON, text, or a stream of bytes.
 * @param isOfBytes whether it is a stream of bytes whatever its type, e.g. of an attached HTML file
 * @throws PhaseboardError for an HTML page of another server
 */
async function read(response: Response, request: string, isOfBytes: boolean): Promise<unknown> {
  // Contents have an ETag, unlike the page of a proxy.
  if (isOfBytes && response.headers.has('etag')) return response.body ?? undefined
  const type = response.headers.get('content-type') ?? ''
  if (/^application\/json\b/.test(type)) return JSON.parse(await response.text())
  if (/^text\/html\b/.test(type)) {
    await response.body?.cancel()
    throw new PhaseboardError({
      status: response.status,
      error: 'The response is a web page, not from Phaseboard',
      request,
    })
  }
  if (/^text\//.test(type)) return await response.text()
  return response.body ?? undefined
}

/** Sends the requests of a client. */
export class Requests {
  readonly #base: string
  readonly #retries: number
  readonly #fetch: typeof fetch
  readonly #credentials: 'omit' | 'same-origin' | 'include'
  readonly #headers: Headers

  /** @throws TypeError for an invalid base URL, token or header */
  constructor({ baseUrl = '', token, fetch: send, headers, retries = RETRIES, credentials }: ClientOptions) {
    this.#base = baseOf(baseUrl)
    this.#retries = retries
    // Looked up for each request, as programs may replace it; and a browser's must not be called as a method.
    this.#fetch = (...args) => (send ?? globalThis.fetch)(...args)
    this.#credentials = credentials ?? (token === undefined ? 'same-origin' : 'omit')
    this.#headers = new Headers(headers)
    if (!this.#headers.has('accept')) this.#headers.set('accept', ACCEPT)
    if (token !== undefined) this.#headers.set('authorization', `Bearer ${token}`)
  }

  /**
   * Sends a request once.
   * @returns the response, a success or 304
   * @throws PhaseboardError, or the reason of the signal
   */
  async sendOnce(target: string, request: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(this.#headers)
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    // The service never redirects, and a redirected POST would become a GET.
    const all: RequestInit = { ...init, headers, credentials: this.#credentials, redirect: 'error' }
    const response = await this.#fetch(this.#base + target, all).catch((cause) => {
      init.signal?.throwIfAborted()
      throw unanswered(cause, request)
    })
    if (response.ok || response.status === 304) return response
    throw await this.#whole(errorOf(response, request), init.signal, request)
  }

  /**
   * Sends a request, and retries if that is safe: reads, and writes by their Idempotency-Key.
   * @throws PhaseboardError, or the reason of the signal; TypeError for an invalid path parameter
   */
  async send(method: Method, path: string, options: Options = {}): Promise<Answer<unknown>> {
    const { body, ifMatch, signal = null } = options
    const target = targetOf(path, options)
    const isWrite = method !== 'get'
    const takesKey = isWrite && !WITHOUT_KEY.includes(`${method} ${path}`)
    const headers = new Headers()
    if (body !== undefined)
      headers.set('content-type', isRaw(body) ? 'application/octet-stream' : 'application/json')
    if (ifMatch !== undefined) headers.set('if-match', ifMatch)
    if (takesKey) headers.set('idempotency-key', options.idempotencyKey ?? randomId())
    for (const [name, value] of new Headers(options.headers)) headers.set(name, value)
    const init: RequestInit = {
      method: method.toUpperCase(),
      headers,
      signal,
      ...(isRaw(body) ? { body } : body !== undefined && { body: JSON.stringify(body) }),
      ...(isStream(body) && { duplex: 'half' as const }),
    }
    const request = `${init.method} ${target.replace(/\?.*/, '')}`
    const retries = (isWrite && !takesKey) || isStream(body) ? 0 : this.#retries
    for (let failures = 0; ; failures++) {
      try {
        return await this.#attempt(target, request, init, OF_BYTES.includes(`${method} ${path}`))
      } catch (error) {
        if (!(error instanceof PhaseboardError && isPassing(error)) || failures >= retries) throw error
        const milliseconds = pauseAfter(error, failures, LONGEST_PAUSE)
        if (milliseconds === undefined) throw error
        await pause(milliseconds, signal ?? undefined)
        signal?.throwIfAborted()
      }
    }
  }

  async #attempt(
    target: string,
    request: string,
    init: RequestInit,
    isOfBytes: boolean,
  ): Promise<Answer<unknown>> {
    const response = await this.sendOnce(target, request, init)
    const { status, headers } = response
    const data = await this.#whole(read(response, request, isOfBytes), init.signal, request)
    const seq = headers.get('phaseboard-seq')
    return {
      status,
      data,
      etag: headers.get('etag') ?? undefined,
      seq: seq === null ? undefined : Number(seq),
      replayed: headers.get('idempotent-replayed') === 'true',
      headers,
    }
  }

  /** Reads a response, which may break off; that counts as no response. */
  #whole<Read>(
    reading: Promise<Read>,
    signal: AbortSignal | null | undefined,
    request: string,
  ): Promise<Read> {
    return reading.catch((cause) => {
      signal?.throwIfAborted()
      throw cause instanceof PhaseboardError ? cause : unanswered(cause, request)
    })
  }
}
