/**
 * `npm run bench:import`: the effect of a large board's import on concurrent writes. The service runs as `npm start` runs it,
 * on its own file. Writers send one write after another, each waiting for its response, before, during and after the import.
 * Another connection polls the service's health, and another process's the write lock.
 *
 * `npm run bench:import -- 100` also imports a file of 100 MB.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { wholeNumber } from '../scripts/arguments.ts'
import { seedBoard } from './board.ts'
import { show } from './format.ts'
import { describeMachine } from './machine.ts'
import { peakBytes } from './process-usage.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers, type Server } from './servers.ts'
import { makeClient } from './stall-client.ts'
import { idsOf, signedIn, withFile } from './stall-data.ts'
import { trelloBoard } from './stall-files.ts'
import { importFile } from './stall-imports.ts'
import { watchLock } from './stall-lock.ts'
import { watch } from './stall-watch.ts'

const [megabytes = 0] = commandLine(
  'bench:import',
  'Measures how the import of a large board affects concurrent writes.',
)
  .argument('[megabytes]', 'also import a file of this size', wholeNumber())
  .parse().processedArgs

const WRITERS = 24
const CARDS = sized(50_000, 500)
/** Milliseconds of writing without an import, for comparison. */
const ALONE = sized(3000, 300)

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n % 500}`).join(' ')

interface Measured {
  title: string
  seconds: number
  writes: number
  longestWrite: number
  p99: number
  failed: number
  longestStall: number
  /** The longest time without the write lock for others, in milliseconds. */
  lock: number
  memory: number
  records: number
}

/** Runs the writers while something else runs. */
async function beside(
  server: Server,
  cookie: string,
  items: readonly string[],
  title: string,
  work: () => Promise<number>,
): Promise<Measured> {
  const took: number[] = []
  let failed = 0
  let isOver = false
  const clients = Array.from({ length: WRITERS }, () => makeClient(server.port))
  const writing = clients.map(async (client, writer) => {
    for (let n = 0; !isOver; n++) {
      const id = items[(writer + n * WRITERS) % items.length]
      const begin = performance.now()
      const { status } = await client.send('PATCH', `/api/kanban-items/${id}`, `{"title":"${n}"}`, { cookie })
      took.push(performance.now() - begin)
      if (status !== 200) failed++
    }
  })
  const { end } = await watch(server)
  const lockWatch = await watchLock({ pid: server.pid, database: file })
  const begin = performance.now()
  const records = await work().finally(() => {
    isOver = true
  })
  const seconds = (performance.now() - begin) / 1000
  await Promise.all(writing)
  const { longest } = await end()
  const { longest: lock } = await lockWatch.end()
  for (const client of clients) client.close()
  took.sort((a, b) => a - b)
  return {
    title,
    seconds,
    writes: took.length / seconds,
    longestWrite: took.at(-1) ?? 0,
    p99: took[Math.floor(took.length * 0.99)] ?? 0,
    failed,
    longestStall: longest,
    lock,
    memory: (peakBytes(server.pid) ?? 0) / 1e6,
    records,
  }
}

/** Imports a board. @returns the number of its records @throws Error if it is refused, or fails */
async function imported(server: Server, cookie: string, board: Buffer): Promise<number> {
  const client = makeClient(server.port)
  try {
    const { remark, project, records } = await importFile({ client, member: cookie }, 'trello', board)
    if (project === undefined) throw new Error(`the import failed: ${remark}`)
    return records
  } finally {
    client.close()
  }
}

/** Waits while nobody imports. */
async function rest(): Promise<number> {
  await sleep(ALONE)
  return 0
}

const folder = makeFolder()
const start = await buildServers(folder)
const { cpu, cores, node } = describeMachine(folder)
const file = join(folder, 'import.db')
seedBoard(`file:${file}`, { projects: 20, itemsPerProject: 100 })
const { cookie, items } = withFile(file, (db) => ({
  cookie: signedIn(db),
  items: idsOf(db, 'select id from kanban_items'),
}))
const server = await start('Phaseboard', {
  database: file,
  environment: { RATE_LIMIT_MAX: '0', IMPORT_RECORDS: '1000000' },
})
const measured: Measured[] = []
try {
  const run = async (title: string, work: () => Promise<number>) => {
    const one = await beside(server, cookie, items, title, work)
    // Nothing is in the way of these writes.
    if (work === rest && one.failed > 0) throw new Error(`${title}: ${one.failed} writes failed`)
    measured.push(one)
  }
  await run('nobody imports', rest)
  const board = trelloBoard(CARDS, words(20))
  await run(`${CARDS} cards, ${show(board.length / 1e6)} MB`, () => imported(server, cookie, board))
  if (megabytes > 0) {
    const perCard = (megabytes * 1e6) / CARDS - 600
    const large = trelloBoard(CARDS, words(Math.floor(perCard / 7.78)))
    await run(`${CARDS} cards, ${show(large.length / 1e6)} MB`, () => imported(server, cookie, large))
  }
  await run('after it', rest)
} finally {
  await server.stop()
}
const row = (one: Measured) =>
  `| ${one.title} | ${one.records} | ${show(one.seconds)} | ${show(one.writes, 0)} | ${show(one.p99, 0)} | ${show(one.longestWrite, 0)} | ${one.failed} | ${show(one.longestStall, 0)} | ${show(one.lock, 0)} | ${one.records > 0 ? show((one.lock / one.records) * 10, 2) : '–'} | ${show(one.memory, 0)} |`
console.log(`${cpu}, ${cores} cores, Node.js ${node}. ${WRITERS} writers.

| | records | took, s | writes/s | 99 % of writes, ms | longest write, ms | failed | longest stall, ms | lock, ms | lock per 10,000 records, s | most memory so far, MB |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${measured.map(row).join('\n')}`)
