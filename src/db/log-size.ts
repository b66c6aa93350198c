/** The write-ahead log while Litestream runs checkpoints. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SharedDatabase } from './client.ts'

/** Milliseconds between two checks, which cost some µs. */
const INTERVAL = 60_000

/** Log size in bytes that is worth a warning: Litestream's forced checkpoints come at a sixth of it. */
const LONG = 268_435_456

/** Checks between two warnings: an hour. */
const REPEATED_AFTER = 60

const MESSAGE =
  'the write-ahead log is growing: with WAL_CHECKPOINTS=litestream, only Litestream runs checkpoints. Is it running?'

/**
 * Whether Litestream replicates a database, or did: it has a folder beside it.
 * @param path the database file
 */
export const isReplicated = (path: string): boolean =>
  existsSync(join(dirname(path), `.${basename(path)}-litestream`))

/**
 * Watches the log of a database whose checkpoints another process runs: it grows without limit if that process does
 * not run.
 * @param log gets a warning, now and then, while it is too long
 * @param long size limit in bytes
 * @returns `look` checks at once; `stop` ends it
 */
export function watchLog(
  { $client }: SharedDatabase,
  log: { warn: (fields: { bytes: number }, message: string) => void },
  long = LONG,
) {
  const pageSize = Number($client.pragma('page_size', { simple: true }))
  let looks = 0
  function size(): number {
    try {
      // Not the file's size, which never shrinks. NOOP reports the log's size, and copies nothing.
      const [row] = $client.pragma('wal_checkpoint(noop)') as { log: number }[]
      return (row?.log ?? 0) * pageSize
    } catch {
      // Requests fail, too, and report why.
      return 0
    }
  }
  function look(): void {
    const bytes = size()
    const isLong = bytes >= long
    if (isLong && looks % REPEATED_AFTER === 0) log.warn({ bytes }, MESSAGE)
    looks = isLong ? looks + 1 : 0
  }
  const timer = setInterval(look, INTERVAL).unref()
  return { look, stop: () => clearInterval(timer) }
}
