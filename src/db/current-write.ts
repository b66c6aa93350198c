/** The current write of a connection: its actor and its changes. */
import type { SharedDatabase } from './client.ts'
import { connectionOf } from './connection.ts'

/**
 * The stored actor of a command's changes; no member has this id. The API shows no
 * member there (see `src/changes/api-changes.ts`).
 */
export const BY_COMMAND = ':command-line'

/** A write in progress. */
export interface CurrentWrite {
  /** The last change before it: later ones are its own, and the first of them is its group. */
  readonly since: number
  /** The acting member; {@link BY_COMMAND} for a command, null for the service itself. */
  readonly actorId: string | null
}

/** The result of a write, and its last change; undefined if it made none. */
export interface Written<T> {
  value: T
  seq: number | undefined
}

/** Attributes a connection's changes once per write, so that no rule has to. */
export interface Attribution {
  /** Begins a write. Called with the write lock held: no other process appends from now on. */
  begin: () => void
  /** Attributes the changes so far: for a write that reads its own. */
  attribute: () => void
  /**
   * Runs a write; errors pass through, and the caller rolls back.
   * @throws TypeError if `work` returns a promise, which would settle after the transaction
   */
  run: <T>(actorId: string | null, work: () => T) => Written<T>
}

/** Whether a value is a thenable: a promise, or one of Drizzle's queries, which run when they are awaited. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** @throws TypeError for a promise as the result of work */
function ensureSynchronous(value: unknown): void {
  if (!isThenable(value)) return
  // No unhandled rejection; but a query must not be awaited, which would run it.
  if (value instanceof Promise) value.catch(() => undefined)
  throw new TypeError('work inside a write must be synchronous')
}

const current = new WeakMap<object, CurrentWrite>()
const attributions = new WeakMap<object, Attribution>()

/** The current write of this connection: only inside one. */
export function currentWrite(db: Pick<SharedDatabase, '$client'>): CurrentWrite {
  const write = writeInProgress(db)
  if (write === undefined) throw new Error('not inside a write')
  return write
}

/** The write in progress on this connection, if any. */
export const writeInProgress = (db: Pick<SharedDatabase, '$client'>): CurrentWrite | undefined =>
  current.get(connectionOf(db))

/** The attribution of a connection, created once. */
export function attributionOf(db: Pick<SharedDatabase, '$client'>): Attribution {
  const client = connectionOf(db)
  const known = attributions.get(client)
  if (known) return known
  const newest = client.prepare<[], number | null>('select max(seq) from changes').pluck()
  // There is only one writer: all changes after `since` are this write's.
  const attribute = client.prepare<[string | null, number, number]>(
    'update changes set actor_id = ?, "group" = ? where seq > ?',
  )
  let last = 0
  const attributeTo = ({ since, actorId }: CurrentWrite) => attribute.run(actorId, since + 1, since).changes
  const attribution: Attribution = {
    begin: () => {
      last = newest.get() ?? 0
    },
    attribute: () => {
      attributeTo(currentWrite({ $client: client }))
    },
    run: (actorId, work) => {
      const write = { since: last, actorId }
      current.set(client, write)
      try {
        const value = work()
        ensureSynchronous(value)
        const made = attributeTo(write)
        last += made
        return { value, seq: made > 0 ? last : undefined }
      } finally {
        current.delete(client)
      }
    },
  }
  attributions.set(client, attribution)
  return attribution
}
