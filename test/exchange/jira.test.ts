import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import t from 'tap'
import { cardOf, columnsOf, readAs, readFixture, refusal } from './readers.ts'

t.test('the attachments of a sub-task stay with it in the data of its parent', async (t) => {
  const file = '15/Jan/26 3:05 PM;712020:asa;bon.png;https://example.atlassian.net/content/7'
  const rows = [
    ['Summary', 'Issue key', 'Issue id', 'Parent id', 'Issue Type', 'Status', 'Attachment'],
    ['Parent', 'OPS-1', '1', '', 'Task', 'To Do', ''],
    ['Child', 'OPS-2', '2', '1', 'Sub-task', 'To Do', file],
  ]
  const parent = cardOf(await readAs('jira', stringify(rows)), 'OPS-1')
  t.match(parent, {
    subtasks: [{ title: 'Child' }],
    attachments: [],
    rest: { subtasks: [{ key: 'OPS-2', Attachment: [file] }] },
  })
})

t.test('an attachment without a readable date is kept as it is', async (t) => {
  const file = 'soon;712020:asa;bon.png;https://example.atlassian.net/content/7'
  const rows = [
    ['Summary', 'Issue key', 'Issue id', 'Status', 'Attachment'],
    ['Task', 'OPS-1', '1', 'To Do', file],
  ]
  const { attachments } = cardOf(await readAs('jira', stringify(rows)), 'OPS-1')
  t.match(attachments, [{ name: '', url: '', creatorId: null, field: 'Attachment', whole: file }])
})

t.test('a CSV export is read with its people, dates, labels, sub-tasks and comments', async (t) => {
  const board = await readFixture('jira', 'jira.csv')
  t.match(board, {
    id: 'SHOP',
    name: 'Lädchen',
    description: 'Der Laden',
    rest: {
      projects: [{ 'Project key': 'SHOP', 'Project lead': 'Åsa Öberg' }],
      users: { '712020:asa': 'Åsa Öberg', '712020:joerg': 'Jörg Müller' },
    },
  })
  t.same(columnsOf(board), ['To Do', 'In Review', 'Done'])
  t.same(
    board.cards.map(({ id }) => id),
    ['SHOP-1', 'SHOP-12'],
    'by rank; the sub-task is in its parent, the story stays beside its epic',
  )
  const card = cardOf(board, 'SHOP-12')
  t.match(card, {
    title: 'Rückgabe "ohne Beleg" prüfen',
    description: 'h2. Ziel\n\nKunde bekommt *Geld* zurück, auch am Wochenende',
    column: 'In Review',
    priority: 'critical',
    assignees: ['712020:joerg'],
    dueDate: '2026-01-31T00:00:00.000Z',
    labels: ['retoure', 'kasse'],
    createdAt: '2026-01-15T15:04:00.000Z',
    updatedAt: '2026-01-16T09:00:00.000Z',
  })
  t.same(card.subtasks, [{ title: 'Bon drucken', completed: true, createdAt: '2026-01-17T08:00:00.000Z' }])
  t.same(card.comments, [
    { authorId: '712020:asa', text: 'Geht das?', createdAt: '2026-01-15T16:00:00.000Z', editedAt: null },
    {
      authorId: '712020:joerg',
      text: 'Ja; aber erst morgen',
      createdAt: '2026-01-16T09:00:00.000Z',
      editedAt: null,
    },
  ])
  t.strictSame(card.attachments, [
    {
      name: 'beleg.png',
      url: 'https://example.atlassian.net/rest/api/3/attachment/content/1',
      creatorId: '712020:asa',
      createdAt: '2026-01-15T15:05:00.000Z',
      field: 'Attachment',
      whole:
        '15/Jan/26 3:05 PM;712020:asa;beleg.png;https://example.atlassian.net/rest/api/3/attachment/content/1',
    },
  ])
  t.match(card.rest, {
    Assignee: 'Jörg Müller',
    Watchers: ['Åsa Öberg', 'Jörg Müller'],
    Sprint: ['Sprint 1', 'Sprint 2'],
    'Custom field (Story Points)': '5.0',
    'Parent key': 'SHOP-1',
    priority: 'Highest',
    subtasks: [
      { key: 'SHOP-13', description: 'Mit Logo', labels: ['druck'], comments: [{ text: 'Fertig.' }] },
    ],
  })
})

t.test('an export of Jira Server is read', async (t) => {
  const board = await readAs(
    'jira',
    stringify([
      [
        'Summary',
        'Issue key',
        'Issue id',
        'Parent id',
        'Status',
        'Resolution',
        'Assignee',
        'Comment',
        'Due Date',
      ],
      ['Parent', 'OPS-1', '1', '', 'Reopened', 'Unresolved', 'ada', 'no date;x;y', 'never'],
      ['Child', 'OPS-2', '2', '1', 'Gone', 'Fixed', 'bob', '', ''],
      ['Orphan', 'OPS-3', '3', '99', 'Closed', 'Fixed', '', '', ''],
      ['Parent again', 'OPS-1', '1', '', 'Reopened', '', '', '', ''],
    ]),
    'ops.csv',
  )
  t.match(board, { id: 'OPS', name: 'ops' })
  t.same(columnsOf(board), ['Reopened', 'Gone', 'Closed'])
  t.match(cardOf(board, 'OPS-1'), {
    title: 'Parent',
    assignees: ['ada'],
    subtasks: [{ title: 'Child', completed: true }],
    comments: [{ authorId: 'unknown', text: 'no date;x;y' }],
    rest: { 'Due Date': 'never' },
  })
  t.match(cardOf(board, 'OPS-3'), { subtasks: [], rest: { 'Parent id': '99' } })
  t.same(board.notes, ['unreadable dates 1 (kept in metadata.jira)', 'repeated issues 1 (left out)'])
})

t.test('the response to a search is read, with texts of Jira Cloud as Markdown', async (t) => {
  const board = await readFixture('jira', 'jira-search.json')
  t.match(board, { id: 'SHOP', name: 'Lädchen', rest: { site: 'example.atlassian.net' } })
  t.same(columnsOf(board), ['To Do', 'In Review', 'Done'])
  const card = cardOf(board, 'SHOP-12')
  t.match(card, {
    column: 'In Review',
    priority: 'critical',
    assignees: ['712020:joerg'],
    dueDate: '2026-01-31T00:00:00.000Z',
    labels: ['retoure', 'kasse'],
    createdAt: '2026-01-15T14:04:00.000Z',
    subtasks: [{ title: 'Bon drucken', completed: true }],
    comments: [
      { authorId: '712020:asa', text: 'Geht das?', createdAt: '2026-01-15T15:00:00.000Z', editedAt: null },
      { authorId: '712020:joerg', text: '@Åsa ja', editedAt: '2026-01-16T09:00:00.000Z' },
    ],
  })
  t.equal(
    card.description,
    '## Ziel\n\nKunde bekommt **Geld**\n[siehe](https://example.org/agb)\n\n1. Bon\n\n   - lesen\n2. Geld\n\n```sql\nselect 1\n```\n\n> Zitat\n\n***',
  )
  t.match(card.rest, {
    'Story point estimate': 5,
    parent: { key: 'SHOP-1' },
    subtasks: [{ key: 'SHOP-13', duedate: 'bald' }],
  })
  t.match(
    card.rest,
    { comments: [{ body: { type: 'doc' } }] },
    'a comment that Markdown cannot say is kept whole',
  )
  t.notOk('description' in card.rest, 'a description that it can is not')
  t.notMatch(JSON.stringify(board), /avatarUrls|"self"/)
  t.same(board.notes, [
    'missing issues 1 (the file has only a part of the search: add its other pages)',
    'missing comments 1 (the search returns only a part of them)',
    'unreadable dates 1 (kept in metadata.jira)',
  ])
})

t.test('emails of users identify people, and are nowhere else', async (t) => {
  const user = (name: string) => ({ accountId: name, displayName: name, emailAddress: `${name}@example.org` })
  const fields = {
    summary: 'x',
    project: { key: 'A', lead: user('lead') },
    assignee: user('ann'),
    reporter: user('bob'),
    customfield_1: [user('cleo')],
    attachment: [{ id: '1', filename: 'a', content: 'https://example.org/a', author: user('dan') }],
    comment: { comments: [{ author: user('ann'), body: 'y', approver: user('eve') }] },
  }
  const board = await readAs('jira', JSON.stringify({ issues: [{ key: 'A-1', fields }] }))
  const emails = new Map(board.people.map(({ id, email }) => [id, email]))
  t.equal(emails.get('ann'), 'ann@example.org')
  t.equal(emails.get('dan'), 'dan@example.org')
  const { people: _, ...others } = board
  t.match(JSON.stringify(others), /cleo/)
  t.notMatch(JSON.stringify(others), /@example/)
})

t.test('comments and work logs that only some may read are left out, and counted', async (t) => {
  const admins = { type: 'role', value: 'Administrators', identifier: 'Administrators' }
  const comments = [
    { author: { accountId: 'ann', displayName: 'Ann' }, body: 'secret 1', visibility: admins },
    { body: 'secret 2', visibility: admins, updateAuthor: { accountId: 'bob' } },
    { body: 'secret 3', jsdPublic: false },
    { body: 'open', jsdPublic: true, visibility: {} },
  ]
  const worklogs = [
    { comment: 'secret 4', visibility: { type: 'group', value: 'jira\nusers' } },
    { comment: 'work' },
  ]
  const fields = { summary: 'x', comment: { comments }, worklog: { worklogs } }
  const parent = { summary: 'y', comment: { comments: [] } }
  const issues = [
    { key: 'A-1', fields, renderedFields: { comment: { comments } } },
    { key: 'A-2', fields: parent },
    { key: 'A-3', fields: { ...fields, issuetype: { subtask: true }, parent: { key: 'A-2' } } },
  ]
  const board = await readAs('jira', JSON.stringify({ issues }))
  t.notMatch(JSON.stringify(board), /secret|Ann|bob/)
  t.match(cardOf(board, 'A-1'), {
    comments: [{ text: 'open' }],
    rest: { worklog: { worklogs: [{ comment: 'work' }] } },
  })
  t.same(board.notes, [
    'restricted comments 6 (left out, still in Jira: 4 for the role Administrators, 2 for the service team (internal))',
    'restricted work logs 2 (left out, still in Jira: 2 for the group jira users)',
  ])
  const roles = Array.from({ length: 12 }, (_, index) => ({ body: '', visibility: { value: `r${index}` } }))
  const many = await readAs('jira', JSON.stringify([{ key: 'A-1', fields: { comment: roles } }]))
  t.match(many.notes, [/^restricted comments 12 .*1 for the role r9, \.\.\.\)$/])
})

t.test('pages of a search are one board', async (t) => {
  const issue = (key: string) => ({ key, fields: { summary: key } })
  const pages = [
    { issues: [issue('A-1')], nextPageToken: 'x' },
    { issues: [issue('B-2')], isLast: false },
  ]
  const board = await readAs('jira', JSON.stringify(pages), 'both.json')
  t.match(board, { id: 'A,B', name: 'both' })
  t.same(
    board.cards.map(({ id, column }) => [id, column]),
    [
      ['A-1', undefined],
      ['B-2', undefined],
    ],
  )
  t.same(board.notes, ['the file lacks the last page of the search: add the other pages'])
  const bare = await readAs('jira', JSON.stringify([issue('C-1')]))
  t.equal(bare.id, 'C')
})

t.test('content without a Markdown form is read as text, and kept in full', async (t) => {
  const item = { type: 'taskItem', attrs: { state: 'DONE' }, content: [{ type: 'text', text: 'messen' }] }
  const description = {
    type: 'doc',
    content: [{ type: 'taskList', content: [item] }, { type: 'mediaSingle' }],
  }
  const board = await readAs('jira', JSON.stringify({ issues: [{ key: 'A-1', fields: { description } }] }))
  t.match(cardOf(board, 'A-1'), { description: 'messen', rest: { description } })
})

t.test('German months are read as Jira writes them', async (t) => {
  const rows = ['05/Mrz/24 3:12 PM', '06/Mär/24 3:12 PM', '07/Mai/24 3:12 PM'].map((date, index) => [
    'x',
    `A-${index}`,
    date,
  ])
  const board = await readAs('jira', stringify([['Summary', 'Issue key', 'Created'], ...rows]))
  t.same(
    board.cards.map(({ createdAt }) => createdAt),
    ['2024-03-05T15:12:00.000Z', '2024-03-06T15:12:00.000Z', '2024-05-07T15:12:00.000Z'],
  )
})

t.test('other files are refused', async (t) => {
  t.match(
    await refusal('jira', 'title\n'),
    'expected the CSV export of issues, with English names of columns, or the JSON of a search, but it is a table',
  )
  t.match(
    await refusal('jira', '{"items":[{"content":{}}]}'),
    'it looks like the items of a GitHub project: use github',
  )
  t.match(await refusal('jira', '{"issues":[1]}'), 'it is JSON of another kind')
})

t.test('no content of an issue is lost', async () => {
  const names = [
    'Summary',
    'Issue key',
    'Issue id',
    'Issue Type',
    'Status',
    'Project key',
    'Project name',
    'Priority',
    'Assignee',
    'Assignee Id',
    'Created',
    'Due date',
    'Labels',
    'Labels',
    'Comment',
    'Comment',
    'Sprint',
    'Parent',
    'Parent key',
    'Custom field (X)',
  ]
  const cell = fc.oneof(
    fc.constant(''),
    fc.string({ unit: fc.constantFrom('a', 'ü', ';', '"', '\n', '9'), maxLength: 4 }),
  )
  const rows = fc.array(
    fc.tuple(fc.array(cell, { minLength: names.length, maxLength: names.length }), fc.boolean()),
    { minLength: 1, maxLength: 5 },
  )
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const marked = given.map(([row, isChild], y) =>
        row.map((value, x) => {
          if (x === 1) return `K-${y}`
          if (isChild && y > 0 && x === 3) return 'Sub-task'
          if (isChild && y > 0 && x === 18) return 'K-0'
          return value === '' ? '' : `«${y}·${x}»${value}`
        }),
      )
      const said = JSON.stringify(await readAs('jira', stringify([names, ...marked])))
      for (const [, mark = ''] of marked.flat().map((value) => /^(«.*»)/.exec(value) ?? [])) {
        if (!said.includes(mark)) throw new Error(`${mark} is gone`)
      }
    }),
    { numRuns: 60 },
  )
})

t.test('a search may have any number of pages', async (t) => {
  const pages = Array.from({ length: 150_000 }, () => ({ issues: [] }))
  const last = {
    total: 1,
    issues: [{ key: 'A-1', fields: { summary: 'One' } }],
    names: { customfield_1: 'Team' },
  }
  const board = await readAs('jira', JSON.stringify([...pages, last]))
  t.equal(board.cards.length, 1)
})
