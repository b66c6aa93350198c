/** Snapshots of any size: what is too much work for the event loop is read by the worker thread, and cached like the rest. */
import { throwNotFound } from '../db/existence.ts'
import type { PageQuery } from '../db/pages.ts'
import { projects } from '../db/schema.ts'
import { unlessTooMuch } from '../db/work-limits.ts'
import type { ProjectFilter, Projects } from '../projects/projects.ts'
import { type ProjectText, unpack } from './project-text.ts'
import {
  type KeptSnapshots,
  keyOf,
  type MaybePromise,
  type PageSnapshot,
  type Snapshot,
} from './snapshots.ts'
import type { PackedList, WholeProjects } from './whole-projects.ts'

/** Reads whole projects in the worker thread. */
export type InWorker = <Name extends keyof WholeProjects>(
  turn: string | null,
  name: Name,
  ...args: Parameters<WholeProjects[Name]>
) => Promise<ReturnType<WholeProjects[Name]>>

/** Reads projects from their snapshots, synchronously where possible; in the worker thread each takes the turn of a member. */
export interface LargeSnapshots {
  use: KeptSnapshots['use']
  /** One project. @throws ApiError 404 */
  project: (id: string, turn?: string | null) => MaybePromise<Snapshot>
  /** The projects that pass the filter, as a JSON array by sortOrder. */
  list: (filter: ProjectFilter, turn?: string | null) => MaybePromise<Snapshot>
  /** A page of those projects. */
  page: (filter: ProjectFilter, query: PageQuery, turn?: string | null) => MaybePromise<PageSnapshot>
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

/**
 * Creates the snapshots of any size.
 * @param records reads the projects themselves
 * @param maxBytes memory that the cached snapshots may take
 */
export function createLargeSnapshots(
  snapshots: KeptSnapshots,
  records: Projects,
  inWorker: InWorker,
  maxBytes: number,
): LargeSnapshots {
  /** Reads that the worker thread has begun, by key. */
  const readings = new Map<string, Promise<unknown>>()

  /**
   * Coalesces concurrent reads of the same key. The first caller gets the result; the others wait for it and then check the
   * cache, since the result may be older than their request.
   */
  async function coalesced<T>(key: string, make: () => T, begin: () => Promise<T>): Promise<T> {
    for (;;) {
      const reading = readings.get(key)
      if (reading === undefined) {
        const begun = begin().finally(() => readings.delete(key))
        readings.set(key, begun)
        return begun
      }
      await reading.catch(() => undefined)
      const made = unlessTooMuch(make)
      if (made !== undefined) return made
    }
  }

  async function readProject(id: string, turn: string | null): Promise<Snapshot> {
    const workerRead = snapshots.beginWorkerRead()
    let text: (ProjectText & Snapshot) | undefined
    try {
      const packed = await inWorker(turn, 'text', id)
      text = packed && { ...unpack(packed, toBuffer(packed.body)), etag: packed.etag }
    } finally {
      snapshots.endWorkerRead(workerRead, text ? [[id, text]] : [])
    }
    return text ?? throwNotFound(projects)
  }

  /** The projects of a list, each with a copy of its bytes, since it may be cached for longer than the list. */
  const textsOf = (body: Buffer, texts: PackedList['texts']) =>
    texts.map((packed) => {
      const bytes = Buffer.from(body.subarray(packed.start, packed.end))
      return [packed.id, { ...unpack(packed, bytes), etag: packed.etag }] as const
    })

  async function readList(filter: ProjectFilter, turn: string | null): Promise<Snapshot> {
    const workerRead = snapshots.beginWorkerRead()
    let list: PackedList | undefined
    try {
      list = await inWorker(turn, 'list', filter)
    } finally {
      if (list === undefined) snapshots.endWorkerRead(workerRead, [])
    }
    const snapshot = { body: toBuffer(list.body), etag: list.etag }
    // A list larger than the cache would only evict everything else.
    const fits = 2 * snapshot.body.length < maxBytes
    const texts = fits ? textsOf(snapshot.body, list.texts) : []
    snapshots.endWorkerRead(workerRead, texts, fits ? { key: keyOf(filter), snapshot } : undefined)
    return snapshot
  }

  return {
    use: snapshots.use,
    project(id, turn = null) {
      const make = () => snapshots.project(id)
      return unlessTooMuch(make) ?? coalesced(id, make, () => readProject(id, turn))
    },
    list(filter, turn = null) {
      const make = () => snapshots.list(filter)
      return unlessTooMuch(make) ?? coalesced(keyOf(filter), make, () => readList(filter, turn))
    },
    page(filter, query, turn = null) {
      const made = unlessTooMuch(() => snapshots.page(() => records.page(filter, query)))
      return (
        made ??
        inWorker(turn, 'page', filter, query).then(({ body, etag, next }) => ({
          body: toBuffer(body),
          etag,
          next,
        }))
      )
    },
  }
}
