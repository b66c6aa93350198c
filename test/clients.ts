/** The requests of clients of a service process. */
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Fields } from './crash-model.ts'

/** Timeout of a request in milliseconds. */
const TIMEOUT = 30_000

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
