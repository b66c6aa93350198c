import t, { type Test } from 'tap'
import {
  type App,
  authenticationRequired,
  breakTable,
  build,
  count,
  createItem,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  readOnly,
  send,
  signInAs,
  stored,
} from '../helper.ts'

const text = { 'content-type': 'text/plain' }
const noItem = { error: 'Kanban item not found' }
const noComment = { error: 'Kanban comment not found' }
const notYours = { error: "Forbidden: another member's comment" }
const wordless = invalid({ content: ['must NOT have fewer than 1 characters'] })
const fails = (what: string) => ({ error: `Failed to ${what}` })

/** Ids that name nothing, some of them such as an attacker would try. */
const STRANGE_IDS = ['none', '%', 'a%2Fb', '__proto__', 'constructor', "'", long(10_000)]

type Headers = Record<string, string> | undefined

async function createComment(app: App, itemId: string, content = 'Hm', headers?: Headers) {
  const { status, body } = await send(
    app,
    'POST',
    `/api/kanban-items/${itemId}/comments`,
    { content },
    headers,
  )
  if (status !== 201) throw new Error(`the comment was not created: ${JSON.stringify(body)}`)
  return body
}

/** An application with one comment of the default member on one item. */
async function talkOf(t: Test, content?: string) {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const comment = await createComment(app, item.id, content)
  return {
    app,
    item,
    comment,
    list: `/api/kanban-items/${item.id}/comments`,
    url: `/api/kanban-comments/${comment.id}`,
  }
}

/** An application with one item, and sessions of everybody who may meet there; `author` made the comment at `url`. */
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
    list: `/api/kanban-items/${item.id}/comments`,
    url: `/api/kanban-comments/${comment.id}`,
  }
}
type Session = ReturnType<typeof signInAs>

t.test('GET and POST /api/kanban-items/{id}/comments', async (t) => {
  t.test('a comment is its content, by the current member, not edited yet', async (t) => {
    const { app, item, comment } = await talkOf(t, 'Looks good')
    t.strictSame(comment, {
      id: comment.id,
      itemId: item.id,
      authorId: 'local',
      content: 'Looks good',
      editedAt: null,
      createdAt: comment.createdAt,
    })
    t.strictSame(stored(app, 'kanban_comments', comment.id), {
      id: comment.id,
      item_id: item.id,
      author_id: 'local',
      content: 'Looks good',
      edited_at: null,
      created_at: comment.createdAt,
    })
  })

  t.test('the author is whoever makes the request, in both modes', async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const { app, item, author, member, admin, comment } = await meetingOf(t, authMode)
      t.equal(comment.authorId, author.id)
      for (const { id, headers } of [member, admin]) {
        t.equal((await createComment(app, item.id, 'Hm', headers)).authorId, id)
      }
    }
  })

  t.test('server-owned and unknown fields are ignored and never stored', async (t) => {
    const { app, item, list, comment } = await talkOf(t)
    const other = await createItem(app, item.projectId)
    const forged = {
      id: comment.id,
      itemId: other.id,
      authorId: 'somebody',
      editedAt: LONG_AGO,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
      nonsense: 1,
    }
    const { status, body } = await send(app, 'POST', list, { content: 'Ha', ...forged })
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      itemId: item.id,
      authorId: 'local',
      content: 'Ha',
      editedAt: null,
      createdAt: body.createdAt,
    })
    t.not(body.id, comment.id)
    t.not(body.createdAt, LONG_AGO)
    const lurking =
      '{"content":"Ha","__proto__":{"authorId":"x"},"constructor":{"prototype":{"authorId":"x"}}}'
    t.equal((await send(app, 'POST', list, lurking)).body.authorId, 'local')
    t.equal(count(app, 'kanban_comments', 'item_id = ?', other.id), 0)
  })

  t.test('the list is in the order of creation, and of this item alone', async (t) => {
    const { app, item, comment, list } = await talkOf(t, 'z')
    const other = await createItem(app, item.projectId)
    const elsewhere = await createComment(app, other.id)
    const a = await createComment(app, item.id, 'a')
    const m = await createComment(app, item.id, 'm')
    t.strictSame((await send(app, 'GET', list)).body, [comment, a, m])
    t.strictSame((await send(app, 'GET', `/api/kanban-items/${other.id}/comments`)).body, [elsewhere])
    const { id } = await createItem(app, item.projectId)
    t.strictSame((await send(app, 'GET', `/api/kanban-items/${id}/comments`)).body, [])
  })

  t.test('of an unknown item are 404, after validation', async (t) => {
    const { app, comment } = await talkOf(t)
    for (const id of [comment.id, ...STRANGE_IDS]) {
      const url = `/api/kanban-items/${id}/comments`
      await holds(t, app, [
        ['GET', url, undefined, undefined, 404, noItem],
        ['POST', url, { content: '' }, undefined, 400, wordless],
        ['POST', url, { content: 'Hm' }, undefined, 404, noItem],
      ])
    }
    t.equal(count(app, 'kanban_comments'), 1)
  })
})

t.test('content is 1 to 10,000 characters of text', async (t) => {
  const { app, list, url, comment } = await talkOf(t)
  const tooLong = invalid({ content: ['must NOT have more than 10000 characters'] })
  for (const [method, target, success] of [
    ['POST', list, 201],
    ['PATCH', url, 200],
  ] as const) {
    for (const value of [null, true, 5, 0, [], {}, ['x']]) {
      const refused = invalid({ content: ['must be string'] })
      await holds(t, app, [[method, target, { content: value }, undefined, 400, refused]])
    }
    for (const body of ['null', '[]', '"x"', '5']) {
      await holds(t, app, [[method, target, body, undefined, 400, invalid({}, ['must be object'])]])
    }
    await holds(t, app, [
      [method, target, { content: '' }, undefined, 400, wordless],
      [method, target, { content: long(10_001) }, undefined, 400, tooLong],
    ])
    t.equal(count(app, 'kanban_comments', 'edited_at is not null'), 0)
    for (const content of [' ', long(10_000), '🚀'.repeat(10_000), 'é無\u0000\n</script>']) {
      await holds(t, app, [[method, target, { content }, undefined, success, { content }]])
    }
  }
  await holds(t, app, [
    ['POST', list, { authorId: 'x' }, undefined, 400, invalid({ content: ['is required'] })],
    [
      'POST',
      list,
      {},
      undefined,
      400,
      invalid({ content: ['is required'] }, ['must NOT have fewer than 1 properties']),
    ],
  ])
  t.equal(stored(app, 'kanban_comments', comment.id).content, 'é無\u0000\n</script>')
})

t.test('GET, PATCH and DELETE /api/kanban-comments/{id}', async (t) => {
  t.test('a comment is read by its id, by whoever may read', async (t) => {
    const { app, comment, url } = await talkOf(t)
    for (const headers of [undefined, signInAs(app, 'viewer').headers]) {
      const { status, body } = await send(app, 'GET', url, undefined, headers)
      t.strictSame([status, body], [200, comment])
    }
  })

  t.test('a change of the content says when it was edited, and changes nothing else', async (t) => {
    const { app, item, comment, list, url } = await talkOf(t)
    const other = await createComment(app, item.id)
    const edits = app.db.$client.prepare('update kanban_comments set edited_at = ? where id = ?')
    for (const content of ['Aha', 'Aha', 'Oh']) {
      edits.run(LONG_AGO, comment.id)
      const { status, body } = await send(app, 'PATCH', url, { content })
      t.equal(status, 200)
      t.strictSame(body, { ...comment, content, editedAt: body.editedAt })
      t.ok(body.editedAt >= comment.createdAt, 'just now')
      t.strictSame((await send(app, 'GET', list)).body, [body, other])
    }
  })

  t.test('a body without content returns the record unchanged, editedAt included', async (t) => {
    const { app, comment, url } = await talkOf(t)
    const forged = { id: 'mine', itemId: 'x', authorId: 'x', editedAt: LONG_AGO, createdAt: LONG_AGO }
    for (const body of [{}, { nonsense: 1 }, forged]) {
      const answer = await send(app, 'PATCH', url, body)
      t.strictSame([answer.status, answer.body], [200, comment])
    }
    const { body } = await send(app, 'PATCH', url, { content: 'Aha', ...forged })
    t.strictSame(body, { ...comment, content: 'Aha', editedAt: body.editedAt })
    t.not(body.editedAt, LONG_AGO)
  })

  t.test('a deletion takes the comment and nothing else', async (t) => {
    const { app, item, list, url } = await talkOf(t)
    const kept = await createComment(app, item.id)
    await holds(t, app, [
      ['DELETE', url, undefined, undefined, 200, { success: true }],
      ['DELETE', url, undefined, undefined, 404, noComment],
      ['PATCH', url, { content: 'Aha' }, undefined, 404, noComment],
      ['GET', url, undefined, undefined, 404, noComment],
    ])
    t.strictSame((await send(app, 'GET', list)).body, [kept])
  })

  t.test('of an unknown comment are 404, after validation', async (t) => {
    const { app, item } = await talkOf(t)
    for (const id of [item.id, ...STRANGE_IDS]) {
      const url = `/api/kanban-comments/${id}`
      await holds(t, app, [
        ['GET', url, undefined, undefined, 404, noComment],
        ['PATCH', url, { content: '' }, undefined, 400, wordless],
        ['PATCH', url, { content: 'Aha' }, undefined, 404, noComment],
        ['PATCH', url, {}, undefined, 404, noComment],
        ['DELETE', url, undefined, undefined, 404, noComment],
      ])
    }
    t.equal(count(app, 'kanban_comments'), 1)
  })
})

t.test('who may change a comment', async (t) => {
  t.test('nobody but its author and admins, in both modes', async (t) => {
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

  t.test('an author may delete it too', async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const { app, author, url } = await meetingOf(t, authMode)
      await holds(t, app, [['DELETE', url, undefined, author.headers, 200, { success: true }]])
      t.equal(count(app, 'kanban_comments'), 0)
    }
  })

  t.test(
    'viewers may comment in open mode, on what is theirs alone; in required mode they read',
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

t.test('the order of checks', async (t) => {
  t.test('in open mode: the body, the comment, and whose it is', async (t) => {
    const { app, member, admin, author, list, url } = await meetingOf(t, 'open')
    for (const { headers } of [member, admin, author]) {
      await holds(t, app, [
        ['POST', list, '{oops', { ...headers, ...text }, 500, fails('create kanban comment')],
        ['POST', list, '{oops', headers, 500, fails('create kanban comment')],
        ['POST', '/api/kanban-items/none/comments', { content: '' }, headers, 400, wordless],
        ['POST', '/api/kanban-items/none/comments', { content: 'x' }, headers, 404, noItem],
        ['PATCH', url, '{oops', { ...headers, ...text }, 500, fails('update kanban comment')],
        ['PATCH', url, '{oops', headers, 500, fails('update kanban comment')],
        ['PATCH', '/api/kanban-comments/none', { content: '' }, headers, 400, wordless],
        ['PATCH', '/api/kanban-comments/none', { content: 'x' }, headers, 404, noComment],
        ['PATCH', url, { content: '' }, headers, 400, wordless],
        ['DELETE', '/api/kanban-comments/none', undefined, headers, 404, noComment],
      ])
    }
  })

  t.test('in required mode the member comes first, then the role, then the body', async (t) => {
    const { app, member, viewer, comment, list, url } = await meetingOf(t, 'required')
    const nowhere = '/api/kanban-comments/none'
    await holds(t, app, [
      ['GET', list, undefined, undefined, 401, authenticationRequired],
      ['POST', list, '{oops', undefined, 401, authenticationRequired],
      ['GET', url, undefined, undefined, 401, authenticationRequired],
      ['PATCH', nowhere, '{oops', undefined, 401, authenticationRequired],
      ['DELETE', nowhere, undefined, undefined, 401, authenticationRequired],
      ['GET', list, undefined, viewer.headers, 200, [comment]],
      ['GET', url, undefined, viewer.headers, 200, comment],
      ['POST', list, '{oops', viewer.headers, 403, readOnly],
      ['PATCH', nowhere, { content: '' }, viewer.headers, 403, readOnly],
      ['DELETE', nowhere, undefined, viewer.headers, 403, readOnly],
      ['POST', list, { content: '' }, member.headers, 400, wordless],
      ['PATCH', url, { content: '' }, member.headers, 400, wordless],
      ['PATCH', nowhere, { content: 'x' }, member.headers, 404, noComment],
      ['PATCH', url, { content: 'x' }, member.headers, 403, notYours],
    ])
  })
})

t.test('a rule refuses by itself what a request may have seen before its turn to write came', async (t) => {
  const { app, comment } = await talkOf(t)
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

t.test('an unexpected failure is answered with the 500 of its endpoint', async (t) => {
  const broken = await talkOf(t)
  breakTable(broken.app, 'kanban_comments')
  const closed = await talkOf(t)
  closed.app.db.$client.close()
  for (const { app, list, url } of [broken, closed]) {
    await holds(t, app, [
      ['GET', list, undefined, undefined, 500, fails('fetch kanban comments')],
      ['HEAD', list, undefined, undefined, 500, ''],
      ['POST', list, { content: 'x' }, undefined, 500, fails('create kanban comment')],
      ['GET', url, undefined, undefined, 500, fails('fetch kanban comment')],
      ['PATCH', url, { content: 'x' }, undefined, 500, fails('update kanban comment')],
      ['DELETE', url, undefined, undefined, 500, fails('delete kanban comment')],
    ])
  }
})
