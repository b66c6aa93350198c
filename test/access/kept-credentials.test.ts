/** Credentials are looked up in the file once, and again as soon as anything that they depend on may have changed. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { hashToken } from '../../src/members/secrets.ts'
import { type App, addMember, build, send, signInAs, tokenOf } from '../helper.ts'

const PATH = '/api/session'

/** An application with a member's session and token, and a count of the lookups. */
async function setUp(t: Test) {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { authMode: 'required', databaseUrl: `file:${file}` })
  const { id, token, headers } = signInAs(app, 'member')
  const bearer = tokenOf(app, id)
  const { sessions, tokens } = app.rules.members
  const lookups = [t.capture(sessions, 'find', sessions.find), t.capture(tokens, 'find', tokens.find)]
  const other = new SQLite(file)
  t.teardown(() => other.close())
  return {
    app,
    id,
    other,
    credentials: { session: headers, token: bearer } as Record<string, Record<string, string>>,
    hash: { session: hashToken(token), token: hashToken(bearer.authorization.slice('Bearer '.length)) },
    lookups: () => lookups.reduce((sum, found) => sum + found().length, 0),
  }
}

/** The role of the caller, or the status of a refusal. */
const asks = async (app: App, headers: Record<string, string>) => {
  const { status, body } = await send(app, 'GET', PATH, undefined, headers)
  return status === 200 ? body.member.role : status
}

t.test('a credential is looked up once', async (t) => {
  const { app, credentials, lookups } = await setUp(t)
  for (const [name, headers] of Object.entries(credentials)) {
    await asks(app, headers)
    // The first request has recorded its use.
    await asks(app, headers)
    lookups()
    for (const _ of [1, 2, 3]) t.equal(await asks(app, headers), 'member', name)
    t.equal(lookups(), 0, name)
  }
})

t.test('what it depends on has changed', async (t) => {
  const { app, id, other, credentials, hash } = await setUp(t)
  const { session = {}, token = {} } = credentials
  const both = async () => [await asks(app, session), await asks(app, token)]
  const here = app.db.$client
  t.strictSame(await both(), ['member', 'member'])
  for (const [where, client] of [
    ['by this process', here],
    ['by another one', other],
  ] as const) {
    const run = (sql: string, ...values: unknown[]) => client.prepare(sql).run(...values)
    run("update members set role = 'viewer' where id = ?", id)
    t.strictSame(await both(), ['viewer', 'viewer'], `the role, ${where}`)
    run("update members set role = 'member', disabled = 1 where id = ?", id)
    t.strictSame(await both(), [401, 401], `disabled, ${where}`)
    run('update members set disabled = 0 where id = ?', id)
    t.strictSame(await both(), ['member', 'member'], `enabled again, ${where}`)
  }
  here.exec('begin')
  here.prepare("update members set role = 'viewer' where id = ?").run(id)
  app.rules.members.sessions.find(hash.session)
  here.exec('rollback')
  t.strictSame(await both(), ['member', 'member'], 'a change that was rolled back')

  other.prepare('delete from api_tokens where token_hash = ?').run(hash.token)
  t.strictSame(await both(), ['member', 401], 'revoked by another process')
  here.prepare('delete from sessions where token_hash = ?').run(hash.session)
  t.strictSame(await both(), [401, 401], 'revoked')
})

t.test('it has expired', async (t) => {
  const { app, id } = await setUp(t)
  const now = Date.now()
  const token = tokenOf(app, id, { expiresAt: new Date(now + 1000).toISOString() })
  t.equal(await asks(app, token), 'member')
  t.intercept(Date, 'now', { value: () => now + 1000 })
  t.equal(await asks(app, token), 401)
})

t.test('the secret of a session is no token, nor the other way round', async (t) => {
  const { app, credentials } = await setUp(t)
  const { session = {}, token = {} } = credentials
  await asks(app, session)
  await asks(app, token)
  const [, ofSession = ''] = session.cookie?.split('=') ?? []
  const [, ofToken = ''] = token.authorization?.split(' ') ?? []
  t.equal(await asks(app, { authorization: `Bearer ${ofSession}` }), 401)
  t.equal(await asks(app, { cookie: `phaseboard_session=${ofToken}` }), 401)
})

t.test('a member is deleted, with everything that identified them', async (t) => {
  const { app, other } = await setUp(t)
  const id = addMember(app, 'grace@example.test')
  const token = tokenOf(app, id)
  t.equal(await asks(app, token), 'member')
  other.pragma('foreign_keys = on')
  other.prepare('delete from members where id = ?').run(id)
  t.equal(await asks(app, token), 401)
})
