/** Runs long work with a progress display; signals abort it. */
import { createProgress } from './progress.ts'

/** The options for the work. */
interface Shown {
  onProgress: (done: number, total: number) => void
  signal: AbortSignal
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
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new Error('interrupted'))
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, interrupt)
  try {
    return await work({ onProgress: progress.update, signal: interruption.signal })
  } finally {
    progress.stop()
    for (const signal of signals) process.off(signal, interrupt)
  }
}
