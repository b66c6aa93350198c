/** A thread that does one import, or clears away what failed ones have left, on a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { ChunkedWriter } from '../../db/chunked-writer.ts'
import { type Checkpoints, databasePath, openDatabase } from '../../db/client.ts'
import { clearOrphanedImports } from './clear-import.ts'
import { type ImportJob, NotCleared, performImport } from './import-job.ts'
import { ReaderFailed, type ReadingLimits } from './read-apart.ts'

/** What the thread is to do. */
export interface ImportTask {
  databaseUrl: string
  /** Who runs checkpoints. */
  checkpoints: Checkpoints
  /** The import; without one, it clears. */
  job?: ImportJob
  /** What reading its file may take. */
  limits: ReadingLimits
  /** Why imports of this process have failed, by id, where their threads could not say so. */
  failed?: ReadonlyMap<string, string>
}

/** What the thread tells: why its import has failed where its row does not say so, or what the reader said before it ended. */
export type ImportMessage = { failed: string } | { reader: unknown }

const { databaseUrl, checkpoints, job, limits, failed } = workerData as ImportTask
const { db, files, close } = openDatabase(databaseUrl, checkpoints)
const database = databasePath(databaseUrl)
const ending = new AbortController()
const tell = (message: ImportMessage) => parentPort?.postMessage(message)
// Whoever ends this thread asks it to: from outside it might be ended in the midst of native code, and the process with it.
parentPort?.on('message', () => {
  // The process that reads the file ends first.
  ending.abort()
  close()
  process.exit(0)
})
parentPort?.unref()

async function perform(job: ImportJob): Promise<void> {
  try {
    await performImport({ db, files, database, limits, signal: ending.signal }, job)
  } catch (error) {
    // All else is in its row.
    const { cause } = error as Error
    if (cause instanceof ReaderFailed) tell({ reader: cause.cause })
    if (error instanceof NotCleared) tell({ failed: error.message })
  }
}

try {
  if (job) await perform(job)
  else await clearOrphanedImports(db, new ChunkedWriter(db, files), database, failed)
} finally {
  close()
}
