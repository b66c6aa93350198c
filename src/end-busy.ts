/** Ends a process whose threads are busy. */

/** The service to end: see `Offload.threads`. */
interface Busy {
  worker: { threads: () => number }
  writer: { threads: () => number }
  log: { fatal: (message: string) => void }
}

/**
 * Ends the process if a thread is busy. On exit, Node.js waits for its threads, even for a long SQLite
 * statement. Uncommitted work was never acknowledged.
 * @param kill ends this process, and cannot be waited for
 */
export function endBusy(
  { worker, writer, log }: Busy,
  kill: () => void = () => process.kill(process.pid, 'SIGKILL'),
): void {
  if (worker.threads() + writer.threads() === 0) return
  log.fatal('a statement is running that nothing can interrupt: ending the process')
  kill()
}

/** The function that close-with-grace calls after its timeout or a second signal; it exits afterwards. */
export function whenLate(busy: Busy, kill?: () => void) {
  const end = () => endBusy(busy, kill)
  return { onTimeout: end, onSecondSignal: end, onSecondError: end }
}
