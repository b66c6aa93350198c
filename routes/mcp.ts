import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, identityOf } from '../src/access/identity.ts'
import {
  type Answer,
  type Asked,
  type Service,
  type WriteAs,
  type Written,
  withQuery,
} from '../src/agents/service.ts'
import { ApiError, BatchFailure, SpecifiedFailure } from '../src/errors.ts'
import { authorize } from '../src/members/identity.ts'
import { once } from '../src/once.ts'
import { codeOfFailure, toApiError } from '../src/requests/api-errors.ts'
import { askHost } from '../src/requests/hosted-people.ts'
import { hashOf } from '../src/requests/idempotency.ts'
import { toText } from '../src/requests/responses.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { createStrictChecks } from '../src/requests/strict-checks.ts'
import { JsonRpcErrorBody, ref, ValidationErrorBody } from '../src/schemas/common.ts'
import type { JsonBytes } from '../src/schemas/serialization.ts'

/** Largest response that is parsed, in bytes: larger ones would block other requests. */
const ANSWERS_LIMIT = 4 * 1024 * 1024

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = { code: -32700, message: 'Parse error: the body is not JSON' }
const NO_BATCHES = { code: -32600, message: 'Invalid Request: send one message at a time' }

const jsonRpcError = (error: { code: number; message: string }) =>
  JSON.stringify({ jsonrpc: '2.0', error, id: null })

const MessageSchema = Type.Unsafe<unknown>({
  description: 'A JSON-RPC 2.0 message: a request, or a notification',
})
const ResponseSchema = Type.Unsafe<never>({
  type: 'object',
  additionalProperties: true,
  description: 'A JSON-RPC 2.0 response',
})

const DESCRIPTION = `The [Model Context Protocol](https://modelcontextprotocol.io) over Streamable HTTP: stateless, one message per request, responses in
JSON. Tools perform requests of this API with the rights of the caller's credential; a read token reads. See docs/agents.md.`

/** The error for an agent. A fault of the service is logged like that of any request. */
function apiErrorOf(error: unknown, request: FastifyRequest): ApiError {
  const apiError = toApiError(error)
  if (apiError) return apiError
  const { message, details, cause } =
    error instanceof BatchFailure
      ? error
      : { message: 'Internal server error', details: undefined, cause: error }
  if (!(cause instanceof SpecifiedFailure)) request.log.error({ err: cause }, message)
  return new ApiError(500, message, { code: codeOfFailure(cause), ...(details && { details }) })
}

/** The Model Context Protocol, for agents. */
const mcpRoutes: Routes<{ authMode: 'open' | 'required' }> = async (app, { authMode }) => {
  const shape = { name: 'mcp', status: 200, schema: ResponseSchema, kind: 'other' } as const

  /** Loaded lazily: few services have agents. */
  const loadAgents = once(async () => {
    const { createAgents } = await import('../src/agents/server.ts')
    const { operations } = app
    const strictCheck = createStrictChecks()
    return createAgents({
      routes: {
        body: (operationId) => operations.schemaOf(operationId).body as TSchema,
        query: (operationId) => operations.schemaOf(operationId).querystring as TSchema,
      },
      checkOf: (schema) => {
        const check = strictCheck({ body: schema })
        return (body) => check({ body, query: {} })
      },
    })
  })

  async function read(request: FastifyRequest, paths: readonly string[]): Promise<Answer[]> {
    const answers = await app.readEach(request, paths, { isStrict: true, hasLiteralBodies: true })
    return answers.map((answer) => ({ ...answer, body: JSON.parse(toText(answer.body)) }))
  }

  async function write(
    request: FastifyRequest,
    requests: readonly Asked[],
    { said, idempotencyKey, isDryRun = false, hasPlaceholders = false }: WriteAs,
  ): Promise<Written> {
    const identity = identityOf(request)
    // The same access as a batch.
    authorize('own', identity, 'POST', authMode)
    const { id, role } = identity.member
    const path = `${app.prefix}/mcp`
    const batch = app.batch(request, requests, isDryRun, {
      isStrict: true,
      hasLiteralBodies: !hasPlaceholders,
    })
    const outcome = await app.perform(batch, {
      actorId: id,
      ...callerOf(request),
      ...(idempotencyKey !== undefined && {
        repeatable: {
          request: { memberId: id, role, method: 'POST', path, key: idempotencyKey, bodyHash: hashOf(said) },
          shape,
          isSecret: false,
        },
      }),
    })
    const { value, response, isReplay = false } = outcome
    const body: string | JsonBytes = isReplay ? (response?.body ?? '') : (value as JsonBytes)
    const seq = outcome.seq ?? response?.seq ?? undefined
    const isTooLarge = body.length > ANSWERS_LIMIT
    return {
      answers: isTooLarge ? [] : JSON.parse(toText(body)).results,
      isReplay,
      ...(seq !== undefined && { seq }),
      ...(isTooLarge && { unread: body.length }),
    }
  }

  /** The service, with the rights of this request's caller. */
  const serviceFor = (request: FastifyRequest): Service => ({
    read: (...paths) => read(request, paths),
    write: (requests, how) => write(request, requests, how),
    readPeople: async (query) => {
      await askHost(app, request, query)
      const [answer] = await read(request, [withQuery('/api/people', query)])
      return answer as Answer
    },
  })

  /** @param body JSON; empty for no body */
  function send(reply: FastifyReply, status: number, body: string): FastifyReply {
    reply.code(status)
    if (body === '') return reply.send()
    return reply.header('content-type', 'application/json; charset=utf-8').serializer(String).send(body)
  }

  app.post('/mcp', {
    config: {
      access: 'each',
      failure: 'Internal server error',
      caching: 'no-store',
      isRepeatable: false,
      refusesForeignOrigins: true,
    },
    schema: {
      operationId: 'mcp',
      summary: 'Send a message of the Model Context Protocol',
      description: DESCRIPTION,
      tags: ['Agents'],
      body: MessageSchema,
      response: {
        200: ResponseSchema,
        202: Type.Null({ description: 'A notification was accepted' }),
        400: Type.Union([ref(JsonRpcErrorBody), ref(ValidationErrorBody)], {
          description:
            'No valid message: a JSON-RPC error; an unknown query parameter of a strict request: as everywhere',
        }),
      },
    },
    errorHandler: (error, _request, reply) => {
      if (error instanceof SpecifiedFailure) send(reply, 400, jsonRpcError(PARSE_ERROR))
      else throw error
    },
    handler: async (request, reply) => {
      const { body: message, headers } = request
      if (Array.isArray(message)) return send(reply, 400, jsonRpcError(NO_BATCHES))
      const { member, scope } = identityOf(request)
      const respond = await loadAgents()
      const { status, body } = await respond(message, {
        service: serviceFor(request),
        refuse: (error) => apiErrorOf(error, request),
        mayWrite: scope === 'write' && (authMode === 'open' || member.role !== 'viewer'),
        protocolVersion: headers['mcp-protocol-version']?.toString(),
      })
      return send(reply, status, body)
    },
  })
}

export default mcpRoutes
