/** Calls every registered route as every kind of caller, in both modes. */
import t from 'tap'
import { indexSearch } from '../src/db/search-index.ts'
import { type Access, isSafe } from '../src/members/identity.ts'
import { documentedOperations } from './documented.ts'
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
import { inTurn } from './rounds.ts'

const MODES = ['open', 'required'] as const
type Mode = (typeof MODES)[number]

/** The access that contract and specification demand of a route. Without an entry, reading routes have `read` and changing ones `write`. */
const DEMANDED: Record<string, Access> = {
  'POST /api/session': 'public',
  'POST /api/session/link': 'public',
  'POST /api/session/link/check': 'public',
  'GET /api/session/oidc': 'public',
  'GET /api/session/oidc/callback': 'public',
  'GET /api/shared/:secret': 'public',
  // Only those who may write a project see its links.
  'GET /api/projects/:id/share-links': 'write',
  'GET /api/share-links/:id': 'write',
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
  'PUT /api/projects/:id/watch': 'own',
  'DELETE /api/projects/:id/watch': 'own',
  'PUT /api/kanban-items/:id/watch': 'own',
  'DELETE /api/kanban-items/:id/watch': 'own',
  'POST /api/notifications/read': 'own',
  'PATCH /api/notifications/:id': 'own',
  'GET /api/me/preferences': 'own',
  'PATCH /api/me/preferences': 'own',
  'POST /api/me/preferences/test-mail': 'own',
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
 * Which caller gets which result. A cell applies to both modes, or has one value for open and one for required mode. `own`,
 * `admin` and `admin-or-403` routes have separate columns for reading and changing, because a read token never writes.
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

/** What needs the right to write, but only reads. */
const READ_TOKENS = {
  'read token of a viewer': 'passes/role',
  'read token of a member': 'passes',
  'read token of an admin': 'passes',
}

/** Exceptions by operation and caller, if more than the declared access decides. They replace the cells above. */
const EXCEPTIONS: Record<string, Record<string, string>> = {
  // A token cannot create tokens, and the default member has no account to own one.
  'POST /api/tokens': {
    anonymous: 'session/401',
    'write token of a viewer': 'session',
    'write token of a member': 'session',
    'write token of an admin': 'session',
  },
  // The default member has no sessions or tokens, so the requested record belongs to somebody else.
  'GET /api/tokens/:id': { anonymous: '404/401' },
  'DELETE /api/tokens/:id': { anonymous: '404/401' },
  'GET /api/sessions/:id': { anonymous: '404/401' },
  'DELETE /api/sessions/:id': { anonymous: '404/401' },
  'GET /api/projects/:id/share-links': READ_TOKENS,
  'GET /api/share-links/:id': READ_TOKENS,
  // Mail goes to the addresses of members, and the default member has none.
  'PATCH /api/me/preferences': { anonymous: 'session/401' },
  'POST /api/me/preferences/test-mail': { anonymous: 'session/401' },
  // The default member is not in the list of members either.
  'GET /api/members/:id': { anonymous: '404/401' },
  'PATCH /api/members/:id': { anonymous: 'admin/401' },
}

/** The meaning of the cells. */
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

/** How each caller gets its credential. Invalid ones were once an admin's. */
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

/**
 * Callers that differ only in what is decided before any route: why a credential is invalid, and the role that a kind of token is for. A
 * route sees a refusal, or the caller's access, which its declaration decides about.
 */
const ALIKE: readonly (readonly string[])[] = [
  Object.keys(CALLERS).filter((caller) => caller.startsWith('read token')),
  Object.keys(CALLERS).filter((caller) => caller.startsWith('write token')),
  Object.keys(CALLERS).filter((caller) => caller.startsWith('calendar token')),
  Object.keys(CALLERS).filter((caller) => /^(expired|revoked|session|token)/.test(caller)),
]

/**
 * The callers of a route. Those who are alike take turns among the routes of the same column, which has each of them in both modes: few
 * routes are called by all. So are exceptions, by those whom they are about.
 */
function callersOf(route: Route, mode: Mode): string[] {
  const column = routes.filter((other) => kindOf(other) === kindOf(route))
  const turn = column.indexOf(route) + MODES.indexOf(mode)
  const exceptions = EXCEPTIONS[`${route.method} ${route.path}`] ?? {}
  return [...table.keys()].filter((caller) => {
    const alike = ALIKE.find((group) => group.includes(caller)) ?? []
    return column.length < alike.length || caller in exceptions || alike.length === 0
      ? true
      : inTurn(alike, turn).includes(caller)
  })
}

/** The default member also has the caller's id. */
const settingsOf = (authMode: Mode) => ({ authMode, defaultMemberId: CALLER })

/** The column of a route. Reading routes are never `write`, and changing ones never `read`. */
function kindOf({ method, access = 'public' }: Route): string {
  const verb = isSafe(method) ? 'reads' : 'changes'
  return kinds.includes(`${access}: ${verb}`) ? `${access}: ${verb}` : access
}

/** The expected result, from the exceptions or the table. */
function expectedOf(route: Route, caller: string, mode: Mode): string {
  const exception = EXCEPTIONS[`${route.method} ${route.path}`]?.[caller]
  const cell = exception ?? table.get(caller)?.get(kindOf(route)) ?? 'not in the table'
  const [inOpen = '', inRequired = inOpen] = cell.split('/')
  const outcome = mode === 'open' ? inOpen : inRequired
  return REFUSALS[outcome] ?? outcome
}

/** All members except the other admin, with their credentials. */
const WITHOUT_CALLER = `delete from members where id <> 'somebody'`

/** Applications whose records are unchanged since they were created. */
const seeded = new WeakSet<App>()

/** Creates the caller, and all records again if they have changed, which takes longest. @returns the headers */
function seed(app: App, caller: string): Record<string, string> {
  const { $client } = app.db
  const isSeeded = seeded.has(app)
  run($client, isSeeded ? WITHOUT_CALLER : EMPTY)
  const headers = CALLERS[caller]?.(app) ?? {}
  run($client, isSeeded ? CREDENTIALS : SEEDED)
  indexSearch(app.db)
  seeded.add(app)
  return headers
}

/** Sends a valid request, and returns the kind of result. It only counts as refused if nothing has changed. */
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
  // Access is checked before the rest of the request.
  const nonsense = await call(
    urlOf(route.path, () => 'none'),
    '{oops',
  )
  if (nonsense.text !== text) return `${text}, but ${nonsense.text} to nonsense`
  return changes() === before ? text : `${text}, but something changed`
}

const { routes, refused } = await declaredRoutes()
const isUnderApi = ({ path }: Route) => path.startsWith('/api')

t.test('every route under /api declares the required access', async (t) => {
  for (const { method, path, access } of routes.filter(isUnderApi)) {
    const demanded = DEMANDED[`${method} ${path}`] ?? (isSafe(method) ? 'read' : 'write')
    t.equal(access, demanded, `${method} ${path}`)
  }
})

t.test('the document and the registered routes are the same', async (t) => {
  const app = await build(t, settingsOf('open'))
  const documented = (await documentedOperations(app)).map(
    ({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
  )
  const registered = routes.filter(isUnderApi).map(({ method, path }) => `${method} ${path}`)
  t.strictSame(registered.toSorted(), documented.filter((one) => one.includes(' /api/')).toSorted())
})

t.test('other methods of registered paths are refused for every caller', async (t) => {
  const app = await build(t, settingsOf('required'))
  await app.notificationConsumer.stop()
  const { headers } = signInAs(app, 'admin')
  t.ok(refused.length > 0)
  for (const [turn, { method, path }] of refused.entries()) {
    const url = urlOf(path, () => 'none')
    for (const credential of inTurn([{}, headers], turn)) {
      t.equal((await send(app, method, url, undefined, credential)).status, 405, `${method} ${url}`)
    }
  }
})

t.test('HEAD requires the same access as GET', async (t) => {
  const app = await build(t, settingsOf('required'))
  await app.notificationConsumer.stop()
  for (const { method, path } of routes.filter(({ method }) => method === 'GET')) {
    const url = urlOf(path, () => 'none')
    const [asked, headed] = [await send(app, method, url), await send(app, 'HEAD', url)]
    t.equal(headed.status, asked.status, `HEAD ${url}`)
  }
})

for (const mode of MODES) {
  t.test(`in ${mode} mode every route accepts the permitted callers and refuses all others`, async (t) => {
    const app = await build(t, settingsOf(mode))
    // It writes by itself.
    await app.notificationConsumer.stop()
    // The index of changes is written by a timer, and would count as a change by the request.
    app.rules.changes.subjects.behind = () => 0
    for (const route of routes) {
      const outcomes: Record<string, string> = {}
      const expected: Record<string, string> = {}
      for (const caller of callersOf(route, mode)) {
        outcomes[caller] = await outcomeOf(app, route, caller)
        expected[caller] = expectedOf(route, caller, mode)
      }
      t.strictSame(outcomes, expected, `${route.method} ${route.path}`)
    }
  })
}
