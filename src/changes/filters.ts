/** Which changes somebody asks for, and which of them they may see. */
import { KIND_NAMES } from '../db/kinds.ts'
import { valuesOfList } from '../schemas/common.ts'
import type { ChangeRow } from './sequence.ts'
import { isOfProject, maySee, type Reader } from './told.ts'

/** The changes that are asked for: those that pass all that is given. */
export interface ChangeFilter {
  projectId?: string | undefined
  itemId?: string | undefined
  /** None: of all kinds. */
  kinds?: readonly string[] | undefined
}

/** What a filter looks at. */
type Filtered = Pick<ChangeRow, 'kind' | 'ownerId' | 'projectId' | 'itemId' | 'fromProjectId'>

/** Whether a change is asked for, and may be seen by who asks. */
export const passes = (
  change: Filtered,
  { projectId, itemId, kinds }: ChangeFilter,
  reader: Reader,
): boolean =>
  maySee(change, reader) &&
  (projectId === undefined || isOfProject(change, projectId)) &&
  (itemId === undefined || change.itemId === itemId) &&
  (kinds === undefined || kinds.length === 0 || kinds.includes(change.kind))

/** The kinds in a list with commas, or in several. @returns the first that is none, as `unknown`, where there is one */
export function readKinds(list: string | string[] | undefined): {
  kinds: string[]
  unknown?: string | undefined
} {
  const kinds = valuesOfList(list)
  return { kinds: kinds.toSorted(), unknown: kinds.find((kind) => !KIND_NAMES.includes(kind)) }
}
