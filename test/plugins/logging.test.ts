import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import type { Config } from '../../src/config.ts'
import { apiTokens, members } from '../../src/db/schema.ts'
import { hashPassword } from '../../src/members/passwords.ts'
import { hashToken, newToken } from '../../src/members/secrets.ts'
import { type App, breakTable, createItem, createProject, keepLog, send } from '../helper.ts'

interface Line {
  level: number
  msg: string
  [key: string]: unknown
}

const [DEBUG, WARN, ERROR] = [20, 40, 50]

/** An application and its log. */
async function logged(t: Test, options: Partial<Config> = {}, extend = (_app: App) => {}) {
  const { logStream, log } = keepLog()
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'trace', logStream, ...options })
  t.teardown(() => app.close())
  extend(app)
  await app.ready()
  const lines = (): Line[] =>
    log()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { app, log, lines }
}

t.test('by default requests are not logged', async (t) => {
  const { app, log } = await logged(t, { logLevel: 'info' })
  const project = await createProject(app)
  await send(app, 'GET', `/api/projects/${project.id}?q=x`)
  await send(app, 'GET', '/nowhere')
  await send(app, 'POST', '/api/projects', {})
  await send(app, 'POST', '/api/projects', '{oops')
  await send(app, 'DELETE', '/api/projects/x')
  await send(app, 'PATCH', '/api/kanban-subtasks/unknown', {})
  t.equal(log(), '', 'neither do mistakes of the client')
})

t.test('at debug a request is one line, with its path and without its query', async (t) => {
  const { app, lines } = await logged(t, { logLevel: 'debug' })
  await send(app, 'GET', '/api/projects?status=s3cr3t&teamId=s3cr3t')
  await send(app, 'POST', '/api/projects', { name: 'Apollo' })
  await send(app, 'GET', '/nowhere?s3cr3t')
  const requests = lines().filter(({ msg }) => msg === 'request')
  t.match(requests, [
    { level: DEBUG, method: 'GET', path: '/api/projects', status: 200, milliseconds: Number },
    { level: DEBUG, method: 'POST', path: '/api/projects', status: 201 },
    { level: DEBUG, method: 'GET', path: '/nowhere', status: 404 },
  ])
  t.equal(requests.length, 3)
  for (const line of requests) {
    t.strictSame(Object.keys(line).sort(), [
      'hostname',
      'level',
      'method',
      'milliseconds',
      'msg',
      'path',
      'pid',
      'reqId',
      'status',
      'time',
    ])
  }
})

t.test('a request has its own logger, as in Fastify', async (t) => {
  const { app, lines } = await logged(t, { logLevel: 'warn' }, (app) => {
    app.get('/logs', async ({ log, id }) => {
      const asGiven = log.level
      log.info('is below the level')
      log.level = 'info'
      log.info({ a: 1 }, 'of %s', id)
      log.child({ part: 'b' }).warn('of its child')
      return [asGiven, log.level]
    })
    app.get('/verbose', { logLevel: 'trace' }, async ({ log }) => {
      log.trace('by the route')
      return [log.level]
    })
  })
  t.strictSame((await app.inject('/logs')).json(), ['warn', 'info'])
  t.strictSame((await app.inject('/verbose')).json(), ['trace'])
  const said = lines().filter(({ msg }) => msg !== 'request')
  t.match(said, [
    { msg: /^of req-/, a: 1, reqId: /^req-/ },
    { msg: 'of its child', part: 'b', reqId: said[0]?.reqId },
    { msg: 'by the route', reqId: /^req-/ },
  ])
  t.equal(said.length, 3)
})

t.test('a slow request logs a warning, a quick one nothing', async (t) => {
  const { app, lines } = await logged(t, { logLevel: 'warn' }, (app) => {
    app.get('/takes/:milliseconds', async ({ params }, reply) => {
      const { milliseconds } = params as { milliseconds: string }
      Object.defineProperty(reply, 'elapsedTime', { value: Number(milliseconds) })
      return 'done'
    })
  })
  await app.inject('/takes/1000?q=s3cr3t')
  await app.inject('/takes/1001?q=s3cr3t')
  t.match(lines(), [{ level: WARN, msg: 'slow request', path: '/takes/1001', milliseconds: 1001 }])
  t.equal(lines().length, 1)
})

t.test('a failure is logged once, with its cause', async (t) => {
  const { app, lines } = await logged(t, { logLevel: 'info' })
  const project = await createProject(app)
  breakTable(app, 'kanban_items')
  t.equal((await send(app, 'GET', `/api/projects/${project.id}`)).status, 500)
  t.match(lines(), [
    {
      level: ERROR,
      msg: 'Failed to fetch project',
      err: { type: 'SqliteError', message: /kanban_items/, stack: /Projects\.getMany/ },
    },
  ])
  t.equal(lines().length, 1)
})

t.test('a client error that the specification answers with 500 is not logged as a failure', async (t) => {
  const { app, lines } = await logged(t, { logLevel: 'debug' })
  await send(app, 'POST', '/api/projects', '{oops')
  await send(app, 'DELETE', '/api/kanban-subtasks/unknown')
  t.match(
    lines().filter(({ msg }) => msg !== 'request'),
    [
      { level: DEBUG, msg: 'Failed to create project', reason: 'the request body is not JSON' },
      { level: DEBUG, msg: 'Internal server error', reason: 'there is no such subtask' },
    ],
  )
})

t.test('no password, token, cookie, body, query or SQL parameter is ever logged', async (t) => {
  const secrets: string[] = []
  const secret = (what: string) => {
    const text = `s3cr3t-${what}-${newToken()}`
    secrets.push(text)
    return text
  }
  const { app, log, lines } = await logged(t, { adminPassword: secret('admin-password') })

  const password = secret('password')
  const passwordHash = await hashPassword(password)
  const apiToken = secret('token')
  secrets.push(passwordHash, hashToken(apiToken))
  app.db
    .insert(members)
    .values({ id: 'ada', name: 'Ada', email: 'ada@example.test', role: 'admin', passwordHash })
    .run()
  app.db
    .insert(apiTokens)
    .values({ id: 't', memberId: 'ada', name: 'CI', scope: 'write', tokenHash: hashToken(apiToken) })
    .run()

  const signIn = (body: unknown) => send(app, 'POST', '/api/session', body)
  const { headers } = await signIn({ email: 'ada@example.test', password })
  const sessionToken = /phaseboard_session=([^;]+)/.exec(String(headers['set-cookie']))?.[1] ?? ''
  t.equal(sessionToken.length, 43)
  secrets.push(sessionToken, hashToken(sessionToken))
  const session = { cookie: `phaseboard_session=${sessionToken}` }
  const bearer = { authorization: `Bearer ${apiToken}` }

  await signIn({ email: `${secret('email')}@example.test`, password: secret('wrong-password') })
  await signIn(`{"email":"ada@example.test","password":"${secret('malformed')}"`)
  await signIn(`${secret('not-json')}`)
  await signIn({ email: secret('short'), password: 5, note: secret('unknown-field') })
  for (let attempt = 0; attempt < 12; attempt++)
    await signIn({ email: secret('many'), password: secret('many') })

  const { body: link } = await send(app, 'POST', '/api/invitations', { role: 'viewer' }, session)
  secrets.push(link.token, hashToken(link.token))
  const guest = { token: link.token, name: 'Guest', email: 'guest@example.test' }
  await send(app, 'POST', '/api/session/link/check', { token: secret('unknown-link') })
  await send(app, 'POST', '/api/session/link', { ...guest, password: secret('of-a-guest') })
  const project = await createProject(
    app,
    { name: secret('name'), metadata: { note: secret('metadata') } },
    session,
  )
  const item = await createItem(app, project.id, { title: secret('title') }, bearer)
  await send(app, 'GET', `/api/projects?status=${secret('query')}`, undefined, session)
  await send(app, 'GET', `/nowhere?${secret('query')}`, undefined, bearer)
  await send(app, 'GET', '/api/projects', undefined, { authorization: `Bearer ${secret('unknown-token')}` })
  await send(app, 'GET', '/api/projects', undefined, {
    cookie: `phaseboard_session=${secret('unknown-session')}`,
  })
  await send(app, 'GET', '/api/projects', undefined, { authorization: `Basic ${secret('basic')}` })
  await send(app, 'POST', '/api/projects', `"${secret('body')}`, session)
  await send(app, 'POST', '/api/projects', secret('text'), { ...session, 'content-type': 'text/plain' })
  await send(
    app,
    'PATCH',
    `/api/kanban-items/${item.id}`,
    { title: secret('title'), dueDate: secret('date') },
    bearer,
  )
  await send(
    app,
    'POST',
    '/api/projects',
    { name: 'A' },
    { ...session, origin: `http://${secret('origin')}.example` },
  )

  // Statements that fail with bound values.
  app.db.$client.exec(`
    create trigger no_items before update on kanban_items begin select raise(abort, 'no'); end;
    create trigger no_projects before insert on projects begin select raise(abort, 'no'); end;
    create trigger no_ideas before insert on personal_ideas begin select raise(abort, 'no'); end;
    update sessions set last_used_at = '2020-01-01T00:00:00.000Z';
    update api_tokens set last_used_at = '2020-01-01T00:00:00.000Z';
    create trigger no_touch before update on sessions begin select raise(abort, 'no'); end;
    create trigger no_use before update on api_tokens begin select raise(abort, 'no'); end`)
  const failing = [
    await send(app, 'POST', '/api/projects', { name: secret('failing') }, session),
    await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: secret('failing') }, bearer),
    await send(app, 'POST', '/api/personal-ideas', { title: secret('failing') }, session),
  ]
  t.strictSame(
    failing.map(({ status }) => status),
    [500, 500, 500],
  )
  breakTable(app, 'members')
  t.equal((await signIn({ email: secret('failing'), password: secret('failing') })).status, 500)
  const unknown = { cookie: `phaseboard_session=${secret('unknown-session')}` }
  t.equal((await send(app, 'GET', '/api/projects', undefined, unknown)).status, 500)

  t.ok(lines().filter(({ level }) => level === ERROR).length >= 5, 'the failures are logged')
  t.ok(lines().filter(({ msg }) => msg === 'could not record the use of a credential').length >= 2)
  for (const text of secrets) t.notOk(log().includes(text), `${text.slice(0, 30)} is not logged`)
  t.notOk(log().includes('s3cr3t'), 'not even in part')
})
