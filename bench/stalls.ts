/**
 * `npm run bench:stalls`: how long one request blocks the event loop and the write lock, and how much memory it takes. Each row
 * has its own service, run as `npm start` runs it, on its own file. Other clients watch the service during the request.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { wholeNumber } from '../scripts/arguments.ts'
import { describeMachine, type Machine } from './machine.ts'
import { makeFolder } from './processes.ts'
import { buildServers } from './servers.ts'
import { ATTACKS } from './stall-attacks.ts'
import { ATTENTION } from './stall-attention.ts'
import { filesIn } from './stall-data.ts'
import { IMPORTS } from './stall-imports.ts'
import { type Measured, type Measuring, measureRow } from './stall-measure.ts'
import { HEAD, overIn, renderReport, showRow } from './stall-report.ts'
import { type Row, ROWS as WITHIN_LIMITS } from './stall-rows.ts'
import { SHAPES } from './stall-shapes.ts'

const ROWS: Record<string, Row> = { ...WITHIN_LIMITS, ...ATTACKS, ...IMPORTS, ...SHAPES, ...ATTENTION }

/** The number of rows that run at once if results are not judged. */
const LANES = 3

interface Options {
  only: string[]
  minutes: number
  rounds: number
  out: string
  of?: string
  quick: boolean
  check: boolean
}

/** Whether a round counts, whatever its figures. */
const isBad = ({ failure, isRemarkOver }: Measured) => failure !== undefined || isRemarkOver

/** The round of a row to report: a bad one if there is any, else the best, since other load on the machine can only make a stall longer. */
const reported = (rounds: readonly Measured[]): Measured =>
  rounds.find(isBad) ?? rounds.reduce((best, one) => (one.longest < best.longest ? one : best))

async function run({ only, minutes, rounds, of, quick }: Options): Promise<{
  machine: Machine
  measured: Measured[]
}> {
  const folder = makeFolder()
  const start = await buildServers(folder)
  const machine = describeMachine(folder)
  const measuring: Measuring = {
    start,
    scale: quick ? 'small' : 'full',
    checkout: of === undefined ? undefined : resolve(of),
  }
  const seeded = filesIn(folder, measuring.scale)
  const deadline = performance.now() + minutes * 60_000
  const measured: Measured[] = []
  const left = only.map((name) => ({ name, row: ROWS[name] as Row }))

  async function measure(name: string, row: Row): Promise<void> {
    if (performance.now() > deadline) {
      console.error(`${row.title}: not measured, ${minutes} minutes are over`)
      process.exitCode = 1
      return
    }
    const results: Measured[] = []
    for (let round = 0; round < rounds; round++) {
      results.push(await measureRow(measuring, row, seeded(row.data), join(folder, `service-${name}.db`)))
    }
    const one = reported(results)
    measured.push(one)
    console.log(showRow(one))
  }

  console.log(HEAD)
  const lanes = Array.from({ length: quick ? LANES : 1 }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await measure(next.name, next.row)
  })
  await Promise.all(lanes)
  return { machine, measured }
}

/** Reports the rows that failed, or exceed a limit if limits are checked. */
function judge(measured: Measured[], { quick, check }: Options): void {
  const failed = measured.filter(({ failure }) => failure !== undefined)
  const over = quick ? [] : measured.filter((one) => overIn(one).length > 0)
  for (const { row, failure } of failed) console.error(`${row.title}: ${failure}`)
  if (check)
    for (const one of over) console.error(`${one.row.title}: over a limit: ${overIn(one).join(', ')}`)
  if ((quick && failed.length > 0) || (check && over.length > 0)) process.exitCode = 1
}

const options = new Command('npm run bench:stalls --')
  .description('Measures how long single requests hold up all others. It takes some forty minutes.')
  .addOption(
    new Option('--only <what...>', 'measure only these')
      .choices(Object.keys(ROWS))
      .default(Object.keys(ROWS), 'all'),
  )
  .option(
    '--rounds <n>',
    'how often each is asked for; the best round counts, or one that failed',
    wholeNumber(999),
    1,
  )
  .option('--minutes <n>', 'after which nothing more is begun', wholeNumber(999), 90)
  .option('--out <folder>', 'where the report goes', 'bench/results')
  .option('--of <checkout>', 'another checkout whose service is measured, built')
  .option('--quick', 'only to see that each row runs: on small data, and no figure is judged', false)
  .option('--check', 'fail where a row is over a limit', false)
  .parse()
  .opts<Options>()
try {
  const { machine, measured } = await run(options)
  if (!options.quick) {
    const date = new Date().toISOString().slice(0, 10)
    mkdirSync(options.out, { recursive: true })
    const report = join(options.out, `${date}-stalls.md`)
    writeFileSync(report, renderReport(machine, date, measured))
    console.log(`\n${report}`)
  }
  judge(measured, options)
} catch (error) {
  console.error(error)
  // Services may still run; this ends them too.
  process.exit(1)
}
