/** The phases of projects, and the default sequences of them. */
import { invalidField } from '../errors.ts'

const SEQUENCES = new Map([
  ['technical', ['Discovery', 'Design', 'Development', 'Testing', 'Deployment']],
  ['business', ['Discovery', 'Planning', 'Execution', 'Review', 'Close']],
])
const ANY_OTHER = ['Planning', 'In Progress', 'Complete']

/** The default phase sequence of a project type; `custom` and every unlisted type share one. */
export const defaultPhaseConfig = (type: string): { name: string }[] =>
  (SEQUENCES.get(type) ?? ANY_OTHER).map((name) => ({ name }))

/** The name of a phase as it is stored; empty where another tool has stored something else. */
const nameOf = (phase: unknown): string =>
  typeof phase === 'object' && phase !== null && 'name' in phase ? String(phase.name) : ''

/** The phase a new project starts in: the first of its sequence, or none. */
export const firstPhase = (phaseConfig: readonly unknown[]): string => nameOf(phaseConfig[0])

/**
 * Refuses a phase that is not in a project's sequence, for a strict request. Where there is none, any phase will do.
 * @throws ApiError 400 on `phase`
 */
export function ensurePhase(phase: string, phaseConfig: readonly unknown[]): void {
  const names = phaseConfig.map(nameOf)
  if (names.length === 0 || names.includes(phase)) return
  throw invalidField('phase', `must be one of ${names.map((name) => JSON.stringify(name)).join(', ')}`)
}
