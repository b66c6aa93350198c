/** Entity tags (RFC 9110, section 8.8.3). */
import { createHash, hash } from 'node:crypto'

const LENGTH = 22

/** The strong ETag of a body. */
export const etagOf = (content: string | Uint8Array) =>
  `"${hash('sha256', content, 'base64url').slice(0, LENGTH)}"`

/** The same of a body that comes in parts. */
export function createEtag() {
  const sum = createHash('sha256')
  return {
    update: (part: Uint8Array) => void sum.update(part),
    end: () => `"${sum.digest('base64url').slice(0, LENGTH)}"`,
  }
}
