/** Reports the sessions and tokens that this connection ends, so that streams and long polls end with them. */
import type { SharedDatabase } from '../db/client.ts'

/**
 * Calls `ended` with the id of every session and API token that this connection deletes, cascades included. It is called
 * while the statement runs: the write may still be rolled back. The triggers are temporary: other connections do not have
 * them.
 */
export function watchCredentials({ $client: client }: SharedDatabase, ended: (id: string) => void): void {
  client.function('credential_ended', (id: string) => {
    ended(id)
    return null
  })
  for (const table of ['sessions', 'api_tokens']) {
    client.exec(
      `create temp trigger ended_${table} after delete on main.${table} begin select credential_ended(old.id); end`,
    )
  }
}
