/** Random tokens, and the hashes that are stored of them. */
import { createHash, randomBytes } from 'node:crypto'

/** A new opaque token: 256 random bits, base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/**
 * What is stored instead of a token: its SHA-256, hexadecimal. A token has 256 random bits, so one fast hash suffices, and
 * looking up the hash by an index is no timing side channel.
 */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
