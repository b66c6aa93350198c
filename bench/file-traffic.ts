/** A thread that uploads and downloads files, so that the writers beside it measure the service and not their own process. */

import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** The work of the thread. */
export interface Traffic {
  port: number
  /** The items to upload to, one for each upload. */
  uploads: readonly string[]
  /** The attachments to download, with their hashes. */
  downloads: readonly { id: string; sha256: string }[]
  /** Bytes of an uploaded file. */
  size: number
}

/** Its result. */
export interface Moved {
  seconds: number
  uploaded: { id: string; sha256: string }[]
  /** Files with wrong bytes. */
  wrong: string[]
}

const { port, uploads, downloads, size } = workerData as Traffic

function send(method: string, path: string, body?: Buffer): Promise<{ status: number; chunks: Buffer[] }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ maxSockets: 1 })
    const headers = body && { 'content-type': 'application/octet-stream', 'content-length': body.length }
    const sent = request({ port, host: '127.0.0.1', method, path, agent, ...(headers && { headers }) })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ status: Number(response.statusCode), chunks }))
      response.on('error', reject)
    })
    sent.end(body)
  })
}

const hashOf = (chunks: readonly Buffer[]) => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

const wrong: string[] = []

async function upload(item: string) {
  const bytes = randomBytes(size)
  const { status, chunks } = await send('POST', `/api/kanban-items/${item}/attachments?name=bytes`, bytes)
  const text = Buffer.concat(chunks).toString()
  const [{ id = '', sha256 = '' } = {}] = status === 201 ? JSON.parse(text) : [{}]
  if (sha256 !== hashOf([bytes])) wrong.push(`upload: ${status} ${text.slice(0, 200)}`)
  return { id, sha256 }
}

async function download({ id, sha256 }: { id: string; sha256: string }): Promise<void> {
  const { status, chunks } = await send('GET', `/api/attachments/${id}/content`)
  if (hashOf(chunks) !== sha256) wrong.push(`download: ${status}`)
}

const begin = performance.now()
const [uploaded] = await Promise.all([Promise.all(uploads.map(upload)), Promise.all(downloads.map(download))])
parentPort?.postMessage({
  seconds: (performance.now() - begin) / 1000,
  uploaded,
  wrong,
} satisfies Moved)
