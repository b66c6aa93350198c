/** Leases of claimed items: until when whoever claimed an item holds it, where it came from, and what ends that. */
import type { ItemRow } from './item-records.ts'

/** Where an item was when it was claimed. */
export interface Origin {
  column: string
  sortOrder: number
}

/** What tells of a lease: `claimedUntil` is null and `claimedFrom` empty where there is none. */
export type Lease = Pick<ItemRow, 'claimedUntil' | 'claimedFrom'>

/** An item as far as its lease depends on it. */
export type Held = Pick<ItemRow, 'projectId' | 'column' | 'assigneeId' | 'dismissed' | 'claimedUntil'>

/** No lease. */
export const NO_LEASE: Lease = { claimedUntil: null, claimedFrom: '' }

/** Where an item is to go back to, as it is stored. */
export const toClaimedFrom = ({ column, sortOrder }: Origin): string => JSON.stringify({ column, sortOrder })

/** Where an item is to go back to; undefined where that is not known, as another tool may have written anything. */
export function originOf(claimedFrom: string): Origin | undefined {
  try {
    const { column, sortOrder } = JSON.parse(claimedFrom)
    if (typeof column !== 'string' || column === '' || typeof sortOrder !== 'number') return undefined
    return { column, sortOrder }
  } catch {
    return undefined
  }
}

/** Nobody is stored as NULL or as the empty text. */
export const isUnassigned = ({ assigneeId }: Pick<ItemRow, 'assigneeId'>): boolean =>
  assigneeId === null || assigneeId === ''

/**
 * Whether a change ends the lease of an item: it is done, somebody else's, in another project, or dismissed.
 * @param isDone whether a column of a project is one of finished work; asked only where it matters
 */
export function endsLease(
  before: Held,
  after: { [Field in Exclude<keyof Held, 'claimedUntil'>]?: Held[Field] | undefined },
  isDone: (projectId: string, column: string) => boolean,
): boolean {
  if (before.claimedUntil === null) return false
  const {
    projectId = before.projectId,
    column = before.column,
    assigneeId = before.assigneeId,
    dismissed = false,
  } = after
  return (
    assigneeId !== before.assigneeId ||
    projectId !== before.projectId ||
    (dismissed && !before.dismissed) ||
    (column !== before.column && isDone(projectId, column))
  )
}
