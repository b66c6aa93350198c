/**
 * What may be too much for the event loop, by name, so that the worker thread can do it instead: the same rules, on a
 * connection of its own. Each is whole, its answer included; long answers are bytes, which cost nothing to hand over.
 */

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { prepareActivityLog } from '../board/activity.ts'
import {
  type Destination,
  type KanbanItemInput,
  prepareKanbanItemChanges,
  type Written,
} from '../board/item-changes.ts'
import { type ItemFilter, type ItemPage, prepareKanbanItemLists } from '../board/item-lists.ts'
import { prepareKanbanItems } from '../board/items.ts'
import { type KanbanColumnInput, prepareKanbanColumns } from '../board/kanban-columns.ts'
import { type KanbanLabelInput, prepareKanbanLabels } from '../board/labels.ts'
import type { SharedDatabase } from '../db/client.ts'
import { type ChildTable, prepareChildList } from '../db/old-children.ts'
import type { Place } from '../db/ordering.ts'
import type { PageQuery } from '../db/pages.ts'
import { kanbanColumns, kanbanLabels } from '../db/schema.ts'
import { prepareTeams } from '../members/teams.ts'
import { ref } from '../schemas/common.ts'
import {
  type CurrentMember,
  KanbanActivitySchema,
  KanbanColumnSchema,
  type KanbanItem,
  KanbanItemSchema,
  KanbanLabelSchema,
  TeamSchema,
} from '../schemas/records.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'

/** The items of a list as they are sent, and the cursor of the next page where there is one. */
export interface SentItems {
  body: JsonBytes
  next: string | undefined
}

/** Records of which all that belong to one project or item can be listed. */
export type ListedThing = 'Kanban column' | 'Kanban label'

/** Prepares what only reads. Each runs in a transaction. */
export function prepareReads(db: SharedDatabase) {
  const lists = prepareKanbanItemLists(db)
  const writeItems = createJsonWriter(Type.Array(ref(KanbanItemSchema)))
  const activityOf = prepareActivityLog(db)
  const teams = prepareTeams(db)
  const writeActivity = createJsonWriter(Type.Array(ref(KanbanActivitySchema)))
  const writeTeams = createJsonWriter(Type.Array(ref(TeamSchema)))

  function childList<Row extends TSchema>(table: ChildTable, record: Row): (parentId: string) => JsonBytes {
    const list = prepareChildList(db, table)
    const toBytes = createJsonWriter(Type.Array(ref(record)))
    return (parentId) => toBytes(list(parentId) as Static<Row>[])
  }
  const childLists: Record<ListedThing, (parentId: string) => JsonBytes> = {
    'Kanban column': childList(kanbanColumns, KanbanColumnSchema),
    'Kanban label': childList(kanbanLabels, KanbanLabelSchema),
  }

  const sent = ({ items, next }: ItemPage): SentItems => ({ body: writeItems(items), next })

  return {
    /** @throws ApiError 404 when there is no such project */
    itemsOfProject: (projectId: string, filter: Omit<ItemFilter, 'projectId'> & PageQuery) =>
      sent(lists.ofProject(projectId, filter)),

    itemsOfAll: (filter: ItemFilter & PageQuery) => sent(lists.ofAll(filter)),

    /** The records of one kind that belong to a project or an item. @throws ApiError 404 when there is no such parent */
    listChildren: (thing: ListedThing, parentId: string): JsonBytes => childLists[thing](parentId),

    /** @throws ApiError 404 when there is no such item */
    activityOf: (itemId: string) => writeActivity(activityOf(itemId)),

    teams: () => writeTeams(teams.list()),
  }
}

/** Records that clients put in another order. */
export type ReorderedThing = 'kanbanColumns'

/** Prepares what changes something. Each runs in a write. */
export function prepareWrites(db: SharedDatabase) {
  const items = prepareKanbanItems(db)
  const itemChanges = prepareKanbanItemChanges(db)
  const columns = prepareKanbanColumns(db)
  const labels = prepareKanbanLabels(db)
  const writeItems = createJsonWriter(Type.Array(ref(KanbanItemSchema)))

  const withWarnings = (item: KanbanItem, { warnings }: Written) =>
    warnings.length > 0 ? { ...item, warnings } : item
  const answer = (written: Written) => withWarnings(items.get(written.id), written)
  function answerAll(written: Written[]): JsonBytes {
    const all = items.getMany(written.map(({ id }) => id))
    return writeItems(all.map((item, index) => withWarnings(item, written[index] as Written)))
  }

  const ordered = { kanbanColumns: columns }

  return {
    createItem: (projectId: string, input: KanbanItemInput & { title: string }) =>
      answer(itemChanges.create(projectId, input)),
    updateItem: (id: string, input: KanbanItemInput, actorId: string) =>
      answer(itemChanges.update(id, input, actorId)),
    moveItem: (id: string, destination: Destination, actorId: string) =>
      answer(itemChanges.move(id, destination, actorId)),
    updateItems: (ids: string[], input: KanbanItemInput, actorId: string) =>
      answerAll(itemChanges.updateMany(ids, input, actorId)),
    reorderItems: (projectId: string, wanted: (Place & { column: string })[], actorId: string) =>
      answerAll(itemChanges.reorder(projectId, wanted, actorId)),
    deleteItem: (id: string) => itemChanges.delete(id),

    updateColumn(id: string, input: KanbanColumnInput) {
      columns.update(id, input)
      return columns.get(id)
    },
    deleteColumn: (id: string, member: CurrentMember, moveTo: string | undefined) =>
      columns.delete(id, member, moveTo),

    updateLabel(id: string, input: KanbanLabelInput) {
      labels.update(id, input)
      return labels.get(id)
    },
    deleteLabel: (id: string) => labels.delete(id),

    /** @returns what the answer has of each, in the order of the request */
    reorder(things: ReorderedThing, places: Place[], parentId: string, _member: CurrentMember): object[] {
      const { reorder, get } = ordered[things]
      reorder(places, parentId)
      return places.map(({ id }) => get(id))
    },
  }
}

type Reads = ReturnType<typeof prepareReads>
type Writes = ReturnType<typeof prepareWrites>

/** The operations, by name. */
export type Operations = Reads & Writes

/** Performs an operation, in whichever thread. */
export type Perform = <Name extends keyof Operations>(
  name: Name,
  ...args: Parameters<Operations[Name]>
) => Promise<ReturnType<Operations[Name]>>
