/** The import of an archive, as a job of the service, with its progress in its row. */

import { ChunkedWriter } from '../../db/chunked-writer.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { BY_COMMAND } from '../../db/current-write.ts'
import { type DatabaseFiles, NO_FILES } from '../../db/files.ts'
import { newId } from '../../db/ids.ts'
import { Imports } from '../../projects/imports.ts'
import { SameEmails } from '../archives/archive-plan.ts'
import {
  type ArchiveImportOptions,
  countsOf,
  describeArchive,
  type ImportedArchive,
  importArchive,
  notesOf,
} from '../archives/import-archive.ts'
import { ARCHIVE_FORMAT } from '../sources/formats.ts'
import { clearImport, clearOrphanedImports } from './clear-import.ts'
import { lineOf, TOO_SLOW } from './failures.ts'
import { lockOf } from './import-files.ts'
import type { ImportJob } from './import-job.ts'
import type { Imported } from './import-plan.ts'
import { importStates } from './import-state.ts'
import { optionNamesFor } from './option-names.ts'

/** Milliseconds between two progress updates of the check. */
const NOTED_EVERY = 200

/** The target of the import. */
interface ArchivePlace {
  db: SharedDatabase
  files: DatabaseFiles
  /** The chunked writer of the job; undefined in memory, where there are no other writers. */
  writes: ChunkedWriter | undefined
  /** Time limit of the check in milliseconds; unlimited by default. */
  time?: number | undefined
  /** The most bytes of all files of the database together; unlimited by default. */
  attachmentsTotal?: number | undefined
  signal?: AbortSignal | undefined
}

const recordsOf = ({ counts }: ImportedArchive) => [...counts.values()].reduce((sum, count) => sum + count, 0)

const toImported = (archive: ImportedArchive, isDryRun: boolean): Imported => ({
  projectId: null,
  counts: countsOf(archive),
  lines: describeArchive(archive, isDryRun),
  notes: notesOf(archive),
})

/**
 * The error of a failed import, in one clear line.
 * @param mapMembers the name of the option that matches members by email
 */
export function cannotImport(name: string, cause: unknown, mapMembers: string): Error {
  const why = cause instanceof SameEmails ? cause.withHint(mapMembers) : (cause as Error).message
  return new Error(`cannot import ${name}: ${why}`, { cause })
}

type CommandOptions = Pick<
  ArchiveImportOptions,
  'dryRun' | 'mapMembers' | 'attachmentsTotal' | 'onProgress' | 'signal'
>

/**
 * Imports an archive by a command, all or nothing. Beside other records it has a row like any other
 * import, so that orphaned records of a killed process are removed.
 * @param database the path of the file
 * @throws Error with one clear line
 */
export async function importByCommand(
  db: SharedDatabase,
  database: string,
  path: string,
  options: CommandOptions,
): Promise<ImportedArchive> {
  if (options.dryRun) return await importArchive(db, path, options)
  const id = newId()
  const lock = lockOf(database, id)
  const states = importStates(db)
  const writes = new ChunkedWriter(db, NO_FILES, options.signal)
  let hasRow = false
  const onChecked = async (isInSlices: boolean) => {
    if (!isInSlices) return writes.leave()
    lock.take()
    await writes.slice(() => {
      new Imports(db).create(id, ARCHIVE_FORMAT, null)
      hasRow = true
    })
  }
  const whenWritten = (archive: ImportedArchive) => {
    if (hasRow) states.done(id, recordsOf(archive), toImported(archive, false))
  }
  const onSlice = (done: number) => states.advance(id, done)
  try {
    await clearOrphanedImports(db, writes, database)
    const calls = { onChecked, onSlice, whenWritten }
    const place = { actorId: BY_COMMAND, writes, importId: id }
    return await importArchive(db, path, { ...options, ...calls, ...place })
  } catch (error) {
    if (hasRow) await clearImport(db, new ChunkedWriter(db), id, lineOf(error))
    throw error
  } finally {
    writes.leave()
    lock.release()
  }
}

/**
 * Imports an archive, all or nothing. Its completion is recorded in the same write. Its row shows the check as the first
 * half of the progress. Without other records it is written in one transaction, during which even this row is not updated.
 * @throws Error with one clear line
 */
export async function performArchiveImport(
  { db, files, writes, time = Number.POSITIVE_INFINITY, attachmentsTotal, signal }: ArchivePlace,
  { id, file, name, memberId, isDryRun, mapMembers }: ImportJob,
): Promise<Imported> {
  const states = importStates(db)
  const note = async (work: () => void) => (writes ? await writes.slice(work) : work())
  const end = (archive: ImportedArchive) => states.done(id, recordsOf(archive), toImported(archive, isDryRun))
  const began = performance.now()
  let noted = Promise.resolve()
  let notedAt = Number.NEGATIVE_INFINITY
  let records = 0
  let isChecked = false

  const onProgress = (done: number, total: number) => {
    records = total
    if (!isChecked && performance.now() - began > time) throw new Error(TOO_SLOW)
    if (isChecked || performance.now() - notedAt < NOTED_EVERY) return
    notedAt = performance.now()
    noted = noted.then(() => note(() => states.checked(id, done, total)))
    // Awaited below.
    noted.catch(() => undefined)
  }
  const onChecked = async (isInSlices: boolean) => {
    isChecked = true
    await noted
    await note(() => states.writing(id, records))
    if (!isInSlices) writes?.leave()
  }
  const onSlice = (done: number) => states.advance(id, done)
  const whenWritten = (archive: ImportedArchive) => {
    const lost = files.lost()
    if (lost) throw lost
    end(archive)
  }
  try {
    const options = { mapMembers, dryRun: isDryRun, actorId: memberId ?? BY_COMMAND, importId: id }
    const calls = { onProgress, onChecked, onSlice, whenWritten }
    const archive = await importArchive(db, file, { ...options, ...calls, writes, attachmentsTotal, signal })
    if (isDryRun) await note(() => end(archive))
    return toImported(archive, isDryRun)
  } catch (error) {
    throw cannotImport(name, error, optionNamesFor(memberId).mapMembers)
  } finally {
    await noted.catch(() => undefined)
  }
}
