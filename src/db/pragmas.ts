/** The pragmas of every connection that writes. */
import type SQLite from 'better-sqlite3'
import type { Config } from '../phaseboard.d.ts'

/** The page cache in KiB: enough for the indexes of some thousand boards. */
const CACHE_SIZE = 16_384

/**
 * Pages in the write-ahead log after which a checkpoint copies them into the file, some 16 MB. A page that changed often
 * is copied once, so a longer log (SQLite's default is 1000) spares busy boards most of that work.
 */
export const CHECKPOINT_PAGES = 4000

/**
 * Bytes to which a checkpoint truncates the WAL file, four times its usual size: a long read lets it grow without
 * limit, and it would keep that size.
 */
const LOG_SIZE_LIMIT = 67_108_864

/** Which process runs checkpoints: see `Config.walCheckpoints`. */
export type Checkpoints = Config['walCheckpoints']

/**
 * Sets the pragmas of a connection.
 * @param checkpoints which process runs them
 * @param cacheSize of its page cache, in KiB
 */
export function setPragmas(client: SQLite.Database, checkpoints: Checkpoints, cacheSize = CACHE_SIZE): void {
  client.pragma('synchronous = FULL')
  // Temporary tables and indexes need no file, and no writable folder.
  client.pragma('temp_store = MEMORY')
  client.pragma(`cache_size = -${cacheSize}`)
  if (checkpoints === 'service') {
    client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    client.pragma(`journal_size_limit = ${LOG_SIZE_LIMIT}`)
  } else leaveLogAlone(client)
}

/**
 * Leaves the log to Litestream, which must copy every frame before a checkpoint allows overwriting it. There is no size limit
 * either: after a checkpoint, Litestream reads the last commits before it from beyond the end of the restarted log.
 */
function leaveLogAlone(client: SQLite.Database): void {
  client.pragma('wal_autocheckpoint = 0')
  client.pragma('journal_size_limit = -1')
}
