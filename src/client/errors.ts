import type { Failure, PhaseboardError as Published } from './types.d.ts'

/** Every failure of a request, except an aborted one. */
export class PhaseboardError extends Error implements Published {
  readonly status: number
  readonly error: string
  readonly code: string | undefined
  readonly details: unknown
  readonly request: string | undefined
  readonly etag: string | undefined
  readonly retryAfter: number | undefined

  /** @param failure what went wrong */
  constructor({ status, error, code, details, request, etag, retryAfter, cause }: Failure) {
    const answer = status === 0 ? error : `${status} ${error}`
    super(request === undefined ? answer : `${request}: ${answer}`, { cause })
    this.name = 'PhaseboardError'
    this.status = status
    this.error = error
    this.code = code
    this.details = details
    this.request = request
    this.etag = etag
    this.retryAfter = retryAfter
  }
}

/** The `Retry-After` of a response in seconds (RFC 9110: a number, or a date), or undefined. */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/**
 * The error in a response, if it is a JSON object: problem details (RFC 9457), or `error`, which the service sends before it has
 * read a request's headers. A proxy may respond differently.
 */
function errorBody(text: string): { title?: unknown; error?: unknown; code?: unknown; details?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The error of an unsuccessful response. @param request method and path */
export async function errorOf(response: Response, request: string): Promise<PhaseboardError> {
  const { title, error = title, code, details } = errorBody(await response.text())
  return new PhaseboardError({
    status: response.status,
    error: typeof error === 'string' ? error : response.statusText || 'No answer of Phaseboard',
    code: typeof code === 'string' ? code : undefined,
    details,
    request,
    etag: response.headers.get('etag') ?? undefined,
    retryAfter: retryAfterOf(response.headers),
  })
}

/** The error of a request without a response. @param request method and path */
export const unanswered = (cause: unknown, request: string): PhaseboardError =>
  new PhaseboardError({ status: 0, error: 'No answer', request, cause })
