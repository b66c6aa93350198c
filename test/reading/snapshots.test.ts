import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase, type SharedDatabase } from '../../src/db/client.ts'
import { createGroupCommit } from '../../src/db/group-commit.ts'
import type { ProjectFilter } from '../../src/projects/projects.ts'
import { createSnapshots } from '../../src/reading/snapshots.ts'
import { createRules } from '../../src/requests/rules.ts'
import { ref } from '../../src/schemas/common.ts'
import { ProjectSchema } from '../../src/schemas/records.ts'
import { createSerializer } from '../../src/schemas/serialization.ts'
import { openTestDatabase } from '../database.ts'
import { nextTurn, watch } from '../executions.ts'

const MUCH = 1_000_000
const serialize = createSerializer(ref(ProjectSchema))

/** The response if it is read and serialized without a cache. */
function freshFrom(db: SharedDatabase) {
  const { projects } = createRules(db)
  const project = (id: string) => projects.getMany([id]).map(serialize).join()
  return { project, list: (filter: ProjectFilter = {}) => `[${projects.idsOf(filter).map(project).join()}]` }
}

const insertProject = (id: string, order: number, status = 'active') => `
  insert into projects (id, name, sort_order, status, next_step) values ('${id}', 'Ä ${id}', ${order}, '${status}', '0');
  insert into kanban_items (id, project_id, title) values ('${id}-item', '${id}', 'Card');
  insert into kanban_subtasks (id, item_id, title) values ('${id}-step', '${id}-item', 'Step');
  insert into metrics (id, project_id, name, value) values ('${id}-metric', '${id}', 'Velocity', 1.5);
`

/** Snapshots of a database's projects. */
function snapshotsOf(db: SharedDatabase, maxBytes: number) {
  const { projects, board } = createRules(db)
  return createSnapshots(db, projects, board.items, maxBytes)
}

/** Snapshots of a new file's projects, and another connection to the file. */
function setUp(t: Test, ids: string[], maxBytes = MUCH) {
  const path = join(t.testdir(), 'board.db')
  const db = openTestDatabase(t, `file:${path}`)
  const other = openDatabase(`file:${path}`)
  t.teardown(other.close)
  for (const [index, id] of ids.entries()) db.$client.exec(insertProject(id, index))
  const { project, list, page } = snapshotsOf(db, maxBytes)
  return {
    path,
    db,
    client: db.$client,
    other: other.db.$client,
    project,
    list,
    page,
    fresh: freshFrom(other.db),
    body: (id: string) => project(id).body,
    executed: watch(t, db.$client),
    write: <T>(work: () => T) => createGroupCommit(db).write(null, work),
  }
}

t.test('a snapshot equals a new read', async (t) => {
  const { project, list, fresh, client } = setUp(t, ['b', 'a', 'c'])
  client.exec("update projects set status = 'done', team_id = 'ops' where id = 'c'")
  const filters = [
    {},
    { status: 'active' },
    { teamId: 'ops' },
    { status: 'done', teamId: 'ops' },
    { status: 'x' },
  ]
  for (const round of ['made', 'kept']) {
    for (const id of ['a', 'b', 'c']) t.equal(`${project(id).body}`, fresh.project(id), `${id}, ${round}`)
    for (const filter of filters) {
      t.equal(`${list(filter).body}`, fresh.list(filter), `${JSON.stringify(filter)}, ${round}`)
    }
  }
  t.equal(`${list({ status: '', teamId: '' }).body}`, fresh.list())
  t.equal(`${list({ status: undefined, teamId: undefined }).body}`, fresh.list())
  t.equal(`${list({ status: 'x' }).body}`, '[]')
  t.match(JSON.parse(`${list({}).body}`), [{ id: 'b', name: 'Ä b' }, { id: 'a' }, { id: 'c' }])
})

t.test('a page has the named projects, in that order, and names the next page', async (t) => {
  for (const maxBytes of [MUCH, 0]) {
    const { page, body, write, client, fresh } = setUp(t, ['b', 'a', 'c'], maxBytes)
    for (const ids of [[], ['a'], ['c', 'b'], ['a', 'none', 'b'], ['b', 'c', 'a']]) {
      const there = ids.filter((id) => id !== 'none')
      const { body: bytes, next } = page(() => ({ ids, next: 'more' }))
      t.equal(`${bytes}`, `[${there.map(fresh.project).join()}]`)
      t.equal(next, 'more')
      const again = page(() => ({ ids }))
      t.strictSame([`${again.body}`, again.next], [`${bytes}`, undefined])
    }
    const before = page(() => ({ ids: ['a', 'b'] }))
    t.not(page(() => ({ ids: ['b', 'a'] })).etag, before.etag)
    client.exec("update kanban_items set title = 'x' where id = 'b-item'")
    const after = page(() => ({ ids: ['a', 'b'] }))
    t.not(after.etag, before.etag)
    t.equal(`${after.body}`, `[${fresh.project('a')},${fresh.project('b')}]`)
    t.equal(`${body('b')}`, fresh.project('b'))
    await t.rejects(
      write(() => page(() => ({ ids: [] }))),
      { message: 'snapshots contain only committed data: read them after the write' },
    )
  }
})

t.test('filters are not confused with one another', async (t) => {
  const { list, client } = setUp(t, ['a', 'b'])
  client.exec(`
    update projects set status = 'x', team_id = null where id = 'a';
    update projects set status = '', team_id = 'x' where id = 'b'`)
  const ids = (filter: ProjectFilter) =>
    JSON.parse(`${list(filter).body}`).map(({ id }: { id: string }) => id)
  t.strictSame(ids({ status: 'x' }), ['a'])
  t.strictSame(ids({ teamId: 'x' }), ['b'])
  t.strictSame(ids({ status: 'x', teamId: 'x' }), [])
  t.strictSame(ids({ status: 'x","' }), [])
  t.strictSame(ids({}), ['a', 'b'])
})

t.test('a missing record is 404, until it exists', async (t) => {
  const { project, client, other } = setUp(t, ['a'])
  const gone = { statusCode: 404, message: 'Project not found' }
  for (const id of ['none', '', 'a\0', 'a"', '["a"]', 'list:["",""]']) t.throws(() => project(id), gone, id)
  client.exec(insertProject('none', 1))
  t.match(`${project('none').body}`, '"id":"none"')
  client.exec("delete from projects where id = 'none'")
  t.throws(() => project('none'), gone)
  t.ok(project('a'))
  other.exec("delete from projects where id = 'a'")
  t.throws(() => project('a'), gone)
})

t.test('an ETag identifies the bytes', async (t) => {
  const { path, project, list, client } = setUp(t, ['a', 'b'])
  const before = { a: project('a').etag, b: project('b').etag, all: list({}).etag }
  for (const etag of Object.values(before)) t.match(etag, /^"[\w-]{22}"$/, 'it is a strong one')
  t.equal(new Set(Object.values(before)).size, 3)
  t.equal(list({ status: 'active' }).etag, before.all, 'the same bytes')

  client.exec("update projects set name = 'x' where id = 'a'")
  t.not(project('a').etag, before.a)
  t.not(list({}).etag, before.all)
  t.equal(project('b').etag, before.b)
  client.exec("update projects set name = 'Ä a' where id = 'a'")
  t.equal(project('a').etag, before.a, 'the same bytes as before')
  t.equal(list({}).etag, before.all)
  client.exec("update projects set sort_order = 5 where id = 'a'")
  t.not(list({}).etag, before.all)
  client.exec("update projects set sort_order = 0 where id = 'a'")
  client.exec(
    "update kanban_columns set name = 'x'; update kanban_subtasks set completed = 1 where id = 'b-step'",
  )
  t.not(project('b').etag, before.b, 'what belongs to it counts')
  client.exec("update kanban_subtasks set completed = 0 where id = 'b-step'")

  const again = openDatabase(`file:${path}`)
  t.teardown(again.close)
  const restarted = snapshotsOf(again.db, MUCH)
  t.strictSame(
    { a: restarted.project('a').etag, b: restarted.project('b').etag, all: restarted.list({}).etag },
    before,
    'a restart changes nothing',
  )
})

t.test('a write drops the snapshots of its projects, and no others', async (t) => {
  const { client, body, list, write, fresh } = setUp(t, ['a', 'b', 'c'])
  const kept = () => ['a', 'b', 'c'].map((id) => body(id))
  const before = kept()
  const all = list({}).body
  t.equal(list({}).body, all, 'a list is kept too')
  t.strictSame(
    kept().map((now, index) => now === before[index]),
    [true, true, true],
  )
  t.not(list({ status: 'active' }).body, all)
  t.strictSame(
    kept().map((now, index) => now === before[index]),
    [true, true, true],
    'lists share them',
  )

  await write(() => client.exec("update kanban_subtasks set title = 'x' where id = 'b-step'"))
  t.strictSame(
    kept().map((now, index) => now === before[index]),
    [true, false, true],
  )
  t.equal(`${list({}).body}`, fresh.list())

  client.exec("update kanban_items set project_id = 'c' where id = 'a-item'")
  const after = kept()
  t.not(after[0], before[0])
  t.not(after[2], before[2])
  t.strictSame(after.map(String), ['a', 'b', 'c'].map(fresh.project))
  t.equal(`${list({}).body}`, fresh.list())

  const listed = list({}).body
  client.exec(`
    insert into kanban_activity (id, item_id, type) values ('x', 'b-item', 'priority');
    insert into kanban_comments (id, item_id, author_id, content) values ('x', 'b-item', 'ada', 'Hm');
    insert into kanban_columns (id, project_id, name) values ('x', 'b', 'Blocked');
    insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test')`)
  t.equal(body('b'), after[1], 'what does not show drops nothing')
  t.equal(list({}).body, listed)

  client.exec("delete from kanban_items where id = 'b-item'")
  t.strictSame(
    kept().map((now, index) => now === after[index]),
    [true, false, true],
  )
})

t.test('the list of another filter is dropped when a project starts to match it', async (t) => {
  const { client, list, fresh } = setUp(t, ['a', 'b'])
  const filters = [
    {},
    { status: 'active' },
    { status: 'done' },
    { teamId: 'ops' },
    { status: 'done', teamId: 'ops' },
  ]
  const agree = (what: string) => {
    for (const filter of filters) t.equal(`${list(filter).body}`, fresh.list(filter), what)
  }
  agree('at first')
  client.exec("update projects set status = 'done', team_id = 'ops' where id = 'a'")
  agree('when it passes another filter')
  client.exec("delete from projects where id = 'a'")
  agree('when it is gone')
  client.exec(insertProject('d', -1, 'done'))
  agree('when another comes')
})

t.test('a rolled-back write leaves no wrong snapshot', async (t) => {
  const { client, body, list, write, fresh } = setUp(t, ['a', 'b'])
  const before = { a: `${body('a')}`, b: `${body('b')}`, list: `${list({}).body}` }
  const kept = body('b')
  const agrees = () => {
    t.strictSame({ a: `${body('a')}`, b: `${body('b')}`, list: `${list({}).body}` }, before)
    t.strictSame({ a: fresh.project('a'), b: fresh.project('b'), list: fresh.list() }, before)
    t.equal(body('b'), kept)
  }
  await t.rejects(
    write(() => {
      client.exec("update projects set name = 'x' where id = 'a'")
      throw new Error('no')
    }),
  )
  agrees()
  await t.rejects(
    write(() => {
      client.pragma('defer_foreign_keys = on')
      client.exec(
        "update projects set name = 'x' where id = 'a'; update kanban_items set project_id = 'none' where project_id = 'a'",
      )
    }),
    { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' },
  )
  agrees()
})

t.test('inside a write, uncommitted data cannot be read', async (t) => {
  const { client, body, list, write, fresh } = setUp(t, ['a', 'b'])
  const message = 'snapshots contain only committed data: read them after the write'
  body('a')
  list({})
  await t.rejects(
    write(() => body('b') && client.exec("update projects set name = 'x' where id = 'a'") && body('a')),
    { message },
  )
  await t.rejects(
    write(() => client.exec("update projects set name = 'x' where id = 'a'") && list({})),
    { message },
  )
  t.equal(`${body('a')}`, fresh.project('a'))
  await write(() => {
    client.exec("update projects set name = 'y' where id = 'a'")
    t.throws(() => body('a'), { message })
    t.throws(() => list({}), { message })
  })
  t.match(`${body('a')}`, '"name":"y"')
  t.equal(`${list({}).body}`, fresh.list())
})

t.test('a commit of another process drops all snapshots at once', async (t) => {
  const { project, list, other, fresh, body } = setUp(t, ['a', 'b'])
  const a = body('a')
  list({})
  t.equal(body('a'), a, 'while nobody commits, everything is kept')
  other.exec("begin immediate; update projects set name = 'x'")
  t.equal(body('a'), a, 'also while another process has not committed yet')
  other.exec('commit')
  t.equal(`${body('a')}`, fresh.project('a'))
  t.match(`${body('a')}`, '"name":"x"')
  t.equal(`${list({}).body}`, fresh.list())

  other.exec("update projects set name = 'y'")
  t.equal(`${list({}).body}`, fresh.list(), 'a list first')
  t.equal(`${project('b').body}`, fresh.project('b'))

  other.exec("update kanban_items set project_id = 'b'; delete from kanban_subtasks")
  t.equal(`${list({ status: 'active' }).body}`, fresh.list({ status: 'active' }))
  t.equal(`${list({}).body}`, fresh.list())
})

t.test('a commit of another process just before an own write is noticed', async (t) => {
  const { client, list, other, fresh, body, write } = setUp(t, ['a', 'b'])
  body('a')
  list({})
  other.exec("update projects set name = 'x' where id = 'a'")
  await write(() => client.exec("update projects set name = 'y' where id = 'b'"))
  t.equal(`${body('a')}`, fresh.project('a'))
  t.equal(`${list({}).body}`, fresh.list())

  other.exec("update projects set name = 'z' where id = 'a'")
  await t.rejects(
    write(() => {
      client.exec("update projects set name = 'none' where id = 'b'")
      throw new Error('no')
    }),
  )
  t.equal(`${body('a')}`, fresh.project('a'))
  t.equal(`${list({}).body}`, fresh.list())
})

t.test('if all is cached, a read only checks for commits of other processes', async (t) => {
  const { client, list, page, body, executed } = setUp(t, ['a', 'b'])
  const DATA_VERSION = /data_version/
  body('a')
  body('b')
  list({})
  executed.log.length = 0
  for (let request = 0; request < 20; request++) {
    body('a')
    body('b')
    list({})
  }
  t.equal(executed.count(DATA_VERSION), 60)
  t.equal(executed.log.length, 60, 'and nothing else is executed')
  await nextTurn()
  t.equal(executed.log.length, 60, 'no request, no check')
  page(() => ({ ids: ['a', 'b'] }))
  t.equal(executed.count(DATA_VERSION), 61)
  client.exec("update projects set name = 'x' where id = 'a'")
  body('a')
  t.equal(executed.count(DATA_VERSION), 63, 'making a snapshot asks for the state that it is made of')
})

t.test(
  'after a change of items, only they are read again: up to three one by one, more with a fixed number of statements',
  async (t) => {
    const { client, project, list, body, fresh, executed } = setUp(t, ['a', 'b', 'c'])
    for (let index = 0; index < 100; index++) {
      client.exec(`insert into kanban_items (id, project_id, title) values ('${index}', 'a', 'Card')`)
    }
    list({})
    const changes: [string, number][] = [
      ["update kanban_items set title = 'Ö' where id = '7'", 1],
      ["update kanban_items set sort_order = 5 where id in ('7', '8', '99')", 3],
      ["delete from kanban_items where id = '3'", 1],
      ["insert into kanban_items (id, project_id, title) values ('new', 'a', 'Card')", 1],
      ["insert into kanban_subtasks (id, item_id, title) values ('step', '50', 'Step')", 1],
      ["update kanban_items set project_id = 'b' where id in ('10', '11')", 2],
      ["update kanban_items set title = 'x', project_id = 'a' where id in ('10', 'b-item', 'c-item')", 3],
      ['delete from kanban_items', 1],
      ["insert into kanban_items (id, project_id, title) values ('first', 'a', 'Card')", 1],
    ]
    for (const [change, statements] of changes) {
      const etag = project('b').etag
      client.exec(change)
      executed.log.length = 0
      t.equal(`${body('a')}`, fresh.project('a'), change)
      t.equal(executed.count(/from "kanban_items"/), statements)
      t.equal(executed.count(/from "projects"/), 0, 'the project itself is not read')
      t.equal(`${list({}).body}`, fresh.list(), change)
      t.equal(
        project('b').etag === etag,
        !/project_id = '/.test(change) && !/^delete from kanban_items$/.test(change),
      )
    }
  },
)

t.test('a snapshot of many projects takes as many statements as one of one', async (t) => {
  const ids = Array.from({ length: 100 }, (_, index) => `p${String(index).padStart(3, '0')}`)
  const { client, list, body, executed, other } = setUp(t, ids)
  const costs = (work: () => unknown) => {
    executed.log.length = 0
    work()
    return executed.log.length
  }
  const listCosts = () => costs(() => list({}))
  const projectCosts = () => costs(() => body('p000'))
  const rename = (count: number) =>
    client.exec(
      `update projects set name = 'x' where id in (select id from projects order by id limit ${count})`,
    )
  const cold = listCosts()
  t.ok(cold <= 14, `${cold} statements`)
  t.equal(listCosts(), 1)
  rename(1)
  const renamed = listCosts()
  t.ok(renamed < cold, 'their items are not read again')
  for (const count of [1, 10, 100]) {
    rename(count)
    t.equal(listCosts(), renamed, `${count} renamed`)
    t.equal(projectCosts(), 1, 'the list keeps its projects')
  }
  rename(1)
  const single = projectCosts()
  t.equal(single, renamed - 1, 'one project needs no question which')
  t.equal(projectCosts(), 1)
  t.equal(listCosts(), 5, 'nothing is missing, the list is only put together')
  other.exec("delete from projects where id > 'p009'")
  t.equal(listCosts(), cold, 'ten projects')
  other.exec("delete from projects where id > 'p000'")
  t.equal(listCosts(), cold, 'one project')
  other.exec('delete from projects')
  t.ok(listCosts() < cold, 'none')
})

t.test('a snapshot is of one state, despite writers', async (t) => {
  const { list, body, other, fresh, executed } = setUp(t, ['a', 'b'])
  /** A transaction that changes both projects, in their own rows and in child records. */
  const advance = other.transaction(() => {
    other.exec(`
      update projects set next_step = next_step + 1;
      update kanban_items set title = (select next_step from projects where id = project_id);
      update metrics set value = (select next_step from projects where id = project_id)`)
  })
  const states = (bytes: Buffer) => {
    const found = [JSON.parse(`${bytes}`)].flat()
    return new Set(
      found.flatMap((project) => [
        project.nextStep,
        ...project.kanbanItems.map(({ title }: { title: string }) => title),
        ...project.metrics.map(({ value }: { value: number }) => `${value}`),
      ]),
    )
  }
  advance()
  let commits = 0
  const reads = { list: () => list({}).body, project: () => body('a') }
  for (const kept of ['nothing', 'one', 'both']) {
    for (const [name, readIt] of Object.entries(reads)) {
      for (let step = 0; step < 14; step++) {
        advance()
        if (kept !== 'nothing') body('b')
        if (kept === 'both') body('a')
        let left = step
        executed.after = () => {
          if (left-- !== 0) return
          commits++
          advance()
        }
        const bytes = readIt()
        executed.after = () => {}
        t.equal(states(bytes).size, 1, `${name}, ${kept} kept, a commit after statement ${step}`)
        t.equal(`${list({}).body}`, fresh.list())
        t.equal(`${body('a')}`, fresh.project('a'))
        t.equal(`${body('b')}`, fresh.project('b'))
      }
    }
  }
  t.ok(commits > 40)
})

/** The size that an entry counts as, in bytes. */
const sizeOf = (body: Buffer) => body.length + 1 + 500 + 150

t.test('memory is limited: the least recently used goes first', async (t) => {
  const size = sizeOf(setUp(t, ['a']).body('a'))
  const { body, list, fresh } = setUp(t, ['a', 'b', 'c'], 2 * size)
  const [a, b] = [body('a'), body('b')]
  t.equal(body('a'), a)
  t.equal(body('b'), b)
  t.equal(body('a'), a)
  const c = body('c')
  t.equal(body('a'), a)
  t.equal(body('c'), c)
  t.not(body('b'), b, 'the one that was not asked for')
  t.equal(`${list({}).body}`, fresh.list())

  const ids = Array.from({ length: 50 }, (_, index) => `p${index}`)
  const many = setUp(t, ids, 10 * (size + 5))
  const first = new Map(ids.map((id) => [id, many.body(id)]))
  const kept = ids.toReversed().filter((id) => many.body(id) === first.get(id))
  t.ok(kept.length > 5 && kept.length <= 10, `${kept.length} of 50 were kept`)
})

t.test('without memory every response is built again, and is correct', async (t) => {
  for (const bytes of [0, 1, 501]) {
    const { body, list, client, other, fresh } = setUp(t, ['a', 'b'], bytes)
    for (const round of [1, 2]) {
      t.not(body('a'), body('a'), `${bytes} bytes, round ${round}`)
      t.equal(`${body('a')}`, fresh.project('a'))
      t.equal(`${list({}).body}`, fresh.list())
      client.exec("update projects set name = name || 'x' where id = 'a'")
      t.equal(`${body('a')}`, fresh.project('a'))
      t.equal(`${list({}).body}`, fresh.list())
      other.exec("update projects set name = name || 'y'")
      t.equal(`${list({ status: 'active' }).body}`, fresh.list({ status: 'active' }))
      t.equal(`${body('b')}`, fresh.project('b'))
    }
    t.throws(() => body('none'), { message: 'Project not found' })
  }
})

t.test('a list larger than the memory is returned, but not cached', async (t) => {
  const size = sizeOf(setUp(t, ['a']).body('a'))
  const { body, list, client, fresh } = setUp(t, ['a', 'b', 'c', 'd'], 2 * size + 600)
  t.not(list({}).body, list({}).body)
  t.equal(`${list({}).body}`, fresh.list())
  const small = list({ status: 'none' }).body
  t.equal(list({ status: 'none' }).body, small)
  const d = body('d')
  t.equal(body('d'), d)
  client.exec("update projects set name = 'x'")
  t.equal(`${list({}).body}`, fresh.list())
})

t.test('cache keys count as memory, too', async (t) => {
  const { list } = setUp(t, ['a'], 5000)
  const long = () => list({ status: 'x'.repeat(10_000) }).body
  t.equal(`${long()}`, '[]')
  t.not(long(), long(), 'a filter that is larger than all memory is not kept')
})

t.test('recreated tables of another connection leave no stale snapshot', async (t) => {
  const { path, client, body, list, fresh } = setUp(t, ['a', 'b'])
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  const a = body('a')
  list({})
  for (const table of ['projects', 'kanban_items', 'kanban_subtasks']) {
    tool.exec(`pragma legacy_alter_table = on; alter table ${table} rename to away`)
    t.throws(() => body('a'), { message: /no such table/ })
    tool.exec(`alter table away rename to ${table}`)
    t.equal(`${body('a')}`, `${a}`)
    t.equal(`${list({}).body}`, fresh.list())
    client.exec(
      "update projects set name = name || 'x' where id = 'b'; update kanban_items set title = title || 'x' where id = 'b-item'; update kanban_subtasks set title = title || 'x' where id = 'b-step'",
    )
    t.equal(`${body('b')}`, fresh.project('b'))
    t.equal(`${list({}).body}`, fresh.list())
  }
})
