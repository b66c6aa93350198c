/** The import of an archive, as a job of the service, with its progress in its row. */

import type { SharedDatabase } from '../../db/client.ts'
import { BY_COMMAND } from '../../db/current-write.ts'
import type { DatabaseFiles } from '../../db/files.ts'
import { writeSmall } from '../../db/whole-write.ts'
import { SameEmails } from '../archives/archive-plan.ts'
import {
  countsOf,
  describeArchive,
  type ImportedArchive,
  importArchive,
  notesOf,
} from '../archives/import-archive.ts'
import { TOO_SLOW } from './failures.ts'
import type { ImportJob } from './import-job.ts'
import type { Imported } from './import-plan.ts'
import { importStates } from './import-state.ts'
import { optionNamesFor } from './option-names.ts'

/** The target of the import. */
interface ArchivePlace {
  db: SharedDatabase
  files: DatabaseFiles
  /** Time limit of the check in milliseconds; unlimited by default. */
  time?: number | undefined
  /** The most bytes of all files of the database together; unlimited by default. */
  attachmentsTotal?: number | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
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

/**
 * Imports an archive, all or nothing. Its completion is recorded in the same write. The check is the first half of its progress.
 * @throws Error with one clear line
 */
export async function performArchiveImport(
  { db, files, time = Number.POSITIVE_INFINITY, attachmentsTotal, signal, ...place }: ArchivePlace,
  { id, file, name, memberId, isDryRun, mapMembers }: ImportJob,
): Promise<Imported> {
  const states = importStates(db)
  const write = { db, files, signal }
  const end = (archive: ImportedArchive) => states.done(id, recordsOf(archive), toImported(archive, isDryRun))
  const began = performance.now()
  let [done, total] = [0, 0]
  let isChecked = false

  const onProgress = (...progress: [done: number, total: number]) => {
    ;[done, total] = progress
    if (!isChecked && performance.now() - began > time) throw new Error(TOO_SLOW)
    place.onProgress?.(done, total)
  }
  const onChecked = async () => {
    isChecked = true
    await writeSmall(write, () => states.writing(id, done, total))
  }
  try {
    const options = { mapMembers, dryRun: isDryRun, actorId: memberId ?? BY_COMMAND, attachmentsTotal }
    const calls = { onProgress, onChecked, whenWritten: end }
    const archive = await importArchive(db, file, { ...options, ...calls, files, signal })
    if (isDryRun) await writeSmall(write, () => end(archive))
    return toImported(archive, isDryRun)
  } catch (error) {
    throw cannotImport(name, error, optionNamesFor(memberId).mapMembers)
  }
}
