import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eq } from 'drizzle-orm'
import type { JWTPayload } from 'jose'
import OidcProvider from 'oidc-provider'
import t, { type Test } from 'tap'
import { memberIdentities, members } from '../../src/db/schema.ts'
import type { Config } from '../../src/phaseboard.d.ts'
import { type App, auditTrail, build, count, keepLog, send, signInAs } from '../helper.ts'
import { CLIENT, comeBack, type Provider, provide } from '../openid-provider.ts'
import { shipped } from '../shipped.ts'

const BEGIN = '/api/session/oidc'
const failed = { error: 'Sign-in failed' }
const noMember = { error: 'Forbidden: no member has this account' }

/** A service with a provider that the test controls. */
async function setUp(t: Test, options: Partial<Config> = {}) {
  const provider = await provide(t)
  const app = await build(
    t,
    { ...CLIENT, oidcIssuer: provider.issuer, oidcSignUp: true, authMode: 'required', ...options },
    shipped.buildApp as never,
  )
  return { app, provider }
}

/** The cookies that a response sets, without cleared ones, as a browser sends them. */
const cookiesOf = (headers: Record<string, unknown>) =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';', 1)[0] as string)
    .filter((cookie) => !cookie.endsWith('='))
    .join('; ')

/** Starts a sign-in. @returns the provider's page, and the browser's cookie */
async function begin(app: App, returnTo?: string) {
  const query = returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`
  const { status, headers } = await send(app, 'GET', `${BEGIN}${query}`)
  if (status !== 302) throw new Error(`${status}`)
  return { page: String(headers.location), cookie: cookiesOf(headers) }
}

/** Returns from the provider's page. */
async function end(app: App, url: string, cookie: string) {
  const { pathname, search } = new URL(url)
  return send(app, 'GET', `${pathname}${search}`, undefined, cookie ? { cookie } : {})
}

async function signIn(app: App, changes: Record<string, string | undefined> = {}) {
  const { page, cookie } = await begin(app)
  return end(app, comeBack(page, changes), cookie)
}

const memberOf = (app: App, email: string) =>
  app.db.select().from(members).where(eq(members.email, email)).get()

t.test('the first sign-in creates a member, and every one a session', async (t) => {
  const { app, provider } = await setUp(t)
  const { page, cookie } = await begin(app, '/projects/7?x=1')
  const { searchParams } = new URL(page)
  t.match(Object.fromEntries(searchParams), {
    response_type: 'code',
    client_id: CLIENT.oidcClientId,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{43}$/,
    nonce: /^[\w-]{43}$/,
    redirect_uri: /\/api\/session\/oidc\/callback$/,
  })
  t.notMatch(cookie, searchParams.get('state'), 'what the browser keeps says nothing')
  const first = await end(app, comeBack(page), cookie)
  t.match(first, { status: 302, headers: { location: '/projects/7?x=1', 'cache-control': 'no-store' } })
  t.match(provider.redeemed, [{ verifier: /^[\w-]{43}$/ }])
  const session = cookiesOf(first.headers)
  t.match(session, /^phaseboard_session=[\w-]+$/, 'the sign-in is not kept any longer')
  const { body } = await send(app, 'GET', '/api/session', undefined, { cookie: session })
  t.match(body, { member: { name: 'Ada', email: 'ada@example.test', role: 'member' }, via: 'session' })
  t.match(auditTrail(app).slice(-3), [
    [null, 'member-created', body.member.id, { role: 'member' }],
    [null, 'account-linked', body.member.id, { issuer: provider.issuer, subject: 'ada-7' }],
    [body.member.id, 'sign-in', String, { issuer: provider.issuer }],
  ])
  const named = app.db.$client.prepare('select action, actor, subject from audit_log order by id').raw().all()
  t.strictSame(named.slice(-3), [
    ['member-created', 'service', 'Ada'],
    ['account-linked', 'service', 'Ada'],
    ['sign-in', 'Ada', 'Ada'],
  ])
  provider.account = { sub: 'ada-7', email: 'countess@example.test', email_verified: true, name: 'Countess' }
  const again = await signIn(app)
  t.equal(again.headers.location, '/')
  t.equal(memberOf(app, 'countess@example.test'), undefined, 'the account counts, not its email')
  t.equal(count(app, 'member_identities'), 1)
})

t.test("a sign-in ends the browser's earlier session", async (t) => {
  const { app } = await setUp(t)
  const { token } = signInAs(app, 'viewer')
  const { page, cookie } = await begin(app)
  const { status } = await end(app, comeBack(page), `${cookie}; phaseboard_session=${token}`)
  t.equal(status, 302)
  t.equal(count(app, 'sessions'), 1)
  const late = await send(app, 'GET', '/api/session', undefined, { cookie: `phaseboard_session=${token}` })
  t.strictSame(
    [late.status, late.headers['set-cookie']],
    [401, undefined],
    'a late response keeps the new cookie',
  )
})

t.test('an account is linked to the member with its verified email', async (t) => {
  const { app, provider } = await setUp(t, { oidcSignUp: false })
  t.match(await signIn(app), { status: 403, body: noMember }, 'nobody has it')
  app.db
    .insert(members)
    .values({ id: 'ada', name: 'Ada L.', email: 'Ada@Example.test', role: 'viewer' })
    .run()
  provider.account = { ...provider.account, email_verified: 'true' }
  t.match(
    await signIn(app),
    { status: 403, body: { error: /email_verified as "true"/ } },
    'anybody can say so',
  )
  provider.account = { ...provider.account, email_verified: true }
  t.equal((await signIn(app)).status, 302)
  t.match(app.db.select().from(memberIdentities).all(), [{ memberId: 'ada', subject: 'ada-7' }])
  provider.account = { sub: 'bob-8', email: 'bob@example.test', email_verified: true }
  t.match(await signIn(app), { status: 403, body: noMember })
})

t.test('emails that differ beyond the case of ASCII letters are not linked', async (t) => {
  const { app, provider } = await setUp(t)
  for (const [id, email] of [
    ['kate', 'kate@example.test'],
    ['åsa', 'Åsa@example.test'],
  ] as const)
    app.db.insert(members).values({ id, name: id, email }).run()
  for (const email of ['\u212aate@example.test', 'åsa@example.test', '\u212bsa@example.test']) {
    provider.account = { sub: 'x', email, email_verified: true }
    t.match(await signIn(app), { status: 403, body: noMember }, `${email}, and nobody else can have it`)
  }
  provider.account = { sub: 'x', email: 'ÅSA@Example.test', email_verified: true }
  t.equal((await signIn(app)).status, 302)
  t.match(app.db.select().from(memberIdentities).all(), [{ memberId: 'åsa', subject: 'x' }])
})

t.test('an email is verified by its own source, the ID token or the userinfo', async (t) => {
  const { app, provider } = await setUp(t)
  const victim = 'victim@example.test'
  const own = 'own@example.test'
  app.db.insert(members).values({ id: 'victim', name: 'Victim', email: victim, role: 'admin' }).run()
  const cases: [token: object, userinfo: object, email: string | undefined][] = [
    [{ email: victim }, { email_verified: true }, undefined],
    [{ email_verified: true }, { email: victim }, undefined],
    [{ email: victim, email_verified: false }, { email: own, email_verified: true }, undefined],
    [{ email: victim }, { email: `a-${own}`, email_verified: true }, `a-${own}`],
    [{ email: `b-${own}`, email_verified: true }, { email: victim }, `b-${own}`],
    [{ email: `c-${own}`, email_verified: true }, { email: victim, email_verified: false }, `c-${own}`],
    [{}, { email: `d-${own}`, email_verified: true, name: 'Dora' }, `d-${own}`],
  ]
  for (const [index, [token, userinfo, email]] of cases.entries()) {
    const sub = `own-${index}`
    Object.assign(provider, { account: { sub, ...token }, userinfo: { sub, ...userinfo } })
    const { status, headers } = await signIn(app)
    t.equal(status, email === undefined ? 403 : 302, JSON.stringify([token, userinfo]))
    const { body } = await send(app, 'GET', '/api/session', undefined, { cookie: cookiesOf(headers) })
    t.equal(body.member?.email, email)
  }
  t.equal(memberOf(app, `d-${own}`)?.name, 'Dora')
  t.strictSame(
    app.db.select().from(memberIdentities).where(eq(memberIdentities.memberId, 'victim')).all(),
    [],
  )
  provider.userinfo = { sub: 'another', email: victim, email_verified: true }
  t.match(await signIn(app), { status: 401, body: failed }, 'the userinfo of another account')
})

t.test('linking ends all other credentials: the email may have been claimed by somebody else', async (t) => {
  const { app, provider } = await setUp(t, { oidcRoleClaim: 'groups' })
  const admin = signInAs(app, 'admin')
  const invited = await send(app, 'POST', '/api/invitations', { role: 'member' }, admin.headers)
  const claim = { name: 'Mallory', email: 'ada@example.test', password: 'correct horse battery' }
  const { body, headers } = await send(app, 'POST', '/api/session/link', {
    ...claim,
    token: invited.body.token,
  })
  const { id } = body.member
  const session = { cookie: cookiesOf(headers) }
  const token = (await send(app, 'POST', '/api/tokens', { name: 'CI', scope: 'write' }, session)).body
  const link = await send(app, 'POST', `/api/members/${id}/password-link`, undefined, admin.headers)
  provider.account = { ...provider.account, groups: 'admin' }
  const first = await signIn(app)
  const owner = { cookie: cookiesOf(first.headers) }
  const whoAmI = async (credential: Record<string, string>) => {
    const answer = await send(app, 'GET', '/api/session', undefined, credential)
    return answer.body.member?.role ?? answer.status
  }
  t.equal(await whoAmI(owner), 'admin')
  t.equal(await whoAmI(session), 401)
  t.equal(await whoAmI({ authorization: `Bearer ${token.token}` }), 401)
  const bySecret = { token: link.body.token, password: claim.password }
  t.equal((await send(app, 'POST', '/api/session/link', bySecret)).status, 401)
  const { email, password } = claim
  t.equal((await send(app, 'POST', '/api/session', { email, password })).status, 401)
  const about = [id, token.id]
  t.strictSame(
    auditTrail(app)
      .filter(([by, , subject]) => by === id && about.includes(subject as string))
      .slice(-4)
      .map(([, action, subject]) => [action, subject]),
    [
      ['password-link-revoked', id],
      ['password-reset', id],
      ['token-revoked', token.id],
      ['account-linked', id],
    ],
  )
  t.equal((await signIn(app)).status, 302)
  t.equal(await whoAmI(owner), 'admin', 'the account is linked only once')
})

t.test('an email that the provider gives to another account does not change the linked member', async (t) => {
  const { app, provider } = await setUp(t)
  t.equal((await signIn(app)).status, 302)
  provider.account = { ...provider.account, sub: 'somebody-else' }
  t.match(await signIn(app), { status: 403, body: noMember })
  t.equal(count(app, 'member_identities'), 1)
})

t.test('no member is created without a verified email', async (t) => {
  const { app, provider } = await setUp(t)
  const before = count(app, 'members')
  for (const account of [
    ...[
      `${'x'.repeat(300)}@example.test`,
      'x.example.test',
      'x@example.test\nBcc: y@example.test',
      'x\u0000@example.test',
      ' x@example.test',
      '\ud800@example.test',
      '',
    ].map((email) => ({ sub: 'x', email, email_verified: true })),
  ] as JWTPayload[]) {
    provider.account = account
    t.match(await signIn(app), { status: 403, body: noMember })
  }
  t.equal(count(app, 'members'), before)
  provider.account = { sub: 'y', email: 'y@example.test', email_verified: true, name: 'é'.repeat(300) }
  t.equal((await signIn(app)).status, 302)
  t.equal(memberOf(app, 'y@example.test')?.name, 'é'.repeat(200))
})

t.test('a new member has a name that can be shown', async (t) => {
  const { app, provider } = await setUp(t)
  const names: [given: unknown, name: string | undefined][] = [
    ['Ada\r\nBcc: x\u0000y\u2028z', 'Ada Bcc: x y z'],
    ['\ud800Ada\udc00', 'Ada'],
    ['ada@example.test', 'ada'],
    ['\u0000\n', undefined],
    ['\ud800', undefined],
    [7, undefined],
    [undefined, undefined],
    ['😀'.repeat(201), '😀'.repeat(200)],
  ]
  for (const [index, [name, expected]] of names.entries()) {
    const email = `${'e'.repeat(230)}${index}@example.test`
    provider.account = { sub: `name-${index}`, email, email_verified: true, name }
    t.equal((await signIn(app)).status, 302)
    t.equal(memberOf(app, email)?.name, expected ?? email.replace(/@.*/, '').slice(0, 200))
  }
  const email = `${'😀'.repeat(240)}@example.test`
  provider.account = { sub: 'long', email, email_verified: true, name: 'Long' }
  t.equal((await signIn(app)).status, 302, 'lengths count characters')
})

t.test('without email_verified the refusal names the claim, unless the provider is trusted', async (t) => {
  const { logStream, log } = keepLog()
  const { app, provider } = await setUp(t, { logStream, logLevel: 'warn' } as Partial<Config>)
  const claims: [claims: JWTPayload, problem: string][] = [
    [{ email: 'eve@example.test' }, 'the provider left out the claim email_verified'],
    [
      { email: 'eve@example.test', email_verified: false },
      'the provider sent the claim email_verified as false',
    ],
    [
      { email: 'eve@example.test', email_verified: 'true' },
      'the provider sent the claim email_verified as "true"',
    ],
    [{}, 'the provider sent no claim email'],
  ]
  for (const [account, problem] of claims) {
    provider.account = { sub: 'eve', name: 'Eve', ...account }
    const { page, cookie } = await begin(app)
    const { pathname, search } = new URL(comeBack(page))
    const { status, body } = await send(app, 'GET', `${pathname}${search}`, undefined, {
      cookie,
      accept: 'text/html',
    })
    t.equal(status, 403)
    const shown = problem.replaceAll('"', '&quot;')
    t.match(body, `${shown}, so no member has this account: see OIDC_EMAIL_VERIFIED`, 'the page')
    t.match(log(), JSON.stringify(problem), 'the log')
    const metadata = { issuer: provider.issuer, subject: 'eve', problem }
    t.strictSame(auditTrail(app).at(-1), [null, 'sign-in-failed', null, metadata], 'the audit log')
  }
  t.equal(memberOf(app, 'eve@example.test'), undefined)

  const { app: trusting, provider: trusted } = await setUp(t, { oidcEmailVerified: 'trust' })
  for (const [index, [account]] of claims.slice(0, 3).entries()) {
    trusted.account = { sub: `eve-${index}`, name: 'Eve', ...account, email: `eve-${index}@example.test` }
    t.equal((await signIn(trusting)).status, 302)
  }
  trusted.account = { sub: 'nobody', name: 'Nobody' }
  t.match(await signIn(trusting), { status: 403, body: { error: /sent no claim email,/ } })
})

t.test('an account stays with its member if its email becomes unusable', async (t) => {
  const { app, provider } = await setUp(t)
  t.equal((await signIn(app)).status, 302)
  provider.account = { ...provider.account, email: 'nomail' }
  t.equal((await signIn(app)).status, 302)
})

t.test('a disabled member is refused', async (t) => {
  const { app, provider } = await setUp(t)
  t.equal((await signIn(app)).status, 302)
  const { id } = memberOf(app, 'ada@example.test') ?? { id: '' }
  app.db.update(members).set({ disabled: true }).where(eq(members.id, id)).run()
  const open = count(app, 'sessions')
  t.match(await signIn(app), { status: 403, body: noMember }, 'by its account')
  provider.account = { ...provider.account, sub: 'another' }
  t.match(await signIn(app), { status: 403, body: noMember }, 'and by its email')
  t.equal(count(app, 'sessions'), open)
  t.equal(count(app, 'member_identities'), 1)
})

t.test('the role follows the claim, but the last admin remains one', async (t) => {
  const { app, provider } = await setUp(t, { oidcRoleClaim: 'groups' })
  const other = signInAs(app, 'admin')
  const roleAfter = async (groups: unknown) => {
    provider.account = { ...provider.account, groups }
    t.equal((await signIn(app)).status, 302)
    return memberOf(app, 'ada@example.test')?.role
  }
  t.equal(await roleAfter(['staff', 'viewer']), 'viewer')
  t.equal(await roleAfter(['viewer', 'admin', 'member']), 'admin', 'the highest')
  t.equal(await roleAfter('member'), 'member')
  t.equal(await roleAfter(undefined), 'member', 'the provider does not say')
  t.equal(await roleAfter(['owner', { admin: true }]), 'member', 'or nothing known')
  t.equal(await roleAfter('admin'), 'admin')
  t.equal(await roleAfter(['staff']), 'member', 'no admin without its word')
  t.equal(await roleAfter('viewer'), 'viewer')
  t.equal(await roleAfter([]), 'viewer', 'and nobody gains by its silence')
  t.equal(await roleAfter('admin'), 'admin')
  app.db.delete(members).where(eq(members.id, other.id)).run()
  t.equal(await roleAfter('viewer'), 'admin')
})

t.test('any invalid response is refused, and signs nobody in', async (t) => {
  const { app, provider } = await setUp(t)
  t.equal((await signIn(app)).status, 302)
  const open = count(app, 'sessions')
  const now = Math.floor(Date.now() / 1000)
  const tokens: Record<string, Partial<Provider>> = {
    'another issuer': { token: { iss: 'https://evil.example.test' } },
    'another audience': { token: { aud: 'another-client' } },
    'several audiences, authorized for another': {
      token: { aud: [CLIENT.oidcClientId, 'another'], azp: 'another' },
    },
    'an expired token': { token: { iat: now - 7200, exp: now - 3600 } },
    'the nonce of another sign-in': { token: { nonce: 'another' } },
    'another key': { isForged: true },
    'a code that the provider refuses': { status: 400 },
  }
  for (const [what, lie] of Object.entries(tokens)) {
    Object.assign(provider, { token: {}, isForged: false, status: 200 }, lie)
    t.match(await signIn(app), { status: 401, body: failed }, what)
  }
  t.equal(count(app, 'sessions'), open)
})

t.test('a subject is 1 to 255 ASCII characters', async (t) => {
  const { app, provider } = await setUp(t)
  const before = count(app, 'members')
  for (const sub of ['', 'x'.repeat(256), 'ada-\ud800', 'ada-7\n', 'ada\u00007', 7]) {
    provider.token = { sub: sub as string }
    t.match(await signIn(app), { status: 401, body: failed }, JSON.stringify(sub))
  }
  t.equal(count(app, 'members'), before)
  provider.token = { sub: `cn=Ada Lovelace,${'x'.repeat(239)}` }
  t.equal((await signIn(app)).status, 302)
})

t.test('some invalid callbacks are refused without asking the provider', async (t) => {
  const { app, provider } = await setUp(t)
  const queries: Record<string, Record<string, string>> = {
    'another state': { state: 'x'.repeat(43) },
    'mixed up issuers': { iss: 'https://evil.example.test' },
  }
  for (const [what, changes] of Object.entries(queries)) {
    t.match(await signIn(app, changes), { status: 401, body: failed }, what)
  }
  const { page, cookie } = await begin(app)
  const back = new URL(comeBack(page))
  for (const name of ['state', 'iss', 'code']) {
    const { page, cookie } = await begin(app)
    const less = new URL(comeBack(page))
    less.searchParams.delete(name)
    t.match(await end(app, less.href, cookie), { status: 401, body: failed }, `without ${name}`)
  }
  back.searchParams.append('state', 'x')
  t.match(await end(app, back.href, cookie), { status: 400 }, 'a state twice')
  t.strictSame(provider.redeemed, [])
  t.match(await signIn(app, { error: 'access_denied', code: undefined }), {
    status: 401,
    body: { error: 'Sign-in was refused by the provider' },
  })
  const url = `${new URL(comeBack(page)).pathname}?error=access_denied`
  for (const [method, accept] of [
    ['GET', 'text/html,*/*;q=0.8'],
    ['HEAD', 'text/html'],
    ['GET', 'text/html, application/problem+json'],
  ] as const) {
    const inBrowser = await app.inject({ method, url, headers: { accept } })
    t.match(inBrowser, { statusCode: 401, headers: { 'content-type': 'text/html; charset=utf-8' } })
    if (method === 'HEAD') continue
    t.equal(Number(inBrowser.headers['content-length']), inBrowser.body.length)
    t.match(inBrowser.body, /<p>Sign-in failed<\/p>\n<p><a href="..\/oidc">Try again<\/a>/)
  }
  t.equal(count(app, 'sessions'), 0)
})

t.test('a sign-in can be completed once, in the same browser, and for a limited time', async (t) => {
  const { app } = await setUp(t)
  const { page, cookie } = await begin(app)
  const back = comeBack(page)
  t.match(await end(app, back, ''), { status: 401, body: failed }, 'another browser')
  const other = await begin(app)
  t.match(await end(app, back, other.cookie), { status: 401, body: failed }, 'one that began another')
  const flipped = `${cookie.slice(0, -5)}${cookie.at(-5) === 'A' ? 'B' : 'A'}${cookie.slice(-4)}`
  for (const forged of [
    flipped,
    `${cookie.split('=', 1)}=AAAA`,
    `${cookie.split('=', 1)}=${'A'.repeat(100)}`,
  ]) {
    t.match(await end(app, back, forged), { status: 401, body: failed }, 'forged')
  }
  t.equal((await end(app, back, cookie)).status, 302)
  t.match(await end(app, back, cookie), { status: 401, body: failed }, 'replayed')
  const late = await begin(app)
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() + 10 * 60 * 1000
  t.match(await end(app, comeBack(late.page), late.cookie), { status: 401, body: failed }, 'too late')
})

t.test('HEAD shows whether there is a provider, and begins no sign-in', async (t) => {
  const { app, provider } = await setUp(t)
  const { status, headers } = await send(app, 'HEAD', `${BEGIN}?returnTo=/ideas`)
  t.equal(status, 204)
  t.notOk(headers['set-cookie'], 'a pending sign-in in another tab continues')
  t.equal(provider.requests, 0)
  t.equal((await send(app, 'HEAD', `${BEGIN}?returnTo=//evil.example.test`)).status, 400)
  t.equal((await send(await build(t), 'HEAD', BEGIN)).status, 404)
})

t.test('it redirects only to paths of this origin', async (t) => {
  const { app } = await setUp(t)
  for (const to of [
    'https://evil.example.test/',
    '//evil.example.test',
    '/\\evil.example.test',
    'x',
    '/a\nb',
    '/a\\b',
    '\\\\evil.example.test',
    '///evil.example.test',
    '/\t/evil.example.test',
    '/\u0000/evil.example.test',
    '\t//evil.example.test',
    ' //evil.example.test',
    'javascript:alert(1)',
    `/${'x'.repeat(2000)}`,
    `/${'日'.repeat(300)}`,
  ]) {
    const { status, body } = await send(app, 'GET', `${BEGIN}?returnTo=${encodeURIComponent(to)}`)
    t.equal(status, 400, to)
    t.ok(body.details.fieldErrors.returnTo)
  }
})

t.test('any return path gives a valid header with this origin', async (t) => {
  const { app } = await setUp(t)
  const leads = async (query: string) => {
    const { status, headers } = await send(app, 'GET', `${BEGIN}?returnTo=${query}`)
    t.equal(status, 302, query)
    const back = await end(app, comeBack(String(headers.location)), cookiesOf(headers))
    t.equal(back.status, 302, query)
    const location = String(back.headers.location)
    t.match(location, /^\/(?![/\\])[\x21-\x7e]*$/)
    t.equal(new URL(location, 'https://board.example.test').host, 'board.example.test', location)
    return location
  }
  for (const [to, expected] of [
    ['/search?q=größer', '/search?q=gr%C3%B6%C3%9Fer'],
    ['/search?q=日本語&x=😀#片', '/search?q=%E6%97%A5%E6%9C%AC%E8%AA%9E&x=%F0%9F%98%80#%E7%89%87'],
    ['/search?q=a%20b%2Fc', '/search?q=a%20b%2Fc'],
    ['/search?q=100%', '/search?q=100%25'],
    ['/a b"<>^`{|}', '/a%20b%22%3C%3E%5E%60%7B%7C%7D'],
    ['/.//evil.example.test', '/.//evil.example.test'],
    ['/x/..//evil.example.test', '/x/..//evil.example.test'],
    ['/%2F/evil.example.test', '/%2F/evil.example.test'],
    ['/%5C%5Cevil.example.test', '/%5C%5Cevil.example.test'],
    ['/\u2028\u0085/evil', '/%E2%80%A8%C2%85/evil'],
    ['/／evil.example.test', '/%EF%BC%8Fevil.example.test'],
    ['/@evil.example.test:80/', '/@evil.example.test:80/'],
  ] as const) {
    t.equal(await leads(encodeURIComponent(to)), expected)
  }
  t.match(await leads('/%ED%A0%80x'), /^\/(%[\dA-F]{2})+x$/, 'half a character')
})

t.test('failed attempts are limited', async (t) => {
  const { app, provider } = await setUp(t)
  provider.status = 400
  for (let tries = 0; tries < 20; tries += 1)
    t.equal((await send(app, 'GET', `/api/session/oidc/callback?n=${tries}`)).status, 401)
  t.comment('a callback that nobody has begun does not count: any page can make browsers send it')
  for (let tries = 0; tries < 10; tries += 1) t.equal((await signIn(app)).status, 401)
  t.match(await signIn(app), { status: 429, headers: { 'retry-after': /^\d+$/ } })
})

t.test('an unreachable provider is 503 until it responds', async (t) => {
  const server = createServer((request) => request.destroy()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const oidcIssuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const app = await build(t, { ...CLIENT, oidcIssuer }, shipped.buildApp as never)
  const down = { status: 503, body: { error: 'The sign-in provider does not respond' } }
  t.match(await send(app, 'GET', BEGIN), down)
  t.match(await send(app, 'GET', BEGIN), down)
})

t.test('the responses of a provider are limited in size', async (t) => {
  const { app, provider } = await setUp(t)
  provider.userinfo = { sub: 'ada-7' }
  provider.endless = '/.well-known/openid-configuration'
  t.match(await send(app, 'GET', BEGIN), { status: 503 })
  for (const path of ['/keys', '/token', '/userinfo']) {
    provider.endless = path
    t.match(await signIn(app), { status: 401, body: failed }, path)
  }
  t.ok(provider.sent < 64 * 1024 * 1024, `${provider.sent} bytes sent`)
  provider.endless = undefined
  t.equal((await signIn(app)).status, 302)
})

t.test('a provider that fails during a sign-in is 503', async (t) => {
  const { app, provider } = await setUp(t)
  const { page, cookie } = await begin(app)
  const { fetch } = globalThis
  t.teardown(() => {
    globalThis.fetch = fetch
  })
  globalThis.fetch = () => Promise.reject(new TypeError('fetch failed'))
  t.match(await end(app, comeBack(page), cookie), { status: 503 })
  t.equal(provider.redeemed.length, 0)
})

t.test('without a provider the endpoints are 404', async (t) => {
  const app = await build(t)
  for (const url of [BEGIN, `${BEGIN}/callback?code=x&state=y`]) {
    t.match(await send(app, 'GET', url), { status: 404, body: { error: 'OpenID Connect is not configured' } })
  }
})

t.test('behind TLS the cookie is secure, and the redirection has the public address', async (t) => {
  const { app } = await setUp(t, { trustProxy: true })
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'board.example.test' }
  const response = await send(app, 'GET', BEGIN, undefined, headers)
  t.match(response.headers['set-cookie'], /^phaseboard_sign_in=.*; HttpOnly; Secure; SameSite=Lax$/)
  t.equal(
    new URL(String(response.headers.location)).searchParams.get('redirect_uri'),
    'https://board.example.test/api/session/oidc/callback',
  )
  const other = await setUp(t, { oidcRedirectUrl: 'https://app.example.test/board/back' })
  t.equal(
    new URL((await begin(other.app)).page).searchParams.get('redirect_uri'),
    'https://app.example.test/board/back',
  )
})

t.test('below a path of a proxy, cookies, redirections and returns are below it, too', async (t) => {
  const { app } = await setUp(t, { publicUrl: 'https://intranet.example.test/board' })
  const begun = await send(app, 'GET', BEGIN)
  t.match(begun.headers['set-cookie'], /^phaseboard_sign_in=.*; Path=\/board; /)
  const page = String(begun.headers.location)
  const callback = 'https://intranet.example.test/board/api/session/oidc/callback'
  t.equal(new URL(page).searchParams.get('redirect_uri'), callback)
  // The proxy removes its path.
  const back = comeBack(page).replace('/board/', '/')
  const { headers } = await end(app, back, cookiesOf(begun.headers))
  t.match(headers['set-cookie'], [
    /^phaseboard_sign_in=; Path=\/board; Expires=Thu, 01 Jan 1970/,
    /^phaseboard_session=[\w-]{43}; Path=\/board; /,
  ])
  t.equal(headers.location, '/board/')
})

/** Follows the redirects and forms of a real provider, like a browser, until it returns to the service. */
async function browse(start: string, isBack: (url: string) => boolean): Promise<string> {
  const jar = new Map<string, string>()
  let [url, body]: [string, string | undefined] = [start, undefined]
  for (let steps = 0; steps < 20; steps += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
      ...(body !== undefined && { method: 'POST', body: new URLSearchParams(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] as string).split('=', 2)
      jar.set(name, value)
    }
    const page = await response.text()
    const location = response.headers.get('location')
    body = undefined
    if (location !== null) url = new URL(location, url).href
    else {
      // The provider's development pages: sign in as any user, then consent.
      const action = /action="([^"]+)"/.exec(page)?.[1] as string
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] as string
      body = `prompt=${prompt}&login=ada&password=x`
      url = new URL(action, url).href
    }
    if (isBack(url)) return url
  }
  throw new Error('the provider does not lead back')
}

t.test('a sign-in with a real provider', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const oidcIssuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const back = 'http://localhost/api/session/oidc/callback'
  const { warn, info } = console
  // The provider's warnings about a development setup.
  console.warn = console.info = () => undefined
  const provider = new OidcProvider(oidcIssuer, {
    clients: [
      { client_id: CLIENT.oidcClientId, client_secret: CLIENT.oidcClientSecret, redirect_uris: [back] },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, email: 'ada@example.test', email_verified: true, name: 'Ada' }),
    }),
    cookies: { keys: ['key'] },
  })
  server.on('request', provider.callback())
  t.teardown(() => Object.assign(console, { warn, info }))
  const app = await build(t, { ...CLIENT, oidcIssuer, oidcSignUp: true }, shipped.buildApp as never)
  const { headers } = await send(app, 'GET', BEGIN, undefined, { host: 'localhost' })
  const cookie = cookiesOf(headers)
  const callback = await browse(String(headers.location), (url) => url.startsWith(back))
  const signedIn = await end(app, callback, cookie)
  t.equal(signedIn.status, 302)
  const { body } = await send(app, 'GET', '/api/session', undefined, { cookie: cookiesOf(signedIn.headers) })
  t.match(body.member, { name: 'Ada', email: 'ada@example.test' })
  t.match(await end(app, callback, cookie), { status: 401 })
})
