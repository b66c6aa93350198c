/** Leases of claimed items: their end, the item's origin, and the changes that end them. */
import type { ItemRow } from './item-records.ts'

/** The place an item was claimed from. */
export interface Origin {
  column: string
  sortOrder: number
}

/** The fields of a lease; without one `claimedUntil` is null and `claimedFrom` empty. */
export type Lease = Pick<ItemRow, 'claimedUntil' | 'claimedFrom'>

/** The fields of an item that its lease depends on. */
export type Held = Pick<ItemRow, 'projectId' | 'column' | 'assigneeId' | 'dismissed' | 'claimedUntil'>

export const NO_LEASE: Lease = { claimedUntil: null, claimedFrom: '' }

/** The stored place that a released item returns to. */
export const toClaimedFrom = ({ column, sortOrder }: Origin): string => JSON.stringify({ column, sortOrder })

/** The place that a released item returns to; undefined if unknown, as another tool may have written anything. */
export function originOf(claimedFrom: string): Origin | undefined {
  try {
    const { column, sortOrder } = JSON.parse(claimedFrom)
    if (typeof column !== 'string' || column === '' || typeof sortOrder !== 'number') return undefined
    return { column, sortOrder }
  } catch {
    return undefined
  }
}

/** Unassigned is stored as NULL or the empty text. */
export const isUnassigned = ({ assigneeId }: Pick<ItemRow, 'assigneeId'>): boolean =>
  assigneeId === null || assigneeId === ''

/**
 * Whether a change ends the lease of an item: it is done, reassigned, in another project, or dismissed.
 * @param isDone whether a column of a project is a done column; called only if needed
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
