/**
 * Baseline: the service as a first version is usually written, with Fastify and Drizzle's relational queries, and one
 * transaction for each request. Tables and durability are the same. Every response is read and serialized again.
 */

import type { TObject } from '@sinclair/typebox'
import SQLite from 'better-sqlite3'
import { eq, getTableColumns, type Table } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import Fastify from 'fastify'
import { newId } from '../../src/db/ids.ts'
import * as schema from '../../src/db/schema.ts'
import { KanbanItemSchema, ProjectSchema } from '../../src/schemas/records.ts'
import { timestamp } from '../../src/time.ts'
import { HEALTH_PATH, itemPath, LIST_PATH, projectPath } from '../api.ts'
import * as relations from './relations.ts'

const { kanbanActivity, kanbanItems, projects } = schema

const client = new SQLite(process.env.DATABASE_URL?.replace(/^file:/, ''))
client.pragma('journal_mode = WAL')
client.pragma('synchronous = FULL')
client.pragma('foreign_keys = ON')
const db = drizzle(client, { schema: { ...schema, ...relations }, casing: 'snake_case' })

/** The columns that a table's record shows. Some columns are internal to the service. */
const shown = <T extends Table>(table: T, { properties }: TObject) =>
  Object.fromEntries(
    Object.keys(getTableColumns(table))
      .filter((name) => name in properties)
      .map((name) => [name, true]),
  ) as { [Name in keyof T['_']['columns']]: true }
const itemColumns = shown(kanbanItems, KanbanItemSchema)
const projectColumns = shown(projects, ProjectSchema)

const itemParts = { labels: { with: { label: true }, columns: {} }, subtasks: true } as const
const projectParts = {
  kanbanItems: { columns: itemColumns, with: itemParts, orderBy: [kanbanItems.sortOrder, kanbanItems.id] },
  transcriptSummaries: true,
  metrics: true,
  objectives: true,
  teamAssignments: true,
} satisfies NonNullable<Parameters<typeof db.query.projects.findMany>[0]>['with']

const withLabels = <
  Item extends { labels: { label: unknown }[]; assigneeId: string | null; assigneeIds: string[] },
>(
  item: Item,
) => ({
  ...item,
  // Stored only if there are several.
  assigneeIds: item.assigneeIds.length === 0 && item.assigneeId ? [item.assigneeId] : item.assigneeIds,
  labels: item.labels.map(({ label }) => label),
})
const withItems = <Project extends { kanbanItems: Parameters<typeof withLabels>[0][] }>(
  project: Project,
) => ({
  ...project,
  kanbanItems: project.kanbanItems.map(withLabels),
})

const app = Fastify()

app.get(HEALTH_PATH, async () => ({ status: 'ok' }))

app.get<{ Querystring: { status?: string } }>(LIST_PATH, async ({ query: { status } }) =>
  db.transaction((tx) =>
    tx.query.projects
      .findMany({
        where: status ? eq(projects.status, status) : undefined,
        orderBy: [projects.sortOrder, projects.id],
        columns: projectColumns,
        with: projectParts,
      })
      .sync()
      .map(withItems),
  ),
)

app.get<{ Params: { id: string } }>(projectPath(':id'), async ({ params: { id } }, reply) => {
  const project = db.transaction((tx) =>
    tx.query.projects
      .findFirst({ where: eq(projects.id, id), columns: projectColumns, with: projectParts })
      .sync(),
  )
  return project ? withItems(project) : reply.code(404).send({ error: 'Project not found' })
})

app.patch<{ Params: { id: string }; Body: { column?: string; priority?: string } }>(
  itemPath(':id'),
  async ({ params: { id }, body }, reply) => {
    const item = db.transaction(
      (tx) => {
        const before = tx.query.kanbanItems.findFirst({ where: eq(kanbanItems.id, id) }).sync()
        if (!before) return undefined
        const at = timestamp()
        tx.update(kanbanItems)
          .set({ ...body, updatedAt: at })
          .where(eq(kanbanItems.id, id))
          .run()
        for (const [field, type] of [
          ['column', 'status_change'] as const,
          ['priority', 'priority'] as const,
        ]) {
          const to = body[field]
          if (to === undefined || to === before[field]) continue
          tx.insert(kanbanActivity)
            .values({
              id: newId(),
              itemId: id,
              type,
              metadata: { from: before[field], to },
              actorId: 'local',
              createdAt: at,
            })
            .run()
        }
        return tx.query.kanbanItems
          .findFirst({ where: eq(kanbanItems.id, id), columns: itemColumns, with: itemParts })
          .sync()
      },
      { behavior: 'immediate' },
    )
    return item ? withLabels(item) : reply.code(404).send({ error: 'Kanban item not found' })
  },
)

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })}`)
