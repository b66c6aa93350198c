/** The numbers of comments and attachments of a project's items. */
import { join } from 'node:path'
import t from 'tap'
import {
  type App,
  authenticationRequired,
  build,
  createItem,
  createProject,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'

type Headers = Record<string, string>

const noProject = { error: 'Project not found' }

const comment = async (app: App, item: string, headers?: Headers) => {
  const answer = await send(app, 'POST', `/api/kanban-items/${item}/comments`, { content: 'Hm' }, headers)
  return { id: answer.body.id as string, seq: answer.headers['phaseboard-seq'] }
}

const attach = async (app: App, item: string, headers?: Headers) => {
  const url = 'https://example.org/plan'
  const answer = await send(app, 'POST', `/api/kanban-items/${item}/attachments`, { url }, headers)
  return answer.body.id as string
}

const urlOf = (project: string) => `/api/projects/${project}/kanban-counts`

const countsOf = async (app: App, project: string, query = '', headers?: Headers) => {
  const { status, body } = await send(app, 'GET', `${urlOf(project)}${query}`, undefined, headers)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** A project with an item with two comments and a link, a dismissed one with a link, and one with neither; and another project. */
async function setUp(app: App, headers?: Headers) {
  const { id } = await createProject(app, {}, headers)
  const { id: other } = await createProject(app, {}, headers)
  const [both, dismissed, neither, elsewhere] = await Promise.all(
    [id, id, id, other].map(async (project) => (await createItem(app, project, {}, headers)).id as string),
  )
  const items = { both, dismissed, neither, elsewhere } as Record<
    'both' | 'dismissed' | 'neither' | 'elsewhere',
    string
  >
  await comment(app, items.both, headers)
  await comment(app, items.both, headers)
  await attach(app, items.both, headers)
  await attach(app, items.dismissed, headers)
  await comment(app, items.elsewhere, headers)
  await send(app, 'PATCH', `/api/kanban-items/${items.dismissed}`, { dismissed: true }, headers)
  return { id, other, ...items }
}

t.test('all items that have any are counted, and no others', async (t) => {
  const app = await build(t)
  const { id, other, both, dismissed, neither, elsewhere } = await setUp(app)
  const counts = { [both]: { comments: 2, attachments: 1 }, [dismissed]: { comments: 0, attachments: 1 } }
  t.strictSame(await countsOf(app, id), counts)
  t.strictSame(await countsOf(app, other), { [elsewhere]: { comments: 1, attachments: 0 } })
  t.strictSame(await countsOf(app, (await createProject(app)).id), {})

  t.strictSame(await countsOf(app, id, `?itemId=${both}`), { [both]: counts[both] })
  t.strictSame(await countsOf(app, id, `?itemId=${both}&itemId=${dismissed}&itemId=${neither}`), counts)
  t.strictSame(await countsOf(app, id, `?itemId=${elsewhere}&itemId=none`), {}, 'of another project')
  t.strictSame(await countsOf(app, id, '?itemId='), counts, 'an empty filter does not filter')
  t.strictSame((await send(app, 'GET', urlOf('none'))).body, noProject)

  const { headers } = await send(app, 'GET', urlOf(id))
  t.equal(headers['cache-control'], 'no-cache')
  const again = { 'if-none-match': String(headers.etag) }
  t.equal((await send(app, 'GET', urlOf(id), undefined, again)).status, 304)
  await comment(app, neither)
  t.equal((await send(app, 'GET', urlOf(id), undefined, again)).status, 200)
})

t.test('a deletion and its undo, and a move to another project', async (t) => {
  const app = await build(t)
  const { id, other, both, dismissed, elsewhere } = await setUp(app)
  const undo = (seq: unknown) => send(app, 'POST', `/api/changes/${seq}/undo`)
  const before = await countsOf(app, id)
  const made = await comment(app, dismissed)
  t.strictSame((await countsOf(app, id))[dismissed], { comments: 1, attachments: 1 })
  await undo(made.seq)
  t.strictSame(await countsOf(app, id), before)

  const link = await attach(app, both)
  const deletion = await send(app, 'DELETE', `/api/attachments/${link}`)
  t.strictSame(await countsOf(app, id), before)
  await undo(deletion.headers['phaseboard-seq'])
  t.strictSame((await countsOf(app, id))[both], { comments: 2, attachments: 2 })

  const removal = await send(app, 'DELETE', `/api/kanban-items/${both}`)
  t.strictSame(Object.keys(await countsOf(app, id)), [dismissed])
  await undo(removal.headers['phaseboard-seq'])
  t.strictSame((await countsOf(app, id))[both], { comments: 2, attachments: 2 })

  await send(app, 'POST', `/api/kanban-items/${both}/move`, { projectId: other })
  t.strictSame(Object.keys(await countsOf(app, id)), [dismissed])
  t.strictSame(await countsOf(app, other), {
    [both]: { comments: 2, attachments: 2 },
    [elsewhere]: { comments: 1, attachments: 0 },
  })
  await send(app, 'DELETE', `/api/projects/${id}`, undefined, signInAs(app, 'admin').headers)
  t.strictSame((await send(app, 'GET', urlOf(id))).body, noProject)
})

t.test('members who can read the project can read the counts', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const [insider, outsider, guest, admin] = (['member', 'member', 'guest', 'admin'] as const).map((role) =>
    signInAs(app, role),
  )
  const { id, other, both, elsewhere } = await setUp(app, insider?.headers)
  await send(app, 'PATCH', `/api/projects/${id}`, { access: 'assigned' }, admin?.headers)
  const assign = async (project: string, memberId: string | undefined) => {
    const body = { memberId, role: 'viewer' }
    const url = `/api/projects/${project}/team-assignments`
    t.equal((await send(app, 'POST', url, body, admin?.headers)).status, 201)
  }
  const ask = (project: string, headers?: Headers, query = '') =>
    send(app, 'GET', `${urlOf(project)}${query}`, undefined, headers)
  t.strictSame((await ask(id)).body, authenticationRequired)
  for (const caller of [outsider, guest]) {
    const answer = await ask(id, caller?.headers)
    t.strictSame([answer.status, answer.body], [404, noProject])
  }
  await assign(other, guest?.id)
  t.strictSame((await ask(other, guest?.headers)).body, { [elsewhere]: { comments: 1, attachments: 0 } })
  t.strictSame((await ask(other, guest?.headers, `?itemId=${both}`)).body, {}, 'nothing of an unseen item')
  t.equal((await ask(id, guest?.headers)).status, 404)
  await assign(id, guest?.id)
  t.equal((await ask(id, guest?.headers)).body[both].comments, 2)
  const token = tokenOf(app, String(guest?.id), { scope: 'read' })
  t.equal((await ask(id, token)).body[both].attachments, 1)
  t.equal((await ask(id, { ...token, prefer: 'handling=strict' }, '?item=x')).status, 400)
})

t.test('other tools may have stored any id', async (t) => {
  const app = await build(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
  const { id } = await createProject(app)
  for (const odd of ['__proto__', 'warnings', '"', '']) {
    const { $client: client } = app.db
    client.prepare(`insert into kanban_items (id, project_id, title) values (?, ?, 'Odd')`).run(odd, id)
    client
      .prepare(`insert into kanban_comments (id, item_id, author_id, content) values (?, ?, 'ada', 'Hm')`)
      .run(`of ${odd}`, odd)
  }
  const { payload } = await app.inject({ url: urlOf(id) })
  const counts = JSON.parse(payload)
  t.strictSame(Object.keys(counts).toSorted(), ['', '"', '__proto__', 'warnings'])
  t.strictSame(Object.getOwnPropertyDescriptor(counts, '__proto__')?.value, { comments: 1, attachments: 0 })
})
