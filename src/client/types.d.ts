/**
 * What `phaseboard/client` exports, by hand; the type check holds `client.ts` and `errors.ts` against it. The build puts
 * it and the generated `api.d.ts` into one file, which knows no types of Node's and no library's.
 */
import type { Change, Paths, Project, ProjectSummary } from './api.d.ts'

/** The type of a global that browsers and Node have, taken from whichever types the program has. */
type Global<Name extends string> = typeof globalThis extends { [name in Name]: infer Value } ? Value : never
type Instance<Constructor> = Constructor extends { prototype: infer Value } ? Value : never
type Signal = Instance<Global<'AbortSignal'>>

/** Bytes that are sent as they are. Only what can be read again is sent again; a stream is not. */
export type BytesIn = string | Uint8Array | Instance<Global<'Blob'>> | Instance<Global<'ReadableStream'>>

/** Bytes as they come, for answers that are neither JSON nor text. */
export type BytesOut = Instance<Global<'ReadableStream'>>

/** Where the service is, and what all requests have in common. */
export interface ClientOptions {
  /**
   * Where the service answers, with the prefix that a host has given it, e.g. `https://board.example.org` or `/board`.
   * A path, and the default `''`, only in browsers: the page's own origin.
   */
  baseUrl?: string | undefined
  /** An API token (`pbt_...`). Without one, a browser sends the session's cookie. */
  token?: string | undefined
  /** What sends requests, instead of the global `fetch`. */
  fetch?: Global<'fetch'> | undefined
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined
  /** How often what is safe to repeat is repeated; 4 if absent, 0 for never. */
  retries?: number | undefined
  /** Whether cookies go along; `omit` with a token, else `same-origin`. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
}

/** What any request takes. */
export interface RequestSettings {
  /** Gives the request up: it is rejected with the signal's reason. */
  signal?: Signal | undefined
  /** Further headers; they win over those of the client. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** A method, as a method of the client. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that have a method. */
export type PathsOf<M extends Method> = {
  [P in keyof Paths]: M extends keyof Paths[P] ? P : never
}[keyof Paths]

/** What a path's method takes and answers. */
export type OperationOf<M extends Method, P extends keyof Paths> = M extends keyof Paths[P]
  ? Paths[P][M]
  : never

/** What a path's method answers. */
export type AnswerOf<M extends Method, P extends keyof Paths> =
  OperationOf<M, P> extends { answer: infer Answer } ? Answer : never

/** What a path's method takes: `path`, `query`, `body`, `ifMatch` and `idempotencyKey`, those that it has. */
export type OptionsOf<M extends Method, P extends keyof Paths> = Omit<OperationOf<M, P>, 'answer'> &
  RequestSettings

/** Options that may be left out where none of them is required. */
export type Optionally<Options> =
  Record<never, never> extends Options ? [options?: Options] : [options: Options]

/** The query parameters of a list. */
type QueryOf<Operation> = Operation extends { query?: infer Query } ? NonNullable<Query> : unknown

/** The lists that come in pages. */
export type PagedPath = {
  [P in PathsOf<'get'>]: 'cursor' extends keyof QueryOf<Paths[P]['get']> ? P : never
}[PathsOf<'get'>]

/** A record of a list. */
export type ItemOf<P extends PagedPath> =
  AnswerOf<'get', P> extends infer List ? (List extends readonly (infer Item)[] ? Item : never) : never

/** What a list takes, but for the cursor, which the client keeps. `limit` is the size of a page, 200 if absent. */
export type PagesOptionsOf<P extends PagedPath> = Omit<OptionsOf<'get', P>, 'query'> & {
  query?: Omit<QueryOf<OptionsOf<'get', P>>, 'cursor'> | undefined
}

/** Options of a list of projects that ask for summaries, and those that ask for whole projects. */
type Summarized<Options> = Options & { query: { view: 'summary' } }
type Whole<Options> = Options & { query?: { view?: undefined } | undefined }

/** An answer with what its headers say. */
export interface Answer<Data> {
  status: number
  data: Data
  /** Names this state of the record: for `ifMatch`. */
  etag: string | undefined
  /** The last change that a write made: where it stands in the stream, and what to undo. */
  seq: number | undefined
  /** Whether the write had been done before: by an attempt whose answer was lost. */
  replayed: boolean
  headers: Instance<Global<'Headers'>>
}

/** Which changes to follow. */
export interface ChangesOptions extends RequestSettings {
  /** Go on after this `seq`; from now if absent, 0 for all that are kept. */
  after?: number | undefined
  projectId?: string | undefined
  itemId?: string | undefined
  /** Only these kinds, e.g. `kanban-item`. */
  kinds?: readonly string[] | undefined
  /** Milliseconds without a sign of life, which the service gives every 15 seconds, until the client connects again; 45,000 if absent. */
  maxSilence?: number | undefined
  /** Is told when the stream is connected, and when the connection is lost and tried again. */
  onState?: ((state: 'connected' | 'disconnected', error?: PhaseboardError) => void) | undefined
  /**
   * Is told up to which `seq` all is known, also where nothing has changed: as each connection begins, after what came, and with each
   * sign of life. For `after`, another time.
   */
  onPlace?: ((seq: number) => void) | undefined
}

/** A client of one service. It keeps no connection and nothing else: make as many as you like. */
export interface Client {
  /** @returns all projects, in numbers @throws PhaseboardError */
  get(
    path: '/api/projects',
    options: Summarized<OptionsOf<'get', '/api/projects'>>,
  ): Promise<ProjectSummary[]>
  /** @returns all projects, with all that belongs to them @throws PhaseboardError */
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
  /** The same for any method, with the status, the ETag and the place in the sequence of changes. @throws PhaseboardError */
  request<M extends Method, P extends PathsOf<M>>(
    method: M,
    path: P,
    ...options: Optionally<OptionsOf<M, P>>
  ): Promise<Answer<AnswerOf<M, P>>>
  /** Reads all projects, in numbers, page by page. @throws PhaseboardError */
  pages(
    path: '/api/projects',
    options: Summarized<PagesOptionsOf<'/api/projects'>>,
  ): AsyncGenerator<ProjectSummary, void, undefined>
  /** Reads all projects, with all that belongs to them, page by page. @throws PhaseboardError */
  pages(
    path: '/api/projects',
    options?: Whole<PagesOptionsOf<'/api/projects'>>,
  ): AsyncGenerator<Project, void, undefined>
  /** Reads a list page by page, the next one when it is needed. @throws PhaseboardError */
  pages<P extends PagedPath>(
    path: P,
    ...options: Optionally<PagesOptionsOf<P>>
  ): AsyncGenerator<ItemOf<P>, void, undefined>
  /**
   * Follows the sequence of changes, each change once and in order, also over lost connections and restarts of the
   * service, until the signal is aborted or the loop is left. It reads on when it is asked for the next change.
   * @throws PhaseboardError where connecting again is of no use: 400, 401, 403, 404, and 410 where what comes next is not kept
   * any more (`details.oldest`)
   */
  changes(options?: ChangesOptions): AsyncGenerator<Change, void, undefined>
}

/** What went wrong with a request. */
export interface Failure {
  /** The status of the answer; 0 where there was none. */
  status: number
  /** The answer's `error`, or what happened instead of an answer. */
  error: string
  /** What went wrong, for programs. */
  code?: string | undefined
  /** The answer's `details`. */
  details?: unknown
  /** What was asked for: method and path. */
  request?: string | undefined
  /** The ETag that the record has now, where `ifMatch` was another (412). */
  etag?: string | undefined
  /** Seconds that the service asks to wait. */
  retryAfter?: number | undefined
  /** What a failure without an answer came of. */
  cause?: unknown
}

/** Every failure of a request, but for one that was given up. */
export declare class PhaseboardError extends Error {
  constructor(failure: Failure)
  /** The status of the answer; 0 where there was none. */
  readonly status: number
  /** What went wrong, for people: the `error` of the service, or what happened instead of an answer. */
  readonly error: string
  /** What went wrong, as a word that never changes, e.g. `claimed`; undefined where the service did not answer. */
  readonly code: string | undefined
  /** The answer's `details`: for 400 `{formErrors, fieldErrors}`, for others what the service's documentation says. */
  readonly details: unknown
  /** What was asked for: method and path, e.g. `PATCH /api/kanban-items/01900000-...`. */
  readonly request: string | undefined
  /** The ETag that the record has now, where `ifMatch` was another (412). */
  readonly etag: string | undefined
  /** Seconds that the service asks to wait. */
  readonly retryAfter: number | undefined
}

/** Makes a client. @throws TypeError for a base URL that is none */
export declare function createClient(options?: ClientOptions): Client
