/** The phases that the service gives to new projects, from the service's own rule: what is shown is what is made. */
export { defaultPhaseConfig } from '../../src/projects/phases.ts'
