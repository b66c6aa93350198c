/** The command that imports a board, also beside a running service. */
import { type Checkpoints, databasePath, openDatabase, write } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { planBoard } from '../exchange/imports/import-board.ts'
import { lockOf } from '../exchange/imports/import-files.ts'
import { performImport } from '../exchange/imports/import-job.ts'
import { rehearse } from '../exchange/imports/import-plan.ts'
import { FORMATS, type Format } from '../exchange/sources/formats.ts'
import { readSource } from '../exchange/sources/read-source.ts'
import { Imports } from '../projects/imports.ts'
import { createProgress } from './progress.ts'
import { say } from './terminal.ts'

/** Signals that end an import, which then leaves nothing. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How a board is to be imported. */
export interface ImportOptions {
  /** Also when it was imported before. */
  again?: true
  /** Says what would be made, and makes nothing. */
  dryRun?: true
}

/**
 * `import`: imports the board in a file as a project, and prints a summary.
 * @param databaseUrl the database, which is created where there is none
 * @param checkpoints who runs them
 * @throws Error with one clear line: then nothing has changed
 */
export async function importFile(
  databaseUrl: string,
  format: string,
  file: string,
  options: ImportOptions,
  checkpoints?: Checkpoints,
): Promise<void> {
  // What cannot be read needs no database, and creates none.
  const board = await readSource(FORMATS[format] as Format, file, file)
  const { again = false, dryRun = false } = options
  const { db, files, close, discard } = openDatabase(databaseUrl, checkpoints)
  if (dryRun) {
    try {
      for (const line of rehearse(db, planBoard(board, again)).lines) say(line)
    } finally {
      discard()
    }
    return
  }
  const progress = createProgress(process.stdout, 'importing', 'records')
  const ending = new AbortController()
  const end = () => ending.abort(new Error('the import was interrupted: nothing has changed'))
  for (const signal of SIGNALS) process.once(signal, end)
  const database = databasePath(databaseUrl)
  const id = newId()
  const lock = lockOf(database, id)
  try {
    lock.take()
    write(db, () => new Imports(db).create(id, format, null))
    const job = { id, format, file, name: file, memberId: null, again, isDryRun: false }
    const place = { db, files, database, signal: ending.signal, board, onProgress: progress.update }
    const { lines } = await performImport(place, job)
    progress.stop()
    for (const line of lines) say(line)
  } catch (error) {
    progress.stop()
    lock.release()
    discard()
    throw error
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
    lock.release()
    close()
  }
}
