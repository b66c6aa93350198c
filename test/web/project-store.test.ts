/** The page's project store follows the stream: it equals the service's response, whenever it was loaded. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t from 'tap'
import type { Change, KanbanColumn, KanbanItem, KanbanLabel, Project } from '../../src/client/api.d.ts'
import { byId, bySortOrder } from '../../web/common/order.ts'
import { ProjectStore } from '../../web/common/project-store.ts'
import { make, type RandomWrite, randomWrite, type Writer } from '../changes/random-writes.ts'
import { build, send, signInAs, writeIn } from '../helper.ts'
import { rounds } from '../rounds.ts'

/** Initial writes, so that later ones have records to change. */
const BEGINNING = [
  'createProject',
  'createProject',
  'createItem',
  'createItem',
  'createLabel',
  'attach',
  'createSubtask',
].map((what, index): RandomWrite => ({ what, a: index, b: index, c: index }))

/** Without `updatedAt`: a write that only changes that creates no change. */
const comparable = (value: unknown) =>
  value && JSON.parse(JSON.stringify(value, (key, part) => (key === 'updatedAt' ? undefined : part)))

type Get = (url: string) => Promise<unknown>

/** The service's response about a project; undefined if it is gone. */
async function answersOf(get: Get, id: string) {
  const project = (await get(`/api/projects/${id}`)) as Project | undefined
  if (project === undefined) return undefined
  return {
    project,
    columns: (await get(`/api/projects/${id}/kanban-columns`)) as KanbanColumn[],
    labels: (await get(`/api/projects/${id}/kanban-labels`)) as KanbanLabel[],
  }
}

/** A store's contents, in the shape of the responses. */
function shown(store: ProjectStore) {
  const { project } = store
  if (project === undefined) return undefined
  return {
    project: {
      ...project,
      kanbanItems: store.items.list(bySortOrder),
      transcriptSummaries: store.transcripts.list(byId),
      metrics: store.metrics.list(byId),
      objectives: store.objectives.list(bySortOrder),
      teamAssignments: store.assignments.list(byId),
    },
    columns: store.columnList,
    labels: store.labels.list(byId),
  }
}

/** The same for the service's responses. */
function expected(answers: Awaited<ReturnType<typeof answersOf>>) {
  if (answers === undefined) return undefined
  const { project, columns, labels } = answers
  return {
    project: {
      ...project,
      kanbanItems: project.kanbanItems.toSorted(bySortOrder),
      transcriptSummaries: project.transcriptSummaries.toSorted(byId),
      metrics: project.metrics.toSorted(byId),
      objectives: project.objectives.toSorted(bySortOrder),
      teamAssignments: project.teamAssignments.toSorted(byId),
    },
    columns,
    labels: labels.toSorted(byId),
  }
}

t.test('random writes, with reads at any time, and late and repeated changes', async (t) => {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: file })
  const { headers } = signInAs(app, 'admin')
  app.db.$client.pragma('synchronous = off')
  const foreign = new SQLite(file)
  foreign.pragma('foreign_keys = on')
  t.teardown(() => foreign.close())
  const writer: Writer = { app, headers, foreign }
  const get: Get = async (url) => {
    const { status, body } = await send(app, 'GET', url, undefined, headers)
    return status === 200 ? body : undefined
  }
  const changesAfter = async (after: number) =>
    ((await get(`/api/changes?after=${after}&limit=1000`)) as { changes: Change[] }).changes

  await fc.assert(
    fc.asyncProperty(
      fc.array(randomWrite(['deleteProject', 'foreignProject']), { minLength: 1, maxLength: 12 }),
      fc.nat(12),
      fc.nat(20),
      async (writes, loadedAt, overlap) => {
        await writeIn(app, () => {
          app.db.$client.exec('delete from projects')
        })
        for (const write of BEGINNING) await make(write, writer)
        const begun = app.rules.changes.sequence.last()
        const projects = (await get('/api/projects')) as Project[]
        const stores: ProjectStore[] = projects.map(
          ({ id }) =>
            new ProjectStore(id, {
              readItem: (itemId) => void asked.items.push([id, itemId]),
              readColumns: () => void asked.columns.add(id),
            }),
        )
        const asked = { items: [] as [string, string][], columns: new Set<string>() }
        const load = async (seq: number) => {
          for (const store of stores) {
            const answers = await answersOf(get, store.id)
            if (answers) store.load(answers, seq)
          }
        }
        // The stream's changes at the start of a load may be older than its response.
        for (const [index, write] of writes.entries()) {
          if (index === loadedAt) await load(Math.max(begun, app.rules.changes.sequence.last() - overlap))
          await make(write, writer)
        }
        if (loadedAt >= writes.length) await load(begun)
        for (const change of await changesAfter(begun)) for (const store of stores) store.apply(change)
        for (const [projectId, itemId] of asked.items) {
          const answer = await send(app, 'GET', `/api/kanban-items/${itemId}`, undefined, headers)
          if (answer.status !== 200) continue
          const item = answer.body as unknown as KanbanItem
          const store = stores.find(({ id }) => id === projectId)
          if (item.projectId === projectId) store?.items.put(item, app.rules.changes.sequence.last())
        }
        for (const store of stores.filter(({ id }) => asked.columns.has(id))) {
          const columns = (await get(`/api/projects/${store.id}/kanban-columns`)) as
            | KanbanColumn[]
            | undefined
          if (columns) store.columns.reset(columns, app.rules.changes.sequence.last())
        }
        for (const store of stores) {
          const found = comparable(shown(store))
          const wanted = comparable(expected(await answersOf(get, store.id)))
          if (!t.same(found, wanted)) return false
        }
        return true
      },
    ),
    { numRuns: rounds(25) },
  )
})
