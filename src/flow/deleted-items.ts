/** Deleted items of a board, from the sequence, as long as their changes are stored. */
import { assigneeIdsOf } from '../board/assignees.ts'
import { type ItemFilter, ME, NONE } from '../board/item-lists.ts'
import type { SharedDatabase } from '../db/client.ts'
import { readIds } from '../db/json-text.ts'
import { once } from '../once.ts'
import { valuesOfAny } from '../schemas/common.ts'
import { timeOf } from './days.ts'
import { type ChangeRow, changesIn, type GoneRow, type Place } from './item-changes.ts'
import { factsOf, type Moved, type Recorded } from './item-history.ts'
import { byTime, movedOf, wayOf } from './moves.ts'

/** The filter, as for lists of items. */
export type FlowFilter = Pick<ItemFilter, 'label' | 'assigneeId' | 'priority'>

/** A label of a project. */
interface Label {
  id: string
  name: string
}

/** The fields of a deleted item that filters use. */
interface DeletedItem {
  assigneeIds: readonly string[]
  priority: string
  /** The ids of its labels at the deletion. */
  labels: readonly string[]
}

/** Whether a deleted item matches a filter. @param labels of the project */
function passes(
  item: DeletedItem,
  { label, assigneeId, priority }: FlowFilter,
  labels: readonly Label[],
  memberId: string,
): boolean {
  const assignees = valuesOfAny(assigneeId).map((id) => (id === ME ? memberId : id === NONE ? '' : id))
  const priorities = valuesOfAny(priority)
  const wanted = new Set(valuesOfAny(label))
  const hasLabel =
    wanted.size === 0 ||
    (wanted.has(NONE) && item.labels.length === 0) ||
    item.labels.some(
      (id) => wanted.has(id) || labels.some((known) => known.id === id && wanted.has(known.name)),
    )
  return (
    hasLabel &&
    (assignees.length === 0 ||
      (item.assigneeIds.length === 0 ? [''] : item.assigneeIds).some((id) => assignees.includes(id))) &&
    (priorities.length === 0 || priorities.includes(item.priority))
  )
}

/** The moves in the activity deleted with an item, in order of time. It may have been deleted several times: each entry counts once. */
function movesAmong(gone: readonly GoneRow[]): Moved[] {
  const entries = new Map(
    gone.filter(({ kind }) => kind === 'kanban-activity').map(({ id, before }) => [id, JSON.parse(before)]),
  )
  return [...entries.values()]
    .flatMap(({ type, metadata, createdAt }) =>
      type === 'status_change' ? (movedOf(timeOf(createdAt), wayOf(metadata)) ?? []) : [],
    )
    .sort(byTime)
}

/** The ids of the labels that an item had when it was deleted. */
function labelsAmong(gone: readonly GoneRow[], { group, at }: ChangeRow): string[] {
  const isWith = (one: GoneRow) => (group === null ? one.at === at : one.group === group)
  return gone
    .filter((one) => one.kind === 'kanban-item-label' && isWith(one))
    .map(({ before }) => JSON.parse(before).labelId)
}

/** Prepares reading the records of deleted items. */
export function deletedItemsIn(db: SharedDatabase) {
  const changes = changesIn(db)
  const labelsOf = once(() =>
    db.$client.prepare<[string], Label>('select id, name from kanban_labels where project_id = +?'),
  )
  /** @param deletions the last one of each item */
  return (
    deletions: readonly ChangeRow[],
    { place, filter, memberId }: { place: Place; filter: FlowFilter; memberId: string },
  ): Omit<Recorded, 'changes'>[] => {
    if (deletions.length === 0) return []
    const ids = JSON.stringify(deletions.map(({ id }) => id))
    const goneOf = Map.groupBy(changes.gone({ ...place, ids }), ({ itemId }) => itemId)
    const labels = labelsOf().all(place.project)
    return deletions.flatMap((deletion) => {
      const record = JSON.parse(deletion.before as string)
      const gone = goneOf.get(deletion.id) ?? []
      const assigneeIds = assigneeIdsOf({ ...record, assigneeIds: readIds(String(record.assigneeIds ?? '')) })
      const item = { ...record, assigneeIds, labels: labelsAmong(gone, deletion) }
      if (!passes(item, filter, labels, memberId)) return []
      const facts = factsOf(String(deletion.id), { ...record, isImported: record.source === 'import' }, true)
      return { item: facts, entries: movesAmong(gone) }
    })
  }
}
