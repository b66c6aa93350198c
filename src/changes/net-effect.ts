/** What a write came to, whatever the steps: of each record, how it was before and how the write left it. */
import type { ChangeRow } from './sequence.ts'
import { keyOf } from './stored-rows.ts'
import { type Fields, storedFields } from './told.ts'

/**
 * What a write did to one record. `before` is null where it made the record, `after` where it deleted it. Of a record that
 * it changed, both have the fields that differ. All values as they are stored.
 */
export interface Effect {
  kind: string
  id: string
  /** The values of the fields that name the record. */
  key: Fields
  /** What it belonged to, after the last of the changes. */
  projectId: string | null
  itemId: string | null
  /** Who made the first of the changes; null for another tool. */
  actorId: string | null
  before: Fields | null
  after: Fields | null
}

/** Whether two stored values are the same. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other))

/** Names a record among all kinds. */
export const nameOf = (kind: string, id: unknown): string => `${kind} ${id}`

const fieldsOf = (text: string | null): Fields | null => (text === null ? null : storedFields(text))

/** What a record was before a change of the same write, from how it was after that change. */
function earlier({ action, before }: ChangeRow, known: Effect | undefined): Fields | null {
  if (known === undefined) return fieldsOf(before)
  if (known.before === null || action === 'created') return known.before
  return { ...fieldsOf(before), ...known.before }
}

/** How a change left a record. */
function later({ action, after }: ChangeRow, known: Effect | undefined): Fields | null {
  const left = fieldsOf(after)
  return action === 'updated' ? { ...known?.after, ...left } : left
}

/** Keeps of a changed record the fields that differ. @returns undefined where none does */
function changed(effect: Effect & { before: Fields; after: Fields }): Effect | undefined {
  const { before, after } = effect
  const names = Object.keys(before).filter((name) => !isSame(before[name], after[name]))
  if (names.length === 0) return undefined
  const only = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return { ...effect, before: only(before), after: only(after) }
}

/**
 * What all changes of a write came to.
 * @param rows the changes, oldest first
 * @returns the records that are not as they were, by {@link nameOf}, in the order of their first changes
 */
export function netEffect(rows: Iterable<ChangeRow>): Map<string, Effect> {
  const effects = new Map<string, Effect>()
  for (const row of rows) {
    const { kind, id, projectId, itemId } = row
    const name = nameOf(kind, id)
    const known = effects.get(name)
    const before = earlier(row, known)
    const after = later(row, known)
    const fields = { id, ...before, ...after }
    effects.set(name, {
      kind,
      id,
      key: known?.key ?? Object.fromEntries(keyOf(kind).map((field) => [field, fields[field as 'id']])),
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
    // That an activity entry came is not told: it may have come and gone with its item.
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
