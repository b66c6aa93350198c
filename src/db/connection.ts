/** The connection of a handle: several handles may share one, and with it its limits and its current write. */
import type SQLite from 'better-sqlite3'

const connections = new WeakMap<SQLite.Database, SQLite.Database>()

/** A handle of a connection. */
interface Handle {
  $client: SQLite.Database
}

/** Makes a client a handle of the connection of another one. */
export const shareConnection = (client: SQLite.Database, of: SQLite.Database): void => {
  connections.set(client, connections.get(of) ?? of)
}

/** The connection of a handle, as a key of what belongs to the connection. */
export const connectionOf = ({ $client }: Handle): SQLite.Database => connections.get($client) ?? $client
