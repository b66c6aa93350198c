/** Every route, whoever calls it, in both modes: the routes are those that the service registers, whichever they are. */
import t from 'tap'
import { type Access, isSafe } from '../src/members/identity.ts'
import { type App, build, LONG_AGO, send, signInAs, tokenOf } from './helper.ts'
import {
  CALLER,
  CREDENTIALS,
  declaredRoutes,
  EMPTY,
  JUST_USED,
  RECORDS,
  REQUESTS,
  type Route,
  run,
  SEEDED,
  urlOf,
} from './operations.ts'

const MODES = ['open', 'required'] as const
type Mode = (typeof MODES)[number]

/** What contract and specification demand of a route; without an entry: what reads is `read`, what changes is `write`. */
const DEMANDED: Record<string, Access> = {
  'POST /api/session': 'public',
  'POST /api/session/link': 'public',
  'POST /api/session/link/check': 'public',
  'GET /api/session/oidc': 'public',
  'GET /api/session/oidc/callback': 'public',
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
  'POST /api/people/:id/merge': 'admin',
  'DELETE /api/people/:id': 'admin',
  'PATCH /api/members/:id': 'own',
  'DELETE /api/members/:id': 'admin',
  'POST /api/members/:id/password-link': 'admin',
  'POST /api/invitations': 'admin',
  'GET /api/member-links': 'admin',
  'GET /api/member-links/:id': 'admin',
  'DELETE /api/member-links/:id': 'admin',
  'GET /api/audit-log': 'admin',
  'GET /api/export': 'admin',
  'GET /api/webhooks': 'admin',
  'POST /api/webhooks': 'admin',
  'GET /api/webhooks/:id': 'admin',
  'PATCH /api/webhooks/:id': 'admin',
  'DELETE /api/webhooks/:id': 'admin',
  'POST /api/webhooks/:id/test': 'admin',
  'POST /api/webhooks/:id/rotate-secret': 'admin',
  'GET /api/webhooks/:id/deliveries': 'admin',
  'POST /api/webhooks/:id/replay': 'admin',
  'POST /api/batch': 'each',
  'GET /metrics': 'admin',
  'GET /api/calendar.ics': 'calendar',
}

/**
 * Who may call what. A cell holds in both modes, or says what holds in open and in required mode. `own`, `admin` and
 * `admin-or-403` routes are told apart by whether they read or change, because a read token never writes.
 */
const EXPECTED = `
  caller                      | public | read     | each       | calendar   | write       | own: reads | own: changes | admin: reads | admin: changes | admin-or-403
  anonymous                   | passes | passes/401 | passes/401 | passes/401 | passes/401  | passes/401 | passes/401   | admin/401    | admin/401      | admin
  viewer                      | passes | passes   | passes     | passes     | passes/role | passes     | passes       | admin        | admin          | admin
  member                      | passes | passes   | passes     | passes     | passes      | passes     | passes       | admin        | admin          | admin
  admin                       | passes | passes   | passes     | passes     | passes      | passes     | passes       | passes       | passes         | passes
  read token of a viewer      | passes | passes   | passes     | passes     | token       | passes     | token        | admin        | admin          | admin
  read token of a member      | passes | passes   | passes     | passes     | token       | passes     | token        | admin        | admin          | admin
  read token of an admin      | passes | passes   | passes     | passes     | token       | passes     | token        | passes       | token          | admin
  write token of a viewer     | passes | passes   | passes     | passes     | passes/role | passes     | passes       | admin        | admin          | admin
  write token of a member     | passes | passes   | passes     | passes     | passes      | passes     | passes       | admin        | admin          | admin
  write token of an admin     | passes | passes   | passes     | passes     | passes      | passes     | passes       | passes       | passes         | passes
  calendar token of a member  | passes | 401      | 401        | passes     | 401         | 401        | 401          | 401          | 401            | admin
  calendar token of an admin  | passes | 401      | 401        | passes     | 401         | 401        | 401          | 401          | 401            | admin
  session of a disabled admin | passes | 401      | 401        | 401        | 401         | 401        | 401          | 401          | 401            | admin
  session of a deleted admin  | passes | 401      | 401        | 401        | 401         | 401        | 401          | 401          | 401            | admin
  expired session             | passes | 401      | 401        | 401        | 401         | 401        | 401          | 401          | 401            | admin
  revoked session             | passes | 401      | 401        | 401        | 401         | 401        | 401          | 401          | 401            | admin
  token of a disabled admin   | passes | 401      | 401        | 401        | 401         | 401        | 401          | 401          | 401            | admin
  expired token               | passes | 401      | 401        | 401        | 401         | 401        | 401          | 401          | 401            | admin
  revoked token               | passes | 401      | 401        | 401        | 401         | 401        | 401          | 401          | 401            | admin
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

type Role = 'admin' | 'member' | 'viewer'
type Make = (app: App) => Record<string, string>

const withSession =
  (role: Role, spoil = ''): Make =>
  (app) => {
    const { headers } = signInAs(app, role, { id: CALLER })
    run(app.db.$client, spoil)
    return headers
  }
const withToken =
  (role: Role, fields: { scope?: 'read' | 'calendar'; expiresAt?: string } = {}, spoil = ''): Make =>
  (app) => {
    const { id } = signInAs(app, role, { id: CALLER })
    const headers = tokenOf(app, id, { lastUsedAt: JUST_USED, ...fields })
    run(app.db.$client, spoil)
    return headers
  }

const READ = { scope: 'read' } as const
const CALENDAR = { scope: 'calendar' } as const
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
  'calendar token of a member': withToken('member', CALENDAR),
  'calendar token of an admin': withToken('admin', CALENDAR),
  'session of a disabled admin': withSession('admin', DISABLE),
  'session of a deleted admin': withSession('admin', `delete from members where id = '${CALLER}'`),
  'expired session': withSession('admin', `update sessions set expires_at = '${LONG_AGO}'`),
  'revoked session': withSession('admin', 'delete from sessions'),
  'token of a disabled admin': withToken('admin', {}, DISABLE),
  'expired token': withToken('admin', { expiresAt: LONG_AGO }),
  'revoked token': withToken('admin', {}, 'delete from api_tokens'),
}

/** The default member has the caller's id, too. */
const settingsOf = (authMode: Mode) => ({ authMode, defaultMemberId: CALLER })

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

/** All members but the other admin, with their credentials. */
const WITHOUT_CALLER = `delete from members where id <> 'somebody'`

/** Applications whose records are as they were made. */
const seeded = new WeakSet<App>()

/** Makes the caller, and all records anew where they are not as they were made: that takes longest. @returns its headers */
function seed(app: App, caller: string): Record<string, string> {
  const { $client } = app.db
  const isSeeded = seeded.has(app)
  run($client, isSeeded ? WITHOUT_CALLER : EMPTY)
  const headers = CALLERS[caller]?.(app) ?? {}
  run($client, isSeeded ? CREDENTIALS : SEEDED)
  seeded.add(app)
  return headers
}

/** Sends what a route takes, and says what came of it; a refusal only when nothing changed. */
async function outcomeOf(app: App, route: Route, caller: string): Promise<string> {
  const { $client } = app.db
  const [passes, body] = REQUESTS[`${route.method} ${route.path}`] ?? [200]
  const headers = seed(app, caller)
  const changes = () => $client.prepare('select total_changes()').pluck().get()
  const before = changes()
  const call = async (url: string, payload: unknown) => {
    const answer = await send(app, route.method, url, payload, headers)
    if (changes() !== before) seeded.delete(app)
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
