/** The origin at which browsers reach the service, behind any number of proxies, and refusals that say what was expected. */
import t from 'tap'
import { build, crossOriginFrom, keepLog, send, signInAs } from '../helper.ts'

type Headers = Record<string, string>

const PUBLIC = 'https://board.example'

/** What a sign-in through proxies, and a link made through them, say of the service's origin. */
async function reached(app: Awaited<ReturnType<typeof build>>, headers: Headers) {
  const { headers: session } = signInAs(app, 'admin')
  const invited = await send(app, 'POST', '/api/invitations', { role: 'member' }, { ...session, ...headers })
  const { headers: answered } = await send(app, 'GET', '/api/session', undefined, {
    cookie: 'phaseboard_session=gone',
    ...headers,
  })
  return [new URL(invited.body.url).origin, /; Secure/i.test(String(answered['set-cookie']))]
}

t.test(
  'each of several proxies may append what it was reached by: the first of the trusted ones counts',
  async (t) => {
    const both = { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'board.example, inner:8080' }
    const forged = { 'x-forwarded-proto': 'http, https', 'x-forwarded-host': 'evil.example, board.example' }
    const all = await build(t, { authMode: 'required', trustProxy: true })
    t.strictSame(await reached(all, both), [PUBLIC, true])
    t.strictSame(await reached(all, { 'x-forwarded-proto': 'http,https' }), ['http://localhost', false])

    const some = await build(t, { authMode: 'required', trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
    t.strictSame(await reached(some, both), [PUBLIC, true])
    t.strictSame(await reached(some, { ...both, 'x-forwarded-for': '192.0.2.1, 10.0.0.1' }), [PUBLIC, true])
    t.strictSame(
      await reached(some, { ...both, 'x-forwarded-for': '10.0.0.2, 10.0.0.1' }),
      [PUBLIC, true],
      'from inside',
    )
    const one = { ...forged, 'x-forwarded-for': '192.0.2.1' }
    t.strictSame(
      await reached(some, one),
      [PUBLIC, true],
      'what comes before the proxies is the client’s own',
    )

    const others = await build(t, { authMode: 'required', trustProxy: ['10.0.0.1'] })
    t.strictSame(
      await reached(others, both),
      ['http://localhost', false],
      'those of any other sender do not count',
    )
  },
)

t.test('the origin of PUBLIC_URL is the own one, whatever host name arrives', async (t) => {
  const app = await build(t, {
    authMode: 'required',
    publicUrl: `${PUBLIC}/board`,
    trustProxy: ['127.0.0.1'],
  })
  const { headers: session } = signInAs(app, 'member')
  const create = (headers: Headers) =>
    send(app, 'POST', '/api/projects', { name: 'x' }, { ...session, ...headers })
  for (const host of ['127.0.0.1:3000', 'phaseboard:3000', 'board.example']) {
    t.equal((await create({ host, origin: PUBLIC })).status, 201, host)
  }
  t.equal(
    (await create({ host: 'nas.example', origin: 'http://nas.example' })).status,
    201,
    'others stay possible',
  )
  t.match(await create({ host: 'phaseboard:3000', origin: 'https://evil.example' }), { status: 403 })

  const isSecure = async (headers: Headers) => (await reached(app, headers))[1]
  t.equal(await isSecure({ host: 'board.example' }), true, 'a proxy that says nothing but the name')
  t.equal(
    await isSecure({ host: 'phaseboard:3000', 'x-forwarded-for': '192.0.2.1' }),
    true,
    'or not even that',
  )
  t.equal(await isSecure({ host: 'nas.example' }), false)
  t.equal(await isSecure({ host: 'nas.example', 'x-forwarded-proto': 'http' }), false)
})

t.test('a refusal for its origin names the expected one, and the settings', async (t) => {
  const { logStream, lines } = keepLog()
  const logged = () => lines.splice(0).map((line) => JSON.parse(line))
  const app = await build(t, { authMode: 'required', publicUrl: PUBLIC, logStream, logLevel: 'warn' })
  const { headers } = signInAs(app, 'member')
  const evil = { ...headers, host: 'inner:8080', origin: 'https://evil.example', 'x-forwarded-proto': 'http' }
  t.match(await send(app, 'POST', '/api/projects', { name: 'x' }, evil), {
    status: 403,
    body: crossOriginFrom(PUBLIC),
  })
  t.match(logged(), [
    {
      expected: PUBLIC,
      host: 'inner:8080',
      'x-forwarded-proto': 'http',
      msg: /PUBLIC_URL, or TRUST_PROXY/,
    },
  ])

  const open = await build(t, { publicUrl: PUBLIC, logStream, logLevel: 'warn' })
  logged()
  for (const url of ['/openapi.json', '/api/projects']) {
    const { status, body } = await send(open, 'GET', url, undefined, { host: 'evil.example' })
    t.equal(status, 403)
    t.match(
      body.error,
      /host name is neither local nor that of PUBLIC_URL or CORS_ORIGIN: expected https:\/\/board\.example$/,
    )
    t.match(logged(), [{ expected: PUBLIC, host: 'evil.example', msg: /set PUBLIC_URL/ }])
  }
  const known = (url: string) => send(open, 'GET', url, undefined, { host: 'board.example' })
  t.equal((await known('/openapi.json')).status, 200)
  t.match(await known('/api/projects'), { status: 401, body: { error: /came through a proxy/ } })
})
