/**
 * A thread that watches a reader: kills its process if it exceeds its limit of memory of all kinds,
 * or if the parent process is gone.
 */
import { setInterval } from 'node:timers'
import { workerData } from 'node:worker_threads'

/** The watched conditions. */
export interface Watched {
  /** The parent process. */
  parent: number
  /** Memory limit, in MiB. */
  memory: number
}

/** Milliseconds between two checks: memory can grow by some GB/s. */
const EVERY = 25

const MIB = 1024 * 1024

const { parent, memory } = workerData as Watched
setInterval(() => {
  const isWanted = process.ppid === parent && process.memoryUsage.rss() <= memory * MIB
  if (!isWanted) process.kill(process.pid, 'SIGKILL')
}, EVERY)
