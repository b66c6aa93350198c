/** Configuration: the environment in, one typed and frozen object out, or a clear error. */
import { isIP, isIPv4 } from 'node:net'
import { type Static, Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { databasePath } from './db/client.ts'
import { StartupError } from './errors.ts'
import type { Config } from './phaseboard.d.ts'
import { EMAIL_PATTERN, LIMITS, PASSWORD_LENGTH } from './schemas/common.ts'

export type { Config } from './phaseboard.d.ts'

const EnvironmentSchema = Type.Object({
  HOST: Type.String({ default: '127.0.0.1' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 3000 }),
  DATABASE_URL: Type.String({ default: 'file:./data/phaseboard.db' }),
  WAL_CHECKPOINTS: Type.Unsafe<Config['walCheckpoints']>({
    type: 'string',
    enum: ['service', 'litestream'],
    default: 'service',
  }),
  AUTH_MODE: Type.Optional(Type.Unsafe<'open' | 'required'>({ type: 'string', enum: ['open', 'required'] })),
  AUTH_PROXY_HEADER: Type.Optional(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]*$', maxLength: 100 })),
  DEFAULT_MEMBER_ID: Type.String({ maxLength: 200, default: 'local' }),
  ADMIN_EMAIL: Type.Optional(Type.String({ pattern: EMAIL_PATTERN.source, maxLength: LIMITS.email })),
  ADMIN_PASSWORD: Type.Optional(Type.String(PASSWORD_LENGTH)),
  LOG_LEVEL: Type.Unsafe<Config['logLevel']>({
    type: 'string',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  BODY_LIMIT: Type.Integer({ minimum: 1, maximum: 1_073_741_824, default: 1_048_576 }),
  IMPORT_LIMIT: Type.Integer({ minimum: 1, maximum: 1_073_741_824, default: 104_857_600 }),
  IMPORT_RECORDS: Type.Integer({ minimum: 1, maximum: 10_000_000, default: 200_000 }),
  TRUST_PROXY: Type.String({ default: 'false' }),
  CORS_ORIGIN: Type.String({ default: '' }),
  PUBLIC_URL: Type.Optional(Type.String({ maxLength: 2000 })),
  RATE_LIMIT_MAX: Type.Optional(Type.Integer({ minimum: 0 })),
  SNAPSHOT_CACHE_BYTES: Type.Integer({ minimum: 0, default: 67_108_864 }),
  MAX_CONNECTIONS: Type.Integer({ minimum: 1, default: 10_000 }),
  AUDIT_KEEP_DAYS: Type.Integer({ minimum: 0, maximum: 36_500, default: 365 }),
  CHANGES_KEEP_DAYS: Type.Integer({ minimum: 0, maximum: 36_500, default: 90 }),
  STREAMS_MAX: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1000 }),
  WEBHOOK_ALLOW_PRIVATE: Type.Unsafe<'true' | 'false'>({
    type: 'string',
    enum: ['true', 'false'],
    default: 'false',
  }),
  METRICS_PUBLIC: Type.Unsafe<'true' | 'false'>({
    type: 'string',
    enum: ['true', 'false'],
    default: 'false',
  }),
  WEB_BOARD: Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'], default: 'true' }),
  OIDC_ISSUER: Type.Optional(Type.String({ maxLength: 2000 })),
  OIDC_CLIENT_ID: Type.Optional(Type.String({ maxLength: 500 })),
  OIDC_CLIENT_SECRET: Type.Optional(Type.String({ maxLength: 2000 })),
  OIDC_REDIRECT_URL: Type.Optional(Type.String({ maxLength: 2000 })),
  OIDC_SCOPE: Type.String({ default: 'openid email profile', maxLength: 1000 }),
  OIDC_SIGN_UP: Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'], default: 'false' }),
  OIDC_ROLE_CLAIM: Type.Optional(Type.String({ maxLength: 200 })),
})
type Environment = Static<typeof EnvironmentSchema>

const isSubnet = (text: string) => {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

const list = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

function trustedProxies(text: string): boolean | readonly string[] {
  if (text === 'true') return true
  if (text === 'false') return false
  const addresses = list(text)
  const wrong = addresses.find((address) => !isSubnet(address))
  if (wrong !== undefined || addresses.length === 0) {
    throw new StartupError(`TRUST_PROXY must be true, false or a list of addresses (got "${wrong ?? text}")`)
  }
  return Object.freeze(addresses)
}

/** Headers that clients send themselves: credentials, host and origin. No proxy may use them to name a member. */
const CLIENT_HEADERS = ['authorization', 'cookie', 'host', 'origin']

/** Whoever sends the header is the member it names: it must come from the proxy alone. @throws StartupError */
function checkProxyHeader(header: string, trustProxy: Config['trustProxy'], host: string): void {
  if (CLIENT_HEADERS.includes(header.toLowerCase())) {
    throw new StartupError(`AUTH_PROXY_HEADER must be a header of the proxy's own (got "${header}")`)
  }
  if (trustProxy === false) {
    throw new StartupError('AUTH_PROXY_HEADER needs the addresses of the proxy in TRUST_PROXY')
  }
  if (trustProxy === true && !isLoopback(host)) {
    throw new StartupError(
      'AUTH_PROXY_HEADER needs the addresses of the proxy in TRUST_PROXY: with true, anybody on the network could be anybody',
    )
  }
}

function allowedOrigins(text: string): readonly string[] {
  const origins = list(text).map((entry) => {
    const origin = URL.canParse(entry) ? new URL(entry).origin : 'null'
    // A wildcard would parse as a host name, and match nothing.
    if (!/^https?:\/\/[^*]+$/.test(origin) || (entry !== origin && entry !== `${origin}/`)) {
      throw new StartupError(
        `CORS_ORIGIN must be a list of origins such as https://app.example (got "${entry}")`,
      )
    }
    return origin
  })
  return Object.freeze(origins)
}

/** The address of the service, without a slash at its end. @throws StartupError for what no path can be put behind */
function publicAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const { protocol, username, password, search, hash, href } = URL.canParse(text)
    ? new URL(text)
    : new URL('none:')
  const isPlain = [username, password, search, hash].every((part) => part === '') && !/[?#]/.test(text)
  if (!/^https?:$/.test(protocol) || !isPlain) {
    throw new StartupError(`PUBLIC_URL must be an address such as https://board.example (got "${text}")`)
  }
  return href.replace(/\/+$/, '')
}

/** Who can read the traffic with the provider, or redirect it, can be anybody. @throws StartupError */
function checkSecureUrl(name: string, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(host))) return
  throw new StartupError(`${name} must be a URL with https, or with http on this machine (got "${text}")`)
}

/** @throws StartupError where a provider is configured in part */
function checkProvider({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, ...rest }: Environment): void {
  const given = { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }
  const [missing] = Object.entries(given).find(([, value]) => value === undefined) ?? []
  if (missing !== undefined && Object.values(given).some((value) => value !== undefined)) {
    throw new StartupError(
      `${missing} is missing: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET go together`,
    )
  }
  if (OIDC_ISSUER !== undefined) checkSecureUrl('OIDC_ISSUER', OIDC_ISSUER)
  if (rest.OIDC_REDIRECT_URL !== undefined) checkSecureUrl('OIDC_REDIRECT_URL', rest.OIDC_REDIRECT_URL)
  if (!rest.OIDC_SCOPE.split(' ').includes('openid')) {
    throw new StartupError(`OIDC_SCOPE must have openid among its scopes (got "${rest.OIDC_SCOPE}")`)
  }
}

/** Whether a host name or address is reachable from this machine only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

const NUMBERS = [
  'PORT',
  'BODY_LIMIT',
  'IMPORT_LIMIT',
  'IMPORT_RECORDS',
  'RATE_LIMIT_MAX',
  'SNAPSHOT_CACHE_BYTES',
  'MAX_CONNECTIONS',
  'AUDIT_KEEP_DAYS',
  'CHANGES_KEEP_DAYS',
  'STREAMS_MAX',
]

/** Error messages for patterns. */
const SHAPES: Record<string, string> = {
  AUTH_PROXY_HEADER: 'must be the name of a header: letters, digits and hyphens',
  ADMIN_EMAIL: 'must be an email address',
}

/** Secrets never appear in an error line. */
const SECRETS = ['ADMIN_PASSWORD', 'OIDC_CLIENT_SECRET']
const shown = (name: string, value: unknown) => (SECRETS.includes(name) ? '' : ` (got "${value}")`)

const validate = new Ajv({
  coerceTypes: true,
  useDefaults: true,
  removeAdditional: 'all',
  // As for requests: see src/requests/validation.ts.
  meta: false,
  validateSchema: false,
}).compile<Environment>(EnvironmentSchema)

/**
 * Reads the configuration.
 * @param environment the environment variables; an empty one counts as unset
 * @throws StartupError that names the first variable with an unusable value
 */
export function loadConfig(environment: Record<string, string | undefined> = {}): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value))
  for (const name of NUMBERS) {
    // Coercion would also take 0x50 and 1e9, and an Infinity that no maximum stops.
    if (given[name] !== undefined && !/^\d{1,15}$/.test(given[name])) {
      throw new StartupError(`${name} must be a whole number${shown(name, given[name])}`)
    }
  }
  const settings: unknown = { ...given }
  if (!validate(settings)) {
    const [error] = validate.errors ?? []
    const name = error?.instancePath.slice(1) ?? ''
    const allowed = Array.isArray(error?.params.allowedValues)
      ? `: ${error.params.allowedValues.join(', ')}`
      : ''
    const what = error?.keyword === 'pattern' ? SHAPES[name] : error?.message
    throw new StartupError(`${name} ${what}${allowed}${shown(name, given[name])}`)
  }
  databasePath(settings.DATABASE_URL)
  const trustProxy = trustedProxies(settings.TRUST_PROXY)
  const authProxyHeader = settings.AUTH_PROXY_HEADER
  if (authProxyHeader !== undefined) checkProxyHeader(authProxyHeader, trustProxy, settings.HOST)
  checkProvider(settings)
  const onNetwork = !isLoopback(settings.HOST)
  const authMode = settings.AUTH_MODE ?? (onNetwork ? 'required' : 'open')
  if (authMode === 'open' && trustProxy !== false) {
    throw new StartupError(
      'TRUST_PROXY needs AUTH_MODE=required: in open mode everybody whom the proxy lets through could read and write',
    )
  }
  return Object.freeze({
    host: settings.HOST,
    port: settings.PORT,
    databaseUrl: settings.DATABASE_URL,
    walCheckpoints: settings.WAL_CHECKPOINTS,
    authMode,
    openOnNetwork: onNetwork && authMode === 'open',
    authProxyHeader,
    defaultMemberId: settings.DEFAULT_MEMBER_ID,
    adminEmail: settings.ADMIN_EMAIL,
    adminPassword: settings.ADMIN_PASSWORD,
    logLevel: settings.LOG_LEVEL,
    bodyLimit: settings.BODY_LIMIT,
    importLimit: settings.IMPORT_LIMIT,
    importRecords: settings.IMPORT_RECORDS,
    trustProxy,
    corsOrigins: allowedOrigins(settings.CORS_ORIGIN),
    publicUrl: publicAddress(settings.PUBLIC_URL),
    snapshotCacheBytes: settings.SNAPSHOT_CACHE_BYTES,
    maxConnections: settings.MAX_CONNECTIONS,
    auditKeepDays: settings.AUDIT_KEEP_DAYS,
    changesKeepDays: settings.CHANGES_KEEP_DAYS,
    streamsMax: settings.STREAMS_MAX,
    webhookAllowPrivate: settings.WEBHOOK_ALLOW_PRIVATE === 'true',
    metricsPublic: settings.METRICS_PUBLIC === 'true',
    webBoard: settings.WEB_BOARD === 'true',
    oidcIssuer: settings.OIDC_ISSUER,
    oidcClientId: settings.OIDC_CLIENT_ID,
    oidcClientSecret: settings.OIDC_CLIENT_SECRET,
    oidcRedirectUrl: settings.OIDC_REDIRECT_URL,
    oidcScope: settings.OIDC_SCOPE,
    oidcSignUp: settings.OIDC_SIGN_UP === 'true',
    oidcRoleClaim: settings.OIDC_ROLE_CLAIM,
    rateLimitMax: settings.RATE_LIMIT_MAX ?? (authMode === 'open' ? 0 : 600),
  })
}

/**
 * Settings given by a program instead of the environment: those that are present, over the defaults.
 * @param options settings; one that is undefined or empty counts as absent
 * @param defaults what holds where nothing is given
 * @throws StartupError for a value that is invalid in the environment too
 */
export function configure<Options extends Partial<Config>>(
  options: Options,
  defaults: Config = loadConfig(options.host === undefined ? {} : { HOST: options.host }),
): Config & Options {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== '')
  const settings = { ...defaults, ...(Object.fromEntries(given) as Options) }
  const { host, authMode, authProxyHeader, trustProxy, adminEmail, adminPassword, databaseUrl } = settings
  // The checks of the environment, for the settings that decide on access.
  const { publicUrl } = loadConfig({
    HOST: host,
    AUTH_MODE: authMode,
    AUTH_PROXY_HEADER: authProxyHeader,
    TRUST_PROXY: String(trustProxy),
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: adminPassword,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: settings.publicUrl,
    OIDC_ISSUER: settings.oidcIssuer,
    OIDC_CLIENT_ID: settings.oidcClientId,
    OIDC_CLIENT_SECRET: settings.oidcClientSecret,
    OIDC_REDIRECT_URL: settings.oidcRedirectUrl,
    OIDC_SCOPE: settings.oidcScope,
  })
  return { ...settings, publicUrl }
}
