/** Changes as the API shows them. The sequence has stored values; this module converts them to the API's types. */
import { type Column, getTableColumns } from 'drizzle-orm'
import { BY_COMMAND } from '../db/current-write.ts'
import { readObjectText } from '../db/json-text.ts'
import { isOwned, KINDS, kindNamed } from '../db/kinds.ts'
import type { Scope } from '../db/row-security.ts'
import { decoder } from '../db/statements.ts'
import type { Change } from '../schemas/records.ts'
import type { ChangeRow } from './sequence.ts'

/** A record, or some of its fields, by API names. */
export type Fields = Record<string, unknown>

/** The kinds that webhooks may receive: all but those private to an owner. */
export const WEBHOOK_KINDS: readonly string[] = KINDS.filter((one) => !isOwned(one)).map(({ kind }) => kind)

/** The caller. */
export interface Reader {
  id: string
  role: string
  /** Whether it saw every project at any time, though it is no admin: the default member of open mode. */
  isUnlimited?: boolean
  /** Its current scope, if it reads by rules with unlimited access; undefined: everything. */
  scope?: (() => Scope | undefined) | undefined
}

/** Whether a reader may see a change by its role; in which projects, `Visibility` decides. */
export const maySee = (
  { kind, ownerId }: Pick<ChangeRow, 'kind' | 'ownerId'>,
  { id, role }: Reader,
): boolean => role === 'admin' || (!kindNamed(kind)?.isForAdmins && (ownerId === null || ownerId === id))

/** Whether a change belongs to a project, or moved an item out of it. */
export const isOfProject = (
  { projectId, fromProjectId }: Pick<ChangeRow, 'projectId' | 'fromProjectId'>,
  id: string,
): boolean => projectId === id || fromProjectId === id

const decoders = new Map(
  KINDS.map(({ kind, table }) => {
    const columns = Object.entries<Column>(getTableColumns(table))
    return [kind, new Map(columns.map(([name, column]) => [name, decoder(column)]))]
  }),
)

/** A value that JSON cannot represent: bytes stored by another tool. */
interface Blob {
  blob: string
}

const isBlob = (value: unknown): value is Blob =>
  typeof value === 'object' && value !== null && 'blob' in value && typeof value.blob === 'string'

/**
 * The stored values of `before` or `after`, for writing them back.
 * @returns undefined if another tool has stored anything but a JSON object
 */
export function storedFields(text: string): Fields | undefined {
  const fields: Fields | undefined = readObjectText(text)
  if (fields === undefined) return undefined
  for (const [name, value] of Object.entries(fields)) {
    if (isBlob(value)) fields[name] = Buffer.from(value.blob, 'hex')
  }
  return fields
}

/** The values of `before` or `after` with API types; empty if unreadable: one bad row must not break the feed. */
export function shownFields(kind: string, text: string | null): Fields | null {
  if (text === null) return null
  const fields = storedFields(text) ?? {}
  for (const internal of kindNamed(kind)?.internal ?? []) delete fields[internal]
  const ofKind = decoders.get(kind)
  for (const [name, value] of Object.entries(fields)) {
    // Triggers write no other objects and arrays: they are returned unchanged.
    const isStored = Buffer.isBuffer(value) || typeof value !== 'object' || value === null
    const decode = isStored ? ofKind?.get(name) : undefined
    if (decode) fields[name] = decode(value)
    else if (Buffer.isBuffer(value)) fields[name] = value.toString()
  }
  return fields
}

/** `before` and `after` of a change, as the API shows them. */
export interface ShownChange {
  before: Fields | null
  after: Fields | null
}

/**
 * Completes the assignees in a change of an item: the stored list is empty for one or none, and changes of earlier versions lack it.
 * A change has it whenever it has either field of them.
 */
function showAssignees({ before, after }: ShownChange): void {
  const sides = [before ?? {}, after ?? {}] as const
  if (sides.every((fields) => !('assigneeId' in fields || 'assigneeIds' in fields))) return
  const [former, latter] = sides.map(({ assigneeIds }) => (Array.isArray(assigneeIds) ? assigneeIds : []))
  for (const [fields, other] of [
    [before, latter],
    [after, former],
  ] as const) {
    if (fields === null) continue
    // Of a change of the others alone, the other side has the first one.
    const first = 'assigneeId' in fields ? fields.assigneeId : other?.[0]
    const listed = Array.isArray(fields.assigneeIds) ? fields.assigneeIds : []
    fields.assigneeIds = listed.length > 0 ? listed : typeof first === 'string' && first !== '' ? [first] : []
  }
}

/** `before` and `after` of a change with API types. */
export function shownChange({
  kind,
  before,
  after,
}: Pick<ChangeRow, 'kind' | 'before' | 'after'>): ShownChange {
  const shown = { before: shownFields(kind, before), after: shownFields(kind, after) }
  if (kind === 'kanban-item') showAssignees(shown)
  return shown
}

/** The actor of a change in the API: a member, or another actor. */
export const madeBy = ({
  actorId,
  group,
}: Pick<ChangeRow, 'actorId' | 'group'>): Pick<Change, 'actorId' | 'actor'> => {
  if (actorId === BY_COMMAND) return { actorId: null, actor: 'command line' }
  if (actorId !== null) return { actorId }
  return { actorId: null, actor: group === null ? 'another tool' : 'service' }
}

/** A change as the API shows it. @param group see `Sequence.groupOf` */
export const toChange = (row: ChangeRow, group: number): Change => ({
  seq: row.seq,
  at: row.at,
  ...madeBy(row),
  group,
  kind: row.kind,
  id: row.id,
  projectId: row.projectId,
  itemId: row.itemId,
  action: row.action,
  ...shownChange(row),
})
