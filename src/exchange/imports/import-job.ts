/** One import from beginning to end: reads a file, and writes its contents. */

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

/** The file and options of an import; structured-cloneable, for its thread. */
export interface ImportJob extends Importing, PeopleOptions {
  format: string
  /** The path of the file. */
  file: string
  /** The name of the file in messages. */
  name: string
  /** Whether to import a board again. */
  again: boolean
  /** The projects that the member sees; absent: all. */
  seen?: readonly string[] | undefined
  /** The name of the project, instead of the board's. */
  projectName?: string | undefined
  /** Whether to match members of an archive by email. */
  mapMembers?: boolean
  /** Whether to report what would be created, and write nothing. */
  isDryRun: boolean
}

/** The target of an import. */
interface ImportPlace {
  db: SharedDatabase
  files: DatabaseFiles
  /** The path of the database, or `:memory:`. */
  database: string
  signal?: AbortSignal | undefined
  /** The limits of reading the file. */
  limits?: ReadingLimits
  /** The most bytes of all files of the database together; unlimited by default. */
  attachmentsTotal?: number | undefined
  /** The board, if the caller has read the file; the caller closes it. */
  board?: ReadApart
  onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Reads the file of a job, and uses its contents.
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

/** The error of an import whose records could not be removed, and whose row could not be updated, e.g. on a full disk. */
export class NotCleared extends Error {}

/**
 * Performs an import, all or nothing. Its row exists, and its caller holds its lock. Its row records the
 * outcome.
 * @returns the result, or the expected result of a dry run
 * @throws Error with one clear line
 */
export async function performImport(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db } = place
  return db.$client.memory ? await inMemory(place, job) : await inFile(place, job)
}

/** Loaded lazily, for archives. @throws Error with one clear line */
async function importWhole(
  { db, files, limits = READING_LIMITS, attachmentsTotal, signal }: ImportPlace,
  job: ImportJob,
  writes?: ChunkedWriter,
): Promise<Imported> {
  const { performArchiveImport } = await import('./archive-job.ts')
  return performArchiveImport({ db, files, writes, time: limits.time, attachmentsTotal, signal }, job)
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

/** In memory there are no other writers, and nothing outlives the process. */
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
