/** The command line of the benchmark. */
import { Command, Option } from 'commander'
import { positive, wholeNumber } from '../scripts/arguments.ts'
import type { Effort } from './measure.ts'
import { WORKLOADS } from './workloads.ts'

/** Measurements that are not workloads. */
const OTHERS = ['start', 'memory', 'cold', 'growth', 'large-board', 'session']
const NAMES = [...Object.keys(WORKLOADS), ...OTHERS]

/** Seconds of the turn before the first round. Until V8 has compiled the server's code, a request may take twice its processor time. */
const WARM_UP = 4

/** The options of a run: measurements, rounds and output. */
export interface Options {
  /** Names of workloads, or `start`, `memory`, `cold`, `growth`, `large-board`, `session`. */
  only: ReadonlySet<string>
  /** The folder of the report */
  out: string
  effort: Effort
  /** Growth needs fewer rounds. */
  growthEffort: Effort
  /** Repetitions of measurements without rounds. */
  starts: number
  coldStarts: number
  idleTurns: number
  /** How long servers are idle before their memory is measured. */
  idleSeconds: number
}

/** Parses the command line. Ends the process with a message if it is invalid or asks for help. */
export function parseOptions(): Options {
  const program = new Command('npm run bench --')
    .description(
      'Measures the service as `npm start` runs it, together with node:http and Fastify sending ready bytes and with a naive ' +
        'service, and writes a report with a chart. It takes about a quarter of an hour; bench/README.md tells how to read it.',
    )
    .addOption(new Option('--rounds <n>', 'rounds of each workload').argParser(wholeNumber(999)).default(5))
    .addOption(
      new Option('--seconds <n>', 'seconds of each server’s turn in a round')
        .argParser(positive(600))
        .default(2),
    )
    .addOption(new Option('--only <what...>', 'measure only these').choices(NAMES).default(NAMES, 'all'))
    .option('--out <folder>', 'where the report and the chart go', 'bench/results')
    .addOption(
      new Option('--quick', 'only see that everything works, in half a minute').implies({
        rounds: 1,
        seconds: 0.2,
      }),
    )
    .parse()
  const { rounds, seconds, only, out, quick } = program.opts<{
    rounds: number
    seconds: number
    only: string[]
    out: string
    quick?: true
  }>()
  const effort = { rounds, seconds, warmUpSeconds: quick ? seconds / 2 : WARM_UP }
  return {
    only: new Set(only),
    out,
    effort,
    growthEffort: { ...effort, rounds: Math.ceil(rounds / 2) },
    ...(quick
      ? { starts: 2, coldStarts: 1, idleTurns: 1, idleSeconds: 1 }
      : { starts: 11, coldStarts: 3, idleTurns: 3, idleSeconds: 3 }),
  }
}
