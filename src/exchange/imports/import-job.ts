/** One import from beginning to end: a file is read, and what it holds written. */

import { ChunkedWriter } from '../../db/chunked-writer.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { BY_COMMAND } from '../../db/current-write.ts'
import type { DatabaseFiles } from '../../db/files.ts'
import { ARCHIVE_FORMAT } from '../sources/formats.ts'
import { clearImport, clearOrphanedImports } from './clear-import.ts'
import { lineOf } from './failures.ts'
import { importAtOnce } from './import-at-once.ts'
import { planRows } from './import-board.ts'
import { spoolOf } from './import-files.ts'
import { type Imported, type ImportPlan, rehearse, totalOf } from './import-plan.ts'
import { importStates } from './import-state.ts'
import { READING_LIMITS, type ReadApart, type ReadingLimits, readApart } from './read-apart.ts'
import type { PeopleOptions } from './settle-people.ts'
import { type Importing, writeInSlices } from './write-slices.ts'

/** What is to be imported, and how. A structured clone of it does the same in a thread of its own. */
export interface ImportJob extends Importing, PeopleOptions {
  format: string
  /** Where the file is. */
  file: string
  /** What the file is called in messages. */
  name: string
  /** Whether to import what was imported before. */
  again: boolean
  /** What the project of a board is called, in place of the board's own name. */
  projectName?: string | undefined
  /** Whether members of an archive are the same people as those here of the same email. */
  mapMembers?: boolean
  /** Whether to tell what would be made, and write nothing. */
  isDryRun: boolean
}

/** Where an import is done. */
export interface ImportPlace {
  db: SharedDatabase
  files: DatabaseFiles
  /** The path of the database, or `:memory:`. */
  database: string
  signal?: AbortSignal | undefined
  /** What reading the file may take. */
  limits?: ReadingLimits
  /** The board, where the caller has read the file, and closes it. */
  board?: ReadApart
  onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Reads the file of a job, and uses what it holds.
 * @throws Error with one clear line
 */
async function withPlan<T>(
  place: ImportPlace,
  job: ImportJob,
  use: (plan: ImportPlan) => T | Promise<T>,
): Promise<T> {
  const { database, signal, limits = READING_LIMITS } = place
  const { format, file, name, projectName } = job
  const board =
    place.board ??
    (await readApart({ format, file, name, projectName }, spoolOf(database, job.id), limits, signal))
  try {
    return await use(planRows(board.rows, board.facts, job))
  } finally {
    if (board !== place.board) board.close()
  }
}

/** Why an import has failed where what it wrote could not be taken away, and its row does not say so: the disk may be full. */
export class NotCleared extends Error {}

/**
 * Does an import, all or nothing, whose row is there already and whose lock its caller holds. However it ends, the row says
 * so.
 * @returns what it made; of a dry run, what it would make
 * @throws Error with one clear line
 */
export async function performImport(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db } = place
  return db.$client.memory ? await inMemory(place, job) : await inFile(place, job)
}

/** Loaded by those who import an archive. @throws Error with one clear line */
async function importWhole(
  { db, files, limits = READING_LIMITS }: ImportPlace,
  job: ImportJob,
  writes?: ChunkedWriter,
): Promise<Imported> {
  const { performArchiveImport } = await import('./archive-job.ts')
  return performArchiveImport({ db, files, writes, time: limits.time }, job)
}

async function inFile(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db, files, database, signal, onProgress } = place
  const writes = new ChunkedWriter(db, files, signal)
  const states = importStates(db)
  try {
    await clearOrphanedImports(db, writes, database)
    await writes.slice(() => states.reading(job.id))
    if (job.format === ARCHIVE_FORMAT) return await importWhole(place, job, writes)
    return await withPlan(place, job, async (plan) => {
      if (!job.isDryRun) return await writeInSlices(db, writes, plan, job, onProgress)
      const made = rehearse(db, plan)
      await writes.slice(() => states.done(job.id, totalOf(plan), made))
      return made
    })
  } catch (error) {
    const line = lineOf(error)
    await clearImport(db, new ChunkedWriter(db, files), job.id, line).catch((cause) => {
      throw new NotCleared(line, { cause })
    })
    throw new Error(line, { cause: error })
  }
}

/** In memory nobody else writes, and nothing outlives the process. */
async function inMemory(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db, onProgress } = place
  const states = importStates(db)
  try {
    states.reading(job.id)
    if (job.format === ARCHIVE_FORMAT) return await importWhole(place, job)
    return await withPlan(place, job, (plan) => {
      if (!job.isDryRun) importAtOnce(db, plan, job.memberId ?? BY_COMMAND, { onProgress })
      const made = job.isDryRun ? rehearse(db, plan) : plan.result(false)
      states.done(job.id, totalOf(plan), made)
      return made
    })
  } catch (error) {
    const line = lineOf(error)
    states.failed(job.id, line)
    throw new Error(line, { cause: error })
  }
}
