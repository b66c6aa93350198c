/** Every route, whoever calls it, in both modes: the routes are those that the service registers, whichever they are. */
import Fastify from 'fastify'
import t from 'tap'
import { type Access, isSafe } from '../src/members/identity.ts'
import { type App, build, LONG_AGO, send, signInAs, tokenOf } from './helper.ts'
import { shipped } from './shipped.ts'

const MODES = ['open', 'required'] as const
type Mode = (typeof MODES)[number]

/** What contract and specification demand of a route; without an entry: what reads is `read`, what changes is `write`. */
const DEMANDED: Record<string, Access> = {
  'POST /api/session': 'public',
  'GET /api/session': 'own',
  'DELETE /api/session': 'own',
  'GET /api/sessions': 'own',
  'GET /api/sessions/:id': 'own',
  'DELETE /api/sessions/:id': 'own',
  'GET /api/tokens': 'own',
  'POST /api/tokens': 'own',
  'GET /api/tokens/:id': 'own',
  'DELETE /api/tokens/:id': 'own',
  'GET /api/personal-ideas': 'own',
  'POST /api/personal-ideas': 'own',
  'POST /api/personal-ideas/reorder': 'own',
  'GET /api/personal-ideas/:id': 'own',
  'PATCH /api/personal-ideas/:id': 'own',
  'DELETE /api/personal-ideas/:id': 'own',
  'DELETE /api/projects/:id': 'admin-or-403',
  'POST /api/teams': 'admin',
  'PATCH /api/teams/:id': 'admin',
  'DELETE /api/teams/:id': 'admin',
  'POST /api/members': 'admin',
  'PATCH /api/members/:id': 'own',
  'DELETE /api/members/:id': 'admin',
  'GET /api/audit-log': 'admin',
  'GET /api/webhooks': 'admin',
  'POST /api/webhooks': 'admin',
  'GET /api/webhooks/:id': 'admin',
  'PATCH /api/webhooks/:id': 'admin',
  'DELETE /api/webhooks/:id': 'admin',
  'POST /api/webhooks/:id/test': 'admin',
  'POST /api/webhooks/:id/rotate-secret': 'admin',
  'GET /api/webhooks/:id/deliveries': 'admin',
  'POST /api/webhooks/:id/replay': 'admin',
  'POST /api/batch': 'own',
}

/**
 * Who may call what. A cell holds in both modes, or says what holds in open and in required mode. `own`, `admin` and
 * `admin-or-403` routes are told apart by whether they read or change, because a read token never writes.
 */
const EXPECTED = `
  caller                      | public | read     | write       | own: reads | own: changes | admin: reads | admin: changes | admin-or-403
  anonymous                   | passes | passes/401 | passes/401  | passes/401 | passes/401   | admin/401    | admin/401      | admin
  viewer                      | passes | passes   | passes/role | passes     | passes       | admin        | admin          | admin
  member                      | passes | passes   | passes      | passes     | passes       | admin        | admin          | admin
  admin                       | passes | passes   | passes      | passes     | passes       | passes       | passes         | passes
  read token of a viewer      | passes | passes   | token       | passes     | token        | admin        | admin          | admin
  read token of a member      | passes | passes   | token       | passes     | token        | admin        | admin          | admin
  read token of an admin      | passes | passes   | token       | passes     | token        | passes       | token          | admin
  write token of a viewer     | passes | passes   | passes/role | passes     | passes       | admin        | admin          | admin
  write token of a member     | passes | passes   | passes      | passes     | passes       | admin        | admin          | admin
  write token of an admin     | passes | passes   | passes      | passes     | passes       | passes       | passes         | passes
  session of a disabled admin | passes | 401      | 401         | 401        | 401          | 401          | 401            | admin
  session of a deleted admin  | passes | 401      | 401         | 401        | 401          | 401          | 401            | admin
  expired session             | passes | 401      | 401         | 401        | 401          | 401          | 401            | admin
  revoked session             | passes | 401      | 401         | 401        | 401          | 401          | 401            | admin
  token of a disabled admin   | passes | 401      | 401         | 401        | 401          | 401          | 401            | admin
  expired token               | passes | 401      | 401         | 401        | 401          | 401          | 401            | admin
  revoked token               | passes | 401      | 401         | 401        | 401          | 401          | 401            | admin
`

/** Where more than the declared access decides, by operation and caller: cells in the place of those above. */
const EXCEPTIONS: Record<string, Record<string, string>> = {
  // A token makes no token, and the default member has nothing to own one.
  'POST /api/tokens': {
    anonymous: 'session/401',
    'write token of a viewer': 'session',
    'write token of a member': 'session',
    'write token of an admin': 'session',
  },
  // The default member has no sessions and tokens: whatever is asked for is somebody else's.
  'GET /api/tokens/:id': { anonymous: '404/401' },
  'DELETE /api/tokens/:id': { anonymous: '404/401' },
  'GET /api/sessions/:id': { anonymous: '404/401' },
  'DELETE /api/sessions/:id': { anonymous: '404/401' },
  // Nor is it in the list of members.
  'GET /api/members/:id': { anonymous: '404/401' },
  'PATCH /api/members/:id': { anonymous: 'admin/401' },
}

/** What the cells stand for. */
const REFUSALS: Record<string, string> = {
  401: '401 Authentication required',
  admin: '403 Forbidden: admin access required',
  role: '403 Forbidden: read-only role',
  token: '403 Forbidden: read-only token',
  session: '403 Forbidden: session required',
}

const cells = (line: string) => line.split('|').map((cell) => cell.trim())
const [[, ...kinds] = [], ...rows] = EXPECTED.trim().split('\n').map(cells)
const table = new Map(
  rows.map(([caller = '', ...row]) => [caller, new Map(kinds.map((kind, column) => [kind, row[column]]))]),
)

/** Who calls has this id, the default member too. */
const CALLER = 'caller'

/** So recently used that no request has to note its use. */
const JUST_USED = '9999-12-31T00:00:00.000Z'

type Role = 'admin' | 'member' | 'viewer'
type Make = (app: App) => Record<string, string>

const withSession =
  (role: Role, spoil = ''): Make =>
  (app) => {
    const { headers } = signInAs(app, role, { id: CALLER })
    app.db.$client.exec(spoil)
    return headers
  }
const withToken =
  (role: Role, fields: { scope?: 'read'; expiresAt?: string } = {}, spoil = ''): Make =>
  (app) => {
    const { id } = signInAs(app, role, { id: CALLER })
    const headers = tokenOf(app, id, { lastUsedAt: JUST_USED, ...fields })
    app.db.$client.exec(spoil)
    return headers
  }

const READ = { scope: 'read' } as const
const DISABLE = `update members set disabled = 1 where id = '${CALLER}'`

/** How each caller of the table comes by what it presents; what is worth nothing was once an admin's. */
const CALLERS: Record<string, Make> = {
  anonymous: () => ({}),
  viewer: withSession('viewer'),
  member: withSession('member'),
  admin: withSession('admin'),
  'read token of a viewer': withToken('viewer', READ),
  'read token of a member': withToken('member', READ),
  'read token of an admin': withToken('admin', READ),
  'write token of a viewer': withToken('viewer'),
  'write token of a member': withToken('member'),
  'write token of an admin': withToken('admin'),
  'session of a disabled admin': withSession('admin', DISABLE),
  'session of a deleted admin': withSession('admin', `delete from members where id = '${CALLER}'`),
  'expired session': withSession('admin', `update sessions set expires_at = '${LONG_AGO}'`),
  'revoked session': withSession('admin', 'delete from sessions'),
  'token of a disabled admin': withToken('admin', {}, DISABLE),
  'expired token': withToken('admin', { expiresAt: LONG_AGO }),
  'revoked token': withToken('admin', {}, 'delete from api_tokens'),
}

/** Nothing but another admin. */
const EMPTY = `
  delete from projects; delete from personal_ideas; delete from teams; delete from members; delete from webhooks;
  insert into members (id, name, email, role) values ('somebody', 'Ada', 'ada@example.test', 'admin');`

/** One record of each collection, the caller's own where that matters. */
const FURNISHED = `
  insert into projects (id, name) values ('project', 'Apollo');
  insert into kanban_columns (id, project_id, name) values ('column', 'project', 'Parked');
  insert into kanban_items (id, project_id, title) values ('item', 'project', 'Card');
  insert into kanban_subtasks (id, item_id, title) values ('subtask', 'item', 'Step');
  insert into kanban_comments (id, item_id, author_id, content) values ('comment', 'item', '${CALLER}', 'Hm');
  insert into kanban_labels (id, project_id, name) values ('label', 'project', 'Bug');
  insert into metrics (id, project_id, name, value) values ('metric', 'project', 'Velocity', 1);
  insert into objectives (id, project_id, title) values ('objective', 'project', 'Land');
  insert into transcript_summaries (id, project_id, title, date)
    values ('transcript', 'project', 'Kick-off', '${LONG_AGO}');
  insert into personal_ideas (id, owner_id, title) values ('idea', '${CALLER}', 'Fly');
  insert or replace into changes (seq, "group", kind, id, action, project_id, before, after)
    values (1000000, 1000000, 'objective', 'objective', 'updated', 'project', '{"title":"Sea"}', '{"title":"Land"}');
  insert into teams (id, name) values ('team', 'Crew');
  insert into webhooks (id, url, secret, active) values ('webhook', 'http://127.0.0.1/', 'whsec_c2VjcmV0', 0);
  insert into sessions (id, member_id, token_hash, last_used_at, expires_at)
    select 'session', id, 'hash', '${JUST_USED}', '${JUST_USED}' from members where id = '${CALLER}';
  insert into api_tokens (id, member_id, name, token_hash)
    select 'token', id, 'CI', 'hash' from members where id = '${CALLER}';`

/** Which record a collection in a path has. A new collection needs an entry here, and its record above. */
const RECORDS: Record<string, string> = {
  projects: 'project',
  'kanban-columns': 'column',
  'kanban-items': 'item',
  'kanban-subtasks': 'subtask',
  'kanban-comments': 'comment',
  'kanban-labels': 'label',
  labels: 'label',
  metrics: 'metric',
  objectives: 'objective',
  'transcript-summaries': 'transcript',
  'personal-ideas': 'idea',
  changes: '1000000',
  teams: 'team',
  sessions: 'session',
  tokens: 'token',
  webhooks: 'webhook',
  members: CALLER,
}

const reorder = (id: string, fields = {}) => [200, { items: [{ id, sortOrder: 5, ...fields }] }] as const

/** What whoever passes is answered, and the body that it takes. Without an entry: 200, and none. */
const REQUESTS: Record<string, readonly [status: number, body?: object]> = {
  'GET /docs/*': [404],
  // Signing in would end the caller's session; that a body is looked at at all shows that nobody is refused.
  'POST /api/session': [400, {}],
  'POST /api/tokens': [201, { name: 'CI' }],
  'POST /api/members': [201, { name: 'Bob', email: 'bob@example.test' }],
  'PATCH /api/members/:id': [200, { name: 'Cleo' }],
  'POST /api/teams': [201, { name: 'Crew' }],
  'PATCH /api/teams/:id': [200, { name: 'Staff' }],
  // Nothing is delivered meanwhile, which would change something.
  'POST /api/webhooks': [201, { url: 'https://example.org/', active: false }],
  'PATCH /api/webhooks/:id': [200, { description: 'Chat' }],
  'POST /api/webhooks/:id/replay': [200, { after: 0 }],
  'POST /api/projects': [201, { name: 'Gemini' }],
  'POST /api/projects/reorder': reorder('project'),
  'PATCH /api/projects/:id': [200, { name: 'Gemini' }],
  'POST /api/projects/:id/kanban-columns': [201, { name: 'Later' }],
  'POST /api/projects/:id/kanban-columns/reorder': reorder('column'),
  'PATCH /api/kanban-columns/:id': [200, { name: 'Later' }],
  'POST /api/projects/:id/kanban-items': [201, { title: 'Card' }],
  'POST /api/projects/:id/kanban-items/reorder': reorder('item', { column: 'Done' }),
  'PATCH /api/kanban-items': [200, { ids: ['item'], update: { priority: 'high' } }],
  'PATCH /api/kanban-items/:id': [200, { title: 'Ace' }],
  'POST /api/kanban-items/:id/move': [200, { column: 'Done' }],
  'POST /api/kanban-items/:id/subtasks': [201, { title: 'Step' }],
  'POST /api/kanban-items/:id/subtasks/reorder': reorder('subtask'),
  'PATCH /api/kanban-subtasks/:id': [200, { completed: true }],
  'POST /api/kanban-items/:id/comments': [201, { content: 'Well' }],
  'PATCH /api/kanban-comments/:id': [200, { content: 'Well' }],
  'POST /api/projects/:id/kanban-labels': [201, { name: 'Idea' }],
  'PATCH /api/kanban-labels/:id': [200, { name: 'Idea' }],
  'POST /api/projects/:id/objectives': [201, { title: 'Return' }],
  'PATCH /api/objectives/:id': [200, { title: 'Return' }],
  'POST /api/projects/:id/metrics': [201, { name: 'Height', value: 1 }],
  'PATCH /api/metrics/:id': [200, { value: 2 }],
  'POST /api/projects/:id/transcript-summaries': [201, { title: 'Review', date: LONG_AGO }],
  'PATCH /api/transcript-summaries/:id': [200, { title: 'Review' }],
  'PUT /api/projects/:id/team-assignments': [200, { members: [{ memberId: 'ada' }] }],
  'POST /api/ingest/transcript': [201, { projectId: 'project', title: 'Review', date: LONG_AGO }],
  'POST /api/ingest/metrics': [200, { projectId: 'project', metrics: [{ name: 'Velocity', value: 2 }] }],
  'POST /api/personal-ideas': [201, { title: 'Dive' }],
  'POST /api/personal-ideas/reorder': reorder('idea'),
  'PATCH /api/personal-ideas/:id': [200, { title: 'Dive' }],
  'POST /api/personal-ideas/:id/promote': [201],
  'POST /api/batch': [200, { requests: [{ method: 'GET', path: '/api/projects' }] }],
}

/** A route as the service declares it. */
interface Route {
  method: string
  path: string
  access: Access | undefined
}

/** All routes as they are declared; apart from them, the paths and methods that are there to be refused with 405. */
async function declaredRoutes() {
  const host = Fastify()
  t.teardown(() => host.close())
  const routes: Route[] = []
  const refused: Route[] = []
  // A host's hooks come before the service's own, which fill in what was not declared.
  host.addHook('onRoute', ({ method, path, config = {} }) => {
    const list = Array.isArray(method) && config.failure === undefined ? refused : routes
    for (const one of [method].flat()) {
      if (one !== 'HEAD') list.push({ method: one, path, access: config.access })
    }
  })
  await host.register(shipped.phaseboard, { databaseUrl: ':memory:' })
  await host.ready()
  return { routes, refused }
}

/** The default member has the caller's id, too. */
const settingsOf = (authMode: Mode) => ({ authMode, defaultMemberId: CALLER })

const urlOf = (path: string, idOf: (collection: string) => string | undefined) =>
  path
    .replace(/([\w-]+)\/:\w+/g, (_, collection: string) => `${collection}/${idOf(collection)}`)
    .replace('*', 'none')

/** The column of the table. What reads is never `write`, and what changes never `read`. */
function kindOf({ method, access = 'public' }: Route): string {
  const verb = isSafe(method) ? 'reads' : 'changes'
  return kinds.includes(`${access}: ${verb}`) ? `${access}: ${verb}` : access
}

/** What the table, or an exception, says. */
function expectedOf(route: Route, caller: string, mode: Mode): string {
  const exception = EXCEPTIONS[`${route.method} ${route.path}`]?.[caller]
  const cell = exception ?? table.get(caller)?.get(kindOf(route)) ?? 'not in the table'
  const [inOpen = '', inRequired = inOpen] = cell.split('/')
  const outcome = mode === 'open' ? inOpen : inRequired
  return REFUSALS[outcome] ?? outcome
}

/** Sends what a route takes, and says what came of it; a refusal only when nothing changed. */
async function outcomeOf(app: App, route: Route, caller: string): Promise<string> {
  const { $client } = app.db
  const [passes, body] = REQUESTS[`${route.method} ${route.path}`] ?? [200]
  $client.exec(EMPTY)
  const headers = CALLERS[caller]?.(app) ?? {}
  $client.exec(FURNISHED)
  const changes = () => $client.prepare('select total_changes()').pluck().get()
  const before = changes()
  const call = async (url: string, payload: unknown) => {
    const answer = await send(app, route.method, url, payload, headers)
    return { status: answer.status, text: `${answer.status} ${answer.body.error}` }
  }

  const { status, text } = await call(
    urlOf(route.path, (collection) => RECORDS[collection]),
    body,
  )
  if (status === passes)
    return isSafe(route.method) && changes() !== before ? 'reads, but something changed' : 'passes'
  if (changes() !== before) return `${text}, but something changed`
  if (status === 404) return '404'
  // Whoever is refused is refused before anybody looks at what is asked for.
  const nonsense = await call(
    urlOf(route.path, () => 'none'),
    '{oops',
  )
  if (nonsense.text !== text) return `${text}, but ${nonsense.text} to nonsense`
  return changes() === before ? text : `${text}, but something changed`
}

const { routes, refused } = await declaredRoutes()
const isUnderApi = ({ path }: Route) => path.startsWith('/api')

t.test('every route under /api declares who may call it, as demanded', async (t) => {
  for (const { method, path, access } of routes.filter(isUnderApi)) {
    const demanded = DEMANDED[`${method} ${path}`] ?? (isSafe(method) ? 'read' : 'write')
    t.equal(access, demanded, `${method} ${path}`)
  }
})

t.test('what is documented is what is registered', async (t) => {
  const app = await build(t, settingsOf('open'))
  const { paths = {} } = (await app.openapi()) as { paths?: Record<string, object> }
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  const registered = routes.filter(isUnderApi).map(({ method, path }) => `${method} ${path}`)
  t.strictSame(registered.toSorted(), documented.filter((one) => one.includes(' /api/')).toSorted())
})

t.test('what is registered beside the routes refuses its method, whoever asks', async (t) => {
  const app = await build(t, settingsOf('required'))
  const { headers } = signInAs(app, 'admin')
  t.ok(refused.length > 0)
  for (const { method, path } of refused) {
    const url = urlOf(path, () => 'none')
    for (const credential of [{}, headers]) {
      t.equal((await send(app, method, url, undefined, credential)).status, 405, `${method} ${url}`)
    }
  }
})

t.test('HEAD asks for no less than GET', async (t) => {
  const app = await build(t, settingsOf('required'))
  for (const { method, path } of routes.filter(({ method }) => method === 'GET')) {
    const url = urlOf(path, () => 'none')
    const [asked, headed] = [await send(app, method, url), await send(app, 'HEAD', url)]
    t.equal(headed.status, asked.status, `HEAD ${url}`)
  }
})

for (const mode of MODES) {
  t.test(`in ${mode} mode every route lets those pass who may call it, and refuses all others`, async (t) => {
    const app = await build(t, settingsOf(mode))
    // The index of changes is written now and then, and would count as a change that somebody made.
    app.rules.changes.subjects.behind = () => 0
    for (const route of routes) {
      const outcomes: Record<string, string> = {}
      const expected: Record<string, string> = {}
      for (const caller of table.keys()) {
        outcomes[caller] = await outcomeOf(app, route, caller)
        expected[caller] = expectedOf(route, caller, mode)
      }
      t.strictSame(outcomes, expected, `${route.method} ${route.path}`)
    }
  })
}
