/** The stages of columns: explicit, by name, by place, and of columns that are created implicitly. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { isNamedDone } from '../../src/board/stages.ts'
import { newId } from '../../src/db/ids.ts'
import { isNamedDone as isNamedDoneThere } from '../../web/board/stages.ts'
import { type App, build, createItem, createProject, LONG_AGO, send } from '../helper.ts'
import { ended, upload } from '../imports.ts'

const columnsOf = async (app: App, projectId: string) =>
  (await send(app, 'GET', `/api/projects/${projectId}/kanban-columns`)).body as {
    id: string
    name: string
    stage: string
    sortOrder: number
  }[]

/** The board as `name: stage`. */
const boardOf = async (app: App, projectId: string) =>
  (await columnsOf(app, projectId)).map(({ name, stage }) => `${name}: ${stage}`)

/** A project with only these columns. Each is a name, or a name and a stage. */
async function boardWith(app: App, ...columns: (string | readonly [name: string, stage: string])[]) {
  const { id } = await createProject(app)
  for (const column of await columnsOf(app, id)) await send(app, 'DELETE', `/api/kanban-columns/${column.id}`)
  for (const column of columns) {
    const [name, stage] = typeof column === 'string' ? [column] : column
    const body = { name, ...(stage && { stage }) }
    t.equal((await send(app, 'POST', `/api/projects/${id}/kanban-columns`, body)).status, 201)
  }
  return id as string
}

const NAMES = ['Done', 'DONE', 'closed', 'Complete', 'COMPLETED', 'finished', 'Erledigt', 'fertig', 'hecho']
const WITH_ACCENT = ['terminé', 'Terminé', 'TERMINÉ'].flatMap((name) => [name, name.normalize('NFD')])
const OTHERS = [
  'Do',
  'Done!',
  'not done',
  'termine',
  'completes',
  'abgeschlossen',
  ' ',
  'done ',
  'cloſed',
  'ＤＯＮＥ',
]

t.test('a column with a done-like name is done at any place, for every reader', async (t) => {
  const app = await build(t)
  for (const name of [...NAMES, ...WITH_ACCENT, ...OTHERS]) {
    const isDone = !OTHERS.includes(name)
    const id = await boardWith(app, 'Begin', name, 'Go on', 'Out')
    const stage = isDone ? 'done' : 'doing'
    t.strictSame(await boardOf(app, id), ['Begin: todo', `${name}: ${stage}`, 'Go on: doing', 'Out: done'])
    t.equal(isNamedDone(name), isDone)
    t.equal(isNamedDoneThere(name), isDone, `${name} on the page`)
    await createItem(app, id, { column: name })
    const [column] = (await columnsOf(app, id)).filter((one) => one.name === name)
    t.equal((await send(app, 'GET', `/api/kanban-columns/${column?.id}`)).body.stage, stage)
    const summaries = (await send(app, 'GET', '/api/projects?view=summary')).body
    const { counts } = summaries.find((one: { id: string }) => one.id === id)
    t.match(counts, { open: Number(!isDone), done: Number(isDone) }, name)
    const flow = (await send(app, 'GET', `/api/projects/${id}/flow`)).body
    t.equal(flow.forecast.remaining, Number(!isDone), name)
    t.equal(flow.age.length, Number(!isDone), name)
  }
})

t.test("a column's own stage overrides its name", async (t) => {
  const app = await build(t)
  const id = await boardWith(app, ['Done', 'doing'], 'Erledigt', ['Later', 'todo'])
  t.strictSame(await boardOf(app, id), ['Done: doing', 'Erledigt: done', 'Later: todo'])
  const ready = await boardWith(app, 'Done', 'A', 'B')
  t.strictSame(await boardOf(app, ready), ['Done: done', 'A: doing', 'B: done'])
  t.strictSame(await boardOf(app, await boardWith(app, 'fertig')), ['fertig: done'])
})

/** Boards, and their stages after a card was put into a missing column New. */
const APPEARING: [string, (string | [string, string])[], string[]][] = [
  ['an empty board', [], ['New: todo']],
  ['one column', ['A'], ['A: todo', 'New: doing']],
  ['two by place', ['A', 'B'], ['A: todo', 'New: doing', 'B: done']],
  ['done by name', ['A', 'Done', 'B'], ['A: todo', 'New: doing', 'Done: done', 'B: done']],
  ['only done', ['Done'], ['New: todo', 'Done: done']],
  ['done as it says', ['A', ['B', 'done'], ['C', 'done']], ['A: todo', 'New: doing', 'B: done', 'C: done']],
  [
    'all done as they say',
    [
      ['B', 'done'],
      ['C', 'done'],
    ],
    ['New: todo', 'B: done', 'C: done'],
  ],
  ['nothing done', ['A', ['B', 'doing']], ['A: todo', 'B: doing', 'New: doing']],
  ['done at the front', [['A', 'done'], 'B', 'C'], ['A: done', 'B: doing', 'New: doing', 'C: done']],
]

t.test(
  'a new column does not change the stages of others, and its place does not make it done',
  async (t) => {
    const app = await build(t)
    for (const [words, columns, expected] of APPEARING) {
      const id = await boardWith(app, ...columns)
      await createItem(app, id, { column: 'New' })
      t.strictSame(await boardOf(app, id), expected, words)
      const before = (await boardOf(app, id)).filter((column) => !column.startsWith('New'))
      await createItem(app, id, { column: 'Newer' })
      const after = (await boardOf(app, id)).filter((column) => !column.startsWith('New'))
      t.strictSame(after, before, `${words}, and one more`)
      t.notOk((await boardOf(app, id)).includes('Newer: done'), words)
    }
  },
)

t.test('a new column with a done-like name is done', async (t) => {
  const app = await build(t)
  const id = await boardWith(app, 'A')
  await createItem(app, id, { column: 'Done' })
  t.strictSame(await boardOf(app, id), ['A: todo', 'Done: done'])
  await createItem(app, id, { column: 'Doing' })
  t.strictSame(await boardOf(app, id), ['A: todo', 'Doing: doing', 'Done: done'])
})

t.test('every write that creates a column puts it before the done ones', async (t) => {
  const app = await build(t)
  const writes: [string, string, (id: string, item: string) => object][] = [
    ['POST', '/api/projects/:project/kanban-items', () => ({ title: 'B', column: 'New' })],
    ['PATCH', '/api/kanban-items/:item', () => ({ column: 'New' })],
    ['POST', '/api/kanban-items/:item/move', () => ({ column: 'New' })],
    ['PATCH', '/api/kanban-items', (_, id) => ({ ids: [id], update: { column: 'New' } })],
    [
      'POST',
      '/api/projects/:project/kanban-items/reorder',
      (_, id) => ({ items: [{ id, column: 'New', sortOrder: 1 }] }),
    ],
    ['POST', '/api/projects/:project/kanban-items/claim', () => ({ to: 'New' })],
  ]
  for (const [method, path, body] of writes) {
    const { id } = await createProject(app)
    const item = (await createItem(app, id)).id as string
    const url = path.replace(':project', id).replace(':item', item)
    const { status } = await send(app, method, url, body(id, item))
    t.ok(status < 300, `${path} ${status}`)
    t.strictSame(
      await boardOf(app, id),
      ['To Do: todo', 'In Progress: doing', 'Review: doing', 'New: doing', 'Done: done'],
      path,
    )
  }
})

t.test('columns are renumbered if there is no number between two of them', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const columns = await columnsOf(app, id)
  const items = columns.map((column) => ({ id: column.id, sortOrder: 5 }))
  await send(app, 'POST', `/api/projects/${id}/kanban-columns/reorder`, { items })
  const before = await boardOf(app, id)
  await createItem(app, id, { column: 'New' })
  const done = before.findIndex((column) => column.startsWith('Done'))
  t.strictSame(
    (await boardOf(app, id)).map((column) => column.split(':')[0]),
    before.toSpliced(done, 0, 'New: ').map((column) => column.split(':')[0]),
  )
  t.strictSame(
    (await columnsOf(app, id)).map(({ sortOrder }) => sortOrder),
    [1, 2, 3, 4, 5],
  )
})

t.test('renumbering changes no column that is in its place', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  app.db.$client.prepare('update kanban_columns set updated_at = ?').run(LONG_AGO)
  const [toDo] = await columnsOf(app, id)
  for (let index = 0; index < 110; index++) await createItem(app, id, { column: `New ${index}` })
  const columns = await columnsOf(app, id)
  t.strictSame(columns[0], toDo, 'its ETag still serves as If-Match')
  t.strictSame(
    columns.slice(3, -1).map(({ name }) => name),
    Array.from({ length: 110 }, (_, index) => `New ${index}`),
  )
})

t.test('an import sets the stages', async (t) => {
  const app = await build(t)
  const stagesOf = async (format: string, file: string | Buffer) => {
    const { body } = await upload(app, `format=${format}&again=true`, file)
    const done = await ended(app, body.id)
    t.equal(done.status, 'done', format)
    return await boardOf(app, done.projectId)
  }
  const trello = (...names: string[]) =>
    JSON.stringify({
      id: newId(),
      name: 'B',
      lists: names.map((name, pos) => ({
        id: `${pos}`.padStart(24, '5'),
        name,
        pos,
        closed: name.startsWith('Old ') || name === 'CLOSED',
      })),
      cards: names.includes('A')
        ? []
        : [{ id: '5'.repeat(24), name: 'Lost', idList: '6'.repeat(24), pos: 1 }],
      labels: [],
      actions: [],
      checklists: [],
      members: [],
    })
  t.strictSame(await stagesOf('trello', trello('A', 'DONE', 'Some day')), [
    'A: todo',
    'DONE: done',
    'Some day: doing',
  ])
  t.strictSame(
    await stagesOf('trello', trello('A', 'Done', 'B', 'Done')),
    ['A: todo', 'Done: done', 'B: doing', 'Done (2): done'],
    'by the names there',
  )
  t.strictSame(await stagesOf('trello', trello('A', 'B')), ['A: todo', 'B: done'], 'by place')
  t.strictSame(await stagesOf('trello', trello('X', 'Y')), ['X: todo', 'Y: done', 'No list: todo'])
  t.strictSame(await stagesOf('trello', trello('X')), ['X: todo', 'No list: todo'])
  t.strictSame(
    await stagesOf('trello', trello('A', 'Old ideas', 'Done', 'B', 'CLOSED')),
    ['Old ideas: todo', 'CLOSED: done', 'A: todo', 'Done: done', 'B: doing'],
    'as if the closed lists were not there',
  )
  t.strictSame(
    await stagesOf('trello', trello('Old ideas', 'CLOSED', 'A', 'B', 'C')),
    ['Old ideas: todo', 'CLOSED: done', 'A: todo', 'B: doing', 'C: done'],
    'also by place',
  )
  t.strictSame(await stagesOf('trello', trello('Old ideas', 'A')), ['Old ideas: todo', 'A: todo'])
  t.strictSame(await stagesOf('trello', trello('Old ideas', 'X', 'Y')), [
    'Old ideas: todo',
    'X: todo',
    'Y: done',
    'No list: todo',
  ])
  const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))
  for (const [format, name, ...expected] of [
    ['jira', 'jira-search.json', 'To Do: todo', 'In Review: doing', 'Done: done'],
    ['jira', 'jira.csv', 'To Do: todo', 'In Review: doing', 'Done: done'],
    ['kanboard', 'kanboard-tasks.csv', 'Work in progress: todo', 'Done: done'],
    ['planka', 'planka-board.json', 'Zu tun: todo', 'Fertig: done'],
  ] as const) {
    t.strictSame(await stagesOf(format, fixture(name)), expected, name)
  }
  const github = await stagesOf('github', fixture('github-items.json'))
  t.ok(github.includes('Done: done'))
  t.equal(github.filter((column) => column.endsWith(': done')).length, 1)
  // Files that name the columns only at their cards.
  const csv = (...columns: string[]) => ['title,status', ...columns.map((name) => `x,${name}`)].join('\n')
  t.strictSame(await stagesOf('csv', csv('Done', 'In Progress', 'To-Do', 'Review', 'BACKLOG')), [
    'To-Do: todo',
    'BACKLOG: todo',
    'In Progress: doing',
    'Review: doing',
    'Done: done',
  ])
  t.strictSame(await stagesOf('csv', csv('Done', 'A', 'B')), ['A: todo', 'B: doing', 'Done: done'])
  const tasks = String(fixture('kanboard-tasks.csv'))
  t.strictSame(
    await stagesOf('kanboard', tasks.replaceAll('Work in progress', 'done').replaceAll('Done', 'Ready')),
    ['Ready: todo', 'done: done'],
  )
  const items = ['Done', 'Doing', 'Todo'].map((status) => ({
    id: `PVTI_${status}`,
    title: status,
    content: null,
    status,
  }))
  t.strictSame(await stagesOf('github', JSON.stringify({ items, totalCount: 3 })), [
    'Todo: todo',
    'Doing: doing',
    'Done: done',
  ])
  const fields = [{ name: 'Status', options: ['Ideas', 'Todo', 'Done'].map((name) => ({ name })) }]
  t.strictSame(
    await stagesOf('github', JSON.stringify({ id: 'PVT_x', items, totalCount: 3, fields })),
    ['Ideas: todo', 'Todo: doing', 'Done: done', 'Doing: doing'],
    'but the order of the project counts',
  )
  const view = 'Title\tURL\tStatus\nx\thttps://example.org/1\tDone\ny\thttps://example.org/2\tTodo\n'
  t.strictSame(await stagesOf('github', view), ['Todo: todo', 'Done: done'])
  // By the tools' categories, regardless of the names.
  const jira = JSON.parse(String(fixture('jira-search.json')).replaceAll('"In Review"', '"Finished"'))
  t.strictSame(await stagesOf('jira', JSON.stringify(jira)), ['To Do: todo', 'Finished: doing', 'Done: done'])
  const planka = String(fixture('planka-board.json')).replaceAll('"Fertig"', '"Raus"')
  t.strictSame(await stagesOf('planka', planka), ['Zu tun: todo', 'Raus: done'])
  const closedFirst = JSON.parse(planka)
  for (const list of closedFirst.included.lists) list.position *= list.name === 'Raus' ? -1 : 1
  t.strictSame(await stagesOf('planka', JSON.stringify(closedFirst)), ['Raus: done', 'Zu tun: todo'])
  const stored = app.db.$client.prepare("select stage from kanban_columns where name = 'Raus'").pluck().get()
  t.equal(stored, 'done', 'it says so itself')
})
