/** Items read a few at a time are within the same limits as many. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { createScopedRules } from '../../src/requests/scoped-rules.ts'

/** The items of a file so large that work is limited: `a`, `b` and `c`, each with this many labels and subtasks. */
function itemsWith(t: Test, { labels, subtasks }: { labels: number; subtasks: number }) {
  const { db, close } = openDatabase(`file:${join(t.testdir(), 'board.db')}`)
  t.teardown(close)
  const { $client: client } = db
  client.exec(`
    insert into projects (id, name) values ('p', 'P');
    insert into kanban_items (id, project_id, title)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)
      select 'other' || i, 'p', printf('%.*c', 300, 'x') from n;
    insert into kanban_items (id, project_id, title) values ('a', 'p', 'A'), ('b', 'p', 'B'), ('c', 'p', 'C')`)
  const each = (count: number, statement: string) =>
    client
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?), ids(id) as (values ('a'), ('b'), ('c')) ${statement}`,
      )
      .run(count)
  if (subtasks > 0)
    each(
      subtasks,
      `insert into kanban_subtasks (id, item_id, title) select id || i, id, 'Step' from ids, n where true`,
    )
  if (labels > 0) {
    each(
      labels,
      `insert into kanban_labels (id, project_id, name) select 'l' || i, 'p', 'Label ' || i from n where true`,
    )
    each(
      labels,
      `insert into kanban_item_labels (item_id, label_id) select id, 'l' || i from ids, n where true`,
    )
  }
  limitWork(db)
  return createScopedRules(db).all.board.items
}

t.test('few items with few labels and subtasks, or one with many, are read', async (t) => {
  const items = itemsWith(t, { labels: 20, subtasks: 150 })
  const [c, a] = items.getMany(['c', 'missing', 'a'])
  t.strictSame([c?.id, a?.id], ['c', 'a'])
  t.strictSame(c, items.get('c'))
  t.strictSame([c?.labels.length, c?.subtasks.length], [20, 150])
  t.equal(items.getMany(['a', 'b', 'c', 'missing']).length, 3)

  const more = itemsWith(t, { labels: 0, subtasks: 900 })
  t.equal(more.getMany(['a'])[0]?.subtasks.length, 900)
})

t.test('few items with many subtasks, or labels, are too much work for the event loop', async (t) => {
  t.throws(() => itemsWith(t, { labels: 0, subtasks: 400 }).getMany(['a', 'b', 'c']), TooMuchWork)
  t.throws(() => itemsWith(t, { labels: 800, subtasks: 0 }).getMany(['a', 'b', 'c']), TooMuchWork)
})
