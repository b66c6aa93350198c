/** What has been requested, how it was answered and how long that took: plain counters, which every request can afford. */
import { Distribution } from '../distribution.ts'

/** The bounds of response times, in seconds: most take some ms, and nothing should block for 50. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** The route of paths without a route, whatever they are. */
export const UNKNOWN_ROUTE = 'unknown'

/** The method of requests to unknown paths: it may be anything. */
const ANY_METHOD = 'any'

/** The requests of a route that were answered with the same status. */
export interface RequestSeries {
  method: string
  route: string
  status: number
  count: number
  /** Response times in seconds; none for requests that wait for something to happen. */
  times: Distribution | undefined
}

/** The requests to one route, by method and status. */
type OfRoute = Map<string, Map<number, RequestSeries>>

/** The requests of a service, by route, method and status: as many series as routes have answers. */
export class RequestCounters {
  readonly #routes = new Map<string, OfRoute>()

  /**
   * Counts a request.
   * @param route its pattern; undefined for a path without a route
   * @param seconds how long the response took; undefined where it waited for something
   */
  add(route: string | undefined, method: string, status: number, seconds: number | undefined): void {
    const series =
      route === undefined
        ? this.#seriesOf(UNKNOWN_ROUTE, ANY_METHOD, status, seconds !== undefined)
        : this.#seriesOf(route, method, status, seconds !== undefined)
    series.count++
    if (seconds !== undefined) series.times?.add(seconds)
  }

  /** All that has been counted. */
  *all(): Iterable<RequestSeries> {
    for (const methods of this.#routes.values()) {
      for (const statuses of methods.values()) yield* statuses.values()
    }
  }

  #seriesOf(route: string, method: string, status: number, isTimed: boolean): RequestSeries {
    const statuses = inMap(
      inMap(this.#routes, route, () => new Map()),
      method,
      () => new Map(),
    )
    return inMap(statuses, status, () => {
      const times = isTimed ? new Distribution(SECONDS) : undefined
      return { method, route, status, count: 0, times }
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
