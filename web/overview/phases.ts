/** The phases of a project as steps, and edits of the sequence. */

/** A phase. Other tools may have added keys, which are kept. */
export interface Phase {
  name: string
  [key: string]: unknown
}

/** A phase as a step. */
export interface Step {
  name: string
  state: 'done' | 'current' | 'ahead'
}

/** The phases as steps. If the sequence lacks the current phase, no step is done. */
export function stepsOf(phases: readonly Phase[], current: string): Step[] {
  const at = phases.findIndex(({ name }) => name === current)
  return phases.map(({ name }, index) => ({
    name,
    state: index === at ? 'current' : index < at ? 'done' : 'ahead',
  }))
}

/** The phases before and after the current one; undefined if there is none. */
export function neighbours(
  phases: readonly Phase[],
  current: string,
): { before: string | undefined; after: string | undefined } {
  const at = phases.findIndex(({ name }) => name === current)
  // After a phase that the sequence lacks comes the first phase.
  return { before: at > 0 ? phases[at - 1]?.name : undefined, after: phases[at + 1]?.name }
}

/** A phase that is being edited. Its `key` stays the same when it is renamed or moved. */
export interface EditedPhase {
  key: string
  name: string
  /** The original phase; undefined for a new one. */
  phase: Phase | undefined
}

export const toEdit = (phases: readonly Phase[]): EditedPhase[] =>
  phases.map((phase, index) => ({ key: String(index), name: phase.name, phase }))

/** Moves a phase up or down. */
export function moved(list: readonly EditedPhase[], key: string, by: 1 | -1): EditedPhase[] {
  const at = list.findIndex((one) => one.key === key)
  const next = [...list]
  const [one] = next.splice(at, 1)
  if (one) next.splice(Math.max(0, at + by), 0, one)
  return next
}

/**
 * The sequence and the current phase after editing. A renamed current phase stays current. A removed one is replaced by the
 * phase now in its place, or by the last.
 */
export function edited(
  list: readonly EditedPhase[],
  before: readonly Phase[],
  current: string,
): { phaseConfig: Phase[]; phase: string } {
  const kept = list.filter(({ name }) => name.trim() !== '')
  const phaseConfig = kept.map(({ phase, name }) => ({ ...phase, name: name.trim() }))
  const at = before.findIndex(({ name }) => name === current)
  const still = kept.findIndex(({ key }) => key === String(at))
  const renamed = phaseConfig[still] ?? phaseConfig[Math.min(Math.max(at, 0), phaseConfig.length - 1)]
  const isUnknown = at === -1 && current !== ''
  return { phaseConfig, phase: isUnknown ? current : (renamed?.name ?? current) }
}
