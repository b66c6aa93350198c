/** The net effect of a write: each record before and after it. */
import { idOf, KIND_NAMES, keyValuesOf } from '../db/kinds.ts'
import { validationFailed } from '../errors.ts'
import { type Fields, storedFields } from './api-changes.ts'
import type { ChangeRow } from './sequence.ts'

/** The error of a change that cannot be undone. @param why in words */
export const notUndone = (why: string) => validationFailed({ formErrors: [why], fieldErrors: {} })

/**
 * The net effect of a write on one record. `before` is null if it created the record, `after` if it deleted it. For a changed
 * record, both have the fields that differ. All values are stored values.
 */
export interface Effect {
  kind: string
  id: string
  /** The values of the key fields. */
  key: Fields
  /** Its parent after the last of the changes. */
  projectId: string | null
  itemId: string | null
  /** The stored actor of the first change. */
  actorId: string | null
  before: Fields | null
  after: Fields | null
}

/** Whether two stored values are the same. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other))

/** Names a record among all kinds. */
export const nameOf = (kind: string, id: unknown): string => `${kind} ${id}`

/** A parsed change for undo. */
interface ParsedChange extends Pick<ChangeRow, 'action'> {
  before: Fields | null
  after: Fields | null
}

/** A record before a change, from the record after it. */
function earlier({ action, before }: ParsedChange, known: Effect | undefined): Fields | null {
  if (known === undefined) return before
  if (known.before === null || action === 'created') return known.before
  return { ...before, ...known.before }
}

/** A record after a change. */
const later = ({ action, after }: ParsedChange, known: Effect | undefined): Fields | null =>
  action === 'updated' ? { ...known?.after, ...after } : after

const kinds = new Set(KIND_NAMES)

/** Whether a value is one that a column can hold. */
const isStored = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || Buffer.isBuffer(value)

/** Whether a row has the form that triggers write: `before` and `after` fit its action. */
function isWhole({ kind, id }: ChangeRow, { action, before, after }: ParsedChange): boolean {
  const form = { created: [false, true], updated: [true, true], deleted: [true, false] }[action]
  if (!kinds.has(kind) || form?.[0] !== (before !== null) || form[1] !== (after !== null)) return false
  const change = [before, after].filter((fields) => fields !== null)
  if (!change.every((fields) => Object.values(fields).every(isStored))) return false
  return action === 'updated' || change.every((fields) => idOf(kind, fields) === id)
}

/** Parses a row for undo. @throws ApiError 400 for an unusual row of another tool */
function parsed(row: ChangeRow): ParsedChange {
  const read = (text: string | null) => (text === null ? null : (storedFields(text) ?? null))
  const change = { action: row.action, before: read(row.before), after: read(row.after) }
  if (!isWhole(row, change))
    throw notUndone('a change that another tool wrote in an unusual form cannot be undone')
  return change
}

/** Reduces a changed record to the fields that differ. @returns undefined if none does */
function changed(effect: Effect & { before: Fields; after: Fields }): Effect | undefined {
  const { before, after } = effect
  const names = Object.keys(before).filter((name) => !isSame(before[name], after[name]))
  if (names.length === 0) return undefined
  const only = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return { ...effect, before: only(before), after: only(after) }
}

/**
 * The net effect of all changes of a write.
 * @param rows the changes, oldest first
 * @returns the changed records, by {@link nameOf}, in the order of their first changes
 * @throws ApiError 400 if another tool has written one that cannot be undone
 */
export function netEffect(rows: Iterable<ChangeRow>): Map<string, Effect> {
  const effects = new Map<string, Effect>()
  for (const row of rows) {
    const { kind, id, projectId, itemId } = row
    const name = nameOf(kind, id)
    const known = effects.get(name)
    const change = parsed(row)
    const before = earlier(change, known)
    const after = later(change, known)
    const fields = { id, ...before, ...after }
    effects.set(name, {
      kind,
      id,
      key: known?.key ?? keyValuesOf(kind, fields),
      projectId,
      itemId,
      actorId: known ? known.actorId : row.actorId,
      before,
      after,
    })
  }
  const isFleeting = (effect: Effect | undefined) => effect?.before === null && effect.after === null
  for (const [name, effect] of effects) {
    const { kind, before, after, itemId } = effect
    // The creation of activity entries is not recorded: one may be created and deleted with its item.
    if (kind === 'kanban-activity' && isFleeting(effects.get(nameOf('kanban-item', itemId)))) {
      effects.delete(name)
    } else if (before && after) {
      const difference = changed({ ...effect, before, after })
      if (difference) effects.set(name, difference)
      else effects.delete(name)
    }
  }
  for (const [name, effect] of effects) if (isFleeting(effect)) effects.delete(name)
  return effects
}
