/**
 * The assignees of items. `assigneeId` is the first of them; the stored `assigneeIds` has all in order if there are several, and is empty
 * otherwise: for one assignee at most, who reads and writes `assigneeId` alone is right (docs/decisions/100-people-on-cards.md).
 */
import { readIds } from '../db/json-text.ts'
import type { ItemRow } from './item-records.ts'

/** Most assignees of an item. */
export const ASSIGNEES_LIMIT = 20

/** The stored fields. */
export type Assigned = Pick<ItemRow, 'assigneeId' | 'assigneeIds'>

/** Those of a change. */
type Assigning = { [Field in keyof Assigned]?: Assigned[Field] | undefined }

/** All assignees, in order. Another tool may have stored a list that does not begin with the first one. */
export function assigneeIdsOf({ assigneeId, assigneeIds }: Assigned): string[] {
  if (assigneeId === null || assigneeId === '') return []
  if (assigneeIds[0] === assigneeId) return assigneeIds
  return [assigneeId, ...assigneeIds.filter((id) => id !== assigneeId)]
}

/** A row with all its assignees, as records show them. */
export const withAssignees = <Row extends Assigned>(row: Row): Row => ({
  ...row,
  assigneeIds: assigneeIdsOf(row),
})

/** The stored list of these assignees. */
function toStored(ids: readonly string[]): string[] {
  const distinct = [...new Set(ids.map((id) => id.toWellFormed()))]
  return distinct.length > 1 ? distinct : []
}

/** The violation of `assigneeId` in a body with both fields, or undefined. */
export function problemOfAssignees({ assigneeId, assigneeIds }: Assigning): string | undefined {
  if (assigneeId === undefined || assigneeIds === undefined) return undefined
  return (assigneeId || undefined) === assigneeIds[0]
    ? undefined
    : 'must be the first of assigneeIds, or null without any'
}

/**
 * A change with the fields that it stores: an `assigneeId` alone takes the place of the first one, and null that of all. The list is
 * only written if it differs: most items have none.
 * @param before the stored ones; undefined for a new item
 */
export function withStoredAssignees<Change extends Assigning>(
  before: Assigned | undefined,
  change: Change,
): Change {
  const { assigneeId, assigneeIds, ...others } = change
  if (assigneeId === undefined && assigneeIds === undefined) return change
  const [, ...further] = before ? assigneeIdsOf(before) : []
  const all = assigneeIds ?? (assigneeId ? [assigneeId, ...further] : [])
  const stored = toStored(all)
  const former = before?.assigneeIds ?? []
  const isSame = stored.length === former.length && stored.every((id, at) => id === former[at])
  const first = assigneeIds ? (assigneeIds[0] ?? null) : assigneeId
  return { ...others, assigneeId: first, ...(!isSame && { assigneeIds: stored }) } as Change
}

/** A stored list with another first one, as stored text. Both may be anything that another tool has stored. */
export function textWithFirst(assigneeId: unknown, list: unknown): string {
  const [, ...others] = readIds(String(list ?? ''))
  return JSON.stringify(typeof assigneeId === 'string' && assigneeId ? toStored([assigneeId, ...others]) : [])
}
