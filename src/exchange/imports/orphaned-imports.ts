/** Imports whose process has died before their end: nothing of them is in the file but their rows, and the uploads beside it. */
import { rmSync } from 'node:fs'
import type { SharedDatabase } from '../../db/client.ts'
import { NO_LOCK } from '../../db/process-lock.ts'
import { type WholeWrite, writeSmall } from '../../db/whole-write.ts'
import { lockOf, uploadOf, uploadsBeside } from './import-files.ts'
import { importStates, STOPPED } from './import-state.ts'

/** The unfinished imports. */
const unfinishedOf = ({ $client: client }: SharedDatabase) =>
  client
    .prepare<[], string>("select id from imports where status in ('waiting', 'reading', 'writing')")
    .pluck()

/**
 * Whether there may be orphaned imports: cheap, for startup. Imports of running processes count, too.
 * @param database the path of the file
 */
export const mayHaveOrphans = (db: SharedDatabase, database: string): boolean =>
  unfinishedOf(db).get() !== undefined || uploadsBeside(database).length > 0

/** Removes an orphaned upload: from before its import had a row, or from after its end. */
function removeUpload(database: string, id: string): void {
  const lock = lockOf(database, id)
  try {
    if (lock.take()) rmSync(uploadOf(database, id), { force: true })
  } finally {
    lock.release()
  }
}

/**
 * Records that orphaned imports have failed, and removes their uploads.
 * @param database the path of the file
 * @param known errors of this process's failed imports, by id: they count as orphaned
 */
export async function endOrphanedImports(
  write: WholeWrite,
  database: string,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const unfinished = unfinishedOf(write.db)
  const { failed } = importStates(write.db)
  for (const id of unfinished.all()) {
    const lock = known.has(id) ? NO_LOCK : lockOf(database, id)
    try {
      // Its process may just have finished it.
      if (!lock.take() || !unfinished.all().includes(id)) continue
      await writeSmall(write, () => failed(id, known.get(id) ?? STOPPED))
      rmSync(uploadOf(database, id), { force: true })
    } finally {
      lock.release()
    }
  }
  for (const id of uploadsBeside(database)) removeUpload(database, id)
}
