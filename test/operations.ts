/** Every operation of the service, with a record of each collection, and a body that succeeds. */
import type SQLite from 'better-sqlite3'
import Fastify, { type FastifySchema } from 'fastify'
import t from 'tap'
import type { Access } from '../src/members/identity.ts'
import { hashToken } from '../src/members/secrets.ts'
import { LONG_AGO } from './helper.ts'
import { insertions, ROUTED } from './kinds.ts'
import { shipped } from './shipped.ts'

/** The caller's id, which is also the default member's. */
export const CALLER = 'caller'

/** A last use so recent that no request needs to update it. */
export const JUST_USED = '9999-12-31T00:00:00.000Z'

/** The secret of the share link. */
const SECRET = 'secret-of-the-link'

/** A session and a token of the caller, if the caller has a row. */
export const CREDENTIALS = `
  insert into sessions (id, member_id, token_hash, last_used_at, expires_at)
    select 'session', id, 'hash', '${JUST_USED}', '${JUST_USED}' from members where id = '${CALLER}';
  insert into api_tokens (id, member_id, name, token_hash)
    select 'token', id, 'CI', 'hash' from members where id = '${CALLER}';`

/** Only another admin. */
export const EMPTY = `
  delete from projects; delete from personal_ideas; delete from teams; delete from members; delete from webhooks; delete from imports;
  delete from member_links; delete from people; delete from notifications;
  insert into members (id, name, email, role) values ('somebody', 'Ada', 'ada@example.test', 'admin');`

/** One record of each collection, owned by the caller if relevant. */
export const SEEDED = `
  insert into projects (id, name) values ('project', 'Apollo');
  insert into kanban_items (id, project_id, title, assignee_id, claimed_until, claimed_from)
    values ('item', 'project', 'Card', '${CALLER}', '${LONG_AGO}', '{"column":"To Do","sortOrder":0}');
  ${insertions(CALLER, 'kanban-item', 'kanban-item-label', 'kanban-activity')}
  insert into personal_ideas (id, owner_id, title) values ('idea', '${CALLER}', 'Fly');
  insert or replace into changes (seq, "group", kind, id, action, project_id, before, after)
    values (1000000, 1000000, 'objective', 'objective', 'updated', 'project', '{"title":"Sea"}', '{"title":"Land"}');
  insert into teams (id, name) values ('team', 'Crew');
  insert into people (id, name, kind) values ('person', 'Bob Builder', 'host');
  insert into member_links (id, kind, token_hash, expires_at) values ('link', 'invitation', 'hash', '${JUST_USED}');
  insert into share_links (id, project_id, secret_hash) values ('share', 'project', '${hashToken(SECRET)}');
  insert into notifications (id, member_id, kind, project_id) values ('notification', '${CALLER}', 'moved', 'project');
  insert into imports (id, format, member_id, status) values ('import', 'trello', '${CALLER}', 'done');
  insert into webhooks (id, url, secret, active) values ('webhook', 'http://127.0.0.1/', 'whsec_c2VjcmV0', 0);
  ${CREDENTIALS}`

/** Prepared statements by connection and text. Compiling them with their triggers takes many times as long as running them. */
const compiled = new WeakMap<SQLite.Database, Map<string, SQLite.Statement[]>>()

/** Runs statements without inner semicolons. */
export function run(client: SQLite.Database, sql: string): void {
  const known = compiled.get(client) ?? new Map<string, SQLite.Statement[]>()
  compiled.set(client, known)
  const statements =
    known.get(sql) ??
    sql
      .split(';')
      .filter((one) => one.trim() !== '')
      .map((one) => client.prepare(one))
  known.set(sql, statements)
  for (const statement of statements) statement.run()
}

/** The id for each collection in a path. */
export const RECORDS: Record<string, string> = {
  ...Object.fromEntries(ROUTED.map(({ id, routes }) => [routes.collection, id])),
  projects: 'project',
  'kanban-items': 'item',
  labels: 'label',
  'personal-ideas': 'idea',
  changes: '1000000',
  teams: 'team',
  sessions: 'session',
  tokens: 'token',
  webhooks: 'webhook',
  imports: 'import',
  notifications: 'notification',
  'member-links': 'link',
  'share-links': 'share',
  shared: SECRET,
  people: 'person',
  members: CALLER,
}

const reorder = (id: string, fields = {}) => [200, { items: [{ id, sortOrder: 5, ...fields }] }] as const

type Request = readonly [status: number, body?: object]

/** The same for child records. */
const OF_EXAMPLES: [string, Request][] = ROUTED.flatMap(({ id, routes, listPath }) => {
  const { collection, create, update, isOrdered } = routes
  const list = listPath.replace('{id}', ':id')
  return [
    [`POST ${list}`, [201, create]],
    [`PATCH /api/${collection}/:id`, [200, update]],
    ...(isOrdered ? [[`POST ${list}/reorder`, reorder(id)] as [string, Request]] : []),
  ]
})

/** The status for permitted callers, and the body. Default: 200, and none. */
export const REQUESTS: Record<string, Request> = {
  ...Object.fromEntries(OF_EXAMPLES),
  'GET /docs/*': [404],
  'GET /assets/:name': [404],
  // Signing in would end the caller's session. That the body is validated shows that access was granted.
  'POST /api/session': [400, {}],
  // The same for using a one-time link.
  'POST /api/session/link': [400, {}],
  'POST /api/session/link/check': [400, {}],
  // The file of an import is not JSON. The error about it shows that access was granted.
  'POST /api/imports': [400],
  // The attachment is a link, and there is no image.
  'GET /api/attachments/:id/content': [404],
  'PATCH /api/me/preferences': [200, { email: 'daily' }],
  // Without a mail server, which is known only to who may send.
  'POST /api/me/preferences/test-mail': [409],
  // Nobody signed the token.
  'GET /unsubscribe/:token': [404],
  'POST /unsubscribe/:token': [404],
  'GET /api/attachments/:id/thumbnail': [404],
  'PUT /api/attachments/:id/thumbnail': [400],
  'GET /api/session/oidc': [404],
  'GET /api/session/oidc/callback': [404],
  'PATCH /api/notifications/:id': [200, { read: true }],
  'POST /api/notifications/read': [200, { upTo: 'notification' }],
  'POST /api/tokens': [201, { name: 'CI' }],
  'POST /api/projects/:id/share-links': [201, { name: 'Client' }],
  'POST /api/members': [201, { name: 'Bob', email: 'bob@example.test' }],
  'POST /api/members/:id/password-link': [201],
  'POST /api/invitations': [201, { role: 'viewer' }],
  'PATCH /api/members/:id': [200, { name: 'Cleo' }],
  'POST /api/teams': [201, { name: 'Crew' }],
  'PATCH /api/teams/:id': [200, { name: 'Staff' }],
  'POST /api/people/:id/merge': [200, { into: 'somebody' }],
  // Nothing is delivered in the meantime, which would cause a change.
  'POST /api/webhooks': [201, { url: 'https://example.org/', active: false }],
  'PATCH /api/webhooks/:id': [200, { description: 'Chat' }],
  'POST /api/webhooks/:id/replay': [200, { after: 0 }],
  'POST /api/projects': [201, { name: 'Gemini' }],
  'POST /api/projects/reorder': reorder('project'),
  'PATCH /api/projects/:id': [200, { name: 'Gemini' }],
  'POST /api/projects/:id/kanban-items': [201, { title: 'Card' }],
  'POST /api/projects/:id/kanban-items/reorder': reorder('item', { column: 'Done' }),
  'PATCH /api/kanban-items': [200, { ids: ['item'], update: { priority: 'high' } }],
  'DELETE /api/kanban-items': [200, { ids: ['item'] }],
  'PATCH /api/kanban-items/:id': [200, { title: 'Ace' }],
  'POST /api/kanban-items/:id/move': [200, { column: 'Done' }],
  'POST /api/projects/:id/kanban-items/claim': [200, { leaseSeconds: 60 }],
  'POST /api/kanban-items/:id/claim/renew': [200, { leaseSeconds: 60 }],
  'PUT /api/projects/:id/team-assignments': [200, { members: [{ memberId: 'ada' }] }],
  'POST /api/ingest/transcript': [201, { projectId: 'project', title: 'Review', date: LONG_AGO }],
  'POST /api/ingest/metrics': [200, { projectId: 'project', metrics: [{ name: 'Velocity', value: 2 }] }],
  'POST /api/personal-ideas': [201, { title: 'Dive' }],
  'POST /api/personal-ideas/reorder': reorder('idea'),
  'PATCH /api/personal-ideas/:id': [200, { title: 'Dive' }],
  'POST /api/personal-ideas/:id/promote': [201],
  'POST /mcp': [200, { jsonrpc: '2.0', id: 1, method: 'ping' }],
  'POST /api/batch': [200, { requests: [{ method: 'GET', path: '/api/projects' }] }],
}

/** A route as declared by the service. */
export interface Route {
  method: string
  path: string
  access: Access | undefined
  schema: FastifySchema
}

/** All declared routes, without those that only respond with 405. */
export async function declaredRoutes() {
  const host = Fastify()
  t.teardown(() => host.close())
  const routes: Route[] = []
  const refused: Route[] = []
  // A host's hooks run before the service's own, which set defaults.
  host.addHook('onRoute', ({ method, path, config = {}, schema = {} }) => {
    const list = Array.isArray(method) && config.failure === undefined ? refused : routes
    for (const one of [method].flat()) {
      if (one !== 'HEAD') list.push({ method: one, path, access: config.access, schema })
    }
  })
  await host.register(shipped.phaseboard, { databaseUrl: ':memory:' })
  await host.ready()
  return { routes, refused }
}

/** The example bodies by operation id, as the routes declare them. */
export async function bodyExamples(): Promise<Record<string, object>> {
  const { routes } = await declaredRoutes()
  return Object.fromEntries(
    routes.flatMap(({ schema: { operationId = '', example } }) => (example ? [[operationId, example]] : [])),
  )
}

/** The path of a route, with the id of a record for each collection in it. */
export const urlOf = (path: string, idOf: (collection: string) => string | undefined) =>
  path
    .replace(/([\w-]+)\/:\w+/g, (_, collection: string) => `${collection}/${idOf(collection)}`)
    .replace('*', 'none')
