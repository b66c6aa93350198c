/** Sends a file and reports progress, which `fetch` does not. */
import { errorOf, unanswered } from '../../../src/client/errors.ts'
import { type Answer, type Attachment, root } from '../api.ts'

/** A file to attach. */
interface FileRequest {
  itemId: string
  name: string
  file: Blob
  /** The same for each retry, so that the file is attached once. */
  idempotencyKey: string
  signal: AbortSignal
  /** @param share of the bytes that are sent, from 0 to 1 */
  onProgress: (share: number) => void
}

/** The headers of a response. */
function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const at = line.indexOf(':')
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  return headers
}

/** Sends it once. @throws PhaseboardError; the reason of the signal, if it was aborted */
export function sendFile(sent: FileRequest): Promise<Answer<Attachment[]>> {
  const { itemId, name, file, idempotencyKey, signal, onProgress } = sent
  const target = `api/kanban-items/${encodeURIComponent(itemId)}/attachments`
  const called = `POST /${target}`
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('POST', `${root}${target}?name=${encodeURIComponent(name)}`)
    request.setRequestHeader('accept', 'application/problem+json, */*')
    // Never the type of the file: JSON would be a link.
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.setRequestHeader('idempotency-key', idempotencyKey)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.onabort = () => reject(signal.reason)
    request.onerror = () => reject(unanswered(new TypeError('no response'), called))
    request.onload = () => {
      const { status, responseText } = request
      const headers = headersOf(request)
      if (status < 200 || status > 299) {
        errorOf(new Response(responseText, { status, headers }), called).then(reject, reject)
        return
      }
      const seq = headers.get('phaseboard-seq')
      try {
        resolve({
          status,
          data: JSON.parse(responseText) as Attachment[],
          etag: undefined,
          seq: seq === null ? undefined : Number(seq),
          replayed: headers.get('idempotent-replayed') === 'true',
          headers,
        })
      } catch (cause) {
        // Another server has answered.
        reject(unanswered(cause, called))
      }
    }
    signal.addEventListener('abort', abort)
    request.send(file)
  })
}
