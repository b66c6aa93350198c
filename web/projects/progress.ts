/** How far a project has come: its phase among its phases, and its items that are done. */
import type { ProjectSummary } from '../../src/client/api.d.ts'

/** A phase and its place among all, from 1; `place` is 0 for one that is not among them. */
export interface PhasePlace {
  name: string
  place: number
  of: number
}

/** Where a project stands in its phases; undefined where it has none. */
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

/** Items that are done, and all. */
export interface WorkDone {
  done: number
  total: number
}

/** How many items are done. Dismissed ones do not count. */
export const workDone = ({ open, done }: Pick<ProjectSummary['counts'], 'open' | 'done'>): WorkDone => ({
  done,
  total: open + done,
})
