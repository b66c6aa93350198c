/** Undo of a write: one rule over its changes. */
import type { ActivityLog, Tracked } from '../board/activity-log.ts'
import { textWithFirst } from '../board/assignees.ts'
import type { Attachments } from '../board/attachments.ts'
import type { Board } from '../board/board.ts'
import type { CardNumbers } from '../board/card-numbers.ts'
import type { Claims } from '../board/claims.ts'
import type { ColumnNames } from '../board/column-names.ts'
import { endsLease, type Held, NO_LEASE } from '../board/leases.ts'
import type { SharedDatabase } from '../db/client.ts'
import { isConstraint } from '../db/constraints.ts'
import { type CurrentWrite, currentWrite } from '../db/current-write.ts'
import { isHolder, KIND_NAMES, kindNamed, REFERENCES } from '../db/kinds.ts'
import { LEAP } from '../db/lost-changes.ts'
import { markQuiet } from '../db/quiet-changes.ts'
import { ensureWritableIn, scopeOf } from '../db/row-security.ts'
import { ensureFew, rowLimit } from '../db/work-limits.ts'
import {
  ApiError,
  adminRequired,
  type Conflict,
  changedSince,
  changesGone,
  notFound,
  notOwner,
} from '../errors.ts'
import type { Actor, AuditLog } from '../members/audit-log.ts'
import { ensureMayShare } from '../members/sharing.ts'
import type { CurrentMember } from '../schemas/records.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import type { Fields, Reader } from './api-changes.ts'
import { changeText } from './change-text.ts'
import { Conflicts } from './conflicts.ts'
import { FormerLeases } from './former-leases.ts'
import type { Groups } from './groups.ts'
import { type Effect, isSame, nameOf, netEffect, notUndone } from './net-effect.ts'
import type { ChangeRow, Sequence } from './sequence.ts'
import { StoredRows, UNIQUE } from './stored-rows.ts'
import type { Subjects } from './subjects.ts'
import type { Visibility } from './visibility.ts'

/** The group of the changes that recorded existing records when the sequence began: the end of the migration `change-triggers`. */
const UPGRADE = 1

/** Most changes in one response: the others are read from the sequence. */
export const ANSWERED = 1000

/** A `seq` in a path. */
const SEQ = /^[1-9]\d{0,15}$/

/** A write to undo. */
interface Undoing {
  effects: ReadonlyMap<string, Effect>
  /** The current records, by `nameOf`. */
  current: ReadonlyMap<string, Fields>
  /** The columns that get their former names, by {@link renaming}. */
  renamings: ReadonlySet<string>
  /** The people that were merged, or unmerged, by {@link merger}. */
  mergers: ReadonlySet<string>
  /** Whether its current holder held an item before the write, too. */
  wasHeld: (effect: Effect) => boolean
  member: CurrentMember
  by: Actor
  at: string
}

const isGoing = (effect: Effect | undefined) => effect !== undefined && effect.before === null
const isComing = (effect: Effect | undefined) => effect !== undefined && effect.after === null

const tooMuch = (records: number) => new ApiError(413, 'Too much to undo', { details: { records } })

/** The other rules that undo needs. */
interface UndoParts {
  sequence: Sequence
  subjects: Subjects
  groups: Groups
  visibility: Visibility
  board: Pick<Board, 'activity' | 'attachments' | 'claims' | 'columnNames' | 'numbers'>
  audit: AuditLog
}

/** Undoes writes. */
export class Undo {
  static readonly reads: readonly string[] = []
  readonly #db: SharedDatabase
  readonly #sequence: Sequence
  readonly #groups: Groups
  readonly #visibility: Visibility
  readonly #activity: ActivityLog
  readonly #columnNames: ColumnNames
  readonly #numbers: CardNumbers
  readonly #claims: Claims
  readonly #attachments: Attachments
  readonly #audit: AuditLog
  readonly #rows: StoredRows
  readonly #formerLeases: FormerLeases
  readonly #limitActivity: (itemId: string) => void

  constructor(db: SharedDatabase, { sequence, subjects, groups, visibility, board, audit }: UndoParts) {
    this.#visibility = visibility
    this.#db = db
    this.#sequence = sequence
    this.#groups = groups
    this.#activity = board.activity
    this.#columnNames = board.columnNames
    this.#numbers = board.numbers
    this.#claims = board.claims
    this.#attachments = board.attachments
    this.#audit = audit
    this.#rows = new StoredRows(db)
    this.#formerLeases = new FormerLeases(sequence, subjects)
    this.#limitActivity = rowLimit(db, 'kanban_activity where item_id = +?')
  }

  /**
   * Undoes the write that contains a change: deletes created records, restores deleted ones, and resets changed
   * fields to their former values. All or nothing. Column limits do not apply, since it restores.
   * @param seq of the change, as in the path
   * @param by the member, for the audit log
   * @param most records that it may touch
   * @returns the first of its own changes, and their group, as JSON
   * @throws ApiError 404 for a change that does not exist or is hidden from the member, 410 for a pruned one, 400 for one that cannot
   * be undone, 403 if the member may not make such changes, 409 with the conflicts, 413; TooMuchWork
   */
  group(seq: string, member: CurrentMember, by: Actor, most = Number.POSITIVE_INFINITY): JsonBytes {
    const since = this.#sequence.last()
    const write = currentWrite(this.#db)
    const { effects, last } = this.#effectsOf(this.#changeToUndo(seq, member), member, most)
    const scope = scopeOf(this.#db)
    const current = this.#currentRows(effects)
    ensureRights(effects, current, member)
    const isDone = this.#columnNames.isDone.bind(this.#columnNames)
    const wasHeld = (effect: Effect) =>
      this.#formerLeases.wasHeld(effect, current.get(nameOf(effect.kind, effect.id)) ?? {}, last)
    const conflicts = new Conflicts(this.#rows, effects, current, { member, isDone, wasHeld }).all()
    if (conflicts.length > 0) throw changedSince(conflicts)
    this.#ensureFewEntries(effects)
    try {
      const [renamings, mergers] = [renamingsOf(effects), mergersOf(effects)]
      this.#restore({ effects, current, renamings, mergers, wasHeld, member, by, at: timestamp() })
    } catch (error) {
      if (!isConstraint(error)) throw error
      // It was restored before, and then moved to a project out of scope.
      if (scope !== undefined) throw changedSince(comingIn(effects))
      // Only another tool's change omits required fields.
      throw notUndone('a change that another tool wrote in an unusual form cannot be undone')
    }
    markQuiet(this.#db, since)
    return this.#answer(since, write, member)
  }

  /** The net effect of the write of a change, and its last change. @throws ApiError like {@link group}; TooMuchWork */
  #effectsOf(row: ChangeRow, member: CurrentMember, most: number) {
    const rows = this.#groupOf(row, member, most)
    ensureFew(this.#db, rows.length)
    const scope = scopeOf(this.#db)
    // Before any conflict is told.
    for (const { projectId, fromProjectId } of rows) {
      ensureWritableIn(scope, projectId)
      ensureWritableIn(scope, fromProjectId)
    }
    return { effects: withoutNewPeople(netEffect(rows)), last: rows.at(-1)?.seq ?? 0 }
  }

  /** The change to undo. @throws ApiError 404, 410 or 400 */
  #changeToUndo(text: string, member: CurrentMember): ChangeRow {
    const seq = SEQ.test(text) ? Number(text) : 0
    const oldest = this.#sequence.first()
    if (seq > 0 && seq < oldest) throw changesGone(oldest)
    const row = this.#sequence.one(seq)
    if (!row || !this.#visibility.of(member).seesWhole(row)) throw notFound('Change')
    if (row.kind === LEAP) throw notUndone('a leap of the sequence cannot be undone')
    const isUpgrade = row.group === UPGRADE && row.actorId === null && row.action === 'created'
    if (isUpgrade && !kindNamed(row.kind)?.isNeverUndone) {
      throw notUndone('the initial changes of a file cannot be undone')
    }
    return row
  }

  /** All changes of its group. @throws ApiError 404 if the member may not see them all, 410, 413, 400; TooMuchWork */
  #groupOf(row: ChangeRow, member: CurrentMember, most: number): ChangeRow[] {
    const view = this.#visibility.of(member)
    const scopes = this.#groups.scopesBeyond(row, most)
    const records = scopes.reduce((sum, one) => sum + (one.kind === 'person' ? 0 : one.records), 0)
    // Created people stay. A write that the member does not see whole is unknown, however large it is.
    if (records > most)
      throw scopes.every((one) => view.seesWhole(one)) ? tooMuch(records) : notFound('Change')
    const rows = this.#groups.changesOf(row)
    if (rows === undefined) throw changesGone(this.#sequence.first())
    // Another tool may have stored a wrong group.
    if (!rows.some(({ seq }) => seq === row.seq))
      throw notUndone('the changes of its write are not contiguous')
    if (!rows.every((one) => view.seesWhole(one))) throw notFound('Change')
    if (rows.some(({ kind }) => kindNamed(kind)?.isNeverUndone)) {
      throw notUndone('changes of members and teams cannot be undone')
    }
    return rows
  }

  #currentRows(effects: ReadonlyMap<string, Effect>): Map<string, Fields> {
    const current = new Map<string, Fields>()
    for (const [name, { kind, key }] of effects) {
      const row = this.#rows.one(kind, key)
      if (row) current.set(name, row)
    }
    return current
  }

  /** Deleted items take their activity entries along, which changes do not record. @throws TooMuchWork */
  #ensureFewEntries(effects: ReadonlyMap<string, Effect>): void {
    for (const effect of effects.values()) {
      if (effect.kind === 'kanban-item' && isGoing(effect)) this.#limitActivity(effect.id)
    }
  }

  /**
   * Restores everything. Children are deleted first, since they may have unique values that others get back; parents are
   * restored before their children, and deleted after them.
   */
  #restore(undoing: Undoing): void {
    const ofKind = Map.groupBy(undoing.effects.values(), ({ kind }) => kind)
    const parentsFirst = KIND_NAMES.map((kind) => ({ kind, effects: ofKind.get(kind) ?? [] }))
    const childrenFirst = parentsFirst.toReversed()
    for (const { kind, effects } of childrenFirst) if (!isHolder(kind)) this.#remove(effects, undoing)
    for (const { kind, effects } of parentsFirst) {
      const changed = effects.filter((effect) => !isGoing(effect) && !isComing(effect))
      this.#makeWay(kind, changed)
      for (const effect of changed) this.#change(effect, undoing)
      for (const effect of effects) if (isComing(effect)) this.#bringBack(effect, undoing)
    }
    for (const { kind, effects } of childrenFirst) if (isHolder(kind)) this.#remove(effects, undoing)
    this.#followRenamings(undoing)
    this.#dropCovers(undoing)
  }

  /** Newer claims' origins follow columns that get their former names. */
  #followRenamings({ renamings, at }: Undoing): void {
    for (const renaming of renamings) {
      const [projectId, from, to]: [string, string, string] = JSON.parse(renaming)
      this.#claims.follow(projectId, from, to, at)
    }
  }

  /** Removes covers whose attachment does not exist: this undo deletes it, or it was deleted before this undo restores the cover. */
  #dropCovers({ effects, at }: Undoing): void {
    for (const effect of effects.values()) {
      const { kind, id, itemId, before } = effect
      if (kind === 'attachment' && isGoing(effect) && itemId !== null) this.#attachments.dropCover(itemId, at)
      if (kind === 'kanban-item' && (before?.coverId ?? null) !== null) this.#attachments.dropCover(id, at)
    }
  }

  #remove(effects: readonly Effect[], undoing: Undoing): void {
    for (const effect of effects) {
      if (!isGoing(effect) || goesWithParent(effect, undoing.effects)) continue
      const { kind, id, key, after } = effect
      this.#rows.remove(kind, key)
      if (kind === 'project') this.#record('project-deleted', id, after, undoing)
    }
  }

  /** Records that swap unique values give them up first. */
  #makeWay(kind: string, changed: readonly Effect[]): void {
    const unique = UNIQUE.get(kind)
    if (!unique) return
    const field = unique.at(-1) as string
    const wanted = new Set(changed.map(({ before }) => before?.[field]))
    for (const { after, key, id } of changed) {
      if (after && field in after && wanted.has(after[field])) this.#rows.update(kind, key, { [field]: id })
    }
  }

  #change(effect: Effect, undoing: Undoing): void {
    const { kind, id, key, after } = effect
    const current = undoing.current.get(nameOf(kind, id)) ?? {}
    const { updatedAt, ...fields } = effect.before ?? {}
    const isLatest = isSame(current.updatedAt, after?.updatedAt)
    const values: Fields = {
      ...fields,
      ...(updatedAt !== undefined && { updatedAt: isLatest ? updatedAt : undoing.at }),
    }
    if (Object.keys(fields).length === 0 && !isLatest) return
    if (kind !== 'kanban-item') {
      this.#rows.update(kind, key, values)
      return
    }
    if ('projectId' in fields && !('number' in fields))
      values.number = this.#numbers.back(String(fields.projectId), id, current.number)
    // The first assignee may have changed since, and stays then.
    if ('assigneeIds' in fields && !('assigneeId' in fields))
      values.assigneeIds = textWithFirst(current.assigneeId, fields.assigneeIds)
    const item = { ...current, ...values } as unknown as Tracked & Held
    if ('column' in fields || 'projectId' in fields)
      this.#columnNames.ensure(item.projectId, item.column, undoing.at)
    const isMerger = undoing.mergers.has(merger(current.assigneeId, item.assigneeId))
    const keepsLease = isMerger || 'claimedUntil' in fields
    const isEnded =
      !keepsLease && this.#endsLease(current as unknown as Held, item) && !undoing.wasHeld(effect)
    this.#rows.update(kind, key, { ...values, ...(isEnded && NO_LEASE) })
    this.#activity.record({
      itemId: id,
      before: current as unknown as Tracked,
      after: {
        priority: item.priority,
        ...(!isMerger && { assigneeId: item.assigneeId }),
        ...(!undoing.renamings.has(renaming(item.projectId, current.column, item.column)) && {
          column: item.column,
        }),
      },
      actorId: undoing.member.id,
      at: undoing.at,
    })
  }

  /** Whether an item's former values end its lease. */
  #endsLease(current: Held, item: Held): boolean {
    return endsLease({ ...current, dismissed: Boolean(current.dismissed) }, item, (...column) =>
      this.#columnNames.isDone(...column),
    )
  }

  #bringBack({ kind, id, before }: Effect, undoing: Undoing): void {
    const fields = before as Fields
    const { projectId = '', column = '' } = fields as { projectId?: string; column?: string }
    // The board may have lost the column since; a wholly restored board has its columns.
    if (kind === 'kanban-item' && !isComing(undoing.effects.get(nameOf('project', projectId)))) {
      this.#columnNames.ensure(projectId, column, undoing.at)
    }
    // A change of an earlier version has no number.
    if (kind === 'kanban-item')
      this.#rows.insert(kind, {
        ...fields,
        number: 'number' in fields ? fields.number : this.#numbers.next(projectId),
      })
    else this.#rows.insert(kind, fields)
    if (kind === 'project') this.#record('project-restored', id, fields, undoing)
  }

  #record(
    action: 'project-deleted' | 'project-restored',
    subjectId: string,
    fields: Fields | null,
    { by }: Undoing,
  ): void {
    const name = String(fields?.name)
    this.#audit.record({ action, by, subjectId, subject: name, metadata: { name } })
  }

  /** The first of the new changes, and their group, as JSON, as the caller sees them. */
  #answer(since: number, write: CurrentWrite, reader: Reader): JsonBytes {
    const group = write.since + 1
    const rows = this.#sequence.after(since, ANSWERED)
    const view = this.#visibility.of(reader)
    const texts = rows.map((row) => changeText({ ...view.shown(row), actorId: write.actorId }, group))
    return Buffer.from(`{"group":${rows.length > 0 ? group : null},"changes":[${texts.join(',')}]}`)
  }
}

/** The records that an undo brings back, as conflicts. */
const comingIn = (effects: ReadonlyMap<string, Effect>): Conflict[] =>
  [...effects.values()].filter(isComing).map(({ kind, id }) => ({ kind, id }))

/** Whether a record is deleted by the cascade of its parent. */
const goesWithParent = ({ kind, after }: Effect, effects: ReadonlyMap<string, Effect>): boolean =>
  REFERENCES.some(
    (one) =>
      one.kind === kind && one.cascades && isGoing(effects.get(nameOf(one.parent, after?.[one.field]))),
  )

const renaming = (projectId: unknown, from: unknown, to: unknown) => JSON.stringify([projectId, from, to])

/** The columns that get their former names. Their items do not move. */
function renamingsOf(effects: ReadonlyMap<string, Effect>): Set<string> {
  const renamed = [...effects.values()].filter(
    ({ kind, before, after }) => kind === 'kanban-column' && before && after && 'name' in before,
  )
  return new Set(
    renamed.map(({ projectId, before, after }) => renaming(projectId, after?.name, before?.name)),
  )
}

/** A key of two people, in either direction of the merge. */
const merger = (...ids: unknown[]) => JSON.stringify(ids.toSorted())

/** The people that a write has merged or unmerged: ids were replaced, and no assignment changed. */
function mergersOf(effects: ReadonlyMap<string, Effect>): Set<string> {
  const people = [...effects.values()].filter(
    ({ kind, before, after }) => kind === 'person' && before && after,
  )
  return new Set(
    people.flatMap(({ id, before, after }) =>
      [before?.mergedInto, after?.mergedInto].flatMap((into) => (into ? [merger(id, into)] : [])),
    ),
  )
}

/**
 * The net effect of a write without created people: they stay, since other records may name them by now.
 * @throws ApiError 400 if it has forgotten a person
 */
function withoutNewPeople(effects: Map<string, Effect>): Map<string, Effect> {
  for (const [name, effect] of effects) {
    if (effect.kind !== 'person') continue
    if (isComing(effect)) throw notUndone('a forgotten person cannot be restored')
    if (isGoing(effect)) effects.delete(name)
  }
  return effects
}

/**
 * Checks that a member may make the undoing writes, by current rights: only admins may delete and restore projects, and not everybody says who may share them.
 * @throws ApiError 403
 */
function ensureRights(
  effects: ReadonlyMap<string, Effect>,
  current: ReadonlyMap<string, Fields>,
  member: CurrentMember,
): void {
  if (member.role === 'admin') return
  for (const [name, effect] of effects) {
    const { kind, before, after } = effect
    if (kind === 'person') throw adminRequired()
    if (kind === 'project' && (isComing(effect) || isGoing(effect))) throw adminRequired()
    if (kind === 'project' && before && 'shareLinks' in before)
      ensureMayShare(current.get(name)?.shareLinks, member)
    if (kind !== 'kanban-comment') continue
    const item = effects.get(nameOf('kanban-item', effect.itemId))
    if (isComing(item) || isGoing(item)) continue
    const { authorId } = { ...current.get(name), ...after, ...before }
    // If it was deleted since, its author is unknown: a conflict.
    if (authorId !== undefined && authorId !== member.id) throw notOwner('comment')
  }
}
