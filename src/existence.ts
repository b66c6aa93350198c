/** What the records of each table are called, and the one refusal of what is not there. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SharedDatabase } from './db/client.ts'
import * as tables from './db/schema.ts'
import { type Identified, prepareExists } from './db/statements.ts'
import { notFound } from './errors.ts'

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
  [tables.teams, 'Team'],
  [tables.sessions, 'Session'],
  [tables.apiTokens, 'Token'],
])

/** What a record of this table is called, e.g. `Kanban item`. */
export function thingOf(table: SQLiteTable): string {
  const thing = THINGS.get(table)
  if (thing === undefined) throw new Error('the records of this table have no name for clients')
  return thing
}

/** Throws the 404 of a table's records. */
export function noSuch(table: SQLiteTable): never {
  throw notFound(thingOf(table))
}

/**
 * Makes the hook that refuses a request whose `:id` names no row of the table. Which hook it is mounted as decides the
 * order of checks: as `onRequest`, existence comes before everything about the body; as `preHandler`, after validation.
 * A rule that changes the row looks again, inside its transaction.
 */
export function mustExist(db: SharedDatabase, table: Identified) {
  const exists = prepareExists(db, table)
  const refusal = notFound(thingOf(table))
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    exists((request.params as { id: string }).id) ? done() : done(refusal)
}
