/** Project summaries: projects with the numbers of what belongs to them, for whoever needs no more. */
import { Type } from '@sinclair/typebox'
import { asc, count } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { read, type SharedDatabase } from '../db/client.ts'
import { amongIds, prepareRows } from '../db/old-statements.ts'
import type { Page } from '../db/pages.ts'
import {
  kanbanColumns,
  kanbanItems,
  metrics,
  objectives,
  projects,
  teamAssignments,
  transcriptSummaries,
} from '../db/schema.ts'
import { ref } from '../schemas/common.ts'
import { type ProjectSummary, ProjectSummarySchema } from '../schemas/records.ts'
import { createSerializer } from '../schemas/serialization.ts'
import { type PageSnapshot, toSnapshot } from './snapshots.ts'

/** Prepares counting the rows of a table by the project they belong to. It takes the projects' ids as a JSON array. */
function prepareCount(db: SharedDatabase, table: SQLiteTable & { projectId: SQLiteColumn }) {
  const { projectId } = table
  const statement = db
    .select({ projectId, rows: count() })
    .from(table)
    .where(amongIds(projectId))
    .groupBy(projectId)
    .prepare()
  return (ids: string): Map<unknown, number> =>
    new Map(statement.all({ ids }).map(({ projectId, rows }) => [projectId, rows]))
}

/** Prepares counting items by project and column. It takes the projects' ids as a JSON array. */
function prepareColumnCounts(db: SharedDatabase) {
  const columns = prepareRows(
    db,
    db
      .select({ projectId: kanbanColumns.projectId, column: kanbanColumns.name })
      .from(kanbanColumns)
      .where(amongIds(kanbanColumns.projectId))
      .orderBy(asc(kanbanColumns.projectId), asc(kanbanColumns.sortOrder), asc(kanbanColumns.id)),
  )
  const filled = db
    .select({ projectId: kanbanItems.projectId, column: kanbanItems.column, items: count() })
    .from(kanbanItems)
    .where(amongIds(kanbanItems.projectId))
    .groupBy(kanbanItems.projectId, kanbanItems.column)
    .orderBy(asc(kanbanItems.projectId), asc(kanbanItems.column))
    .prepare()
  return (ids: string) => {
    const defined = columns.all({ ids }).map((column) => ({ ...column, items: 0 }))
    return Map.groupBy([...defined, ...filled.all({ ids })], ({ projectId }) => projectId)
  }
}

/**
 * Prepares the statements that read summaries: seven, however many projects. Call it inside a transaction.
 * @returns the reader: those of the given projects that exist, in the order given
 */
export function prepareProjectSummaries(db: SharedDatabase): (wanted: readonly string[]) => ProjectSummary[] {
  const rows = prepareRows(db, db.select().from(projects).where(amongIds(projects.id)))
  const countColumns = prepareColumnCounts(db)
  const countTranscriptSummaries = prepareCount(db, transcriptSummaries)
  const countMetrics = prepareCount(db, metrics)
  const countObjectives = prepareCount(db, objectives)
  const countTeamAssignments = prepareCount(db, teamAssignments)

  return (wanted) => {
    const ids = JSON.stringify(wanted)
    const columnsOf = countColumns(ids)
    const transcriptSummariesOf = countTranscriptSummaries(ids)
    const metricsOf = countMetrics(ids)
    const objectivesOf = countObjectives(ids)
    const teamAssignmentsOf = countTeamAssignments(ids)

    const summaries = new Map<string, ProjectSummary>()
    for (const project of rows.all({ ids })) {
      const { id } = project
      const columns = columnsOf.get(id) ?? []
      const counts = {
        kanbanItems: columns.reduce((sum, { items }) => sum + items, 0),
        transcriptSummaries: transcriptSummariesOf.get(id) ?? 0,
        metrics: metricsOf.get(id) ?? 0,
        objectives: objectivesOf.get(id) ?? 0,
        teamAssignments: teamAssignmentsOf.get(id) ?? 0,
        // A column with items comes twice: as the board defines it, which gives it its place, and with its number.
        columns: Object.fromEntries(columns.map(({ column, items }) => [column, items])),
      }
      summaries.set(id, { ...project, counts })
    }
    return wanted.map((id) => summaries.get(id)).filter((summary) => summary !== undefined)
  }
}

/**
 * Makes what reads pages of summaries.
 * @returns the reader; it asks which projects a page shows in the state of the database that it reads them in
 */
export function createSummaryPages(db: SharedDatabase): (choose: () => Page) => PageSnapshot {
  const summaries = prepareProjectSummaries(db)
  const serialize = createSerializer(Type.Array(ref(ProjectSummarySchema)))
  return (choose) =>
    read(db, () => {
      const { ids, next } = choose()
      return { ...toSnapshot(serialize(summaries(ids))), next }
    })
}
