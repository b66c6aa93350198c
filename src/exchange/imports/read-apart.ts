/** Reads a file in a separate process with limited memory and time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { moduleBeside } from '../../package-files.ts'
import { NO_MEMORY, TOO_SLOW } from './failures.ts'
import type { BoardFacts, BoardRows } from './import-board.ts'
import type { ReaderTask } from './read-into-spool.ts'
import type { Watched } from './reader-watch.ts'
import { createSpool, readSpool } from './spool.ts'

/** The limits of reading a file. */
export interface ReadingLimits {
  /** Maximum number of records. */
  records: number
  /** Memory, in MiB, of all kinds. */
  memory: number
  /** Milliseconds. */
  time: number
}

/**
 * The default limits: a file of 80 MB takes 670 MiB and some seconds, but a malicious one could take
 * forever. Other imports wait meanwhile.
 */
export const READING_LIMITS: ReadingLimits = { records: 200_000, memory: 1536, time: 10 * 60_000 }

/** A reader that died without an error message; its cause has Node's output. */
export class ReaderFailed extends Error {
  constructor(output: string) {
    super('The file could not be read', { cause: output })
  }
}

/** Stored last bytes of the reader's error output. */
const DIAGNOSIS = 2000

/** MiB that Node reserves beyond actual use, for code and threads. */
const SET_ASIDE = 1024

const SHELL = '/bin/sh'

/** The signals and exits of a reader out of memory: this limit, V8's, the kernel's, or a failed native allocation. */
const OUT_OF_MEMORY = new Set<NodeJS.Signals | null>(['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL'])

/** The process's module, beside this one: a source if the sources run, else bundled. */
const fileOfReader = () => fileURLToPath(moduleBeside('import-reader', import.meta.url))

/**
 * Starts the process. It gets no environment, which may contain secrets and unrelated options. If there is
 * a shell, it first sets the operating system's limits, and then becomes the process.
 */
function startReader(task: ReaderTask & Watched, spool: number): ChildProcess {
  const node = [
    process.execPath,
    `--max-old-space-size=${task.memory}`,
    fileOfReader(),
    JSON.stringify(task),
  ] as const
  const limits = `ulimit -c 0; ulimit -d ${(task.memory + SET_ASIDE) * 1024}; exec "$0" "$@"`
  const [command, ...args] =
    process.platform === 'linux' && existsSync(SHELL) ? ([SHELL, '-c', limits, ...node] as const) : node
  // In its own process group: Ctrl-C goes to the parent, which ends it in an orderly way.
  const detached = process.platform !== 'win32'
  return spawn(command, args, { env: {}, detached, stdio: ['ignore', 'ignore', 'pipe', spool] })
}

/** Waits for the end of a process. @returns its signal and error output */
async function endOf(reader: ChildProcess): Promise<{ signal: NodeJS.Signals | null; output: string }> {
  let output = ''
  reader.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-DIAGNOSIS)
  })
  const [, signal] = await once(reader, 'close')
  return { signal, output }
}

/** A read board, stored on disk: `close` it after use. */
export interface ReadApart {
  rows: BoardRows
  facts: BoardFacts
  close: () => void
}

/**
 * Reads a file in a separate process.
 * @param path of the spool until it is unlinked: beside the file
 * @param signal ends it at once
 * @throws Error with one clear line; ReaderFailed; the reason of the signal
 */
export async function readApart(
  task: Omit<ReaderTask, 'records'>,
  path: string,
  { time, memory, records }: ReadingLimits,
  signal?: AbortSignal,
): Promise<ReadApart> {
  const spool = createSpool(path)
  const close = () => closeSync(spool)
  try {
    signal?.throwIfAborted()
    const reader = startReader({ ...task, records, memory, parent: process.pid }, spool)
    let isTooSlow = false
    const end = () => void reader.kill('SIGKILL')
    const timer = setTimeout(() => {
      isTooSlow = true
      end()
    }, time)
    signal?.addEventListener('abort', end)
    const ended = await endOf(reader).finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    })
    signal?.throwIfAborted()
    if (isTooSlow) throw new Error(TOO_SLOW)
    const read = readSpool(spool)
    if (read !== undefined) return { ...read, close }
    if (OUT_OF_MEMORY.has(ended.signal)) throw new Error(NO_MEMORY)
    throw new ReaderFailed(ended.output)
  } catch (error) {
    close()
    throw error
  }
}
