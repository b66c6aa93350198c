/** Measures one row of the stall probe: a service of its own, on a copy of its file, is asked, and watched meanwhile. */
import { constants, copyFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { show } from './format.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from './process-usage.ts'
import type { Server, StartServer } from './servers.ts'
import { makeClient } from './stall-client.ts'
import { type Scale, type Seeded, withFile } from './stall-data.ts'
import { type LockAndMemory, watchLock } from './stall-lock.ts'
import { type Remark, type Row, recordsIn, type Situation } from './stall-rows.ts'
import { type Health, watch } from './stall-watch.ts'

/** Seconds after which a row is given up. */
const PATIENCE = 60

/** Milliseconds for what the service does after its answer. */
const AFTERMATH = 500

/** The result of one row. */
export interface Measured extends Health {
  row: Row
  answer: string
  /** Why it could not be measured: it came to no end, or the service did. */
  failure: string | undefined
  /** Whether what it says of itself is beyond what may be. */
  isRemarkOver: boolean
  seconds: number
  cpu: number | undefined
  lock: Pick<LockAndMemory, 'longest' | 'longestSeen'>
  /** Bytes: once the service had started, before, at most and after; and what its children held at most. */
  memory: {
    idle: number | undefined
    before: number | undefined
    peak: number | undefined
    after: number | undefined
    ofChildren: number
  }
}

/** The shared setup of all rows. */
export interface Measuring {
  start: StartServer
  scale: Scale
  /** The folder of the built checkout to measure; this one by default. */
  checkout?: string | undefined
}

const MEGABYTE = 1e6
const showBytes = (bytes: number) =>
  bytes < MEGABYTE ? `${show(bytes / 1000, 1)} KB` : `${show(bytes / MEGABYTE, 1)} MB`

/** The outcome of a row: its remark, or why it did not finish. */
type Outcome = { remark?: string; isOver?: boolean; failure?: string }

async function outcomeOf(row: Row, run: () => Promise<unknown>): Promise<Outcome> {
  const giveUp = new AbortController()
  const patience = row.patience ?? PATIENCE
  try {
    const said = await Promise.race([
      run(),
      sleep(patience * 1000, { failure: `not answered within ${patience} s` }, giveUp),
    ])
    if (typeof said === 'string') return { remark: said }
    return typeof said === 'object' && said !== null ? (said as Partial<Remark>) : {}
  } catch (error) {
    return { failure: String(error) }
  } finally {
    giveUp.abort()
  }
}

/** Unless the process has ended. */
function unlessEnded<T>(figure: () => T): T | undefined {
  try {
    return figure()
  } catch {
    return undefined
  }
}

/** Peak memory since the last check, above idle; 0 if unknown. */
const memoryAbove = (pid: number, idle = 0): number =>
  Math.max(0, (unlessEnded(() => peakBytes(pid)) ?? 0) - idle)

/** Before it is watched. */
const noLap: Situation['lap'] = async () => ({ stall: 0, lock: 0, memory: 0 })

const environmentOf = ({ heap, isSignedIn = false }: Row) => ({
  ...(heap && { NODE_OPTIONS: `--max-old-space-size=${heap}` }),
  // What one address may send in a minute limits those who write beside it, too: they all come from here.
  ...(isSignedIn && { AUTH_MODE: 'required', RATE_LIMIT_MAX: '0' }),
})

/** Responses to what the row may not ask for, or what is not there: such a row has died without anybody noticing. */
const NOT_MEASURED: ReadonlySet<number | string> = new Set([401, 403, 404, 405])

/** Asks for what a row asks for, of a service on a copy of the file. */
export async function measureRow(
  { start, scale, checkout }: Measuring,
  row: Row,
  { file, ...cookies }: Seeded,
  copy: string,
): Promise<Measured> {
  copyFileSync(file, copy, constants.COPYFILE_FICLONE)
  const records = withFile(copy, (db) => {
    row.prepare?.(db)
    return recordsIn(db)
  })
  const server = await start('Phaseboard', {
    database: copy,
    environment: environmentOf(row),
    ...(checkout !== undefined && { checkout }),
  })
  const { port, pid } = server
  const idle = residentBytes(pid)
  const client = makeClient(port)
  const situation: Situation = {
    client,
    pid,
    idle: idle ?? 0,
    file: copy,
    scale,
    ...cookies,
    ...records,
    lap: noLap,
  }
  try {
    await row.warmUp?.(situation)
    client.statuses.clear()
    const { end, lap } = await watch(server)
    const lockWatch = await watchLock({ pid, ...(row.ends !== true && { database: copy }) })
    situation.lap = async () => {
      const figures = { stall: await lap(), lock: await lockWatch.lap(), memory: memoryAbove(pid, idle) }
      unlessEnded(() => resetPeak(pid))
      return figures
    }
    await sleep(200)
    resetPeak(pid)
    const [before, cpu, begin] = [residentBytes(pid), cpuSeconds(pid), performance.now()]
    const { remark, isOver = false, failure } = await outcomeOf(row, () => row.run(situation))
    const seconds = (performance.now() - begin) / 1000
    await sleep(AFTERMATH)
    const health = await end()
    const { peak: seen, peakOfChildren, ...lock } = await lockWatch.end()
    const used = unlessEnded(() => ({
      cpu: cpuSeconds(pid),
      peak: peakBytes(pid),
      after: residentBytes(pid),
    }))
    const refused = row.isRefused
      ? undefined
      : [...client.statuses.keys()].find((status) => NOT_MEASURED.has(status))
    const unmeasured = refused === undefined ? undefined : `nothing was measured: ${refused}`
    const ended = health.isAlive || row.ends === true ? undefined : 'the service ended'
    const statuses = [...client.statuses].map(([status, count]) =>
      count > 1 ? `${status} × ${count}` : status,
    )
    const size = client.bytes() > 0 ? showBytes(client.bytes()) : undefined
    const parts = [...statuses, size, remark, failure, unmeasured, ended]
    return {
      ...health,
      row,
      seconds,
      answer: parts.filter((part) => part !== undefined).join(', '),
      failure: ended ?? failure ?? unmeasured,
      isRemarkOver: isOver,
      cpu: used?.cpu === undefined || cpu === undefined ? undefined : used.cpu - cpu,
      lock,
      memory: {
        idle,
        before,
        peak: Math.max(used?.peak ?? 0, seen ?? 0) || undefined,
        after: used?.after,
        ofChildren: peakOfChildren,
      },
    }
  } finally {
    client.close()
    await end(server)
    for (const suffix of ['', '-wal', '-shm', '-archive.zip']) rmSync(copy + suffix, { force: true })
  }
}

/** Ends a service that may hear nothing. */
async function end(server: Server): Promise<void> {
  const stopped = server.stop()
  try {
    process.kill(server.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
  await stopped
}
