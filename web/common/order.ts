/** The sort orders of lists, the same as the service's. */

/** By `sortOrder`, then by id, which is the order of creation. */
export const bySortOrder = (
  a: { sortOrder: number; id: string },
  b: { sortOrder: number; id: string },
): number => a.sortOrder - b.sortOrder || byId(a, b)

/** By id, which is the order of creation. */
export const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const newestFirst = (a: { id: string }, b: { id: string }): number => byId(b, a)

/** A `sortOrder` between two neighbours, shown until the service responds with its own. */
export function between(before: number | undefined, after: number | undefined): number {
  if (before === undefined) return after === undefined ? 0 : after - 1
  return after === undefined ? before + 1 : (before + after) / 2
}

/** The new place of a record. */
export interface Placed {
  id: string
  sortOrder: number
}

/**
 * The records to renumber so that one gets a new place: only that one if its new neighbours leave room, else all.
 * @param list in its order
 * @param index its new place among the others; beyond the last one, at the end
 */
export function placedAt(list: readonly Placed[], id: string, index: number): Placed[] {
  const others = list.filter((record) => record.id !== id)
  const at = Math.min(index, others.length)
  const [before, after] = [others[at - 1]?.sortOrder, others[at]?.sortOrder]
  const sortOrder = between(before, after)
  const hasRoom = (before === undefined || before < sortOrder) && (after === undefined || sortOrder < after)
  if (hasRoom) return [{ id, sortOrder }]
  const ids = others.map((record) => record.id).toSpliced(at, 0, id)
  return ids.map((one, place) => ({ id: one, sortOrder: place }))
}

/**
 * The new index of a dragged record among the others.
 * @param ids all in order
 * @param edge the edge of the drop target
 */
export function droppedAt(
  ids: readonly string[],
  dragged: string,
  target: string,
  edge: 'top' | 'bottom',
): number {
  const others = ids.filter((id) => id !== dragged)
  return others.indexOf(target) + (edge === 'bottom' ? 1 : 0)
}
