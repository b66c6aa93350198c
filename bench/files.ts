/**
 * `npm run bench:files`: how long other writes wait while files of 25 MiB are uploaded and downloaded, eight of each at a time, and
 * how much memory one transfer, and all transfers, take. All bytes are compared. The service runs as `npm start` runs it, on its own file.
 */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { itemPath } from './api.ts'
import { seedBoard } from './board.ts'
import { type Moved, moveFiles, type Traffic } from './file-traffic.ts'
import { show } from './format.ts'
import { describeMachine } from './machine.ts'
import { peakBytes, resetPeak, residentBytes, waitedForProcessor } from './process-usage.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers } from './servers.ts'
import { makeClient } from './stall-client.ts'
import { idsOf, withFile } from './stall-data.ts'

commandLine(
  'bench:files',
  'Measures how long writes wait beside uploads and downloads, and the memory of these.',
).parse()

const MEBIBYTE = 1024 * 1024
const SIZE = sized(25 * MEBIBYTE, MEBIBYTE)
const AT_ONCE = 8
const WRITERS = 24
const ROUNDS = sized(3, 1)
/** Milliseconds of the writers alone, for comparison. */
const ALONE = sized(5000, 300)

const folder = makeFolder()
const start = await buildServers(folder)
console.log(describeMachine(folder))
const file = join(folder, 'files.db')
seedBoard(`file:${file}`, { projects: 1, itemsPerProject: 100 })
const items = withFile(file, (db) => idsOf(db, 'select id from kanban_items'))
const server = await start('Phaseboard', {
  database: file,
  environment: { ATTACHMENTS_TOTAL: String(100 * AT_ONCE * SIZE), LOG_LEVEL: 'warn' },
})

const move = (traffic: Pick<Traffic, 'uploads' | 'downloads'>): Promise<Moved> =>
  moveFiles({ ...traffic, port: server.port, size: SIZE })

/** The waits of writers, in milliseconds. */
interface Waits {
  count: number
  p99: number
  longest: number
  /** The longest, minus the time in which the service or the writers waited for a processor, since the clients of the files use it, too. */
  ofService: number
}

/** The time in which the event loops of the service and of the writers waited for a processor, in milliseconds. */
const queued = (): [service: number, writers: number] => [
  waitedForProcessor(server.pid),
  waitedForProcessor(process.pid),
]

/** Longest wait that is ignored, in milliseconds. */
const SHORT = 10

/** Has all writers write, one write after another each, until the work is done. */
async function whileWriting<T>(work: () => Promise<T>): Promise<{ value: T; waits: Waits }> {
  const client = makeClient(server.port)
  const waits: number[] = []
  let ofService = 0
  let isOver = false
  const writing = Array.from({ length: WRITERS }, async (_, writer) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let n = 0; !isOver; n++) {
      const [service, writers] = queued()
      const begin = performance.now()
      const { status } = await client.send(
        'PATCH',
        itemPath(items[writer] as string),
        { title: `${n}` },
        { agent },
      )
      if (status !== 200) throw new Error(`a write failed with ${status}`)
      const wait = performance.now() - begin
      waits.push(wait)
      if (wait > SHORT) {
        const now = queued()
        ofService = Math.max(ofService, wait - Math.max(now[0] - service, now[1] - writers))
      }
      await sleep(5)
    }
  })
  const value = await work()
  isOver = true
  await Promise.all(writing)
  client.close()
  waits.sort((one, other) => one - other)
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] as number
  return { value, waits: { count: waits.length, p99: at(0.99), longest: at(1), ofService } }
}

const waitsText = ({ count, p99, longest, ofService }: Waits) =>
  `${count} writes, 99 % within ${show(p99, 1)} ms, the longest ${show(longest, 1)} ms; without waits for a processor ${show(ofService, 1)} ms`
const rate = (files: number, { seconds }: Moved) => `${show((files * SIZE) / MEBIBYTE / seconds, 1)} MiB/s`

/** Memory beyond what the process had before. */
async function memoryOf(work: () => Promise<unknown>): Promise<string> {
  const before = residentBytes(server.pid) ?? Number.NaN
  resetPeak(server.pid)
  await work()
  return `${show(((peakBytes(server.pid) ?? Number.NaN) - before) / MEBIBYTE, 1)} MiB`
}

const wrong: string[] = []
let known: Moved['uploaded'] = []
const seen = (moved: Moved) => {
  wrong.push(...moved.wrong)
  known = [...known, ...moved.uploaded]
  return moved
}

console.log(
  `one upload of ${SIZE / MEBIBYTE} MiB: ${await memoryOf(async () => seen(await move({ uploads: items.slice(0, 1), downloads: [] })))} more memory`,
)
console.log(
  `one download: ${await memoryOf(async () => seen(await move({ uploads: [], downloads: known.slice(0, 1) })))} more memory`,
)
console.log(`${WRITERS} writers alone: ${waitsText((await whileWriting(() => sleep(ALONE))).waits)}`)
for (let round = 0; round < ROUNDS; round++) {
  const uploads = items.slice(round * AT_ONCE, (round + 1) * AT_ONCE)
  let lines = ''
  const memory = await memoryOf(async () => {
    const up = await whileWriting(async () => seen(await move({ uploads, downloads: [] })))
    lines += `beside ${AT_ONCE} uploads (${rate(AT_ONCE, up.value)}): ${waitsText(up.waits)}\n`
    const down = await whileWriting(async () =>
      seen(await move({ uploads: [], downloads: known.slice(-AT_ONCE) })),
    )
    lines += `beside ${AT_ONCE} downloads (${rate(AT_ONCE, down.value)}): ${waitsText(down.waits)}\n`
    const both = await whileWriting(async () =>
      seen(await move({ uploads, downloads: known.slice(-AT_ONCE) })),
    )
    lines += `beside both (${rate(2 * AT_ONCE, both.value)}): ${waitsText(both.waits)}\n`
  })
  console.log(`${lines}memory: ${memory} more`)
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'))
  process.exitCode = 1
} else console.log('all bytes are right')
await server.stop()
