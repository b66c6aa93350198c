import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from '../command-line.ts'
import { makeOldFile } from '../database.ts'
import { type App, build, count, invalid, send, signInAs } from '../helper.ts'
import { ended, upload } from '../imports.ts'

const TRELLO = readFileSync('test/fixtures/trello-board.json', 'utf8')
const TASKS = [
  'Title,Assignee',
  'Plan,ann@acme.example',
  'Build,Bob Builder',
  'Test,"Cleo <cleo@acme.example>"',
].join('\n')

/** A service with two members, in memory or on a file. */
async function service(t: Parameters<typeof build>[0], options = {}) {
  const app = await build(t, options)
  const add = app.db.$client.prepare('insert into members (id, name, email, role) values (?, ?, ?, ?)')
  add.run('m-ann', 'Ann Smith', 'Ann@acme.example', 'member')
  add.run('m-bob', 'Bob Builder', 'bob@acme.example', 'member')
  return app
}

/** Imports a file, and waits for its end. */
async function imported(app: App, query: string, file = TASKS) {
  const { status, body } = await upload(app, query, file)
  return status === 202 ? await ended(app, body.id) : { status, body }
}

/** The assignees of a project's items, by title. */
async function assignees(app: App, projectId: string) {
  const { body } = await send(app, 'GET', `/api/projects/${projectId}`)
  return Object.fromEntries(
    body.kanbanItems.map(({ title, assigneeId }: Record<string, string>) => [title, assigneeId]),
  )
}

const query = (map: string) => `map=${encodeURIComponent(map)}`

for (const kind of ['in memory', 'in a file']) {
  t.test(`people of a board become members, known people or new ones, ${kind}`, async (t) => {
    const app = await service(
      t,
      kind === 'in memory' ? {} : { databaseUrl: `file:${join(t.testdir(), 'board.db')}` },
    )
    const first = await imported(app, 'format=csv&name=Our+plan')
    t.match(first, { status: 'done', counts: { people: 3 } })
    const cleoId: string = first.people[2].id
    t.notMatch(cleoId, '@')
    t.strictSame(
      first.people,
      [
        ...[{ id: 'ann@acme.example', name: 'ann', matched: 'email', memberId: 'm-ann' }],
        ...[{ id: 'Bob Builder', name: 'Bob Builder', matched: null, memberId: null }],
        ...[{ id: cleoId, name: 'Cleo', matched: null, memberId: null }],
      ].map((person) => ({ ...person, items: 1, comments: 0, attachments: 0 })),
    )
    t.strictSame(await assignees(app, first.projectId), {
      Plan: 'm-ann',
      Build: 'Bob Builder',
      Test: cleoId,
    })
    const { body: project } = await send(app, 'GET', `/api/projects/${first.projectId}`)
    t.equal(project.name, 'Our plan')

    const ids = ['m-ann', 'Bob Builder', cleoId]
    const asked = `/api/people?${ids.map((id) => `ids=${encodeURIComponent(id)}`).join('&')}`
    t.match((await send(app, 'GET', asked)).body, [
      { name: 'Ann Smith', kind: 'member' },
      { name: 'Bob Builder', kind: 'import', source: 'csv', sourceId: 'Bob Builder' },
      { name: 'Cleo', kind: 'import', source: 'csv' },
    ])

    const map = `${query('cleo@acme.example=m-ann')}&${query('Bob Builder=bob@acme.example')}`
    const second = await imported(app, `format=csv&again=true&${map}`)
    t.strictSame(
      second.people.map(({ matched, memberId }: Record<string, string>) => [matched, memberId]),
      [
        ['email', 'm-ann'],
        ['map', 'm-bob'],
        ['map', 'm-ann'],
      ],
    )
    t.strictSame(await assignees(app, second.projectId), { Plan: 'm-ann', Build: 'm-bob', Test: 'm-ann' })
    const third = await imported(app, 'format=csv&again=true&matchNames=true')
    t.match(third.people[1], { matched: 'name', memberId: 'm-bob' })
    t.equal(count(app, 'people'), 2, 'nobody is there twice')
    t.notHas((await send(app, 'GET', '/api/imports')).body[0], 'people')
    app.db.$client.exec("update imports set counts = '{', matches = '5'")
    const unread = await send(app, 'GET', `/api/imports/${third.id}`)
    t.match(unread, { status: 200, body: { status: 'done', counts: undefined, people: undefined } })
  })
}

t.test('authors of comments are matched too, and a dry run creates nobody', async (t) => {
  const app = await service(t)
  const board = JSON.parse(TRELLO)
  board.members[0].email = 'bob@acme.example'
  const dry = await imported(app, 'format=trello&dryRun=true', JSON.stringify(board))
  t.match(dry.people, [
    { name: 'Priya Raman', matched: null, memberId: null },
    { name: 'Amara Osei', matched: 'email', memberId: 'm-bob' },
    { name: 'Jonas Lindqvist', matched: null },
  ])
  t.equal(count(app, 'people'), 0)
  await imported(app, 'format=trello', JSON.stringify(board))
  t.equal(count(app, 'kanban_comments', "author_id = 'm-bob'"), dry.people[1].comments)
  const { body } = await send(app, 'GET', '/api/kanban-items?assigneeId=m-bob&dismissed=all')
  t.equal(body.length, dry.people[1].items)
})

t.test('an import of an earlier version keeps its people', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const old = makeOldFile(path, 30)
  const person = { id: 'Ann', name: 'Ann', matched: null, memberId: null, items: 2, comments: 0 }
  const made = { counts: { items: 2 }, notes: ['a'], people: [person] }
  const insert = old.prepare("insert into imports (id, format, status, counts) values (?, 'csv', 'done', ?)")
  insert.run('known', JSON.stringify(made))
  insert.run('unreadable', '{')
  old.close()
  const app = await build(t, { databaseUrl: `file:${path}` })
  const admin = signInAs(app, 'admin')
  const read = (path: string) => send(app, 'GET', path, undefined, admin.headers)
  t.match((await read('/api/imports/known')).body, made)
  t.match((await read('/api/imports/unreadable')).body, { status: 'done', people: undefined })
  const { people: _, ...listed } = made
  const list = (await read('/api/imports')).body
  t.match(list[1], listed)
  t.notHas(list[1], 'people')
})

t.test('nobody on a board is the default member', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const app = await service(t, { databaseUrl, defaultMemberId: 'cleo' })
  const made = await imported(app, 'format=csv', 'Title,Assignee\nPlan,cleo')
  t.match(made.people, [{ id: 'csv:cleo', name: 'cleo', matched: null }])
  t.strictSame((await send(app, 'GET', '/api/kanban-items?assigneeId=me')).body, [])
  const mapped = await imported(app, 'format=csv&again=true', 'Title,Assignee\nPlan,cleo')
  t.match(mapped.people, [{ id: 'csv:cleo' }], 'it stays the same person')
})

t.test('invalid mappings of people are refused', async (t) => {
  const app = await service(t)
  const refused = async (asked: string, field: string, message: string) =>
    t.match(await imported(app, `format=csv&${asked}`), {
      status: 400,
      body: { details: invalid({ [field]: [message] }).details },
    })
  await refused('map=Cleo', 'map', 'must be <from>=<to>')
  await refused('map=Cleo=', 'map', 'must be <from>=<to>')
  await refused('map==m-ann', 'map', 'must be <from>=<to>')
  await refused('map=Cleo=gus', 'map', 'must be a person here: gus')
  await refused('name=', 'name', 'must NOT have fewer than 1 characters')
  t.equal(count(app, 'imports'), 0)
  t.match(await imported(app, 'format=csv&map=Gus=m-ann'), {
    status: 'failed',
    error: 'the board has no person with the id, name or email "Gus"',
  })
  t.equal(count(app, 'projects'), 0)
})

t.test('a failed import leaves no people', async (t) => {
  const app = await service(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
  app.db.$client.exec(
    "create trigger full before insert on kanban_items when new.title = 'Test' begin select raise(abort, 'no room'); end",
  )
  t.match(await imported(app, 'format=csv'), { status: 'failed', error: 'no room' })
  t.equal(count(app, 'people'), 0)
  t.equal(count(app, 'changes', "kind = 'person'"), 0)
  app.db.$client.exec('drop trigger full')
})

t.test('a merge and the import can be undone', async (t) => {
  const app = await service(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
  const admin = signInAs(app, 'admin').headers
  const { projectId } = await imported(app, 'format=csv')
  const merged = await send(app, 'POST', '/api/people/Bob%20Builder/merge', { into: 'm-bob' }, admin)
  t.match(merged, { status: 200, body: { counts: { kanbanItems: 1 } } })
  t.match(await assignees(app, projectId), { Build: 'm-bob' })
  const again = await imported(app, 'format=csv&again=true')
  t.match(again.people[1], { matched: 'map', memberId: 'm-bob' }, 'a later import knows of it')
  const undo = (seq: number) => send(app, 'POST', `/api/changes/${seq}/undo`, undefined, admin)
  t.equal((await undo(merged.body.group)).status, 200)
  t.match(await assignees(app, projectId), { Build: 'Bob Builder' })

  const created = app.db.$client
    .prepare<[string], number>(
      "select seq from changes where kind = 'project' and action = 'created' and id = ?",
    )
    .pluck()
    .get(projectId)
  t.equal((await undo(created as number)).status, 200)
  t.equal((await send(app, 'GET', `/api/projects/${projectId}`)).status, 404)
})

t.test('the command matches people, accepts mappings, and prints both', async (t) => {
  const path = join(t.testdir({ 'tasks.csv': TASKS }), 'board.db')
  const app = await service(t, { databaseUrl: `file:${path}` })
  const environment = { DATABASE_URL: `file:${path}` }
  const command = (...args: string[]) =>
    run(t, ['import', 'csv', join(t.testdirName, 'tasks.csv'), ...args], environment)
  const dry = await command('--dry-run', '--match-names', '--name', 'Our plan')
  t.match(dry, {
    code: 0,
    stdout:
      /^would import Our plan\n(?:.*\n)*people 3 \(2 found here: 1 by email, 1 by name; 1 without a member: Cleo\)\n/,
  })
  const made = await command('--map', 'Cleo=m-ann', 'Bob Builder=bob@acme.example', '--name', 'Our plan')
  t.match(made, { code: 0, stdout: /\npeople 3 \(3 found here: 2 by map, 1 by email\)\n/ })
  const { body: projects } = await send(app, 'GET', '/api/projects')
  t.strictSame(
    projects.map(({ name }: { name: string }) => name),
    ['Our plan'],
  )
  t.strictSame(await assignees(app, projects[0].id), { Plan: 'm-ann', Build: 'm-bob', Test: 'm-ann' })
  t.match(await command('--again', '--map', 'Gus=m-ann'), {
    code: 1,
    stderr: 'phaseboard: the board has no person with the id, name or email "Gus"\n',
  })
  t.match(await command('--again', '--map', 'Cleo=gus'), {
    code: 1,
    stderr: 'phaseboard: no person here has the id or email "gus"\n',
  })
  t.match(await command('--map', 'Cleo'), { code: 2, stderr: /must be <from>=<to>/ })
  t.match(await command('--name', ''), { code: 2, stderr: /--name must have 1 to 200 characters/ })
  t.equal(count(app, 'projects'), 1)
})
