/**
 * Which changes a caller sees: those of projects in its scope, including projects deleted since that it could see.
 *
 * Whoever did not see a project at a change does not see that change later, either: what happened while a project was `assigned` is only told to
 * those who were in it when it was opened or deleted, or who are in it, as long as it is `assigned`. So a caller who sees every project now, because
 * none is `assigned` any more, still does not see every change.
 */
import { createCache } from '../cache.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { writeInProgress } from '../db/current-write.ts'
import { readArrayText } from '../db/json-text.ts'
import { type Scope, scopeOf } from '../db/row-security.ts'
import { getOrMake, once } from '../once.ts'
import { maySee as mayRoleSee, type Reader, storedFields } from './api-changes.ts'
import { RecentDeletions } from './recent-deletions.ts'
import { isWithin, type Restriction, Restrictions } from './restrictions.ts'
import type { ChangeRow, Sequence } from './sequence.ts'
import { type Subjects, subjectOfKind } from './subjects.ts'

/** The fields of a change that determine its visibility. */
export type ChangeScope = Pick<ChangeRow, 'seq' | 'kind' | 'ownerId' | 'projectId' | 'fromProjectId'>

/** A member, as far as access to projects depends on it. */
type Person = Pick<Scope, 'memberId' | 'isGuest'>

/** What a reader sees of a project. */
interface Seen {
  /** Whether it sees the project, or saw it until its deletion. */
  isSeen: boolean
  /** The times without access that have ended: see {@link Restriction}. */
  hidden: readonly Restriction[]
}

const SEEN: Seen = { isSeen: true, hidden: [] }

/** The access to a project when it was deleted. */
interface Former {
  /** The last change of the project: it may have been restored, and deleted again. */
  seq: number
  isForEveryone: boolean
  /** The ids of the assigned members, and of those of its team. */
  memberIds: ReadonlySet<unknown>
}

/** Cached deleted projects, per connection. */
const REMEMBERED = 1000

const NOBODY: Omit<Former, 'seq'> = { isForEveryone: false, memberIds: new Set() }

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  exists: once(() => client.prepare<[string], number>('select 1 from main.projects where id = ?').pluck()),
  team: once(() =>
    client.prepare<[unknown], unknown>('select member_id from main.team_members where team_id = ?').pluck(),
  ),
  /** The members of a team before the first indexed change of them after one, as JSON. */
  formerTeam: once(() =>
    client
      .prepare<[number, unknown], string>(
        `select json_extract(before, '$.memberIds') from change_subjects as entry
        cross join changes on changes.seq = entry.seq
        where entry.subject = '${subjectOfKind('team')}' and entry.seq > +? and id = ? and action <> 'created'
        and case when json_valid(before) then json_type(before, '$.memberIds') end = 'array' order by entry.seq limit 1`,
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

/** What a view looks up. */
interface Sources {
  restrictions: Restrictions
  exists: (projectId: string) => boolean
  /** Whether a deleted project was visible when it was deleted. @throws TooMuchWork see {@link View.maySee} */
  sawUntilDeletion: (projectId: string, person: Person) => boolean
}

/** What one reader sees at one time: each project is looked up once. */
export class View {
  readonly #reader: Reader
  readonly #scope: Scope | undefined
  readonly #sources: Sources
  /** The projects that were looked up, by id. */
  readonly #seen = new Map<string, Seen>()
  readonly #areRestricted: () => boolean

  constructor(reader: Reader, scope: Scope | undefined, sources: Sources) {
    this.#reader = reader
    this.#scope = scope
    this.#sources = sources
    this.#areRestricted = once(() => sources.restrictions.exist())
  }

  /** Whether it shows less than everything. Then rows may differ from what is stored. */
  get isLimited(): boolean {
    return this.#scope !== undefined || (!seesAll(this.#reader) && this.#areRestricted())
  }

  /** @throws TooMuchWork on the event loop, if too many unindexed changes have not been examined yet: later calls continue */
  maySee(change: ChangeScope): boolean {
    return mayRoleSee(change, this.#reader) && this.#isIn(change)
  }

  /** Whether a change is shown as it is stored. @throws TooMuchWork like {@link maySee} */
  seesWhole(change: ChangeScope): boolean {
    return (
      this.maySee(change) && this.seesProject(change.fromProjectId, change.seq) && !this.#isOpening(change)
    )
  }

  /**
   * A change as shown to the reader. An item that moved to a project out of the reader's scope is shown as deleted; one that came from there
   * as updated, without its former place; likewise a project that was opened, without its former fields. The project of an idea is hidden if it
   * is out of scope.
   * @throws TooMuchWork like {@link maySee}
   */
  shown(row: ChangeRow): ChangeRow {
    if (!this.isLimited) return row
    const { seq, kind, projectId, fromProjectId } = row
    if (kind === 'personal-idea') return this.#ideaFor(row)
    if (this.#isOpening(row)) return { ...row, before: '{}' }
    if (fromProjectId === null) return row
    if (!this.seesProject(projectId, seq)) {
      return { ...row, action: 'deleted', projectId: fromProjectId, fromProjectId: null, after: null }
    }
    if (this.seesProject(fromProjectId, seq)) return row
    return { ...row, fromProjectId: null, before: '{}' }
  }

  /** Whether the reader sees what happened in a project at a change. @throws TooMuchWork like {@link maySee} */
  seesProject(id: string | null, seq: number): boolean {
    if (id === null || !this.isLimited) return true
    const { isSeen, hidden } = this.#of(id)
    return isSeen && !hidden.some((one) => isWithin(one, seq))
  }

  /** Whether a change opened its project to the reader. */
  #isOpening({ seq, kind, projectId }: ChangeScope): boolean {
    if (kind !== 'project' || projectId === null || !this.isLimited) return false
    return this.#of(projectId).hidden.some(({ lastSeq }) => lastSeq === seq - 1)
  }

  #of(id: string): Seen {
    return getOrMake(this.#seen, id, () => {
      const { restrictions, exists, sawUntilDeletion } = this.#sources
      const scope = this.#scope
      const person = scope ?? { memberId: this.#reader.id, isGuest: false }
      const isInScope = scope === undefined || scope.projects.has(id)
      const all = (scope?.followsAccess ?? true) && this.#areRestricted() ? restrictions.of(id) : []
      // Most projects were never `assigned`.
      if (isInScope && all.length === 0) return SEEN
      const isSeen =
        (isInScope && exists(id)) || ((isInScope || scope.isByAssignment) && sawUntilDeletion(id, person))
      return { isSeen, hidden: all.filter(({ memberIds }) => !memberIds.has(person.memberId)) }
    })
  }

  #isIn({ seq, kind, ownerId, projectId, fromProjectId }: ChangeScope): boolean {
    const scope = this.#scope
    if (projectId === null)
      return (
        scope === undefined || ((ownerId === null || scope.hasIdeas) && !(scope.isGuest && kind === 'person'))
      )
    return (
      this.seesProject(projectId, seq) || (fromProjectId !== null && this.seesProject(fromProjectId, seq))
    )
  }

  #ideaFor(row: ChangeRow): ChangeRow {
    const scope = this.#scope
    if (scope === undefined) return row
    const masked = (text: string | null): string | null => {
      const fields = text === null ? undefined : storedFields(text)
      const { promotedProjectId } = fields ?? {}
      if (typeof promotedProjectId !== 'string' || scope.projects.has(promotedProjectId)) return text
      return JSON.stringify({ ...fields, promotedProjectId: null })
    }
    return { ...row, before: masked(row.before), after: masked(row.after) }
  }
}

/** Whether no access to projects limits a reader without a scope, whatever it was in the past. */
const seesAll = ({ role, isUnlimited = false }: Reader): boolean => role === 'admin' || isUnlimited

/** Decides which changes are shown. */
export class Visibility {
  readonly restrictions: Restrictions
  readonly #db: SharedDatabase
  readonly #sequence: Sequence
  readonly #recent: RecentDeletions
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #former = createCache<string, Former>(REMEMBERED)

  constructor(db: SharedDatabase, sequence: Sequence, subjects: Subjects) {
    this.#db = db
    this.#sequence = sequence
    this.#recent = new RecentDeletions(db, subjects)
    this.restrictions = new Restrictions(db)
    this.#sql = statementsOf(db)
  }

  /** What a reader sees now: for the changes of one read. */
  of(reader: Reader): View {
    const scope = reader.scope === undefined ? scopeOf(this.#db) : reader.scope()
    // A write may be rolled back, and its places in the sequence are then used again.
    const isWrite = writeInProgress(this.#db) !== undefined
    const recent = isWrite ? this.#recent.anew() : this.#recent
    return new View(reader, scope, {
      restrictions: this.restrictions,
      exists: (id) => this.#exists(id),
      sawUntilDeletion: (id, person) => !this.#exists(id) && this.#sawProject(id, person, recent),
    })
  }

  /** See {@link View.maySee}, for a single change. */
  maySee(change: ChangeScope, reader: Reader): boolean {
    return this.of(reader).maySee(change)
  }

  /** See {@link View.shown}, for a single change. */
  shown(row: ChangeRow, reader: Reader): ChangeRow {
    return this.of(reader).shown(row)
  }

  /**
   * Whether readers who see every project now may see different ones of some changes, because a project was `assigned` then, or was deleted as such.
   */
  areForFew(changes: readonly Pick<ChangeRow, 'projectId' | 'fromProjectId'>[]): boolean {
    if (!this.restrictions.exist()) return false
    const ids = new Set(changes.flatMap(({ projectId, fromProjectId }) => [projectId, fromProjectId]))
    return [...ids].some((id) => id !== null && this.restrictions.of(id).length > 0)
  }

  #exists(id: string): boolean {
    return this.#sql.exists().get(id) === 1
  }

  /** Whether a deleted project was visible before. */
  #sawProject(id: string, { memberId, isGuest }: Person, recent: RecentDeletions): boolean {
    const { isForEveryone, memberIds } = read(this.#db, () => this.#formerly(id, recent))
    return (isForEveryone && !isGuest) || memberIds.has(memberId)
  }

  #formerly(id: string, recent: RecentDeletions): Former {
    const deletions = recent.of(id)
    const seq = deletions?.last ?? this.#sql.newestOfIndex().get(id) ?? 0
    const known = this.#former.get(id)
    if (known?.seq === seq) return known
    const former = { seq, ...this.#read(id, seq, recent) }
    if (recent === this.#recent) this.#former.set(id, former)
    return former
  }

  #read(id: string, seq: number, recent: RecentDeletions): Omit<Former, 'seq'> {
    const deletions = recent.of(id)
    const last = this.#sequence.one(seq)
    if (last === undefined) return NOBODY
    const group = this.#sequence.groupOf(last)
    const indexed = this.#sql.deleted().all(group, seq, id)
    const own = deletions?.own.at(-1) ?? 0
    const project = own >= group ? this.#sequence.one(own) : indexed.find(({ kind }) => kind === 'project')
    if (project === undefined) return NOBODY
    const { access = 'everyone', teamId = null } = storedFields(project.before ?? '{}') ?? {}
    const memberIds = new Set(teamId === null ? [] : this.#membersOfTeam(teamId, seq, recent))
    for (const one of deletions?.assignments ?? []) if (one.seq >= group) memberIds.add(one.memberId)
    for (const { kind, before } of indexed) {
      if (kind === 'team-assignment') memberIds.add(storedFields(before ?? '{}')?.memberId)
    }
    return { isForEveryone: access === 'everyone', memberIds }
  }

  /** The members that a team had at a change: who joins it later does not learn of a project that is gone. */
  #membersOfTeam(id: unknown, seq: number, recent: RecentDeletions): readonly unknown[] {
    const indexed = this.#sql.formerTeam().get(seq, id)
    if (indexed !== undefined) return readArrayText(indexed)
    return recent.membersOfTeam(String(id), seq) ?? this.#sql.team().all(id)
  }
}
