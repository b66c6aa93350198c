/**
 * The settings of the service, each declared once. `src/config.ts` reads them. `npm run settings` generates the table in
 * docs/configuration.md, the options in docs/embedding.md and the types in `src/phaseboard.d.ts` from them. `phaseboard serve
 * --help` lists them.
 */

/** The common fields of all settings. */
interface Described {
  /** The environment variable. */
  variable: string
  /** One sentence for the types, the table and `--help`. */
  meaning: string
  /** Additional text for the table, in Markdown. */
  more?: string
  /** The default as text, in Markdown, if it is not a single value. */
  otherwise?: string
  /** Whether `src/config.ts` derives the default from other settings. */
  isDerived?: true
  /** Whether a host application may set it. */
  isForHosts?: true
  /** Whether errors must not show its value. */
  isSecret?: true
}

/** A text. If it is parsed, `becomes` is the type of the result (`PARSERS` in `src/config.ts`). */
interface TextSetting extends Described {
  kind: 'text'
  maxLength?: number
  becomes?: string
  default?: string | false | readonly never[]
}

/** A whole number. */
interface NumberSetting extends Described {
  kind: 'number'
  minimum: number
  maximum?: number
  /** The unit, if the sentence does not make it clear. */
  unit?: 'bytes' | 'days'
  default?: number
}

/** One of several words. */
interface ChoiceSetting extends Described {
  kind: 'choice'
  choices: readonly string[]
  default?: string
}

/** `true` or `false`. */
interface FlagSetting extends Described {
  kind: 'flag'
  default: boolean
}

/** A setting, without its name. */
export type Setting = TextSetting | NumberSetting | ChoiceSetting | FlagSetting

/** The settings by name, in the order of the table. */
export const SETTINGS = {
  host: {
    variable: 'HOST',
    kind: 'text',
    default: '127.0.0.1',
    meaning: 'The address to listen on.',
  },
  port: {
    variable: 'PORT',
    kind: 'number',
    minimum: 0,
    maximum: 65_535,
    default: 3000,
    meaning: 'The port to listen on; 0 uses any free port, which the log shows.',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    kind: 'text',
    default: 'file:./data/phaseboard.db',
    meaning: 'The SQLite file: `file:` and a path, or a path. It is created if it does not exist.',
    more: 'A `file:///` URL works too; `?` parameters do not. `:memory:` is for trials: it stores nothing on disk.',
    isForHosts: true,
  },
  walCheckpoints: {
    variable: 'WAL_CHECKPOINTS',
    kind: 'choice',
    choices: ['service', 'litestream'],
    default: 'service',
    meaning: 'Which process runs checkpoints: copies the write-ahead log into the database file.',
    more: '[Litestream](replication.md) must read the log before a checkpoint, so with `litestream` neither the service nor its commands run one. Set the same value for the commands.',
    isForHosts: true,
  },
  authMode: {
    variable: 'AUTH_MODE',
    kind: 'choice',
    choices: ['open', 'required'],
    otherwise: '`open` on a loopback `HOST`, else `required`',
    isDerived: true,
    meaning: 'Whether every request needs a member.',
    more: 'See [access](access.md#modes).',
    isForHosts: true,
  },
  authProxyHeader: {
    variable: 'AUTH_PROXY_HEADER',
    kind: 'text',
    maxLength: 100,
    meaning:
      'The header in which an authenticating proxy names the member by email, e.g. `X-Forwarded-Email`.',
    more: 'It only counts from the addresses in `TRUST_PROXY` ([why](decisions/017-proxy-header.md)).',
    isForHosts: true,
  },
  defaultMemberId: {
    variable: 'DEFAULT_MEMBER_ID',
    kind: 'text',
    maxLength: 200,
    default: 'local',
    meaning: 'The member for requests without a credential in open mode.',
    isForHosts: true,
  },
  adminEmail: {
    variable: 'ADMIN_EMAIL',
    kind: 'text',
    otherwise: '`admin@localhost`',
    meaning: 'The email of the first admin, who is created at the first start if there is none.',
    isForHosts: true,
  },
  adminPassword: {
    variable: 'ADMIN_PASSWORD',
    kind: 'text',
    otherwise: 'a random one',
    meaning: "The first admin's password, 8 to 200 characters.",
    more: 'A random one is written to `<database file>.initial-admin-password`. The file is removed when the password changes.',
    isSecret: true,
    isForHosts: true,
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    kind: 'choice',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    meaning: 'The level of the log; `debug` logs every request.',
  },
  bodyLimit: {
    variable: 'BODY_LIMIT',
    kind: 'number',
    minimum: 1,
    maximum: 1_073_741_824,
    unit: 'bytes',
    default: 1_048_576,
    meaning: 'The largest request body.',
    isForHosts: true,
  },
  importLimit: {
    variable: 'IMPORT_LIMIT',
    kind: 'number',
    minimum: 1,
    maximum: 1_073_741_824,
    unit: 'bytes',
    default: 104_857_600,
    meaning: 'The largest file that can be imported over HTTP.',
    isForHosts: true,
  },
  attachmentLimit: {
    variable: 'ATTACHMENT_LIMIT',
    kind: 'number',
    minimum: 1,
    maximum: 1_073_741_824,
    unit: 'bytes',
    default: 26_214_400,
    meaning: 'The largest file that can be attached to an item.',
    more: 'See [files](files.md).',
    isForHosts: true,
  },
  attachmentsTotal: {
    variable: 'ATTACHMENTS_TOTAL',
    kind: 'number',
    minimum: 0,
    maximum: 1_099_511_627_776,
    unit: 'bytes',
    default: 2_147_483_648,
    meaning: 'The most bytes of all attached files together, with deleted ones that can still be restored.',
    more: 'An equal file is stored once. See [files](files.md#limits).',
    isForHosts: true,
  },
  importRecords: {
    variable: 'IMPORT_RECORDS',
    kind: 'number',
    minimum: 1,
    maximum: 10_000_000,
    default: 200_000,
    meaning:
      'The most records that one import of a board may create, over HTTP or by command, and that one undo may change.',
    more: 'Records of all kinds count: see [what a file may hold](importing.md#what-a-file-may-hold).',
    isForHosts: true,
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    kind: 'text',
    becomes: 'boolean | readonly string[]',
    default: false,
    meaning:
      'The proxies whose `X-Forwarded-*` headers count: all (true), none (false), or a list of addresses and subnets.',
    more: 'It needs `AUTH_MODE=required`.',
    isForHosts: true,
  },
  corsOrigins: {
    variable: 'CORS_ORIGIN',
    kind: 'text',
    becomes: 'readonly string[]',
    default: Object.freeze([]),
    meaning: 'The origins whose pages may send credentials; commas separate them.',
    isForHosts: true,
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    kind: 'text',
    maxLength: 2000,
    otherwise: 'the address of the request; for commands `HOST` and `PORT`',
    meaning:
      'The URL where people reach the service: for the links that it creates, and as its own origin, whatever host name a proxy sends.',
    more: 'For example `https://board.example` or `https://intranet.example/board`: see [one-time links](access.md#one-time-links).',
    isForHosts: true,
  },
  rateLimitMax: {
    variable: 'RATE_LIMIT_MAX',
    kind: 'number',
    minimum: 0,
    otherwise: '`0` in open mode, else `600`',
    isDerived: true,
    meaning:
      'The most requests that one member, or one address without a credential, may send in a minute; 0 is no limit.',
    isForHosts: true,
  },
  snapshotCacheBytes: {
    variable: 'SNAPSHOT_CACHE_BYTES',
    kind: 'number',
    minimum: 0,
    unit: 'bytes',
    default: 67_108_864,
    meaning: 'The most memory for cached responses; 0 turns the cache off.',
    more: 'Projects of [share links](access.md#share-links) may additionally take half of it.',
    isForHosts: true,
  },
  maxConnections: {
    variable: 'MAX_CONNECTIONS',
    kind: 'number',
    minimum: 1,
    default: 10_000,
    meaning: 'The most open connections; the service closes further ones at once.',
  },
  auditKeepDays: {
    variable: 'AUDIT_KEEP_DAYS',
    kind: 'number',
    minimum: 0,
    maximum: 36_500,
    unit: 'days',
    default: 365,
    meaning: 'How long the service keeps entries of the audit log; 0 is for ever.',
    isForHosts: true,
  },
  notificationsKeepDays: {
    variable: 'NOTIFICATIONS_KEEP_DAYS',
    kind: 'number',
    minimum: 0,
    maximum: 36_500,
    unit: 'days',
    default: 90,
    meaning: 'How long the service keeps notifications; 0 is for ever.',
    more: 'See [notifications](attention.md#notifications).',
    isForHosts: true,
  },
  changesKeepDays: {
    variable: 'CHANGES_KEEP_DAYS',
    kind: 'number',
    minimum: 0,
    maximum: 36_500,
    unit: 'days',
    default: 90,
    meaning: 'How long the service keeps changes; 0 is for ever.',
    more: 'See [changes](http.md#changes).',
    isForHosts: true,
  },
  streamsMax: {
    variable: 'STREAMS_MAX',
    kind: 'number',
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    meaning: 'The most open streams of changes and waiting polls; further ones get 503.',
    more: 'One member may open a tenth of them, but at least ten; further ones get 429. The default member has no limit of its own.',
    isForHosts: true,
  },
  webhookAllowPrivate: {
    variable: 'WEBHOOK_ALLOW_PRIVATE',
    kind: 'flag',
    default: false,
    meaning:
      "Whether webhooks may point to private addresses, such as those of the service's own network and machine.",
    more: 'See [where webhooks may point](webhooks.md#where-webhooks-may-point).',
    isForHosts: true,
  },
  metricsPublic: {
    variable: 'METRICS_PUBLIC',
    kind: 'flag',
    default: false,
    meaning: 'Whether everybody may read the metrics of the service, or only admins.',
    more: 'See [metrics](operations.md#metrics).',
    isForHosts: true,
  },
  webBoard: {
    variable: 'WEB_BOARD',
    kind: 'flag',
    default: true,
    meaning: 'Whether the service serves the board page; inside a host application it needs a prefix.',
    more: 'Without [the page](operations.md#the-board-page), `/` is 404.',
    isForHosts: true,
  },
  shareLinks: {
    variable: 'SHARE_LINKS',
    kind: 'flag',
    default: true,
    meaning: 'Whether projects can be shared by links, which anybody can use.',
    more: 'With `false` their paths do not exist, and no link works: see [share links](access.md#share-links).',
    isForHosts: true,
  },
  oidcIssuer: {
    variable: 'OIDC_ISSUER',
    kind: 'text',
    maxLength: 2000,
    meaning: 'The issuer URL of the OpenID provider for sign-ins.',
    more: 'It must be https, or http on this machine: see [OpenID Connect](access.md#openid-connect).',
    isForHosts: true,
  },
  oidcClientId: {
    variable: 'OIDC_CLIENT_ID',
    kind: 'text',
    maxLength: 500,
    meaning: 'The client id of this service at the provider; required with an issuer.',
    isForHosts: true,
  },
  oidcClientSecret: {
    variable: 'OIDC_CLIENT_SECRET',
    kind: 'text',
    maxLength: 2000,
    meaning: 'The client secret of this service at the provider; required with an issuer.',
    isSecret: true,
    isForHosts: true,
  },
  oidcRedirectUrl: {
    variable: 'OIDC_REDIRECT_URL',
    kind: 'text',
    maxLength: 2000,
    otherwise: 'the address that the browser uses',
    meaning: 'The redirect URI, as it is registered at the provider.',
    more: 'You only need it behind a proxy that changes paths.',
    isForHosts: true,
  },
  oidcScope: {
    variable: 'OIDC_SCOPE',
    kind: 'text',
    maxLength: 1000,
    default: 'openid email profile',
    meaning: 'The scope that the service requests from the provider.',
    isForHosts: true,
  },
  oidcSignUp: {
    variable: 'OIDC_SIGN_UP',
    kind: 'flag',
    default: false,
    meaning: 'Whether the first sign-in of an unknown account creates a member.',
    isForHosts: true,
  },
  oidcEmailVerified: {
    variable: 'OIDC_EMAIL_VERIFIED',
    kind: 'choice',
    choices: ['required', 'trust'],
    default: 'required',
    meaning:
      'Whether an email of the provider only counts with the claim `email_verified`; `trust` takes every email, for a provider that leaves the claim out or sends `false`.',
    more: 'See [OpenID Connect](openid.md).',
    isForHosts: true,
  },
  oidcRoleClaim: {
    variable: 'OIDC_ROLE_CLAIM',
    kind: 'text',
    maxLength: 200,
    meaning:
      "The claim with a member's role: admin, member, viewer or guest. If it has several, the highest counts.",
    isForHosts: true,
  },
  smtpUrl: {
    variable: 'SMTP_URL',
    kind: 'text',
    maxLength: 2000,
    meaning: 'The mail server for e-mail of notifications; required with a sender address.',
    more: '`smtp://` or `smtps://`, with user and password if needed, e.g. `smtps://user:password@mail.example`: see [e-mail](mail.md).',
    isSecret: true,
    isForHosts: true,
  },
  mailFrom: {
    variable: 'MAIL_FROM',
    kind: 'text',
    maxLength: 500,
    meaning: 'The sender of e-mail, an address with or without a name; required with a mail server.',
    more: 'For example `board@example.org` or `Board <board@example.org>`.',
    isForHosts: true,
  },
} as const satisfies Record<string, Setting>

/** The name of a setting, which is also the name of its option for host applications. */
export type SettingName = keyof typeof SETTINGS

/** The settings as a list. */
export const ALL_SETTINGS = Object.entries(SETTINGS) as [SettingName, Setting][]

/** The unit of a number, if it has one. */
export const unitOf = (setting: Setting) => (setting.kind === 'number' ? setting.unit : undefined)

/** The text of a default for documents and `--help`, in Markdown. */
export function defaultOf(setting: Setting): string {
  const { default: value, otherwise } = setting
  if (otherwise !== undefined) return otherwise
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none'
  return [`\`${value}\``, unitOf(setting)].filter(Boolean).join(' ')
}

/** The text of a setting for documents and `--help`, in Markdown. */
export const descriptionOf = (setting: Setting): string =>
  setting.kind === 'choice'
    ? `${setting.meaning} One of ${setting.choices.map((choice) => `\`${choice}\``).join(', ')}.`
    : setting.meaning
