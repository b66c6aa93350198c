import { Readable } from 'node:stream'
import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, identityOf, memberOf, shareOf } from '../src/access/identity.ts'
import {
  type Answer,
  type Asked,
  type FileToAttach,
  type Service,
  type WriteAs,
  type Written,
  withQuery,
} from '../src/agents/service.ts'
import { CHUNK_BYTES } from '../src/db/file-contents.ts'
import { unlessTooMuch } from '../src/db/work-limits.ts'
import { ApiError, BatchFailure, SpecifiedFailure } from '../src/errors.ts'
import { baseUrl } from '../src/http/public-url.ts'
import { isObjectOrArray } from '../src/json.ts'
import { authorize } from '../src/members/identity.ts'
import { once } from '../src/once.ts'
import { codeOfFailure, toApiError } from '../src/requests/api-errors.ts'
import { roomFor } from '../src/requests/attachment-room.ts'
import { askHost } from '../src/requests/hosted-people.ts'
import { hashOf } from '../src/requests/idempotency.ts'
import type { RepeatableRequest, StoredResponse } from '../src/requests/idempotency-store.ts'
import { toText } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { createStrictChecks } from '../src/requests/strict-checks.ts'
import { JsonRpcErrorBody, ref, ValidationErrorBody } from '../src/schemas/common.ts'
import { AttachmentSchema } from '../src/schemas/records.ts'
import type { JsonBytes } from '../src/schemas/serialization.ts'

/** Largest response that is parsed, in bytes: larger ones would block other requests. */
const ANSWERS_LIMIT = 4 * 1024 * 1024

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = { code: -32700, message: 'Parse error: the body is not JSON' }
const NO_BATCHES = { code: -32600, message: 'Invalid Request: send one message at a time' }
const TOO_MANY_VALUES = {
  code: -32600,
  message: 'Invalid Request: the message has too many fields',
}

/**
 * Values in a message, at most, at any depth, and fields of a tool's arguments. The SDK copies and checks them several times: tens of
 * thousands would block the event loop, some for many seconds. Only the service's own checks see what is inside of arguments.
 */
const VALUES_LIMIT = 1000

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

/** Whether a message has more values than the SDK can check at once. */
function hasTooManyValues(message: unknown): boolean {
  const { params } = isObjectOrArray(message) ? message : {}
  const { arguments: args } = isObjectOrArray(params) ? params : {}
  if (isObjectOrArray(args) && Object.keys(args).length > VALUES_LIMIT) return true
  // Not recursive: the nesting may be deep.
  const values = [message]
  for (const value of values) {
    if (!isObjectOrArray(value) || value === args) continue
    const inner = Object.values(value)
    if (values.length + inner.length > VALUES_LIMIT) return true
    values.push(...inner)
  }
  return false
}

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

/** The result of a batch, from its response. */
function writtenBy(
  body: string | JsonBytes,
  { isReplay, seq }: { isReplay: boolean; seq: number | undefined },
): Written {
  const isTooLarge = body.length > ANSWERS_LIMIT
  return {
    answers: isTooLarge ? [] : JSON.parse(toText(body)).results,
    isReplay,
    ...(seq !== undefined && { seq }),
    ...(isTooLarge && { unread: body.length }),
  }
}

/** The Model Context Protocol, for agents. */
const mcpRoutes: Routes<{ authMode: 'open' | 'required'; publicUrl: string | undefined }> = async (
  app,
  { authMode, publicUrl },
) => {
  const { files, scoped } = app
  const shape = { name: 'mcp', status: 200, schema: ResponseSchema, kind: 'other' } as const
  const shapeOfFiles = {
    name: 'mcp-files',
    status: 201,
    schema: Type.Array(ref(AttachmentSchema)),
    kind: 'other',
  } as const

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

  /** The hash by which repetitions of a call are recognised. */
  function repeatedAs(request: FastifyRequest, key: string, args: unknown): RepeatableRequest {
    const { id, role } = identityOf(request).member
    return { memberId: id, role, method: 'POST', path: `${app.prefix}/mcp`, key, bodyHash: hashOf(args) }
  }

  /** The kept response to an earlier call with the same key. */
  function keptFor(
    request: FastifyRequest,
    repeated: RepeatableRequest | undefined,
  ): StoredResponse | undefined {
    if (repeated === undefined) return undefined
    return unlessTooMuch(() => scoped.repetition(callerOf(request).principal, repeated))
  }

  function repetition(
    request: FastifyRequest,
    { args, idempotencyKey }: Pick<WriteAs, 'args' | 'idempotencyKey'>,
  ): Written | undefined {
    authorize('own', identityOf(request), 'POST', authMode)
    if (idempotencyKey === undefined) return undefined
    const kept = keptFor(request, repeatedAs(request, idempotencyKey, args))
    return kept && writtenBy(kept.body ?? '', { isReplay: true, seq: kept.seq ?? undefined })
  }

  async function write(
    request: FastifyRequest,
    requests: readonly Asked[],
    { args, idempotencyKey, isDryRun = false, hasPlaceholders = false }: WriteAs,
  ): Promise<Written> {
    const identity = identityOf(request)
    // The same access as a batch.
    authorize('own', identity, 'POST', authMode)
    const { id } = identity.member
    const batch = app.batch(request, requests, isDryRun, {
      isStrict: true,
      hasLiteralBodies: !hasPlaceholders,
    })
    const outcome = await app.perform(batch, {
      actorId: id,
      ...callerOf(request),
      ...(idempotencyKey !== undefined && {
        repeatable: {
          request: {
            ...repeatedAs(request, idempotencyKey, args),
            paths: requests.map(({ path }) => path),
          },
          shape,
          isSecret: false,
        },
      }),
    })
    const { value, response, isReplay = false } = outcome
    const body: string | JsonBytes = isReplay ? (response?.body ?? '') : (value as JsonBytes)
    return writtenBy(body, { isReplay, seq: outcome.seq ?? response?.seq ?? undefined })
  }

  /** Receives a file like the route of uploads; it is removed if no record refers to it. */
  async function attach(
    request: FastifyRequest,
    { itemId, name, bytes }: FileToAttach,
    { args, idempotencyKey }: Pick<WriteAs, 'args' | 'idempotencyKey'>,
  ): Promise<Written> {
    const identity = identityOf(request)
    authorize('write', identity, 'POST', authMode)
    const caller = callerOf(request)
    const repeated = idempotencyKey === undefined ? undefined : repeatedAs(request, idempotencyKey, args)
    // The item of a repetition may be deleted.
    const stored = keptFor(request, repeated)
    if (stored) {
      const { status, body, seq } = stored
      return {
        answers: [{ status, body: JSON.parse(body ?? '[]') }],
        isReplay: true,
        ...(seq !== null && { seq }),
      }
    }
    roomFor(scoped, caller.principal, itemId)
    if (bytes.byteLength > files.limit) throw new ApiError(413, 'Payload Too Large')
    const { receiveFile } = await import('../src/requests/attachment-uploads.ts')
    const limits = { file: files.limit, files: 1 }
    const [file] = await files.upload(shareOf(request), bytes.byteLength, (sink) =>
      receiveFile(Readable.from([bytes]), name, limits, sink),
    )
    const content = file?.content ?? 0
    try {
      const made = file === undefined ? [] : [{ ...file, content }]
      const outcome = await app.perform(app.board.attachments.addFiles(itemId, made, memberOf(request)), {
        actorId: identity.member.id,
        ...caller,
        ...(repeated && { repeatable: { request: repeated, shape: shapeOfFiles, isSecret: false } }),
      })
      const { value, response, isReplay = false } = outcome
      const seq = outcome.seq ?? response?.seq ?? undefined
      const body = isReplay ? JSON.parse(response?.body ?? '[]') : value
      return { answers: [{ status: 201, body }], isReplay, ...(seq !== undefined && { seq }) }
    } finally {
      if (file?.damaged !== undefined) await files.store.discard(file.damaged)
      await files.store.discard(content)
    }
  }

  /** The bytes of a small file, all at once. */
  async function readFile(request: FastifyRequest, id: string): Promise<Uint8Array> {
    authorize('read', identityOf(request), 'GET', authMode)
    const { content, size } = await app.read(app.board.attachments.content(id), callerOf(request))
    const leave = await files.downloads.wait(shareOf(request))
    try {
      const chunks: Uint8Array[] = []
      for (let chunk = 0; chunk * CHUNK_BYTES < size; chunk++) {
        const bytes = await files.store.read(content, chunk)
        if (bytes === undefined) throw new Error('a chunk of the file is missing')
        chunks.push(bytes)
      }
      return Buffer.concat(chunks)
    } finally {
      leave()
    }
  }

  /** The service, with the rights of this request's caller. */
  const serviceFor = (request: FastifyRequest): Service => ({
    read: (...paths) => read(request, paths),
    write: (requests, how) => write(request, requests, how),
    repetition: (how) => repetition(request, how),
    attach: (file, how) => attach(request, file, how),
    readFile: (id) => readFile(request, id),
    urlOf: (path) => baseUrl(request, app, publicUrl) + path,
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
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
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
      if (hasTooManyValues(message)) return send(reply, 400, jsonRpcError(TOO_MANY_VALUES))
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
