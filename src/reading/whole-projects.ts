/** Whole projects for the worker thread: their bytes, and the positions of the items in them. */
import type { SharedDatabase } from '../db/client.ts'
import { JsonPieces } from '../db/json-pieces.ts'
import type { PageQuery } from '../db/pages.ts'
import { createEtag } from '../etags.ts'
import type { ProjectFilter, Projects } from '../projects/projects.ts'
import { createProjectWriter, type PackedText, pack } from './project-text.ts'
import { etagOfList } from './snapshots.ts'

/** A list of projects as JSON in UTF-8, with the position of each project. */
export interface PackedList {
  body: Uint8Array
  etag: string
  next: string | undefined
  texts: (PackedText & { id: string; etag: string; start: number; end: number })[]
}

/** A project as JSON in UTF-8, with the positions of its items. */
interface PackedProject extends PackedText {
  body: Uint8Array
  etag: string
}

/** Whole projects, only for the worker thread: the event loop has its own snapshots. */
export class WholeProjects {
  static readonly reads: readonly string[] = ['text', 'list', 'page', 'etag']
  readonly #db: SharedDatabase
  readonly #projects: Projects
  readonly #writer = createProjectWriter()

  constructor(db: SharedDatabase, projects: Projects) {
    this.#db = db
    this.#projects = projects
  }

  /** The text of a project, or undefined. Call it inside a transaction. */
  text(id: string): PackedProject | undefined {
    const json = new JsonPieces(this.#db)
    const [one] = this.#write(json, [id])
    if (!one) return undefined
    const { id: _, start: __, end: ___, ...text } = one
    return { ...text, body: json.join() }
  }

  /** The matching projects, by sortOrder. Call it inside a transaction. */
  list(filter: ProjectFilter): PackedList {
    return this.#listOf(this.#projects.idsOf(filter))
  }

  /** The ETag of all projects as a list. Call it inside a transaction. */
  etag(): string {
    return this.list({}).etag
  }

  /** A page of those projects. Call it inside a transaction. */
  page(filter: ProjectFilter, query: PageQuery): PackedList {
    const { ids, next } = this.#projects.page(filter, query)
    return this.#listOf(ids, next)
  }

  #listOf(ids: string[], next?: string): PackedList {
    const json = new JsonPieces(this.#db)
    json.add('[')
    const texts = [...this.#write(json, ids)]
    json.add(']')
    return { body: json.join(), etag: etagOfList(texts), next, texts }
  }

  /** Writes these projects, separated by commas. @returns their positions */
  *#write(json: JsonPieces, ids: string[]): Generator<PackedList['texts'][number]> {
    let isFirst = true
    for (const { frame, items } of this.#projects.inPieces(ids)) {
      if (!isFirst) json.add(',')
      isFirst = false
      const tag = createEtag()
      const start = json.size
      const text = this.#writer.writeTo(
        (part) => {
          const bytes = json.add(part)
          tag.update(bytes)
          return bytes
        },
        frame,
        items,
      )
      yield { ...pack(text), id: frame.id, etag: tag.end(), start, end: json.size }
    }
  }
}
