/** Snapshots: projects as they are sent, serialised once and kept until something in them changes. */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Items } from '../board/items.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import type { Page } from '../db/pages.ts'
import { projects } from '../db/schema.ts'
import type { ProjectFilter, Projects } from '../projects/projects.ts'
import { createProjectWriter, type ProjectText } from './project-text.ts'
import { watchProjects } from './touched-projects.ts'

/** A response: its body, JSON in UTF-8, and the strong ETag (RFC 9110, section 8.8.3) of exactly these bytes. */
export interface Snapshot {
  body: Buffer
  etag: string
}

/** A page of a list, and the cursor of the next, where there is more. */
export interface PageSnapshot extends Snapshot {
  next: string | undefined
}

/** What is there already, or comes from the worker thread. */
export type MaybePromise<T> = T | Promise<T>

/** What of a project writes have touched since its text was read. */
interface Touched {
  /** The ids of items. */
  items: Set<string>
  /** Whether anything but the items was touched. */
  isFrame: boolean
}

/** A project as it is kept: whole but for what was touched since. */
interface KeptProject extends Snapshot, ProjectText {
  touched: Touched
}

/** A list as it is kept: good until the next change of anything, which makes another generation. */
interface KeptList extends Snapshot {
  generation: number
}

/** Projects that the worker thread is reading, and what becomes of them meanwhile. */
export interface WorkerRead {
  /** Of what others have committed, when the reading began. */
  version: number | undefined
  /** Of what this connection has written, likewise. */
  generation: number
  /** What this connection has touched since, by project. */
  touched: Map<string, Touched>
}

/**
 * Reads projects from their snapshots. What it returns is what the database holds, whoever wrote it. It throws
 * TooMuchWork where more has to be read than may be at once.
 */
export interface Snapshots {
  /** One project. @throws ApiError 404 */
  project: (id: string) => Snapshot
  /** The projects that pass the filter, as a JSON array by sortOrder. */
  list: (filter: ProjectFilter) => Snapshot
  /**
   * Some projects, as a JSON array in the order in which they are named.
   * @param choose names them; it is called in the state of the database that they are read in
   */
  page: (choose: () => Page) => PageSnapshot
}

/** Snapshots, and what whoever keeps them has to be told. */
export interface KeptSnapshots extends Snapshots {
  /** Before the worker thread reads projects. Every workerRead has to be ended. */
  beginWorkerRead: () => WorkerRead
  /**
   * Ends a workerRead, and keeps what it brought if nobody else has written meanwhile.
   * @param texts the projects, by id
   * @param list the list that they make, under its key
   */
  endWorkerRead: (
    workerRead: WorkerRead,
    texts: Iterable<readonly [string, ProjectText & { etag: string }]>,
    list?: { key: string; snapshot: Snapshot },
  ) => void
}

/** Bytes that an entry, and each item of one, takes beside its body, roughly. */
const OVERHEAD = { entry: 500, item: 150 }

const nothing = (): Touched => ({ items: new Set(), isFrame: false })

function touch(touched: Touched | undefined, itemId: string | null): void {
  if (itemId === null && touched) touched.isFrame = true
  else if (itemId !== null) touched?.items.add(itemId)
}

const isStale = (project: KeptProject | undefined): project is KeptProject =>
  project !== undefined && (project.touched.isFrame || project.touched.items.size > 0)

/** The strong ETag of a body. */
export const etagOf = (content: string | Buffer) => `"${hash('sha256', content, 'base64url').slice(0, 22)}"`

/** The response that consists of a text. */
export function toSnapshot(text: string): Snapshot {
  const body = Buffer.from(text)
  return { body, etag: etagOf(body) }
}

/** What a list is kept under. */
export const keyOf = ({ status, teamId }: ProjectFilter): string =>
  JSON.stringify([status || '', teamId || ''])

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** The response that is a JSON array of others. */
export function assemble(snapshots: readonly Snapshot[]): Snapshot {
  const parts = snapshots.flatMap(({ body }, index) => (index === 0 ? [body] : [comma, body]))
  return {
    body: Buffer.concat([open, ...parts, close]),
    etag: etagOf(snapshots.map(({ etag }) => etag).join()),
  }
}

/**
 * Makes the snapshots of a database's projects. A write of this connection drops what it touches, through
 * {@link watchProjects}: of an item, that item's text, else what stands around the items. A commit of another process
 * drops all; every read asks whether there was one.
 * @param records reads the projects themselves
 * @param items reads items of theirs
 * @param maxBytes how much memory the snapshots may take; the least recently used go first
 */
export function createSnapshots(
  db: SharedDatabase,
  records: Projects,
  items: Pick<Items, 'getMany'>,
  maxBytes: number,
): KeptSnapshots {
  const { $client: client } = db
  const writer = createProjectWriter()
  const dataVersion = client.prepare<[], number>('pragma data_version').pluck()
  const kept = new LRUCache<string, KeptProject | KeptList>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: (entry, key) =>
      entry.body.length +
      key.length +
      OVERHEAD.entry +
      ('places' in entry ? entry.places.length * OVERHEAD.item : 0),
  })
  let version = dataVersion.get()
  let generation = 0
  const workerReads = new Set<WorkerRead>()

  const keptProject = (id: string): KeptProject | undefined => {
    const found = kept.get(id)
    return found && 'places' in found ? found : undefined
  }

  watchProjects(db, (id, itemId) => {
    generation++
    touch(keptProject(id)?.touched, itemId)
    for (const { touched } of workerReads) {
      if (!touched.has(id)) touched.set(id, nothing())
      touch(touched.get(id), itemId)
    }
  })

  /** Drops all when another process has committed. */
  function askForOthers(): void {
    const current = dataVersion.get()
    if (current === version) return
    version = current
    kept.clear()
  }

  /** Makes what is missing. All of it, and what is kept beside it, is of one state of the database. */
  function make<T>(work: () => T): T {
    // What a transaction has changed so far may be rolled back: it must not be kept.
    if (client.inTransaction) throw new Error('snapshots are of what is committed: read them after the write')
    return read(db, () => {
      askForOthers()
      return work()
    })
  }

  function keep(id: string, text: ProjectText, etag = etagOf(text.body), touched = nothing()): KeptProject {
    const project = { ...text, etag, touched }
    kept.set(id, project)
    return project
  }

  /** Reads anew what was touched of these projects, and forgets those that are gone. */
  function renew(stale: ReadonlyMap<string, KeptProject>): Map<string, KeptProject | undefined> {
    const touchedFrames = [...stale].flatMap(([id, { touched }]) => (touched.isFrame ? [id] : []))
    const frames = new Map(
      (touchedFrames.length > 0 ? records.getFrames(touchedFrames) : []).map((frame) => [frame.id, frame]),
    )
    // One that went from one project to another was touched in both.
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
      const theirs = (itemsOf.get(id) ?? []).filter((item) => touched.items.has(item.id))
      renewed.set(id, keep(id, writer.replace(project, touched.items, theirs, frame)))
    }
    return renewed
  }

  /**
   * The snapshots of these projects. However many of them are missing, or were touched, reading what they lack costs a
   * fixed number of statements.
   */
  function ofProjects(ids: string[]): Snapshot[] {
    const found = new Map(ids.map((id) => [id, keptProject(id)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    for (const project of missing.length > 0 ? records.getMany(missing) : []) {
      found.set(project.id, keep(project.id, writer.write(project)))
    }
    const stale = new Map([...found].flatMap(([id, project]) => (isStale(project) ? [[id, project]] : [])))
    if (stale.size > 0) for (const [id, project] of renew(stale)) found.set(id, project)
    return [...found.values()].filter((project) => project !== undefined)
  }

  return {
    project(id) {
      askForOthers()
      const project = keptProject(id)
      if (project && !isStale(project)) return project
      return make(() => ofProjects([id])[0] ?? throwNotFound(projects))
    },
    list(filter) {
      askForOthers()
      const key = keyOf(filter)
      const list = kept.get(key)
      if (list && 'generation' in list && list.generation === generation) return list
      return make(() => {
        const made = { ...assemble(ofProjects(records.idsOf(filter))), generation }
        kept.set(key, made)
        return made
      })
    },
    beginWorkerRead() {
      askForOthers()
      const workerRead: WorkerRead = { version, generation, touched: new Map() }
      workerReads.add(workerRead)
      return workerRead
    },
    endWorkerRead(workerRead, texts, list) {
      workerReads.delete(workerRead)
      askForOthers()
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
