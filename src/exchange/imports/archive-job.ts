/** The import of an archive, as a job of the service: all the while its row says how far it has come. */

import type { BriefWrites } from '../../db/brief-writes.ts'
import type { SharedDatabase } from '../../db/client.ts'
import type { DatabaseFiles } from '../../db/files.ts'
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

/** Milliseconds between two notes of how far the check has come. */
const NOTED_EVERY = 200

/** Where an archive is imported. */
export interface ArchivePlace {
  db: SharedDatabase
  files: DatabaseFiles
  /** The short writes of the job; undefined in memory, where nobody else writes. */
  writes: BriefWrites | undefined
  /** Milliseconds that the check may take; as long as it likes without. */
  time?: number | undefined
}

const recordsOf = ({ counts }: ImportedArchive) => [...counts.values()].reduce((sum, count) => sum + count, 0)

const toImported = (archive: ImportedArchive, isDryRun: boolean): Imported => ({
  projectId: null,
  counts: countsOf(archive),
  lines: describeArchive(archive, isDryRun),
  notes: notesOf(archive),
})

/**
 * Imports an archive, all or nothing. That it is done is written with it. While it is checked its row tells of that, as the first
 * half; while it is written nobody else can write, this row included.
 * @throws Error with one clear line
 */
export async function performArchiveImport(
  { db, files, writes, time = Number.POSITIVE_INFINITY }: ArchivePlace,
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
    // It is waited for below.
    noted.catch(() => undefined)
  }
  const onChecked = async () => {
    isChecked = true
    await noted
    await note(() => states.writing(id, records))
    writes?.leave()
  }
  const whenWritten = (archive: ImportedArchive) => {
    const lost = files.lost()
    if (lost) throw lost
    end(archive)
  }
  try {
    const options = { mapMembers, dryRun: isDryRun, actorId: memberId, onProgress, onChecked, whenWritten }
    const archive = await importArchive(db, file, options)
    if (isDryRun) await note(() => end(archive))
    return toImported(archive, isDryRun)
  } catch (error) {
    throw new Error(`cannot import ${name}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  } finally {
    await noted.catch(() => undefined)
  }
}
