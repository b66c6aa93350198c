/** Conflicts of an undo, checked before anything is written. */
import { endsLease, type Held, isUnassigned } from '../board/leases.ts'
import { idOf, KIND_NAMES, kindNamed, REFERENCES } from '../db/kinds.ts'
import type { Conflict } from '../errors.ts'
import type { CurrentMember } from '../schemas/records.ts'
import { type Fields, maySee } from './api-changes.ts'
import { type Effect, isSame, nameOf } from './net-effect.ts'
import { type StoredRows, UNIQUE } from './stored-rows.ts'

/** Conflicts that one response lists, at most. */
const REPORTED = 100

const rankOf = ({ kind }: Effect): number => KIND_NAMES.indexOf(kind)

/** The origin of a claim is reported only with its lease. */
export const shownNameOf = (field: string) => (field === 'claimedFrom' ? 'claimedUntil' : field)

/** The current records of an undo, by `nameOf`; without deleted ones. */
type CurrentRows = ReadonlyMap<string, Fields>

/** A record after the undo; undefined if the undo deletes it. */
const restored = ({ before }: Effect, current: Fields | undefined): Fields | undefined =>
  before === null ? undefined : { ...current, ...before }

/** The member who undoes a write, and the boards. */
interface Undoer {
  /** Records that the member may not see are not named; another member's claim must not end. */
  member: CurrentMember
  /** Whether a column of a project is a done column on the current board. */
  isDone: (projectId: string, column: string) => boolean
  /** Whether its current holder held an item before the write, too. */
  wasHeld: (effect: Effect) => boolean
}

/** Finds the conflicts of undoing a write. */
export class Conflicts {
  readonly #rows: StoredRows
  readonly #effects: ReadonlyMap<string, Effect>
  readonly #current: CurrentRows
  readonly #undoer: Undoer
  /** The projects whose columns change. */
  readonly #changedBoards: ReadonlySet<string | null>
  readonly #found = new Map<string, Conflict>()
  readonly #existing = new Map<string, boolean>()

  constructor(rows: StoredRows, effects: ReadonlyMap<string, Effect>, current: CurrentRows, undoer: Undoer) {
    this.#rows = rows
    this.#effects = effects
    this.#current = current
    this.#undoer = undoer
    const columns = [...effects.values()].filter(({ kind }) => kind === 'kanban-column')
    this.#changedBoards = new Set(columns.map(({ projectId }) => projectId))
  }

  /** The first hundred conflicts, parents first. */
  all(): Conflict[] {
    const parentsFirst = [...this.#effects.values()].toSorted((one, other) => rankOf(one) - rankOf(other))
    for (const effect of parentsFirst) {
      if (this.#found.size >= REPORTED) break
      // A restored item has its entries again.
      if (effect.kind === 'kanban-activity' && this.#effect('kanban-item', effect.itemId)) continue
      this.#checkState(effect)
      this.#checkLease(effect)
      this.#checkReferences(effect)
      this.#checkPlace(effect)
      this.#checkUnique(effect)
      this.#checkBelongings(effect)
    }
    if (this.#found.size < REPORTED) this.#checkColumns()
    return [...this.#found.values()]
  }

  #add(conflict: Conflict): void {
    const { kind, id, field } = conflict
    if (this.#found.size < REPORTED) this.#found.set(JSON.stringify([kind, id, field]), conflict)
  }

  /** The number of records to read to find {@link REPORTED} that are not of this write. */
  #enough(): number {
    return this.#effects.size + REPORTED + 1
  }

  #effect(kind: string, id: unknown): Effect | undefined {
    return this.#effects.get(nameOf(kind, id))
  }

  #exists(kind: string, id: unknown): boolean {
    const name = nameOf(kind, id)
    const known = this.#existing.get(name)
    if (known !== undefined) return known
    const exists = this.#rows.having(kind, { id }, 1).length > 0
    this.#existing.set(name, exists)
    return exists
  }

  /** A deleted record must not exist again; any other must be as the write left it. */
  #checkState({ kind, id, after }: Effect): void {
    const current = this.#current.get(nameOf(kind, id))
    if ((after === null) === (current !== undefined)) this.#add({ kind, id })
    if (after === null || current === undefined) return
    const { quiet = [] } = kindNamed(kind) ?? {}
    for (const [field, value] of Object.entries(after)) {
      const isKept =
        field === 'updatedAt' || quiet.includes(field) || !(field in current) || isSame(current[field], value)
      if (!isKept) this.#add({ kind, id, field: shownNameOf(field) })
    }
  }

  /** An undo must not end another member's claim, which may be newer; admins may, as they may release it. */
  #checkLease(effect: Effect): void {
    const { kind, id, before } = effect
    const held = this.#current.get(nameOf(kind, id)) as Held | undefined
    if (kind !== 'kanban-item' || !held || held.claimedUntil === null || isUnassigned(held)) return
    const { member, isDone, wasHeld } = this.#undoer
    if (held.assigneeId === member.id || member.role === 'admin') return
    // A column that the same undo restores, or whose stage it restores, may be a done column afterwards.
    const mayBeDone = (projectId: string, column: string) =>
      this.#changedBoards.has(projectId) || isDone(projectId, column)
    const ends =
      before === null || 'claimedUntil' in before || (endsLease(held, before, mayBeDone) && !wasHeld(effect))
    if (ends) this.#add({ kind, id, field: 'claimedUntil' })
  }

  /** The parents and references of a record must exist after the undo. */
  #checkReferences({ kind, id, before }: Effect): void {
    if (before === null) return
    for (const { field, parent } of REFERENCES.filter((one) => one.kind === kind)) {
      const named = before[field]
      if (named === undefined || named === null) continue
      const effect = this.#effect(parent, named)
      const willExist = effect ? effect.before !== null : this.#exists(parent, named)
      if (!willExist) this.#add({ kind, id, field })
    }
  }

  /** A label is for items of its own project: the item must not have moved to another one. */
  #checkPlace({ kind, id, before, itemId, projectId }: Effect): void {
    if (kind !== 'kanban-item-label' || before === null || projectId === null) return
    const item = this.#effect('kanban-item', itemId)
    if (item && (item.before === null || 'projectId' in item.before)) return
    const current = this.#rows.having('kanban-item', { id: itemId, projectId }, 1)
    if (current.length === 0 && this.#exists('kanban-item', itemId)) this.#add({ kind, id, field: 'itemId' })
  }

  /** Unique values must not be taken by another record. */
  #checkUnique(effect: Effect): void {
    const { kind, id, before } = effect
    const unique = UNIQUE.get(kind)
    const final = restored(effect, this.#current.get(nameOf(kind, id)))
    if (!unique || !final || !before || !unique.some((field) => field in before)) return
    const wanted = Object.fromEntries(unique.map((field) => [field, final[field]]))
    for (const holder of this.#rows.having(kind, wanted, 1)) {
      if (holder.id === id || !this.#keeps(kind, holder.id, wanted)) continue
      this.#add({ kind, id, field: unique.at(-1) as string })
    }
  }

  /** Whether a record that has these values now will have them after the undo. */
  #keeps(kind: string, id: unknown, values: Fields): boolean {
    const effect = this.#effect(kind, id)
    if (!effect) return true
    const { before } = effect
    if (before === null) return false
    return Object.entries(values).every(
      ([field, value]) => !(field in before) || isSame(before[field], value),
    )
  }

  /** A record that the undo deletes must have no newer children. */
  #checkBelongings({ kind, id, before, after }: Effect): void {
    if (before !== null || after === null) return
    for (const { kind: child, field } of REFERENCES.filter(({ parent }) => parent === kind)) {
      if (kindNamed(child)?.onlyDeleted) continue
      for (const key of this.#rows.having(child, { [field]: id }, this.#enough())) {
        const name = idOf(child, key)
        if (!this.#keeps(child, name, { [field]: id })) continue
        this.#add(this.#isHidden(child, key) ? { kind, id } : { kind: child, id: name })
      }
    }
  }

  #isHidden(kind: string, key: Fields): boolean {
    const { ownerId = null } = this.#rows.one(kind, key) ?? {}
    return !maySee({ kind, ownerId: ownerId === null ? null : String(ownerId) }, this.#undoer.member)
  }

  /** Columns that the undo deletes or renames must be empty: items name them. */
  #checkColumns(): void {
    const columns = [...this.#effects.values()].filter(({ kind }) => kind === 'kanban-column')
    const places = columns.flatMap((effect) => {
      const current = this.#current.get(nameOf(effect.kind, effect.id))
      return [{ current: placeOf(current), final: placeOf(restored(effect, current)) }]
    })
    const final = new Set(places.map((place) => JSON.stringify(place.final)))
    for (const { current } of places) {
      if (current === undefined || final.has(JSON.stringify(current))) continue
      const [projectId, column] = current
      const project = this.#effect('project', projectId)
      if (project?.before === null) continue
      const values = { projectId, column }
      for (const { id } of this.#rows.having('kanban-item', values, this.#enough())) {
        if (this.#keeps('kanban-item', id, values))
          this.#add({ kind: 'kanban-item', id: String(id), field: 'column' })
      }
    }
  }
}

/** A column's board and name. */
const placeOf = (column: Fields | undefined): [unknown, unknown] | undefined =>
  column && [column.projectId, column.name]
