/** Configuration: turns the environment into one typed and frozen object, or throws a clear error. */
import { isIP, isIPv4 } from 'node:net'
import { databasePath } from './db/client.ts'
import { StartupError } from './errors.ts'
import { parseMailbox } from './mailbox.ts'
import type { Config } from './phaseboard.d.ts'
import { EMAIL_PATTERN, LIMITS, PASSWORD_LENGTH } from './schemas/common.ts'
import { ALL_SETTINGS, type Setting, type SettingName } from './settings.ts'

export type { Config } from './phaseboard.d.ts'

/** The given settings: two defaults depend on other settings. */
type Given = Omit<Config, 'openOnNetwork' | 'authMode' | 'rateLimitMax'> &
  Partial<Pick<Config, 'authMode' | 'rateLimitMax'>>

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

/** The URL of the service, without a trailing slash, so that paths can be appended. */
function publicAddress(text: string): string {
  const { protocol, username, password, search, hash, href } = URL.canParse(text)
    ? new URL(text)
    : new URL('none:')
  const isPlain = [username, password, search, hash].every((part) => part === '') && !/[?#]/.test(text)
  if (!/^https?:$/.test(protocol) || !isPlain) {
    throw new StartupError(`PUBLIC_URL must be an address such as https://board.example (got "${text}")`)
  }
  return href.replace(/(?<!\/)\/+$/, '')
}

/** A URL of the provider. An attacker who can read or redirect the traffic to it could sign in as anyone. */
function secureUrl(text: string, variable: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(host))) return text
  throw new StartupError(`${variable} must be a URL with https, or with http on this machine (got "${text}")`)
}

/** Headers that clients send themselves: credentials, host and origin. They must not name a member. */
const CLIENT_HEADERS = ['authorization', 'cookie', 'host', 'origin']

function proxyHeader(header: string): string {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(header)) {
    throw new StartupError(
      `AUTH_PROXY_HEADER must be the name of a header: letters, digits and hyphens (got "${header}")`,
    )
  }
  if (CLIENT_HEADERS.includes(header.toLowerCase())) {
    throw new StartupError(`AUTH_PROXY_HEADER must not be a standard header of clients (got "${header}")`)
  }
  return header
}

function databaseUrl(text: string): string {
  databasePath(text)
  return text
}

function adminEmail(text: string): string {
  checkLength('ADMIN_EMAIL', text, { maxLength: LIMITS.email })
  if (!EMAIL_PATTERN.test(text)) {
    throw new StartupError(`ADMIN_EMAIL must be an email address (got "${text}")`)
  }
  return text
}

function adminPassword(text: string): string {
  checkLength('ADMIN_PASSWORD', text, PASSWORD_LENGTH, true)
  return text
}

/** The URL of a mail server. Options of the mail library in its query would be another way to configure the service. */
function mailServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  const isServer = isPlain && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && isDecodable(url)
  if (isServer && (url.username === '') === (url.password === '')) return text
  throw new StartupError(
    'SMTP_URL must be the address of a mail server such as smtp://mail.example:587 or smtps://user:password@mail.example',
  )
}

/** Whether user and password are percent-encoded as URLs are. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`)
    return true
  } catch {
    return false
  }
}

function mailSender(text: string): string {
  if (parseMailbox(text) !== undefined) return text
  throw new StartupError(
    `MAIL_FROM must be an address such as board@example.org or Board <board@example.org> (got "${text}")`,
  )
}

function oidcScope(text: string): string {
  if (!text.split(' ').includes('openid')) {
    throw new StartupError(`OIDC_SCOPE must have openid among its scopes (got "${text}")`)
  }
  return text
}

/** Parsers of texts that need more checks or conversion. Each takes the text of the variable, and throws a StartupError. */
const PARSERS: Partial<Record<SettingName, (text: string, variable: string) => unknown>> = {
  databaseUrl,
  authProxyHeader: proxyHeader,
  adminEmail,
  adminPassword,
  trustProxy: trustedProxies,
  corsOrigins: allowedOrigins,
  publicUrl: publicAddress,
  oidcIssuer: secureUrl,
  oidcRedirectUrl: secureUrl,
  oidcScope,
  smtpUrl: mailServer,
  mailFrom: mailSender,
}

/** Secrets never appear in an error line. */
const shown = (text: string, isSecret?: boolean) => (isSecret ? '' : ` (got "${text}")`)

function checkLength(
  variable: string,
  text: string,
  {
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
  }: { minLength?: number; maxLength?: number | undefined },
  isSecret?: boolean,
): void {
  const { length } = [...text]
  const violation =
    length < minLength ? `fewer than ${minLength}` : length > maxLength ? `more than ${maxLength}` : undefined
  if (violation === undefined) return
  throw new StartupError(`${variable} must NOT have ${violation} characters${shown(text, isSecret)}`)
}

function wholeNumber(variable: string, text: string, minimum: number, maximum = Number.POSITIVE_INFINITY) {
  // Number() alone would also take 0x50, 1e9 and Infinity.
  if (!/^\d{1,15}$/.test(text)) throw new StartupError(`${variable} must be a whole number${shown(text)}`)
  const number = Number(text)
  if (number < minimum) throw new StartupError(`${variable} must be >= ${minimum}${shown(text)}`)
  if (number > maximum) throw new StartupError(`${variable} must be <= ${maximum}${shown(text)}`)
  return number
}

function oneOf(variable: string, text: string, choices: readonly string[]): string {
  if (choices.includes(text)) return text
  throw new StartupError(
    `${variable} must be equal to one of the allowed values: ${choices.join(', ')}${shown(text)}`,
  )
}

/** The value of a setting from the text of its variable. @throws StartupError */
function parse(name: SettingName, setting: Setting, text: string): unknown {
  const { variable, isSecret } = setting
  switch (setting.kind) {
    case 'number':
      return wholeNumber(variable, text, setting.minimum, setting.maximum)
    case 'choice':
      return oneOf(variable, text, setting.choices)
    case 'flag':
      return oneOf(variable, text, ['true', 'false']) === 'true'
    case 'text':
      checkLength(variable, text, { maxLength: setting.maxLength }, isSecret)
      return PARSERS[name]?.(text, variable) ?? text
  }
}

/** A client that can send the header can impersonate any member, so only the proxy may send it. @throws StartupError */
function checkProxyHeader({ authProxyHeader, trustProxy, host }: Given): void {
  if (authProxyHeader === undefined) return
  if (trustProxy === false) {
    throw new StartupError('AUTH_PROXY_HEADER needs the addresses of the proxy in TRUST_PROXY')
  }
  if (trustProxy === true && !isLoopback(host)) {
    throw new StartupError(
      'AUTH_PROXY_HEADER needs the addresses of the proxy in TRUST_PROXY: with true, any client on the network could impersonate any member',
    )
  }
}

/** @throws StartupError for an incomplete configuration of a provider */
function checkProvider({ oidcIssuer, oidcClientId, oidcClientSecret }: Given): void {
  const needed = {
    OIDC_ISSUER: oidcIssuer,
    OIDC_CLIENT_ID: oidcClientId,
    OIDC_CLIENT_SECRET: oidcClientSecret,
  }
  const [missing] = Object.entries(needed).find(([, value]) => value === undefined) ?? []
  if (missing !== undefined && Object.values(needed).some((value) => value !== undefined)) {
    throw new StartupError(
      `${missing} is missing: set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET together`,
    )
  }
}

/** @throws StartupError for a mail server without a sender, or the other way round */
function checkMail({ smtpUrl, mailFrom }: Given): void {
  if ((smtpUrl === undefined) === (mailFrom === undefined)) return
  const missing = smtpUrl === undefined ? 'SMTP_URL' : 'MAIL_FROM'
  throw new StartupError(`${missing} is missing: set SMTP_URL and MAIL_FROM together`)
}

/** Whether a host name or address is reachable from this machine only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/**
 * Reads the configuration.
 * @param environment the environment variables; an empty one counts as unset
 * @throws StartupError that names the first variable with an unusable value
 */
export function loadConfig(environment: Record<string, string | undefined> = {}): Config {
  const values = ALL_SETTINGS.map(([name, setting]) => {
    const text = environment[setting.variable]
    return [name, text ? parse(name, setting, text) : setting.default]
  })
  const given: Given = Object.fromEntries(values)
  checkProxyHeader(given)
  checkProvider(given)
  checkMail(given)
  const onNetwork = !isLoopback(given.host)
  const { authMode = onNetwork ? 'required' : 'open' } = given
  if (authMode === 'open' && given.trustProxy !== false) {
    throw new StartupError(
      'TRUST_PROXY needs AUTH_MODE=required: in open mode every client of the proxy could read and write',
    )
  }
  const { rateLimitMax = authMode === 'open' ? 0 : 600 } = given
  return Object.freeze({ ...given, authMode, rateLimitMax, openOnNetwork: onNetwork && authMode === 'open' })
}

/**
 * Settings from a program instead of the environment, with defaults.
 * @param options settings; one that is undefined or empty counts as absent
 * @param defaults for absent settings
 * @throws StartupError for a value that is also invalid in the environment
 */
export function configure<Options extends Partial<Config>>(
  options: Options,
  defaults: Config = loadConfig(options.host === undefined ? {} : { HOST: options.host }),
): Config & Options {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== '')
  const settings = { ...defaults, ...(Object.fromEntries(given) as Options) }
  const texts = ALL_SETTINGS.map(([name, { variable }]) => [variable, String(settings[name] ?? '')])
  return { ...settings, ...loadConfig(Object.fromEntries(texts)) }
}
