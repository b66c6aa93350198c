/** A thread that does one import, or clears away what failed ones have left, on a connection of its own. */
import { workerData } from 'node:worker_threads'
import { type Checkpoints, databasePath, openDatabase } from '../db/client.ts'
import { BriefWrites } from './brief-writes.ts'
import { clearRests } from './clear-import.ts'
import { type ImportJob, performImport } from './import-job.ts'

/** What the thread is to do. */
export interface ImportTask {
  databaseUrl: string
  /** Who runs checkpoints: as for the service. */
  walCheckpoints?: Checkpoints
  /** The import; without one, it clears. */
  job?: ImportJob
  /** Why imports of this process have failed, by id, where their threads could not say so. */
  failed?: ReadonlyMap<string, string>
}

const { databaseUrl, walCheckpoints, job, failed } = workerData as ImportTask
const { db, files, close } = openDatabase(databaseUrl, walCheckpoints)
const database = databasePath(databaseUrl)
try {
  if (job) await performImport({ db, files, database }, job).catch(() => undefined)
  else await clearRests(db, new BriefWrites(db, files), database, failed)
} finally {
  close()
}
