/** The rules of lists: groups, orders, progress, file formats, snippets and imports. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import type { Import, PersonalIdea, ProjectSummary } from '../../src/client/api.d.ts'
import { dayOf, isOverdue, shortDue } from '../../web/common/dates.ts'
import { bySortOrder, droppedAt, placedAt } from '../../web/common/order.ts'
import { termsOf, wordsOf } from '../../web/common/terms.ts'
import { ideaGroups } from '../../web/ideas/idea-groups.ts'
import { byDue, dueGroupOf } from '../../web/mine/due-groups.ts'
import { guessFields, HEAD, previewOf } from '../../web/projects/file-format.ts'
import { failureOf, importedBefore, progressOf, summaryOf } from '../../web/projects/import-texts.ts'
import { columnsOf, phaseOf, workDone } from '../../web/projects/progress.ts'
import { filtered, filterOf, grouped, statusesOf } from '../../web/projects/project-groups.ts'
import { placesIn } from '../../web/projects/project-order.ts'
import { nextOption, partsOf } from '../../web/search/results.ts'

const project = (id: string, fields: Partial<ProjectSummary>) =>
  ({ id, status: 'active', type: 'technical', teamId: null, sortOrder: 0, ...fields }) as ProjectSummary

t.test('projects are grouped by status, archived ones last', async (t) => {
  const projects = [
    project('a', { status: 'archived' }),
    project('b', { status: 'waiting' }),
    project('c', { status: 'backlog', sortOrder: 2 }),
    project('d', { status: 'backlog', sortOrder: 1 }),
    project('e', { status: 'active' }),
  ]
  t.strictSame(statusesOf(projects), ['active', 'backlog', 'completed', 'waiting', 'archived'])
  const groups = grouped(filtered(projects, filterOf(new URLSearchParams())))
  t.strictSame(
    groups.map(({ status, projects: of }) => [status, of.map(({ id }) => id).join('')]),
    [
      ['active', 'e'],
      ['backlog', 'dc'],
      ['waiting', 'b'],
      ['archived', 'a'],
    ],
  )
})

t.test('the filter in the address', async (t) => {
  const projects = [
    project('a', { type: 'business', teamId: 'x' }),
    project('b', { type: 'business', teamId: 'y' }),
    project('c', { type: 'custom', teamId: 'x', status: 'archived' }),
  ]
  const ids = (query: string) =>
    filtered(projects, filterOf(new URLSearchParams(query)))
      .map(({ id }) => id)
      .join('')
  t.equal(ids(''), 'abc')
  t.equal(ids('type=business'), 'ab')
  t.equal(ids('team=x'), 'ac')
  t.equal(ids('team=x&status=active'), 'a')
  t.equal(ids('status=none'), '')
})

t.test('the progress of a project', async (t) => {
  const phaseConfig = [{ name: 'Plan' }, { name: 'Build' }]
  t.strictSame(phaseOf({ phase: 'Build', phaseConfig }), { name: 'Build', place: 2, of: 2 })
  t.equal(phaseOf({ phase: 'Else', phaseConfig })?.place, 0)
  t.equal(phaseOf({ phase: '', phaseConfig }), undefined)
  t.strictSame(workDone({ open: 16, done: 30 }), { done: 30, total: 46 })
  t.strictSame(workDone({ open: 0, done: 0 }), { done: 0, total: 0 })
})

t.test('labels of open vocabularies', async (t) => {
  t.equal(wordsOf('on-track'), 'On track')
  t.equal(wordsOf(''), '')
  t.strictSame(termsOf(['low', 'high'], ['zebra', 'high', '', 'apple']), ['low', 'high', 'apple', 'zebra'])
})

t.test('the beginning of a table is shown, with the fields of its columns', async (t) => {
  const seen = (text: string | Buffer) => previewOf(Buffer.from(text as string, 'latin1'))
  const fixture = (name: string) =>
    readFileSync(new URL(`../fixtures/${name}`, import.meta.url)).subarray(0, HEAD)
  const table = previewOf(fixture('tasks.csv'))
  t.strictSame(table?.tool, undefined)
  t.strictSame(guessFields(table?.header ?? []), [
    ...['id', 'title', 'description', 'column', 'priority', 'assignee', 'due', 'labels', 'subtasks'],
    ...['comments', 'comments', 'created', 'dismissed', 'metadata'],
  ])
  for (const tool of ['asana', 'planner', 'linear', 'clickup', 'todoist', 'ticktick'])
    t.equal(previewOf(fixture(`${tool}.csv`))?.tool, tool)
  t.match(
    [previewOf(fixture('jira.csv')), previewOf(fixture('github-view.tsv'))],
    [{ tool: 'jira' }, { tool: 'github' }],
  )
  t.strictSame(seen('sep=;\r\nTitel;F\xe4llig\r\n"A;\r\nB";"1"\r\nC;2\r\n\r\nD;3\r\nE;4'), {
    header: ['Titel', 'Fällig'],
    rows: [
      ['A;\r\nB', '1'],
      ['C', '2'],
      ['D', '3'],
    ],
    tool: undefined,
  })
  t.equal(
    previewOf(Buffer.from('Name,Date\n'), 'Tasks 0123456789abcdef0123456789abcdef_all.csv')?.tool,
    'notion',
    'by its name',
  )
  t.match(
    seen('Plan Name,Party\nPlan ID,1\n\nTask ID,Task Name,Bucket Name,Progress\nx,Stage,Build,Completed\n'),
    { header: ['Task ID', 'Task Name', 'Bucket Name', 'Progress'], tool: 'planner' },
    'below other lines',
  )
  t.equal(previewOf(Buffer.from('\ufeffTitle\nÖ', 'utf16le'))?.header[0], 'Title')
  for (const other of ['{"a": 1}', ' [', '<html>', 'PK\x03\x04\0', 'SQLite format 3\0', ''])
    t.equal(seen(other), undefined)
  t.strictSame(guessFields(['Name', 'Title', 'Tags', 'Labels', 'Tags', 'x']), [
    ...['metadata', 'title', 'metadata', 'labels', 'metadata', 'metadata'],
  ])
})

t.test('the result of an import', async (t) => {
  const job = (fields: Partial<Import>) => ({ status: 'writing', done: 0, total: 0, ...fields }) as Import
  t.equal(progressOf(undefined), 'Waiting for other imports…')
  t.equal(progressOf(job({ status: 'reading' })), 'Reading the file…')
  t.match(progressOf(job({ done: 1200, total: 4000 })), /^Reading 1\D?200 of 4\D?000…$/)
  const counts = { columns: 4, items: 1 }
  t.equal(summaryOf(job({ projectId: 'x', counts }), 'Relaunch'), 'Imported Relaunch: 4 columns, 1 card.')
  t.equal(summaryOf(job({ total: 7 }), ''), 'Imported 7 records.')
  const before = 'this board was imported before, as project 1 (A); use again=true to import it once more'
  t.strictSame(importedBefore(before), { id: '1', name: 'A' })
  t.strictSame(
    importedBefore('this board was imported before'),
    {},
    'as a project that the user does not see',
  )
  t.equal(importedBefore('no board'), undefined)
  t.equal(failureOf(before), 'Not imported: it was imported before, as “A”. Nothing was changed.')
  t.equal(failureOf('no board; use --format'), 'Not imported: no board. Nothing was changed.')
})

t.test('items by due date', async (t) => {
  // A Wednesday.
  const today = '2026-11-18'
  t.equal(dueGroupOf('2026-11-17T23:59:59.999Z', today), 'overdue')
  t.equal(dueGroupOf('2026-11-18T00:00:00.000Z', today), 'today')
  t.equal(dueGroupOf('2026-11-22T00:00:00.000Z', today), 'week', 'Sunday')
  t.equal(dueGroupOf('2026-11-23T00:00:00.000Z', today), 'later', 'Monday')
  t.equal(dueGroupOf('2026-11-23T00:00:00.000Z', '2026-11-22'), 'later', 'a week ends with its Sunday')
  t.equal(dueGroupOf(null, today), 'none')
  const at = (time: number) => new Date(time).toISOString()
  t.equal(dueGroupOf(at(Date.now() - 60_000), '2000-01-01'), 'overdue', 'an instant that has passed')
  t.equal(dueGroupOf('2998-11-18T08:00:00.000Z', dayOf('2998-11-18T08:00:00.000Z')), 'today')
  t.strictSame(
    [isOverdue, isOverdue].map((ask, index) =>
      ask({ dueDate: at(Date.now() + (index ? 9e7 : -60_000)), metadata: {} }),
    ),
    [true, false],
  )
  t.match(shortDue('2027-03-10T08:05:00.000Z'), /10.*\d:\d\d/)
  t.notMatch(shortDue('2027-03-10T00:00:00.000Z'), ':')
  const item = (id: string, dueDate: string | null, priority = 'medium') => ({ id, dueDate, priority })
  const groups = byDue(
    [
      item('a', null, 'low'),
      item('b', null, 'critical'),
      item('c', '2026-11-02'),
      item('d', '2026-11-01'),
      item('e', null, 'mine'),
    ],
    today,
  )
  t.strictSame(
    groups.map(({ name, items }) => [name, items.map(({ id }) => id).join('')]),
    [
      ['overdue', 'dc'],
      ['none', 'bea'],
    ],
  )
})

t.test('ideas by status', async (t) => {
  const idea = (id: string, status: string) => ({ id, status, sortOrder: 0 }) as PersonalIdea
  const groups = ideaGroups([
    idea('d', 'discarded'),
    idea('b', 'someday'),
    idea('a', 'idea'),
    idea('c', 'promoted'),
  ])
  t.strictSame(
    Object.values(groups).map((ideas: PersonalIdea[]) => ideas.map(({ id }) => id).join('')),
    ['ab', 'c', 'd'],
  )
})

t.test('the place of a dropped record', async (t) => {
  const ids = ['a', 'b', 'c']
  t.equal(droppedAt(ids, 'a', 'c', 'bottom'), 2)
  t.equal(droppedAt(ids, 'a', 'c', 'top'), 1)
  t.equal(droppedAt(ids, 'c', 'a', 'top'), 0)
})

t.test('a record gets a new place, with any numbers of the others', async (t) => {
  const number = fc.oneof(
    fc.constant(0),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ noNaN: true, min: 0, max: 1 }),
  )
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(), (numbers, a, b) => {
      const list = numbers.map((sortOrder, index) => ({ id: String(index), sortOrder })).sort(bySortOrder)
      const moved = list[a % list.length]?.id ?? ''
      const index = b % (list.length + 2)
      const wanted = list.map(({ id }) => id).filter((id) => id !== moved)
      wanted.splice(index, 0, moved)
      const placed = new Map(placedAt(list, moved, index).map(({ id, sortOrder }) => [id, sortOrder]))
      const after = list.map(({ id, sortOrder }) => ({ id, sortOrder: placed.get(id) ?? sortOrder }))
      t.strictSame(
        after.sort(bySortOrder).map(({ id }) => id),
        wanted,
      )
    }),
    { numRuns: 200 },
  )
})

t.test('a project gets a new place without moving those that may only be read', async (t) => {
  const groupOf = (...numbers: number[]) =>
    numbers.map((sortOrder, index) => ({ id: String(index), sortOrder }))
  const all = () => true
  const but = (fixed: string) => (id: string) => !fixed.includes(id)
  t.strictSame(placesIn(groupOf(1, 2, 3), '2', 1, all), [{ id: '2', sortOrder: 1.5 }], 'only itself')
  const equal = groupOf(0, 0, 0, 0)
  const numbersOf = (index: number, id: string, fixed: string) =>
    Object.fromEntries(placesIn(equal, id, index, but(fixed))?.map((one) => [one.id, one.sortOrder]) ?? [])
  t.strictSame(numbersOf(1, '3', ''), { 0: -2, 3: -1 }, 'with the fewer neighbours')
  t.strictSame(numbersOf(2, '3', '2'), { 0: -3, 1: -2, 3: -1 })
  t.strictSame(numbersOf(2, '0', '12'), { 0: 1, 3: 2 })
  t.equal(placesIn(equal, '3', 1, but('01')), undefined, 'no room between two of them')
  const many = groupOf(...Array.from({ length: 1500 }, () => 0))
  t.equal(placesIn(many, '1499', 1000, all)?.length, 500, 'as many as one request may have')
  t.equal(placesIn(groupOf(...Array.from({ length: 2500 }, () => 0)), '2499', 1200, all), undefined)

  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean()), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.nat(),
      (records, a, b) => {
        const list = groupOf(...records.map(([number]) => number)).sort(bySortOrder)
        const moved = list[a % list.length]?.id ?? ''
        const index = b % list.length
        const mayMove = (id: string) => id === moved || records[Number(id)]?.[1] === true
        const places = placesIn(list, moved, index, mayMove)
        if (places === undefined) return
        t.ok(places.every(({ id }) => mayMove(id)))
        const numbers = new Map(places.map(({ id, sortOrder }) => [id, sortOrder]))
        const after = list.map(({ id, sortOrder }) => ({ id, sortOrder: numbers.get(id) ?? sortOrder }))
        const wanted = list.map(({ id }) => id).filter((id) => id !== moved)
        t.strictSame(
          after.sort(bySortOrder).map(({ id }) => id),
          wanted.toSpliced(index, 0, moved),
        )
      },
    ),
    { numRuns: 200 },
  )
})

t.test('the marks of a snippet, and arrow keys in the list of results', async (t) => {
  t.strictSame(partsOf('…a **big** <b>dog</b>', 'Big'), [
    { text: '…a ', isMatch: false },
    { text: 'big', isMatch: true },
    { text: ' <b>dog</b>', isMatch: false },
  ])
  t.strictSame(partsOf('', 'x'), [])
  t.strictSame(partsOf('a **b**', ''), [{ text: 'a b', isMatch: false }])
  const marked = (snippet: string, q: string) =>
    partsOf(snippet, q)
      .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
      .join('')
  t.equal(
    marked('The ****pay** sheet** of June', 'pay'),
    'The [pay] sheet of June',
    "inside users' own marks",
  )
  t.equal(marked('**sheet** and **pay**', 'pay'), 'sheet and [pay]')
  t.equal(marked('Paid: **paying** repay', 'pay'), 'Paid: [paying] [repay]', 'a part of a word')
  t.equal(marked('pa **pay** spa', 'pa'), '[pa] [pay] spa', 'of two characters, the beginning')
  t.equal(marked('Café **CAFÉ** cafe', 'cafe'), '[Café] [CAFÉ] [cafe]', 'whatever case and accents')
  t.equal(
    marked('# Plan\n\n- [x] `code` and *soft* [**pay** slip](https://x.test/pay)\n> ~~old~~ __new__', 'pay'),
    'Plan code and soft [pay] slip old new',
    'without Markdown',
  )
  t.equal(marked('snake_case_name 2 * 3 * 4 <b>x</b>', 'name'), 'snake_case_[name] 2 * 3 * 4 <b>x</b>')
  t.equal(nextOption(-1, 1, 3), 0)
  t.equal(nextOption(2, 1, 3), -1, 'back to the field')
  t.equal(nextOption(-1, -1, 3), 2)
  t.equal(nextOption(0, -1, 3), -1)
  t.equal(nextOption(-1, 1, 0), -1)
})

t.test('a row shows six columns at most, without dismissed cards', async (t) => {
  const columns = { 'To Do': 3, Doing: 2, Done: 1 }
  t.strictSame(columnsOf({ columns, dismissed: { Doing: 2 } }), {
    shown: [
      ['To Do', 3],
      ['Doing', 0],
      ['Done', 1],
    ],
    others: [],
  })
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`Column ${index}`, index]))
  const { shown, others } = columnsOf({ columns: many, dismissed: {} })
  t.strictSame([shown.length, others.length], [5, 4])
  t.strictSame(others[0], ['Column 5', 5])
  const { 'Column 6': _6, 'Column 7': _7, 'Column 8': _8, ...six } = many
  t.equal(columnsOf({ columns: six, dismissed: {} }).shown.length, 6)
})
