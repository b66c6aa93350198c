/** The client of the stall probe. It sends requests, and counts the responses without looking at them. */
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** A response. */
export interface Received {
  status: number
  bytes: number
  /** The body, if requested. */
  text: string
  /** The URL of the next page. */
  next: string | undefined
}

/** The options of a request. */
export interface Sending {
  cookie?: string
  /** Additional headers. */
  headers?: Record<string, string>
  /** A separate connection, to send requests at the same time. */
  agent?: Agent
  /** Whether to keep the body. Reading it takes time in the client. */
  isWanted?: boolean
}

/** Sends requests to one service, and records the responses. */
export interface Client {
  port: number
  /** @param body sent as JSON; a string is sent unchanged, and bytes as a file */
  send: (method: string, path: string, body?: unknown, sending?: Sending) => Promise<Received>
  /** Opens a connection that requests a path and does not read the response. */
  stall: (path: string, cookie?: string) => Socket
  /** The number of responses by status, in order of appearance. */
  statuses: Map<number | string, number>
  /** The largest response. */
  bytes: () => number
  close: () => void
}

/** Whether a status, or what came instead of it, is 2xx. */
export const isSuccess = (status: number | string): boolean =>
  typeof status === 'number' && status >= 200 && status < 300

/** Creates a client of a service on 127.0.0.1. */
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
