/** Lists of items whose filters no index has in the order of the list are too much work for the event loop on a large board. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ItemFilter } from '../../src/board/item-lists.ts'
import { openDatabase } from '../../src/db/client.ts'
import { limitWork, ROWS_SCANNED, TooMuchWork } from '../../src/db/work-limits.ts'
import { createScopedRules } from '../../src/requests/scoped-rules.ts'

const ASKING = { memberId: 'me', isStrict: false }

/** The lists of a file so large that work is limited: a project of more items than a request may scan, and one of two. */
function largeBoard(t: Test) {
  const { db, close } = openDatabase(`file:${join(t.testdir(), 'board.db')}`)
  t.teardown(close)
  db.$client.exec(`
    insert into projects (id, name) values ('large', 'Large'), ('small', 'Small');
    insert into kanban_items (id, project_id, title, description, sort_order)
      with recursive n(i) as (select 1 union all select i + 1 from n where i <= ${ROWS_SCANNED})
      select 'i' || i, 'large', 'Card', printf('%.*c', 300, 'x'), i from n;
    insert into kanban_items (id, project_id, title) values ('a', 'small', 'A'), ('b', 'small', 'B')`)
  limitWork(db)
  const { itemLists } = createScopedRules(db).all.board
  const few = { limit: 10 }
  return {
    ofAll: (filter: ItemFilter) => () => itemLists.ofAll({ ...filter, ...few }, ASKING),
    of: (project: string, filter: ItemFilter) => () =>
      itemLists.ofProject(project, { ...filter, ...few }, ASKING),
  }
}

t.test('filters by a column across projects scan all items', async (t) => {
  const { ofAll, of } = largeBoard(t)
  t.throws(ofAll({ column: 'Done' }), TooMuchWork)
  t.throws(ofAll({ column: ['Done', 'Review'] }), TooMuchWork)
  t.throws(ofAll({ column: ['To Do'], priority: 'low' }), TooMuchWork)
  t.throws(ofAll({ column: 'Done', projectId: ['small', 'large'] }), TooMuchWork)
  for (const column of ['Done', ['Done', 'To Do']]) t.doesNotThrow(of('large', { column }))
})

t.test('a filter beside the one that has an index scans all items of that one', async (t) => {
  const { ofAll, of } = largeBoard(t)
  for (const filter of [
    { priority: 'medium', assigneeId: 'ada' },
    { priority: ['medium', 'low'], assigneeId: 'ada' },
    { priority: 'medium', dueAfter: '2027-01-01' },
    { assigneeId: 'ada', dueBefore: '2027-01-01' },
    { priority: 'medium', dismissed: 'true' },
  ] satisfies ItemFilter[]) {
    t.throws(ofAll(filter), TooMuchWork)
    t.throws(of('large', filter), TooMuchWork)
    t.doesNotThrow(of('small', filter))
  }
})

t.test('a range of dates across projects scans all items in it', async (t) => {
  const { ofAll, of } = largeBoard(t)
  const range = { dueAfter: '2027-01-01', dueBefore: '2028-01-01' }
  t.throws(ofAll(range), TooMuchWork)
  t.doesNotThrow(of('large', range))
})

t.test(
  'one filter with an index, and those of which the index of the order has the fields, stay on the event loop',
  async (t) => {
    const { ofAll, of } = largeBoard(t)
    for (const filter of [
      {},
      { priority: 'low' },
      { assigneeId: ['ada', 'bob'] },
      { dismissed: 'true', dueAfter: '2027-01-01' },
      { dueBefore: '2028-01-01' },
    ] satisfies ItemFilter[]) {
      t.doesNotThrow(ofAll(filter))
      t.doesNotThrow(of('large', filter))
    }
  },
)
