/**
 * Merging people: who has two ids turns out to be one person. Whatever names the one names the other from then on, in one
 * write that can be undone. What logs have (activity, changes, audit log) stays as it was written.
 */
import type { SharedDatabase } from '../db/client.ts'
import { isHiddenRecord } from '../db/hidden.ts'
import { isLimited, ROWS_UNDONE, TooMuchWork } from '../db/work-limits.ts'
import { ApiError } from '../errors.ts'
import { once } from '../once.ts'
import type { MergeCounts } from '../schemas/records.ts'

/** Where records name people, and which of them an import has not told of yet, as SQL. */
interface Naming {
  table: string
  column: string
  /** Condition: the row is there for everybody to see. */
  isShown: string
  /** Whether its rows say when they were changed. */
  isTimed: boolean
}

const HIDDEN = 'select project_id from hidden_projects'
const inProject = { isShown: `project_id not in (${HIDDEN})`, isTimed: true }

/** By what is counted. Teams are left out: what changes them cannot be undone. */
const NAMINGS: Readonly<Record<keyof MergeCounts, Naming>> = {
  kanbanItems: { table: 'kanban_items', column: 'assignee_id', ...inProject },
  projects: { table: 'projects', column: 'lead_id', isShown: 'true', isTimed: true },
  teamAssignments: { table: 'team_assignments', column: 'member_id', ...inProject },
  kanbanComments: {
    table: 'kanban_comments',
    column: 'author_id',
    isShown: `item_id not in (select id from kanban_items where project_id in (${HIDDEN}))`,
    isTimed: false,
  },
  personalIdeas: {
    table: 'personal_ideas',
    column: 'owner_id',
    isShown: `not ${isHiddenRecord('personal_ideas', 'personal_ideas.id')}`,
    isTimed: true,
  },
}

const KINDS = Object.keys(NAMINGS) as (keyof MergeCounts)[]

function statementsOf({ $client: client }: SharedDatabase) {
  const ofKind = ({ table, column, isShown, isTimed }: Naming) => {
    const rows = `${table} where ${column} = +:id and ${isShown}`
    const time = isTimed ? ', updated_at = :at' : ''
    return {
      count: client
        .prepare<[object], number>(`select count(*) from (select 1 from ${rows} limit ${ROWS_UNDONE})`)
        .pluck(),
      rename: client.prepare(
        `update ${table} set ${column} = :into${time} where ${column} = +:id and ${isShown}`,
      ),
    }
  }
  return {
    ofKinds: KINDS.map((kind) => ({ kind, ...ofKind(NAMINGS[kind]) })),
    /** Who is on a project twice then, is on it once. */
    leave: client.prepare(
      `delete from team_assignments where member_id = +:id
      and project_id in (select project_id from team_assignments where member_id = +:into)`,
    ),
    /** Whoever was merged into the one is merged into the other, which stands by itself. */
    point: client.prepare(
      `update people set merged_into = case id when :into then null else :into end, updated_at = :at
      where id = :id or merged_into = +:id or (id = :into and merged_into is not null)`,
    ),
  }
}

/**
 * Prepares merging one person into another.
 * @returns the merge: how many records of each kind it has changed. It throws an ApiError 413 for more than an undo could take
 * back; TooMuchWork
 */
export function createMerge(db: SharedDatabase): (id: string, into: string, at: string) => MergeCounts {
  const statements = once(() => statementsOf(db))
  return (id, into, at) => {
    const { ofKinds, leave, point } = statements()
    // It is seldom, and may be of many records.
    if (isLimited(db)) throw new TooMuchWork()
    const total = ofKinds.reduce((sum, { count }) => sum + Number(count.get({ id })), 0)
    if (total >= ROWS_UNDONE) throw new ApiError(413, 'Too much to merge at once')
    const left = leave.run({ id, into }).changes
    const counts = ofKinds.map(({ kind, rename }) => [kind, rename.run({ id, into, at }).changes] as const)
    point.run({ id, into, at })
    const made = Object.fromEntries(counts) as MergeCounts
    return { ...made, teamAssignments: made.teamAssignments + left }
  }
}
