import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t from 'tap'
import {
  type App,
  auditTrail,
  authenticationRequired,
  breakTable,
  build,
  count,
  createProject,
  holds,
  hourly,
  invalid,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'
import { planOf, watchPrepared } from '../query-plans.ts'

const MODES = ['open', 'required'] as const
const URL = '/api/audit-log'
const adminOnly = { error: 'Forbidden: admin access required' }
const CURSOR = 'must be the cursor of a page'

/** Records a number of team changes. @returns the names of the teams, in order */
function record(app: App, names: string[]): string[] {
  const by = { id: 'eve', address: null }
  for (const subjectId of names) {
    app.rules.members.audit.record({ action: 'team-changed', by, subjectId, subject: subjectId })
  }
  return names
}

/** A page of the log. @returns the subjects of its entries, and the URL of the next page */
async function page(app: App, url: string, headers: Record<string, string>) {
  const answer = await send(app, 'GET', url, undefined, headers)
  const [, next] = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link)) ?? []
  return { subjects: answer.body.map((entry: { subjectId: string }) => entry.subjectId), next }
}

t.test('admins read the audit log, newest first, and nobody else does', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const admin = signInAs(app, 'admin', { id: 'eve' })
    const member = signInAs(app, 'member')
    await holds(t, app, [
      [
        'GET',
        URL,
        undefined,
        {},
        ...(authMode === 'open' ? ([403, adminOnly] as const) : ([401, authenticationRequired] as const)),
      ],
      ['GET', URL, undefined, { cookie: 'phaseboard_session=x' }, 401, authenticationRequired],
      ['GET', URL, undefined, member.headers, 403, adminOnly],
      ['GET', URL, undefined, signInAs(app, 'viewer').headers, 403, adminOnly],
      ['GET', URL, undefined, tokenOf(app, member.id), 403, adminOnly],
      ['GET', `${URL}?limit=0`, undefined, member.headers, 403, adminOnly],
      ['GET', URL, undefined, tokenOf(app, admin.id, { scope: 'read' }), 200, []],
      ['HEAD', URL, undefined, admin.headers, 200, ''],
    ])
    const project = await createProject(app, { name: 'Apollo' }, admin.headers)
    await send(app, 'DELETE', `/api/projects/${project.id}`, undefined, admin.headers)
    record(app, ['ops'])
    const { status, body, headers } = await send(app, 'GET', URL, undefined, admin.headers)
    t.equal(status, 200)
    t.equal(headers.link, undefined)
    t.strictSame(
      body.map(({ id: _, createdAt: __, ...entry }: Record<string, string>) => entry),
      [
        {
          action: 'team-changed',
          actorId: 'eve',
          actor: 'The admin',
          subjectId: 'ops',
          subject: 'ops',
          address: null,
          metadata: {},
        },
        {
          action: 'project-deleted',
          actorId: 'eve',
          actor: 'The admin',
          subjectId: project.id,
          subject: 'Apollo',
          address: '127.0.0.1',
          metadata: { name: 'Apollo' },
        },
      ],
    )
    for (const { id, createdAt } of body) {
      t.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      t.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
    }
    t.ok(body[0].id > body[1].id)
  }
})

t.test(
  'entries name the actor and the owner of the session or token, with their names at that time',
  async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = signInAs(app, 'admin', { id: 'eve' })
    const member = signInAs(app, 'viewer', { id: 'ada' })
    const as = (method: string, url: string, headers: Record<string, string>, body?: object) =>
      send(app, method, url, body, headers)
    await as('PATCH', '/api/members/eve', admin.headers, { name: 'Eve' })
    await as('PATCH', '/api/members/ada', member.headers, { name: 'Ada' })
    const token = (await as('POST', '/api/tokens', member.headers, { name: 'CI' })).body
    await as('DELETE', `/api/tokens/${token.id}`, admin.headers)
    const other = app.rules.members.sessions.start('ada')
    await as('DELETE', `/api/sessions/${other.id}`, member.headers)
    await as('PATCH', '/api/members/ada', admin.headers, { role: 'member', password: 'correct horse' })
    const email = 'ada@example.test'
    await as('POST', '/api/session', {}, { email, password: 'wrong horse' })
    await as('POST', '/api/session', {}, { email: 'nobody@example.test', password: 'wrong horse' })
    const signedIn = await as('POST', '/api/session', {}, { email, password: 'correct horse' })
    const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] ?? ''
    await as('DELETE', '/api/session', { cookie })
    await as('POST', '/api/teams', admin.headers, { name: 'Crew' })
    await as('PATCH', '/api/members/ada', admin.headers, { name: 'Ada King' })
    await as('DELETE', '/api/members/ada', admin.headers)
    await as('PATCH', '/api/members/eve', admin.headers, { name: 'Eva' })
    const { body } = await as('GET', URL, admin.headers)
    t.strictSame(
      body.toReversed().map(({ action, actor, subject }: Record<string, string>) => [action, actor, subject]),
      [
        ['token-created', 'Ada', 'Ada'],
        ['token-revoked', 'Eve', 'Ada'],
        ['session-revoked', 'Ada', 'Ada'],
        ['member-role-changed', 'Eve', 'Ada'],
        ['password-reset', 'Eve', 'Ada'],
        ['sign-in-failed', null, 'Ada'],
        ['sign-in-failed', null, null],
        ['sign-in', 'Ada', 'Ada'],
        ['sign-out', 'Ada', 'Ada'],
        ['team-changed', 'Eve', 'Crew'],
        ['member-deleted', 'Eve', 'Ada King'],
      ],
    )
  },
)

t.test('an actor without a member record is named, too', async (t) => {
  const resolveMember = () => ({ id: 'host-7', role: 'admin' as const, name: 'Grace of the host' })
  const app = await build(t, { authMode: 'required', resolveMember })
  await send(app, 'POST', '/api/teams', { name: 'Crew' })
  t.match((await send(app, 'GET', URL)).body, [{ actorId: 'host-7', actor: 'Grace of the host' }])
})

t.test('nothing changes the audit log', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  record(app, ['ops'])
  const { id } = app.db.$client.prepare('select id from audit_log').get() as { id: string }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    await holds(t, app, [[method, URL, {}, headers, 405, { error: 'Method not allowed' }]])
    t.equal((await send(app, method, `${URL}/${id}`, {}, headers)).status, 404)
  }
  t.equal(count(app, 'audit_log'), 1)
})

t.test('the pages together are the log at the time of the first one', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const subjects = record(app, [...'abcdefg']).toReversed()
  t.strictSame((await page(app, URL, headers)).subjects, subjects)
  for (const limit of [1, 2, 3, 6, 7, 8, 500]) {
    const read: string[] = []
    for (let next: string | undefined = `${URL}?limit=${limit}`; next !== undefined; ) {
      const part = await page(app, next, headers)
      t.equal(part.subjects.length, Math.min(limit, subjects.length - read.length))
      read.push(...part.subjects)
      next = part.next
      // Entries recorded in the meantime appear when the list is read again from the start.
      app.db.$client.exec("delete from audit_log where subject_id = 'late'")
      record(app, ['late'])
    }
    app.db.$client.exec("delete from audit_log where subject_id = 'late'")
    t.strictSame(read, subjects, `pages of ${limit}`)
  }
  const first = await page(app, `${URL}?limit=2`, headers)
  const second = await page(app, `${first.next}`, headers)
  t.strictSame(second.subjects, ['e', 'd'])
  t.strictSame((await page(app, `${first.next}`, headers)).subjects, ['e', 'd'], 'asked for again')
  const rest = `${first.next}`.replace('limit=2&', '')
  t.strictSame((await page(app, rest, headers)).subjects, [...'edcba'], 'without a limit: all that is left')
})

t.test('a page needs valid numbers and a cursor of the log', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const cases: [string, object][] = [
    ['limit=0', { limit: ['must be >= 1'] }],
    ['limit=501', { limit: ['must be <= 500'] }],
    ['limit=-1', { limit: ['must be >= 1'] }],
    ['limit=1.5', { limit: ['must be integer'] }],
    ['limit=x', { limit: ['must be integer'] }],
  ]
  for (const [query, fields] of cases)
    await holds(t, app, [
      ['GET', `${URL}?${query}`, undefined, headers, 400, invalid(fields as Record<string, string[]>)],
    ])
  for (const cursor of ['x', 'bnVsbA', '']) {
    const { status, body } = await send(app, 'GET', `${URL}?cursor=${cursor}`, undefined, headers)
    t.equal(status, 400, cursor)
    t.strictSame(Object.keys(body.details.fieldErrors), ['cursor'], CURSOR)
  }
  for (const query of ['limit=1', 'limit=500', 'unknown=1'])
    await holds(t, app, [['GET', `${URL}?${query}`, undefined, headers, 200, []]])
})

t.test('a project is deleted together with its audit entry, or not at all', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const admin = signInAs(app, 'admin', { id: 'eve' })
    const kept = await createProject(app, {}, admin.headers)
    const url = `/api/projects/${kept.id}`
    await send(app, 'DELETE', '/api/projects/unknown', undefined, admin.headers)
    await send(app, 'DELETE', url, undefined, signInAs(app, 'member').headers)
    t.strictSame(auditTrail(app), [], 'what is refused is not recorded')
    const name = 'A "name"\n with \u0000 everything \u2028'
    const gone = await createProject(app, { name }, admin.headers)
    await send(app, 'DELETE', `/api/projects/${gone.id}`, undefined, tokenOf(app, admin.id))
    await send(app, 'DELETE', `/api/projects/${gone.id}`, undefined, admin.headers)
    t.strictSame(auditTrail(app), [['eve', 'project-deleted', gone.id, { name }]])
    breakTable(app, 'audit_log')
    await holds(t, app, [
      ['DELETE', url, undefined, admin.headers, 500, { error: 'Failed to delete project' }],
      ['GET', url, undefined, admin.headers, 200, { id: kept.id }],
      ['GET', URL, undefined, admin.headers, 500, { error: 'Failed to fetch audit log' }],
    ])
  }
})

t.test('the audit log contains no secret, whatever field it was typed into', async (t) => {
  const password = 'correct-horse-battery'
  const app = await build(t, { adminPassword: password, authMode: 'required' })
  const signIn = async (email: string, secret: string) =>
    send(app, 'POST', '/api/session', { email, password: secret })
  const typo = 'a-password-typed-as-email'
  await signIn(typo, password)
  await signIn(`${typo}@localhost`, 'x')
  await signIn('admin@localhost', 'a-wrong-password')
  const { status, headers } = await signIn('admin@localhost', password)
  t.equal(status, 201)
  const [cookie = ''] = String(headers['set-cookie']).split(';', 1)
  const asAdmin = (method: string, url: string, body?: object) => send(app, method, url, body, { cookie })
  const project = await createProject(app, {}, { cookie })
  const { body: made } = await asAdmin('POST', '/api/tokens', { name: 'CI', scope: 'write' })
  const newPassword = 'a-password-given-by-an-admin'
  const { body: member } = await asAdmin('POST', '/api/members', {
    name: 'Ada',
    email: 'ada@example.test',
    password: newPassword,
  })
  await asAdmin('PATCH', `/api/members/${member.id}`, { password: `${newPassword}-too` })
  await asAdmin('DELETE', `/api/tokens/${made.id}`)
  await asAdmin('DELETE', `/api/projects/${project.id}`)
  const token = `pbt_${'s3cr3t'.repeat(6)}`
  await send(app, 'DELETE', '/api/projects/x', undefined, { authorization: `Bearer ${token}` })
  await asAdmin('DELETE', '/api/session')
  t.ok(count(app, 'audit_log') > 3)
  const trail = JSON.stringify(app.db.$client.prepare('select * from audit_log').all())
  const hashes = app.db.$client
    .prepare<[], string>(
      'select password_hash from members union all select token_hash from sessions union all select token_hash from api_tokens',
    )
    .pluck()
    .all()
  const secrets = [password, typo, 'a-wrong-password', newPassword, cookie.split('=')[1], token, made.token]
  for (const secret of [...secrets, ...hashes]) if (secret) t.notOk(trail.includes(secret), secret)
  t.notMatch(trail, /\$argon2|pbt_|phaseboard_session|[0-9a-f]{64}/)
})

t.test('the log is read by its primary key, page by page', async (t) => {
  const preparedBy = watchPrepared(t)
  const app = await build(t)
  app.rules.members.audit.page({})
  const plans = preparedBy(app.db.$client)
    .filter((source) => source.startsWith('select') && source.includes('"audit_log"'))
    .map((source) => planOf(app.db.$client, source))
  const key = 'USING INDEX sqlite_autoindex_audit_log_1'
  const covering = `SEARCH audit_log ${key.replace('USING', 'USING COVERING')} (id<?)`
  t.strictSame(plans, [
    // Entries that are too old, and more of these than a page has.
    [covering],
    [covering],
    [`SEARCH audit_log ${key} (id=?)`, 'LIST SUBQUERY 1', 'SCAN json_each VIRTUAL TABLE INDEX 1:'],
  ])
})

/** Entries created a number of days ago. */
function age(app: App, days: number, count: number): void {
  const at = Date.now() - days * 86_400_000
  const hex = at.toString(16).padStart(12, '0')
  const insert = app.db.$client.prepare(
    "insert into audit_log (id, action, created_at) values (?, 'sign-in', ?)",
  )
  app.db.$client.transaction(() => {
    for (let index = 0; index < count; index++) {
      const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(index).padStart(12, '0')}`
      insert.run(id, new Date(at).toISOString())
    }
  })()
}

t.test('entries older than the retention are deleted at the start, a few per write', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const first = await build(t, { databaseUrl, adminPassword: 'correct horse' })
  record(first, ['now'])
  age(first, 364, 3)
  age(first, 366, 1700)
  age(first, 4000, 5)
  await first.close()

  const forEver = await build(t, { databaseUrl, auditKeepDays: 0 })
  await setImmediate()
  t.equal(count(forEver, 'audit_log'), 1709, '0 is for ever')
  await forEver.close()

  const { prepare } = SQLite.prototype
  t.teardown(() => {
    SQLite.prototype.prepare = prepare
  })
  const removed: number[] = []
  SQLite.prototype.prepare = function (source: string) {
    const statement = prepare.call(this, source)
    if (source.startsWith('delete from "audit_log"')) {
      const { run } = statement
      statement.run = (...values: unknown[]) => {
        const result = run.apply(statement, values as never)
        removed.push(result.changes)
        return result
      }
    }
    return statement as never
  }
  const app = await build(t, { databaseUrl })
  while (removed.at(-1) === undefined || removed.at(-1) === 500) await setImmediate()
  t.strictSame(removed, [500, 500, 500, 205])
  t.equal(count(app, 'audit_log'), 4)
  await app.close()
  removed.length = 0
  const again = await build(t, { databaseUrl })
  await setImmediate()
  t.strictSame(removed, [], 'where there is nothing to remove, nothing is written')
  t.equal(count(again, 'audit_log'), 4)
})

t.test('and once an hour; a failure is retried, and delays nothing', async (t) => {
  const prune = hourly(t)
  const app = await build(t, { auditKeepDays: 10 })
  age(app, 9, 1)
  age(app, 11, 1)
  app.db.$client.exec("create trigger kept before delete on audit_log begin select raise(abort, 'no'); end")
  prune()
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.equal(count(app, 'audit_log'), 2)
  app.db.$client.exec('drop trigger kept')
  prune()
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.equal(count(app, 'audit_log'), 1)
})
