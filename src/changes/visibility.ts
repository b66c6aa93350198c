/** Which changes a caller sees: those of projects in its scope, including projects deleted since that it could see. */
import { createCache } from '../cache.ts'
import type { SharedDatabase } from '../db/client.ts'
import { type Scope, scopeOf } from '../db/row-security.ts'
import { once } from '../once.ts'
import { maySee as mayRoleSee, type Reader, storedFields } from './api-changes.ts'
import type { ChangeRow, Sequence } from './sequence.ts'
import type { Subjects } from './subjects.ts'

/** The fields of a change that determine its visibility. */
type Head = Pick<ChangeRow, 'kind' | 'ownerId' | 'projectId' | 'fromProjectId'>

/** The access to a project when it was deleted. */
interface Former {
  /** The last change of the project: it may have been restored, and deleted again. */
  seq: number
  isForEveryone: boolean
  teamId: unknown
  /** The ids of the assigned members. */
  memberIds: ReadonlySet<unknown>
}

/** Cached deleted projects, per connection. */
const REMEMBERED = 1000

const NOBODY: Omit<Former, 'seq'> = { isForEveryone: false, teamId: null, memberIds: new Set() }

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  exists: once(() => client.prepare<[string], number>('select 1 from main.projects where id = ?').pluck()),
  isOfTeam: once(() =>
    client
      .prepare<[unknown, string], number>(
        'select 1 from main.team_members where team_id = ? and member_id = ?',
      )
      .pluck(),
  ),
  /** The deletions in a group of a project's own record, and of its assignments. */
  deleted: once(() =>
    client.prepare<[number, number, string], Pick<ChangeRow, 'kind' | 'before'>>(
      `select kind, cast(before as text) as before from changes where seq between ? and ? and project_id = ?
      and action = 'deleted' and kind in ('project', 'team-assignment')`,
    ),
  ),
})

/** Decides which changes are shown. */
export class Visibility {
  readonly #db: SharedDatabase
  readonly #sequence: Sequence
  readonly #subjects: Subjects
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #former = createCache<string, Former>(REMEMBERED)

  constructor(db: SharedDatabase, sequence: Sequence, subjects: Subjects) {
    this.#db = db
    this.#sequence = sequence
    this.#subjects = subjects
    this.#sql = statementsOf(db)
  }

  maySee(change: Head, reader: Reader): boolean {
    return mayRoleSee(change, reader) && this.#isIn(change, this.#scopeOf(reader))
  }

  /**
   * A change as shown to a reader. An item that moved from or to a project out of the reader's scope is shown as created or deleted, without
   * its former place. The project of an idea is hidden if it is out of scope.
   */
  shown(row: ChangeRow, reader: Reader): ChangeRow {
    const { kind, projectId, fromProjectId } = row
    const scope = this.#scopeOf(reader)
    if (scope === undefined) return row
    if (kind === 'personal-idea') return this.#ideaFor(row, scope)
    if (fromProjectId === null) return row
    if (!this.#sees(projectId, scope)) {
      return { ...row, action: 'deleted', projectId: fromProjectId, fromProjectId: null, after: null }
    }
    if (this.#sees(fromProjectId, scope)) return row
    return { ...row, fromProjectId: null, before: '{}' }
  }

  #ideaFor(row: ChangeRow, scope: Scope): ChangeRow {
    const masked = (text: string | null): string | null => {
      const fields = text === null ? undefined : storedFields(text)
      const { promotedProjectId } = fields ?? {}
      if (typeof promotedProjectId !== 'string' || scope.projects.has(promotedProjectId)) return text
      return JSON.stringify({ ...fields, promotedProjectId: null })
    }
    return { ...row, before: masked(row.before), after: masked(row.after) }
  }

  /**
   * Whether a project is in a reader's scope, or was.
   * @param reader by default that of the rules
   */
  seesProject(id: string | null, reader?: Reader): boolean {
    const scope = this.#scopeOf(reader)
    return scope === undefined || this.#sees(id, scope)
  }

  #scopeOf(reader?: Reader): Scope | undefined {
    return reader?.scope === undefined ? scopeOf(this.#db) : reader.scope()
  }

  #isIn({ kind, ownerId, projectId, fromProjectId }: Head, scope: Scope | undefined): boolean {
    if (scope === undefined) return true
    if (projectId === null)
      return (ownerId === null || scope.hasIdeas) && !(scope.isGuest && kind === 'person')
    return this.#sees(projectId, scope) || (fromProjectId !== null && this.#sees(fromProjectId, scope))
  }

  #sees(id: string | null, scope: Scope): boolean {
    if (id === null || scope.projects.has(id)) return true
    if (!scope.isByAssignment || this.#sql.exists().get(id) === 1) return false
    const { isForEveryone, teamId, memberIds } = this.#formerly(id)
    if (isForEveryone && !scope.isGuest) return true
    return memberIds.has(scope.memberId) || this.#sql.isOfTeam().get(teamId, scope.memberId) === 1
  }

  #formerly(id: string): Former {
    const seq = this.#subjects.newest(id) ?? 0
    const known = this.#former.get(id)
    if (known?.seq === seq) return known
    const former = { seq, ...this.#read(id, seq) }
    this.#former.set(id, former)
    return former
  }

  #read(id: string, seq: number): Omit<Former, 'seq'> {
    const last = this.#sequence.one(seq)
    if (last === undefined) return NOBODY
    const rows = this.#sql.deleted().all(this.#sequence.groupOf(last), seq, id)
    const project = rows.find(({ kind }) => kind === 'project')
    if (project === undefined) return NOBODY
    const { access = 'everyone', teamId = null } = storedFields(project.before ?? '{}') ?? {}
    const memberIds = rows.flatMap(({ kind, before }) =>
      kind === 'team-assignment' ? [storedFields(before ?? '{}')?.memberId] : [],
    )
    return { isForEveryone: access === 'everyone', teamId, memberIds: new Set(memberIds) }
  }
}
