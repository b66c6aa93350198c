/** A model of the clients' requests and responses, and its comparison with a database file. */
import { isDeepStrictEqual } from 'node:util'
import SQLite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as schema from '../src/db/schema.ts'
import { holdsGroups, holdsSequence } from './changes/replay.ts'

const TABLES = {
  project: schema.projects,
  item: schema.kanbanItems,
  subtask: schema.kanbanSubtasks,
  idea: schema.personalIdeas,
}
const ENTRY_TYPES = { column: 'status_change', assigneeId: 'assignment', priority: 'priority' }
const TRACKED = ['column', 'assigneeId', 'priority'] as const
const DEFAULT_COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']
/** Keys of responses that contain other records, and the list that follows from the only assignee. */
const RELATIONS = new Set(
  'assigneeIds kanbanItems subtasks labels transcriptSummaries metrics objectives teamAssignments'.split(' '),
)

export type Kind = keyof typeof TABLES
export type Fields = Record<string, unknown>

/** The values that each tracked field of an item has had, including the first. null counts as ''. */
export type Chains = Record<(typeof TRACKED)[number], unknown[]>

/** A write that a client may send. */
export interface Write {
  method: 'POST' | 'PATCH' | 'DELETE'
  kind: Kind
  /** The record it changes or deletes, or the parent of a new one. */
  target: string
  /** The fields it sets. A new record contains a unique text. */
  fields: Fields
  /** For a moved item: the end of its column. */
  position?: 'top' | 'bottom'
  /** Its Idempotency-Key, if it has one. */
  key?: string
}

/** A record that must be in the file. */
interface Known {
  kind: Kind
  parent: unknown
  fields: Fields
  chains: Chains
  /** For a project: the columns of its board. */
  columns: Set<unknown>
}

/** A client, and the records that only it writes. */
export interface Client {
  number: number
  known: Map<string, Known>
  /** Its sent write without a response. It has happened completely or not at all. */
  pending: Write | undefined
  /** The number of unique texts it has used. */
  marks: number
}

/** A change of an item that all clients write to. It sets all tracked fields, and a unique `assigneeId`. */
interface SharedChange extends Write {
  /** When it was sent and acknowledged, by the model's clock; Infinity for never. */
  sent: number
  answered: number
}

/** The clients' knowledge, as plain, cloneable data. */
export interface Model {
  clients: Client[]
  /** Owns the shared records. */
  shared: Client
  /** Changes of shared items since the last comparison with the file. */
  sharedChanges: SharedChange[]
  clock: number
}

/** The contents of a database file. */
export interface State {
  rows: Map<string, { kind: Kind; fields: Fields }>
  activity: Map<string, { type: string; from: unknown; to: unknown }[]>
  columns: Map<string, unknown[]>
  /** The Idempotency-Keys with stored responses, and the last change of each. */
  kept: Map<string, number | null>
}

const newClient = (number: number): Client => ({ number, known: new Map(), pending: undefined, marks: 0 })

/** A model of clients that have not sent anything yet. */
export const newModel = (clients: number): Model => ({
  clients: Array.from({ length: clients }, (_, number) => newClient(number)),
  shared: newClient(clients),
  sharedChanges: [],
  clock: 0,
})

/** The record itself, without its relations. */
export const withoutRelations = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !RELATIONS.has(name)))

/** Whether a record has each of the given fields. */
export const agrees = (record: Fields, fields: Fields): boolean =>
  Object.entries(fields).every(([name, value]) => isDeepStrictEqual(record[name], value))

const nameOf = ({ name, title }: Fields) => name ?? title
const inLog = (value: unknown) => value ?? ''

function forget(client: Client, id: string): void {
  client.known.delete(id)
  for (const [child, { parent }] of client.known) if (parent === id) forget(client, child)
}

/** Records that a write has happened. `record` is its result; ignored for a deletion. */
export function happened(client: Client, { method, kind, target, fields }: Write, record: Fields): void {
  if (method === 'DELETE') {
    forget(client, target)
    return
  }
  const known: Known =
    method === 'PATCH' ? lookUp(client, target) : { kind, ...startOf(record), fields: record }
  client.known.set(String(record.id), { ...known, fields: record })
  if (kind !== 'item') return
  prolong(known.chains, known.fields, record)
  if (fields.column !== undefined) lookUp(client, String(record.projectId)).columns.add(fields.column)
}

function lookUp(client: Client, id: string): Known {
  const known = client.known.get(id)
  if (!known) throw new Error(`client ${client.number} knows no ${id}`)
  return known
}

/** The chains of a new item. */
export const newChains = (record: Fields): Chains => ({
  column: [inLog(record.column)],
  assigneeId: [inLog(record.assigneeId)],
  priority: [inLog(record.priority)],
})

/** Records the new values of an item's tracked fields. */
export function prolong(chains: Chains, before: Fields, after: Fields): void {
  for (const field of TRACKED) if (after[field] !== before[field]) chains[field].push(inLog(after[field]))
}

const startOf = (record: Fields) => ({
  parent: record.itemId ?? record.projectId,
  chains: newChains(record),
  columns: new Set<unknown>(DEFAULT_COLUMNS),
})

/** Whether a write is to a shared record. */
export const isShared = (model: Model, client: Client, { target }: Write): boolean =>
  client !== model.shared && model.shared.known.has(target)

/** Records a client's sent write. @returns a function to call with the response's record once acknowledged */
export function sending(model: Model, client: Client, write: Write): (record: Fields) => void {
  model.clock += 1
  if (isShared(model, client, write)) {
    const change = { ...write, sent: model.clock, answered: Number.POSITIVE_INFINITY }
    model.sharedChanges.push(change)
    return () => {
      model.clock += 1
      change.answered = model.clock
    }
  }
  client.pending = write
  return (record) => {
    client.pending = undefined
    happened(client, write, record)
  }
}

/**
 * Reads a database file, with its log, that no process has open. Changes neither.
 * @returns its contents, and the result of SQLite's integrity check
 */
export function readState(file: string): { state: State; problems: string[] } {
  const client = new SQLite(file, { readonly: true, fileMustExist: true })
  try {
    const db = drizzle(client, { schema, casing: 'snake_case' })
    const problems: string[] = []
    const integrity = client.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') problems.push(`integrity_check: ${integrity}`)
    for (const row of client.pragma('foreign_key_check') as object[]) {
      problems.push(`foreign_key_check: ${JSON.stringify(row)}`)
    }
    try {
      holdsGroups(holdsSequence(client))
    } catch (error) {
      problems.push(`the sequence of changes does not tell the file: ${error}`)
    }
    const kept: State['kept'] = new Map(
      client.prepare<[], [string, number | null]>('select key, seq from idempotency_keys').raw().all(),
    )
    const rows: State['rows'] = new Map()
    for (const [kind, table] of Object.entries(TABLES) as [Kind, typeof schema.projects][]) {
      for (const stored of db.select().from(table).all()) {
        // Responses do not contain the first; the second is stored for several people only, of whom these clients make none.
        const { claimedFrom: _, assigneeIds: _a, ...fields } = stored as typeof stored & Fields
        rows.set(fields.id, { kind, fields })
      }
    }
    // In the order in which they were written.
    const entries = db.select().from(schema.kanbanActivity).orderBy(sql`rowid`).all()
    const activity = Map.groupBy(
      entries.map(({ itemId, type, metadata }) => ({
        itemId,
        type,
        from: metadata?.from,
        to: metadata?.to,
      })),
      ({ itemId }) => itemId,
    )
    const boards = Map.groupBy(db.select().from(schema.kanbanColumns).all(), ({ projectId }) => projectId)
    const columns = new Map([...boards].map(([id, columns]) => [id, columns.map(({ name }) => name)]))
    return { state: { rows, activity, columns, kept }, problems }
  } finally {
    client.close()
  }
}

/** The chains of values in an item's activity. `problems` gets inconsistencies of the activity itself. */
export function chainsIn({ activity }: State, id: string, item: Fields, problems: string[]): Chains {
  const chain = (field: keyof Chains): unknown[] => {
    const entries = (activity.get(id) ?? []).filter(({ type }) => type === ENTRY_TYPES[field])
    const current = inLog(item[field])
    const values: unknown[] = [entries.length > 0 ? entries[0]?.from : current]
    for (const { from, to } of entries) {
      if (from !== values.at(-1)) {
        problems.push(`broken log: ${field} of item ${id} from ${from} after ${values.at(-1)}`)
      }
      values.push(to)
    }
    if (values.at(-1) !== current) {
      problems.push(`half-written: ${field} of item ${id} is ${current}, its log says ${values.at(-1)}`)
    }
    return values
  }
  return { column: chain('column'), assigneeId: chain('assigneeId'), priority: chain('priority') }
}

/** Checks that the response to an unacknowledged write is stored if and only if the write has happened. */
function settleKey({ method, key }: Write, hasHappened: boolean, { kept }: State, problems: string[]): void {
  if (key === undefined || kept.has(key) === hasHappened) return
  // A change may leave a record as it was.
  if (hasHappened) problems.push(`half-written: nothing is kept of what happened with the key ${key}`)
  else if (method !== 'PATCH') problems.push(`half-written: kept, but not done, with the key ${key}`)
}

/** Determines whether the client's unacknowledged write has happened, and records it. @returns whether it has */
function settlePending(client: Client, { rows }: State, problems: string[]): boolean {
  const write = client.pending
  client.pending = undefined
  if (!write) return false
  const { method, kind, target, fields, position } = write
  const before = client.known.get(target)
  const made = () =>
    [...rows.values()].find((row) => row.kind === kind && nameOf(row.fields) === nameOf(fields))?.fields
  const record = method === 'POST' ? made() : rows.get(target)?.fields
  if (method === 'DELETE') {
    if (record) return false
    happened(client, write, {})
    return true
  }
  if (!record || isDeepStrictEqual(record, before?.fields)) return false
  // Values that the service chooses.
  const { updatedAt, sortOrder } = record
  const chosen = { updatedAt, ...(position && { sortOrder }) }
  const expected = method === 'POST' ? { ...record, ...fields } : { ...before?.fields, ...fields, ...chosen }
  if (!isDeepStrictEqual(record, expected)) {
    problems.push(`half-written: ${describe(write)} made ${JSON.stringify(record)}`)
  }
  happened(client, write, { ...expected })
  return true
}

/**
 * Sorts the changes of the shared items by the activity, and records them.
 * @returns how many of the unacknowledged ones have happened
 */
function settleShared(model: Model, state: State, problems: string[]): number {
  let unanswered = 0
  for (const [id, known] of model.shared.known) {
    const record = state.rows.get(id)?.fields
    if (known.kind !== 'item' || !record) continue
    const changes = model.sharedChanges.filter(({ target }) => target === id)
    const sentBy = new Map(changes.map((change) => [change.fields.assigneeId, change]))
    const log = chainsIn(state, id, record, []).assigneeId.slice(known.chains.assigneeId.length)
    const order = log.flatMap((assigneeId) => sentBy.get(assigneeId) ?? [])
    const isInLog = new Set(order)
    for (const change of changes) {
      if (change.answered < Number.POSITIVE_INFINITY && !isInLog.has(change)) {
        problems.push(`lost: ${describe(change)}`)
      }
    }
    let firstAnswer = Number.POSITIVE_INFINITY
    for (const change of order.toReversed()) {
      if (change.sent > firstAnswer) {
        problems.push(`out of order: ${describe(change)} before what was acknowledged before it was sent`)
      }
      firstAnswer = Math.min(firstAnswer, change.answered)
    }
    for (const change of order) {
      const { fields } = lookUp(model.shared, id)
      happened(model.shared, change, { ...fields, ...change.fields, updatedAt: record.updatedAt })
      if (change.answered === Number.POSITIVE_INFINITY) unanswered += 1
    }
  }
  model.sharedChanges = []
  return unanswered
}

/**
 * Compares a database file with the acknowledged writes. Afterwards the model knows which unacknowledged writes have happened.
 * @returns their number, and the problems: lost, half-written, not deleted, never requested
 */
export function settle(model: Model, state: State): { unanswered: number; problems: string[] } {
  const problems: string[] = []
  // Also that of a shared record, which the clients begin with.
  const settled = [...model.clients, model.shared].filter((client) => {
    const { pending } = client
    const hasHappened = settlePending(client, state, problems)
    if (pending) settleKey(pending, hasHappened, state, problems)
    return hasHappened
  })
  const unanswered = settled.length + settleShared(model, state, problems)
  const known = new Map([...model.clients, model.shared].flatMap(({ known }) => [...known]))
  for (const [id, { kind, fields, chains, columns }] of known) {
    const record = state.rows.get(id)?.fields
    if (!record) {
      problems.push(`lost: ${kind} ${id} ${nameOf(fields)}`)
      continue
    }
    if (!isDeepStrictEqual(record, fields)) {
      problems.push(`not as acknowledged: ${kind} ${JSON.stringify(record)}, not ${JSON.stringify(fields)}`)
    }
    const found = kind === 'item' ? chainsIn(state, id, record, problems) : chains
    for (const field of TRACKED) {
      if (!isDeepStrictEqual(found[field], chains[field])) {
        problems.push(`not as acknowledged: ${field} of item ${id} was ${found[field]}, not ${chains[field]}`)
      }
    }
    const board = (state.columns.get(id) ?? []).toSorted()
    if (kind === 'project' && !isDeepStrictEqual(board, [...columns].toSorted())) {
      problems.push(`half-written: project ${id} has the columns ${board}, not ${[...columns]}`)
    }
  }
  for (const [id, { kind, fields }] of state.rows) {
    if (!known.has(id)) problems.push(`not gone, or never asked for: ${kind} ${id} ${nameOf(fields)}`)
  }
  return { unanswered, problems }
}

/** Compares the service's responses with the file. @returns the problems */
export function compare({ rows }: State, shown: Fields[]): string[] {
  const ids = new Set(shown.map(({ id }) => id))
  const missing = [...rows.keys()].filter((id) => !ids.has(id))
  const different = shown.filter(
    (record) => !isDeepStrictEqual(withoutRelations(record), rows.get(String(record.id))?.fields),
  )
  return [
    ...missing.map((id) => `not shown: ${rows.get(id)?.kind} ${id}`),
    ...different.map((record) => `shown differently: ${JSON.stringify(withoutRelations(record))}`),
  ]
}

const describe = ({ method, kind, target, fields }: Write) =>
  `${method} ${kind} ${target} ${JSON.stringify(fields)}`
