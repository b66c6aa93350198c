/** Cookies that only this service can read and create: sealed with AES-256-GCM. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { type JsonObject, parseJson } from '../json.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Seals objects as cookie values, and opens them. */
interface CookieSeal {
  /** @param expires milliseconds since 1970; it cannot be opened afterwards */
  seal: (content: JsonObject, expires: number) => string
  /** The content; undefined for a value that is forged, damaged or expired. */
  open: (value: string) => JsonObject | undefined
}

/**
 * Creates a seal.
 * @param secret the key is derived from it: any process that knows it can open the seals
 * @param purpose separates the keys of different cookies
 */
export function createCookieSeal(secret: string, purpose: string): CookieSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    seal(content, expires) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv)
      const sealed = Buffer.concat([cipher.update(JSON.stringify({ content, expires })), cipher.final()])
      return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    open(value) {
      const bytes = Buffer.from(value, 'base64url')
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
        const { content, expires } = parseJson(text.toString()) as { content: JsonObject; expires: number }
        return Date.now() < expires ? content : undefined
      } catch {
        return undefined
      }
    },
  }
}
