import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { kanboardDatabase } from './kanboard-database.ts'
import { cardOf, columnsOf, readAs, readFixture, refusal } from './readers.ts'

t.test('a downloaded database is read with its people, dates, tags, subtasks and comments', async (t) => {
  const board = await readAs('kanboard', gzipSync(kanboardDatabase()))
  t.match(board, {
    id: 'Umzug nach Köln',
    name: 'Umzug nach Köln',
    description: 'Alles muss mit',
    archived: false,
    notes: ['restricted comments 1 (left out, still in Kanboard: 1 for app-manager)'],
  })
  t.same(
    board.columns.map(({ name, wipLimit }) => [name, wipLimit]),
    [
      ['In Arbeit', 3],
      ['Fertig', 0],
    ],
  )
  t.same(
    board.labels.map(({ name, color }) => [name, color]),
    [
      ['schwer', '#ff9797'],
      ['überall', ''],
    ],
  )
  t.same(
    board.cards.map(({ id }) => id),
    ['102', '103', '101'],
    'by swimlane, then by position',
  )
  const card = cardOf(board, '101')
  t.match(card, {
    title: 'Schrank "Länge"',
    description: 'Zeile 1\nZeile 2',
    column: 'In Arbeit',
    priority: 'critical',
    assignees: ['joerg'],
    dueDate: '2026-01-31T00:00:00.000Z',
    labels: ['schwer', 'überall'],
    createdAt: '2026-01-02T00:00:00.000Z',
    updatedAt: '2026-01-03T00:00:00.000Z',
  })
  t.same(
    card.subtasks.map(({ title, completed }) => [title, completed]),
    [
      ['messen', true],
      ['tragen', false],
    ],
  )
  t.same(card.comments, [
    { authorId: 'unknown', text: 'Passt er?', createdAt: '2026-01-03T01:00:00.000Z', editedAt: null },
    {
      authorId: 'joerg',
      text: 'Gut.',
      createdAt: '2026-01-03T03:00:00.000Z',
      editedAt: '2026-01-03T03:01:40.000Z',
    },
  ])
  t.notMatch(JSON.stringify(board), 'Passt.', 'only managers may read it')
  t.same(card.rest, {
    color_id: 'yellow',
    score: 5,
    priority: 3,
    swimlane: 'Keller',
    category: 'Möbel',
    creator: 'asa',
    subtasks: [{ title: 'tragen', time_spent: 1.5, status: 'in progress', user: 'joerg' }],
    comments: [{ reference: 'R1' }],
    links: [{ label: 'blocks', task: 102 }],
    metadata: [{ name: 'etage', value: '3' }],
  })
  t.same(card.attachments, [
    {
      name: 'Halteverbot',
      url: 'https://example.org/antrag',
      creatorId: 'joerg',
      createdAt: '2026-01-03T02:00:00.000Z',
      field: 'externalLinks',
      whole: {
        link_type: 'weblink',
        dependency: 'related',
        title: 'Halteverbot',
        url: 'https://example.org/antrag',
        date_creation: 1767405600,
        date_modification: 1767405600,
        creator_id: 2,
      },
      rest: { title: 'Halteverbot', link_type: 'weblink', dependency: 'related' },
    },
    {
      name: '',
      url: 'file:///srv/plan',
      creatorId: 'asa',
      createdAt: '2026-01-03T02:00:00.000Z',
      field: 'externalLinks',
      whole: {
        link_type: 'weblink',
        dependency: 'related',
        url: 'file:///srv/plan',
        date_creation: 1767405600,
        date_modification: 1767409200,
        creator_id: 1,
      },
      rest: { title: undefined, link_type: 'weblink', dependency: 'related', date_modification: 1767409200 },
    },
    {
      name: 'plan.pdf',
      url: '',
      creatorId: null,
      createdAt: '2026-01-02T00:00:00.000Z',
      field: 'files',
      whole: { name: 'plan.pdf', path: 'tasks/101/x', size: 9 },
    },
  ])
  t.match(cardOf(board, '103'), {
    dismissed: true,
    rest: { creator: '99', date_completed: '2026-01-03T00:26:40.000Z' },
  })
  t.match(board.people, [{ id: 'asa', email: 'asa@example.org' }, {}])
  t.match(board.rest, { users: [{ username: 'asa' }, { username: 'joerg' }] })
  t.notMatch(JSON.stringify(board.rest), /@example/, 'only admins see the emails of others')
  t.notMatch(
    JSON.stringify(board),
    /geheim|hash|seed|niemand/,
    'no secrets, and nobody who has no part in it',
  )
})

t.test('a database with a write-ahead log, of an old version, or with closed projects is read', async (t) => {
  const wal = kanboardDatabase()
  wal.fill(2, 18, 20)
  t.equal((await readAs('kanboard', wal)).cards.length, 3)
  const old = await readAs(
    'kanboard',
    kanboardDatabase(
      'drop table tags; drop table task_has_tags; alter table comments drop column visibility; alter table subtasks rename to task_has_subtasks',
    ),
  )
  t.equal(cardOf(old, '101').subtasks.length, 2)
  t.equal(cardOf(old, '101').comments.length, 3, 'all can be read by everybody')
  const closed = await readAs(
    'kanboard',
    kanboardDatabase("insert into projects (id, name, is_active) values (2, 'Alt', 0)"),
  )
  t.equal(closed.notes.at(-1), 'skipped projects 1 (closed in Kanboard)')
  const only = await readAs('kanboard', kanboardDatabase('update projects set is_active = 0'))
  t.equal(only.archived, true)
})

t.test('a database with other contents is refused, and nothing in it is executed', async (t) => {
  t.match(
    await refusal('kanboard', kanboardDatabase("insert into projects (id, name) values (2, 'Zwei')")),
    'it has 2 projects (Umzug nach Köln, Zwei), and one can be imported at a time',
  )
  t.match(await refusal('kanboard', kanboardDatabase('delete from projects')), 'it has no project')
  const endless =
    'with recursive n(id) as (select 1 union all select id + 1 from n) select id, id as project_id from n'
  const views = kanboardDatabase(`drop table tasks; create view tasks as ${endless}`)
  t.equal((await readAs('kanboard', views)).cards.length, 0, 'views are not tables')
  const generated = kanboardDatabase('alter table tasks add column boom as (zeroblob(999999999))')
  t.equal((await readAs('kanboard', generated)).cards.length, 3, 'columns that are computed are not read')
  const half = kanboardDatabase().subarray(0, 9000)
  t.match(await refusal('kanboard', half), 'it is a damaged database')
  const garbage = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)])
  t.match(await refusal('kanboard', garbage), 'it is a damaged database')
})

t.test('circular pages end', async (t) => {
  // An interior page of the task table whose children are all the same leaf, so that each task repeats.
  const client = new SQLite(':memory:')
  client.exec(
    "pragma page_size = 512; create table projects (id integer primary key, name text); insert into projects values (1, 'x'); create table tasks (id integer primary key, title text, project_id int)",
  )
  client.exec(
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000) insert into tasks select i, 'task ' || i, 1 from n",
  )
  const root = client
    .prepare("select rootpage from sqlite_schema where name = 'tasks'")
    .pluck()
    .get() as number
  const bytes = client.serialize()
  client.close()
  const page = (number: number) => (number - 1) * 512
  const interior = bytes.readUInt32BE(page(root) + 8)
  for (const at of [root, interior]) {
    if (bytes[page(at)] !== 5) continue
    const cells = bytes.readUInt16BE(page(at) + 3)
    const first = bytes.readUInt16BE(page(at) + 12)
    const child = bytes.readUInt32BE(page(at) + first)
    for (let cell = 0; cell < cells; cell += 1) {
      bytes.writeUInt32BE(child, page(at) + bytes.readUInt16BE(page(at) + 12 + 2 * cell))
    }
  }
  const read = readAs('kanboard', bytes).then(
    (board) => board.cards.length,
    (error: Error) => error.message,
  )
  const said = await read
  t.ok(typeof said === 'number' ? said <= bytes.length : /damaged/.test(said), `${said}`)
})

t.test('the CSV export of tasks is read, in any language', async (t) => {
  const board = await readFixture('kanboard', 'kanboard-tasks.csv')
  t.match(board, { id: 'Umzug nach Köln', name: 'Umzug nach Köln' })
  t.same(columnsOf(board), ['Work in progress', 'Done'])
  t.same(
    board.cards.map(({ id }) => id),
    ['2', '3', '1'],
  )
  t.match(cardOf(board, '1'), {
    title: 'Schrank "Länge", messen',
    column: 'Work in progress',
    priority: 'critical',
    assignees: ['joerg'],
    dueDate: '2026-02-28T18:00:00.000Z',
    labels: ['schwer', 'Keller'],
    createdAt: '2026-01-02T09:30:00.000Z',
    rest: {
      reference: 'REF1',
      category: 'Möbel',
      swimlane: 'Default swimlane',
      color: 'Yellow',
      timeEstimated: '2.5',
      creatorName: 'Åsa Öberg',
    },
  })
  t.match(cardOf(board, '2'), { title: 'Lampe\nverschenken', dismissed: true })
  t.match(cardOf(board, '3'), { priority: '', dueDate: null, rest: { priority: '7', due: 'soon' } })
  t.same(board.notes, [
    'unreadable dates 1 (kept in metadata.kanboard)',
    'columns without a field here 12 (cells kept in metadata.kanboard): reference 1, category 1, swimlane 3, position 3, color 3, creator 2, creatorName 2, score 3, started 1, timeEstimated 3, timeSpent 3, completed 1',
    'the CSV export has no descriptions, subtasks and comments: the database has',
  ])
  const german = Array.from({ length: 24 }, (_, index) => `Spalte ${index}`)
  const row = [
    '9',
    '',
    'P',
    'Geschlossen',
    '',
    'S',
    'Fertig',
    '1',
    'Gelb',
    '',
    '',
    '',
    '',
    '',
    '0',
    'Aufgabe',
    '31.01.2026 08:00',
    '31.01.2026 08:00',
    '31.01.2026 09:00',
    '',
    '0',
    '0',
    '0',
    '',
  ]
  const other = await readAs('kanboard', `${german}\n${row}\n`)
  t.match(cardOf(other, '9'), {
    title: 'Aufgabe',
    column: 'Fertig',
    dismissed: true,
    createdAt: '2026-01-31T08:00:00.000Z',
  })
  row[2] = 'Q'
  const two = `${german}\n${row}\n${row.with(2, 'P')}\n`
  t.match(await refusal('kanboard', two), 'it has tasks of 2 projects')
})

t.test('other files are refused', async (t) => {
  t.match(
    await refusal(
      'kanboard',
      'Subtask Id,Title,Status,Assignee,Time estimated,Time spent,Task Id,Task Title\n',
    ),
    'it is the export of subtasks',
  )
  t.match(await refusal('kanboard', 'Title\tURL\n'), 'it looks like a view of a GitHub project: use github')
  t.match(await refusal('csv', kanboardDatabase()), 'it looks like an SQLite database: use kanboard')
})

t.test('a task of the CSV export with empty fields gets what the others say', async (t) => {
  const [header = ''] = readFileSync('test/fixtures/kanboard-tasks.csv', 'utf8').split('\n', 1)
  const names = header.replaceAll('"', '').split(',')
  const row = (fields: Record<string, string>) => names.map((name) => fields[name] ?? '').join(',')
  const board = await readAs(
    'kanboard',
    [
      header,
      row({ Project: 'Move', Title: 'Without anything' }),
      row({
        'Task Id': '7',
        Project: 'Move',
        Title: 'Urgent',
        Priority: '9',
        'Modification date': '01/03/2026 10:00',
      }),
      row({ 'Task Id': '8', Project: 'Move', Title: 'New', 'Creation date': '01/04/2026 10:00' }),
    ].join('\n'),
  )
  t.match(cardOf(board, 'row 1'), {
    column: undefined,
    createdAt: '2026-01-03T10:00:00.000Z',
    updatedAt: '2026-01-03T10:00:00.000Z',
  })
  t.match(cardOf(board, '7'), {
    priority: '',
    rest: { priority: '9' },
    createdAt: '2026-01-03T10:00:00.000Z',
  })
  t.match(cardOf(board, '8'), {
    createdAt: '2026-01-04T10:00:00.000Z',
    updatedAt: '2026-01-04T10:00:00.000Z',
  })
})
