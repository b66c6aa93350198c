/** Uploads and downloads as streams, of a service in its own process: memory, limits at once, slow and broken connections, kills. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { bytesOf, FORM_TYPE, filePart, formOf, sha256 } from './attachments.ts'
import { dial, onPreparedFile, type Service, start } from './process.ts'

const MEBIBYTE = 1024 * 1024
const LARGE = bytesOf(25 * MEBIBYTE)

/** Mebibytes that uploading and downloading these may take: more where coverage is measured, which takes memory itself. */
const MOST = process.env.NODE_V8_COVERAGE === undefined ? 40 : 80

async function call({ url }: Pick<Service, 'url'>, method: string, path: string, body?: object) {
  const response = await fetch(url + path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: whole bodies, of every shape
  const answer: any = await response.json()
  return { status: response.status, body: answer, headers: response.headers }
}

/** A service with one item. */
async function setUp(t: Test, settings: Record<string, string> = {}) {
  const environment = { ...onPreparedFile(t.testdir()), ...settings }
  const service = await start(t, environment)
  const project = await call(service, 'POST', '/api/projects', { name: 'Apollo' })
  const item = await call(service, 'POST', `/api/projects/${project.body.id}/kanban-items`, { title: 'Card' })
  const file = environment.DATABASE_URL.slice('file:'.length)
  return {
    service,
    environment,
    file,
    item: item.body.id,
    path: `/api/kanban-items/${item.body.id}/attachments`,
  }
}

/** Begins an upload, from an address of this machine. @returns the request, whose body may follow, and its response */
function begin(
  { port }: Service,
  path: string,
  size: number,
  headers: Record<string, string> = {},
  localAddress = '127.0.0.1',
) {
  const agent = new Agent({ maxSockets: 1 })
  const sent = request({
    ...{ port, host: '127.0.0.1', localAddress, method: 'POST', path, agent },
    headers: { 'content-length': size, 'content-type': 'application/octet-stream', ...headers },
  })
  const response = new Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>(
    (resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', async (received) => {
        let text = ''
        for await (const chunk of received.setEncoding('utf8')) text += chunk
        resolve({ status: Number(received.statusCode), headers: received.headers, text })
      })
    },
  )
  response.catch(() => undefined)
  return { sent, response }
}

async function upload(service: Service, path: string, bytes: Buffer) {
  const { sent, response } = begin(service, path, bytes.length)
  sent.end(bytes)
  const { status, text } = await response
  return { status, body: JSON.parse(text) }
}

const contentOf = async ({ url }: Service, id: string) =>
  Buffer.from(await (await fetch(`${url}/api/attachments/${id}/content`)).arrayBuffer())

/** What is in the file: numbers of contents, of incomplete ones, and of chunks. */
function stored(file: string) {
  const client = new SQLite(file, { readonly: true })
  try {
    return client
      .prepare(
        `select (select count(*) from file_contents) as contents,
        (select count(*) from file_contents where sha256 is null) as incomplete,
        (select count(*) from file_chunks) as chunks, (select count(*) from attachments) as attachments`,
      )
      .get() as { contents: number; incomplete: number; chunks: number; attachments: number }
  } finally {
    client.close()
  }
}

/** Waits until the file has this. */
async function until(file: string, expected: ReturnType<typeof stored>) {
  while (JSON.stringify(stored(file)) !== JSON.stringify(expected)) await sleep(50)
}

/** A figure of a process's memory, in bytes. */
function memoryOf(pid: string, name: string): number {
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return Number(kilobytes) * 1024
}

t.test(
  '25 MiB up and down take less than 40 MiB of memory more',
  { skip: process.platform !== 'linux' && 'reads /proc' },
  async (t) => {
    const { service, path } = await setUp(t)
    const pid = String(service.pid)
    // The service frees the memory of its start once it has been idle for a second.
    await sleep(2500)
    const before = memoryOf(pid, 'VmRSS')
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const { status, body } = await upload(service, `${path}?name=large.bin`, LARGE)
    t.equal(status, 201)
    t.match(body, [{ size: LARGE.length, sha256: sha256(LARGE) }])
    t.ok((await contentOf(service, body[0].id)).equals(LARGE))
    const more = (memoryOf(pid, 'VmHWM') - before) / MEBIBYTE
    t.ok(more < MOST, `${more.toFixed(1)} MiB more`)
  },
)

// Other systems have one address of this machine.
const OTHER_ADDRESSES = { skip: process.platform !== 'linux' && 'needs several addresses' }

t.test('two uploads of an address at once, and eight in all; others wait', OTHER_ADDRESSES, async (t) => {
  const { service, file, path } = await setUp(t)
  const from = (nth: number) => `127.0.0.1${nth}`
  const bytes = Array.from({ length: 10 }, (_, nth) => bytesOf(MEBIBYTE, nth + 1))
  const open = bytes.map((all, nth) => {
    // Three of the first caller, and three of the fourth.
    const one = begin(service, path, all.length, {}, from([1, 1, 1, 2, 2, 3, 3, 4, 4, 4][nth] ?? 0))
    one.sent.write(all.subarray(0, 300_000))
    return one
  })
  while (stored(file).contents < 8) await sleep(20)
  const { sent, response: waiting } = begin(service, path, 10, {}, from(5))
  sent.end(bytesOf(10, 99))
  t.equal(
    (await call(service, 'POST', path, { url: 'https://example.org' })).status,
    201,
    'links need no slot',
  )
  t.equal(stored(file).contents, 8, 'no more')
  for (const [nth, { sent }] of open.entries()) sent.end(bytes[nth]?.subarray(300_000))
  const ended = await Promise.all(open.map(({ response }) => response))
  t.strictSame(
    ended.map(({ status }) => status),
    Array(10).fill(201),
  )
  for (const [nth, { text }] of ended.entries()) {
    const [{ id }] = JSON.parse(text)
    t.ok((await contentOf(service, id)).equals(bytes[nth] as Buffer))
  }
  t.equal((await waiting).status, 201)
  t.equal(stored(file).incomplete, 0)
})

t.test('an upload that breaks off leaves nothing', async (t) => {
  const { service, file, path } = await setUp(t)
  const nothing = { contents: 0, incomplete: 0, chunks: 0, attachments: 0 }
  const cut = async ({ sent }: { sent: ClientRequest }) => {
    while (stored(file).chunks < 2) await sleep(20)
    sent.destroy()
    await until(file, nothing)
  }
  const alone = begin(service, path, LARGE.length)
  alone.sent.write(LARGE.subarray(0, MEBIBYTE))
  await cut(alone)
  const form = formOf(
    filePart('one', LARGE.subarray(0, 400_000)),
    filePart('two', LARGE.subarray(0, 800_000)),
  )
  const inForm = begin(service, path, form.length, { 'content-type': FORM_TYPE })
  inForm.sent.write(form.subarray(0, 1_000_000))
  await cut(inForm)
  // The slots of both are free again.
  const eight = await Promise.all(
    Array.from({ length: 8 }, (_, nth) => upload(service, path, bytesOf(1000, nth + 1))),
  )
  t.strictSame(
    eight.map(({ status }) => status),
    Array(8).fill(201),
  )
})

t.test('a client that does not read holds nothing up', async (t) => {
  const { service, file, path } = await setUp(t)
  const { body } = await upload(service, path, LARGE)
  const stalled = await Promise.all(
    // A caller may have 16 downloads at once.
    Array.from({ length: 15 }, async () => {
      const { socket } = await dial(t, service.port)
      socket.write(`GET /api/attachments/${body[0].id}/content HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await once(socket, 'data')
      return socket.pause()
    }),
  )
  t.ok((await contentOf(service, body[0].id)).equals(LARGE), 'others read')
  const renamed = await call(service, 'PATCH', `/api/attachments/${body[0].id}`, { name: 'renamed' })
  t.equal(renamed.status, 200)
  // No transaction is open: the log can be written back whole, and starts again.
  const client = new SQLite(file)
  const [{ busy, log, checkpointed }] = client.pragma('wal_checkpoint(truncate)') as [Record<string, number>]
  client.close()
  t.strictSame([busy, log, checkpointed], [0, 0, 0])
  for (const socket of stalled) socket.destroy()
  t.ok((await contentOf(service, body[0].id)).equals(LARGE))
})

t.test(
  'a kill in the middle of uploads leaves what counts, and the next start removes the rest',
  async (t) => {
    const { service, environment, file, path } = await setUp(t)
    const kept = await upload(service, path, LARGE.subarray(0, 700_000))
    const open = [1, 2].map((seed) => {
      const one = begin(service, path, 2 * MEBIBYTE)
      one.sent.write(bytesOf(MEBIBYTE, seed))
      return one
    })
    while (stored(file).chunks < 7) await sleep(20)
    service.kill('SIGKILL')
    await service.exited
    await Promise.allSettled(open.map(({ response }) => response))
    t.equal(stored(file).attachments, 1)
    t.equal(stored(file).incomplete, 2)
    // As if some minutes had passed.
    const client = new SQLite(file)
    client.exec('update file_contents set touched_at = touched_at - 600000')
    client.close()
    const next = await start(t, environment)
    await until(file, { contents: 1, incomplete: 0, chunks: 3, attachments: 1 })
    t.ok((await contentOf(next, kept.body[0].id)).equals(LARGE.subarray(0, 700_000)))
  },
)
