/**
 * The types of the package, complete in this one file: what a host application sees of the service. The build copies it
 * into the package, and the sources take these types from here. It only refers to Fastify and Node, and adds nothing to
 * Fastify's own types: a host's belong to the host.
 */
import type { Writable } from 'node:stream'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'

/** The service's settings (src/settings.ts). */
export interface Config {
  // begin of settings
  /** The address to listen on. */
  host: string
  /** The port to listen on; 0 uses any free port, which the log shows. */
  port: number
  /** The SQLite file: `file:` and a path, or a path. It is created if it does not exist. */
  databaseUrl: string
  /** Which process runs checkpoints: copies the write-ahead log into the database file. */
  walCheckpoints: 'service' | 'litestream'
  /** Whether every request needs a member. */
  authMode: 'open' | 'required'
  /** The header in which an authenticating proxy names the member by email, e.g. `X-Forwarded-Email`. */
  authProxyHeader: string | undefined
  /** The member for requests without a credential in open mode. */
  defaultMemberId: string
  /** The email of the first admin, who is created at the first start if there is none. */
  adminEmail: string | undefined
  /** The first admin's password, 8 to 200 characters. */
  adminPassword: string | undefined
  /** The level of the log; `debug` logs every request. */
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** The largest request body. In bytes. */
  bodyLimit: number
  /** The largest file that can be imported over HTTP. In bytes. */
  importLimit: number
  /** The largest file that can be attached to an item. In bytes. */
  attachmentLimit: number
  /** The most bytes of all attached files together, with deleted ones that can still be restored. In bytes. */
  attachmentsTotal: number
  /** The most records that one import of a board may create, over HTTP or by command, and that one undo may change. */
  importRecords: number
  /** The proxies whose `X-Forwarded-*` headers count: all (true), none (false), or a list of addresses and subnets. */
  trustProxy: boolean | readonly string[]
  /** The origins whose pages may send credentials; commas separate them. */
  corsOrigins: readonly string[]
  /** The URL where people reach the service: for the links that it creates, and as its own origin, whatever host name a proxy sends. */
  publicUrl: string | undefined
  /** The most requests that one member, or one address without a credential, may send in a minute; 0 is no limit. */
  rateLimitMax: number
  /** The most memory for cached responses; 0 turns the cache off. In bytes. */
  snapshotCacheBytes: number
  /** The most open connections; the service closes further ones at once. */
  maxConnections: number
  /** How long the service keeps entries of the audit log; 0 is for ever. In days. */
  auditKeepDays: number
  /** How long the service keeps notifications; 0 is for ever. In days. */
  notificationsKeepDays: number
  /** How long the service keeps changes; 0 is for ever. In days. */
  changesKeepDays: number
  /** The most open streams of changes and waiting polls; further ones get 503. */
  streamsMax: number
  /** Whether webhooks may point to private addresses, such as those of the service's own network and machine. */
  webhookAllowPrivate: boolean
  /** Whether everybody may read the metrics of the service, or only admins. */
  metricsPublic: boolean
  /** Whether the service serves the board page; inside a host application it needs a prefix. */
  webBoard: boolean
  /** Whether projects can be shared by links, which anybody can use. */
  shareLinks: boolean
  /** The issuer URL of the OpenID provider for sign-ins. */
  oidcIssuer: string | undefined
  /** The client id of this service at the provider; required with an issuer. */
  oidcClientId: string | undefined
  /** The client secret of this service at the provider; required with an issuer. */
  oidcClientSecret: string | undefined
  /** The redirect URI, as it is registered at the provider. */
  oidcRedirectUrl: string | undefined
  /** The scope that the service requests from the provider. */
  oidcScope: string
  /** Whether the first sign-in of an unknown account creates a member. */
  oidcSignUp: boolean
  /** Whether an email of the provider only counts with the claim `email_verified`; `trust` takes every email, for a provider that leaves the claim out or sends `false`. */
  oidcEmailVerified: 'required' | 'trust'
  /** The claim with a member's role: admin, member, viewer or guest. If it has several, the highest counts. */
  oidcRoleClaim: string | undefined
  /** The mail server for e-mail of notifications; required with a sender address. */
  smtpUrl: string | undefined
  /** The sender of e-mail, an address with or without a name; required with a mail server. */
  mailFrom: string | undefined
  // end of settings
  /** AUTH_MODE=open was asked for although HOST is reachable from a network: worth a warning. */
  openOnNetwork: boolean
}

/** The member behind a request, as the host application knows it. */
export interface HostMember {
  /** The host's own id of the member, any non-empty string. */
  id: string
  role: 'admin' | 'member' | 'viewer' | 'guest'
  name?: string
  email?: string | null
  /**
   * The projects that the member may read, or also write, by id: instead of the rules of this service. `'all'`, or absent: by those rules.
   */
  projects?: 'all' | Readonly<Record<string, 'read' | 'write'>>
}

/** Identifies the member of a request; null or undefined for none. May throw, e.g. to reject; may be asynchronous. */
export type ResolveMember = (
  request: FastifyRequest,
) => HostMember | null | undefined | Promise<HostMember | null | undefined>

/** A person of the host application, whether the member of a request or not. */
export interface HostPerson {
  /** The id that `resolveMember` gives the person, too. */
  id: string
  name: string
  /** Only to match people of imported boards; never shown. */
  email?: string | null
}

/**
 * Lists people of the host: those of some ids, or those that match a search text (`q`; absent: all), at most `limit`. May be
 * asynchronous. If it fails, or takes longer than a second, the service uses the people that it has seen.
 */
export type ListMembers = (query: {
  q?: string
  ids?: readonly string[]
  limit: number
}) => readonly HostPerson[] | Promise<readonly HostPerson[]>

/** A notification of a member. */
export interface HostNotification {
  id: string
  /** The recipient: a member of the host, or of this service. */
  memberId: string
  kind: 'assigned' | 'mentioned' | 'commented' | 'moved' | 'due' | 'unblocked' | 'lease-lapsed'
  /** null for several items. */
  itemId: string | null
  /** The project of the item; null for items of several projects. */
  projectId: string | null
  /** The actor; null for other tools, commands, reminders and leases. */
  actorId: string | null
  /** The name of the actor, if known. */
  actorName: string | null
  /** The change; null for reminders and leases. */
  seq: number | null
  /** The title of the item at that time; for several items, the name of their project. */
  title: string
  /** The beginning of the comment or description, unless it has been edited; the column of a move, or the due date. */
  text: string
  /** The number of items. */
  count: number
  createdAt: string
}

/**
 * Takes a notification, after it is on disk. It acknowledges it by returning, or by the end of its promise; then it does not get it again. If
 * it throws, rejects, or takes longer than 30 seconds, it gets it again, for a day, with growing pauses.
 */
export type OnNotification = (notification: HostNotification) => unknown

/**
 * The settings that make sense inside a host application; those of {@link Config} that concern a server do not.
 * `trustProxy` only decides who may send the `authProxyHeader`: everything else about proxies is configured in the host's server.
 */
export type PhaseboardOptions = Partial<
  Pick<
    Config,
    // begin of options
    | 'databaseUrl'
    | 'walCheckpoints'
    | 'authMode'
    | 'authProxyHeader'
    | 'defaultMemberId'
    | 'adminEmail'
    | 'adminPassword'
    | 'bodyLimit'
    | 'importLimit'
    | 'attachmentLimit'
    | 'attachmentsTotal'
    | 'importRecords'
    | 'trustProxy'
    | 'corsOrigins'
    | 'publicUrl'
    | 'rateLimitMax'
    | 'snapshotCacheBytes'
    | 'auditKeepDays'
    | 'notificationsKeepDays'
    | 'changesKeepDays'
    | 'streamsMax'
    | 'webhookAllowPrivate'
    | 'metricsPublic'
    | 'webBoard'
    | 'shareLinks'
    | 'oidcIssuer'
    | 'oidcClientId'
    | 'oidcClientSecret'
    | 'oidcRedirectUrl'
    | 'oidcScope'
    | 'oidcSignUp'
    | 'oidcEmailVerified'
    | 'oidcRoleClaim'
    | 'smtpUrl'
    | 'mailFrom'
    // end of options
  >
> & {
  /** How the host identifies the member. Where it returns none, tokens and sessions of this service count. */
  resolveMember?: ResolveMember
  /** Lists other people of the host: for assignees, filters and names. */
  listMembers?: ListMembers
  /** Takes the notifications of all members, instead of e-mail. */
  onNotification?: OnNotification
}

/** Options of the standalone service alone. */
export interface BuildOptions
  extends Pick<PhaseboardOptions, 'resolveMember' | 'listMembers' | 'onNotification'> {
  /** Where the log goes instead of standard output. */
  logStream?: Writable
}

/** Flattened validation errors: both keys are always present. */
export interface ValidationDetails {
  /** Violations of the body as a whole. */
  formErrors: string[]
  /** Violations below a top-level field; the message of a nested one names its path. */
  fieldErrors: Record<string, string[]>
}

/** A conflict of an undo: the record, and the field if it is only one. */
export interface Conflict {
  kind: string
  id: string
  field?: string
}

/**
 * The details of an error: violations of a validation, unknown ids, the
 * oldest stored change, the conflicts of an undo, or how many records are too many for one.
 */
export type ErrorDetails = (
  | ValidationDetails
  | { missing: string[] }
  | { oldest: number }
  | { records: number }
  | { conflicts: Conflict[] }
  | object
) & {
  /** Which request of a batch failed, from 0. */
  request?: number
}

/** The stable codes by which programs distinguish errors. */
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
  | 'email_not_verified'
  | 'email_taken'
  | 'forbidden'
  | 'foreign_host'
  | 'handle_taken'
  | 'headers_too_large'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'invalid_credentials'
  | 'invalid_link'
  | 'is_member'
  | 'key_taken'
  | 'last_admin'
  | 'limit_reached'
  | 'member_disabled'
  | 'method_not_allowed'
  | 'name_taken'
  | 'no_account'
  | 'no_column'
  | 'no_new_projects'
  | 'no_space'
  | 'not_claimed'
  | 'not_found'
  | 'not_json'
  | 'not_owner'
  | 'precondition_failed'
  | 'provider_unavailable'
  | 'rate_limited'
  | 'read_only_project'
  | 'read_only_role'
  | 'read_only_token'
  | 'request_failed'
  | 'session_required'
  | 'sharing_refused'
  | 'sign_in_failed'
  | 'sign_in_refused'
  | 'too_large'
  | 'too_many_at_once'
  | 'too_many_sign_ins'
  | 'too_many_streams'
  | 'took_too_long'
  | 'unavailable'
  | 'validation_failed'
  | 'would_lose_project'
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
 * untouched. By default every request needs a member.
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
