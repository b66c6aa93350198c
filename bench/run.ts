/** `npm run bench`: runs all measurements in order, and writes the report. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderChart } from './chart.ts'
import { countColdTurns, measureCold } from './cold.ts'
import { dataIn } from './data.ts'
import { startGenerator } from './generator.ts'
import { countGrowthTurns, measureGrowth } from './growth.ts'
import { countLargeBoardTurns, measureLargeBoard } from './large-board.ts'
import { describeMachine, reserveCore } from './machine.ts'
import { type Options, parseOptions } from './options.ts'
import { makeFolder } from './processes.ts'
import { goalTable, type Results, renderReport } from './report.ts'
import { buildServers } from './servers.ts'
import { countSessionTurns, measureSession } from './session.ts'
import { showStages } from './stages.ts'
import { countStarts, measureIdleMemory, measureStarts } from './start.ts'
import { measureThroughput } from './throughput.ts'

/** Runs the selected measurements. */
async function run(options: Options): Promise<Results> {
  const { only, effort, growthEffort, starts, coldStarts, idleTurns, idleSeconds } = options
  const inStage = showStages(only.size)
  const wanted = <T>(name: string, turns: number, work: (onTurn: () => void) => Promise<T>) =>
    only.has(name) ? inStage(name, turns, work) : undefined

  const folder = makeFolder()
  const machine = describeMachine(folder)
  const start = await buildServers(folder)
  const dataOf = dataIn(folder, start)
  const data = await dataOf({ projects: 50, itemsPerProject: 40 })
  const startTimes = await wanted('start', countStarts(starts), (onTurn) =>
    measureStarts(start, data.Phaseboard, starts, onTurn),
  )
  const idleMemory = await wanted('memory', idleTurns, (onTurn) =>
    measureIdleMemory(start, data.Phaseboard, idleTurns, idleSeconds, onTurn),
  )

  // Only now, because a server may use every core to start.
  const core = reserveCore()
  const generator = startGenerator(core)
  const throughput = await measureThroughput(only, start, data, generator, effort, inStage)
  const cold = await wanted('cold', countColdTurns(coldStarts), (onTurn) =>
    measureCold(start, dataOf, generator, coldStarts, onTurn),
  )
  const growth = await wanted('growth', countGrowthTurns(growthEffort), (onTurn) =>
    measureGrowth(start, dataOf, generator, growthEffort, onTurn),
  )
  const largeBoard = await wanted('large-board', countLargeBoardTurns(effort), (onTurn) =>
    measureLargeBoard(start, dataOf, generator, effort, onTurn),
  )
  const session = await wanted('session', countSessionTurns(effort), (onTurn) =>
    measureSession(start, dataOf, generator, effort, onTurn),
  )
  await generator.stop()
  const args = process.argv.slice(2)
  return {
    machine,
    date: new Date().toISOString().slice(0, 10),
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    effort,
    isCoreReserved: core !== undefined,
    starts: startTimes,
    idleMemory,
    ...throughput,
    cold,
    growth,
    largeBoard,
    session,
  }
}

const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Writes the report, and the chart if there are workloads. @returns the report's path */
function write(results: Results, folder: string): string {
  const { date, machine, workloads } = results
  const name = `${date}-${slug(machine.cpu)}-${machine.cores}-cores`
  const hasChart = workloads.size > 0
  mkdirSync(folder, { recursive: true })
  if (hasChart) writeFileSync(join(folder, `${name}.svg`), renderChart(workloads))
  const report = join(folder, `${name}.md`)
  writeFileSync(report, renderReport(results, hasChart ? `${name}.svg` : undefined))
  return report
}

const options = parseOptions()
try {
  const results = await run(options)
  const report = write(results, options.out)
  console.log(`\n${goalTable(results)}\n\n${report}`)
  for (const remark of results.remarks) console.error(remark)
  if (results.remarks.length > 0) process.exitCode = 1
} catch (error) {
  console.error(error)
  // Servers may still run; this ends them too.
  process.exit(1)
}
