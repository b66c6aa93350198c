/** Takeover: this machine goes on where another one stopped, from what Litestream replicated of it. */
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

/** What the times of a replica's parts are told to. */
const SECOND = 1000

/** Milliseconds that the first machine has to answer. */
const PATIENCE = 5000

/** Failures to connect that say that nobody listens at an address. Others, a mistyped name say, tell nothing. */
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

/** Options of a takeover. */
export interface TakeoverOptions {
  replica: Replica
  /** Where the service of the first machine answers; undefined where the operator says that the machine is gone. */
  first: string | undefined
  /** Keep a database that is there under another name. */
  force?: boolean | undefined
  /** A moment, ISO 8601: its state then, instead of the newest. */
  until?: string | undefined
  /** Milliseconds in which the replica must not be written to. */
  watch: number
  onProgress: (done: number, total: number) => void
  signal: AbortSignal
}

/** A takeover. */
export interface Taken extends Copied, Replaced {
  /** The newest change that the replica held; undefined for a file without changes. */
  last: LastChange | undefined
  /** When the replica was last written to, to the second. */
  writtenAt: string | undefined
  /** Whether what was written last had to be left out. */
  isCut: boolean
  /** Places in the sequence without a change, for which nothing accounts; undefined for none. */
  gap: Gap | undefined
  /** The change that the sequence goes on with. */
  jumpedTo: number | undefined
}

/**
 * Restores the database of another machine in the place of this one's, once it is whole, and nothing else goes on from it.
 * @param path the database; missing parent folders are created
 * @throws Error when the first machine still answers or replicates, a database is there, or the replica is not sound: then
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

/** Checks that nobody answers at the address of the first machine. @throws Error also where that cannot be told */
async function ensureSilent(first: string | undefined): Promise<void> {
  if (first === undefined) return
  let status: number
  try {
    const answer = await fetch(`${first.replace(/\/$/, '')}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE),
    })
    status = answer.status
    await answer.body?.cancel()
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string; message?: string } }
    if (name === 'TimeoutError' || SILENCE.has(cause?.code ?? '')) return
    throw new Error(
      `cannot ask the first machine at ${first}: ${cause?.message ?? (error as Error).message}; if it is gone, say so with --first-is-gone`,
    )
  }
  throw new Error(`the first machine still answers at ${first} (${status}): stop its service first`)
}

/** Restores the replica, checks what it holds, and prepares it to go on. */
async function restoreBeside(
  file: string,
  known: number,
  { writtenAt }: Listing,
  { replica, until, onProgress, signal }: TakeoverOptions,
): Promise<Omit<Taken, 'kept' | 'writtenAt'>> {
  let isCut = false
  // Litestream makes several files. What it leaves when it fails goes with the folder.
  const folder = mkdtempSync(join(dirname(file), `.${basename(file)}-`))
  try {
    const restored = join(folder, 'restored')
    await restoreReplica(replica, restored, { until, onProgress, signal }).catch(async (error) => {
      // An SFTP server, unlike S3, keeps half of what was being written when the machine died: then what is before.
      if (until !== undefined || writtenAt === undefined || signal.aborted) throw error
      rmSync(folder, { recursive: true })
      mkdirSync(folder, { mode: 0o700 })
      const before = timestamp(Date.parse(writtenAt) - SECOND)
      await restoreReplica(replica, restored, { until: before, onProgress, signal }).catch(() => {
        throw error
      })
      isCut = true
    })
    const orphans = check(restored, nameOf(replica))
    const sequence = continueSequence(restored, known)
    renameSync(restored, file)
    return { ...sequence, orphans, size: statSync(file).size, isCut }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Checks that the sequence of changes is whole, and lets it jump.
 * @param known the last change of the database that is replaced; 0 for none
 * @throws Error where changes are missing
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
