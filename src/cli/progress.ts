/** Progress of long-running work. */
import { clearLine, cursorTo } from 'node:readline'

/** The output: a terminal, or a pipe or file without cursor movement. */
type ProgressOutput = NodeJS.WritableStream & { isTTY?: boolean }

/** A display of progress. */
export interface Progress {
  /** Shows the progress. The first call begins the display. */
  update: (done: number, total: number) => void
  /** Ends the display, finished or not. Calling it without any update does nothing. */
  stop: () => void
}

/** The bar's width, in characters. */
const WIDTH = 40

function barOf(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  const full = Math.floor(share * WIDTH)
  return `[${'='.repeat(full)}${'-'.repeat(WIDTH - full)}] ${Math.floor(share * 100)}%`
}

/**
 * Creates a progress display: a bar on a terminal, one plain line elsewhere. It uses no timers, so it also works during
 * synchronous work.
 * @param label what is being done, e.g. `importing`
 * @param unit what is counted, in the plural
 */
export function createProgress(output: ProgressOutput, label: string, unit: string): Progress {
  let shown: string | undefined
  return {
    update: (done, total) => {
      const what = `${label} ${total} ${unit}`
      if (!output.isTTY) {
        if (shown === undefined) output.write(`${what}\n`)
        shown = what
        return
      }
      const line = `${what} ${barOf(done, total)}`
      if (line === shown) return
      cursorTo(output, 0)
      output.write(line)
      clearLine(output, 1)
      shown = line
    },
    stop: () => {
      if (output.isTTY && shown !== undefined) output.write('\n')
      shown = undefined
    },
  }
}
