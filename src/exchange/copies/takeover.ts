/** Takeover: this machine continues from another one's Litestream replica. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { type Gap, gapsIn, jump, type LastChange, lastChange, missingChange } from '../../db/lost-changes.ts'
import { timestamp } from '../../time.ts'
import { type Copied, check, type Replaced, replaceDatabase } from './backup.ts'
import {
  ensureLitestream,
  type Listing,
  listReplica,
  nameOf,
  type Replica,
  restoreReplica,
} from './litestream.ts'

/** Resolution of the times of a replica's parts. */
const SECOND = 1000

/** Timeout of the first machine's response, in milliseconds. */
const TIMEOUT = 5000

/** Connection errors that mean that nothing listens at an address. Others, e.g. for a mistyped name, mean nothing. */
const SILENCE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
])

interface TakeoverOptions {
  replica: Replica
  /** The address of the first machine's service; undefined with `--first-is-gone`. */
  first: string | undefined
  /** Keep an existing database under another name. */
  force?: boolean | undefined
  /** A time, ISO 8601: restores the state then, instead of the newest. */
  until?: string | undefined
  /** Milliseconds in which the replica must not be written to. */
  watch: number
  onProgress: (done: number, total: number) => void
  signal: AbortSignal
}

/** A takeover. */
export interface Taken extends Copied, Replaced {
  /** The newest change in the replica; undefined for a file without changes. */
  last: LastChange | undefined
  /** When the replica was last written to, to the second. */
  writtenAt: string | undefined
  /** Whether the last write had to be ignored. */
  isCut: boolean
  /** An unexplained gap in the sequence; undefined for none. */
  gap: Gap | undefined
  /** The change that the sequence continues with. */
  jumpedTo: number | undefined
}

/**
 * Replaces this machine's database by another machine's, after checking that it is complete and no other service continues it.
 * @param path the database; missing parent folders are created
 * @throws Error if the first machine still responds or replicates, a database exists, or the replica is damaged: then
 * nothing has changed
 */
export async function takeOver(path: string, options: TakeoverOptions): Promise<Taken> {
  const { replica, first, force, signal } = options
  if (existsSync(path) && !force) {
    throw new Error(`the database ${path} exists already: --force keeps it under another name`)
  }
  await ensureLitestream(replica)
  await ensureSilent(first)
  const names = { what: `cannot take over from ${nameOf(replica)}`, suffix: 'before-takeover' }
  return replaceDatabase(path, names, async (temporary, known) => {
    const since = performance.now()
    const before = await listReplica(replica, signal)
    const done = await restoreBeside(temporary, known, before, options)
    await wait(Math.max(0, options.watch - (performance.now() - since)), undefined, { signal })
    const after = await listReplica(replica, signal)
    if (after.digest !== before.digest) {
      throw new Error('the first machine still replicates: stop it, or revoke its access to the replica')
    }
    await ensureSilent(first)
    return { ...done, writtenAt: after.writtenAt }
  })
}

/** Checks that nothing responds at the address of the first machine. @throws Error if something does, or it is unknown */
async function ensureSilent(first: string | undefined): Promise<void> {
  if (first === undefined) return
  let status: number
  try {
    const answer = await fetch(`${first.replace(/\/$/, '')}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
    })
    status = answer.status
    await answer.body?.cancel()
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string; message?: string } }
    if (name === 'TimeoutError' || SILENCE.has(cause?.code ?? '')) return
    throw new Error(
      `cannot check the first machine at ${first}: ${cause?.message ?? (error as Error).message}; if no service runs there any more, pass --first-is-gone`,
    )
  }
  throw new Error(`the first machine still responds at ${first} (${status}): stop its service first`)
}

/** Restores the replica, checks it, and prepares it for use. */
async function restoreBeside(
  file: string,
  known: number,
  { writtenAt }: Listing,
  { replica, until, onProgress, signal }: TakeoverOptions,
): Promise<Omit<Taken, 'kept' | 'writtenAt'>> {
  let isCut = false
  // Litestream creates several files. After a failure they are removed with the folder.
  const folder = mkdtempSync(join(dirname(file), `.${basename(file)}-`))
  try {
    const restored = join(folder, 'restored')
    await restoreReplica(replica, restored, { until, onProgress, signal }).catch(async (error) => {
      // An SFTP server, unlike S3, keeps a partial last write of a dying machine: then restore the state before it.
      if (until !== undefined || writtenAt === undefined || signal.aborted) throw error
      rmSync(folder, { recursive: true })
      mkdirSync(folder, { mode: 0o700 })
      const before = timestamp(Date.parse(writtenAt) - SECOND)
      await restoreReplica(replica, restored, { until: before, onProgress, signal }).catch(() => {
        throw error
      })
      isCut = true
    })
    const orphans = check(restored)
    const sequence = continueSequence(restored, known)
    renameSync(restored, file)
    return { ...sequence, orphans, size: statSync(file).size, isCut }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Checks that the sequence of changes is complete, and makes it jump.
 * @param known the last change of the replaced database; 0 for none
 * @throws Error if changes are missing
 */
function continueSequence(file: string, known: number): Pick<Taken, 'last' | 'jumpedTo' | 'gap'> {
  const client = new SQLite(file)
  try {
    const missing = missingChange(client)
    if (missing !== undefined) throw new Error(`it is damaged: change ${missing} is missing`)
    return { gap: gapsIn(client, 1)[0], last: lastChange(client), jumpedTo: jump(client, known) }
  } finally {
    client.close()
  }
}
