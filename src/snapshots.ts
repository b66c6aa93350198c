/** Snapshots: projects as they are sent, serialised once and kept until something in them changes. */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import fresh from 'fresh'
import { LRUCache } from 'lru-cache'
import { read, type SharedDatabase } from './db/client.ts'
import { kanbanItems, projects } from './db/schema.ts'
import { noSuch } from './existence.ts'
import { prepareItemsAmong } from './kanban-items.ts'
import { linkNextPage, type Page } from './pages.ts'
import { createProjectWriter, type ProjectText } from './project-text.ts'
import { type ProjectFilter, prepareProjects } from './projects.ts'
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

/** A project as it is kept: whole but for the items that a write has touched since. */
interface KeptProject extends Snapshot, ProjectText {
  touched: Set<string>
}

/** A list as it is kept: good until the next change of anything, which makes another generation. */
interface KeptList extends Snapshot {
  generation: number
}

/** Reads projects from their snapshots. What it returns is what the database holds, whoever wrote it. */
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

/** Bytes that an entry, and each item of one, takes beside its body, roughly. */
const OVERHEAD = { entry: 500, item: 150 }

const etagOf = (content: string | Buffer) => `"${hash('sha256', content, 'base64url').slice(0, 22)}"`

/** The response that consists of a text. */
export function toSnapshot(text: string): Snapshot {
  const body = Buffer.from(text)
  return { body, etag: etagOf(body) }
}

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

function assemble(snapshots: Snapshot[]): Snapshot {
  const parts = snapshots.flatMap(({ body }, index) => (index === 0 ? [body] : [comma, body]))
  return {
    body: Buffer.concat([open, ...parts, close]),
    etag: etagOf(snapshots.map(({ etag }) => etag).join()),
  }
}

/**
 * Makes the snapshots of a database's projects. A write of this connection drops what it touches, through
 * {@link watchProjects}: of an item, that item's text, else the project. A commit of another process drops all; whether
 * there was one is asked once in each turn of the event loop in which requests arrive, and for whatever reads at
 * another time.
 * @param maxBytes how much memory the snapshots may take; the least recently used go first
 * @returns the readers; `arrived`, to be told the connection of each request as it arrives; and `askAgain`, for reads
 * that follow one another within a turn
 */
export function createSnapshots(
  db: SharedDatabase,
  maxBytes: number,
): Snapshots & { arrived: (client: object) => void; askAgain: () => void } {
  const { $client: client } = db
  const records = prepareProjects(db)
  const itemsById = prepareItemsAmong(db, kanbanItems.id)
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
  /** The number of the turn in which requests arrive, and in which turn a client's latest did. */
  let turn = 0
  const latestTurn = new WeakMap<object, number>()
  let isTurn = false
  let isAsked = false

  const keptProject = (id: string): KeptProject | undefined => {
    const found = kept.get(id)
    return found && 'places' in found ? found : undefined
  }

  watchProjects(db, (id, itemId) => {
    generation++
    if (itemId === null) kept.delete(id)
    else keptProject(id)?.touched.add(itemId)
  })

  const askAgain = () => {
    isAsked = false
  }
  const endTurn = () => {
    isTurn = false
    isAsked = false
  }

  function arrived(client: object): void {
    if (!isTurn) {
      isTurn = true
      turn++
      setImmediate(endTurn)
    }
    // At the turn's beginning the loop was told who has sent something. What is sent later is read in the next turn,
    // unless it is read together with an earlier request of the same client.
    else if (latestTurn.get(client) === turn) isAsked = false
    latestTurn.set(client, turn)
  }

  function askForOthers(): void {
    const current = dataVersion.get()
    if (current === version) return
    version = current
    kept.clear()
  }

  function askOncePerTurn(): void {
    if (isAsked) return
    askForOthers()
    isAsked = isTurn
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

  function keep(id: string, text: ProjectText): KeptProject {
    const project = { ...text, etag: etagOf(text.body), touched: new Set<string>() }
    kept.set(id, project)
    return project
  }

  /**
   * The snapshots of these projects. However many of them are missing, or have touched items, reading what they lack
   * costs a fixed number of statements.
   */
  function ofProjects(ids: string[]): Snapshot[] {
    const found = new Map(ids.map((id) => [id, keptProject(id)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    for (const project of missing.length > 0 ? records.getAll(missing) : []) {
      found.set(project.id, keep(project.id, writer.write(project)))
    }
    const stale = [...found].flatMap(([id, project]) =>
      project && project.touched.size > 0 ? [{ id, project }] : [],
    )
    if (stale.length > 0) {
      const items = itemsById(JSON.stringify(stale.flatMap(({ project }) => [...project.touched])))
      const itemsOf = Map.groupBy(items, ({ projectId }) => projectId)
      for (const { id, project } of stale) {
        const theirs = (itemsOf.get(id) ?? []).filter((item) => project.touched.has(item.id))
        found.set(id, keep(id, writer.replace(project, project.touched, theirs)))
      }
    }
    return [...found.values()].filter((project) => project !== undefined)
  }

  return {
    arrived,
    askAgain,
    project(id) {
      askOncePerTurn()
      const project = keptProject(id)
      if (project && project.touched.size === 0) return project
      return make(() => ofProjects([id])[0] ?? noSuch(projects))
    },
    list(filter) {
      askOncePerTurn()
      const key = JSON.stringify([filter.status || '', filter.teamId || ''])
      const list = kept.get(key)
      if (list && 'generation' in list && list.generation === generation) return list
      return make(() => {
        const made = { ...assemble(ofProjects(records.idsOf(filter))), generation }
        kept.set(key, made)
        return made
      })
    },
    page: (choose) =>
      make(() => {
        const { ids, next } = choose()
        return { ...assemble(ofProjects(ids)), next }
      }),
  }
}

/** Answers with a snapshot, or with 304 when the client has it already (RFC 9110, section 13.1.2). */
export function sendSnapshot(reply: FastifyReply, { body, etag }: Snapshot): void {
  reply.header('etag', etag)
  if (fresh(reply.request.headers, { etag })) reply.code(304).send()
  else reply.header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Answers with a page, as with any snapshot, and names the next one. */
export function sendPage(reply: FastifyReply, { body, etag, next }: PageSnapshot): void {
  linkNextPage(reply, next)
  // Whoever has a page already must learn when others have come to follow it, though it shows the same.
  sendSnapshot(reply, { body, etag: next === undefined ? etag : etagOf(`${etag} and more`) })
}
