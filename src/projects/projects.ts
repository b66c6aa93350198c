/** Projects: reading them with all their relations, creating, changing and deleting them. */
import { and, eq, type SQL } from 'drizzle-orm'
import { Board } from '../board/board.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { thingOf, throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { prepareChildrenOfMany } from '../db/old-children.ts'
import {
  amongIds,
  amongValues,
  bindAny,
  byFields,
  given,
  givenNumber,
  prepareDelete,
  prepareExists,
  prepareInsert,
  prepareRows,
  prepareUpdate,
  severalOf,
} from '../db/old-statements.ts'
import { inOrder, isAfter, type Place, prepareReorder } from '../db/ordering.ts'
import type { PlacesAfter } from '../db/pages.ts'
import { metrics, objectives, projects, teamAssignments, transcriptSummaries } from '../db/schema.ts'
import { among, bytesOf, readLimit, rowLimit, unlessTooMuch } from '../db/work-limits.ts'
import { notFound } from '../errors.ts'
import { type Actor, prepareAuditLog } from '../members/audit-log.ts'
import { valuesOfAny } from '../schemas/common.ts'
import type { Project } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { defaultPhaseConfig, firstPhase } from './phases.ts'

type NewProject = typeof projects.$inferInsert

/** A project with all that belongs to it but its items. */
export type ProjectFrame = Omit<Project, 'kanbanItems'>

/** Fields a client may set. */
export type ProjectInput = Partial<Omit<NewProject, 'id' | 'createdAt' | 'updatedAt'>>

/** Which projects to list: those with any of the values. An empty or absent value does not filter; both combine. */
export interface ProjectFilter {
  status?: string | string[] | undefined
  teamId?: string | string[] | undefined
}

/** What the statements of a filter are given. */
const valuesOf = ({ status, teamId }: ProjectFilter) => ({
  ...bindAny('status', valuesOfAny(status)),
  ...bindAny('teamId', valuesOfAny(teamId)),
})

/** What each of these values asks of a project. */
const CONDITIONS: Record<string, SQL> = {
  status: eq(projects.status, given('status')),
  teamId: eq(projects.teamId, given('teamId')),
  [severalOf('status')]: amongValues(projects.status, severalOf('status')),
  [severalOf('teamId')]: amongValues(projects.teamId, severalOf('teamId')),
}

/** Prepares statements once for each combination of filters, so that each has its index. @returns those for a filter */
function prepareByFilter<T extends object>(
  prepare: (passes: SQL | undefined) => T,
): (filter: ProjectFilter) => T {
  const prepared = byFields((names) => prepare(and(...names.map((name) => CONDITIONS[name]))))
  // Those of one value each at once: SQL that does not fit the schema is found at the start.
  for (const filter of [{}, { status: 'x' }, { teamId: 'x' }, { status: 'x', teamId: 'x' }]) prepared(filter)
  return (filter) => prepared(valuesOf(filter))
}

/**
 * Prepares the statements that read pages of projects.
 * @returns the places of the list that passes a filter
 */
export function preparePagedProjects(db: SharedDatabase): (filter: ProjectFilter) => PlacesAfter {
  const after = prepareByFilter((passes) =>
    prepareRows<Place>(
      db,
      db
        .select({ id: projects.id, sortOrder: projects.sortOrder })
        .from(projects)
        .where(and(passes, isAfter(projects)))
        .orderBy(...inOrder(projects))
        .limit(givenNumber('count')),
    ),
  )
  return (filter) => (place, count) => after(filter).all({ ...valuesOf(filter), ...place, count })
}

/**
 * Prepares the statements that read projects with all relations: one for the projects and seven for what
 * belongs to them, however many projects.
 * @returns readers whose results are complete Project records
 */
export function prepareProjects(db: SharedDatabase) {
  const rows = prepareRows(db, db.select().from(projects).where(amongIds(projects.id)))
  const { records } = new Board(db)
  const itemsOf = (ids: string) => records.ofProjects(ids)
  const transcriptsOf = prepareChildrenOfMany(db, transcriptSummaries)
  const metricsOf = prepareChildrenOfMany(db, metrics)
  const objectivesOf = prepareChildrenOfMany(db, objectives)
  const assignmentsOf = prepareChildrenOfMany(db, teamAssignments)
  const listFor = prepareByFilter((passes) =>
    prepareRows(
      db,
      db
        .select({ id: projects.id })
        .from(projects)
        .where(passes)
        .orderBy(...inOrder(projects)),
    ),
  )
  const place = prepareRows<Place>(
    db,
    db
      .select({ id: projects.id, sortOrder: projects.sortOrder })
      .from(projects)
      .where(eq(projects.id, given('id'))),
  )

  const limitItems = readLimit(db, [
    { rows: among('kanban_items', 'project_id'), bytes: bytesOf('description', 'metadata') },
    {
      rows: among('kanban_items join kanban_subtasks on item_id = kanban_items.id', 'project_id'),
      bytes: '0',
    },
  ])
  const limitFrames = readLimit(db, [
    {
      rows: among('transcript_summaries', 'project_id'),
      bytes: bytesOf('summary', 'participants', 'action_items'),
    },
    { rows: among('metrics', 'project_id'), bytes: bytesOf('history') },
    { rows: among('objectives', 'project_id'), bytes: bytesOf('description') },
    { rows: among('team_assignments', 'project_id'), bytes: '0' },
    { rows: among('projects', 'id'), bytes: bytesOf('description', 'next_step', 'metadata', 'phase_config') },
  ])

  /** Projects with all but their items. @throws TooMuchWork */
  const getFrames = (wanted: readonly string[]): ProjectFrame[] =>
    read(db, () => {
      const named = JSON.stringify(wanted)
      limitFrames(named)
      const found = rows.all({ ids: named })
      if (found.length === 0) return []
      const ids = JSON.stringify(found.map(({ id }) => id))
      const transcriptSummaries = transcriptsOf(ids)
      const metrics = metricsOf(ids)
      const objectives = objectivesOf(ids)
      const teamAssignments = assignmentsOf(ids)
      return found.map((project) => ({
        ...project,
        transcriptSummaries: transcriptSummaries.get(project.id) ?? [],
        metrics: metrics.get(project.id) ?? [],
        objectives: objectives.get(project.id) ?? [],
        teamAssignments: teamAssignments.get(project.id) ?? [],
      }))
    })

  const getAll = (wanted: readonly string[]): Project[] =>
    read(db, () => {
      const frames = getFrames(wanted)
      if (frames.length === 0) return []
      const ids = JSON.stringify(frames.map(({ id }) => id))
      limitItems(ids)
      const items = Map.groupBy(itemsOf(ids), ({ projectId }) => projectId)
      return frames.map((frame) => ({ ...frame, kanbanItems: items.get(frame.id) ?? [] }))
    })

  return {
    /** Those of the given projects that exist, in no particular order. @throws TooMuchWork */
    getAll,
    /** The same without their items. @throws TooMuchWork */
    getFrames,
    /** One project. @throws ApiError 404 */
    get: (id: string): Project => getAll([id])[0] ?? throwNotFound(projects),
    /** One project, unless it is too much to read at once. @throws ApiError 404 */
    getUnlessLarge: (id: string): Project | undefined =>
      unlessTooMuch(() => getAll([id])[0] ?? throwNotFound(projects)),
    /** The ids of the projects that pass the filter, by sortOrder. */
    idsOf: (filter: ProjectFilter): string[] =>
      listFor(filter)
        .all(valuesOf(filter))
        .map(({ id }) => id),
    /** Where a project stands among all. @throws ApiError 404 */
    place: (id: string): Place => place.get({ id }) ?? throwNotFound(projects),
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
  const named = prepareRows<{ name: string }>(
    db,
    db
      .select({ name: projects.name })
      .from(projects)
      .where(eq(projects.id, given('id'))),
  )
  const record = prepareAuditLog(db)
  const { columnNames } = new Board(db)
  const ofItems = 'where item_id in (select id from kanban_items where project_id = +?)'
  const limits = [
    ...[
      'kanban_items',
      'transcript_summaries',
      'metrics',
      'objectives',
      'team_assignments',
      'kanban_labels',
    ].map((table) => `${table} where project_id = +?`),
    ...['kanban_subtasks', 'kanban_comments', 'kanban_activity'].map((table) => `${table} ${ofItems}`),
  ].map((rows) => rowLimit(db, rows))

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
      columnNames.createDefaults(id, at)
      return id
    },

    /**
     * Changes a project. An empty change leaves the project as it is,
     * `updatedAt` included.
     * @throws ApiError 404 when there is none
     */
    update(id: string, changes: ProjectInput): void {
      const isEmpty = Object.keys(changes).length === 0
      const isThere = isEmpty ? exists(id) : update(id, { ...changes, updatedAt: timestamp() })
      if (!isThere) throwNotFound(projects)
    },

    /** Deletes a project with all that belongs to it, and records who did. @throws ApiError 404 when there is none */
    delete(id: string, by: Actor): void {
      const { name } = named.get({ id }) ?? throwNotFound(projects)
      for (const limit of limits) limit(id)
      remove(id)
      record({ action: 'project-deleted', by, subjectId: id, metadata: { name } })
    },

    /** Gives projects other places in the list, all or nothing. @throws ApiError 404 when one of them does not exist */
    reorder: prepareReorder(db, projects, undefined, () => notFound(thingOf(projects))),
  }
}
