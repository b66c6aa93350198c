/** Random writes of all kinds, through routes, in batches, and by another tool, for tests of the sequence of changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type SQLite from 'better-sqlite3'
import fc from 'fast-check'
import { type App, send, writeIn } from '../helper.ts'

/** A write: its action, and a choice among the records existing then. */
export interface RandomWrite {
  what: string
  a: number
  b: number
  c: number
}

export interface Writer {
  app: App
  headers: Record<string, string>
  /** Another tool's connection to the file. */
  foreign: SQLite.Database
}

const WORDS = ['alpha', 'beta', 'gamma', 'To Do', 'Done', 'Odd', 'Elsewhere']

/** Unique among these writes. */
let times = 0

/** The context of a write: the sender, and the existing ids. */
interface Situation extends RandomWrite {
  writer: Writer
  word: (n: number) => string
  /** One of the ids of a table; undefined if it is empty. */
  pick: (table: string, n: number, condition?: string) => string | undefined
  go: (method: string, url: string, body?: object) => Promise<void>
}

type Perform = (situation: Situation) => Promise<void> | void

/** A write that needs a record of a table. */
const one =
  (table: string, perform: (id: string, situation: Situation) => Promise<void> | void): Perform =>
  (situation) => {
    const id = situation.pick(table, situation.a)
    if (id !== undefined) return perform(id, situation)
  }

/** A write of another tool: one statement. */
const sql =
  (text: string): Perform =>
  async ({ writer, a, b, c }) => {
    // Writes of other tools within a millisecond count as one write.
    await sleep(2)
    try {
      writer.foreign.prepare(text).run({ a, b, c })
    } catch (error) {
      // A write refused by SQLite does not count.
      if (!String(error).includes('constraint')) throw error
    }
  }

/** The `:a`th id of a table, as SQL. */
const nth = (table: string, key = 'id', parameter = 'a') =>
  `(select ${key} from ${table} order by ${key} limit 1 offset :${parameter} % max(1, (select count(*) from ${table})))`

const WRITES: Record<string, Perform> = {
  createProject: ({ go, b, word }) => go('POST', '/api/projects', { name: word(b) }),
  patchProject: one('projects', (id, { go, b, word }) =>
    go('PATCH', `/api/projects/${id}`, { name: word(b), metadata: { b } }),
  ),
  deleteProject: one('projects', (id, { go }) => go('DELETE', `/api/projects/${id}`)),
  createItem: one('projects', (id, { go, b, c, word }) =>
    go('POST', `/api/projects/${id}/kanban-items`, { title: word(c), column: word(b), metadata: { c } }),
  ),
  patchItem: one('kanban_items', (id, { go, b, c, word }) =>
    go('PATCH', `/api/kanban-items/${id}`, {
      column: word(b),
      ...(c % 2 === 0 && { priority: word(c), assigneeId: c % 3 === 0 ? null : word(b) }),
      ...(c % 3 === 0 && { title: word(c), dueDate: '2026-02-03' }),
    }),
  ),
  moveItem: one('kanban_items', (id, { go, b, c, pick, word }) =>
    go('POST', `/api/kanban-items/${id}/move`, {
      column: word(b),
      position: c % 2 === 0 ? 'top' : 'bottom',
      ...(c % 3 === 0 && { projectId: pick('projects', c) }),
    }),
  ),
  claim: one('projects', (id, { go, b, c, word }) =>
    go('POST', `/api/projects/${id}/kanban-items/claim`, { from: word(b), to: word(c) }),
  ),
  renewClaim: one('kanban_items', (id, { go, b }) =>
    go('POST', `/api/kanban-items/${id}/claim/renew`, { leaseSeconds: 30 + (b % 1000) }),
  ),
  releaseClaim: one('kanban_items', (id, { go }) => go('DELETE', `/api/kanban-items/${id}/claim`)),
  deleteItem: one('kanban_items', (id, { go }) => go('DELETE', `/api/kanban-items/${id}`)),
  bulk: ({ go, a, b, c, pick, word }) => {
    const ids = [...new Set([pick('kanban_items', a), pick('kanban_items', b)])]
    // For an unchanged item only `updatedAt` would change, which is not recorded.
    const dueDate = new Date(++times * 1000).toISOString()
    const update = { column: word(c), dismissed: c % 2 === 0, dueDate }
    return go('PATCH', '/api/kanban-items', { ids, update })
  },
  createSubtask: one('kanban_items', (id, { go, b, word }) =>
    go('POST', `/api/kanban-items/${id}/subtasks`, { title: word(b) }),
  ),
  patchSubtask: one('kanban_subtasks', (id, { go, b }) =>
    go('PATCH', `/api/kanban-subtasks/${id}`, { completed: b % 2 === 0 }),
  ),
  createComment: one('kanban_items', (id, { go, b, word }) =>
    go('POST', `/api/kanban-items/${id}/comments`, { content: word(b) }),
  ),
  patchComment: one('kanban_comments', (id, { go, b, word }) =>
    go('PATCH', `/api/kanban-comments/${id}`, { content: word(b) }),
  ),
  deleteComment: one('kanban_comments', (id, { go }) => go('DELETE', `/api/kanban-comments/${id}`)),
  createLabel: one('projects', (id, { go, b, word }) =>
    go('POST', `/api/projects/${id}/kanban-labels`, { name: word(b) }),
  ),
  patchLabel: one('kanban_labels', (id, { go, b, word }) =>
    go('PATCH', `/api/kanban-labels/${id}`, { name: word(b) }),
  ),
  deleteLabel: one('kanban_labels', (id, { go }) => go('DELETE', `/api/kanban-labels/${id}`)),
  attach: one('kanban_items', (id, { go, b, pick }) => {
    const ofProject = `project_id = (select project_id from kanban_items where id = '${id}')`
    return go('PUT', `/api/kanban-items/${id}/labels/${pick('kanban_labels', b, ofProject)}`, {})
  }),
  renameColumn: one('kanban_columns', (id, { go, b, word }) =>
    go('PATCH', `/api/kanban-columns/${id}`, { name: word(b) }),
  ),
  deleteColumn: one('kanban_columns', (id, { go, b, word }) =>
    go('DELETE', `/api/kanban-columns/${id}?moveTo=${encodeURIComponent(word(b))}`),
  ),
  deleteEmptyColumn: one('kanban_columns', (id, { go }) => go('DELETE', `/api/kanban-columns/${id}`)),
  createObjective: one('projects', (id, { go, b, word }) =>
    go('POST', `/api/projects/${id}/objectives`, { title: word(b) }),
  ),
  metrics: one('projects', (projectId, { go, b, c, word }) =>
    go('POST', '/api/ingest/metrics', { projectId, metrics: [{ name: word(b), value: c / 10 }] }),
  ),
  transcript: one('projects', (projectId, { go, b, word }) =>
    go('POST', '/api/ingest/transcript', {
      projectId,
      title: word(b),
      date: '2026-01-31',
      actionItems: [word(b), 'next'],
    }),
  ),
  assignments: one('projects', (id, { go, b, c, word }) =>
    go('PUT', `/api/projects/${id}/team-assignments`, {
      members: [{ memberId: word(b), role: word(c) }],
      leadId: word(c),
    }),
  ),
  createIdea: ({ go, b, word }) => go('POST', '/api/personal-ideas', { title: word(b) }),
  promoteIdea: one('personal_ideas', (id, { go }) => go('POST', `/api/personal-ideas/${id}/promote`, {})),
  deleteIdea: one('personal_ideas', (id, { go }) => go('DELETE', `/api/personal-ideas/${id}`)),
  // Several changes in one write.
  swapLabels: async ({ writer: { app }, pick, a }) => {
    const id = pick('kanban_labels', a)
    const other = pick('kanban_labels', a + 1)
    await writeIn(app, () => {
      const { labels } = app.rules.board
      if (id === undefined || other === undefined || id === other) return
      const [one, two] = [labels.get(id), labels.get(other)]
      if (one.projectId !== two.projectId) return
      labels.update(id, { name: 'between' })
      labels.update(other, { name: one.name })
      labels.update(id, { name: two.name })
    })
  },
  comeAndGo: async ({ writer: { app }, pick, a, word, b }) => {
    const projectId = pick('projects', a)
    if (projectId === undefined) return
    await writeIn(app, () => {
      const { items, comments, subtasks } = app.rules.board
      const item = items.create(projectId, { title: 'fleeting', column: word(b) })
      items.update(item.id, { priority: 'high' }, null)
      subtasks.create(item.id, { title: 'step' })
      const kept = items.create(projectId, { title: 'kept' })
      comments.create(kept.id, { content: 'Hm' }, { id: 'someone', name: '', email: null, role: 'member' })
      items.delete(item.id)
    })
  },
  moveToNewProject: async ({ writer: { app }, pick, a }) => {
    const id = pick('kanban_items', a)
    if (id === undefined) return
    await writeIn(app, () => {
      const project = app.rules.projects.create({ name: 'another' })
      app.rules.board.items.move(id, { projectId: project.id, column: 'Parked' }, null)
    })
  },
  // Writes of another tool.
  retitle: sql(`update kanban_items set title = 'foreign ' || :b where rowid % 3 = :a % 3`),
  foreignDelete: sql(`delete from kanban_items where rowid % 4 = :a % 4`),
  foreignProject: sql(`delete from projects where id = ${nth('projects')}`),
  replaceLabel: sql(
    `insert or replace into kanban_labels (id, project_id, name) select 'label ' || (:a % 3), id, 'alpha' from projects where id = ${nth('projects')}`,
  ),
  offBoard: sql(`update kanban_items set "column" = 'Nowhere' where id = ${nth('kanban_items')}`),
  renumber: sql('update kanban_items set sort_order = sort_order + 0.1 where rowid % 2 = :a % 2'),
  swapColumns: sql(
    `update kanban_columns set sort_order = -sort_order, wip_limit = :b where project_id = ${nth('projects')}`,
  ),
}

/** A random write. @param without excluded kinds */
export const randomWrite = (without: readonly string[] = []): fc.Arbitrary<RandomWrite> =>
  fc.record({
    what: fc.constantFrom(...Object.keys(WRITES).filter((what) => !without.includes(what))),
    a: fc.nat(30),
    b: fc.nat(30),
    c: fc.nat(30),
  })

/** Performs a write. A refused one changes nothing. */
export async function make(write: RandomWrite, writer: Writer): Promise<void> {
  const { app, headers } = writer
  const pick = (table: string, n: number, condition = 'true') => {
    const ids = app.db.$client.prepare<[], string>(`select id from ${table} where ${condition} order by id`)
    const all = ids.pluck().all()
    return all[n % Math.max(1, all.length)]
  }
  const go = async (method: string, url: string, body?: object) => {
    const { status, body: answer } = await send(app, method, url, body, headers)
    if (status >= 500) throw new Error(`${method} ${url} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`)
  }
  const word = (n: number) => WORDS[n % WORDS.length] as string
  await WRITES[write.what]?.({ ...write, writer, pick, go, word })
}
