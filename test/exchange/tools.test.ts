/** Exports of other tools, and what becomes of what they say. */
import { readFileSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import t from 'tap'
import { ZipFile } from 'yazl'
import { textOfHtml } from '../../src/exchange/sources/html-text.ts'
import { kanboardDatabase } from './kanboard-database.ts'
import { cardOf, columnsOf, readAs, readFixture, refusal } from './readers.ts'

const BERLIN = { timeZone: 'Europe/Berlin' }

/** A zip file of the given files. */
async function zipOf(files: Record<string, Buffer | string>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks)
}

t.test('Asana: completed tasks are done, tasks with a parent subtasks, dependencies links', async (t) => {
  const board = await readFixture(undefined, 'asana.csv')
  t.equal(board.format, 'asana')
  t.same(columnsOf(board), ['Vorbereitung', 'Ausführung', 'Erledigt'])
  const card = cardOf(board, '1209000000000001')
  t.match(card, {
    title: 'Gerüst, groß',
    description: 'Zwei Zeilen:\n„oben“, "unten"',
    column: 'Vorbereitung',
    assignees: ['Jörg Müller'],
    dueDate: '2026-03-20T00:00:00.000Z',
    labels: ['außen', 'Dringend'],
    links: [{ type: 'blocks', to: '1209000000000005' }],
    rest: { 'Start Date': '2026-03-10', Budget: '1200' },
  })
  t.match(
    card.subtasks,
    [
      { title: 'Maße nehmen', completed: true },
      { title: 'Maße nehmen: Firma anrufen', completed: false },
    ],
    'of the topmost parent',
  )
  t.match(card.rest.subtasks, [
    { description: 'Mit Åsa', 'Completed At': '2026-03-04' },
    { title: 'Firma anrufen' },
  ])
  t.match(
    cardOf(board, '1209000000000002'),
    { column: 'Erledigt', dismissed: false, labels: ['außen'], rest: { 'Section/Column': 'Vorbereitung' } },
    'into the column for finished ones',
  )
  t.match(cardOf(board, '1209000000000007').links, [{ type: 'parent', to: 'Nicht da' }])
  t.match(board.people, [{ name: 'Jörg Müller', email: 'joerg@example.org' }, { name: 'Åsa Öberg' }])
  t.same(board.remarks?.subtasks, [
    '2 from cards with a parent, whose other fields are kept in metadata.asana.subtasks',
  ])
  t.same(board.notes, [
    'columns without a field here 3 (cells kept in metadata.asana): Start Date 1, Projects 5, Budget 1',
    'an export of Asana has no comments and files',
  ])
})

t.test('finished cards are dismissed if no column is for them, and the last column is not', async (t) => {
  const header = 'Task ID,Created At,Completed At,Last Modified,Name,Section/Column'
  const board = await readAs(undefined, `${header}\n1,,,,A,Eins\n2,,2026-01-02,,B,Zwei\n3,,,,C,Zwei\n`)
  t.same(
    board.cards.map(({ id, dismissed, column }) => [id, dismissed, column?.name, column?.stage]),
    [
      ['1', false, 'Eins', undefined],
      ['2', true, 'Zwei', 'doing'],
      ['3', false, 'Zwei', 'doing'],
    ],
  )
  t.match(board.notes, ['finished cards dismissed 1 (no column is for finished ones)'])
})

t.test('parents in a circle, missing ones, and too many children stay cards with a link', async (t) => {
  const header = 'Task ID,Created At,Completed At,Last Modified,Name,Section/Column,Parent task'
  const row = (id: number | string, name: string, parent: string) => [id, '', '', '', name, '', parent]
  const rows = [
    row('a', 'A', 'B'),
    row('b', 'B', 'A'),
    row('c', 'C', 'A'),
    row('d', 'D', 'D'),
    row('e', 'E', 'E'),
  ]
  const { cards } = await readAs(undefined, `${header}\n${stringify(rows)}`)
  t.same(
    cards.map(({ id, links = [] }) => [id, links.map(({ type, to }) => `${type} ${to}`).join()]),
    [
      ['a', 'parent b'],
      ['b', 'parent a'],
      ['c', 'parent a'],
      ['d', 'parent D'],
      ['e', 'parent E'],
    ],
  )
  const many = [
    row('p', 'Parent', ''),
    ...Array.from({ length: 1002 }, (_, n) => row(n, `Child ${n}`, 'Parent')),
  ]
  const board = await readAs(undefined, `${header}\n${stringify(many)}`)
  t.equal(board.cards[0]?.subtasks.length, 1000)
  t.match(board.cards.slice(1), [{ id: '1000', links: [{ type: 'parent', to: 'p' }] }, { id: '1001' }])
  const chain = Array.from({ length: 900 }, (_, n) => row(n, `n${n}`, n === 0 ? '' : `n${n - 1}`))
  t.equal(
    (await readAs(undefined, `${header}\n${stringify(chain.reverse())}`)).cards[0]?.subtasks.length,
    899,
  )
  const twice = [
    row('1', 'Same', ''),
    row('2', 'Child', 'Same'),
    row('3', 'Same', ''),
    row('4', 'Child', 'Same'),
  ]
  t.same(
    (await readAs(undefined, `${header}\n${stringify(twice)}`)).cards.map(({ subtasks }) => subtasks.length),
    [1, 1],
    'the nearest parent before',
  )
})

t.test('Planner: buckets are columns, and Progress says what is done', async (t) => {
  const board = await readFixture(undefined, 'planner.csv')
  t.equal(board.format, 'planner')
  t.same(columnsOf(board), ['Planung', 'Ämter', 'Werbung'])
  t.match(cardOf(board, 'Kx1'), {
    title: 'Stände, Plätze',
    description: 'Erster "Wurf"',
    priority: 'high',
    assignees: ['Jörg Müller', 'Åsa Öberg'],
    dueDate: '2026-03-20T00:00:00.000Z',
    dismissed: false,
    labels: ['Grün', 'Bühne'],
    subtasks: [
      { title: 'Plan zeichnen', completed: false },
      { title: 'Strom klären', completed: false },
    ],
    rest: { Progress: 'In progress', Priority: 'Important', 'Completed Checklist Items': '1/2' },
  })
  t.match(cardOf(board, 'Kx2'), {
    priority: 'critical',
    dismissed: true,
    subtasks: [{ completed: true }, { completed: true }],
    updatedAt: '2026-03-04T00:00:00.000Z',
  })
  t.match(cardOf(board, 'Kx3'), { priority: 'medium', dueDate: null, subtasks: [] })
  const newer = await readAs(
    undefined,
    [
      'Task ID,Task Name,Bucket,Goal,Status,Priority,Assigned To,Checklist Items,Completed Checklist Items,Notes',
      'n1,Stand,Planung,Messe,In progress,Important,Åsa Öberg,Zelt; Tisch,Tisch,Mit Strom',
      'n2,Aushang,Werbung,,Completed,Medium,,,,',
    ].join('\n'),
  )
  t.match(
    newer,
    {
      format: 'planner',
      columns: [{ name: 'Planung' }, { name: 'Werbung' }],
      cards: [
        {
          description: 'Mit Strom',
          subtasks: [
            { title: 'Zelt', completed: false },
            { title: 'Tisch', completed: true },
          ],
          rest: { Goal: 'Messe', Status: 'In progress' },
        },
        { dismissed: true },
      ],
    },
    'the sheet of consolidated data',
  )
})

t.test('Linear: states are columns, and a day is a day', async (t) => {
  const board = await readFixture(undefined, 'linear.csv', BERLIN)
  t.same(
    board.columns.map(({ name, stage }) => [name, stage]),
    [
      ['In Progress', undefined],
      ['Canceled', 'done'],
      ['Done', 'done'],
    ],
  )
  t.match(cardOf(board, 'WEB-7'), {
    number: 7,
    description: '- erstens\n- zweitens',
    priority: 'critical',
    assignees: ['joerg@example.org'],
    dueDate: '2026-03-20T00:00:00.000Z',
    labels: ['Bug', 'Kunde'],
    subtasks: [{ title: 'Vorschau', completed: true }],
    links: [
      { type: 'blocked_by', to: 'WEB-8' },
      { type: 'relates', to: 'WEB-9' },
    ],
    createdAt: '2026-03-02T09:30:00.000Z',
  })
  t.match(cardOf(board, 'WEB-8'), {
    dismissed: true,
    priority: '',
    dueDate: '2026-03-20T00:00:00.000Z',
    labels: ['Bug'],
  })
  t.match(cardOf(board, 'WEB-9'), { column: 'Canceled', links: [{ type: 'duplicates', to: 'WEB-7' }] })
  const elsewhere = await readFixture('linear', 'linear.csv')
  t.match(cardOf(elsewhere, 'WEB-7'), { dueDate: '2026-03-19T23:00:00.000Z' }, 'without a time zone')
  t.match(cardOf(elsewhere, 'WEB-8'), { dueDate: '2026-03-20T00:00:00.000Z' }, 'midnight in its own zone')
  t.match(
    await readAs('linear', readFileSync('test/fixtures/linear.csv'), 'x.csv', {
      timeZone: 'Mars/Base',
    }).catch(String),
    /no time zone Mars\/Base/,
  )
})

t.test('Notion: any columns, pages in relations, and spans of days', async (t) => {
  const bytes = readFileSync('test/fixtures/notion.csv')
  const board = await readAs(undefined, bytes, 'Aufgaben 0123456789abcdef0123456789abcdef_all.csv')
  t.match(board, { format: 'notion', name: 'Aufgaben' })
  t.match(board.cards[0], {
    title: 'Saal, groß',
    assignees: ['Jörg Müller', 'Åsa Öberg'],
    dueDate: '2026-03-09T00:00:00.000Z',
    priority: 'high',
    subtasks: [{ title: 'Stühle zählen', completed: false }],
    links: [{ type: 'blocked_by', to: 'row 2' }],
    rest: { span: 'March 4, 2026 → March 9, 2026', Aufwand: '3' },
  })
  t.match(board.cards[1], { dueDate: '2026-03-05T08:00:00.000Z', column: { name: 'Done' } })
  t.same(
    board.labels.map(({ name }) => name),
    ['Ort', 'Geld'],
    'of two spellings one',
  )
  t.equal((await readAs('notion', bytes, 'plan.csv')).format, 'notion')
  const zip = await zipOf({
    'Export/Aufgaben 0123456789abcdef0123456789abcdef_all.csv': bytes,
    'Export/Saal.md': '# Saal',
  })
  t.match(await readAs(undefined, zip, 'export.zip'), { format: 'notion', name: 'Aufgaben' })
  const parts = await zipOf({ 'Export-0123-Part-1.zip': zip })
  t.match(await readAs(undefined, parts, 'export.zip'), { format: 'notion', name: 'Aufgaben' })
  t.match(await refusal(undefined, await zipOf({ 'A-Part-1.zip': parts })), 'it is a zip archive')
  const hours = 'Name,Due\nx,"March 5, 2026 9:00 AM (GMT+1) → 10:30 AM (GMT+1)"\n'
  t.match((await readAs('notion', hours)).cards, [{ dueDate: '2026-03-05T09:30:00.000Z' }], 'of one day')
  t.match(
    await refusal('notion', 'foo,bar\n1,2\n'),
    'expected a column with titles, but there are "foo", "bar"',
  )
  t.match(await refusal('notion', 'title,deadline\nx,y\n').catch(String), 'it was read')
})

t.test('ClickUp: dates in milliseconds, lists in brackets, checklists and comments in JSON', async (t) => {
  const board = await readFixture(undefined, 'clickup.csv')
  const at = '2026-03-02T09:00:00.000Z'
  t.match(cardOf(board, '86a1'), {
    number: 12,
    title: 'Bühne "Süd"',
    description: 'Zeile eins\nZeile zwei',
    column: 'in progress',
    priority: 'critical',
    assignees: ['Jörg Müller', 'Åsa Öberg'],
    dueDate: '2026-03-20T00:00:00.000Z',
    labels: ['technik', 'Ton'],
    createdAt: at,
    subtasks: [
      { title: 'Aufbau: Podest' },
      { title: 'Aufbau: Strom' },
      { title: 'Abbau: Kehren' },
      { title: 'Ton prüfen', completed: true },
    ],
    comments: [
      { authorId: 'joerg@example.org', text: 'Wann?', createdAt: '2026-03-03T08:00:00.000Z' },
      { authorId: 'asa@example.org', text: 'Fertig.', createdAt: '2026-03-04T15:00:00.000Z' },
    ],
    attachments: [{ name: 'plan.pdf', url: 'https://t1.p.clickup-attachments.com/plan.pdf' }],
  })
  t.match(cardOf(board, '86a3'), {
    priority: 'low',
    dueDate: null,
    labels: ['Ton'],
    rest: { Priority: undefined },
  })
  const broken = readFileSync('test/fixtures/clickup.csv', 'utf8').replace('{""Aufbau""', '{""Aufbau')
  t.match(cardOf(await readAs('clickup', broken), '86a1').subtasks, [{ title: 'Ton prüfen' }])
  const deep = readFileSync('test/fixtures/clickup.csv', 'utf8').replace(
    '{},[],[]',
    `"${'['.repeat(200)}",[],[]`,
  )
  t.match(await refusal('clickup', deep), 'it is nested deeper than 90 levels')
})

t.test('Todoist: rows belong to the task before them', async (t) => {
  const board = await readFixture(undefined, 'todoist.csv')
  t.equal(board.description, 'Für alle')
  t.same(columnsOf(board), ['Einkauf', 'Später'])
  t.match(board.cards, [
    { title: 'Ohne Abschnitt', column: undefined, priority: '' },
    {
      title: 'Getränke, kalt',
      description: 'Nicht zu "süß"',
      priority: 'critical',
      assignees: ['202'],
      dueDate: '2026-03-20T00:00:00.000Z',
      subtasks: [{ title: 'Saft' }, { title: 'Saft: Apfel' }],
      comments: [
        { authorId: '202', text: 'Reicht das?' },
        { authorId: '101', text: 'Ja.' },
      ],
      rest: { DATE: '2026-03-19' },
    },
    { title: 'Gießen', priority: 'high', dueDate: null, rest: { DATE: 'jeden Tag' } },
  ])
  t.equal(board.cards.length, 3)
  t.same(cardOf(board, 'row 5').labels, ['einkauf', 'Fest'])
  t.match(board.people, [
    { id: '202', name: 'Jörg' },
    { id: '101', name: 'Åsa' },
  ])
  t.match(board.notes[0], 'unreadable dates 1')
})

t.test('ClickUp: a task in several rows is one, and dates are days in any spelling', async (t) => {
  const header =
    'Task ID,Task Name,Task Content,Status,Due Date,Due Date Text,Parent ID,Assignees,Tags,Comments,Rolled Up Time'
  const at = (day: string) => [String(Date.parse(day)), '']
  const early = [String(Date.parse('2026-09-25T22:30:00Z')), '9/26/2026, 4:00:00 am GMT+5:30']
  const hall = ['b1', 'Halle', '', 'to do', ...early]
  const rows = [hall, hall, ['b2', 'Tor', '', 'to do', ...at('2026-09-27T10:00:00Z')]]
  const says = JSON.stringify([
    { text: 'Passt', by: 'lena@example.org', date: '9/26/2026, 3:04:05 pm GMT+5:30' },
  ])
  const others = [
    ['null', '[Lena]', '[neu]', says, 'NaN'],
    ['null', '[Tim]', '[neu,groß]', says, 'NaN'],
    ['b1', '[]', '[]', '[]', 'NaN'],
  ]
  const board = await readAs(
    undefined,
    `${header}\n${stringify(rows.map((row, index) => [...row, ...(others[index] ?? [])]))}`,
  )
  t.equal(board.format, 'clickup')
  t.equal(board.cards.length, 1)
  t.match(cardOf(board, 'b1'), {
    assignees: ['Lena', 'Tim'],
    labels: ['neu', 'groß'],
    dueDate: '2026-09-26T00:00:00.000Z',
    subtasks: [{ title: 'Tor' }],
    comments: [{ createdAt: '2026-09-26T09:34:05.000Z' }],
    rest: { 'Rolled Up Time': undefined },
  })
  t.match(board.notes, ['repeated rows 1 (with the id of another one: merged)'])
})

t.test('ClickUp: a view, with words for priorities, long dates, and when a task was done', async (t) => {
  const board = await readAs(
    undefined,
    [
      '"Task ID","Task Name","Status","Priority","Assignee","Points","Date Created","Date Done","Tags"',
      '"F-1","Zelt","aufgebaut","URGENT","[Lena, Tim]","3","Wednesday, April 1st 2026, 9:00:00 am +08:00","Friday, April 3rd 2026, 4:30:00 pm +08:00","[neu, groß]"',
      '"F-2","Tisch","geplant","NORMAL","[]","","Thursday, April 2nd 2026, 9:00:00 am +08:00","","[]"',
    ].join('\n'),
  )
  t.equal(board.format, 'clickup')
  t.same(
    board.columns.map(({ name, stage }) => [name, stage]),
    [
      ['aufgebaut', 'done'],
      ['geplant', 'doing'],
    ],
  )
  t.match(cardOf(board, 'F-1'), {
    priority: 'critical',
    assignees: ['Lena', 'Tim'],
    labels: ['neu', 'groß'],
    createdAt: '2026-04-01T01:00:00.000Z',
    dismissed: false,
    rest: { Points: '3', 'Date Done': 'Friday, April 3rd 2026, 4:30:00 pm +08:00' },
  })
  t.match(cardOf(board, 'F-2'), { priority: 'medium', column: 'geplant', assignees: [] })
})

t.test('Todoist: files of notes are attachments, and dates of this year have no year', async (t) => {
  const file = '[[file {"file_name":"plan.png","file_url":"https://files.example.org/plan.png"}]]'
  const header = 'TYPE,CONTENT,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE'
  const task = (content: string, date: string) => [
    'task',
    content,
    4,
    1,
    'Åsa (101)',
    '',
    date,
    'de',
    'Europe/Berlin',
  ]
  const note = (content: string) => ['note', content, '', '', 'Åsa (101)', '', '', '', '']
  const section = (name: string) => ['section', name, '', '', '', '', '', '', '']
  const board = await readAs(
    undefined,
    `${header}\n${stringify([
      section('Leer'),
      section('Garten'),
      task('Beet @🏡 @/garten @nord.west, bald @jetzt.', '6 Apr 17:15'),
      note(`Der Plan ${file}`),
      note(` ${file}`),
      note('[[file {broken}]] bleibt'),
      section('Zuletzt'),
      task('Hecke', 'Apr 9'),
      task('Laub', '2 Jan 2030 09:35'),
      task('Gießen', 'every day'),
      task('Zaun', '2030-07-01T10:00:00Z'),
    ])}`,
  )
  t.same(columnsOf(board), ['Leer', 'Garten', 'Zuletzt'], 'also without tasks')
  t.equal(board.columns.at(-1)?.stage, 'doing', 'a section is never for finished tasks')
  const year = new Date().getFullYear()
  t.match(cardOf(board, 'row 3'), {
    title: 'Beet, bald.',
    labels: ['🏡', '/garten', 'nord.west', 'jetzt'],
    dueDate: `${year}-04-06T15:15:00.000Z`,
    attachments: [{ name: 'plan.png', url: 'https://files.example.org/plan.png' }, { name: 'plan.png' }],
    comments: [{ text: 'Der Plan' }, { text: '[[file {broken}]] bleibt' }],
    rest: { DATE: '6 Apr 17:15' },
  })
  t.same(
    board.cards.slice(1).map(({ dueDate }) => dueDate),
    [`${year}-04-09T00:00:00.000Z`, '2030-01-02T08:35:00.000Z', null, '2030-07-01T10:00:00.000Z'],
  )
  t.match(board.notes, [`dates without a year 2 (read as of ${year})`, 'unreadable dates 1'])
})

t.test(
  'Asana and Planner: with lines above the header, and ids that a spreadsheet has rounded',
  async (t) => {
    const header = 'Task ID,Created At,Completed At,Last Modified,Name,Section/Column,Parent task'
    const sheet = [
      ',,',
      ',,https://app.asana.com/-/googleSheetsProjectCsv?domain=1',
      ',,',
      header,
      '1.20936E+15,2/8/26,,2/8/26,"Halle',
      '",Bau,',
      '1.20936E+15,2/8/26,,2/8/26,Tor,,Halle',
      '1.20936E+15,2/8/26,,2/8/26,Dach,Bau,',
    ]
    const board = await readAs(undefined, sheet.join('\n'))
    t.match(board, {
      format: 'asana',
      cards: [
        { id: 'row 1', title: 'Halle' },
        { id: 'row 3', title: 'Dach' },
      ],
    })
    t.match(board.cards[0]?.subtasks, [{ title: 'Tor' }])
    const plan = await readAs(
      undefined,
      'Plan Name,Fest\nPlan ID,xyz\n\nTask ID,Task Name,Bucket Name,Progress\nt1,Bühne,Aufbau,Completed\n',
    )
    t.match(plan, { format: 'planner', cards: [{ id: 't1', title: 'Bühne', dismissed: true }] })
    t.match((await readAs(undefined, 'title,note\na,b\nTask ID,Task Name\n')).format, 'csv')
  },
)

t.test('a column that is named like work is not for finished cards, even as the last one', async (t) => {
  const stages = async (...names: string[]) =>
    (await readAs('csv', `title,status\n${names.map((name) => `x,${name}`).join('\n')}\n`)).columns.map(
      ({ name, stage }) => [name, stage],
    )
  t.same(await stages('In Arbeit', 'Offen'), [
    ['Offen', 'todo'],
    ['In Arbeit', 'doing'],
  ])
  t.same(await stages('Draft', 'Live'), [
    ['Draft', undefined],
    ['Live', undefined],
  ])
})

t.test('TickTick: after its preamble, with all-day dates in their time zone', async (t) => {
  const board = await readFixture(undefined, 'ticktick.csv')
  t.equal(board.format, 'ticktick')
  t.match(cardOf(board, '7001'), {
    title: 'Zaun "grün" streichen',
    description: 'Zuerst:',
    column: 'Offen',
    priority: 'high',
    dueDate: '2026-03-20T00:00:00.000Z',
    labels: ['außen', 'Farbe'],
    subtasks: [
      { title: 'Abschleifen', completed: false },
      { title: 'Farbe kaufen', completed: true },
      { title: 'Pinsel', completed: true },
    ],
  })
  t.match(cardOf(board, '7003'), {
    column: 'Fertig',
    priority: 'medium',
    dueDate: '2026-03-05T08:00:00.000Z',
  })
  t.match(cardOf(board, '7004'), { column: 'Fertig', dismissed: true })
})

t.test('WeKan: archived cards and lists are dismissed, swimlanes are labels', async (t) => {
  const board = await readFixture(undefined, 'wekan-board.json')
  t.match(board, { format: 'wekan', id: 'bWekan1', name: 'Fest „Süd“' })
  t.same(
    board.columns.map(({ name, isClosed, wipLimit }) => [name, isClosed, wipLimit]),
    [
      ['Alt', true, 0],
      ['Zu tun', undefined, 0],
      ['Fertig', undefined, 4],
    ],
  )
  t.match(cardOf(board, 'c1'), {
    number: 12,
    title: 'Podest "groß"',
    description: 'Zwei\nZeilen',
    assignees: ['u2', 'u1'],
    labels: ['Größe', 'sky', 'Bühne'],
    subtasks: [
      { title: 'Vorher: messen', completed: true },
      { title: 'Vorher: bohren', completed: false },
      { title: 'Nachher: kehren', completed: false },
      { title: 'Schrauben', completed: true },
      { title: 'Auf anderem Board', completed: true },
    ],
    comments: [
      { authorId: 'u2', text: 'Hält das?' },
      { authorId: 'u1', text: 'Ja.' },
    ],
    links: [{ type: 'blocked_by', to: 'c2' }],
    attachments: [{ name: 'plan.png', url: '' }],
    rest: {
      customFields: [
        { name: 'Kosten', value: 250 },
        { name: 'Ort', value: 'Köln' },
      ],
    },
  })
  t.notMatch(JSON.stringify(board), 'aGFsbG8=', 'no bytes of files')
  t.match(cardOf(board, 'c2'), { dismissed: true, column: 'Zu tun' })
  t.match(cardOf(board, 'c3'), { dismissed: true, column: 'Alt' }, 'of an archived list')
  t.match(board.people, [{ name: 'Åsa Öberg' }, { name: 'joerg' }])
  t.match(await readFixture('wekan', 'wekan-board.json', BERLIN), {
    cards: { 2: { dueDate: '2026-03-20T00:00:00.000Z' } },
  })
  const lane = readFileSync('test/fixtures/wekan-board.json', 'utf8').replace(
    '"_id": "s2"',
    '"_id": "s2", "archived": true',
  )
  t.match(cardOf(await readAs(undefined, lane), 'c1'), { dismissed: true }, 'of an archived swimlane')
})

t.test('Deck: done and archived cards, of one board or several', async (t) => {
  const board = await readFixture(undefined, 'deck-boards.json', BERLIN)
  t.match(board, { format: 'deck', name: 'Fest', labels: [{ name: 'Größe', color: '#31cc7c' }] })
  t.same(columnsOf(board), ['Zu tun', 'Läuft', 'Abgehakt'])
  t.match(cardOf(board, '101'), {
    column: 'Zu tun',
    assignees: ['joerg', 'asa'],
    dueDate: '2026-03-20T00:00:00.000Z',
    labels: ['Größe'],
    comments: [{ authorId: 'joerg', text: 'Hält das?', createdAt: '2026-03-04T08:00:00.000Z' }],
    attachments: [{ name: 'plan.png', creatorId: 'asa' }],
    createdAt: '2026-03-02T09:00:00.000Z',
  })
  t.match(cardOf(board, '102'), { dismissed: true, column: 'Zu tun' })
  t.match(cardOf(board, '103'), { dismissed: false, column: 'Abgehakt', rest: { stack: 'Läuft' } })
  t.equal(board.cards.length, 3, 'without the deleted one')
  const file = JSON.parse(readFileSync('test/fixtures/deck-boards.json', 'utf8'))
  const one = { ...file.boards[7], stacks: Object.values(file.boards[7].stacks) }
  t.equal((await readAs(undefined, JSON.stringify(one))).cards.length, 3, 'one board, as the page exports it')
  const other = {
    id: 8,
    title: 'Haus',
    stacks: { 1: { title: 'Zu tun', cards: [{ id: 201, title: 'Dach' }] } },
  }
  const both = await readAs('deck', JSON.stringify({ 7: file.boards[7], 8: other }), 'boards.json')
  t.equal(both.name, 'boards')
  t.same(cardOf(both, '201').labels, ['Haus'], 'several boards: each is a label')
  t.same(columnsOf(both), ['Zu tun', 'Läuft', 'Abgehakt'])
})

t.test('Vikunja: the zip file or its data, HTML as Markdown, buckets of the board', async (t) => {
  const bytes = readFileSync('test/fixtures/vikunja-data.json')
  const board = await readAs(
    undefined,
    await zipOf({ VERSION: 'v1.0.0', 'data.json': bytes, 'files/1': 'x' }),
    'export.zip',
  )
  t.match(board, { format: 'vikunja', name: 'Fest', description: 'Für **alle**' })
  t.same(
    board.columns.map(({ name, stage, wipLimit }) => [name, stage, wipLimit]),
    [
      ['Zu tun', undefined, 5],
      ['Abgehakt', 'done', 0],
    ],
  )
  t.match(cardOf(board, '201'), {
    number: 12,
    description: 'Erst *messen* & planen\n- [x] Plan\n- Holz',
    priority: 'critical',
    position: 65536,
    assignees: ['joerg', 'asa'],
    dueDate: '2026-03-19T23:00:00.000Z',
    subtasks: [{ title: 'Schrauben', completed: false }],
    links: [{ type: 'blocked_by', to: '202' }],
    comments: [{ authorId: 'joerg', text: 'Hält das?', editedAt: '2026-03-04T08:30:00.000Z' }],
    attachments: [{ name: 'plan.png', creatorId: 'asa' }],
    rest: { percent_done: 0.5 },
  })
  t.notOk('start_date' in cardOf(board, '201').rest, 'the year 1 is no date')
  t.match(cardOf(board, '202'), { column: 'Abgehakt', dueDate: null, rest: { bucket: 'Zu tun' } })
  t.match(board.notes, ['projects left out 1 (they have no tasks)'])
  const [project, inbox] = JSON.parse(bytes.toString())
  inbox.tasks = [{ id: 301, title: 'Lose', done: true }]
  const both = await readAs('vikunja', JSON.stringify([project, inbox]), 'data.json')
  t.match(cardOf(both, '301'), { column: 'Abgehakt', labels: ['Inbox'] })
  t.same(cardOf(both, '201').labels, ['Größe', 'Fest'])
})

t.test('zip files of other kinds are refused in one line', async (t) => {
  t.match(await refusal(undefined, await zipOf({ 'xl/workbook.xml': '<x/>' })), 'a workbook: save it as CSV')
  t.match(await refusal(undefined, await zipOf({ 'a.csv': 'title\n', 'b.csv': 'title\n' })), 'unpack it')
  t.match(
    await refusal('trello', await zipOf({ 'manifest.json': '{}' })),
    'an archive of Phaseboard: use phaseboard',
  )
  const bomb = await zipOf({ 'data.json': Buffer.alloc(257 * 1024 * 1024, ' ') })
  t.ok(bomb.length < 1024 * 1024)
  t.match(await refusal('vikunja', bomb), 'it unpacks to more than 256 MiB')
})

t.test(
  'a table is read by the names of columns in other languages, and those that the user gives',
  async (t) => {
    const excel = Buffer.from(
      'sep=;\r\nTitel;Spalte;Fällig;Priorität;Zuständig;Schlagwörter\r\n"Bücher";In Arbeit;10.03.2026;hoch;Jörg Müller;"Grün, Rot"\r\n"Preis";Offen;46091;niedrig;;\r\n',
      'latin1',
    )
    const [book, price] = (await readAs(undefined, excel)).cards
    t.match(book, {
      title: 'Bücher',
      assignees: ['Jörg Müller'],
      priority: 'high',
      dueDate: '2026-03-10T00:00:00.000Z',
    })
    t.match(price, { priority: 'low', dueDate: '2026-03-10T00:00:00.000Z', assignees: [] })
    const french = await readAs(
      'csv',
      'Titre;Statut;Échéance;Priorité;Responsable;Étiquettes;Terminé\nRelire;En cours;04/03/2026;haute;Zoé;web;oui\n',
    )
    t.match(french.cards[0], {
      title: 'Relire',
      assignees: ['Zoé'],
      priority: 'high',
      dueDate: '2026-03-04T00:00:00.000Z',
    })
    const spanish = await readAs(
      'csv',
      'Título;Estado;Vencimiento;Prioridad;Encargado;Etiquetas\nRevisar;Hecho;04/03/2026;alta;Íñigo;web\n',
    )
    t.match(spanish.cards[0], {
      title: 'Revisar',
      assignees: ['Íñigo'],
      priority: 'high',
      column: { name: 'Hecho' },
    })
    const columns = [
      { from: 'What', to: 'title' },
      { from: 'by whom', to: 'assignee' },
      { from: 'Title', to: 'metadata' },
    ]
    const mapped = await readAs(undefined, 'What,By whom,Title\nSweep,Ann,Dr\n', 'x.csv', { columns })
    t.match(mapped, { format: 'csv', cards: [{ title: 'Sweep', assignees: ['Ann'], rest: { Title: 'Dr' } }] })
    t.match(
      await readAs('csv', 'a,b\n1,2\n', 'x.csv', { columns: [{ from: 'c', to: 'title' }] }).catch(String),
      /no column is named "c": there are "a", "b"/,
    )
    t.match(await readAs('trello', '{}', 'x', { columns }).catch(String), /only columns of a table/)
  },
)

t.test('labels that differ only in case, accents or form are one', async (t) => {
  const table = `Title,Labels\nA,"Bug, bug"\nB,"BUG , ${'Größe'.normalize('NFC')}"\nC,"${'Größe'.normalize('NFD')}"\n`
  const board = await readAs(undefined, table)
  t.same(
    board.labels.map(({ name }) => name),
    ['Bug', 'Größe'.normalize('NFC')],
  )
  t.same(
    board.cards.map(({ labels }) => labels.map(({ name }) => name)),
    [['Bug'], ['Bug', 'Größe'.normalize('NFC')], ['Größe'.normalize('NFC')]],
  )
})

t.test('a wrong format says which tool the file is of', async (t) => {
  const files: [string, string, string][] = [
    ['asana.csv', 'csv', "it looks like Asana's CSV export: use asana"],
    ['planner.csv', 'jira', 'it looks like a plan of Microsoft Planner: use planner'],
    ['linear.csv', 'kanboard', "it looks like Linear's CSV export: use linear"],
    ['clickup.csv', 'csv', "it looks like ClickUp's CSV export: use clickup"],
    ['todoist.csv', 'notion', "it looks like Todoist's CSV export: use todoist"],
    ['ticktick.csv', 'csv', "it looks like TickTick's backup: use ticktick"],
    ['wekan-board.json', 'trello', 'it looks like a WeKan board: use wekan'],
    ['deck-boards.json', 'planka', 'it looks like an export of Nextcloud Deck: use deck'],
    ['vikunja-data.json', 'jira', "it looks like Vikunja's export: use vikunja"],
    ['trello-board.json', 'wekan', 'it looks like a Trello board export: use trello'],
    ['jira-search.json', 'vikunja', 'it looks like a search in Jira: use jira'],
  ]
  for (const [file, format, message] of files) {
    const bytes = readFileSync(`test/fixtures/${file}`)
    t.match(await refusal(format, bytes), message, file)
    const name = message.split(': use ')[1]
    t.equal((await readAs(undefined, bytes)).format, name, file)
  }
  t.match(await refusal(undefined, '{"a":1}'), 'it is of no tool that is known here')
  t.match(await refusal(undefined, 'a,b\n1,2\n'), 'no column is named title')
  const planka = await readFixture(undefined, 'planka-board.json')
  t.match(planka, { format: 'planka' })
})

t.test('links of Kanboard and Jira have the same form', async (t) => {
  t.match(cardOf(await readAs('kanboard', kanboardDatabase()), '101').links, [{ type: 'blocks', to: '102' }])
  const header =
    'Summary,Issue key,Issue Type,Outward issue link (Blocks),Inward issue link (Blocks),Outward issue link (Relates)'
  const table = await readAs(undefined, `${header}\nA,X-1,Task,X-2,X-3,X-4\nB,X-2,Task,,,\n`)
  const links = [
    { type: 'blocks', to: 'X-2' },
    { type: 'blocked_by', to: 'X-3' },
    { type: 'relates', to: 'X-4' },
  ]
  t.match(cardOf(table, 'X-1'), { links, number: 1 })
  t.same(cardOf(table, 'X-2').links, [])
  const blocks = { name: 'Blocks', inward: 'is blocked by', outward: 'blocks' }
  const issuelinks = [
    { type: blocks, outwardIssue: { key: 'X-2' } },
    { type: blocks, inwardIssue: { key: 'X-3' } },
    { type: { outward: 'relates to' }, outwardIssue: { key: 'X-4' } },
    { type: null },
  ]
  const search = { issues: [{ key: 'X-1', fields: { summary: 'A', issuelinks } }] }
  t.match(cardOf(await readAs(undefined, JSON.stringify(search)), 'X-1'), { links })
})

t.test('a board of Planka says how many lists it has no cards of', async (t) => {
  const file = JSON.parse(readFileSync('test/fixtures/planka-board.json', 'utf8'))
  const without = (types: string[]) => {
    const away = new Set(
      file.included.lists
        .filter(({ type }: { type: string }) => types.includes(type))
        .map(({ id }: { id: string }) => id),
    )
    const cards = file.included.cards.filter(({ listId }: { listId: string }) => !away.has(listId))
    return readAs('planka', JSON.stringify({ ...file, included: { ...file.included, cards } }))
  }
  t.match((await without(['archive', 'trash'])).notes[0], /^lists without their cards 2 \(/)
})

t.test('HTML of an editor becomes Markdown, and any other text stays', (t) => {
  const cases: [string, string][] = [
    ['1 < 2 & 3', '1 < 2 & 3'],
    ['<p>One<br>two</p><p>three</p>', 'One\ntwo\n\nthree'],
    [
      '<h2>Plan</h2><p><strong>bold</strong> <em>it</em> <code>x &lt; y</code></p>',
      '## Plan\n\n**bold** *it* `x < y`',
    ],
    [
      '<p><a href="https://example.org/">here</a> and <a>there</a></p>',
      '[here](https://example.org/) and [there]()',
    ],
    [
      '<ul><li data-checked="true"><p>done</p></li><li data-checked="false">open</li><li>plain</li></ul>',
      '- [x] done\n- [ ] open\n- plain',
    ],
    ['<p>an <unknown>tag</unknown> and </a>', 'an tag and ]()'],
  ]
  for (const [html, text] of cases) t.equal(textOfHtml(html), text, html)
  t.end()
})

t.test('Deck: what a card lacks, or has in another form', async (t) => {
  const card = (fields: object) => ({ id: 1, title: 'Card', ...fields })
  const stacks = [
    {
      id: 2,
      title: 'Later',
      order: 2,
      cards: [card({ id: 3, duedate: 'soon', done: '2026-01-02T00:00:00+00:00' })],
    },
    { id: 4, title: 'Gone', order: 3, deletedAt: 5, cards: [card({ id: 6 })] },
    {
      id: 7,
      title: 'Finished',
      order: 1,
      isDoneColumn: true,
      cards: [
        card({
          id: 8,
          createdAt: 1_767_225_600,
          lastModified: 1_767_225_601,
          archived: true,
          comments: [
            { message: 'Who?' },
            {
              message: 'I',
              actorId: 'ada',
              actorDisplayName: 'Ada',
              creationDateTime: '2026-01-03T00:00:00+00:00',
            },
          ],
          attachments: [
            { data: 'plan.pdf', createdBy: 'ada', createdAt: 1_767_225_602 },
            { data: 'other.pdf' },
          ],
          dependentCards: [3, { id: 9 }],
        }),
        card({ id: 10, deletedAt: 11 }),
      ],
    },
  ]
  const board = await readAs('deck', JSON.stringify({ id: 1, title: 'Fest', stacks }), 'deck.json')
  t.same(columnsOf(board), ['Finished', 'Later'])
  t.same(
    board.cards.map(({ id }) => id),
    ['8', '3'],
  )
  const finished = cardOf(board, '8')
  t.match(finished, {
    createdAt: '2026-01-01T00:00:00.000Z',
    dismissed: true,
    links: [
      { type: 'relates', to: '3' },
      { type: 'relates', to: '9' },
    ],
  })
  t.equal(finished.comments.length, 2)
  t.equal(cardOf(board, '3').rest?.duedate, 'soon')
})
