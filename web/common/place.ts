/** Places of cards in a column: the target, the request, and the optimistic place. */
import type { MoveKanbanItem } from './api.ts'
import { between } from './order.ts'

/** The target of a move: beside another card, or at an end of a column. */
export interface Place {
  /** The name of the column. */
  column: string
  /** The card beside it, or the end of the column. */
  at: { before: string } | { after: string } | 'top' | 'bottom'
}

/** The ids of a column except one. */
const without = (ids: readonly string[], id: string) => ids.filter((one) => one !== id)

/** The index of the moved card among the others of a column. @param others the ids of the column in order, without that card */
function indexAt(others: readonly string[], { at }: Place): number {
  if (at === 'top') return 0
  if (at === 'bottom') return others.length
  if ('before' in at) {
    const index = others.indexOf(at.before)
    return index === -1 ? others.length : index
  }
  const index = others.indexOf(at.after)
  return index === -1 ? others.length : index + 1
}

/**
 * The place at an index among the shown cards: below the card above it, so that hidden cards after that card keep their place.
 * @param shown the shown ids of the column in order, without the moved card
 */
export function placeAt(column: string, shown: readonly string[], index: number): Place {
  const next = shown[index]
  if (next !== undefined) return { column, at: { before: next } }
  const previous = shown[shown.length - 1]
  return { column, at: previous === undefined ? 'bottom' : { after: previous } }
}

/** Whether a card already is at a place. @param ids the ids of the place's column in order */
export function isThere(ids: readonly string[], id: string, place: Place): boolean {
  const index = ids.indexOf(id)
  return index !== -1 && indexAt(without(ids, id), place) === index
}

/**
 * The `sortOrder` to show until the service responds with its own.
 * @param ids the column in order
 * @param orderOf the `sortOrder` of a card
 */
export function sortOrderAt(
  ids: readonly string[],
  id: string,
  place: Place,
  orderOf: (id: string) => number | undefined,
): number {
  const others = without(ids, id)
  const index = indexAt(others, place)
  const [before, after] = [others[index - 1], others[index]]
  const order = (one: string | undefined) => (one === undefined ? undefined : orderOf(one))
  return between(order(before), order(after))
}

/** The number of neighbours to try before the card goes to the nearer end. */
const TRIED = 6

/** The requests to try in order, in case a neighbour no longer exists: neighbours by distance, then an end of the column. */
export function requestsFor(ids: readonly string[], id: string, place: Place): MoveKanbanItem[] {
  const { column, at } = place
  if (at === 'top' || at === 'bottom') return [{ column, position: at }]
  const others = without(ids, id)
  const index = indexAt(others, place)
  const requests: MoveKanbanItem[] = []
  for (let distance = 0; requests.length < TRIED && distance < others.length; distance++) {
    const next = others[index + distance]
    const previous = others[index - 1 - distance]
    if (next !== undefined) requests.push({ column, beforeId: next })
    if (previous !== undefined) requests.push({ column, afterId: previous })
  }
  if ('after' in at) requests.sort((a, b) => Number(b.afterId === at.after) - Number(a.afterId === at.after))
  return [...requests, { column, position: index * 2 > others.length ? 'bottom' : 'top' }]
}
