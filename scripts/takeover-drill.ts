/**
 * Repeatedly takes over from a machine that dies under load, with an S3 server between the machines, and fails if
 * data older than two seconds is lost, or the service does not continue.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { startS3 } from '../test/s3.ts'
import { drillTakeovers, type Round } from '../test/takeover.ts'
import { wholeNumber } from './arguments.ts'
import { createOwner } from './owner.ts'

/** How much data may be lost, in milliseconds. */
const MOST_LOST = 2000

const program = new Command('test:takeover')
  .argument('[rounds]', 'how many machines die', wholeNumber(), 20)
  .option('--writers <n>', 'clients that write at the same time', wholeNumber(), 24)
  .option('--uploaders <n>', 'clients that upload files at the same time', wholeNumber(), 2)
  .option('--seed <n>', 'repeats when the machines die', wholeNumber(), Math.ceil(Math.random() * 1e8))
  .parse()
const { writers, uploaders, seed } = program.opts<{ writers: number; uploaders: number; seed: number }>()
const rounds = program.processedArgs[0] as number

const folder = mkdtempSync(join(tmpdir(), 'phaseboard-takeover-'))
const { owner, end } = createOwner()
const store = join(folder, 's3')
mkdirSync(store)
const s3 = await startS3(store)
console.log(`${rounds} rounds with ${writers} writers and ${uploaders} uploaders, seed ${seed}`)

const shown = (milliseconds: number) => `${Math.round(milliseconds)} ms`
let done = 0
function onRound({ acknowledged, lost, short, took, files, cutOff, wasAhead, wasInterrupted }: Round): void {
  done += 1
  const notes = [wasAhead && 'the stream was ahead', wasInterrupted && 'Litestream had been killed before']
  const what = `${acknowledged} writes acknowledged, the last ${lost} lost: ${shown(short)}; taken over in ${shown(took)} with ${files} whole files, ${cutOff} uploads cut off`
  console.log([`round ${done}: ${what}`, ...notes.filter(Boolean)].join('; '))
}

try {
  const report = await drillTakeovers(owner, {
    folder,
    rounds,
    writers,
    uploaders,
    seed,
    life: [1500, 6000],
    placeOf: (machine) => s3.placeOf(`machine-${machine}`),
    onRound,
  })
  const losses = report.rounds.map(({ short }) => short).toSorted((one, other) => one - other)
  const median = losses[Math.floor(losses.length / 2)] ?? 0
  console.log(
    `lost: at least ${shown(losses[0] ?? 0)}, half of the times at most ${shown(median)}, at most ${shown(losses.at(-1) ?? 0)}`,
  )
  const { problems } = report
  if ((losses.at(-1) ?? 0) > MOST_LOST) problems.push(`more than ${shown(MOST_LOST)} were lost`)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) {
    console.error(`${problems.length} problems with --seed ${seed}; the machines are in ${folder}`)
    process.exitCode = 1
  }
} catch (error) {
  console.error(error)
  console.error(`with --seed ${seed}; the machines are in ${folder}`)
  process.exitCode = 1
} finally {
  await end()
  await s3.close()
  if (!process.exitCode) rmSync(folder, { recursive: true, force: true })
}
