/** What tools ask of the service: requests to its own routes, with the rights of whoever calls the tool. */

/** A request to a route, as batches take it. */
export interface Asked {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: object
  ifMatch?: string
  as?: string
}

/** What a request is answered. */
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each route's own record; the tool's outputSchema says what becomes of it
  body: any
  /** Of an answer that is one record. */
  etag?: string
  /** The cursor of the next page, where there is one. */
  next?: string
}

/** What came of writes. */
export interface Written {
  answers: Answer[]
  /** The last change; absent where nothing changed. */
  seq?: number
  /** Whether they were made before, with the same idempotency key. */
  isReplay: boolean
  /** Bytes of the answers where they are too large to be read here: then `answers` is empty. */
  unread?: number
}

/** How writes are made. */
export interface WriteAs {
  /** What the caller said, for telling repetitions from other calls with the same key. */
  said: unknown
  idempotencyKey?: string | undefined
  isDryRun?: boolean
  /** Whether bodies hold placeholders, which stand for fields of earlier answers. */
  hasPlaceholders?: boolean
}

/** The values of a query; what is undefined is left out. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

/** The service, for one call of a tool. Its requests are handled strictly. */
export interface Service {
  /**
   * Reads paths in order.
   * @throws ApiError, or whatever the first throws that fails; 413 for more than a few MiB
   */
  read: (...paths: string[]) => Promise<Answer[]>
  /**
   * Reads a list of people, as `GET /api/people` does: the host is asked for its own.
   * @throws as `read`
   */
  readPeople: (query: Query) => Promise<Answer>
  /**
   * Performs requests in order, in one transaction, all or nothing.
   * @throws ApiError, or whatever the first throws that fails; `details.request` says which
   */
  write: (requests: readonly Asked[], how: WriteAs) => Promise<Written>
}

/** A path whose parts are encoded: an id is one segment, whatever it holds. */
export const pathOf = (parts: TemplateStringsArray, ...ids: string[]): string =>
  String.raw({ raw: parts }, ...ids.map((id) => encodeURIComponent(id.toWellFormed())))

/** A path with a query. */
export function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one).toWellFormed()]),
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}
