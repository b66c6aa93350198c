/** The write-ahead log and Litestream: who runs checkpoints while it replicates. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SharedDatabase } from './client.ts'

/** Milliseconds between two looks, which cost some µs. */
const INTERVAL = 60_000

/** Bytes from which on the log is worth a warning: Litestream's forced checkpoints come at a sixth of it. */
const LONG = 268_435_456

/** Looks between two warnings: an hour's. */
const REPEATED_AFTER = 60

const MESSAGE =
  'the write-ahead log is growing, since WAL_CHECKPOINTS=litestream leaves checkpoints to Litestream: does it run?'

/**
 * Whether Litestream replicates a database, or did: it keeps a folder beside it.
 * @param path the database file
 */
export const isReplicated = (path: string): boolean =>
  existsSync(join(dirname(path), `.${basename(path)}-litestream`))

/**
 * Watches the log of a database while its checkpoints are left to another process: it grows without limit where that does
 * not run.
 * @param log gets a warning, now and then, while it is long
 * @param long from how many bytes on it is
 * @returns `look` looks at once; `stop` ends it
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
      // The file's size would not do: it stays as large as the log has ever been. NOOP asks, and copies nothing.
      const [row] = $client.pragma('wal_checkpoint(noop)') as { log: number }[]
      return (row?.log ?? 0) * pageSize
    } catch {
      // Requests fail, too, and say why.
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
