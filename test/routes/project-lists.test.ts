import { deepStrictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { nextTurn, watch } from '../executions.ts'
import {
  type App,
  authenticationRequired,
  breakTable,
  build,
  createItem,
  createProject,
  holds,
  invalid,
  type Row,
  readOnly,
  seed,
  send,
  signInAs,
} from '../helper.ts'
import { planOf, watchPrepared } from '../query-plans.ts'
import { rounds } from '../rounds.ts'

const url = '/api/projects'
const notFound = { error: 'Project not found' }
const fetchFailure = { error: 'Failed to fetch projects' }
const missing = (...ids: string[]) => ({ error: 'Project not found', details: { missing: ids } })
const reorderFailure = { error: 'Failed to reorder projects' }

interface Project {
  id: string
  name: string
}

const namesOf = (projects: Project[]) => projects.map(({ name }) => name).join('')

/** The target of the `Link` header; undefined if there is no next page. */
function nextOf({ link }: Record<string, unknown>): string | undefined {
  if (link === undefined) return undefined
  const [, next] = /^<(.*)>; rel="next"$/.exec(String(link)) ?? []
  if (next === undefined) throw new Error(`no link to a next page: ${link}`)
  return next
}

/** Reads a list page by page. Calls `between` after each page but the last. */
async function walk(app: App, first: string, between: () => Promise<void> = async () => {}) {
  const pages: Project[][] = []
  for (let next: string | undefined = first; next !== undefined; ) {
    const { status, body, headers } = await send(app, 'GET', next)
    if (status !== 200) throw new Error(`${next} is answered with ${status}: ${JSON.stringify(body)}`)
    pages.push(body)
    next = nextOf(headers)
    if (next !== undefined) await between()
  }
  return pages
}

/** An application with projects of these names, in this order. Half of them are active, and a third belong to a team. */
async function buildWith(t: Test, names: string) {
  const app = await build(t)
  for (const [index, name] of [...names].entries()) {
    await createProject(app, {
      name,
      sortOrder: index,
      status: index % 2 === 0 ? 'active' : 'backlog',
      teamId: index % 3 === 0 ? 'ops' : null,
      leadId: index % 4 === 0 ? 'ada' : null,
      type: index < 3 ? 'business' : 'technical',
      health: index > 9 ? 'blocked' : 'on-track',
      description: index === 5 ? 'Straße nach ΟΔΟΣ, 100%' : '',
    })
  }
  return app
}

/** Filters, and which of twelve such projects match. */
const FILTERS = {
  '': 'abcdefghijkl',
  'status=active': 'acegik',
  'teamId=ops': 'adgj',
  'status=active&teamId=ops': 'ag',
  'status=none': '',
  'status=active&status=backlog': 'abcdefghijkl',
  'status=backlog&status=none': 'bdfhjl',
  'teamId=ops&teamId=none&status=active': 'ag',
  'status=&teamId=': 'abcdefghijkl',
  'leadId=ada': 'aei',
  'leadId=ada&leadId=bob&status=active': 'aei',
  'leadId=a%': '',
  'type=business': 'abc',
  'type=business&type=technical': 'abcdefghijkl',
  'health=blocked': 'kl',
  'health=blocked&health=at-risk&teamId=ops': '',
  'type=technical&health=on-track&leadId=ada': 'ei',
  'q=K': 'k',
  'q=%CE%BF%CE%B4%CE%BF%CF%83': 'f',
  'q=100%25': 'f',
  'q=%25%25': '',
  'leadId=&type=&health=&q=': 'abcdefghijkl',
}
const VIEWS = ['', 'view=summary']
const query = (...parts: string[]) => `${url}?${parts.filter((part) => part !== '').join('&')}`

t.test('GET /api/projects in pages', async (t) => {
  t.test('the pages together are the list, in every view and with every filter', async (t) => {
    const app = await buildWith(t, 'abcdefghijkl')
    for (const view of VIEWS) {
      for (const [filter, names] of Object.entries(FILTERS)) {
        const whole = (await send(app, 'GET', query(filter, view))).body
        t.equal(namesOf(whole), names, filter)
        for (const limit of [1, 2, 3, 4, 6, 11, 12, 13, 500]) {
          const pages = await walk(app, query(filter, view, `limit=${limit}`))
          t.strictSame(pages.flat(), whole, query(filter, view, `limit=${limit}`))
          t.equal(pages.length, Math.max(1, Math.ceil(whole.length / limit)), 'none is empty')
          for (const page of pages.slice(0, -1)) t.equal(page.length, limit, 'all but the last are full')
        }
      }
    }
  })

  t.test('the next page is linked with the same filters, and may have another size or view', async (t) => {
    const app = await buildWith(t, 'abcdefgh')
    const first = await send(app, 'GET', `${url}?limit=2&status=active&unknown=a%20b`)
    const next = nextOf(first.headers) ?? ''
    const { searchParams, pathname } = new URL(next, 'http://x')
    t.equal(pathname, url)
    const { cursor = '', ...rest } = Object.fromEntries(searchParams)
    t.strictSame(rest, { limit: '2', status: 'active', unknown: 'a b' })
    t.equal(namesOf((await send(app, 'GET', next)).body), 'eg')
    for (const [more, names] of [
      ['', 'cdefgh'],
      ['limit=1', 'c'],
      ['limit=500', 'cdefgh'],
      ['view=summary', 'cdefgh'],
      ['view=summary&limit=1&teamId=ops', 'd'],
    ] as const) {
      const { headers } = await send(app, 'GET', query('limit=2'))
      const [, walked = ''] = /cursor=([^&]+)/.exec(nextOf(headers) ?? '') ?? []
      t.equal(namesOf((await send(app, 'GET', query(more, `cursor=${walked}`))).body), names, more)
    }
    t.equal((await send(app, 'GET', query(`cursor=${cursor}`))).headers.link, undefined, 'the rest at once')
  })

  t.test('an invalid or repeated limit, cursor or view is 400', async (t) => {
    const app = await build(t)
    const bad = (text: string, fieldErrors: Record<string, string[]>): Row => [
      'GET',
      `${url}?${text}`,
      400,
      invalid(fieldErrors),
    ]
    await holds(t, app, [
      ['GET', `${url}?limit=1`, 200, []],
      ['GET', `${url}?limit=500`, 200, []],
      ['GET', `${url}?view=summary`, 200, []],
      bad('limit=0', { limit: ['must be >= 1'] }),
      bad('limit=-1', { limit: ['must be >= 1'] }),
      bad('limit=501', { limit: ['must be <= 500'] }),
      ...['1.5', '', 'x', 'all', '1,5', 'null', '1&limit=2'].map((limit) =>
        bad(`limit=${limit}`, { limit: ['must be integer'] }),
      ),
      ...['', 'x', '%', 'W10', 'bnVsbA'].map((cursor) =>
        bad(`cursor=${cursor}`, { cursor: ['must be the cursor of a next page'] }),
      ),
      bad('cursor=x&cursor=y', { cursor: ['must be string'] }),
      ...['', 'full', 'Summary', 'summary%20'].map((view) =>
        bad(`view=${view}`, { view: ['must be one of "summary"'] }),
      ),
      bad('limit=0&cursor=x&view=x', {
        limit: ['must be >= 1'],
        cursor: ['must be the cursor of a next page'],
        view: ['must be one of "summary"'],
      }),
    ])
  })

  t.test("a page's ETag changes with its contents, and with whether it is the last", async (t) => {
    const app = await buildWith(t, 'abcd')
    for (const view of VIEWS) {
      const first = query(view, 'limit=2')
      const { body: page, headers } = await send(app, 'GET', first)
      const etag = String(headers.etag)
      const ask = (path: string, method = 'GET') =>
        send(app, method, path, undefined, { 'if-none-match': etag })
      for (const method of ['GET', 'HEAD']) {
        const known = await ask(first, method)
        t.strictSame([known.status, known.body, known.headers.etag], [304, '', etag])
        t.ok(nextOf(known.headers), 'and names the next page all the same')
      }
      const [last] = await walk(app, query(view, 'limit=2', 'status=active'))
      t.equal(namesOf(last ?? []), 'ac')
      const alone = await send(app, 'GET', query(view, 'limit=2', 'status=active'))

      await send(app, 'PATCH', `${url}/${page[0].id}`, { nextStep: `${view} changed` })
      t.equal((await ask(first)).status, 200, 'a project of it')
      const changed = await send(app, 'GET', first)
      const other = (await send(app, 'GET', nextOf(changed.headers) ?? '')).body[0]
      await send(app, 'PATCH', `${url}/${other.id}`, { nextStep: `${view} changed` })
      t.equal((await send(app, 'GET', first)).headers.etag, changed.headers.etag, 'one of another page')

      const few = query(view, 'limit=2', 'status=active')
      const before = await send(app, 'GET', few)
      t.not(before.headers.etag, alone.headers.etag)
      const another = await createProject(app, { status: 'active', sortOrder: 100 })
      const after = await send(app, 'GET', few)
      t.strictSame(after.body, before.body)
      t.not(after.headers.etag, before.headers.etag, 'now there is more')
      await send(app, 'PATCH', `${url}/${another.id}`, { status: 'archived' })
      t.equal((await send(app, 'GET', few)).headers.etag, before.headers.etag)
    }
  })

  t.test('HEAD returns the headers of GET', async (t) => {
    const app = await buildWith(t, 'abc')
    for (const view of VIEWS) {
      const get = await app.inject({ method: 'GET', url: query(view, 'limit=2') })
      const head = await app.inject({ method: 'HEAD', url: query(view, 'limit=2') })
      t.strictSame([head.statusCode, head.body], [200, ''])
      for (const name of ['etag', 'cache-control', 'content-type', 'content-length'])
        t.equal(head.headers[name], get.headers[name], name)
      t.equal(head.headers['content-type'], 'application/json; charset=utf-8')
      t.ok(nextOf(head.headers))
    }
  })

  t.test('during concurrent changes, each project that keeps its place is shown once', async (t) => {
    const app = await build(t)
    const { headers: admin } = signInAs(app, 'admin')
    const status = fc.constantFrom('active', 'backlog')
    const sortOrder = fc.integer({ min: -4, max: 4 })
    const change = fc.oneof(
      fc.record({ kind: fc.constant('create' as const), status, sortOrder }),
      fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('rename' as const), which: fc.nat() }),
      fc.record({
        kind: fc.constant('reorder' as const),
        moves: fc.array(fc.tuple(fc.nat(), sortOrder), { minLength: 1, maxLength: 6 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ status, sortOrder }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('', 'status=active'),
        fc.constantFrom(...VIEWS),
        fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 6 }),
        async (projects, limit, filter, view, turns) => {
          app.db.$client.exec('delete from projects')
          for (const fields of projects) await createProject(app, fields)
          const all = async (): Promise<Project[]> => (await send(app, 'GET', url)).body
          const expected = new Set(
            ((await send(app, 'GET', query(filter))).body as Project[]).map(({ id }) => id),
          )
          const pages = await walk(app, query(filter, view, `limit=${limit}`), async () => {
            for (const change of turns.shift() ?? []) {
              const present = await all()
              const pick = (which: number) => present[which % present.length]?.id ?? ''
              if (change.kind === 'create')
                await createProject(app, { status: change.status, sortOrder: change.sortOrder })
              else if (present.length === 0) continue
              else if (change.kind === 'rename')
                await send(app, 'PATCH', `${url}/${pick(change.which)}`, { name: 'Gemini' })
              else if (change.kind === 'delete') {
                expected.delete(pick(change.which))
                await send(app, 'DELETE', `${url}/${pick(change.which)}`, undefined, admin)
              } else {
                const places = new Map(change.moves.map(([which, to]) => [pick(which), to]))
                const items = [...places].map(([id, sortOrder]) => ({ id, sortOrder }))
                for (const { id } of items) expected.delete(id)
                deepStrictEqual((await send(app, 'POST', `${url}/reorder`, { items })).body, items)
              }
            }
          })
          const shown = pages.flat().map(({ id }) => id)
          for (const id of expected)
            deepStrictEqual(shown.filter((one) => one === id).length, 1, `${id} once`)
          for (const page of pages.slice(0, -1)) deepStrictEqual(page.length, limit)
        },
      ),
      { numRuns: rounds(15) },
    )
    t.pass()
  })

  t.test('a project that starts or stops matching the filter does not disturb paging', async (t) => {
    const app = await buildWith(t, 'abcdef')
    const byName = new Map(((await send(app, 'GET', url)).body as Project[]).map((one) => [one.name, one.id]))
    const pages = await walk(app, query('status=active', 'limit=1'), async () => {
      await send(app, 'PATCH', `${url}/${byName.get('c')}`, { status: 'backlog' })
      await send(app, 'PATCH', `${url}/${byName.get('f')}`, { status: 'active' })
    })
    t.strictSame(pages.map(namesOf), ['a', 'e', 'f'])
  })

  t.test('all projects are shown, however many', async (t) => {
    const app = await build(t)
    app.db.$client.exec(`insert into projects (id, name, sort_order)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
      select 'p' || i, 'x', i / 7 from n`)
    for (const view of VIEWS) {
      const whole = (await send(app, 'GET', query(view))).body
      t.equal(whole.length, 1500)
      const pages = await walk(app, query(view, 'limit=500'))
      t.strictSame(
        pages.map(({ length }) => length),
        [500, 500, 500],
      )
      t.strictSame(pages.flat(), whole)
    }
  })
})

/** The application on a file, to which another connection can write. */
async function buildOnFile(t: Test) {
  const path = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${path}` })
  const other = new SQLite(path)
  t.teardown(() => other.close())
  return { app, other }
}

t.test('a page is one state, despite writers', async (t) => {
  const { app, other } = await buildOnFile(t)
  for (const name of ['a', 'b', 'c']) {
    const { id } = await createProject(app, { name, nextStep: '0' })
    await createItem(app, id, { column: '0' })
  }
  const advance = other.transaction(() => {
    other.exec(`
      update projects set next_step = next_step + 1, sort_order = random();
      update kanban_columns set name = (select next_step from projects where id = project_id) where name between '0' and '9';
      update kanban_items set "column" = (select next_step from projects where id = project_id)`)
  })
  const executed = watch(t, app.db.$client)
  let commits = 0
  for (const view of VIEWS) {
    for (let step = 0; step < 14; step++) {
      await nextTurn()
      let left = step
      executed.after = () => {
        if (left-- !== 0) return
        commits++
        advance()
      }
      const { body } = await send(app, 'GET', query(view, 'limit=2'))
      executed.after = () => {}
      t.equal(body.length, 2)
      t.ok(body[0].sortOrder < body[1].sortOrder, 'they are in order')
      const states = body.flatMap(
        ({
          nextStep,
          kanbanItems = [],
          counts,
        }: {
          nextStep: string
          kanbanItems?: { column: string }[]
          counts?: { columns: Record<string, number> }
        }) => [
          nextStep,
          ...kanbanItems.map(({ column }) => column),
          ...Object.keys(counts?.columns ?? {}).filter((name) => /^\d+$/.test(name)),
        ],
      )
      t.equal(states.length, 4)
      t.equal(new Set(states).size, 1, `${view}, a commit after statement ${step}`)
    }
  }
  t.ok(commits > 15, `${commits} commits`)
})

t.test('a commit of another process is shown on the next page', async (t) => {
  const { app, other } = await buildOnFile(t)
  const { id } = await createProject(app)
  for (const view of VIEWS) {
    for (const name of ['Gemini', 'Mercury']) {
      await send(app, 'GET', query(view, 'limit=1'))
      other.prepare('update projects set name = ? where id = ?').run(name, id)
      t.equal((await send(app, 'GET', query(view, 'limit=1'))).body[0].name, name)
    }
  }
})

/** The cost of a list: the number of its statements. */
async function costOf(app: App, executed: { log: string[] }, path: string): Promise<number> {
  await nextTurn()
  executed.log.length = 0
  const { status } = await send(app, 'GET', path)
  if (status !== 200) throw new Error(`${path} is answered with ${status}`)
  return executed.log.length
}

t.test('a page takes a fixed number of statements, for any number of projects', async (t) => {
  const app = await build(t)
  app.db.$client.exec(`
    insert into projects (id, name, sort_order)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 400) select 'p' || i, 'x', i from n;
    insert into kanban_items (id, project_id, title, "column") select id || "column", id, 'x', "column"
      from projects, (select 'a' as "column" union select 'b' union select 'c')`)
  // It looks for changes several times a second.
  await app.notificationConsumer.stop()
  const executed = watch(t, app.db.$client)
  for (const [view, most] of [
    ['view=summary', 10],
    ['', 14],
  ] as const) {
    const costs: number[] = []
    await send(app, 'GET', query(view, 'limit=300'))
    for (const limit of [1, 10, 300]) {
      app.db.$client.exec("update projects set next_step = next_step || 'x'")
      costs.push(await costOf(app, executed, query(view, `limit=${limit}`)))
    }
    t.equal(new Set(costs).size, 1, `${view}: ${costs} statements`)
    t.ok((costs[0] ?? most) <= most)
  }
  t.equal(await costOf(app, executed, query('limit=300')), 4, 'nothing is missing: only which they are')
  t.equal(
    await costOf(app, executed, query('view=summary')),
    await costOf(app, executed, query('view=summary', 'limit=1')),
  )
  await send(app, 'GET', url)
  t.equal(await costOf(app, executed, url), 1, 'the whole list is kept as it is sent')
})

t.test('GET /api/projects?view=summary', async (t) => {
  t.test('has every field of the project, and counts instead of its records', async (t) => {
    const app = await build(t)
    const fields = {
      name: 'Ä 🚀',
      description: 'To the moon',
      type: 'business',
      phaseConfig: [{ name: 'Countdown', color: 'red' }],
      metadata: { a: [null] },
      leadId: 'ada',
      teamId: 'ops',
      sortOrder: 2.5,
    }
    const project = await createProject(app, fields)
    const empty = await createProject(app, { sortOrder: 3 })
    const item = await createItem(app, project.id)
    await createItem(app, project.id, { column: 'Blocked' })
    await createItem(app, project.id, { column: 'Blocked', dismissed: true })
    await createItem(app, project.id, { column: 'Done', dismissed: true })
    seed(app, project.id, item.id)
    app.db.$client
      .prepare("insert into objectives (id, project_id, title) values ('x', ?, 'Return')")
      .run(project.id)

    const { kanbanItems, transcriptSummaries, metrics, objectives, teamAssignments, ...rest } = (
      await send(app, 'GET', `${url}/${project.id}`)
    ).body
    t.equal(kanbanItems.length, 4)
    const { status, body, headers } = await send(app, 'GET', query('view=summary'))
    t.equal(status, 200)
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    t.strictSame(body[0], {
      ...rest,
      counts: {
        kanbanItems: 4,
        open: 2,
        done: 0,
        transcriptSummaries: 1,
        metrics: 1,
        objectives: 2,
        teamAssignments: 1,
        columns: { 'To Do': 1, 'In Progress': 0, Review: 0, Blocked: 2, Done: 1 },
        dismissed: { Blocked: 1, Done: 1 },
      },
    })
    t.strictSame(Object.keys(body[0]), [...Object.keys(rest), 'counts'])
    t.strictSame(Object.keys(body[0].counts.columns), ['To Do', 'In Progress', 'Review', 'Blocked', 'Done'])
    t.strictSame(
      [transcriptSummaries, metrics, objectives, teamAssignments].map(({ length }) => length),
      [1, 1, 2, 1],
    )
    t.match(body[1], {
      id: empty.id,
      counts: {
        kanbanItems: 0,
        open: 0,
        done: 0,
        transcriptSummaries: 0,
        metrics: 0,
        objectives: 0,
        teamAssignments: 0,
        columns: { 'To Do': 0, 'In Progress': 0, Review: 0, Done: 0 },
        dismissed: {},
      },
    })
    t.equal(body.length, 2)
  })

  t.test('columns are in the order of the board, then those that only items name', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    const { id: bare } = await createProject(app, { sortOrder: 1 })
    app.db.$client.exec(`
      update kanban_columns set sort_order = 9 where name = 'To Do';
      update kanban_columns set sort_order = 3 where name = 'In Progress';
      delete from kanban_columns where project_id = '${bare}';
      insert into kanban_items (id, project_id, title, "column")
        values ('1', '${id}', 'x', 'Zoo'), ('2', '${id}', 'x', 'Ant'), ('3', '${id}', 'x', 'Zoo'),
          ('4', '${bare}', 'x', 'Zoo')`)
    const { body } = await send(app, 'GET', query('view=summary'))
    t.strictSame(Object.entries(body[0].counts.columns), [
      ['In Progress', 0],
      ['Review', 0],
      ['Done', 0],
      ['To Do', 0],
      ['Ant', 1],
      ['Zoo', 2],
    ])
    t.equal(body[0].counts.kanbanItems, 3)
    t.strictSame(body[1].counts, {
      kanbanItems: 1,
      open: 1,
      done: 0,
      transcriptSummaries: 0,
      metrics: 0,
      objectives: 0,
      teamAssignments: 0,
      columns: { Zoo: 1 },
      dismissed: {},
    })
  })

  t.test('items are open or done by the stage of their column; dismissed ones are not counted', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    const { id: other } = await createProject(app, { sortOrder: 1 })
    const items = [
      ...['To Do', 'To Do', 'In Progress', 'Review', 'Done', 'Done', 'Elsewhere'],
      ...['To Do', 'Done', 'Done', 'Elsewhere'].map((column) => ({ column, dismissed: true })),
    ]
    const insert = app.db.$client.prepare(
      'insert into kanban_items (id, project_id, title, "column", dismissed) values (?, ?, ?, ?, ?)',
    )
    for (const [index, item] of items.entries()) {
      const { column, dismissed } = typeof item === 'string' ? { column: item, dismissed: false } : item
      insert.run(String(index), id, 'x', column, Number(dismissed))
    }
    await createItem(app, other, { column: 'Done' })
    const counts = async () => {
      const { body } = await send(app, 'GET', query('view=summary'))
      return body.map(({ counts: { kanbanItems, open, done } }: { counts: Record<string, number> }) => ({
        kanbanItems,
        open,
        done,
      }))
    }
    const ofOther = { kanbanItems: 1, open: 0, done: 1 }
    t.strictSame(await counts(), [{ kanbanItems: 11, open: 5, done: 2 }, ofOther], 'the last column is done')
    const stage = app.db.$client.prepare(
      'update kanban_columns set stage = ? where project_id = ? and name = ?',
    )
    stage.run('done', id, 'Review')
    t.strictSame(await counts(), [{ kanbanItems: 11, open: 4, done: 3 }, ofOther], 'two columns are done')
    stage.run('doing', id, 'Done')
    t.strictSame(await counts(), [{ kanbanItems: 11, open: 6, done: 1 }, ofOther], 'the last one is not')
  })

  t.test('a column may have any name', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'toJSON',
      'length',
      '"\\\n\u2028',
      '🚀',
      'null',
      '7',
      ' ',
    ]
    for (const name of names) await createItem(app, id, { column: name })
    const response = await app.inject({ method: 'GET', url: query('view=summary') })
    const [{ counts }] = response.json()
    t.strictSame(
      Object.entries(counts.columns).toSorted(),
      [
        ...names.map((name) => [name, 1]),
        ...['To Do', 'In Progress', 'Review', 'Done'].map((name) => [name, 0]),
      ].toSorted(),
    )
    t.equal(counts.kanbanItems, names.length)
    t.match(response.body, '"__proto__":1,"constructor":1')
  })

  t.test('counts only the records of each project', async (t) => {
    const app = await build(t)
    const projects: { id: string; items: number }[] = []
    for (const items of [0, 3, 1]) {
      const { id } = await createProject(app, { sortOrder: projects.length })
      for (let index = 0; index < items; index++) await createItem(app, id, { column: 'Review' })
      projects.push({ id, items })
    }
    const { body } = await send(app, 'GET', query('view=summary'))
    t.match(
      body,
      projects.map(({ id, items }) => ({ id, counts: { kanbanItems: items, columns: { Review: items } } })),
    )
    await send(
      app,
      'DELETE',
      `/api/kanban-items/${(await send(app, 'GET', `${url}/${body[1].id}`)).body.kanbanItems[0].id}`,
    )
    t.match((await send(app, 'GET', query('view=summary'))).body, [
      { counts: { kanbanItems: 0 } },
      { counts: { kanbanItems: 2 } },
      { counts: { kanbanItems: 1 } },
    ])
  })
})

t.test('GET /api/projects in another order', async (t) => {
  const NAMES = ['sortOrder', 'updatedAt', 'createdAt', 'name'] as const
  const COLLATOR = new Intl.Collator('en', { numeric: true })
  const CHOICE = [...NAMES, ...NAMES.map((name) => `-${name}`)].map((name) => `"${name}"`).join(', ')

  t.test('each sort equals a model, in pages, with filters and in both views', async (t) => {
    const app = await build(t)
    const stored: {
      id: string
      name: string
      sortOrder: number
      status: string
      updatedAt: string
      createdAt: string
    }[] = []
    const update = app.db.$client.prepare(
      'update projects set updated_at = @updatedAt, created_at = @createdAt, name = @name where id = @id',
    )
    const day = (value: number) => `2026-01-0${value}T00:00:00.000Z`
    for (let index = 0; index < 14; index++) {
      const fields = { sortOrder: (index * 5) % 7, status: index % 2 ? 'active' : 'backlog' }
      const { id } = await createProject(app, fields)
      const row = {
        ...fields,
        id,
        // Another tool may store an empty name.
        name: index % 5 === 0 ? '' : 'dbÄac'.charAt(index % 5),
        updatedAt: day(1 + ((index * 3) % 4)),
        createdAt: day(1 + ((index * 7) % 5)),
      }
      update.run({ id, name: row.name, updatedAt: row.updatedAt, createdAt: row.createdAt })
      stored.push(row)
    }
    for (const name of NAMES) {
      for (const sign of ['', '-']) {
        for (const [filter, passes] of [
          ['', () => true],
          ['status=active', ({ status }: { status: string }) => status === 'active'],
          ['updatedAfter=2026-01-02', ({ updatedAt }: { updatedAt: string }) => updatedAt > day(2)],
          [
            'status=active&updatedAfter=2026-01-02',
            ({ status, updatedAt }: { status: string; updatedAt: string }) =>
              status === 'active' && updatedAt > day(2),
          ],
        ] as const) {
          const expected = stored
            .filter(passes)
            .sort((a, b) => {
              const byId = a.id < b.id ? -1 : 1
              if (a[name] === b[name]) return byId
              if (a[name] === '' || b[name] === '') return a[name] === '' ? 1 : -1
              const isLess = name === 'name' ? COLLATOR.compare(a.name, b.name) < 0 : a[name] < b[name]
              return isLess === (sign === '') ? -1 : 1
            })
            .map(({ id }) => id)
          for (const view of VIEWS) {
            const asked = query(`sort=${sign}${name}`, filter, view)
            const whole = await send(app, 'GET', asked)
            t.strictSame(
              whole.body.map(({ id }: Project) => id),
              expected,
              asked,
            )
            t.ok(whole.headers.etag, 'it has an ETag')
            for (const limit of [1, 3, 13]) {
              const pages = await walk(app, `${asked}&limit=${limit}`)
              t.strictSame(pages.flat(), whole.body, `${asked}, ${limit} a page`)
            }
          }
        }
      }
    }
    t.strictSame(
      (await app.inject({ method: 'GET', url: query('sort=sortOrder') })).rawPayload,
      (await app.inject({ method: 'GET', url })).rawPayload,
      'the default sort is the default list',
    )
  })

  t.test('an invalid sort, or the cursor of another one, is refused', async (t) => {
    const app = await buildWith(t, 'abc')
    const sorted = nextOf((await send(app, 'GET', query('sort=name', 'limit=1'))).headers) ?? ''
    const plain = nextOf((await send(app, 'GET', query('limit=1'))).headers) ?? ''
    const sort = [`must be one of ${CHOICE}`]
    const cursor = ['must be the cursor of a page in the same sort']
    await holds(t, app, [
      ['GET', query('sort=title'), 400, invalid({ sort })],
      ['GET', query('sort='), 400, invalid({ sort })],
      ['GET', query('sort=dueDate', 'view=summary'), 400, invalid({ sort })],
      ['GET', sorted.replace('sort=name', 'sort=-name'), 400, invalid({ cursor })],
      ['GET', sorted.replace('sort=name', ''), 400, invalid({ cursor })],
      ['GET', `${plain}&sort=updatedAt`, 400, invalid({ cursor })],
      ['GET', `${plain}&sort=sortOrder`, 200, [{ name: 'b' }]],
      ['GET', sorted, 200, [{ name: 'b' }]],
      [
        'GET',
        query('updatedAfter=soon'),
        400,
        invalid({ updatedAfter: ['must be an ISO 8601 date-time or a plain date'] }),
      ],
    ])
  })

  t.test('the worker thread sorts many projects', async (t) => {
    const app = await build(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
    const insert = app.db.$client.prepare('insert into projects (id, name, description) values (?, ?, ?)')
    app.db.$client.transaction(() => {
      for (let index = 0; index < 5001; index++) insert.run(`${index}`, `${9999 - index}`, 'x'.repeat(500))
    })()
    const executed = watch(t, app.db.$client)
    for (const view of VIEWS) {
      const { body } = await send(app, 'GET', query('sort=name', 'limit=2', view))
      t.strictSame(
        body.map(({ id }: Project) => id),
        ['5000', '4999'],
      )
      for (const filter of [
        'leadId=ada',
        'type=business',
        'health=blocked',
        'q=needle',
        'q=needle&type=business',
      ]) {
        t.strictSame((await send(app, 'GET', query(filter, 'limit=2', view))).body, [], filter)
      }
    }
    t.notOk(executed.log.some((source) => /"lead_id" =|"type" =|"health" =|contains_folded/.test(source)))
    t.notOk(executed.log.some((source) => source.includes('nullif')))
  })
})

t.test('POST /api/projects/reorder', async (t) => {
  const places = (...items: [string, number][]) => ({
    items: items.map(([id, sortOrder]) => ({ id, sortOrder })),
  })

  t.test('every list and its ETag change at once', async (t) => {
    const app = await buildWith(t, 'abcd')
    const lists = [url, query('status=active'), query('limit=2'), query('view=summary')]
    const read = async () => Promise.all(lists.map((path) => send(app, 'GET', path)))
    const before = await read()
    const [a, , c] = before[0]?.body ?? []
    await send(app, 'POST', `${url}/reorder`, places([a.id, 2], [c.id, 0]))
    const after = await read()
    t.strictSame(
      after.map(({ body }) => namesOf(body)),
      ['cbad', 'ca', 'cb', 'cbad'],
    )
    for (const [index, { headers }] of after.entries()) t.not(headers.etag, before[index]?.headers.etag)
    await send(app, 'POST', `${url}/reorder`, places([a.id, 2], [c.id, 0]))
    t.strictSame(
      (await read()).map(({ headers }) => headers.etag),
      after.map(({ headers }) => headers.etag),
      'what is there already stays',
    )
  })

  t.test('a project with the id reorder is not found, and other methods are 405', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    await holds(t, app, [
      ['GET', `${url}/reorder`, 404, notFound],
      ['HEAD', `${url}/reorder`, 404, ''],
      ['PATCH', `${url}/reorder`, { name: 'x' }, 404, notFound],
      ['DELETE', `${url}/reorder`, 403, { error: 'Forbidden: admin access required' }],
      ['DELETE', `${url}/reorder`, undefined, headers, 404, notFound],
      ['PUT', `${url}/reorder`, {}, 405, { error: 'Method not allowed' }],
    ])
  })
})

t.test('the order of checks', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const member = signInAs(app, 'member').headers
  const viewer = signInAs(app, 'viewer').headers
  const { id } = await createProject(app, {}, member)
  const unknown = { items: [{ id: 'none', sortOrder: 1 }] }
  const itemless = invalid({ items: ['must be array'] })
  await holds(t, app, [
    ['GET', `${url}?limit=0`, 401, authenticationRequired],
    ['GET', `${url}?view=summary`, 401, authenticationRequired],
    ['GET', `${url}?view=summary&limit=1`, undefined, viewer, 200, [{ id }]],
    ['GET', `${url}?limit=1`, undefined, viewer, 200, [{ id }]],
    ['POST', `${url}/reorder`, '{oops', 401, authenticationRequired],
    ['POST', `${url}/reorder`, '{oops', viewer, 403, readOnly],
    ['POST', `${url}/reorder`, { items: [] }, viewer, 403, readOnly],
    ['POST', `${url}/reorder`, '{oops', member, 500, reorderFailure],
    ['POST', `${url}/reorder`, { items: 5 }, member, 400, itemless],
    ['POST', `${url}/reorder`, unknown, member, 404, missing('none')],
    ['POST', `${url}/reorder`, { items: [{ id, sortOrder: 5 }] }, member, 200, [{ id, sortOrder: 5 }]],
  ])
})

t.test("an unexpected failure returns the endpoint's 500", async (t) => {
  const broken = await build(t)
  breakTable(broken, 'projects')
  const closed = await build(t)
  closed.db.$client.close()
  for (const app of [broken, closed]) {
    await holds(t, app, [
      ...VIEWS.flatMap((view): Row[] => [
        ['GET', query(view, 'limit=1'), 500, fetchFailure],
        ['HEAD', query(view, 'limit=1'), 500, ''],
      ]),
    ])
  }
  const uncounted = await build(t)
  await createProject(uncounted)
  breakTable(uncounted, 'objectives')
  const answer = await send(uncounted, 'GET', query('view=summary'))
  t.strictSame([answer.status, answer.body, answer.headers.etag], [500, fetchFailure, undefined])
})

t.test('every paged list and every count uses an index', async (t) => {
  const preparedBy = watchPrepared(t)
  const app = await build(t)
  for (const filter of ['', 'status=x', 'teamId=x', 'status=x&teamId=x']) {
    await send(app, 'GET', query(filter, 'view=summary', 'limit=1'))
  }
  const plansOf = (...words: string[]) => {
    const found = preparedBy(app.db.$client).filter((source) => words.every((word) => source.includes(word)))
    return found.map((source) => planOf(app.db.$client, source))
  }
  const filters = {
    'where (': 'projects_order ((sort_order,id)',
    'where ("projects"."status" = +? and (': 'projects_status (status=? AND (sort_order,id)',
    'where ("projects"."team_id" = +? and (': 'projects_team (team_id=? AND (sort_order,id)',
    'where (("projects"."status" = +? and "projects"."team_id" = +?) and (':
      'projects_team (team_id=? AND (sort_order,id)',
  }
  for (const [condition, index] of Object.entries(filters)) {
    const start = `from "projects" ${condition}"projects"."sort_order", "projects"."id") >`
    const isCovering = !condition.includes('((')
    t.strictSame(
      plansOf(start),
      [[`SEARCH projects USING ${isCovering ? 'COVERING ' : ''}INDEX ${index}>(?,?))`]],
      start,
    )
  }
  for (const table of [
    'kanban_columns',
    'metrics',
    'objectives',
    'transcript_summaries',
    'team_assignments',
  ]) {
    const isCount = table !== 'kanban_columns'
    const plans = plansOf(`${isCount ? 'count(*) ' : ''}from "${table}" where "${table}"."project_id" in (`)
    t.equal(plans.length, 1)
    const [search, ...rest] = plans[0] ?? []
    const how = `${isCount ? 'COVERING ' : ''}INDEX ${table}_`
    t.match(search, new RegExp(`^SEARCH ${table} USING ${how}\\w+ \\(project_id=\\?\\)$`))
    t.strictSame(rest, ['LIST SUBQUERY 1', 'SCAN json_each VIRTUAL TABLE INDEX 1:'], 'nothing is sorted')
  }
  const [steps = []] = plansOf('count(*) as items')
  t.strictSame(
    steps.filter((detail) => /kanban_items/.test(detail)),
    ['SEARCH kanban_items USING COVERING INDEX kanban_items_column (project_id=?)'],
    'that has `dismissed`, too',
  )
})
