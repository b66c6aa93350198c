/** A proxy between client and service: forwards requests, or simulates network failures. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Owner } from '../process.ts'

/** How to handle a request; undefined forwards it. */
export type Fate = ((response: ServerResponse, asked: IncomingMessage) => unknown) | undefined

interface Intermediary {
  url: string
  /** The target of forwarded requests. */
  service: string
  /** The received requests, in order. */
  asked: IncomingMessage[]
  /** Sets the handling of requests from now on. */
  decide: (asked: IncomingMessage) => Fate
  /** Cuts all connections. */
  cut: () => void
}

/** Responds with this status instead of the service. */
export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Fate =>
  (response) =>
    response.writeHead(status, headers).end(body)

/** Responds with JSON instead of the service. */
export const answerJson = (status: number, body: unknown): Fate =>
  answer(status, { 'content-type': 'application/json' }, JSON.stringify(body))

/** Breaks the connection. */
export const breakOff: Fate = (response) => response.destroy()

/** Starts a stream of events as the response. */
export const stream =
  (...texts: string[]): Fate =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    for (const text of texts) response.write(text)
  }

/** Starts an intermediary in front of a service; it ends with the test. */
export async function standBetween(t: Owner, service = 'http://127.0.0.1:1'): Promise<Intermediary> {
  const sockets = new Set<Socket>()
  const pass = (asked: IncomingMessage, response: ServerResponse, isLost: boolean) => {
    const onward = request(intermediary.service + asked.url, {
      method: asked.method ?? '',
      headers: asked.headers,
      agent: false,
    })
    onward.on('error', () => response.destroy())
    onward.on('response', (answered) => {
      if (response.destroyed) {
        answered.destroy()
        return
      }
      if (isLost) {
        answered.resume().on('end', () => response.destroy())
        return
      }
      response.writeHead(answered.statusCode ?? 500, answered.headers).flushHeaders()
      pipeline(answered, response, () => onward.destroy())
    })
    pipeline(asked, onward, () => undefined)
  }
  const intermediary: Intermediary = {
    url: '',
    service,
    asked: [],
    decide: () => undefined,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
  const server = createServer((asked, response) => {
    intermediary.asked.push(asked)
    const fate = intermediary.decide(asked)
    if (fate === undefined || fate === loseTheAnswer) pass(asked, response, fate === loseTheAnswer)
    else fate(response, asked)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => {
    server.close()
    intermediary.cut()
  })
  intermediary.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return intermediary
}

/** Forwards the request, and breaks the connection after the response. */
export const loseTheAnswer: Fate = () => undefined
