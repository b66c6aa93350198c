/**
 * `npm run bench:import`: the effect of a large board's import on concurrent writes. The service runs as `npm start` runs it,
 * on its own file. Writers send one write after another, each waiting for its response, before, during and after the import.
 * Another connection polls the service's health.
 *
 * `npm run bench:import -- 100` also imports a file of 100 MB.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seedBoard } from './board.ts'
import { show } from './format.ts'
import { describeMachine } from './machine.ts'
import { peakBytes } from './process-usage.ts'
import { makeFolder } from './processes.ts'
import { sized } from './quick.ts'
import { buildServers, type Server } from './servers.ts'
import { makeClient } from './stall-client.ts'
import { idsOf, signedIn, withFile } from './stall-data.ts'
import { watch } from './stall-watch.ts'

const WRITERS = 24
const CARDS = sized(50_000, 500)
/** Milliseconds of writing without an import, for comparison. */
const ALONE = sized(3000, 300)

/** A Trello board. Each card has two checklist entries, a comment and a label. */
function boardOf(cards: number, text: string): string {
  const lists = Array.from({ length: 8 }, (_, n) => ({ id: `list ${n}`, name: `List ${n}`, pos: n }))
  const labels = Array.from({ length: 20 }, (_, n) => ({
    id: `label ${n}`,
    name: `Label ${n}`,
    color: 'red',
  }))
  const all = Array.from({ length: cards }, (_, n) => n)
  return JSON.stringify({
    id: `board of ${cards} ${randomBytes(4).toString('hex')}`,
    name: `Board of ${cards}`,
    lists,
    labels,
    cards: all.map((n) => ({
      id: `card ${n}`,
      name: `Card ${n} of this board`,
      desc: text,
      idList: `list ${n % 8}`,
      idLabels: [`label ${n % 20}`],
      pos: n,
    })),
    checklists: all.map((n) => ({
      id: `checklist ${n}`,
      idCard: `card ${n}`,
      name: 'Steps',
      checkItems: [1, 2].map((step) => ({ id: `${n} ${step}`, name: `Step ${step}`, state: 'incomplete' })),
    })),
    actions: all.map((n) => ({
      type: 'commentCard',
      idMemberCreator: 'somebody',
      date: '2026-01-31T00:00:00.000Z',
      data: { text: `What somebody says about card ${n}`, card: { id: `card ${n}` } },
    })),
  })
}

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n % 500}`).join(' ')

interface Measured {
  title: string
  seconds: number
  writes: number
  longestWrite: number
  p99: number
  failed: number
  longestStall: number
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
  const begin = performance.now()
  const records = await work()
  const seconds = (performance.now() - begin) / 1000
  isOver = true
  await Promise.all(writing)
  const { longest } = await end()
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
    memory: (peakBytes(server.pid) ?? 0) / 1e6,
    records,
  }
}

async function imported(server: Server, cookie: string, body: string): Promise<number> {
  const headers = { cookie, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/api/imports?format=trello`, { method: 'POST', body, headers })
  const { id } = (await response.json()) as { id: string }
  for (;;) {
    const answer = await fetch(`${server.url}/api/imports/${id}`, { headers: { cookie } })
    const { status, total, error } = (await answer.json()) as {
      status: string
      total: number
      error?: string
    }
    if (status === 'failed') throw new Error(error)
    if (status === 'done') return total
    await sleep(50)
  }
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
    measured.push(await beside(server, cookie, items, title, work))
  }
  await run('nobody imports', async () => {
    await sleep(ALONE)
    return 0
  })
  const board = boardOf(CARDS, words(20))
  await run(`${CARDS} cards, ${show(board.length / 1e6)} MB`, () => imported(server, cookie, board))
  const megabytes = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 0)
  if (megabytes > 0) {
    const perCard = (megabytes * 1e6) / CARDS - 600
    const large = boardOf(CARDS, words(Math.floor(perCard / 7.78)))
    await run(`${CARDS} cards, ${show(large.length / 1e6)} MB`, () => imported(server, cookie, large))
  }
  await run('after it', async () => {
    await sleep(ALONE)
    return 0
  })
} finally {
  await server.stop()
}
const row = (one: Measured) =>
  `| ${one.title} | ${one.records} | ${show(one.seconds)} | ${show(one.writes, 0)} | ${show(one.p99, 0)} | ${show(one.longestWrite, 0)} | ${one.failed} | ${show(one.longestStall, 0)} | ${show(one.memory, 0)} |`
console.log(`${cpu}, ${cores} cores, Node.js ${node}. ${WRITERS} writers.

| | records | took, s | writes/s | 99 % of writes, ms | longest write, ms | failed | longest stall, ms | most memory so far, MB |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
${measured.map(row).join('\n')}`)
