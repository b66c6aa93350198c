/** The leases that were there before a write: an undo of it keeps them. */
import { type Fields, storedFields } from './api-changes.ts'
import { type Effect, isSame } from './net-effect.ts'
import type { ChangeRow, Sequence } from './sequence.ts'
import type { Subjects } from './subjects.ts'

/** Newer changes of an item that are examined, at most. */
const EXAMINED = 500

/** Compares the current leases with former ones. All reads. */
export class FormerLeases {
  readonly #sequence: Sequence
  readonly #subjects: Subjects

  constructor(sequence: Sequence, subjects: Subjects) {
    this.#sequence = sequence
    this.#subjects = subjects
  }

  /**
   * Whether an item was held before a write by the member who holds it now. Its lease may have been renewed since.
   * @param effect of the write on the item, without its lease
   * @param current the item
   * @param last the last change of the write
   * @returns false if the item has changed too often since to tell
   * @throws TooMuchWork if too many changes are unindexed
   */
  wasHeld({ id, before }: Effect, current: Fields, last: number): boolean {
    if (before !== null && 'assigneeId' in before) return false
    const since = this.#changesSince(id, last)
    if (since === undefined) return false
    // The oldest change of a field has the value that the write left.
    const former = (field: string) => since.find((fields) => field in fields) ?? current
    return (
      (former('claimedUntil').claimedUntil ?? null) !== null &&
      isSame(former('assigneeId').assigneeId, current.assigneeId)
    )
  }

  /** The former values in an item's changes after one, oldest first; undefined if there are too many. */
  #changesSince(item: string, last: number): Fields[] | undefined {
    const newest = this.#subjects.list(item, Number.POSITIVE_INFINITY, EXAMINED)
    const seqs = newest.filter((seq) => seq > last)
    if (seqs.length === EXAMINED) return undefined
    const isOfItem = ({ kind, id }: ChangeRow) => kind === 'kanban-item' && id === item
    return this.#sequence
      .several(seqs)
      .filter(isOfItem)
      .map(({ before }) => (before === null ? {} : (storedFields(before) ?? {})))
  }
}
