import fc from 'fast-check'
import t from 'tap'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { build } from '../helper.ts'
import { importAtOnce } from './import-at-once.ts'
import { cardOf, columnsOf, readAs, readFixture, refusal } from './readers.ts'

t.test('the items of a project are read with its people, dates, labels and columns', async (t) => {
  const board = await readFixture('github', 'github-items.json')
  t.match(board, {
    id: 'PVT_kwDOA',
    name: 'Straßenfest',
    description: 'Sommer 2026',
    archived: false,
    rest: { readme: '# Lies mich' },
  })
  t.same(columnsOf(board), ['Todo', 'In Progress', 'Done', 'Zurückgestellt'])
  t.same(
    board.cards.map(({ title }) => title),
    ['Bühne mieten', 'Idee', 'Verborgen'],
  )
  const card = cardOf(board, 'PVTI_lADOAzgB')
  t.match(card, {
    title: 'Bühne mieten',
    description: '- [ ] 3 Angebote\n- [x] "Größe" klären',
    column: 'Done',
    priority: 'high',
    assignees: ['asa', 'joerg'],
    dueDate: '2026-06-01T00:00:00.000Z',
    labels: ['Technik', 'Geld'],
  })
  t.same(card.subtasks, [], 'task lists stay in the body, where they are')
  t.same(card.rest, {
    repository: 'https://github.com/verein/fest',
    estimate: 3,
    milestone: { title: 'Aufbau', description: '', dueOn: '2026-06-10T00:00:00Z' },
    sprint: { title: 'Woche 1', startDate: '2026-05-01', duration: 7 },
    'linked pull requests': ['https://github.com/verein/fest/pull/9'],
    content: {
      type: 'Issue',
      number: 7,
      repository: 'verein/fest',
      url: 'https://github.com/verein/fest/issues/7',
    },
    priority: 'High',
  })
  t.match(cardOf(board, 'PVTI_lADOAzgA'), {
    column: undefined,
    priority: '',
    dueDate: null,
    rest: { priority: 'P0', 'due Date': 'bald' },
  })
  t.same(board.notes, [
    'unreadable due dates 1 (kept in metadata.github)',
    "the file has 3 of the project's 5 items (gh lists 30 unless told --limit)",
  ])
})

t.test('a project without items is recognised', async (t) => {
  const empty = JSON.stringify({ items: [], totalCount: 0 })
  t.match(await readAs('github', empty, '/tmp/fest.json'), { name: 'fest', cards: [] })
  t.match(await refusal('csv', empty), 'it looks like the items of a GitHub project: use github')
})

t.test('items without a project are identified by the oldest of them', async (t) => {
  const items = ['PVTI_c', 'PVTI_a', 'PVTI_b'].map((id) => ({ id, title: id, content: null }))
  const board = await readAs('github', JSON.stringify({ items, totalCount: 3 }), '/tmp/fest.json')
  t.match(board, { id: 'PVTI_a', name: 'fest', notes: [] })
})

t.test('a project is imported once, with or without its other data', async (t) => {
  const app = await build(t)
  const items = (...ids: string[]) => ({
    items: ids.map((id) => ({ id, title: 'x', content: null })),
    totalCount: ids.length,
  })
  const project = { id: 'PVT_one', title: 'Fest' }
  const importIt = async (file: object, { again = false } = {}) => {
    importAtOnce(app.db, planBoard(await readAs('github', JSON.stringify(file)), { again }), null)
  }
  await importIt({ ...project, ...items('PVTI_a', 'PVTI_b') })
  const refusal = { message: /^this board was imported before, as project \S+ \(Fest\)/ }
  await t.rejects(importIt(items('PVTI_a', 'PVTI_b')), refusal, 'only its items')
  await t.rejects(importIt(items('PVTI_c', 'PVTI_b')), refusal, 'some of them')
  await importIt(items('PVTI_a'), { again: true })
  await importIt(items('PVTI_c', 'PVTI_d'))
  await t.rejects(importIt({ ...project, id: 'PVT_two', ...items('PVTI_d') }), {
    message: /^this board was imported before/,
  })
  await importIt({ ...project, id: 'PVT_three', ...items('') })
  await importIt({ ...project, id: 'PVT_four', ...items('') })
  t.pass('items without an id are no reason to refuse')
})

t.test('an exported view is read', async (t) => {
  const board = await readFixture('github', 'github-view.tsv')
  t.equal(board.name, 'github-view')
  t.same(columnsOf(board), ['Todo', 'In Progress'])
  t.match(cardOf(board, 'https://github.com/verein/fest/issues/7'), {
    title: '"Laut" ist gut',
    column: 'Todo',
    assignees: ['asa', 'joerg'],
    labels: ['Technik', 'Geld'],
    dueDate: '2026-06-13T00:00:00.000Z',
    rest: {
      Priority: 'P0',
      Estimate: '3',
      URL: 'https://github.com/verein/fest/issues/7',
    },
  })
  t.match(cardOf(board, 'row 2'), { priority: 'high', dueDate: null, rest: { 'Target date': 'irgendwann' } })
  const unquoted = await readAs('github', 'Title\tURL\n"half a quote\thttps://x/1\nnext\thttps://x/2\n')
  t.same(
    unquoted.cards.map(({ title }) => title),
    ['"half a quote', 'next'],
  )
})

t.test('other files are refused', async (t) => {
  t.match(
    await refusal('github', '{"item":{},"included":{"lists":[],"cards":[]}}'),
    'it looks like a Planka board: use planka',
  )
  t.match(
    await refusal('github', 'Title,URL\n'),
    'expected the JSON of gh project item-list or an exported view (.tsv), but',
  )
})

t.test('no content of an item is lost', async () => {
  const value = fc.oneof(
    fc.string(),
    fc.array(fc.string(), { maxLength: 3 }),
    fc.record({ title: fc.string() }),
  )
  const item = fc.dictionary(
    fc.constantFrom(
      'status',
      'labels',
      'assignees',
      'priority',
      'due Date',
      'title',
      'x',
      'linked pull requests',
    ),
    value,
  )
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 4 }), async (items) => {
      let marks = 0
      const mark = (given: unknown): unknown =>
        typeof given === 'string'
          ? `«${marks++}»${given}`
          : Array.isArray(given)
            ? given.map(mark)
            : typeof given === 'object' && given !== null
              ? Object.fromEntries(Object.entries(given).map(([key, child]) => [key, mark(child)]))
              : given
      const marked = items.map((one) => ({
        ...(mark(one) as object),
        id: mark('id'),
        content: { title: mark('t'), body: mark('b'), number: 1 },
      }))
      const board = await readAs('github', JSON.stringify({ items: marked, title: mark('project') }))
      const said = JSON.stringify(board)
      for (let index = 0; index < marks; index += 1) {
        if (!said.includes(`«${index}»`)) throw new Error(`«${index}» is gone from ${JSON.stringify(marked)}`)
      }
    }),
    { numRuns: 60 },
  )
})
