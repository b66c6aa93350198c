/** The cost of a request does not grow with the board: no statement scans it, and no more of the file is read. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { Search } from '../../src/reading/search.ts'
import { BY_SERVICE } from '../../src/requests/perform.ts'
import { watch } from '../executions.ts'
import { type App, build, createProject, send } from '../helper.ts'

const LARGE = 20_000
const SMALL = 200

/** Items that are used up when each request is sent once. */
const ITEMS_AT_ONCE = 14

/** A project, and some items of one of its columns. */
interface Board {
  project: string
  items: string[]
}

const move = (item: string | undefined, body: object) =>
  ['POST', `/api/kanban-items/${item}/move`, body] as const

const itemsOf = (project: string) => `/api/projects/${project}/kanban-items`

type Request = readonly [method: string, url: string, body?: object]

const REQUESTS: Record<string, (board: Board) => Request> = {
  'a change': ({ items }) => [
    'PATCH',
    `/api/kanban-items/${items[0]}`,
    { column: 'Done', priority: 'critical', assigneeId: null },
  ],
  'a new item': ({ project }) => ['POST', itemsOf(project), { title: 'New' }],
  'a move to the top': ({ items }) => move(items[1], { position: 'top' }),
  'a move to the bottom': ({ items }) => move(items[2], { position: 'bottom' }),
  'a move between two': ({ items }) => move(items[3], { beforeId: items[2] }),
  'ten changes': ({ items }) => [
    'PATCH',
    '/api/kanban-items',
    { ids: items.slice(4), update: { column: 'Done' } },
  ],
  'one item': ({ items }) => ['GET', `/api/kanban-items/${items[0]}`],
  'its activity': ({ items }) => ['GET', `/api/kanban-items/${items[0]}/activity`],
  'the counts of an item': ({ project, items }) => [
    'GET',
    `/api/projects/${project}/kanban-counts?itemId=${items[0]}`,
  ],
  'a page of the board': ({ project }) => ['GET', `${itemsOf(project)}?limit=20`],
  'a page of a column': ({ project }) => ['GET', `${itemsOf(project)}?column=Done&limit=20`],
  'a page of a priority': ({ project }) => ['GET', `${itemsOf(project)}?priority=high&limit=20`],
  'a page of an assignee': ({ project }) => ['GET', `${itemsOf(project)}?assigneeId=member+2&limit=5`],
  'a page of several filters': ({ project }) => [
    'GET',
    `${itemsOf(project)}?column=To+Do&priority=high&assigneeId=member+2&limit=3`,
  ],
  'a deletion of two': ({ items }) => ['DELETE', '/api/kanban-items', { ids: items.slice(-2) }],
  'a page of a label': ({ project }) => ['GET', `${itemsOf(project)}?label=Bug&limit=5`],
}

/** Requests across all boards. Each needs only a few of all items. */
const OF_ALL: Record<string, Request> = {
  'a page across projects': ['GET', '/api/kanban-items?assigneeId=member+2&limit=5'],
}

/** Fills a board, with items in each column in turn. Each item has activity, and some have a label, a subtask or a comment. */
function fill(client: SQLite.Database, project: string, count: number): void {
  const run = (sql: string) => client.prepare(sql).run({ project, count })
  const some = (every: number) =>
    `from kanban_items where project_id = @project and sort_order % ${every} = 0`
  run(`with recursive number (n) as (select 1 union all select n + 1 from number where n < @count)
    insert into kanban_items (id, project_id, title, "column", sort_order, priority, assignee_id, dismissed)
    select printf('%s-%05d', @project, n), @project, 'Card ' || n, kanban_columns.name, n,
      iif(n % 3 = 0, 'high', 'low'), 'member ' || (n % 10), n % 20 = 0
    from number join kanban_columns on project_id = @project and sort_order = 1 + n % 4 order by n`)
  run(`insert into kanban_labels (id, project_id, name) values (@project || '-label', @project, 'Bug')`)
  run(
    `insert into kanban_item_labels (item_id, label_id) select id, @project || '-label' ${some(10)} limit 20`,
  )
  run(`insert into kanban_subtasks (id, item_id, title) select id || '-subtask', id, 'Step' ${some(5)}`)
  run(
    `insert into kanban_comments (id, item_id, author_id, content) select id || '-comment', id, 'me', iif(sort_order < 20, 'needle', 'Hm') ${some(5)}`,
  )
  run(`insert into kanban_activity (id, item_id, type) select id || '-activity', id, 'priority' ${some(1)}`)
  run(`update kanban_columns set wip_limit = 3 where project_id = @project and name = 'Done'`)
}

/** Builds the application with a large and a small board in a file. */
async function buildBoards(t: Test) {
  const app = await build(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
  const { $client: client } = app.db
  // The large board is created later. Records at the very end of an index are found slightly faster.
  const [small, large] = [(await createProject(app)).id, (await createProject(app)).id]
  fill(client, small, SMALL)
  fill(client, large, LARGE)
  const itemsInReview = client
    .prepare<unknown[], string>(
      `select id from kanban_items where project_id = ? and "column" = 'Review' and not dismissed
       order by sort_order limit ${ITEMS_AT_ONCE} offset 10`,
    )
    .pluck()
  const boardOf = (project: string): Board => ({ project, items: itemsInReview.all(project) })
  return { app, client, large: () => boardOf(large), small: () => boardOf(small) }
}

async function ask(app: App, [method, url, body]: Request) {
  const { status, body: answered } = await send(app, method, url, body)
  if (status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answered)}`)
}

/**
 * Steps that only describe how others are combined, or whose rows are limited: by the ids in the request, by the word index (or
 * to one number), to what the write has appended to the end of the sequence, or to the watchers of a project.
 */
const HARMLESS =
  /^(LIST SUBQUERY|CO-ROUTINE|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|MERGE \(UNION ALL\)|LEFT$|RIGHT$|SCAN \(subquery-|CORRELATED SCALAR SUBQUERY|MULTI-INDEX OR|INDEX \d|SCALAR SUBQUERY|CREATE BLOOM FILTER|BLOOM FILTER ON|SCAN json_each |SCAN search_(index|parts) VIRTUAL TABLE INDEX \d+:[M=]|SCAN search_pending$|SCAN found$|SEARCH changes( USING INTEGER PRIMARY KEY \(rowid>\?\))?$|SEARCH main\.(changes|notifications)$|SEARCH quiet_changes USING INTEGER PRIMARY KEY |SEARCH project_watches USING INDEX \w+ \(project_id=\?\)$|SEARCH kanban_(columns|labels) USING COVERING INDEX kanban_(columns|labels)_name \(project_id=\?\)$|USE TEMP B-TREE FOR DISTINCT$|SEARCH item_times USING INDEX item_times_at$)|\bbest\b/

/** Statements that belong to no request. */
const BY_THE_CLOCK = /"webhooks"|change_subjects|member_preferences|since is not null/

/**
 * Finds the steps of a statement's plan whose cost may grow with the tables: steps that use no index, that neither look up
 * single records or their children nor stop early, and sorts of more than that.
 */
function growing(client: SQLite.Database, source: string, values: unknown[]): string[] {
  const plan = client.prepare<unknown[], { detail: string }>(`explain query plan ${source}`).all(...values)
  const all = plan.map(({ detail }) => detail)
  const steps = all.filter((step) => !HARMLESS.test(step))
  // A person: the cards on which somebody else is first.
  const isNarrow = (step: string) => /\b(id|item_id|member_id|label_id|person_id|name|rowid)=\?\)$/.test(step)
  // Of two lists that are merged, each is sorted by itself.
  const sorted = all.slice(all.indexOf('RIGHT') + 1)
  const isFine = (step: string) =>
    /^SEARCH \w+ USING (COVERING INDEX \w+|INDEX \w+|INTEGER PRIMARY KEY) \(/.test(step)
      ? isNarrow(step) || /\blimit\b/.test(source)
      : step === 'USE TEMP B-TREE FOR ORDER BY' &&
        sorted.every((other) => !other.startsWith('SEARCH') || isNarrow(other))
  return steps.filter((step) => !isFine(step))
}

t.test('no statement scans a whole board', async (t) => {
  const { app, client, large } = await buildBoards(t)
  const executions = watch(t, client)
  const tables = new Set<string>()
  const hold = (what: string, ran: ReadonlyMap<string, unknown[]>) => {
    const statements = [...ran].filter(([source]) => /^\s*(select|insert|update|delete|with)\b/.test(source))
    t.ok(statements.length > 0)
    for (const [source, values] of statements) {
      t.strictSame(growing(client, source, values), [], `${what}: ${source}`)
      tables.add(/(?:from|into|update) (?:main\.)?"?(\w+)/.exec(source)?.[1] ?? source)
    }
  }
  for (const [what, request] of [...Object.entries(REQUESTS), ...Object.entries(OF_ALL)]) {
    const ran = new Map<string, unknown[]>()
    const wanted = typeof request === 'function' ? request(large()) : request
    executions.before = (source, values) => {
      if (!BY_THE_CLOCK.test(source)) ran.set(source, values)
    }
    await ask(app, wanted)
    await app.notificationConsumer.work()
    executions.before = () => undefined
    hold(what, ran)
  }
  // What the worker thread does, on the same kind of connection.
  const other = openDatabase(`file:${client.name}`)
  t.teardown(other.close)
  const ran = new Map<string, unknown[]>()
  watch(t, other.db.$client).before = (source, values) => ran.set(source, values)
  t.ok(new Search(other.db).find('needle', 'local', 20).length > 0)
  hold('a search', ran)
  t.strictSame(
    [...tables].toSorted(),
    [
      'attachments',
      'card_numbers',
      'changes',
      'consumers',
      'item_times',
      'item_watches',
      'kanban_activity',
      'kanban_columns',
      'kanban_comments',
      'kanban_item_assignees',
      'kanban_item_labels',
      'kanban_items',
      'kanban_labels',
      'kanban_subtasks',
      'members',
      'notifications',
      'people',
      'project_watches',
      'projects',
      'quiet_changes',
      'search_entries',
      'search_index',
      'search_index_docsize',
      'search_parts',
      'search_pending',
      'search_words',
    ],
    'the statements of all of these were seen',
  )
})

t.test('a statement that scans is detected', async (t) => {
  const app = await build(t)
  const ofColumn = `select * from kanban_items where project_id = 'p' and "column" = 'c'`
  const ofIds = `select * from kanban_items where id in (select value from json_each('[]'))`
  const statements: [source: string, found: string[]][] = [
    [`select * from kanban_items where title = 't'`, ['SCAN kanban_items']],
    [`update kanban_items set title = 't' where title = 'u'`, ['SCAN kanban_items']],
    [
      `select * from kanban_items order by sort_order limit 1`,
      ['SCAN kanban_items USING INDEX kanban_items_order'],
    ],
    [ofColumn, ['SEARCH kanban_items USING INDEX kanban_items_column (project_id=? AND column=?)']],
    [`${ofColumn} order by sort_order limit 1`, []],
    [`${ofColumn} order by title limit 1`, ['USE TEMP B-TREE FOR ORDER BY']],
    [`${ofIds} order by title`, []],
  ]
  for (const [source, found] of statements) t.strictSame(growing(app.db.$client, source, []), found, source)
})

t.test('a reorder takes one statement for each column, for any number of items', async (t) => {
  const { app, client, small } = await buildBoards(t)
  const { project, items } = small()
  const idOf = (name: string) =>
    client
      .prepare('select id from kanban_columns where project_id = ? and name = ?')
      .pluck()
      .get(project, name)
  const reordered = items.map((id, index) => ({
    id,
    column: index % 2 ? 'Done' : 'To Do',
    sortOrder: -index,
  }))
  const executions = watch(t, client)
  const updates = async (request: Request) => {
    executions.log.length = 0
    await ask(app, request)
    return executions.count(/^update "kanban_items"/)
  }
  t.equal(await updates(['POST', `/api/projects/${project}/kanban-items/reorder`, { items: reordered }]), 2)
  client.prepare(`update kanban_items set sort_order = 1 where project_id = ?`).run(project)
  t.equal(await updates(move(items[0], { afterId: items[2] })), 2, 'its column anew, and itself')
  t.equal(await updates(['DELETE', `/api/kanban-columns/${idOf('Review')}?moveTo=Done`]), 1)
  t.equal(executions.count(/^insert into "kanban_activity"/), 1, 'and their entries with another one')
})

// Other systems do not report how much a process has read.
if (process.platform === 'linux') {
  const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1])

  t.test('a large board reads no more database pages than a small one', async (t) => {
    const { app, client, large, small } = await buildBoards(t)
    const pageSize = Number(client.pragma('page_size', { simple: true }))
    // Both read what was written before, at their own pace.
    await app.notificationConsumer.stop()
    while ((await app.perform(app.changes.subjects.index(), BY_SERVICE)).value > 0);
    // With almost no cache, every page that a statement uses is read from the file.
    client.pragma('cache_size = 1')
    async function pagesFor(request: Request) {
      const before = bytesRead()
      await ask(app, request)
      return Math.floor((bytesRead() - before) / pageSize)
    }

    for (const [what, request] of Object.entries(REQUESTS)) {
      const pages = { large: Number.POSITIVE_INFINITY, small: Number.POSITIVE_INFINITY }
      for (let round = 0; round < 3; round += 1) {
        pages.large = Math.min(pages.large, await pagesFor(request(large())))
        pages.small = Math.min(pages.small, await pagesFor(request(small())))
      }
      const message = `${what}: ${pages.large} pages, for a small board ${pages.small}`
      t.ok(pages.small > 0 && pages.large <= 1.25 * pages.small + 4, message)
    }

    for (const [what, request] of Object.entries(OF_ALL)) {
      await ask(app, request)
      const pages = await pagesFor(request)
      t.ok(pages < 250, `${what}: ${pages} pages`)
    }

    const whole = ({ project }: Board) => pagesFor(['GET', `/api/projects/${project}`])
    const [pagesOfLarge, pagesOfSmall] = [await whole(large()), await whole(small())]
    t.ok(
      pagesOfLarge > 10 * pagesOfSmall,
      `all of it takes ${pagesOfLarge} pages, ${pagesOfSmall} of the small one`,
    )
  })
}
