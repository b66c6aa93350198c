/** A thread that performs one large write, or finishes leftovers, on its own connection. */
import { parentPort, workerData } from 'node:worker_threads'
import { ChunkedWriter } from '../db/chunked-writer.ts'
import { databasePath, openDatabase } from '../db/client.ts'
import type { LargeJob } from '../requests/perform.ts'
import { createScopedRules } from '../requests/scoped-rules.ts'
import { LargeTasks } from './large-tasks.ts'
import type { WorkerOptions } from './offload.ts'
import { outcomeOf } from './outcomes.ts'

/** The thread's job; without one, leftovers. */
export interface LargeThread extends WorkerOptions {
  job?: LargeJob | undefined
}

const { databaseUrl, walCheckpoints, job } = workerData as LargeThread
const { db, files, close } = openDatabase(databaseUrl, walCheckpoints)
// A message stops this thread, which checks between two slices. An unfinished task continues at the next start.
parentPort?.on('message', () => {
  close()
  process.exit(0)
})
parentPort?.unref()
try {
  const writes = new ChunkedWriter(db, files)
  const place = { db, files, database: databasePath(databaseUrl), scoped: createScopedRules(db), writes }
  const tasks = new LargeTasks(place)
  if (job) {
    const outcome = await tasks.perform(job).then(
      (value) => outcomeOf(() => value),
      (error) =>
        outcomeOf(() => {
          throw error
        }),
    )
    parentPort?.postMessage(outcome)
  }
  // Staged changes must be moved into the sequence; they are already published, even if that fails.
  await tasks.goOn()
} finally {
  close()
}
