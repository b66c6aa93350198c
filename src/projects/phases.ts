/** The phases of projects, and their default sequences. Browsers load this, too. */

const SEQUENCES = new Map([
  ['technical', ['Discovery', 'Design', 'Development', 'Testing', 'Deployment']],
  ['business', ['Discovery', 'Planning', 'Execution', 'Review', 'Close']],
])
const ANY_OTHER = ['Planning', 'In Progress', 'Complete']

/** The default phase sequence of a project type; `custom` and every unlisted type share one. */
export const defaultPhaseConfig = (type: string): { name: string }[] =>
  (SEQUENCES.get(type) ?? ANY_OTHER).map((name) => ({ name }))

/** The stored name of a phase; empty if another tool has stored something else. */
const nameOf = (phase: unknown): string =>
  typeof phase === 'object' && phase !== null && 'name' in phase ? String(phase.name) : ''

/** The phase a new project starts in: the first of its sequence, or none. */
export const firstPhase = (phaseConfig: readonly unknown[]): string => nameOf(phaseConfig[0])

/** The names of the phases of a sequence. */
export const phaseNames = (phaseConfig: readonly unknown[]): string[] => phaseConfig.map(nameOf)
