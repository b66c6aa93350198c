/** Which changes a caller sees: those of projects in its scope, including projects deleted since that it could see. */
import { createCache } from '../cache.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { writeInProgress } from '../db/current-write.ts'
import { type Scope, scopeOf } from '../db/row-security.ts'
import { getOrMake, once } from '../once.ts'
import { maySee as mayRoleSee, type Reader, storedFields } from './api-changes.ts'
import { type ProjectDeletions, RecentDeletions } from './recent-deletions.ts'
import type { ChangeRow, Sequence } from './sequence.ts'
import { type Subjects, subjectOfKind } from './subjects.ts'

/** The fields of a change that determine its visibility. */
export type ChangeScope = Pick<ChangeRow, 'kind' | 'ownerId' | 'projectId' | 'fromProjectId'>

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
  newestOfIndex: once(() =>
    client
      .prepare<[string], number | null>('select max(seq) from change_subjects where subject = +?')
      .pluck(),
  ),
  /** The indexed deletions in a group of a project's own record, and of its assignments. */
  deleted: once(() =>
    client.prepare<[number, number, string], Pick<ChangeRow, 'kind' | 'before'>>(
      `select kind, cast(before as text) as before from change_subjects as entry
      cross join changes on changes.seq = entry.seq
      where entry.subject in ('${subjectOfKind('project')}', '${subjectOfKind('team-assignment')}')
      and entry.seq between +? and +? and project_id = ? and action = 'deleted'`,
    ),
  ),
})

/** What one reader sees at one time: each project is looked up once. */
export class View {
  readonly #reader: Reader
  readonly #scope: Scope | undefined
  readonly #sawProject: (id: string, scope: Scope) => boolean
  /** Projects out of scope, by id. */
  readonly #seen = new Map<string, boolean>()

  constructor(reader: Reader, scope: Scope | undefined, sawProject: (id: string, scope: Scope) => boolean) {
    this.#reader = reader
    this.#scope = scope
    this.#sawProject = sawProject
  }

  /** @throws TooMuchWork on the event loop, if too many unindexed changes have not been examined yet: later calls continue */
  maySee(change: ChangeScope): boolean {
    return mayRoleSee(change, this.#reader) && this.#isIn(change)
  }

  /**
   * A change as shown to the reader. An item that moved to a project out of the reader's scope is shown as deleted; one that came from there
   * as updated, without its former place. The project of an idea is hidden if it is out of scope.
   * @throws TooMuchWork like {@link maySee}
   */
  shown(row: ChangeRow): ChangeRow {
    const { kind, projectId, fromProjectId } = row
    const scope = this.#scope
    if (scope === undefined) return row
    if (kind === 'personal-idea') return this.#ideaFor(row, scope)
    if (fromProjectId === null) return row
    if (!this.seesProject(projectId)) {
      return { ...row, action: 'deleted', projectId: fromProjectId, fromProjectId: null, after: null }
    }
    if (this.seesProject(fromProjectId)) return row
    return { ...row, fromProjectId: null, before: '{}' }
  }

  /** Whether a project is in the reader's scope, or was. @throws TooMuchWork like {@link maySee} */
  seesProject(id: string | null): boolean {
    const scope = this.#scope
    if (scope === undefined || id === null || scope.projects.has(id)) return true
    return getOrMake(this.#seen, id, () => this.#sawProject(id, scope))
  }

  #isIn({ kind, ownerId, projectId, fromProjectId }: ChangeScope): boolean {
    const scope = this.#scope
    if (scope === undefined) return true
    if (projectId === null)
      return (ownerId === null || scope.hasIdeas) && !(scope.isGuest && kind === 'person')
    return this.seesProject(projectId) || (fromProjectId !== null && this.seesProject(fromProjectId))
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
}

/** Whoever the rules are for: its scope is the connection's. */
const OF_RULES: Reader = { id: '', role: 'admin' }

/** Decides which changes are shown. */
export class Visibility {
  readonly #db: SharedDatabase
  readonly #sequence: Sequence
  readonly #recent: RecentDeletions
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #former = createCache<string, Former>(REMEMBERED)

  constructor(db: SharedDatabase, sequence: Sequence, subjects: Subjects) {
    this.#db = db
    this.#sequence = sequence
    this.#recent = new RecentDeletions(db, subjects)
    this.#sql = statementsOf(db)
  }

  /** What a reader sees now: for the changes of one read. */
  of(reader: Reader): View {
    const scope = reader.scope === undefined ? scopeOf(this.#db) : reader.scope()
    // A write may be rolled back, and its places in the sequence are then used again.
    const isWrite = writeInProgress(this.#db) !== undefined
    const recent = isWrite ? this.#recent.anew() : this.#recent
    return new View(reader, scope, (id, its) => this.#sawProject(id, its, recent))
  }

  /** See {@link View.maySee}, for a single change. */
  maySee(change: ChangeScope, reader: Reader): boolean {
    return this.of(reader).maySee(change)
  }

  /** See {@link View.shown}, for a single change. */
  shown(row: ChangeRow, reader: Reader): ChangeRow {
    return this.of(reader).shown(row)
  }

  /** See {@link View.seesProject}, for a single project. @param reader by default that of the rules */
  seesProject(id: string | null, reader: Reader = OF_RULES): boolean {
    return this.of(reader).seesProject(id)
  }

  /** Whether a project out of scope has been deleted, and was visible before. */
  #sawProject(id: string, scope: Scope, recent: RecentDeletions): boolean {
    if (!scope.isByAssignment || this.#sql.exists().get(id) === 1) return false
    const { isForEveryone, teamId, memberIds } = read(this.#db, () => this.#formerly(id, recent))
    if (isForEveryone && !scope.isGuest) return true
    return memberIds.has(scope.memberId) || this.#sql.isOfTeam().get(teamId, scope.memberId) === 1
  }

  #formerly(id: string, recent: RecentDeletions): Former {
    const deletions = recent.of(id)
    const seq = deletions?.last ?? this.#sql.newestOfIndex().get(id) ?? 0
    const known = this.#former.get(id)
    if (known?.seq === seq) return known
    const former = { seq, ...this.#read(id, seq, deletions) }
    if (recent === this.#recent) this.#former.set(id, former)
    return former
  }

  #read(id: string, seq: number, recent: ProjectDeletions | undefined): Omit<Former, 'seq'> {
    const last = this.#sequence.one(seq)
    if (last === undefined) return NOBODY
    const group = this.#sequence.groupOf(last)
    const indexed = this.#sql.deleted().all(group, seq, id)
    const own = recent?.own.at(-1) ?? 0
    const project = own >= group ? this.#sequence.one(own) : indexed.find(({ kind }) => kind === 'project')
    if (project === undefined) return NOBODY
    const { access = 'everyone', teamId = null } = storedFields(project.before ?? '{}') ?? {}
    const memberIds = new Set<unknown>()
    for (const one of recent?.assignments ?? []) if (one.seq >= group) memberIds.add(one.memberId)
    for (const { kind, before } of indexed) {
      if (kind === 'team-assignment') memberIds.add(storedFields(before ?? '{}')?.memberId)
    }
    return { isForEveryone: access === 'everyone', teamId, memberIds }
  }
}
