/** The assignee `me` in bodies, which means the caller. */
import t from 'tap'
import { sendBatch } from '../batches.ts'
import { type App, build, createItem, createProject, send, signInAs } from '../helper.ts'

const CALLER = 'caller'
const DEFAULT = 'host'

/** The callers in a mode. In open mode these include the default member. */
function callers(app: App, authMode: 'open' | 'required') {
  const { id, headers } = signInAs(app, 'member', { id: CALLER })
  const signedIn = [{ id, headers: headers as Record<string, string> }]
  return authMode === 'open' ? [...signedIn, { id: DEFAULT, headers: {} }] : signedIn
}

t.test('every assignee field accepts `me`', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode, defaultMemberId: DEFAULT })
    const project = await createProject(app, {}, signInAs(app, 'admin').headers)
    for (const { id, headers } of callers(app, authMode)) {
      const url = `/api/projects/${project.id}/kanban-items`
      const made = await send(app, 'POST', url, { title: 'Card', assigneeId: 'me' }, headers)
      t.match(made, { status: 201, body: { assigneeId: id } })
      const [one, two] = [
        await createItem(app, project.id, {}, headers),
        await createItem(app, project.id, {}, headers),
      ]
      const changed = await send(app, 'PATCH', `/api/kanban-items/${one.id}`, { assigneeId: 'me' }, headers)
      t.match(changed, { status: 200, body: { assigneeId: id } })
      const { body: activity } = await send(
        app,
        'GET',
        `/api/kanban-items/${one.id}/activity`,
        undefined,
        headers,
      )
      t.match(activity, [{ type: 'assignment', metadata: { to: id } }])
      const bulk = { ids: [one.id, two.id], update: { assigneeId: 'me' } }
      const both = await send(app, 'PATCH', '/api/kanban-items', bulk, headers)
      t.match(both, { status: 200, body: [{ assigneeId: id }, { assigneeId: id }] })
      const batch = await sendBatch(
        app,
        [
          { method: 'POST', path: url, body: { title: 'Card', assigneeId: 'me' } },
          {
            method: 'PATCH',
            path: '/api/kanban-items',
            body: { ids: [two.id], update: { assigneeId: 'me' } },
          },
        ],
        headers,
      )
      t.match(batch.body.results, [{ body: { assigneeId: id } }, { body: [{ assigneeId: id }] }])
      const unassigned = await send(
        app,
        'PATCH',
        '/api/kanban-items',
        { ...bulk, update: { assigneeId: null } },
        headers,
      )
      t.match(unassigned.body, [{ assigneeId: null }, { assigneeId: null }])
      const named = await send(
        app,
        'PATCH',
        '/api/kanban-items',
        { ...bulk, update: { assigneeId: 'Me' } },
        headers,
      )
      t.match(named.body, [{ assigneeId: 'Me' }, { assigneeId: 'Me' }])
    }
  }
})
