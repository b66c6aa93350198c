/** The client of the service's public API. The service's address follows from this script's. */
import { createClient, PhaseboardError } from '../../src/client/client.ts'
import type {
  Answer,
  AnswerOf,
  Client,
  Method,
  Optionally,
  OptionsOf,
  PathsOf,
} from '../../src/client/types.d.ts'
import { texts } from '../texts.ts'
import { rootOf } from './root.ts'

export type * from '../../src/client/api.d.ts'
export type { AccessChange, Answer, Client } from '../../src/client/types.d.ts'
export { PhaseboardError }

/** The root path with a trailing slash: `/`, or the prefix of a host or proxy. */
export const root: string = rootOf(import.meta.url)

/**
 * The timeout of a request in milliseconds. A connection may break without notice, e.g. during sleep. The service has the same
 * timeout for a request.
 */
const LOST_AFTER = 60_000

let answered: (() => void) | undefined

/** Calls back with each response of the service, other than the stream. */
export function onAnswer(listener: () => void): void {
  answered = listener
}

/** A request without a response fails, and can be retried. Uploads and streams have no timeout. */
const send: typeof fetch = async (input, init = {}) => {
  const { body, method, signal } = init
  const headers = new Headers(init.headers)
  const isStream = headers.get('accept')?.startsWith('text/event-stream')
  if (isStream || body instanceof Blob) return await fetch(input, init)
  // A write is for what the user saw: e.g. a column that somebody renamed meanwhile is not created again.
  if (method !== 'GET' && /\/(kanban-items|batch$)/.test(`${input}`)) headers.set('prefer', 'handling=strict')
  const lost = AbortSignal.timeout(LOST_AFTER)
  const all = signal ? AbortSignal.any([signal, lost]) : lost
  const response = await fetch(input, { ...init, headers, signal: all })
  // A proxy responds with these if the service does not.
  if (response.status < 502 || response.status > 504) answered?.()
  return response
}

const client = createClient({ baseUrl: root, retries: 2, fetch: send })

/** A request as data. */
export interface PlainRequest {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path with names of parameters: `/api/kanban-items/{id}`. */
  path: string
  options: {
    path?: Record<string, string>
    body?: unknown
    ifMatch?: string | undefined
    idempotencyKey?: string | undefined
  }
}

type Send = (
  method: PlainRequest['method'],
  path: string,
  options?: PlainRequest['options'],
) => Promise<Answer<unknown>>
const sendNow = client.request as Send

/** Takes the requests instead of the service, while they are described. */
let describing: PlainRequest[] | undefined

const requestOrDescribe: Send = (method, path, options = {}) => {
  if (describing === undefined) return sendNow(method, path, options)
  describing.push({ method, path, options })
  return new Promise(() => undefined)
}
const bodyOf =
  (method: PlainRequest['method']) =>
  async (path: string, options?: PlainRequest['options']): Promise<unknown> =>
    (await requestOrDescribe(method, path, options)).data

/** The client of this tab. Writes go through `writes.ts`, which queues them until they are answered. */
export const api = {
  ...client,
  get: bodyOf('get'),
  post: bodyOf('post'),
  put: bodyOf('put'),
  patch: bodyOf('patch'),
  delete: bodyOf('delete'),
  request: requestOrDescribe,
} as Client

/** The `send` of a write whose request is known in advance. */
export const sending = <M extends Method, P extends PathsOf<M>>(
  method: M,
  path: P,
  ...[options]: Optionally<Omit<OptionsOf<M, P>, 'idempotencyKey'>>
) => ({
  send: (idempotencyKey: string) =>
    requestOrDescribe(method, path, { ...options, idempotencyKey }) as Promise<Answer<AnswerOf<M, P>>>,
})

/** Sends a request that is data. @throws PhaseboardError */
export const sendPlain: (request: PlainRequest) => Promise<Answer<unknown>> = ({ method, path, options }) =>
  sendNow(method, path, options)

/**
 * The first request that a function sends at once, by `api.request`. It is not sent.
 * @returns undefined if the function sends none at once
 */
export function describe(act: () => unknown): PlainRequest | undefined {
  const found: PlainRequest[] = []
  describing = found
  try {
    act()
  } finally {
    describing = undefined
  }
  return found[0]
}

/** Whether the service was unreachable or unavailable, so that a retry may succeed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof PhaseboardError && [0, 429, 502, 503, 504].includes(error.status)

/** Whether the service has no such record, or does not show it to the user. */
export const isNotFound = (error: unknown): error is PhaseboardError =>
  error instanceof PhaseboardError && error.status === 404

/** Whether a repeated write had succeeded, but the service does not have its response any more. The stream has its changes. */
export const isAlreadyDone = (error: unknown): boolean =>
  error instanceof PhaseboardError && error.code === 'already_done'

/** The message of a failure, for the user. */
export const messageOf = (error: unknown): string =>
  error instanceof PhaseboardError ? detailsOf(error) : error instanceof Error ? error.message : String(error)

/** The service's `error`, and for a 400 the problem of each field. */
function detailsOf({ code, error, details }: PhaseboardError): string {
  if (code === 'would_lose_project') return texts.project.wouldLose
  const { formErrors = [], fieldErrors = {} } = Object(details) as {
    formErrors?: string[]
    fieldErrors?: Record<string, string[]>
  }
  const fields = Object.entries(fieldErrors).map(([field, messages]) => `${field}: ${messages.join(', ')}`)
  const all = [...formErrors, ...fields]
  return all.length === 0 ? error : `${error} (${all.join('; ')})`
}
