import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { blackBox } from '../black-box/suite.ts'
import { build, createItem, createProject, seed, send } from '../helper.ts'
import { exampleOf, KIND_EXAMPLES, rowOf, TABLES_OF_A_PROJECT, TIME } from '../kinds.ts'
import { planOf, watchPrepared } from '../query-plans.ts'

const times = { created_at: TIME, updated_at: TIME }

/** Every table with its required columns, and the defaults of the others. Referenced rows come first. */
const DEFAULTS: Record<string, [Record<string, string | number>, Record<string, unknown>]> = {
  changes: [
    { kind: 'objective', id: 'o', action: 'created' },
    {
      seq: 1,
      at: TIME,
      actor_id: null,
      group: null,
      project_id: null,
      item_id: null,
      from_project_id: null,
      owner_id: null,
      before: null,
      after: null,
    },
  ],
  ...Object.fromEntries(
    KIND_EXAMPLES.map((example) => [example.table, [rowOf(example, { owner: 'ada' }), example.defaults]]),
  ),
  card_numbers: [{ project_id: 'project', last: 1 }, {}],
  former_card_numbers: [{ project_id: 'project', number: 1, item_id: 'item' }, {}],
  kanban_item_assignees: [{ person_id: 'ada', item_id: 'item' }, {}],
  former_project_keys: [{ key: 'AP', project_id: 'project' }, {}],
  file_contents: [{ id: 1 }, { sha256: null, size: 0, touched_at: 0, unnamed_since: null }],
  file_chunks: [{ bytes: 'x' }, { place: 1 }],
  change_subjects: [{ subject: 'p', seq: 1 }, {}],
  changes_pending: [
    { kind: 'elsewhere', id: 'x' },
    { project_id: null, item_id: null, owner_id: null, before: null },
  ],
  idempotency_keys: [
    { member_id: 'ada', method: 'POST', path: '/api/projects', key: 'k', body_hash: 'x', status: 201 },
    { role: null, seen: null, body: null, etag: null, seq: null, nth: 0, up_to: 0, created_at: TIME },
  ],
  webhooks: [
    { id: 'w', url: 'https://example.test/', secret: 'whsec_x' },
    {
      description: '',
      project_id: null,
      kinds: '[]',
      format: 'standard',
      events: '[]',
      language: 'en',
      active: 1,
      after: 0,
      failing_since: null,
      former_secret: null,
      rotated_at: null,
      attempts: 0,
      retry_at: null,
      ...times,
    },
  ],
  webhook_deliveries: [
    { id: 'd', webhook_id: 'w', seq: 1 },
    { status: null, error: null, response: '', duration: 0, created_at: TIME },
  ],
  imports: [
    { id: 'import', format: 'csv' },
    {
      member_id: null,
      status: 'waiting',
      done: 0,
      total: 0,
      project_id: null,
      counts: '',
      matches: '',
      error: null,
      ...times,
    },
  ],
  item_watches: [
    { item_id: 'item', member_id: 'ada' },
    { watching: 1, since: 0 },
  ],
  project_watches: [{ project_id: 'project', member_id: 'ada' }, { since: 0 }],
  notifications: [
    { id: 'n', member_id: 'ada', kind: 'moved' },
    {
      item_id: null,
      project_id: null,
      actor_id: null,
      seq: null,
      title: '',
      text: '',
      count: 1,
      due_at: null,
      created_at: TIME,
      read_at: null,
    },
  ],
  item_times: [{ item_id: 'item', kind: 'due', at: '2026-01-31T00:00:00.000Z' }, { since: null }],
  consumers: [{ name: 'notifications' }, { after: 0 }],
  quiet_changes: [{ last: 1 }, { first: 1, at: null }],
  member_preferences: [
    { member_id: 'ada' },
    {
      email: 'none',
      time_zone: 'UTC',
      language: 'en',
      stopped_address: null,
      stopped_because: null,
      failure: null,
      updated_at: TIME,
    },
  ],
  mail_queue: [{ notification_id: 'n', member_id: 'ada' }, {}],
  mails: [{ member_id: 'ada' }, { due_at: null, attempts: 0, failing_since: null, failure: null }],
  mail_state: [{ name: 'hook', value: 'on' }, {}],
  member_identities: [
    { issuer: 'https://id.example.test', subject: '7', member_id: 'ada' },
    { created_at: TIME },
  ],
  sessions: [
    {
      id: 's',
      member_id: 'ada',
      token_hash: 'x',
      last_used_at: '2026-01-31T00:00:00.000Z',
      expires_at: '2026-03-01T00:00:00.000Z',
    },
    times,
  ],
  api_tokens: [
    { id: 't', member_id: 'ada', name: 'CI', token_hash: 'y' },
    { scope: 'read', project_ids: null, last_used_at: null, expires_at: null, created_at: TIME },
  ],
  member_links: [
    { id: 'l', kind: 'password', token_hash: 'z', expires_at: '2026-03-01T00:00:00.000Z' },
    { member_id: null, name: null, email: null, role: 'member', created_by: null, created_at: TIME },
  ],
  share_links: [
    { id: 's', project_id: 'project', secret_hash: 'z' },
    { name: '', created_by: null, created_at: TIME, expires_at: null },
  ],
  restrictions: [
    { project_id: 'secret', first_seq: 1 },
    { last_seq: null, member_ids: '[]' },
  ],
  team_members: [{ team_id: 'team', member_id: 'ada' }, {}],
  audit_log: [
    { id: 'e', action: 'sign-in' },
    {
      actor_id: null,
      actor: null,
      subject_id: null,
      subject: null,
      address: null,
      metadata: '{}',
      created_at: TIME,
    },
  ],
}

const rowNamed = (kind: string) => rowOf(exampleOf(kind), { owner: 'ada' })

const insert = (client: SQLite.Database, table: string, row: Record<string, unknown>) =>
  client
    .prepare(
      `insert into ${table} (${Object.keys(row).map((name) => `"${name}"`)}) values (${Object.keys(row).map(() => '?')})`,
    )
    .run(...Object.values(row))

/** An in-memory database with one row in each table. */
function seeded() {
  const { db, close } = openDatabase(':memory:')
  for (const [table, [row]] of Object.entries(DEFAULTS)) insert(db.$client, table, row)
  return { client: db.$client, close }
}

const rowCount = (client: SQLite.Database, table: string) =>
  client.prepare(`select count(*) from ${table}`).pluck().get()

/** The tables of the search: the indexed records, and the index of words, which has its own tables. */
const SEARCH = [
  'search_entries',
  'search_index',
  'search_index_config',
  'search_index_data',
  'search_index_docsize',
  'search_index_idx',
  'search_parts',
  'search_parts_config',
  'search_parts_data',
  'search_parts_docsize',
  'search_parts_idx',
  'search_pending',
  'search_words',
]

t.test('the file has the specified tables, those of the search and no others', async (t) => {
  const { client, close } = seeded()
  t.teardown(close)
  const tables = client
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like '\\_\\_%' escape '\\'",
    )
    .pluck()
    .all()
  t.strictSame(tables.sort(), [...Object.keys(DEFAULTS), ...SEARCH].sort())
})

t.test('a row with only the required columns has every default', async (t) => {
  const { client, close } = seeded()
  t.teardown(close)
  for (const [table, [given, defaults]] of Object.entries(DEFAULTS)) {
    const stored = client.prepare(`select * from ${table}`).get() as Record<string, unknown>
    t.strictSame(
      Object.keys(stored).sort(),
      Object.keys({ ...given, ...defaults }).sort(),
      `${table}: columns`,
    )
    t.match(stored, { ...given, ...defaults }, `${table}: values`)
    for (const [name, value] of Object.entries(defaults)) {
      if (value !== TIME) t.strictSame(stored[name], value, `${table}.${name}`)
      else
        t.ok(
          Math.abs(Date.parse(String(stored[name])) - Date.now()) < 60_000,
          `${table}.${name} is now, in UTC`,
        )
    }
  }
})

t.test('every column without a default is required', async (t) => {
  const { client, close } = seeded()
  t.teardown(close)
  for (const [table, [row]] of Object.entries(DEFAULTS)) {
    for (const name of Object.keys(row)) {
      const rest: Record<string, unknown> = { ...row, ...('id' in row ? { id: 'another' } : {}) }
      delete rest[name]
      if (Object.keys(rest).length === 0) continue
      t.throws(() => insert(client, table, rest), { code: 'SQLITE_CONSTRAINT_NOTNULL' }, `${table}.${name}`)
    }
  }
})

t.test('deleting a project deletes all its records', async (t) => {
  const { client, close } = seeded()
  t.teardown(close)
  client.exec("update personal_ideas set promoted_project_id = 'project'")
  client.exec("delete from projects where id = 'project'")
  for (const table of TABLES_OF_A_PROJECT) t.equal(rowCount(client, table), 0, table)
  t.strictSame(
    client.prepare('select id, promoted_project_id from personal_ideas').all(),
    [{ id: 'idea', promoted_project_id: null }],
    'the idea it came from stays',
  )
  for (const table of ['members', 'teams', 'sessions', 'api_tokens'])
    t.equal(rowCount(client, table), 1, table)
})

t.test('deleting any parent deletes its children', async (t) => {
  const children: [string, string, string[]][] = [
    [
      'kanban_items',
      'item',
      ['kanban_subtasks', 'kanban_activity', 'kanban_comments', 'kanban_item_labels', 'attachments'],
    ],
    ['kanban_labels', 'label', ['kanban_item_labels']],
    ['members', 'ada', ['sessions', 'api_tokens', 'member_identities', 'member_preferences']],
    ['notifications', 'n', ['mail_queue']],
    ['teams', 'team', ['team_members']],
    ['webhooks', 'w', ['webhook_deliveries']],
  ]
  for (const [table, id, gone] of children) {
    const { client, close } = seeded()
    t.teardown(close)
    client.prepare(`delete from ${table} where id = ?`).run(id)
    for (const name of Object.keys(DEFAULTS)) {
      if (name === 'changes') continue
      const expected = name === table || gone.includes(name) ? 0 : 1
      t.equal(rowCount(client, name), expected, `${name} after a delete from ${table}`)
    }
  }
})

t.test('foreign keys are enforced inside the service, but not for people and teams', async (t) => {
  const { client, close } = seeded()
  t.teardown(close)
  const dangling: [string, Record<string, string>][] = [
    ['kanban_items', { id: 'x', project_id: 'nobody', title: 'Card' }],
    ['kanban_subtasks', { id: 'x', item_id: 'nobody', title: 'Step' }],
    ['kanban_item_labels', { item_id: 'item', label_id: 'nobody' }],
    ['personal_ideas', { id: 'x', owner_id: 'ada', title: 'Fly', promoted_project_id: 'nobody' }],
    ['sessions', { ...DEFAULTS.sessions?.[0], id: 'x', token_hash: 'z', member_id: 'nobody' }],
  ]
  for (const [table, row] of dangling) {
    t.throws(() => insert(client, table, row), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' }, table)
  }
  const opaque: [string, Record<string, string>][] = [
    ['projects', { id: 'x', name: 'Gemini', lead_id: 'elsewhere', team_id: 'elsewhere' }],
    ['kanban_items', { id: 'x', project_id: 'project', title: 'Card', assignee_id: 'elsewhere' }],
    ['team_assignments', { id: 'x', project_id: 'project', member_id: 'elsewhere' }],
    ['kanban_comments', { id: 'x', item_id: 'item', author_id: 'elsewhere', content: 'Hm' }],
    ['team_members', { team_id: 'team', member_id: 'elsewhere' }],
  ]
  for (const [table, row] of opaque) t.equal(insert(client, table, row).changes, 1, table)
})

t.test('unique columns stay unique', async (t) => {
  const { client, close } = seeded()
  client.exec("update members set handle = 'ada'; update projects set key = 'AP'")
  t.teardown(close)
  const twice: [string, Record<string, string | number>][] = [
    ['members', { id: 'x', name: 'Ada', email: 'ADA@Example.test' }],
    ['members', { id: 'y', name: 'Ada', email: 'y@example.test', handle: 'ada' }],
    ['projects', { id: 'z', name: 'Apollo', key: 'AP' }],
    ['sessions', { ...DEFAULTS.sessions?.[0], id: 'x' }],
    ['api_tokens', { ...DEFAULTS.api_tokens?.[0], id: 'x' }],
    ['kanban_columns', { ...rowNamed('kanban-column'), id: 'x' }],
    ['kanban_labels', { ...rowNamed('kanban-label'), id: 'x' }],
    ['team_assignments', { ...rowNamed('team-assignment'), id: 'x' }],
  ]
  for (const [table, row] of twice) {
    t.throws(() => insert(client, table, row), { code: 'SQLITE_CONSTRAINT_UNIQUE' }, table)
  }
  for (const table of [
    'card_numbers',
    'former_card_numbers',
    'kanban_item_assignees',
    'kanban_item_labels',
    'team_members',
    'change_subjects',
    'changes_pending',
    'idempotency_keys',
  ]) {
    t.throws(
      () => insert(client, table, DEFAULTS[table]?.[0] ?? {}),
      { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' },
      table,
    )
  }
})

t.test('every foreign key has an index that begins with its column', async (t) => {
  const { client, close } = seeded()
  t.teardown(close)
  const foreignKeys = client
    .prepare<[], { table: string; column: string }>(
      `select tables.name as "table", keys."from" as "column"
       from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`,
    )
    .all()
  t.ok(foreignKeys.length >= 15)
  for (const { table, column } of foreignKeys) {
    const leading = client
      .prepare(
        'select info.name from pragma_index_list(?) as indexes, pragma_index_info(indexes.name) as info where info.seqno = 0',
      )
      .pluck()
      .all(table)
    t.ok(leading.includes(column), `${table}.${column}`)
  }
})

/** Statements that may read a whole table, with the reasons. */
const MAY_SCAN = [
  // The size of all files, which the limit of all together needs: at most four times a second, and in a thread.
  /^SCAN file_contents USING COVERING INDEX file_contents_size$/,
  // Cards without a number: usually none.
  /^SCAN (kanban_items|lacking) USING (COVERING )?INDEX kanban_items_unnumbered$/,
  // They list all rows, in the index's order.
  /^SCAN projects USING COVERING INDEX projects_order$/,
  /^SCAN kanban_items USING (COVERING )?INDEX kanban_items_order$/,
  // The same in another order, which needs a sort anyway.
  /^SCAN kanban_items USING COVERING INDEX kanban_items_project$/,
  // A sort without an index. By measurement, reading and sorting 20,000 rows takes less than 50 ms, and an index for
  // each sort would slow down all writes. Beyond ROWS_SCANNED the worker thread does it.
  /^SCAN (kanban_items|projects)$/,
  /^SCAN members USING INDEX sqlite_autoindex_members_1$/,
  // Only those whose emails are not ASCII.
  /^SCAN members USING INDEX members_email_beyond_ascii$/,
  // Merging and forgetting people, which admins rarely do. One scan each, in the worker thread beyond ROWS_SCANNED.
  /^SCAN (team_assignments|audit_log)$/,
  /^SCAN team_assignments USING COVERING INDEX team_assignments_member$/,
  /^SCAN idempotency_keys USING INDEX idempotency_keys_bodies$/,
  // Sorted by name, which cannot have an index: other tools do not have `collation_key`.
  /^SCAN (members|people|stored)$/,
  /^SCAN teams USING INDEX sqlite_autoindex_teams_1$/,
  // At most a thousand rows.
  /^SCAN imports( USING (COVERING )?INDEX sqlite_autoindex_imports_1)?$/,
  // Links of one day, created by admins.
  /^SCAN member_links( USING INDEX sqlite_autoindex_member_links_1)?$/,
  // Only for the command line.
  /^SCAN share_links USING INDEX sqlite_autoindex_share_links_1$/,
  // Projects for some members only: one row is enough to know that there are any.
  /^SCAN projects USING INDEX projects_assigned$/,
  // Temporary tables, in memory, with a hundred scopes at most.
  /^SCAN temp\.(scopes|scope_projects)$/,
  // At most a hundred rows.
  // Counts all of them for /metrics.
  /^SCAN webhooks$/,
  /^SCAN webhooks USING INDEX sqlite_autoindex_webhooks_1$/,
  /^SCAN team_members USING COVERING INDEX sqlite_autoindex_team_members_1$/,
  // Whether there is a row, and counts for /metrics: of queued notifications up to a limit, of members.
  /^SCAN (mail_queue|mails) USING COVERING INDEX/,
  /^SCAN (mails|preferred)$/,
  // The time zones of all members, once a minute.
  /^SCAN member_preferences USING COVERING INDEX member_preferences_zone$/,
  // The elements of a bound JSON array.
  /^SCAN json_each VIRTUAL TABLE/,
  /^SCAN CONSTANT ROW$/,
  // The rows of a subquery, which used an index.
  /^SCAN (found|\(subquery-\d+\))$/,
  // The index of the search. M: the matching records; =: the record with a number.
  /^SCAN search_(index|parts) VIRTUAL TABLE INDEX \d+:(M1[<>]?|=)$/,
  // What was written since: at most what the current write has written.
  /^SCAN search_pending$/,
  // The names of all boards, counted before.
  /^SCAN kanban_labels USING COVERING INDEX kanban_labels_any_project$/,
  /^SCAN kanban_columns USING COVERING INDEX \w+$/,
  // The texts in a JSON column of a record.
  /^SCAN json_tree VIRTUAL TABLE INDEX 1:$/,
]

t.test('no statement scans a whole table if an index is possible', async (t) => {
  const preparedBy = watchPrepared(t)
  const app = await build(t, { adminPassword: 'correct horse' })
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const reads = [
    '/api/projects',
    '/api/projects?status=backlog',
    '/api/projects?teamId=ops',
    '/api/projects?status=backlog&teamId=ops',
    '/api/projects?view=summary',
    '/api/projects?limit=1',
    '/api/projects?limit=1&sort=-sortOrder',
    '/api/projects?limit=1&sort=name',
    '/api/projects?limit=1&sort=updatedAt&updatedAfter=2001-01-01',
    `/api/projects/${project.id}`,
    `/api/projects/${project.id}/kanban-items`,
    `/api/projects/${project.id}/kanban-items?dismissed=all`,
    ...['sortOrder', 'dueDate', 'updatedAt', 'createdAt', 'priority', 'title'].flatMap((sort) =>
      [`sort=${sort}`, `sort=-${sort}`, `sort=${sort}&label=none&assigneeId=none&due=none`].flatMap(
        (query) => [
          `/api/projects/${project.id}/kanban-items?limit=1&${query}`,
          `/api/kanban-items?limit=1&${query}`,
        ],
      ),
    ),
    `/api/projects/${project.id}/kanban-counts`,
    `/api/projects/${project.id}/kanban-counts?itemId=${item.id}`,
    `/api/kanban-items/${item.id}`,
    `/api/kanban-items/${item.id}/subtasks`,
    `/api/kanban-items/${item.id}/comments`,
    `/api/kanban-items/${item.id}/activity`,
    `/api/projects/${project.id}/kanban-labels`,
    '/api/personal-ideas',
    '/api/search?q=card',
  ]
  for (const url of reads) t.equal((await send(app, 'GET', url)).status, 200, url)
  const credentials = { email: 'admin@localhost', password: 'correct horse' }
  t.equal((await send(app, 'POST', '/api/session', credentials)).status, 201)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'Done', priority: 'low' })
  await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
  // Statements are prepared when they first run, so every operation runs its own here.
  const other = await build(t, { adminPassword: 'correct horse' })
  await blackBox(t, { url: await other.listen({ port: 0 }), mode: 'open', admin: credentials })

  const statements = new Set([app, other].flatMap(({ db }) => preparedBy(db.$client)))
  let explained = 0
  for (const source of statements) {
    if (!/^\s*(select|update|delete)\b/i.test(source) || /sqlite_schema|drizzle_migrations/.test(source))
      continue
    explained++
    for (const step of planOf(app.db.$client, source)) {
      const isScan = /^SCAN /.test(step) && !MAY_SCAN.some((allowed) => allowed.test(step))
      t.notOk(isScan, `${step}: ${source}`)
    }
  }
  t.ok(explained > 100, `${explained} statements were seen`)

  const planWith = (...words: string[]) => {
    const source = [...statements].find((text) => words.every((word) => text.includes(word)))
    return source === undefined ? [] : planOf(app.db.$client, source)
  }
  t.strictSame(planWith('from "projects" order by'), ['SCAN projects USING COVERING INDEX projects_order'])
  const counts = [
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH comment USING COVERING INDEX kanban_comments_item (item_id=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH file USING COVERING INDEX attachments_item (item_id=?)',
  ]
  t.strictSame(planWith('as comments', 'where item.project_id'), [
    'SEARCH item USING COVERING INDEX kanban_items_project (project_id=?)',
    ...counts,
  ])
  t.strictSame(planWith('as comments', 'where item.id in'), [
    'SEARCH item USING INDEX sqlite_autoindex_kanban_items_1 (id=?)',
    'LIST SUBQUERY 3',
    'SCAN json_each VIRTUAL TABLE INDEX 1:',
    ...counts,
  ])
  t.strictSame(planWith('from "projects" where "projects"."status" = +? order by'), [
    'SEARCH projects USING COVERING INDEX projects_status (status=?)',
  ])
  t.strictSame(planWith('from "projects" where "projects"."team_id" = +? order by'), [
    'SEARCH projects USING COVERING INDEX projects_team (team_id=?)',
  ])
  t.strictSame(planWith('from "personal_ideas" where "personal_ideas"."owner_id" = +? order by'), [
    'SEARCH personal_ideas USING INDEX personal_ideas_owner (owner_id=?)',
  ])
  t.strictSame(planWith('from "kanban_subtasks" where "kanban_subtasks"."item_id" = +? order by'), [
    'SEARCH kanban_subtasks USING INDEX kanban_subtasks_item (item_id=?)',
  ])
  t.strictSame(planWith('from "kanban_comments" where "kanban_comments"."item_id" = +? order by'), [
    'SEARCH kanban_comments USING INDEX kanban_comments_item (item_id=?)',
  ])
  t.strictSame(planWith('from "kanban_activity" where "kanban_activity"."item_id" = +? order by'), [
    'SEARCH kanban_activity USING INDEX kanban_activity_item (item_id=?)',
  ])
  t.strictSame(planWith('from "kanban_labels" where "kanban_labels"."project_id" = +? order by'), [
    'SEARCH kanban_labels USING INDEX kanban_labels_project (project_id=?)',
  ])
  t.strictSame(planWith('from "kanban_labels" inner join "kanban_items"'), [
    'SEARCH kanban_items USING INDEX sqlite_autoindex_kanban_items_1 (id=?)',
    'SEARCH kanban_labels USING COVERING INDEX kanban_labels_project (project_id=? AND id=?)',
  ])
  t.strictSame(planWith('delete from "kanban_item_labels"', '"kanban_item_labels"."label_id" = +?'), [
    'SEARCH kanban_item_labels USING INDEX sqlite_autoindex_kanban_item_labels_1 (item_id=? AND label_id=?)',
  ])
  t.strictSame(planWith('from "sessions" inner join'), [
    'SEARCH sessions USING INDEX sessions_token (token_hash=?)',
    'SEARCH members USING INDEX sqlite_autoindex_members_1 (id=?)',
  ])
})

t.test('the commit of another tool shows in the next response', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${path}`, adminPassword: 'correct horse' })
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const tool = new SQLite(path)
  t.teardown(() => tool.close())

  tool.prepare('update projects set name = ? where id = ?').run('Gemini', project.id)
  t.match((await send(app, 'GET', `/api/projects/${project.id}`)).body, { name: 'Gemini' })

  tool.prepare("insert into projects (id, name, sort_order) values ('from-a-tool', 'Mercury', -1)").run()
  const [first] = (await send(app, 'GET', '/api/projects')).body
  t.match(first, { id: 'from-a-tool', name: 'Mercury', phaseConfig: [], metadata: {}, kanbanItems: [] })

  tool.prepare("update kanban_items set metadata = '', due_date = null where id = ?").run(item.id)
  tool.prepare("insert into kanban_subtasks (id, item_id, title) values ('step', ?, 'Step')").run(item.id)
  t.match((await send(app, 'GET', `/api/kanban-items/${item.id}`)).body, {
    metadata: {},
    subtasks: [{ id: 'step', completed: false }],
  })

  seed(app, project.id, item.id)
  tool.exec('update metrics set history = null; update transcript_summaries set participants = null')
  t.match((await send(app, 'GET', `/api/projects/${project.id}`)).body, {
    metrics: [{ history: [] }],
    transcriptSummaries: [{ participants: [] }],
  })

  tool.prepare('delete from kanban_items where id = ?').run(item.id)
  t.equal((await send(app, 'GET', `/api/kanban-items/${item.id}`)).status, 404)

  const ideas = async () =>
    (await send(app, 'GET', '/api/personal-ideas')).body.map(({ id }: { id: string }) => id)
  tool.exec('begin immediate')
  tool.exec("insert into personal_ideas (id, owner_id, title) values ('idea', 'local', 'Fly')")
  t.notOk((await ideas()).includes('idea'), 'not before it is committed')
  tool.exec('commit')
  t.ok((await ideas()).includes('idea'))
})
