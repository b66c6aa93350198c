/** The phases of projects, as they are shown. */
import { defaultPhaseConfig } from '../../src/projects/phases.ts'
import { later } from '../later-texts.ts'

type Phases = readonly { name: string }[]

const namesOf = (phases: Phases): string => JSON.stringify(phases.map(({ name }) => name))

const USUAL = new Set(['technical', 'business', 'custom'].map((type) => namesOf(defaultPhaseConfig(type))))

/** The name of a phase: in the language of the page if its project has the default phases, else as somebody wrote it. */
export const phaseName = (phases: Phases, name: string): string =>
  (USUAL.has(namesOf(phases)) && later.phases[name]) || name

/** The names of a new project's phases. */
export const newPhases = (type: string): string[] => {
  const phases = defaultPhaseConfig(type)
  return phases.map(({ name }) => phaseName(phases, name))
}
