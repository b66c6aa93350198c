/** Ending a process whose threads are busy. */

/** What is to end: see `Offload.threads`. */
interface Busy {
  worker: { threads: () => number }
  log: { fatal: (message: string) => void }
}

/**
 * Ends the process where a thread is busy. To exit, Node.js waits for its threads: for a statement of SQLite, as long as that
 * takes. What it has not committed was never acknowledged.
 * @param kill ends this process, and cannot be waited for
 */
export function endBusy(
  { worker, log }: Busy,
  kill: () => void = () => process.kill(process.pid, 'SIGKILL'),
): void {
  if (worker.threads() === 0) return
  log.fatal('a statement is running that nothing can interrupt: ending the process')
  kill()
}

/** What close-with-grace calls where not everything has ended in its time, or somebody asks again: then it exits. */
export function whenLate(busy: Busy, kill?: () => void) {
  const end = () => endBusy(busy, kill)
  return { onTimeout: end, onSecondSignal: end, onSecondError: end }
}
