/** A board in the forms that other tools import: by the rules of their importers, and as this service reads those tools' files. */
import t, { type Test } from 'tap'
import { people } from '../../src/db/schema.ts'
import { readAs } from '../exchange/readers.ts'
import {
  type App,
  build,
  count,
  created,
  createItem,
  createProject,
  createSubtask,
  holds,
  send,
  signInAs,
  writeIn,
} from '../helper.ts'
import { importIntoGitHub, importIntoLinear, importIntoPlanka } from '../importers.ts'

const LINEAR = 'export.csv?format=linear'
const GITHUB = 'export.csv?format=github'
const PLANKA = 'export.json'

const fileOf = async (app: App, id: string, form: string): Promise<string> =>
  (await app.inject({ url: `/api/projects/${id}/${form}` })).body

/** A board with a card of each kind. The first card has everything. */
async function example(t: Test) {
  const app = await build(t)
  const project = await createProject(app, { name: 'Summer, 2027', description: 'The fair', key: 'FAIR' })
  await writeIn(app, () =>
    app.db
      .insert(people)
      .values([
        { id: 'maria', name: 'Maria Mason', kind: 'host', email: 'maria@example.org' },
        { id: 'bob', name: 'Bob', kind: 'host' },
      ])
      .run(),
  )
  const make = (fields: object) => createItem(app, project.id, fields)
  const first = await make({
    title: '=Rent the stage',
    description: '- ask "three"\n- compare, then choose',
    priority: 'critical',
    assigneeIds: ['maria', 'bob'],
    dueDate: '2027-03-01',
  })
  const done = await make({ title: 'Grüße 🎉', priority: 'odd', dueDate: '2027-03-01T10:00:00Z' })
  const gone = await make({ title: 'Gone', dismissed: true, priority: 'low' })
  for (const [id, column] of [
    [first.id, 'In Progress'],
    [done.id, 'Done'],
  ])
    await send(app, 'PATCH', `/api/kanban-items/${id}`, { column })
  app.db.$client.exec(`update kanban_items set created_at = '2027-01-01T00:00:00.000Z';
    update kanban_activity set created_at = '2027-02-0' || (1 + (item_id = '${done.id}')) || 'T00:00:00.000Z'`)
  await createSubtask(app, first.id, { title: 'Ask' })
  const ticked = await createSubtask(app, first.id, { title: 'Choose' })
  await send(app, 'PATCH', `/api/kanban-subtasks/${ticked.id}`, { completed: true })
  for (const [name, color] of [
    ['Stage', '#dc2626'],
    ['a, b', 'of course'],
  ]) {
    const label = await created(app, `/api/projects/${project.id}/kanban-labels`, { name, color })
    await send(app, 'PUT', `/api/kanban-items/${first.id}/labels/${label.id}`)
  }
  return { app, project, first, done, gone }
}

t.test('Linear imports a board, and it is read back', async (t) => {
  const { app, project } = await example(t)
  const text = await fileOf(app, project.id, LINEAR)
  const description = '- ask "three"\n- compare, then choose\n\nSubtasks:\n\n- [ ] Ask\n- [x] Choose'
  const createdAt = '2027-01-01T00:00:00.000Z'
  t.strictSame(importIntoLinear(text), {
    issues: [
      {
        title: '=Rent the stage',
        description,
        priority: 1,
        status: 'In Progress',
        assignee: 'Maria Mason',
        labels: ['Stage', 'a b'],
        createdAt,
        completedAt: '',
      },
      {
        title: 'Grüße 🎉',
        description: '',
        priority: 0,
        status: 'Done',
        assignee: '',
        labels: [],
        createdAt,
        completedAt: '2027-02-02T00:00:00.000Z',
      },
    ],
    types: { 'In Progress': 'started', Done: 'completed' },
  })
  t.notMatch(text, 'example.org', 'nobody’s email is in it')

  const { cards } = await readAs(undefined, text)
  t.match(
    cards.map((card) => ({
      ...card,
      column: card.column?.name,
      labels: card.labels.map(({ name }) => name),
    })),
    [
      {
        id: 'FAIR-1',
        number: 1,
        title: '=Rent the stage',
        description,
        column: 'In Progress',
        priority: 'critical',
        assignees: ['Maria Mason'],
        dueDate: '2027-03-01T00:00:00.000Z',
        labels: ['Stage', 'a b'],
        dismissed: false,
        createdAt,
      },
      { number: 2, column: 'Done', priority: '', dueDate: '2027-03-01T10:00:00.000Z', dismissed: false },
      { number: 3, title: 'Gone', column: 'To Do', priority: 'low', dismissed: true },
    ],
  )
  t.equal(cards[1]?.column?.stage, 'done')
})

t.test('GitHub imports issues, and they are read back', async (t) => {
  const { app, project } = await example(t)
  await createItem(app, project.id, { title: ' ', column: 'Review', sortOrder: 10 })
  await createItem(app, project.id, {
    title: `${'x'.repeat(253)}🎉y`,
    description: 'z'.repeat(70_000),
    sortOrder: 11,
  })
  const text = await fileOf(app, project.id, GITHUB)
  const body = `'- ask "three"\n- compare, then choose\n\nSubtasks:\n\n- [ ] Ask\n- [x] Choose`
  const [first, done, gone, untitled, long] = importIntoGitHub(text)
  t.strictSame(first, { title: "'=Rent the stage", body, labels: ['Stage', 'a b'], closed: false })
  t.match(done, { title: 'Grüße 🎉', body: '', closed: true })
  t.match(gone, { title: 'Gone', closed: true })
  t.match(untitled, { title: '(untitled)', closed: false })
  t.equal(long?.title, `${'x'.repeat(253)}…`)
  t.ok(long?.body.startsWith(`${'x'.repeat(253)}🎉y\n\nzzz`), 'the whole title begins the text')
  t.ok(long?.body.endsWith('z…'))
  t.notMatch(text, 'example.org')

  const { cards } = await readAs('csv', text)
  t.match(
    cards.map((card) => ({
      ...card,
      column: card.column?.name,
      labels: card.labels.map(({ name }) => name),
    })),
    [
      {
        number: 1,
        description: body,
        column: 'In Progress',
        priority: 'critical',
        assignees: ['Maria Mason', 'Bob'],
        dueDate: '2027-03-01T00:00:00.000Z',
        labels: ['Stage', 'a b'],
        createdAt: '2027-01-01T00:00:00.000Z',
        rest: { state: 'open' },
      },
      { number: 2, title: 'Grüße 🎉', column: 'Done', priority: 'odd', rest: { state: 'closed' } },
      { number: 3, column: 'To Do', rest: { state: 'closed' } },
      { number: 4, column: 'Review' },
      { number: 5 },
    ],
  )
})

t.test('Planka imports a board, and it is read back', async (t) => {
  const { app, project, first, gone } = await example(t)
  const comments = `/api/kanban-items/${first.id}/comments`
  const admin = signInAs(app, 'admin', { id: 'ann' }).headers
  await created(app, comments, { content: 'First' }, admin)
  const second = await created(app, comments, { content: 'Second' }, admin)
  await send(app, 'PATCH', `/api/kanban-comments/${second.id}`, { content: 'Edited' }, admin)
  app.db.$client.exec(`update kanban_comments set author_id = 'nobody' where id = '${second.id}';
    update kanban_items set "column" = 'Elsewhere' where id = '${gone.id}';
    update kanban_columns set wip_limit = 3 where name = 'Review'`)
  const text = await fileOf(app, project.id, PLANKA)
  const { lists, labels, cards } = importIntoPlanka(text)
  t.strictSame(lists, ['To Do', 'In Progress', 'Review', 'Done', 'Elsewhere'])
  t.strictSame(labels, ['red', null])
  const author = app.rules.members.people.get('ann').name
  t.strictSame(cards, [
    {
      name: '=Rent the stage',
      description: '- ask "three"\n- compare, then choose',
      list: 'In Progress',
      isArchived: false,
      dueDate: '2027-03-01T00:00:00.000Z',
      isDueCompleted: false,
      labels: ['Stage', 'a, b'],
      taskLists: [
        {
          name: 'Subtasks',
          tasks: [
            ['Ask', false],
            ['Choose', true],
          ],
        },
      ],
      comments: [`First (${author})`, 'Edited (Somebody)'],
    },
    {
      name: 'Grüße 🎉',
      description: null,
      list: 'Done',
      isArchived: false,
      dueDate: '2027-03-01T10:00:00.000Z',
      isDueCompleted: true,
      labels: [],
      taskLists: [],
      comments: [],
    },
    {
      name: 'Gone',
      description: null,
      list: 'Elsewhere',
      isArchived: true,
      dueDate: null,
      isDueCompleted: null,
      labels: [],
      taskLists: [],
      comments: [],
    },
  ])
  t.notMatch(text, 'example.org')

  const board = await readAs(undefined, text, 'board.json')
  t.match(board, { format: 'trello', name: 'Summer, 2027', description: 'The fair' })
  t.equal(board.columns.find(({ name }) => name === 'Review')?.wipLimit, 3)
  t.match(
    board.cards.map((card) => ({
      ...card,
      column: card.column?.name,
      labels: card.labels.map(({ name }) => name),
    })),
    [
      {
        number: 1,
        title: '=Rent the stage',
        description: '- ask "three"\n- compare, then choose',
        column: 'In Progress',
        assignees: ['maria', 'bob'],
        dueDate: '2027-03-01T00:00:00.000Z',
        labels: ['Stage', 'a, b'],
        subtasks: [
          { title: 'Ask', completed: false },
          { title: 'Choose', completed: true },
        ],
        comments: [
          { authorId: 'ann', text: 'First' },
          { authorId: 'nobody', text: 'Edited', editedAt: /^\d/ },
        ],
      },
      { number: 2, column: 'Done', rest: { dueComplete: true } },
      { number: 3, dismissed: true },
    ],
  )
  t.match(
    board.people.find(({ id }) => id === 'maria'),
    { name: 'Maria Mason', email: '' },
  )
})

t.test('an empty board, an unknown one and an unknown form', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  t.strictSame(importIntoLinear(await fileOf(app, id, LINEAR)).issues, [])
  t.strictSame(importIntoGitHub(await fileOf(app, id, GITHUB)), [])
  t.strictSame(importIntoPlanka(await fileOf(app, id, PLANKA)).cards, [])
  t.match(await fileOf(app, id, `${LINEAR}&bom=false`), /^ID,Team,Title,/)
  const before = count(app, 'changes')
  await holds(t, app, [
    ['GET', `/api/projects/none/${LINEAR}`, 404, { error: 'Project not found' }],
    ['GET', `/api/projects/none/${PLANKA}`, 404, { error: 'Project not found' }],
  ])
  t.match(await send(app, 'GET', `/api/projects/${id}/export.csv?format=planka`), { status: 400 })
  const answer = await send(app, 'GET', `/api/projects/${id}/${PLANKA}`)
  t.match(answer.headers, {
    'content-type': 'application/json; charset=utf-8',
    'content-disposition': `attachment; filename="phaseboard-${id}.json"`,
  })
  const headers = { 'if-none-match': String(answer.headers.etag) }
  t.match(await send(app, 'GET', `/api/projects/${id}/${PLANKA}`, undefined, headers), { status: 304 })
  t.equal(count(app, 'changes'), before)
})
