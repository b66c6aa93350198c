/** The log of requests. Their loggers are created lazily with the first line: few requests log any. */
import type { FastifyBaseLogger } from 'fastify'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

type ChildOptions = Parameters<FastifyBaseLogger['child']>[1]

class RequestLog {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Record<string, unknown>
  readonly #options: ChildOptions
  #made: FastifyBaseLogger | undefined

  static {
    for (const level of LEVELS) {
      Object.defineProperty(RequestLog.prototype, level, {
        value(this: RequestLog, ...line: [string]) {
          this.#log[level](...line)
        },
      })
    }
  }

  constructor(parent: FastifyBaseLogger, bindings: Record<string, unknown>, options: ChildOptions) {
    this.#parent = parent
    this.#bindings = bindings
    this.#options = options
  }

  get #log(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(this.#bindings, this.#options)
    return this.#made
  }

  /** Called for every request; creates no logger. */
  get level(): string {
    return this.#made?.level ?? this.#options?.level ?? this.#parent.level
  }

  set level(level: string) {
    this.#log.level = level
  }

  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...args)
  }
}

/** Fastify's `childLoggerFactory` for requests. A pino child for each would be a tenth of what Fastify itself does for a request. */
export const createRequestLog = (
  parent: FastifyBaseLogger,
  bindings: Record<string, unknown>,
  options: ChildOptions,
): FastifyBaseLogger => new RequestLog(parent, bindings, options) as unknown as FastifyBaseLogger

/** Requests that take at least this long, in milliseconds, are logged as slow. */
const SLOW = 1000

/** Whether a log has a line for each request. */
const isVerbose = ({ level }: FastifyBaseLogger): boolean => level === 'debug' || level === 'trace'

/** A request in the log. */
interface RequestLine {
  method: string
  path: string
  status: number
}

/**
 * Logs a request at debug, a slow one as a warning.
 * @param lineOf called only if it is logged: nearly every request logs nothing, and should not pay for a line
 * @param waits whether its response may wait for an event: then it is not slow
 */
export function logRequest(
  log: FastifyBaseLogger,
  milliseconds: number,
  lineOf: () => RequestLine,
  waits = false,
): void {
  const isSlow = milliseconds > SLOW && !waits
  if (!isSlow && !isVerbose(log)) return
  const line = { ...lineOf(), milliseconds: Math.round(milliseconds) }
  if (isSlow) log.warn(line, 'slow request')
  else log.debug(line, 'request')
}
