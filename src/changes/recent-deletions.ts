/**
 * The deletions of projects and of their assignments, and the changes of teams, that are not in the index of the sequence yet. Each change is examined once per
 * connection, so that a check of a deleted project takes the same time, however far the index is behind.
 */
import type { SharedDatabase } from '../db/client.ts'
import { isLimited, TooMuchWork } from '../db/work-limits.ts'
import { getOrMake, once } from '../once.ts'
import { storedFields } from './api-changes.ts'
import type { Subjects } from './subjects.ts'

/** Changes examined at a time on the event loop: some 5 ms. */
const EXAMINED = 10_000

/** The deletions of a project. */
export interface ProjectDeletions {
  /** The last of them: of the project or one of its assignments. */
  last: number
  /** The deletions of the project's own record, oldest first. */
  own: number[]
  /** The deletions of its assignments. */
  assignments: { seq: number; memberId: unknown }[]
}

/** A team before a change. */
interface FormerTeam {
  seq: number
  memberIds: readonly unknown[]
}

interface DeletionRow {
  seq: number
  kind: string
  id: string
  projectId: string
  /** The record of an assignment, or the former fields of a team. */
  before: string | null
}

const DELETION = `(action = 'deleted' and kind in ('project', 'team-assignment') and project_id is not null
  or action <> 'created' and kind = 'team')`

const FIELDS = `kind, id, project_id as projectId, case when kind <> 'project' then cast(before as text) end as before`

function statementsOf({ $client: client }: SharedDatabase) {
  const rows = (sql: string) => once(() => client.prepare<[object], DeletionRow>(sql))
  return {
    newest: once(() => client.prepare<[], number>('select max(seq) from changes').pluck()),
    last: once(() =>
      client
        .prepare<[object], number | null>(
          'select max(seq) from (select seq from changes where seq > +:after order by seq limit +:count)',
        )
        .pluck(),
    ),
    deletions: rows(
      `select seq, ${FIELDS} from changes where seq > +:after and seq <= +:last and ${DELETION} order by seq`,
    ),
  }
}

/** The unindexed deletions of projects. All reads, each in one read transaction with those of the index. */
export class RecentDeletions {
  readonly #db: SharedDatabase
  readonly #subjects: Pick<Subjects, 'indexed'>
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #found = new Map<string, ProjectDeletions>()
  readonly #teams = new Map<string, FormerTeam[]>()
  /** The last examined change. */
  #examined = 0
  /** The last indexed change when the found ones were last cleared of indexed ones. */
  #indexed = 0

  constructor(db: SharedDatabase, subjects: Pick<Subjects, 'indexed'>, sql = statementsOf(db)) {
    this.#db = db
    this.#subjects = subjects
    this.#sql = sql
  }

  /** The same without what it has examined: for a write, whose changes may be rolled back. */
  anew(): RecentDeletions {
    return new RecentDeletions(this.#db, this.#subjects, this.#sql)
  }

  /**
   * The unindexed deletions of a project; undefined for none. Indexed ones may be among them.
   * @throws TooMuchWork on the event loop, if there are more to examine: the next call continues there
   */
  of(projectId: string): ProjectDeletions | undefined {
    this.#examine()
    return this.#found.get(projectId)
  }

  /** The members that a team had at a change, if an unindexed later one has changed them. @throws TooMuchWork like {@link of} */
  membersOfTeam(id: string, seq: number): readonly unknown[] | undefined {
    this.#examine()
    return this.#teams.get(id)?.find((one) => one.seq > seq)?.memberIds
  }

  #examine(): void {
    const newest = this.#sql.newest().get() ?? 0
    if (newest === this.#examined) return
    const indexed = this.#subjects.indexed()
    if (newest < this.#examined) this.#forget()
    else if (indexed > this.#indexed) this.#forgetUpTo(indexed)
    this.#examined = Math.max(this.#examined, indexed)
    while (this.#examined < newest) {
      this.#examineSome(newest)
      if (this.#examined < newest && isLimited(this.#db)) throw new TooMuchWork()
    }
  }

  #examineSome(newest: number): void {
    const after = this.#examined
    const last = this.#sql.last().get({ after, count: EXAMINED }) ?? newest
    for (const row of this.#sql.deletions().all({ after, last })) this.#add(row)
    this.#examined = last
  }

  #add({ seq, kind, id, projectId, before }: DeletionRow): void {
    if (kind === 'team') {
      const { memberIds } = storedFields(before ?? '{}') ?? {}
      if (Array.isArray(memberIds)) getOrMake(this.#teams, id, () => []).push({ seq, memberIds })
      return
    }
    const found = this.#found.get(projectId) ?? { last: seq, own: [], assignments: [] }
    this.#found.set(projectId, found)
    found.last = seq
    if (kind === 'project') found.own.push(seq)
    else found.assignments.push({ seq, memberId: storedFields(before ?? '{}')?.memberId })
  }

  #forgetUpTo(indexed: number): void {
    this.#indexed = indexed
    for (const [projectId, { last }] of this.#found) if (last <= indexed) this.#found.delete(projectId)
    for (const [id, all] of this.#teams) {
      const left = all.filter(({ seq }) => seq > indexed)
      if (left.length > 0) this.#teams.set(id, left)
      else this.#teams.delete(id)
    }
  }

  /** The file has fewer changes than before. */
  #forget(): void {
    this.#found.clear()
    this.#teams.clear()
    this.#examined = 0
    this.#indexed = 0
  }
}
