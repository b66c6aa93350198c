/** The command that imports a board, even while the service runs. */
import { type Checkpoints, databasePath, openDatabase, writeAs } from '../db/client.ts'
import { BY_COMMAND } from '../db/current-write.ts'
import { newId } from '../db/ids.ts'
import { invalidField } from '../errors.ts'
import { planRows } from '../exchange/imports/import-board.ts'
import { lockOf, MEMORY, spoolOf } from '../exchange/imports/import-files.ts'
import { performImport } from '../exchange/imports/import-job.ts'
import { describeWait, rehearse } from '../exchange/imports/import-plan.ts'
import { type Mapping, mappingsByKind } from '../exchange/imports/mappings.ts'
import { READING_LIMITS, readApart } from '../exchange/imports/read-apart.ts'
import { Imports } from '../projects/imports.ts'
import { LIMITS } from '../schemas/common.ts'
import { createProgress } from './progress.ts'
import { untilSignalled } from './shown.ts'
import { say } from './terminal.ts'

export interface ImportOptions {
  /** Import even if it was imported before. */
  again?: true
  /** Report what would be created, and create nothing. */
  dryRun?: true
  /** The name of the project. */
  name?: string
  /** Match people by name, if exactly one person has it. */
  matchNames?: true
  /** Mappings of people and columns. */
  map?: Mapping[]
  /** The time zone in which midnight is a day. */
  timeZone?: string
}

/** Settings of the service that apply to the command, too. */
interface ImportSettings {
  /** What runs checkpoints. */
  checkpoints?: Checkpoints
  /** Most records of one import. */
  records: number
  /** Ids of people without a row. */
  reserved: readonly string[]
}

/** @throws ApiError 400 for an invalid project name */
function refuseName(name: string | undefined): void {
  const length = [...(name ?? 'none')].length
  if (length === 0 || length > LIMITS.name) {
    throw invalidField('--name', `must have 1 to ${LIMITS.name} characters`)
  }
}

/**
 * `import`: imports the board in a file as a project, and prints a summary.
 * @param databaseUrl the database; created if it does not exist
 * @param format of the file; without one, the file tells
 * @throws Error with one clear line; nothing has changed then
 */
export const importFile = (
  databaseUrl: string,
  format: string | undefined,
  file: string,
  options: ImportOptions,
  { checkpoints, records, reserved }: ImportSettings,
): Promise<void> =>
  untilSignalled('the import was interrupted: nothing has changed', async (signal) => {
    const id = newId()
    // A file that cannot be read must not create a database.
    const limits = { ...READING_LIMITS, records }
    const { again = false, dryRun = false, name: projectName, timeZone, map = [], ...matching } = options
    const { columns, ...mapped } = mappingsByKind(map)
    const people = { ...matching, ...mapped, reserved }
    refuseName(projectName)
    const task = { format, file, name: file, projectName, columns, timeZone }
    const board = await readApart(task, spoolOf(MEMORY, id), limits, signal)
    try {
      const { db, files, close, discard } = openDatabase(databaseUrl, checkpoints)
      if (dryRun) {
        try {
          const plan = planRows(board.rows, board.facts, { again, ...people })
          for (const line of rehearse(db, plan).lines) say(line)
        } finally {
          discard()
        }
        return
      }
      const progress = createProgress(process.stdout, 'importing', 'records')
      const database = databasePath(databaseUrl)
      const lock = lockOf(database, id)
      try {
        lock.take()
        writeAs(db, BY_COMMAND, () => new Imports(db).create(id, format ?? '', null))
        const records = board.rows.tables.reduce((sum, { count }) => sum + count, 0)
        for (const line of describeWait(records)) say(line)
        const job = { ...task, ...people, id, memberId: null, again, isDryRun: false }
        const place = { db, files, database, signal, board, onProgress: progress.update }
        const { lines } = await performImport(place, job)
        progress.stop()
        for (const line of lines) say(line)
      } catch (error) {
        progress.stop()
        lock.release()
        discard()
        throw error
      } finally {
        lock.release()
        close()
      }
    } finally {
      board.close()
    }
  })
