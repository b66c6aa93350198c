import t from 'tap'
import { apiTokens, auditLog } from '../../src/db/schema.ts'
import { hashToken } from '../../src/members/secrets.ts'
import { listening, onFile, start } from '../command-line.ts'

const PASSWORD = 'correct horse'
const OTHER_PASSWORD = 'battery staple'

t.test('changes of the command line apply to a running service at once', async (t) => {
  const { DATABASE_URL, command, memberOf, trail, db } = onFile(t)
  const environment = { DATABASE_URL, PORT: '0', AUTH_MODE: 'required', LOG_LEVEL: 'warn' }
  const url = await listening(start(t, ['serve'], environment))

  const request = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
  const signIn = async (password: string) => {
    const { status, headers } = await request(
      'POST',
      '/api/session',
      {},
      { email: 'bob@example.test', password },
    )
    return { status, headers: { cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? '' } }
  }
  const status = async (headers: Record<string, string>) =>
    (await request('GET', '/api/projects', headers)).status
  const create = async (headers: Record<string, string>) =>
    (await request('POST', '/api/projects', headers, { name: 'Apollo' })).status

  await command(['member', 'add', 'bob@example.test', '--role', 'viewer'], PASSWORD)
  const { headers } = await signIn(PASSWORD)
  t.equal(await create(headers), 403)
  t.match(await command(['member', 'set-role', 'BOB@example.test', 'member']), {
    code: 0,
    stdout: 'bob@example.test has the role member\n',
  })
  t.equal(await create(headers), 201, 'the role is the new one, in the session that was there')

  const { code, stdout, stderr } = await command(['token', 'create', 'bob@example.test', '--name', 'CI'])
  t.match(stdout, /^pbt_[\w-]{43}\n$/, 'the token and nothing else')
  t.strictSame([code, stderr], [0, ''])
  const token = { authorization: `Bearer ${stdout.trim()}` }
  t.strictSame([await status(token), await create(token)], [200, 403])
  const writing = await command([
    'token',
    'create',
    memberOf('bob@example.test')?.id ?? '',
    '--name',
    'x',
    '--scope',
    'write',
    '--expires',
    '2999-01-31',
  ])
  t.equal(await create({ authorization: `Bearer ${writing.stdout.trim()}` }), 201)
  t.match(db.select().from(apiTokens).orderBy(apiTokens.id).all(), [
    { name: 'CI', scope: 'read', expiresAt: null, tokenHash: hashToken(stdout.trim()) },
    { name: 'x', scope: 'write', expiresAt: '2999-01-31T00:00:00.000Z' },
  ])
  t.strictSame(await command(['member', 'disable', 'bob@example.test']), {
    code: 0,
    stdout: 'bob@example.test is disabled and signed out everywhere\n',
    stderr: '',
  })
  t.strictSame([await status(headers), await status(token), (await signIn(PASSWORD)).status], [401, 401, 401])
  t.match(await command(['member', 'enable', 'bob@example.test']), {
    code: 0,
    stdout: 'bob@example.test is enabled\n',
  })
  t.strictSame([await status(headers), await status(token)], [401, 200], 'no session comes back')

  const again = await signIn(PASSWORD)
  t.equal(await status(again.headers), 200)
  t.strictSame(await command(['member', 'reset-password', 'bob@example.test'], `${OTHER_PASSWORD}\n`), {
    code: 0,
    stdout: 'bob@example.test has a new password and is signed out everywhere\n',
    stderr: '',
  })
  t.strictSame([await status(again.headers), (await signIn(PASSWORD)).status], [401, 401])
  t.equal((await signIn(OTHER_PASSWORD)).status, 201)

  const { id } = memberOf('bob@example.test') ?? {}
  t.strictSame(
    trail().filter(([action, actorId]) => actorId === null && action !== 'sign-in-failed'),
    [
      ['member-created', null, null, id],
      ['member-role-changed', null, null, id],
      ...db
        .select()
        .from(apiTokens)
        .orderBy(apiTokens.id)
        .all()
        .map((one) => ['token-created', null, null, one.id]),
      ['member-disabled', null, null, id],
      ['member-enabled', null, null, id],
      ['password-reset', null, null, id],
    ],
  )
  const byCommand = db
    .select()
    .from(auditLog)
    .all()
    .filter(({ actorId, address }) => actorId === null && address === null)
  t.strictSame(
    new Set(byCommand.map(({ actor, subject }) => `${actor}: ${subject}`)),
    new Set(['command line: bob']),
    'by name, whose tokens they are, too',
  )
  const changes = await request('GET', '/api/changes?kind=member&limit=1000', {
    authorization: `Bearer ${(await command(['token', 'create', 'admin@localhost', '--name', 'x'])).stdout.trim()}`,
  })
  t.match(await changes.json(), {
    changes: [
      { actorId: null, actor: 'service', after: { role: 'admin' } },
      { actorId: null, actor: 'command line', after: { email: 'bob@example.test' } },
    ],
  })
  t.notMatch(JSON.stringify(db.select().from(auditLog).all()), /pbt_|argon2|correct horse|battery/)
})
