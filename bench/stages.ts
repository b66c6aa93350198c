/** Showing what is measured, and how much is left. */
import { createProgress } from '../src/cli/progress.ts'

/** One after another, the stages of a run. */
export type Stages = <T>(title: string, turns: number, work: (onTurn: () => void) => Promise<T>) => Promise<T>

/**
 * Makes the display of a run, on standard output.
 * @param count how many stages there will be
 * @returns a function that does the work of a stage, of so many turns, and shows each
 */
export function showStages(count: number): Stages {
  let stage = 0
  return async (title, turns, work) => {
    const progress = createProgress(process.stdout, `[${++stage}/${count}] ${title}:`, 'turns')
    let done = 0
    progress.update(done, turns)
    try {
      return await work(() => progress.update(++done, turns))
    } finally {
      progress.stop()
    }
  }
}
