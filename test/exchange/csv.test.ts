import { gzipSync } from 'node:zlib'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import t from 'tap'
import { build, created, createItem, createProject, createSubtask, send } from '../helper.ts'
import { rounds } from '../rounds.ts'
import { cardOf, columnsOf, readAs, readFixture, refusal } from './readers.ts'

t.test('a spreadsheet table is read with its people, dates, labels, subtasks and comments', async (t) => {
  const board = await readFixture('csv', 'tasks.csv')
  t.equal(board.name, 'tasks')
  t.same(columnsOf(board), ['Offen', 'In Arbeit'])
  t.same(
    board.cards.map(({ id }) => id),
    ['7', '8', 'row 4'],
  )
  const at = '2026-01-02T09:30:00.000Z'
  t.same(cardOf(board, '7'), {
    id: '7',
    title: 'Größe der "Süd"-Fassade messen',
    description: 'Zwei Zeilen:\n„oben“; "unten"',
    column: 'In Arbeit',
    position: undefined,
    priority: 'high',
    assignees: ['Jörg Müller', 'Åsa Öberg'],
    dueDate: '2026-01-31T00:00:00.000Z',
    dismissed: false,
    labels: ['außen', 'dringend'],
    subtasks: [
      { title: 'Gerüst bestellen', completed: true, createdAt: at },
      { title: 'Maße eintragen', completed: false, createdAt: at },
    ],
    comments: [
      { authorId: 'unknown', text: 'Bitte bis Freitag', createdAt: at, editedAt: null },
      { authorId: 'unknown', text: 'Geht klar', createdAt: at, editedAt: null },
    ],
    attachments: [],
    rest: { Priorität: 'hoch', 'Zugewiesen an': 'Jörg Müller, Åsa Öberg', 'Aufwand (h)': '3,5' },
    createdAt: at,
    updatedAt: at,
  })
  const other = cardOf(board, '8')
  t.match(other, { priority: 'später', dismissed: true, dueDate: null, rest: { 'Fällig am': 'demnächst' } })
  t.same(board.notes, [
    'unreadable dates 1 (kept in metadata.csv)',
    'columns without a field here 1 (cells kept in metadata.csv): Aufwand (h) 1',
  ])
})

t.test('encoding and delimiter are detected', async (t) => {
  const text = 'Title;Note\nGröße;"a;b"\n'
  const read = async (bytes: Uint8Array | string) => {
    const [card] = (await readAs('csv', bytes)).cards
    t.match(card, { title: 'Größe', rest: { Note: 'a;b' } })
  }
  await read(text)
  await read(`\uFEFF${text}`)
  await read(Buffer.from(`\uFEFF${text}`, 'utf16le'))
  await read(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16())
  await read(Buffer.from(text, 'latin1'))
  await read(gzipSync(text))
  await read(`sep=;\r\n${text}`)
  await read(`\n \r\n${text}`)
  await read(`sep=;\n\n${text}`)
  await read('Title,Note\r\nGröße,a;b\r\n')
  await read('Title\tNote\nGröße\ta;b\n')
  await read('Title|Note\nGröße|a;b')
})

t.test("this service's own export is read without its formula guards", async (t) => {
  const header =
    'id,title,description,column,priority,assigneeId,dueDate,labels,subtasks,source,createdAt,updatedAt,dismissed'
  const row = `x1,'=1+1,'-list,Done,P1,"ada, of course",2026-01-31T00:00:00.000Z,,,import,2026-01-01T00:00:00.000Z,2026-01-02T00:00:00.000Z,true`
  const own = cardOf(await readAs('csv', `${header}\n${row}\n`), 'x1')
  t.match(own, {
    title: '=1+1',
    description: '-list',
    priority: 'P1',
    assignees: ['ada, of course'],
    dismissed: true,
  })
  t.match(own, {
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    rest: { source: 'import' },
  })
  for (const priority of ['urgent', 'Normal', ' high']) {
    t.match(cardOf(await readAs('csv', `${header}\n${row.replace('P1', priority)}\n`), 'x1'), {
      priority,
      rest: { priority: undefined },
    })
  }
  const foreign = await readAs('csv', "title\n'=1+1\n")
  t.equal(foreign.cards[0]?.title, "'=1+1", 'an apostrophe of others is text')
})

t.test("this service's own export is read with its labels and subtasks", async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const url = `/api/projects/${project.id}`
  const names = ['a,b', 'a\\b', 'x;y', 'two\nlines', '=f', "'quoted", 'back\\,']
  const labels = []
  for (const name of names) labels.push(await created(app, `${url}/kanban-labels`, { name }))
  const subtasks = [['a;b'], ['a; b', '[x] c'], ['trailing  ']]
  for (const [index, titles] of subtasks.entries()) {
    const item = await createItem(app, project.id)
    for (const title of titles) await createSubtask(app, item.id, { title })
    for (const { id } of labels.slice(index)) {
      await send(app, 'PUT', `/api/kanban-items/${item.id}/labels/${id}`)
    }
  }
  const { cards } = await readAs('csv', (await app.inject({ method: 'GET', url: `${url}/export.csv` })).body)
  t.strictSame(
    cards.map(({ number }) => number),
    [1, 2, 3],
  )
  for (const [index, titles] of subtasks.entries()) {
    t.strictSame(cards[index]?.labels.map(({ name }) => name).sort(), names.slice(index).sort())
    t.strictSame(
      cards[index]?.subtasks.map(({ title }) => title),
      titles,
    )
  }
})

t.test('dates in many formats are read, with the order of day and month of the file', async (t) => {
  const due = async (...dates: string[]) => {
    const board = await readAs('csv', stringify([['title', 'due'], ...dates.map((date) => ['x', date])]))
    return { dates: board.cards.map(({ dueDate }) => dueDate?.slice(0, 16)), notes: board.notes }
  }
  const same = '2026-03-04T00:00'
  const shapes = [
    '2026-03-04',
    '2026/3/4',
    '4.3.2026',
    '04.03.26',
    '4 Mar 2026',
    'Wed, 4. März 2026',
    'Mar 4, 2026',
    '4/Mar/26',
    '4 mars 2026',
  ]
  t.same(
    (await due(...shapes)).dates,
    shapes.map(() => same),
  )
  t.same((await due('4/3/2026', '25/3/2026')).dates, [same, '2026-03-25T00:00'])
  t.same((await due('3/4/2026', '3/25/2026')).dates, [same, '2026-03-25T00:00'])
  t.same(await due('3/4/2026'), {
    dates: [same],
    notes: ['dates such as 3/4/2026 were read as month/day/year, because the file does not show the order'],
  })
  const times = [
    '4/Mar/26 3:04 PM',
    '4.3.2026 15:04',
    '2026-03-04 15:04:00',
    '2026-03-04 16:04 +01:00',
    'March 4, 2026, 3:04 p.m.',
    'Wed Mar 04 2026 15:04:00 GMT+0000 (GMT+00:00)',
    'Wed Mar 04 2026 16:04:00 GMT+0100 (Central European Standard Time)',
    'Tue Mar 03 2026 23:34:00 GMT-1530',
    'Wed Mar 04 2026 15:04 GMT+00',
    'March 4, 2026 4:04 PM (GMT+1)',
    '3/4/2026, 10:04:00 AM EST',
    '3/4/2026, 8:04:00 AM PDT',
  ]
  t.same(
    (await due(...times)).dates,
    times.map(() => '2026-03-04T15:04'),
  )
  t.same((await due('4/Mar/26 12:30 AM')).dates, ['2026-03-04T00:30'])
  t.same((await due('46091')).dates, ['2026-03-10T00:00'], 'as spreadsheets store days')
  const none = [
    ...['31.2.2026', '13:00', '4/Foo/26', '4.3.2026 13:00 PM', '4.3.2026 PM', '9'.repeat(100_000)],
    ...['Sat Feb 31 2026', 'Wed Foo 04 2026', 'Wednesday Mar 04 2026', 'Wed Mar 4 2026'].map(
      (day) => `${day} 15:04:00 GMT+0000 (GMT+00:00)`,
    ),
    ...['15:04:00 GMT+0000 (', '25:04:00 GMT+0000'].map((time) => `Wed Mar 04 2026 ${time}`),
    ...['12345', '46091.5x', '81000'],
  ]
  t.same(
    (await due(...none)).dates,
    none.map(() => undefined),
  )
})

t.test('a card with the date of its dismissal is dismissed', async (t) => {
  const read = (column: string, ...cells: string[]) =>
    readAs('csv', stringify([['title', column, 'due'], ...cells.map((cell) => ['x', cell, '3/4/2026'])]))
  const date = 'Wed May 13 2026 11:21:41 GMT+0000 (GMT+00:00)'
  const board = await read('Archived', date, '25/3/2026', '', 'no', 'yes', 'maybe', '31.2.2026')
  t.same(
    board.cards.map(({ dismissed, rest }) => [dismissed, rest.Archived]),
    [
      [true, date],
      [true, '25/3/2026'],
      [false, undefined],
      [false, undefined],
      [true, undefined],
      [false, 'maybe'],
      [false, '31.2.2026'],
    ],
  )
  t.equal(board.cards[0]?.dueDate, '2026-04-03T00:00:00.000Z', 'it also shows the order of day and month')
  t.same(board.notes, [
    'unclear dismissals 2 (neither yes, no nor a date: not dismissed, kept in metadata.csv)',
  ])
  t.same((await read('Closed', '2026-05-13', 'no')).notes, [
    'dates such as 3/4/2026 were read as month/day/year, because the file does not show the order',
  ])
})

t.test('other files are refused in one line with their kind', async (t) => {
  t.match(await refusal('csv', ''), 'it is empty')
  t.match(
    await refusal('csv', 'foo,bar\n1,2\n'),
    'no column is named title, name, summary or task: there are "foo", "bar"',
  )
  t.match(await refusal('csv', 'title\n"open\n'), 'a quote is opened and never closed')
  t.match(
    await refusal('csv', `title\n${'x'.repeat(64 * 1024 * 1024 + 2)}\n`),
    'its rows cannot be read: CSV_MAX_RECORD_SIZE',
  )
  t.match(await refusal('csv', `title\n${','.repeat(10_000)}\n`), 'row 1 has 10001 cells')
  t.match(await refusal('csv', '{"lists":[],"cards":[]}'), 'it looks like a Trello board export: use trello')
  t.match(await refusal('csv', '{"a":1'), 'it begins like JSON, but is not valid')
  t.match(await refusal('csv', '[1]'), 'it is JSON of another kind')
  t.match(await refusal('csv', `${'['.repeat(200)}${']'.repeat(200)}`), 'it is nested deeper than 90 levels')
  t.match(await refusal('csv', '<!DOCTYPE html><p>Sign in'), 'a web page')
  t.match(await refusal('csv', '<?xml version="1.0"?>'), 'it is XML')
  t.match(await refusal('csv', 'PK\x03\x04'), 'a zip archive')
  t.match(await refusal('csv', '%PDF-1.7'), 'a PDF')
  t.match(await refusal('csv', 'a\0b'), 'neither text nor a database')
  t.match(await refusal('csv', Buffer.from([0x1f, 0x8b, 8, 0, 1])), 'its gzip compression is damaged')
  t.match(
    await refusal('csv', Buffer.concat(Array<Buffer>(257).fill(gzipSync(Buffer.alloc(1024 * 1024))))),
    'unpacks to more than 256 MiB',
  )
  t.match(await refusal('csv', 'Summary,Issue key\na,B-1\n'), "it looks like Jira's CSV export: use jira")
  t.match(await refusal('csv', 'Subtask Id,Title,Task Id\n'), "Kanboard's export of subtasks")
})

t.test('prototype keys are ordinary names', async (t) => {
  const [card] = (await readAs('csv', 'title,__proto__,constructor,toString,,\na,b,c,d,e,f,g\n')).cards
  t.same(card?.rest, {
    '(__proto__)': 'b',
    constructor: 'c',
    toString: 'd',
    'column 5': 'e',
    'column 6': 'f',
    'column 7': 'g',
  })
})

t.test('no content of a table is lost', async (t) => {
  const names = [
    'Title',
    'Status',
    'Prio',
    'Owner',
    'Due',
    'Tags',
    'Created',
    'Archived',
    'Comment',
    'Comment',
    'Checklist',
    'Cost',
    'Name',
    '',
  ]
  const cell = fc.oneof(
    fc.constant(''),
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom(
      'true',
      'High',
      '2026-01-31',
      '31/12/2026',
      'a; b',
      'x,y',
      '[x] done',
      '=1',
      '"',
      'l1\nl2',
      '7',
    ),
  )
  const table = fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length + 2 }), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      // Each cell has a unique marker, so that it is found even if other cells are equal.
      const marked = rows.map((row, y) =>
        row.map((value, x) => (value === '' || /^(true|\d)/.test(value) ? value : `${value}·${y}·${x}`)),
      )
      const board = await readAs('csv', stringify([names, ...marked]))
      const said = JSON.stringify(
        board.cards.map((card) => ({ ...card, labels: card.labels, column: card.column })),
      )
      for (const value of marked.flat()) {
        const parts = /^(true|7$|\d{4}|31\/)/.test(value) ? [] : value.split(/[,;\n\r]/)
        // In a checklist, a box says whether a line is done.
        for (const part of parts.map((one) => one.trim().replace(/^(?:[-*] )?\[[ xX✓]?\] ?/u, ''))) {
          const text = JSON.stringify(part.toWellFormed()).slice(1, -1)
          // Labels are composed.
          if (!said.includes(text) && !said.includes(text.normalize()))
            throw new Error(`${JSON.stringify(value)} is gone`)
        }
      }
      t.equal(board.cards.length, marked.filter((row) => row.some((value) => value !== '')).length)
    }),
    { numRuns: rounds(15) },
  )
})

t.test("this service's own export names all people of a card", async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  app.db.$client.exec(
    "insert into people (id, name, kind) values ('maria', 'Maria, Mason', 'host'), ('bob', 'Bob', 'host')",
  )
  await createItem(app, project.id, { assigneeIds: ['maria', 'bob'], priority: 'x'.repeat(100) })
  await createItem(app, project.id, { assigneeIds: ['bob'] })
  await createItem(app, project.id)
  const { body } = await app.inject({ method: 'GET', url: `/api/projects/${project.id}/export.csv` })
  const { cards, people } = await readAs('csv', body)
  t.strictSame(
    cards.map(({ assignees }) => assignees),
    [['maria', 'bob'], ['bob'], []],
  )
  t.match(people, [
    { id: 'maria', name: 'Maria, Mason' },
    { id: 'bob', name: 'Bob' },
  ])
  const long = body.replace('x'.repeat(100), 'x'.repeat(101))
  t.match((await readAs('csv', long)).cards[0], { priority: '', rest: { priority: 'x'.repeat(101) } })
  const former =
    'id,title,description,column,priority,assigneeId,dueDate,labels,subtasks,source,createdAt,updatedAt,dismissed'
  const line = '7,Card,,To Do,high,maria,,,,manual,2026-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z,false'
  for (const [header, row] of [
    [former, line],
    [`${former},assignee`, `${line},Maria`],
    [`${former},assignee,number`, `${line},Maria,12`],
  ])
    t.match((await readAs('csv', `${header}\n${row}\n`)).cards, [{ assignees: ['maria'] }], `${header}`)
})
