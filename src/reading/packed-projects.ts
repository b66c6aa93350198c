/** Whole projects as the worker thread reads them: their bytes, and where in them the items stand. */
import type { SharedDatabase } from '../db/client.ts'
import { type PageQuery, readPage } from '../db/pages.ts'
import { type ProjectFilter, preparePagedProjects, prepareProjects } from '../projects/projects.ts'
import { createProjectWriter, type PackedText, pack } from './project-text.ts'
import { assemble, etagOf } from './snapshots.ts'

/** A list of projects as it is sent, and where in it each project stands. */
export interface PackedList {
  body: Uint8Array
  etag: string
  next: string | undefined
  texts: (PackedText & { id: string; etag: string; start: number; end: number })[]
}

/**
 * Prepares what reads whole projects, for the worker thread alone: the event loop has its own snapshots of them. Each runs
 * in a transaction.
 */
export function prepareProjectReads(db: SharedDatabase) {
  const projects = prepareProjects(db)
  const placesOf = preparePagedProjects(db)
  const projectWriter = createProjectWriter()

  function listOf(ids: string[], next?: string): PackedList {
    const found = new Map(projects.getAll(ids).map((project) => [project.id, projectWriter.write(project)]))
    const texts = ids.flatMap((id) => {
      const text = found.get(id)
      return text ? [{ id, text, body: text.body, etag: etagOf(text.body) }] : []
    })
    const { body, etag } = assemble(texts)
    // The list begins with a bracket, and one character stands between two projects.
    let start = 1
    const packed = texts.map(({ id, text, etag }) => {
      const end = start + text.body.length
      const one = { ...pack(text), id, etag, start, end }
      start = end + 1
      return one
    })
    return { body, etag, next, texts: packed }
  }

  return {
    /** The text of a project; undefined when there is none. */
    projectText(id: string): (PackedText & { body: Uint8Array; etag: string }) | undefined {
      const [project] = projects.getAll([id])
      if (!project) return undefined
      const text = projectWriter.write(project)
      return { ...pack(text), body: text.body, etag: etagOf(text.body) }
    },

    projectList: (filter: ProjectFilter) => listOf(projects.idsOf(filter)),

    projectPage(filter: ProjectFilter, query: PageQuery) {
      const { ids, next } = readPage(placesOf(filter), query)
      return listOf(ids, next)
    },
  }
}

/** The reads of whole projects, by name. */
export type ProjectReads = ReturnType<typeof prepareProjectReads>
