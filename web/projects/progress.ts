/** The progress of a project: its current phase, and its completed items. */
import type { ProjectSummary } from '../../src/client/api.d.ts'

/** A phase and its number, starting from 1. `place` is 0 for a phase that is not in the sequence. */
export interface PhasePlace {
  name: string
  place: number
  of: number
}

/** The current phase of a project; undefined if it has no phases. */
export function phaseOf({
  phase,
  phaseConfig,
}: Pick<ProjectSummary, 'phase' | 'phaseConfig'>): PhasePlace | undefined {
  if (phase === '') return undefined
  return {
    name: phase,
    place: phaseConfig.findIndex(({ name }) => name === phase) + 1,
    of: phaseConfig.length,
  }
}

/** The numbers of completed items and of all items. */
export interface WorkDone {
  done: number
  total: number
}

/** The number of completed items. Dismissed ones do not count. */
export const workDone = ({ open, done }: Pick<ProjectSummary['counts'], 'open' | 'done'>): WorkDone => ({
  done,
  total: open + done,
})
