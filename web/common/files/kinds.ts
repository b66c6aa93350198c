/** The kinds of attachments on the page. Uses neither the DOM nor the network. */
import type { Attachment } from '../../../src/client/api.d.ts'
import { locale } from '../language.ts'

/** The images that browsers show in place, without SVG, which is a document that may contain scripts. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/

/** Whether a media type is one that the page shows as a picture. */
export const isPictureType = (mediaType: string): boolean => PICTURE.test(mediaType)

/** Whether an attachment is a picture, by the type that the service has detected. */
export const isPicture = ({ kind, mediaType }: Attachment): boolean =>
  kind === 'file' && isPictureType(mediaType ?? '')

const LINK = /^(?:https?:|mailto:)/i

/** The target of an attached link; undefined if the page must not link to it. */
export const linkOf = ({ kind, url = '' }: Attachment): string | undefined =>
  kind === 'link' && LINK.test(url) ? url : undefined

/** The longest extension that shows in place of an image, in characters. */
const LONGEST_EXTENSION = 4

/** The extension of a name in capitals, to show its type; empty if it has none, or a long one. */
export function extensionOf(name: string): string {
  const extension = /\.([\p{L}\d]+)$/u.exec(name)?.[1] ?? ''
  return extension.length > LONGEST_EXTENSION ? '' : extension.toUpperCase()
}

const KB = 1024
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size in bytes for people: "1.2 MB". */
export function sizeText(bytes: number): string {
  const step = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(KB)), UNITS.length - 1)
  const value = bytes / KB ** step
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value)
}
