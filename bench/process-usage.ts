/** The resource usage of a process, on Linux only. */
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'

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
 * How long a process's first thread (Node's event loop) has waited for a processor that something else was using. Where
 * the system does not tell, no time.
 * @returns milliseconds since its start
 */
export function waitedForProcessor(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    // It has ended, or it is another system.
    return 0
  }
}

/** A figure in kilobytes of what Linux tells about a process's memory, in bytes; undefined on other systems. */
function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number | undefined {
  if (!isKnown) return undefined
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  return Number(kilobytes) * 1024
}

/**
 * The memory that a process holds (resident set size).
 * @returns bytes, or undefined on systems other than Linux
 */
export const residentBytes = (pid: number): number | undefined => memoryOf(pid, 'VmRSS')

/** The most memory that a process has held since its start, or since {@link resetPeak}. @returns as {@link residentBytes} */
export const peakBytes = (pid: number): number | undefined => memoryOf(pid, 'VmHWM')

/** Resets the peak memory of a process, for {@link peakBytes}. */
export function resetPeak(pid: number): void {
  if (isKnown) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The sockets that a process has open, each under a name of its own; none on systems other than Linux. */
export function socketsOf(pid: number): string[] {
  if (!isKnown) return []
  const folder = `/proc/${pid}/fd`
  const target = (descriptor: string) => {
    try {
      return readlinkSync(`${folder}/${descriptor}`)
    } catch {
      // Closed meanwhile.
      return ''
    }
  }
  return readdirSync(folder)
    .map(target)
    .filter((name) => name.startsWith('socket:'))
}
