/**
 * `npm run bench:stream`: the cost of sending each change to a thousand streams, and of sending a hundred thousand changes to
 * one stream, compared to a node:http server that writes the same bytes.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageFile } from '../src/package-files.ts'
import { eventText } from '../src/streams/event-stream.ts'
import { show } from './format.ts'
import { describeMachine, reserveCore } from './machine.ts'
import { median } from './measure.ts'
import { cpuSeconds, peakBytes, resetPeak } from './process-usage.ts'
import { endProcess, makeFolder, startProcess } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers } from './servers.ts'
import { withFile } from './stall-data.ts'

commandLine(
  'bench:stream',
  'Measures what streams of changes cost, compared with a node:http server.',
).parse()

const READERS = sized(1000, 50)
const CHANGES = sized(100, 10)
const REPLAYED = sized(100_000, 2000)
/** Milliseconds between two changes, so that each is sent before the next one. */
const PAUSE = 25
/** The number of repetitions. */
const TURNS = sized(2, 1)
/** The number of last bytes that are searched for the last event. */
const END_SIZE = 4096
/** The end of an event: JSON has no line breaks, and heartbeats have no JSON. */
const END = '}\n\n'
/** The time limit for a change to reach all readers, in milliseconds. */
const TIMEOUT = 30_000

/** Sends a request on a keep-alive connection. @returns the body of the response @throws Error for any status but 2xx */
function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  body: string | Buffer,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request({ agent, port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => {
        const { statusCode = 0 } = response
        if (statusCode >= 200 && statusCode < 300) resolve(text)
        else reject(new Error(`${method} ${path} was answered with ${statusCode}: ${text}`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Opens a stream. @param onData receives everything after the head @throws Error for any status but 200 */
async function listen(port: number, path: string, onData: (bytes: Buffer) => void): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const [head] = await once(socket, 'data')
  const refusal = refusalIn(head.toString('latin1'))
  if (refusal) throw refusal
  socket.on('data', onData)
  return socket
}

/** The error of a stream that begins with another status than 200. */
const refusalIn = (head: string): Error | undefined =>
  head.startsWith('HTTP/1.1 200') ? undefined : new Error(`a stream was answered with ${head.slice(9, 12)}`)

/** Counts the events that end in the next bytes of a stream, wherever these are cut. */
function eventCounter(): (bytes: Buffer) => number {
  let last = ''
  return (bytes) => {
    const text = last + bytes.toString('latin1')
    last = text.slice(1 - END.length)
    return text.split(END).length - 1
  }
}

/** The result with a thousand streams. */
interface FanOut {
  /** Microseconds of the server's processor time for one event on one stream. */
  cpu: number
  p50: number
  p99: number
}

/** Makes a server send changes to all streams, one after another. @param change creates the next one */
async function fanOut(
  { port, pid }: { port: number; pid: number },
  path: string,
  change: () => Promise<unknown>,
): Promise<FanOut> {
  const alone = cpuSeconds(pid) ?? 0
  for (let count = 0; count < CHANGES; count++) {
    await change()
    await sleep(PAUSE)
  }
  const withoutReaders = (cpuSeconds(pid) ?? 0) - alone
  let begin = 0
  let arrived = 0
  const latencies: number[] = []
  const sockets = await Promise.all(
    Array.from({ length: READERS }, () => {
      const eventsIn = eventCounter()
      return listen(port, path, (bytes) => {
        for (let left = eventsIn(bytes); left > 0; left--) {
          arrived++
          latencies.push(performance.now() - begin)
        }
      })
    }),
  )
  const before = cpuSeconds(pid) ?? 0
  for (let count = 1; count <= CHANGES; count++) {
    begin = performance.now()
    await change()
    while (arrived < count * READERS) {
      if (performance.now() - begin > TIMEOUT)
        throw new Error(`only ${arrived} of ${count * READERS} events arrived within ${TIMEOUT / 1000} s`)
      await sleep(1)
    }
    await sleep(PAUSE)
  }
  const used = (cpuSeconds(pid) ?? 0) - before - withoutReaders
  for (const socket of sockets) socket.destroy()
  const sorted = latencies.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] as number
  return { cpu: (used * 1e6) / (CHANGES * READERS), p50: at(0.5), p99: at(0.99) }
}

/** Whether the last event has arrived, given the number of received bytes and the latest of them. */
type IsLast = (received: number, latest: string) => boolean

/**
 * The result with one stream of all changes.
 * @param least the number of bytes that these have at least
 * @throws Error if the stream is refused, ends before the last event, or has fewer bytes
 */
async function replay(
  { port, pid }: { port: number; pid: number },
  path: string,
  least: number,
  isLast: IsLast,
) {
  resetPeak(pid)
  const [cpu, begin] = [cpuSeconds(pid) ?? 0, performance.now()]
  let received = 0
  let latest = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  )
  socket.on('data', (part) => {
    const text = part.toString('latin1')
    const refusal = received === 0 ? refusalIn(text) : undefined
    if (refusal) reject(refusal)
    received += part.length
    latest = (latest + text).slice(-END_SIZE)
    if (isLast(received, latest)) resolve()
  })
  socket.once('error', reject)
  socket.once('close', () => reject(new Error(`a stream ended after ${received} bytes`)))
  await promise
  socket.destroy()
  if (received < least) throw new Error(`a stream had ${received} bytes, not ${least}`)
  return {
    seconds: (performance.now() - begin) / 1000,
    cpu: (cpuSeconds(pid) ?? 0) - cpu,
    peak: (peakBytes(pid) ?? 0) / 1e6,
  }
}

async function startBaseline() {
  const child = startProcess(process.execPath, [packageFile('bench/baselines/event-stream.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  return {
    child,
    pid: child.pid as number,
    port: Number(/:(\d+)/.exec(String(line).replace('http:', ''))?.[1]),
  }
}

const folder = makeFolder()
const start = await buildServers(folder)
const machine = describeMachine(folder)
reserveCore()
const database = join(folder, 'service.db')
const service = await start('Phaseboard', { database, environment: { AUTH_MODE: 'open' } })
const baseline = await startBaseline()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const send201 = (path: string, body: object) =>
  send(agent, service.port, 'POST', path, JSON.stringify(body)).then((text) => JSON.parse(text))
const project = await send201('/api/projects', { name: 'Apollo' })
const item = await send201(`/api/projects/${project.id}/kanban-items`, { title: 'Card' })
let round = 0
const patch = () =>
  send(
    agent,
    service.port,
    'PATCH',
    `/api/kanban-items/${item.id}`,
    JSON.stringify({ title: `Card ${round++}` }),
  )
const response = await patch().then(() => send(agent, service.port, 'GET', '/api/changes?limit=1000', ''))
const { changes } = JSON.parse(response) as { changes: { seq: number }[] }
const event = eventText('change', JSON.stringify(changes.at(-1)), changes.at(-1)?.seq)
const write = () => send(agent, baseline.port, 'POST', '/', event)

const [own, bare] = [[] as FanOut[], [] as FanOut[]]
for (let turn = 0; turn < TURNS; turn++) {
  own.push(await fanOut(service, '/api/changes/stream', patch))
  bare.push(await fanOut(baseline, '/', write))
}
const of = (all: FanOut[], name: keyof FanOut) => median(all.map((one) => one[name]))

withFile(database, (db) => {
  const fields = JSON.stringify({
    title: 'A card',
    description: 'x'.repeat(300),
    column: 'To Do',
    metadata: '{}',
  })
  db.$client
    .prepare(
      `insert into changes (kind, id, action, project_id, item_id, "group", before, after)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${REPLAYED})
    select 'kanban-item', ?, 'updated', ?, ?, 1, ?, ? from n`,
    )
    .run(item.id, project.id, item.id, fields, fields)
})
const newest = JSON.parse(await send(agent, service.port, 'GET', `/api/changes?after=${2 ** 52}`, '')).last
/** The size of the event of a replayed change. */
async function sizeOf(seq: number): Promise<number> {
  const page = await send(agent, service.port, 'GET', `/api/changes?after=${seq - 1}&limit=1`, '')
  return Buffer.byteLength(eventText('change', JSON.stringify(JSON.parse(page).changes[0]), seq))
}
const bytes = (await sizeOf(newest)) * REPLAYED
// Its number may have fewer digits.
const least = (await sizeOf(newest - REPLAYED + 1)) * REPLAYED
await send(agent, baseline.port, 'POST', '/many', Buffer.alloc(bytes, 'x'))
const path = `/api/changes/stream?after=${newest - REPLAYED}`
const [replays, bareReplays] = [
  [] as Awaited<ReturnType<typeof replay>>[],
  [] as Awaited<ReturnType<typeof replay>>[],
]
for (let turn = 0; turn < TURNS; turn++) {
  replays.push(await replay(service, path, least, (_, latest) => latest.includes(`id: ${newest}\n`)))
  bareReplays.push(await replay(baseline, '/many', bytes, (received) => received >= bytes))
}

console.log(`# Streams, ${new Date().toISOString().slice(0, 10)}

${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node.js ${machine.node}.

| ${READERS} readers, ${CHANGES} changes | Phaseboard | node:http | ratio |
|---|--:|--:|--:|
| CPU of one event to one reader, µs | ${show(of(own, 'cpu'))} | ${show(of(bare, 'cpu'))} | ${show(of(own, 'cpu') / of(bare, 'cpu'))} |
| from the request to a reader, p50, ms | ${show(of(own, 'p50'), 1)} | ${show(of(bare, 'p50'), 1)} | |
| p99, ms | ${show(of(own, 'p99'), 1)} | ${show(of(bare, 'p99'), 1)} | |

| replay of ${REPLAYED} changes (${show(bytes / 1e6, 0)} MB) to one reader | Phaseboard | node:http |
|---|--:|--:|
| CPU, s | ${show(median(replays.map(({ cpu }) => cpu)))} | ${show(median(bareReplays.map(({ cpu }) => cpu)))} |
| CPU of one change, µs | ${show((median(replays.map(({ cpu }) => cpu)) * 1e6) / REPLAYED)} | ${show((median(bareReplays.map(({ cpu }) => cpu)) * 1e6) / REPLAYED)} |
| took, s | ${show(median(replays.map(({ seconds }) => seconds)))} | ${show(median(bareReplays.map(({ seconds }) => seconds)))} |
| peak RSS, MB | ${show(Math.max(...replays.map(({ peak }) => peak)), 0)} | |
`)
agent.destroy()
await service.stop()
await endProcess(baseline.child)
