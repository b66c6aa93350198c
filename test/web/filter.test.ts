/** Which cards match a filter, and its form in the address. */
import t from 'tap'
import type { KanbanItem } from '../../src/client/api.d.ts'
import { filterOf, filterQuery, isNarrowing, matches } from '../../web/board/filter.ts'
import { ITEM_DEFAULTS } from '../item-defaults.ts'

const label = (id: string, name: string) => ({
  id,
  name,
  color: '',
  projectId: 'p',
  createdAt: '',
  updatedAt: '',
})

const item = (fields: Partial<KanbanItem>): KanbanItem => ({
  ...ITEM_DEFAULTS,
  id: 'i',
  projectId: 'p',
  title: 'Rewrite product pages',
  sortOrder: 0,
  ...fields,
})

/** Whether a card matches an address, for a user. */
const shows = (query: string, fields: Partial<KanbanItem> = {}, me: string | undefined = 'maria') =>
  matches(item(fields), filterOf(new URLSearchParams(query)), {
    me,
    today: '2026-11-12',
    isDone: (column) => column === 'Done',
  })

t.test('without a filter all but dismissed cards are shown', async (t) => {
  t.ok(shows(''))
  t.notOk(shows('', { dismissed: true }))
  t.ok(shows('dismissed=1', { dismissed: true }))
})

t.test('by text', async (t) => {
  t.ok(shows('q=PRODUCT'))
  t.ok(shows('q=%20flyer%20', { description: 'About the Flyer.' }))
  t.notOk(shows('q=flyer'))
})

t.test('by label, name or id, or none', async (t) => {
  const labels = [label('l1', 'Design')]
  t.ok(shows('label=Design', { labels }))
  t.ok(shows('label=l1', { labels }))
  t.ok(shows('label=Content&label=Design', { labels }), 'any of them')
  t.notOk(shows('label=Content', { labels }))
  t.ok(shows('label=none'))
  t.notOk(shows('label=none', { labels }))
})

t.test('by assignee', async (t) => {
  t.ok(shows('assignee=me', { assigneeIds: ['maria'] }))
  t.ok(shows('assignee=me', { assigneeIds: ['otto', 'maria'] }), 'among others')
  t.notOk(shows('assignee=me', { assigneeIds: ['otto'] }))
  t.notOk(shows('assignee=me', {}, undefined), 'nobody is no one')
  t.ok(shows('assignee=none'))
  t.notOk(shows('assignee=none', { assigneeIds: ['otto'] }))
  t.ok(shows('assignee=otto', { assigneeIds: ['otto'] }))
})

t.test('by priority and due date', async (t) => {
  t.ok(shows('priority=high', { priority: 'high' }))
  t.notOk(shows('priority=high'))
  const due = (day: string) => ({ dueDate: `${day}T00:00:00.000Z` })
  t.ok(shows('due=overdue', due('2026-11-11')))
  t.notOk(shows('due=overdue', { ...due('2026-11-11'), column: 'Done' }), 'what is done is not overdue')
  t.notOk(
    shows('due=overdue', { ...due('2026-11-11'), metadata: { trello: { dueComplete: true } } }),
    'nor is what Trello had ticked',
  )
  t.ok(shows('due=overdue', { ...due('2026-11-11'), metadata: { trello: { dueComplete: false } } }))
  t.notOk(shows('due=overdue', due('2026-11-12')))
  t.ok(shows('due=today', due('2026-11-12')))
  t.notOk(shows('due=today', due('2026-11-13')))
  t.ok(shows('due=week', due('2026-11-19')))
  t.notOk(shows('due=week', due('2026-11-20')))
  t.ok(shows('due=none'))
  t.notOk(shows('due=none', due('2026-11-12')))
  t.notOk(shows('due=week'))
  t.notOk(shows('q=rewrite&priority=low'), 'each kind must hold')
})

t.test('in the address', async (t) => {
  const query = new URLSearchParams('edit=title&q=a+b&label=Design&label=&due=nonsense')
  t.equal(filterQuery(query), '?q=a+b&label=Design&due=nonsense', 'what is no filter is left out')
  t.equal(filterQuery(new URLSearchParams('edit=title')), '')
  t.notOk(isNarrowing(filterOf(new URLSearchParams('due=nonsense&dismissed=1'))))
  t.ok(isNarrowing(filterOf(new URLSearchParams('label=x'))))
})
