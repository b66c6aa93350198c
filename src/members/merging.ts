/**
 * Merges two ids of the same person: replaces one id by the other in all records, in one
 * write that can be undone. Logs (activity, changes, audit log) stay unchanged.
 */
import type { SharedDatabase } from '../db/client.ts'
import { isLimited, TooMuchWork } from '../db/work-limits.ts'
import { ApiError } from '../errors.ts'
import { once } from '../once.ts'
import type { MergeCounts } from '../schemas/records.ts'

/** The columns that contain ids of people. */
interface Naming {
  table: string
  column: string
  /** Whether its rows have `updated_at`. */
  isTimed: boolean
  /** Rows that have the id in another column, as a condition, and what replaces it there. */
  also?: { where: string; set: string }
}

/** The list of an item's assignees: each once, and empty for one. */
const ASSIGNEES = {
  where: 'id in (select item_id from kanban_item_assignees where person_id = +:id)',
  set: `assignee_ids = case when typeof(assignee_ids) = 'text' and assignee_ids <> '[]' and json_valid(assignee_ids) then (
    select iif(count(*) > 1, json_group_array(value), '[]') from (
      select iif(value = :id, :into, value) as value, min(key) as place from json_each(assignee_ids)
      where type = 'text' group by 1 order by 2)) else assignee_ids end`,
}

/** The counted columns. Teams are excluded: their changes cannot be undone. */
const NAMINGS: Readonly<Record<keyof MergeCounts, Naming>> = {
  kanbanItems: { table: 'kanban_items', column: 'assignee_id', isTimed: true, also: ASSIGNEES },
  projects: { table: 'projects', column: 'lead_id', isTimed: true },
  teamAssignments: { table: 'team_assignments', column: 'member_id', isTimed: true },
  kanbanComments: { table: 'kanban_comments', column: 'author_id', isTimed: false },
  attachments: { table: 'attachments', column: 'created_by', isTimed: true },
  personalIdeas: { table: 'personal_ideas', column: 'owner_id', isTimed: true },
}

/** Records that one merge may change: it takes about a second. */
const MOST = 5000

const KINDS = Object.keys(NAMINGS) as (keyof MergeCounts)[]

function statementsOf({ $client: client }: SharedDatabase) {
  const ofKind = ({ table, column, isTimed, also }: Naming) => {
    const isNaming = also === undefined ? `${column} = +:id` : `(${column} = +:id or ${also.where})`
    const rows = `${table} where ${isNaming}`
    const value = also === undefined ? ':into' : `iif(${column} = +:id, :into, ${column}), ${also.set}`
    const time = isTimed ? ', updated_at = :at' : ''
    return {
      count: client
        .prepare<[object], number>(`select count(*) from (select 1 from ${rows} limit ${MOST + 1})`)
        .pluck(),
      rename: client.prepare(`update ${table} set ${column} = ${value}${time} where ${isNaming}`),
    }
  }
  return {
    ofKinds: KINDS.map((kind) => ({ kind, ...ofKind(NAMINGS[kind]) })),
    /** Removes duplicate assignments to a project. */
    leave: client.prepare(
      `delete from team_assignments where member_id = +:id
      and project_id in (select project_id from team_assignments where member_id = +:into)`,
    ),
    /** Redirects earlier merges into the source to the target, which is not merged itself. */
    point: client.prepare(
      `update people set merged_into = case id when :into then null else :into end, updated_at = :at
      where id = :id or merged_into = +:id or (id = :into and merged_into is not null)`,
    ),
  }
}

/**
 * Prepares merging one person into another.
 * @returns the merge, which returns the number of changed records of each kind. It throws an ApiError 413 for too many;
 * TooMuchWork
 */
export function createMerge(db: SharedDatabase): (id: string, into: string, at: string) => MergeCounts {
  const statements = once(() => statementsOf(db))
  return (id, into, at) => {
    const { ofKinds, leave, point } = statements()
    // A merge is rare, and may change many records.
    if (isLimited(db)) throw new TooMuchWork()
    const total = ofKinds.reduce((sum, { count }) => sum + Number(count.get({ id })), 0)
    if (total > MOST) throw new ApiError(413, 'Too much to merge at once')
    const left = leave.run({ id, into }).changes
    const counts = ofKinds.map(({ kind, rename }) => [kind, rename.run({ id, into, at }).changes] as const)
    point.run({ id, into, at })
    const made = Object.fromEntries(counts) as MergeCounts
    return { ...made, teamAssignments: made.teamAssignments + left }
  }
}
