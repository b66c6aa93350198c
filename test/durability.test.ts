/** No write is acknowledged before it is on disk. The test observes the service's system calls. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { openTestDatabase } from './database.ts'
import { onNewFile, start } from './process.ts'
import { withoutStrace } from './strace.ts'

const CLIENTS = 32

const CALLS = 'fsync,fdatasync,write,writev,pwrite64,pwritev,sendto,sendmsg,read,readv,recvfrom,recvmsg'
/** With -D the service is the started process, and strace ends with it. */
const strace = (file: string) => [
  'strace',
  '-D',
  '-f',
  '-qq',
  '-tt',
  '-y',
  '-e',
  'signal=none',
  '-e',
  `trace=${CALLS}`,
  '-o',
  file,
]

/** A write over HTTP, from the trace. */
interface Exchange {
  method: string
  status: number
  /** Whether the log had unsynced data when the response was sent. */
  isDirty: boolean
  /** The number of syncs of the log when the request arrived, and when its response was sent. */
  before: number
  after: number
}

/** Finds the writes over HTTP in the output of `strace -f -tt -y`. */
function exchangesIn(trace: string): Exchange[] {
  const exchanges: Exchange[] = []
  const requests = new Map<string, { method: string; before: number }>()
  /** By thread: calls interrupted by another thread's, and how much had been written when a sync started. */
  const unfinished = new Map<string, string>()
  const covered = new Map<string, number>()
  let written = 0
  let synced = 0
  let syncs = 0
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +[\d:.]+ (.*)$/.exec(line) ?? []
    const [, first] = /^(.*)<unfinished \.\.\.>$/.exec(text) ?? []
    const [, second] = /^<\.\.\. \w+ resumed>(.*)$/.exec(text) ?? []
    const begins = second === undefined
    const ends = first === undefined
    if (first !== undefined) unfinished.set(thread, first)
    const call = first ?? (begins ? text : `${unfinished.get(thread)}${second}`)
    const [, name = '', target = '', rest = ''] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(call) ?? []
    const isWrite = /write|send/.test(name)
    if (target.endsWith('-wal')) {
      if (isWrite && begins) written += 1
      if (!name.endsWith('sync')) continue
      if (begins) covered.set(thread, written)
      if (!ends || !rest.endsWith(' = 0')) continue
      synced = Math.max(synced, covered.get(thread) ?? 0)
      syncs += 1
    } else if (isWrite && begins) {
      const [, status] = /^[^"]*"HTTP\/1\.1 ([2-5]\d\d)/.exec(rest) ?? []
      const request = requests.get(target)
      if (status === undefined || !request) continue
      requests.delete(target)
      exchanges.push({ ...request, status: Number(status), isDirty: written > synced, after: syncs })
    } else if (!isWrite && ends) {
      const [, method] = /^[^"]*"(POST|PATCH|PUT|DELETE) /.exec(rest) ?? []
      if (method !== undefined) requests.set(target, { method, before: syncs })
    }
  }
  return exchanges
}

const isDurable = ({ isDirty, before, after }: Exchange) => !isDirty && after > before

t.test('the trace shows a response sent too early', async (t) => {
  const line = (call: string, thread = 7) => `${thread}  09:22:09.719169 ${call}`
  const wal = '22</data/board.db-wal>'
  const read = line(`read(26<socket:[79]>, "PATCH /api/kanban-items/01a1fd72"..., 65536) = 210`)
  const write = line(`pwrite64(${wal}, "\\n\\0"..., 4096, 371) = 4096`)
  const sync = line(`fsync(${wal}) = 0`)
  const answer = line('write(26<socket:[79]>, "HTTP/1.1 200 OK\\r\\ncontent-type"..., 687) = 687')
  const begun = line(`fdatasync(${wal} <unfinished ...>`, 8)
  const other = line(`fsync(21</data/board.db>) = 0`)
  const resumed = line('<... fdatasync resumed>) = 0', 8)
  const failed = line('<... fdatasync resumed>) = -1 EIO (Input/output error)', 8)
  const late = [
    line('read(26<socket:[79]>,  <unfinished ...>', 8),
    line('<... read resumed>"PATCH /api/kanban-items/01a1fd72"..., 65536) = 210', 8),
  ]
  const traces: [string, boolean, string[]][] = [
    ['synced', true, [read, write, sync, answer]],
    ['synced by another thread', true, [read, write, begun, resumed, answer]],
    ['read by another thread', true, [...late, write, sync, answer]],
    ['answered before the sync', false, [read, write, answer, sync]],
    ['another file synced', false, [read, write, other, answer]],
    ['written again after the sync', false, [read, write, sync, write, answer]],
    ['answered during the sync', false, [read, write, begun, answer, resumed]],
    ['a sync that failed', false, [read, write, begun, failed, answer]],
    ['a sync begun before the write', false, [read, begun, write, resumed, answer]],
    ['synced before the request', false, [write, sync, read, answer]],
    ['synced before the request was read', false, [write, sync, ...late, answer]],
  ]
  for (const [what, durable, lines] of traces) {
    const exchanges = exchangesIn(lines.join('\n'))
    t.match(exchanges, [{ method: 'PATCH', status: 200 }], what)
    t.strictSame(exchanges.map(isDurable), [durable], what)
  }
  t.strictSame(exchangesIn([read.replace('PATCH', 'GET'), answer].join('\n')), [])
})

t.test('every commit is synced', async (t) => {
  const db = openTestDatabase(t, onNewFile(t).DATABASE_URL)
  t.equal(db.$client.pragma('synchronous', { simple: true }), 2)
})

t.test('no response to a write is sent before the sync', { skip: withoutStrace }, async (t) => {
  const trace = join(t.testdir(), 'trace')
  const environment = { ...onNewFile(t), ADMIN_PASSWORD: 'correct horse' }
  const service = await start(t, environment, strace(trace))
  const connections = Array.from({ length: CLIENTS }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  t.teardown(() => connections.map((agent) => agent.destroy()))
  async function send(method: string, path: string, body?: object, agent = connections[0]) {
    const headers = body && { 'content-type': 'application/json' }
    const url = `${service.url}/api/${path}`
    const outgoing = request(url, { method, ...(agent && { agent }), ...(headers && { headers }) })
    outgoing.end(body && JSON.stringify(body))
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return (await json(response)) as { id: string }
  }

  const project = await send('POST', 'projects', { name: 'Apollo' })
  const items = await Promise.all(
    connections.map((agent) => send('POST', `projects/${project.id}/kanban-items`, { title: 'Card' }, agent)),
  )
  const step = await send('POST', `kanban-items/${items[0]?.id}/subtasks`, { title: 'Step' })
  await Promise.all(
    items.map(({ id }, index) =>
      send('PATCH', `kanban-items/${id}`, { column: 'Done', priority: 'high' }, connections[index]),
    ),
  )
  await send('DELETE', `kanban-subtasks/${step.id}`)
  await send('POST', 'personal-ideas', { title: 'Fly' })
  service.kill('SIGTERM')
  await service.exited

  const exchanges = exchangesIn(readFileSync(trace, 'utf8'))
  const times = (method: string, status: number) =>
    exchanges.filter((exchange) => exchange.method === method && exchange.status === status).length
  t.equal(times('POST', 201), 1 + CLIENTS + 1 + 1)
  t.equal(times('PATCH', 200), CLIENTS)
  t.equal(times('DELETE', 200), 1)
  t.equal(exchanges.length, 2 * CLIENTS + 4)
  t.strictSame(
    exchanges.filter((exchange) => !isDurable(exchange)),
    [],
    'each was synced between request and answer, and nothing was left to be synced',
  )

  const patches = exchanges.filter(({ method }) => method === 'PATCH')
  const syncs =
    Math.max(...patches.map(({ after }) => after)) - Math.min(...patches.map(({ before }) => before))
  t.ok(syncs < CLIENTS, `${CLIENTS} writes at once took ${syncs} syncs`)
})
