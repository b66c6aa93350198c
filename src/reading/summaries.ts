/** Project summaries: projects with counts instead of their relations. */
import { Type } from '@sinclair/typebox'
import { asc, count } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Stage, withStages } from '../board/stages.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { PAGE_LIMIT, type PageQuery } from '../db/pages.ts'
import {
  kanbanColumns,
  metrics,
  objectives,
  projects,
  teamAssignments,
  transcriptSummaries,
} from '../db/schema.ts'
import { amongIds, selectAll } from '../db/statements.ts'
import { among, bytesOf, ensureFew, ROWS_SCANNED, readLimit, rowLimit } from '../db/work-limits.ts'
import { once } from '../once.ts'
import type { ProjectFilter, Projects } from '../projects/projects.ts'
import { ref } from '../schemas/common.ts'
import { type ProjectSummary, ProjectSummarySchema } from '../schemas/records.ts'
import { createSerializer } from '../schemas/serialization.ts'
import { type PageSnapshot, toSnapshot } from './snapshots.ts'

/** A prepared count of a table's rows by project; the query takes the projects' ids as a JSON array. */
function countIn(db: SharedDatabase, table: SQLiteTable & { projectId: SQLiteColumn }) {
  const { projectId } = table
  const counts = once(() =>
    db
      .select({ projectId, rows: count() })
      .from(table)
      .where(amongIds(projectId))
      .groupBy(projectId)
      .prepare(),
  )
  return (ids: string): Map<unknown, number> =>
    new Map(
      counts()
        .all({ ids })
        .map(({ projectId, rows }) => [projectId, rows]),
    )
}

/** The number of items in a column. Only rows from the board have a stage. */
interface ColumnCount {
  projectId: string
  column: string
  /** All, dismissed ones too. */
  items: number
  dismissed: number
  stage?: Stage
}

/** The columns with items, of the projects in the JSON array `:ids`. The index of the columns suffices, without reading rows. */
const FILLED_COLUMNS = `
  select project_id as projectId, "column", count(*) as items, sum(dismissed <> 0) as dismissed from kanban_items
  where project_id in (select value from json_each(+:ids))
  group by project_id, "column" order by project_id, "column"`

/** Items that the event loop counts for one response. They are counted in an index, so these are more than {@link ROWS_SCANNED}. */
const ITEMS_COUNTED = 4 * ROWS_SCANNED

const statementsOf = (db: SharedDatabase) => ({
  projects: selectAll(db, () => db.select().from(projects).where(amongIds(projects.id))),
  columns: selectAll(db, () =>
    db
      .select({
        projectId: kanbanColumns.projectId,
        name: kanbanColumns.name,
        stage: kanbanColumns.stage,
      })
      .from(kanbanColumns)
      .where(amongIds(kanbanColumns.projectId))
      .orderBy(asc(kanbanColumns.projectId), asc(kanbanColumns.sortOrder), asc(kanbanColumns.id)),
  ),
  filledColumns: once(() => db.$client.prepare<[object], ColumnCount>(FILLED_COLUMNS)),
  transcriptSummaries: countIn(db, transcriptSummaries),
  metrics: countIn(db, metrics),
  objectives: countIn(db, objectives),
  teamAssignments: countIn(db, teamAssignments),
  limitProjects: readLimit(db, [
    { rows: among('projects', 'id'), bytes: bytesOf('description', 'next_step', 'metadata', 'phase_config') },
  ]),
  limitColumns: rowLimit(db, among('kanban_columns', 'project_id'), ROWS_SCANNED),
  limitItems: rowLimit(db, among('kanban_items', 'project_id'), ITEMS_COUNTED),
})

/** The items that are not dismissed: done ones, and all others. @param columns of one project */
function workIn(columns: readonly ColumnCount[]): { open: number; done: number } {
  const ofDone = new Set(columns.flatMap(({ column, stage }) => (stage === 'done' ? [column] : [])))
  const work = { open: 0, done: 0 }
  for (const { column, items, dismissed } of columns) {
    work[ofDone.has(column) ? 'done' : 'open'] += items - dismissed
  }
  return work
}

/** Project summaries, in pages. */
export class Summaries {
  static readonly reads: readonly string[] = ['page']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #projects: Projects
  readonly #serialize = createSerializer(Type.Array(ref(ProjectSummarySchema)))

  constructor(db: SharedDatabase, projects: Projects) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#projects = projects
  }

  /** A page of the matching projects: eight statements for any number of projects. @throws TooMuchWork */
  page(filter: ProjectFilter, query: PageQuery): PageSnapshot {
    return read(this.#db, () => {
      const { ids, next } = this.#projects.page(filter, query)
      return { ...toSnapshot(this.#serialize(this.#summariesOf(ids))), next }
    })
  }

  /** The existing projects of these ids, in that order. */
  #summariesOf(wanted: readonly string[]): ProjectSummary[] {
    ensureFew(this.#db, wanted.length, PAGE_LIMIT)
    const ids = JSON.stringify(wanted)
    this.#sql.limitProjects(ids)
    this.#sql.limitColumns(ids)
    this.#sql.limitItems(ids)
    const columnsOf = this.#columnsOf(ids)
    const transcriptSummariesOf = this.#sql.transcriptSummaries(ids)
    const metricsOf = this.#sql.metrics(ids)
    const objectivesOf = this.#sql.objectives(ids)
    const teamAssignmentsOf = this.#sql.teamAssignments(ids)

    const summaries = new Map<string, ProjectSummary>()
    for (const project of this.#sql.projects({ ids })) {
      const { id } = project
      const columns = columnsOf.get(id) ?? []
      const counts = {
        kanbanItems: columns.reduce((sum, { items }) => sum + items, 0),
        ...workIn(columns),
        transcriptSummaries: transcriptSummariesOf.get(id) ?? 0,
        metrics: metricsOf.get(id) ?? 0,
        objectives: objectivesOf.get(id) ?? 0,
        teamAssignments: teamAssignmentsOf.get(id) ?? 0,
        // A column with items comes twice: first from the board, which decides its place, then with its count.
        columns: Object.fromEntries(columns.map(({ column, items }) => [column, items])),
        dismissed: Object.fromEntries(
          columns.flatMap(({ column, dismissed }) => (dismissed > 0 ? [[column, dismissed]] : [])),
        ),
      }
      summaries.set(id, { ...project, counts })
    }
    return wanted.map((id) => summaries.get(id)).filter((summary) => summary !== undefined)
  }

  #columnsOf(ids: string): Map<string, ColumnCount[]> {
    const defined = Map.groupBy(this.#sql.columns({ ids }), ({ projectId }) => projectId)
    const staged = [...defined.values()].flatMap((ofProject) =>
      withStages(ofProject).map(({ name, ...column }) => ({
        ...column,
        column: name,
        items: 0,
        dismissed: 0,
      })),
    )
    const filled = this.#sql.filledColumns().all({ ids })
    return Map.groupBy([...staged, ...filled], ({ projectId }) => projectId)
  }
}
