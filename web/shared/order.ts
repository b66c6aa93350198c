/** The orders of lists, as the service has them. */

/** By `sortOrder`, then by id: the order of creation. */
export const bySortOrder = (
  a: { sortOrder: number; id: string },
  b: { sortOrder: number; id: string },
): number => a.sortOrder - b.sortOrder || byId(a, b)

/** By id: the order of creation. */
export const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Newest first. */
export const newestFirst = (a: { id: string }, b: { id: string }): number => byId(b, a)

/** A `sortOrder` between two neighbours, for what is shown until the service has answered with its own. */
export function between(before: number | undefined, after: number | undefined): number {
  if (before === undefined) return after === undefined ? 0 : after - 1
  return after === undefined ? before + 1 : (before + after) / 2
}
