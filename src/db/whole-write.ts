/**
 * Writes of a thread on whose event loop nobody waits, e.g. for an import, and of commands. A large one is still one transaction: between
 * its steps the thread reads a file, or notices that it should end; its connection does nothing else.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { isBusy } from './busy.ts'
import type { SharedDatabase } from './client.ts'
import { type DatabaseFiles, NO_FILES } from './files.ts'

/** Milliseconds between attempts to take the write lock, and their end: another import may hold it for many seconds. */
const RETRY = 5
const TIMEOUT = 60_000

/** The steps of a write. One that yields a promise is continued when that resolves. */
export type Steps<T> = Generator<Promise<void> | undefined, T, void>

/** The connection of a write. */
export interface WholeWrite {
  db: SharedDatabase
  files?: DatabaseFiles | undefined
  /** Cancels it: it is rolled back, and rejects with the reason. */
  signal?: AbortSignal | undefined
}

/** Its use needs no Drizzle. */
type Connected = Omit<WholeWrite, 'db'> & { db: Pick<SharedDatabase, '$client'> }

/** Takes the write lock if it is free. */
function hasBegun({ $client: client }: Connected['db'], tried: number): boolean {
  try {
    client.exec('begin immediate')
    return true
  } catch (error) {
    if (!isBusy(error) || performance.now() - tried > TIMEOUT) throw error
    return false
  }
}

/** @param work returns a promise only if nothing else uses the connection */
async function inTransaction<T>(
  { db, files = NO_FILES, signal }: Connected,
  work: () => T | Promise<T>,
): Promise<T> {
  const { $client: client } = db
  const tried = performance.now()
  client.pragma('busy_timeout = 0')
  signal?.throwIfAborted()
  while (!hasBegun(db, tried)) {
    await pause(RETRY)
    signal?.throwIfAborted()
  }
  try {
    const pending = work()
    const value = pending instanceof Promise ? await pending : pending
    const lost = files.lost()
    if (lost) throw lost
    client.exec('commit')
    return value
  } catch (error) {
    // Some errors, a full disk among them, make SQLite roll back by itself.
    if (client.inTransaction) client.exec('rollback')
    throw error
  }
}

/** Performs all steps at once. */
function performAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

async function performInTurns<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await (value ?? nextTurn())
    signal?.throwIfAborted()
  }
}

/**
 * Writes everything or nothing; it is on disk when the promise resolves. In memory, where the service uses the same connection, the steps
 * follow each other at once, and must not yield promises.
 * @throws Error of the steps; SQLITE_BUSY if others hold the lock for too long; the reason of the signal
 */
export const writeWhole = <T>(write: Connected, steps: () => Steps<T>): Promise<T> =>
  inTransaction(write, () =>
    write.db.$client.memory ? performAtOnce(steps()) : performInTurns(steps(), write.signal),
  )

/** The same for a small write, in one step. */
export const writeSmall = <T>(write: Connected, work: () => T): Promise<T> => inTransaction(write, work)
