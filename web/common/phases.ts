/** The phases that the service gives to new projects, from the service's own rule: what is shown is what is made. */
// biome-ignore lint/style/noRestrictedImports: the rule is a table that imports nothing.
export { defaultPhaseConfig } from '../../src/projects/phases.ts'
