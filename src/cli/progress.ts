/** Showing how far a long piece of work is. */
import cliProgress from 'cli-progress'

/** Where progress is shown: a terminal, or a pipe or file that knows nothing of cursors. */
export type ProgressOutput = NodeJS.WritableStream & { isTTY?: boolean }

/** A display of progress. */
export interface Progress {
  /** Shows how much is done. The first call begins the display. */
  update: (done: number, total: number) => void
  /** Ends the display, finished or not. Calling it without any update does nothing. */
  stop: () => void
}

/**
 * Makes a display of progress: a bar on a terminal, one plain line elsewhere. It needs no timers, so that
 * work which never lets go of the thread is shown too.
 * @param label what is being done, e.g. `importing`
 * @param unit what is counted, in the plural
 */
export function createProgress(output: ProgressOutput, label: string, unit: string): Progress {
  if (!output.isTTY) {
    let begun = false
    return {
      update: (_done, total) => {
        if (!begun) output.write(`${label} ${total} ${unit}\n`)
        begun = true
      },
      stop: () => {},
    }
  }
  const bar = new cliProgress.SingleBar({
    stream: output,
    format: '{label} {total} {unit} [{bar}] {percentage}%',
    // Nothing is changed about the terminal that a Ctrl-C would have to undo.
    gracefulExit: false,
    linewrap: true,
  })
  return {
    update: (done, total) => {
      if (bar.isActive) bar.update(done)
      else bar.start(total, done, { label, unit })
    },
    stop: () => bar.stop(),
  }
}
