/** Uploads and downloads files in a thread, so that the writers beside it measure the service and not their own process. */

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { parentPort, Worker, workerData } from 'node:worker_threads'

/** The work. */
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

/** Uploads and downloads files. @throws the error of a connection */
export async function moveFiles(traffic: Traffic): Promise<Moved> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { traffic } })
  const [moved] = await once(worker, 'message')
  return moved
}

function send(
  port: number,
  method: string,
  path: string,
  body?: Buffer,
): Promise<{ status: number; chunks: Buffer[] }> {
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

async function run({ port, uploads, downloads, size }: Traffic): Promise<Moved> {
  const wrong: string[] = []
  async function upload(item: string) {
    const bytes = randomBytes(size)
    const path = `/api/kanban-items/${item}/attachments?name=bytes`
    const { status, chunks } = await send(port, 'POST', path, bytes)
    const text = Buffer.concat(chunks).toString()
    const [{ id = '', sha256 = '' } = {}] = status === 201 ? JSON.parse(text) : [{}]
    if (sha256 !== hashOf([bytes])) wrong.push(`upload: ${status} ${text.slice(0, 200)}`)
    return { id, sha256 }
  }
  async function download({ id, sha256 }: { id: string; sha256: string }): Promise<void> {
    const { status, chunks } = await send(port, 'GET', `/api/attachments/${id}/content`)
    if (hashOf(chunks) !== sha256) wrong.push(`download: ${status}`)
  }
  const begin = performance.now()
  const [uploaded] = await Promise.all([
    Promise.all(uploads.map(upload)),
    Promise.all(downloads.map(download)),
  ])
  return { seconds: (performance.now() - begin) / 1000, uploaded, wrong }
}

if (workerData?.traffic) parentPort?.postMessage(await run(workerData.traffic))
