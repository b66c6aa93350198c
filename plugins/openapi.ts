import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import type { Access } from '../src/members/identity.ts'
import { SESSION_COOKIE } from '../src/members/sessions.ts'
import { version } from '../src/package-files.ts'
import { ErrorBody, ref, ValidationErrorBody } from '../src/schemas/common.ts'
import { BODY_EXAMPLES } from '../src/schemas/examples.ts'
import { namedSchemas } from '../src/schemas/records.ts'

const DESCRIPTION = `Projects, kanban boards and private ideas.

Bodies are JSON in UTF-8, whatever their \`Content-Type\` says. Unknown fields are ignored. A PATCH changes the fields it names. JSON-text fields
(\`phaseConfig\`, \`metadata\`, \`participants\`, \`actionItems\`, \`history\`) are accepted as plain values or as JSON
text and always returned as plain values.
Every error is an object with an \`error\` string; failed validation adds \`details\`.`

const TAGS = [
  { name: 'Projects', description: 'Projects with all that belongs to them' },
  { name: 'Kanban items', description: 'The cards of a board; tracked fields leave an activity log' },
  { name: 'Kanban subtasks', description: 'What is to be ticked off on an item' },
  { name: 'Kanban comments', description: 'What people say about an item' },
  { name: 'Kanban columns', description: 'The columns of a board, with their limits of work in progress' },
  { name: 'Kanban labels', description: 'The coloured words of a board, and which item has which' },
  { name: 'Objectives', description: 'What a project wants to achieve' },
  { name: 'Metrics', description: 'Numbers that a project watches, with their history' },
  { name: 'Transcript summaries', description: 'What was said in meetings' },
  { name: 'Team assignments', description: 'Who works on a project' },
  { name: 'Ingest', description: 'For integrations: what a meeting or a measurement brings, all or nothing' },
  { name: 'Search', description: 'Full text over all that the caller may read' },
  { name: 'Personal ideas', description: "Each member's private list" },
  { name: 'Session', description: 'Signing in and out, and where else one is signed in' },
  { name: 'Tokens', description: 'What scripts and integrations sign in with' },
  { name: 'Members', description: 'Who can sign in, and as what' },
  { name: 'Teams', description: 'Members by name of their team' },
  { name: 'Audit log', description: 'Sign-ins and their failures, and what changed who may do what' },
  { name: 'Health', description: 'For process supervisors and load balancers' },
]

const CREDENTIALS = [{ token: [] }, { session: [] }]

/** Which credentials an operation takes; in open mode none is needed where no admin is demanded. */
function security(access: Access | undefined, authMode: 'open' | 'required') {
  if (access === undefined || access === 'public') return []
  return authMode === 'open' && access !== 'admin' && access !== 'admin-or-403'
    ? [{}, ...CREDENTIALS]
    : CREDENTIALS
}

/** A request body as a client should read it: validation drops unknown keys, it does not refuse them. */
function documentedBody(
  { additionalProperties: _, ...body }: TSchema,
  operationId: string | undefined,
): object {
  const example = BODY_EXAMPLES[operationId ?? '']
  return { ...body, ...(example && { examples: [example] }) }
}

/**
 * A parameter as a client should read it: the page fills in what it finds as a default or an example, and a filter that
 * nobody asked for hides what there is. Both become words.
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

/** What a status means: its standard phrase, and the route's own words for an unexpected failure. */
const describeStatus = (status: string, failure: string | undefined) =>
  status === '500' && failure !== undefined ? `Unexpected failure: \`${failure}\`` : STATUS_CODES[status]

/** The errors that every endpoint of its kind can answer, so that no route has to list them. */
function commonErrors(
  { body, querystring }: FastifySchema,
  access: Access | undefined,
): Record<string, TSchema> {
  const statuses = [
    ...(body || querystring ? [400] : []),
    ...(body ? [413] : []),
    ...(access === 'public' || access === 'admin-or-403' ? [] : [401]),
    ...(access === undefined || access === 'public' || access === 'read' ? [] : [403]),
    429,
    500,
    503,
  ]
  return Object.fromEntries(
    statuses.map((status) => [status, ref(status === 400 ? ValidationErrorBody : ErrorBody)]),
  )
}

/** A route's schema as the document shows it. */
function documented(
  route: FastifySchema,
  { access, failure }: FastifyContextConfig,
  authMode: 'open' | 'required',
): FastifySchema {
  const { body, querystring, response, ...schema } = route
  const answers = { ...commonErrors(route, access), ...(response as Record<string, TSchema> | undefined) }
  const responses = Object.entries(answers).map(([status, answer]) => [
    status,
    { description: describeStatus(status, failure), ...answer },
  ])
  return {
    ...schema,
    ...(body ? { body: documentedBody(body as TSchema, schema.operationId) } : {}),
    ...(querystring ? { querystring: documentedQuery(querystring as TSchema) } : {}),
    response: Object.fromEntries(responses),
    security: security(access, authMode),
  }
}

/** Of the document, what is changed once it is complete. */
interface Document {
  paths: Record<string, Record<string, { operationId: string; requestBody?: { required: boolean } }>>
}

/** Collects the OpenAPI document from the same schemas that validate and serialise. Register it before the routes. */
export default fp<{ authMode: 'open' | 'required' }>(
  async (app, { authMode }) => {
    const withOptionalBody = new Set<string>()
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Phaseboard',
          version,
          description: DESCRIPTION,
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: app.prefix || '/' }],
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
      stripBasePath: true,
      transform: ({ schema, url, route }) => {
        if (route.config?.isBodyOptional) withOptionalBody.add(String(schema.operationId))
        return { schema: schema?.hide ? schema : documented(schema, route.config ?? {}, authMode), url }
      },
      // The collector calls every body required.
      transformObject: (document) => {
        const { openapiObject } = document as unknown as { openapiObject: Document }
        const operations = Object.values(openapiObject.paths).flatMap((path) => Object.values(path))
        for (const { operationId, requestBody } of operations) {
          if (requestBody && withOptionalBody.has(operationId)) requestBody.required = false
        }
        return openapiObject as never
      },
    })
    for (const schema of namedSchemas) app.addSchema(schema)
  },
  { name: 'openapi', fastify: '5.x' },
)
