/** Uploads to a service that dies meanwhile, and what another service has of them. */
import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { ask } from './clients.ts'
import { pick, seededRandom } from './random.ts'

/** An acknowledged upload. */
export interface Uploaded {
  seq: number
  id: string
  sha256: string
}

/** Where the uploads go. */
interface UploadTarget {
  port: number
  cookie: string
  projectId: string
}

/** Sizes of files in bytes: below, at and above the size of a chunk, and of many chunks. */
const SIZES = [1, 1000, 256 * 1024, 256 * 1024 + 1, 700_000, 1_500_000]

/** Bytes sent at once, and the milliseconds between them: a machine often dies in the middle of an upload. */
const PIECE = 200_000
const PAUSE = 10

/** Attachments of an item; the limit is 100. */
const ON_ITEM = 50

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Uploads a file in pieces. @throws if the response is missing */
async function upload({ port, cookie }: UploadTarget, agent: Agent, item: string, bytes: Buffer) {
  const path = `/api/kanban-items/${item}/attachments?name=file`
  const headers = { cookie, 'content-type': 'application/octet-stream', 'content-length': bytes.length }
  const sent = request({ port, host: '127.0.0.1', agent, method: 'POST', path, headers })
  const answered = new Promise<{ status: number; seq: number; body: string }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (response) => {
      const [status, seq] = [response.statusCode ?? 0, Number(response.headers['phaseboard-seq'])]
      text(response).then((body) => resolve({ status, seq, body }), reject)
    })
  })
  // Handled below; the machine may die while pieces are sent.
  answered.catch(() => undefined)
  for (let at = 0; at < bytes.length && !sent.destroyed; at += PIECE) {
    sent.write(bytes.subarray(at, at + PIECE))
    await wait(PAUSE)
  }
  sent.end()
  return answered
}

/**
 * Uploads files with one client, one after another, until the machine dies. Some are equal to the previous one.
 * @returns whether it died during an upload
 */
export async function uploadFiles(
  target: UploadTarget,
  uploaded: Uploaded[],
  problems: string[],
  seed: number,
): Promise<boolean> {
  const random = seededRandom(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let bytes = Buffer.alloc(0)
  let item = ''
  let isUploading = false
  try {
    for (let number = 0; ; number++) {
      if (number % ON_ITEM === 0) {
        const items = `/api/projects/${target.projectId}/kanban-items`
        const { body } = await ask(target.port, agent, 'POST', items, { title: 'files' }, target.cookie)
        item = String(body.id)
      }
      if (number === 0 || random() < 0.8) bytes = randomBytes(pick(random, SIZES))
      isUploading = true
      const { status, seq, body } = await upload(target, agent, item, bytes)
      isUploading = false
      const [{ id = '', sha256 = '' } = {}] = status === 201 ? JSON.parse(body) : []
      if (sha256 !== sha256Of(bytes)) {
        problems.push(`an upload: ${status} ${body.slice(0, 200)}`)
        return false
      }
      uploaded.push({ seq, id, sha256 })
    }
  } catch {
    return isUploading
  } finally {
    agent.destroy()
  }
}

/** A file that a service lists. */
interface Listed {
  id: string
  kind: string
  size: number
  sha256: string
}

/**
 * Downloads every file that a service lists, and compares it with its record; and these with the uploads.
 * @param kept the last change that the service has
 * @returns the number of files
 */
export async function compareFiles(
  { port, cookie, projectId }: UploadTarget,
  uploaded: readonly Uploaded[],
  kept: number,
  problems: string[],
): Promise<number> {
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } })
  const project = (await (await get(`/api/projects/${projectId}`)).json()) as {
    kanbanItems: { id: string; title: string }[]
  }
  const listed = new Map<string, string>()
  for (const { id: item } of project.kanbanItems.filter(({ title }) => title === 'files')) {
    const files = (await (await get(`/api/kanban-items/${item}/attachments`)).json()) as Listed[]
    for (const { id, size, sha256 } of files) {
      const response = await get(`/api/attachments/${id}/content`)
      const bytes = Buffer.from(await response.arrayBuffer())
      listed.set(id, sha256)
      if (response.status !== 200 || bytes.length !== size || sha256Of(bytes) !== sha256)
        problems.push(`the file ${id} is not whole: ${response.status}, ${bytes.length} of ${size} bytes`)
    }
  }
  for (const { seq, id, sha256 } of uploaded) {
    const expected = seq <= kept ? sha256 : undefined
    if (listed.get(id) !== expected)
      problems.push(`the upload ${id} of ${seq} is ${listed.get(id)}, after ${kept}`)
  }
  return listed.size
}
