/** What the records of each table are called, and their 404. */
import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { notFound } from '../errors.ts'
import * as tables from './schema.ts'

const THINGS = new Map<SQLiteTable, string>([
  [tables.projects, 'Project'],
  [tables.kanbanItems, 'Kanban item'],
  [tables.kanbanSubtasks, 'Kanban subtask'],
  [tables.kanbanComments, 'Kanban comment'],
  [tables.kanbanColumns, 'Kanban column'],
  [tables.kanbanLabels, 'Kanban label'],
  [tables.objectives, 'Objective'],
  [tables.metrics, 'Metric'],
  [tables.transcriptSummaries, 'Transcript summary'],
  [tables.teamAssignments, 'Team assignment'],
  [tables.personalIdeas, 'Personal idea'],
  [tables.members, 'Member'],
  [tables.people, 'Person'],
  [tables.teams, 'Team'],
  [tables.sessions, 'Session'],
  [tables.apiTokens, 'Token'],
  [tables.memberLinks, 'Link'],
  [tables.webhooks, 'Webhook'],
  [tables.imports, 'Import'],
])

/** What a record of this table is called, e.g. `Kanban item`. */
export function thingOf(table: SQLiteTable): string {
  const thing = THINGS.get(table)
  if (thing === undefined)
    throw new Error(`name the records of ${getTableName(table)} in src/db/existence.ts`)
  return thing
}

/** Throws the 404 of a table's records. */
export function throwNotFound(table: SQLiteTable): never {
  throw notFound(thingOf(table))
}
