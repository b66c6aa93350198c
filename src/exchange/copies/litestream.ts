/** Litestream (0.3), which replicates the database file to a folder, an SFTP server or S3: its commands as child processes. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { StartupError } from '../../errors.ts'

/** A replica, and the program that reads it. */
export interface Replica {
  /** The program: its path, or its name on the PATH. */
  program: string
  /** The replica's URL, e.g. `s3://bucket/board`, or the name of Litestream's configuration that has the replica of `database`. */
  from: { url: string } | { config: string; database: string }
}

/** The contents of a replica's write-ahead log. */
export interface Listing {
  /** Equal for two listings if nothing was written or removed in between. */
  digest: string
  /** When the newest part was written, if any. */
  writtenAt: string | undefined
}

/** The supported versions. */
const VERSION = /^v?0\.3\./

/** A line of Litestream's log: its message, and the fields that matter. */
const MESSAGE = {
  isError: /(?:^|[ =])ERROR /,
  error: /\berror=(.*)/,
  files: /\bindex_min=(\d+) index_max=(\d+)/,
  applied: /applied wal\b/,
}

/** A URL without its password. */
const shownUrl = (text: string) => text.replace(/\/\/[^/@\s]*@/g, '//')

/** The name of a replica in messages. */
export const nameOf = ({ from }: Replica): string =>
  'url' in from ? shownUrl(from.url) : `the replica of ${from.database} in ${from.config}`

const placeOf = ({ from }: Replica): string[] =>
  'url' in from ? [from.url] : ['-config', from.config, from.database]

/**
 * Runs Litestream.
 * @param onLine gets each line of its output and log
 * @throws StartupError if there is no such program; Error with its own message if it fails, or is interrupted
 */
async function run(
  program: string,
  args: string[],
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  let failure: string | undefined
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', (line) => {
      if (MESSAGE.isError.test(line)) failure ??= line
      onLine(line)
    })
  }
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    signal?.throwIfAborted()
    // A failed listing is reported only in its log.
    if (code === 0 && failure === undefined) return
    const said = MESSAGE.error.exec(failure ?? '')?.[1]?.replaceAll(/^"|"$/g, '')
    const reason = said ?? failure ?? `it ended with ${code}`
    throw new Error(`litestream ${args[0]}: ${shownUrl(reason)}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new StartupError(
      `there is no ${program}: install Litestream 0.3 (https://litestream.io), or name it in LITESTREAM`,
    )
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}

/** Checks that the program exists, in a supported version. @throws StartupError */
export async function ensureLitestream({ program }: Replica): Promise<void> {
  let version = ''
  await run(
    program,
    ['version'],
    (line) => {
      version ||= line.trim()
    },
    undefined,
  )
  if (!VERSION.test(version)) {
    throw new StartupError(`${program} is Litestream ${version}: takeovers support only version 0.3`)
  }
}

/** Lists the log of a replica. */
export async function listReplica(replica: Replica, signal?: AbortSignal): Promise<Listing> {
  const hash = createHash('sha256')
  let writtenAt: string | undefined
  await run(
    replica.program,
    ['wal', ...placeOf(replica)],
    (line) => {
      const created = /\s(\d{4}-\S+Z)$/.exec(line)?.[1]
      if (created === undefined) return
      hash.update(`${line}\n`)
      if (writtenAt === undefined || created > writtenAt) writtenAt = created
    },
    signal,
  )
  return { digest: hash.digest('hex'), writtenAt }
}

interface RestoreOptions {
  /** A time, ISO 8601: restores the state then, instead of the newest. */
  until?: string | undefined
  onProgress: (done: number, total: number) => void
  signal?: AbortSignal | undefined
}

/**
 * Restores the database of a replica.
 * @param file the target, mode 0600; other files with this prefix are created, and may remain after a failure
 */
export async function restoreReplica(
  replica: Replica,
  file: string,
  { until, onProgress, signal }: RestoreOptions,
): Promise<void> {
  let total = 0
  let applied = 0
  const options = ['-o', file, ...(until === undefined ? [] : ['-timestamp', until])]
  await run(
    replica.program,
    ['restore', ...options, ...placeOf(replica)],
    (line) => {
      const files = MESSAGE.files.exec(line)
      if (files) total = Number(files[2]) - Number(files[1]) + 1
      if (MESSAGE.applied.test(line)) applied += 1
      if (total > 0) onProgress(applied, total)
    },
    signal,
  )
  // The script of its npm package exits with 0 even if it fails.
  if (!existsSync(file)) throw new Error('litestream restore: it wrote no file')
}
