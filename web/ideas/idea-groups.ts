/** The ideas by what has become of them. */
import type { PersonalIdea } from '../../src/client/api.d.ts'
import { bySortOrder } from '../common/order.ts'

/** `open` ideas are put in order; the others are kept below. */
export interface IdeaGroups {
  open: PersonalIdea[]
  promoted: PersonalIdea[]
  discarded: PersonalIdea[]
}

/** All ideas in their order, by group; an idea of a status of the user's own is open. */
export function ideaGroups(ideas: readonly PersonalIdea[]): IdeaGroups {
  const ordered = ideas.toSorted(bySortOrder)
  const of = (status: string) => ordered.filter((idea) => idea.status === status)
  return {
    open: ordered.filter(({ status }) => status !== 'promoted' && status !== 'discarded'),
    promoted: of('promoted'),
    discarded: of('discarded'),
  }
}

/**
 * Where a dragged record goes, as its place among the others.
 * @param ids all in their order
 * @param edge the edge of the target that it was dropped at
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
