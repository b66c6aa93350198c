/** Describes the machine, and assigns its cores. */
import { execFileSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { median } from './measure.ts'

/** The description of the machine in reports. */
export interface Machine {
  cpu: string
  cores: number
  memoryBytes: number
  system: string
  node: string
  /** Of the folder with the databases */
  fileSystem: string
  /** The median time to sync 4 KiB of a file there, in milliseconds */
  fdatasync: number
}

/** The untranslated output of a program, or undefined if it does not exist or fails. */
function output(command: string, ...args: string[]): string | undefined {
  const env = { ...process.env, LC_ALL: 'C' }
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env }).trim()
  } catch {
    return undefined
  }
}

function distribution(): string | undefined {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function measureFdatasync(folder: string): number {
  const file = openSync(join(folder, 'fdatasync'), 'w')
  const page = Buffer.alloc(4096)
  const times = Array.from({ length: 200 }, () => {
    const begin = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - begin
  })
  closeSync(file)
  return median(times)
}

/** Describes this machine. @param folder where the databases are */
export function describeMachine(folder: string): Machine {
  const cores = cpus()
  return {
    cpu: cores[0]?.model.trim() || 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
    system: [distribution(), `${type()} ${release()}`].filter(Boolean).join(', '),
    node: process.version,
    fileSystem: output('df', '--output=fstype', folder)?.split('\n')[1] ?? 'unknown',
    fdatasync: measureFdatasync(folder),
  }
}

/** Parses a list of numbers like `0-3,8`. */
const numbersIn = (list: string): number[] =>
  list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
  })

/**
 * Reserves one core for the load generator: this process, and every server it starts from now on, is bound to the others. Needs
 * Linux, taskset and two cores.
 * @returns the number of the generator's core, or undefined if nothing is bound
 */
export function reserveCore(): number | undefined {
  const allowed = output('taskset', '--cpu-list', '--pid', String(process.pid))?.split(': ')[1]
  if (allowed === undefined) return undefined
  const cores = numbersIn(allowed)
  const own = cores.pop()
  if (cores.length === 0) return undefined
  const bound = output('taskset', '--all-tasks', '--cpu-list', '--pid', cores.join(), String(process.pid))
  return bound === undefined ? undefined : own
}
