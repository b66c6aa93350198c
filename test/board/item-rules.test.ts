/** The rules of items and claims by themselves, on a small file without a server. */
import t from 'tap'
import { NO_SUCH_COLUMN } from '../../src/board/column-names.ts'
import { Places } from '../../src/board/places.ts'
import { limitWork, TooMuchWork, withinWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/requests/rules.ts'
import { openTestDatabase } from '../database.ts'

const OLD = '2001-01-01T00:00:00.000Z'
const LATER = '2999-01-01T00:00:00.000Z'
const STRICT = { isStrict: true }

/** What an error has, at least. */
const status = (statusCode: number, fields: object = {}) => ({ message: /./, statusCode, ...fields })

/** What an error says about a field. */
const wrong = (field: string, ...problems: string[]) => ({
  statusCode: 400,
  message: 'Validation failed',
  details: { fieldErrors: { [field]: problems } },
})

/** Two projects, `p` and `q`, each with the columns To Do, Doing and Done. */
function board(t: Parameters<typeof openTestDatabase>[0]) {
  const db = openTestDatabase(t)
  const { board } = createRules(db)
  const { $client: client } = db
  client.exec("insert into projects (id, name) values ('p', 'P'), ('q', 'Q')")
  const addColumn = client.prepare(
    'insert into kanban_columns (id, project_id, name, sort_order) values (?, ?, ?, ?)',
  )
  for (const project of ['p', 'q'])
    for (const [index, name] of ['To Do', 'Doing', 'Done'].entries())
      addColumn.run(`${project} ${name}`, project, name, index + 1)
  const rowOf = (id: string) =>
    client.prepare('select * from kanban_items where id = ?').get(id) as Record<string, unknown>
  /** Adds an item, as another tool would. */
  const add = (id: string, fields: Record<string, unknown> = {}) => {
    const all = { id, project_id: 'p', title: id, column: 'To Do', sort_order: 1, updated_at: OLD, ...fields }
    const names = Object.keys(all).map((name) => `"${name}"`)
    client
      .prepare(`insert into kanban_items (${names}) values (${names.map(() => '?')})`)
      .run(...Object.values(all))
  }
  /** The ids in a column, in order. */
  const order = (column: string, project = 'p') =>
    client
      .prepare(`select id from kanban_items where project_id = ? and "column" = ? order by sort_order, id`)
      .pluck()
      .all(project, column)
      .join(' ')
  const limit = (column: string, wipLimit: number, policy = 'warn') =>
    client
      .prepare('update kanban_columns set wip_limit = ?, wip_policy = ? where id = ?')
      .run(wipLimit, policy, `p ${column}`)
  const columns = (project = 'p') =>
    client.prepare('select name from kanban_columns where project_id = ? order by name').pluck().all(project)
  const activity = () =>
    client
      .prepare('select item_id, type, metadata, actor_id from kanban_activity order by id')
      .all()
      .map((row) => Object.values(row as object).join(' '))
  return { ...board, db, client, rowOf, add, order, limit, columns, activity }
}

const full = (column: string, most: number) => [`Column "${column}" is above its WIP limit of ${most}`]
const isFull = { statusCode: 409, message: 'Column is at its WIP limit' }

t.test('an item is created at the end of a column', async (t) => {
  const { items, add, limit, columns, rowOf } = board(t)
  add('a', { sort_order: 7 })
  t.match(items.create('p', { title: 'T' }), { column: 'To Do', sortOrder: 8, labels: [], subtasks: [] })
  const given = items.create('p', { title: 'T', sortOrder: -2, dueDate: '2026-02-03', column: 'New' })
  t.match(given, { sortOrder: -2, dueDate: '2026-02-03T00:00:00.000Z', warnings: undefined })
  t.equal(rowOf(given.id).due_date, '2026-02-03T00:00:00.000Z')
  t.equal(items.create('p', { title: 'T', dueDate: '' }).dueDate, null)
  t.equal(items.create('p', { title: 'T' }).dueDate, null)
  t.ok(columns().includes('New'))
  t.throws(() => items.create('none', { title: 'T' }), { statusCode: 404, message: 'Project not found' })
  const before = columns()
  t.throws(() => items.create('p', { title: 'T', column: 'Other' }, STRICT), status(400))
  t.strictSame(columns(), before)
  t.equal(items.create('p', { title: 'T', column: 'New' }, STRICT).column, 'New')
  t.equal(items.create('p', { title: 'T' }, STRICT).column, 'To Do')
  limit('Doing', 1)
  t.equal(items.create('p', { title: 'T', column: 'Doing' }).warnings, undefined)
  t.strictSame(items.create('p', { title: 'T', column: 'Doing' }).warnings, full('Doing', 1))
  t.equal(items.create('p', { title: 'T', column: 'Doing' }, { ignoresLimits: true }).warnings, undefined)
  limit('Doing', 1, 'block')
  t.throws(() => items.create('p', { title: 'T', column: 'Doing' }), isFull)
  t.doesNotThrow(() => items.create('p', { title: 'T', column: 'Doing' }, { ignoresLimits: true }))
})

t.test('a change', async (t) => {
  const { items, add, columns, rowOf, activity, limit } = board(t)
  add('a', { due_date: '2026-02-03T00:00:00.000Z' })
  t.throws(() => items.update('none', {}, null), status(404))
  items.update('a', {}, 'ada')
  t.equal(rowOf('a').updated_at, OLD, 'an empty one changes nothing')
  t.equal(items.update('a', { title: 'B', priority: 'high' }, 'ada').title, 'B')
  t.not(rowOf('a').updated_at, OLD)
  t.equal(rowOf('a').due_date, '2026-02-03T00:00:00.000Z')
  items.update('a', { dueDate: null }, null)
  t.equal(rowOf('a').due_date, null)
  t.strictSame(activity().length, 1)
  t.match(activity()[0], /^a priority .*"to":"high".* ada$/)
  t.throws(() => items.update('a', { column: 'Other' }, null, STRICT), wrong('column', NO_SUCH_COLUMN))
  t.notOk(columns().includes('Other'))
  t.equal(items.update('a', { column: 'Doing' }, null, STRICT).column, 'Doing')
  t.equal(items.update('a', { title: 'C' }, null, STRICT).title, 'C')
  items.update('a', { column: 'Other' }, null)
  t.ok(columns().includes('Other'))
  const before = activity().length
  items.update('a', { column: 'x\ud800', assigneeId: 'y\udc00', title: 'D' }, null)
  t.match(rowOf('a'), { column: 'x\ufffd', assignee_id: 'y\ufffd' })
  items.update('a', { column: 'x\ud800', assigneeId: 'y\udc00', title: 'E' }, null)
  t.equal(activity().length, before + 2, 'the stored value is the same one')
  items.update('a', { column: 'x\ud800', assigneeId: null }, null)
  t.equal(rowOf('a').assignee_id, null)
  limit('Done', 1)
  add('d', { column: 'Done' })
  add('e', { column: 'Done', dismissed: 1 })
  t.strictSame(items.update('a', { column: 'Done' }, null).warnings, full('Done', 1))
  t.equal(items.update('a', { title: 'F' }, null).warnings, undefined, 'it was there before')
  t.equal(items.update('a', { column: 'Done' }, null).warnings, undefined)
  t.strictSame(items.update('e', { dismissed: false }, null).warnings, full('Done', 1))
  limit('Done', 1, 'block')
  t.throws(
    () =>
      items.update('e', { dismissed: true, column: 'Doing' }, null) &&
      items.update('e', { dismissed: false, column: 'Done' }, null),
    isFull,
  )
})

t.test('a cover is an image of the item', async (t) => {
  const { items, add, client } = board(t)
  add('a')
  add('b')
  const attach = client.prepare('insert into attachments (id, item_id, media_type, name) values (?, ?, ?, ?)')
  attach.run('image', 'a', 'image/png', '')
  attach.run('text', 'a', 'text/plain', '')
  attach.run('link', 'a', null, '')
  attach.run('other', 'b', 'image/png', '')
  const problem = 'must be that of an image attached to the item'
  for (const coverId of ['text', 'link', 'other', 'none'])
    t.throws(() => items.update('a', { coverId }, null), wrong('coverId', problem), coverId)
  t.equal(items.update('a', { coverId: 'image' }, null).coverId, 'image')
  t.equal(items.update('a', { title: 'T' }, null).coverId, 'image')
  t.equal(items.update('a', { coverId: null }, null).coverId, null)
  t.throws(() => items.update('a', { coverId: 'none', column: 'x' }, null, STRICT), {
    message: 'Validation failed',
    details: { fieldErrors: { coverId: [problem], column: [NO_SUCH_COLUMN] } },
  })
})

t.test('an item moves to a place', async (t) => {
  const { items, add, order, rowOf, columns } = board(t)
  for (const [index, id] of ['a', 'b', 'c'].entries()) add(id, { sort_order: index + 1 })
  add('d', { column: 'Doing' })
  const move = (id: string, to: object, options = {}) => void items.move(id, to, 'ada', options)
  const moved = (id: string, to: object, expected: string, column = 'To Do') => {
    move(id, to)
    t.equal(order(column), expected, `${id} ${JSON.stringify(to)}`)
  }
  moved('a', { position: 'top' }, 'a b c')
  moved('c', {}, 'a b c')
  moved('b', { afterId: 'a' }, 'a b c')
  moved('b', { beforeId: 'c' }, 'a b c')
  for (const id of ['a', 'b', 'c']) t.equal(rowOf(id).updated_at, OLD, 'it was there')
  moved('c', { position: 'top' }, 'c a b')
  moved('c', {}, 'a b c')
  moved('a', { afterId: 'b' }, 'b a c')
  moved('c', { beforeId: 'a' }, 'b c a')
  moved('b', { position: 'bottom' }, 'c a b')
  moved('d', { column: 'To Do', position: 'top' }, 'd c a b')
  moved('d', { column: 'To Do', afterId: 'c' }, 'c d a b')
  moved('d', { column: 'Doing' }, 'd', 'Doing')
  const neighbour = 'must be the id of another item in the column'
  t.throws(() => move('a', { beforeId: 'd' }), wrong('beforeId', neighbour))
  t.throws(() => move('a', { afterId: 'd' }), wrong('afterId', neighbour))
  t.throws(() => move('a', { afterId: 'a' }), wrong('afterId', neighbour))
  t.throws(() => move('a', { afterId: 'none' }), status(404))
  t.throws(() => move('none', {}), status(404))
  t.throws(() => move('a', { projectId: 'none' }), { statusCode: 404, message: 'Project not found' })
  t.throws(() => move('a', { column: 'New' }, STRICT), wrong('column', NO_SUCH_COLUMN))
  move('a', { column: 'Done' }, STRICT)
  move('a', { column: 'New' })
  t.ok(columns().includes('New'))
  add('foreign', { column: 'Unknown' })
  move('foreign', { position: 'top' }, STRICT)
  t.ok(columns().includes('Unknown'), 'as another tool has left it')
  t.throws(() => move('foreign', { projectId: 'q' }, STRICT), status(400))
  move('a', { column: 'y\ud800' })
  t.equal(rowOf('a').column, 'y\ufffd')
})

t.test('an item moves to another project, with its labels by name', async (t) => {
  const { items, add, client, rowOf, activity, columns } = board(t)
  add('a')
  client.exec(`insert into kanban_labels (id, project_id, name) values ('l', 'p', 'Bug'), ('m', 'p', 'New');
    insert into kanban_item_labels (item_id, label_id) values ('a', 'l'), ('a', 'm');
    insert into kanban_labels (id, project_id, name) values ('k', 'q', 'Bug')`)
  t.match(items.move('a', {}, null).labels.length, 2)
  const { projectId, column, labels } = items.move('a', { projectId: 'q' }, 'ada')
  t.strictSame([projectId, column], ['q', 'To Do'])
  t.strictSame(
    labels.map(({ id }) => id),
    ['k'],
  )
  t.strictSame(activity(), [], 'its column is the same')
  items.move('a', { projectId: 'p', column: 'Doing' }, 'ada')
  t.strictSame([rowOf('a').project_id, rowOf('a').column], ['p', 'Doing'])
  t.equal(activity().length, 1)
  t.strictSame(columns('q').length, 3)
  client.exec("update kanban_columns set wip_limit = 1 where id = 'q Doing'")
  add('z', { project_id: 'q', column: 'Doing' })
  t.strictSame(items.move('a', { projectId: 'q' }, null).warnings, full('Doing', 1))
})

t.test('what only changes a text leaves its column and its lease alone', async (t) => {
  const { items, add, rowOf, columns } = board(t)
  const held = { assignee_id: 'ada', claimed_until: LATER, claimed_from: '{"column":"To Do","sortOrder":1}' }
  add('a', { ...held, column: 'Unknown' })
  items.update('a', { title: 'T' }, null)
  t.notOk(columns().includes('Unknown'))
  t.equal(rowOf('a').claimed_until, LATER)
  items.update('a', { column: 'Done' }, null)
  t.strictSame([rowOf('a').claimed_until, rowOf('a').claimed_from], [null, ''])
})

t.test('labels are attached and detached', async (t) => {
  const { items, add, client } = board(t)
  add('a')
  client.exec("insert into kanban_labels (id, project_id, name) values ('l', 'p', 'Bug')")
  t.strictSame(
    items.attachLabel('a', 'l').labels.map(({ id }) => id),
    ['l'],
  )
  t.strictSame(items.detachLabel('a', 'l').labels, [])
})

t.test('work on many rows is refused before it begins', async (t) => {
  const { items, claims, add, client, db, order } = board(t)
  const ids = Array.from({ length: 101 }, (_, index) => `i${index}`)
  for (const id of ids) add(id)
  client.exec(
    `insert into kanban_subtasks (id, item_id, title) select 's' || id, 'i0', 'S' from kanban_items`,
  )
  const before = order('To Do')
  const places = ids.map((id, index) => ({ id, column: 'To Do', sortOrder: index + 5 }))
  for (const [name, work] of Object.entries<() => unknown>({
    update: () => items.updateMany(ids, { title: 'T' }, null),
    reorder: () => items.reorder('p', places, null),
    move: () => items.moveAll({ projectId: 'p', column: 'To Do' }, 'Done', null),
    'children of one': () => items.delete('i0'),
    'children of several': () => items.deleteMany(['i1', 'i0']),
    'many of them': () => items.deleteMany(ids.slice(1).concat('none')),
    renumber: () => {
      add('x', { column: 'Doing' })
      items.move('x', { column: 'To Do', beforeId: 'i1' }, null)
    },
    follow: () => {
      client.exec(`update kanban_items set claimed_until = '${LATER}'`)
      claims.follow('p', 'To Do', 'Next', LATER)
    },
  }))
    t.throws(() => withinWork(db, 1, work), TooMuchWork, name)
  t.equal(order('To Do'), before)
  t.doesNotThrow(() => withinWork(db, 2, () => items.deleteMany(['i1', 'i0'])))
})

t.test('a claim does not scan thousands of items', async (t) => {
  const { claims, client, db } = board(t)
  limitWork(db)
  const many = (fields: string, values: string) =>
    client.exec(`insert into kanban_items (id, project_id, title, ${fields})
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 5001)
      select 'x' || i, 'p', printf('%.*c', 400, 'x'), ${values} from n`)
  many('assignee_id', "'ada'")
  t.throws(() => claims.claim('p', {}, 'ada'), TooMuchWork)
  client.exec('delete from kanban_items')
  many('"column", assignee_id, claimed_until', `'Doing', 'ada', '${LATER}'`)
  t.throws(() => claims.claim('p', {}, 'ada'), TooMuchWork, 'nor leases')
})

t.test('a place depends on the items of its column only', async (t) => {
  const { items, add, db, order, rowOf } = board(t)
  for (const [index, id] of ['a', 'b', 'c'].entries()) add(id, { sort_order: index + 1 })
  add('near', { column: 'Doing', sort_order: 1.9 })
  add('far', { project_id: 'q', sort_order: 1.8 })
  items.move('c', { beforeId: 'b' }, null)
  t.equal(rowOf('c').sort_order, 1.5)
  t.equal(rowOf('b').updated_at, OLD)
  for (const id of ['d', 'e']) add(id, { column: 'Done', sort_order: 1 })
  add('f', { column: 'Done', sort_order: 2 })
  items.move('f', { afterId: 'd' }, null)
  t.equal(order('Done'), 'd f e', 'the moved item gets the free number')
  add('h', { claimed_until: LATER, claimed_from: '{"column":"To Do","sortOrder":1}' })
  new Places(db).put('Doing', [{ id: 'h', sortOrder: 1 }], OLD)
  t.strictSame([rowOf('h').column, rowOf('h').claimed_until], ['Doing', LATER])
})

t.test('places between two others, also if no number is left', async (t) => {
  const { items, add, order, db, rowOf } = board(t)
  add('a', { sort_order: 1 })
  add('b', { sort_order: 1 })
  add('c', { sort_order: 2 })
  add('x', { column: 'Doing' })
  items.move('x', { column: 'To Do', afterId: 'a' }, null)
  t.equal(order('To Do'), 'a x b c', 'two had the same number')
  items.move('c', { beforeId: 'x' }, null)
  t.equal(order('To Do'), 'a c x b')
  add('far', { column: 'Doing', sort_order: Number.MAX_SAFE_INTEGER + 1 })
  items.move('a', { column: 'Doing' }, null)
  t.equal(order('Doing'), 'far a')
  t.strictSame([rowOf('far').sort_order, rowOf('a').sort_order], [1, 2])
  t.not(rowOf('far').updated_at, OLD)
  const places = new Places(db)
  t.equal(places.atEnd({ projectId: 'p', column: 'Doing' }), 3)
  t.equal(places.atEnd({ projectId: 'q', column: 'Doing' }), 1)
  t.equal(places.manyAtEnd({ projectId: 'p', column: 'Doing' }, 5), 3)
  add('last', { column: 'Done', sort_order: Number.MAX_SAFE_INTEGER - 3 })
  t.equal(places.manyAtEnd({ projectId: 'p', column: 'Done' }, 2), Number.MAX_SAFE_INTEGER - 2)
  t.equal(places.manyAtEnd({ projectId: 'p', column: 'Done' }, 3), 2, 'they would not fit')
  add('m', { project_id: 'q', sort_order: 5 })
  const at = { id: 'm', projectId: 'q', column: 'To Do', sortOrder: 5 }
  t.equal(places.at(at, { projectId: 'q', column: 'To Do' }, {}), 5)
  t.equal(places.at(at, { projectId: 'q', column: 'Doing' }, {}), 1)
  t.equal(
    places.at(at, { projectId: 'p', column: 'To Do' }, { position: 'top' }),
    Number(rowOf('c').sort_order) - 1,
  )
})

const json = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString())

t.test('several items change at once', async (t) => {
  const { items, add, limit, rowOf, activity, columns } = board(t)
  for (const id of ['a', 'b']) add(id)
  add('z', { project_id: 'q' })
  const change = (ids: string[], input: object, options = {}) =>
    json(items.updateMany(ids, input, 'ada', options))
  t.throws(() => change(['a', 'none', 'b', 'no'], {}), status(404, { details: { missing: ['none', 'no'] } }))
  t.strictSame(
    change(['b', 'a'], { priority: 'high' }).map(({ id }: { id: string }) => id),
    ['b', 'a'],
  )
  t.equal(activity().length, 2)
  const strict = wrong('update', `update.column ${NO_SUCH_COLUMN}`)
  t.throws(() => change(['a', 'z'], { column: 'New' }, STRICT), strict)
  t.equal(change(['a'], { title: 'T' }, STRICT)[0].title, 'T')
  limit('Doing', 1)
  const warned = change(['a', 'b', 'z'], { column: 'Doing' }, STRICT)
  t.strictSame(
    warned.map(({ warnings }: { warnings?: string[] }) => warnings),
    [full('Doing', 1), full('Doing', 1), undefined],
  )
  change(['a'], { column: 'New' })
  t.ok(columns().includes('New'))
  limit('Doing', 1, 'block')
  t.throws(() => change(['a'], { column: 'Doing' }), isFull)
  t.equal(rowOf('z').column, 'Doing')
})

t.test('items of a project are reordered', async (t) => {
  const { items, add, order, rowOf, limit, activity, columns } = board(t)
  for (const [index, id] of ['a', 'b', 'c'].entries()) add(id, { sort_order: index + 1 })
  add('z', { project_id: 'q' })
  const at = (id: string, column: string, sortOrder: number) => ({ id, column, sortOrder })
  const reorder = (wanted: ReturnType<typeof at>[], options = {}) =>
    json(items.reorder('p', wanted, 'ada', options))
  t.throws(() => items.reorder('none', [], null), { statusCode: 404, message: 'Project not found' })
  t.throws(
    () => reorder([at('a', 'To Do', 1), at('none', 'To Do', 1)]),
    status(404, { details: { missing: ['none'] } }),
  )
  const strange = 'items[1].id must be that of a kanban item of the project'
  t.throws(() => reorder([at('a', 'To Do', 1), at('z', 'To Do', 1)]), wrong('items', strange))
  const both = wrong('items', `items[0].column ${NO_SUCH_COLUMN}`, strange)
  t.throws(() => reorder([at('a', 'New', 1), at('z', 'To Do', 1)], STRICT), both)
  const same = reorder([at('b', 'To Do', 2), at('a', 'To Do', 1)], STRICT)
  t.strictSame(
    same.map(({ id }: { id: string }) => id),
    ['b', 'a'],
  )
  t.equal(rowOf('a').updated_at, OLD)
  reorder([at('a', 'To Do', 9), at('b', 'Doing', 2), at('c', 'To Do', 3)])
  t.strictSame([order('To Do'), order('Doing')], ['c a', 'b'])
  t.equal(rowOf('c').updated_at, OLD)
  t.not(rowOf('b').updated_at, OLD)
  t.equal(activity().length, 1)
  limit('Doing', 1)
  const [warned, quiet] = reorder([at('a', 'Doing', 1), at('c', 'New\ud800', 1)])
  t.strictSame([warned.warnings, quiet.warnings], [full('Doing', 1), undefined])
  t.equal(rowOf('c').column, 'New\ufffd')
  t.ok(columns().includes('New\ufffd'))
  const held = { claimed_until: LATER, claimed_from: '{"column":"To Do","sortOrder":1}', assignee_id: 'ada' }
  add('h', held)
  add('i', { ...held, column: 'Done' })
  reorder([at('h', 'Doing', 5)])
  t.equal(rowOf('h').claimed_until, LATER)
  reorder([at('h', 'Done', 5), at('i', 'Done', 7)])
  t.strictSame([rowOf('h').claimed_until, rowOf('h').claimed_from], [null, ''])
  t.equal(rowOf('i').claimed_until, LATER, 'it was done before')
})

t.test('all items of a column move to the end of another one', async (t) => {
  const { items, add, order, limit, activity } = board(t)
  add('a', { sort_order: 5 })
  add('b', { sort_order: 3 })
  add('c', { column: 'Doing', sort_order: 9 })
  add('z', { project_id: 'q' })
  items.moveAll({ projectId: 'p', column: 'To Do' }, 'Doing', 'ada')
  t.strictSame([order('To Do'), order('Doing'), order('To Do', 'q')], ['', 'c b a', 'z'])
  t.equal(activity().length, 2)
  limit('Done', 2, 'block')
  t.throws(() => items.moveAll({ projectId: 'p', column: 'Doing' }, 'Done', 'ada'), isFull)
})

t.test('items are deleted', async (t) => {
  const { items, add } = board(t)
  for (const id of ['a', 'b', 'c']) add(id)
  items.delete('a')
  t.equal(items.exists('a'), false)
  t.throws(() => items.delete('a'), { statusCode: 404, message: 'Kanban item not found' })
  t.throws(() => items.deleteMany(['b', 'a', 'x']), status(404, { details: { missing: ['a', 'x'] } }))
  items.deleteMany(['c'])
  t.equal(items.exists('c'), false)
  t.throws(() => items.get('c'), status(404))
})

/** Fields of an item whose lease has expired. */
const lapsed = (column: string, sortOrder: number, origin = { column, sortOrder }) => ({
  column,
  sort_order: sortOrder,
  assignee_id: 'bob',
  claimed_until: OLD,
  claimed_from: JSON.stringify(origin),
})

t.test('a claim takes the first suitable item', async (t) => {
  const { claims, add, client, rowOf } = board(t)
  add('dismissed', { sort_order: -9, dismissed: 1 })
  add('unapproved', { sort_order: -9, approved: 0 })
  add('taken', { sort_order: -9, assignee_id: 'bob' })
  add('z', { project_id: 'q', sort_order: -9 })
  add('d', { column: 'Doing', sort_order: -9 })
  add('b', { sort_order: 2, priority: 'high' })
  add('a', { sort_order: 2, assignee_id: '' })
  add('l', { sort_order: 3 })
  client.exec(`insert into kanban_labels (id, project_id, name) values ('bug', 'p', 'Bug'), ('ux', 'p', 'UX');
    insert into kanban_item_labels (item_id, label_id) values ('l', 'bug')`)
  add('m', { sort_order: 9 })
  client.exec("insert into kanban_item_labels (item_id, label_id) values ('m', 'ux')")
  const claim = (input: object = {}) => claims.claim('p', input, 'ada')?.id
  t.equal(claim({ priority: 'urgent' }), undefined)
  t.equal(claim({ label: 'ux' }), 'm', 'by the id of a label')
  t.equal(claim({ label: 'UX' }), undefined)
  t.equal(claim({ label: 'none' }), undefined)
  t.equal(claim({ label: 'bug', priority: 'high' }), undefined)
  t.equal(claim({ label: 'Bug' }), 'l')
  t.equal(claim({ priority: 'high' }), 'b')
  t.equal(claim(), 'a')
  t.equal(claim(), undefined)
  t.equal(claim({ from: 'Doing', to: 'Review' }), 'd')
  t.match(rowOf('a'), {
    column: 'In Progress',
    assignee_id: 'ada',
    claimed_from: '{"column":"To Do","sortOrder":2}',
  })
  t.throws(() => claims.claim('none', {}, 'ada'), { statusCode: 404, message: 'Project not found' })
  const unknown = { from: 'x', to: 'Doing' }
  t.throws(() => claims.claim('p', unknown, 'ada', STRICT), wrong('from', NO_SUCH_COLUMN))
  t.throws(() => claims.claim('p', { to: 'y' }, 'ada', STRICT), wrong('to', NO_SUCH_COLUMN))
  t.equal(claims.claim('p', { to: 'Doing' }, 'ada', STRICT), null)
  t.equal(claims.claim('p', unknown, 'ada'), null)
})

t.test('an expired lease is claimed at the place where it began', async (t) => {
  const { claims, add, client, rowOf } = board(t)
  const claim = (input: object = {}) => claims.claim('p', { to: 'Doing', ...input }, 'ada')?.id
  const clear = () => client.exec('delete from kanban_items')
  add('free', { sort_order: 5 })
  add('old', lapsed('Doing', 9, { column: 'To Do', sortOrder: 4 }))
  add('other', { ...lapsed('To Do', 1), project_id: 'q' })
  add('held', { ...lapsed('To Do', 1), claimed_until: LATER })
  add('gone', { ...lapsed('To Do', 1), dismissed: 1 })
  add('done', lapsed('Done', 1, { column: 'To Do', sortOrder: 1 }))
  add('elsewhere', lapsed('Doing', 1))
  t.equal(claim({ priority: 'none' }), undefined)
  t.equal(claim(), 'old')
  t.equal(rowOf('old').claimed_from, '{"column":"To Do","sortOrder":4}', 'its origin stays')
  t.equal(claim({ to: 'Done' }), 'done', 'what a claim itself moved to a done column')
  t.equal(claim({ priority: 'none' }), undefined)
  t.equal(claim(), 'free')
  t.equal(claim(), undefined)
  t.equal(claim({ from: 'Doing' }), 'elsewhere')
  clear()
  for (const [free, old, first] of [
    ['a', 'b', 'a'],
    ['b', 'a', 'a'],
  ] as const) {
    add(free, { sort_order: 2 })
    add(old, lapsed('To Do', 2))
    t.equal(claim(), first, 'the same place')
    clear()
  }
  add('a', { sort_order: 1 })
  add('b', lapsed('To Do', 2))
  t.equal(claim(), 'a')
  clear()
  add('x', { ...lapsed('Doing', 3), claimed_from: 'oops' })
  t.equal(claim({ from: 'Doing', to: 'To Do' }), 'x')
  t.equal(rowOf('x').claimed_from, '{"column":"Doing","sortOrder":3}')
})

t.test('a claim is renewed and released by its holder', async (t) => {
  const { claims, add, rowOf, limit } = board(t)
  const member = (id: string, role: 'member' | 'admin' = 'member') => ({ id, name: '', email: null, role })
  add('free')
  add('unassigned', { ...lapsed('Doing', 1), assignee_id: null })
  add('assigned', { assignee_id: 'bob' })
  add('a', lapsed('Doing', 1, { column: 'To Do', sortOrder: 4 }))
  const notClaimed = { statusCode: 409, message: 'Kanban item is not claimed' }
  for (const id of ['free', 'unassigned', 'assigned']) {
    t.throws(() => claims.renew(id, 60, 'bob'), notClaimed, id)
    t.throws(() => claims.release(id, member('bob')), notClaimed, id)
  }
  t.throws(() => claims.renew('none', 60, 'bob'), status(404))
  t.throws(() => claims.renew('a', 60, 'ada'), {
    statusCode: 409,
    message: 'Kanban item is claimed by another member',
  })
  const ends = (seconds?: number) =>
    Date.parse(String(claims.renew('a', seconds, 'bob').claimedUntil)) - Date.now()
  t.ok(ends(60) > 0 && ends(60) <= 60_000)
  t.ok(ends() > 60_000 && ends() <= 900_000)
  t.throws(() => claims.release('a', member('ada')), status(403))
  limit('To Do', 1, 'block')
  t.match(claims.release('a', member('bob')), { column: 'To Do', sortOrder: 4, warnings: full('To Do', 1) })
  t.match(rowOf('a'), { assignee_id: null, claimed_until: null, claimed_from: '' })
  add('b', lapsed('Doing', 1, { column: 'Done', sortOrder: 4 }))
  t.equal(claims.release('b', member('ada', 'admin')).column, 'Done')
  add('c', { ...lapsed('Doing', 1), claimed_from: 'oops' })
  t.equal(claims.release('c', member('bob')).column, 'Doing')
  limit('Doing', 1, 'block')
  t.throws(() => claims.claim('p', { to: 'Doing' }, 'ada'), isFull)
})

t.test('a renamed column takes the origins of its claims along', async (t) => {
  const { claims, add, rowOf } = board(t)
  add('a', lapsed('Doing', 1, { column: 'To Do', sortOrder: 4 }))
  add('other', lapsed('Doing', 1, { column: 'Review', sortOrder: 4 }))
  add('free', { claimed_from: '{"column":"To Do","sortOrder":4}' })
  add('z', { ...lapsed('Doing', 1, { column: 'To Do', sortOrder: 4 }), project_id: 'q' })
  claims.follow('p', 'To Do', 'Next', LATER)
  t.equal(rowOf('a').claimed_from, '{"column":"Next","sortOrder":4}')
  t.equal(rowOf('a').updated_at, LATER)
  for (const id of ['other', 'free', 'z']) t.equal(rowOf(id).updated_at, OLD, id)
})
