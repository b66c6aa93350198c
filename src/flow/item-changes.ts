/** Changes of a board's items and column names in the sequence. */
import type { SharedDatabase } from '../db/client.ts'
import { isJsonObject } from '../db/json-text.ts'
import { asText } from '../json.ts'
import { once } from '../once.ts'
import { timeOf } from './days.ts'
import type { ItemChange } from './item-history.ts'
import type { Rename } from './renames.ts'

/** A board, and the last change in the index. */
export interface Place {
  project: string
  indexed: number
}

/** The relevant fields of a change of an item or a column. */
export interface ChangeRow {
  seq: number
  /** Null for another tool's. */
  group: number | null
  at: string
  kind: 'kanban-item' | 'kanban-column'
  id: string
  action: ItemChange['action']
  /** The project of the record, after the change. */
  projectId: string | null
  /** The project that the item left, if any. */
  fromProjectId: string | null
  /** Whether it moved an item to the board or away from it. */
  crossing: 'in' | 'out' | null
  /** For an update the fields in {@link PICKED}, for a deletion the whole record, as JSON. */
  before: string | null
  /** For an update the same fields. */
  after: string | null
}

/** The creation of an item: its initial fields, as JSON. */
interface CreationRow extends Pick<ChangeRow, 'seq' | 'at' | 'id' | 'projectId' | 'fromProjectId'> {
  /** Whether on this board, as 0 or 1. */
  isHere: number
  after: string
}

/** A record deleted with an item: an activity entry, or a label. */
export interface GoneRow extends Pick<ChangeRow, 'seq' | 'group' | 'at' | 'id'> {
  kind: 'kanban-activity' | 'kanban-item-label'
  itemId: string
  before: string
}

/**
 * Changes that match a condition, as SQL: indexed ones up to `:indexed`, then newer ones.
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
  order by seq`

/** For the project `:project`. */
const changesOfProject = changesOf('= +:project', 'project_id = +:project or from_project_id = +:project')

const IDS = '(select value from json_each(+:ids))'

/** For the items `:ids`, on any board. */
const changesOfItems = changesOf(`in ${IDS}`, `item_id in ${IDS}`)

/** Condition: `before` and `after` fit the action; another tool may have stored anything there. */
const IS_WELL_FORMED = `case action when 'created' then ${isJsonObject('after')} when 'deleted' then ${isJsonObject('before')}
    when 'updated' then ${isJsonObject('before')} and ${isJsonObject('after')} else 0 end`

/** The relevant fields of a record. */
interface Picked {
  column: unknown
  dismissed: unknown
  updatedAt: unknown
  name: unknown
}

/** An expression that picks them, as SQL; null for absent ones. */
const picked = (record: string): string =>
  `json_object(${['column', 'dismissed', 'updatedAt', 'name']
    .map((name) => `'${name}', json_extract(${record}, '$.${name}')`)
    .join(', ')})`

const PROJECTS = 'project_id as projectId, from_project_id as fromProjectId'

const COLUMNS = `seq, "group", at, kind, id, action, ${PROJECTS},
    case when action = 'updated' and from_project_id is not null then
      case +:project when project_id then 'in' when from_project_id then 'out' end end as crossing,
    case action when 'updated' then ${picked('before')} else before end as before,
    case action when 'updated' then ${picked('after')} end as after`

/**
 * Changes of items. Moves only by other tools, which have no group: the service's own are in the activity of items,
 * or come from a rename.
 */
const OF_ITEM = `kind = 'kanban-item' and (action = 'deleted' or (action = 'updated'
      and (from_project_id is not null or instr(after, '"dismissed":') > 0
        or ("group" is null and instr(after, '"column":') > 0))))`

/** Renames and deletions of columns. */
const OF_COLUMN = `kind = 'kanban-column' and (action = 'deleted' or action = 'updated' and instr(after, '"name":') > 0)`

const STATEMENTS = {
  ofProject: changesOfProject(COLUMNS, `(${OF_ITEM} or ${OF_COLUMN}) and ${IS_WELL_FORMED}`),
  ofItems: changesOfItems(COLUMNS, `${OF_ITEM} and ${IS_WELL_FORMED}`),
  creations: changesOfItems(
    `seq, at, id, ${PROJECTS}, project_id = +:project as isHere, ${picked('after')} as after`,
    `kind = 'kanban-item' and action = 'created' and ${IS_WELL_FORMED}`,
  ),
  gone: changesOfItems(
    `seq, "group", at, kind, id, item_id as itemId, before`,
    `kind in ('kanban-activity', 'kanban-item-label') and action = 'deleted' and ${IS_WELL_FORMED}`,
  ),
}

/** Prepares reading the changes of a board, or of items on any board, by a JSON array of their ids. */
export function changesIn({ $client: client }: SharedDatabase) {
  const all = <Row>(source: string) => {
    const statement = once(() => client.prepare<[object], Row>(source))
    return (values: Place & { ids?: string }): Row[] => statement().all(values)
  }
  return {
    ofProject: all<ChangeRow>(STATEMENTS.ofProject),
    ofItems: all<ChangeRow>(STATEMENTS.ofItems),
    creations: all<CreationRow>(STATEMENTS.creations),
    gone: all<GoneRow>(STATEMENTS.gone),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Reads a row of {@link COLUMNS} for an item. */
export function changeOf({ seq, group, at, action, crossing, before, after }: ChangeRow): ItemChange {
  const change: ItemChange = { seq, at: timeOf(at), action, crossing: crossing ?? undefined }
  if (action === 'deleted') {
    const { column }: Picked = JSON.parse(before as string)
    if (isText(column)) change.deletedIn = column
  }
  if (action !== 'updated') return change
  const was: Picked = JSON.parse(before as string)
  const is: Picked = JSON.parse(after as string)
  if (isText(was.column) && isText(is.column)) {
    change.column = { from: was.column, to: is.column, isOfOther: group === null }
  }
  if (was.dismissed !== null && is.dismissed !== null) {
    change.dismissal = { to: Boolean(is.dismissed), lastChanged: timeOf(was.updatedAt ?? at) }
  }
  return change
}

/** The creation of an item, with its initial fields. */
export function creationOf({ seq, at, isHere, after }: CreationRow): ItemChange {
  const { column, dismissed, updatedAt }: Picked = JSON.parse(after)
  const made = {
    isHere: Boolean(isHere),
    column: asText(column ?? ''),
    dismissed: Boolean(dismissed),
    updatedAt: timeOf(updatedAt),
  }
  return { seq, at: timeOf(at), action: 'created', made }
}

/** The rename or deletion of a column. */
function renameOf({ at: time, group, action, before, after }: ChangeRow): Rename[] {
  const at = timeOf(time)
  const isOfOther = group === null
  const [from, to] = [before, after].map((fields) => fields && JSON.parse(fields).name)
  if (action === 'deleted') return isText(from) ? [{ at, from, to: undefined, isOfOther }] : []
  return isText(from) && isText(to) ? [{ at, from, to, isOfOther }] : []
}

/** The renames and deletions of columns, in order. The deletion of a column that has changed since does not count: it was restored. */
export function renamesOf(rows: readonly ChangeRow[]): Rename[] {
  const last = new Map(rows.map(({ id, seq }) => [id, seq]))
  return rows.filter(({ action, id, seq }) => action !== 'deleted' || last.get(id) === seq).flatMap(renameOf)
}
