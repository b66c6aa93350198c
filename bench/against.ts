/**
 * `npm run bench:against -- <commit>`: compares this checkout with another commit, with `node:http` as the baseline, in
 * alternating rounds. It prints the lines of `bench/history.md`.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Option } from 'commander'
import { recordAnswers } from './answers.ts'
import { type Credentials, createMember, REQUIRED } from './callers.ts'
import { checkOut } from './checkout.ts'
import { show, showRatio } from './format.ts'
import { startGenerator } from './generator.ts'
import { describeMachine, reserveCore } from './machine.ts'
import { contentsOf, type Figures, median, sendInRounds, toFigures } from './measure.ts'
import { residentBytes } from './process-usage.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers, type Server, type ServerData } from './servers.ts'
import { WORKLOADS } from './workloads.ts'

const BOARD = { projects: 50, itemsPerProject: 40 }
const EFFORT = sized(
  { rounds: 6, seconds: 3, warmUpSeconds: 3 },
  { rounds: 1, seconds: 0.2, warmUpSeconds: 0.1 },
)
const STARTS = sized(5, 1)
const IDLE_SECONDS = sized(3, 0.5)
const MEASURED = [
  'project',
  'project-session',
  'project-token',
  'list',
  'filtered',
  'patch-token-32',
  'patch-token-128',
  'mix',
] as const

/** The results of one version. */
interface Shown {
  cpu: Partial<Record<(typeof MEASURED)[number], Figures>>
  /** Milliseconds, one for each start. */
  ready: number[]
  /** Bytes, one for each start. */
  idle: number[]
}

const program = commandLine(
  'bench:against',
  'Compares this checkout with another commit of the repository, both built and run as by `npm start`.',
)
  .argument('<commit>', 'anything that git takes for one')
  .addOption(
    new Option('--only <workload...>', 'measure only these').choices(MEASURED).default(MEASURED, 'all'),
  )
  .parse()
const { only } = program.opts<{ only: readonly (typeof MEASURED)[number][] }>()
const folder = makeFolder()
const { checkout, name, date } = checkOut(program.args[0] as string, folder)
const start = await buildServers(folder)
const machine = describeMachine(folder)

// The older version creates the rows, and the newer one migrates them, as in an update of the service.
const seeded = join(folder, 'seeded.db')
const { seedBoard } = await import(pathToFileURL(join(checkout, 'bench/board.ts')).href)
seedBoard(`file:${seeded}`, BOARD)
const seeding = await start('Phaseboard', { database: seeded, checkout, environment: REQUIRED })
const credentials = await createMember(seeding.url)
await seeding.stop()
const copy = (name: string) => {
  const database = join(folder, name)
  copyFileSync(seeded, database)
  return database
}
const versions = [{ name: 'before', checkout }, { name: 'here' }].map(({ name, ...version }) => ({
  data: { ...version, database: copy(`${name}.db`) } satisfies ServerData,
  required: { ...version, database: copy(`${name}-required.db`), environment: REQUIRED } satisfies ServerData,
  shown: { cpu: {}, ready: [], idle: [] } as Shown,
}))

for (let turn = 0; turn < STARTS; turn++) {
  for (const { data, shown } of versions) {
    const server = await start('Phaseboard', data)
    await sleep(IDLE_SECONDS * 1000)
    const bytes = residentBytes(server.pid)
    await server.stop()
    // The first start reads from the disk, and migrates.
    if (turn === 0 && STARTS > 1) continue
    shown.ready.push(server.readyAfter)
    if (bytes !== undefined) shown.idle.push(bytes)
  }
}

const core = reserveCore()
const generator = startGenerator(core)
const open: Server[] = []
const required: Server[] = []
for (const version of versions) {
  open.push(await start('Phaseboard', version.data))
  required.push(await start('Phaseboard', version.required))
}
const answers = join(folder, 'answers')
await recordAnswers((open[1] as Server).url, answers)
const baseline = await start('node:http', { answers })
const holdersOf = (servers: readonly Server[], known?: Credentials) =>
  Promise.all(
    [...servers, baseline].map(async (server) => ({ server, contents: await contentsOf(server, known) })),
  )
const ofOpen = await holdersOf(open)
const ofRequired = await holdersOf(required, credentials)
for (const workload of only) {
  const holders = 'by' in WORKLOADS[workload] ? ofRequired : ofOpen
  const results = await sendInRounds(WORKLOADS[workload], holders, generator, EFFORT, () => undefined)
  for (const [index, { shown }] of versions.entries()) {
    shown.cpu[workload] = toFigures(results[index] ?? [], results[2])
  }
  console.error(`${WORKLOADS[workload].title}: measured`)
}
await generator.stop()
for (const server of [...open, ...required, baseline]) await server.stop()

const line = (title: string, { cpu, ready, idle }: Shown) => {
  const ratio = (workload: (typeof MEASURED)[number]) => showRatio(cpu[workload]?.cpuRatio)
  const cells = [
    title,
    ...MEASURED.filter((workload) => workload !== 'mix').map(ratio),
    showRatio(cpu.mix?.ratio),
    idle.length === 0 ? '–' : show(median(idle) / 1e6, 0),
    show(median(ready), 0),
  ]
  return `| ${cells.join(' | ')} |`
}
console.log(`${machine.cpu}, ${machine.cores} cores, Node.js ${machine.node}, fdatasync ${show(machine.fdatasync)} ms; ${EFFORT.rounds} rounds of ${EFFORT.seconds} s

| version | one project | by session | by token | list | filtered | PATCH 32 | PATCH 128 | mix: requests/s | idle, MB | ready, ms |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${versions.map(({ shown }, index) => line(index === 0 ? `\`${name}\` (${date})` : 'here', shown)).join('\n')}`)
