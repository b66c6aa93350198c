/** Crashes the service repeatedly under writes, and fails if acknowledged data is lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { crash } from '../test/crash.ts'
import { wholeNumber } from './arguments.ts'
import { createOwner } from './owner.ts'

const { rounds, writes, seed } = new Command('test:crash')
  .option('--rounds <n>', 'how many times the service is killed', wholeNumber(), 25)
  .option('--writes <n>', 'writes that are acknowledged before a kill, at most', wholeNumber(), 800)
  .option('--seed <n>', 'repeats what the clients ask for', wholeNumber(), Math.ceil(Math.random() * 1e8))
  .parse()
  .opts<{ rounds: number; writes: number; seed: number }>()

const folder = mkdtempSync(join(tmpdir(), 'phaseboard-crash-'))
const file = join(folder, 'board.db')
const { owner, end } = createOwner()
let done = 0
console.log(`${rounds} rounds of at most ${writes} writes, seed ${seed}`)

try {
  // The end throws if the doctor finds something in the file.
  const { problems } = await crash(owner, {
    file,
    rounds,
    mostWrites: writes,
    seed,
    onRound: ({ acknowledged, inFlight, happened, records }) => {
      done += 1
      console.log(
        `round ${done}: ${acknowledged} writes acknowledged, ${inFlight} in flight of which ${happened} had happened, ${records} records`,
      )
    },
  }).finally(end)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) {
    console.error(
      `${problems.length} problems with --writes ${writes} --seed ${seed}; the database is ${file}`,
    )
    process.exitCode = 1
  } else {
    rmSync(folder, { recursive: true })
    console.log('nothing lost, nothing half-written')
  }
} catch (error) {
  console.error(error)
  console.error(`with --writes ${writes} --seed ${seed}; the database is ${file}`)
  process.exitCode = 1
}
