import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { apiTokens, members } from '../../src/db/schema.ts'
import {
  type App,
  auditTrail,
  authenticationRequired,
  breakTable,
  build,
  count,
  created,
  crossOriginFrom,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  readOnly,
  send,
  signInAs,
  stored,
  tokenOf,
} from '../helper.ts'

const MODES = ['open', 'required'] as const
const TOKENS = '/api/tokens'
const gone = { error: 'Token not found' }
const success = { success: true }
const readOnlyToken = { error: 'Forbidden: read-only token' }
const sessionRequired = { error: 'Forbidden: session required' }
const notInFuture = invalid({ expiresAt: ['must be in the future'] })

/** Creates a token through the API. @returns the response without the secret, the secret, and the headers that carry it */
async function create(app: App, headers: Record<string, string>, fields: object = {}) {
  const { token, ...record } = await created(app, TOKENS, { name: 'CI', ...fields }, headers)
  return { record, token, bearer: { authorization: `Bearer ${token}` } }
}

t.test('a new token needs only a name, and is a read token that never expires', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { id: memberId, headers } = signInAs(app, role)
      const { record, token, bearer } = await create(app, headers)
      t.strictSame(record, {
        id: record.id,
        memberId,
        name: 'CI',
        scope: 'read',
        projectIds: null,
        lastUsedAt: null,
        expiresAt: null,
        createdAt: record.createdAt,
      })
      t.match(token, /^pbt_[\w-]{43}$/)
      await holds(t, app, [
        ['GET', '/api/session', undefined, bearer, 200, { via: 'token' }],
        ['POST', '/api/projects', { name: 'Apollo' }, bearer, 403, readOnlyToken],
      ])
    }
  }
})

t.test('every field is stored; a write token can write', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { headers } = signInAs(app, 'member')
  for (const [expiresAt, canonical] of [
    ['2999-01-31', '2999-01-31T00:00:00.000Z'],
    ['2999-01-31T12:00:00+02:00', '2999-01-31T10:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    [null, null],
  ]) {
    const { record, bearer } = await create(app, headers, { name: long(200), scope: 'write', expiresAt })
    t.match(record, { name: long(200), scope: 'write', expiresAt: canonical })
    t.match(stored(app, 'api_tokens', record.id), { name: long(200), scope: 'write', expires_at: canonical })
    await holds(t, app, [['POST', '/api/projects', { name: 'Apollo' }, bearer, 201, { name: 'Apollo' }]])
  }
})

t.test('a token is shown once; only its SHA-256 is stored, and the audit log has neither', async (t) => {
  const app = await build(t)
  const { id: memberId, headers } = signInAs(app, 'member')
  const { record, token } = await create(app, headers, { name: 'Deploy', scope: 'write' })
  const again = await create(app, headers, { name: 'Deploy', scope: 'write' })
  t.not(again.token, token)
  const url = `${TOKENS}/${record.id}`
  t.strictSame((await send(app, 'GET', url, undefined, headers)).body, record)
  t.strictSame((await send(app, 'GET', TOKENS, undefined, headers)).body, [record, again.record])
  const hash = createHash('sha256').update(token).digest('hex')
  t.equal(stored(app, 'api_tokens', record.id).token_hash, hash)
  t.notOk(app.db.$client.serialize().includes(token))
  t.notOk(app.db.$client.serialize().includes(token.slice('pbt_'.length)))
  t.strictSame(auditTrail(app)[0], [memberId, 'token-created', record.id, { name: 'Deploy', scope: 'write' }])
  t.equal(count(app, 'audit_log', 'address = ?', '127.0.0.1'), 2)
  t.notOk(JSON.stringify(app.db.$client.prepare('select * from audit_log').all()).includes(hash))
})

t.test("the list has the member's own tokens, expired ones too, by id, with their last use", async (t) => {
  const app = await build(t, { authMode: 'required' })
  const ada = signInAs(app, 'member')
  const eve = signInAs(app, 'admin')
  const first = await create(app, ada.headers, { name: 'first' })
  const second = await create(app, ada.headers, { name: 'second' })
  await create(app, eve.headers, { name: 'other' })
  app.db
    .update(apiTokens)
    .set({ expiresAt: LONG_AGO, lastUsedAt: LONG_AGO })
    .where(eq(apiTokens.id, first.record.id))
    .run()
  const shown = [{ ...first.record, expiresAt: LONG_AGO, lastUsedAt: LONG_AGO }, second.record]
  t.strictSame((await send(app, 'GET', TOKENS, undefined, ada.headers)).body, shown)
  await holds(t, app, [
    ['GET', TOKENS, undefined, eve.headers, 200, [{ name: 'other' }]],
    ['GET', `${TOKENS}?memberId=${ada.id}`, undefined, eve.headers, 200, [{ name: 'other' }]],
    ['GET', TOKENS, undefined, tokenOf(app, signInAs(app, 'viewer').id), 200, [{ name: 'CI' }]],
  ])
})

t.test('unknown and read-only fields are ignored: nobody creates a token for somebody else', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const victim = signInAs(app, 'admin')
  const { id: memberId, headers } = signInAs(app, 'member')
  const foreign = {
    id: 'mine',
    memberId: victim.id,
    ownerId: victim.id,
    member: { id: victim.id, role: 'admin' },
    role: 'admin',
    token: 'pbt_chosen',
    tokenHash: createHash('sha256').update('pbt_chosen').digest('hex'),
    lastUsedAt: LONG_AGO,
    createdAt: LONG_AGO,
    nonsense: 1,
  }
  const { record, token, bearer } = await create(app, headers, foreign)
  t.not(record.id, 'mine')
  t.not(token, 'pbt_chosen')
  t.match(record, { memberId, lastUsedAt: null })
  t.not(record.createdAt, LONG_AGO)
  const prototypes =
    '{"name":"x","__proto__":{"scope":"write"},"constructor":{"prototype":{"scope":"write"}}}'
  const proto = await send(app, 'POST', TOKENS, prototypes, headers)
  t.match(proto, { status: 201, body: { scope: 'read', memberId } })
  await holds(t, app, [
    ['GET', '/api/session', undefined, bearer, 200, { via: 'token' }],
    ['GET', '/api/projects', undefined, { authorization: 'Bearer pbt_chosen' }, 401, authenticationRequired],
  ])
  t.equal(count(app, 'api_tokens', 'member_id = ?', victim.id), 0)
})

t.test('all violations of a body are reported, and nothing is created', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'member')
  const post = (body: unknown, answer: object): Row => ['POST', TOKENS, body, headers, 400, answer]
  const scopes = 'must be one of "read", "write", "calendar"'
  const time = 'must be an ISO 8601 date-time or a plain date'
  await holds(t, app, [
    post({}, invalid({ name: ['is required'] }, ['must NOT have fewer than 1 properties'])),
    post({ scope: 'read' }, invalid({ name: ['is required'] })),
    post({ name: '' }, invalid({ name: ['must NOT have fewer than 1 characters'] })),
    post({ name: long(201) }, invalid({ name: ['must NOT have more than 200 characters'] })),
    post(
      { name: null, scope: null, expiresAt: 5 },
      invalid({
        name: ['must be string'],
        scope: ['must be string', scopes],
        expiresAt: ['must be string or null'],
      }),
    ),
    ...['admin', 'Write', '', '__proto__', 'toString'].map((scope) =>
      post({ name: 'x', scope }, invalid({ scope: [scopes] })),
    ),
    ...['tomorrow', '', '2999-02-30', '2999-01-31T10', '4102444800000'].map((expiresAt) =>
      post({ name: 'x', expiresAt }, invalid({ expiresAt: [time] })),
    ),
    post({ name: 'x', expiresAt: false }, invalid({ expiresAt: ['must be string or null'] })),
    post({ name: 'x', scope: ['write'] }, invalid({ scope: ['must be string', scopes] })),
    post('null', invalid({}, ['must be object'])),
    post('[]', invalid({}, ['must be object'])),
    post({ name: 'x', expiresAt: LONG_AGO }, notInFuture),
    post({ name: 'x', expiresAt: '0000-01-01' }, notInFuture),
    post({ name: 'x', expiresAt: new Date(Date.now() - 1).toISOString() }, notInFuture),
    ['POST', TOKENS, '{oops', headers, 500, { error: 'Failed to create token' }],
    ['POST', TOKENS, undefined, headers, 500, { error: 'Failed to create token' }],
  ])
  t.equal(count(app, 'api_tokens'), 0)
  t.strictSame(auditTrail(app), [])
})

t.test('an expired or revoked token is refused at once', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const { headers } = signInAs(app, 'member')
    const ending = await create(app, headers, { scope: 'write', expiresAt: '2999-01-31' })
    const revoked = await create(app, headers, { scope: 'write' })
    const kept = await create(app, headers)
    const use = (bearer: Record<string, string>, status: number): Row => [
      'HEAD',
      '/api/projects',
      undefined,
      bearer,
      status,
      '',
    ]
    await holds(t, app, [use(ending.bearer, 200), use(revoked.bearer, 200)])
    app.db
      .update(apiTokens)
      .set({ expiresAt: new Date().toISOString() })
      .where(eq(apiTokens.id, ending.record.id))
      .run()
    await holds(t, app, [
      use(ending.bearer, 401),
      ['POST', '/api/projects', { name: 'x' }, ending.bearer, 401, authenticationRequired],
      ['DELETE', `${TOKENS}/${revoked.record.id}`, undefined, headers, 200, success],
      use(revoked.bearer, 401),
      ['GET', TOKENS, undefined, { ...headers, ...revoked.bearer }, 401, authenticationRequired],
      ['DELETE', `${TOKENS}/${revoked.record.id}`, undefined, headers, 404, gone],
      ['GET', `${TOKENS}/${revoked.record.id}`, undefined, headers, 404, gone],
      ['GET', TOKENS, undefined, headers, 200, [{ id: ending.record.id }, { id: kept.record.id }]],
      ['DELETE', `${TOKENS}/${ending.record.id}`, undefined, headers, 200, success],
      use(kept.bearer, 200),
    ])
  }
})

t.test('a revocation is recorded with its actor and the token', async (t) => {
  const app = await build(t)
  const ada = signInAs(app, 'viewer')
  const admin = signInAs(app, 'admin')
  const { record } = await create(app, ada.headers, { name: 'mine', scope: 'write' })
  const other = await create(app, ada.headers, { name: 'hers' })
  const self = await create(app, admin.headers, { name: 'self', scope: 'write' })
  const before = auditTrail(app).length
  await holds(t, app, [
    ['DELETE', `${TOKENS}/${record.id}`, undefined, ada.headers, 200, success],
    ['DELETE', `${TOKENS}/${other.record.id}`, undefined, admin.headers, 200, success],
    ['DELETE', `${TOKENS}/${self.record.id}`, undefined, self.bearer, 200, success],
  ])
  t.strictSame(auditTrail(app).slice(before), [
    [ada.id, 'token-revoked', record.id, { name: 'mine', scope: 'write' }],
    [admin.id, 'token-revoked', other.record.id, { name: 'hers', scope: 'read' }],
    [admin.id, 'token-revoked', self.record.id, { name: 'self', scope: 'write' }],
  ])
  t.equal(count(app, 'api_tokens'), 0)
})

t.test("another member's token is not found, except by an admin to revoke it", async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const victim = signInAs(app, 'member')
    const { record, bearer } = await create(app, victim.headers, { scope: 'write' })
    const admin = signInAs(app, 'admin')
    const url = `${TOKENS}/${record.id}`
    for (const role of ['member', 'viewer'] as const) {
      const { id, headers } = signInAs(app, role)
      for (const path of [
        url,
        ...['none', '__proto__', '%25', long(5000)].map((one) => `${TOKENS}/${one}`),
      ]) {
        for (const credential of [headers, tokenOf(app, id)]) {
          await holds(t, app, [
            ['GET', path, undefined, credential, 404, gone],
            ['DELETE', path, { memberId: victim.id, role: 'admin' }, credential, 404, gone],
          ])
        }
      }
    }
    await holds(t, app, [
      ['GET', url, undefined, admin.headers, 404, gone],
      ['DELETE', `${TOKENS}/none`, undefined, admin.headers, 404, gone],
      ['DELETE', url, undefined, tokenOf(app, admin.id, { scope: 'read' }), 403, readOnlyToken],
      ['HEAD', '/api/projects', undefined, bearer, 200, ''],
      [
        'DELETE',
        url,
        undefined,
        { ...admin.headers, 'if-match': '"other"' },
        412,
        { error: 'Precondition failed' },
      ],
      ['DELETE', url, undefined, admin.headers, 200, success],
      ['HEAD', '/api/projects', undefined, bearer, 401, ''],
    ])
  }
})

t.test('a token cannot create tokens, with any scope, owner and method', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { id, headers } = signInAs(app, role)
      const overridden = { 'x-http-method-override': 'GET', 'x-http-method': 'GET' }
      for (const [scope, refusal] of [
        ['read', readOnlyToken],
        ['write', sessionRequired],
      ] as const) {
        const token = tokenOf(app, id, { scope, expiresAt: '2999-01-01T00:00:00.000Z' })
        for (const credential of [token, { ...headers, ...token }, { ...token, ...overridden }]) {
          await holds(t, app, [
            ['POST', TOKENS, { name: 'x', scope }, credential, 403, refusal],
            ['POST', `${TOKENS}?_method=GET`, '{oops', credential, 403, refusal],
          ])
        }
      }
    }
    t.equal(count(app, 'api_tokens'), 6)
  }
})

t.test('in required mode a viewer creates only read tokens', async (t) => {
  const required = await build(t, { authMode: 'required' })
  const open = await build(t)
  const viewer = signInAs(required, 'viewer').headers
  const post = (body: unknown, status: number, answer: unknown): Row => [
    'POST',
    TOKENS,
    body,
    viewer,
    status,
    answer,
  ]
  await holds(t, required, [
    post({ name: '', scope: 'write' }, 400, invalid({ name: ['must NOT have fewer than 1 characters'] })),
    post({ name: 'x', scope: 'write' }, 403, readOnly),
    post({ name: 'x', scope: 'write', expiresAt: LONG_AGO }, 403, readOnly),
    post({ name: 'x', scope: 'read' }, 201, { scope: 'read' }),
    post({ name: 'x' }, 201, { scope: 'read' }),
  ])
  t.equal(count(required, 'api_tokens'), 2)
  const { bearer } = await create(open, signInAs(open, 'viewer').headers, { scope: 'write' })
  await holds(t, open, [['POST', '/api/projects', { name: 'x' }, bearer, 201, { name: 'x' }]])
})

t.test('the write token of a member who becomes a viewer cannot write', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id, headers } = signInAs(app, 'admin')
  const { bearer } = await create(app, headers, { scope: 'write' })
  app.db.update(members).set({ role: 'viewer' }).where(eq(members.id, id)).run()
  await holds(t, app, [
    ['POST', '/api/projects', { name: 'x' }, bearer, 403, readOnly],
    ['POST', '/api/teams', { name: 'x' }, bearer, 403, { error: 'Forbidden: admin access required' }],
  ])
})

t.test('a member of the host or proxy has no tokens and creates none, whatever its id is', async (t) => {
  const open = await build(t, { defaultMemberId: 'ada' })
  const hosted = await build(t, {
    authMode: 'required',
    resolveMember: (request) => ({ id: 'ada', role: request.headers['x-admin'] ? 'admin' : 'member' }),
  })
  for (const app of [open, hosted]) {
    const { headers } = signInAs(app, 'admin', { id: 'ada' })
    tokenOf(app, 'ada', { id: 'hers' })
    await holds(t, app, [
      ['GET', TOKENS, 200, []],
      ['GET', `${TOKENS}/hers`, 404, gone],
      ['DELETE', `${TOKENS}/hers`, 404, gone],
      ['POST', TOKENS, { name: 'x' }, 403, sessionRequired],
      ['POST', TOKENS, '{oops', 403, sessionRequired],
    ])
    if (app === hosted) await holds(t, app, [['POST', TOKENS, { name: 'x' }, headers, 403, sessionRequired]])
    t.equal(count(app, 'api_tokens'), 1)
  }
  await holds(t, hosted, [
    ['GET', `${TOKENS}/hers`, undefined, { 'x-admin': 'yes' }, 404, gone],
    ['DELETE', `${TOKENS}/hers`, undefined, { 'x-admin': 'yes' }, 200, success],
  ])
})

t.test('a member deleted before the write gets no token', async (t) => {
  const app = await build(t)
  t.throws(() => app.rules.members.tokens.create('none', { name: 'x' }, { id: null, address: null }), {
    statusCode: 404,
    message: 'Member not found',
  })
  t.strictSame(auditTrail(app), [])
})

t.test('the order of checks', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id, headers } = signInAs(app, 'member')
  const readToken = tokenOf(app, id, { scope: 'read' })
  const evil = { ...headers, origin: 'http://evil.example' }
  const foreign = crossOriginFrom()
  await holds(t, app, [
    ['GET', TOKENS, 401, authenticationRequired],
    ['POST', TOKENS, '{oops', 401, authenticationRequired],
    ['GET', `${TOKENS}/none`, 401, authenticationRequired],
    ['DELETE', `${TOKENS}/none`, 401, authenticationRequired],
    ['DELETE', `${TOKENS}/none`, undefined, readToken, 403, readOnlyToken],
    ['POST', TOKENS, { name: 'x' }, evil, 403, foreign],
    ['DELETE', `${TOKENS}/none`, undefined, evil, 403, foreign],
    ['DELETE', `${TOKENS}/none`, '{oops', headers, 404, gone],
  ])
  app.db.update(members).set({ disabled: true }).where(eq(members.id, id)).run()
  await holds(t, app, [
    ['POST', TOKENS, { name: 'x' }, headers, 401, authenticationRequired],
    ['GET', TOKENS, undefined, readToken, 401, authenticationRequired],
  ])
  t.equal(count(app, 'api_tokens'), 1)
})

t.test("an unexpected failure returns the endpoint's 500, and changes nothing", async (t) => {
  const broken = await build(t)
  const { headers } = signInAs(broken, 'member')
  breakTable(broken, 'api_tokens')
  await holds(t, broken, [
    ['GET', TOKENS, undefined, headers, 500, { error: 'Failed to fetch tokens' }],
    ['POST', TOKENS, { name: 'x' }, headers, 500, { error: 'Failed to create token' }],
    ['GET', `${TOKENS}/x`, undefined, headers, 500, { error: 'Failed to fetch token' }],
    ['DELETE', `${TOKENS}/x`, undefined, headers, 500, { error: 'Failed to delete token' }],
  ])
  const app = await build(t)
  const member = signInAs(app, 'member')
  const { record } = await create(app, member.headers)
  breakTable(app, 'audit_log')
  await holds(t, app, [
    ['POST', TOKENS, { name: 'x' }, member.headers, 500, { error: 'Failed to create token' }],
    ['DELETE', `${TOKENS}/${record.id}`, undefined, member.headers, 500, { error: 'Failed to delete token' }],
  ])
  t.equal(count(app, 'api_tokens'), 1)
})
