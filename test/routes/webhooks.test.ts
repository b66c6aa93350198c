import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { WEBHOOK_KINDS } from '../../src/changes/api-changes.ts'
import {
  age,
  auditTrail,
  build,
  count,
  created,
  createItem,
  createProject,
  holds,
  invalid,
  keepLog,
  LONG_AGO,
  long,
  type Row,
  send,
  signInAs,
} from '../helper.ts'
import { accept, answer, hang, receive, until } from '../receivers.ts'

const WEBHOOKS = '/api/webhooks'
const URL_OF_NOBODY = 'https://example.org/hooks?key=1'
const gone = { error: 'Webhook not found' }
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

/** An application with an admin, who creates webhooks. */
async function withAdmin(t: Test, options: Parameters<typeof build>[1] = {}) {
  const app = await build(t, { webhookAllowPrivate: true, ...options })
  const { headers, id } = signInAs(app, 'admin')
  const ask = (method: string, path: string, body?: unknown) =>
    send(app, method, `${WEBHOOKS}${path}`, body, headers)
  const create = (fields: object = {}) => created(app, WEBHOOKS, { url: URL_OF_NOBODY, ...fields }, headers)
  return { app, headers, adminId: id, ask, create }
}

t.test('a webhook needs only a url; every other field has its default', async (t) => {
  const { app, ask, create } = await withAdmin(t)
  await createProject(app)
  const { secret, ...webhook } = await create()
  t.match(secret, SECRET)
  t.strictSame(webhook, {
    id: webhook.id,
    url: URL_OF_NOBODY,
    description: '',
    projectId: null,
    kinds: [],
    format: 'standard',
    events: [],
    language: 'en',
    active: true,
    after: app.rules.changes.sequence.last(),
    failingSince: null,
    createdAt: webhook.createdAt,
    updatedAt: webhook.createdAt,
  })
  t.ok(webhook.after > 0)
  t.strictSame((await ask('GET', `/${webhook.id}`)).body, webhook)
})

t.test('every field is stored, read-only ones are ignored', async (t) => {
  const { app, ask, create } = await withAdmin(t)
  const { id: projectId } = await createProject(app)
  const fields = {
    url: `https://example.org/${long(1980)}`,
    description: long(100_000),
    projectId,
    kinds: [...WEBHOOK_KINDS],
    format: 'slack',
    events: ['due', 'created'],
    language: 'de',
    active: false,
  }
  const foreign = { id: 'mine', after: 0, secret: 'whsec_mine', failingSince: LONG_AGO, createdAt: LONG_AGO }
  const { secret, ...webhook } = await create({ ...fields, ...foreign })
  t.match(webhook, fields)
  t.match(secret, SECRET)
  t.not(webhook.id, 'mine')
  t.not(webhook.after, 0)
  t.equal(webhook.failingSince, null)
  const other = await create({ kinds: ['project', 'team', 'project'] })
  t.strictSame(other.kinds, ['project', 'team'], 'each kind once')
  t.not(other.secret, secret)
  delete other.secret
  t.strictSame((await ask('GET', '')).body, [webhook, other], 'the list is by id, without secrets')
})

t.test('PATCH changes only the given fields, and updatedAt', async (t) => {
  const { app, ask, create } = await withAdmin(t)
  const { id: projectId } = await createProject(app)
  const { secret: _, ...made } = await create()
  let before = made
  const changes = [
    { url: 'http://example.org:8080/' },
    { description: 'Chat' },
    { projectId },
    { projectId, kinds: ['kanban-item'] },
    { active: false },
    { active: true },
    { kinds: [], projectId: null },
  ]
  for (const change of changes) {
    age(app, 'webhooks', made.id)
    const { status, body } = await ask('PATCH', `/${made.id}`, change)
    t.equal(status, 200)
    t.not(body.updatedAt, LONG_AGO)
    t.strictSame(body, { ...before, ...change, updatedAt: body.updatedAt }, JSON.stringify(change))
    before = body
  }
  age(app, 'webhooks', made.id)
  const trail = auditTrail(app).length
  for (const body of [{}, { nonsense: 1 }, { secret: 'whsec_mine', after: 0 }]) {
    const answer = await ask('PATCH', `/${made.id}`, body)
    t.strictSame([answer.status, answer.body], [200, { ...before, updatedAt: LONG_AGO }])
  }
  t.equal(auditTrail(app).length, trail)
  await send(app, 'DELETE', `/api/projects/${projectId}`, undefined, signInAs(app, 'admin').headers)
  const known = (await ask('PATCH', `/${made.id}`, { projectId })).body
  t.strictSame(known, { error: 'Project not found', details: { missing: [projectId] } })
  app.db.$client.prepare('update webhooks set project_id = ?').run(projectId)
  t.match(
    await ask('PATCH', `/${made.id}`, { projectId, description: 'Of a project that is gone' }),
    { status: 200, body: { projectId } },
    'what it has already may be gone',
  )
})

t.test('errors of a body are reported by field, before the webhook is looked up', async (t) => {
  const { app, headers, ask, create } = await withAdmin(t)
  const { id } = await create()
  const kind = WEBHOOK_KINDS.map((one) => one)
  const wrong: [object, object][] = [
    [{ url: 5 }, invalid({ url: ['must be string'] })],
    [
      { url: `https://example.org/${long(1981)}` },
      invalid({ url: ['must NOT have more than 2000 characters'] }),
    ],
    [{ url: 'example.org' }, invalid({ url: ['must be a URL'] })],
    [{ url: 'https://a:b@example.org' }, invalid({ url: ['must not contain credentials'] })],
    [{ url: 'https://example.org/#x' }, invalid({ url: ['must not have a fragment'] })],
    [{ url: 'mailto:ada@example.org' }, invalid({ url: ['must be an http or https URL'] })],
    [
      { url: URL_OF_NOBODY, description: long(100_001) },
      invalid({ description: ['must NOT have more than 100000 characters'] }),
    ],
    [{ url: URL_OF_NOBODY, active: 'yes' }, invalid({ active: ['must be boolean'] })],
    [
      { url: URL_OF_NOBODY, kinds: Array.from({ length: 101 }, () => 'project') },
      invalid({ kinds: ['must NOT have more than 100 items'] }),
    ],
  ]
  const rows: Row[] = []
  for (const [body, expected] of wrong) {
    for (const [method, url] of [
      ['POST', WEBHOOKS],
      ['PATCH', `${WEBHOOKS}/${id}`],
      ['PATCH', `${WEBHOOKS}/nothing`],
    ] as const) {
      rows.push([method, url, body, headers, 400, expected])
    }
  }
  await holds(t, app, rows)
  for (const kinds of [['personal-idea'], ['project', 'personal-idea']]) {
    t.equal(
      (await ask('POST', '', { url: URL_OF_NOBODY, kinds })).status,
      400,
      'an idea is its owner’s alone',
    )
  }
  const unknown = await ask('POST', '', { url: URL_OF_NOBODY, kinds: [kind[0], 'kanban'] })
  t.match(unknown, {
    status: 400,
    body: { details: { fieldErrors: { kinds: [/^kinds\[1\] must be one of "member"/] } } },
  })
  t.match(await ask('POST', '', {}), { status: 400, body: { details: { fieldErrors: { url: [String] } } } })
  t.strictSame((await ask('POST', '', { url: URL_OF_NOBODY, projectId: 'nowhere' })).body, {
    error: 'Project not found',
    details: { missing: ['nowhere'] },
  })
  t.equal(count(app, 'webhooks'), 1)
})

t.test('an unknown webhook is 404, but only for admins', async (t) => {
  const { app, headers } = await withAdmin(t)
  const [member, adminOnly] = [signInAs(app, 'member').headers, { error: 'Forbidden: admin access required' }]
  const one = `${WEBHOOKS}/nothing`
  const routes: [string, string, object?][] = [
    ['GET', one],
    ['PATCH', one, { description: 'x' }],
    ['PATCH', one, {}],
    ['DELETE', one],
    ['POST', `${one}/test`],
    ['POST', `${one}/rotate-secret`],
    ['GET', `${one}/deliveries`],
    ['POST', `${one}/replay`, { after: 0 }],
  ]
  for (const [method, url, body] of routes) {
    await holds(t, app, [
      [method, url, body, headers, 404, gone],
      [method, url, body, member, 403, adminOnly],
    ])
  }
})

t.test('private addresses are refused in a new or changed webhook, unless allowed', async (t) => {
  const { ask, create } = await withAdmin(t, { webhookAllowPrivate: false })
  const { id } = await create()
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '10.0.0.9',
    '169.254.169.254',
    '2130706433',
    '[::ffff:10.0.0.9]',
  ]) {
    const url = `http://${host}/`
    const problem = invalid({
      url: [
        'must be public: the address is private, or reserved, or of this machine (WEBHOOK_ALLOW_PRIVATE=true allows that)',
      ],
    })
    t.match(await ask('POST', '', { url }), { status: 400, body: problem }, url)
    t.match(await ask('PATCH', `/${id}`, { url }), { status: 400, body: problem }, url)
  }
  const { create: createAnywhere } = await withAdmin(t)
  t.match(await createAnywhere({ url: 'http://127.0.0.1/' }), { url: 'http://127.0.0.1/' })
})

t.test('there are at most a hundred webhooks', async (t) => {
  const { ask, create } = await withAdmin(t)
  for (let index = 0; index < 100; index++) await create({ active: false })
  t.match(await ask('POST', '', { url: URL_OF_NOBODY }), {
    status: 409,
    body: { error: 'There are 100 webhooks already' },
  })
  const { body } = await ask('GET', '')
  t.equal(body.length, 100)
  await ask('DELETE', `/${body[5].id}`)
  await create()
})

t.test('deliveries begin when a webhook is created, and go to its url', async (t) => {
  const { app, ask, create } = await withAdmin(t)
  const receiver = await receive(t)
  const project = await createProject(app)
  const { id, secret, after } = await create({
    url: receiver.url,
    projectId: project.id,
    kinds: ['kanban-item'],
  })
  const item = await createItem(app, project.id, { title: 'Über' })
  await receiver.got(1)
  const [{ headers, text } = { headers: {}, text: '' }] = receiver.received
  t.match(new Webhook(secret).verify(text, headers), {
    type: 'kanban-item.created',
    timestamp: /Z$/,
    data: { kind: 'kanban-item', id: item.id, projectId: project.id, before: null, after: { title: 'Über' } },
  })
  const deliveries = async () => (await ask('GET', `/${id}/deliveries`)).body
  await until(async () => (await deliveries()).length > 0)
  t.match(await deliveries(), [{ webhookId: id, seq: Number, status: 204, error: null, response: '' }])
  t.ok((await ask('GET', `/${id}`)).body.after > after)

  const rotated = await ask('POST', `/${id}/rotate-secret`)
  t.match(rotated.body, { id, secret: SECRET })
  t.not(rotated.body.secret, secret)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: 'Unter' })
  await receiver.got(2)
  const next = receiver.received[1]
  t.match(new Webhook(rotated.body.secret).verify(next?.text ?? '', next?.headers ?? {}), {
    type: 'kanban-item.updated',
  })
  t.match(new Webhook(secret).verify(next?.text ?? '', next?.headers ?? {}), { type: 'kanban-item.updated' })
  t.strictSame((await ask('DELETE', `/${id}`)).body, { success: true })
  t.equal(count(app, 'webhook_deliveries'), 0)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: 'Weg' })
  t.strictSame((await ask('GET', '')).body, [])
})

t.test('for a day after a rotation, the previous secret signs, too', async (t) => {
  const databaseUrl = `file:${t.testdir()}/board.db`
  const { app, ask, create } = await withAdmin(t, { databaseUrl })
  const receiver = await receive(t)
  const { id, secret } = await create({ url: receiver.url, active: false })
  /** The secrets that sign a test message, and the number of its signatures. */
  const signs = async (...secrets: string[]) => {
    t.equal((await ask('POST', `/${id}/test`)).body.status, 204)
    const { headers, text } = receiver.received.at(-1) as { headers: Record<string, string>; text: string }
    const passes = secrets.map((one) => {
      try {
        return Boolean(new Webhook(one).verify(text, headers))
      } catch {
        return false
      }
    })
    return [headers['webhook-signature']?.split(' ').length, ...passes]
  }
  const rotate = async () => (await ask('POST', `/${id}/rotate-secret`)).body.secret as string
  const rotatedAt = (hours: number) =>
    app.db.$client
      .prepare('update webhooks set rotated_at = ?')
      .run(new Date(Date.now() - hours * 3_600_000).toISOString())
  t.strictSame(await signs(secret), [1, true])
  const second = await rotate()
  t.strictSame(await signs(secret, second), [2, true, true])
  const third = await rotate()
  t.strictSame(await signs(secret, second, third), [2, false, true, true], 'only the latest before')
  rotatedAt(23.9)
  t.strictSame(await signs(second, third), [2, true, true])
  rotatedAt(24.1)
  t.strictSame(await signs(second, third), [1, false, true])
  t.equal(count(app, 'webhooks', 'former_secret = ?', second), 1)
  const { body } = await ask('GET', `/${id}`)
  t.notOk(JSON.stringify(body).includes('whsec_'))
  // Expired deliveries are also deleted at the start of a service.
  const other = await build(t, { databaseUrl })
  await until(async () => count(other, 'webhooks', 'former_secret is not null') === 0)
  t.strictSame(await signs(second, third), [1, false, true])
})

t.test('replay sets the position, as far as changes are kept', async (t) => {
  const { app, ask, create } = await withAdmin(t)
  const receiver = await receive(t)
  await createProject(app)
  const newest = app.rules.changes.sequence.last()
  const { id, secret: _, ...webhook } = await create({ url: receiver.url, kinds: ['project'], active: false })
  const replay = (after: unknown) => ask('POST', `/${id}/replay`, { after })
  t.strictSame((await replay(0)).body, { id, ...webhook, after: 0 })
  t.match(await replay(newest + 1), {
    status: 400,
    body: invalid({ after: [`must be <= ${newest}, the newest change`] }),
  })
  t.match(await replay(-1), { status: 400, body: invalid({ after: ['must be >= 0'] }) })
  for (const after of [1.5, '0', null]) t.match(await replay(after), { status: 400 })
  t.match(await replay(newest), { status: 200, body: { after: newest, active: false } })
  t.strictSame(receiver.received, [], 'what is off stays off')
  await replay(0)
  await ask('PATCH', `/${id}`, { active: true })
  await receiver.got(1)
  t.match(receiver.received[0]?.body, { type: 'project.created' })
  app.db.$client.exec('delete from changes where seq < 3')
  t.match(await replay(2), { status: 200, body: { after: 2 } })
  t.match(await replay(1), { status: 410, body: { error: 'Changes are gone', details: { oldest: 3 } } })
})

t.test("a test message returns the receiver's response, and does not move the position", async (t) => {
  const { app, headers: admin, ask, create } = await withAdmin(t)
  const receiver = await receive(t, answer(200, {}, 'hello'))
  const { id, secret, after } = await create({ url: receiver.url, active: false })
  const test = async () => (await ask('POST', `/${id}/test`)).body
  const first = await test()
  t.match(first, {
    id: new RegExp(`^${id}\\.test-.`),
    webhookId: id,
    seq: null,
    status: 200,
    error: null,
    response: 'hello',
  })
  const [{ headers, text } = { headers: {} as Record<string, string>, text: '' }] = receiver.received
  t.equal(headers['webhook-id'], first.id)
  t.match(new Webhook(secret).verify(text, headers), { type: 'webhook.test', data: { webhookId: id } })
  receiver.respond = answer(302, { location: '/' }, 'over there')
  const second = await test()
  t.match(second, { status: 302, error: '302: redirects are not followed', response: 'over there' })
  t.not(second.id, first.id)
  receiver.respond = (response) => response.destroy()
  t.match(await test(), { status: null, error: 'ECONNRESET', response: '' })
  t.match((await ask('GET', `/${id}`)).body, { after, failingSince: null })
  t.strictSame((await ask('GET', `/${id}/deliveries`)).body, [])

  const sent = receiver.received.length
  const testOf = (etag: string) =>
    send(app, 'POST', `${WEBHOOKS}/${id}/test`, undefined, { ...admin, 'if-match': etag })
  const refused = await testOf('"another"')
  t.equal(refused.status, 412)
  t.equal(receiver.received.length, sent, 'a test of what has changed is not sent')
  t.match(await testOf(String(refused.headers.etag)), { status: 200, body: { webhookId: id } })

  receiver.respond = hang
  const waiting = Array.from({ length: 20 }, test)
  await receiver.got(receiver.received.length + 20)
  t.match(await ask('POST', `/${id}/test`), {
    status: 503,
    body: { error: 'Too many tests at the same time' },
  })
  await app.deliverer.stop()
  for (const one of await Promise.all(waiting)) t.match(one, { error: 'the service stopped' })
})

t.test('a test of a private address returns the refusal', async (t) => {
  const { app, ask, create } = await withAdmin(t, { webhookAllowPrivate: false })
  const receiver = await receive(t)
  const { id } = await create()
  app.db.$client.prepare('update webhooks set url = ?').run(receiver.url)
  const refusal = {
    status: null,
    error: 'the address is private, or reserved, or of this machine',
    response: '',
  }
  t.match(await ask('POST', `/${id}/test`), { status: 200, body: refusal })
  t.equal(receiver.connections(), 0)
})

t.test('the audit log has the actions of admins, and the secret is nowhere', async (t) => {
  const { logStream, lines } = keepLog()
  const { app, adminId, ask, create } = await withAdmin(t, { logLevel: 'trace', logStream })
  const receiver = await receive(t, answer(500))
  const { id, secret } = await create({ url: `${receiver.url}?token=of-the-receiver` })
  await createProject(app)
  const isFailing = async () => (await ask('GET', `/${id}`)).body.failingSince !== null
  await until(isFailing)
  const rotated = (await ask('POST', `/${id}/rotate-secret`)).body.secret
  await ask('PATCH', `/${id}`, { active: true, description: 'Again' })
  await receiver.got(2)
  await until(isFailing)
  receiver.respond = answer(410)
  await ask('PATCH', `/${id}`, { active: true })
  await until(async () => !(await ask('GET', `/${id}`)).body.active)
  await ask('POST', `/${id}/test`)
  await ask('POST', `/${id}/replay`, { after: 0 })
  const shown = [await ask('GET', ''), await ask('GET', `/${id}`), await ask('GET', `/${id}/deliveries`)]
  const refused = await ask('PATCH', `/${id}`, { url: 'x', secret })
  const changes = app.db.$client.prepare('select * from changes').all()
  await ask('DELETE', `/${id}`)
  const trail = auditTrail(app)
  t.strictSame(
    trail.map(([actorId, action, subjectId]) => [actorId, action, subjectId]),
    [
      [adminId, 'webhook-created', id],
      [adminId, 'webhook-secret-rotated', id],
      [adminId, 'webhook-changed', id],
      [adminId, 'webhook-changed', id],
      [null, 'webhook-deactivated', id],
      [adminId, 'webhook-deleted', id],
    ],
  )
  t.strictSame(trail[2]?.[3], { fields: ['active', 'description'] })
  t.match(trail[4]?.[3], { reason: 'gone' })
  const said = JSON.stringify([shown, changes, trail, refused, lines, receiver.received])
  for (const one of [secret, rotated]) t.notOk(said.includes(one.slice('whsec_'.length)))
  t.notMatch(JSON.stringify([lines, trail]), /of-the-receiver/)
  t.notMatch(JSON.stringify(changes), /webhook/)
})

t.test('closing the service does not wait for a receiver', async (t) => {
  const { app, create } = await withAdmin(t)
  const receiver = await receive(t, hang)
  await create({ url: receiver.url })
  await createProject(app)
  await receiver.got(1)
  await app.close()
  t.equal(receiver.received.length, 1)
})

t.test('positions and deliveries are not tracked changes', async (t) => {
  const { app, create, ask } = await withAdmin(t)
  const receiver = await receive(t, accept)
  const project = await createProject(app)
  const { id } = await create({ url: receiver.url, projectId: project.id })
  await createItem(app, project.id)
  await receiver.got(1)
  await until(async () => (await ask('GET', `/${id}/deliveries`)).body.length > 0)
  const changes = count(app, 'changes')
  await ask('POST', `/${id}/replay`, { after: 0 })
  t.equal(count(app, 'changes'), changes)
})
