import { Type } from '@sinclair/typebox'
import { BATCH_METHODS, type BatchMethod } from '../src/batch/operations.ts'
import { NAME_PATTERN } from '../src/batch/placeholders.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { BatchErrorBody, CreateBody, ref } from '../src/schemas/common.ts'

/** Requests of a batch, at most. */
const REQUESTS_LIMIT = 200

/** Characters of a path: as many as a request line may have. */
const PATH_LIMIT = 16_384

const BatchedRequestSchema = Type.Object(
  {
    method: Type.Unsafe<BatchMethod>({ type: 'string', enum: [...BATCH_METHODS] }),
    path: Type.String({
      maxLength: PATH_LIMIT,
      description: 'Path and query, from `/api/` on; a value of `{{name.field}}` is percent-encoded',
      examples: ['/api/kanban-items/{{card.id}}/comments'],
    }),
    body: Type.Optional(Type.Unsafe<object>({ type: 'object', description: 'As the route takes it' })),
    ifMatch: Type.Optional(Type.String({ maxLength: PATH_LIMIT, description: 'As the header `If-Match`' })),
    as: Type.Optional(
      Type.String({ pattern: NAME_PATTERN, description: 'What later requests call its result' }),
    ),
  },
  { additionalProperties: false },
)
const RunBatch = CreateBody({
  requests: Type.Array(BatchedRequestSchema, {
    minItems: 1,
    maxItems: REQUESTS_LIMIT,
    'x-unique-by': 'as',
    description: `1 to ${REQUESTS_LIMIT}, performed in this order; each \`as\` at most once`,
  }),
  dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Answer the same, and change nothing' })),
})

const BatchResultSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      status: Type.Integer({ description: 'As the route answers' }),
      body: Type.Unknown({ description: 'As the route answers' }),
      etag: Type.Optional(Type.String({ description: 'Of an answer that is one record' })),
    }),
  ),
  dryRun: Type.Boolean(),
})

const DESCRIPTION = `Performs requests in order, in one transaction: each has the rights of the caller, the checks of its own route,
and sees what those before it wrote. The first that fails undoes all of them: the batch is answered with its status and \`error\`, and
\`details.request\` says which it was, from 0.

\`as\` names a result: in paths and string values of later bodies \`{{name.field}}\` stands for its field (\`{{card.labels.0.id}}\` for a deeper one). A
string that is nothing but one placeholder takes the value with its type.

A batch that only reads (each method is GET) answers all of it of one state of the data, holds up no writes, and takes a credential that only reads.
What would hold up others for longer than a second is 413, and nothing is done.

Everything under /api may be part of a batch but sessions, tokens, what shows a webhook's secret or tests one, what sets a password, what waits for changes, and batches. Only the status, the body and the ETag of a response are told, no other header.`

/** Batches: several requests at once, all or nothing. */
const batchRoutes: Routes = async (app) => {
  const failed = ref(BatchErrorBody)

  app.post('/api/batch', {
    config: {
      access: 'each',
      caching: 'no-store',
      failure: 'Failed to run batch',
      isSentAlone: true,
      dependsOnRole: true,
    },
    schema: {
      operationId: 'runBatch',
      summary: 'Perform several requests, all or nothing',
      description: DESCRIPTION,
      tags: ['Batch'],
      body: RunBatch,
      response: {
        200: BatchResultSchema,
        403: failed,
        404: failed,
        405: failed,
        409: failed,
        410: failed,
        412: failed,
        413: failed,
        500: failed,
      },
    },
    handler: (request) => {
      const { requests, dryRun = false } = request.body
      return app.batch(request, requests, dryRun)
    },
  })
}

export default batchRoutes
