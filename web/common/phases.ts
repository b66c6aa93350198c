/** The default phases of new projects. They come from the service's own rule, so the preview matches. */
export { defaultPhaseConfig } from '../../src/projects/phases.ts'
