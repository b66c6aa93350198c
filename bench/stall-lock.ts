/**
 * Watches a service's file and memory from outside, in a thread of its own: how long nobody could begin a write, and how much
 * memory the service and its children held.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import SQLite from 'better-sqlite3'
import { peakBytes, residentBytes } from './process-usage.ts'
import { OWN_THREAD, type Usage, usageOf, waitOf } from './stall-threads.ts'

/** Milliseconds between two looks whether the lock is free; and while it is not. */
const PAUSE = 4
const PAUSE_WHILE_BUSY = 1

/** Milliseconds between two looks at the memory. */
const SAMPLE = 25

/** The observations. */
export interface LockAndMemory {
  /**
   * The longest time that the write lock was not to be had, in milliseconds, less what the thread that was busiest meanwhile waited for a
   * processor. It is that from the first attempt which failed to the next one which did not.
   */
  longest: number
  /** The same as it was. */
  longestSeen: number
  /** The most memory that the service held, in bytes; undefined on systems other than Linux. */
  peak: number | undefined
  /** The most that its children, and theirs, held together; 0 without any. */
  peakOfChildren: number
}

/** Watches until it is asked for what it saw. */
export interface LockWatch {
  /** The longest time since the last lap, or since it began: of one request of several. */
  lap: () => Promise<number>
  end: () => Promise<LockAndMemory>
}

/** The watched service. */
interface Watched {
  pid: number
  /** The service's file; absent: the lock is not watched. */
  database?: string
}

/** Begins to watch. @param watched the service's process, and its file */
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

/** Reads a folder that may be gone. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const usageOfThreads = (pid: number): Map<string, Usage> =>
  new Map(namesIn(`/proc/${pid}/task`).map((id) => [id, usageOf(`/proc/${pid}/task/${id}`)]))

/** Milliseconds that the thread which wanted a processor most, since `before`, had to wait for it. */
function waitOfBusiest(pid: number, before: ReadonlyMap<string, Usage>): number {
  const since = [...usageOfThreads(pid)].map(([id, [ran, waited]]): Usage => {
    const [ranBefore, waitedBefore] = before.get(id) ?? [ran, waited]
    return [ran - ranBefore, waited - waitedBefore]
  })
  const busiest = since.reduce((most, one) => (one[0] + one[1] > most[0] + most[1] ? one : most), [0, 0])
  return busiest[1] / 1e6
}

/** The processes that a process has started, and those that they have. */
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
  /** How long the lock has not been to be had, less what was waited for a processor. */
  function lastedOf({ since, threads, own }: NonNullable<typeof busy>): { seen: number; lasted: number } {
    const seen = performance.now() - since
    // Either waited for a processor, or this thread did, which looked too late then.
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
