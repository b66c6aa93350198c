/**
 * `npm run bench:patch -- <folder>`: compares the cost of a PATCH here with that in another checkout, e.g. of an earlier
 * commit, in alternation. The other checkout is in its own folder, with packages installed, and built. Both start with the same
 * rows, which the older one creates.
 */
import { copyFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { show, showRatio } from './format.ts'
import { startGenerator } from './generator.ts'
import { describeMachine, reserveCore } from './machine.ts'
import { contentsOf, median, sendInRounds } from './measure.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers } from './servers.ts'
import { WORKLOADS } from './workloads.ts'

const BOARD = { projects: 50, itemsPerProject: 40 }
const EFFORT = sized(
  { rounds: 12, seconds: 4, warmUpSeconds: 4 },
  { rounds: 1, seconds: 0.2, warmUpSeconds: 0.1 },
)

const program = commandLine('bench:patch', 'Compares the cost of a PATCH here with that in another checkout.')
  .argument('<folder>', 'the other checkout, with its packages installed, and built')
  .parse()
const checkout = resolve(program.args[0] as string)
const folder = makeFolder()
const start = await buildServers(folder)
const machine = describeMachine(folder)
const before = join(folder, 'before.db')
const after = join(folder, 'after.db')
const { seedBoard } = await import(pathToFileURL(join(checkout, 'bench/board.ts')).href)
seedBoard(`file:${before}`, BOARD)
copyFileSync(before, after)

const core = reserveCore()
const servers = [
  await start('Phaseboard', { database: before, checkout }),
  await start('Phaseboard', { database: after }),
]
const generator = startGenerator(core)
const holders = await Promise.all(
  servers.map(async (server) => ({ server, contents: await contentsOf(server) })),
)
const turns = await sendInRounds(WORKLOADS['patch-32'], holders, generator, EFFORT, () => undefined)
await generator.stop()
for (const server of servers) await server.stop()

/** Microseconds of processor time per request, by round. */
const [earlier = [], here = []] = turns.map((results) =>
  results.map(({ serverCpu = Number.NaN, answers }) => (serverCpu * 1e6) / answers),
)
const ratios = here.map((cpu, round) => cpu / (earlier[round] as number))
const figures = (name: string, rounds: number[]) =>
  `| ${name} | ${show(median(rounds), 1)} | ${show(Math.min(...rounds), 1)} |`
console.log(`${machine.cpu}, ${machine.cores} cores, Node.js ${machine.node}, fdatasync ${show(machine.fdatasync)} ms; ${EFFORT.rounds} pairs of ${EFFORT.seconds} s

| PATCH, 32 connections: CPU of a request, µs | median | least |
|---|--:|--:|
${figures('the other checkout', earlier)}
${figures('this one', here)}
| ratio | ${showRatio(median(ratios))} | ${showRatio(Math.min(...here) / Math.min(...earlier))} |

by pairs: ${ratios.map((ratio) => showRatio(ratio)).join(', ')}`)
