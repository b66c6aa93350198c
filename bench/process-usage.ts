/** The resource usage of a process, on Linux only. */
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { waitOf } from './thread-usage.ts'

const isKnown = existsSync('/proc/self/stat')

/** Linux reports processor times in these ticks per second, the same wherever Node runs. */
const TICKS = 100

/**
 * The processor time of a process with all its threads.
 * @returns seconds since its start, or undefined on systems other than Linux
 */
export function cpuSeconds(pid: number): number | undefined {
  if (!isKnown) return undefined
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // Names may contain spaces and parentheses, but the rest does not. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/**
 * How long a process's first thread (Node's event loop) has waited for a processor that was busy with something else. 0 if the
 * system does not report it.
 * @returns milliseconds since the start of the process
 */
export const waitedForProcessor = (pid: number): number => waitOf(`/proc/${pid}/task/${pid}`)

/** A figure of a process's memory from Linux, converted from kilobytes to bytes; undefined on other systems. */
function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number | undefined {
  if (!isKnown) return undefined
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  return Number(kilobytes) * 1024
}

/**
 * The resident memory of a process.
 * @returns bytes, or undefined on systems other than Linux
 */
export const residentBytes = (pid: number): number | undefined => memoryOf(pid, 'VmRSS')

/** The peak memory of a process since its start, or since {@link resetPeak}. @returns like {@link residentBytes} */
export const peakBytes = (pid: number): number | undefined => memoryOf(pid, 'VmHWM')

/** Resets the peak memory of a process, for {@link peakBytes}. */
export function resetPeak(pid: number): void {
  if (isKnown) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The open sockets of a process, each with a unique name; none on systems other than Linux. */
export function socketsOf(pid: number): string[] {
  if (!isKnown) return []
  const folder = `/proc/${pid}/fd`
  const target = (descriptor: string) => {
    try {
      return readlinkSync(`${folder}/${descriptor}`)
    } catch {
      // The socket was closed in the meantime.
      return ''
    }
  }
  return readdirSync(folder)
    .map(target)
    .filter((name) => name.startsWith('socket:'))
}
