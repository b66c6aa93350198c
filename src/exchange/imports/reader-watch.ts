/**
 * The thread beside a reader: ends the process, whatever that is in the midst of, when it takes more memory than it may, all kinds
 * of it, or when the process that wants to know is gone.
 */
import { setInterval } from 'node:timers'
import { workerData } from 'node:worker_threads'

/** What a reader is watched for. */
export interface Watched {
  /** The process that started it. */
  parent: number
  /** Memory that it may take, in MiB. */
  memory: number
}

/** Milliseconds between two looks: fresh memory comes at some GB/s. */
const EVERY = 25

const MIB = 1024 * 1024

const { parent, memory } = workerData as Watched
setInterval(() => {
  const isWanted = process.ppid === parent && process.memoryUsage.rss() <= memory * MIB
  if (!isWanted) process.kill(process.pid, 'SIGKILL')
}, EVERY)
