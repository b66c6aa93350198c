/** Shows the progress of a run. */
import { createProgress } from '../src/cli/progress.ts'

/** Runs the stages of a run, one after another. */
export type Stages = <T>(title: string, turns: number, work: (onTurn: () => void) => Promise<T>) => Promise<T>

/**
 * Creates the progress display on standard output.
 * @param count the number of stages
 * @returns a function that runs a stage with a given number of turns, and shows each turn
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
