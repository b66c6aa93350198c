/** What has been requested, how it was answered and how long that took: plain counters, which every request can afford. */
import type { FastifyRequest } from 'fastify'
import { Distribution } from '../distribution.ts'

/** The bounds of response times, in seconds: most take some ms, and nothing should block for 50. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** The route of paths without a route, whatever they are. */
export const UNKNOWN_ROUTE = 'unknown'

/** The method of requests to unknown paths: it may be anything. */
const ANY_METHOD = 'any'

/** Why a 500 is the client's doing, as the specification has it: a body that is not JSON, a subtask that there is not. */
export type FailureReason = 'unparseable' | 'not_found'

/** The requests that failed by the client's doing. */
export const CLIENT_FAILURES = new WeakMap<FastifyRequest, FailureReason>()

/** The requests of a route that were answered with the same status. */
export interface RequestSeries {
  method: string
  route: string
  status: number
  /** Undefined but for a 500 that is the client's doing. */
  reason: FailureReason | undefined
  count: number
  /** Response times in seconds; none for requests that wait for something to happen. */
  times: Distribution | undefined
}

/** The requests to one route, by method and status, the client's failures apart. */
type OfRoute = Map<string, Map<number | FailureReason, RequestSeries>>

/** The requests of a service, by route, method and status: as many series as routes have answers. */
export class RequestCounters {
  readonly #routes = new Map<string, OfRoute>()

  /**
   * Counts a request.
   * @param route its pattern; undefined for a path without a route
   * @param seconds how long the response took; undefined where it waited for something
   */
  add(
    route: string | undefined,
    method: string,
    status: number,
    seconds: number | undefined,
    reason?: FailureReason,
  ): void {
    const series =
      route === undefined
        ? this.#seriesOf(UNKNOWN_ROUTE, ANY_METHOD, status, reason, seconds !== undefined)
        : this.#seriesOf(route, method, status, reason, seconds !== undefined)
    series.count++
    if (seconds !== undefined) series.times?.add(seconds)
  }

  /** All that has been counted. */
  *all(): Iterable<RequestSeries> {
    for (const methods of this.#routes.values()) {
      for (const statuses of methods.values()) yield* statuses.values()
    }
  }

  #seriesOf(
    route: string,
    method: string,
    status: number,
    reason: FailureReason | undefined,
    isTimed: boolean,
  ): RequestSeries {
    const statuses = inMap(
      inMap(this.#routes, route, () => new Map()),
      method,
      () => new Map(),
    )
    return inMap(statuses, reason ?? status, () => {
      const times = isTimed ? new Distribution(SECONDS) : undefined
      return { method, route, status, reason, count: 0, times }
    })
  }
}

/** The value of a key, made where there is none yet. */
function inMap<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
