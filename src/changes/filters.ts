/** Filters of changes. */
import { KIND_NAMES } from '../db/kinds.ts'
import { valuesOfList } from '../schemas/common.ts'
import { isOfProject } from './api-changes.ts'
import type { ChangeRow } from './sequence.ts'

/** A filter: changes must match all given fields. */
export interface ChangeFilter {
  projectId?: string | undefined
  itemId?: string | undefined
  /** Empty: all kinds. */
  kinds?: readonly string[] | undefined
}

/** The fields of a change that filters use. */
type Filtered = Pick<ChangeRow, 'kind' | 'projectId' | 'itemId' | 'fromProjectId'>

/** Whether a change matches the filter. */
export const passes = (change: Filtered, { projectId, itemId, kinds }: ChangeFilter): boolean =>
  (projectId === undefined || isOfProject(change, projectId)) &&
  (itemId === undefined || change.itemId === itemId) &&
  (kinds === undefined || kinds.length === 0 || kinds.includes(change.kind))

/** The kinds in one or several comma-separated lists. @returns the first unknown one, if any, as `unknown` */
export function readKinds(list: string | string[] | undefined): {
  kinds: string[]
  unknown?: string | undefined
} {
  const kinds = valuesOfList(list)
  return { kinds: kinds.toSorted(), unknown: kinds.find((kind) => !KIND_NAMES.includes(kind)) }
}
