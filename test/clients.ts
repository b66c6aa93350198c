/** Clients of a service process: their requests, and seeded random choices. */
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Fields } from './crash-model.ts'

/** Timeout of a request in milliseconds. */
const TIMEOUT = 30_000

/** Seeded random numbers from 0 to below 1 (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <T>(random: () => number, values: readonly T[]) =>
  values[Math.floor(random() * values.length)] as T

/** The response. */
export interface Answer {
  status: number
  body: Fields
  cookie: string
  headers: IncomingHttpHeaders
}

/**
 * Sends a request.
 * @param agent for its connection
 * @param others additional headers
 * @throws if the response is missing or incomplete
 */
export function ask(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  body?: object,
  cookie = '',
  others: Record<string, string> = {},
) {
  return new Promise<Answer>((resolve, reject) => {
    const type = body && { 'content-type': 'application/json' }
    const headers = { ...others, ...type, ...(cookie && { cookie }) }
    const outgoing = request({ port, host: '127.0.0.1', agent, method, path, headers, timeout: TIMEOUT })
    outgoing.on('error', reject)
    outgoing.on('timeout', () => outgoing.destroy(new Error('it was not answered')))
    outgoing.on('response', (response: IncomingMessage) => {
      const [cookie = ''] = response.headers['set-cookie'] ?? []
      json(response).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            body: body as Fields,
            cookie,
            headers: response.headers,
          }),
        reject,
      )
    })
    outgoing.end(body && JSON.stringify(body))
  })
}
