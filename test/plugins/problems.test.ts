/** Errors as problem details (RFC 9457) if the client accepts them, and otherwise exactly as specified. */

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { ERROR_CODES } from '../../src/error-codes.ts'
import { asksForProblems, typeOf } from '../../src/http/problems.ts'
import { documentedOperations } from '../documented.ts'
import {
  type App,
  build,
  count,
  createItem,
  createProject,
  createSubtask,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'

const MEDIA = 'application/problem+json'
const ERRORS = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')

/** Sends a request without and with `Accept` for problem details, and compares the responses. */
async function both(
  t: Test,
  app: App,
  { method, url, body, headers = {} }: { method: string; url: string; body?: unknown; headers?: object },
) {
  const plain = await send(app, method, url, body, { ...headers })
  const problem = await send(app, method, url, body, { ...headers, accept: MEDIA })
  const name = `${method} ${url}`
  t.equal(problem.status, plain.status, name)
  t.equal(plain.headers['content-type'], 'application/json; charset=utf-8', name)
  t.equal(problem.headers['content-type'], MEDIA, name)
  const { error, details, ...rest } = plain.body
  t.strictSame(rest, {}, `${name}: nothing but what is specified`)
  const { code } = problem.body
  t.strictSame(
    problem.body,
    {
      type: typeOf(code),
      title: error,
      status: plain.status,
      code,
      ...(details !== undefined && { details }),
    },
    name,
  )
  t.ok(code in ERROR_CODES, `${name}: ${code}`)
  return code as string
}

t.test('every operation documents both forms of its errors, in both modes', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode, rateLimitMax: 0 })
    const { components } = (await send(app, 'GET', '/openapi.json')).body
    const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(
      components.schemas.Problem,
    )
    const codes = new Set<string>()
    for (const { method, path, responses } of await documentedOperations(app)) {
      for (const [status, { content }] of Object.entries(responses)) {
        // The response to headers that are too large does not depend on them.
        const hasBoth = Number(status) >= 400 && status !== '431' && content !== undefined
        t.equal(MEDIA in Object(content), hasBoth, `${method} ${path} ${status}`)
      }
      // Its own errors are JSON-RPC.
      if (path === '/mcp') continue
      const url = path.replaceAll(/\{\w+\}/g, 'none')
      const request = { method, url, ...(method !== 'GET' && { body: '{' }) }
      if ((await send(app, method, url, request.body)).status < 400) continue
      codes.add(await both(t, app, request))
      const { body } = await send(app, method, url, request.body, { accept: MEDIA })
      t.ok(validate(body), `${method} ${path}`)
    }
    const known = authMode === 'open' ? ['not_found', 'admin_required'] : ['authentication_required']
    for (const code of ['not_json', ...known]) t.ok(codes.has(code), code)
  }
})

t.test('each error has the code of its cause', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { headers: admin, id: adminId } = signInAs(app, 'admin')
  const { headers: member } = signInAs(app, 'member')
  const { headers: other } = signInAs(app, 'member')
  const { headers: viewer } = signInAs(app, 'viewer')
  const project = await createProject(app, {}, member)
  const seq = app.rules.changes.sequence.last()
  const item = await createItem(app, project.id, { column: 'Review', approved: true }, member)
  const key = { 'idempotency-key': 'k' }
  const name = (name: string, body: unknown, more = {}) =>
    [name, { method: 'POST', url: '/api/projects', body, headers: { ...member, ...more } }] as const
  const of = (name: string, method: string, url: string, headers: object, body?: unknown) =>
    [name, { method, url, headers, body }] as const

  const claim = { from: 'Review', to: 'In Progress' }
  const claimed = await send(app, 'POST', `/api/projects/${project.id}/kanban-items/claim`, claim, member)
  t.equal(claimed.body.id, item.id)
  await send(app, 'POST', '/api/projects', { name: 'Once' }, { ...member, ...key })
  await send(app, 'POST', `/api/projects/${project.id}/kanban-labels`, { name: 'Bug' }, member)
  const columns = (await send(app, 'GET', `/api/projects/${project.id}/kanban-columns`, undefined, member))
    .body
  const column = (name: string) => columns.find((one: { name: string }) => one.name === name).id
  await send(
    app,
    'PATCH',
    `/api/kanban-columns/${column('Done')}`,
    { wipLimit: 1, wipPolicy: 'block' },
    member,
  )
  const finished = await createItem(app, project.id, { column: 'Done' }, member)
  const idea = (await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' }, member)).body
  await send(app, 'POST', `/api/personal-ideas/${idea.id}/promote`, {}, member)
  await send(app, 'PATCH', `/api/projects/${project.id}`, { shareLinks: 'admins' }, member)
  const email = { name: 'Eve', email: 'eve@example.test' }
  await send(app, 'POST', '/api/members', email, admin)

  const expected = [
    of('not_found', 'GET', '/api/projects/none', member),
    of('not_found', 'GET', '/nowhere', {}),
    of('method_not_allowed', 'PUT', '/api/projects', member, {}),
    name('validation_failed', { name: '' }),
    name('not_json', '{'),
    name('too_large', { name: 'x'.repeat(2 ** 20) }),
    name('idempotency_key_reused', { name: 'Twice' }, key),
    of('authentication_required', 'GET', '/api/projects', {}),
    of(
      'invalid_credentials',
      'POST',
      '/api/session',
      {},
      { email: 'a@example.test', password: 'wrong horse' },
    ),
    of('invalid_link', 'POST', '/api/session/link/check', {}, { token: 'pbl_none' }),
    of('admin_required', 'DELETE', `/api/projects/${project.id}`, member),
    of('read_only_role', 'POST', '/api/projects', viewer, { name: 'Mine' }),
    of('cross_origin', 'POST', '/api/projects', { ...member, origin: 'https://evil.example' }, { name: 'x' }),
    of('not_owner', 'GET', `/api/personal-ideas?ownerId=${adminId}`, other),
    of(
      'precondition_failed',
      'PATCH',
      `/api/projects/${project.id}`,
      { ...member, 'if-match': '"x"' },
      { name: 'x' },
    ),
    of('claimed', 'POST', `/api/kanban-items/${item.id}/claim/renew`, other, {}),
    of('not_owner', 'DELETE', `/api/kanban-items/${item.id}/claim`, other),
    of('not_claimed', 'DELETE', `/api/kanban-items/${finished.id}/claim`, other),
    of('column_has_items', 'DELETE', `/api/kanban-columns/${column('Done')}`, admin),
    of('wip_limit_reached', 'POST', `/api/kanban-items/${item.id}/move`, member, { column: 'Done' }),
    of('name_taken', 'POST', `/api/projects/${project.id}/kanban-labels`, member, { name: 'Bug' }),
    of('already_promoted', 'POST', `/api/personal-ideas/${idea.id}/promote`, member, {}),
    of('email_taken', 'POST', '/api/members', admin, email),
    of('handle_taken', 'PATCH', `/api/members/${adminId}`, admin, { handle: 'eve' }),
    of('last_admin', 'DELETE', `/api/members/${adminId}`, admin),
    of('changed_since', 'POST', `/api/changes/${seq}/undo`, admin, {}),
    of('sharing_refused', 'PATCH', `/api/projects/${project.id}`, member, { shareLinks: 'members' }),
    of('session_required', 'POST', '/api/tokens', tokenOf(app, adminId), { name: 'CI' }),
    of('read_only_token', 'POST', '/api/projects', tokenOf(app, adminId, { scope: 'read' }), { name: 'CI' }),
  ] as const
  for (const [code, request] of expected) t.equal(await both(t, app, request), code, code)
  t.equal(count(app, 'projects'), 3, 'none has done anything')
  app.db.$client.exec('delete from changes where seq < 10')
  t.equal(await both(t, app, { method: 'GET', url: '/api/changes?after=1', headers: member }), 'changes_gone')
})

t.test('an error of a batch request has its code', async (t) => {
  const app = await build(t)
  const requests = [{ method: 'PATCH', path: '/api/kanban-items/none', body: { title: 'x' } }]
  t.equal(await both(t, app, { method: 'POST', url: '/api/batch', body: { requests } }), 'not_found')
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const subtask = await createSubtask(app, item.id)
  await send(app, 'DELETE', `/api/kanban-subtasks/${subtask.id}`)
  const url = `/api/kanban-subtasks/${subtask.id}`
  t.equal(await both(t, app, { method: 'PATCH', url, body: { title: 'x' } }), 'not_found', 'with its 500')
  const failing = [{ method: 'PATCH', path: url, body: { title: 'x' } }]
  t.equal(await both(t, app, { method: 'POST', url: '/api/batch', body: { requests: failing } }), 'not_found')
})

t.test('an unexpected failure is internal', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  app.db.$client.exec('alter table objectives rename to gone')
  t.equal(
    await both(t, app, { method: 'GET', url: `/api/projects/${project.id}/objectives` }),
    'internal_error',
  )
})

t.test('problem details are sent only if Accept names the type', (t) => {
  const asked = [
    MEDIA,
    'Application/Problem+JSON',
    `application/json, ${MEDIA};q=0.1`,
    `${MEDIA}, */*`,
    `text/event-stream, ${MEDIA}`,
  ]
  for (const accept of asked) t.ok(asksForProblems(accept), accept)
  const others = [
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    `${MEDIA};q=0`,
    `application/json, ${MEDIA}; q=0.0`,
    `${MEDIA}x`,
    `x${MEDIA}`,
    'text/html;x=", application/problem+json"',
  ]
  for (const accept of others) t.notOk(asksForProblems(accept), accept ?? 'none')
  t.end()
})

t.test('each code links to its section of the documentation', (t) => {
  const sections = [...ERRORS.matchAll(/^## (.+)$/gm)].map(([, code]) => code)
  t.strictSame(sections, Object.keys(ERROR_CODES))
  for (const [code, says] of Object.entries(ERROR_CODES)) {
    t.match(ERRORS, `: ${says}.`, code)
    t.ok(typeOf(code as never) === `urn:phaseboard:docs/errors.md#${code}`)
  }
  t.end()
})
