/** Tools return the names of people together with their ids. */
import Fastify from 'fastify'
import t from 'tap'
import { people } from '../../src/db/schema.ts'
import type { HostPerson } from '../../src/phaseboard.d.ts'
import { createItem, createProject, send, signInAs, tokenOf } from '../helper.ts'
import { shipped } from '../shipped.ts'
import { overHttp, serve } from './agents.ts'

t.test('all tools return names beside ids', async (t) => {
  const { app, url } = await serve(t, { authMode: 'required' })
  const { id: ada, headers } = signInAs(app, 'admin')
  const bob = { id: 'u-2', name: 'Bob Builder', kind: 'host' as const }
  app.db.insert(people).values([bob]).run()
  const ofAda = app.db.$client.prepare('select name from members where id = ?').pluck().get(ada)
  const { id: projectId } = await createProject(app, {}, headers)
  const walls = await createItem(app, projectId, { title: 'Walls', assigneeId: bob.id }, headers)
  await createItem(app, projectId, { title: 'Roof', assigneeId: 'ghost', column: 'Review' }, headers)
  await createItem(app, projectId, { title: 'Door', assigneeId: ada, column: 'Review' }, headers)
  await createItem(app, projectId, { title: 'Sill', column: 'Review' }, headers)
  const { client, call } = await overHttp(t, url, tokenOf(app, ada))

  const whom = (items: { title: string; assigneeId: string | null; assignee?: string }[]) =>
    Object.fromEntries(items.map(({ title, assigneeId, assignee }) => [title, [assigneeId, assignee]]))
  const all = {
    Walls: [bob.id, bob.name],
    Roof: ['ghost', undefined],
    Door: [ada, ofAda],
    Sill: [null, undefined],
  }
  t.strictSame(whom((await call('find_items', { projectId })).items), all)
  const board = await call('read_board', { projectId })
  t.strictSame(whom(board.columns.flatMap(({ items }: { items: [] }) => items)), all)
  const { contents } = await client.readResource({ uri: `phaseboard://projects/${projectId}` })
  t.match((contents[0] as { text: string }).text, '"assignee":"Bob Builder"', 'in the resource, too')

  const itemId = walls.id
  t.match(await call('comment', { itemId, content: 'Higher' }), { comment: { authorId: ada, author: ofAda } })
  const mine = await call('change_item', { itemId, assigneeId: 'me' })
  t.match(mine, { item: { assigneeId: ada, assignee: ofAda } })
  await call('change_item', { itemId, assigneeId: bob.id, priority: 'high' })
  await call('change_item', { itemId, assigneeId: null })
  await call('change_item', { itemId, assigneeId: bob.id })
  const read = await call('read_item', { itemId })
  t.match(read, {
    item: { assigneeId: bob.id, assignee: bob.name },
    comments: [{ authorId: ada, author: ofAda }],
  })
  t.strictSame(
    read.activity.map((entry: Record<string, unknown>) => [
      entry.type,
      entry.actor,
      entry.fromName,
      entry.toName,
    ]),
    [
      ['assignment', ofAda, undefined, bob.name],
      ['assignment', ofAda, bob.name, undefined],
      ['priority', ofAda, undefined, undefined],
      ['assignment', ofAda, ofAda, bob.name],
      ['assignment', ofAda, bob.name, ofAda],
    ],
  )
  await createItem(app, projectId, { approved: true }, headers)
  const { item: claimed } = await call('claim', { projectId })
  t.match(claimed, { assigneeId: ada, assignee: ofAda })

  await send(app, 'DELETE', `/api/people/${bob.id}`, undefined, headers)
  const { item } = await call('read_item', { itemId })
  t.equal(item.assigneeId, bob.id)
  t.notOk('assignee' in item, 'a forgotten one has no name')
})

t.test('a tool call succeeds if names cannot be read', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { call } = await overHttp(t, url)
  app.db.$client.exec('pragma legacy_alter_table = on; alter table people rename to broken')
  const { item } = await call('create_item', { projectId, title: 'Walls', assigneeId: 'u-2' })
  t.match(item, { title: 'Walls', assigneeId: 'u-2' })
  t.notOk('assignee' in item)
})

t.test('an agent finds people whom only the host lists, and sees their names', async (t) => {
  const staff: HostPerson[] = [
    { id: 'u-1', name: 'Ann Architect' },
    { id: 'u-30', name: 'Dora Draughtswoman' },
  ]
  const asked: object[] = []
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(shipped.phaseboard, {
    prefix: '/board',
    databaseUrl: ':memory:',
    resolveMember: () => ({ id: 'u-1', name: 'Ann Architect', role: 'admin' }),
    listMembers: ({ q = '', ids, ...query }) => {
      asked.push({ q, ids, ...query })
      return staff.filter(({ id, name }) => (ids ? ids.includes(id) : name.includes(q)))
    },
  })
  const url = `${await host.listen({ host: '127.0.0.1', port: 0 })}/board`
  const { call } = await overHttp(t, url)
  const project = await call('batch', {
    requests: [{ method: 'POST', path: '/api/projects', body: { name: 'House' } }],
  })
  const projectId = project.results[0].body.id
  t.strictSame(await call('find_people', { q: 'Draught' }), {
    people: [{ id: 'u-30', name: 'Dora Draughtswoman', kind: 'host' }],
  })
  for (const assigneeId of ['u-30', 'u-30', 'u-99']) {
    const { item } = await call('create_item', { projectId, title: 'Plan', assigneeId })
    t.equal(item.assignee, assigneeId === 'u-30' ? 'Dora Draughtswoman' : undefined)
  }
  const before = asked.length
  await call('read_board', { projectId })
  t.strictSame(
    asked.slice(before),
    [{ q: '', ids: ['u-99'], limit: 1 }],
    'asked once, for whom it has not named',
  )
})
