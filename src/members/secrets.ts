/** Random tokens, and their stored hashes. */
import { hash, randomBytes } from 'node:crypto'

/** A new opaque token: 256 random bits, base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/**
 * The stored hash of a token: SHA-256, hexadecimal. A token has 256 random bits, so one fast hash suffices, and
 * looking it up by an index is no timing side channel.
 */
export const hashToken = (token: string): string => hash('sha256', token)
