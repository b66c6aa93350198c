import fc from 'fast-check'
import t from 'tap'
import { fitCard } from '../../src/exchange/imports/fit-card.ts'
import { cardOf, columnsOf, readAs, readFixture, refusal } from './readers.ts'

t.test('a board of version 2 is read with its people, dates, labels, tasks and comments', async (t) => {
  const board = await readFixture('planka', 'planka-board.json')
  t.match(board, {
    id: '1357158568008091264',
    name: 'Küche',
    createdAt: '2026-01-02T08:00:00.000Z',
    updatedAt: '2026-03-01T10:00:00.000Z',
  })
  t.same(
    board.columns.map(({ name, color }) => [name, color]),
    [
      ['Zu tun', ''],
      ['Fertig', '#96b352'],
    ],
  )
  t.same(
    board.labels.map(({ name, color }) => [name, color]),
    [
      ['eilig', '#e83855'],
      ['lagoon-blue', '#109dc0'],
    ],
  )
  t.same(
    board.cards.map(({ id }) => id),
    ['401', '403', '402'],
  )
  const card = cardOf(board, '401')
  t.match(card, {
    title: 'Spüle anschließen',
    description: '**Vorsicht**:\nkaltes Wasser',
    column: 'Zu tun',
    position: 16384,
    assignees: ['102', '101'],
    dueDate: '2026-04-01T12:00:00.000Z',
    dismissed: false,
    labels: ['eilig', 'lagoon-blue'],
    createdAt: '2026-01-04T08:00:00.000Z',
  })
  t.same(card.subtasks, [
    { title: 'Zuerst: Haupthahn zu', completed: true, createdAt: '2026-01-04T09:00:00.000Z' },
    { title: 'Zuerst: Rohr messen', completed: false, createdAt: '2026-01-04T09:01:00.000Z' },
    { title: 'Danach: Dichtheit prüfen', completed: false, createdAt: '2026-01-04T09:02:00.000Z' },
  ])
  t.match(card.rest, {
    tasks: [{ name: 'Rohr messen', assigneeUserId: '102' }],
    customFieldValues: [{ group: 'Kosten', name: 'Betrag', content: '249,90 €' }],
    stopwatch: { total: 3600 },
    coverAttachmentId: '901',
  })
  t.notOk('attachments' in card.rest)
  t.match(card.attachments, [
    {
      name: 'Plan',
      url: 'https://example.org/plan',
      creatorId: '102',
      createdAt: '2026-01-04T10:00:00.000Z',
      field: 'attachments',
      rest: { id: '901', type: 'link', name: 'Plan' },
    },
  ])
  t.match(cardOf(board, '403'), { column: 'Zu tun', dismissed: true, rest: { listId: '204' } }, 'archived')
  t.same(cardOf(board, '402').comments, [
    { authorId: 'unknown', text: 'Wann?\nMorgen?', createdAt: '2026-02-01T08:00:00.000Z', editedAt: null },
    {
      authorId: '101',
      text: 'Sitzt.',
      createdAt: '2026-02-02T08:00:00.000Z',
      editedAt: '2026-02-02T09:00:00.000Z',
    },
  ])
  t.match(board.rest, { users: [{ username: 'asa' }, { username: 'joerg' }], projects: [{ name: 'Umbau' }] })
  t.same(board.notes, [
    "lists without their cards 1 (Planka's answer has none of its archive and trash: see docs/importing.md)",
  ])
})

t.test('a board of version 1 is read, and missing parts are reported', async (t) => {
  const board = await readFixture('planka', 'planka-board-1.json')
  t.same(columnsOf(board), ['Offen'])
  t.match(board, { people: [{ email: 'demo@demo.demo' }], rest: { users: [{ username: 'demo' }] } })
  t.notMatch(JSON.stringify(board.rest), /demo@/, 'only admins see the emails of others')
  const card = cardOf(board, '41')
  t.same(
    card.subtasks.map(({ title, completed }) => [title, completed]),
    [
      ['anrufen', true],
      ['abholen', false],
    ],
  )
  t.match(card, {
    dueDate: null,
    labels: ['Fest'],
    comments: [{ authorId: '1', text: 'Kostet 80 €' }],
    rest: { dueDate: 'not a date', actions: [{ type: 'createCard' }] },
  })
  t.same(board.notes, [
    'unreadable due dates 1 (kept in metadata.planka.dueDate)',
    'skipped records 1 (of cards that are not in the file)',
  ])
  const cards = [{ id: '1', name: 'x', listId: 'gone', commentsTotal: 3 }]
  const bare = await readAs('planka', JSON.stringify({ item: { id: '1' }, included: { lists: [], cards } }))
  t.same(bare.notes, [
    'missing comments 3 (the API of Planka returns them only per card: see docs/importing.md)',
  ])
  t.match(cardOf(bare, '1'), { column: undefined, rest: { listId: 'gone' } })
  const odd = { lists: [], cards: [], counters: { opened: 3 } }
  t.match(await readAs('planka', JSON.stringify({ item: { id: '1' }, included: odd })), {
    rest: { counters: { opened: 3 } },
  })
})

t.test('other files are refused', async (t) => {
  t.match(
    await refusal('planka', 'title\nx\n'),
    "expected Planka's response to GET /api/boards/{id}, but it is a table",
  )
  t.match(await refusal('planka', '{"item":{},"included":{}}'), 'it is JSON of another kind')
  t.match(
    await refusal('planka', '{"issues":[{"key":"A-1","fields":{}}]}'),
    'it looks like a search in Jira: use jira',
  )
})

t.test('no content of a board is lost', async (t) => {
  const words = fc.record({
    a: fc.string(),
    b: fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(null)),
  })
  const collection = (names: string[]) =>
    fc.array(fc.record(Object.fromEntries(names.map((name) => [name, words]))), { maxLength: 3 })
  const arbitrary = fc.record({
    cards: collection(['more']),
    attachments: fc.array(
      fc.record({
        data: fc.record({ more: words, url: fc.constantFrom('https://example.org/', 'ftp://example.org/') }),
        url: words,
      }),
      { maxLength: 3 },
    ),
    unknownThings: collection(['said']),
    tasks: collection(['more']),
  })
  await fc.assert(
    fc.asyncProperty(arbitrary, async (included) => {
      let marks = 0
      const mark = (value: unknown): unknown =>
        typeof value === 'string'
          ? `«${marks++}»${value}`
          : Array.isArray(value)
            ? value.map(mark)
            : typeof value === 'object' && value !== null
              ? Object.fromEntries(Object.entries(value).map(([key, child]) => [key, mark(child)]))
              : value
      const marked = mark(included) as typeof included
      const cards = [
        { id: 'c0', name: mark('n'), description: mark('d') },
        ...marked.cards.map((card, index) => ({ id: `c${index + 1}`, listId: 'l', ...card })),
      ]
      const lists = [{ id: 'l', name: mark('list') }]
      const owned = (things: object[]) =>
        things.map((thing, index) => ({ id: `p${index}`, cardId: 'c0', name: mark('x'), ...thing }))
      const board = await readAs(
        'planka',
        JSON.stringify({
          item: { id: 'b', name: mark('board'), extra: mark('extra') },
          included: {
            lists,
            cards,
            attachments: owned(marked.attachments),
            unknownThings: marked.unknownThings,
            tasks: owned(marked.tasks),
          },
        }),
      )
      // As written: the attachments have become links and a rest.
      const said = JSON.stringify({ ...board, cards: board.cards.map((card) => fitCard(card).card) })
      for (let index = 0; index < marks; index += 1)
        t.ok(said.includes(`«${index}»`), `the value ${index} is there`)
    }),
    { numRuns: 40 },
  )
})

t.test('reading time does not grow with the product of collections, cards and custom fields', async (t) => {
  const many = <T>(make: (index: number) => T) => Array.from({ length: 20_000 }, (_, index) => make(index))
  const included = {
    lists: [{ id: '1', name: 'One' }],
    cards: many((index) => ({ id: `${index}`, listId: '1', name: 'Card' })),
    customFields: many((index) => ({ id: `f${index}`, name: `Field ${index}` })),
    customFieldValues: many((index) => ({ cardId: '7', customFieldId: `f${index}`, content: 'x' })),
    ...Object.fromEntries(many((index) => [`kind${index}`, [{ cardId: '7', url: `${index}` }]])),
  }
  const board = await readAs('planka', JSON.stringify({ item: { id: '1', name: 'Board' }, included }))
  const { rest } = cardOf(board, '7')
  t.match(rest, { kind0: [{ url: '0' }], kind19999: [{ url: '19999' }] })
  t.match((rest.customFieldValues as object[]).at(-1), { name: 'Field 19999', content: 'x' })
})
