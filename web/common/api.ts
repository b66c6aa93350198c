/** The client of the service's public API. The service's address follows from this script's. */
import { createClient, PhaseboardError } from '../../src/client/client.ts'
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

/** A request without a response fails, and can be retried. Uploads and streams have no timeout. */
const send: typeof fetch = (input, init = {}) => {
  const { body, signal } = init
  const isStream = new Headers(init.headers).get('accept') === 'text/event-stream'
  if (isStream || body instanceof Blob) return fetch(input, init)
  const lost = AbortSignal.timeout(LOST_AFTER)
  return fetch(input, { ...init, signal: signal ? AbortSignal.any([signal, lost]) : lost })
}

/** The client of this tab. Writes go through `writes.ts`, which queues them until they are answered. */
export const api = createClient({ baseUrl: root, retries: 2, fetch: send })

/** Whether the service was unreachable or unavailable, so that a retry may succeed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof PhaseboardError && [0, 429, 502, 503, 504].includes(error.status)

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
