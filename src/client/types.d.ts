/**
 * The exports of `phaseboard/client`, written by hand; the type check compares `client.ts` and `errors.ts` with it. The build joins
 * it with the generated `api.d.ts` into one file without types of Node or libraries.
 */
import type { Change, MemberNotification, Paths, Project, ProjectSummary } from './api.d.ts'

/** The type of a global of browsers and Node, from the program's own types. */
type Global<Name extends string> = typeof globalThis extends { [name in Name]: infer Value } ? Value : never
type Instance<Constructor> = Constructor extends { prototype: infer Value } ? Value : never
type Signal = Instance<Global<'AbortSignal'>>

/** Bytes to send unchanged. A stream is not retried, since it cannot be read again. */
export type BytesIn = string | Uint8Array | Instance<Global<'Blob'>> | Instance<Global<'ReadableStream'>>

/** A stream of bytes, for responses that are neither JSON nor text. */
export type BytesOut = Instance<Global<'ReadableStream'>>

/** The address of the service, and options of all requests. */
export interface ClientOptions {
  /**
   * The address of the service, with its prefix in a host, e.g. `https://board.example.org` or `/board`.
   * A path, and the default `''`, only in browsers: the page's own origin.
   */
  baseUrl?: string | undefined
  /** An API token (`pbt_...`). Without one, a browser sends the session's cookie. */
  token?: string | undefined
  /** Replaces the global `fetch`. */
  fetch?: Global<'fetch'> | undefined
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Number of retries of safe requests; 4 by default, 0 for none. */
  retries?: number | undefined
  /** Whether to send cookies; default: `omit` with a token, else `same-origin`. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
}

/** Options of all requests. */
export interface RequestSettings {
  /** Aborts the request: it rejects with the signal's reason. */
  signal?: Signal | undefined
  /** Additional headers; they override those of the client. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** A method, as a method of the client. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths with a method. */
export type PathsOf<M extends Method> = {
  [P in keyof Paths]: M extends keyof Paths[P] ? P : never
}[keyof Paths]

/** The options and response of a path's method. */
export type OperationOf<M extends Method, P extends keyof Paths> = M extends keyof Paths[P]
  ? Paths[P][M]
  : never

/** The response of a path's method. */
export type AnswerOf<M extends Method, P extends keyof Paths> =
  OperationOf<M, P> extends { answer: infer Answer } ? Answer : never

/** The options of a path's method: `path`, `query`, `body`, `ifMatch` and `idempotencyKey`, as applicable. */
export type OptionsOf<M extends Method, P extends keyof Paths> = Omit<OperationOf<M, P>, 'answer'> &
  RequestSettings

/** Options that are optional if none of them is required. */
export type Optionally<Options> =
  Record<never, never> extends Options ? [options?: Options] : [options: Options]

/** The query parameters of a list. */
type QueryOf<Operation> = Operation extends { query?: infer Query } ? NonNullable<Query> : unknown

/** The paginated lists. */
export type PagedPath = {
  [P in PathsOf<'get'>]: 'cursor' extends keyof QueryOf<Paths[P]['get']> ? P : never
}[PathsOf<'get'>]

/** A record of a list, or a result of a search. */
export type ItemOf<P extends PagedPath> =
  AnswerOf<'get', P> extends infer List
    ? List extends readonly (infer Item)[] | { results: readonly (infer Item)[] }
      ? Item
      : never
    : never

/** The options of a list without the cursor, which the client manages. `limit` is the page size, 200 by default. */
export type PagesOptionsOf<P extends PagedPath> = Omit<OptionsOf<'get', P>, 'query'> & {
  query?: Omit<QueryOf<OptionsOf<'get', P>>, 'cursor'> | undefined
}

/** Options of a list of projects that select summaries or whole projects. */
type Summarized<Options> = Options & { query: { view: 'summary' } }
type Whole<Options> = Options & { query?: { view?: undefined } | undefined }

/** A response with values of its headers. */
export interface Answer<Data> {
  status: number
  data: Data
  /** Identifies this state of the record: for `ifMatch`. */
  etag: string | undefined
  /** The last change of a write: its position in the stream, and the change to undo. */
  seq: number | undefined
  /** Whether it is a replay: an earlier attempt, whose response was lost, did the write. */
  replayed: boolean
  headers: Instance<Global<'Headers'>>
}

/** A project that comes to those that the caller sees, or leaves them. */
export interface AccessChange {
  projectId: string
  /** Whether the caller sees it from now on. If so, load it, since earlier changes are not sent. If not, discard its data. */
  visible: boolean
}

/** The changes to follow. */
export interface ChangesOptions extends RequestSettings {
  /** Continue after this `seq`; by default from now, 0 for all stored ones. */
  after?: number | undefined
  projectId?: string | undefined
  itemId?: string | undefined
  /** Only these kinds, e.g. `kanban-item`. */
  kinds?: readonly string[] | undefined
  /** Milliseconds without a heartbeat, which the service sends every 15 seconds, until the client reconnects; 45,000 by default. */
  maxSilence?: number | undefined
  /** Called when the stream is connected, and when the connection is lost and retried. */
  onState?: ((state: 'connected' | 'disconnected', error?: PhaseboardError) => void) | undefined
  /**
   * Called with the `seq` up to which all changes are known, even without changes: when a connection begins, after changes, and with each
   * heartbeat. Use it for `after` later.
   */
  onPlace?: ((seq: number) => void) | undefined
  /**
   * Called when the caller gains or loses access to a project, before the changes that are sent after it. Not called for events from
   * a time without a connection: after `connected`, check which projects are still visible.
   */
  onAccess?: ((access: AccessChange) => void) | undefined
  /**
   * Called with each new notification of the caller, whatever the filters. Not with those of a time without a connection: after `connected`,
   * list them.
   */
  onNotification?: ((notification: MemberNotification) => void) | undefined
}

/** How to follow the caller's notifications. */
export interface NotificationsOptions extends RequestSettings {
  /** Continue after the notification with this id; by default from now. */
  after?: string | undefined
  /** Milliseconds without a heartbeat, which the service sends every 15 seconds, until the client reconnects; 45,000 by default. */
  maxSilence?: number | undefined
  /** Called when the stream is connected, and when the connection is lost and retried. */
  onState?: ((state: 'connected' | 'disconnected', error?: PhaseboardError) => void) | undefined
}

/** A client of one service. It has no connection or other state: create as many as you like. */
export interface Client {
  /** @returns all projects, as summaries @throws PhaseboardError */
  get(
    path: '/api/projects',
    options: Summarized<OptionsOf<'get', '/api/projects'>>,
  ): Promise<ProjectSummary[]>
  /** @returns all projects, with all their records @throws PhaseboardError */
  get(path: '/api/projects', options?: Whole<OptionsOf<'get', '/api/projects'>>): Promise<Project[]>
  /** @returns the answer's body @throws PhaseboardError */
  get<P extends PathsOf<'get'>>(
    path: P,
    ...options: Optionally<OptionsOf<'get', P>>
  ): Promise<AnswerOf<'get', P>>
  /** @returns the answer's body @throws PhaseboardError */
  post<P extends PathsOf<'post'>>(
    path: P,
    ...options: Optionally<OptionsOf<'post', P>>
  ): Promise<AnswerOf<'post', P>>
  /** @returns the answer's body @throws PhaseboardError */
  put<P extends PathsOf<'put'>>(
    path: P,
    ...options: Optionally<OptionsOf<'put', P>>
  ): Promise<AnswerOf<'put', P>>
  /** @returns the answer's body @throws PhaseboardError */
  patch<P extends PathsOf<'patch'>>(
    path: P,
    ...options: Optionally<OptionsOf<'patch', P>>
  ): Promise<AnswerOf<'patch', P>>
  /** @returns the answer's body @throws PhaseboardError */
  delete<P extends PathsOf<'delete'>>(
    path: P,
    ...options: Optionally<OptionsOf<'delete', P>>
  ): Promise<AnswerOf<'delete', P>>
  /** The same for any method, with the status, the ETag and the position in the sequence of changes. @throws PhaseboardError */
  request<M extends Method, P extends PathsOf<M>>(
    method: M,
    path: P,
    ...options: Optionally<OptionsOf<M, P>>
  ): Promise<Answer<AnswerOf<M, P>>>
  /** Reads all projects, as summaries, page by page. @throws PhaseboardError */
  pages(
    path: '/api/projects',
    options: Summarized<PagesOptionsOf<'/api/projects'>>,
  ): AsyncGenerator<ProjectSummary, void, undefined>
  /** Reads all projects, with all their records, page by page. @throws PhaseboardError */
  pages(
    path: '/api/projects',
    options?: Whole<PagesOptionsOf<'/api/projects'>>,
  ): AsyncGenerator<Project, void, undefined>
  /** Reads a list page by page, on demand. @throws PhaseboardError */
  pages<P extends PagedPath>(
    path: P,
    ...options: Optionally<PagesOptionsOf<P>>
  ): AsyncGenerator<ItemOf<P>, void, undefined>
  /**
   * Follows the sequence of changes, each change once and in order, across lost connections and restarts of the
   * service, until the signal is aborted or the loop ends. It reads on demand.
   * @throws PhaseboardError if reconnecting is useless: 400, 401, 403, 404, and 410 if the next changes are no longer stored
   * (`details.oldest`)
   */
  changes(options?: ChangesOptions): AsyncGenerator<Change, void, undefined>
  /**
   * The caller's notifications as they come, oldest first, each once, also those of a time without a connection.
   * @throws PhaseboardError if reconnecting is useless
   */
  notifications(options?: NotificationsOptions): AsyncGenerator<MemberNotification, void, undefined>
}

/** What went wrong with a request. */
export interface Failure {
  /** The status of the response; 0 without one. */
  status: number
  /** The response's `error`, or the failure without a response. */
  error: string
  /** The error code. */
  code?: string | undefined
  /** The response's `details`. */
  details?: unknown
  /** The request: method and path. */
  request?: string | undefined
  /** The record's current ETag, if `ifMatch` did not match (412). */
  etag?: string | undefined
  /** Seconds to wait, as requested by the service. */
  retryAfter?: number | undefined
  /** The cause of a failure without a response. */
  cause?: unknown
}

/** Every failure of a request, except an aborted one. */
export declare class PhaseboardError extends Error {
  constructor(failure: Failure)
  /** The status of the response; 0 without one. */
  readonly status: number
  /** The message for people: the `error` of the service, or the failure without a response. */
  readonly error: string
  /** The stable error code, e.g. `claimed`; undefined without a response of the service. */
  readonly code: string | undefined
  /** The response's `details`: for 400 `{formErrors, fieldErrors}`, for others see the service's documentation. */
  readonly details: unknown
  /** The request: method and path, e.g. `PATCH /api/kanban-items/01900000-...`. */
  readonly request: string | undefined
  /** The record's current ETag, if `ifMatch` did not match (412). */
  readonly etag: string | undefined
  /** Seconds to wait, as requested by the service. */
  readonly retryAfter: number | undefined
}

/** Creates a client. @throws TypeError for an invalid base URL */
export declare function createClient(options?: ClientOptions): Client
