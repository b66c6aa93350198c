/**
 * Passwords: argon2id with the parameters OWASP's password storage cheat sheet recommends (19 MiB, 2
 * passes, 1 lane). The native module is loaded lazily: most requests never need it.
 */
import { newToken } from './secrets.ts'

const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const argon2 = () => import('@node-rs/argon2')

/** Hashes a password into PHC format; argon2id is the library's default algorithm. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await argon2()
  return hash(password, PARAMETERS)
}

/** A hash that matches no password, created lazily. */
let decoy: string | undefined

/**
 * Verifies a password. Without a stored hash it takes as long as with one: no timing side channel for user enumeration.
 * @param stored the PHC hash, or null for none
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  const { verify } = await argon2()
  decoy ??= await hashPassword(newToken())
  const matches = await verify(stored ?? decoy, password)
  return stored !== null && matches
}
