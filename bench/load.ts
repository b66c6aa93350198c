/**
 * The load generator: a separate process that receives a load as a message and responds with its results.
 *
 * It speaks HTTP on raw sockets, because it must be faster than the server. A generator that parses responses in JavaScript
 * takes longer for 930 KB than node:http takes to send them (README.md has the numbers). This one reads the head of each
 * response, skips the announced number of bytes, and sends the next request.
 */
import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds } from './process-usage.ts'

/** A request and its expected response. */
export interface LoadRequest {
  method: 'GET' | 'PATCH' | 'POST'
  path: string
  headers?: Record<string, string>
  /** JSON */
  body?: string
  /** The expected status. Any other fails the whole load. */
  status: number
}

/** The requests of each connection, in order. */
export interface Plan {
  requests: LoadRequest[]
  /** One list of indexes in `requests` for each connection, which sends them in turn, repeatedly. */
  lanes: number[][]
}

/** A plan, its target, and its duration. */
export interface Load extends Plan {
  port: number
  /** The server's process */
  pid: number
  /** How long requests are sent, extended until there are as many responses as lanes. If absent, every lane is sent once. */
  seconds?: number
}

/** The results of a load. */
export interface LoadResult {
  /** The measured time in seconds. Requests still in flight at its end are awaited, but not counted. */
  seconds: number
  /** Responses within that time, and their bytes including headers. */
  answers: number
  bytes: number
  /** Acknowledged requests that change something, including those after that time. */
  changes: number
  /** Milliseconds from sending a request to the last byte of its response. */
  p50: number
  p99: number
  /** Processor time in seconds; the server's is undefined if the system does not report it. */
  serverCpu: number | undefined
  generatorCpu: number
}

/** The timeout of a response, in milliseconds. */
const TIMEOUT = 120_000

const READ_SIZE = 64 * 1024

/** A request as bytes. */
type Prepared = LoadRequest & { bytes: Buffer }

const NOTHING = Buffer.alloc(0)
const TOO_MUCH = 'more was sent than was asked for'

/** One keep-alive connection, with one request in flight at a time. */
class Connection {
  /** Resolves once connected. */
  readonly connected = Promise.withResolvers<void>()
  /** Resolves after the last response. */
  readonly finished = Promise.withResolvers<void>()
  #socket: Socket
  #next: () => Prepared | undefined
  #onAnswer: (request: Prepared, milliseconds: number) => void
  #request: Prepared | undefined
  #sentAt = 0
  /** The start of a response whose head is incomplete. */
  #begun: Buffer = NOTHING
  #bodyBytesLeft = 0
  /** The number of received bytes. */
  bytes = 0

  /**
   * @param next returns the next request, or undefined to end
   * @param onAnswer called after each response
   */
  constructor(
    port: number,
    next: () => Prepared | undefined,
    onAnswer: (request: Prepared, milliseconds: number) => void,
  ) {
    this.#next = next
    this.#onAnswer = onAnswer
    // Reading into one buffer saves an allocation per read.
    const onread = {
      buffer: Buffer.alloc(READ_SIZE),
      callback: (size: number, buffer: Uint8Array) => {
        this.#receive(buffer as Buffer, size)
        return true
      },
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.#socket.once('connect', () => this.connected.resolve())
    this.#socket.once('error', (error) => this.#fail(error.message))
    this.#socket.once('close', () => this.#fail('the server closed the connection'))
    // `connected` reports a failure before anything awaits the responses.
    this.finished.promise.catch(() => undefined)
  }

  /** Sends the next request, or ends the connection if there is none. */
  send(): void {
    this.#request = this.#next()
    if (this.#request) {
      this.#sentAt = performance.now()
      this.#socket.write(this.#request.bytes)
    } else {
      this.finished.resolve()
      this.close()
    }
  }

  close(): void {
    this.#socket.destroy()
  }

  #fail(reason: string): void {
    const asked = this.#request ? ` (${this.#request.method} ${this.#request.path})` : ''
    const error = new Error(reason + asked)
    this.connected.reject(error)
    this.finished.reject(error)
    this.close()
  }

  #receive(buffer: Buffer, size: number): void {
    this.bytes += size
    if (this.#bodyBytesLeft > 0) this.#skip(size)
    else if (this.#request) this.#readHead(this.#request, buffer.subarray(0, size))
    else this.#fail(TOO_MUCH)
  }

  /** Handles this many bytes after the head. */
  #skip(size: number): void {
    this.#bodyBytesLeft -= size
    if (this.#bodyBytesLeft === 0) this.#complete()
    else if (this.#bodyBytesLeft < 0) this.#fail(TOO_MUCH)
  }

  #readHead(request: Prepared, chunk: Buffer): void {
    const received = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    const end = received.indexOf('\r\n\r\n', 0, 'latin1')
    if (end < 0) {
      // Copied, because the next read overwrites it.
      this.#begun = Buffer.from(received)
      return
    }
    this.#begun = NOTHING
    const head = received.toString('latin1', 0, end)
    const status = Number(head.slice(9, 12))
    if (status !== request.status) {
      this.#fail(`${status} instead of ${request.status}: ${received.toString('latin1', 0, 600)}`)
      return
    }
    // A 304 has no body, whatever its content-length (RFC 9110, 15.4.5).
    const length = status === 304 ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      this.#fail('an answer without content-length')
      return
    }
    this.#bodyBytesLeft = Number(length)
    this.#skip(received.length - end - 4)
  }

  #complete(): void {
    if (this.#request) this.#onAnswer(this.#request, performance.now() - this.#sentAt)
    this.send()
  }
}

function toBytes({ method, path, headers = {}, body = '' }: LoadRequest, port: number): Buffer {
  const content = body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, ...content })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`)
}

async function generate({ port, pid, seconds, requests, lanes }: Load): Promise<LoadResult> {
  const prepared = requests.map((request) => ({ ...request, bytes: toBytes(request, port) }))
  const microseconds = createHistogram()
  let answers = 0
  let changes = 0
  let isOver = false
  const asManyAsLanes = Promise.withResolvers<void>()
  const onAnswer = (request: LoadRequest, milliseconds: number) => {
    answers++
    if (answers === lanes.length) asManyAsLanes.resolve()
    if (request.method !== 'GET') changes++
    microseconds.record(Math.max(1, Math.round(milliseconds * 1000)))
  }
  const connections = lanes.map((lane) => {
    let turn = 0
    const next = () => {
      if (isOver || (seconds === undefined && turn === lane.length)) return undefined
      return prepared[lane[turn++ % lane.length] as number]
    }
    return new Connection(port, next, onAnswer)
  })
  const lost = new AbortController()
  try {
    await Promise.all(connections.map(({ connected }) => connected.promise))
    const all = Promise.race([
      Promise.all(connections.map(({ finished }) => finished.promise)),
      sleep((seconds ?? 0) * 1000 + TIMEOUT, undefined, { signal: lost.signal }).then(() => {
        throw new Error(`no answer within ${TIMEOUT / 1000} seconds`)
      }),
    ])
    const mark = () => ({
      at: performance.now(),
      answers,
      bytes: connections.reduce((sum, connection) => sum + connection.bytes, 0),
      serverCpu: cpuSeconds(pid),
      generatorCpu: process.cpuUsage(),
    })
    const begin = mark()
    for (const connection of connections) connection.send()
    const enough = seconds === undefined ? all : Promise.all([sleep(seconds * 1000), asManyAsLanes.promise])
    await Promise.race([all, enough])
    const end = mark()
    isOver = true
    await all
    const generatorCpu = process.cpuUsage(begin.generatorCpu)
    return {
      seconds: (end.at - begin.at) / 1000,
      answers: end.answers,
      bytes: end.bytes,
      changes,
      p50: microseconds.percentile(50) / 1000,
      p99: microseconds.percentile(99) / 1000,
      serverCpu:
        end.serverCpu === undefined || begin.serverCpu === undefined
          ? undefined
          : end.serverCpu - begin.serverCpu,
      generatorCpu: (generatorCpu.user + generatorCpu.system) / 1e6,
    }
  } finally {
    lost.abort()
    for (const connection of connections) connection.close()
  }
}

process.on('message', async (load: Load) => {
  try {
    process.send?.({ result: await generate(load) })
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) })
  }
})
