/** Snapshots: a cache of serialised projects, each valid until it changes. */
import { LRUCache } from 'lru-cache'
import type { Items } from '../board/items.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import type { Page } from '../db/pages.ts'
import { projects } from '../db/schema.ts'
import { etagOf } from '../etags.ts'
import type { ProjectFilter, Projects } from '../projects/projects.ts'
import { Freshness } from './freshness.ts'
import { createProjectWriter, type ProjectText } from './project-text.ts'
import { watchProjects } from './touched-projects.ts'

/** A response: its body, JSON in UTF-8, and the strong ETag (RFC 9110, section 8.8.3) of exactly these bytes. */
export interface Snapshot {
  body: Buffer
  etag: string
}

/** A project's response, with the positions of its parts. */
export type ProjectSnapshot = Snapshot & ProjectText

/** A page of a list, with the cursor of the next page, if any. */
export interface PageSnapshot extends Snapshot {
  next: string | undefined
}

/** A cached value, or a promise of one from the worker thread. */
export type MaybePromise<T> = T | Promise<T>

/** The parts of a project touched by writes since its text was read. */
interface Touched {
  /** The ids of items. */
  items: Set<string>
  /** Whether anything but the items was touched. */
  isFrame: boolean
}

/** A cached project; its touched parts are stale. */
interface KeptProject extends Snapshot, ProjectText {
  touched: Touched
}

/** A cached list: valid until the next change of any project, which begins a new generation. */
interface KeptList extends Snapshot {
  generation: number
}

/** A read of projects by the worker thread, with the writes meanwhile. */
export interface WorkerRead {
  /** SQLite's `data_version`, which other connections' commits change, when the read began. */
  version: number | undefined
  /** The generation, which this connection's writes change, when the read began. */
  generation: number
  /** Parts touched by this connection since, by project. */
  touched: Map<string, Touched>
}

/**
 * Reads projects from their snapshots, never stale, whichever process writes to the database. Its methods throw
 * TooMuchWork if too much must be read.
 */
interface Snapshots {
  /** One project. @throws ApiError 404 */
  project: (id: string) => ProjectSnapshot
  /**
   * The matching projects, as a JSON array by sortOrder.
   * @param limits of a caller that sees some projects only
   */
  list: (filter: ProjectFilter, limits?: ListLimits) => Snapshot
  /**
   * A page of projects, as a JSON array in its order.
   * @param choose reads the page's ids, in the same transaction as the projects
   */
  page: (choose: () => Page) => PageSnapshot
}

interface ListLimits {
  /** The number of the caller's scope. */
  scope: number
  /** The ids of the matching projects in it, by sortOrder. */
  ids: () => string[]
}

/** Statistics of the cache: hits, misses and contents. */
interface CacheUse {
  hits: number
  misses: number
  entries: number
  bytes: number
}

/** Snapshots, and caching of the worker thread's reads. */
export interface KeptSnapshots extends Snapshots {
  use: () => CacheUse
  /** A cached project; undefined if it must be read. */
  keptProject: (id: string) => ProjectSnapshot | undefined
  /** A cached list by filter; undefined if it must be read. */
  keptList: (filter: ProjectFilter, scope?: number) => Snapshot | undefined
  /** Begins a read by the worker thread. Every read must be ended. */
  beginWorkerRead: () => WorkerRead
  /** Whether a read, ended or not, is current. */
  isCurrent: (workerRead: WorkerRead) => boolean
  /**
   * Ends a read by the worker thread, and caches its result if no other connection has written meanwhile.
   * @param texts the projects, by id
   * @param list the list of them, with its cache key
   */
  endWorkerRead: (
    workerRead: WorkerRead,
    texts: Iterable<readonly [string, ProjectText & { etag: string }]>,
    list?: { key: string; snapshot: Snapshot },
  ) => void
}

/** Memory of an entry, and of each of its items, besides the body, in bytes, roughly. */
const OVERHEAD = { entry: 500, item: 150 }

const nothing = (): Touched => ({ items: new Set(), isFrame: false })

function touch(touched: Touched | undefined, itemId: string | null): void {
  if (itemId === null && touched) touched.isFrame = true
  else if (itemId !== null) touched?.items.add(itemId)
}

const isStale = (project: KeptProject | undefined): project is KeptProject =>
  project !== undefined && (project.touched.isFrame || project.touched.items.size > 0)

export function toSnapshot(text: string): Snapshot {
  const body = Buffer.from(text)
  return { body, etag: etagOf(body) }
}

/** The cache key of a list. @param scope the number of the scope of a limited caller */
export const keyOf = ({ status, teamId }: ProjectFilter, scope?: number): string =>
  JSON.stringify([status || '', teamId || '', scope])

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

export const etagOfList = (snapshots: readonly Pick<Snapshot, 'etag'>[]) =>
  etagOf(snapshots.map(({ etag }) => etag).join())

/** The JSON array of several snapshots, as a snapshot. */
function assemble(snapshots: readonly Snapshot[]): Snapshot {
  const parts = snapshots.flatMap(({ body }, index) => (index === 0 ? [body] : [comma, body]))
  return {
    body: Buffer.concat([open, ...parts, close]),
    etag: etagOfList(snapshots),
  }
}

/**
 * Creates the snapshots of a database's projects. A write of this connection invalidates what it touches, through
 * {@link watchProjects}: an item's text, or everything except the items. A commit of another connection invalidates everything;
 * every read checks for one, by its {@link Freshness}.
 * @param records reads the projects themselves
 * @param items reads items of projects
 * @param maxBytes size of the cache; the least recently used are evicted first (LRU)
 * @param freshness detects commits of other connections
 */
export function createSnapshots(
  db: SharedDatabase,
  records: Projects,
  items: Pick<Items, 'getMany'>,
  maxBytes: number,
  freshness = new Freshness(db),
): KeptSnapshots {
  const { $client: client } = db
  const writer = createProjectWriter()
  const kept = new LRUCache<string, KeptProject | KeptList>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: (entry, key) =>
      entry.body.length +
      key.length +
      OVERHEAD.entry +
      ('places' in entry ? entry.places.length * OVERHEAD.item : 0),
  })
  let version = freshness.versionNow()
  let generation = 0
  let hits = 0
  let misses = 0
  const workerReads = new Set<WorkerRead>()

  const projectIn = (id: string): KeptProject | undefined => {
    const found = kept.get(id)
    return found && 'places' in found ? found : undefined
  }

  watchProjects(db, (id, itemId) => {
    generation++
    touch(projectIn(id)?.touched, itemId)
    for (const { touched } of workerReads) {
      if (!touched.has(id)) touched.set(id, nothing())
      touch(touched.get(id), itemId)
    }
  })

  /** Clears the cache when another connection has committed. */
  function checkVersion(current = freshness.versionNow()): void {
    if (current === version) return
    version = current
    kept.clear()
  }

  /** Runs `work`, which reads missing projects, in one transaction, so that they and the cache are of one state of the database. */
  function make<T>(work: () => T): T {
    // Uncommitted changes may be rolled back: they must not be cached.
    if (client.inTransaction)
      throw new Error('snapshots contain only committed data: read them after the write')
    return read(db, () => {
      checkVersion()
      return work()
    })
  }

  function keep(id: string, text: ProjectText, etag = etagOf(text.body), touched = nothing()): KeptProject {
    const project = { ...text, etag, touched }
    kept.set(id, project)
    return project
  }

  /** Reads the touched parts of these projects again, and drops deleted projects. */
  function renew(stale: ReadonlyMap<string, KeptProject>): Map<string, KeptProject | undefined> {
    const touchedFrames = [...stale].flatMap(([id, { touched }]) => (touched.isFrame ? [id] : []))
    const frames = new Map(
      (touchedFrames.length > 0 ? records.getFrames(touchedFrames) : []).map((frame) => [frame.id, frame]),
    )
    // An item that moved between projects was touched in both.
    const touchedItems = [...new Set([...stale.values()].flatMap(({ touched }) => [...touched.items]))]
    const found = touchedItems.length > 0 ? items.getMany(touchedItems) : []
    const itemsOf = Map.groupBy(found, ({ projectId }) => projectId)
    const renewed = new Map<string, KeptProject | undefined>()
    for (const [id, project] of stale) {
      const { touched } = project
      const frame = frames.get(id)
      if (touched.isFrame && frame === undefined) {
        kept.delete(id)
        renewed.set(id, undefined)
        continue
      }
      const changedItems = (itemsOf.get(id) ?? []).filter((item) => touched.items.has(item.id))
      renewed.set(id, keep(id, writer.replace(project, touched.items, changedItems, frame)))
    }
    return renewed
  }

  /**
   * The snapshots of these projects; unknown ids are skipped. The number of statements does not depend on the number of
   * missing or stale ones, except that up to three changed items are read one by one.
   */
  function ofProjects(ids: string[]): ProjectSnapshot[] {
    const found = new Map(ids.map((id) => [id, projectIn(id)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    for (const project of missing.length > 0 ? records.getMany(missing) : []) {
      found.set(project.id, keep(project.id, writer.write(project)))
    }
    const stale = new Map([...found].flatMap(([id, project]) => (isStale(project) ? [[id, project]] : [])))
    if (stale.size > 0) for (const [id, project] of renew(stale)) found.set(id, project)
    return [...found.values()].filter((project) => project !== undefined)
  }

  function keptProject(id: string): ProjectSnapshot | undefined {
    checkVersion(freshness.version())
    const project = projectIn(id)
    if (project === undefined || isStale(project)) return undefined
    hits++
    return project
  }

  function keptList(filter: ProjectFilter, scope?: number): Snapshot | undefined {
    checkVersion(freshness.version())
    const list = kept.get(keyOf(filter, scope))
    if (list === undefined || !('generation' in list) || list.generation !== generation) return undefined
    hits++
    return list
  }

  return {
    use: () => ({ hits, misses, entries: kept.size, bytes: kept.calculatedSize }),
    keptProject,
    keptList,
    project(id) {
      const known = keptProject(id)
      if (known) return known
      misses++
      return make(() => ofProjects([id])[0] ?? throwNotFound(projects))
    },
    list(filter, limits) {
      const known = keptList(filter, limits?.scope)
      if (known) return known
      misses++
      return make(() => {
        const ids = limits ? limits.ids() : records.idsOf(filter)
        const made = { ...assemble(ofProjects(ids)), generation }
        kept.set(keyOf(filter, limits?.scope), made)
        return made
      })
    },
    beginWorkerRead() {
      checkVersion()
      const workerRead: WorkerRead = { version, generation, touched: new Map() }
      workerReads.add(workerRead)
      return workerRead
    },
    isCurrent(workerRead) {
      checkVersion()
      return version === workerRead.version && generation === workerRead.generation
    },
    endWorkerRead(workerRead, texts, list) {
      workerReads.delete(workerRead)
      checkVersion()
      if (version !== workerRead.version) return
      for (const [id, text] of texts) keep(id, text, text.etag, workerRead.touched.get(id))
      if (list && generation === workerRead.generation) kept.set(list.key, { ...list.snapshot, generation })
    },
    page: (choose) =>
      make(() => {
        const { ids, next } = choose()
        return { ...assemble(ofProjects(ids)), next }
      }),
  }
}
