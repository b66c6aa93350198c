/** Keeps what credentials were found to be, so that a request need not look up in the file what the one before it did. */

import { createCache } from '../cache.ts'
import type { SharedDatabase } from '../db/client.ts'

/** The credentials that are kept, of each kind: more than a service on one machine has in use at a time. */
const MOST = 1000

/** What a credential was found to be. */
interface Found {
  /** A timestamp; null: never. */
  expiresAt: string | null
}

interface Kept<T> {
  found: T
  /** Milliseconds since 1970. */
  endsAt: number
}

/**
 * Sessions or API tokens by the hashes of their secrets. One is kept until its row or a member changes, by triggers; until another
 * connection commits anything; and until it expires. What is unknown is not kept.
 *
 * The triggers are temporary: other connections do not have them.
 */
export class KeptCredentials<T extends Found> {
  readonly #kept = createCache<string, Kept<T>>(MOST)
  readonly #client: SharedDatabase['$client']
  readonly #version: () => number | undefined
  #keptAt: number | undefined

  /**
   * @param table of the credentials, `sessions` or `api_tokens`
   * @param version a number that each commit of another connection changes
   */
  constructor({ $client: client }: SharedDatabase, table: string, version: () => number | undefined) {
    this.#client = client
    this.#version = version
    const forget = `forget_${table}`
    client.function(forget, (hash: string | null) => {
      if (hash === null) this.#kept.clear()
      else this.#kept.delete(hash)
      return null
    })
    for (const change of ['update', 'delete']) {
      client.exec(`
        create temp trigger ${forget}_by_${change} after ${change} on main.${table} begin select ${forget}(old.token_hash); end;
        create temp trigger ${forget}_by_${change}_of_member after ${change} on main.members begin select ${forget}(null); end;
      `)
    }
  }

  /** The credential of a secret with this hash. @param look finds it in the file */
  find(hash: string, look: () => T | undefined): T | undefined {
    const version = this.#version()
    if (version !== this.#keptAt) this.#kept.clear()
    this.#keptAt = version
    const kept = this.#kept.get(hash)
    if (kept && kept.endsAt > Date.now()) return kept.found
    const found = look()
    // A write in progress may be rolled back.
    if (found && !this.#client.inTransaction) {
      const endsAt = found.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(found.expiresAt)
      this.#kept.set(hash, { found, endsAt })
    }
    return found
  }
}
