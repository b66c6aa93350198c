import t, { type Test } from 'tap'
import { testChildResource } from '../child-resource.ts'
import { same, text } from '../field-contracts.ts'
import {
  type App,
  build,
  count,
  created,
  createItem,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  readOnly,
  send,
  signInAs,
} from '../helper.ts'

const noItem = { error: 'Kanban item not found' }
const noComment = { error: 'Kanban comment not found' }
const notYours = { error: "Forbidden: another member's comment" }
const wordless = invalid({ content: ['must NOT have fewer than 1 characters'] })

type Headers = Record<string, string> | undefined

const createComment = (app: App, itemId: string, content = 'Hm', headers?: Headers) =>
  created(app, `/api/kanban-items/${itemId}/comments`, { content }, headers)

/** An application with one item, and sessions of all kinds of members. `author` wrote the comment at `url`. */
async function meetingOf(t: Test, authMode: 'open' | 'required') {
  const app = await build(t, { authMode })
  const [author, member, viewer, admin] = (['member', 'member', 'viewer', 'admin'] as const).map((role) =>
    signInAs(app, role),
  ) as [Session, Session, Session, Session]
  const project = await createProject(app, {}, author.headers)
  const item = await createItem(app, project.id, {}, author.headers)
  const comment = await createComment(app, item.id, 'Hm', author.headers)
  return {
    app,
    author,
    member,
    viewer,
    admin,
    item,
    comment,
    url: `/api/kanban-comments/${comment.id}`,
  }
}
type Session = ReturnType<typeof signInAs>

let contents = 1000

const content = text(1, 10_000)

testChildResource(t, {
  thing: 'Kanban comment',
  path: 'kanban-comments',
  listPath: 'comments',
  parent: 'item',
  table: 'kanban_comments',
  least: { content: 'Hm' },
  // In the order of creation, not of contents.
  distinct: () => ({ content: `Hm ${--contents}` }),
  defaults: { authorId: 'local', content: 'Hm', editedAt: null },
  fields: { content: { ...content, accepts: [...content.accepts, ...same('é無\u0000\n</script>')] } },
  serverOwned: { authorId: 'somebody', editedAt: LONG_AGO },
  changedIn: 'editedAt',
  ofAnother: [403, notYours],
})

t.test('the author of a comment is the sender of the request, in both modes', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const { app, item, author, member, admin, comment } = await meetingOf(t, authMode)
    t.equal(comment.authorId, author.id)
    for (const { id, headers } of [member, admin]) {
      t.equal((await createComment(app, item.id, 'Hm', headers)).authorId, id)
    }
  }
})

t.test('who may change a comment', async (t) => {
  t.test('only its author and admins, in both modes', async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const { app, author, member, admin, comment, url } = await meetingOf(t, authMode)
      const others = authMode === 'open' ? [member.headers, undefined] : [member.headers]
      for (const headers of others) {
        await holds(t, app, [
          ['PATCH', url, { content: 'Mine' }, headers, 403, notYours],
          ['PATCH', url, { content: 'Mine', authorId: member.id }, headers, 403, notYours],
          ['PATCH', url, {}, headers, 403, notYours],
          ['DELETE', url, undefined, headers, 403, notYours],
        ])
      }
      await holds(t, app, [['GET', url, undefined, author.headers, 200, comment]])
      await holds(t, app, [
        [
          'PATCH',
          url,
          { content: 'Better' },
          author.headers,
          200,
          { content: 'Better', authorId: author.id },
        ],
        ['PATCH', url, { content: 'Kinder' }, admin.headers, 200, { content: 'Kinder', authorId: author.id }],
        ['DELETE', url, undefined, admin.headers, 200, { success: true }],
      ])
    }
  })

  t.test('the same content does not edit it', async (t) => {
    const { app, author, comment, url } = await meetingOf(t, 'open')
    const { status, headers, body } = await send(app, 'PATCH', url, comment, author.headers)
    t.match([status, headers['phaseboard-seq']], [200, undefined])
    t.strictSame(body, comment)
  })

  t.test('its author may delete it, too', async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const { app, author, url } = await meetingOf(t, authMode)
      await holds(t, app, [['DELETE', url, undefined, author.headers, 200, { success: true }]])
      t.equal(count(app, 'kanban_comments'), 0)
    }
  })

  t.test(
    'viewers comment and change their own comments in open mode; in required mode they only read',
    async (t) => {
      const open = await meetingOf(t, 'open')
      const { headers } = open.viewer
      const own = await createComment(open.app, open.item.id, 'Mine', headers)
      await holds(t, open.app, [
        ['PATCH', open.url, { content: 'x' }, headers, 403, notYours],
        ['DELETE', open.url, undefined, headers, 403, notYours],
        ['PATCH', `/api/kanban-comments/${own.id}`, { content: 'x' }, headers, 200, { content: 'x' }],
        ['DELETE', `/api/kanban-comments/${own.id}`, undefined, headers, 200, { success: true }],
      ])
      const required = await meetingOf(t, 'required')
      const { app, viewer, item } = required
      const { body: before } = await send(app, 'GET', required.url, undefined, viewer.headers)
      app.db.$client.prepare('update kanban_comments set author_id = ?').run(viewer.id)
      await holds(t, app, [
        ['POST', `/api/kanban-items/${item.id}/comments`, { content: 'x' }, viewer.headers, 403, readOnly],
        ['PATCH', required.url, { content: 'x' }, viewer.headers, 403, readOnly],
        ['DELETE', required.url, undefined, viewer.headers, 403, readOnly],
        ['GET', required.url, undefined, viewer.headers, 200, { ...before, authorId: viewer.id }],
      ])
    },
  )
})

t.test('validation comes before the check of the author', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const { app, member, url } = await meetingOf(t, authMode)
    await holds(t, app, [
      ['PATCH', url, '{oops', member.headers, 500, { error: 'Failed to update kanban comment' }],
      ['PATCH', url, { content: '' }, member.headers, 400, wordless],
    ])
  }
})

t.test('the rule checks again for changes made while the request waited', async (t) => {
  const { app, comment } = await meetingOf(t, 'open')
  const comments = app.rules.board.comments
  const somebody = { id: 'somebody', name: '', email: null, role: 'member' } as const
  const gone = { statusCode: 404, message: noComment.error }
  const refused = { statusCode: 403, message: notYours.error }
  t.throws(() => comments.create('none', { content: 'x' }, somebody), {
    statusCode: 404,
    message: noItem.error,
  })
  t.throws(() => comments.update('none', {}, somebody), gone)
  t.throws(() => comments.delete('none', { ...somebody, role: 'admin' }), gone)
  t.throws(() => comments.update(comment.id, { content: 'x' }, somebody), refused)
  t.throws(() => comments.delete(comment.id, { ...somebody, role: 'viewer' }), refused)
})
