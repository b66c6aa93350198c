/** The report of `mutants.ts`: scores, and the mutants that no test notices, with the reasons why they may stay. */
import type { Mutant } from './mutate.ts'

/** A mutant with its source, and what the tests said. */
export interface Tried extends Mutant {
  file: string
  /** The test file that noticed it; absent: none. */
  by?: string
  /** Whether the process ended, or the test did not. */
  hasNoEnd?: boolean
  /** Whether any test reached it. */
  isReached: boolean
}

/** Why a mutant may stay, by hand. */
export interface Accepted {
  file: string
  inside: string
  original: string
  replacement: string
  why: string
}

/** What tells mutants apart when lines move. */
export const identityOf = ({ file, inside, original, replacement }: Omit<Accepted, 'why'>): string =>
  [file, inside, original, replacement].join('\n')

/** The percentage of mutants that tests notice; 100 of none. */
export const scoreOf = (mutants: readonly Tried[]): number =>
  mutants.length === 0 ? 100 : (100 * mutants.filter(({ by }) => by !== undefined).length) / mutants.length

const code = (text: string) =>
  text === ''
    ? 'nothing'
    : `\`${(text.length > 90 ? `${text.slice(0, 90)}…` : text).replaceAll('|', '\\|')}\``

/**
 * Writes the report.
 * @param mutants of all sources
 * @param accepted the reasons
 * @param date of the run, e.g. `2026-11-28`
 * @returns Markdown
 */
export function reportOf(mutants: readonly Tried[], accepted: readonly Accepted[], date: string): string {
  const reasons = new Map(accepted.map((one) => [identityOf(one), one.why]))
  const row = (name: string, some: readonly Tried[]) =>
    `| ${name} | ${some.length} | ${some.filter(({ by }) => by !== undefined).length} | ${scoreOf(some).toFixed(1)} % |`
  const files = [...Map.groupBy(mutants, ({ file }) => file)]
  const left = mutants.filter(({ by }) => by === undefined)
  return [
    '# Mutants',
    '',
    `\`npm run test:mutants\` wrote this on ${date}. It changes the rules one operator at a time, and runs the tests that reach the change.`,
    'A test should fail ([083](decisions/083-mutants.md)).',
    '',
    '| source | mutants | noticed | score |',
    '|---|---|---|---|',
    ...files.map(([file, some]) => row(`\`${file}\``, some)),
    row('all', mutants),
    '',
    '## Not noticed',
    '',
    'The reasons are in `scripts/mutants-accepted.json`. Where none stands, a test is missing.',
    '',
    '| place | change | why it may stay |',
    '|---|---|---|',
    ...left.map((one) => {
      const why = reasons.get(identityOf(one)) ?? (one.isReached ? '' : 'no test of the list reaches it')
      return `| \`${one.file}:${one.line}\` | ${code(one.original)} → ${code(one.replacement)} | ${why} |`
    }),
    '',
  ].join('\n')
}
