/** A thread that does one import, or clears away what failed ones have left, on a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { BriefWrites } from '../../db/brief-writes.ts'
import { type Checkpoints, databasePath, openDatabase } from '../../db/client.ts'
import { once } from '../../once.ts'
import { clearRests } from './clear-import.ts'
import { type ImportJob, performImport } from './import-job.ts'

/** What the thread is to do. */
export interface ImportTask {
  databaseUrl: string
  /** Who runs checkpoints. */
  checkpoints: Checkpoints
  /** The import; without one, it clears. */
  job?: ImportJob
  /** Why imports of this process have failed, by id, where their threads could not say so. */
  failed?: ReadonlyMap<string, string>
}

const { databaseUrl, checkpoints, job, failed } = workerData as ImportTask
const { db, files, close } = openDatabase(databaseUrl, checkpoints)
const database = databasePath(databaseUrl)
// Whoever ends this thread asks it to: from outside it might be ended in the midst of native code, and the process with it.
parentPort?.on('message', () => {
  close()
  process.exit(0)
})
parentPort?.unref()
try {
  if (job) {
    const onProgress = once(() => parentPort?.postMessage('read'))
    await performImport({ db, files, database, onProgress }, job).catch(() => undefined)
  } else await clearRests(db, new BriefWrites(db, files), database, failed)
} finally {
  close()
}
