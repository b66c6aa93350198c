/** What is recorded of the items of a board: themselves, their activity, and their changes in the sequence. */
import { type SQL, sql } from 'drizzle-orm'
import { conditionsIn, type ItemFilter, ME, NONE, valuesOf } from '../board/item-lists.ts'
import { withStages } from '../board/stages.ts'
import type { SharedDatabase } from '../db/client.ts'
import { inOrder } from '../db/ordering.ts'
import { kanbanActivity, kanbanColumns, kanbanItems } from '../db/schema.ts'
import { amongIds, byFields, given, selectAll } from '../db/statements.ts'
import { once } from '../once.ts'
import { valuesOfAny } from '../schemas/common.ts'
import type { ItemChange, ItemFacts, Moved, Recorded } from './item-history.ts'
import type { BoardColumn } from './measures.ts'
import { type Rename, Renames } from './renames.ts'

interface ItemRow {
  id: string
  title: string
  column: string
  createdAt: string
  updatedAt: string
  dismissed: boolean
  source: string
  projectId: string
  /** What {@link entries} says. */
  entries: string | null
}

/** The moves of an item in its activity, as the elements of a JSON array: a time, and the columns from and to. */
const entries = sql<
  string | null
>`(select group_concat(json_quote("its"."created_at") || ',' || json_extract("its"."metadata", '$.from', '$.to'))
  from ${kanbanActivity} as "its" where "its"."item_id" = "kanban_items"."id"
  and "its"."type" = 'status_change' and json_valid("its"."metadata"))`

/** A change of an item, as far as it matters; the JSON arrays name what is picked. */
interface ChangeRow {
  seq: number
  /** Null for another tool's. */
  group: number | null
  at: string
  id: string
  action: ItemChange['action']
  crossing: 'in' | 'out' | null
  /** Of an update: column, dismissed, updatedAt. Of a deletion: the whole record. */
  before: string | null
  /** Of an update: column, dismissed. */
  after: string | null
}

interface MadeRow {
  seq: number
  at: string
  id: string
  made: string
}

/** The changes of the project `:project` that pass a condition, as SQL: those up to `:indexed` by the index of subjects. */
const changesWith = (columns: string, condition: string): string => `
  select ${columns} from changes where ${condition} and seq in (
    select seq from change_subjects where subject = +:project and seq between 1 and +:indexed)
  union all
  select ${columns} from changes where seq > +:indexed and (project_id = +:project or from_project_id = +:project) and ${condition}
  order by seq`

const ITEM_CHANGES = changesWith(
  `seq, "group", at, id, action,
    case when action = 'updated' and from_project_id is not null then case project_id when +:project then 'in' else 'out' end end as crossing,
    case action when 'updated' then json_extract(before, '$.column', '$.dismissed', '$.updatedAt') else before end as before,
    case action when 'updated' then json_extract(after, '$.column', '$.dismissed') end as after`,
  `kind = 'kanban-item' and (action = 'deleted' or (action = 'updated'
    and (from_project_id is not null or instr(after, '"column":') > 0 or instr(after, '"dismissed":') > 0)))`,
)

const MADE = changesWith(
  `seq, at, id, json_extract(after, '$.dismissed', '$.updatedAt') as made`,
  `kind = 'kanban-item' and action = 'created' and id in (select value from json_each(+:ids))`,
)

const RENAMES = changesWith(
  `seq, at, before ->> 'name' as "from", after ->> 'name' as "to"`,
  `kind = 'kanban-column' and action = 'updated' and instr(after, '"name":') > 0
    and typeof(before ->> 'name') = 'text' and typeof(after ->> 'name') = 'text'`,
)

/** What went with deleted items: their moves, and their labels as of then. */
const GONE = changesWith(
  `seq, "group", at, kind, id, item_id as itemId, before`,
  `kind in ('kanban-activity', 'kanban-item-label') and action = 'deleted'
    and item_id in (select value from json_each(+:ids))`,
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
        const { id, title, column, createdAt, updatedAt, dismissed, source, projectId } = kanbanItems
        const fields = { id, title, column, createdAt, updatedAt, dismissed, source, projectId, entries }
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
    labels: once(() =>
      client.prepare<[string], { id: string; name: string }>(
        'select id, name from kanban_labels where project_id = +?',
      ),
    ),
    changes: once(() => client.prepare<[object], ChangeRow>(ITEM_CHANGES)),
    made: once(() => client.prepare<[object], MadeRow>(MADE)),
    renames: once(() => client.prepare<[object], Omit<Rename, 'at'> & { at: string }>(RENAMES)),
    gone: once(() => client.prepare<[object], GoneRow>(GONE)),
  }
}

/** Milliseconds since 1970; NaN for what is no time. */
const timeOf = (text: unknown): number => Date.parse(String(text))

const isText = (value: unknown): value is string => typeof value === 'string'

/** A move as it is recorded; nothing for what another tool has written in another form. */
function movedOf(at: unknown, metadata: unknown): Moved[] {
  const [from, to] = Array.isArray(metadata) ? metadata : []
  const time = timeOf(at)
  return Number.isFinite(time) && isText(from) && isText(to) && from !== '' ? [{ at: time, from, to }] : []
}

/** A move in a deleted entry of activity, as the sequence keeps it. */
function movedOfStored({ type, metadata, createdAt }: Record<string, unknown>): Moved[] {
  if (type !== 'status_change') return []
  try {
    const { from, to } = JSON.parse(String(metadata))
    return movedOf(createdAt, [from, to])
  } catch {
    return []
  }
}

const byTime = (moves: Moved[]): Moved[] => moves.sort((a, b) => a.at - b.at)

function entriesOf(text: string | null): Moved[] {
  if (text === null) return []
  const parts: unknown[] = JSON.parse(`[${text}]`)
  const moves: Moved[] = []
  for (let index = 0; index < parts.length; index += 2) moves.push(...movedOf(parts[index], parts[index + 1]))
  return byTime(moves)
}

/** The facts of an item; where another tool wrote no time of creation, that of the last change. */
function factsOf(row: Omit<ItemRow, 'entries' | 'projectId'>, isHere: boolean): ItemFacts {
  const { id, title, column, source } = row
  const updatedAt = timeOf(row.updatedAt) || 0
  const createdAt = timeOf(row.createdAt) || updatedAt
  return {
    id,
    title: String(title),
    column: String(column),
    createdAt,
    updatedAt,
    dismissed: Boolean(row.dismissed),
    isImported: source === 'import',
    isHere,
  }
}

function changeOf({ seq, at, action, crossing, before, after }: ChangeRow): ItemChange {
  const change: ItemChange = { seq, at: timeOf(at), action, crossing: crossing ?? undefined }
  if (action !== 'updated') return change
  const [column, dismissed, updatedAt] = JSON.parse(before as string)
  const [newColumn, newDismissed] = JSON.parse(after as string)
  if (isText(column) && isText(newColumn)) change.column = { from: column, to: newColumn }
  if (dismissed !== null && newDismissed !== null) {
    change.dismissal = { to: Boolean(newDismissed), lastChanged: timeOf(updatedAt ?? at) }
  }
  return change
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
  items: Recorded[]
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
    const changes = Map.groupBy(this.#sql.changes().all(place), ({ id }) => id)
    const values = valuesOf({ ...filter, projectId: project, dismissed: 'all' }, { memberId })
    const here = this.#sql.ofProject(values)(values)
    const known = new Set(here.map(({ id }) => id))
    const others = [...changes.keys()].filter((id) => !known.has(id))
    const ids = { ids: JSON.stringify(others) }
    const elsewhere =
      others.length === 0 ? [] : this.#sql.elsewhere({ ...values, ...ids })({ ...values, ...ids })
    const existing = new Set(others.length === 0 ? [] : this.#sql.existing(ids).map(({ id }) => id))
    const deleted = this.#deleted(
      others.filter((id) => !existing.has(id)),
      changes,
      { place, filter, memberId },
    )
    const items: Recorded[] = [...here, ...elsewhere.filter(({ projectId }) => projectId !== project)].map(
      (row) => ({
        item: factsOf(row, row.projectId === project),
        entries: entriesOf(row.entries),
        changes: (changes.get(row.id) ?? []).map(changeOf),
      }),
    )
    items.push(...deleted)
    this.#addMade(items, place)
    const renames = this.#sql.renames().all(place)
    return {
      columns: withStages(this.#sql.columns({ projectId: project })),
      renames: new Renames(renames.map((rename) => ({ ...rename, at: timeOf(rename.at) }))),
      items,
    }
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
  ): Recorded[] {
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
        item: factsOf(record, true),
        entries: byTime([...entries.values()].flatMap(movedOfStored)),
        changes: (changes.get(id) ?? []).map(changeOf),
      }
    })
  }

  /** Adds the creation of the items of which it tells something else: imported, dismissed or restored ones. */
  #addMade(items: readonly Recorded[], place: object): void {
    const asking = items.filter(
      ({ item, changes }) =>
        item.isImported ||
        changes.some(({ action }) => action === 'deleted') ||
        (changes.find(({ dismissal }) => dismissal)?.dismissal?.to ?? !item.dismissed) === false,
    )
    if (asking.length === 0) return
    const ids = JSON.stringify(asking.map(({ item }) => item.id))
    const made = Map.groupBy(this.#sql.made().all({ ...place, ids }), ({ id }) => id)
    for (const { item, changes } of asking) {
      const more = (made.get(item.id) ?? []).map(({ seq, at, made }): ItemChange => {
        const [dismissed, updatedAt] = JSON.parse(made)
        return {
          seq,
          at: timeOf(at),
          action: 'created',
          made: { dismissed: Boolean(dismissed), updatedAt: timeOf(updatedAt) },
        }
      })
      changes.push(...more)
      changes.sort((a, b) => a.seq - b.seq)
    }
  }
}
