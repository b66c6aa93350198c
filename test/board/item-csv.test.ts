import { join } from 'node:path'
import t from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/worker/rules.ts'

t.test('the event loop leaves a table of many items to the worker thread', async (t) => {
  const { db, close } = openDatabase(`file:${join(t.testdir(), 'board.db')}`)
  t.teardown(close)
  db.$client.exec(`insert into projects (id, name) values ('few', 'Few'), ('many', 'Many');
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001)
    insert into kanban_items (id, project_id, title, description) select 'i' || i, 'many', 'Card', hex(zeroblob(1500)) from n;
    insert into kanban_items (id, project_id, title) values ('one', 'few', 'Card');`)
  const { itemCsv: csv } = createRules(db).board
  t.equal(`${Buffer.from(csv.ofProject('many').body)}`.split('\r\n').length, 1003)
  limitWork(db)
  t.throws(() => csv.ofProject('many'), TooMuchWork)
  t.match(`${Buffer.from(csv.ofProject('few').body)}`, /^id,title.*\r\none,Card,/)
})
