/** A model of the sequence of changes: rebuilds the tracked tables from it alone, and walks back. */
import { deepStrictEqual, ok } from 'node:assert/strict'
import type SQLite from 'better-sqlite3'
import { getTableName } from 'drizzle-orm'
import { fieldsOf, idIn, KINDS } from '../../src/db/kinds.ts'
import { LEAP } from '../../src/db/lost-changes.ts'

/** A row of the sequence, as stored. */
export interface Row {
  seq: number
  at: string
  actor_id: string | null
  group: number | null
  kind: string
  id: string
  action: 'created' | 'updated' | 'deleted'
  project_id: string | null
  item_id: string | null
  from_project_id: string | null
  owner_id: string | null
  before: string | null
  after: string | null
}

type Fields = Record<string, unknown>

/** Kinds that are not part of the state. Activity entries are only recorded when they are deleted, and a gap has no record. */
const IS_NO_RECORD = new Set(['kanban-activity', LEAP])

/** Records by kind and id. */
export type State = Map<string, Fields>

const keyOf = ({ kind, id }: Pick<Row, 'kind' | 'id'>) => `${kind} ${id}`

/** All of the sequence. */
export const rowsOf = (client: SQLite.Database): Row[] =>
  client.prepare<[], Row>('select * from changes order by seq').all()

/** Fields added to kinds later, with their values in older changes. */
const ADDED_FIELDS: Record<string, Fields> = {
  'kanban-column': { stage: null },
  'kanban-item': { coverId: null, reminders: '[]', number: null, assigneeIds: '[]' },
  member: { handle: null },
  project: { access: 'everyone', shareLinks: 'members', key: null },
}

const parse = (text: string | null): Fields | null => (text === null ? null : JSON.parse(text))

/** A record in a change, with all its fields. */
const whole = (kind: string, text: string | null): Fields | null => {
  const record = parse(text)
  return record && { ...ADDED_FIELDS[kind], ...record }
}

/** A change of only these fields is not recorded. */
const QUIET = new Set(['updatedAt', ...KINDS.flatMap(({ quiet = [] }) => quiet)])

/** The record without these fields. */
const untimed = (fields: Fields | null | undefined): Fields =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([name]) => !QUIET.has(name)))

/** Applies changes to a state, checking each against it. */
export function replay(rows: readonly Row[], state: State = new Map()): State {
  let last = 0
  for (const row of rows) {
    ok(row.seq > last, 'ascending')
    last = row.seq
    if (IS_NO_RECORD.has(row.kind)) continue
    const key = keyOf(row)
    const read = (text: string | null) => (row.action === 'updated' ? parse(text) : whole(row.kind, text))
    const before = read(row.before)
    const after = read(row.after)
    const known = state.get(key)
    if (row.action === 'created') {
      deepStrictEqual([known, before], [undefined, null], `${row.seq}: ${key} is new`)
      state.set(key, after as Fields)
      continue
    }
    ok(known, `${row.seq}: ${key} is there to be ${row.action}`)
    if (row.action === 'deleted') {
      deepStrictEqual([untimed(known), null], [untimed(before), after], `${row.seq}: it is what was there`)
      state.delete(key)
      continue
    }
    const names = Object.keys(before as Fields)
    deepStrictEqual(names, Object.keys(after as Fields))
    ok(
      names.some((name) => !QUIET.has(name)),
      `${row.seq}: more than what is quiet`,
    )
    for (const name of names) {
      if (QUIET.has(name)) continue
      deepStrictEqual(known[name], before?.[name], `${row.seq}: ${name} was so`)
      ok(JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]), `${row.seq}: ${name} differs`)
    }
    state.set(key, { ...known, ...after })
  }
  return state
}

/** Reverts changes, newest first. */
function walkBack(rows: readonly Row[], state: State): State {
  for (const row of rows.toReversed()) {
    if (IS_NO_RECORD.has(row.kind)) continue
    const key = keyOf(row)
    if (row.action === 'created') {
      deepStrictEqual(
        untimed(state.get(key)),
        untimed(whole(row.kind, row.after)),
        `${row.seq}: ${key} as it was made`,
      )
      state.delete(key)
    } else
      state.set(key, {
        ...state.get(key),
        ...(row.action === 'deleted' ? whole(row.kind, row.before) : parse(row.before)),
      })
  }
  return state
}

/** A stored value in the form that the sequence has. */
const stored = (value: unknown) =>
  Buffer.isBuffer(value) ? { blob: value.toString('hex').toUpperCase() } : value

/** The tracked tables of a file. */
export function stateOf(client: SQLite.Database): State {
  const state: State = new Map()
  const membersOf = client
    .prepare<[string], string>('select member_id from team_members where team_id = ? order by member_id')
    .pluck()
  for (const kind of KINDS.filter(({ onlyDeleted }) => !onlyDeleted)) {
    const fields = fieldsOf(kind)
    const table = getTableName(kind.table)
    const columns = fields.map(({ name, column }) => `"${column}" as "${name}"`).join(', ')
    const rows = client
      .prepare<[], Fields>(`select ${idIn(kind, table)} as "key of it", ${columns} from ${table}`)
      .all()
    for (const { 'key of it': id, ...row } of rows) {
      const record = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, stored(value)]))
      if (kind.kind === 'team') record.memberIds = membersOf.all(String(id))
      state.set(keyOf({ kind: kind.kind, id: String(id) }), record)
    }
  }
  return state
}

const sorted = (state: State) =>
  Object.fromEntries(
    [...state].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, fields]) => [key, untimed(fields)]),
  )

/**
 * Compares the sequence of a file with its tables. A state rebuilt from it must equal the tables, and must be empty after
 * reverting all changes. @returns the rows
 */
export function holdsSequence(client: SQLite.Database): Row[] {
  const rows = rowsOf(client)
  const now = stateOf(client)
  deepStrictEqual(sorted(replay(rows)), sorted(now))
  deepStrictEqual(sorted(walkBack(rows, now)), {})
  return rows
}

/** Whether the changes of each write are contiguous, and of one actor and one group. */
export function holdsGroups(rows: readonly Row[]): void {
  const ended = new Set<number>()
  for (const [index, row] of rows.entries()) {
    const previous = rows[index - 1]
    if (row.group === null) {
      deepStrictEqual(row.actor_id, null, `${row.seq}: another tool's is nobody's`)
      continue
    }
    if (previous?.group === row.group) deepStrictEqual(previous.actor_id, row.actor_id)
    else deepStrictEqual(row.group, row.seq, `${row.seq}: a group is called by its first change`)
    ok(!ended.has(row.group), `${row.seq}: a group is contiguous`)
    if (previous?.group != null && previous.group !== row.group) ended.add(previous.group)
  }
}
