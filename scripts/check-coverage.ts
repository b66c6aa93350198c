/**
 * Fails when the last `npm test -- --coverage` took too few of the branches of `src/`, `plugins/` and `routes/`, and shows which it left in files
 * with too few.
 */
import { Command } from 'commander'
import { BUNDLED_CLIENT, BUNDLED_SOURCES, EXECUTIONS } from './bundled-sources.ts'
import { type TakenBranches, takenBranches } from './coverage.ts'

/**
 * The least percentages: of the branches of each file, and of all. Random cases and the end of a process take some branches in one run and
 * not in the next: a file below `wanted` is shown, and only fails below `file`.
 */
const LEAST = { wanted: 90, file: 85, all: 97 }
/** As many branches may be left in a file of few, where each is several percent. */
const LEFT_IN_SMALL = 3

const { all } = new Command('npm run coverage:check --')
  .description(
    `Fails if the last run of the tests with --coverage took less than ${LEAST.file} % of a file's branches (in a small one, left more than ${LEFT_IN_SMALL}), or less than ${LEAST.all} % of all.`,
  )
  .option('--all', 'shows what is left in every file')
  .addHelpText(
    'after',
    `
What is left is shown with its line:
  if, else, no else    an arm of a condition; without else, the condition was never false
  ? …, : …             an arm of ?:
  && …, || …, ?? …     the right operand, which was never evaluated
  case, default        of a switch
  function             never called`,
  )
  .parse()
  .opts<{ all?: true }>()

const percentage = ({ total, taken }: Pick<TakenBranches, 'total' | 'taken'>) => (100 * taken) / total
/** Rounded down, so that what is shown fails as what is meant does. */
const shown = (sum: Pick<TakenBranches, 'total' | 'taken'>) =>
  `${(Math.floor(percentage(sum) * 10) / 10).toFixed(1)} %`

const sum = { total: 0, taken: 0 }
for (const [source, branches] of takenBranches(EXECUTIONS, BUNDLED_SOURCES, BUNDLED_CLIENT)) {
  sum.total += branches.total
  sum.taken += branches.taken
  // A file without branches has no percentage.
  const isSmall = branches.total - branches.taken <= LEFT_IN_SMALL
  const isTooFew = percentage(branches) < LEAST.file && !isSmall
  if (isTooFew) process.exitCode = 1
  const isShown = all ? branches.untaken.length > 0 : percentage(branches) < LEAST.wanted && !isSmall
  if (!isShown) continue
  console.log(`${source}: ${shown(branches)} of ${branches.total} branches${isTooFew ? ', too few' : ''}`)
  for (const { line, kind, inner } of branches.untaken) {
    console.log(`  ${line}: ${kind}${inner > 0 ? `, and ${inner} in it` : ''}`)
  }
}
const isTooFew = !(percentage(sum) >= LEAST.all)
console.log(`${shown(sum)} of ${sum.total} branches are taken${isTooFew ? ', too few' : ''}`)
if (isTooFew) process.exitCode = 1
