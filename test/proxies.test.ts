/** The service behind the proxies, with the shipped configurations. */
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { connectStream, type StreamEvent } from './event-source.ts'
import { onNewFile, type Service, start } from './process.ts'
import {
  bareNginx,
  caddyAtRoot,
  caddyBelowPath,
  nginxAtRoot,
  nginxBelowPath,
  noCaddy,
  noNginx,
} from './reverse-proxies.ts'

const ADMIN = { email: 'ada@example.test', password: 'correct horse' }
const PROXIES = [
  ['nginx', nginxAtRoot, noNginx],
  ['nginx below a path', nginxBelowPath, noNginx],
  ['Caddy', caddyAtRoot, noCaddy],
  ['Caddy below a path', caddyBelowPath, noCaddy],
] as const

const startService = (t: Test, environment: Record<string, string>): Promise<Service> =>
  start(t, { ...onNewFile(t), ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, ...environment })

const json = { 'content-type': 'application/json' }
const create = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/projects`, { method: 'POST', headers: { ...json, ...headers }, body: '{"name":"x"}' })

/** A large Trello export, uncompressed. */
const TRELLO = JSON.stringify({
  id: 'board',
  name: 'Imported',
  lists: [{ id: 'list', name: 'To Do', pos: 1, closed: false }],
  cards: Array.from({ length: 400 }, (_, index) => ({
    id: `card-${index}`,
    idList: 'list',
    name: `Card ${index}`,
    desc: 'x'.repeat(8000),
    pos: index,
    closed: false,
  })),
})

for (const [name, behind, missing] of PROXIES) {
  t.test(`${name}: in required mode everything works`, { skip: missing }, async (t) => {
    const service = await startService(t, { AUTH_MODE: 'required', TRUST_PROXY: '127.0.0.1' })
    const url = await behind(t, service.port)
    const { origin } = new URL(url)
    t.equal((await fetch(`${url}/healthz`)).status, 200)
    const page = await fetch(`${url}/`)
    t.match(page.headers.get('content-type'), 'text/html')
    t.equal((await create(url)).status, 401)
    t.equal((await fetch(`${url}/api/projects`)).status, 401)

    const session = await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { ...json, origin },
      body: JSON.stringify(ADMIN),
    })
    t.equal(session.status, 201)
    const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const foreign = await create(url, { cookie, origin: 'https://evil.example' })
    t.equal(foreign.status, 403)
    const made = await create(url, { cookie, origin })
    t.equal(made.status, 201)
    const { id } = (await made.json()) as { id: string }
    const location = new URL(made.headers.get('location') ?? '', made.url).href
    t.equal(location, `${url}/api/projects/${id}`)
    t.match(await (await fetch(location, { headers: { cookie } })).json(), { id })

    const events: StreamEvent[] = []
    const stream = await connectStream(`${url}/api/changes/stream`, (event) => events.push(event), {
      headers: { cookie },
    })
    t.teardown(stream.close)
    const item = await fetch(`${url}/api/projects/${id}/kanban-items`, {
      method: 'POST',
      headers: { ...json, cookie, origin },
      body: '{"title":"Card"}',
    })
    t.equal(item.status, 201)
    while (!events.some(({ data }) => data.includes('"Card"'))) await sleep(20)
    stream.close()

    const upload = await fetch(`${url}/api/imports?format=trello`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', cookie, origin },
      body: TRELLO,
    })
    t.equal(upload.status, 202, await upload.clone().text())
    const place = new URL(upload.headers.get('location') ?? '', upload.url)
    for (;;) {
      const state = (await (await fetch(place, { headers: { cookie } })).json()) as { status: string }
      if (state.status === 'done') break
      if (state.status === 'failed') throw new Error(JSON.stringify(state))
      await sleep(100)
    }

    const token = (await (
      await fetch(`${url}/api/tokens`, {
        method: 'POST',
        headers: { ...json, cookie, origin },
        body: '{"name":"Agent","scope":"write"}',
      })
    ).json()) as { token: string }
    const tools = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...json,
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token.token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    t.equal(tools.status, 200)
    t.match(await tools.text(), 'read_board')
  })

  t.test(`${name}: in open mode a credential is needed`, { skip: missing }, async (t) => {
    const service = await startService(t, { AUTH_MODE: 'open', CORS_ORIGIN: 'https://board.acme.example' })
    const url = await behind(t, service.port)
    const refused = await create(url)
    t.equal(refused.status, 401)
    t.match(await refused.json(), { error: /set AUTH_MODE=required$/ })
    t.equal((await fetch(`${url}/api/projects`)).status, 401)
    t.equal((await create(service.url)).status, 201, 'who comes from this machine gets in')
  })
}

t.test('nginx works without any setting, and with common ones', { skip: noNginx }, async (t) => {
  const service = await startService(t, { AUTH_MODE: 'open', CORS_ORIGIN: 'https://board.acme.example' })
  for (const settings of [
    '',
    'proxy_set_header Host $host;',
    'proxy_http_version 1.1; proxy_set_header X-Real-IP $remote_addr;',
    'proxy_http_version 1.1; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    'proxy_http_version 1.1; proxy_set_header Host board.acme.example;',
  ]) {
    await t.test(settings || 'none', async (t) => {
      const url = await bareNginx(t, service.port, settings)
      t.equal((await create(url)).status, 401)
      t.equal((await fetch(`${url}/api/projects`)).status, 401)
      t.equal((await fetch(`${url}/healthz`)).status, 200)
    })
  }
})

t.test('two proxies, of which only the first has HTTPS', { skip: noNginx }, async (t) => {
  const signIn = (url: string, origin: string) =>
    fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { ...json, origin },
      body: JSON.stringify(ADMIN),
    })
  await t.test('each of which says how it was reached', async (t) => {
    const service = await startService(t, { AUTH_MODE: 'required', TRUST_PROXY: '127.0.0.1' })
    const others = 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'
    const inner = await bareNginx(
      t,
      service.port,
      `${others} proxy_set_header X-Forwarded-Proto "$http_x_forwarded_proto, $scheme";`,
    )
    const outer = await bareNginx(
      t,
      Number(new URL(inner).port),
      `${others} proxy_set_header X-Forwarded-Proto https; proxy_set_header X-Forwarded-Host board.example;`,
    )
    const session = await signIn(outer, 'https://board.example')
    t.equal(session.status, 201)
    t.match(session.headers.get('set-cookie'), '; Secure')
    t.equal(session.headers.get('strict-transport-security'), 'max-age=31536000')
    const refused = await signIn(outer, 'http://board.example')
    t.match(await refused.json(), { error: /cross-origin request: expected https:\/\/board\.example;/ })
  })
  await t.test('neither of which says anything, with PUBLIC_URL', async (t) => {
    const service = await startService(t, { AUTH_MODE: 'required', PUBLIC_URL: 'https://board.example' })
    const outer = await bareNginx(t, Number(new URL(await bareNginx(t, service.port)).port))
    const session = await signIn(outer, 'https://board.example')
    t.equal(session.status, 201)
    t.match(session.headers.get('set-cookie'), '; Secure')
    t.equal((await signIn(outer, 'https://evil.example')).status, 403)
  })
})
