/** What a process has used, as Linux tells it; other systems tell nothing here. */
import { existsSync, readFileSync } from 'node:fs'

const isKnown = existsSync('/proc/self/stat')

/** Ticks a second in which Linux tells processor times; the same wherever Node runs. */
const TICKS = 100

/**
 * The processor time of a process with all its threads.
 * @returns seconds since its start, or undefined on systems other than Linux
 */
export function cpuSeconds(pid: number): number | undefined {
  if (!isKnown) return undefined
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // Names may hold spaces and parentheses; what follows does not. utime and stime are fields 14 and 15 of all.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/**
 * The memory that a process holds (resident set size).
 * @returns bytes, or undefined on systems other than Linux
 */
export function residentBytes(pid: number): number | undefined {
  if (!isKnown) return undefined
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return Number(kilobytes) * 1024
}
