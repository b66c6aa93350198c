/**
 * The undo of a write that created or deleted whole projects, too large for one transaction: its conflicts and the rows to
 * restore, read a page at a time. It is written in slices (see `src/worker/large-tasks.ts`).
 */
import { getTableName } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { BELONGINGS, holderOf, idIn, keyValuesOf, REFERENCES } from '../db/kinds.ts'
import { ROWS_UNDONE } from '../db/work-limits.ts'
import { ApiError, adminRequired, type Conflict, changedSince, changesGone, notFound } from '../errors.ts'
import { once } from '../once.ts'
import type { CurrentMember } from '../schemas/records.ts'
import { type Fields, maySee, storedFields } from './api-changes.ts'
import { shownNameOf } from './conflicts.ts'
import { type Groups, isOfOne } from './groups.ts'
import { isSame, notUndone } from './net-effect.ts'
import type { ChangeRow, Sequence } from './sequence.ts'
import { StoredRows } from './stored-rows.ts'
import type { Undo } from './undo.ts'
import type { ChangeScope } from './visibility.ts'

/** Conflicts that one response lists, at most. */
const REPORTED = 100

/** Changes read at a time. */
const PAGE = 500

/** An idea that names a restored project, and its current project. */
export interface Promoted {
  id: string
  before: unknown
  after: unknown
}

/** The plan of undoing a large write. */
export interface LargeUndoPlan {
  /** The first and the last change of the write. */
  first: number
  last: number
  /** The newest examined change. */
  checked: number
  /** The created projects, which the undo deletes; and the deleted ones, which it restores: the fields of their rows. */
  going: string[]
  coming: Fields[]
  ideas: Promoted[]
}

/** A row to insert. */
export interface RestoredRow {
  kind: string
  fields: Fields
}

const unreadable = () => notUndone('a change that another tool wrote in an unusual form cannot be undone')

/** An examined change: of a record that its write created or deleted. */
type Made = Pick<ChangeRow, 'seq' | 'kind' | 'id' | 'itemId'> & { record: string }

const RANGE = 'seq >= +:first and seq <= +:last'

function statementsOf({ $client: client }: SharedDatabase) {
  const inProjects = 'project_id in (select value from json_each(:ids))'
  return {
    lastOfGroup: client
      .prepare<[object], number>(
        `select ifnull((select seq - 1 from changes where seq > +:first and "group" is not +:group order by seq limit 1),
        (select max(seq) from changes))`,
      )
      .pluck(),
    kinds: client.prepare<[object], Pick<ChangeRow, 'kind' | 'ownerId'>>(
      `select distinct kind, owner_id as ownerId from changes where ${RANGE}`,
    ),
    scopes: client.prepare<[object], ChangeScope>(
      `select min(seq) as seq, kind, owner_id as ownerId, project_id as projectId, from_project_id as fromProjectId
      from changes where ${RANGE} group by kind, owner_id, project_id, from_project_id`,
    ),
    projects: client.prepare<[object], Pick<ChangeRow, 'id' | 'action' | 'before'>>(
      `select id, action, before from changes where ${RANGE} and kind = 'project'`,
    ),
    ideas: client.prepare<[object], Pick<ChangeRow, 'id' | 'before' | 'after'>>(
      `select id, before, after from changes where ${RANGE} and kind = 'personal-idea'`,
    ),
    /** A change that neither belongs to a record created or deleted with its project, nor to an idea that names the project, nor creates a person. */
    other: client
      .prepare<[object], number>(
        `select seq from changes where ${RANGE} and not (
          (${inProjects} and action = :action and from_project_id is null)
          or (kind = 'personal-idea' and action = 'updated') or (kind = 'person' and action = 'created')) limit 1`,
      )
      .pluck(),
    repeated: client
      .prepare<[object], number>(
        `select 1 from changes where ${RANGE} group by kind, id having count(*) > 1 limit 1`,
      )
      .pluck(),
    page: client.prepare<[object], Made>(
      `select seq, kind, id, item_id as itemId, ifnull(after, before) as record from changes
      where seq > +:seq and seq <= +:last and kind not in ('personal-idea', 'person') order by seq limit ${PAGE}`,
    ),
    pageOf: client.prepare<[object], Made>(
      `select seq, kind, id, item_id as itemId, before as record from changes
      where seq > +:seq and seq <= +:last and kind = :kind order by seq limit ${PAGE}`,
    ),
    countOf: client
      .prepare<[object], number>(
        `select count(*) from changes where ${RANGE} and kind = :kind and project_id = :project`,
      )
      .pluck(),
    idsOf: client.prepare<[object], string>(`select id from changes where ${RANGE} and kind = :kind`).pluck(),
    touched: client
      .prepare<[object], number>(
        `select 1 from changes where seq > +:checked
        and (${inProjects} or from_project_id in (select value from json_each(:ids))) limit 1`,
      )
      .pluck(),
  }
}

/** The child records of a project by kind: the rows of the tables, and their names. */
const ROWS = BELONGINGS.filter(({ onlyDeleted }) => !onlyDeleted).map((kind) => {
  const table = getTableName(kind.table)
  const isOfItem = holderOf(kind) === 'kanban-item'
  const condition = isOfItem
    ? 'item_id in (select id from kanban_items where project_id = ?)'
    : 'project_id = ?'
  return { kind: kind.kind, rows: `from ${table} where ${condition}`, name: idIn(kind, table) }
})

const tooMuch = () => new ApiError(413, 'Too much to undo at once')

/** Plans the undo of a large write. */
export class LargeUndo {
  readonly #db: SharedDatabase
  readonly #undo: Pick<Undo, 'changeToUndo' | 'isSeen'>
  readonly #sequence: Sequence
  readonly #groups: Groups
  readonly #rows: StoredRows
  readonly #statements: () => ReturnType<typeof statementsOf>

  /** @param undo of the same connection */
  constructor(
    db: SharedDatabase,
    undo: Pick<Undo, 'changeToUndo' | 'isSeen'>,
    sequence: Sequence,
    groups: Groups,
  ) {
    this.#db = db
    this.#undo = undo
    this.#sequence = sequence
    this.#groups = groups
    this.#rows = new StoredRows(db)
    this.#statements = once(() => statementsOf(db))
  }

  get #sql(): ReturnType<typeof statementsOf> {
    return this.#statements()
  }

  /**
   * Plans the undo of a write, in a read that blocks no others.
   * @returns undefined if it cannot be done in slices, but is small enough for one transaction
   * @throws ApiError like `Undo.group`; 413 if neither is possible
   */
  plan(seq: string, member: CurrentMember): LargeUndoPlan | undefined {
    return read(this.#db, () => {
      const checked = this.#sequence.last()
      const row = this.#undo.changeToUndo(seq, member)
      const first = this.#sequence.groupOf(row)
      const last = this.#sql.lastOfGroup.get({ first, group: row.group }) ?? row.seq
      const range = { first, last }
      if (row.group === null) return this.#atOnce(range)
      if (!this.#groups.isWhole(row, first)) throw changesGone(this.#sequence.first())
      const kinds = this.#sql.kinds.all(range)
      if (!kinds.every((kind) => maySee(kind, member))) throw notFound('Change')
      const made = this.#sql.projects.all(range)
      const action = made[0]?.action
      const ids = made.map(({ id }) => id)
      const isOfProjects =
        (action === 'created' || action === 'deleted') &&
        this.#sql.other.get({ ...range, action, ids: JSON.stringify(ids) }) === undefined &&
        this.#sql.repeated.get(range) === undefined
      if (!isOfProjects) return this.#atOnce(range)
      if (member.role !== 'admin') throw adminRequired()
      const ideas = this.#ideasOf(range)
      const plan: LargeUndoPlan = {
        ...{ ...range, checked, ideas },
        going: action === 'created' ? ids : [],
        coming: action === 'deleted' ? made.map(({ before }) => fieldsIn(before)) : [],
      }
      const conflicts = this.#conflicts(plan, member)
      if (conflicts.length > 0) throw changedSince(conflicts)
      return plan
    })
  }

  /**
   * Ensures that the undo of a write is small enough for one transaction: for a caller with limited access, for whom there are no slices.
   * @throws ApiError like `Undo.group`; 413
   */
  ensureFew(seq: string, member: CurrentMember): void {
    read(this.#db, () => {
      const row = this.#undo.changeToUndo(seq, member)
      const first = this.#sequence.groupOf(row)
      const last = first + ROWS_UNDONE
      const far = this.#sequence.one(last)
      if (far === undefined || !isOfOne(far, row)) return
      // A write that the caller does not see whole is unknown, however large it is.
      const isSeen = this.#sql.scopes.all({ first, last }).every((scope) => this.#undo.isSeen(scope, member))
      throw isSeen ? tooMuch() : notFound('Change')
    })
  }

  /** Whether its projects have changed since the plan was made. */
  isOutdated({ checked, going, coming }: LargeUndoPlan): boolean {
    const ids = JSON.stringify([...going, ...coming.map(({ id }) => id)])
    return (
      this.#sql.touched.get({ checked, ids }) === 1 ||
      coming.some(({ id }) => this.#rows.one('project', { id }) !== undefined || this.#rows.isHidden(id))
    )
  }

  /** The rows to restore with their projects, parents first, without the projects' own. */
  *rowsOf({ first, last }: LargeUndoPlan): Generator<RestoredRow, void, void> {
    for (const { kind } of BELONGINGS) {
      for (const { record } of this.#pages((seq) => this.#sql.pageOf.all({ seq, last, kind }), first)) {
        yield { kind, fields: fieldsIn(record) }
      }
    }
  }

  /** Inserts a former row, inside a write. */
  bringBack({ kind, fields }: RestoredRow): void {
    this.#rows.insert(kind, fields)
  }

  #atOnce({ first, last }: { first: number; last: number }): undefined {
    if (last - first >= ROWS_UNDONE) throw tooMuch()
  }

  #ideasOf(range: object): Promoted[] {
    return this.#sql.ideas.all(range).map(({ id, before, after }) => ({
      id,
      before: fieldsIn(before).promotedProjectId ?? null,
      after: fieldsIn(after).promotedProjectId ?? null,
    }))
  }

  *#pages(page: (seq: number) => Made[], first: number): Generator<Made, void, void> {
    for (let rows = page(first - 1); rows.length > 0; rows = page(rows.at(-1)?.seq as number)) yield* rows
  }

  /** The first hundred conflicts. */
  #conflicts(plan: LargeUndoPlan, member: CurrentMember): Conflict[] {
    const { first, last, going, ideas } = plan
    const found = new Map<string, Conflict>()
    const add = (conflict: Conflict) => found.set(JSON.stringify(conflict), conflict)
    const isEnough = () => found.size >= REPORTED
    const check = going.length > 0 ? this.#checkGoing : this.#checkComing(plan)
    for (const made of this.#pages((seq) => this.#sql.page.all({ seq, last }), first)) {
      if (isEnough()) break
      for (const conflict of check.call(this, made)) add(conflict)
    }
    for (const id of going) if (!isEnough()) for (const one of this.#newIn(id, plan, member)) add(one)
    for (const { id, after } of ideas) {
      const current = this.#rows.one('personal-idea', { id })
      if (current === undefined) add({ kind: 'personal-idea', id })
      else if (!isSame(current.promotedProjectId, after)) {
        add({ kind: 'personal-idea', id, field: 'promotedProjectId' })
      }
    }
    return [...found.values()].slice(0, REPORTED)
  }

  /** A created record must be unchanged. */
  #checkGoing({ kind, id, record }: Made): Conflict[] {
    const made = fieldsIn(record)
    const current = this.#rows.one(kind, keyValuesOf(kind, made))
    if (current === undefined) return [{ kind, id }]
    return Object.entries(made)
      .filter(([name, value]) => name !== 'updatedAt' && name in current && !isSame(current[name], value))
      .map(([name]) => ({ kind, id, field: shownNameOf(name) }))
  }

  /** A deleted record must not exist, and its parent must exist or be restored. */
  #checkComing({ first, last, coming }: LargeUndoPlan): (made: Made) => Conflict[] {
    const idsOf = (kind: string) => this.#sql.idsOf.all({ first, last, kind })
    const parents = new Map(REFERENCES.map(({ parent }) => [parent, new Set<unknown>(idsOf(parent))]))
    parents.set('project', new Set(coming.map(({ id }) => id)))
    const isThere = (kind: string, id: unknown) =>
      parents.get(kind)?.has(id) || this.#rows.having(kind, { id }, 1).length > 0
    return ({ kind, id, record }) => {
      const fields = fieldsIn(record)
      if (this.#rows.one(kind, keyValuesOf(kind, fields)) !== undefined) return [{ kind, id }]
      return REFERENCES.filter((one) => one.kind === kind && !isThere(one.parent, fields[one.field])).map(
        ({ field }) => ({ kind, id, field }),
      )
    }
  }

  /** Newer records in a project: if it has more than were created. */
  *#newIn(
    project: string,
    { first, last, ideas }: LargeUndoPlan,
    member: CurrentMember,
  ): Generator<Conflict> {
    const { $client: client } = this.#db
    for (const { kind, rows, name } of ROWS) {
      const now = client.prepare<[string], number>(`select count(*) ${rows}`).pluck().get(project) ?? 0
      if (now === 0) continue
      // All created records still exist, as checked above.
      if (now === this.#sql.countOf.get({ first, last, kind, project })) continue
      const made = new Set(this.#sql.idsOf.all({ first, last, kind }))
      for (const id of client.prepare<[string], string>(`select ${name} ${rows}`).pluck().iterate(project)) {
        if (!made.has(id)) yield { kind, id }
      }
    }
    const known = new Set(ideas.map(({ id }) => id))
    for (const { id } of this.#rows.having('personal-idea', { promotedProjectId: project }, REPORTED)) {
      if (known.has(String(id))) continue
      const { ownerId } = this.#rows.one('personal-idea', { id }) ?? {}
      const isShown = maySee({ kind: 'personal-idea', ownerId: String(ownerId) }, member)
      yield isShown ? { kind: 'personal-idea', id: String(id) } : { kind: 'project', id: project }
    }
  }
}

/** The stored values in a change. @throws ApiError 400 if another tool has written an unusual one */
function fieldsIn(text: string | null): Fields {
  const fields = text === null ? undefined : storedFields(text)
  if (fields === undefined) throw unreadable()
  return fields
}
