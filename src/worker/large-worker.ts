/** A thread that does one large write, or ends those that others have left, on a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { ChunkedWriter } from '../db/chunked-writer.ts'
import { databasePath, openDatabase } from '../db/client.ts'
import type { LargeJob } from '../requests/perform.ts'
import { createRules } from '../requests/rules.ts'
import { LargeTasks } from './large-tasks.ts'
import type { WorkerOptions } from './offload.ts'
import { outcomeOf } from './outcomes.ts'

/** What the thread is to do: without a job, what was left. */
export interface LargeThread extends WorkerOptions {
  job?: LargeJob | undefined
}

const { databaseUrl, walCheckpoints, job } = workerData as LargeThread
const { db, files, close } = openDatabase(databaseUrl, walCheckpoints)
// Whoever ends this thread asks it to: it looks up between two slices. What is open then goes on at the next start.
parentPort?.on('message', () => {
  close()
  process.exit(0)
})
parentPort?.unref()
try {
  const writes = new ChunkedWriter(db, files)
  const place = { db, files, database: databasePath(databaseUrl), rules: createRules(db), writes }
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
  // What it has told has to be moved into the sequence; it is told by now, whatever comes of that.
  await tasks.goOn()
} finally {
  close()
}
