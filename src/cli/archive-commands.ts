/** The commands for archives. */

import type { SharedDatabase } from '../db/client.ts'
import { BY_COMMAND } from '../db/current-write.ts'
import type { DamagedFile } from '../exchange/archives/archive-snapshot.ts'
import { exportArchive } from '../exchange/archives/export-archive.ts'
import {
  type ArchiveImportOptions,
  describeArchive,
  importArchive,
} from '../exchange/archives/import-archive.ts'
import { cannotImport } from '../exchange/imports/archive-job.ts'
import { describeWait } from '../exchange/imports/import-plan.ts'
import { optionNamesFor } from '../exchange/imports/option-names.ts'
import { counted } from '../maintenance/checks.ts'
import { shown } from './shown.ts'
import { complain, say } from './terminal.ts'

/** Most damaged files that are named. */
const NAMED = 5

/** The damaged files whose bytes an archive lacks, as a sentence. */
function describeDamaged(damaged: readonly DamagedFile[]): string {
  const named = damaged
    .slice(0, NAMED)
    .map(({ sha256, attachments }) => `${sha256} (attachments: ${attachments.join(', ') || 'none any more'})`)
  const more = damaged.length > NAMED ? ', ...' : ''
  return `the archive lacks the bytes of ${counted(damaged.length, 'damaged file')}: ${named.join(', ')}${more}`
}

/** `export`. @param path the target */
export async function exportTo(db: SharedDatabase, path: string, { force }: { force?: true }): Promise<void> {
  const { manifest, damaged } = await shown('exporting', 'records', (options) =>
    exportArchive(db.$client, path, { ...options, force }),
  )
  const { files, lastSeq } = manifest
  const records = files.reduce((sum, { records }) => sum + records, 0)
  say(`exported ${records} records to ${path}, up to change ${lastSeq}`)
  if (damaged.length > 0) complain(describeDamaged(damaged))
}

/**
 * `import phaseboard`.
 * @param db undefined for a dry run without a database
 */
export async function importFrom(
  db: SharedDatabase | undefined,
  path: string,
  options: Pick<ArchiveImportOptions, 'dryRun' | 'mapMembers' | 'attachmentsTotal'>,
): Promise<void> {
  const label = options.dryRun ? 'checking' : 'importing'
  try {
    const imported = await shown(label, 'records', ({ onProgress, signal }) => {
      let hasBegun = false
      const showTotal: typeof onProgress = (done, total) => {
        if (!hasBegun && !options.dryRun) for (const line of describeWait(total)) say(line)
        hasBegun = true
        onProgress(done, total)
      }
      return importArchive(db, path, { ...options, onProgress: showTotal, signal, actorId: BY_COMMAND })
    })
    say(`${options.dryRun ? 'would import' : 'imported'} ${path}`)
    for (const text of describeArchive(imported, options.dryRun)) say(text)
  } catch (error) {
    throw cannotImport(path, error, optionNamesFor(null).mapMembers)
  }
}
