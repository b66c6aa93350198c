/** The service as the page sees it: its public API, at the address that this script came from. */
import { createClient, PhaseboardError } from '../../src/client/client.ts'
import { rootOf } from './root.ts'

export type * from '../../src/client/api.d.ts'
export type { Answer, Client } from '../../src/client/types.d.ts'
export { PhaseboardError }

/** The path below which everything is, with a slash at its end: `/`, or the prefix of a host or proxy. */
export const root: string = rootOf(import.meta.url)

/**
 * After how long a request counts as lost, in milliseconds: the connection may have died without a word, as in sleep. The
 * service waits as long for a request.
 */
const LOST_AFTER = 60_000

/** A request that is not answered fails, and may be sent again. Uploads and streams take as long as they take. */
const send: typeof fetch = (input, init = {}) => {
  const { body, signal } = init
  const isStream = new Headers(init.headers).get('accept') === 'text/event-stream'
  if (isStream || body instanceof Blob) return fetch(input, init)
  const lost = AbortSignal.timeout(LOST_AFTER)
  return fetch(input, { ...init, signal: signal ? AbortSignal.any([signal, lost]) : lost })
}

/** The one client of this tab. Writes go through `writes.ts`, which keeps them until they are answered. */
export const api = createClient({ baseUrl: root, retries: 2, fetch: send })

/** Whether the service was not reached, or not able to answer: the same request may succeed later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof PhaseboardError && [0, 429, 502, 503, 504].includes(error.status)

/** What to tell the user of a failure. */
export const messageOf = (error: unknown): string =>
  error instanceof PhaseboardError ? detailsOf(error) : error instanceof Error ? error.message : String(error)

/** The service's `error`, and for 400 what is wrong with which field. */
function detailsOf({ error, details }: PhaseboardError): string {
  const { formErrors = [], fieldErrors = {} } = Object(details) as {
    formErrors?: string[]
    fieldErrors?: Record<string, string[]>
  }
  const fields = Object.entries(fieldErrors).map(([field, messages]) => `${field}: ${messages.join(', ')}`)
  const all = [...formErrors, ...fields]
  return all.length === 0 ? error : `${error} (${all.join('; ')})`
}
