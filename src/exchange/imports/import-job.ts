/** One import from beginning to end: a file is read, and what it holds written. */

import { BriefWrites } from '../../db/brief-writes.ts'
import type { SharedDatabase } from '../../db/client.ts'
import type { DatabaseFiles } from '../../db/files.ts'
import { ARCHIVE_FORMAT, FORMATS, type Format } from '../sources/formats.ts'
import { readSource } from '../sources/read-source.ts'
import type { SourceBoard } from '../sources/source-board.ts'
import { clearImport, clearRests } from './clear-import.ts'
import { importAtOnce } from './import-at-once.ts'
import { planBoard } from './import-board.ts'
import { type Imported, type ImportPlan, rehearse, totalOf } from './import-plan.ts'
import { importStates } from './import-state.ts'
import { type Importing, writeInSlices } from './write-slices.ts'

/** What is to be imported, and how. A structured clone of it does the same in a thread of its own. */
export interface ImportJob extends Importing {
  format: string
  /** Where the file is. */
  file: string
  /** What the file is called in messages. */
  name: string
  /** Whether to import what was imported before. */
  again: boolean
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
  /** The board, where the caller has read the file. */
  board?: SourceBoard
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** Reads the file of a job. @throws Error with one clear line */
async function planOf({ board }: ImportPlace, { format, file, name, again }: ImportJob): Promise<ImportPlan> {
  return planBoard(board ?? (await readSource(FORMATS[format] as Format, file, name)), again)
}

/** One line that says why. */
const lineOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

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
  { db, files }: ImportPlace,
  job: ImportJob,
  writes?: BriefWrites,
): Promise<Imported> {
  const { performArchiveImport } = await import('./archive-job.ts')
  return performArchiveImport({ db, files, writes }, job)
}

async function inFile(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db, files, database, signal, onProgress } = place
  const writes = new BriefWrites(db, files, signal)
  const states = importStates(db)
  try {
    await clearRests(db, writes, database)
    await writes.slice(() => states.reading(job.id))
    if (job.format === ARCHIVE_FORMAT) return await importWhole(place, job, writes)
    const plan = await planOf(place, job)
    if (!job.isDryRun) return await writeInSlices(db, writes, plan, job, onProgress)
    const made = rehearse(db, plan)
    await writes.slice(() => states.done(job.id, totalOf(plan), made))
    return made
  } catch (error) {
    await clearImport(db, new BriefWrites(db, files), job.id, lineOf(error))
    throw error
  }
}

/** In memory nobody else writes, and nothing outlives the process. */
async function inMemory(place: ImportPlace, job: ImportJob): Promise<Imported> {
  const { db, onProgress } = place
  const states = importStates(db)
  try {
    states.reading(job.id)
    if (job.format === ARCHIVE_FORMAT) return await importWhole(place, job)
    const plan = await planOf(place, job)
    if (!job.isDryRun) importAtOnce(db, plan, job.memberId, { onProgress })
    const made = job.isDryRun ? rehearse(db, plan) : plan.result(false)
    states.done(job.id, totalOf(plan), made)
    return made
  } catch (error) {
    states.failed(job.id, lineOf(error))
    throw error
  }
}
