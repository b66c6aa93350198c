/** The rows of the stall probe. Each is a request that one client may send. */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import type { SharedDatabase } from '../src/db/client.ts'
import { itemPath, itemsPath, LIST_PATH, movePath, projectPath, SESSION_PATH, searchPath } from './api.ts'
import { socketsOf } from './process-usage.ts'
import type { Client, Received } from './stall-client.ts'
import { COMMON_WORDS, change, type DataName, idsOf, METRICS, type Scale } from './stall-data.ts'
import { times } from './times.ts'

/** The context of a row. */
export interface Situation {
  client: Client
  pid: number
  /** The service's file. */
  file: string
  /** An admin's cookie. */
  cookie: string
  /** The cookies of a viewer and two members. */
  viewer: string
  member: string
  other: string
  /** The size of the data. */
  scale: Scale
  /** The service's memory after its start, in bytes. */
  idle: number
  /** Stalls since the last lap of a row with several requests, in milliseconds, and memory above idle, in bytes. */
  lap: () => Promise<Record<'stall' | 'lock' | 'memory', number>>
  /** The first project, and some of its records. */
  project: string
  items: string[]
  /** The first column, `To Do`. */
  column: string
  label: string
  /** The items of the second project, for the uninvolved writers. */
  aside: string[]
}

/** A remark of a row. */
export interface Remark {
  remark: string
  /** Whether the result is beyond the limit. */
  isOver?: boolean
  /** Why the row was not measured, if it was not. */
  failure?: string
}

/** A row: requests to measure. */
export interface Row {
  title: string
  data: DataName
  /** Changes the file before the service starts. */
  prepare?: (db: SharedDatabase) => unknown
  /** The limit of the service's heap, in MB; by default Node's. */
  heap?: number
  /** Its own limit of the write lock in milliseconds, if it differs from the general one. */
  lock?: number
  /** The timeout in seconds; 60 by default. */
  timeout?: number
  /** Whether sign-in is required. */
  isSignedIn?: boolean
  /** The status with which a limit refuses the requests. Without it, a row needs a response with 2xx. */
  refusal?: number
  /** Whether the row ends the service, so that this is not a failure. Then nothing else has its file open. */
  ends?: boolean
  /** Sends requests before the watching starts, to fill caches. */
  warmUp?: (situation: Situation) => Promise<unknown>
  /** @returns a remark, if it is a text or a {@link Remark} */
  run: (situation: Situation) => Promise<unknown>
}

const assignmentsPath = (project: string) => `${projectPath(project)}/team-assignments`
const reorderPath = (project: string) => `${projectPath(project)}/kanban-items/reorder`
const columnPath = (id: string) => `/api/kanban-columns/${id}`
const labelPath = (id: string) => `/api/kanban-labels/${id}`
const TRANSCRIPT_PATH = '/api/ingest/transcript'
const INGESTED_METRICS_PATH = '/api/ingest/metrics'
export const ITEMS_PATH = '/api/kanban-items'
export const BATCH_PATH = '/api/batch'

/** The limit of the write lock for a batch, in milliseconds: its one second, and the step that ends after it. */
export const BATCH_LOCK = 1200

/** First these people, then all of them in another role, then as many others. */
const assign = (count: number) => ({
  data: 'board' as const,
  run: async ({ client, project }: Situation) => {
    const people = (name: string, role: string) =>
      times(count, (position) => ({ memberId: `${name} ${position}`, role }))
    for (const members of [people('one', 'member'), people('one', 'lead'), people('other', 'member')]) {
      await client.send('PUT', assignmentsPath(project), { members })
    }
  },
})

/** The shortest possible action items, 64 KiB together. */
const ingest = (count: number) => ({
  data: 'board' as const,
  run: ({ client, project: projectId }: Situation) =>
    client.send('POST', TRANSCRIPT_PATH, {
      projectId,
      title: 'Weekly',
      date: '2026-01-31',
      actionItems: times(count, () => 'x'),
    }),
})

const reorder = (count: number) => ({
  data: 'board' as const,
  run: ({ client, project, items }: Situation) =>
    client.send('POST', reorderPath(project), {
      items: items
        .slice(0, count)
        .map((id, position) => ({ id, column: `${position}`, sortOrder: position })),
    }),
})

/** Slightly below a megabyte, with room for the rest of the body. */
const ONES = 520_000
const ones = (count = ONES) => times(count, () => 1)

const wrong = (ask: (situation: Situation) => Promise<unknown>) => ({
  data: 'board' as const,
  refusal: 400,
  run: ask,
})

const DEPTH = 520_000
const nested = (field: string) => `{"${field}":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`

/** Sends the same on four connections for some seconds. */
async function sendOnFour({ client, scale }: Situation, path: string, body: string): Promise<void> {
  const end = performance.now() + (scale === 'full' ? 5000 : 500)
  const lanes = times(4, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  await Promise.all(
    lanes.map(async (agent) => {
      // A refused body may break the connection.
      while (performance.now() < end) await client.send('POST', path, body, { agent }).catch(() => undefined)
    }),
  )
}

async function walk({ client }: Situation, path: string): Promise<void> {
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: Received = await client.send('GET', next)
    next = page.next
  }
}

/** Seconds. The service disconnects clients that do not read after a minute. */
export const STALLED_WATCH = 75

/** Opens connections that request a large response and do not read it. */
export async function stopReading(
  { client, pid, project, scale }: Situation,
  count: number,
): Promise<string> {
  const timeout = scale === 'full' ? STALLED_WATCH : 2
  const others = new Set(socketsOf(pid))
  for (let opened = 0; opened < count; opened++) client.stall(`${projectPath(project)}/kanban-items`)
  const begin = performance.now()
  for (let most = 0; ; await sleep(500)) {
    const seconds = (performance.now() - begin) / 1000
    const left = socketsOf(pid).filter((name) => !others.has(name)).length
    most = Math.max(most, left)
    if (most > 0 && left === 0) return `${most} ended after ${seconds.toFixed(0)} s at the latest`
    if (seconds >= timeout) return `${left} of ${most} alive after ${timeout} s`
  }
}

/** Changes one item from another connection. */
function changeByAnother({ file, items: [item] }: Situation): void {
  const client = new SQLite(file)
  client.prepare(`update kanban_items set title = 'Changed by another' where id = ?`).run(item)
  client.close()
}

const measure = (names: (position: number) => string, data: DataName) => ({
  data,
  run: ({ client, project: projectId }: Situation) =>
    client.send('POST', INGESTED_METRICS_PATH, {
      projectId,
      metrics: times(METRICS.count, (position) => ({ name: names(position), value: position + 1 })),
    }),
})

const labelAll = (db: SharedDatabase) =>
  change(
    db,
    `insert or ignore into kanban_item_labels (item_id, label_id)
     select id, (select id from kanban_labels order by id limit 1) from kanban_items`,
  )

/** The rows by their command-line names. A row is refused if today's limits are below its numbers. */
export const ROWS: Record<string, Row> = {
  nothing: { title: 'nothing, for 2 s: the machine’s own noise', data: 'board', run: () => sleep(2000) },
  'assign-15000': {
    title: 'PUT team-assignments, 15,000 members: new ones, other roles, others',
    refusal: 400,
    ...assign(15_000),
  },
  'assign-1000': {
    title: 'PUT team-assignments, 1,000 members: new ones, other roles, others',
    ...assign(1000),
  },
  'ingest-16000': { title: 'POST ingest/transcript, 16,000 action items', refusal: 400, ...ingest(16_000) },
  'ingest-1000': { title: 'POST ingest/transcript, 1,000 action items', ...ingest(1000) },
  'reorder-8000': { title: 'reorder of 8,000 items into new columns', refusal: 400, ...reorder(8000) },
  'reorder-1000': { title: 'reorder of 1,000 items into new columns', ...reorder(1000) },
  'wrong-reorder': {
    title: 'a megabyte of wrong values to item reorder',
    ...wrong(({ client, project }) => client.send('POST', reorderPath(project), { items: ones() })),
  },
  'wrong-reorders': {
    title: 'a megabyte of wrong values to the reorders of projects, columns, subtasks and ideas',
    ...wrong(async ({ client, project, items: [item = ''] }) => {
      await client.send('POST', `${LIST_PATH}/reorder`, { items: ones() })
      await client.send('POST', `${projectPath(project)}/kanban-columns/reorder`, { items: ones() })
      await client.send('POST', `${itemPath(item)}/subtasks/reorder`, { items: ones() })
      await client.send('POST', '/api/personal-ideas/reorder', { items: ones() })
    }),
  },
  'wrong-bulk': {
    title: 'a megabyte of wrong values to bulk PATCH',
    ...wrong(({ client }) => client.send('PATCH', ITEMS_PATH, { ids: ones(), update: { isNew: false } })),
  },
  'wrong-transcript': {
    title: 'a megabyte of wrong values to ingest/transcript, and 64 KiB of them',
    ...wrong(async ({ client, project: projectId }) => {
      for (const actionItems of [ones(), ones(32_000)]) {
        const meeting = { projectId, title: 'Weekly', date: '2026-01-31', actionItems }
        await client.send('POST', TRANSCRIPT_PATH, meeting)
      }
    }),
  },
  'wrong-metrics': {
    title: 'a megabyte of wrong values to ingest/metrics',
    ...wrong(({ client, project: projectId }) =>
      client.send('POST', INGESTED_METRICS_PATH, { projectId, metrics: ones() }),
    ),
  },
  'wrong-teams': {
    title: 'a megabyte of wrong values to teams and team-assignments',
    ...wrong(async ({ client, project, cookie }) => {
      await client.send('POST', '/api/teams', { name: 'Crew', memberIds: ones() }, { cookie })
      await client.send('PUT', assignmentsPath(project), { members: ones() })
    }),
  },
  'wrong-fields': {
    title: '64 KiB arrays of wrong values in a metric, a transcript and a project',
    ...wrong(async ({ client, project }) => {
      const values = ones(32_000)
      await client.send('POST', `${projectPath(project)}/metrics`, { name: 'n', value: 1, history: values })
      await client.send('POST', `${projectPath(project)}/transcript-summaries`, {
        title: 'Weekly',
        date: '2026-01-31',
        participants: values,
        actionItems: values,
      })
      await client.send('POST', LIST_PATH, { name: 'Apollo', phaseConfig: values })
    }),
  },
  'nested-session': {
    title: '1 MB deeply nested to POST /api/session, anonymous, 4 connections, 5 s',
    data: 'board',
    refusal: 413,
    run: (situation) => sendOnFour(situation, SESSION_PATH, nested('email')),
  },
  'nested-project': {
    title: '1 MB deeply nested to POST /api/projects, once',
    data: 'board',
    refusal: 400,
    run: ({ client }) => client.send('POST', LIST_PATH, nested('metadata')),
  },
  pages: {
    title: 'pages of 500 through 20,000 items, 60 times, with a heap of 160 MB',
    data: 'board',
    heap: 160,
    run: async (situation) => {
      for (let count = 0; count < 60; count++)
        await walk(situation, itemsPath(situation.project, { limit: '500' }))
    },
  },
  'stopped-readers': {
    title: '40 connections that stop reading 12 MB answers',
    data: 'board',
    timeout: STALLED_WATCH + 15,
    run: (situation) => stopReading(situation, 40),
  },
  'metric-values': {
    title: '1,000 values of one metric in one ingest',
    refusal: 400,
    ...measure(() => 'metric 0', 'metrics'),
  },
  'metric-histories': {
    title: '1,000 metrics in one ingest, each with a history of 500',
    ...measure((position) => `metric ${position}`, 'metrics'),
  },
  'patch-nothing': {
    title: 'PATCH project {} on a board of 20,000 items',
    data: 'board',
    run: ({ client, project }) => client.send('PATCH', projectPath(project), {}),
  },
  'delete-project': {
    title: 'DELETE project with 20,000 items',
    data: 'board',
    run: ({ client, project, cookie }) => client.send('DELETE', projectPath(project), undefined, { cookie }),
  },
  'delete-column': {
    title: 'DELETE column with 13,000 items to move',
    data: 'board',
    run: ({ client, column }) => client.send('DELETE', `${columnPath(column)}?moveTo=Done`),
  },
  'number-anew': {
    title: 'a move into a column of 13,000 that is numbered anew after 1e308',
    data: 'board',
    prepare: (db) =>
      change(
        db,
        `update kanban_items set sort_order = 1e308 where id = (
          select id from kanban_items where "column" = 'To Do' order by sort_order desc, id desc limit 1)`,
      ),
    run: ({ client, items }) =>
      client.send('POST', movePath(items.at(-1) ?? ''), { column: 'To Do', position: 'bottom' }),
  },
  list: {
    title: 'GET the list of 20,000 items',
    data: 'board',
    run: ({ client, project }) => client.send('GET', `${projectPath(project)}/kanban-items`),
  },
  'list-everywhere': {
    title: 'GET /api/kanban-items, 20,000 items',
    data: 'board',
    run: ({ client }) => client.send('GET', ITEMS_PATH),
  },
  'foreign-commit': {
    title: 'GET project of 20,000 items after a foreign commit',
    data: 'board',
    warmUp: ({ client, project }) => client.send('GET', projectPath(project)),
    run: async (situation) => {
      changeByAnother(situation)
      await situation.client.send('GET', projectPath(situation.project))
    },
  },
  cards: {
    title: 'GET /api/projects of 50,000 cards, 5 times (larger than the cache)',
    data: 'cards',
    run: async ({ client }) => {
      for (let count = 0; count < 5; count++) await client.send('GET', LIST_PATH)
    },
  },
  search: {
    title: 'search for a word that occurs everywhere in 150 MB of text, and for 50 of them',
    data: 'texts',
    run: async ({ client }) => {
      for (const words of [COMMON_WORDS.slice(0, 1), COMMON_WORDS]) {
        await client.send('GET', searchPath(words.join(' ')))
      }
    },
  },
  'label-rename': {
    title: 'PATCH label used on 20,000 items',
    data: 'board',
    prepare: labelAll,
    run: ({ client, label }) => client.send('PATCH', labelPath(label), { name: 'Renamed' }),
  },
  'label-delete': {
    title: 'DELETE label used on 20,000 items',
    data: 'board',
    prepare: labelAll,
    run: ({ client, label }) => client.send('DELETE', labelPath(label)),
  },
  'column-rename': {
    title: 'PATCH column with 13,000 items: another name',
    data: 'board',
    run: ({ client, column }) => client.send('PATCH', columnPath(column), { name: 'Renamed' }),
  },
  'bulk-500': {
    title: 'bulk PATCH of 500 items',
    data: 'board',
    run: ({ client, items }) =>
      client.send('PATCH', ITEMS_PATH, {
        ids: items.slice(0, 500),
        update: { column: 'Elsewhere', priority: 'urgent', assigneeId: 'maria' },
      }),
  },
  'batch-creations': {
    title: 'batch of 200 creations with texts of 5 KB, and 8 of them at once',
    data: 'board',
    run: async ({ client, project }) => {
      const create = { title: 'Card', description: 'x'.repeat(5000) }
      const path = `${projectPath(project)}/kanban-items`
      const batch = { requests: times(200, () => ({ method: 'POST', path, body: create })) }
      await client.send('POST', BATCH_PATH, batch)
      await Promise.all(
        times(8, () => client.send('POST', BATCH_PATH, batch, { agent: new Agent({ maxSockets: 1 }) })),
      )
    },
  },
  'batch-bulk': {
    title: 'batch of 50 bulk PATCHes of 500 items',
    data: 'board',
    refusal: 413,
    lock: BATCH_LOCK,
    run: ({ client, items }) => {
      const ids = items.slice(0, 500)
      const change = (position: number) => ({ ids, update: { priority: `p${position}` } })
      const requests = times(50, (position) => ({
        method: 'PATCH',
        path: ITEMS_PATH,
        body: change(position),
      }))
      return client.send('POST', BATCH_PATH, { requests })
    },
  },
  'batch-refused': {
    title: 'batch of 200 requests, the last of which fails',
    data: 'board',
    refusal: 404,
    run: ({ client, items }) => {
      const requests = items.slice(0, 200).map((id, position) => ({
        method: 'PATCH',
        path: position === 199 ? '/api/kanban-items/none' : `${ITEMS_PATH}/${id}`,
        body: { column: 'Elsewhere' },
      }))
      return client.send('POST', BATCH_PATH, { requests })
    },
  },
}

/** Reads the ids that rows need from a file. */
export function recordsIn(db: SharedDatabase) {
  const [project = '', second = ''] = idsOf(db, 'select id from projects order by id')
  const inOrder = 'select id from kanban_items where project_id = ?'
  const [column = ''] = idsOf(
    db,
    `select id from kanban_columns where project_id = ? and name = 'To Do'`,
    project,
  )
  const [label = ''] = idsOf(db, 'select id from kanban_labels order by id')
  return {
    project,
    column,
    label,
    items: idsOf(db, `${inOrder} order by "column" = 'To Do' desc, sort_order, id`, project),
    aside: idsOf(db, inOrder, second),
  }
}
