/** The client of the stall probe: it sends what it is given and counts what comes back, without looking at it. */
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** What came back. */
export interface Received {
  status: number
  bytes: number
  /** The body, where it was wanted. */
  text: string
  /** The address of the next page. */
  next: string | undefined
}

/** How a request may differ. */
export interface Sending {
  cookie?: string
  /** More headers. */
  headers?: Record<string, string>
  /** A connection of its own, where requests are sent at once. */
  agent?: Agent
  /** Whether the body is wanted: reading it takes the client's time. */
  isWanted?: boolean
}

/** Sends requests to one service, and remembers how they were answered. */
export interface Client {
  port: number
  /** @param body what is sent as JSON, or the JSON itself, or the bytes of a file */
  send: (method: string, path: string, body?: unknown, sending?: Sending) => Promise<Received>
  /** Opens a connection that asks for a path and does not read the answer. */
  stall: (path: string, cookie?: string) => Socket
  /** How often each status came, in the order of the first ones. */
  statuses: Map<number | string, number>
  /** The largest answer. */
  bytes: () => number
  close: () => void
}

/** Makes a client of a service on 127.0.0.1. */
export function makeClient(port: number): Client {
  const own = new Agent({ keepAlive: true, maxSockets: 1 })
  const agents = new Set([own])
  const sockets: Socket[] = []
  const statuses: Client['statuses'] = new Map()
  let bytes = 0
  const count = (status: number | string) => statuses.set(status, (statuses.get(status) ?? 0) + 1)

  function send(method: string, path: string, body?: unknown, sending: Sending = {}): Promise<Received> {
    const { cookie, agent = own, isWanted = false } = sending
    agents.add(agent)
    const isReady = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    const payload = isReady ? body : JSON.stringify(body)
    const headers = {
      ...(payload !== undefined && {
        'content-type': Buffer.isBuffer(payload) ? 'application/octet-stream' : 'application/json',
        'content-length': Buffer.byteLength(payload),
      }),
      ...(cookie !== undefined && { cookie }),
      ...sending.headers,
    }
    return new Promise((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', agent, method, path, headers })
      outgoing.on('response', (response) => {
        const received: Received = {
          status: response.statusCode ?? 0,
          bytes: 0,
          text: '',
          next: /<([^>]*)>; rel="next"/.exec(String(response.headers.link))?.[1],
        }
        if (isWanted) response.setEncoding('utf8')
        response.on('data', (chunk: Buffer | string) => {
          received.bytes += chunk.length
          if (typeof chunk === 'string') received.text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          count(received.status)
          bytes = Math.max(bytes, received.bytes)
          resolve(received)
        })
      })
      outgoing.on('error', (error) => {
        count('connection lost')
        reject(error)
      })
      outgoing.end(payload)
    })
  }

  return {
    port,
    send,
    stall: (path, cookie) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.pause()
      const credential = cookie === undefined ? '' : `Cookie: ${cookie}\r\n`
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${credential}\r\n`)
      sockets.push(socket)
      return socket
    },
    statuses,
    bytes: () => bytes,
    close: () => {
      for (const agent of agents) agent.destroy()
      for (const socket of sockets) socket.destroy()
    },
  }
}
