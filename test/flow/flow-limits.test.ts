/** A board that would hold the event loop up is measured by the worker thread. */
import { join } from 'node:path'
import t from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/worker/rules.ts'

t.test('the event loop leaves the flow of many items to the worker thread', async (t) => {
  const { db, close } = openDatabase(`file:${join(t.testdir(), 'board.db')}`)
  t.teardown(close)
  db.$client.exec(`insert into projects (id, name) values ('few', 'Few'), ('many', 'Many');
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001)
    insert into kanban_items (id, project_id, title, description) select 'i' || i, 'many', 'Card', hex(zeroblob(1500)) from n;
    insert into kanban_items (id, project_id, title) values ('one', 'few', 'Card');`)
  const { flow } = createRules(db)
  const remaining = (id: string) =>
    JSON.parse(Buffer.from(flow.ofProject(id, {}, 'somebody')).toString()).forecast.remaining
  t.equal(remaining('many'), 1001)
  limitWork(db)
  t.throws(() => remaining('many'), TooMuchWork)
  t.equal(remaining('few'), 1)
})
