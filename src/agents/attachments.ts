/** Attachments as resources, and the limit of files that agents write and read. */
import { ApiError } from '../errors.ts'
import type { Attachment } from '../schemas/records.ts'
import { type Answer, pathOf, type Service } from './service.ts'

/** The beginning of their URIs, before the id. */
export const ATTACHMENTS = 'phaseboard://attachments/'

/** Bytes of a file that agents write or read, at most: it passes through memory, and the context of a model. */
export const FILE_LIMIT = 1_048_576

/** 413 for a larger file. */
export const tooLargeToAttach = () =>
  new ApiError(413, `The file is larger than ${FILE_LIMIT} bytes: upload it over HTTP`)

/** Types besides `text/*` whose files are text. */
const TEXT = /^text\/|^application\/(?:javascript|json|sql|toml|x-sh|xml|yaml)$|\+(?:json|xml|yaml)$/

/** The text of bytes; undefined if they are not in UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** An attachment: the text or the bytes of a file, or the URL of a link. @throws ApiError 404, 413 with the URL of a larger file */
export async function readAttachmentAt(service: Service, uri: string, id: string) {
  const [answer] = (await service.read(pathOf`/api/attachments/${id}`)) as [Answer]
  const { kind, url, size, mediaType } = answer.body as Attachment
  if (kind === 'link') return { contents: [{ uri, mimeType: 'text/uri-list', text: `${url}\r\n` }] }
  if ((size ?? 0) > FILE_LIMIT) {
    const where = service.urlOf(pathOf`/api/attachments/${id}/content`)
    throw new ApiError(413, `The file has ${size} bytes, and a resource at most ${FILE_LIMIT}: GET ${where}`)
  }
  const bytes = await service.readFile(id)
  const mimeType = mediaType ?? 'application/octet-stream'
  const text = TEXT.test(mimeType) ? textOf(bytes) : undefined
  if (text !== undefined) return { contents: [{ uri, mimeType, text }] }
  return { contents: [{ uri, mimeType, blob: Buffer.from(bytes).toString('base64') }] }
}
