/** Reading a file in a process of its own: it may take any memory or time that it is given, and no more; nobody else's. */
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

/** What reading a file may take. */
export interface ReadingLimits {
  /** Records that it may make. */
  records: number
  /** Memory, in MiB, of all kinds. */
  memory: number
  /** Milliseconds. */
  time: number
}

/**
 * What reading may take unless somebody says otherwise: a file of 80 MB takes 670 MiB and some seconds, unless
 * somebody has made it to take for ever. Other imports wait meanwhile.
 */
export const READING_LIMITS: ReadingLimits = { records: 200_000, memory: 1536, time: 10 * 60_000 }

/** A reader that has ended without a word of its own: its message is no more than that, its cause what Node said. */
export class ReaderFailed extends Error {
  constructor(said: string) {
    super('The file could not be read', { cause: said })
  }
}

/** Of what is wrong with the reader itself, the last bytes are kept. */
const DIAGNOSIS = 2000

/** MiB that a process of Node's sets aside beside what it uses: for code, and for its threads. */
const SET_ASIDE = 1024

const SHELL = '/bin/sh'

/** What a reader whose memory ran out ends by: this limit, V8's, the kernel's, or a failed allocation in native code. */
const OUT_OF_MEMORY = new Set<NodeJS.Signals | null>(['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL'])

/** The process's module, beside this one: a source when the sources run, else bundled. */
const fileOfReader = () => fileURLToPath(moduleBeside('import-reader', import.meta.url))

/**
 * Starts the process. It gets none of the environment, which may have secrets, and options that are not for it. Where there is
 * a shell, that sets the limits which the operating system holds it to first, and becomes the process.
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
  // In a group of its own: Ctrl-C is for whoever started it, and ends it in its own way.
  const detached = process.platform !== 'win32'
  return spawn(command, args, { env: {}, detached, stdio: ['ignore', 'ignore', 'pipe', spool] })
}

/** Waits for the end of a process. @returns the signal by which it ended, and what it has said of itself */
async function endOf(reader: ChildProcess): Promise<{ signal: NodeJS.Signals | null; said: string }> {
  let said = ''
  reader.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-DIAGNOSIS)
  })
  const [, signal] = await once(reader, 'close')
  return { signal, said }
}

/** A board that was read. It is on the disk: `close` when it is not needed any more. */
export interface ReadApart {
  rows: BoardRows
  facts: BoardFacts
  close: () => void
}

/**
 * Reads a file in a process of its own.
 * @param path where the spool is for a moment: beside the file
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
    throw new ReaderFailed(ended.said)
  } catch (error) {
    close()
    throw error
  }
}
