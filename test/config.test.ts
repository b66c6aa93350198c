import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import t from 'tap'
import { configure, isLoopback, loadConfig } from '../src/config.ts'
import { StartupError } from '../src/errors.ts'
import { ALL_SETTINGS } from '../src/settings.ts'

const DEFAULTS = {
  host: '127.0.0.1',
  port: 3000,
  databaseUrl: 'file:./data/phaseboard.db',
  walCheckpoints: 'service',
  authMode: 'open',
  openOnNetwork: false,
  authProxyHeader: undefined,
  defaultMemberId: 'local',
  adminEmail: undefined,
  adminPassword: undefined,
  logLevel: 'info',
  bodyLimit: 1_048_576,
  importLimit: 104_857_600,
  attachmentLimit: 26_214_400,
  attachmentsTotal: 2_147_483_648,
  importRecords: 200_000,
  trustProxy: false,
  corsOrigins: [],
  publicUrl: undefined,
  rateLimitMax: 0,
  snapshotCacheBytes: 67_108_864,
  maxConnections: 10_000,
  auditKeepDays: 365,
  notificationsKeepDays: 90,
  changesKeepDays: 90,
  streamsMax: 1000,
  webhookAllowPrivate: false,
  metricsPublic: false,
  webBoard: true,
  shareLinks: true,
  oidcIssuer: undefined,
  oidcClientId: undefined,
  oidcClientSecret: undefined,
  oidcRedirectUrl: undefined,
  oidcScope: 'openid email profile',
  oidcSignUp: false,
  oidcEmailVerified: 'required',
  oidcRoleClaim: undefined,
  smtpUrl: undefined,
  mailFrom: undefined,
}

/** An OpenID provider. */
const PROVIDER = {
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'phaseboard',
  OIDC_CLIENT_SECRET: 'kept between the two',
}

/** The errors for an environment. */
function complaint(environment: Record<string, string>): string {
  try {
    loadConfig(environment)
  } catch (error) {
    if (error instanceof StartupError) return error.message
    throw error
  }
  return 'nothing'
}

t.test('an empty environment gives the documented defaults', async (t) => {
  t.strictSame(loadConfig(), DEFAULTS)
  t.strictSame(loadConfig({}), DEFAULTS)
})

t.test('an empty variable counts as unset, and other variables are ignored', async (t) => {
  const empty = Object.fromEntries(ALL_SETTINGS.map(([, { variable }]) => [variable, '']))
  t.strictSame(loadConfig({ ...empty, PATH: '/bin', host: 'lower.case', NODE_ENV: undefined }), DEFAULTS)
})

t.test('every variable is read', async (t) => {
  const environment = {
    HOST: '0.0.0.0',
    PORT: '8080',
    DATABASE_URL: 'file:/var/lib/phaseboard/board.db',
    WAL_CHECKPOINTS: 'litestream',
    AUTH_MODE: 'required',
    AUTH_PROXY_HEADER: 'X-Forwarded-Email',
    DEFAULT_MEMBER_ID: 'me',
    ADMIN_EMAIL: 'root@example.test',
    ADMIN_PASSWORD: 'correct horse',
    LOG_LEVEL: 'warn',
    BODY_LIMIT: '2048',
    IMPORT_LIMIT: '4096',
    ATTACHMENT_LIMIT: '8192',
    ATTACHMENTS_TOTAL: '0',
    IMPORT_RECORDS: '500',
    TRUST_PROXY: '10.0.0.1',
    CORS_ORIGIN: 'https://app.example',
    PUBLIC_URL: 'https://board.example/',
    RATE_LIMIT_MAX: '10',
    SNAPSHOT_CACHE_BYTES: '4096',
    MAX_CONNECTIONS: '50',
    AUDIT_KEEP_DAYS: '0',
    NOTIFICATIONS_KEEP_DAYS: '30',
    CHANGES_KEEP_DAYS: '7',
    STREAMS_MAX: '5',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    METRICS_PUBLIC: 'true',
    WEB_BOARD: 'false',
    SHARE_LINKS: 'false',
    ...PROVIDER,
    OIDC_REDIRECT_URL: 'https://app.example/board/api/session/oidc/callback',
    OIDC_SCOPE: 'openid email groups',
    OIDC_SIGN_UP: 'true',
    OIDC_EMAIL_VERIFIED: 'trust',
    OIDC_ROLE_CLAIM: 'groups',
    SMTP_URL: 'smtps://board:s3cret@mail.example',
    MAIL_FROM: 'Board <board@example.org>',
  }
  t.strictSame(loadConfig(environment), {
    host: '0.0.0.0',
    port: 8080,
    databaseUrl: 'file:/var/lib/phaseboard/board.db',
    walCheckpoints: 'litestream',
    authMode: 'required',
    openOnNetwork: false,
    authProxyHeader: 'X-Forwarded-Email',
    defaultMemberId: 'me',
    adminEmail: 'root@example.test',
    adminPassword: 'correct horse',
    logLevel: 'warn',
    bodyLimit: 2048,
    importLimit: 4096,
    attachmentLimit: 8192,
    attachmentsTotal: 0,
    importRecords: 500,
    trustProxy: ['10.0.0.1'],
    corsOrigins: ['https://app.example'],
    publicUrl: 'https://board.example',
    rateLimitMax: 10,
    snapshotCacheBytes: 4096,
    maxConnections: 50,
    auditKeepDays: 0,
    notificationsKeepDays: 30,
    changesKeepDays: 7,
    streamsMax: 5,
    webhookAllowPrivate: true,
    metricsPublic: true,
    webBoard: false,
    shareLinks: false,
    oidcIssuer: PROVIDER.OIDC_ISSUER,
    oidcClientId: PROVIDER.OIDC_CLIENT_ID,
    oidcClientSecret: PROVIDER.OIDC_CLIENT_SECRET,
    oidcRedirectUrl: 'https://app.example/board/api/session/oidc/callback',
    oidcScope: 'openid email groups',
    oidcSignUp: true,
    oidcEmailVerified: 'trust',
    oidcRoleClaim: 'groups',
    smtpUrl: 'smtps://board:s3cret@mail.example',
    mailFrom: 'Board <board@example.org>',
  })
})

t.test('the configuration is frozen, with its lists, and the environment stays unchanged', async (t) => {
  const environment = Object.freeze({
    AUTH_MODE: 'required',
    TRUST_PROXY: '10.0.0.1',
    CORS_ORIGIN: 'http://a.example',
  })
  const config = loadConfig(environment)
  t.ok(Object.isFrozen(config))
  t.ok(Object.isFrozen(config.trustProxy))
  t.ok(Object.isFrozen(config.corsOrigins))
  t.throws(() => Object.assign(config, { port: 1 }), TypeError)
})

t.test('without AUTH_MODE, the host decides: open on loopback, required on a network', async (t) => {
  for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '::1']) {
    t.ok(isLoopback(host), `${host} is this machine only`)
    t.match(loadConfig({ HOST: host }), { authMode: 'open', openOnNetwork: false, rateLimitMax: 0 }, host)
  }
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'board.example', '127.0.0.1.example', '127.0.0']) {
    t.notOk(isLoopback(host), `${host} is a network`)
    t.match(
      loadConfig({ HOST: host }),
      { authMode: 'required', openOnNetwork: false, rateLimitMax: 600 },
      host,
    )
  }
})

t.test('an explicit AUTH_MODE wins, and open on a network gives a warning', async (t) => {
  t.match(loadConfig({ AUTH_MODE: 'required' }), {
    authMode: 'required',
    openOnNetwork: false,
    rateLimitMax: 600,
  })
  t.match(loadConfig({ AUTH_MODE: 'open', HOST: '0.0.0.0' }), { authMode: 'open', openOnNetwork: true })
  t.match(loadConfig({ AUTH_MODE: 'open' }), { authMode: 'open', openOnNetwork: false })
})

t.test('RATE_LIMIT_MAX is off in open mode and 600 in required mode, unless set', async (t) => {
  const limit = (environment: Record<string, string>) => loadConfig(environment).rateLimitMax
  t.equal(limit({ AUTH_MODE: 'open', HOST: '0.0.0.0' }), 0)
  t.equal(limit({ AUTH_MODE: 'required' }), 600)
  t.equal(limit({ AUTH_MODE: 'required', RATE_LIMIT_MAX: '0' }), 0)
  t.equal(limit({ RATE_LIMIT_MAX: '7' }), 7)
})

t.test('open mode trusts no proxy, since all its clients could read and write', async (t) => {
  const refusal = /^TRUST_PROXY needs AUTH_MODE=required: /
  for (const TRUST_PROXY of ['true', '127.0.0.1']) {
    t.match(complaint({ TRUST_PROXY }), refusal)
    t.match(complaint({ TRUST_PROXY, AUTH_MODE: 'open' }), refusal)
    t.match(complaint({ TRUST_PROXY, AUTH_MODE: 'open', HOST: '0.0.0.0' }), refusal)
    t.equal(complaint({ TRUST_PROXY, AUTH_MODE: 'required' }), 'nothing')
    t.equal(complaint({ TRUST_PROXY, HOST: '0.0.0.0' }), 'nothing')
  }
  t.equal(complaint({ TRUST_PROXY: 'false', AUTH_MODE: 'open' }), 'nothing')
  t.throws(() => configure({ authMode: 'open', trustProxy: true }), { message: refusal })
})

t.test('TRUST_PROXY is true, false or a list of addresses and subnets', async (t) => {
  const trusted = (text: string) => loadConfig({ AUTH_MODE: 'required', TRUST_PROXY: text }).trustProxy
  t.equal(trusted('true'), true)
  t.equal(trusted('false'), false)
  t.strictSame(trusted('10.0.0.1'), ['10.0.0.1'])
  t.strictSame(trusted(' 10.0.0.0/8 , ::1,2001:db8::/32,'), ['10.0.0.0/8', '::1', '2001:db8::/32'])
  const wrong = [
    'yes',
    '1',
    'proxy.example',
    ',',
    '10.0.0.1,nobody',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/129',
    '10.0.0.0/8/8',
  ]
  for (const text of [...wrong, '10.0.0.0/', '10.0.0.0/x']) {
    t.match(complaint({ TRUST_PROXY: text }), /^TRUST_PROXY must be true, false or a list of addresses/, text)
  }
  t.match(complaint({ TRUST_PROXY: '10.0.0.1,nobody' }), '(got "nobody")')
})

t.test('AUTH_PROXY_HEADER is the name of a header, and needs a trusted proxy', async (t) => {
  const from = (TRUST_PROXY: string, HOST: string, AUTH_PROXY_HEADER = 'remote-user') =>
    complaint({ AUTH_MODE: 'required', AUTH_PROXY_HEADER, TRUST_PROXY, HOST })
  const unknown = 'AUTH_PROXY_HEADER needs the addresses of the proxy in TRUST_PROXY'
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    t.equal(from('10.0.0.1', host), 'nothing')
    t.equal(from('10.0.0.0/8, ::1', host), 'nothing')
    t.equal(from('false', host), unknown)
    t.equal(from('', host), unknown)
  }
  t.equal(from('true', '127.0.0.1'), 'nothing', 'only this machine can send it')
  for (const host of ['0.0.0.0', '::', '192.168.1.5']) {
    t.equal(
      from('true', host),
      `${unknown}: with true, any client on the network could impersonate any member`,
    )
  }
  for (const header of ['X_User', 'x-user:', 'x user', '-user', 'x'.repeat(101), 'x-user\r\nx: y']) {
    t.match(from('10.0.0.1', '127.0.0.1', header), /^AUTH_PROXY_HEADER must [^\\^$]*$/, header)
  }
  for (const header of ['Authorization', 'cookie', 'HOST', 'origin']) {
    t.equal(
      from('10.0.0.1', '127.0.0.1', header),
      `AUTH_PROXY_HEADER must not be a standard header of clients (got "${header}")`,
    )
  }
})

t.test('PUBLIC_URL is a base URL', async (t) => {
  const address = (text: string) => loadConfig({ PUBLIC_URL: text }).publicUrl
  t.equal(address('https://board.example'), 'https://board.example')
  t.equal(address('http://localhost:3000/'), 'http://localhost:3000')
  t.equal(address('https://intranet.example/tools/board//'), 'https://intranet.example/tools/board')
  t.equal(configure({ publicUrl: 'https://board.example/' }).publicUrl, 'https://board.example')
  t.equal(configure({}).publicUrl, undefined)
  for (const text of [
    'board.example',
    '/board',
    'ftp://board.example',
    'javascript:alert(1)',
    'https://me@board.example',
    'https://board.example/?a=b',
    'https://board.example/#a',
    'https://board.example/?',
    'https://',
  ]) {
    t.equal(
      complaint({ PUBLIC_URL: text }),
      `PUBLIC_URL must be an address such as https://board.example (got "${text}")`,
    )
  }
  t.throws(() => configure({ publicUrl: 'board.example' }), StartupError)
})

t.test('CORS_ORIGIN is a list of origins', async (t) => {
  const origins = (text: string) => loadConfig({ CORS_ORIGIN: text }).corsOrigins
  t.strictSame(origins('https://app.example, http://localhost:5173'), [
    'https://app.example',
    'http://localhost:5173',
  ])
  t.strictSame(origins('https://app.example/,'), ['https://app.example'])
  const wrong = [
    '*',
    'null',
    'app.example',
    'https://app.example/path',
    'ftp://app.example',
    'https://*.example',
  ]
  for (const text of [
    ...wrong,
    'https://app.example:443',
    'https://me@app.example',
    'file:///x',
    'https://',
  ]) {
    t.match(complaint({ CORS_ORIGIN: text }), /^CORS_ORIGIN must be a list of origins such as https:/, text)
  }
  t.match(complaint({ CORS_ORIGIN: 'https://app.example,*' }), '(got "*")')
})

t.test('numbers are integers in a range', async (t) => {
  t.match(loadConfig({ PORT: '0', BODY_LIMIT: '1', RATE_LIMIT_MAX: '0' }), {
    port: 0,
    bodyLimit: 1,
    rateLimitMax: 0,
  })
  t.equal(loadConfig({ PORT: '65535' }).port, 65_535)
  const wrong: [string, string, string][] = [
    ['PORT', 'http', 'PORT must be a whole number (got "http")'],
    ['PORT', '3000.5', 'PORT must be a whole number (got "3000.5")'],
    ['PORT', '0x50', 'PORT must be a whole number (got "0x50")'],
    ['PORT', ' 80', 'PORT must be a whole number (got " 80")'],
    ['PORT', '-1', 'PORT must be a whole number (got "-1")'],
    ['PORT', '65536', 'PORT must be <= 65535 (got "65536")'],
    ['BODY_LIMIT', '0', 'BODY_LIMIT must be >= 1 (got "0")'],
    ['BODY_LIMIT', '1MB', 'BODY_LIMIT must be a whole number (got "1MB")'],
    ['BODY_LIMIT', '1e3', 'BODY_LIMIT must be a whole number (got "1e3")'],
    ['BODY_LIMIT', '1073741825', 'BODY_LIMIT must be <= 1073741824 (got "1073741825")'],
    ['RATE_LIMIT_MAX', '-1', 'RATE_LIMIT_MAX must be a whole number (got "-1")'],
    ['RATE_LIMIT_MAX', 'off', 'RATE_LIMIT_MAX must be a whole number (got "off")'],
    ['RATE_LIMIT_MAX', 'Infinity', 'RATE_LIMIT_MAX must be a whole number (got "Infinity")'],
    ['RATE_LIMIT_MAX', '9'.repeat(400), `RATE_LIMIT_MAX must be a whole number (got "${'9'.repeat(400)}")`],
  ]
  for (const [name, value, message] of wrong) t.equal(complaint({ [name]: value }), message)
})

t.test('values outside a fixed vocabulary are refused, and the error lists it', async (t) => {
  t.equal(
    complaint({ AUTH_MODE: 'closed' }),
    'AUTH_MODE must be equal to one of the allowed values: open, required (got "closed")',
  )
  t.equal(
    complaint({ LOG_LEVEL: 'loud' }),
    'LOG_LEVEL must be equal to one of the allowed values: fatal, error, warn, info, debug, trace, silent (got "loud")',
  )
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']) {
    t.equal(loadConfig({ LOG_LEVEL: level }).logLevel, level)
  }
})

t.test('MAX_CONNECTIONS, STREAMS_MAX and retention days are integers', async (t) => {
  for (const text of ['0', '-1', '1.5', 'many', '0x10']) {
    t.match(complaint({ MAX_CONNECTIONS: text }), /^MAX_CONNECTIONS must be /, text)
  }
  for (const text of ['-1', '1.5', 'for ever', '36501']) {
    t.match(complaint({ AUDIT_KEEP_DAYS: text }), /^AUDIT_KEEP_DAYS must be /, text)
    t.match(complaint({ CHANGES_KEEP_DAYS: text }), /^CHANGES_KEEP_DAYS must be /, text)
  }
  for (const text of ['-1', '1.5', 'many', '1000001']) {
    t.match(complaint({ STREAMS_MAX: text }), /^STREAMS_MAX must be /, text)
  }
  t.equal(loadConfig({ STREAMS_MAX: '0' }).streamsMax, 0)
  t.equal(loadConfig({ CHANGES_KEEP_DAYS: '0' }).changesKeepDays, 0)
  t.equal(loadConfig({ AUDIT_KEEP_DAYS: '0' }).auditKeepDays, 0)
})

t.test('WEBHOOK_ALLOW_PRIVATE is true or false', async (t) => {
  for (const text of ['1', 'yes', 'TRUE', ' true'])
    t.match(
      complaint({ WEBHOOK_ALLOW_PRIVATE: text }),
      /^WEBHOOK_ALLOW_PRIVATE must be .*: true, false \(got /,
    )
  t.equal(loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'false' }).webhookAllowPrivate, false)
})

t.test('WAL_CHECKPOINTS is service or litestream', async (t) => {
  t.match(complaint({ WAL_CHECKPOINTS: 'none' }), /^WAL_CHECKPOINTS must be .*: service, litestream \(got /)
  t.equal(loadConfig({ WAL_CHECKPOINTS: 'service' }).walCheckpoints, 'service')
})

t.test('an OpenID provider needs all its settings, and TLS', async (t) => {
  for (const name of Object.keys(PROVIDER)) {
    t.equal(
      complaint({ ...PROVIDER, [name]: '' }),
      `${name} is missing: set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET together`,
    )
  }
  for (const url of ['id.example', 'http://id.example', 'http://127.0.0.1.id.example', 'ftp://id.example']) {
    t.equal(
      complaint({ ...PROVIDER, OIDC_ISSUER: url }),
      `OIDC_ISSUER must be a URL with https, or with http on this machine (got "${url}")`,
    )
    t.match(complaint({ OIDC_REDIRECT_URL: url }), /^OIDC_REDIRECT_URL must be a URL with https/)
  }
  for (const url of ['http://localhost:8080/realms/x', 'http://127.0.0.1', 'http://[::1]:1']) {
    t.equal(loadConfig({ ...PROVIDER, OIDC_ISSUER: url }).oidcIssuer, url)
  }
  t.match(complaint({ OIDC_SCOPE: 'email' }), /^OIDC_SCOPE must have openid among its scopes/)
  t.match(complaint({ OIDC_SIGN_UP: 'yes' }), /^OIDC_SIGN_UP must be .*: true, false/)
  t.notMatch(complaint({ OIDC_CLIENT_SECRET: 'x'.repeat(2001) }), 'xxx', 'the secret is not shown')
  t.throws(() => configure({ oidcIssuer: 'https://id.example' }), { message: /OIDC_CLIENT_ID is missing/ })
})

t.test('DEFAULT_MEMBER_ID and ADMIN_EMAIL have limits', async (t) => {
  t.match(
    complaint({ DEFAULT_MEMBER_ID: 'x'.repeat(201) }),
    /^DEFAULT_MEMBER_ID must NOT have more than 200 char/,
  )
  for (const email of ['root', 'root@', '@example.test', 'ro ot@example.test', `${'x'.repeat(251)}@a.b`]) {
    t.match(complaint({ ADMIN_EMAIL: email }), /^ADMIN_EMAIL must [^\\^$]*$/, email)
  }
})

t.test('an invalid ADMIN_PASSWORD is refused without being printed', async (t) => {
  const long = 'a-long-secret'.repeat(20)
  for (const password of ['s3cr3t!', long]) {
    const message = complaint({ ADMIN_PASSWORD: password })
    t.match(message, /^ADMIN_PASSWORD must NOT have (fewer|more) than \d+ characters$/)
    t.notMatch(message, password)
  }
  // The error about another variable does not show it either.
  t.notMatch(complaint({ ADMIN_PASSWORD: 'correct horse', PORT: 'x' }), 'correct horse')
})

t.test('DATABASE_URL is a file: URL, a path or :memory:', async (t) => {
  const valid = [':memory:', 'file:./x.db', 'file:/x.db', 'file:///x.db', './x.db', '/x.db', resolve('x.db')]
  for (const url of valid) t.equal(loadConfig({ DATABASE_URL: url }).databaseUrl, url)
  for (const url of ['postgres://localhost/board', 'http://example.test/x.db', 'file:', 'file://host/x.db']) {
    t.match(complaint({ DATABASE_URL: url }), /^DATABASE_URL /, url)
  }
  for (const url of ['file:./x.db?mode=ro', 'file:///x.db?mode=ro', './x?.db', ':memory:?cache=shared']) {
    t.match(complaint({ DATABASE_URL: url }), /^DATABASE_URL must not contain a question mark/, url)
  }
})

t.test('one error is reported in one line', async (t) => {
  const message = complaint({ PORT: 'x', LOG_LEVEL: 'y', TRUST_PROXY: 'z' })
  t.equal(message.split('\n').length, 1)
  t.match(message, /^(PORT|LOG_LEVEL|TRUST_PROXY) /)
})

t.test('settings of a host have the same rules, and undefined ones count as unset', async (t) => {
  const refused = (options: object) => {
    try {
      return configure(options)
    } catch (error) {
      return (error as Error).message
    }
  }
  t.match(configure({}), { authMode: 'open', host: '127.0.0.1' })
  t.match(configure({ host: '0.0.0.0' }), { authMode: 'required' })
  t.match(
    configure(
      { authMode: undefined, databaseUrl: undefined } as object,
      loadConfig({ AUTH_MODE: 'required' }),
    ),
    {
      authMode: 'required',
      databaseUrl: 'file:./data/phaseboard.db',
    },
  )
  t.match(refused({ authMode: 'Required' }), /^AUTH_MODE must be equal to one of/)
  t.match(refused({ adminPassword: 'x' }), /^ADMIN_PASSWORD must NOT have fewer than 8 characters$/)
  t.match(refused({ adminEmail: 'nobody' }), /^ADMIN_EMAIL/)
  t.match(refused({ databaseUrl: 'postgres://host/db' }), /^DATABASE_URL/)
  const authProxyHeader = 'remote-user'
  t.match(refused({ authProxyHeader }), /^AUTH_PROXY_HEADER needs/)
  t.match(refused({ authProxyHeader, trustProxy: [] }), /^AUTH_PROXY_HEADER needs/)
  t.match(refused({ authProxyHeader, trustProxy: true, host: '0.0.0.0' }), /^AUTH_PROXY_HEADER needs/)
  t.match(refused({ authProxyHeader, trustProxy: ['nobody'] }), /^TRUST_PROXY must be/)
  t.match(refused({ authProxyHeader, trustProxy: ['10.0.0.1', '::1'], host: '0.0.0.0' }), {
    authProxyHeader,
  })
  const trusting = { authProxyHeader, authMode: 'required', trustProxy: true } as const
  t.match(refused(trusting), trusting)
})

t.test('an empty setting of a host is not a password', async (t) => {
  t.equal(configure({ adminPassword: '' }).adminPassword, undefined)
})

t.test('documentation and types match the declaration of the settings', async (t) => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/settings.ts', '--check'], {
    encoding: 'utf8',
  })
  t.strictSame([status, stderr], [0, ''])
})

t.test('the declaration has each setting once, with a sentence', async (t) => {
  const variables = ALL_SETTINGS.map(([, { variable }]) => variable)
  t.equal(new Set(variables).size, variables.length)
  for (const [name, { meaning }] of ALL_SETTINGS) t.match(meaning, /^[A-Z].*\.$/, name)
})

t.test('a mail server and a sender go together, and both are checked', async (t) => {
  const [SMTP_URL, MAIL_FROM] = ['smtp://mail.example', 'board@example.org']
  t.equal(complaint({ SMTP_URL, MAIL_FROM }), 'nothing')
  t.equal(complaint({ SMTP_URL }), 'MAIL_FROM is missing: set SMTP_URL and MAIL_FROM together')
  t.equal(complaint({ MAIL_FROM }), 'SMTP_URL is missing: set SMTP_URL and MAIL_FROM together')
  for (const url of [
    'mail.example',
    'https://mail.example',
    'smtp:mail.example',
    'smtp://',
    'smtp://user@mail.example',
    'smtp://:s3cret@mail.example',
    'smtp://user:%zz@mail.example',
    'smtp://mail.example/inbox',
    'smtp://mail.example?pool=true',
    'smtp://mail.example:99999',
  ]) {
    const refusal = complaint({ SMTP_URL: url, MAIL_FROM })
    t.match(refusal, /^SMTP_URL must be the address of a mail server/, url)
    t.notMatch(refusal, 's3cret', 'it may have a password')
  }
  for (const url of ['smtp://mail.example:587', 'smtps://u:p%40%2F@mail.example/', 'smtp://[::1]:25'])
    t.equal(complaint({ SMTP_URL: url, MAIL_FROM }), 'nothing', url)
  for (const from of ['board', 'a@b, c@d', 'Board <a@b>, c@d', 'a@b\r\nBcc: c@d'])
    t.match(complaint({ SMTP_URL, MAIL_FROM: from }), /^MAIL_FROM must be an address such as/, from)
})
