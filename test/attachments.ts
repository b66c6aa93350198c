/** Uploads and downloads for tests. It imports nothing of the service: the black-box suite uses it, too. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export const BOUNDARY = 'a--boundary'
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** A part of a form. */
export const part = (disposition: string, content: string | Uint8Array, headers = '') =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n`),
    Buffer.from(content as Uint8Array),
    Buffer.from('\r\n'),
  ])

/** A file in a form. */
export const filePart = (name: string, content: string | Uint8Array, type = 'application/octet-stream') =>
  part(`name="file"; filename="${name}"`, content, `Content-Type: ${type}\r\n`)

export const formOf = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])

export const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Bytes that look random, the same for the same seed. */
export function bytesOf(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size)
  let state = seed >>> 0 || 1
  for (let at = 0; at < size; at += 4) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes.writeUInt32LE(state >>> 0, Math.min(at, Math.max(0, size - 4)))
  }
  return bytes
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc(body), body.length + 4)
  return framed
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

/** A PNG image. */
export function png(width = 3, height = 2): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc(Math.min(height, 100) * (Math.min(width, 100) + 1))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
