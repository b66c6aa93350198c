/** Team assignments: the members and the lead of a project. */
import { and, eq } from 'drizzle-orm'
import { Children } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import type { JsonPage, PageQuery } from '../db/pages.ts'
import { projects, teamAssignments } from '../db/schema.ts'
import { given, selectAll, selectOne, updateIn } from '../db/statements.ts'
import { ensureFew, rowLimit } from '../db/work-limits.ts'
import { conflict } from '../errors.ts'
import { type TeamAssignment, TeamAssignmentSchema } from '../schemas/records.ts'
import { timestamp } from '../time.ts'

/** The team of a project, each member once. */
export interface Team {
  members: readonly { memberId: string; role?: string }[]
  /** The lead; null for none. Absent: unchanged. */
  leadId?: string | null
}

const statementsOf = (db: SharedDatabase) => ({
  of: selectAll(db, () =>
    db
      .select({ id: teamAssignments.id, memberId: teamAssignments.memberId, role: teamAssignments.role })
      .from(teamAssignments)
      .where(eq(teamAssignments.projectId, given('projectId'))),
  ),
  named: selectOne(db, () =>
    db
      .select({ id: teamAssignments.id })
      .from(teamAssignments)
      .where(
        and(
          eq(teamAssignments.projectId, given('projectId')),
          eq(teamAssignments.memberId, given('memberId')),
        ),
      ),
  ),
  project: selectOne(db, () =>
    db
      .select({ leadId: projects.leadId })
      .from(projects)
      .where(eq(projects.id, given('projectId'))),
  ),
  updateProject: updateIn(db, projects),
  limitCurrent: rowLimit(db, 'team_assignments where project_id = +?'),
})

/** The team assignments of projects. */
export class Assignments {
  static readonly reads: readonly string[] = ['list', 'get']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #assignments: Children<typeof teamAssignments>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#assignments = new Children(db, teamAssignments, TeamAssignmentSchema)
  }

  /** The assignments of a project, or a page of them. @throws ApiError 404 for an unknown project; TooMuchWork */
  list(projectId: string, query: PageQuery = {}): JsonPage {
    return this.#assignments.list(projectId, query)
  }

  /** One assignment. @throws ApiError 404 */
  get(id: string): TeamAssignment {
    return this.#assignments.get(id)
  }

  /** Assigns a member to a project. @throws ApiError 404 for an unknown project; 409 if already assigned */
  create(projectId: string, { memberId, role = 'member' }: Team['members'][number]): TeamAssignment {
    if (!this.#sql.project({ projectId })) throwNotFound(projects)
    if (this.#sql.named({ projectId, memberId }))
      throw conflict('Member is already assigned', 'already_assigned')
    return this.#assignments.create(projectId, { memberId, role })
  }

  /** Changes the role of an assignment; an empty change has no effect. @throws ApiError 404 */
  update(id: string, input: { role?: string }): TeamAssignment {
    return this.#assignments.update(id, input)
  }

  /** Ends an assignment. @throws ApiError 404 */
  delete(id: string): void {
    this.#assignments.delete(id)
  }

  /**
   * Replaces the team of a project. Members who stay keep their assignments.
   * @returns the new assignments, as JSON
   * @throws ApiError 404 for an unknown project; TooMuchWork
   */
  replace(projectId: string, { members, leadId }: Team): JsonPage {
    ensureFew(this.#db, members.length)
    this.#sql.limitCurrent(projectId)
    const project = this.#sql.project({ projectId }) ?? throwNotFound(projects)
    // Well-formed, as stored: otherwise an id with a lone surrogate would never equal its stored form.
    const roles = new Map(members.map(({ memberId, role = 'member' }) => [memberId.toWellFormed(), role]))
    for (const { id, memberId, role: current } of this.#sql.of({ projectId })) {
      const role = roles.get(memberId)
      if (role === undefined) this.#assignments.delete(id)
      else if (role !== current) this.#assignments.update(id, { role })
      roles.delete(memberId)
    }
    for (const [memberId, role] of roles) this.#assignments.create(projectId, { memberId, role })
    if (leadId !== undefined && leadId !== project.leadId) {
      this.#sql.updateProject(projectId, { leadId, updatedAt: timestamp() })
    }
    return this.list(projectId)
  }
}
