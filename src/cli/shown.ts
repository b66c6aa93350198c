/** Runs long work with a progress display; signals abort it. */
import { createProgress } from './progress.ts'

/** The options for the work. */
interface Shown {
  onProgress: (done: number, total: number) => void
  signal: AbortSignal
}

/** Signals that end a command, also that of a terminal which is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs work that a signal aborts, instead of ending the process.
 * @param reason the message of the error that the work then gets
 */
export async function untilSignalled<Done>(
  reason: string,
  work: (signal: AbortSignal) => Promise<Done>,
): Promise<Done> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new Error(reason))
  for (const signal of SIGNALS) process.once(signal, interrupt)
  try {
    return await work(interruption.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

/**
 * Runs work with a progress display; a signal aborts it, and it leaves nothing half-done.
 * @param label what is being done, e.g. `exporting`
 * @param unit what is counted, in the plural
 */
export async function shown<Done>(
  label: string,
  unit: string,
  work: (options: Shown) => Promise<Done>,
): Promise<Done> {
  const progress = createProgress(process.stdout, label, unit)
  try {
    return await untilSignalled('interrupted', (signal) => work({ onProgress: progress.update, signal }))
  } finally {
    progress.stop()
  }
}
