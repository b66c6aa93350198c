/** Media types of attachments that browsers may show in place. */

/** Images, without SVG, which may contain scripts. */
export const IMAGE_TYPES: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]

/** Whether a browser may show files of a type in place; all others are downloads. */
export const isShownInPlace = (mediaType: string): boolean =>
  IMAGE_TYPES.includes(mediaType) || mediaType === 'application/pdf'
