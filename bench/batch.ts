/**
 * `npm run bench:batch`: compares 200 creations of items in one batch with the same 200 requests, sent one by one and 32 at a
 * time. The methods alternate on one service, run as `npm start` runs it. Ratios are computed within a round.
 */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { show } from './format.ts'
import { describeMachine } from './machine.ts'
import { median } from './measure.ts'
import { cpuSeconds } from './process-usage.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers } from './servers.ts'
import { type Client, makeClient, type Sending } from './stall-client.ts'

commandLine('bench:batch', 'Compares a batch of 200 creations with 200 requests.').parse()

const REQUESTS = 200
const ROUNDS = sized(15, 1)
const BATCHES_A_TURN = sized(5, 1)

/** Sends the requests by one method. @throws Error if one is refused */
type Way = (client: Client, path: string) => Promise<unknown>

const create = (position: number) => ({ title: `Card ${position}`, description: 'x'.repeat(500) })
const positions = Array.from({ length: REQUESTS }, (_, position) => position)
const connections = new Agent({ keepAlive: true, maxSockets: 32 })

/** Sends a POST. @throws Error for any other status: a refusal takes no time, and would be measured as a fast response */
async function post(
  client: Client,
  path: string,
  body: object,
  { wanted = 201, ...sending }: Sending & { wanted?: number } = {},
): Promise<string> {
  const { status, text } = await client.send('POST', path, body, sending)
  if (status !== wanted) throw new Error(`POST ${path} was answered with ${status} instead of ${wanted}`)
  return text
}

const WAYS: Record<string, Way> = {
  // A step that fails refuses the whole batch.
  'one batch': (client, path) =>
    post(
      client,
      '/api/batch',
      { requests: positions.map((position) => ({ method: 'POST', path, body: create(position) })) },
      { wanted: 200 },
    ),
  'one by one': async (client, path) => {
    for (const position of positions) await post(client, path, create(position))
  },
  '32 at a time': (client, path) =>
    Promise.all(positions.map((position) => post(client, path, create(position), { agent: connections }))),
}

/** The time per request of a method in one round, in milliseconds. */
interface Taken {
  elapsed: number
  cpu: number
}

async function measureWay(way: Way, client: Client, pid: number): Promise<Taken> {
  const text = await post(client, '/api/projects', { name: 'Board' }, { isWanted: true })
  const path = `/api/projects/${JSON.parse(text).id}/kanban-items`
  const [cpu, begin] = [cpuSeconds(pid) ?? 0, performance.now()]
  for (let turn = 0; turn < BATCHES_A_TURN; turn++) await way(client, path)
  const requests = BATCHES_A_TURN * REQUESTS
  return {
    elapsed: (performance.now() - begin) / requests,
    cpu: (((cpuSeconds(pid) ?? 0) - cpu) * 1000) / requests,
  }
}

const folder = makeFolder()
const start = await buildServers(folder)
const server = await start('Phaseboard', { database: join(folder, 'service.db') })
const client = makeClient(server.port)
const taken = Object.fromEntries(Object.keys(WAYS).map((name) => [name, [] as Taken[]]))
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, way] of Object.entries(WAYS)) {
    const one = await measureWay(way, client, server.pid)
    if (round >= 0) taken[name]?.push(one)
  }
}
const { cpu, cores, fdatasync } = describeMachine(folder)
console.log(`${cpu}, ${cores} cores, fdatasync ${show(fdatasync)} ms\n`)
console.log(
  '| 200 creations | ms/request | CPU ms/request | elapsed, to one batch | CPU, to one batch |\n|---|--:|--:|--:|--:|',
)
for (const [name, rounds] of Object.entries(taken)) {
  const ratio = (of: keyof Taken) =>
    median(rounds.map((one, index) => one[of] / (taken['one batch']?.[index]?.[of] ?? Number.NaN)))
  const figures = [
    median(rounds.map(({ elapsed }) => elapsed)),
    median(rounds.map((one) => one.cpu)),
    ratio('elapsed'),
    ratio('cpu'),
  ]
  console.log(`| ${[name, ...figures.map((figure) => show(figure))].join(' | ')} |`)
}
client.close()
await server.stop()
