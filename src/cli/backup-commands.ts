/** The backup commands. */
import { backUp, type Copied, restore } from '../exchange/copies/backup.ts'
import { shown } from './shown.ts'
import { complain, say } from './terminal.ts'

/** `backup`. @param path the database */
export async function backupTo(path: string, file: string, { force }: { force?: true }): Promise<void> {
  const copied = await shown('backing up', 'pages', (options) => backUp(path, file, { ...options, force }))
  warnOfOrphans(copied)
  say(`backed up ${path} to ${file} (${copied.size} bytes)`)
}

/** `restore`. @param path the database */
export async function restoreFrom(path: string, file: string): Promise<void> {
  const restored = await shown('restoring', 'pages', (options) => restore(path, file, options))
  warnOfOrphans(restored)
  say(`restored ${path} from ${file} (${restored.size} bytes)`)
  if (restored.jumpedTo !== undefined) {
    say(
      `the sequence of changes continues with ${restored.jumpedTo}: clients that saw changes after the backup must reload`,
    )
  }
  if (restored.kept !== undefined) say(`the previous database is now ${restored.kept}`)
}

/** Warns of orphaned records: other tools may write without enforcing foreign keys. */
export function warnOfOrphans({ orphans }: Pick<Copied, 'orphans'>): void {
  if (orphans > 0) complain(`warning: ${orphans} records refer to records that do not exist`)
}
