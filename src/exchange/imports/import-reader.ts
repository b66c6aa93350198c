/**
 * A process of its own that reads a file and ends: whatever the file makes of it, the service goes on. It is told what to read
 * by its one argument, and leaves what it read in the file that it has as descriptor 3 (see spool.ts).
 */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { type ReaderTask, readIntoSpool } from './read-into-spool.ts'
import type { Watched } from './reader-watch.ts'

const SPOOL = 3

const task: ReaderTask & Watched = JSON.parse(process.argv[2] as string)

// Where memory runs out, the kernel is to take this process, and no other. Not on Linux, or where that is not allowed.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined)

const file = import.meta.url.endsWith('.ts') ? './reader-watch.ts' : './reader-watch.js'
const watch = new Worker(new URL(file, import.meta.url), {
  workerData: { parent: task.parent, memory: task.memory } satisfies Watched,
})
await once(watch, 'online')
watch.unref()
await readIntoSpool(task, SPOOL)
