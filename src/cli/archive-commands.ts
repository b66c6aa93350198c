/** The commands for archives. */

import { ChunkedWriter } from '../db/chunked-writer.ts'
import type { SharedDatabase } from '../db/client.ts'
import { foldAll } from '../db/large-writes.ts'
import { exportArchive } from '../exchange/archives/export-archive.ts'
import {
  type ArchiveImportOptions,
  describeArchive,
  importArchive,
} from '../exchange/archives/import-archive.ts'
import { cannotImport, importByCommand } from '../exchange/imports/archive-job.ts'
import { optionNamesFor } from '../exchange/imports/option-names.ts'
import { shown } from './shown.ts'
import { say } from './terminal.ts'

/** `export`. @param path the target */
export async function exportTo(db: SharedDatabase, path: string, { force }: { force?: true }): Promise<void> {
  // Leftovers of a killed process.
  await foldAll(db, new ChunkedWriter(db))
  const { files, lastSeq } = await shown('exporting', 'records', (options) =>
    exportArchive(db.$client, path, { ...options, force }),
  )
  const records = files.reduce((sum, { records }) => sum + records, 0)
  say(`exported ${records} records to ${path}, up to change ${lastSeq}`)
}

/**
 * `import phaseboard`.
 * @param db undefined for a dry run without a database
 * @param database the path of its file
 */
export async function importFrom(
  db: SharedDatabase | undefined,
  database: string,
  path: string,
  options: Pick<ArchiveImportOptions, 'dryRun' | 'mapMembers' | 'attachmentsTotal'>,
): Promise<void> {
  const label = options.dryRun ? 'checking' : 'importing'
  try {
    const imported = await shown(label, 'records', (shownTo) =>
      db
        ? importByCommand(db, database, path, { ...options, ...shownTo })
        : importArchive(db, path, { ...options, ...shownTo }),
    )
    say(`${options.dryRun ? 'would import' : 'imported'} ${path}`)
    for (const text of describeArchive(imported, options.dryRun)) say(text)
  } catch (error) {
    throw cannotImport(path, error, optionNamesFor(null).mapMembers)
  }
}
