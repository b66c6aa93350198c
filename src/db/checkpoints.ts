/** Checkpoints of the connection on the event loop: it copies a log of the usual length itself, and leaves a longer one to a thread. */
import type { SharedDatabase } from './client.ts'
import { CHECKPOINT_PAGES } from './pragmas.ts'

/** Pages that the event loop copies at once, at most: a log of the usual length, and a commit. There are more after a large write of a thread or another process. */
const ON_LOOP = CHECKPOINT_PAGES + 1000

/** Milliseconds before a thread is asked again: a read of an old snapshot may have kept it from copying. */
const ASKED_AGAIN_AFTER = 1000

/** A row of `wal_checkpoint`, in pages. Both are -1 for a database in memory. */
interface Log {
  log: number
  checkpointed: number
}

/**
 * Takes over the checkpoints from SQLite, which would run them in the commit, whatever the length of the log.
 * @param inThread runs a checkpoint in a thread
 * @returns runs one if the log is long enough; to be called after each commit. It costs some µs otherwise, and throws nothing
 */
export function createCheckpoints(
  { $client: client }: SharedDatabase,
  inThread: () => Promise<unknown>,
): () => void {
  client.pragma('wal_autocheckpoint = 0')
  // NOOP reports the length, and copies nothing.
  const lengths = client.prepare<[], Log>('pragma wal_checkpoint(noop)')
  const copy = client.prepare('pragma wal_checkpoint(passive)')
  /** When a thread may be asked, by `performance.now()`. */
  let mayAskAt = 0

  async function ask(): Promise<void> {
    mayAskAt = Number.POSITIVE_INFINITY
    try {
      await inThread()
    } catch {
      // A later commit asks again.
    } finally {
      mayAskAt = performance.now() + ASKED_AGAIN_AFTER
    }
  }

  function checkpoint(): void {
    const { log, checkpointed } = lengths.get() as Log
    if (log < CHECKPOINT_PAGES) return
    if (log - checkpointed <= ON_LOOP) copy.get()
    else if (performance.now() >= mayAskAt) void ask()
  }

  return () => {
    try {
      checkpoint()
    } catch {
      // The log stays longer. A later commit tries again, and fails itself if nothing can be written.
    }
  }
}
