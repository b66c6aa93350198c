/** Teams of members. Identity may live in another system, so a team may contain unknown ids. */
import { Type } from '@sinclair/typebox'
import { and, asc, eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { inOrder } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { changesPending, teamMembers, teams } from '../db/schema.ts'
import {
  change,
  deleteFrom,
  existsIn,
  given,
  insertInto,
  insertReturning,
  selectAll,
  selectById,
  updateIn,
} from '../db/statements.ts'
import { bytesOf, readLimit } from '../db/work-limits.ts'
import { ref } from '../schemas/common.ts'
import { type Team, TeamSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import type { Actor, AuditLog } from './audit-log.ts'

/** Fields that an admin may set. */
type TeamInput = Partial<Pick<Team, 'name' | 'description' | 'memberIds'>>

/** The kind under which the former members of a team are noted (see `change-triggers.ts`). */
const MEMBERS = 'team-members'

type TeamRow = typeof teams.$inferSelect
type Membership = typeof teamMembers.$inferSelect

const statementsOf = (db: SharedDatabase) => ({
  one: selectById(db, teams),
  all: selectAll<TeamRow>(db, () =>
    db
      .select()
      .from(teams)
      .orderBy(...inOrder(teams)),
  ),
  membersOf: selectAll<Membership>(db, () =>
    db
      .select()
      .from(teamMembers)
      .where(eq(teamMembers.teamId, given('teamId')))
      .orderBy(asc(teamMembers.memberId)),
  ),
  membersOfAll: selectAll<Membership>(db, () =>
    db.select().from(teamMembers).orderBy(asc(teamMembers.teamId), asc(teamMembers.memberId)),
  ),
  limit: readLimit(db, [
    { rows: 'teams', bytes: bytesOf('description') },
    { rows: 'team_members', bytes: '0' },
  ]),
  insert: insertReturning(db, teams),
  update: updateIn(db, teams),
  remove: deleteFrom(db, teams),
  exists: existsIn(db, teams),
  note: insertInto(db, changesPending),
  forget: change(() =>
    db
      .delete(changesPending)
      .where(and(eq(changesPending.kind, MEMBERS), eq(changesPending.id, given('teamId')))),
  ),
  addMember: insertInto(db, teamMembers),
  removeMembers: change(() => db.delete(teamMembers).where(eq(teamMembers.teamId, given('teamId')))),
})

const withMembers = (team: TeamRow, memberships: Membership[] = []): Team => ({
  ...team,
  memberIds: memberships.map(({ memberId }) => memberId),
})

export class Teams {
  static readonly reads: readonly string[] = ['get', 'list']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #audit: AuditLog
  readonly #toJson = createJsonWriter(Type.Array(ref(TeamSchema)))

  constructor(db: SharedDatabase, audit: AuditLog) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#audit = audit
  }

  /** One team. @throws ApiError 404 */
  get(id: string): Team {
    return read(this.#db, () => this.#withMembers(this.#sql.one(id) ?? throwNotFound(teams)))
  }

  /** All teams, by id, or a page of them. @throws TooMuchWork */
  list(query: PageQuery = {}): JsonPage {
    const all = read(this.#db, () => {
      this.#sql.limit()
      const memberships = Map.groupBy(this.#sql.membersOfAll(), ({ teamId }) => teamId)
      return this.#sql.all().map((team) => withMembers(team, memberships.get(team.id)))
    })
    return pageOfRows(all, query, this.#toJson)
  }

  create({ memberIds = [], ...fields }: TeamInput & { name: string }, by: Actor): Team {
    const at = timestamp()
    const team = this.#sql.insert({ ...fields, id: newId(), createdAt: at, updatedAt: at })
    if (memberIds.length > 0) {
      this.#replaceMembers(team.id, memberIds, () => this.#sql.update(team.id, { updatedAt: at }))
    }
    this.#record('created', team, by)
    return this.#withMembers(team)
  }

  /** Changes a team; an empty change does not even change `updatedAt`. @throws ApiError 404 */
  update(id: string, { memberIds, ...fields }: TeamInput, by: Actor): Team {
    if (memberIds === undefined && Object.keys(fields).length === 0) return this.get(id)
    if (!this.#sql.exists(id)) throwNotFound(teams)
    const change = () => this.#sql.update(id, { ...fields, updatedAt: timestamp() }) as TeamRow
    const team = memberIds === undefined ? change() : this.#replaceMembers(id, memberIds, change)
    this.#record('changed', team, by)
    return this.#withMembers(team)
  }

  /** Deletes a team; its projects keep its id. @throws ApiError 404 */
  delete(id: string, by: Actor): void {
    const team = this.#sql.one(id) ?? throwNotFound(teams)
    this.#sql.remove(id)
    this.#record('deleted', team, by)
  }

  #withMembers(team: TeamRow): Team {
    return withMembers(team, this.#sql.membersOf({ teamId: team.id }))
  }

  /**
   * Replaces a team's members. Their former ids are noted first, so that the triggers record one change
   * of the team, instead of the whole list for each member.
   */
  #replaceMembers<T>(teamId: string, memberIds: readonly string[], changeTeam: () => T): T {
    const before = this.#sql.membersOf({ teamId }).map(({ memberId }) => memberId)
    this.#sql.note({ kind: MEMBERS, id: teamId, before: JSON.stringify(before) })
    this.#sql.removeMembers({ teamId })
    this.#addMembers(teamId, memberIds)
    const changed = changeTeam()
    this.#sql.forget({ teamId })
    return changed
  }

  /** Ids that differ in lone surrogates only become equal on disk: UTF-8 has none. */
  #addMembers(teamId: string, memberIds: readonly string[]): void {
    for (const memberId of new Set(memberIds.map((id) => id.toWellFormed()))) {
      this.#sql.addMember({ teamId, memberId })
    }
  }

  #record(change: 'created' | 'changed' | 'deleted', { id, name }: TeamRow, by: Actor): void {
    this.#audit.record({
      action: 'team-changed',
      by,
      subjectId: id,
      subject: name,
      metadata: { change, name },
    })
  }
}
