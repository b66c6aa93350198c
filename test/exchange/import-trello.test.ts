import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { asc, eq } from 'drizzle-orm'
import t from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { kanbanColumns, kanbanComments, kanbanLabels, projects } from '../../src/db/schema.ts'
import { trelloBoardIn } from '../../src/exchange/sources/trello.ts'
import { parseJson } from '../../src/json.ts'
import { type App, build, createProject, send } from '../helper.ts'
import { ITEM_DEFAULTS } from '../item-defaults.ts'
import { readAs, refusal } from './readers.ts'
import { describeImport, type ImportOptions, importTrelloBoard, readTrelloBoard } from './trello-imports.ts'

const FIXTURE = 'test/fixtures/trello-board.json'
const AMARA = '683c08805c0de50b0a4d0002'
const PRIYA = '683eab805c0de50b0a4d0004'
const BOARD_ID = '69a551905c0de50b0a4d0001'

/** A small valid board, to which tests add one odd value each. */
const board = (fields: object = {}) => ({
  id: 'board',
  name: 'Board',
  lists: [{ id: 'list', name: 'To do', closed: false, pos: 1 }],
  cards: [],
  ...fields,
})
const card = (id: string, fields: object = {}) => ({ id, name: id, idList: 'list', pos: 1, ...fields })
const list = (id: string, name: string, fields: object = {}) => ({ id, name, closed: false, ...fields })

/** Imports a board and reads the project over HTTP. A string is sent unchanged. */
async function importAndRead(app: App, source: object | string, options: ImportOptions = {}) {
  const text = typeof source === 'string' ? source : JSON.stringify(source)
  const made = importTrelloBoard(app.db, trelloBoardIn(parseJson(text)), options)
  const { status, body } = await send(app, 'GET', `/api/projects/${made.projectId}`)
  if (status !== 200) throw new Error(`the project cannot be read: ${JSON.stringify(body)}`)
  return { made, project: body, items: body.kanbanItems }
}

const columnsOf = (app: App, projectId: string) =>
  app.db
    .select()
    .from(kanbanColumns)
    .where(eq(kanbanColumns.projectId, projectId))
    .orderBy(asc(kanbanColumns.sortOrder))
    .all()
const columnNames = (app: App, projectId: string) => columnsOf(app, projectId).map(({ name }) => name)
const labelsOf = (app: App, projectId: string) =>
  app.db
    .select()
    .from(kanbanLabels)
    .where(eq(kanbanLabels.projectId, projectId))
    .orderBy(asc(kanbanLabels.id))
    .all()
    .map(({ name, color }) => [name, color])
const commentsOf = (app: App, itemId: string) =>
  app.db
    .select()
    .from(kanbanComments)
    .where(eq(kanbanComments.itemId, itemId))
    .orderBy(asc(kanbanComments.id))
    .all()
const named = (names: string) => (item: { title: string }) => item.title === names

/** Everything in the file, to compare before and after. */
function dump(app: App) {
  const tables = app.db.$client.prepare("select name from sqlite_schema where type = 'table'").pluck().all()
  return tables.map((table) => [table, app.db.$client.prepare(`select * from "${table}"`).raw().all()])
}

t.test('a whole board is imported, by another process on the same file', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const app = await build(t, { databaseUrl })
  const other = openDatabase(databaseUrl)
  t.teardown(() => other.close())
  const made = importTrelloBoard(other.db, readTrelloBoard(FIXTURE))
  const { projectId } = made
  t.strictSame(made, {
    projectId,
    name: 'Website relaunch',
    columns: 4,
    columnsFromClosedLists: 1,
    columnsWithoutList: 0,
    items: 8,
    dismissed: 2,
    labels: 4,
    subtasks: 5,
    checklists: 2,
    comments: 4,
    attachments: 1,
    people: 3,
    dueDates: 3,
    unreadableDueDates: 0,
    skippedComments: 0,
    missingComments: 0,
    skippedChecklists: 0,
    repeatedCards: 0,
    trimmed: 0,
  })
  t.strictSame(describeImport(made), [
    'imported Website relaunch',
    `project ${projectId} (/api/projects/${projectId})`,
    'columns 4 (1 from closed lists)',
    'items 8 (2 dismissed)',
    'labels 4',
    'subtasks 5 (from 2 checklists)',
    'comments 4',
    'attachments 1 (as links)',
    'people 3',
    'due dates 3',
  ])

  const { body: project } = await send(app, 'GET', `/api/projects/${projectId}`)
  const { kanbanItems: items, ...own } = project
  const file = JSON.parse(readFileSync(FIXTURE, 'utf8'))
  t.strictSame(
    own,
    {
      id: projectId,
      name: 'Website relaunch',
      key: 'WR',
      description: "The bakery's new website: what to do until May.",
      type: 'technical',
      status: 'backlog',
      phase: 'Discovery',
      phaseConfig: ['Discovery', 'Design', 'Development', 'Testing', 'Deployment'].map((name) => ({ name })),
      health: 'on-track',
      nextStep: '',
      sortOrder: 0,
      metadata: {
        trello: {
          id: BOARD_ID,
          url: 'https://trello.com/b/wR3lAunC/website-relaunch',
          shortLink: 'wR3lAunC',
          closed: false,
          lists: ['Kick-off', 'Later', 'Doing', 'Done'].map((name) => ({
            id: file.lists.find((list: { name: string }) => list.name === name).id,
            name,
            closed: name === 'Kick-off',
            column: name,
          })),
          labels: ['Content', 'Design', 'Technical', ''].map((name) => {
            const { id, color } = file.labels.find((label: { name: string }) => label.name === name)
            return { id, name, color }
          }),
          members: [
            { id: AMARA, fullName: 'Amara Osei', username: 'amaraosei' },
            { id: file.members[1].id, fullName: 'Jonas Lindqvist', username: 'jonaslindqvist' },
            { id: PRIYA, fullName: 'Priya Raman', username: 'priyaraman' },
          ],
        },
      },
      leadId: null,
      teamId: null,
      access: 'everyone',
      shareLinks: 'members',
      createdAt: '2026-03-02T09:00:00.000Z',
      updatedAt: '2026-04-02T09:12:00.000Z',
      transcriptSummaries: [],
      metrics: [],
      objectives: [],
      teamAssignments: [],
    },
    'the project is the board',
  )

  t.strictSame(
    columnsOf(app, projectId).map(({ name, color, sortOrder, wipLimit, wipPolicy }) => {
      return { name, color, sortOrder, wipLimit, wipPolicy }
    }),
    [
      { name: 'Kick-off', color: '', sortOrder: 1, wipLimit: 0, wipPolicy: 'warn' },
      { name: 'Later', color: '', sortOrder: 2, wipLimit: 0, wipPolicy: 'warn' },
      { name: 'Doing', color: '', sortOrder: 3, wipLimit: 3, wipPolicy: 'warn' },
      { name: 'Done', color: '', sortOrder: 4, wipLimit: 0, wipPolicy: 'warn' },
    ],
    'its columns are the lists, the closed ones first',
  )
  t.strictSame(labelsOf(app, projectId), [
    ['Content', '#4bce97'],
    ['Design', '#9f8fef'],
    ['Technical', '#0c66e4'],
    ['red', '#f87168'],
  ])

  type Brief = {
    column: string
    title: string
    sortOrder: number
    dismissed: boolean
    labels: { name: string }[]
  }
  t.strictSame(
    items.map(({ column, title, sortOrder, dismissed, labels }: Brief) => [
      column,
      title,
      sortOrder,
      dismissed,
      labels.map(({ name }) => name).join(),
    ]),
    [
      ['Doing', 'Rewrite product pages', 65535, false, 'Content,Design'],
      ['Done', 'Sketch the new navigation', 65535, false, 'Design'],
      ['Kick-off', 'Agree on goals and budget', 65535, true, ''],
      ['Later', 'Cookie banner: do we need one?', 65535, false, 'red'],
      ['Later', 'After the launch', 98303, false, ''],
      ['Doing', 'Redirect the old addresses', 98303.25, false, 'Content,Technical,red'],
      ['Kick-off', 'Collect questions for the agency', 131071, true, ''],
      ['Later', 'Newsletter sign-up in the footer', 131071, false, ''],
    ],
    'its items are the cards, by position and then as in the file',
  )

  const source = file.cards.find(({ name }: { name: string }) => name === 'Rewrite product pages')
  const item = items.find(named('Rewrite product pages'))
  t.strictSame(
    item,
    {
      id: item.id,
      projectId,
      ...ITEM_DEFAULTS,
      number: 4,
      title: 'Rewrite product pages',
      description: source.desc,
      column: 'Doing',
      sortOrder: 65535,
      assigneeId: PRIYA,
      assigneeIds: [PRIYA, AMARA],
      dueDate: '2026-04-24T17:00:00.000Z',
      source: 'import',
      sourceId: source.id,
      metadata: {
        trello: {
          badges: source.badges,
          dueComplete: false,
          idList: source.idList,
          idShort: 4,
          shortLink: 'c0000004',
          shortUrl: 'https://trello.com/c/c0000004',
          start: '2026-03-16T08:00:00.000Z',
          subscribed: false,
          url: 'https://trello.com/c/c0000004/4-rewrite-product-pages',
          cover: { size: 'normal', brightness: 'dark' },
          isTemplate: false,
          attachments: [
            {
              id: source.attachments[0].id,
              bytes: 48213,
              edgeColor: '#e8e4da',
              isUpload: true,
              mimeType: 'image/png',
              name: 'top-ten.png',
              pos: 16384,
              fileName: 'top-ten.png',
            },
          ],
          checklists: [
            { id: source.idChecklists[1], name: 'Pages' },
            { id: source.idChecklists[0], name: 'Pictures' },
          ],
        },
      },
      createdAt: '2026-03-04T08:45:00.000Z',
      updatedAt: '2026-04-02T09:12:00.000Z',
      labels: item.labels.map((label: object, index: number) => ({
        ...label,
        projectId,
        name: ['Content', 'Design'][index],
        createdAt: '2026-03-02T09:10:00.000Z',
        updatedAt: '2026-03-02T09:10:00.000Z',
      })),
      subtasks: [
        ['Pages: Bread and rolls', true, '2026-03-16T08:10:00.000Z'],
        ['Pages: Cakes', true, '2026-03-16T08:10:00.000Z'],
        ['Pages: Catering', false, '2026-03-16T08:10:00.000Z'],
        ['Pictures: Ask the photographer for the raw files', true, '2026-03-20T10:05:00.000Z'],
        ['Pictures: Alternative texts', false, '2026-03-20T10:05:00.000Z'],
      ].map(([title, completed, createdAt], index) => ({
        id: item.subtasks[index].id,
        itemId: item.id,
        title,
        completed,
        sortOrder: index + 1,
        createdAt,
        updatedAt: createdAt,
      })),
    },
    'an item is a card with all that it carries',
  )
  t.match(items.find(named('Sketch the new navigation')), {
    dueDate: '2026-03-13T16:00:00.000Z',
    metadata: { trello: { dueComplete: true } },
  })
  t.match(items.find(named('After the launch')).metadata, { trello: { cardRole: 'separator' } })
  t.match(items.find(named('Collect questions for the agency')).metadata, { trello: { listClosed: true } })
  t.strictSame(
    commentsOf(app, item.id).map(({ id: _, ...comment }) => comment),
    [
      {
        itemId: item.id,
        authorId: AMARA,
        content: 'The ten pages are in the attachment, by visits last year.',
        editedAt: null,
        createdAt: '2026-03-20T10:02:00.000Z',
      },
      {
        itemId: item.id,
        authorId: PRIYA,
        content: 'Cakes are done, catering needs the new price list first.',
        editedAt: '2026-03-27T11:21:00.000Z',
        createdAt: '2026-03-27T11:15:00.000Z',
      },
    ],
    'comments keep author and date, the oldest first',
  )
})

t.test('an export of 2012 has labels only on cards, checklists in cards and separate states', async (t) => {
  const app = await build(t)
  const { made, project, items } = await importAndRead(
    app,
    readFileSync('test/fixtures/trello-board-2012.json', 'utf8'),
  )
  t.strictSame(describeImport(made).slice(2), [
    'columns 1',
    'items 2',
    'labels 2',
    'subtasks 2 (from 1 checklist)',
    'comments 0',
    'attachments 0',
    'people 0',
    'due dates 0',
  ])
  t.strictSame(project.metadata.trello.labels, [
    { name: 'Spring', color: 'green' },
    { name: '', color: 'red' },
  ])
  type Item = { title: string; labels: { name: string }[]; subtasks: { title: string; completed: boolean }[] }
  t.strictSame(
    items.map(({ title, labels, subtasks }: Item) => [
      title,
      labels.map(({ name }) => name),
      subtasks.map(({ title, completed }) => [title, completed]),
    ]),
    [
      [
        'Potatoes',
        ['Spring'],
        [
          ['Linda', true],
          ['Sieglinde', false],
        ],
      ],
      ['Beans', ['Spring', 'red'], []],
    ],
  )
  t.equal(project.createdAt, '2012-02-06T10:00:00.000Z')
  t.equal(project.updatedAt, project.createdAt, 'without a date of its own, the board is as old as its id')
})

t.test('checklists are read from cards only, and once if they appear twice', async (t) => {
  const app = await build(t)
  const checklist = { id: 'k1', name: 'Steps', checkItems: [{ id: 'e1', name: 'One', state: 'complete' }] }
  const { made, items } = await importAndRead(
    app,
    board({
      cards: [card('a', { idChecklists: ['k1'], checklists: [checklist] })],
      checklists: [
        checklist,
        { name: 'No id, no card', checkItems: [] },
        { ...checklist, id: 'k2', idCard: 'gone' },
      ],
    }),
  )
  t.match(items[0].subtasks, [{ title: 'One', completed: true, sortOrder: 1 }])
  t.equal(items[0].subtasks.length, 1)
  t.match(made, { checklists: 1, subtasks: 1, skippedChecklists: 2 })
  t.ok(describeImport(made).includes('skipped checklists 2 (of cards that are not in the file)'))
})

t.test('fields of single entries are stored with the item', async (t) => {
  const app = await build(t)
  const { items } = await importAndRead(
    app,
    board({
      cards: [card('a')],
      checklists: [
        {
          id: 'k1',
          idCard: 'a',
          name: '\u200b',
          checkItems: [
            { id: 'e2', name: 'Late', state: 'incomplete', pos: 2, due: '2026-05-01T10:00:00.000Z' },
            { id: 'e3', name: ' ', state: 'incomplete', pos: 3 },
            { id: 'e1', name: 'Plain', state: 'incomplete', pos: 1, due: null, idMember: null },
          ],
        },
        {
          id: 'k2',
          idCard: 'a',
          name: 'More',
          checkItems: [{ id: 'e4', name: 'Theirs', state: 'complete', idMember: 'm' }],
        },
      ],
    }),
  )
  t.strictSame(
    items[0].subtasks.map(({ title }: { title: string }) => title),
    ['(untitled): Plain', '(untitled): Late', '(untitled): (untitled)', 'More: Theirs'],
  )
  t.strictSame(items[0].metadata.trello.checklists, [
    {
      id: 'k1',
      name: '\u200b',
      checkItems: [
        { id: 'e2', name: 'Late', due: '2026-05-01T10:00:00.000Z' },
        { id: 'e3', name: ' ' },
      ],
    },
    { id: 'k2', name: 'More', checkItems: [{ id: 'e4', name: 'Theirs', idMember: 'm' }] },
  ])
})

t.test(
  'definitions of custom fields are stored with the project, and missing comments are reported',
  async (t) => {
    const app = await build(t)
    const customFields = [{ id: 'F1', name: 'Risk', type: 'list', options: [{ id: 'O2', value: 'High' }] }]
    const { made, project, items } = await importAndRead(
      app,
      board({
        customFields,
        pluginData: [{ idPlugin: 'p', value: '{}' }],
        cards: [
          card('a', { customFieldItems: [{ idCustomField: 'F1', idValue: 'O2' }], badges: { comments: 3 } }),
          card('b', { badges: { comments: 1 } }),
          card('c', { badges: 7 }),
        ],
        actions: [
          { type: 'commentCard', data: { text: 'Known', card: { id: 'a' } } },
          ...['One', 'Two'].map((text) => ({ type: 'commentCard', data: { text, card: { id: 'b' } } })),
        ],
      }),
    )
    t.strictSame(project.metadata.trello.customFields, customFields)
    t.strictSame(project.metadata.trello.pluginData, [{ idPlugin: 'p', value: '{}' }])
    t.strictSame(items[0].metadata.trello.customFieldItems, [{ idCustomField: 'F1', idValue: 'O2' }])
    t.equal(made.missingComments, 2)
    t.ok(
      describeImport(made).includes('missing comments 2 (an export has only the latest actions of a board)'),
    )
  },
)

t.test('lists: order, names and cards without one', async (t) => {
  const app = await build(t)
  const long = 'Wishes '.repeat(50).trim()
  const { made, project, items } = await importAndRead(
    app,
    board({
      lists: [
        list('closed', 'Done', { closed: true, pos: 0 }),
        list('late', 'Later', { pos: 'bottom' }),
        list('blank', ' \u200b\u2060', { pos: 5 }),
        list('third', 'Done', { pos: 3.5 }),
        list('second', 'Done', { pos: 3.25, color: 'lime_dark', softLimit: 4 }),
        list('taken', 'Done (2)', { pos: 4 }),
        list('long 1', `${long} a`, { pos: 1 }),
        list('long 2', `${long} b`, { pos: 2 }),
        list('none', 'No list', { pos: 6 }),
        list('no name', '', { softLimit: -1 }),
        list('odd limit', 'Odd limit', { softLimit: 1.5 }),
      ],
      cards: [card('a', { idList: 'second' }), card('b', { idList: 'third' }), card('c', { idList: 'gone' })],
    }),
  )
  const [closed, first = '', second = ''] = columnNames(app, made.projectId)
  t.strictSame(columnNames(app, made.projectId), [
    closed,
    first,
    second,
    'Done',
    'Done (3)',
    'Done (2)',
    '(untitled)',
    'No list',
    'Later',
    '(untitled) (2)',
    'Odd limit',
    'No list (2)',
  ])
  t.equal(closed, 'Done (4)', 'the open ones of its name keep theirs')
  t.equal(first, `${'Wishes '.repeat(15).slice(0, 99).trim()}…`)
  t.ok(second.endsWith('… (2)') && second.length <= 100, second)
  t.match(columnsOf(app, made.projectId)[3], { name: 'Done', color: '#5b7f24', wipLimit: 4 })
  t.strictSame(
    columnsOf(app, made.projectId).filter(({ wipLimit }) => wipLimit !== 0).length,
    1,
    'only a whole positive number is a limit',
  )
  t.strictSame(
    items.map(({ sourceId, column }: { sourceId: string; column: string }) => [sourceId, column]),
    [
      ['a', 'Done'],
      ['b', 'Done (3)'],
      ['c', 'No list (2)'],
    ],
  )
  t.equal(items[2].metadata.trello.idList, 'gone')
  t.match(project.metadata.trello.lists[1], { id: 'long 1', name: `${long} a`, column: first })
  t.match(project.metadata.trello.lists[6], { id: 'blank', name: ' \u200b\u2060', column: '(untitled)' })
  t.ok(
    describeImport(made).includes(
      'columns 12 (1 from closed lists, 1 for cards whose list is not in the file)',
    ),
  )
})

t.test('names stay unique after they were changed', async (t) => {
  const app = await build(t)
  const [one, other] = [`${'x'.repeat(96)}abcd`, `${'x'.repeat(96)}efgh`]
  const { made } = await importAndRead(
    app,
    board({
      lists: [one, one, other, other, 'half \ud83e', 'half \ud83f'].map((name, pos) =>
        list(`l${pos}`, name, { pos }),
      ),
    }),
  )
  t.strictSame(columnNames(app, made.projectId), [
    one,
    `${'x'.repeat(95)}… (2)`,
    other,
    `${'x'.repeat(95)}… (3)`,
    'half \ufffd',
    'half \ufffd (2)',
  ])
})

t.test('labels: names, colours and duplicates', async (t) => {
  const app = await build(t)
  const long = 'x'.repeat(60)
  const { made, project, items } = await importAndRead(
    app,
    board({
      labels: [
        { id: '1', name: '', color: 'green' },
        { id: '2', name: '', color: 'green' },
        { id: '3', name: 'green', color: 'sky_light' },
        { id: '4', name: 'Urgent', color: 'lime_dark' },
        { id: '5', name: 'Urgent', color: 'ultraviolet' },
        { id: '6', name: '', color: null },
        { id: '7', name: ' \ufeff', color: '' },
        { id: '8', name: long, color: 'constructor' },
        { id: '9', name: `${long}!`, color: '__proto__' },
      ],
      cards: [
        card('a', {
          idLabels: ['3', '1', '4', 'deleted'],
          labels: [
            { id: '3', name: 'green', color: 'sky_light' },
            { name: 'Urgent', color: 'lime_dark' },
            { id: '10', name: 'On the card only', color: 'black' },
          ],
        }),
      ],
    }),
  )
  t.strictSame(labelsOf(app, made.projectId), [
    ['green', '#c6edfb'],
    ['Urgent', '#5b7f24'],
    ['Urgent (2)', '#3b82f6'],
    [`${'x'.repeat(49)}…`, '#3b82f6'],
    [`${'x'.repeat(45)}… (2)`, '#3b82f6'],
    ['On the card only', '#8590a2'],
    ['green (2)', '#4bce97'],
    ['green (3)', '#4bce97'],
    ['(untitled)', '#3b82f6'],
    ['(untitled) (2)', '#3b82f6'],
  ])
  t.strictSame(
    items[0].labels.map(({ name }: { name: string }) => name),
    ['green', 'Urgent', 'On the card only', 'green (2)'],
  )
  t.match(project.metadata.trello.labels[3], { id: '8', name: long, color: 'constructor' })
  t.match(project.metadata.trello.labels[9], { id: '7', name: ' \ufeff', color: '' })
})

t.test(
  'long titles are truncated by characters and keep their original, as does an invisible one',
  async (t) => {
    const app = await build(t)
    const long = '🧁'.repeat(501)
    const { project, items } = await importAndRead(
      app,
      board({
        name: 'n'.repeat(250),
        closed: true,
        cards: [
          card('a', { pos: 1, name: long }),
          card('b', { pos: 2, name: '🧁'.repeat(500) }),
          card('c', { pos: 3, name: '\t\u200b\u00ad\u2800' }),
          card('d', { pos: 4, name: 'one name' }),
          card('e', { pos: 5, name: 'one name', desc: `${'d'.repeat(100_000)}${'e'.repeat(10_001)}` }),
          card('f', { pos: 6, name: undefined, desc: null }),
          card('g', { pos: 7, name: 'half a pair \ud83e' }),
        ],
      }),
    )
    t.strictSame(
      items.map(({ title, metadata }: { title: string; metadata: { trello: { name?: string } } }) => [
        title,
        metadata.trello.name,
      ]),
      [
        [`${'🧁'.repeat(499)}…`, long],
        ['🧁'.repeat(500), undefined],
        ['(untitled)', '\t\u200b\u00ad\u2800'],
        ['one name', undefined],
        ['one name', undefined],
        ['(untitled)', ''],
        ['half a pair \ufffd', undefined],
      ],
    )
    t.equal(items[4].description, 'd'.repeat(100_000))
    t.strictSame(
      commentsOf(app, items[4].id).map(({ content, authorId }) => [content, authorId]),
      [
        ['e'.repeat(10_000), 'unknown'],
        ['e', 'unknown'],
      ],
      'what a description has beyond its limit goes on in comments',
    )
    t.equal(items[5].description, '')
    t.equal(project.name, `${'n'.repeat(199)}…`)
    t.equal(project.metadata.trello.name, 'n'.repeat(250))
    t.equal(project.status, 'archived', 'a closed board is an archived project')
  },
)

t.test('positions: fractional, negative, missing and invalid', async (t) => {
  const app = await build(t)
  const cards = [
    card('none', { pos: undefined }),
    card('top', { pos: 'top' }),
    card('third', { pos: 16384.75 }),
    card('fourth', { pos: 16384.75 }),
    card('second', { pos: 0 }),
    card('first', { pos: -2.5 }),
  ]
  // A number too large for a double is read as infinity.
  const text = JSON.stringify(board({ cards: [...cards, card('infinite', { pos: 'INFINITE' })] }))
  const { items } = await importAndRead(app, text.replace('"INFINITE"', '1e999'))
  t.strictSame(
    items.map(({ title, sortOrder }: { title: string; sortOrder: number }) => [title, sortOrder]),
    [
      ['first', -2.5],
      ['second', 0],
      ['third', 16384.75],
      ['fourth', 16384.75],
      ['none', 16385.75],
      ['top', 16386.75],
      ['infinite', 16387.75],
    ],
  )
  t.equal(items[5].metadata.trello.pos, 'top')
})

t.test('a board whose cards have no position at all', async (t) => {
  const app = await build(t)
  const { items } = await importAndRead(
    app,
    board({ cards: [card('b', { pos: null }), card('a', { pos: null })] }),
  )
  t.strictSame(
    items.map(({ title, sortOrder }: { title: string; sortOrder: number }) => [title, sortOrder]),
    [
      ['b', 1],
      ['a', 2],
    ],
  )
})

t.test('due dates: with and without dueComplete, and invalid ones', async (t) => {
  const app = await build(t)
  const { made, items } = await importAndRead(
    app,
    board({
      cards: [
        card('a', { pos: 1, due: '2015-06-19T04:18:01.059+02:00', dueComplete: true }),
        card('b', { pos: 2, due: null, dueComplete: true }),
        card('c', { pos: 3, due: 'next week' }),
        card('d', { pos: 4, due: 1434680281059 }),
        card('e', { pos: 5, due: '2015-02-30T00:00:00.000Z' }),
        card('f', { pos: 6, due: '' }),
        card('g', { pos: 7, due: '2015-06-19' }),
      ],
    }),
  )
  t.strictSame(
    items.map(({ dueDate, metadata }: { dueDate: string; metadata: { trello: object } }) => {
      const { idList: _, ...trello } = metadata.trello as { idList: string }
      return [dueDate, trello]
    }),
    [
      ['2015-06-19T02:18:01.059Z', { dueComplete: true }],
      [null, { dueComplete: true }],
      [null, { due: 'next week' }],
      [null, { due: 1434680281059 }],
      [null, { due: '2015-02-30T00:00:00.000Z' }],
      [null, {}],
      ['2015-06-19T00:00:00.000Z', {}],
    ],
  )
  t.match(made, { dueDates: 2, unreadableDueDates: 3 })
  t.ok(describeImport(made).includes('unreadable due dates 3 (kept in metadata.trello.due)'))
})

t.test('comments: copied, long and unassignable ones', async (t) => {
  const app = await build(t)
  const long = 'word '.repeat(2_095).slice(0, 10_473)
  const comment = (text: unknown, fields: object = {}, data: object = {}) => ({
    id: '5582f65f0000000000000000',
    type: 'commentCard',
    idMemberCreator: 'm1',
    date: '2015-06-20T00:00:00.000Z',
    data: { text, card: { id: 'a' }, ...data },
    ...fields,
  })
  const { made, items } = await importAndRead(
    app,
    board({
      dateLastActivity: '2015-07-01T00:00:00.000Z',
      cards: [card('a')],
      actions: [
        comment('last', { date: '2015-06-21T00:00:00.000Z' }),
        comment('second of one moment'),
        comment('first of one moment'),
        comment(
          long,
          { type: 'copyCommentCard', date: '2015-06-19T00:00:00.000Z' },
          { dateLastEdited: 'soon' },
        ),
        comment('dated by its id', { date: undefined, idMemberCreator: null }),
        comment('without any date', { date: 'x', id: 'y' }),
        comment('elsewhere', {}, { card: { id: 'gone' } }),
        comment('nowhere', {}, { card: undefined }),
        comment(undefined),
        { type: 'commentCard' },
        { ...comment('not said, done'), type: 'updateCard' },
        null,
      ],
    }),
  )
  t.strictSame(
    commentsOf(app, items[0].id).map(({ content, authorId, createdAt, editedAt }) => {
      return [content, authorId, createdAt, editedAt]
    }),
    [
      ['dated by its id', 'unknown', '2015-06-18T16:48:31.000Z', null],
      [long.slice(0, 10_000), 'm1', '2015-06-19T00:00:00.000Z', null],
      [long.slice(10_000), 'm1', '2015-06-19T00:00:00.000Z', null],
      ['first of one moment', 'm1', '2015-06-20T00:00:00.000Z', null],
      ['second of one moment', 'm1', '2015-06-20T00:00:00.000Z', null],
      ['last', 'm1', '2015-06-21T00:00:00.000Z', null],
      ['without any date', 'm1', '2015-07-01T00:00:00.000Z', null],
    ],
  )
  t.match(made, { comments: 7, skippedComments: 4 })
  t.ok(
    describeImport(made).includes('skipped comments 4 (on cards that are not in the file, or without text)'),
  )
})

t.test('dates are read from ids and activity first, then from other fields', async (t) => {
  const app = await build(t)
  const dates = async (fields: object, id = 'c') => {
    const { items } = await importAndRead(app, board({ ...fields, cards: [card(id, fields)] }), {
      again: true,
    })
    return [items[0].createdAt, items[0].updatedAt]
  }
  const id = '5582f65fd6216098d1904c9f'
  t.strictSame(await dates({ dateLastActivity: '2016-01-01T00:00:00.000Z' }, id), [
    '2015-06-18T16:48:31.000Z',
    '2016-01-01T00:00:00.000Z',
  ])
  t.strictSame(await dates({}, id), ['2015-06-18T16:48:31.000Z', '2015-06-18T16:48:31.000Z'])
  t.strictSame(await dates({ dateLastActivity: '2016-01-01T00:00:00.000Z' }), [
    '2016-01-01T00:00:00.000Z',
    '2016-01-01T00:00:00.000Z',
  ])
  const before = new Date().toISOString()
  const [createdAt] = await dates({ dateLastActivity: 'yesterday' })
  t.ok(createdAt >= before, 'a file without any date leaves only the clock')
})

t.test('hostile values are ordinary values', async (t) => {
  const app = await build(t)
  const text = `{
    "id": "b", "name": "b", "__proto__": { "closed": true }, "lists": [{ "id": "l", "name": "__proto__" }],
    "labels": [7, null, { "name": 5, "color": ["red"] }], "members": { "length": 3 }, "actions": "none",
    "cards": [{
      "id": "c", "name": "constructor", "idList": "l", "__proto__": { "closed": true },
      "constructor": { "prototype": { "polluted": true } }, "idMembers": [null, 3, "m1"], "idLabels": {},
      "labels": [null], "checklists": [{ "id": 4, "checkItems": [{ "name": 9 }] }], "attachments": "none",
      "cover": [], "toString": "a string", "shortLink": "nul \\u0000 and \\ud800"
    }]
  }`
  const { project, items } = await importAndRead(app, text)
  t.strictSame(columnNames(app, project.id), ['__proto__'])
  t.match(items[0], { title: 'constructor', column: '__proto__', dismissed: false, assigneeId: 'm1' })
  t.strictSame(items[0].metadata.trello, {
    idList: 'l',
    checklists: [{ checkItems: [{ name: 9 }] }],
    toString: 'a string',
    shortLink: 'nul \u0000 and \ud800',
  })
  t.match(items[0].subtasks, [{ title: '(untitled)', completed: false }])
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('metadata stays within the limits for clients', async (t) => {
  const app = await build(t)
  const { made, project, items } = await importAndRead(
    app,
    board({
      members: Array.from({ length: 1_000 }, (_, n) => ({
        id: `m${n}`,
        fullName: 'Name '.repeat(20),
        username: 'u',
      })),
      cards: [
        card('a', {
          idShort: 7,
          extra: 'x'.repeat(70_000),
          more: 'y'.repeat(50_000),
          url: 'z'.repeat(9_000),
        }),
      ],
    }),
  )
  t.strictSame(
    items[0].metadata.trello,
    {
      idShort: 7,
      idList: 'list',
      url: 'z'.repeat(9_000),
      omitted: ['more', 'extra'],
    },
    'the largest give way',
  )
  t.strictSame(project.metadata.trello.omitted, ['members'])
  t.equal(project.metadata.trello.id, 'board')
  const { status } = await send(app, 'PATCH', `/api/kanban-items/${items[0].id}`, {
    metadata: items[0].metadata,
  })
  t.equal(status, 200)
  t.ok(
    describeImport(made).includes(
      'trimmed 2 (too large for metadata; what is missing: metadata.trello.omitted)',
    ),
  )
})

t.test('a board is imported once, unless asked again', async (t) => {
  const app = await build(t)
  const source = board({ name: 'Garden', cards: [card('c1')] })
  const { project } = await importAndRead(app, source)
  const before = dump(app)
  const again = {
    message: `this board was imported before, as project ${project.id} (Garden); use --again to import it once more`,
  }
  await t.rejects(importAndRead(app, source), again)
  t.strictSame(dump(app), before, 'nothing has changed')

  const { project: second } = await importAndRead(app, source, { again: true })
  t.not(second.id, project.id)
  t.equal(second.kanbanItems.length, 1)
  app.db.delete(projects).where(eq(projects.id, second.id)).run()

  await importAndRead(app, { ...source, id: 'another board' })
  t.pass('a card that came from another board is no reason to refuse')

  for (const metadata of ['', '{"trello":', '{}', '[]', null]) {
    app.db.$client.prepare('update projects set metadata = ? where id = ?').run(metadata, project.id)
    await t.rejects(importAndRead(app, source), again, `known by its items when the metadata is ${metadata}`)
  }
  app.db.delete(projects).where(eq(projects.id, project.id)).run()
  await importAndRead(app, source)
  t.pass('after the project was deleted, it is imported without being asked twice')
})

t.test('a failed import changes nothing', async (t) => {
  const app = await build(t)
  await createProject(app)
  app.db.$client.exec(
    "create trigger refuse before insert on kanban_comments begin select raise(abort, 'no room'); end",
  )
  const before = dump(app)
  const steps: [number, number][] = []
  const importing = () =>
    importTrelloBoard(app.db, readTrelloBoard(FIXTURE), { onProgress: (...step) => steps.push(step) })
  t.throws(importing, { message: 'no room' })
  t.strictSame(dump(app), before)
  t.strictSame(steps, [[0, 34]])
  app.db.$client.exec('drop trigger refuse')
  steps.length = 0
  importing()
  t.strictSame(steps, [
    [0, 34],
    [34, 34],
  ])
})

t.test('boards larger than a batch are imported completely and in order', async (t) => {
  const app = await build(t)
  const cards = Array.from({ length: 1_005 }, (_, n) => card(`c${n}`, { pos: n % 7 }))
  const { made, items } = await importAndRead(app, board({ cards }))
  t.equal(made.items, 1_005)
  t.strictSame(
    items.map(({ sourceId }: { sourceId: string }) => sourceId),
    cards.toSorted((a, b) => a.pos - b.pos).map(({ id }) => id),
  )
})

t.test('files of every format may be compressed with gzip', async (t) => {
  for (const [format, name] of Object.entries({
    trello: 'trello-board.json',
    csv: 'tasks.csv',
    planka: 'planka-board.json',
    kanboard: 'kanboard-tasks.csv',
    jira: 'jira-search.json',
    github: 'github-items.json',
  })) {
    const bytes = readFileSync(`test/fixtures/${name}`)
    const [plain, packed] = [await readAs(format, bytes), await readAs(format, gzipSync(bytes))]
    const shown = ({ cards }: typeof plain) =>
      cards.map(({ id, title, description }) => [id, title, description])
    t.ok(packed.cards.length > 0)
    t.strictSame(shown(packed), shown(plain), format)
  }
})

t.test('a file that is not an export is refused in a few words', async (t) => {
  const refusals: [unknown, string][] = [
    [null, 'board must be object'],
    [[], 'board must be object'],
    [{ name: 'package', version: '1.0.0' }, "board must have required property 'id'"],
    [{ id: 'b', name: 'b', lists: [] }, "board must have required property 'cards'"],
    [board({ lists: {} }), 'board/lists must be array'],
    [board({ cards: [{ name: 'no id' }] }), "board/cards/0 must have required property 'id'"],
    [board({ id: '' }), 'board/id must NOT have fewer than 1 characters'],
  ]
  for (const [source, message] of refusals) {
    t.throws(() => trelloBoardIn(source), { message })
  }
  t.match(await refusal('trello', ''), 'it is empty')
  t.match(await refusal('trello', '{"id": "b"'), 'it begins like JSON, but is not valid')
  const deep = JSON.stringify(board({ prefs: 'DEEP' })).replace(
    '"DEEP"',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  )
  t.match(await refusal('trello', deep), 'it is nested deeper than 100 levels')
  t.equal(
    (await readAs('trello', `\ufeff${JSON.stringify(board())}`)).name,
    'Board',
    'a byte order mark does no harm',
  )
})
