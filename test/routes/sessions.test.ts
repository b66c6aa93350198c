import { eq } from 'drizzle-orm'
import t from 'tap'
import { members, sessions } from '../../src/db/schema.ts'
import { timestamp } from '../../src/time.ts'
import {
  type App,
  auditTrail,
  authenticationRequired,
  breakTable,
  build,
  count,
  crossOriginFrom,
  holds,
  long,
  send,
  signInAs,
  stored,
  tokenOf,
} from '../helper.ts'

const MODES = ['open', 'required'] as const
const gone = { error: 'Session not found' }
const revoked = { success: true }
const readOnlyToken = { error: 'Forbidden: read-only token' }

/** Creates another session of a member. @returns the session's id, and the headers that carry it */
function signIn(app: App, role: 'admin' | 'member' | 'viewer' = 'member') {
  const { id, headers } = signInAs(app, role)
  return { member: id, headers, session: idsOf(app, id)[0] ?? '' }
}

const idsOf = (app: App, memberId: string) =>
  app.db
    .select()
    .from(sessions)
    .where(eq(sessions.memberId, memberId))
    .orderBy(sessions.id)
    .all()
    .map(({ id }) => id)

/** Moves a session to another member. */
function takeOver(app: App, session: string, memberId: string): void {
  app.db.update(sessions).set({ memberId }).where(eq(sessions.id, session)).run()
}

t.test('members see their sessions, and which one is current', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const first = signIn(app, 'viewer')
    const second = signIn(app)
    const other = signIn(app, 'admin')
    takeOver(app, second.session, first.member)

    const { status, body } = await send(app, 'GET', '/api/sessions', undefined, first.headers)
    t.equal(status, 200)
    const shown = (id: string, current: boolean) => {
      const row = stored(app, 'sessions', id)
      return {
        id,
        current,
        lastUsedAt: row.last_used_at,
        expiresAt: row.expires_at,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      }
    }
    t.strictSame(body, [shown(first.session, true), shown(second.session, false)])
    await holds(t, app, [
      [
        'GET',
        '/api/sessions',
        undefined,
        second.headers,
        200,
        [
          { id: first.session, current: false },
          { id: second.session, current: true },
        ],
      ],
      ['GET', '/api/sessions', undefined, other.headers, 200, [{ id: other.session, current: true }]],
      ['GET', `/api/sessions/${first.session}`, undefined, first.headers, 200, shown(first.session, true)],
      ['GET', `/api/sessions/${first.session}`, undefined, second.headers, 200, shown(first.session, false)],
    ])
  }
})

t.test("a token sees its member's sessions, none of them current", async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { member, session, headers } = signIn(app)
  signIn(app)
  const own = [{ id: session, current: false }]
  const url = `/api/sessions/${session}`
  for (const scope of ['read', 'write'] as const) {
    const token = tokenOf(app, member, { scope })
    await holds(t, app, [
      ['GET', '/api/sessions', undefined, token, 200, own],
      ['GET', '/api/sessions', undefined, { ...headers, ...token }, 200, own],
      ['GET', url, undefined, token, 200, { id: session, current: false }],
    ])
  }
  await holds(t, app, [
    ['DELETE', url, undefined, tokenOf(app, member, { scope: 'read' }), 403, readOnlyToken],
    ['DELETE', url, undefined, tokenOf(app, member), 200, revoked],
    ['GET', '/api/sessions', undefined, headers, 401, authenticationRequired],
  ])
})

t.test('an expired session is neither shown nor revoked', async (t) => {
  const app = await build(t)
  const { member, headers, session } = signIn(app)
  const other = signIn(app)
  takeOver(app, other.session, member)
  app.db.update(sessions).set({ expiresAt: timestamp() }).where(eq(sessions.id, other.session)).run()
  const url = `/api/sessions/${other.session}`
  await holds(t, app, [
    ['GET', '/api/sessions', undefined, headers, 200, [{ id: session }]],
    ['GET', url, undefined, headers, 404, gone],
    ['DELETE', url, undefined, headers, 404, gone],
  ])
  t.strictSame(auditTrail(app), [])
})

t.test('a revoked session is invalid at once, and recorded', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const { member, headers, session } = signIn(app, 'viewer')
    const other = signIn(app)
    takeOver(app, other.session, member)
    const url = `/api/sessions/${other.session}`
    const answer = await send(app, 'DELETE', url, undefined, headers)
    t.strictSame([answer.status, answer.body, answer.headers['set-cookie']], [200, revoked, undefined])
    await holds(t, app, [
      ['GET', '/api/sessions', undefined, other.headers, 401, authenticationRequired],
      ['DELETE', url, undefined, other.headers, 401, authenticationRequired],
      ['DELETE', url, undefined, headers, 404, gone],
      ['GET', '/api/sessions', undefined, headers, 200, [{ id: session }]],
    ])
    t.strictSame(auditTrail(app), [[member, 'session-revoked', other.session, {}]])
    t.equal(count(app, 'audit_log', "address = '127.0.0.1'"), 1)
  }
})

t.test('revoking the current session signs out and deletes the cookie', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { member, headers, session } = signIn(app)
  const answer = await send(app, 'DELETE', `/api/sessions/${session}`, undefined, headers)
  t.strictSame([answer.status, answer.body], [200, revoked])
  t.match(
    answer.headers['set-cookie'],
    /^phaseboard_session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax$/,
  )
  t.equal((await send(app, 'GET', '/api/session', undefined, headers)).status, 401)
  t.strictSame(auditTrail(app), [[member, 'session-revoked', session, {}]])
})

t.test("another member's session is not found, even by an admin, and continues", async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const victim = signIn(app)
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { headers, member } = signIn(app, role)
      for (const id of [
        victim.session,
        'none',
        victim.member,
        '__proto__',
        'constructor',
        '%25',
        long(5000),
      ]) {
        for (const credential of [headers, tokenOf(app, member)]) {
          await holds(t, app, [
            ['GET', `/api/sessions/${id}`, undefined, credential, 404, gone],
            ['DELETE', `/api/sessions/${id}`, { memberId: victim.member }, credential, 404, gone],
          ])
        }
      }
      const query = `?memberId=${victim.member}&id=${victim.session}`
      const { body } = await send(app, 'GET', `/api/sessions${query}`, undefined, headers)
      t.strictSame(body, (await send(app, 'GET', '/api/sessions', undefined, headers)).body)
      t.equal(body.length, 1)
    }
    t.equal((await send(app, 'GET', '/api/session', undefined, victim.headers)).status, 200)
    t.strictSame(auditTrail(app), [])
  }
})

t.test('a member of the host or proxy has no sessions, whatever its id is', async (t) => {
  const open = await build(t, { defaultMemberId: 'ada' })
  const hosted = await build(t, {
    authMode: 'required',
    resolveMember: () => ({ id: 'ada', role: 'admin' }),
  })
  for (const app of [open, hosted]) {
    const { headers } = signInAs(app, 'admin', { id: 'ada' })
    const [session = ''] = idsOf(app, 'ada')
    await holds(t, app, [
      ['GET', '/api/sessions', 200, []],
      ['GET', `/api/sessions/${session}`, 404, gone],
      ['DELETE', `/api/sessions/${session}`, 404, gone],
    ])
    t.equal(count(app, 'sessions'), 1)
    if (app === hosted) {
      t.strictSame(
        (await send(app, 'GET', '/api/sessions', undefined, headers)).body,
        [],
        'the host knows better than the cookie',
      )
    }
  }
})

t.test('the order of checks', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { member, headers } = signIn(app)
  const readToken = tokenOf(app, member, { scope: 'read' })
  const evil = { ...headers, origin: 'http://evil.example' }
  await holds(t, app, [
    ['GET', '/api/sessions', 401, authenticationRequired],
    ['GET', '/api/sessions/none', 401, authenticationRequired],
    ['DELETE', '/api/sessions/none', 401, authenticationRequired],
    ['DELETE', '/api/sessions/none', undefined, readToken, 403, readOnlyToken],
    ['DELETE', '/api/sessions/none', undefined, evil, 403, crossOriginFrom()],
    ['DELETE', '/api/sessions/none', '{oops', headers, 404, gone],
  ])
  app.db.update(members).set({ disabled: true }).where(eq(members.id, member)).run()
  await holds(t, app, [
    ['GET', '/api/sessions', undefined, headers, 401, authenticationRequired],
    ['GET', '/api/sessions', undefined, readToken, 401, authenticationRequired],
  ])
})

t.test("an unexpected failure returns the endpoint's 500, and revokes nothing", async (t) => {
  const broken = await build(t)
  breakTable(broken, 'sessions')
  await holds(t, broken, [
    ['GET', '/api/sessions', 500, { error: 'Failed to fetch sessions' }],
    ['GET', '/api/sessions/x', 500, { error: 'Failed to fetch session' }],
    ['DELETE', '/api/sessions/x', 500, { error: 'Failed to delete session' }],
  ])
  const app = await build(t)
  const { headers, session } = signIn(app)
  breakTable(app, 'audit_log')
  const answer = await send(app, 'DELETE', `/api/sessions/${session}`, undefined, headers)
  t.strictSame([answer.status, answer.headers['set-cookie']], [500, undefined])
  t.equal(count(app, 'sessions'), 1)
})
