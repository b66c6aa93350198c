/** Builds the application under test. Every response is checked against /openapi.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { type BuildOptions, buildApp } from '../src/app.ts'
import { type Config, configure } from '../src/config.ts'
import { type SharedDatabase, writeAs } from '../src/db/client.ts'
import { newId } from '../src/db/ids.ts'
import {
  apiTokens,
  auditLog,
  kanbanActivity,
  kanbanComments,
  kanbanItemLabels,
  kanbanLabels,
  members,
  metrics,
  objectives,
  personalIdeas,
  teamAssignments,
  transcriptSummaries,
} from '../src/db/schema.ts'
import { hashToken, newToken } from '../src/members/secrets.ts'
import type { ROLES } from '../src/schemas/records.ts'
import { withoutReferences } from './documented.ts'

export type App = Awaited<ReturnType<typeof buildApp>>

/** Writes to the database of an application, as the service itself. @returns what `work` returns, once it is on disk */
export const writeIn = async <T>(app: App, work: () => T): Promise<T> =>
  (await app.groupCommit.write(null, work)).value

/** Writes to a database, as the service itself. */
export const writeTo = <T>(db: SharedDatabase, work: () => T): T => writeAs(db, null, work).value

interface OpenApiDocument {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

const CANONICAL_TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const escapePointer = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))

/**
 * Creates a function that checks a response against the OpenAPI document.
 * @returns the violation, or undefined
 */
function createResponseChecker(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('date-time', CANONICAL_TIMESTAMP)
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/)
  ajv.addSchema(document, 'openapi')
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }))
  const validators = new Map<string, ReturnType<Ajv2020['compile']>>()

  return (method: string, url: string, status: number, body: unknown): string | undefined => {
    const path = url.split('?', 1)[0] ?? ''
    // Some of its errors belong to the protocol.
    if (path.endsWith('/mcp') && typeof Object(body).jsonrpc === 'string') return undefined
    if (status >= 400 && method !== 'HEAD') {
      const keys = Object.keys((body ?? {}) as object).sort()
      const expected = status === 400 || status === 410 ? ['details', 'error'] : ['error']
      const details = (body as { details?: object }).details ?? {}
      const saysMore =
        (status === 404 && 'missing' in details) ||
        (status === 409 && 'conflicts' in details) ||
        (status === 413 && 'records' in details)
      const isOfBatch = 'request' in details
      if (`${keys}` !== `${expected}` && !saysMore && !isOfBatch)
        return `${status} has the keys ${keys}, not ${expected}`
    }
    if (!path.startsWith('/api/')) return undefined
    const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase()
    // A fixed path may also match a path with an id, which has other methods.
    const matching = templates.filter(({ pattern }) => pattern.test(path))
    const template = matching.find((one) => document.paths[one.path]?.[verb]) ?? matching[0]
    if (!template || status === 405)
      return status === 404 || status === 405 ? undefined : `undocumented path ${path}`
    if (!document.paths[template.path]?.[verb]?.responses[status]) {
      return `undocumented: ${method} ${template.path} ${status}`
    }
    if (verb === 'get' && method === 'HEAD') return undefined
    const { content = {} } = Object(document.paths[template.path]?.[verb]?.responses[status])
    if (
      Object.keys(content).some(
        (type) => !['application/json', 'application/problem+json', 'text/event-stream'].includes(type),
      )
    )
      return typeof body === 'string' ? undefined : 'a text, not JSON'
    const pointer = [
      'paths',
      template.path,
      verb,
      'responses',
      `${status}`,
      'content',
      'application/json',
      'schema',
    ]
    const $ref = `openapi#/${pointer.map(escapePointer).join('/')}`
    const validate = validators.get($ref) ?? ajv.compile({ $ref })
    validators.set($ref, validate)
    return validate(body) ? undefined : ajv.errorsText(validate.errors)
  }
}

/** A checker for each mode. The document depends on nothing else (`test/plugins/openapi.test.ts` checks that). */
const checkers = new Map<string, ReturnType<typeof createResponseChecker>>()

/** The folder in which `npm test` has written the document of each mode. A single file runs without it. */
const DOCUMENTS = process.env.PHASEBOARD_TEST_DOCUMENTS

async function documentOf(app: App, authMode: Config['authMode']) {
  const document = DOCUMENTS
    ? JSON.parse(readFileSync(join(DOCUMENTS, `${authMode}.json`), 'utf8'))
    : await app.openapi()
  return withoutReferences(document) as OpenApiDocument
}

async function responseChecker(app: App, config: Partial<Config>) {
  const { authMode } = configure(config)
  const check = checkers.get(authMode) ?? createResponseChecker(await documentOf(app, authMode))
  checkers.set(authMode, check)
  return check
}

const JSON_TYPE = /^application\/(problem\+)?json\b/

/** Turns an error in the form of problem details into the usual form. */
function plain(body: unknown): unknown {
  const { type, title, details } = Object(body)
  const isProblem = String(type).startsWith('urn:phaseboard:docs/errors.md#')
  return isProblem ? { error: title, ...(details !== undefined && { details }) } : body
}

/** A response with its body. A stream of events is closed instead. */
export async function wholeUnlessEvents(response: LightMyRequestResponse): Promise<LightMyRequestResponse> {
  const stream = response.stream()
  const hasEvents = response.headers['content-type'] === 'text/event-stream'
  if (hasEvents) stream.destroy()
  const rawPayload = hasEvents ? Buffer.alloc(0) : await buffer(stream)
  const body = rawPayload.toString()
  return Object.assign(response, { rawPayload, body, payload: body, json: () => JSON.parse(body) })
}

/**
 * Builds the production application on a new in-memory database, which is closed with the test.
 * @param options settings that differ from the defaults
 * @param make builds it: from the sources, unless the shipped build is tested
 */
export async function build(
  t: Test,
  options: Partial<Config> & BuildOptions = {},
  make: typeof buildApp = buildApp,
): Promise<App> {
  const app = await make({ databaseUrl: ':memory:', logLevel: 'silent', ...options })
  t.teardown(() => app.close())
  await app.ready()
  const check = await responseChecker(app, options)
  const inject = app.inject.bind(app) as (options: InjectOptions) => Promise<LightMyRequestResponse>
  app.inject = (async (options: InjectOptions) => {
    // A stream of events has no end, so only its start is read.
    const response = await inject({ ...options, payloadAsStream: true }).then(wholeUnlessEvents)
    const { statusCode, body } = response
    const method = options.method ?? 'GET'
    const isJson = JSON_TYPE.test(String(response.headers['content-type']))
    // A browser gets the page at an unknown address, which says so.
    const accept = String(Object(options.headers).accept)
    const isPage =
      accept.includes('text/html') && String(response.headers['content-type']).startsWith('text/html')
    const problem = isJson
      ? check(method, String(options.url), statusCode, body === '' ? undefined : plain(JSON.parse(body)))
      : statusCode >= 400 && !isPage && 'an error that is not JSON'
    if (problem) t.fail(`${method} ${options.url}: ${problem}`, { body })
    return response
  }) as App['inject']
  return app
}

/** The parts of a response that tests usually need. */
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests assert whole bodies, of every shape
  body: any
  headers: LightMyRequestResponse['headers']
}

/** Sends one request. An object as `body` is sent as JSON, a string unchanged, both with the content type JSON. */
export async function send(
  app: App,
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const hasBody = body !== undefined
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(hasBody ? { payload: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  })
  const isJson = JSON_TYPE.test(String(response.headers['content-type'])) && response.body !== ''
  return {
    status: response.statusCode,
    body: isJson ? response.json() : response.body,
    headers: response.headers,
  }
}

/** The prepared statement that adds a member. Compiling it with its triggers takes many times as long as running it. */
const addition = new WeakMap<App['db']['$client'], ReturnType<App['db']['$client']['prepare']>>()

type Role = (typeof ROLES)[number]

/** Creates a member and a session. @returns the id, and the headers that carry the session */
export function signInAs(app: App, role: Role, fields: { id?: string } = {}) {
  const id = fields.id ?? newId()
  const { $client } = app.db
  const add =
    addition.get($client) ??
    $client.prepare('insert into members (id, name, email, role) values (?, ?, ?, ?)')
  addition.set($client, add)
  add.run(id, `The ${role}`, `${id}@example.test`, role)
  const { token } = app.rules.members.sessions.start(id)
  return { id, token, headers: { cookie: `phaseboard_session=${token}` } }
}

/** Creates a member. @returns the id */
export function addMember(
  app: App,
  email: string,
  fields: Partial<typeof members.$inferInsert> = {},
): string {
  const id = newId()
  app.db
    .insert(members)
    .values({ id, name: 'Ada', email, ...fields })
    .run()
  return id
}

/** Creates an API token of a member. @returns the headers that carry it */
export function tokenOf(app: App, memberId: string, fields: Partial<typeof apiTokens.$inferInsert> = {}) {
  const token = `pbt_${newToken()}`
  app.db
    .insert(apiTokens)
    .values({ id: newId(), memberId, name: 'CI', scope: 'write', tokenHash: hashToken(token), ...fields })
    .run()
  return { authorization: `Bearer ${token}` }
}

/** The entries of the audit log, oldest first. */
export const auditTrail = (app: App) =>
  app.db
    .select()
    .from(auditLog)
    .orderBy(auditLog.id)
    .all()
    .map(({ actorId, action, subjectId, metadata }) => [actorId, action, subjectId, metadata])

type Headers = Record<string, string>

/** Creates a record through the API. @returns the response's body @throws Error if it is not created */
export async function created(app: App, url: string, fields: object, headers?: Headers) {
  const { status, body } = await send(app, 'POST', url, fields, headers)
  if (status !== 201) throw new Error(`POST ${url}: ${status} ${JSON.stringify(body)}`)
  return body
}

export const createProject = (app: App, fields: object = {}, headers?: Headers) =>
  created(app, '/api/projects', { name: 'Apollo', ...fields }, headers)

export const createItem = (app: App, projectId: string, fields: object = {}, headers?: Headers) =>
  created(app, `/api/projects/${projectId}/kanban-items`, { title: 'Card', ...fields }, headers)

export const createSubtask = (app: App, itemId: string, fields: object = {}) =>
  created(app, `/api/kanban-items/${itemId}/subtasks`, { title: 'Step', ...fields })

/**
 * A request and its response: method, URL, body and headers (e.g. a session's) if it has any, status, response body. The
 * body is `undefined` if it has only headers.
 */
export type Row =
  | readonly [method: string, url: string, status: number, answer: unknown]
  | readonly [method: string, url: string, body: unknown, status: number, answer: unknown]
  | readonly [
      method: string,
      url: string,
      body: unknown,
      headers: Headers | undefined,
      status: number,
      answer: unknown,
    ]

/** The fields of a response that the expectation has; for a list, those of each element. */
function namedFields(answer: unknown, expected: unknown): unknown {
  if (Array.isArray(answer)) {
    return Array.isArray(expected)
      ? answer.map((entry, index) => namedFields(entry, expected[index]))
      : answer
  }
  if (typeof answer !== 'object' || answer === null || typeof expected !== 'object' || expected === null)
    return answer
  const names = Object.keys(expected).filter((name) => Object.hasOwn(answer, name))
  return Object.fromEntries(names.map((name) => [name, answer[name as keyof typeof answer]]))
}

/**
 * Sends the requests of a table in order, and compares each response with its row. Errors must match exactly, a success only in
 * the row's fields. The response to HEAD has no body.
 * @param usual the headers of rows without any
 */
export async function holds(t: Test, app: App, rows: readonly Row[], usual?: Headers): Promise<void> {
  for (const [method, url, ...rest] of rows) {
    const [status, expected] = rest.slice(-2) as [number, unknown]
    const [body, headers = usual] = rest.slice(0, -2) as [unknown?, Headers?]
    const answer = await send(app, method, url, body, headers)
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
    const request = `${method} ${url} ${text}`.trim().slice(0, 100)
    t.equal(answer.status, status, `${request} is answered with ${status}`)
    const found = status >= 400 ? answer.body : namedFields(answer.body, expected)
    t.strictSame(found, method === 'HEAD' ? '' : expected, `${request} says what it should`)
  }
}

/** A stream for the log of an application, and what was written to it. */
export function keepLog() {
  const lines: string[] = []
  const logStream = new Writable({
    write: (line, _encoding, done) => {
      lines.push(String(line))
      done()
    },
  })
  return { logStream, lines, log: () => lines.join('') }
}

/** The body of a failed validation. */
export const invalid = (fieldErrors: Record<string, string[]>, formErrors: string[] = []) => ({
  error: 'Validation failed',
  details: { formErrors, fieldErrors },
})

/** A text with a given length. */
export const long = (length: number) => 'x'.repeat(length)

/** The stored row of a record, as another tool would read it: raw column values. */
export const stored = (app: App, table: string, id: string): Record<string, unknown> =>
  app.db.$client.prepare(`select * from ${table} where id = ?`).get(id) as Record<string, unknown>

/** The number of rows of a table that match the condition. */
export const count = (app: App, table: string, condition = 'true', ...values: unknown[]): number =>
  app.db.$client
    .prepare(`select count(*) from ${table} where ${condition}`)
    .pluck()
    .get(...values) as number

/** Makes each read and write of a table fail, like an unexpected failure. */
export const breakTable = (app: App, table: string) =>
  app.db.$client.exec(`pragma legacy_alter_table = on; alter table ${table} rename to broken_${table}`)

/**
 * Adds to an item and its project one row of every kind that has no helper here.
 * @returns the ids
 */
export function seed(app: App, projectId: string, itemId: string) {
  const ids = {
    label: newId(),
    comment: newId(),
    activity: newId(),
    transcript: newId(),
    metric: newId(),
    objective: newId(),
    assignment: newId(),
    idea: newId(),
  }
  const { db } = app
  db.insert(kanbanLabels).values({ id: ids.label, projectId, name: 'Bug' }).run()
  db.insert(kanbanItemLabels).values({ itemId, labelId: ids.label }).run()
  db.insert(kanbanComments).values({ id: ids.comment, itemId, authorId: 'someone', content: 'Hm' }).run()
  db.insert(kanbanActivity).values({ id: ids.activity, itemId, type: 'priority', metadata: {} }).run()
  db.insert(transcriptSummaries)
    .values({ id: ids.transcript, projectId, title: 'Kick-off', date: '2026-01-31T00:00:00.000Z' })
    .run()
  db.insert(metrics).values({ id: ids.metric, projectId, name: 'Velocity', value: 3.5 }).run()
  db.insert(objectives).values({ id: ids.objective, projectId, title: 'Land' }).run()
  db.insert(teamAssignments).values({ id: ids.assignment, projectId, memberId: 'someone' }).run()
  db.insert(personalIdeas)
    .values({ id: ids.idea, ownerId: 'local', title: 'Fly', promotedProjectId: projectId })
    .run()
  return ids
}

/** A time that is always in the past of a test. */
export const LONG_AGO = '2001-01-01T00:00:00.000Z'

/** Backdates a record's last change, so that a new one is noticeable. */
export const age = (app: App, table: string, id: string, column = 'updated_at') =>
  app.db.$client.prepare(`update ${table} set ${column} = ? where id = ?`).run(LONG_AGO, id)

/** The body of a 403 for a request of another site's page. @param expected the service's own origin */
export const crossOriginFrom = (expected = 'http://localhost') => ({
  error: `Forbidden: cross-origin request: expected ${expected}; if that is not the address of the service, set PUBLIC_URL`,
})

/** The body of a 401. */
export const authenticationRequired = { error: 'Authentication required' }

/** The body of a viewer's 403. */
export const readOnly = { error: 'Forbidden: read-only role' }

/** Stops all intervals from now on. @returns a function that runs the hourly tasks */
export function hourly(t: Test): () => void {
  const { setInterval } = globalThis
  const tasks: (() => void)[] = []
  t.teardown(() => {
    globalThis.setInterval = setInterval
  })
  globalThis.setInterval = ((begin: () => void, period: number) => {
    if (period === 3_600_000) tasks.push(begin)
    return setInterval(() => undefined, period)
  }) as typeof setInterval
  return () => {
    for (const begin of tasks) begin()
  }
}

/** Gives keys and numbers to what a test has written like another program, as the start of the service does. */
export function giveNames({ rules }: App): void {
  while (rules.projects.keys.give());
  while (rules.board.numbers.give());
}
