/** Every documented variable, in both modes. The shipped build loads what each one needs, and it works. */
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { CLIENT, comeBack, provide } from './openid-provider.ts'
import { onPreparedFile, type Service, start } from './process.ts'
import { receive } from './receivers.ts'
import { receiveMail } from './smtp.ts'

const MODES = ['open', 'required'] as const
type Mode = (typeof MODES)[number]

const ADMIN = { email: 'ada@example.test', password: 'correct horse' }
const ORIGIN = 'https://app.example'

/** The database whose checkpoints are left to Litestream. */
const REPLICATED = join(t.testdir(), 'replicated.db')

/** The value of a variable, the other variables it needs, and a check that it has an effect. */
interface Case {
  settings: Record<string, string>
  /** Whether other variables would interfere. */
  alone?: boolean
  /** The only mode that supports it. */
  only?: Mode
  show: (t: Test, service: Service, mode: Mode) => Promise<unknown>
}

interface Options {
  body?: object
  headers?: Record<string, string>
}

/** Sends a request; with a body, as a POST. */
const ask = ({ port }: Service, path: string, { body, headers }: Options = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })

const signIn = (service: Service, headers: Record<string, string> = {}) =>
  ask(service, '/api/session', { body: ADMIN, headers })

/** The headers that carry the admin's session. */
async function session(t: Test, service: Service) {
  const headers = await signedIn(service)
  t.not(headers.cookie, '')
  return headers
}

/** Attaches files of some size to an item. @returns the status of each */
async function attaching(t: Test, service: Service) {
  const headers = await session(t, service)
  const idOf = async (path: string, body: object) =>
    ((await (await ask(service, path, { headers, body })).json()) as { id: string }).id
  const project = await idOf('/api/projects', { name: 'Apollo' })
  const item = await idOf(`/api/projects/${project}/kanban-items`, { title: 'Card' })
  const url = `http://127.0.0.1:${service.port}/api/kanban-items/${item}/attachments?name=x`
  return async (size: number) =>
    (await fetch(url, { method: 'POST', headers, body: 'x'.repeat(size) })).status
}

const signedIn = async (service: Service) => ({
  cookie: (await signIn(service)).headers.get('set-cookie')?.split(';', 1)[0] ?? '',
})

/** A port below those that the system assigns to sockets without one. */
async function freePort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer().listen(port, '0.0.0.0')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    server.close()
    if (isFree) return String(port)
  }
}

/** The response to a sign-in. */
const provider = await provide(t)
// Not the admin's account: linking it would end the password that other cases use.
provider.account = { ...provider.account, sub: 'cleo-7', email: 'cleo@example.test', groups: ['viewer'] }

/** The URL of the provider's sign-in, with the browser's cookie. */
async function beginAtProvider({ port }: Service) {
  const response = await fetch(`http://127.0.0.1:${port}/api/session/oidc`, { redirect: 'manual' })
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  return { page: new URL(response.headers.get('location') ?? ''), cookie }
}

async function signInAtProvider(service: Service) {
  const { page, cookie } = await beginAtProvider(service)
  const back = comeBack(page).replace(/^https:\/\/board.example/, `http://127.0.0.1:${service.port}`)
  const response = await fetch(back, { redirect: 'manual', headers: { cookie } })
  const [, session] = response.headers.getSetCookie()
  const whoAmI = await ask(service, '/api/session', { headers: { cookie: `${session?.split(';', 1)}` } })
  return whoAmI.json()
}

const mailServer = await receiveMail(t)
const MAIL = { SMTP_URL: mailServer.url, MAIL_FROM: 'Board <board@example.org>' }

/** The test mail that the admin gets. */
async function testMail(service: Service) {
  const { length } = mailServer.received
  const response = await ask(service, '/api/me/preferences/test-mail', {
    headers: await signedIn(service),
    body: {},
  })
  return { answer: await response.json(), mail: mailServer.received[length] }
}

/** Every variable in the table of docs/configuration.md. A new one needs a case here. */
const CASES: Record<string, Case> = {
  HOST: {
    settings: { HOST: '0.0.0.0' },
    show: async (t, service) => t.equal((await ask(service, '/healthz')).status, 200),
  },
  PORT: {
    settings: { PORT: await freePort() },
    show: async (t, { port }) => t.equal(port, Number(CASES.PORT?.settings.PORT)),
  },
  DATABASE_URL: {
    settings: { DATABASE_URL: ':memory:' },
    alone: true,
    show: async (t, service) => t.equal((await ask(service, '/readyz')).status, 200),
  },
  WAL_CHECKPOINTS: {
    settings: { WAL_CHECKPOINTS: 'litestream', DATABASE_URL: `file:${REPLICATED}` },
    alone: true,
    show: async (t, service) => {
      const headers = await session(t, service)
      // Each adds some 600 KB to the log, including changes. The service's own checkpoints would restart the log at 16
      // MB.
      const body = { name: 'large', description: '木'.repeat(100_000) }
      for (let count = 0; count < 40; count += 1)
        t.equal((await ask(service, '/api/projects', { headers, body })).status, 201)
      t.ok(statSync(`${REPLICATED}-wal`).size > 20_000_000)
    },
  },
  AUTH_MODE: {
    settings: {},
    show: async (t, service, mode) =>
      t.equal((await ask(service, '/api/projects')).status, mode === 'open' ? 200 : 401),
  },
  AUTH_PROXY_HEADER: {
    settings: { AUTH_PROXY_HEADER: 'X-Forwarded-Email', TRUST_PROXY: '127.0.0.1' },
    only: 'required',
    show: async (t, service) => {
      const response = await ask(service, '/api/session', { headers: { 'x-forwarded-email': ADMIN.email } })
      t.match(await response.json(), { member: { role: 'admin' }, via: 'proxy' })
    },
  },
  DEFAULT_MEMBER_ID: {
    settings: { DEFAULT_MEMBER_ID: 'us' },
    show: async (t, service, mode) => {
      const response = await ask(service, '/api/session')
      if (mode === 'open') t.match(await response.json(), { member: { id: 'us' }, via: 'default' })
      else t.equal(response.status, 401)
    },
  },
  ADMIN_EMAIL: {
    settings: {},
    show: async (t, service) => {
      const headers = await session(t, service)
      const response = await ask(service, '/api/session', { headers })
      t.match(await response.json(), { member: { email: ADMIN.email, role: 'admin' } })
    },
  },
  ADMIN_PASSWORD: {
    settings: {},
    show: async (t, service) => {
      const body = { ...ADMIN, password: 'another horse' }
      t.equal((await ask(service, '/api/session', { body })).status, 401)
      t.equal((await signIn(service)).status, 201)
    },
  },
  LOG_LEVEL: {
    settings: { LOG_LEVEL: 'debug' },
    show: async (t, service) => {
      await ask(service, '/api/projects')
      t.ok(await service.logged(/"level":20,.*\/api\/projects/), 'a line for the request')
    },
  },
  BODY_LIMIT: {
    settings: { BODY_LIMIT: '200' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const ofSize = (size: number) =>
        ask(service, '/api/projects', { headers, body: { name: 'x'.repeat(size) } })
      t.equal((await ofSize(10)).status, 201)
      t.equal((await ofSize(200)).status, 413)
    },
  },
  IMPORT_LIMIT: {
    settings: { IMPORT_LIMIT: '200' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const ofSize = (size: number) =>
        ask(service, '/api/imports?format=trello', { headers, body: { name: 'x'.repeat(size) } })
      t.equal((await ofSize(10)).status, 202)
      t.equal((await ofSize(200)).status, 413)
    },
  },
  ATTACHMENT_LIMIT: {
    settings: { ATTACHMENT_LIMIT: '200' },
    show: async (t, service) => {
      const statusOf = await attaching(t, service)
      t.equal(await statusOf(200), 201)
      t.equal(await statusOf(201), 413)
    },
  },
  ATTACHMENTS_TOTAL: {
    settings: { ATTACHMENTS_TOTAL: '700' },
    show: async (t, service) => {
      const statusOf = await attaching(t, service)
      // Each is another file. Other cases may have stored some.
      const statuses = [await statusOf(199), await statusOf(198), await statusOf(197), await statusOf(196)]
      t.equal(statuses[0], 201)
      t.equal(statuses[3], 507)
    },
  },
  IMPORT_RECORDS: {
    settings: { IMPORT_RECORDS: '3' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const board = (cards: object[]) => ({ id: `b${cards.length}`, name: 'Board', lists: [], cards })
      const errorOf = async (cards: object[]) => {
        const begun = await ask(service, '/api/imports?format=trello', { headers, body: board(cards) })
        const { id } = (await begun.json()) as { id: string }
        for (;;) {
          const state = await ask(service, `/api/imports/${id}`, { headers })
          const found = (await state.json()) as { status: string; error?: string }
          if (found.status === 'done' || found.status === 'failed') return found.error
          await sleep(100)
        }
      }
      t.equal(await errorOf([{ id: 'one', name: 'One' }]), undefined)
      t.match(await errorOf([{ id: 'one' }, { id: 'two' }]), /has 4 records, and one import may create 3/)
    },
  },
  TRUST_PROXY: {
    settings: { TRUST_PROXY: 'true' },
    alone: true,
    only: 'required',
    show: async (t, service) => {
      const response = await signIn(service, { 'x-forwarded-proto': 'https' })
      t.match(response.headers.get('set-cookie'), /; Secure/)
    },
  },
  CORS_ORIGIN: {
    settings: { CORS_ORIGIN: ORIGIN },
    show: async (t, service) => {
      const response = await signIn(service, { origin: ORIGIN })
      t.equal(response.status, 201)
      t.equal(response.headers.get('access-control-allow-origin'), ORIGIN)
      t.equal(response.headers.get('access-control-allow-credentials'), 'true')
      const { headers } = await ask(service, '/api/projects', { headers: { origin: 'https://evil.example' } })
      t.equal(headers.get('access-control-allow-origin'), null)
    },
  },
  PUBLIC_URL: {
    settings: { PUBLIC_URL: 'https://board.example/tools' },
    show: async (t, service) => {
      const response = await ask(service, '/api/invitations', {
        headers: await session(t, service),
        body: { role: 'viewer' },
      })
      t.match(await response.json(), { url: /^https:\/\/board\.example\/tools\/link#/ })
    },
  },
  RATE_LIMIT_MAX: {
    settings: { RATE_LIMIT_MAX: '3' },
    alone: true,
    show: async (t, service) => {
      await session(t, service)
      const statuses = []
      for (let request = 2; request <= 5; request++)
        statuses.push((await ask(service, '/api/projects')).status)
      t.strictSame(statuses.slice(2), [429, 429])
    },
  },
  SNAPSHOT_CACHE_BYTES: {
    settings: { SNAPSHOT_CACHE_BYTES: '0' },
    show: async (t, service) => {
      const headers = await session(t, service)
      await ask(service, '/api/projects', { headers, body: { name: 'Apollo' } })
      for (const _time of [1, 2]) {
        const response = await ask(service, '/api/projects', { headers })
        t.match(JSON.stringify(await response.json()), 'Apollo')
      }
    },
  },
  MAX_CONNECTIONS: {
    settings: { MAX_CONNECTIONS: '3' },
    alone: true,
    show: async (t, { port }) => {
      const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'))
      t.teardown(() => {
        for (const socket of sockets) socket.destroy()
      })
      const [first] = await Promise.race(sockets.map(async (socket) => [socket, await once(socket, 'close')]))
      t.ok(first, 'one too many is closed')
    },
  },
  AUDIT_KEEP_DAYS: {
    settings: { AUDIT_KEEP_DAYS: '1' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const response = await ask(service, '/api/audit-log', { headers })
      t.match(await response.json(), [{ action: 'sign-in' }], 'what is younger is kept')
    },
  },
  NOTIFICATIONS_KEEP_DAYS: {
    settings: { NOTIFICATIONS_KEEP_DAYS: '1' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const response = await ask(service, '/api/notifications', { headers })
      t.strictSame(await response.json(), [], 'there is nothing yet')
    },
  },
  CHANGES_KEEP_DAYS: {
    settings: { CHANGES_KEEP_DAYS: '1' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const response = await ask(service, '/api/changes', { headers })
      t.match(await response.json(), { changes: [{ seq: 1, kind: 'member' }] }, 'what is younger is kept')
    },
  },
  STREAMS_MAX: {
    settings: { STREAMS_MAX: '1' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const first = await ask(service, '/api/changes/stream', { headers })
      t.equal(first.status, 200)
      const second = await ask(service, '/api/changes/stream', { headers })
      t.equal(second.status, 503)
      t.match(second.headers.get('retry-after'), /^\d+$/)
      await Promise.all([first, second].map(({ body }) => body?.cancel()))
    },
  },
  WEBHOOK_ALLOW_PRIVATE: {
    settings: { WEBHOOK_ALLOW_PRIVATE: 'true' },
    show: async (t, service) => {
      const headers = await session(t, service)
      const receiver = await receive(t)
      const created = await ask(service, '/api/webhooks', { headers, body: { url: receiver.url } })
      t.equal(created.status, 201)
      const { id } = (await created.json()) as { id: string }
      const tested = await ask(service, `/api/webhooks/${id}/test`, { headers, body: {} })
      t.match(await tested.json(), { status: 204, error: null })
    },
  },
  METRICS_PUBLIC: {
    settings: { METRICS_PUBLIC: 'true' },
    show: async (t, service) => {
      const response = await ask(service, '/metrics')
      t.equal(response.status, 200)
      t.match(await response.text(), /^phaseboard_build_info\{/m)
    },
  },
  WEB_BOARD: {
    settings: { WEB_BOARD: 'false' },
    show: async (t, service) => t.equal((await ask(service, '/')).status, 404),
  },
  SHARE_LINKS: {
    settings: { SHARE_LINKS: 'false' },
    show: async (t, service) => {
      t.strictSame(await (await ask(service, '/api/shared/x')).json(), { error: 'Not found' })
      t.equal((await ask(service, '/shared/x')).status, 404)
    },
  },
  OIDC_ISSUER: {
    settings: { OIDC_ISSUER: provider.issuer },
    show: async (t, service) => t.equal((await beginAtProvider(service)).page.origin, provider.issuer),
  },
  OIDC_CLIENT_ID: {
    settings: { OIDC_CLIENT_ID: CLIENT.oidcClientId },
    show: async (t, service) =>
      t.equal((await beginAtProvider(service)).page.searchParams.get('client_id'), CLIENT.oidcClientId),
  },
  OIDC_CLIENT_SECRET: {
    settings: { OIDC_CLIENT_SECRET: CLIENT.oidcClientSecret },
    show: async (t, service) => {
      await signInAtProvider(service)
      t.equal(provider.redeemed.at(-1)?.secret, CLIENT.oidcClientSecret)
    },
  },
  OIDC_REDIRECT_URL: {
    settings: { OIDC_REDIRECT_URL: 'https://board.example/api/session/oidc/callback' },
    show: async (t, service) => {
      const { page } = await beginAtProvider(service)
      t.equal(page.searchParams.get('redirect_uri'), 'https://board.example/api/session/oidc/callback')
    },
  },
  OIDC_SCOPE: {
    settings: { OIDC_SCOPE: 'openid email groups' },
    show: async (t, service) =>
      t.equal((await beginAtProvider(service)).page.searchParams.get('scope'), 'openid email groups'),
  },
  OIDC_SIGN_UP: {
    settings: { OIDC_SIGN_UP: 'true' },
    show: async (t, service) => {
      provider.account = { ...provider.account, sub: 'bob-8', email: 'bob@example.test' }
      t.match(await signInAtProvider(service), { member: { email: 'bob@example.test' }, via: 'session' })
    },
  },
  OIDC_EMAIL_VERIFIED: {
    settings: { OIDC_EMAIL_VERIFIED: 'trust' },
    show: async (t, service) => {
      provider.account = {
        ...provider.account,
        sub: 'dan-9',
        email: 'dan@example.test',
        email_verified: false,
      }
      t.match(await signInAtProvider(service), { member: { email: 'dan@example.test' }, via: 'session' })
    },
  },
  OIDC_ROLE_CLAIM: {
    settings: { OIDC_ROLE_CLAIM: 'groups' },
    show: async (t, service) => t.match(await signInAtProvider(service), { member: { role: 'viewer' } }),
  },
  SMTP_URL: {
    settings: MAIL,
    show: async (t, service) =>
      t.match(await testMail(service), { answer: { error: null }, mail: { to: ADMIN.email } }),
  },
  MAIL_FROM: {
    settings: MAIL,
    show: async (t, service) =>
      t.match((await testMail(service)).mail?.headers, { from: 'Board <board@example.org>' }),
  },
}

t.test('each variable of the configuration has a case', async (t) => {
  const [, table = ''] = /## Variables\n(.*?)\n## /s.exec(readFileSync('docs/configuration.md', 'utf8')) ?? []
  const documented = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/\b[A-Z_]+\b/g) ?? [],
  )
  t.strictSame(Object.keys(CASES), documented)
})

for (const mode of MODES) {
  const all = Object.entries(CASES).filter(([, { only = mode }]) => only === mode)
  const together = all.filter(([, { alone }]) => !alone)
  const groups = [together, ...all.filter(([, { alone }]) => alone).map((one) => [one])]
  for (const group of groups) {
    const variables = group.length > 1 ? 'all that go together' : group[0]?.[0]
    t.test(`in ${mode} mode these variables have an effect: ${variables}`, async (t) => {
      const given = {
        AUTH_MODE: mode,
        ADMIN_EMAIL: ADMIN.email,
        ADMIN_PASSWORD: ADMIN.password,
        // More than all cases send within a minute. How often one polls an import depends on the machine.
        RATE_LIMIT_MAX: '6000',
      }
      const settings = Object.assign({}, ...group.map(([, { settings }]) => settings))
      const service = await start(t, { ...onPreparedFile(t.testdir()), ...given, ...settings })
      for (const [variable, { show }] of group) await t.test(variable, (t) => show(t, service, mode))
      service.kill('SIGTERM')
      t.match(await service.exited, { code: 0, stderr: '' })
      t.notMatch(service.log(), /"level":(50|60)/)
    })
  }
}
