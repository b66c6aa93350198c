/** What is recorded of the items of a board: themselves, their activity, and their changes in the sequence. */
import { type SQL, sql } from 'drizzle-orm'
import { conditionsIn, type ItemFilter, ME, NONE, valuesOf } from '../board/item-lists.ts'
import { withStages } from '../board/stages.ts'
import type { SharedDatabase } from '../db/client.ts'
import { isJsonObject } from '../db/json-text.ts'
import { STAGED } from '../db/large-writes.ts'
import { inOrder } from '../db/ordering.ts'
import { kanbanColumns, kanbanItems } from '../db/schema.ts'
import { amongIds, byFields, given, selectAll } from '../db/statements.ts'
import { asText } from '../json.ts'
import { once } from '../once.ts'
import { valuesOfAny } from '../schemas/common.ts'
import { timeOf } from './days.ts'
import type { ItemChange, ItemFacts, Moved, Recorded } from './item-history.ts'
import type { BoardColumn } from './measures.ts'
import { byTime, Moves, movedOf, wayOf } from './moves.ts'
import { type Rename, Renames } from './renames.ts'

interface ItemRow {
  id: string
  title: string
  column: string
  createdAt: string
  updatedAt: string
  dismissed: boolean
  isImported: number | boolean
  row: number
}

/**
 * Moves of the items that pass a condition, as SQL: in one text, which is read in a fraction of the time that so many rows take.
 * Each is the item's row, the time, and the entry's metadata. Entries are read in the order in which they lie in the file.
 */
const entriesOf = (condition: string): string =>
  `select group_concat(found."row" || char(31) || entry.created_at || char(31) || entry.metadata, char(30))
  from (
    select "its".rowid as "row", entry.rowid as "place" from kanban_items as "its"
    cross join kanban_activity as entry on entry.item_id = "its".id
    where ${condition} order by "place"
  ) as found
  cross join kanban_activity as entry on entry.rowid = found."place"
  where entry.type = 'status_change'`

/** A change of an item, as far as it matters; the JSON arrays name what is picked. */
interface ChangeRow {
  seq: number
  /** Null for another tool's. */
  group: number | null
  at: string
  kind: 'kanban-item' | 'kanban-column'
  id: string
  action: ItemChange['action']
  crossing: 'in' | 'out' | null
  /** Of an update: column, dismissed, updatedAt, name. Of a deletion: the whole record. */
  before: string | null
  /** The same of an update. */
  after: string | null
}

interface MadeRow {
  seq: number
  at: string
  id: string
  made: string
}

/**
 * Changes that pass a condition, as SQL: up to `:indexed` those that the index of subjects has, then those of the same rows,
 * and those that are not in the table yet.
 */
const changesOf =
  (subjects: string, tail: string) =>
  (columns: string, condition: string): string =>
    `
  select ${columns} from (
    select distinct seq from change_subjects where subject ${subjects} and seq between 1 and +:indexed)
  cross join changes using (seq) where ${condition}
  union all
  select ${columns} from changes where seq > +:indexed and (${tail}) and ${condition}
  union all
  select ${columns} from ${STAGED} where (${tail}) and ${condition}
  order by seq`

/** Of the project `:project`. */
const changesOfProject = changesOf('= +:project', 'project_id = +:project or from_project_id = +:project')

const IDS = '(select value from json_each(+:ids))'

/** Of the items `:ids`, on whatever board. */
const changesOfItems = changesOf(`in ${IDS}`, `item_id in ${IDS}`)

/** That a change tells what a record was and became, as its action has it: another tool may have stored anything there. */
const IS_TOLD = `case action when 'created' then ${isJsonObject('after')} when 'deleted' then ${isJsonObject('before')}
    when 'updated' then ${isJsonObject('before')} and ${isJsonObject('after')} else 0 end`

/**
 * What happened to items, and the renames of columns. Of moves, only those of other tools, which have no group: the service's
 * own are in the activity of items, or come from a rename.
 */
const COLUMNS = `seq, "group", at, kind, id, action,
    case when action = 'updated' and from_project_id is not null then
      case +:project when project_id then 'in' when from_project_id then 'out' end end as crossing,
    case action when 'updated' then json_extract(before, '$.column', '$.dismissed', '$.updatedAt', '$.name') else before end as before,
    case action when 'updated' then json_extract(after, '$.column', '$.dismissed', '$.updatedAt', '$.name') end as after`

const OF_ITEM = `kind = 'kanban-item' and (action = 'deleted' or (action = 'updated'
      and (from_project_id is not null or instr(after, '"dismissed":') > 0
        or ("group" is null and instr(after, '"column":') > 0))))`

const OF_COLUMN = `kind = 'kanban-column' and (action = 'deleted' or action = 'updated' and instr(after, '"name":') > 0)`

const CHANGES = changesOfProject(COLUMNS, `(${OF_ITEM} or ${OF_COLUMN}) and ${IS_TOLD}`)

/** The same of items that have been on other boards, too. */
const CHANGES_OF_ITEMS = changesOfItems(COLUMNS, `${OF_ITEM} and ${IS_TOLD}`)

const MADE = changesOfItems(
  `seq, at, id, json_extract(after, '$.dismissed', '$.updatedAt') as made`,
  `kind = 'kanban-item' and action = 'created' and ${IS_TOLD}`,
)

/** What went with deleted items: their moves, and their labels as of then. */
const GONE = changesOfItems(
  `seq, "group", at, kind, id, item_id as itemId, before`,
  `kind in ('kanban-activity', 'kanban-item-label') and action = 'deleted' and ${IS_TOLD}`,
)

interface GoneRow {
  seq: number
  group: number | null
  at: string
  kind: string
  id: string
  itemId: string
  before: string
}

function statementsOf(db: SharedDatabase) {
  const { $client: client } = db
  const conditions = conditionsIn(db)
  const items = (where: (names: string[]) => SQL | undefined) =>
    byFields((names) =>
      selectAll<ItemRow>(db, () => {
        const row = sql<number>`"kanban_items"."rowid"`
        const isImported = sql<number>`${kanbanItems.source} = 'import'`
        const { id, title, column, createdAt, updatedAt, dismissed } = kanbanItems
        const fields = { id, title, column, createdAt, updatedAt, dismissed, isImported, row }
        return db.select(fields).from(kanbanItems).where(where(names)) as never
      }),
    )
  return {
    columns: selectAll<{ name: string; stage: string | null }>(db, () =>
      db
        .select({ name: kanbanColumns.name, stage: kanbanColumns.stage })
        .from(kanbanColumns)
        .where(sql`${kanbanColumns.projectId} = ${given('projectId')}`)
        .orderBy(...inOrder(kanbanColumns)),
    ),
    ofProject: items((names) => conditions(names)),
    elsewhere: items(
      (names) =>
        sql`${amongIds(kanbanItems.id)} and ${conditions(names.filter((name) => name !== 'ids' && name !== 'projectId'))}`,
    ),
    existing: selectAll<{ id: string }>(db, () =>
      db.select({ id: kanbanItems.id }).from(kanbanItems).where(amongIds(kanbanItems.id)),
    ),
    entries: once(() => client.prepare<[string], string | null>(entriesOf('"its".project_id = +?')).pluck()),
    entriesElsewhere: once(() =>
      client
        .prepare<[string], string | null>(entriesOf('"its".id in (select value from json_each(+?))'))
        .pluck(),
    ),
    labels: once(() =>
      client.prepare<[string], { id: string; name: string }>(
        'select id, name from kanban_labels where project_id = +?',
      ),
    ),
    changes: once(() => client.prepare<[object], ChangeRow>(CHANGES)),
    changesOfItems: once(() => client.prepare<[object], ChangeRow>(CHANGES_OF_ITEMS)),
    made: once(() => client.prepare<[object], MadeRow>(MADE)),
    gone: once(() => client.prepare<[object], GoneRow>(GONE)),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** The moves in deleted entries of activity, as the sequence keeps them. */
const movesOfGone = (entries: Iterable<Record<string, unknown>>): Moved[] =>
  [...entries]
    .flatMap(({ type, metadata, createdAt }) =>
      type === 'status_change' ? (movedOf(timeOf(createdAt), wayOf(metadata)) ?? []) : [],
    )
    .sort(byTime)

/** The facts of an item; where another tool wrote no time of creation, that of the last change. */
function factsOf(row: Omit<ItemRow, 'row'>, isHere: boolean): ItemFacts {
  const { id, title, column } = row
  const updatedAt = timeOf(row.updatedAt) || 0
  const createdAt = timeOf(row.createdAt) || updatedAt
  return {
    id,
    title: asText(title ?? ''),
    column: asText(column ?? ''),
    createdAt,
    updatedAt,
    dismissed: Boolean(row.dismissed),
    isImported: Boolean(row.isImported),
    isHere,
  }
}

function changeOf({ seq, group, at, action, crossing, before, after }: ChangeRow): ItemChange {
  const change: ItemChange = { seq, at: timeOf(at), action, crossing: crossing ?? undefined }
  if (action !== 'updated') return change
  const [column, dismissed, updatedAt] = JSON.parse(before as string)
  const [newColumn, newDismissed] = JSON.parse(after as string)
  if (isText(column) && isText(newColumn)) {
    change.column = { from: column, to: newColumn, isOfOther: group === null }
  }
  if (dismissed !== null && newDismissed !== null) {
    change.dismissal = { to: Boolean(newDismissed), lastChanged: timeOf(updatedAt ?? at) }
  }
  return change
}

const creationOf = ({ seq, at, made }: MadeRow): ItemChange => {
  const [dismissed, updatedAt] = JSON.parse(made)
  return {
    seq,
    at: timeOf(at),
    action: 'created',
    made: { dismissed: Boolean(dismissed), updatedAt: timeOf(updatedAt) },
  }
}

/** The rename, or the end of a name by the deletion of its column. */
function renameOf({ at, action, before, after }: ChangeRow): Rename[] {
  if (action === 'deleted') {
    const { name } = JSON.parse(before as string)
    return isText(name) ? [{ at: timeOf(at), from: name, to: undefined }] : []
  }
  const [from, to] = [before, after].map((fields) => JSON.parse(fields as string)[3])
  return isText(from) && isText(to) ? [{ at: timeOf(at), from, to }] : []
}

/** Which items count, as lists of items have it. */
export type FlowFilter = Pick<ItemFilter, 'label' | 'assigneeId' | 'priority'>

/** A deleted item as far as a filter asks. */
interface DeletedItem {
  assigneeId: string | null
  priority: string
  /** The ids of the labels that went with it. */
  labels: readonly string[]
}

/** Whether a deleted item passes a filter. @param labels the ids and names of the project's labels */
function passes(
  item: DeletedItem,
  { label, assigneeId, priority }: FlowFilter,
  labels: readonly { id: string; name: string }[],
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
    (assignees.length === 0 || assignees.includes(item.assigneeId ?? '')) &&
    (priorities.length === 0 || priorities.includes(item.priority))
  )
}

/** All that is recorded of a board. */
export interface BoardRecords {
  /** In the order of the board. */
  columns: BoardColumn[]
  renames: Renames
  items: Iterable<Recorded>
}

/** The ids of the changed items but those of the rows. */
function idsBut(changes: ReadonlyMap<string, unknown>, rows: readonly ItemRow[]): string[] {
  if (changes.size === 0) return []
  const known = new Set(rows.map(({ id }) => id))
  return [...changes.keys()].filter((id) => !known.has(id))
}

/** The changes of an item. Of most boards no item has any: there is nothing to look up then. */
const changesIn = (told: ReadonlyMap<string, ItemChange[]>, id: string): ItemChange[] =>
  (told.size > 0 && told.get(id)) || []

/** What is recorded of items, one after the other: read when it is asked for, as it is much that need not be kept. */
function* recordedOf(
  existing: readonly { rows: readonly ItemRow[]; moves: Moves; isHere: boolean }[],
  deleted: readonly Omit<Recorded, 'changes'>[],
  told: ReadonlyMap<string, ItemChange[]>,
): Generator<Recorded> {
  for (const { rows, moves, isHere } of existing) {
    for (const row of rows) {
      yield { item: factsOf(row, isHere), entries: moves.of(row.row), changes: changesIn(told, row.id) }
    }
  }
  for (const one of deleted) yield { ...one, changes: changesIn(told, one.item.id) }
}

/** Reads what is recorded of the items of boards. */
export class FlowRecords {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /**
   * What is recorded of a board, of items that are on it, have left it, or were deleted from it.
   * @param indexed the change up to which the index of subjects is written
   * @param memberId who asks
   */
  of(project: string, filter: FlowFilter, indexed: number, memberId: string): BoardRecords {
    const place = { project, indexed }
    const all = Map.groupBy(this.#sql.changes().all(place), ({ kind }) => kind)
    const changes = this.#changesOf(all.get('kanban-item') ?? [], place)
    const values = valuesOf({ ...filter, projectId: project, dismissed: 'all' }, { memberId })
    const here = this.#sql.ofProject(values)(values)
    const others = idsBut(changes, here)
    const ids = { ids: JSON.stringify(others) }
    const elsewhere =
      others.length === 0 ? [] : this.#sql.elsewhere({ ...values, ...ids })({ ...values, ...ids })
    const existing = new Set(others.length === 0 ? [] : this.#sql.existing(ids).map(({ id }) => id))
    const deleted = this.#deleted(
      others.filter((id) => !existing.has(id)),
      changes,
      { place, filter, memberId },
    )
    const told = this.#told([...here, ...elsewhere, ...deleted.map(({ item }) => item)], changes, place)
    const entries = this.#sql.entries().get(project)
    const entriesElsewhere =
      elsewhere.length > 0 && this.#sql.entriesElsewhere().get(JSON.stringify(elsewhere.map(({ id }) => id)))
    return {
      columns: withStages(this.#sql.columns({ projectId: project })),
      renames: new Renames(all.get('kanban-column')?.flatMap(renameOf) ?? []),
      items: recordedOf(
        [
          { rows: here, moves: new Moves(entries || ''), isHere: true },
          { rows: elsewhere, moves: new Moves(entriesElsewhere || ''), isHere: false },
        ],
        deleted,
        told,
      ),
    }
  }

  /** The changes of each item; those on other boards, too, where it has been there. */
  #changesOf(rows: readonly ChangeRow[], place: object): Map<string, ChangeRow[]> {
    const changes = Map.groupBy(rows, ({ id }) => id)
    const travelled = [...new Set(rows.filter(({ crossing }) => crossing).map(({ id }) => id))]
    if (travelled.length === 0) return changes
    const all = this.#sql.changesOfItems().all({ ...place, ids: JSON.stringify(travelled) })
    for (const [id, ofItem] of Map.groupBy(all, (row) => row.id)) changes.set(id, ofItem)
    return changes
  }

  /** What is recorded of deleted items, as long as their changes are kept. */
  #deleted(
    ids: readonly string[],
    changes: ReadonlyMap<string, ChangeRow[]>,
    {
      place,
      filter,
      memberId,
    }: { place: { project: string; indexed: number }; filter: FlowFilter; memberId: string },
  ): Omit<Recorded, 'changes'>[] {
    const deletions = ids.flatMap(
      (id) => changes.get(id)?.findLast(({ action }) => action === 'deleted') ?? [],
    )
    if (deletions.length === 0) return []
    const gone = this.#sql.gone().all({ ...place, ids: JSON.stringify(deletions.map(({ id }) => id)) })
    const goneOf = Map.groupBy(gone, ({ itemId }) => itemId)
    const labels = this.#sql.labels().all(place.project)
    return deletions.flatMap(({ id, group, at, before }) => {
      const record = JSON.parse(before as string)
      const went = goneOf.get(id) ?? []
      const isWith = (one: GoneRow) => (group === null ? one.at === at : one.group === group)
      const ofLabels = went.filter((one) => one.kind === 'kanban-item-label' && isWith(one))
      const item = { ...record, labels: ofLabels.map((one) => JSON.parse(one.before).labelId) }
      if (!passes(item, filter, labels, memberId)) return []
      const entries = new Map(
        went
          .filter(({ kind }) => kind === 'kanban-activity')
          .map((one) => [one.id, JSON.parse(one.before)] as const),
      )
      return {
        item: factsOf({ ...record, id: String(id), isImported: record.source === 'import' }, true),
        entries: movesOfGone(entries.values()),
      }
    })
  }

  /**
   * The changes of each item that has any, and the creation of those of which it tells something else: imported, dismissed or
   * restored ones, and those that other tools move.
   */
  #told(
    items: readonly (ItemRow | ItemFacts)[],
    rows: ReadonlyMap<string, ChangeRow[]>,
    place: object,
  ): Map<string, ItemChange[]> {
    const told = new Map<string, ItemChange[]>()
    for (const [id, ofItem] of rows) told.set(id, ofItem.map(changeOf))
    const asking = items.filter(({ id, isImported, dismissed }) => {
      if (isImported) return true
      const changes = changesIn(told, id)
      return (
        changes.some(({ action, column }) => action === 'deleted' || column?.isOfOther) ||
        (changes.find(({ dismissal }) => dismissal)?.dismissal?.to ?? !dismissed) === false
      )
    })
    if (asking.length === 0) return told
    const ids = JSON.stringify(asking.map(({ id }) => id))
    for (const [id, made] of Map.groupBy(this.#sql.made().all({ ...place, ids }), ({ id }) => id)) {
      const changes = [...changesIn(told, id), ...made.map(creationOf)]
      told.set(
        id,
        changes.sort((a, b) => a.seq - b.seq),
      )
    }
    return told
  }
}
