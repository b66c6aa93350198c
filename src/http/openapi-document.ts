/**
 * The OpenAPI document, from the same schemas that validate and serialise. This module and the library are loaded lazily,
 * by the first request for it.
 */
import { STATUS_CODES } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { TSchema } from '@sinclair/typebox'
import Fastify, { type FastifyContextConfig, type FastifySchema, type HTTPMethods } from 'fastify'
import { type Access, isSafe } from '../members/identity.ts'
import { SESSION_COOKIE } from '../members/sessions.ts'
import { once } from '../once.ts'
import { version } from '../package-files.ts'
import { shapeOf } from '../requests/response-shapes.ts'
import { ErrorBody, NotModified, ProblemBody, ref, ValidationErrorBody } from '../schemas/common.ts'
import { namedSchemas, WebhookEventSchema } from '../schemas/records.ts'
import { PROBLEM_JSON } from './problems.ts'
import swagger from './swagger.ts'

/** An operation of the document, as far as it is used here. */
interface Operation {
  operationId: string
  parameters?: object[]
  requestBody?: { required: boolean; content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, Response | { $ref: string; description?: string | undefined }>
}

interface Response {
  description?: string | undefined
  headers?: object
  content?: Record<string, { schema: object }>
}

/** The OpenAPI document, as far as it is used here. */
export interface OpenApiDocument {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, object>
  components: {
    schemas: Record<string, object>
    parameters?: Record<string, object>
    responses?: Record<string, object>
  }
}

/** A route, as far as it is documented. */
export interface DescribedRoute {
  method: string
  /** Relative to the service's prefix. */
  path: string
  schema: FastifySchema
  config: FastifyContextConfig
}

const DESCRIPTION = `Projects, kanban boards and private ideas.

Bodies are JSON in UTF-8, whatever their \`Content-Type\` says. Unknown fields are ignored, unless the request says
\`Prefer: handling=strict\`. A PATCH changes the fields it names. JSON-text fields
(\`phaseConfig\`, \`metadata\`, \`participants\`, \`actionItems\`, \`history\`) are accepted as plain values or as JSON
text and always returned as plain values; what other tools stored there is passed on, of whatever type it is.
Every error is an object with an \`error\` string; failed validation adds \`details\`. With \`Accept: application/problem+json\`
it is a problem (RFC 9457) with a \`code\` for programs. If the service limits requests, every response has the headers
\`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`, as documented for 429.`

const TAGS = [
  { name: 'Projects', description: 'Projects with their child records' },
  { name: 'Kanban items', description: 'The cards of a board; tracked fields leave an activity log' },
  {
    name: 'Kanban claims',
    description: 'Agents and people share a column, and each item has at most one holder',
  },
  { name: 'Kanban subtasks', description: 'The checklist of an item' },
  { name: 'Kanban comments', description: 'The comments on an item' },
  { name: 'Attachments', description: 'The files and links of an item' },
  { name: 'Kanban columns', description: 'The columns of a board, with their limits of work in progress' },
  { name: 'Kanban labels', description: 'The labels of a board and its items' },
  { name: 'Notifications', description: 'Notifications and watches of the caller' },
  { name: 'Objectives', description: 'The objectives of a project' },
  { name: 'Metrics', description: 'The metrics of a project, with their history' },
  { name: 'Transcript summaries', description: 'Summaries of meetings' },
  { name: 'Team assignments', description: 'The members who work on a project' },
  { name: 'Ingest', description: 'For integrations: results of meetings and metric values, all or nothing' },
  { name: 'Batch', description: 'Several requests in one transaction' },
  { name: 'Agents', description: 'The Model Context Protocol' },
  { name: 'Search', description: 'Full-text search over everything that the caller may read' },
  { name: 'Personal ideas', description: "Each member's private list" },
  { name: 'Session', description: 'Sign-in, sign-out, and other sessions' },
  { name: 'Tokens', description: 'API tokens for scripts and integrations' },
  { name: 'Preferences', description: 'Preferences of each member for e-mail' },
  { name: 'Members', description: 'The members and their roles' },
  { name: 'People', description: 'Names for the ids in records, members or not' },
  { name: 'One-time links', description: 'For setting passwords, and invitations of members' },
  { name: 'Share links', description: 'For reading a project without signing in' },
  { name: 'Teams', description: 'Teams of members' },
  { name: 'Imports', description: "Files of other tools' boards, and archives" },
  { name: 'Webhooks', description: 'Changes sent over HTTP, by Standard Webhooks' },
  { name: 'Audit log', description: 'Sign-ins and their failures, and changes of access rights' },
  { name: 'Export', description: 'All data of the service as an archive' },
  {
    name: 'Changes',
    description: 'The sequence of changes, in the order of commits: as pages or a stream; and undo',
  },
  { name: 'Health', description: 'For process supervisors and load balancers' },
]

const CREDENTIALS = [{ token: [] }, { session: [] }]

/** The credentials of an operation; in open mode none is needed, except for admin operations. */
function security(access: Access | undefined, authMode: 'open' | 'required') {
  if (access === undefined || access === 'public') return []
  return authMode === 'open' && access !== 'admin' && access !== 'admin-or-403'
    ? [{}, ...CREDENTIALS]
    : CREDENTIALS
}

/** A request body as documented: validation drops unknown keys, it does not reject them. */
function documentedBody({ additionalProperties: _, ...body }: TSchema, example: object | undefined): object {
  return { ...body, ...(example && { examples: [example] }) }
}

/**
 * A parameter as documented: the docs page would prefill defaults and examples as filters, so both move into the
 * description.
 */
function documentedParameter({ default: preset, examples = [], description, ...parameter }: TSchema): object {
  const words = [
    description,
    preset === undefined ? undefined : `\`${preset}\` if absent`,
    examples.length === 0 ? undefined : `e.g. ${examples.map((one: unknown) => `\`${one}\``).join(' or ')}`,
  ]
  const text = words.filter((one) => one !== undefined).join('; ')
  return { ...parameter, ...(text === '' ? {} : { description: text }) }
}

function documentedQuery({ properties = {}, ...query }: TSchema): object {
  const parameters = Object.entries(properties as Record<string, TSchema>)
  return {
    ...query,
    properties: Object.fromEntries(
      parameters.map(([name, parameter]) => [name, documentedParameter(parameter)]),
    ),
  }
}

const UNAVAILABLE =
  'Service Unavailable: nothing was done, and it may succeed after `Retry-After`. `The database is busy` if a write waited too long for others'

const FORBIDDEN =
  'Forbidden; in open mode on a loopback address also `Forbidden: host name is neither local nor that of PUBLIC_URL or CORS_ORIGIN`, and what is expected, on every path but health'

/** The description of a status: its standard phrase, or the route's own `error` for an unexpected failure. */
function describeStatus(status: string, failure?: string) {
  if (status === '500' && failure !== undefined) return `Unexpected failure: \`${failure}\``
  if (status === '403') return FORBIDDEN
  return status === '503' ? UNAVAILABLE : STATUS_CODES[status]
}

/** Features of a route besides its schema. */
interface Traits {
  /** Whether it responds with a single record, which has an ETag. */
  isRecord: boolean
  /** Whether it accepts `Idempotency-Key`. */
  isRepeatable: boolean
  /** Whether it writes to a record, or orders a list, with an ETag: then it accepts `If-Match` and `If-None-Match`. */
  isConditional: boolean
  /** Whether it reads and accepts `If-Match`: only `*` if the result has no ETag. */
  isRead: boolean
  /** Whether its response has an ETag. */
  hasState: boolean
  /** Whether it responds with a page of a list. */
  isPaged: boolean
  /** Whether it responds with a file. */
  isDownload: boolean
  /** Whether it says how to authenticate. */
  asksForToken: boolean
  /** Whether requests are counted. */
  isLimited: boolean
}

function traitsOf({ method, schema, config }: DescribedRoute): Traits {
  const { access, record, isRepeatable, unlimited = false } = config
  const isRecord = shapeOf(schema)?.kind === 'record'
  const responses = Object(schema.response)
  return {
    isRecord,
    isRepeatable: !isSafe(method) && access !== 'public' && isRepeatable !== false,
    isConditional: record !== undefined,
    isRead: isSafe(method) && access !== undefined && (access !== 'public' || isRecord),
    hasState: isRecord || '304' in responses,
    isPaged: 'cursor' in Object(Object(schema.querystring).properties),
    isDownload: '206' in responses,
    asksForToken: access !== 'public',
    isLimited: !unlimited,
  }
}

/**
 * The statuses of errors of all endpoints of a kind, so that no route has to list them. Any endpoint returns 400 for an unknown
 * parameter of a strict request.
 */
function commonErrors(route: DescribedRoute, authMode: 'open' | 'required'): number[] {
  const { body } = route.schema
  const { access, takesFile, isBodyOptional } = route.config
  const { isRepeatable, isRead } = traitsOf(route)
  const isOfOpenMode = authMode === 'open' && route.config.takesAnyHost !== true
  const isRefused = isOfOpenMode || !(access === undefined || access === 'public' || access === 'read')
  // A body is also read where none is needed.
  const readsBody = body || takesFile || isBodyOptional
  return [
    400,
    ...(readsBody ? [413] : []),
    ...(access === 'public' || access === 'admin-or-403' ? [] : [401]),
    ...(isRefused ? [403] : []),
    ...(isRepeatable ? [409, 412, 422] : []),
    ...(isRead ? [412] : []),
    429,
    431,
    500,
    503,
  ]
}

/** The request headers of operations, as components: name, description, and constraints. */
const REQUEST_HEADERS = {
  IfMatch: [
    'If-Match',
    'One or several ETags of the record to write, or of the list to order, or `*`: if none matches, nothing is done (412)',
  ],
  IfNoneMatch: [
    'If-None-Match',
    '`*`: 412 if the record exists; ETags: 412 if the record has one of them. Then nothing is done',
  ],
  IfMatchOfRead: ['If-Match', 'One or several ETags, or `*`: 412 if the response has none of them'],
  IfNoneMatchOfRead: ['If-None-Match', 'One or several ETags, or `*`: 304 if the response has one of them'],
  IdempotencyKey: [
    'Idempotency-Key',
    'Visible ASCII. A retry of the request with the same key, within 24 hours, does nothing and gets the same response; 409 `Already done` if that showed a secret, has more than 64 KiB, was dropped for space, or depended on a role that the member no longer has',
    { minLength: 1, maxLength: 255 },
  ],
  Prefer: [
    'Prefer',
    '`handling=strict` (RFC 7240): unknown fields, changed read-only fields, unknown query parameters, columns that the project lacks and unlisted values are 400, instead of ignored, created or stored; the response has `Preference-Applied: handling=strict`',
  ],
} as const
type RequestHeader = keyof typeof REQUEST_HEADERS

/** The request headers that affect a route. */
function headersOfRequest(route: DescribedRoute): RequestHeader[] {
  const { isRepeatable, isConditional, isRead, hasState } = traitsOf(route)
  return [
    ...(isConditional ? (['IfMatch', 'IfNoneMatch'] as const) : []),
    ...(isRead ? (['IfMatchOfRead'] as const) : []),
    ...(isRead && hasState ? (['IfNoneMatchOfRead'] as const) : []),
    ...(isRepeatable ? (['IdempotencyKey'] as const) : []),
    'Prefer',
  ]
}

const toParameter = ([name, description, constraints]: readonly [string, string, object?]) => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string', ...constraints },
})

/** The body of a route that accepts a file. */
const FILE_BODY = {
  content: {
    'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary', description: 'The file' } },
      },
    },
  },
}

/** The body of a route that takes files: alone, in a form, and perhaps JSON instead. */
function fileBodyOf({ schema, config: { takesFile, orTakes } }: DescribedRoute) {
  const { 'multipart/form-data': _, ...alone } = FILE_BODY.content
  const json = orTakes && documentedBody(orTakes, schema.example)
  return {
    content: {
      ...(json && { 'application/json': { schema: json } }),
      ...(takesFile === 'alone' ? alone : FILE_BODY.content),
    },
  }
}

/** All answers of a route: the declared ones, and those of all endpoints of its kind. */
function answersOf(route: DescribedRoute, authMode: 'open' | 'required'): [status: string, TSchema][] {
  const { method, schema } = route
  const common = commonErrors(route, authMode).map((status) => [status, usualAnswer(String(status))])
  return Object.entries({
    ...Object.fromEntries(common),
    ...(schema.response as Record<string, TSchema> | undefined),
    ...(traitsOf(route).isRecord && isSafe(method) ? { 304: NotModified } : {}),
  })
}

function documented(route: DescribedRoute, authMode: 'open' | 'required'): FastifySchema {
  const { schema, config } = route
  const traits = traitsOf(route)
  const { body, example, querystring, response: _, ...rest } = schema
  const responses = answersOf(route, authMode)
    .filter(([status, answer]) => !isShared(status, answer, traits))
    .map(([status, answer]) => [status, { description: describeStatus(status, config.failure), ...answer }])
  return {
    ...rest,
    ...(body ? { body: documentedBody(body as TSchema, example) } : {}),
    ...(config.takesFile ? { body: fileBodyOf(route) } : {}),
    ...(querystring ? { querystring: documentedQuery(querystring as TSchema) } : {}),
    response: Object.fromEntries(responses),
    security: security(config.access, authMode),
  }
}

/** The headers that clients act on: description and type. */
const HEADERS = {
  ETag: ['Identifies this state, for `If-None-Match` and `If-Match`', 'string'],
  'Phaseboard-Seq': ['The last change of the write, if it made any', 'integer'],
  'Idempotent-Replayed': [
    '`true`: the response to an earlier request with the same `Idempotency-Key`',
    'string',
  ],
  'Preference-Applied': ['`handling=strict` if the request prefers it', 'string'],
  Link: ['The address of the next page, if any: `<...>; rel="next"`', 'string'],
  Location: ['The address of the created record', 'string'],
  'Content-Disposition': [
    'Whether it may be shown in place or is a download, and the name of the file',
    'string',
  ],
  'Content-Range': ['The bytes of the response, and the size of the file', 'string'],
  'Retry-After': ['Seconds to wait before a retry', 'integer'],
  'WWW-Authenticate': ['The scheme of the tokens, `Bearer`', 'string'],
  'RateLimit-Limit': ['Requests per minute and client, if limited', 'integer'],
  'RateLimit-Remaining': ['Remaining requests', 'integer'],
  'RateLimit-Reset': ['Seconds until the limit resets', 'integer'],
} as const
type Header = keyof typeof HEADERS

/** Inline, not as a reference: client generators treat referenced headers as required. */
function describeHeader(name: Header): object {
  const [description, type] = HEADERS[name]
  return { description, schema: { type } }
}

/** The headers that a response may have. Those of the rate limit come with every response, but are documented only for 429. */
function headersOf(status: string, traits: Traits): Header[] {
  const { hasState, isRepeatable, isPaged, isDownload, asksForToken, isLimited } = traits
  const isGood = Number(status) < 400
  const isSuccess = isGood && status !== '304'
  return [
    ...(isGood && status !== '204' && hasState ? (['ETag'] as const) : []),
    ...(status === '201' || (status === '202' && isRepeatable) ? (['Location'] as const) : []),
    ...(status === '412' || status === '416' ? (['ETag'] as const) : []),
    ...((isSuccess || status === '409') && isRepeatable ? (['Phaseboard-Seq'] as const) : []),
    ...(isSuccess && isRepeatable ? (['Idempotent-Replayed'] as const) : []),
    ...(isGood && isPaged ? (['Link'] as const) : []),
    ...(isDownload && isSuccess ? (['Content-Disposition'] as const) : []),
    ...(isDownload && /^(206|416)$/.test(status) ? (['Content-Range'] as const) : []),
    ...(isGood || status === '400' ? (['Preference-Applied'] as const) : []),
    ...(status === '401' && asksForToken ? (['WWW-Authenticate'] as const) : []),
    ...(status === '429' || status === '503' ? (['Retry-After'] as const) : []),
    ...(status === '429' && isLimited
      ? (['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const)
      : []),
  ]
}

const describeHeaders = (names: readonly Header[]): { headers?: object } =>
  names.length === 0 ? {} : { headers: Object.fromEntries(names.map((name) => [name, describeHeader(name)])) }

/** The statuses of responses that most operations share: components, which keeps the document small. */
const SHARED = ['304', '400', '401', '403', '404', '409', '412', '413', '422', '429', '431', '500', '503']

/** The answer that most operations give with a status. */
function usualAnswer(status: string): TSchema {
  if (status === '304') return NotModified
  return ref(status === '400' ? ValidationErrorBody : ErrorBody)
}

/** The traits of the operations that share responses. */
const USUAL: Traits = {
  ...{ isRecord: true, isRepeatable: true, isConditional: true, isRead: true, hasState: true },
  ...{ isPaged: false, isDownload: false, asksForToken: true, isLimited: true },
}

/** What two equal responses have in common, as text. */
const textOf = (status: string, answer: TSchema, traits: Traits) =>
  `${JSON.stringify(answer)} ${headersOf(status, traits)}`

const sharedTexts = once(
  () => new Map(SHARED.map((status) => [status, textOf(status, usualAnswer(status), USUAL)])),
)

const isShared = (status: string, answer: TSchema, traits: Traits): boolean =>
  sharedTexts().get(status) === textOf(status, answer, traits)

/** The name of a shared response: its status as words. */
const nameOf = (status: string) => String(STATUS_CODES[status]).replaceAll(' ', '')

function sharedResponse(status: string): Response {
  const { $ref, description = describeStatus(status) } = usualAnswer(status)
  const schema = { $ref: `#/components/schemas/${String($ref).slice(0, -1)}` }
  const content = { 'application/json': { schema }, ...(mayBeProblem(status) && { [PROBLEM_JSON]: PROBLEM }) }
  return {
    description,
    ...describeHeaders(headersOf(status, USUAL)),
    ...($ref !== undefined && { content }),
  }
}

/** Node rejects headers that are too large before the service can read what the client accepts. */
const mayBeProblem = (status: string) => Number(status) >= 400 && status !== '431'

/** Whether a keyword's value is data that may look like a schema. */
const isData = (key: string) => ['default', 'enum', 'example', 'examples'].includes(key)

/**
 * A schema for client generators. `x-items` documents the elements of an array without affecting the serializer, which
 * would coerce other stored values to that type.
 */
function refine(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refine)
  if (typeof schema !== 'object' || schema === null) return schema
  const { 'x-items': items, ...rest } = schema as TSchema
  const entries = Object.entries({ ...rest, ...(items && { items }) })
  const refined = entries.map(([key, value]) => [key, isData(key) ? value : refine(value)])
  // Generators treat an object schema without properties as an empty object.
  const isOpen = [rest.type].flat().includes('object') && !('properties' in rest)
  return Object.fromEntries(isOpen ? [['additionalProperties', true], ...refined] : refined)
}

/** Formats of the service's own validator, which are in no registry; descriptions explain them. */
const OWN_FORMATS: unknown[] = ['timestamp', 'time-zone', 'cursor']

/** A part of the document without those formats. */
function withoutOwnFormats(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutOwnFormats)
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part)
      .filter(([key, value]) => key !== 'format' || !OWN_FORMATS.includes(value))
      .map(([key, value]) => [key, isData(key) ? value : withoutOwnFormats(value)]),
  )
}

/** The headers of Standard Webhooks: description and example. */
const WEBHOOK_HEADERS = {
  'webhook-id': [
    '`<webhook id>.<seq>`: the same for each delivery attempt of the change',
    '019f0000-0000-7000-8000-000000000000.1234',
  ],
  'webhook-timestamp': ['When it was sent: seconds since 1970', '1798707600'],
  'webhook-signature': [
    'The signature of id, timestamp and body with the secret; for 24 hours after a rotation followed by a space and the signature with the previous secret',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
} as const

/** Every error, as problem details. */
const PROBLEM = { schema: { $ref: `#/components/schemas/${String(ProblemBody.$id)}` } }

/** The requests to webhook receivers: one for each change. */
const WEBHOOKS = {
  change: {
    post: {
      operationId: 'receiveChange',
      summary: 'Receive a change',
      description:
        'Sent to a webhook for each matching change, in order, one at a time, at least once. Signed according to [Standard Webhooks](https://www.standardwebhooks.com).',
      tags: ['Webhooks'],
      security: [],
      parameters: Object.entries(WEBHOOK_HEADERS).map(([name, [description, example]]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string', examples: [example] },
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${String(WebhookEventSchema.$id)}` } },
        },
      },
      responses: {
        '2XX': {
          description: 'Received. Any other status, and no response within ten seconds, is a failure',
        },
        '410': { description: 'Gone: the webhook is deactivated' },
      },
    },
  },
}

/** Completes the library's document: names of body schemas, optional bodies, headers, shared responses, and webhooks. */
function complete(
  document: OpenApiDocument,
  routes: readonly DescribedRoute[],
  authMode: 'open' | 'required',
): void {
  const byId = new Map(routes.map((route) => [String(route.schema.operationId), route]))
  const { schemas } = document.components
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const { operationId, requestBody, responses } = operation
    const route = byId.get(operationId) as DescribedRoute
    const { config } = route
    const headers = headersOfRequest(route).map((name) => ({ $ref: `#/components/parameters/${name}` }))
    operation.parameters = [...(operation.parameters ?? []), ...headers]
    if (requestBody) {
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`
      if (name in schemas) throw new Error(`two schemas are called ${name}`)
      if (config.isBodyOptional) requestBody.required = false
      if (config.takesFile) requestBody.required = true
      // A file may also come in a form, which is documented there.
      const [media] = Object.values(requestBody.content)
      if (media) {
        schemas[name] = media.schema
        media.schema = { $ref: `#/components/schemas/${name}` }
      }
    }
    const traits = traitsOf(route)
    for (const [status, response] of Object.entries(responses as Record<string, Response>)) {
      if (mayBeProblem(status) && response.content !== undefined) response.content[PROBLEM_JSON] = PROBLEM
      Object.assign(response, describeHeaders(headersOf(status, traits)))
    }
    for (const [status, answer] of answersOf(route, authMode)) {
      if (!isShared(status, answer, traits)) continue
      // The operation's own description replaces that of the component.
      const failure = status === '500' && config.failure ? describeStatus(status, config.failure) : undefined
      const $ref = `#/components/responses/${nameOf(status)}`
      responses[status] = failure === undefined ? { $ref } : { $ref, description: failure }
    }
  }
  document.paths = withoutOwnFormats(document.paths) as typeof document.paths
  document.components.schemas = withoutOwnFormats(refine(schemas)) as Record<string, object>
  document.components.parameters = Object.fromEntries(
    Object.entries(REQUEST_HEADERS).map(([name, header]) => [name, toParameter(header)]),
  )
  document.components.responses = Object.fromEntries(
    SHARED.map((status) => [nameOf(status), sharedResponse(status)]),
  )
  document.webhooks = WEBHOOKS
}

/** Routes that are described before other requests have their turn. */
const AT_ONCE = 40

/**
 * Writes the document in a separate Fastify application: the library documents the routes of the application that it is
 * registered in.
 * @param options `server`: the base path of the routes' paths; and the service's mode
 */
export async function writeDocument(
  routes: readonly DescribedRoute[],
  { server, authMode }: { server: string; authMode: 'open' | 'required' },
): Promise<OpenApiDocument> {
  const app = Fastify({ exposeHeadRoutes: false })
  const described = new Map<unknown, FastifySchema>()
  for (const [index, route] of routes.entries()) {
    described.set(route.schema.operationId, documented(route, authMode))
    // Yield to the event loop now and then, so that other requests are served.
    if (index % AT_ONCE === 0) await setImmediate()
  }
  await app.register(swagger, {
    // That application never validates or serialises anything, so its routes have no schemas that Fastify would prepare.
    transform: ({ schema, url }) => ({
      schema: described.get(schema?.operationId) as FastifySchema,
      url,
    }),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Phaseboard',
        version,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: server }],
      tags: TAGS,
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'An API token (`pbt_...`)' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: SESSION_COOKIE,
            description: 'The cookie of a sign-in',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
    // The paths are relative already.
    stripBasePath: false,
  })
  for (const schema of namedSchemas) app.addSchema(schema)
  for (const route of routes) {
    app.route({
      method: route.method as HTTPMethods,
      url: route.path,
      schema: { operationId: route.schema.operationId ?? '' },
      handler: async () => undefined,
    })
  }
  await setImmediate()
  await app.ready()
  await setImmediate()
  const document = app.swagger() as unknown as OpenApiDocument
  await app.close()
  await setImmediate()
  complete(document, routes, authMode)
  return document
}
