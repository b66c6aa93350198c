/** The service for tools: requests to its own routes, with the rights of the tool's caller. */

/** A request to a route, as in batches. */
export interface Asked {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: object
  ifMatch?: string
  as?: string
}

/** The response to a request. */
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each route's own record; the tool's outputSchema describes the result
  body: any
  /** If the response is a single record. */
  etag?: string
  /** The cursor of the next page, if any. */
  next?: string
}

/** The result of writes. */
export interface Written {
  answers: Answer[]
  /** The last change; absent if nothing changed. */
  seq?: number
  /** Whether it is a replay: an earlier call with the same idempotency key made them. */
  isReplay: boolean
  /** Size of the responses in bytes if they are too large to be parsed; `answers` is then empty. */
  unread?: number
}

/** Options of writes. */
export interface WriteAs {
  /** The caller's arguments, to distinguish retries from other calls with the same key. */
  args: unknown
  idempotencyKey?: string | undefined
  isDryRun?: boolean
  /** Whether bodies contain placeholders for fields of earlier responses. */
  hasPlaceholders?: boolean
}

export interface FileToAttach {
  itemId: string
  name: string
  bytes: Uint8Array
}

/** The values of a query; undefined ones are omitted. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

/** The service, for one call of a tool. Its requests are handled strictly. */
export interface Service {
  /**
   * Reads paths in order.
   * @throws ApiError, or the error of the first failing request; 413 for more than a few MiB
   */
  read: (...paths: string[]) => Promise<Answer[]>
  /**
   * Reads a list of people, as `GET /api/people` does, including the host's.
   * @throws as `read`
   */
  readPeople: (query: Query) => Promise<Answer>
  /**
   * Performs requests in order, in one transaction, all or nothing.
   * @throws ApiError, or the error of the first failing request; `details.request` is its index
   */
  write: (requests: readonly Asked[], how: WriteAs) => Promise<Written>
  /**
   * The result of `write` for an earlier call with the same key, if any. For tools that first read: their records may be deleted.
   * @throws ApiError 404, 409 or 422, as `write`
   */
  repetition: (how: Pick<WriteAs, 'args' | 'idempotencyKey'>) => Written | undefined
  /**
   * Attaches a file, as an upload does.
   * @returns one response, whose body is the list of the new attachment
   * @throws ApiError
   */
  attach: (file: FileToAttach, how: Pick<WriteAs, 'args' | 'idempotencyKey'>) => Promise<Written>
  /** The bytes of an attached file, all at once. @param id of the attachment @throws ApiError 404, also for a link; 503 */
  readFile: (id: string) => Promise<Uint8Array>
  /** The address of a path for clients. */
  urlOf: (path: string) => string
}

/** A path with encoded parts: an id is always a single segment. */
export const pathOf = (parts: TemplateStringsArray, ...ids: string[]): string =>
  String.raw({ raw: parts }, ...ids.map((id) => encodeURIComponent(id.toWellFormed())))

export function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [value].flat().map((one) => [name, String(one).toWellFormed()]),
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}
