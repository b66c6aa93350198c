/** Imports an archive into a database that is not empty: it has a first admin, or other people's records. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { gapsIn, jump } from '../../src/db/lost-changes.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { describeArchive, importArchive } from '../../src/exchange/archives/import-archive.ts'
import { holdsGroups, holdsSequence, rowsOf } from '../changes/replay.ts'
import { run } from '../command-line.ts'
import { type App, build, count, createItem, createProject, send, signInAs } from '../helper.ts'
import { dumpOf, exported, quiet } from './archives.ts'

const ADMIN = { adminPassword: 'correct horse', changesKeepDays: 0 }

/** A service with a board. Two of the people on it are members. */
async function source(t: Test, options = {}) {
  const folder = t.testdir()
  const app = await build(t, { databaseUrl: `file:${join(folder, 'source.db')}`, ...ADMIN, ...options })
  const ada = signInAs(app, 'admin', { id: 'ada' })
  const project = await createProject(app, { leadId: 'ada', name: 'Apollo "11"' }, ada.headers)
  const item = await createItem(
    app,
    project.id,
    { assigneeId: 'ada', metadata: { assigneeId: 'ada' } },
    ada.headers,
  )
  const make = (url: string, body: object, method = 'POST') => send(app, method, url, body, ada.headers)
  await make(`/api/kanban-items/${item.id}/comments`, { content: 'ada' })
  await make(`/api/projects/${project.id}/team-assignments`, { members: [{ memberId: 'ada' }] }, 'PUT')
  await make('/api/personal-ideas', { title: 'Fly' })
  await make('/api/teams', { name: 'Crew', memberIds: ['ada', 'guest'] })
  await make(`/api/kanban-items/${item.id}`, { column: 'Done', assigneeId: 'guest' }, 'PATCH')
  const archive = join(folder, 'archive')
  const files = await exported(app.db.$client, archive)
  const target = (name: string, of = {}) =>
    build(t, { databaseUrl: `file:${join(folder, name)}`, ...ADMIN, ...of })
  return { folder, app, ada, archive, files, project, item, target }
}

const signIn = async (app: App, password: string, email = 'admin@localhost') =>
  send(app, 'POST', '/api/session', { email, password })

t.test(
  'an archive imported into a new service replaces its data, and its admin stays signed in',
  async (t) => {
    const { folder, app, archive, files, project, target } = await source(t)
    const other = await target('target.db', { adminPassword: 'battery staple' })
    const { headers } = await signIn(other, 'battery staple')
    const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? ''
    await send(other, 'PATCH', '/api/me/preferences', { timeZone: 'Europe/Berlin' }, { cookie })
    // The sign-in is in the audit log, and stays there.
    other.db.$client.exec('delete from audit_log')
    t.strictSame((await send(other, 'GET', '/api/projects')).body, [])
    const tool = openDatabase(other.db.$client.name)
    const made = await importArchive(tool.db, archive, quiet)
    tool.close()
    t.match(made.plan, { kind: 'whole', admin: { heirId: String } })
    t.match(
      describeArchive(made).join('\n'),
      /the previous admin is now the admin of the archive, with the same password/,
    )
    t.strictSame(await exported(other.db.$client, join(folder, 'again')), files)
    const [there, here] = await Promise.all(
      [app, other].map((one) => send(one, 'GET', `/api/projects/${project.id}`, undefined)),
    )
    t.strictSame(here?.body, there?.body)
    t.match(await send(other, 'GET', '/api/session', undefined, { cookie }), { status: 200 })
    t.match(await signIn(other, 'battery staple'), { status: 201 })
    const preferences = await send(other, 'GET', '/api/me/preferences', undefined, { cookie })
    t.match(preferences.body, { timeZone: 'Europe/Berlin' })
    t.equal(made.orphans, 0)
    t.match(await send(other, 'GET', `/api/projects/${project.id}/changes`, undefined, { cookie }), {
      status: 200,
      body: [{ kind: 'kanban-item', action: 'updated' }],
    })
  },
)

t.test('an admin with another email stays beside those of the archive', async (t) => {
  const { folder, app, archive, files, target } = await source(t)
  const other = await target('target.db', { adminEmail: 'root@localhost', adminPassword: 'battery staple' })
  const made = await importArchive(other.db, archive, quiet)
  t.match(made.plan, { kind: 'whole', admin: { heirId: undefined } })
  t.match(
    describeArchive(made).join('\n'),
    /members have no password here: set one with phaseboard member reset-password/,
  )
  t.match(await signIn(other, 'battery staple', 'root@localhost'), { status: 201 })
  const [theirs, ours] = [rowsOf(app.db.$client), rowsOf(other.db.$client)]
  t.strictSame(ours.slice(0, -2), theirs)
  t.match(ours.at(-2), { kind: 'member', action: 'created', group: ours.length - 1 })
  t.match(
    ours.at(-1),
    { kind: 'member', action: 'updated', before: '{"handle":"admin"}', after: '{"handle":null}' },
    'the admin here has the handle',
  )
  holdsGroups(holdsSequence(other.db.$client))
  const again = await exported(other.db.$client, join(folder, 'again'))
  for (const name of ['projects.jsonl', 'kanban-items.jsonl', 'kanban-activity.jsonl', 'teams.jsonl'])
    t.equal(again[name], files[name])
})

t.test('if numbers of changes are taken, the imported history comes after them', async (t) => {
  const { archive, target } = await source(t)
  const other = await target('target.db')
  // Clients that follow these changes would miss the ones that replace them.
  const { id } = other.db.$client.prepare<[], { id: string }>('select id from members').get() ?? { id: '' }
  for (let times = 0; times < 5; times++) other.db.$client.exec(`update members set name = 'Admin ${times}'`)
  const before = rowsOf(other.db.$client)
  t.match((await importArchive(other.db, archive, quiet)).plan, { kind: 'beside', admin: { id } })
  const after = rowsOf(other.db.$client)
  t.strictSame(after.slice(0, before.length), before)
  holdsGroups(holdsSequence(other.db.$client))
  t.match(await signIn(other, 'correct horse'), { status: 201 })

  const demoted = await target('demoted.db', { adminEmail: 'guest@example.test' })
  const { app, archive: withGuest } = await source(t)
  signInAs(app, 'member', { id: 'guest' })
  const guests = `${withGuest}-guest`
  await exportArchive(app.db.$client, guests, quiet)
  const state = dumpOf(demoted.db.$client)
  await t.rejects(importArchive(demoted.db, guests, quiet), {
    message: /^guest@example.test is the only admin here, but no enabled admin in the/,
  })
  t.strictSame(dumpOf(demoted.db.$client), state)
})

t.test('beside other records, all keep their ids, and the imported history comes last', async (t) => {
  const { app, ada, archive, project, item, target } = await source(t)
  const other = await target('target.db', { adminEmail: 'root@localhost' })
  const { project: known, headers } = await (async () => {
    const { headers } = signInAs(other, 'admin', { id: 'ada' })
    return { headers, project: await createProject(other, { name: 'Gemini' }, headers) }
  })()
  const before = rowsOf(other.db.$client)
  const made = await importArchive(other.db, archive, quiet)
  t.match(made.plan, { kind: 'beside', known: new Map([['ada', 'ada']]) })
  t.match(describeArchive(made).join('\n'), /1 members already exist here and do not change/)
  const rows = holdsSequence(other.db.$client)
  holdsGroups(rows)
  t.strictSame(gapsIn(other.db.$client, 1), [])
  t.strictSame(rows.slice(0, before.length), before)
  const summaryOf = (some: typeof rows) =>
    some.map(({ kind, id, action, before, after, at, actor_id }) => [
      kind,
      id,
      action,
      before,
      after,
      at,
      actor_id,
    ])
  const theirs = rowsOf(app.db.$client).filter(({ kind, id }) => kind !== 'member' || id !== 'ada')
  t.strictSame(summaryOf(rows.slice(before.length, -1)), summaryOf(theirs))
  t.match(
    rows.at(-1),
    { kind: 'member', action: 'updated', before: '{"handle":"admin"}', after: '{"handle":null}' },
    'the admin here has the handle',
  )
  for (const url of [`/api/projects/${project.id}`, `/api/kanban-items/${item.id}/activity`]) {
    const there = await send(app, 'GET', url, undefined, ada.headers)
    t.strictSame((await send(other, 'GET', url, undefined, headers)).body, there.body)
  }
  // The imported changes can be undone as if they had been made here.
  const last = rows.findLast(({ kind }) => kind === 'kanban-item')
  t.match(await send(other, 'POST', `/api/changes/${last?.seq}/undo`, undefined, headers), { status: 200 })
  t.match(await send(other, 'GET', `/api/projects/${known.id}`), { status: 200 })

  const state = dumpOf(other.db.$client)
  const again = importArchive(other.db, archive, quiet)
  await t.rejects(again, {
    message: /^\d+ of its records already exist here: 2 in team-members.jsonl, 1 in teams.jsonl, .*, \.\.\.$/,
  })
  t.strictSame(dumpOf(other.db.$client), state)
})

t.test("records without a creation in the archive's history are recorded as created", async (t) => {
  const { folder, app, target } = await source(t)
  app.db.$client.exec('delete from changes where seq < (select max(seq) from changes)')
  const archive = join(folder, 'pruned')
  await exportArchive(app.db.$client, archive, quiet)
  const other = await target('target.db')
  await createProject(other)
  const before = rowsOf(other.db.$client).length
  await importArchive(other.db, archive, { ...quiet, mapMembers: true })
  const rows = rowsOf(other.db.$client).slice(before)
  t.equal(rows.at(-1)?.action, 'updated')
  const created = rows.slice(0, -1)
  t.ok(created.every(({ action, group }) => action === 'created' && group === created[0]?.seq))
  t.ok(created.some(({ kind }) => kind === 'kanban-comment'))
  t.equal(rows.at(-1)?.group, rows.at(-1)?.seq)
})

t.test('members with the same email are merged only with the option for it', async (t) => {
  const { app, archive, folder, project, item, target } = await source(t)
  const other = await target('target.db')
  signInAs(other, 'member', { id: 'other-ada' })
  other.db.$client.exec("update members set email = 'ADA@example.test' where id = 'other-ada'")
  await createProject(other)
  const state = dumpOf(other.db.$client)
  const message = '2 members have the email of another member here: admin@localhost, ada@example.test'
  await t.rejects(importArchive(other.db, archive, quiet), { message })
  const command = await run(t, ['import', 'phaseboard', archive], {
    DATABASE_URL: `file:${join(folder, 'target.db')}`,
  })
  t.strictSame(command, {
    ...{ code: 1, stdout: 'importing 31 records\n' },
    stderr: `phaseboard: cannot import ${archive}: ${message}: use --map-members to treat them as the same people\n`,
  })
  t.strictSame(dumpOf(other.db.$client), state)
  const dry = await importArchive(other.db, archive, { ...quiet, mapMembers: true, dryRun: true })
  t.strictSame(dumpOf(other.db.$client), state, 'a dry run writes nothing')
  const made = await importArchive(other.db, archive, { ...quiet, mapMembers: true })
  t.strictSame(dry.plan, made.plan)
  holdsSequence(other.db.$client)
  t.equal(count(other, 'members'), 2)
  for (const [table, column] of [
    ['projects', 'lead_id'],
    ['kanban_comments', 'author_id'],
    ['personal_ideas', 'owner_id'],
    ['team_assignments', 'member_id'],
    ['team_members', 'member_id'],
    ['kanban_activity', 'actor_id'],
  ] as const) {
    t.equal(count(other, table, `${column} = 'ada'`), 0, table)
    t.equal(count(other, table, `${column} = 'other-ada'`), count(app, table, `${column} = 'ada'`), table)
  }
  t.equal(count(other, 'changes', "actor_id = 'ada' or owner_id = 'ada'"), 0)
  t.equal(count(other, 'kanban_comments', "content = 'ada'"), 1, 'a text is not an id')
  const { body } = await send(other, 'GET', `/api/projects/${project.id}`)
  t.match(body, { name: 'Apollo "11"', leadId: 'other-ada' })
  t.match(body.kanbanItems, [{ id: item.id, assigneeId: 'guest', metadata: { assigneeId: 'ada' } }])
  const { body: activity } = await send(other, 'GET', `/api/kanban-items/${item.id}/activity`)
  t.strictSame(activity[0].metadata, { from: 'other-ada', to: 'guest' })
})

t.test('who attached something is merged with the other members, in the history too', async (t) => {
  const { app, ada, folder, item, target } = await source(t)
  const link = { url: 'https://example.test/', name: 'Docs' }
  const path = `/api/kanban-items/${item.id}/attachments`
  t.equal((await send(app, 'POST', path, link, ada.headers)).status, 201)
  const archive = join(folder, 'attached')
  await exportArchive(app.db.$client, archive, quiet)
  const other = await target('target.db')
  signInAs(other, 'member', { id: 'other-ada' })
  other.db.$client.exec("update members set email = 'ada@example.test' where id = 'other-ada'")
  await createProject(other)
  await importArchive(other.db, archive, { ...quiet, mapMembers: true })
  t.equal(count(other, 'attachments', "created_by = 'other-ada'"), 1)
  t.equal(count(other, 'changes', `kind = 'attachment' and after like '%"createdBy":"other-ada"%'`), 1)
})

/** Stores people as the host or an import names them. Archives contain emails too. */
function keepPeople(app: App, ...rows: [id: string, name: string, kind: string, ...more: string[]][]) {
  const keep = app.db.$client.prepare(
    `insert into people (id, name, kind, source, source_id, email, merged_into, seen_at, created_at, updated_at)
      values (?, ?, ?, ?, ?, ?, nullif(?, ''), null, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z')`,
  )
  for (const [id, name, kind, source = '', sourceId = '', mergedInto = ''] of rows)
    keep.run(id, name, kind, source, sourceId, `${id}@example.test`, mergedInto)
}

const peopleOf = (app: App) =>
  app.db.$client.prepare<[], { id: string }>('select * from people order by id').all()

t.test('people are restored, in an empty service and beside other records', async (t) => {
  const { app, folder, target } = await source(t)
  keepPeople(
    app,
    ['u-18', 'Bob Grüße 🎉', 'host'],
    ['cleo', 'Cleo', 'import', 'trello', 'abc'],
    ['old-ada', 'A. L.', 'import', 'csv', 'A. L.', 'ada'],
  )
  const archive = join(folder, 'people')
  const files = await exported(app.db.$client, archive)
  const alone = await target('alone.db')
  await importArchive(alone.db, archive, quiet)
  t.strictSame(await exported(alone.db.$client, join(folder, 'people-again')), files)
  t.strictSame(peopleOf(alone), peopleOf(app))

  const other = await target('beside.db')
  signInAs(other, 'member', { id: 'other-ada' })
  other.db.$client.exec("update members set email = 'ada@example.test' where id = 'other-ada'")
  await createProject(other)
  await importArchive(other.db, archive, { ...quiet, mapMembers: true })
  const expected = peopleOf(app).map((row) =>
    row.id === 'old-ada' ? { ...row, merged_into: 'other-ada' } : row,
  )
  t.strictSame(peopleOf(other), expected, 'but for whom a mapped member stands')
  holdsSequence(other.db.$client)
})

t.test('an existing person is the same person, or a conflict that refuses the archive', async (t) => {
  const { app, folder, project, target } = await source(t)
  keepPeople(
    app,
    ['u-18', 'Bob', 'host'],
    ['cleo', 'Cleo', 'import', 'trello', 'abc'],
    ['dan', 'Dan', 'host'],
  )
  app.db.$client.exec("update people set name = 'Bob Builder' where id = 'u-18'")
  const archive = join(folder, 'people')
  await exported(app.db.$client, archive)
  const other = await target('same.db')
  await createProject(other)
  keepPeople(other, ['u-18', 'Bob Builder', 'host'], ['cleo', 'Cleo Smith', 'import', 'trello', 'abc'])
  const before = peopleOf(other)
  const options = { ...quiet, mapMembers: true }
  const made = await importArchive(other.db, archive, options)
  t.match(
    describeArchive(made).join('\n'),
    /2 people without an account already exist here and do not change/,
  )
  t.strictSame(
    peopleOf(other).filter(({ id }) => id !== 'dan'),
    before,
  )
  t.equal(count(other, 'people', "id = 'dan'"), 1, 'others come')
  t.match(await send(other, 'GET', `/api/projects/${project.id}`), { status: 200 })
  t.equal(count(other, 'changes', "kind = 'person' and id in ('u-18', 'cleo')"), 2, 'nobody is told of twice')
  holdsSequence(other.db.$client)

  for (const [name, ...stranger] of [
    ['name.db', 'u-18', 'Somebody else', 'host'],
    ['kind.db', 'u-18', 'Bob Builder', 'import', 'csv', 'Bob Builder'],
    ['origin.db', 'cleo', 'Cleopatra', 'import', 'trello', 'xyz'],
  ] as [string, string, string, string, ...string[]][]) {
    const wrong = await target(name)
    await createProject(wrong)
    keepPeople(wrong, stranger as [string, string, string])
    const state = dumpOf(wrong.db.$client)
    await t.rejects(importArchive(wrong.db, archive, options), {
      message: '1 of its records already exist here: 1 in people.jsonl',
    })
    t.strictSame(dumpOf(wrong.db.$client), state, 'nothing is written')
  }
})

t.test('records outside the archive are not attached to existing ones', async (t) => {
  const { folder, app, archive: _, target } = await source(t)
  app.db.$client.pragma('foreign_keys = off')
  app.db.$client.exec("insert into objectives (id, project_id, title) values ('orphan', 'gone', 'Land')")
  const archive = join(folder, 'orphaned')
  await exportArchive(app.db.$client, archive, quiet)
  const empty = openDatabase(':memory:')
  t.teardown(empty.close)
  const made = await importArchive(empty.db, archive, quiet)
  t.equal(made.orphans, 1)
  t.match(
    describeArchive(made).join('\n'),
    /1 records refer to records that do not exist, as before the export/,
  )
  t.equal(empty.db.$client.pragma('foreign_keys', { simple: true }), 1)
  const other = await target('target.db', { adminEmail: 'root@localhost' })
  await createProject(other)
  const state = dumpOf(other.db.$client)
  await t.rejects(importArchive(other.db, archive, quiet), {
    message: 'objectives.jsonl, line 1: its projectId names a record that the archive does not have: gone',
  })
  t.strictSame(dumpOf(other.db.$client), state)
})

t.test('others may write between the check and the write, unless that changes the result', async (t) => {
  const { archive, target } = await source(t)
  for (const [name, isEmpty] of [
    ['empty.db', true],
    ['target.db', false],
  ] as const) {
    const other = await target(name, { adminEmail: 'root@localhost' })
    if (!isEmpty) await createProject(other)
    const tool = openDatabase(other.db.$client.name)
    t.teardown(tool.close)
    const { $client } = tool.db
    const exec = $client.exec.bind($client)
    let isThere = false
    $client.exec = (sql) => {
      if (sql === 'begin immediate' && !isThere) {
        isThere = true
        other.db.$client.exec("insert into teams (id, name) values ('new', 'Newcomers')")
      }
      return exec(sql)
    }
    if (isEmpty) {
      await t.rejects(importArchive(tool.db, archive, quiet), {
        message: 'another process has written to the database meanwhile: try again',
      })
    } else {
      const last = Math.max(...holdsSequence(other.db.$client).map(({ seq }) => seq))
      const { plan } = await importArchive(tool.db, archive, quiet)
      t.equal(plan.lastSeq, last + 1, 'the history comes after theirs')
      holdsGroups(holdsSequence(other.db.$client))
    }
    t.equal(count(other, 'teams', "id = 'new'"), 1)
  }
})

t.test('an incomplete history leaves no gap in the sequence, and no sequence jump', async (t) => {
  const { folder, app, ada, target } = await source(t)
  const { $client } = app.db
  jump($client)
  await createProject(app, { name: 'Gemini' }, ada.headers)
  // The creations of some records have been pruned.
  const { seq } = rowsOf($client).find(({ kind }) => kind === 'kanban-item') ?? {}
  $client.prepare('delete from changes where seq < ?').run(seq)
  await exportArchive($client, join(folder, 'pruned'), quiet)
  const other = await target('target.db', { adminEmail: 'root@localhost' })
  signInAs(other, 'admin', { id: 'ada' })
  await createProject(other)
  jump(other.db.$client)
  const last = rowsOf(other.db.$client).at(-1)?.seq ?? 0
  await importArchive(other.db, join(folder, 'pruned'), { ...quiet, actorId: 'ada' })
  const rows = holdsSequence(other.db.$client)
  holdsGroups(rows)
  t.strictSame(gapsIn(other.db.$client, 1), [])
  const theirs = rows.filter((row) => row.seq > last)
  t.strictSame(
    theirs.map((row) => row.seq - last),
    theirs.map((_, index) => index + 1),
  )
  t.match(theirs[0], { kind: 'member', actor_id: 'ada', group: last + 1 }, 'told as created')
  t.notOk(theirs.some(({ kind }) => kind === 'leap'))
})

t.test('whoever did not see a project there does not learn of its past here', async (t) => {
  const { app, ada, folder, target } = await source(t)
  const make = async (url: string, body: object) => (await send(app, 'POST', url, body, ada.headers)).body.id
  const change = (method: string, url: string, body?: object) => send(app, method, url, body, ada.headers)
  signInAs(app, 'member', { id: 'ann' })
  const began = async (name: string) => {
    const project = await make('/api/projects', { name: `Hush ${name}`, access: 'assigned' })
    await make(`/api/projects/${project}/team-assignments`, { memberId: 'ann' })
    const gone = await make(`/api/projects/${project}/kanban-items`, { title: `Hush card ${name}` })
    await change('DELETE', `/api/kanban-items/${gone}`)
    return `/api/projects/${project}`
  }
  const [opened, closed, deleted] = [await began('opened'), await began('closed'), await began('deleted')]
  await change('PATCH', opened, { access: 'everyone', name: 'Plain' })
  await change('DELETE', deleted)
  // The creation of the last one has been pruned.
  const pruned = await began('pruned')
  app.db.$client
    .prepare(`delete from changes where kind = 'project' and '/api/projects/' || id = ?`)
    .run(pruned)
  await change('PATCH', pruned, { access: 'everyone', name: 'Plain' })
  const archive = join(folder, 'access')
  await exportArchive(app.db.$client, archive, quiet)
  const cases = [
    ['an empty service', 'new.db', {}],
    ['others', 'beside.db', { adminEmail: 'root@localhost' }],
  ] as const
  for (const [what, name, options] of cases) {
    const other = await target(name, { authMode: 'required', ...options })
    if (what === 'others') await createProject(other, { name: 'Other' }, signInAs(other, 'admin').headers)
    await importArchive(other.db, archive, quiet)
    const open = await send(
      other,
      'PATCH',
      closed,
      { access: 'everyone', name: 'Plain' },
      signInAs(other, 'admin').headers,
    )
    t.equal(open.status, 200)
    const readAll = async (headers: Record<string, string>) =>
      JSON.stringify([
        (await send(other, 'GET', '/api/changes?after=0&limit=1000', undefined, headers)).body,
        (await send(other, 'GET', '/api/trash', undefined, headers)).body,
      ])
    t.notMatch(await readAll(signInAs(other, 'member').headers), /Hush/, `beside ${what}`)
    const { token } = other.rules.members.sessions.start('ann')
    const known = await readAll({ cookie: `phaseboard_session=${token}` })
    for (const one of ['opened', 'closed', 'deleted', 'pruned'])
      t.match(known, `Hush card ${one}`, `beside ${what}, who was in it knows ${one}`)
  }
})
