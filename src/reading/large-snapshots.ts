/** Snapshots of any size: the worker thread reads large ones, which are cached like the rest. */

import { type Caller, SERVICE } from '../access/caller.ts'
import type { Principal } from '../access/policy.ts'
import { createCache } from '../cache.ts'
import { throwNotFound } from '../db/existence.ts'
import type { PageQuery } from '../db/pages.ts'
import type { Scope } from '../db/row-security.ts'
import { projects } from '../db/schema.ts'
import { unlessTooMuch } from '../db/work-limits.ts'
import { ApiError } from '../errors.ts'
import type { ProjectFilter, Projects } from '../projects/projects.ts'
import { unpack } from './project-text.ts'
import {
  type KeptSnapshots,
  keyOf,
  type MaybePromise,
  type PageSnapshot,
  type ProjectSnapshot,
  type Snapshot,
  type WorkerRead,
} from './snapshots.ts'
import type { PackedList, WholeProjects } from './whole-projects.ts'

/** Reads whole projects in the worker thread. */
export type InWorker = <Name extends keyof WholeProjects>(
  caller: Caller,
  name: Name,
  ...args: Parameters<WholeProjects[Name]>
) => Promise<ReturnType<WholeProjects[Name]>>

/** The scopes of callers. */
export interface Scopes {
  /** Undefined: everything. */
  scopeOf: (principal: Principal | undefined) => Scope | undefined
  /** Runs work with the projects of a caller. */
  withProjects: <T>(principal: Principal | undefined, work: (projects: Projects) => T) => T
}

/** Runs work on the event loop at once or, if this turn's time is used up, in one of the next turns. */
export type Attempt = <T>(turn: string | null, work: () => T) => MaybePromise<T>

/** Reads projects from their snapshots, synchronously where possible; in the worker thread each takes the turn of a member. A caller gets those in its scope. */
export interface LargeSnapshots {
  use: KeptSnapshots['use']
  /** One project. @throws ApiError 404 */
  project: (id: string, caller: Caller) => MaybePromise<ProjectSnapshot>
  /** The matching projects, as a JSON array by sortOrder. */
  list: (filter: ProjectFilter, caller: Caller) => MaybePromise<Snapshot>
  page: (filter: ProjectFilter, query: PageQuery, caller: Caller) => MaybePromise<PageSnapshot>
}

/** @throws if the worker thread has no capacity at the moment */
function unlessUnavailable(error: unknown): undefined {
  if (error instanceof ApiError && error.statusCode === 503) throw error
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

/** A result of the worker thread, with its version. */
interface Reading<T> {
  result: T
  workerRead: WorkerRead
}

/** A result whose body is reused while it is still in memory, e.g. while it is being sent. */
interface Recent {
  rest: Omit<PageSnapshot, 'body'>
  body: WeakRef<Buffer>
  workerRead: WorkerRead
}

/** Remembered recent results, at most: each takes some hundred bytes. */
const RECENT = 100

/** The value of a key, created if missing. */
function orElse<T>(made: MaybePromise<T | undefined>, begin: () => Promise<T>): MaybePromise<T> {
  if (made instanceof Promise) return made.then((value) => value ?? begin())
  return made ?? begin()
}

/**
 * Creates the snapshots of any size.
 * @param scopes the scopes of callers
 * @param attempt reads on the event loop, in turns
 * @param maxBytes size of the cache
 */
export function createLargeSnapshots(
  snapshots: KeptSnapshots,
  scopes: Scopes,
  inWorker: InWorker,
  attempt: Attempt,
  maxBytes: number,
): LargeSnapshots {
  /** Running reads of the worker thread, by key. */
  const readings = new Map<string, Promise<Reading<unknown>>>()
  const recent = createCache<string, Recent>(RECENT)

  /**
   * Coalesces concurrent reads of the same key. All get the result of the first, unless there was a write since: then it may be
   * older than their request, and they read again. If the first is refused for lack of room, the others are too.
   */
  async function coalesced<T>(
    key: string,
    turn: string | null,
    make: () => T,
    begin: () => Promise<Reading<T>>,
  ): Promise<T> {
    for (;;) {
      const reading = readings.get(key) as Promise<Reading<T>> | undefined
      if (reading === undefined) {
        const begun = begin().finally(() => readings.delete(key))
        readings.set(key, begun)
        return (await begun).result
      }
      const read = await reading.catch(unlessUnavailable)
      if (read && snapshots.isCurrent(read.workerRead)) return read.result
      const made = await attempt(turn, () => unlessTooMuch(make))
      if (made !== undefined) return made
    }
  }

  /** Reads on the event loop, or in the worker thread; a request for a key that the thread is reading joins that read. */
  function readOnce<T>(
    key: string,
    turn: string | null,
    make: () => T,
    begin: () => Promise<Reading<T>>,
  ): MaybePromise<T> {
    const later = () => coalesced(key, turn, make, begin)
    return readings.has(key)
      ? later()
      : orElse(
          attempt(turn, () => unlessTooMuch(make)),
          later,
        )
  }

  /** Stores a result weakly. */
  function remember<T extends Snapshot>(key: string, result: T, workerRead: WorkerRead): Reading<T> {
    const { body, ...rest } = result as T & PageSnapshot
    recent.set(key, { rest, body: new WeakRef(body), workerRead })
    return { result, workerRead }
  }

  /** A recent result that is still in memory and current. */
  function recentOf(key: string): Reading<PageSnapshot> | undefined {
    const known = recent.get(key)
    const body = known?.body.deref()
    if (known === undefined || body === undefined || !snapshots.isCurrent(known.workerRead)) return undefined
    return { result: { ...known.rest, body }, workerRead: known.workerRead }
  }

  async function readProject(id: string, turn: string | null): Promise<Reading<ProjectSnapshot>> {
    const workerRead = snapshots.beginWorkerRead()
    let text: ProjectSnapshot | undefined
    try {
      const packed = await inWorker({ ...SERVICE, turn }, 'text', id)
      text = packed && { ...unpack(packed, toBuffer(packed.body)), etag: packed.etag }
    } finally {
      snapshots.endWorkerRead(workerRead, text ? [[id, text]] : [])
    }
    return { result: text ?? throwNotFound(projects), workerRead }
  }

  /** The projects of a list, each with a copy of its bytes, since it may be cached for longer than the list. */
  const textsOf = (body: Buffer, texts: PackedList['texts']) =>
    texts.map((packed) => {
      const bytes = Buffer.from(body.subarray(packed.start, packed.end))
      return [packed.id, { ...unpack(packed, bytes), etag: packed.etag }] as const
    })

  async function readList(filter: ProjectFilter, turn: string | null): Promise<Reading<Snapshot>> {
    const key = keyOf(filter)
    const known = recentOf(key)
    if (known) return known
    const workerRead = snapshots.beginWorkerRead()
    let list: PackedList | undefined
    try {
      list = await inWorker({ ...SERVICE, turn }, 'list', filter)
    } finally {
      if (list === undefined) snapshots.endWorkerRead(workerRead, [])
    }
    const snapshot = { body: toBuffer(list.body), etag: list.etag }
    // A list larger than the cache would only evict everything else.
    const fits = 2 * snapshot.body.length < maxBytes
    const texts = fits ? textsOf(snapshot.body, list.texts) : []
    snapshots.endWorkerRead(workerRead, texts, fits ? { key, snapshot } : undefined)
    return remember(key, snapshot, workerRead)
  }

  async function readPage(
    key: string,
    filter: ProjectFilter,
    query: PageQuery,
    caller: Caller,
  ): Promise<Reading<PageSnapshot>> {
    const known = recentOf(key)
    if (known) return known
    const workerRead = snapshots.beginWorkerRead()
    try {
      const { body, etag, next } = await inWorker(caller, 'page', filter, query)
      return remember(key, { body: toBuffer(body), etag, next }, workerRead)
    } finally {
      snapshots.endWorkerRead(workerRead, [])
    }
  }

  function page(filter: ProjectFilter, query: PageQuery, caller: Caller): MaybePromise<PageSnapshot> {
    const scope = scopes.scopeOf(caller.principal)
    const key = `page ${JSON.stringify([filter, query, scope?.number ?? 0])}`
    const choose = () => scopes.withProjects(caller.principal, (projects) => projects.page(filter, query))
    return readOnce(
      key,
      caller.turn,
      () => snapshots.page(choose),
      () => readPage(key, filter, query, caller),
    )
  }

  /** The list of a limited caller: from the same cached projects. */
  function limitedList(
    filter: ProjectFilter,
    caller: Caller,
    { number: scope }: Scope,
  ): MaybePromise<Snapshot> {
    const ids = () => scopes.withProjects(caller.principal, (projects) => projects.idsOf(filter))
    const key = `list ${keyOf(filter, scope)}`
    return (
      snapshots.keptList(filter, scope) ??
      readOnce(
        key,
        caller.turn,
        () => snapshots.list(filter, { scope, ids }),
        () => readPage(key, filter, {}, caller),
      )
    )
  }

  return {
    use: snapshots.use,
    project(id, caller) {
      const { turn, principal } = caller
      if (scopes.scopeOf(principal)?.projects.has(id) === false) throwNotFound(projects)
      const known = snapshots.keptProject(id)
      if (known) return known
      return readOnce(
        id,
        turn,
        () => snapshots.project(id),
        () => readProject(id, turn),
      )
    },
    list(filter, caller) {
      const { turn, principal } = caller
      const scope = scopes.scopeOf(principal)
      if (scope !== undefined) return limitedList(filter, caller, scope)
      const known = snapshots.keptList(filter)
      if (known) return known
      return readOnce(
        keyOf(filter),
        turn,
        () => snapshots.list(filter),
        () => readList(filter, turn),
      )
    },
    page,
  }
}
