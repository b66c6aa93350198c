/** The backup commands. */
import { backUp, type Copied, restore } from '../exchange/backup.ts'
import { createProgress } from './progress.ts'
import { complain, say } from './terminal.ts'

/** `backup`. @param path the database */
export async function backupTo(path: string, file: string, { force }: { force?: true }): Promise<void> {
  const copied = await shown('backing up', 'pages', (options) => backUp(path, file, { ...options, force }))
  say(`backed up ${path} to ${file} (${copied.size} bytes)`)
}

/** `restore`. @param path the database */
export async function restoreFrom(path: string, file: string): Promise<void> {
  const { size, kept } = await shown('restoring', 'pages', (options) => restore(path, file, options))
  say(`restored ${path} from ${file} (${size} bytes)`)
  if (kept !== undefined) say(`the database that was there is now ${kept}`)
}

/**
 * Runs work with a progress display; a signal aborts it and leaves nothing half-done.
 * @param label what is being done
 * @param unit what its progress is counted in
 */
export async function shown<Done extends Copied>(
  label: string,
  unit: string,
  work: (options: {
    onProgress: (done: number, total: number) => void
    signal: AbortSignal
  }) => Promise<Done>,
): Promise<Done> {
  const progress = createProgress(process.stdout, label, unit)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new Error('interrupted'))
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, interrupt)
  try {
    const done = await work({ onProgress: progress.update, signal: interruption.signal })
    progress.stop()
    if (done.orphans > 0) {
      complain(`warning: ${done.orphans} records point at others that do not exist`)
    }
    return done
  } finally {
    progress.stop()
    for (const signal of signals) process.off(signal, interrupt)
  }
}
