/**
 * A separate process that reads a file and exits, so that no file can harm the service. Its only argument is the
 * task; it writes the result to the file at descriptor 3 (see spool.ts).
 */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { type ReaderTask, readIntoSpool } from './read-into-spool.ts'
import type { Watched } from './reader-watch.ts'

const SPOOL = 3

const task: ReaderTask & Watched = JSON.parse(process.argv[2] as string)

// If memory runs out, the kernel should kill this process. Fails on other systems, or without permission.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined)

const file = import.meta.url.endsWith('.ts') ? './reader-watch.ts' : './reader-watch.js'
const watch = new Worker(new URL(file, import.meta.url), {
  workerData: { parent: task.parent, memory: task.memory } satisfies Watched,
})
await once(watch, 'online')
watch.unref()
await readIntoSpool(task, SPOOL)
