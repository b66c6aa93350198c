/** Detects the type of a file, and the size of an image, from its bytes. Loaded lazily: the tables of types are large. */
import { fileTypeFromBuffer } from 'file-type'
import { imageSize } from 'image-size'
import { lookup } from 'mime-types'
import { IMAGE_TYPES, isShownInPlace } from '../board/media-types.ts'

/** The detected properties of a file. */
export interface FileType {
  mediaType: string
  /** In pixels, as a browser shows it. */
  width?: number | undefined
  height?: number | undefined
}

/** The type of unrecognised bytes. */
const UNKNOWN = 'application/octet-stream'

/** Number of bytes that suffice to detect the type. */
const TELLING = 16 * 1024

/**
 * Number of bytes in which to look for an image's size, by type: the library takes quadratic time for the boxes of an AVIF, and each byte of
 * a damaged JPEG is a step of it.
 */
const LOOKED_AT: Readonly<Record<string, number>> = { 'image/avif': TELLING, 'image/jpeg': 128 * 1024 }

/** The largest accepted width or height. */
const LARGEST = 1_000_000

/** Types with another name here: an animated PNG is a PNG. */
const NAMES: Readonly<Record<string, string>> = { 'image/apng': 'image/png' }

/** The media type by the bytes; undefined if they are not recognised. */
async function typeOf(bytes: Uint8Array): Promise<string | undefined> {
  // It fails where the bytes end in the middle of something.
  const type = await fileTypeFromBuffer(bytes.subarray(0, TELLING)).catch(() => undefined)
  return type && (NAMES[type.mime] ?? type.mime)
}

/** The media type by the name of a file. It is never one that browsers show in place: only the bytes of a file decide that. */
function typeOfName(name: string): string {
  const type = lookup(name) || UNKNOWN
  return isShownInPlace(type) ? UNKNOWN : type
}

/** The size of an image, as a browser shows it: it turns some by their EXIF orientation. */
function sizeOf(bytes: Uint8Array, mediaType: string): Pick<FileType, 'width' | 'height'> {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes.subarray(0, LOOKED_AT[mediaType]))
    const isSize = (size: number) => Number.isInteger(size) && size > 0 && size <= LARGEST
    if (!isSize(width) || !isSize(height)) return {}
    return orientation > 4 ? { width: height, height: width } : { width, height }
  } catch {
    return {}
  }
}

/**
 * The media type of a file, and the size of an image.
 * @param beginning its first bytes
 * @param name its name, for types that cannot be detected by bytes
 */
export async function fileTypeOf(beginning: Uint8Array, name: string): Promise<FileType> {
  const mediaType = await typeOf(beginning)
  if (mediaType === undefined) return { mediaType: typeOfName(name) }
  return { mediaType, ...(IMAGE_TYPES.includes(mediaType) && sizeOf(beginning, mediaType)) }
}

/** The media type of an image that browsers show; undefined for anything else. @param bytes all of it, or its first ones */
export async function imageTypeOf(bytes: Uint8Array): Promise<string | undefined> {
  const mediaType = await typeOf(bytes)
  return mediaType !== undefined && IMAGE_TYPES.includes(mediaType) ? mediaType : undefined
}
