/**
 * The types of the package, complete in this one file: what a host application sees of the service. The build copies it
 * into the package, and the sources take these types from here. It knows Fastify and Node only, and adds nothing to
 * Fastify's own types: a host's belong to the host.
 */
import type { Writable } from 'node:stream'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'

/** The service's settings. Sizes in bytes, rates per minute and client. */
export interface Config {
  host: string
  port: number
  databaseUrl: string
  /** Who copies the write-ahead log into the database file: the service, or Litestream, which replicates the log before. */
  walCheckpoints: 'service' | 'litestream'
  authMode: 'open' | 'required'
  /** AUTH_MODE=open was asked for although HOST is reachable from a network: worth a warning. */
  openOnNetwork: boolean
  /** The header in which a proxy names the authenticated member by email; undefined for none. */
  authProxyHeader: string | undefined
  defaultMemberId: string
  adminEmail: string | undefined
  adminPassword: string | undefined
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  bodyLimit: number
  /** The largest file that can be imported over HTTP. */
  importLimit: number
  /** The most records that one import of a board makes. */
  importRecords: number
  /** Which peers may say who the client is (X-Forwarded-*): all, none, or these addresses and subnets. */
  trustProxy: boolean | readonly string[]
  corsOrigins: readonly string[]
  /** Where people reach the service, for the links that it makes; undefined for where each request has reached it. */
  publicUrl: string | undefined
  /** Requests a minute and client; 0 = no limit. */
  rateLimitMax: number
  /** Memory that cached responses may take; 0 = cache none. */
  snapshotCacheBytes: number
  /** Connections at the same time; more are closed as they come. */
  maxConnections: number
  /** How long entries of the audit log are kept, in days; 0 = for ever. */
  auditKeepDays: number
  /** How long changes are kept, in days; 0 = for ever. */
  changesKeepDays: number
  /** Streams of changes, and requests that wait for one, at the same time; more are 503. */
  streamsMax: number
  /** Whether webhooks may point to private addresses, those of the service's own network and machine. */
  webhookAllowPrivate: boolean
  /** Whether anybody may read GET /metrics, not only admins. */
  metricsPublic: boolean
  /** Whether the board page is served; inside a host application only under a prefix. */
  webBoard: boolean
  /** The OpenID provider that members may sign in with; undefined for none. It needs a client id and secret. */
  oidcIssuer: string | undefined
  oidcClientId: string | undefined
  oidcClientSecret: string | undefined
  /** Where the provider sends browsers back to; undefined for the address by which they reach the service. */
  oidcRedirectUrl: string | undefined
  /** What the provider is asked for. */
  oidcScope: string
  /** Whether the first sign-in of an account makes a member. */
  oidcSignUp: boolean
  /** The claim that names the member's role; undefined for none. */
  oidcRoleClaim: string | undefined
}

/** The member behind a request, as the host application knows it. */
export interface HostMember {
  /** The host's own id of the member, any non-empty string. */
  id: string
  role: 'admin' | 'member' | 'viewer'
  name?: string
  email?: string | null
}

/** Identifies the member of a request; null or undefined for none. May throw, e.g. to reject; may be asynchronous. */
export type ResolveMember = (
  request: FastifyRequest,
) => HostMember | null | undefined | Promise<HostMember | null | undefined>

/**
 * The settings that make sense inside a host application; those of {@link Config} that concern a server do not.
 * `trustProxy` only says who may send the `authProxyHeader`: the rest of proxies is what the host tells its own server.
 */
export type PhaseboardOptions = Partial<
  Pick<
    Config,
    | 'databaseUrl'
    | 'walCheckpoints'
    | 'authMode'
    | 'authProxyHeader'
    | 'trustProxy'
    | 'defaultMemberId'
    | 'adminEmail'
    | 'adminPassword'
    | 'bodyLimit'
    | 'importLimit'
    | 'importRecords'
    | 'corsOrigins'
    | 'publicUrl'
    | 'rateLimitMax'
    | 'snapshotCacheBytes'
    | 'auditKeepDays'
    | 'changesKeepDays'
    | 'streamsMax'
    | 'webhookAllowPrivate'
    | 'metricsPublic'
    | 'webBoard'
    | 'oidcIssuer'
    | 'oidcClientId'
    | 'oidcClientSecret'
    | 'oidcRedirectUrl'
    | 'oidcScope'
    | 'oidcSignUp'
    | 'oidcRoleClaim'
  >
> & {
  /** How the host identifies the member. Where it returns none, tokens and sessions of this service count. */
  resolveMember?: ResolveMember
}

/** Options of the standalone service alone. */
export interface BuildOptions extends Pick<PhaseboardOptions, 'resolveMember'> {
  /** Where the log goes instead of standard output. */
  logStream?: Writable
}

/** Flattened validation errors: both keys are always present. */
export interface ValidationDetails {
  /** What is wrong with the body as a whole. */
  formErrors: string[]
  /** What is wrong below a top-level field; a message about something deeper names its path. */
  fieldErrors: Record<string, string[]>
}

/** What stands in the way of an undo: a record, and where it is one field of it, which. */
export interface Conflict {
  kind: string
  id: string
  field?: string
}

/**
 * What an error says beyond its one line: what failed validation, which of several ids name nothing, which change is the
 * oldest that is kept, or what stands in the way of an undo.
 */
export type ErrorDetails = (
  | ValidationDetails
  | { missing: string[] }
  | { oldest: number }
  | { conflicts: Conflict[] }
  | object
) & {
  /** Which request of a batch failed, from 0. */
  request?: number
}

/** The stable words by which programs tell errors apart. */
export type ErrorCode =
  | 'admin_required'
  | 'already_assigned'
  | 'already_done'
  | 'already_promoted'
  | 'authentication_required'
  | 'bad_request'
  | 'behind_proxy'
  | 'changed_since'
  | 'changes_gone'
  | 'claimed'
  | 'column_has_items'
  | 'conflict'
  | 'cross_origin'
  | 'database_busy'
  | 'email_taken'
  | 'forbidden'
  | 'foreign_host'
  | 'headers_too_large'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'invalid_credentials'
  | 'invalid_link'
  | 'is_member'
  | 'last_admin'
  | 'limit_reached'
  | 'member_disabled'
  | 'method_not_allowed'
  | 'name_taken'
  | 'no_account'
  | 'no_column'
  | 'not_claimed'
  | 'not_found'
  | 'not_json'
  | 'not_owner'
  | 'precondition_failed'
  | 'provider_unavailable'
  | 'rate_limited'
  | 'read_only_role'
  | 'read_only_token'
  | 'request_failed'
  | 'session_required'
  | 'sign_in_failed'
  | 'sign_in_refused'
  | 'too_large'
  | 'too_many_at_once'
  | 'too_many_sign_ins'
  | 'too_many_streams'
  | 'took_too_long'
  | 'unavailable'
  | 'validation_failed'
  | 'wip_limit_reached'

/** An error response of the contract. `message` is the body's `error` string. */
export declare class ApiError extends Error {
  readonly statusCode: number
  readonly details: ErrorDetails | undefined
  readonly headers: Record<string, string>
  /** A stable word for programs, e.g. `not_found`; that of the status where a host throws it. */
  readonly code: ErrorCode
  constructor(
    statusCode: number,
    message: string,
    extra?: { details?: ErrorDetails; headers?: Record<string, string> },
  )
}

/** The operator must fix something before the service can start: configuration or the database file. */
export declare class StartupError extends Error {
  override readonly name = 'StartupError'
}

/**
 * The service as a plugin that a host application registers, under a prefix of its choice. Everything stays
 * inside the plugin's own scope: the host's routes, error handler, body parsers, validators and schemas are
 * untouched. Unless told otherwise, every request needs a member.
 *
 * @example host.register(phaseboard, { prefix: '/board', resolveMember: (request) => request.user })
 */
export declare const phaseboard: FastifyPluginAsync<PhaseboardOptions>
export default phaseboard

/**
 * Builds the standalone service: ready to `listen`, or to `inject` in tests.
 * @param config absent settings have the defaults of the environment variables; `logStream` takes the log
 * @throws StartupError for an unusable setting, or when the database cannot be opened
 */
export declare function buildApp(config?: Partial<Config> & BuildOptions): Promise<FastifyInstance>
