/** Email addresses of people on imported boards: only admins read them, also in files that an earlier version has written. */
import { join } from 'node:path'
import type SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { shippedMigrations } from '../../src/db/migrations.ts'
import { holdsSequence } from '../changes/replay.ts'
import { makeOldFile } from '../database.ts'
import { everyGet } from '../every-get.ts'
import { type App, addMember, build, send, signInAs } from '../helper.ts'
import { ended, upload } from '../imports.ts'

/** The domain of all addresses that must not be shown, and one that is no person's. */
const SECRET = 'corp.example'
const CUSTOMER = 'office@customer.example'

const TASKS = [
  'Title,Assignee,Assignee Email,Reporter,Contact',
  `Plan,carol@corp.example,,dave@corp.example,${CUSTOMER}`,
  'Build,"Eve <eve@corp.example>, Fay <fay@corp.example>",,Dave <Dave@corp.example>,admin@corp.example',
  'Test,Gus,gus@corp.example,,',
  'Ship,Carol C. <CAROL@corp.example>,,,',
].join('\n')

type Headers = Record<string, string>

/** The urls of everything that somebody reads which shows an address. */
async function telling(app: App, headers: Headers): Promise<string[]> {
  const found: string[] = []
  for await (const { url, body } of everyGet(app, app.db.$client, headers)) {
    if (body.toLowerCase().includes(SECRET)) found.push(url)
  }
  return found
}

/** Checks that nobody but admins reads an address. */
async function keepsAddresses(t: Test, app: App, projectId: string, admin: Headers): Promise<void> {
  const url = `/api/projects/${projectId}`
  const { id: guestId, headers: guest } = signInAs(app, 'guest')
  const assignment = await send(
    app,
    'POST',
    `${url}/team-assignments`,
    { memberId: guestId, role: 'member' },
    admin,
  )
  t.equal(assignment.status, 201)
  for (const [role, headers] of Object.entries({
    guest,
    viewer: signInAs(app, 'viewer').headers,
    member: signInAs(app, 'member').headers,
  })) {
    t.strictSame(await telling(app, headers), [], role)
    t.equal((await send(app, 'GET', url, undefined, headers)).status, 200, `${role} reads the board`)
  }
  const { body: link } = await send(app, 'POST', `${url}/share-links`, {}, admin)
  const shared = await send(app, 'GET', `/api/shared/${link.secret}`)
  t.equal(shared.status, 200)
  t.notMatch(JSON.stringify(shared.body), SECRET, 'a share link')
}

const carolOf = (client: SQLite.Database) =>
  client.prepare("select id from people where email = 'carol@corp.example'").pluck().get()

const cards = async (app: App, projectId: string, headers: Headers) =>
  (await send(app, 'GET', `/api/projects/${projectId}`, undefined, headers)).body.kanbanItems

t.test('only admins read the addresses of people on an imported board', async (t) => {
  const app = await build(t, { authMode: 'required', databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
  const { headers } = signInAs(app, 'admin')
  addMember(app, 'admin@corp.example', { role: 'admin' })
  const imported = async (query = '') => {
    const { body } = await upload(app, `format=csv${query}`, TASKS, headers)
    const { projectId } = await ended(app, body.id, headers)
    // Until then the worker thread writes, and the set-up below would find the file locked.
    return projectId
  }
  const projectId = await imported()
  await keepsAddresses(t, app, projectId, headers)

  const [plan, build_, test, ship] = await cards(app, projectId, headers)
  t.equal(ship.assigneeId, plan.assigneeId, 'one address is one person')
  t.match(plan.metadata.csv, { Reporter: 'dave', Contact: CUSTOMER }, 'addresses of others stay')
  t.match(build_.metadata.csv, { Reporter: 'Dave <Dave>', Contact: 'admin' }, 'members are people, too')
  t.equal(test.assigneeId, 'Gus', 'an id without an address stays')

  const read = await send(app, 'GET', `/api/people?ids=${plan.assigneeId}`, undefined, headers)
  t.match(read.body, [{ name: 'carol', email: 'carol@corp.example', kind: 'import', sourceId: '' }])

  const carol = addMember(app, 'Carol@corp.example')
  const again = await cards(app, await imported('&again=true'), headers)
  t.equal(again[0].assigneeId, carol, 'who becomes a member is found by email')
  t.equal(again[1].assigneeId, build_.assigneeId, 'others are who they were')
  const merged = await send(app, 'POST', `/api/people/${plan.assigneeId}/merge`, { into: carol }, headers)
  t.match(merged, { status: 200, body: { counts: { kanbanItems: 2 } } })
  t.equal((await cards(app, projectId, headers))[0].assigneeId, carol)
})

/** The number of migrations before the one that mends ids. */
const BEFORE = shippedMigrations().findIndex(({ sql }) => sql.join().includes('src/db/opaque-people.ts'))

/** What an earlier version has made of an import, and of writes after it. */
function fillOld(client: SQLite.Database): void {
  const person = client.prepare(
    "insert into people (id, name, kind, source, source_id, email, merged_into) values (?, ?, ?, 'csv', ?, ?, ?)",
  )
  const carol = 'carol@corp.example'
  const eve = 'Eve <eve@corp.example>'
  person.run(carol, carol, 'import', carol, carol, null)
  person.run(eve, 'Eve', 'import', eve, 'eve@corp.example', carol)
  person.run('csv:x@@corp.example', 'x@@corp.example', 'import', 'x@@corp.example', null, null)
  person.run('gone@corp.example', 'gone@corp.example', 'import', 'gone@corp.example', null, null)
  person.run('host@else.example', 'host@else.example', 'host', '', null, null)
  client.exec(`
    insert into members (id, name, email) values ('dave', 'Dave', 'Dave@corp.example');
    insert into projects (id, name, lead_id, metadata) values ('p', 'Old', '${carol}', '${JSON.stringify({
      csv: {
        id: 'b',
        people: [{ id: 'Dave <dave@corp.example>', name: 'dave@corp.example', memberId: 'dave' }],
      },
    })}');
    insert into kanban_columns (id, project_id, name) values ('c', 'p', 'To Do');
    insert into kanban_items (id, project_id, title, source, assignee_id, metadata) values
      ('i-1', 'p', 'Plan', 'import', '${carol}', '${JSON.stringify({ csv: { Reporter: 'fay@corp.example', Contact: CUSTOMER } })}'),
      ('i-2', 'p', 'Build', 'import', '${eve}', '{"csv":{"Reporter":"DAVE@corp.example"},"mine":"x@else.example"}'),
      ('i-3', 'p', 'Test', 'import', 'gone@corp.example', '{}'),
      ('i-4', 'p', 'Own', 'manual', 'host@else.example', '{"a":"dave@else.example"}'),
      ('i-5', 'p', 'Gone', 'import', '${carol}', '{"csv":{"Owner":"fay@corp.example"}}');
    update projects set metadata = json_set(metadata, '$.x', 1.5);
    update kanban_items set assignee_id = '${carol}' where id = 'i-2';
    insert into kanban_activity (id, item_id, type, metadata, actor_id) values
      ('a-1', 'i-2', 'assignment', '${JSON.stringify({ from: eve, to: carol })}', '${carol}'),
      ('a-5', 'i-5', 'assignment', '${JSON.stringify({ from: '', to: carol })}', null);
    insert into kanban_comments (id, item_id, author_id, content) values ('k', 'i-1', '${carol}', 'Hm');
    insert into attachments (id, item_id, name, url, created_by) values ('l', 'i-1', 'Link', 'https://else.example', '${eve}');
    insert into team_assignments (id, project_id, member_id) values ('t', 'p', '${carol}');
    insert into personal_ideas (id, owner_id, title) values ('o', '${carol}', 'Fly');
    insert into teams (id, name) values ('ops', 'Ops');
    insert into team_members values ('ops', '${carol}'), ('ops', 'dave');
    insert into imports (id, format, status, member_id, matches) values ('m', 'csv', 'done', 'dave', '${JSON.stringify(
      [{ id: carol, name: carol, matched: null, memberId: null, items: 1, comments: 1, attachments: 0 }],
    )}'), ('n', 'csv', 'done', 'dave', '@');
    update people set name = 'Eve @ corp' where id = '${eve}';
    delete from people where id = 'gone@corp.example';
    delete from kanban_items where id = 'i-5';
    update changes set actor_id = '${carol}' where kind = 'kanban-comment';
  `)
  client.exec(
    "insert into kanban_items (id, project_id, title, source, metadata) values ('i-6', 'p', 'Odd', 'import', '@')",
  )
  client.exec(`insert into changes (kind, id, action, after) values ('person', '${carol}', 'updated', '@')`)
  client.exec("delete from changes where after = '@'")
}

t.test('a file of an earlier version loses the addresses in ids, metadata and the history', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const old = makeOldFile(path, BEFORE)
  fillOld(old)
  const last = old.prepare('select max(seq) from changes').pluck().get()
  old.close()
  const { db, close } = openDatabase(`file:${path}`)
  const { $client: client } = db
  t.equal(
    client.prepare('select max(seq) from changes').pluck().get(),
    last,
    'nothing is added to the history',
  )
  holdsSequence(client)
  const tables = ['changes', 'kanban_items', 'projects', 'kanban_activity', 'imports', 'team_members']
  const texts = tables.map((table) => {
    // The emails of members stay: only admins see their changes.
    const where = table === 'changes' ? "where kind <> 'member'" : ''
    const rows = client.prepare(`select * from ${table} ${where}`).all()
    return [table, JSON.stringify(rows).toLowerCase()] as const
  })
  for (const [table, text] of texts) t.notOk(text.includes(SECRET), table)
  t.equal(
    client.prepare("select merged_into from people where name like 'Eve%'").pluck().get(),
    carolOf(client),
  )
  close()

  const app = await build(t, { authMode: 'required', databaseUrl: `file:${path}` })

  const { headers } = signInAs(app, 'admin')
  const { body: people } = await send(app, 'GET', '/api/people?kind=import', undefined, headers)
  t.match(people, [
    { name: 'carol', email: 'carol@corp.example', source: 'csv', sourceId: '' },
    { name: 'x', email: 'x@@corp.example', source: 'csv', sourceId: '' },
  ])
  const { id: carol } = people[0]
  const { body: project } = await send(app, 'GET', '/api/projects/p', undefined, headers)
  t.strictSame(project.metadata, {
    csv: { id: 'b', people: [{ id: 'Dave <dave>', name: 'dave', memberId: 'dave' }] },
    x: 1.5,
  })
  t.match(project, { leadId: carol, teamAssignments: [{ memberId: carol }] })
  const [plan, build_, test, own, odd] = project.kanbanItems
  t.match(plan, { assigneeId: carol, metadata: { csv: { Reporter: 'fay', Contact: CUSTOMER } } })
  t.match(build_, { assigneeId: carol, metadata: { csv: { Reporter: 'DAVE' }, mine: 'x@else.example' } })
  t.match(test.assigneeId, /^[0-9a-f-]{36}$/, 'also of somebody who was forgotten')
  t.match(
    own,
    { assigneeId: 'host@else.example', metadata: { a: 'dave@else.example' } },
    "a host's id is the host's",
  )
  t.strictSame(odd.metadata, {})
  const activity = await send(app, 'GET', '/api/kanban-items/i-2/activity', undefined, headers)
  t.match(activity.body, [{ actorId: carol, metadata: { to: carol } }])

  const { body } = await upload(
    app,
    'format=csv',
    'Title,Assignee\nNew,carol@corp.example\nMore,x@@corp.example',
    headers,
  )
  const made = await ended(app, body.id, headers)
  const mapped = await cards(app, made.projectId, headers)
  t.strictSame(
    mapped.map(({ assigneeId }: { assigneeId: string }) => assigneeId),
    people.map(({ id }: { id: string }) => id),
    'later imports find the same people',
  )
  await keepsAddresses(t, app, 'p', headers)
})
