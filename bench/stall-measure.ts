/** Measures one row of the stall probe: sends its requests to a separate service on a copy of its file, and watches that. */
import { constants, copyFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { show } from './format.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from './process-usage.ts'
import type { Server, StartServer } from './servers.ts'
import { isSuccess, makeClient } from './stall-client.ts'
import { type Scale, type Seeded, withFile } from './stall-data.ts'
import { type LockAndMemory, watchLock } from './stall-lock.ts'
import { type Remark, type Row, recordsIn, type Situation } from './stall-rows.ts'
import { type Health, watch } from './stall-watch.ts'

/** The timeout of a row, in seconds. */
const TIMEOUT = 60

/** The time for the service's work after its response, in milliseconds. */
const AFTERMATH = 500

/** The result of one row. */
export interface Measured extends Health {
  row: Row
  answer: string
  /** Why it could not be measured: it, or the service, did not end properly. */
  failure: string | undefined
  /** Whether a result that the row reports is beyond its limit. */
  isRemarkOver: boolean
  seconds: number
  cpu: number | undefined
  lock: Pick<LockAndMemory, 'longest' | 'longestSeen'>
  /** Bytes: after the service's start, before the row, at most and afterwards; and at most for its children. */
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

/** The result of a row: its remark, or why it did not end. */
type Outcome = Partial<Remark>

async function outcomeOf(row: Row, run: () => Promise<unknown>): Promise<Outcome> {
  const giveUp = new AbortController()
  const timeout = row.timeout ?? TIMEOUT
  try {
    const result = await Promise.race([
      run(),
      sleep(timeout * 1000, { failure: `not answered within ${timeout} s` }, giveUp),
    ])
    if (typeof result === 'string') return { remark: result }
    return typeof result === 'object' && result !== null ? (result as Outcome) : {}
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

/** Runs before the watching starts. */
const noLap: Situation['lap'] = async () => ({ stall: 0, lock: 0, memory: 0 })

const environmentOf = ({ heap, isSignedIn = false }: Row) => ({
  ...(heap && { NODE_OPTIONS: `--max-old-space-size=${heap}` }),
  // All clients here share one address, so its rate limit would affect the uninvolved writers too.
  ...(isSignedIn && { AUTH_MODE: 'required', RATE_LIMIT_MAX: '0' }),
})

/** Statuses for requests that are forbidden, or about something missing. They show that a row is broken. */
const NOT_MEASURED: ReadonlySet<number | string> = new Set([401, 403, 404, 405])

/** Why a row with these statuses has not measured its requests; undefined if it has, or if it has no responses. */
function unmeasuredIn({ refusal, ends = false }: Row, statuses: readonly (number | string)[]) {
  const broken = statuses.find((status) => NOT_MEASURED.has(status) && status !== refusal)
  const hasAnswer = ends || statuses.some((status) => isSuccess(status) || status === refusal)
  const wrong = broken ?? (hasAnswer ? undefined : statuses[0])
  return wrong === undefined ? undefined : `nothing was measured: ${wrong}`
}

/** Sends a row's requests to a service on a copy of the file. */
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
    const unmeasured = unmeasuredIn(row, [...client.statuses.keys()])
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

/** Ends a service that may not react to signals. */
async function end(server: Server): Promise<void> {
  const stopped = server.stop()
  try {
    process.kill(server.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
  await stopped
}
