/**
 * `npm run bench:stalls`: how long one request blocks the event loop. Each row has a service of its own, as `npm start` runs it,
 * on a file of its own; while the request is served, another connection asks for the health of the service.
 */
import { constants, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { show } from './format.ts'
import { describeMachine, type Machine } from './machine.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from './process-usage.ts'
import { makeFolder } from './processes.ts'
import { buildServers, type Server, type StartServer } from './servers.ts'
import { makeClient } from './stall-client.ts'
import { filesIn, type Seeded, withFile } from './stall-data.ts'
import { ROWS, type Row, recordsIn } from './stall-rows.ts'
import { type Health, watch } from './stall-watch.ts'

/** Milliseconds of the event loop that no request may take. */
const LIMIT = 50
/** Seconds after which a row is given up. */
const PATIENCE = 60
/** Milliseconds for what the service does after its answer. */
const AFTERMATH = 500

/** What one row came to. */
interface Measured extends Health {
  row: Row
  answer: string
  seconds: number
  cpu: number | undefined
  memory: { before: number | undefined; peak: number | undefined; after: number | undefined }
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999.')
  return Number(text)
}

/** Asks for what a row asks for, of a service on a copy of the file. */
async function measureRow(
  start: StartServer,
  row: Row,
  { file, cookie }: Seeded,
  copy: string,
): Promise<Measured> {
  copyFileSync(file, copy, constants.COPYFILE_FICLONE)
  const records = withFile(copy, (db) => {
    row.prepare?.(db)
    return recordsIn(db)
  })
  const server = await start('Phaseboard', {
    database: copy,
    ...(row.heap && { environment: { NODE_OPTIONS: `--max-old-space-size=${row.heap}` } }),
  })
  const { port, pid } = server
  const client = makeClient(port)
  const situation = { client, pid, file: copy, cookie, ...records }
  try {
    await row.warmUp?.(situation)
    client.statuses.clear()
    const { end } = await watch(server)
    await sleep(200)
    resetPeak(pid)
    const [before, cpu, begin] = [residentBytes(pid), cpuSeconds(pid), performance.now()]
    const patience = row.patience ?? PATIENCE
    const giveUp = new AbortController()
    const remark = await Promise.race([
      row.run(situation).catch(String),
      sleep(patience * 1000, `not answered within ${patience} s`, giveUp),
    ])
    giveUp.abort()
    const seconds = (performance.now() - begin) / 1000
    await sleep(AFTERMATH)
    const health = await end()
    const used = health.isAlive
      ? { cpu: cpuSeconds(pid), peak: peakBytes(pid), after: residentBytes(pid) }
      : undefined
    const statuses = [...client.statuses].map(([status, count]) =>
      count > 1 ? `${status} × ${count}` : status,
    )
    const size = client.bytes() > 0 ? showBytes(client.bytes()) : undefined
    const parts = [
      ...statuses,
      size,
      typeof remark === 'string' ? remark : undefined,
      health.isAlive ? undefined : 'the service ended',
    ]
    return {
      ...health,
      row,
      seconds,
      answer: parts.filter((part) => part !== undefined).join(', '),
      cpu: used?.cpu === undefined || cpu === undefined ? undefined : used.cpu - cpu,
      memory: { before, peak: used?.peak, after: used?.after },
    }
  } finally {
    client.close()
    await end(server)
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  }
}

/** Ends a service that may hear nothing. */
async function end(server: Server): Promise<void> {
  const stopped = server.stop()
  try {
    process.kill(server.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
  await stopped
}

const MEGABYTE = 1e6
const showBytes = (bytes: number) =>
  bytes < MEGABYTE ? `${show(bytes / 1000, 1)} KB` : `${show(bytes / MEGABYTE, 1)} MB`
const showMemory = (bytes: number | undefined) => show(bytes === undefined ? undefined : bytes / MEGABYTE, 0)
const showStall = (milliseconds: number) =>
  milliseconds > LIMIT ? `**${show(milliseconds, 0)}**` : show(milliseconds, 0)

const COLUMNS = [
  'request',
  'answer',
  'longest stall, ms',
  'p99, ms',
  'as seen, ms',
  'took, s',
  'CPU, s',
  'RSS, MB',
]

function showRow({ row, answer, longest, p99, longestSeen, seconds, cpu, memory }: Measured): string {
  const { before, peak, after } = memory
  const rss = [before, peak, after].map(showMemory).join(' → ')
  const cells = [
    row.title,
    answer,
    showStall(longest),
    show(p99, 0),
    show(longestSeen, 0),
    show(seconds, 1),
    show(cpu, 1),
    rss,
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = `| ${COLUMNS.join(' | ')} |\n|---|---|--:|--:|--:|--:|--:|--:|`

function renderReport(machine: Machine, date: string, measured: Measured[]): string {
  const over = measured.filter(({ longest }) => longest > LIMIT)
  return `# Stalls, ${date}

How long one client's request holds up all others, \`npm run bench:stalls\`. Each row has a service of its own as \`npm start\` runs
it, on a file of its own. While the request is served, another connection asks for \`/healthz\` every few milliseconds: the longest
stall is the longest it waited, less what the event loop waited for a processor that something else was using; *as seen* is without
that. p99 is over all that time, as if it had been asked for every 5 ms. No request may take more than ${LIMIT} ms of the event loop: those above are
**bold** (${over.length} of ${measured.length}). CPU is the process's with all its threads; RSS is before, at its peak and half a second after.

${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node.js ${machine.node}, databases on ${machine.fileSystem}, fdatasync ${show(machine.fdatasync)} ms.

${HEAD}
${measured.map(showRow).join('\n')}
`
}

async function run(
  only: string[],
  minutes: number,
  rounds: number,
): Promise<{ machine: Machine; measured: Measured[] }> {
  const folder = makeFolder()
  const start = await buildServers(folder)
  const machine = describeMachine(folder)
  const seeded = filesIn(folder)
  const deadline = performance.now() + minutes * 60_000
  const measured: Measured[] = []
  console.log(HEAD)
  for (const name of only) {
    const row = ROWS[name] as Row
    if (performance.now() > deadline) {
      console.error(`${row.title}: not measured, ${minutes} minutes are over`)
      process.exitCode = 1
      continue
    }
    const data = seeded(row.data)
    const results: Measured[] = []
    for (let round = 0; round < rounds; round++) {
      results.push(await measureRow(start, row, data, join(folder, 'service.db')))
    }
    // What else the machine does can only make a stall longer.
    results.sort((one, other) => one.longest - other.longest)
    const best = results[0] as Measured
    measured.push(best)
    console.log(showRow(best))
  }
  return { machine, measured }
}

const { only, minutes, rounds, out } = new Command('npm run bench:stalls --')
  .description('Measures how long single requests hold up all others. It takes some five minutes.')
  .addOption(
    new Option('--only <what...>', 'measure only these')
      .choices(Object.keys(ROWS))
      .default(Object.keys(ROWS), 'all'),
  )
  .option('--rounds <n>', 'how often each is asked for; the best round counts', wholeNumber, 1)
  .option('--minutes <n>', 'after which nothing more is begun', wholeNumber, 15)
  .option('--out <folder>', 'where the report goes', 'bench/results')
  .parse()
  .opts<{ only: string[]; minutes: number; rounds: number; out: string }>()
try {
  const { machine, measured } = await run(only, minutes, rounds)
  const date = new Date().toISOString().slice(0, 10)
  mkdirSync(out, { recursive: true })
  const report = join(out, `${date}-stalls.md`)
  writeFileSync(report, renderReport(machine, date, measured))
  console.log(`\n${report}`)
} catch (error) {
  console.error(error)
  // Services may be left; this ends them too.
  process.exit(1)
}
