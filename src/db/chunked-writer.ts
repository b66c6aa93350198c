/**
 * A chunked writer: many short transactions instead of a long one. Each holds the write lock for some milliseconds, then leaves
 * it to others for a while. The chunks append nothing to the sequence of changes (see `large-writes.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { BUSY_TIMEOUT } from './busy.ts'
import type { SharedDatabase } from './client.ts'
import { type DatabaseFiles, NO_FILES } from './files.ts'

/** How a connection shares the lock: milliseconds after which a chunk ends, and the pause for others afterwards. */
interface Intervals {
  held: number
  left: number
}

const INTERVALS: Intervals = { held: 20, left: 10 }

/** Milliseconds between attempts to take the write lock, and their timeout. Others hold it for some milliseconds. */
const RETRY = 1
const TIMEOUT = 60_000

/**
 * Pages of the write-ahead log after which this connection runs a checkpoint: fewer than other connections wait for, so
 * that those, which may have an event loop, rarely have to. Not if Litestream runs checkpoints.
 */
const CHECKPOINT_PAGES = 1000

/** A chunk in progress: whether it should end. */
export interface Chunk {
  isLong: () => boolean
}

/** Writes in chunks, each of which holds the write lock for milliseconds. */
export class ChunkedWriter {
  readonly #client: SQLite.Database
  readonly #files: DatabaseFiles
  readonly #signal: AbortSignal | undefined
  readonly #intervals: Intervals
  readonly #runsCheckpoints: boolean
  readonly #newest: SQLite.Statement<[], number | null>
  readonly #untell: SQLite.Statement<[number]>

  /**
   * Takes over a connection for chunked writes. Foreign keys are not enforced on
   * it, since a project's own row comes last.
   * @param signal cancels the writing: the next write throws its reason
   */
  constructor(
    { $client: client }: Pick<SharedDatabase, '$client'>,
    files: DatabaseFiles = NO_FILES,
    signal?: AbortSignal,
    intervals = INTERVALS,
  ) {
    client.pragma('foreign_keys = off')
    client.pragma('busy_timeout = 0')
    // The connection may have left checkpoints to Litestream.
    this.#runsCheckpoints = client.pragma('wal_autocheckpoint', { simple: true }) !== 0
    if (this.#runsCheckpoints) client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    this.#client = client
    this.#files = files
    this.#signal = signal
    this.#intervals = intervals
    this.#newest = client.prepare<[], number | null>('select max(seq) from changes').pluck()
    // They are the last ones, and never committed: no `seq` is used twice or skipped.
    this.#untell = client.prepare('delete from changes where seq > +?')
  }

  /**
   * Writes a chunk. It is not synced; the next synced commit includes it, and nothing is acknowledged before.
   * @param work writes until the chunk should end
   * @param keep stores the changes after the given one before they are removed from the sequence; without it
   * they are discarded
   */
  async slice<T>(work: (write: Chunk) => T, keep?: (since: number) => void): Promise<T> {
    this.#client.pragma('synchronous = normal')
    const value = await this.#transaction((isLong) => {
      const before = this.#newest.get() ?? 0
      const done = work({ isLong })
      keep?.(before)
      this.#untell.run(before)
      return done
    })
    await pause(this.#intervals.left)
    return value
  }

  /**
   * Makes the last write, which is synced to disk when it resolves; its changes are published, and foreign keys are enforced.
   * @param work gets the newest change before it
   */
  async last<T>(work: (newest: number) => T): Promise<T> {
    // Sync the log now, so that a write that others wait for does not have to.
    this.#client.pragma('synchronous = full')
    if (this.#runsCheckpoints) this.#client.pragma('wal_checkpoint(passive)')
    this.#client.pragma('foreign_keys = on')
    try {
      return await this.#transaction(() => work(this.#newest.get() ?? 0))
    } finally {
      this.#client.pragma('foreign_keys = off')
    }
  }

  /** Returns the connection to normal writes: they wait for the lock, are synced, and enforce foreign keys. */
  leave(): void {
    this.#client.pragma('foreign_keys = on')
    this.#client.pragma('synchronous = full')
    this.#client.pragma(`busy_timeout = ${BUSY_TIMEOUT}`)
  }

  async #transaction<T>(work: (isLong: () => boolean) => T): Promise<T> {
    const tried = performance.now()
    while (!this.#hasBegun(tried)) await pause(RETRY)
    const began = performance.now()
    try {
      const value = work(() => performance.now() - began > this.#intervals.held)
      const lost = this.#files.lost()
      if (lost) throw lost
      this.#client.exec('commit')
      return value
    } catch (error) {
      if (this.#client.inTransaction) this.#client.exec('rollback')
      throw error
    }
  }

  /** Takes the write lock if it is free. @param tried time of the first attempt, by `performance.now()` */
  #hasBegun(tried: number): boolean {
    this.#signal?.throwIfAborted()
    try {
      this.#client.exec('begin immediate')
      return true
    } catch (error) {
      const isBusy = error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() - tried > TIMEOUT) throw error
      return false
    }
  }
}
