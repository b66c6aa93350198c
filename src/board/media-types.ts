/** Media types of attachments: what a browser may show itself. */

/** Images. SVG is none of them: it may contain scripts. */
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
