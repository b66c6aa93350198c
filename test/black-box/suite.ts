/**
 * Tests a running service from outside: every documented operation, the specification's order of checks and error
 * strings, sign-in and sign-out, tokens and roles. It only knows a URL and an admin's credentials: no module
 * of the service, and no database.
 */
import type { Test } from 'tap'
import { FORM_TYPE, filePart, formOf, png } from '../attachments.ts'
import { ROUTED } from '../kinds.ts'

/** A running service with only its admin. */
export interface Target {
  /** Its address, with the prefix of a host. */
  url: string
  mode: 'open' | 'required'
  admin: { email: string; password: string }
}

/** The credential headers: none, a cookie or a token. */
type Who = Record<string, string>

/** A request: `METHOD /documented/path/{id}`, and its parts. */
interface Request {
  /** The values of the path's parameters, in order. */
  at?: readonly string[]
  query?: string
  /** An object is sent as JSON, a string or bytes unchanged. */
  body?: unknown
  /** The media type of the body. */
  type?: string
}

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: whole bodies, of every shape
  body: any
  headers: Headers
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** An unused id. */
const UNKNOWN = '01900000-0000-7000-8000-000000000000'

const PASSWORD = 'battery staple'

const authenticationRequired = { error: 'Authentication required' }
const adminRequired = { error: 'Forbidden: admin access required' }
const readOnlyRole = { error: 'Forbidden: read-only role' }
const readOnlyToken = { error: 'Forbidden: read-only token' }
const validationFailed = { error: 'Validation failed', details: { formErrors: [], fieldErrors: {} } }

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

/** A client that records successful operations. */
class Client {
  readonly succeeded = new Set<string>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url.replace(/\/$/, '')
  }

  async ask(who: Who, operation: string, { at = [], query = '', body, type }: Request = {}): Promise<Answer> {
    const [method = '', template = ''] = operation.split(' ')
    const values = [...at]
    const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(values.shift() ?? ''))
    const response = await fetch(`${this.#url}${path}${query}`, {
      method,
      headers: { ...(body !== undefined && (type ? { 'content-type': type } : JSON_TYPE)), ...who },
      ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
    })
    // A stream of events never ends.
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    if (isStream) await response.body?.cancel()
    const text = isStream ? '' : await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    if (response.ok) this.succeeded.add(operation)
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
  }
}

/**
 * Tests the whole service, up to the first failing part. It changes the target.
 * @param whole the parent test of the parts
 */
export async function blackBox(whole: Test, { url, mode, admin: adminCredentials }: Target): Promise<void> {
  const client = new Client(url)
  const nobody: Who = {}

  let t = whole
  /** A part of the suite. Parts after a failed one are skipped. */
  async function part(name: string, walk: (t: Test) => Promise<void>) {
    if (!whole.passing()) return
    await whole.test(name, async (own) => {
      t = own
      await walk(own)
    })
  }

  /** Sends a request that must succeed with this status and body. An object lists only the checked fields. */
  async function ok(who: Who, operation: string, request: Request, status: number, expected: object = {}) {
    const answer = await client.ask(who, operation, request)
    t.equal(answer.status, status, `${operation}: ${JSON.stringify(answer.body).slice(0, 200)}`)
    if (typeof answer.body === 'object') t.match(answer.body, expected, operation)
    return answer.body
  }
  /** Sends a request that must be refused with this error. For a failed validation, only the kind of body is checked. */
  async function refused(who: Who, operation: string, request: Request, status: number, body: object) {
    const answer = await client.ask(who, operation, request)
    t.equal(answer.status, status, `${operation} ${JSON.stringify(request)}`)
    // Other tests check the exact violations. Both lists must exist.
    const { details } = answer.body
    const isSummed = body === validationFailed && Array.isArray(details?.formErrors) && details.fieldErrors
    t.strictSame(
      isSummed ? { ...answer.body, details: { ...details, formErrors: [], fieldErrors: {} } } : answer.body,
      body,
      operation,
    )
    return answer
  }
  async function signIn(credentials: { email: string; password: string }): Promise<Who> {
    const { status, headers } = await client.ask(nobody, 'POST /api/session', { body: credentials })
    t.equal(status, 201, `${credentials.email} signs in`)
    const cookie = headers.get('set-cookie') ?? ''
    t.match(cookie, /^phaseboard_session=[\w-]{43};.*HttpOnly/i)
    return { cookie: cookie.split(';', 1)[0] ?? '' }
  }

  await part('it is healthy and ready, and serves its document and its page', async (t) => {
    t.match(await client.ask(nobody, 'GET /healthz'), { status: 200, body: { status: 'ok' } })
    t.match(await client.ask(nobody, 'GET /readyz'), { status: 200, body: { status: 'ok' } })
    t.match(await client.ask(nobody, 'GET /openapi.json'), { status: 200, body: { openapi: '3.1.0' } })
    const page = await client.ask(nobody, 'GET /docs')
    t.equal(page.status, 200)
    t.match(page.body, /swagger-ui/)
    const [, script = ''] = /src="([^"]*swagger-ui-bundle\.js)"/.exec(page.body) ?? []
    const loaded = await fetch(new URL(script, `${url}/docs`))
    t.equal(loaded.status, 200, 'its script is there')
    const board = await fetch(`${url}/projects/1`)
    t.equal(board.status, 200, 'the board is there')
    const asset = /(?:href|src)="([^"]+)"/.exec(await board.text())?.[1] ?? ''
    t.equal((await fetch(new URL(asset, board.url))).status, 200, 'with what it loads')
    t.match(await client.ask(nobody, 'GET /nowhere'), { status: 404, body: { error: 'Not found' } })
  })

  let admin: Who = {}
  let member: Who = {}
  let viewer: Who = {}
  const ids: Record<string, string> = {}

  await part('a sign-in needs the right password, and members have roles', async () => {
    await refused(
      nobody,
      'POST /api/session',
      { body: { ...adminCredentials, password: 'wrong horse' } },
      401,
      {
        error: 'Invalid email or password',
      },
    )
    await refused(nobody, 'POST /api/session', { body: {} }, 400, validationFailed)
    await refused(nobody, 'POST /api/session', { body: '{' }, 500, { error: 'Failed to create session' })
    const noProvider = { error: 'OpenID Connect is not configured' }
    await refused(nobody, 'GET /api/session/oidc', {}, 404, noProvider)
    await refused(nobody, 'GET /api/session/oidc/callback', {}, 404, noProvider)
    admin = await signIn(adminCredentials)
    const me = await ok(admin, 'GET /api/session', {}, 200, { member: { role: 'admin' }, via: 'session' })
    ids.admin = me.member.id
    for (const role of ['member', 'viewer']) {
      const body = { name: `The ${role}`, email: `${role}@example.test`, role, password: PASSWORD }
      const made = await ok(admin, 'POST /api/members', { body }, 201, { role, email: body.email })
      ids[role] = made.id
      t.notMatch(JSON.stringify(made), PASSWORD)
      await refused(admin, 'POST /api/members', { body }, 409, { error: 'Member email is taken' })
    }
    member = await signIn({ email: 'member@example.test', password: PASSWORD })
    viewer = await signIn({ email: 'viewer@example.test', password: PASSWORD })
    await ok(member, 'GET /api/members', {}, 200, [{ id: ids.admin }, { id: ids.member }, { id: ids.viewer }])
    await ok(member, 'GET /api/members/{id}', { at: [ids.viewer ?? ''] }, 200, { role: 'viewer' })
    await ok(viewer, 'GET /api/people', { query: '?q=The%20member' }, 200, [
      { id: ids.member, kind: 'member' },
    ])
    await ok(viewer, 'GET /api/people/{id}', { at: [ids.admin ?? ''] }, 200, { kind: 'member' })
    const former = await ok(
      admin,
      'POST /api/members',
      { body: { name: 'Bob', email: 'bob@former.test' } },
      201,
    )
    await ok(admin, 'DELETE /api/members/{id}', { at: [former.id] }, 200, { success: true })
    await ok(admin, 'POST /api/people/{id}/merge', { at: [former.id], body: { into: ids.member } }, 200, {
      person: { name: 'Bob', mergedInto: ids.member },
    })
    await ok(admin, 'DELETE /api/people/{id}', { at: [former.id] }, 200, { success: true })
    await ok(viewer, 'PATCH /api/members/{id}', { at: [ids.viewer ?? ''], body: { name: 'Vi' } }, 200, {
      name: 'Vi',
    })
    await refused(
      member,
      'POST /api/members',
      { body: { name: 'X', email: 'x@example.test' } },
      403,
      adminRequired,
    )
    await refused(
      member,
      'PATCH /api/members/{id}',
      { at: [ids.viewer ?? ''], body: { name: 'X' } },
      403,
      adminRequired,
    )
  })

  // The writer: without a credential in open mode, else a member.
  const writer = mode === 'open' ? nobody : member
  const writerId = mode === 'open' ? 'local' : (ids.member ?? '')

  await part(`without a credential, the mode decides: ${mode}`, async (t) => {
    if (mode === 'open') {
      await ok(nobody, 'GET /api/session', {}, 200, { member: { id: 'local' }, via: 'default' })
      await ok(nobody, 'GET /api/projects', {}, 200, [])
      await refused(nobody, 'GET /metrics', {}, 403, adminRequired)
      await refused(nobody, 'GET /api/audit-log', {}, 403, adminRequired)
    } else {
      await refused(nobody, 'GET /api/session', {}, 401, authenticationRequired)
      await refused(nobody, 'GET /api/projects', {}, 401, authenticationRequired)
      await refused(nobody, 'POST /api/projects', { body: { name: 'X' } }, 401, authenticationRequired)
      await refused(nobody, 'GET /metrics', {}, 401, authenticationRequired)
      await refused(nobody, 'GET /api/audit-log', {}, 401, authenticationRequired)
    }
    await refused(nobody, 'DELETE /api/projects/{id}', { at: [UNKNOWN] }, 403, adminRequired)
    const useless = { authorization: 'Bearer pbt_useless' }
    await refused(useless, 'GET /api/projects', {}, 401, authenticationRequired)
    t.equal((await client.ask({ cookie: 'phaseboard_session=useless' }, 'GET /api/projects')).status, 401)
  })

  await part('projects: the order of checks, phases, filters and order', async (t) => {
    const create = (body: unknown) => ok(writer, 'POST /api/projects', { body }, 201)
    await refused(writer, 'POST /api/projects', { body: {} }, 400, validationFailed)
    await refused(writer, 'POST /api/projects', { body: { name: 5 } }, 400, validationFailed)
    await refused(writer, 'POST /api/projects', { body: '{oops' }, 500, { error: 'Failed to create project' })

    const first = await create({ name: 'Apollo', sortOrder: 2, teamId: 'ops' })
    t.match(first, {
      type: 'technical',
      phase: 'Discovery',
      status: 'backlog',
      phaseConfig: [{}, {}, {}, {}, {}],
      metadata: {},
      kanbanItems: [],
      transcriptSummaries: [],
      metrics: [],
      objectives: [],
      teamAssignments: [],
    })
    const second = await create({
      name: 'Gemini',
      sortOrder: 1,
      status: 'active',
      phaseConfig: '[{"name":"One"},{"name":"Two"}]',
      metadata: '{"a":1}',
    })
    t.match(second, { phase: 'One', phaseConfig: [{ name: 'One' }, { name: 'Two' }], metadata: { a: 1 } })
    ids.project = first.id
    ids.doomed = second.id

    const listed = async (query: string) =>
      (await ok(writer, 'GET /api/projects', { query }, 200)).map(({ name }: { name: string }) => name)
    t.strictSame(await listed(''), ['Gemini', 'Apollo'], 'by sortOrder')
    t.strictSame(await listed('?status=active'), ['Gemini'])
    t.strictSame(await listed('?teamId=ops&status='), ['Apollo'])
    t.strictSame(await listed('?teamId=ops&status=active'), [])
    const page = await client.ask(writer, 'GET /api/projects', { query: '?limit=1' })
    t.match(page.headers.get('link'), /rel="next"/)
    await ok(writer, 'GET /api/projects', { query: '?view=summary' }, 200, [
      { counts: Object },
      { counts: Object },
    ])

    const at = [first.id]
    await ok(writer, 'GET /api/projects/{id}', { at }, 200, { name: 'Apollo' })
    await refused(writer, 'GET /api/projects/{id}', { at: [UNKNOWN] }, 404, { error: 'Project not found' })

    const patch = 'PATCH /api/projects/{id}'
    await refused(writer, patch, { at: [UNKNOWN], body: { name: '' } }, 400, validationFailed)
    await refused(writer, patch, { at: [UNKNOWN], body: { name: 'X' } }, 404, { error: 'Project not found' })
    await refused(writer, patch, { at, body: '{oops' }, 500, { error: 'Failed to update project' })
    await ok(writer, patch, { at, body: { nextStep: 'Land' } }, 200, { name: 'Apollo', nextStep: 'Land' })
    await ok(
      writer,
      'POST /api/projects/reorder',
      { body: { items: [{ id: first.id, sortOrder: 0 }] } },
      200,
      [{ id: first.id, sortOrder: 0 }],
    )
    t.strictSame(await listed(''), ['Apollo', 'Gemini'])

    const remove = 'DELETE /api/projects/{id}'
    for (const who of [writer, member, viewer]) {
      for (const id of [second.id, UNKNOWN]) await refused(who, remove, { at: [id] }, 403, adminRequired)
    }
    await refused(admin, remove, { at: [UNKNOWN] }, 404, { error: 'Project not found' })
    t.strictSame(await ok(admin, remove, { at: [second.id] }, 200), { success: true })
    await refused(writer, 'GET /api/projects/{id}', { at: [second.id] }, 404, { error: 'Project not found' })
  })

  const project = [ids.project ?? '']

  await part('kanban items: existence before validation, due dates, activity', async (t) => {
    const create = 'POST /api/projects/{id}/kanban-items'
    await refused(writer, create, { at: project, body: {} }, 400, validationFailed)
    const card = await ok(writer, create, { at: project, body: { title: 'Card' } }, 201, {
      column: 'To Do',
      priority: 'medium',
      assigneeId: null,
      dueDate: null,
      metadata: {},
    })
    const other = await ok(
      writer,
      create,
      { at: project, body: { title: 'Other', description: '＝1+1', metadata: '{"a":1}' } },
      201,
      {
        metadata: { a: 1 },
      },
    )
    ids.item = card.id
    ids.otherItem = other.id
    const at = [card.id]
    const patch = 'PATCH /api/kanban-items/{id}'
    const notFound = { error: 'Kanban item not found' }
    await refused(writer, patch, { at: [UNKNOWN], body: { title: '' } }, 404, notFound)
    await refused(writer, patch, { at: [UNKNOWN], body: '{oops' }, 404, notFound)
    await refused(writer, patch, { at, body: { title: '' } }, 400, validationFailed)
    await refused(writer, patch, { at, body: '{oops' }, 500, { error: 'Internal server error' })
    await ok(writer, patch, { at, body: { dueDate: '2027-03-01' } }, 200, {
      dueDate: '2027-03-01T00:00:00.000Z',
    })
    await ok(writer, patch, { at, body: { title: 'Ace' } }, 200, { dueDate: '2027-03-01T00:00:00.000Z' })
    await ok(writer, patch, { at, body: { dueDate: '' } }, 200, { dueDate: null })
    const tracked = { column: 'In Progress', assigneeId: 'maria', priority: 'medium' }
    await ok(writer, patch, { at, body: tracked }, 200, tracked)
    const activity = await ok(writer, 'GET /api/kanban-items/{id}/activity', { at }, 200)
    t.strictSame(
      activity
        .map(({ type, content, metadata }: Record<string, unknown>) => [type, content, metadata])
        .toSorted(),
      [
        ['assignment', '', { from: '', to: 'maria' }],
        ['status_change', '', { from: 'To Do', to: 'In Progress' }],
      ],
      'an entry for each tracked field that changed',
    )
    await ok(writer, 'GET /api/kanban-items/{id}', { at }, 200, tracked)
    await ok(writer, 'GET /api/projects/{id}/kanban-items', { at: project, query: '?q=other' }, 200, [
      { id: other.id },
    ])
    await ok(writer, 'GET /api/kanban-items', { query: '?assigneeId=maria' }, 200, [{ id: card.id }])
    t.match(
      await ok(writer, 'GET /api/projects/{id}/export.csv', { at: project }, 200),
      /^\ufeff?id,title,.*,'＝1\+1,/s,
    )
    const forLinear = { at: project, query: '?format=linear' }
    t.match(await ok(writer, 'GET /api/projects/{id}/export.csv', forLinear, 200), /^\ufeff?ID,Team,Title,/)
    await ok(writer, 'GET /api/projects/{id}/export.json', { at: project }, 200, {
      cards: [{ id: card.id }, { id: other.id }],
    })
    t.match(await ok(writer, 'GET /api/projects/{id}/flow', { at: project }, 200), {
      cycleTime: { count: 0 },
      age: [{ id: card.id, column: 'In Progress' }],
    })
    t.match(await ok(writer, 'GET /api/calendar.ics', {}, 200), /^BEGIN:VCALENDAR/)
    const update = { ids: [card.id, other.id], update: { priority: 'high' } }
    await ok(writer, 'PATCH /api/kanban-items', { body: update }, 200, [
      { priority: 'high' },
      { priority: 'high' },
    ])
    const missing = { ids: [card.id, UNKNOWN], update: { priority: 'low' } }
    t.match(await client.ask(writer, 'PATCH /api/kanban-items', { body: missing }), {
      status: 404,
      body: { error: 'Kanban item not found', details: { missing: [UNKNOWN] } },
    })
    const move = { column: 'In Progress', beforeId: card.id }
    await ok(writer, 'POST /api/kanban-items/{id}/move', { at: [other.id], body: move }, 200, {
      column: 'In Progress',
    })
    const reorder = { items: [{ id: other.id, column: 'Review', sortOrder: 7 }] }
    await ok(writer, 'POST /api/projects/{id}/kanban-items/reorder', { at: project, body: reorder }, 200, [
      { column: 'Review', sortOrder: 7 },
    ])
    const doomed = await ok(writer, create, { at: project, body: { title: 'Doomed' } }, 201)
    const claim = 'POST /api/projects/{id}/kanban-items/claim'
    const claimed = { id: doomed.id, column: 'Review' }
    await refused(writer, claim, { at: [UNKNOWN], body: {} }, 404, { error: 'Project not found' })
    await refused(writer, claim, { at: project, body: { leaseSeconds: 1 } }, 400, validationFailed)
    await ok(writer, claim, { at: project, body: { to: 'Review' } }, 200, claimed)
    t.equal((await client.ask(writer, claim, { at: project, body: { to: 'Review' } })).status, 204)
    await ok(writer, 'POST /api/kanban-items/{id}/claim/renew', { at: [doomed.id], body: {} }, 200, claimed)
    const release = 'DELETE /api/kanban-items/{id}/claim'
    await ok(writer, release, { at: [doomed.id] }, 200, {
      column: 'To Do',
      assigneeId: null,
      claimedUntil: null,
      coverId: null,
      reminders: [],
    })
    await refused(writer, release, { at: [doomed.id] }, 409, { error: 'Kanban item is not claimed' })
    const remove = 'DELETE /api/kanban-items/{id}'
    await refused(writer, remove, { at: [UNKNOWN] }, 404, notFound)
    t.strictSame(await ok(writer, remove, { at: [doomed.id] }, 200), { success: true })
    await refused(writer, remove, { at: [doomed.id] }, 404, notFound)
  })

  const item = [ids.item ?? '']

  await part('kanban subtasks: an unknown id is an unexpected failure', async (t) => {
    const create = 'POST /api/kanban-items/{id}/subtasks'
    const step = await ok(writer, create, { at: item, body: { title: 'Step' } }, 201, { completed: false })
    const at = [step.id]
    const patch = 'PATCH /api/kanban-subtasks/{id}'
    const failure = { error: 'Internal server error' }
    await refused(writer, patch, { at: [UNKNOWN], body: { title: 5 } }, 400, validationFailed)
    await refused(writer, patch, { at: [UNKNOWN], body: { title: 'X' } }, 500, failure)
    await refused(writer, patch, { at, body: '{oops' }, 500, failure)
    await ok(writer, patch, { at, body: { completed: true } }, 200, { title: 'Step', completed: true })
    await ok(writer, 'GET /api/kanban-subtasks/{id}', { at }, 200, { completed: true })
    await ok(writer, 'GET /api/kanban-items/{id}/subtasks', { at: item }, 200, [{ id: step.id }])
    const items = [{ id: step.id, sortOrder: 4 }]
    await ok(
      writer,
      'POST /api/kanban-items/{id}/subtasks/reorder',
      { at: item, body: { items } },
      200,
      items,
    )
    const remove = 'DELETE /api/kanban-subtasks/{id}'
    t.strictSame(await ok(writer, remove, { at }, 200), { success: true })
    await refused(writer, remove, { at }, 500, failure)
  })

  await part('files are attached, downloaded, and shown small', async (t) => {
    const attach = 'POST /api/kanban-items/{id}/attachments'
    const content = 'GET /api/attachments/{id}/content'
    const form = formOf(filePart('plan.txt', 'first, second'), filePart('logo.png', png(30, 20)))
    const [plan, logo] = await ok(writer, attach, { at: item, body: form, type: FORM_TYPE }, 201, [
      { name: 'plan.txt', kind: 'file', mediaType: 'text/plain', size: 13 },
      { name: 'logo.png', mediaType: 'image/png', width: 30, height: 20 },
    ])
    const nowhere = { at: [UNKNOWN], body: form, type: FORM_TYPE }
    await refused(writer, attach, nowhere, 404, { error: 'Kanban item not found' })
    t.equal((await client.ask(writer, content, { at: [plan.id] })).body, 'first, second')
    const thumbnail = { at: [logo.id], body: png(3, 2), type: 'image/png' }
    await ok(writer, 'PUT /api/attachments/{id}/thumbnail', thumbnail, 200, { hasThumbnail: true })
    await ok(writer, 'GET /api/attachments/{id}/thumbnail', { at: [logo.id] }, 200)
    const counts = { [`${ids.item}`]: { attachments: 2 } }
    await ok(writer, 'GET /api/projects/{id}/kanban-counts', { at: project }, 200, counts)
    const cover = { coverId: logo.id }
    await ok(writer, 'PATCH /api/kanban-items/{id}', { at: item, body: cover }, 200, cover)
    await ok(writer, 'DELETE /api/attachments/{id}', { at: [logo.id] }, 200)
    await ok(writer, 'GET /api/kanban-items/{id}', { at: item }, 200, { coverId: null })
    t.equal((await client.ask(writer, content, { at: [logo.id] })).status, 404)
    await ok(writer, 'DELETE /api/attachments/{id}', { at: [plan.id] }, 200)
  })

  /** The usual five operations of child records. Each run leaves one record behind. */
  async function children(
    parent: readonly string[],
    collection: string,
    single: string,
    body: Record<string, unknown>,
    change: Record<string, unknown>,
  ): Promise<string> {
    const made = await ok(writer, `POST ${collection}`, { at: parent, body }, 201, body)
    const doomed = await ok(
      writer,
      `POST ${collection}`,
      { at: parent, body: { ...body, name: 'Doomed' } },
      201,
    )
    await refused(writer, `POST ${collection}`, { at: parent, body: [] }, 400, {
      ...validationFailed,
      details: { formErrors: ['must be object'], fieldErrors: {} },
    })
    t.equal((await client.ask(writer, `POST ${collection}`, { at: [UNKNOWN], body })).status, 404)
    await ok(writer, `GET ${single}`, { at: [made.id] }, 200, body)
    await ok(writer, `PATCH ${single}`, { at: [made.id], body: change }, 200, change)
    t.strictSame(await ok(writer, `DELETE ${single}`, { at: [doomed.id] }, 200), { success: true })
    for (const verb of ['GET', 'DELETE'])
      t.equal((await client.ask(writer, `${verb} ${single}`, { at: [doomed.id] })).status, 404)
    const listed = await ok(writer, `GET ${collection}`, { at: parent }, 200)
    t.ok(listed.some(({ id }: { id: string }) => id === made.id))
    t.notOk(listed.some(({ id }: { id: string }) => id === doomed.id))
    return made.id
  }

  await part('parts of a project or an item are created, read, changed and deleted', async (t) => {
    const of = (name: string) => `/api/projects/{id}/${name}`
    for (const { kind, of: parent, listPath, routes } of ROUTED) {
      if (!routes.isUsual) continue
      const { collection, create, update, isOrdered } = routes
      const at = parent === 'item' ? item : project
      const id = await children(at, listPath, `/api/${collection}/{id}`, create, update)
      ids[kind] = id
      if (!isOrdered) continue
      const places = { items: [{ id, sortOrder: -1 }] }
      await ok(writer, `POST ${listPath}/reorder`, { at, body: places }, 200, places.items)
    }
    const label = [ids.item ?? '', ids['kanban-label'] ?? '']
    await ok(writer, 'PUT /api/kanban-items/{id}/labels/{labelId}', { at: label }, 200, {
      labels: [{ name: 'Idea' }],
    })
    await ok(writer, 'GET /api/kanban-items', { query: '?label=Idea' }, 200, [{ id: ids.item }])
    const without = await ok(writer, 'DELETE /api/kanban-items/{id}/labels/{labelId}', { at: label }, 200)
    t.strictSame(without.labels, [])
    const team = { members: [{ memberId: 'maria', role: 'lead' }], leadId: 'maria' }
    await ok(writer, `PUT ${of('team-assignments')}`, { at: project, body: team }, 200, team.members)
    await ok(writer, `GET ${of('team-assignments')}`, { at: project }, 200, team.members)
    const joining = { at: project, body: { memberId: 'noor' } }
    const joined = await ok(writer, `POST ${of('team-assignments')}`, joining, 201, { role: 'member' })
    const one = 'team-assignments/{id}'
    const leading = { at: [joined.id], body: { role: 'lead' } }
    await ok(writer, `PATCH /api/${one}`, leading, 200, { memberId: 'noor', role: 'lead' })
    await ok(writer, `GET /api/${one}`, { at: [joined.id] }, 200, { memberId: 'noor', role: 'lead' })
    t.strictSame(await ok(writer, `DELETE /api/${one}`, { at: [joined.id] }, 200), { success: true })
    await ok(writer, 'GET /api/projects/{id}', { at: project }, 200, {
      leadId: 'maria',
      metrics: [{ name: 'Height', value: 2, history: [{ value: 1 }] }],
      objectives: [{ title: 'Return' }],
      transcriptSummaries: [{ participants: ['Ada'], actionItems: [] }],
      teamAssignments: [{ memberId: 'maria' }],
      kanbanItems: Array,
    })
  })

  await part('integrations add meetings and measurements, and a search finds records', async (t) => {
    const meeting = {
      projectId: project[0],
      title: 'Weekly',
      date: '2027-01-11',
      actionItems: ['Call the caterer'],
    }
    await ok(writer, 'POST /api/ingest/transcript', { body: meeting }, 201, {
      transcript: { title: 'Weekly' },
      kanbanItems: [{ title: 'Call the caterer', source: 'transcript', isNew: true, approved: false }],
    })
    const measured = { projectId: project[0], metrics: [{ name: 'Height', value: 3 }] }
    await ok(writer, 'POST /api/ingest/metrics', { body: measured }, 200, [{ name: 'Height', value: 3 }])
    const { results } = await ok(writer, 'GET /api/search', { query: '?q=call+cater' }, 200)
    t.match(results, [{ kind: 'kanban-item', title: 'Call the caterer' }])
    t.strictSame(await ok(writer, 'GET /api/search', { query: '?q=' }, 200), { results: [] })
  })

  await part('personal ideas belong to the caller', async (t) => {
    const create = 'POST /api/personal-ideas'
    await refused(writer, create, { body: {} }, 400, validationFailed)
    await refused(writer, create, { body: '{oops' }, 500, { error: 'Failed to create personal idea' })
    const later = await ok(writer, create, { body: { title: 'Dive', sortOrder: 2, ownerId: 'maria' } }, 201, {
      ownerId: writerId,
      status: 'idea',
    })
    const sooner = await ok(writer, create, { body: { title: 'Fly', sortOrder: 1 } }, 201)
    const titles = async (who: Who, query = '') =>
      (await ok(who, 'GET /api/personal-ideas', { query }, 200)).map(({ title }: { title: string }) => title)
    t.strictSame(await titles(writer), ['Fly', 'Dive'], 'by sortOrder')
    t.strictSame(await titles(writer, '?ownerId='), ['Fly', 'Dive'])
    t.strictSame(await titles(viewer), [], 'nobody else has them')
    t.strictSame(await titles(admin, `?ownerId=${writerId}`), ['Fly', 'Dive'], 'an admin may look')
    if (mode === 'required') {
      t.equal(
        (await client.ask(viewer, 'GET /api/personal-ideas', { query: `?ownerId=${writerId}` })).status,
        403,
      )
    }
    const at = [later.id]
    await refused(viewer, 'GET /api/personal-ideas/{id}', { at }, 404, { error: 'Personal idea not found' })
    await ok(writer, 'GET /api/personal-ideas/{id}', { at }, 200, { title: 'Dive' })
    await ok(writer, 'PATCH /api/personal-ideas/{id}', { at, body: { status: 'ready' } }, 200, {
      status: 'ready',
    })
    const items = [{ id: later.id, sortOrder: 0 }]
    await ok(writer, 'POST /api/personal-ideas/reorder', { body: { items } }, 200, items)
    t.strictSame(await titles(writer), ['Dive', 'Fly'])
    const promote = 'POST /api/personal-ideas/{id}/promote'
    await ok(writer, promote, { at }, 201, { name: 'Dive', status: 'backlog', phase: 'Discovery' })
    t.equal((await client.ask(writer, promote, { at })).status, 409, 'once')
    t.strictSame(await ok(writer, 'DELETE /api/personal-ideas/{id}', { at: [sooner.id] }, 200), {
      success: true,
    })
  })

  await part('members are told of what concerns them, and watch items and projects', async (t) => {
    const body = { title: 'Watched', assigneeId: ids.member }
    const item = await ok(admin, 'POST /api/projects/{id}/kanban-items', { at: project, body }, 201)
    const ofItem = { itemId: item.id, kind: 'assigned', title: 'Watched', readAt: null }
    let listed: { id: string; itemId: string }[] = []
    while (!listed.some(({ itemId }) => itemId === item.id)) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      listed = await ok(member, 'GET /api/notifications', { query: '?unread=true&limit=5' }, 200)
    }
    t.match(listed[0], ofItem)
    const { unread } = await ok(member, 'GET /api/notifications/count', {}, 200)
    const at = [String(listed[0]?.id)]
    const read = { ...ofItem, readAt: String }
    await ok(member, 'PATCH /api/notifications/{id}', { at, body: { read: true } }, 200, read)
    await ok(member, 'GET /api/notifications/count', {}, 200, { unread: unread - 1 })
    await ok(member, 'POST /api/notifications/read', { body: { upTo: at[0] } }, 200, { unread: 0 })
    const notFound = { error: 'Notification not found' }
    await refused(admin, 'PATCH /api/notifications/{id}', { at, body: { read: true } }, 404, notFound)
    const one = { at: [item.id] }
    await ok(admin, 'DELETE /api/kanban-items/{id}/watch', one, 200, { watching: false })
    await ok(admin, 'GET /api/kanban-items/{id}/watch', one, 200, { watching: false })
    await ok(admin, 'PUT /api/kanban-items/{id}/watch', one, 200, { watching: true })
    await ok(member, 'PUT /api/projects/{id}/watch', { at: project }, 200, { watching: true })
    await ok(member, 'GET /api/projects/{id}/watch', { at: project }, 200, { watching: true })
    await ok(member, 'DELETE /api/projects/{id}/watch', { at: project }, 200, { watching: false })
    await ok(admin, 'DELETE /api/kanban-items/{id}', one, 200)
  })

  await part('changes can be undone, and deleted records restored', async (t) => {
    const body = { title: 'Mistake' }
    const item = await ok(member, 'POST /api/projects/{id}/kanban-items', { at: project, body }, 201)
    const at = [item.id]
    await ok(member, 'DELETE /api/kanban-items/{id}', { at }, 200)
    const [deleted] = await ok(member, 'GET /api/trash', {}, 200, [{ id: item.id, title: 'Mistake' }])
    const undo = 'POST /api/changes/{seq}/undo'
    const change = [String(deleted.seq)]
    const { group } = await ok(member, undo, { at: change }, 200, { changes: [{ action: 'created' }] })
    t.strictSame(await ok(member, 'GET /api/kanban-items/{id}', { at }, 200), item)
    const another = await ok(member, 'POST /api/projects/{id}/kanban-items', { at: project, body }, 201)
    await ok(member, 'DELETE /api/kanban-items', { body: { ids: [another.id] } }, 200, { success: true })
    const conflicts = [{ kind: 'kanban-item', id: item.id }]
    await refused(member, undo, { at: change }, 409, { error: 'Changed since', details: { conflicts } })
    await ok(member, undo, { at: [String(group)] }, 200, { changes: [{ action: 'deleted' }] })
    const history = await ok(member, 'GET /api/kanban-items/{id}/changes', { at }, 200)
    t.strictSame(
      history.map(({ action }: { action: string }) => action),
      ['deleted', 'created', 'deleted', 'created'],
    )
    const query = '?limit=1'
    const ofProject = await ok(member, 'GET /api/projects/{id}/changes', { at: project, query }, 200)
    t.strictSame(ofProject, history.slice(0, 1))
    await refused(member, undo, { at: ['0'] }, 404, { error: 'Change not found' })
  })

  await part('viewers only read, and only admins manage members and teams', async (t) => {
    await ok(viewer, 'GET /api/projects/{id}', { at: project }, 200, { name: 'Apollo' })
    if (mode === 'required') {
      await refused(
        viewer,
        'PATCH /api/projects/{id}',
        { at: project, body: { name: 'X' } },
        403,
        readOnlyRole,
      )
      await refused(viewer, 'POST /api/projects', { body: '{oops' }, 403, readOnlyRole)
      await refused(viewer, 'DELETE /api/kanban-items/{id}', { at: [UNKNOWN] }, 403, readOnlyRole)
    }
    await ok(viewer, 'POST /api/personal-ideas', { body: { title: 'Of my own' } }, 201, {
      ownerId: ids.viewer,
    })

    const team = await ok(
      admin,
      'POST /api/teams',
      { body: { name: 'Crew', memberIds: [ids.member] } },
      201,
      {
        memberIds: [ids.member],
      },
    )
    const at = [team.id]
    await refused(member, 'PATCH /api/teams/{id}', { at, body: { name: 'X' } }, 403, adminRequired)
    await ok(admin, 'PATCH /api/teams/{id}', { at, body: { name: 'Staff' } }, 200, { name: 'Staff' })
    await ok(member, 'GET /api/teams/{id}', { at }, 200, { name: 'Staff' })
    await ok(member, 'GET /api/teams', {}, 200, [{ id: team.id }])
    t.strictSame(await ok(admin, 'DELETE /api/teams/{id}', { at }, 200), { success: true })

    const last = [ids.admin ?? '']
    t.equal(
      (await client.ask(admin, 'DELETE /api/members/{id}', { at: last })).status,
      409,
      'the last admin stays',
    )
  })

  await part('a batch is all or nothing, with the rights of its sender', async (t) => {
    const batch = 'POST /api/batch'
    const create = { method: 'POST', path: '/api/projects', body: { name: 'Batched' }, as: 'made' }
    const item = { method: 'POST', path: '/api/projects/{{made.id}}/kanban-items', body: { title: 'Card' } }
    const { results } = await ok(writer, batch, { body: { requests: [create, item] } }, 200, {
      results: [
        { status: 201, etag: /^"/ },
        { status: 201, body: { title: 'Card' } },
      ],
      dryRun: false,
    })
    t.equal(results[1].body.projectId, results[0].body.id)
    const deletion = { method: 'DELETE', path: '/api/projects/{{made.id}}' }
    await refused(writer, batch, { body: { requests: [create, deletion] } }, 403, {
      ...adminRequired,
      details: { request: 1 },
    })
    const tried = await ok(admin, batch, { body: { requests: [create, deletion], dryRun: true } }, 200, {
      dryRun: true,
    })
    const [{ body: undone }] = tried.results
    await refused(writer, 'GET /api/projects/{id}', { at: [undone.id] }, 404, { error: 'Project not found' })
  })

  await part('one-time links work once', async (t) => {
    const use = 'POST /api/session/link'
    const invalid = { error: 'Link was used, has expired or was revoked' }
    const invited = await ok(admin, 'POST /api/invitations', { body: { role: 'viewer' } }, 201, {
      kind: 'invitation',
      url: /\/link#pbl_/,
    })
    const details = { kind: 'invitation', role: 'viewer', email: null }
    const { token } = invited
    t.match(await ok(nobody, 'POST /api/session/link/check', { body: { token } }, 200), details)
    const guest = { token, name: 'Guest', email: 'guest@example.test', password: PASSWORD }
    const joined = await ok(nobody, use, { body: guest }, 201, { member: { name: 'Guest', role: 'viewer' } })
    await refused(nobody, use, { body: guest }, 401, invalid)
    const who = await signIn({ email: guest.email, password: PASSWORD })

    const at = [joined.member.id]
    await refused(member, 'POST /api/members/{id}/password-link', { at }, 403, adminRequired)
    const revoked = await ok(admin, 'POST /api/members/{id}/password-link', { at }, 201, { kind: 'password' })
    t.match(await ok(admin, 'GET /api/member-links', {}, 200), [{ id: revoked.id, memberId: at[0] }])
    await ok(admin, 'GET /api/member-links/{id}', { at: [revoked.id] }, 200, { name: 'Guest' })
    t.strictSame(await ok(admin, 'DELETE /api/member-links/{id}', { at: [revoked.id] }, 200), {
      success: true,
    })
    await refused(nobody, use, { body: { token: revoked.token, password: PASSWORD } }, 401, invalid)
    const given = await ok(admin, 'POST /api/members/{id}/password-link', { at }, 201)
    await ok(nobody, use, { body: { token: given.token, password: `${PASSWORD}!` } }, 201)
    await refused(who, 'GET /api/session', {}, 401, authenticationRequired)
    await signIn({ email: guest.email, password: `${PASSWORD}!` })
  })

  await part('whoever has a share link reads the project, until it is revoked', async (t) => {
    const { id } = await ok(member, 'POST /api/projects', { body: { name: 'Shared' } }, 201)
    const links = '/api/projects/{id}/share-links'
    const made = await ok(member, `POST ${links}`, { at: [id], body: { name: 'Client' } }, 201)
    t.match(made, { projectId: id, name: 'Client', url: new RegExp(`/shared/${made.secret}$`) })
    t.match(await ok(member, `GET ${links}`, { at: [id] }, 200), [{ id: made.id }])
    await ok(member, 'GET /api/share-links/{id}', { at: [made.id] }, 200, { name: 'Client' })
    await ok(nobody, 'GET /api/shared/{secret}', { at: [made.secret] }, 200, { name: 'Shared' })
    t.equal((await fetch(`${url}/shared/${made.secret}`)).status, 200, 'its page is there')
    t.strictSame(await ok(member, 'DELETE /api/share-links/{id}', { at: [made.id] }, 200), { success: true })
    const gone = { error: 'Share link not found' }
    await refused(nobody, 'GET /api/shared/{secret}', { at: [made.secret] }, 404, gone)
  })

  await part('tokens have the rights of their scope and member, until they are revoked', async (t) => {
    const create = 'POST /api/tokens'
    const made = await ok(member, create, { body: { name: 'CI' } }, 201, { scope: 'read', token: /^pbt_/ })
    const writing = await ok(member, create, { body: { name: 'Bot', scope: 'write' } }, 201, {
      scope: 'write',
    })
    const bearer = (token: string): Who => ({ authorization: `Bearer ${token}` })
    const [reads, writes] = [bearer(made.token), bearer(writing.token)]
    await ok(reads, 'GET /api/session', {}, 200, { member: { id: ids.member }, via: 'token' })
    const change: Request = { at: project, body: { nextStep: 'By a token' } }
    await refused(reads, 'PATCH /api/projects/{id}', change, 403, readOnlyToken)
    await ok(writes, 'PATCH /api/projects/{id}', change, 200, { nextStep: 'By a token' })
    await refused(writes, 'DELETE /api/projects/{id}', { at: project }, 403, adminRequired)
    await refused(writes, create, { body: { name: 'More' } }, 403, { error: 'Forbidden: session required' })
    const listed = await ok(member, 'GET /api/tokens', {}, 200)
    t.equal(listed.length, 2)
    t.notMatch(JSON.stringify(listed), made.token)
    await ok(member, 'GET /api/tokens/{id}', { at: [made.id] }, 200, { name: 'CI' })
    t.strictSame(await ok(member, 'DELETE /api/tokens/{id}', { at: [made.id] }, 200), { success: true })
    await refused(reads, 'GET /api/projects', {}, 401, authenticationRequired)
  })

  await part('a file is imported, and its progress is shown', async (t) => {
    const board = { id: 'b', name: 'Brought', lists: [], cards: [{ id: 'c', name: 'Card' }] }
    const create = 'POST /api/imports'
    const { id } = await ok(member, create, { query: '?format=trello', body: board }, 202, {
      status: 'waiting',
    })
    const read = () => ok(member, 'GET /api/imports/{id}', { at: [id] }, 200, { format: 'trello' })
    let state = await read()
    while (state.status !== 'done' && state.status !== 'failed') state = await read()
    t.match(state, { status: 'done', done: 3, total: 3, counts: { items: 1 } })
    await ok(member, 'GET /api/projects/{id}', { at: [state.projectId] }, 200, { name: 'Brought' })
    t.match(await ok(member, 'GET /api/imports', {}, 200), [{ id }])
    await refused(member, create, { query: '?format=floppy', body: board }, 400, validationFailed)
    await ok(admin, 'DELETE /api/projects/{id}', { at: [state.projectId] }, 200)
  })

  await part('admins create, test and change webhooks, and their secret is shown once', async (t) => {
    const create = 'POST /api/webhooks'
    await refused(member, create, { body: {} }, 403, adminRequired)
    await refused(admin, create, { body: { url: 'ftp://example.org/' } }, 400, validationFailed)
    const body = {
      url: 'https://example.org/hook',
      projectId: project[0],
      kinds: ['objective'],
      active: false,
    }
    const { secret, ...made } = await ok(admin, create, { body }, 201, { ...body, secret: /^whsec_.{44}$/ })
    const at = [made.id]
    t.strictSame(await ok(admin, 'GET /api/webhooks/{id}', { at }, 200), made)
    t.strictSame(await ok(admin, 'GET /api/webhooks', {}, 200), [made])
    const patch = { at, body: { description: 'Chat', kinds: [] } }
    await ok(admin, 'PATCH /api/webhooks/{id}', patch, 200, patch.body)
    const rotated = await ok(admin, 'POST /api/webhooks/{id}/rotate-secret', { at }, 200, {
      secret: /^whsec_.{44}$/,
    })
    t.not(rotated.secret, secret)
    await ok(admin, 'POST /api/webhooks/{id}/replay', { at, body: { after: 0 } }, 200, { after: 0 })
    // Either the private address is refused, or nothing listens there.
    await ok(admin, 'PATCH /api/webhooks/{id}', { at, body: { url: 'http://localhost:1/' } }, 200)
    await ok(admin, 'POST /api/webhooks/{id}/test', { at }, 200, { seq: null, status: null, error: String })
    t.strictSame(await ok(admin, 'GET /api/webhooks/{id}/deliveries', { at }, 200), [])
    t.strictSame(await ok(admin, 'DELETE /api/webhooks/{id}', { at }, 200), { success: true })
    await refused(admin, 'GET /api/webhooks/{id}', { at }, 404, { error: 'Webhook not found' })
  })

  await part('sessions end when revoked, signed out of or no longer allowed', async (t) => {
    const other = await signIn({ email: 'member@example.test', password: PASSWORD })
    const sessions = await ok(member, 'GET /api/sessions', {}, 200)
    t.equal(sessions.length, 2)
    const { id } = sessions.find(({ current }: { current: boolean }) => !current)
    await ok(member, 'GET /api/sessions/{id}', { at: [id] }, 200, { current: false })
    t.strictSame(await ok(member, 'DELETE /api/sessions/{id}', { at: [id] }, 200), { success: true })
    await refused(other, 'GET /api/projects', {}, 401, authenticationRequired)

    t.strictSame(await ok(member, 'DELETE /api/session', {}, 200), { success: true })
    await refused(member, 'GET /api/projects', {}, 401, authenticationRequired)

    const at = [ids.viewer ?? '']
    await ok(admin, 'PATCH /api/members/{id}', { at, body: { disabled: true } }, 200, { disabled: true })
    await refused(viewer, 'GET /api/projects', {}, 401, authenticationRequired)
    const credentials = { email: 'viewer@example.test', password: PASSWORD }
    await refused(nobody, 'POST /api/session', { body: credentials }, 401, {
      error: 'Invalid email or password',
    })
    t.strictSame(await ok(admin, 'DELETE /api/members/{id}', { at }, 200), { success: true })

    t.match(await ok(admin, 'GET /metrics', {}, 200), /^phaseboard_http_requests_total\{/m)
    const trail = await ok(admin, 'GET /api/audit-log', {}, 200)
    t.ok(trail.length > 10, 'all of it is in the audit log')
    t.notMatch(JSON.stringify(trail), PASSWORD)
  })

  await part('everything can be exported', async (t) => {
    const { status, headers, body } = await client.ask(admin, 'GET /api/export')
    t.equal(status, 200)
    t.equal(headers.get('content-type'), 'application/zip')
    t.match(body, /^PK/)
    t.match(body, 'manifest.json')
  })

  await part('changes can be read and followed', async (t) => {
    const { changes, last } = await ok(
      admin,
      'GET /api/changes',
      { query: '?limit=1000&kind=kanban-item' },
      200,
    )
    t.ok(changes.length > 2)
    t.ok(last >= changes.at(-1).seq)
    const query = `?after=${last}&wait=30`
    const waiting = ok(admin, 'GET /api/changes', { query }, 200)
    await ok(admin, 'PATCH /api/projects/{id}', { at: project, body: { nextStep: 'Followed' } }, 200)
    t.match(await waiting, { changes: [{ kind: 'project', after: { nextStep: 'Followed' } }] })
    t.match(await client.ask(admin, 'GET /api/changes/stream'), { status: 200 })
  })

  await part('members choose their e-mail', async () => {
    const at = '/api/me/preferences'
    await ok(admin, `GET ${at}`, {}, 200, { email: 'none', timeZone: 'UTC', emailAvailable: false })
    await ok(admin, `PATCH ${at}`, { body: { email: 'daily', timeZone: 'Asia/Tokyo' } }, 200, {
      email: 'daily',
    })
    await ok(admin, `PATCH ${at}`, { body: { email: 'none' } }, 200, {
      email: 'none',
      timeZone: 'Asia/Tokyo',
    })
    await refused(admin, `PATCH ${at}`, { body: { timeZone: 'Mars' } }, 400, validationFailed)
    await refused(admin, `POST ${at}/test-mail`, {}, 409, { error: 'This service sends no e-mail' })
  })

  await part('agents call its tools', async (t) => {
    const call = (method: string, params = {}) => ({ body: { jsonrpc: '2.0', id: 1, method, params } })
    const listed = await ok(admin, 'POST /mcp', call('tools/list'), 200, { id: 1 })
    t.ok(listed.result.tools.length > 10)
    const listing = call('tools/call', { name: 'list_projects', arguments: { limit: 1 } })
    await ok(admin, 'POST /mcp', listing, 200, { result: { structuredContent: { projects: Array } } })
  })

  await part('every documented operation was called', async (t) => {
    const body = await ok(nobody, 'GET /openapi.json', {}, 200, { paths: Object })
    const documented = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    t.ok(documented.length > 80)
    // Operations that need a provider or a mail server are in test/variables.test.ts.
    const tried = documented.filter(
      (operation) => !/ \/api\/(session\/oidc|me\/preferences\/test-mail)/.test(operation),
    )
    const missing = tried.filter((operation) => !client.succeeded.has(operation))
    t.strictSame(missing, [], 'each succeeded at least once')
  })
}
