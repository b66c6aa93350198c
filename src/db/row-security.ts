/**
 * Row-level security: a second handle of a connection, whose statements read only the records of the projects in its current scope.
 * A second set of rules uses this handle. Their statements are the same, but when one is prepared, a view of the records in scope
 * replaces each table that it reads. So no rule can omit the check, and it costs nothing for callers with unlimited access
 * (docs/decisions/069-row-level-security.md).
 */
import type SQLite from 'better-sqlite3'
import { getTableColumns, getTableName, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { createCache } from '../cache.ts'
import { readOnlyProject } from '../errors.ts'
import { once } from '../once.ts'
import type { SharedDatabase } from './client.ts'
import { connectionOf, shareConnection } from './connection.ts'
import { columnName, KINDS, projectIn } from './kinds.ts'
import * as schema from './schema.ts'

/** The right to a project: to read it, or also to write it. */
export type Right = 'read' | 'write'

/** The records that a caller may access. Immutable; each scope has its own number. */
export interface Scope {
  readonly number: number
  readonly projects: ReadonlyMap<string, Right>
  /** Whether it has personal ideas. */
  readonly hasIdeas: boolean
  /** Whether it only includes people who are assigned to its projects, and `memberId`. */
  readonly isGuest: boolean
  readonly memberId: string
  /** Whether it follows from assignments to projects, and not from a list of projects of a token or the host. */
  readonly isByAssignment: boolean
  /** Whether it depends on the `access` of projects: for members and their tokens, but not for admins, nor for rights that a host gives. */
  readonly followsAccess: boolean
}

/** Scopes whose projects a connection stores in its temporary tables. */
const KEPT = 100

/** Condition, as SQL: a project is in the current scope. False without a scope. */
const isInScope = (projectId: string): string =>
  `exists (select 1 from temp.scope_projects as within
    where within.scope = (select current_scope()) and within.project_id = ${projectId})`

/** A column of the current scope, as SQL. */
const ofScope = (column: string): string =>
  `(select ${column} from temp.scopes where number = current_scope())`

/** Condition, as SQL: the current scope has a person. */
const isSeenPerson = (id: string): string =>
  `(not ${ofScope('is_guest')} or ${id} = ${ofScope('member_id')} or exists (
    select 1 from main.team_assignments as assigned
    where assigned.member_id = ${id} and ${isInScope('assigned.project_id')}))`

/** Condition, as SQL: the current scope has a team: for guests, that of a project. */
const isSeenTeam = (id: string): string =>
  `(not ${ofScope('is_guest')} or exists (
    select 1 from temp.scope_projects as its join main.projects as project on project.id = its.project_id
    where its.scope = (select current_scope()) and project.team_id = ${id}))`

/** The project of an entry of the full-text index, as SQL; NULL for an idea. @param entry its row in the statement */
export const projectOfEntry = (entry: string): string => `case ${entry}.kind
  when 'project' then ${entry}.record_id
  when 'kanban-item' then (select project_id from kanban_items where id = ${entry}.record_id)
  when 'kanban-comment' then (select item.project_id from kanban_comments as comment
    join kanban_items as item on item.id = comment.item_id where comment.id = ${entry}.record_id)
  when 'transcript-summary' then (select project_id from transcript_summaries where id = ${entry}.record_id)
end`

/** The condition of a table's records, as SQL, and columns that are another expression. */
interface View {
  condition: string
  columns?: Readonly<Record<string, string>>
}

const ofProjects = KINDS.flatMap((kind): [string, View][] => {
  const project = projectIn(kind, 'seen')
  return project === 'null' ? [] : [[getTableName(kind.table), { condition: isInScope(project) }]]
})

/** A column with a part of an import's result: empty if its project is out of scope. */
const ofResult = (column: string) =>
  `case when seen.project_id is null or ${isInScope('seen.project_id')} then seen.${column} else '' end`

/** The views, by the tables that they replace. Foreign keys determine the tables of records that belong to projects. */
const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ...ofProjects,
  [
    'personal_ideas',
    {
      condition: ofScope('has_ideas'),
      columns: {
        promoted_project_id: `case when ${isInScope('seen.promoted_project_id')} then seen.promoted_project_id end`,
      },
    },
  ],
  ['members', { condition: isSeenPerson('seen.id') }],
  ['people', { condition: isSeenPerson('seen.id') }],
  ['teams', { condition: isSeenTeam('seen.id') }],
  ['team_members', { condition: `${isSeenTeam('seen.team_id')} and ${isSeenPerson('seen.member_id')}` }],
  // A member sees its own imports, also after the project is out of scope.
  [
    'imports',
    {
      condition: 'true',
      columns: {
        project_id: `case when ${isInScope('seen.project_id')} then seen.project_id end`,
        // The results of an import. Those of a dry run, which has no project, are visible.
        counts: ofResult('counts'),
        matches: ofResult('matches'),
        // In a refused import, it refers to the earlier import's project.
        error: `case when exists (
            select 1 from main.projects as named where instr(seen.error, named.id) > 0 and not ${isInScope('named.id')})
          then 'this board was imported before' else seen.error end`,
      },
    },
  ],
  // Also for an item that has moved out of scope since. A notification about several projects contains only a number.
  [
    'notifications',
    {
      condition: `(case when seen.project_id is null then ${ofScope('has_ideas')} else ${isInScope('seen.project_id')} end
        and (seen.item_id is null or not exists (
          select 1 from main.kanban_items as its where its.id = seen.item_id and not ${isInScope('its.project_id')})))`,
    },
  ],
  ['share_links', { condition: isInScope('seen.project_id') }],
  [
    'search_entries',
    {
      condition: `case when seen.kind = 'personal-idea' then ${ofScope('has_ideas')} else ${isInScope(projectOfEntry('seen'))} end`,
    },
  ],
])

/** The tables that have views. */
export const SECURED: readonly string[] = [...VIEWS.keys()]

const tables = new Map<string, SQLiteTable>(
  Object.values(schema).map((table) => [getTableName(table), table as SQLiteTable]),
)

/** The columns of a table in the file; for the full-text index, which is not in Drizzle's schema, those that statements read. */
function columnsOf(name: string): string[] {
  const table = tables.get(name)
  return table === undefined
    ? ['id', 'kind', 'record_id']
    : Object.values(getTableColumns(table)).map(columnName)
}

const viewOf = (table: string): string => `seen_${table}`

function createView(name: string, { condition, columns = {} }: View): string {
  const selected = columnsOf(name).map((column) => `${columns[column] ?? `seen."${column}"`} as "${column}"`)
  return `create temp view ${viewOf(name)} as select seen.rowid as rowid, ${selected.join(', ')}
    from main.${name} as seen where ${condition};`
}

/** The name of a table that a statement reads. */
const READ = new RegExp(
  `\\b(delete\\s+from|from|join)(\\s+)"?(${SECURED.join('|')})"?(?=[\\s,)]|$)(\\s+as\\b)?`,
  'gi',
)

/** Any name of a table in a statement, with the word before it and the character after it. */
const NAMED = new RegExp(
  `(?:(\\w+)\\s+|([^\\s\\w"]))?"?(?<![\\w.])(${SECURED.join('|')})\\b"?(\\s*\\.)?`,
  'gi',
)

/** The words before a name that is not a table to read: the target of a write, an alias. */
const HARMLESS: readonly (string | undefined)[] = ['update', 'into', 'as']

/** The name of a table that a statement reads in a way that was not rewritten, if any. */
function unsecuredIn(statement: string): string | undefined {
  const code = statement.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/delete\s+from/gi, 'into')
  for (const [, before, , name, dot] of code.matchAll(NAMED)) {
    if (dot === undefined && !HARMLESS.includes(before?.toLowerCase())) return name
  }
  return undefined
}

/** A statement that reads views instead of tables. @throws Error if it uses a table in another form */
export function secured(statement: string): string {
  const rewritten = statement.replaceAll(
    READ,
    (all, word: string, space: string, table: string, alias?: string) => {
      if (/^delete/i.test(word)) return all
      return `${word}${space}"${viewOf(table)}"${alias ?? ` as "${table}"`}`
    },
  )
  const left = unsecuredIn(rewritten)
  if (left !== undefined)
    throw new Error(
      `a statement reads ${left} in a form that row-level security does not support: ${statement}`,
    )
  return rewritten
}

interface State {
  scope: Scope | undefined
  handle: SharedDatabase
  enter: (scope: Scope) => void
}

const states = new WeakMap<SQLite.Database, State>()

/**
 * The handle of a connection that reads only the records in its current scope; created once.
 * @param db the handle that reads everything
 */
export function secureHandle(db: SharedDatabase): SharedDatabase {
  const known = states.get(connectionOf(db))
  if (known) return known.handle
  const { $client: client } = db
  const limited: SQLite.Database = Object.create(client, {
    prepare: { value: (statement: string) => client.prepare(secured(statement)) },
  })
  shareConnection(limited, client)
  const state: State = {
    scope: undefined,
    handle: drizzle(limited, { schema, casing: 'snake_case' }),
    enter: createScopes(client, () => state.scope),
  }
  states.set(connectionOf(db), state)
  return state.handle
}

/** Creates the temporary tables of scopes, and the views. @returns a function that fills them with a scope's projects */
function createScopes(client: SQLite.Database, current: () => Scope | undefined): (scope: Scope) => void {
  client.function('current_scope', () => current()?.number ?? null)
  client.exec(`
    create temp table scopes (number integer primary key, has_ideas integer not null, is_guest integer not null, member_id text not null);
    create temp table scope_projects (scope integer not null, project_id text not null, primary key (scope, project_id)) without rowid;
    create temp trigger new_project_in_scope after insert on main.projects when current_scope() is not null begin
      insert or ignore into scope_projects values (current_scope(), new.id);
    end;
    ${[...VIEWS].map(([name, view]) => createView(name, view)).join('\n')}
  `)
  const isThere = client.prepare<[number], number>('select 1 from temp.scopes where number = ?').pluck()
  const add = client.prepare('insert into temp.scopes values (?, ?, ?, ?)')
  const addProjects = client.prepare('insert into temp.scope_projects select ?, value from json_each(?)')
  const drop = client.prepare('delete from temp.scopes where number not in (select value from json_each(?))')
  const dropProjects = client.prepare(
    'delete from temp.scope_projects where scope not in (select number from temp.scopes)',
  )
  const kept = createCache<number, true>(KEPT)
  return ({ number, projects, hasIdeas, isGuest, memberId }) => {
    kept.set(number, true)
    // A rollback removes the rows, too.
    if (isThere.get(number)) return
    drop.run(JSON.stringify([...kept.keys()]))
    dropProjects.run()
    add.run(number, Number(hasIdeas), Number(isGuest), memberId)
    addProjects.run(number, JSON.stringify([...projects.keys()]))
  }
}

/** Runs work with the secure handle's statements in a scope. */
export function withinScope<T>(db: SharedDatabase, scope: Scope, work: () => T): T {
  const state = states.get(connectionOf(db)) as State
  const before = state.scope
  state.enter(scope)
  state.scope = scope
  try {
    return work()
  } finally {
    state.scope = before
  }
}

/** The state of a secure handle; undefined for one that reads and writes everything. */
function stateOf(db: SharedDatabase): State | undefined {
  const state = states.get(connectionOf(db))
  return state?.handle.$client === db.$client ? state : undefined
}

/** The scope of a handle: undefined for one that reads everything. @throws Error for the secure one outside of a scope */
export function scopeOf(db: SharedDatabase): Scope | undefined {
  const state = stateOf(db)
  if (state === undefined) return undefined
  if (state.scope === undefined) throw new Error('there is no scope')
  return state.scope
}

/** Condition: a row that is about to be written is in scope; undefined for a handle that writes everything. */
export function isInScopeOf(db: SharedDatabase, table: SQLiteTable): ReturnType<typeof sql> | undefined {
  const name = getTableName(table)
  if (stateOf(db) === undefined || !VIEWS.has(name)) return undefined
  return sql.raw(`exists (select 1 from ${viewOf(name)} as mine where mine.id = "${name}"."id")`)
}

/** Refuses writes to a project that a scope may only read. @throws ApiError 403 */
export function ensureWritableIn(scope: Scope | undefined, projectId: string | null | undefined): void {
  if (projectId && scope?.projects.get(projectId) === 'read') throw readOnlyProject()
}

/**
 * Finds the project of any record of a table, whether it is in scope or not.
 * @returns the query by a record's id; undefined for a table that belongs to no project
 */
export function projectOfRecords(
  db: SharedDatabase,
  table: SQLiteTable,
): ((id: string) => string | undefined) | undefined {
  const kind = KINDS.find((one) => one.table === table)
  const project = kind === undefined ? 'null' : projectIn(kind, 'its')
  if (project === 'null') return undefined
  const statement = once(() =>
    connectionOf(db)
      .prepare<[string], string>(
        `select ${project} from main.${getTableName(table)} as its where its.id = +?`,
      )
      .pluck(),
  )
  return (id) => statement().get(id)
}

/**
 * The check of a row before an update. The check of a write's changes does not find an update that changes nothing but `updatedAt`, which
 * is no change of the sequence.
 * @returns the check of the row with an id, which throws ApiError 403 if the caller may only read its project; undefined for a handle that writes
 * everything, or a table that belongs to no project
 */
export function updateCheckOf(db: SharedDatabase, table: SQLiteTable): ((id: string) => void) | undefined {
  const projectOf = stateOf(db) && projectOfRecords(db, table)
  return projectOf && ((id) => ensureWritableIn(scopeOf(db), projectOf(id)))
}
