/** Counts requests by status, and their durations, in plain variables that cost almost nothing. */
import type { FastifyRequest } from 'fastify'
import { Distribution } from '../distribution.ts'

/** The bounds of response times, in seconds: most take some ms, and nothing should block for 50. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** The label of all paths without a route. */
const UNKNOWN_ROUTE = 'unknown'

/** The method label of requests to unknown paths, which may have any method. */
const ANY_METHOD = 'any'

/** The 500s of the specification that the client caused: a body that is not JSON, an unknown subtask. */
type FailureReason = 'unparseable' | 'not_found'

/** The failed requests that the client caused. */
export const CLIENT_FAILURES = new WeakMap<FastifyRequest, FailureReason>()

/** The requests of a route with the same status. */
export interface RequestSeries {
  method: string
  route: string
  status: number
  /** Only for a 500 that the client caused. */
  reason: FailureReason | undefined
  count: number
  /** Response times in seconds; none for requests that wait for events. */
  times: Distribution | undefined
}

/** The requests of one route, by method and status; failures caused by the client separately. */
type OfRoute = Map<string, Map<number | FailureReason, RequestSeries>>

/** The requests of a service, by route, method and status. */
export class RequestCounters {
  readonly #routes = new Map<string, OfRoute>()

  /**
   * Counts a request.
   * @param route its pattern; undefined for a path without a route
   * @param seconds the duration; undefined if it waited for an event
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

  /** All counts. */
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

/** The value of a key, created if missing. */
function inMap<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
