/** Receivers of webhooks, as HTTP servers in this process; and a manual clock. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../src/clock.ts'
import type { InTurn } from '../src/webhooks/webhook-sender.ts'
import type { Owner } from './process.ts'

/** A request received by a receiver. */
export interface Received {
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  body: any
}

/** How a receiver handles a request. */
export type Respond = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown

export interface Receiver {
  url: string
  received: Received[]
  /** The received changes, in order. */
  seqs: () => number[]
  connections: () => number
  /** Resolves after a number of requests. */
  got: (count: number) => Promise<void>
  /** Sets how it handles requests from now on. */
  respond: Respond
}

/** Runs every piece of work at once. */
export const atOnce: InTurn = (_who, work) => work()

/** Responds with 204. */
export const accept: Respond = (response) => response.writeHead(204).end()

/** Responds with this status. */
export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (response) =>
    response.writeHead(status, headers).end(body)

/** Never responds. */
export const hang: Respond = () => undefined

/** Starts a receiver on this machine; it ends with the test. */
export async function receive(t: Owner, respond: Respond = accept): Promise<Receiver> {
  const waiting: { count: number; resolve: () => void }[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    // The request was aborted.
    if (body === undefined) return
    const one = {
      headers: request.headers as Record<string, string>,
      text: body,
      body: JSON.parse(body),
    }
    receiver.received.push(one)
    receiver.respond(response, one, request)
    for (const { count, resolve } of waiting) if (receiver.received.length >= count) resolve()
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    seqs: () => receiver.received.map(({ body }) => body.data.seq),
    connections: () => connections,
    got: (count) =>
      new Promise((resolve) => {
        if (receiver.received.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    respond,
  }
  return receiver
}

/** Starts a server that sends raw bytes. @returns its URL */
export async function listen(t: Owner, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Waits until a condition holds, in real time, for network events. The test's timeout is the limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(2)
}

/** A clock that tests set and advance. */
export interface ManualClock extends Clock {
  /** Advances both clocks, and calls due timers in order, except those that they start. */
  pass: (milliseconds: number) => void
  /** Sets the system's clock, like a user or a time server. Calls nothing. */
  set: (time: number) => void
  /** The remaining time of each pending timer. */
  pending: () => number[]
}

/** A clock at a given time. */
export function manualClock(start = Date.parse('2027-01-01T00:00:00.000Z')): ManualClock {
  let wall = start
  let elapsed = 0
  const timers = new Set<{ at: number; call: () => void }>()
  return {
    now: () => wall,
    elapsed: () => elapsed,
    after: (milliseconds, call) => {
      const timer = { at: elapsed + milliseconds, call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    pass: (milliseconds) => {
      wall += milliseconds
      elapsed += milliseconds
      const due = [...timers].filter(({ at }) => at <= elapsed).sort((one, other) => one.at - other.at)
      for (const timer of due) if (timers.delete(timer)) timer.call()
    },
    set: (time) => {
      wall = time
    },
    pending: () => [...timers].map(({ at }) => at - elapsed),
  }
}
