/** Removes the records of failed (orphaned) imports, in slices and without changes in the sequence. */
import { rmSync } from 'node:fs'
import type { ChunkedWriter } from '../../db/chunked-writer.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { foldAll, LargeWrite } from '../../db/large-writes.ts'
import { NO_LOCK } from '../../db/process-lock.ts'
import { takeAway } from '../../db/take-away.ts'
import { lockOf, uploadOf, uploadsBeside } from './import-files.ts'
import { importStates, STOPPED } from './import-state.ts'

/**
 * Removes all records of an import, and records its error.
 * @param error one line
 */
export async function clearImport(
  db: SharedDatabase,
  writes: ChunkedWriter,
  id: string,
  error: string,
): Promise<void> {
  const say = () => importStates(db).failed(id, error)
  const begun = db.$client
    .prepare<[string], number>('select number from large_writes where import_id = ? and first_seq is null')
    .pluck()
    .get(id)
  if (begun === undefined) await writes.slice(say)
  else await takeAway(db, writes, new LargeWrite(db, writes, begun), say)
}

/** An unfinished import by its row. */
const UNFINISHED = "status in ('waiting', 'reading', 'writing')"

/** The unfinished imports. */
const unfinishedOf = ({ $client: client }: SharedDatabase) =>
  client.prepare<[], string>(`select id from imports where ${UNFINISHED}`).pluck()

/**
 * Whether there may be orphaned imports: cheap, for startup. Imports of running processes count, too.
 * @param database the path of the file
 */
export function hasRests({ $client: client }: SharedDatabase, database: string): boolean {
  const some = client.prepare(
    `select 1 where exists (select 1 from imports where ${UNFINISHED}) or exists (
      select 1 from large_writes where import_id is not null or first_seq is not null)`,
  )
  return some.get() !== undefined || uploadsBeside(database).length > 0
}

/** Removes an orphaned upload: from before its import had a row, or from after its end. */
function clearUpload(database: string, id: string): void {
  const lock = lockOf(database, id)
  try {
    if (lock.take()) rmSync(uploadOf(database, id), { force: true })
  } finally {
    lock.release()
  }
}

/**
 * Clears all orphaned imports: their records and files.
 * @param database the path of the file
 * @param known errors of this process's failed imports, by id: they count as orphaned
 */
export async function clearOrphanedImports(
  db: SharedDatabase,
  writes: ChunkedWriter,
  database: string,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const unfinished = unfinishedOf(db)
  for (const id of unfinished.all()) {
    const lock = known.has(id) ? NO_LOCK : lockOf(database, id)
    try {
      // Its process may just have finished it.
      if (!lock.take() || !unfinished.all().includes(id)) continue
      await clearImport(db, writes, id, known.get(id) ?? STOPPED)
      rmSync(uploadOf(database, id), { force: true })
    } finally {
      lock.release()
    }
  }
  await foldAll(db, writes)
  for (const id of uploadsBeside(database)) clearUpload(database, id)
}
