/** Helpers for imports over HTTP. */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, send } from './helper.ts'

/** Uploads a file. */
export async function upload(
  app: App,
  query: string,
  file: string | Buffer | Readable,
  headers: Record<string, string> = {},
) {
  const type = { 'content-type': 'text/plain;;' }
  const response = await app.inject({
    method: 'POST',
    url: `/api/imports?${query}`,
    headers: { ...type, ...headers },
    payload: file,
  })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

/** Waits for the end of an import. */
export async function ended(app: App, id: string, headers?: Record<string, string>) {
  for (;;) {
    const { status, body } = await send(app, 'GET', `/api/imports/${id}`, undefined, headers)
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
    if (body.status === 'done' || body.status === 'failed') return body
    await sleep(5)
  }
}
