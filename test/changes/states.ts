/** Whole states of a database, and the expected undo of a write between two of them: a model that reads no changes. */
import type SQLite from 'better-sqlite3'

/** A row by the names of its columns. */
type Row = Record<string, unknown>

/** All rows of some tables, by table and key. */
export type State = Map<string, Map<string, Row>>

/** The tracked tables, with their key columns. */
const TABLES: Record<string, string[]> = {
  projects: ['id'],
  kanban_columns: ['id'],
  kanban_labels: ['id'],
  kanban_items: ['id'],
  kanban_subtasks: ['id'],
  kanban_comments: ['id'],
  kanban_item_labels: ['item_id', 'label_id'],
  objectives: ['id'],
  metrics: ['id'],
  transcript_summaries: ['id'],
  team_assignments: ['id'],
  personal_ideas: ['id'],
}

const PARENTS: Record<string, Record<string, string>> = {
  kanban_columns: { project_id: 'projects' },
  kanban_labels: { project_id: 'projects' },
  kanban_items: { project_id: 'projects' },
  kanban_subtasks: { item_id: 'kanban_items' },
  kanban_comments: { item_id: 'kanban_items' },
  kanban_item_labels: { item_id: 'kanban_items', label_id: 'kanban_labels' },
  objectives: { project_id: 'projects' },
  metrics: { project_id: 'projects' },
  transcript_summaries: { project_id: 'projects' },
  team_assignments: { project_id: 'projects' },
  personal_ideas: { promoted_project_id: 'projects' },
}

const UNIQUE: Record<string, string[]> = {
  kanban_columns: ['project_id', 'name'],
  kanban_labels: ['project_id', 'name'],
  team_assignments: ['project_id', 'member_id'],
}

/** Reads a state. */
export function stateOf(client: SQLite.Database): State {
  return new Map(
    Object.entries(TABLES).map(([table, key]) => {
      const rows = client.prepare<[], Row>(`select * from ${table}`).all()
      return [table, new Map(rows.map((row) => [key.map((column) => row[column]).join(':'), row]))]
    }),
  )
}

const rowsOf = (state: State, table: string) => state.get(table) ?? new Map<string, Row>()

/** A conflict of an undo. */
export interface Obstacle {
  kind: string
  id: string
  /** The field that has changed since, by its name in the API. */
  field?: string
  why: string
  /** Whether any of several records may be named, e.g. of two with the same name. */
  isEither?: boolean
}

/** The API's name of a table's records. */
const kindOf = (table: string) => table.replace(/ies$/, 'ys').replace(/s$/, '').replaceAll('_', '-')

/** The API's name of a column. The origin of a claim is reported with its lease. */
const fieldOf = (column: string) =>
  column
    .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^claimedFrom$/, 'claimedUntil')

const obstacle = (table: string, id: string, why: string, rest: Partial<Obstacle> = {}): Obstacle => ({
  kind: kindOf(table),
  id,
  why,
  ...rest,
})

/** The key of a board's column, or of an item's. */
const placeOf = (projectId: unknown, column: unknown) => JSON.stringify([projectId, column])

/**
 * The expected result of undoing a write.
 * @param before the state before the write
 * @param after the state after it
 * @param now the state before the undo
 * @returns the expected state, with '*' for `updated_at` of records changed by others since, and the conflicts
 */
export function undone(before: State, after: State, now: State): { state: State; obstacles: Obstacle[] } {
  const obstacles: Obstacle[] = []
  const state: State = new Map([...now].map(([table, rows]) => [table, new Map(rows)]))
  const touched = new Set<string>()
  for (const table of Object.keys(TABLES)) {
    const [old, left, current, target] = [before, after, now, state].map((one) => rowsOf(one, table)) as [
      Map<string, Row>,
      Map<string, Row>,
      Map<string, Row>,
      Map<string, Row>,
    ]
    for (const key of new Set([...old.keys(), ...left.keys()])) {
      const [was, became, is] = [old.get(key), left.get(key), current.get(key)]
      const columns = Object.keys({ ...was, ...became })
      const changed = columns.filter((column) => was?.[column] !== became?.[column])
      if (changed.length === 0 && was && became) continue
      touched.add(`${table} ${key}`)
      // A write that changes only `updated_at` does not count.
      if (was && became && changed.every((column) => column === 'updated_at')) continue
      if (became === undefined) {
        if (is !== undefined) obstacles.push(obstacle(table, key, 'exists again'))
        target.set(key, was as Row)
        continue
      }
      if (is === undefined) {
        obstacles.push(obstacle(table, key, 'is gone'))
        continue
      }
      for (const column of was === undefined ? columns : changed) {
        if (column !== 'updated_at' && is[column] !== became[column])
          obstacles.push(obstacle(table, key, 'has changed', { field: fieldOf(column) }))
      }
      if (was === undefined) {
        target.delete(key)
        continue
      }
      const row = { ...is }
      for (const column of changed) row[column] = was[column]
      if (changed.includes('updated_at') && is.updated_at !== became.updated_at) row.updated_at = '*'
      target.set(key, row)
    }
  }
  obstacles.push(...violations(state, now, touched, before))
  return { state, obstacles }
}

/** The invariants that the undo would violate. */
function violations(state: State, now: State, touched: ReadonlySet<string>, before: State): Obstacle[] {
  const found: Obstacle[] = []
  for (const [table, parents] of Object.entries(PARENTS)) {
    for (const [key, row] of rowsOf(state, table)) {
      for (const [column, parent] of Object.entries(parents)) {
        const named = row[column]
        if (named !== null && !rowsOf(state, parent).has(String(named)))
          found.push(obstacle(table, key, `has no ${parent}`))
      }
    }
  }
  for (const [table, columns] of Object.entries(UNIQUE)) {
    const seen = new Map<string, string>()
    for (const [key, row] of rowsOf(state, table)) {
      const value = JSON.stringify(columns.map((column) => row[column]))
      const other = seen.get(value)
      if (other !== undefined) {
        for (const id of [key, other])
          found.push(obstacle(table, id, 'has what another one has', { isEither: true }))
      }
      seen.set(value, key)
    }
  }
  const places = (of: State) =>
    new Set(
      [...rowsOf(of, 'kanban_columns').values()].map(({ project_id, name }) => placeOf(project_id, name)),
    )
  const [boardNow, boardThen] = [places(now), places(state)]
  for (const [key, { project_id, column }] of rowsOf(state, 'kanban_items')) {
    const current = rowsOf(now, 'kanban_items').get(key)
    const place = placeOf(project_id, column)
    const stays = current !== undefined && placeOf(current.project_id, current.column) === place
    // An item in a missing column creates it.
    if (stays && boardNow.has(place) && !boardThen.has(place))
      found.push(obstacle('kanban_items', key, 'loses its column'))
  }
  for (const [key, { item_id, label_id }] of rowsOf(state, 'kanban_item_labels')) {
    if (!touched.has(`kanban_item_labels ${key}`)) continue
    const projectOf = (of: State, table: string, id: unknown) => rowsOf(of, table).get(String(id))?.project_id
    const then = projectOf(state, 'kanban_items', item_id)
    const formerly = projectOf(before, 'kanban_items', item_id)
    if (then !== formerly && then !== projectOf(state, 'kanban_labels', label_id))
      found.push(obstacle('kanban_item_labels', key, 'its item has moved'))
  }
  return found
}

/** The difference between a state and the expected one. Columns that items needed may have been created. */
export function differences(expected: State, found: State): string[] {
  const all: string[] = []
  for (const table of Object.keys(TABLES)) {
    const [wanted, rows] = [rowsOf(expected, table), rowsOf(found, table)]
    for (const [key, row] of wanted) {
      const is = rows.get(key)
      if (!is) all.push(`${table} ${key} is missing`)
      else
        for (const [column, value] of Object.entries(row)) {
          if (value !== is[column] && value !== '*')
            all.push(`${table} ${key} ${column}: ${String(is[column])}, not ${String(value)}`)
        }
    }
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue
      const isNeeded =
        table === 'kanban_columns' &&
        [...rowsOf(found, 'kanban_items').values()].some(
          (item) => item.project_id === row.project_id && item.column === row.name,
        )
      if (!isNeeded) all.push(`${table} ${key} should not be there`)
    }
  }
  return all
}
