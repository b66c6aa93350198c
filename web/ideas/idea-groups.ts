/** Groups ideas by status. */
import type { PersonalIdea } from '../../src/client/api.d.ts'
import { bySortOrder } from '../common/order.ts'

/** The user orders the `open` ideas. The other groups are below them. */
interface IdeaGroups {
  open: PersonalIdea[]
  promoted: PersonalIdea[]
  discarded: PersonalIdea[]
}

/** Groups all ideas, each group in order. An idea with a custom status is open. */
export function ideaGroups(ideas: readonly PersonalIdea[]): IdeaGroups {
  const ordered = ideas.toSorted(bySortOrder)
  const of = (status: string) => ordered.filter((idea) => idea.status === status)
  return {
    open: ordered.filter(({ status }) => status !== 'promoted' && status !== 'discarded'),
    promoted: of('promoted'),
    discarded: of('discarded'),
  }
}
