import t from 'tap'
import { withRoom } from '../../src/db/room.ts'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { ApiError } from '../../src/errors.ts'
import { createRules } from '../../src/requests/rules.ts'
import { openFewAndMany } from '../few-and-many.ts'

t.test('the worker thread writes the CSV of a large board', async (t) => {
  const db = openFewAndMany(t)
  const { itemCsv: csv } = createRules(db).board
  t.equal(`${Buffer.from(csv.ofProject('many').body)}`.split('\r\n').length, 1003)
  limitWork(db)
  t.throws(() => csv.ofProject('many'), TooMuchWork)
  t.match(`${Buffer.from(csv.ofProject('few').body)}`, /^\ufeffid,title.*\r\none,Card,/)
})

t.test('the worker thread reads a long history for Linear, and many comments for Planka', async (t) => {
  const db = openFewAndMany(t)
  const { itemCsv: csv, trelloJson } = createRules(db).board
  const add = (table: string, columns: string, values: string, count: number) =>
    db.$client.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      insert into ${table} (id, item_id, ${columns}, created_at)
      select 'x' || i, 'one', ${values}, strftime('%Y-%m-%dT00:00:00.000Z', '2020-01-01', '+' || i || ' days') from n`)
  const moves = () =>
    `${Buffer.from(csv.ofProject('few', { format: 'linear' }).body)}`.match(/\d{4}-\d\d-\d\d(?=T00:00)/g)
  db.$client.exec(
    `insert into kanban_columns (id, project_id, name, stage) values ('c', 'few', 'To Do', 'doing')`,
  )
  add('kanban_activity', 'type', "'status_change'", 5001)
  t.strictSame(moves(), ['2033-09-10'], 'the last move')
  limitWork(db)
  t.throws(moves, TooMuchWork)
  db.$client.exec("delete from kanban_activity where id = 'x5001'")
  t.strictSame(moves(), ['2033-09-09'])

  const comments = () => JSON.parse(`${Buffer.from(trelloJson.ofProject('few').body)}`).actions
  add('kanban_comments', 'author_id, content', "'ada', 'So it is.'", 1001)
  t.throws(comments, TooMuchWork)
  t.throws(() => trelloJson.ofProject('many'), TooMuchWork)
  db.$client.exec("delete from kanban_comments where id = 'x1001'")
  t.equal(comments().length, 1000)
  t.throws(() => withRoom(db, 1000, comments), ApiError, 'above the size limit')
})
