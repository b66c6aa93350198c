/** Team assignments: who works on a project, and who leads it. */
import { eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { prepareChildren } from '../db/old-children.ts'
import { given, prepareRows } from '../db/old-statements.ts'
import { projects, teamAssignments } from '../db/schema.ts'
import { ensureFew, rowLimit } from '../db/work-limits.ts'
import { prepareProjectChanges } from './projects.ts'

/** Who is to work on a project, each once. */
export interface Team {
  members: readonly { memberId: string; role?: string }[]
  /** Who is to lead it; null for nobody. Absent, whoever leads it stays. */
  leadId?: string | null
}

/**
 * Prepares the statements that read and replace the assignments of projects.
 * @returns a reader; and the change, to be called inside the write that it is part of
 */
export function prepareTeamAssignments(db: SharedDatabase) {
  const { list, create, update, delete: remove } = prepareChildren(db, teamAssignments)
  const { update: updateProject } = prepareProjectChanges(db)
  const limitCurrent = rowLimit(db, 'team_assignments where project_id = +?')
  const lead = prepareRows(
    db,
    db
      .select({ leadId: projects.leadId })
      .from(projects)
      .where(eq(projects.id, given('projectId'))),
  )

  return {
    list,

    /** Makes these the people of a project. Who stays keeps the assignment. @throws ApiError 404 */
    replace(projectId: string, { members, leadId }: Team): void {
      ensureFew(db, members.length)
      limitCurrent(projectId)
      // Well-formed, as they are stored, or nobody with half a character in the id would stay.
      const roles = new Map(members.map(({ memberId, role = 'member' }) => [memberId.toWellFormed(), role]))
      for (const { id, memberId, role: current } of list(projectId)) {
        const role = roles.get(memberId)
        if (role === undefined) remove(id)
        else if (role !== current) update(id, { role })
        roles.delete(memberId)
      }
      for (const [memberId, role] of roles) create(projectId, { memberId, role })
      if (leadId !== undefined && leadId !== lead.get({ projectId })?.leadId) {
        updateProject(projectId, { leadId })
      }
    },
  }
}
