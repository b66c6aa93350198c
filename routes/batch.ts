import { Type } from '@sinclair/typebox'
import { BATCH_METHODS, type BatchMethod } from '../src/batch/operations.ts'
import { NAME_PATTERN } from '../src/batch/placeholders.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { BatchErrorBody, CreateBody, ref } from '../src/schemas/common.ts'

/** Requests in a batch, at most. */
const REQUESTS_LIMIT = 200

/** Characters of a path: as many as a request line may have. */
const PATH_LIMIT = 16_384

const BatchedRequestSchema = Type.Object(
  {
    method: Type.Unsafe<BatchMethod>({ type: 'string', enum: [...BATCH_METHODS] }),
    path: Type.String({
      maxLength: PATH_LIMIT,
      description: 'Path and query, starting with `/api/`; a value of `{{name.field}}` is percent-encoded',
      examples: ['/api/kanban-items/{{card.id}}/comments'],
    }),
    body: Type.Optional(Type.Unsafe<object>({ type: 'object', description: "The route's body" })),
    ifMatch: Type.Optional(Type.String({ maxLength: PATH_LIMIT, description: 'Like the header `If-Match`' })),
    as: Type.Optional(
      Type.String({ pattern: NAME_PATTERN, description: 'A name for the result, for later requests' }),
    ),
  },
  { additionalProperties: false },
)
const RunBatch = CreateBody({
  requests: Type.Array(BatchedRequestSchema, {
    minItems: 1,
    maxItems: REQUESTS_LIMIT,
    'x-unique-by': 'as',
    description: `1 to ${REQUESTS_LIMIT}, performed in this order; each \`as\` is unique`,
  }),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Respond the same, but change nothing' }),
  ),
})

const BatchResultSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      status: Type.Integer({ description: "The route's status" }),
      body: Type.Unknown({ description: "The route's response body" }),
      etag: Type.Optional(Type.String({ description: 'If the response is a single record' })),
    }),
  ),
  dryRun: Type.Boolean(),
})

const DESCRIPTION = `Performs requests in order, in one transaction: each has the caller's rights, runs the checks of its own route,
and sees the writes of those before it. The first failure rolls back all of them: the response has its status and \`error\`, and
\`details.request\` is its index, from 0.

\`as\` names a result: in later paths and string values of later bodies \`{{name.field}}\` is replaced by its field (\`{{card.labels.0.id}}\` for a nested one). A
string that is only a placeholder gets the value with its type.

A batch that only reads (each method is GET) reads one consistent snapshot, blocks no writes, and accepts a read-only credential.
A batch that would block others for more than a second is 413, and changes nothing.

A batch may contain all requests under /api except those about sessions and tokens, those that show a webhook's secret or test a webhook, those that set a password, those that wait for changes, and batches. Results have only the status, the body and the ETag of a response, no other headers.`

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
      summary: 'Perform several requests in one transaction',
      description: DESCRIPTION,
      tags: ['Batch'],
      body: RunBatch,
      example: {
        requests: [
          { method: 'POST', path: '/api/projects', body: { name: 'Summer party' }, as: 'party' },
          {
            method: 'POST',
            path: '/api/projects/{{party.id}}/kanban-items',
            body: { title: 'Send the invitations', metadata: { of: '{{party.name}}' } },
          },
        ],
        dryRun: true,
      },
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
