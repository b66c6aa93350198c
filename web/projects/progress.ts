/** The progress of a project: its current phase, and its completed items. */
import type { ProjectSummary } from '../../src/client/api.d.ts'

/** A phase and its number, starting from 1. `place` is 0 for a phase that is not in the sequence. */
interface PhasePlace {
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

/** The number of columns that a row shows. */
const MOST = 6

/** The items of each column, without dismissed ones: those of the first columns, and of the others. */
export function columnsOf({
  columns,
  dismissed,
}: Pick<ProjectSummary['counts'], 'columns' | 'dismissed'>): Record<'shown' | 'others', [string, number][]> {
  const all = Object.entries(columns).map(([name, items]): [string, number] => [
    name,
    items - (dismissed[name] ?? 0),
  ])
  // One more takes no more room than its number would.
  return all.length <= MOST
    ? { shown: all, others: [] }
    : { shown: all.slice(0, MOST - 1), others: all.slice(MOST - 1) }
}

/** The numbers of completed items and of all items. */
interface WorkDone {
  done: number
  total: number
}

/** The number of completed items. Dismissed ones do not count. */
export const workDone = ({ open, done }: Pick<ProjectSummary['counts'], 'open' | 'done'>): WorkDone => ({
  done,
  total: open + done,
})
