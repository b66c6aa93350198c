/** Snapshots: projects as they are sent, serialised once and kept until something in them changes. */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import fresh from 'fresh'
import { LRUCache } from 'lru-cache'
import { read, type SharedDatabase } from './db/client.ts'
import { noProject, type ProjectFilter, prepareProjects } from './projects.ts'
import { ref } from './schemas/common.ts'
import { namedSchemas, ProjectSchema } from './schemas/records.ts'
import { createSerializer } from './serialization.ts'
import { watchProjects } from './touched-projects.ts'

/** A response: its body, JSON in UTF-8, and the strong ETag (RFC 9110, section 8.8.3) of exactly these bytes. */
export interface Snapshot {
  body: Buffer
  etag: string
}

/**
 * What is kept. A list knows the generation of the store that it was assembled in (any change makes another), and is
 * told by it from a project, whose id may be any text.
 */
type Kept = Snapshot & { generation?: number }

/** Reads projects from their snapshots. What it returns is what the database holds, whoever wrote it. */
export interface Snapshots {
  /** One project. @throws ApiError 404 */
  project: (id: string) => Snapshot
  /** The projects that pass the filter, as a JSON array by sortOrder. */
  list: (filter: ProjectFilter) => Snapshot
}

/** Bytes that an entry takes beside its body, roughly. */
const OVERHEAD = 500

const etagOf = (content: string | Buffer) => `"${hash('sha256', content, 'base64url').slice(0, 22)}"`

const [open, comma, close] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

function assemble(snapshots: Snapshot[]): Snapshot {
  const parts = snapshots.flatMap(({ body }, index) => (index === 0 ? [body] : [comma, body]))
  return {
    body: Buffer.concat([open, ...parts, close]),
    etag: etagOf(snapshots.map(({ etag }) => etag).join()),
  }
}

/**
 * Makes the snapshots of a database's projects. A write of this connection drops those of the projects it touches,
 * through {@link watchProjects}. A commit of another process drops all; whether there was one is asked once in each
 * turn of the event loop in which requests arrive, and for whatever reads at another time.
 * @param maxBytes how much memory the snapshots may take; the least recently used go first
 * @returns the readers; `arrived`, to be told the connection of each request as it arrives; and `askAgain`, for reads
 * that follow one another within a turn
 */
export function createSnapshots(
  db: SharedDatabase,
  maxBytes: number,
): Snapshots & { arrived: (client: object) => void; askAgain: () => void } {
  const { $client: client } = db
  const projects = prepareProjects(db)
  const serialize = createSerializer(ref(ProjectSchema), namedSchemas)
  const dataVersion = client.prepare<[], number>('pragma data_version').pluck()
  const kept = new LRUCache<string, Kept>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ body }, key) => body.length + key.length + OVERHEAD,
  })
  let version = dataVersion.get()
  let generation = 0
  /** Whose requests have arrived in this turn. */
  const clients = new Set<object>()
  let isAsked = false

  watchProjects(db, (id) => {
    kept.delete(id)
    generation++
  })

  const askAgain = () => {
    isAsked = false
  }
  const endTurn = () => {
    clients.clear()
    isAsked = false
  }

  function arrived(client: object): void {
    // At the turn's beginning the loop was told who has sent something. What is sent later is read in the next turn,
    // unless it is read together with an earlier request of the same client.
    if (clients.size === 0) setImmediate(endTurn)
    else if (clients.has(client)) isAsked = false
    clients.add(client)
  }

  function askForOthers(): void {
    const current = dataVersion.get()
    if (current === version) return
    version = current
    kept.clear()
    generation++
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

  /** What is kept under this key, of this generation; undefined when nothing is. */
  function lookUp(key: string, ofGeneration: number | undefined): Kept | undefined {
    const found = kept.get(key)
    return found?.generation === ofGeneration ? found : undefined
  }

  function askOncePerTurn(): void {
    if (isAsked) return
    askForOthers()
    isAsked = clients.size > 0
  }

  function keep(key: string, snapshot: Kept): Snapshot {
    kept.set(key, snapshot)
    return snapshot
  }

  /** The snapshots of these projects: those that are missing cost a fixed number of statements, however many. */
  function ofProjects(ids: string[]): Snapshot[] {
    const found = new Map<string, Snapshot | undefined>(ids.map((id) => [id, lookUp(id, undefined)]))
    const missing = ids.filter((id) => found.get(id) === undefined)
    for (const project of missing.length > 0 ? projects.getAll(missing) : []) {
      const body = Buffer.from(serialize(project))
      found.set(project.id, keep(project.id, { body, etag: etagOf(body) }))
    }
    return ids.map((id) => found.get(id)).filter((snapshot) => snapshot !== undefined)
  }

  return {
    arrived,
    askAgain,
    project(id) {
      askOncePerTurn()
      return lookUp(id, undefined) ?? make(() => ofProjects([id])[0] ?? noProject())
    },
    list(filter) {
      askOncePerTurn()
      const key = JSON.stringify([filter.status || '', filter.teamId || ''])
      return (
        lookUp(key, generation) ??
        make(() => {
          const snapshot = assemble(ofProjects(projects.idsOf(filter)))
          return keep(key, { ...snapshot, generation })
        })
      )
    },
  }
}

/** Answers with a snapshot, or with 304 when the client has it already (RFC 9110, section 13.1.2). */
export function sendSnapshot(reply: FastifyReply, { body, etag }: Snapshot): void {
  // The client may keep it, but must ask each time whether it still holds.
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  if (fresh(reply.request.headers, { etag })) reply.code(304).send()
  else reply.header('content-type', 'application/json; charset=utf-8').send(body)
}
