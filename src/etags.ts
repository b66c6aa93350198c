/** Entity tags (RFC 9110, section 8.8.3). */
import { hash } from 'node:crypto'

/** The strong ETag of a body. */
export const etagOf = (content: string | Uint8Array) =>
  `"${hash('sha256', content, 'base64url').slice(0, 22)}"`
