/**
 * Watches a service's file and memory from outside, in its own thread: how long the write lock was taken, and how much memory
 * the service and its children had.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import SQLite from 'better-sqlite3'
import { peakBytes, residentBytes } from './process-usage.ts'
import { OWN_THREAD, type Usage, usageOf, waitOf } from './thread-usage.ts'

/** The intervals in milliseconds at which the lock is tried: while it is free, and while it is taken. */
const PAUSE = 4
const PAUSE_WHILE_BUSY = 1

/** The interval in milliseconds at which the memory is read. */
const SAMPLE = 25

/** The observations. */
export interface LockAndMemory {
  /**
   * The longest time that the write lock was taken, in milliseconds: from the first failed attempt to the next successful one.
   * The time that the busiest thread waited for a processor is subtracted.
   */
  longest: number
  /** The same, without subtraction. */
  longestSeen: number
  /** The service's peak memory in bytes; undefined on systems other than Linux. */
  peak: number | undefined
  /** The peak memory of all its descendants together; 0 if there were none. */
  peakOfChildren: number
}

/** Watches until the results are requested. */
interface LockWatch {
  /** The longest time since the last lap, or since the start; for one of several requests. */
  lap: () => Promise<number>
  end: () => Promise<LockAndMemory>
}

/** The watched service. */
interface Watched {
  pid: number
  /** The service's file. If absent, the lock is not watched. */
  database?: string
}

/** Starts watching. @param watched the service's process and file */
export async function watchLock(watched: Watched): Promise<LockWatch> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { locked: watched } })
  const next = async <T>(): Promise<T> => (await once(worker, 'message'))[0]
  await next()
  return {
    lap: () => {
      worker.postMessage('lap')
      return next()
    },
    end: async () => {
      const exited = once(worker, 'exit')
      worker.postMessage('end')
      const seen = await next<LockAndMemory>()
      await exited
      return seen
    },
  }
}

/** Reads a folder that may not exist any more. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const usageOfThreads = (pid: number): Map<string, Usage> =>
  new Map(namesIn(`/proc/${pid}/task`).map((id) => [id, usageOf(`/proc/${pid}/task/${id}`)]))

/** How long the busiest thread (by running and waiting time since `before`) has waited for a processor, in milliseconds. */
function waitOfBusiest(pid: number, before: ReadonlyMap<string, Usage>): number {
  const since = [...usageOfThreads(pid)].map(([id, [ran, waited]]): Usage => {
    const [ranBefore, waitedBefore] = before.get(id) ?? [ran, waited]
    return [ran - ranBefore, waited - waitedBefore]
  })
  const busiest = since.reduce((most, one) => (one[0] + one[1] > most[0] + most[1] ? one : most), [0, 0])
  return busiest[1] / 1e6
}

/** The descendants of a process. */
function descendantsOf(pid: number): number[] {
  const children = namesIn(`/proc/${pid}/task`).flatMap((id) => {
    try {
      return readFileSync(`/proc/${pid}/task/${id}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
    } catch {
      return []
    }
  })
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

/** A figure of a process that may have ended. */
function unlessEnded(figure: () => number | undefined): number {
  try {
    return figure() ?? 0
  } catch {
    return 0
  }
}

function run({ pid, database }: Watched): void {
  const client = database === undefined ? undefined : new SQLite(database, { timeout: 0 })
  const begin = client?.prepare('begin immediate')
  const rollback = client?.prepare('rollback')
  const seen: LockAndMemory = { longest: 0, longestSeen: 0, peak: undefined, peakOfChildren: 0 }
  let longestOfLap = 0
  let busy: { since: number; threads: ReadonlyMap<string, Usage>; own: number } | undefined

  const hasLock = () => {
    try {
      begin?.run()
      rollback?.run()
      return true
    } catch (error) {
      if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false
      throw error
    }
  }
  /** How long the lock has been taken, minus the waiting time for a processor. */
  function lastedOf({ since, threads, own }: NonNullable<typeof busy>): { seen: number; lasted: number } {
    const seen = performance.now() - since
    // Either a thread of the service waited for a processor, or this thread did and looked too late.
    const ownWait = waitOf(OWN_THREAD) - own
    return { seen, lasted: Math.max(0, seen - Math.max(waitOfBusiest(pid, threads), ownWait)) }
  }
  function note() {
    if (busy === undefined) return
    const { seen: asSeen, lasted } = lastedOf(busy)
    seen.longestSeen = Math.max(seen.longestSeen, asSeen)
    seen.longest = Math.max(seen.longest, lasted)
    longestOfLap = Math.max(longestOfLap, lasted)
    busy = undefined
  }
  function look() {
    if (hasLock()) note()
    else
      busy ??= {
        since: performance.now(),
        threads: usageOfThreads(pid),
        own: waitOf(OWN_THREAD),
      }
    timer = setTimeout(look, busy === undefined ? PAUSE : PAUSE_WHILE_BUSY)
  }
  function sample() {
    const peak = unlessEnded(() => peakBytes(pid))
    if (peak > 0) seen.peak = Math.max(seen.peak ?? 0, peak)
    const children = descendantsOf(pid)
    if (children.length === 0) return
    const together = children.reduce((sum, child) => sum + unlessEnded(() => residentBytes(child)), 0)
    const most = Math.max(...children.map((child) => unlessEnded(() => peakBytes(child))))
    seen.peakOfChildren = Math.max(seen.peakOfChildren, together, most)
  }

  let timer = setTimeout(look, 0)
  if (client === undefined) clearTimeout(timer)
  const sampling = setInterval(sample, SAMPLE)
  parentPort?.on('message', (message) => {
    if (message === 'lap') {
      parentPort?.postMessage(Math.max(longestOfLap, busy === undefined ? 0 : lastedOf(busy).lasted))
      longestOfLap = 0
      return
    }
    clearTimeout(timer)
    clearInterval(sampling)
    sample()
    note()
    client?.close()
    parentPort?.postMessage(seen)
    parentPort?.close()
  })
  parentPort?.postMessage('ready')
}

if (workerData?.locked) run(workerData.locked)
