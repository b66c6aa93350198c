/** Random tokens, and the hashes by which the database knows them. */
import { createHash, randomBytes } from 'node:crypto'

/** A new opaque token: 256 random bits, base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/**
 * What is stored instead of a token: its SHA-256, hexadecimal. A token is 256 random bits, so one fast hash
 * suffices, and looking a hash up by index tells nothing about the token by its timing.
 */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
