/** Projects: reading them with all their relations, creating, changing and deleting them. */
import { and, asc, eq } from 'drizzle-orm'
import { prepareDefaultColumns } from './columns.ts'
import { read, type SharedDatabase } from './db/client.ts'
import {
  kanbanItems,
  metrics,
  objectives,
  projects,
  teamAssignments,
  transcriptSummaries,
} from './db/schema.ts'
import {
  amongIds,
  given,
  prepareDelete,
  prepareExists,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from './db/statements.ts'
import { noSuch } from './existence.ts'
import { newId } from './ids.ts'
import { prepareItemsAmong } from './kanban-items.ts'
import { defaultPhaseConfig, firstPhase } from './phases.ts'
import type { Project } from './schemas/records.ts'
import { timestamp } from './time.ts'

type NewProject = typeof projects.$inferInsert

/** Fields a client may set. */
export type ProjectInput = Partial<Omit<NewProject, 'id' | 'createdAt' | 'updatedAt'>>

/** Which projects to list. An empty or absent value does not filter; both combine. */
export interface ProjectFilter {
  status?: string | undefined
  teamId?: string | undefined
}

/**
 * Prepares the statements that read projects with all relations: one for the projects and seven for what
 * belongs to them, however many projects.
 * @returns readers whose results are complete Project records
 */
export function prepareProjects(db: SharedDatabase) {
  const rows = prepareRows(db, db.select().from(projects).where(amongIds(projects.id)))
  const itemsOf = prepareItemsAmong(db, kanbanItems.projectId)
  const transcripts = prepareRows(
    db,
    db
      .select()
      .from(transcriptSummaries)
      .where(amongIds(transcriptSummaries.projectId))
      .orderBy(asc(transcriptSummaries.id)),
  )
  const metricRows = prepareRows(
    db,
    db.select().from(metrics).where(amongIds(metrics.projectId)).orderBy(asc(metrics.id)),
  )
  const objectiveRows = prepareRows(
    db,
    db
      .select()
      .from(objectives)
      .where(amongIds(objectives.projectId))
      .orderBy(asc(objectives.sortOrder), asc(objectives.id)),
  )
  const assignments = prepareRows(
    db,
    db
      .select()
      .from(teamAssignments)
      .where(amongIds(teamAssignments.projectId))
      .orderBy(asc(teamAssignments.id)),
  )
  /** One statement for each combination of filters, so that each has its index. */
  const inOrder = (byStatus: boolean, byTeam: boolean) =>
    prepareRows(
      db,
      db
        .select({ id: projects.id })
        .from(projects)
        .where(
          and(
            byStatus ? eq(projects.status, given('status')) : undefined,
            byTeam ? eq(projects.teamId, given('teamId')) : undefined,
          ),
        )
        .orderBy(asc(projects.sortOrder), asc(projects.id)),
    )
  const all = inOrder(false, false)
  const ofStatus = inOrder(true, false)
  const ofTeam = inOrder(false, true)
  const ofStatusAndTeam = inOrder(true, true)

  const byProject = <T extends { projectId: string }>(rows: T[]) => Map.groupBy(rows, (row) => row.projectId)

  const getAll = (wanted: string[]): Project[] =>
    read(db, () => {
      const found = rows.all({ ids: JSON.stringify(wanted) })
      if (found.length === 0) return []
      const ids = JSON.stringify(found.map(({ id }) => id))
      const items = byProject(itemsOf(ids))
      const transcriptSummaries = byProject(transcripts.all({ ids }))
      const metrics = byProject(metricRows.all({ ids }))
      const objectives = byProject(objectiveRows.all({ ids }))
      const teamAssignments = byProject(assignments.all({ ids }))
      return found.map((project) => ({
        ...project,
        kanbanItems: items.get(project.id) ?? [],
        transcriptSummaries: transcriptSummaries.get(project.id) ?? [],
        metrics: metrics.get(project.id) ?? [],
        objectives: objectives.get(project.id) ?? [],
        teamAssignments: teamAssignments.get(project.id) ?? [],
      }))
    })

  return {
    /** Those of the given projects that exist, in no particular order. */
    getAll,
    /** One project. @throws ApiError 404 */
    get: (id: string): Project => getAll([id])[0] ?? noSuch(projects),
    /** The ids of the projects that pass the filter, by sortOrder. */
    idsOf({ status, teamId }: ProjectFilter): string[] {
      const statement = status ? (teamId ? ofStatusAndTeam : ofStatus) : teamId ? ofTeam : all
      return statement.all({ status, teamId }).map(({ id }) => id)
    },
  }
}

/**
 * Prepares the changes of projects. Call them inside the write that they are part of.
 * @returns the changes
 */
export function prepareProjectChanges(db: SharedDatabase) {
  const insert = prepareInsert(db, projects)
  const update = prepareUpdate(db, projects)
  const remove = prepareDelete(db, projects)
  const exists = prepareExists(db, projects)
  const createDefaultColumns = prepareDefaultColumns(db)

  return {
    /**
     * Creates a project with its default columns. Without a `phaseConfig` it gets its type's default sequence;
     * without a `phase` it starts in the first of its sequence.
     * @returns the new project's id
     */
    create(input: ProjectInput & { name: string }): string {
      const phaseConfig = input.phaseConfig ?? defaultPhaseConfig(input.type ?? 'technical')
      const phase = input.phase || firstPhase(phaseConfig)
      const id = newId()
      const at = timestamp()
      insert({ ...input, phaseConfig, phase, id, createdAt: at, updatedAt: at })
      createDefaultColumns(id, at)
      return id
    },

    /**
     * Changes a project. An empty `phase` counts as absent; an empty change leaves the project as it is,
     * `updatedAt` included.
     * @throws ApiError 404 when there is none
     */
    update(id: string, { phase, ...rest }: ProjectInput): void {
      const changes = phase ? { ...rest, phase } : rest
      const isEmpty = Object.keys(changes).length === 0
      const isThere = isEmpty ? exists(id) : update(id, { ...changes, updatedAt: timestamp() })
      if (!isThere) noSuch(projects)
    },

    /** Deletes a project with all that belongs to it. @throws ApiError 404 when there is none */
    delete(id: string): void {
      if (!remove(id)) noSuch(projects)
    },
  }
}
