import t from 'tap'
import { inPieces, JsonPieces } from '../../src/db/json-pieces.ts'
import { withRoom } from '../../src/db/room.ts'
import { limitWork } from '../../src/db/work-limits.ts'
import { openTestDatabase } from '../database.ts'
import { build, send } from '../helper.ts'

t.test('pieces are joined in order, and their memory is released', async (t) => {
  const db = openTestDatabase(t)
  const json = new JsonPieces(db)
  const large = json.add('ä'.repeat(100_000))
  json.add('"')
  const shared = Buffer.from('shared').subarray(1)
  json.add(shared)
  t.equal(json.size, 200_006)
  const whole = json.join()
  t.equal(`${whole}`, `${'ä'.repeat(100_000)}"hared`)
  t.equal(whole.buffer.byteLength, whole.length, 'it can be moved to another thread')
  t.equal(large.length, 0)
  t.equal(`${shared}`, 'hared', 'what others may look at stays')
})

t.test('a text that exceeds the available memory is given up early', async (t) => {
  const db = openTestDatabase(t)
  const json = new JsonPieces(db)
  withRoom(db, 10, () => {
    json.add('12345')
    json.add('67890')
    try {
      json.add('1')
      t.fail('it is too much')
    } catch (error) {
      t.match(error, { statusCode: 503, headers: { 'retry-after': '5' } })
    }
  })
  t.ok(json.add('1'), 'outside of it there is room for anything')
})

t.test('a list has all its pieces', async (t) => {
  const db = openTestDatabase(t)
  const list = Array.from({ length: 250 }, (_, index) => index)
  t.strictSame([...inPieces(db, [])], [])
  const pieces = [...inPieces(db, list)]
  t.strictSame(pieces.flat(), list)
  t.ok(pieces.length > 1)
  limitWork(db)
  t.equal([...inPieces(db, list)].length, 1, 'on the event loop there is one')
})

t.test('a list in pieces equals its pages, and the whole project has the same items', async (t) => {
  const app = await build(t)
  app.db.$client.exec(`
    insert into projects (id, name) values ('none', 'Empty'), ('one', 'One'), ('many', 'Many');
    insert into kanban_items (id, project_id, title) values ('alone', 'one', 'Alone');
    insert into kanban_items (id, project_id, title, sort_order)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)
      select printf('i%03d', i), 'many', 'Cärd ' || i, 1000 - i from n;
    insert into kanban_subtasks (id, item_id, title) select 's' || id, id, 'Step' from kanban_items;`)
  const whole = (await send(app, 'GET', '/api/projects')).body
  const get = async (path: string) => (await send(app, 'GET', path)).body
  for (const [project, count] of [
    ['none', 0],
    ['one', 1],
    ['many', 250],
  ] as const) {
    const path = `/api/projects/${project}/kanban-items`
    const items = await get(path)
    t.equal(items.length, count)
    t.strictSame(await get(`${path}?limit=150`), items.slice(0, 150))
    t.strictSame((await get(`/api/projects/${project}`)).kanbanItems, items)
    const { wholeProjects } = app.rules.reading
    const packed = wholeProjects.text(project)
    t.strictSame(JSON.parse(`${Buffer.from(packed?.body ?? [])}`).kanbanItems, items)
  }
  t.equal((await get('/api/kanban-items')).length, 251)
  const { reading, board } = app.rules
  const list = JSON.parse(`${Buffer.from(reading.wholeProjects.list({}).body)}`)
  t.strictSame(list, whole)
  t.equal([...board.records.inPieces('many')].flat().length, 250)
})
