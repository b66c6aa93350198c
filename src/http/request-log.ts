/** Loggers of requests, created lazily with the first line: few requests log any. */
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
