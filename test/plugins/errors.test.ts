import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { httpErrors } from '@fastify/sensible'
import { isHttpError } from 'http-errors'
import t from 'tap'
import { ApiError, buildApp } from '../../src/app.ts'
import {
  breakTable,
  build,
  createItem,
  createProject,
  createSubtask,
  holds,
  type Row,
  send,
} from '../helper.ts'
import { APP_URL, nodeCommand } from '../shipped.ts'

const notFound = { error: 'Not found' }
const notAllowed = { error: 'Method not allowed' }

t.test('an unknown route is 404, for any method, body and caller', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode, bodyLimit: 100 })
    const worthless = { authorization: 'Bearer worthless' }
    const text = { 'content-type': 'text/plain' }
    for (const url of [
      '/nothing',
      '/api',
      '/api/nothing',
      '/api/projects/x/y/z',
      '/API/projects',
      '/%',
      '/api/projects%',
    ]) {
      await holds(t, app, [
        ['GET', url, undefined, undefined, 404, notFound],
        ['HEAD', url, undefined, undefined, 404, ''],
        ['GET', url, undefined, worthless, 404, notFound],
        ['POST', url, '{oops', undefined, 404, notFound],
        ['PUT', url, 'x', text, 404, notFound],
        ['PATCH', url, 'x'.repeat(101), undefined, 404, notFound],
        ['DELETE', url, 'x', text, 404, notFound],
        ['OPTIONS', url, undefined, undefined, 404, notFound],
      ])
    }
  }
})

t.test('a known path with another method is 405 and lists its methods', async (t) => {
  const paths: [string, string[]][] = [
    ['/api/projects', ['GET', 'HEAD', 'POST']],
    ['/api/projects/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/projects/reorder', ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
    ['/api/projects/x/kanban-items', ['GET', 'HEAD', 'POST']],
    ['/api/projects/x/kanban-items/reorder', ['POST']],
    ['/api/projects/x/kanban-counts', ['GET', 'HEAD']],
    ['/api/projects/x/kanban-columns', ['GET', 'HEAD', 'POST']],
    ['/api/projects/x/kanban-columns/reorder', ['POST']],
    ['/api/kanban-columns/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/kanban-items', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/kanban-items/x/move', ['POST']],
    ['/api/kanban-items/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/kanban-items/x/subtasks', ['GET', 'HEAD', 'POST']],
    ['/api/kanban-items/x/subtasks/reorder', ['POST']],
    ['/api/kanban-items/x/comments', ['GET', 'HEAD', 'POST']],
    ['/api/kanban-items/x/activity', ['GET', 'HEAD']],
    ['/api/kanban-items/x/labels/y', ['PUT', 'DELETE']],
    ['/api/kanban-subtasks/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/kanban-comments/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/projects/x/kanban-labels', ['GET', 'HEAD', 'POST']],
    ['/api/kanban-labels/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/projects/x/objectives', ['GET', 'HEAD', 'POST']],
    ['/api/objectives/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/projects/x/metrics', ['GET', 'HEAD', 'POST']],
    ['/api/metrics/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/projects/x/transcript-summaries', ['GET', 'HEAD', 'POST']],
    ['/api/transcript-summaries/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/projects/x/team-assignments', ['GET', 'HEAD', 'POST', 'PUT']],
    ['/api/team-assignments/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/ingest/transcript', ['POST']],
    ['/api/ingest/metrics', ['POST']],
    ['/api/personal-ideas', ['GET', 'HEAD', 'POST']],
    ['/api/personal-ideas/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/personal-ideas/x/promote', ['POST']],
    ['/api/personal-ideas/reorder', ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']],
    ['/api/session', ['GET', 'HEAD', 'POST', 'DELETE']],
    ['/api/sessions', ['GET', 'HEAD']],
    ['/api/sessions/x', ['GET', 'HEAD', 'DELETE']],
    ['/api/tokens', ['GET', 'HEAD', 'POST']],
    ['/api/tokens/x', ['GET', 'HEAD', 'DELETE']],
    ['/api/members', ['GET', 'HEAD', 'POST']],
    ['/api/members/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/api/members/x/password-link', ['POST']],
    ['/api/invitations', ['POST']],
    ['/api/member-links', ['GET', 'HEAD']],
    ['/api/member-links/x', ['GET', 'HEAD', 'DELETE']],
    ['/api/projects/x/share-links', ['GET', 'HEAD', 'POST']],
    ['/api/share-links/x', ['GET', 'HEAD', 'DELETE']],
    ['/api/shared/x', ['GET', 'HEAD']],
    ['/api/session/link', ['POST']],
    ['/api/session/link/check', ['POST']],
    ['/api/teams', ['GET', 'HEAD', 'POST']],
    ['/api/teams/x', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/healthz', ['GET', 'HEAD']],
    ['/readyz', ['GET', 'HEAD']],
    ['/metrics', ['GET', 'HEAD']],
  ]
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode, bodyLimit: 100 })
    for (const [url, known] of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (known.includes(method)) continue
        for (const body of [undefined, '{oops', 'x'.repeat(101)]) {
          const answer = await send(app, method, url, body)
          t.equal(answer.status, 405, `${method} ${url}`)
          t.strictSame(String(answer.headers.allow).split(', ').toSorted(), known.toSorted())
          t.strictSame(answer.body, method === 'HEAD' ? '' : notAllowed)
        }
      }
    }
  }
})

t.test('every error is JSON with an error string and nothing else', async (t) => {
  const app = await build(t, { bodyLimit: 100 })
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const subtask = await createSubtask(app, item.id)
  breakTable(app, 'kanban_subtasks')
  const requests: [string, string, unknown, Record<string, string> | undefined, number, string[]][] = [
    ['GET', '/nowhere', undefined, undefined, 404, ['error']],
    ['GET', '/api/projects/none', undefined, undefined, 404, ['error']],
    ['PUT', '/api/projects', {}, undefined, 405, ['error']],
    ['POST', '/api/projects', {}, undefined, 400, ['error', 'details']],
    ['POST', '/api/projects', '{oops', undefined, 500, ['error']],
    ['POST', '/api/projects', 'x'.repeat(101), undefined, 413, ['error']],
    ['POST', '/api/projects', 'x', { 'content-type': 'text/plain' }, 500, ['error']],
    ['GET', '/api/projects', undefined, { authorization: 'Bearer x' }, 401, ['error']],
    ['DELETE', '/api/projects/none', undefined, undefined, 403, ['error']],
    ['GET', '/api/projects', undefined, undefined, 500, ['error']],
    ['PATCH', `/api/kanban-subtasks/${subtask.id}`, { title: 'x' }, undefined, 500, ['error']],
  ]
  for (const [method, url, body, headers, status, keys] of requests) {
    const answer = await send(app, method, url, body, headers)
    t.equal(answer.status, status, `${method} ${url}`)
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    t.strictSame(Object.keys(answer.body), keys)
    t.type(answer.body.error, 'string')
    t.notMatch(JSON.stringify(answer), /sqlite|select|insert|no such table|stack|node_modules|\.ts:|FST_/i)
  }
})

t.test('any thrown value becomes a specified response', async (t) => {
  const thrown: [string, () => unknown, number, object][] = [
    ['an error', () => new Error('secret'), 500, { error: 'Failed to fetch projects' }],
    ['a text', () => 'secret', 500, { error: 'Failed to fetch projects' }],
    ['nothing', () => undefined, 500, { error: 'Failed to fetch projects' }],
    ['null', () => null, 500, { error: 'Failed to fetch projects' }],
    [
      'a plain object',
      () => ({ statusCode: 404, message: 'secret' }),
      500,
      { error: 'Failed to fetch projects' },
    ],
    ['a server error', () => withStatus(503), 500, { error: 'Failed to fetch projects' }],
    ['a redirect', () => withStatus(302), 500, { error: 'Failed to fetch projects' }],
    ['a known refusal', () => withStatus(402), 402, { error: 'Payment Required' }],
    ['an unknown refusal', () => withStatus(499), 499, { error: 'Request failed' }],
    ['an ApiError', () => new ApiError(402, 'Pay first'), 402, { error: 'Pay first' }],
    ['an ApiError of the server', () => new ApiError(503, 'Come back'), 503, { error: 'Come back' }],
    ['an error of http-errors', () => httpErrors.paymentRequired('Pay first'), 402, { error: 'Pay first' }],
    ['its bare form', () => httpErrors.paymentRequired(), 402, { error: 'Payment Required' }],
    [
      'one that hides its message',
      () => createError(403, 'secret', { expose: false }),
      403,
      { error: 'Forbidden' },
    ],
    [
      'one with fields of its own',
      () => createError(409, 'Taken', { details: 'secret', by: 'secret' }),
      409,
      { error: 'Taken' },
    ],
    [
      'a server error of http-errors',
      () => httpErrors.serviceUnavailable('secret'),
      500,
      { error: 'Failed to fetch projects' },
    ],
  ]
  const { createError } = httpErrors
  const withStatus = (statusCode: number) => Object.assign(new Error('secret'), { statusCode })
  for (const [name, make, status, body] of thrown) {
    // Without the helper's check: this refusal is the host's own, and not in our document.
    const app = await buildApp({
      databaseUrl: ':memory:',
      logLevel: 'silent',
      resolveMember: () => {
        throw make()
      },
    })
    t.teardown(() => app.close())
    const response = await app.inject('/api/projects')
    t.strictSame([response.statusCode, response.json()], [status, body], name)
  }
})

t.test('an error keeps its headers, and @fastify/sensible can create one', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  app.get('/thrown', async () => {
    throw app.httpErrors.createError(429, 'Not so fast', { headers: { 'retry-after': '7' } })
  })
  app.get('/sent', async (_request, reply) => reply.gone('It was here'))
  const thrown = await app.inject('/thrown')
  t.strictSame([thrown.statusCode, thrown.json()], [429, { error: 'Not so fast' }])
  t.equal(thrown.headers['retry-after'], '7')
  const sent = await app.inject('/sent')
  t.strictSame([sent.statusCode, sent.json()], [410, { error: 'It was here' }])
})

t.test('an expected error is one of http-errors, created without a stack', async (t) => {
  const { stackTraceLimit } = Error
  const error = new ApiError(503, 'Come back', { headers: { 'retry-after': '1' } })
  t.equal(Error.stackTraceLimit, stackTraceLimit)
  t.ok(isHttpError(error))
  t.ok(error instanceof ApiError)
  t.match(error, { name: 'ApiError', status: 503, statusCode: 503, message: 'Come back', expose: true })
  t.strictSame(error.headers, { 'retry-after': '1' })
  t.strictSame([new ApiError(404, 'x').headers, new ApiError(404, 'x').details], [{}, undefined])
  t.match(new ApiError(303, 'Elsewhere', { headers: { location: '/there' } }), {
    statusCode: 303,
    message: 'Elsewhere',
    headers: { location: '/there' },
  })
})

t.test('the log distinguishes service errors from client errors, and contains no data', async (t) => {
  const script = `
    import { buildApp } from '${APP_URL}'
    const resolveMember = ({ headers }) => {
      if (headers['x-wrap']) throw new Error('insert hush-hush', { cause: new Error('the disk is full') })
    }
    const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'debug', resolveMember })
    const post = (payload, headers = {}) => {
      headers['content-type'] = 'application/json'
      return app.inject({ method: 'POST', url: '/api/personal-ideas', headers, payload })
    }
    await post('{"title": "mistake-of-the-client"')
    await post('{"title": "hush-hush"}', { 'x-wrap': 'yes' })
    app.db.$client.exec('alter table personal_ideas rename to gone')
    await post('{"title": "hush-hush"}')
    await app.close()`
  const { stdout } = await promisify(execFile)(...nodeCommand(['--input-type=module', '--eval', script]))
  const lines = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'Failed to create personal idea')
  t.match(lines, [
    { level: 20, reason: 'the request body is not JSON' },
    { level: 50, err: { message: 'the disk is full', stack: String } },
    { level: 50, err: { type: 'SqliteError', message: 'no such table: personal_ideas', stack: String } },
  ])
  t.equal(lines.length, 3)
  t.notMatch(stdout, /hush-hush|mistake-of-the-client/)
})

t.test('an endpoint without its own message returns Internal server error', async (t) => {
  const app = await build(t)
  app.openapi = () => {
    throw new Error('secret')
  }
  const rows: Row[] = [
    ['GET', '/openapi.json', undefined, undefined, 500, { error: 'Internal server error' }],
  ]
  await holds(t, app, rows)
})
