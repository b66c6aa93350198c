/** Small images of pictures. The browser makes them; the service only stores them. */
import { randomId } from '../../../src/client/random-id.ts'
import { type Attachment, api } from '../api.ts'
import { contentOf } from './addresses.ts'
import { isPictureType } from './kinds.ts'

/** The longest side, in pixels. */
const LONGEST_SIDE = 480
/** The service's limit, in bytes. */
const LARGEST = 65_536

/** The settings to try in order until the result is small enough. Safari cannot write WebP, and writes a PNG instead. */
const ENCODINGS = [
  ['image/webp', 0.8],
  ['image/webp', 0.5],
  ['image/jpeg', 0.8],
  ['image/jpeg', 0.6],
  ['image/jpeg', 0.3],
] as const

/** Draws the picture at its size in the thumbnail, with its background for types without transparency. */
function draw(bitmap: ImageBitmap): OffscreenCanvas {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height))
  const sizeOf = (length: number) => Math.max(1, Math.round(length * scale))
  const canvas = new OffscreenCanvas(sizeOf(bitmap.width), sizeOf(bitmap.height))
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('the browser has no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** Makes the thumbnail of a file; undefined if it is no picture, or the browser cannot read or write it. */
export async function makeThumbnail(file: Blob): Promise<Blob | undefined> {
  if (!isPictureType(file.type)) return undefined
  try {
    const bitmap = await createImageBitmap(file)
    try {
      const canvas = draw(bitmap)
      for (const [type, quality] of ENCODINGS) {
        const made = await canvas.convertToBlob({ type, quality })
        if (made.size <= LARGEST) return made
      }
    } finally {
      bitmap.close()
    }
  } catch {
    // It is damaged, too large, or of a type that this browser does not support.
  }
  return undefined
}

/** Stores the thumbnail of an attachment. It is an extra: the attachment is complete without. @returns undefined if that failed */
export async function storeThumbnail(id: string, thumbnail: Blob): Promise<Attachment | undefined> {
  try {
    return await api.put('/api/attachments/{id}/thumbnail', {
      path: { id },
      body: thumbnail,
      idempotencyKey: randomId(),
    })
  } catch {
    return undefined
  }
}

/** Makes and stores the thumbnail of a picture that has none, e.g. one from an import. */
export async function addThumbnail(id: string): Promise<Attachment | undefined> {
  try {
    const response = await fetch(contentOf(id))
    const thumbnail = response.ok ? await makeThumbnail(await response.blob()) : undefined
    return thumbnail && (await storeThumbnail(id, thumbnail))
  } catch {
    return undefined
  }
}
