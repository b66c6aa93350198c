/** One import from beginning to end: reads a file, and writes its contents. */

import type { SharedDatabase } from '../../db/client.ts'
import { BY_COMMAND } from '../../db/current-write.ts'
import type { DatabaseFiles } from '../../db/files.ts'
import { writeSmall } from '../../db/whole-write.ts'
import { ARCHIVE_FORMAT } from '../sources/formats.ts'
import type { SourceOptions } from '../sources/read-source.ts'
import { lineOf } from './failures.ts'
import { planRows } from './import-board.ts'
import { spoolOf } from './import-files.ts'
import { type Imported, type ImportPlan, rehearse, totalOf } from './import-plan.ts'
import { importStates } from './import-state.ts'
import { endOrphanedImports } from './orphaned-imports.ts'
import { READING_LIMITS, type ReadApart, type ReadingLimits, readApart } from './read-apart.ts'
import type { PeopleOptions } from './settle-people.ts'
import { writeImport } from './write-import.ts'

/** The file and options of an import; structured-cloneable, for its thread. */
export interface ImportJob extends PeopleOptions, Pick<SourceOptions, 'columns' | 'timeZone'> {
  /** Its row already exists. */
  id: string
  /** The importing member; null for the command line. */
  memberId: string | null
  /** Without one, the file tells. */
  format?: string | undefined
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
  /** Called before the first record and now and then, with the number of records done and to do. */
  onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Reads the file of a job, and uses its contents.
 * @throws Error with one clear line
 */
async function withPlan<T>(
  place: ImportPlace,
  job: ImportJob,
  use: (plan: ImportPlan, format: string) => Promise<T>,
): Promise<T> {
  const { database, signal, limits = READING_LIMITS } = place
  const { format, file, name, projectName, columns, timeZone } = job
  const task = { format, file, name, projectName, columns, timeZone }
  const board = place.board ?? (await readApart(task, spoolOf(database, job.id), limits, signal))
  try {
    return await use(planRows(board.rows, board.facts, job), board.facts.format)
  } finally {
    if (board !== place.board) board.close()
  }
}

/** The error of an import whose row could not be updated, e.g. on a full disk. */
export class NotRecorded extends Error {}

/**
 * Performs an import, all or nothing. Its row exists, and its caller holds its lock. Its row records the
 * outcome.
 * @returns the result, or the expected result of a dry run
 * @throws Error with one clear line
 */
export async function performImport(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db, files, signal } = place
  const write = { db, files, signal }
  const states = importStates(db)
  try {
    if (!db.$client.memory) await endOrphanedImports(write, place.database)
    await writeSmall(write, () => states.reading(job.id))
    return job.format === ARCHIVE_FORMAT ? await ofArchive(place, job) : await ofBoard(place, job)
  } catch (error) {
    const line = lineOf(error)
    // The signal may be the reason.
    await writeSmall({ db, files }, () => states.failed(job.id, line)).catch((cause) => {
      throw new NotRecorded(line, { cause })
    })
    throw new Error(line, { cause: error })
  }
}

/** Loaded lazily, for archives. @throws Error with one clear line */
async function ofArchive(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { performArchiveImport } = await import('./archive-job.ts')
  return performArchiveImport({ ...place, time: place.limits?.time }, job)
}

async function ofBoard(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db, files, signal, onProgress } = place
  const write = { db, files, signal }
  const states = importStates(db)
  return await withPlan(place, job, async (plan, format) => {
    if (job.format === undefined) await writeSmall(write, () => states.recognised(job.id, format))
    const total = totalOf(plan)
    const whenWritten = (made: Imported) => states.done(job.id, total, made)
    if (job.isDryRun) {
      const made = rehearse(db, plan)
      await writeSmall(write, () => whenWritten(made))
      return made
    }
    await writeSmall(write, () => states.writing(job.id, 0, total))
    const options = { actorId: job.memberId ?? BY_COMMAND, onProgress, whenWritten }
    return await writeImport(write, plan, options)
  })
}
