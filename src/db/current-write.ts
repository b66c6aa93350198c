/** The write that a connection is in the midst of: who makes it, and which changes are its own. */
import type { SharedDatabase } from './client.ts'

/** A write in progress: the last change before it, and the member who makes it. */
export interface CurrentWrite {
  readonly since: number
  readonly actorId: string | null
}

/** The write that this connection is in the midst of. Call it before anything is written. */
export function currentWrite({ $client }: Pick<SharedDatabase, '$client'>): CurrentWrite {
  const since = $client.prepare<[], number | null>('select max(seq) from changes').pluck().get() ?? 0
  return { since, actorId: null }
}
