/** Projects: reading them with all their relations, creating, changing and deleting them. */
import { and, asc, eq, sql } from 'drizzle-orm'
import { createDefaultColumns } from './columns.ts'
import { type Database, read, write } from './db/client.ts'
import { orEmptyArray, orEmptyObject } from './db/json-text.ts'
import { metrics, objectives, projects, teamAssignments, transcriptSummaries } from './db/schema.ts'
import { notFound } from './errors.ts'
import { newId } from './ids.ts'
import { amongIds, prepareKanbanItems } from './kanban-items.ts'
import { defaultPhaseConfig, firstPhase } from './phases.ts'
import type { Project } from './schemas/records.ts'
import { timestamp } from './time.ts'

type ProjectRow = typeof projects.$inferSelect
type NewProject = typeof projects.$inferInsert

/** Fields a client may set. */
export type ProjectInput = Partial<Omit<NewProject, 'id' | 'createdAt' | 'updatedAt'>>

/**
 * Prepares the statement that reads a project's own row: enough to know that it exists.
 * @returns the reader: undefined when there is none
 */
export function prepareProjectRow(db: Database) {
  const one = db
    .select()
    .from(projects)
    .where(eq(projects.id, sql.placeholder('id')))
    .prepare()
  return (id: string): ProjectRow | undefined => one.get({ id })
}

/**
 * Prepares the statements that read projects with all relations: one for the projects and seven for what
 * belongs to them, however many projects.
 * @returns readers whose results are complete Project records
 */
export function prepareProjects(db: Database) {
  const items = prepareKanbanItems(db)
  const row = prepareProjectRow(db)
  const transcripts = db
    .select()
    .from(transcriptSummaries)
    .where(amongIds(transcriptSummaries.projectId))
    .orderBy(asc(transcriptSummaries.id))
    .prepare()
  const metricRows = db
    .select()
    .from(metrics)
    .where(amongIds(metrics.projectId))
    .orderBy(asc(metrics.id))
    .prepare()
  const objectiveRows = db
    .select()
    .from(objectives)
    .where(amongIds(objectives.projectId))
    .orderBy(asc(objectives.sortOrder), asc(objectives.id))
    .prepare()
  const assignments = db
    .select()
    .from(teamAssignments)
    .where(amongIds(teamAssignments.projectId))
    .orderBy(asc(teamAssignments.id))
    .prepare()

  const byProject = <T extends { projectId: string }>(rows: T[]) => Map.groupBy(rows, (row) => row.projectId)

  function complete(rows: ProjectRow[]): Project[] {
    const ids = JSON.stringify(rows.map(({ id }) => id))
    const kanbanItems = byProject(items.ofProjects(ids))
    const transcriptSummaries = byProject(transcripts.all({ ids }))
    const metrics = byProject(metricRows.all({ ids }))
    const objectives = byProject(objectiveRows.all({ ids }))
    const teamAssignments = byProject(assignments.all({ ids }))
    return rows.map((project) => ({
      ...project,
      phaseConfig: orEmptyArray(project.phaseConfig),
      metadata: orEmptyObject(project.metadata),
      kanbanItems: kanbanItems.get(project.id) ?? [],
      transcriptSummaries: (transcriptSummaries.get(project.id) ?? []).map((transcript) => ({
        ...transcript,
        participants: orEmptyArray(transcript.participants),
        actionItems: orEmptyArray(transcript.actionItems),
      })),
      metrics: (metrics.get(project.id) ?? []).map((metric) => ({
        ...metric,
        history: orEmptyArray(metric.history),
      })),
      objectives: objectives.get(project.id) ?? [],
      teamAssignments: teamAssignments.get(project.id) ?? [],
    }))
  }

  return {
    row,
    /** One project. @throws ApiError 404 */
    get: (id: string): Project =>
      read(db, () => {
        const [project] = complete([row(id) ?? missing()])
        return project ?? missing()
      }),
    /** All projects, by sortOrder. An empty or absent filter does not filter; both combine. */
    list: ({ status, teamId }: { status?: string | undefined; teamId?: string | undefined }): Project[] =>
      read(db, () =>
        complete(
          db
            .select()
            .from(projects)
            .where(
              and(
                status ? eq(projects.status, status) : undefined,
                teamId ? eq(projects.teamId, teamId) : undefined,
              ),
            )
            .orderBy(asc(projects.sortOrder), asc(projects.id))
            .all(),
        ),
      ),
  }
}

const missing = (): never => {
  throw notFound('Project')
}

/**
 * Creates a project with its default columns. Without a `phaseConfig` it gets its type's default sequence;
 * without a `phase` it starts in the first of its sequence.
 * @returns the new project's id
 */
export function createProject(db: Database, input: ProjectInput & { name: string }): string {
  const phaseConfig = input.phaseConfig ?? defaultPhaseConfig(input.type ?? 'technical')
  const phase = input.phase || firstPhase(phaseConfig)
  return write(db, (tx) => {
    const id = newId()
    const at = timestamp()
    tx.insert(projects)
      .values({ ...input, phaseConfig, phase, id, createdAt: at, updatedAt: at })
      .run()
    createDefaultColumns(tx, id, at)
    return id
  })
}

/**
 * Changes a project. An empty `phase` counts as absent; an empty change leaves the project as it is,
 * `updatedAt` included.
 * @throws ApiError 404 when the project is gone
 */
export function updateProject(db: Database, id: string, { phase, ...rest }: ProjectInput): void {
  const changes = phase ? { ...rest, phase } : rest
  if (Object.keys(changes).length === 0) return
  write(db, (tx) => {
    const result = tx
      .update(projects)
      .set({ ...changes, updatedAt: timestamp() })
      .where(eq(projects.id, id))
      .run()
    if (result.changes === 0) missing()
  })
}

/** Deletes a project with all that belongs to it. @throws ApiError 404 when there is none. */
export function deleteProject(db: Database, id: string): void {
  write(db, (tx) => {
    const { changes } = tx.delete(projects).where(eq(projects.id, id)).run()
    if (changes === 0) missing()
  })
}
