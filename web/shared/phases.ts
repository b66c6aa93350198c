/** The phases that the service gives to new projects. */
export { defaultPhaseConfig } from '../../src/projects/phases.ts'
