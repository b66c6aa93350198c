/** Whole projects as the worker thread reads them: their bytes, and the places of the items in them. */
import type { PageQuery } from '../db/pages.ts'
import { etagOf } from '../etags.ts'
import type { ProjectFilter, Projects } from '../projects/projects.ts'
import { createProjectWriter, type PackedText, pack } from './project-text.ts'
import { assemble } from './snapshots.ts'

/** A list of projects as JSON in UTF-8, and the place of each project in it. */
export interface PackedList {
  body: Uint8Array
  etag: string
  next: string | undefined
  texts: (PackedText & { id: string; etag: string; start: number; end: number })[]
}

/** A project as JSON in UTF-8, and the places of the items in it. */
export interface PackedProject extends PackedText {
  body: Uint8Array
  etag: string
}

/** Whole projects, for the worker thread alone: the event loop has its own snapshots of them. */
export class WholeProjects {
  static readonly reads: readonly string[] = ['text', 'list', 'page']
  readonly #projects: Projects
  readonly #writer = createProjectWriter()

  constructor(projects: Projects) {
    this.#projects = projects
  }

  /** The text of a project; undefined when there is none. */
  text(id: string): PackedProject | undefined {
    const [project] = this.#projects.getMany([id])
    if (!project) return undefined
    const text = this.#writer.write(project)
    return { ...pack(text), body: text.body, etag: etagOf(text.body) }
  }

  /** The projects that pass the filter, by sortOrder. Call it inside a transaction. */
  list(filter: ProjectFilter): PackedList {
    return this.#listOf(this.#projects.idsOf(filter))
  }

  /** A page of those projects. Call it inside a transaction. */
  page(filter: ProjectFilter, query: PageQuery): PackedList {
    const { ids, next } = this.#projects.page(filter, query)
    return this.#listOf(ids, next)
  }

  #listOf(ids: string[], next?: string): PackedList {
    const found = new Map(
      this.#projects.getMany(ids).map((project) => [project.id, this.#writer.write(project)]),
    )
    const texts = ids.flatMap((id) => {
      const text = found.get(id)
      return text ? [{ id, text, body: text.body, etag: etagOf(text.body) }] : []
    })
    const { body, etag } = assemble(texts)
    // After the opening bracket; a comma separates two projects.
    let start = 1
    const packed = texts.map(({ id, text, etag }) => {
      const end = start + text.body.length
      const one = { ...pack(text), id, etag, start, end }
      start = end + 1
      return one
    })
    return { body, etag, next, texts: packed }
  }
}
