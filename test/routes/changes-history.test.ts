/** The history of projects and items, and the trash. */
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { writeAs } from '../../src/db/client.ts'
import { BY_COMMAND } from '../../src/db/current-write.ts'
import { kanbanItems, projects } from '../../src/db/schema.ts'
import { TooMuchWork } from '../../src/db/work-limits.ts'
import {
  type App,
  build,
  createItem,
  createProject,
  createSubtask,
  holds,
  invalid,
  send,
  signInAs,
  writeIn,
} from '../helper.ts'

const lastOf = (app: App) => app.rules.changes.sequence.last()

/** The record of a change, or of an entry of the trash. */
interface AnyChange {
  seq: number
  kind: string
  id: string
  action: string
  group: number
  title: string
}

const inShort = (changes: AnyChange[]) => changes.map(({ kind, action }) => `${kind} ${action}`)

/** All pages of a list, one after the other. */
async function pages(app: App, url: string): Promise<AnyChange[][]> {
  const all: AnyChange[][] = []
  for (let next: string | undefined = url; next !== undefined; ) {
    const { body, headers } = await send(app, 'GET', next)
    all.push(body)
    next = /^<(.*)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1]
  }
  return all
}

t.test('unknown records and invalid queries are refused', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const itemNotFound = { error: 'Kanban item not found' }
  await holds(t, app, [
    ['GET', '/api/projects/none/changes', 404, { error: 'Project not found' }],
    ['GET', `/api/projects/${item.id}/changes`, 404, { error: 'Project not found' }],
    ['GET', '/api/kanban-items/none/changes', 404, itemNotFound],
    ['GET', `/api/kanban-items/${project.id}/changes`, 404, itemNotFound],
    ['GET', '/api/kanban-items/none/changes?limit=0', 400, invalid({ limit: ['must be >= 1'] })],
    ['GET', '/api/trash?limit=501', 400, invalid({ limit: ['must be <= 500'] })],
    ['GET', '/api/trash?cursor=x', 400, invalid({ cursor: ['must be integer'] })],
  ])
})

t.test('the history of a project and of an item is newest first, also after their deletion', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const project = await createProject(app)
  const elsewhere = await createProject(app)
  const item = await createItem(app, project.id)
  await createSubtask(app, item.id)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: 'Ace' })
  await send(app, 'POST', `/api/kanban-items/${item.id}/move`, { projectId: elsewhere.id, column: 'Done' })
  const moved = lastOf(app)
  const ofItem = await send(app, 'GET', `/api/kanban-items/${item.id}/changes`)
  t.strictSame(inShort(ofItem.body), [
    'kanban-item updated',
    'kanban-item updated',
    'kanban-subtask created',
    'kanban-item created',
  ])
  t.match(ofItem.body[1], { before: { title: 'Card' }, after: { title: 'Ace' } })
  t.equal(ofItem.headers.link, undefined)
  const ofProject = async (id: string) => (await send(app, 'GET', `/api/projects/${id}/changes`)).body
  t.equal((await ofProject(project.id))[0].seq, moved, 'what was taken out of a project is its history, too')
  t.equal((await ofProject(elsewhere.id))[0].seq, moved)

  await send(app, 'DELETE', `/api/projects/${elsewhere.id}`, undefined, headers)
  const whole = await ofProject(elsewhere.id)
  t.equal(inShort(whole)[0], 'project deleted')
  t.strictSame(inShort((await send(app, 'GET', `/api/kanban-items/${item.id}/changes`)).body).slice(0, 3), [
    'kanban-item deleted',
    'kanban-activity deleted',
    'kanban-subtask deleted',
  ])
  const paged = await pages(app, `/api/projects/${elsewhere.id}/changes?limit=3`)
  t.strictSame(paged.flat(), whole)
  t.ok(paged.every(({ length }) => length <= 3))
  t.strictSame(
    whole,
    whole.toSorted((a: AnyChange, b: AnyChange) => b.seq - a.seq),
  )

  app.db.$client.exec('delete from changes where seq < (select max(seq) from changes)')
  t.equal(
    (await send(app, 'GET', `/api/kanban-items/${item.id}/changes`)).status,
    404,
    'until it is not kept',
  )
  t.strictSame(inShort(await ofProject(elsewhere.id)), ['project deleted'])
  t.strictSame(await ofProject(project.id), [], 'what is there has a history, if an empty one')
})

t.test('a page has a hundred changes with their groups, those of other tools too', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const insert = app.db.$client.prepare(
    `insert into objectives (id, project_id, title) with recursive n(i) as (select 1 union all select i + 1 from n where i < 150)
     select 'o' || i, ?, 'Land' from n`,
  )
  const first = lastOf(app) + 1
  insert.run(project.id)
  const [page = [], rest = []] = await pages(app, `/api/projects/${project.id}/changes`)
  t.equal(page.length, 100)
  t.ok([...page, ...rest.slice(0, 50)].every(({ group }) => group === first))
  t.equal(rest[50]?.group, rest.at(-1)?.group)
})

t.test('the trash lists what can be restored, newest first', async (t) => {
  const app = await build(t)
  const { id: admin, headers } = signInAs(app, 'admin')
  const [project, other] = [await createProject(app), await createProject(app, { name: 'Gemini' })]
  const items: { id: string }[] = []
  for (const title of ['one', 'two', 'three']) items.push(await createItem(app, project.id, { title }))
  const trash = async (query = '') => (await send(app, 'GET', `/api/trash${query}`)).body as AnyChange[]
  const titles = async (query = '') => (await trash(query)).map(({ title }) => title)
  t.strictSame(await trash(), [])
  for (const { id } of items.slice(0, 2))
    await send(app, 'DELETE', `/api/kanban-items/${id}`, undefined, headers)
  t.match(await trash(), [
    {
      kind: 'kanban-item',
      id: items[1]?.id,
      title: 'two',
      projectId: project.id,
      actorId: admin,
      seq: lastOf(app),
    },
    { title: 'one' },
  ])
  t.strictSame(await titles(`?projectId=${other.id}`), [])
  t.strictSame(
    (await pages(app, '/api/trash?limit=1')).map((page) => page.map(({ title }) => title)),
    [['two'], ['one']],
  )

  const undo = (seq: number) => send(app, 'POST', `/api/changes/${seq}/undo`, undefined, headers)
  await undo(lastOf(app))
  t.strictSame(await titles(), ['one'], 'what came back is not in it')
  await send(app, 'DELETE', `/api/kanban-items/${items[1]?.id}`)
  t.strictSame(await titles(), ['two', 'one'], 'what is deleted again is in it once')

  await send(app, 'DELETE', `/api/projects/${project.id}`, undefined, headers)
  await send(app, 'DELETE', `/api/projects/${other.id}`, undefined, headers)
  t.strictSame(
    await titles(),
    ['Gemini', 'Apollo'],
    'what went with its project, or before it, is not listed',
  )
  t.strictSame(await titles(`?projectId=${project.id}`), ['Apollo'])
  const indexed = await trash()
  while (app.rules.changes.subjects.index() > 0);
  t.strictSame(await trash(), indexed, 'the same by the index')
  for (const { seq } of indexed) t.equal((await undo(seq)).status, 200)
  t.strictSame(await titles(), ['two', 'one'], 'but once the project is back')
  while (app.rules.changes.subjects.index() > 0);
  t.strictSame(await titles(), ['two', 'one'])
  for (const { seq } of await trash()) t.equal((await undo(seq)).status, 200, 'all of it can come back')
  t.strictSame(await titles(), [])

  await writeIn(app, () => {
    const { id } = app.rules.board.items.create(project.id, { title: 'fleeting' })
    app.rules.board.items.delete(id)
  })
  t.strictSame(await titles(), [], 'what came and went in one write does not come back')
  while (app.rules.changes.subjects.index() > 0);
  t.strictSame(await titles(), [])
  await send(app, 'DELETE', `/api/kanban-items/${items[2]?.id}`)
  t.strictSame(await titles(), ['three'])
  app.db.$client.prepare('update changes set "group" = "group" - 1 where seq = ?').run(lastOf(app))
  app.db.$client.prepare('delete from changes where seq < ?').run(lastOf(app))
  t.strictSame(await titles(), [], 'nor what is not kept whole')
})

t.test('the worker thread searches a long history or a large trash', async (t) => {
  const app = await build(t, { databaseUrl: join(t.testdir(), 'board.db') })
  const project = await createProject(app)
  const text = 'x'.repeat(90_000)
  for (let i = 0; i < 30; i++) await createItem(app, project.id, { title: 'long', description: text })
  const reader = { id: 'local', role: 'member' }
  const { history: rules, trash } = app.rules.changes
  t.throws(() => rules.ofProject(project.id, {}, reader), TooMuchWork)
  const history = await send(app, 'GET', `/api/projects/${project.id}/changes`)
  t.equal(history.body.length, 35)
  app.db.$client.exec(`delete from kanban_items where title = 'long'`)
  t.throws(() => trash.page({}, reader), TooMuchWork)
  t.equal((await send(app, 'GET', '/api/trash')).body.length, 30)
  const { $client: client } = app.db
  // Records that were deleted later and cannot be restored.
  const insert = client.prepare(
    `insert into changes (kind, id, action, project_id, before)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     select 'kanban-item', 'gone', 'deleted', 'gone', '{}' from n`,
  )
  insert.run(1500)
  t.throws(() => trash.page({ limit: 1 }, reader), TooMuchWork)
  t.equal((await send(app, 'GET', '/api/trash')).body.length, 30)
  insert.run(50_000)
  const [first = [], ...rest] = await pages(app, '/api/trash?limit=20')
  t.strictSame([first.length, rest.flat().length], [0, 30], 'a page may be empty before the next one')
})

t.test('a page of the trash ends after a limited search, and names the next one', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const item = await createItem(app, id)
  await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
  // Deleted and restored: not in the list, but readable.
  app.db.$client.exec(`insert into changes (kind, id, action, project_id, item_id, before, "group")
    with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < 50500)
    select 'project', '${id}', 'deleted', '${id}', null, '{"name":"Apollo"}', 1 from numbers`)
  const first = await send(app, 'GET', '/api/trash')
  t.strictSame([first.status, first.body], [200, []])
  const next = /<(.*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
  const second = await send(app, 'GET', next)
  t.match(second.body, [{ kind: 'kanban-item', id: item.id }])
  t.notOk(second.headers.link)
})

t.test('actors without a member are named: the command line, the service, another tool', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const item = await createItem(app, id)
  const rename = (name: string) => app.db.update(projects).set({ name }).where(eq(projects.id, id)).run()
  writeAs(app.db, BY_COMMAND, () => rename('By a command'))
  await writeIn(app, () => rename('By the service'))
  app.db.$client.exec("update projects set name = 'By another tool'")
  writeAs(app.db, BY_COMMAND, () => app.db.delete(kanbanItems).where(eq(kanbanItems.id, item.id)).run())
  const { body } = await send(app, 'GET', `/api/projects/${id}/changes`)
  const named = body.filter(({ after }: { after: { name?: string } | null }) => after?.name?.startsWith('By'))
  t.strictSame(
    named.map((one: Record<string, unknown>) => [
      one.actorId,
      one.actor,
      (one.after as { name: string }).name,
    ]),
    [
      [null, 'another tool', 'By another tool'],
      [null, 'service', 'By the service'],
      [null, 'command line', 'By a command'],
    ],
  )
  const made = body.find(
    ({ action, kind }: Record<string, string>) => action === 'created' && kind === 'project',
  )
  t.equal(made.actorId, 'local')
  t.notOk('actor' in made, 'a member is named by the id')
  t.match((await send(app, 'GET', '/api/trash')).body, [
    { id: item.id, actorId: null, actor: 'command line' },
  ])
})
