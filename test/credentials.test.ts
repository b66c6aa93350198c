/** The cost of a credential in a request: one look-up if it is new, and nothing that is slow on purpose. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { openDatabase } from '../src/db/client.ts'
import { newToken } from '../src/members/secrets.ts'
import { timestamp } from '../src/time.ts'
import { watch } from './executions.ts'
import { type App, build, createProject, send, signInAs, tokenOf } from './helper.ts'
import { planOf } from './query-plans.ts'

/** Every password hash that is created or checked. The library is patched before anything loads it. */
let hashings = 0
const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
for (const name of ['hash', 'verify']) {
  const original = argon2[name]
  argon2[name] = (...values: unknown[]) => {
    hashings++
    return original(...values)
  }
}

/** The possible credentials, including invalid ones, and the index that finds each. */
function credentials(app: App) {
  const { id, headers } = signInAs(app, 'member')
  return [
    ['a session', 'sessions', headers],
    ['a token', 'api_tokens', tokenOf(app, id, { lastUsedAt: timestamp() })],
    ['an unknown session', 'sessions', { cookie: `phaseboard_session=${newToken()}` }],
    ['an unknown token', 'api_tokens', { authorization: `Bearer ${newToken()}` }],
  ] as const
}

/** Requests of one poll share a check for other processes' commits; injected ones belong to no poll. */
const isNoCheck = (statement: string) => !statement.includes('data_version')

t.test('resolving a credential takes one statement, once, and hashes no password', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const all = credentials(app)
    const executions = watch(t, app.db.$client, { isOwn: true })
    hashings = 0
    for (const [what, table, headers] of all) {
      // Sent a second time, so that the policy knows the member.
      await send(app, 'GET', '/api/session', undefined, headers)
      executions.log.length = 0
      await send(app, 'GET', '/api/session', undefined, headers)
      // What is unknown is not kept: it is looked up each time.
      const expected = what.includes('unknown') ? [new RegExp(`from "${table}"`)] : []
      t.match(executions.log.filter(isNoCheck), expected, `${what} (${authMode})`)
      t.equal(executions.log.filter(isNoCheck).length, expected.length, `${what} (${authMode})`)
    }
    t.equal(hashings, 0)
  }
})

t.test('a known credential adds no statement to a request', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const [[, , session] = [], [, , token] = []] = credentials(app)
  const executions = watch(t, app.db.$client, { isOwn: true })
  for (const [method, url, body] of [
    ['GET', `/api/projects/${id}`],
    ['GET', '/api/teams'],
    ['POST', '/api/projects', { name: 'Gemini' }],
  ] as const) {
    const counts = []
    for (const headers of [{}, session, token]) {
      // Sent a second time, so that everything is cached.
      await send(app, method, url, body, headers)
      executions.log.length = 0
      await send(app, method, url, body, headers)
      counts.push(executions.log.filter(isNoCheck).length)
    }
    const [without = 0] = counts
    t.strictSame(counts, [without, without, without], `${method} ${url}`)
  }
})

t.test('the statement uses an index, and is prepared once', async (t) => {
  const app = await build(t)
  const all = credentials(app)
  const executions = watch(t, app.db.$client, { isOwn: true })
  for (const [what, table, headers] of all) {
    executions.log.length = 0
    await send(app, 'GET', '/api/session', undefined, headers)
    const [source = ''] = executions.log.filter(isNoCheck)
    const [first, second, ...more] = planOf(app.db.$client, source)
    t.match(first, new RegExp(`^SEARCH ${table} USING INDEX \\w+_token \\(token_hash=\\?\\)$`), what)
    t.match(second, /^SEARCH members USING INDEX sqlite_autoindex_members_1 \(id=\?\)$/, what)
    t.strictSame(more, [])
    // Statements with a bare parameter are planned anew each time: see `given`.
    t.notMatch(source, /[^+]\?/, what)
  }
})

t.test('a revocation by another process applies from the next request', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const app = await build(t, { authMode: 'required', databaseUrl, adminPassword: 'correct horse' })
  const other = openDatabase(databaseUrl)
  t.teardown(other.close)
  const status = async (headers: Record<string, string>) =>
    (await send(app, 'GET', '/api/session', undefined, headers)).status
  for (const change of [
    'delete from sessions; delete from api_tokens',
    'update members set disabled = 1',
    'delete from members',
    `update sessions set expires_at = '${timestamp()}'; update api_tokens set expires_at = '${timestamp()}'`,
  ]) {
    const { id, headers } = signInAs(app, 'member')
    const token = tokenOf(app, id, { lastUsedAt: timestamp() })
    t.strictSame([await status(headers), await status(token)], [200, 200])
    other.db.$client.exec(change)
    t.strictSame([await status(headers), await status(token)], [401, 401], change)
  }
})
