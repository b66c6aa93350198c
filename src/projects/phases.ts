/** Default phase sequences of projects. */

const SEQUENCES = new Map([
  ['technical', ['Discovery', 'Design', 'Development', 'Testing', 'Deployment']],
  ['business', ['Discovery', 'Planning', 'Execution', 'Review', 'Close']],
])
const ANY_OTHER = ['Planning', 'In Progress', 'Complete']

/** The default phase sequence of a project type; `custom` and every unlisted type share one. */
export const defaultPhaseConfig = (type: string): { name: string }[] =>
  (SEQUENCES.get(type) ?? ANY_OTHER).map((name) => ({ name }))

/** The phase a new project starts in: the first of its sequence, or none. */
export function firstPhase(phaseConfig: readonly unknown[]): string {
  const [first] = phaseConfig
  return typeof first === 'object' && first !== null && 'name' in first ? String(first.name) : ''
}
